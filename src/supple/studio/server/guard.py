"""Who may come in: this machine, by the address that was printed, from the page itself, with the token.

| tried | answered |
| --- | --- |
| a name that is not ours in `Host`, as a rebound DNS name has | 421 |
| a request that another site's page made (`Sec-Fetch-Site`), or another origin's | 403 |
| no token, or a wrong one | 401 |
| the token in the address | a cookie, and the address without it |
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; "
    "media-src blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_SAME = (b"none", b"same-origin")


class Guard:
    """Stands before an ASGI application; everything that comes in passes it."""

    def __init__(self, app: App, *, port: int, token: str | None = None, hosts: tuple[str, ...] = ()) -> None:
        """`hosts` are the names by which it may be called, with the port; those of this machine if none are given."""
        self._app = app
        self.token = secrets.token_urlsafe(32) if token is None else token
        names = hosts or (f"127.0.0.1:{port}", f"localhost:{port}")
        self._origins = {name.encode(): f"http://{name}".encode() for name in names}
        self._cookie = f"supple-studio-{port}"  # cookies know no ports: another program's must not be taken for ours

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status = self._judge(scope)
        if status is not None:
            await _refuse(scope, receive, send, status)
        elif scope["type"] == "http" and self._brings_token(scope):
            await self._welcome(send)
        else:
            await self._app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    def _judge(self, scope: Scope) -> int | None:
        """The status with which a request is refused; None where it may come in."""
        headers = _headers(scope)
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        if host not in self._origins or len([1 for name, _ in scope["headers"] if name == b"host"]) != 1:
            return 421
        if origin is not None and origin != self._origins[host]:
            return 403
        if scope["type"] == "websocket":
            if origin is None:
                return 403
        elif headers.get(b"sec-fetch-site", b"none") not in _SAME and not self._brings_token(scope):
            return 403
        return None if self._knows_token(scope, headers) else 401

    def _brings_token(self, scope: Scope) -> bool:
        return scope["type"] == "http" and b"token=" in scope.get("query_string", b"")

    def _knows_token(self, scope: Scope, headers: Mapping[bytes, bytes]) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if self._brings_token(scope):
            return hmac.compare_digest(given.encode(), self.token.encode())
        cookie: SimpleCookie = SimpleCookie()
        try:
            cookie.load(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        found = cookie.get(self._cookie)
        return found is not None and hmac.compare_digest(found.value.encode(), self.token.encode())

    async def _welcome(self, send: Send) -> None:
        """A cookie for the token, and the address without it, so that no history keeps it."""
        cookie = f"{self._cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), *_HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _headers(scope: Scope) -> dict[bytes, bytes]:
    return {name.lower(): value for name, value in scope["headers"]}


def _with_headers(send: Send) -> Send:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int) -> None:
    words = {401: "Open the address that the terminal shows.", 403: "Only the studio's own page may do that."}
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4000 + status, "reason": words.get(status, "Wrong address.")})
        return
    text = words.get(status, "This is not that address.").encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
