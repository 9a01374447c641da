"""Who may come in: by the address that was printed, from the page itself, with the token.

| tried | answered |
| --- | --- |
| a name that is not ours in `Host`, as a rebound DNS name has | 421 |
| a request that another site's page made (`Sec-Fetch-Site`), or another origin's | 403 |
| a socket, or anything that changes something, without `Origin` | 403 |
| no token, or a wrong one | 401; where other machines may come, the page on which the code is typed |
| the token in the address | a cookie, and the address without it |
| the code of the terminal | the same; a wrong one 401, and 429 while none is taken |

Other machines come in by TLS alone (`secure`): the cookie then goes no other way.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any
from urllib.parse import parse_qs

from supple.studio.server.entry_code import EntryCode
from supple.studio.server.entry_page import ENTRY_POLICY, entry_page

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
# A form sends its origin only where the policy lets it.
_ENTRY_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", ENTRY_POLICY.encode()),
    (b"referrer-policy", b"same-origin"),
    *(header for header in _HEADERS if header[0] not in (b"content-security-policy", b"referrer-policy")),
)
_SAME = (b"none", b"same-origin")
_LOOKING = ("GET", "HEAD")
_FORM = 200  # bytes of the form with the code at most


class Guard:
    """Stands before an ASGI application; everything that comes in passes it."""

    def __init__(
        self,
        app: App,
        *,
        port: int,
        token: str | None = None,
        hosts: tuple[str, ...] = (),
        secure: bool = False,
        code: EntryCode | None = None,
    ) -> None:
        """`hosts` are the names by which it may be called, with the port; those of this machine if none are given.

        `secure` says that it is called by https. With a `code` a device may come in without the token.
        """
        self._app, self._secure, self._code = app, secure, code
        self.token = secrets.token_urlsafe(32) if token is None else token
        names = hosts or (f"127.0.0.1:{port}", f"localhost:{port}")
        self._origins = {name.encode(): f"http{'s' if secure else ''}://{name}".encode() for name in names}
        self._cookie = f"supple-studio-{port}"  # cookies know no ports: another program's must not be taken for ours

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status = self._judge(scope)
        if status == 401 and self._code is not None and scope["type"] == "http" and scope["path"] in ("/", "/code"):
            await self._ask_for_code(self._code, scope, receive, send)
        elif status is not None:
            await _refuse(scope, receive, send, status)
        elif scope["type"] == "http" and (self._brings_token(scope) or scope["path"] == "/code"):
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
        if origin is None and scope.get("method") not in _LOOKING:  # a socket has no method
            return 403
        foreign = headers.get(b"sec-fetch-site", b"none") not in _SAME
        if foreign and scope["type"] == "http" and not self._brings_token(scope):
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

    async def _ask_for_code(self, code: EntryCode, scope: Scope, receive: Receive, send: Send) -> None:
        """Show the page on which the code is typed, and let a device in that has typed it."""
        if scope["method"] in _LOOKING:
            await _answer(send, 401, entry_page(), _ENTRY_HEADERS)
            return
        form = await _short_body(receive)
        if code.opens(parse_qs(form.decode("latin-1")).get("code", [""])[0]):
            await self._welcome(send)
            return
        wait = ceil(code.waiting)
        words = f"Too many were wrong. Wait {wait} s, then type the code that the terminal shows now."
        fault = words if wait else "That is not the code that the terminal shows now."
        await _answer(send, 429 if wait else 401, entry_page(fault), _ENTRY_HEADERS)

    async def _welcome(self, send: Send) -> None:
        """A cookie for the token, and the address without it, so that no history keeps it."""
        cookie = f"{self._cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/{'; Secure' if self._secure else ''}"
        await _answer(send, 303, b"", ((b"location", b"/"), (b"set-cookie", cookie.encode()), *_HEADERS))


async def _short_body(receive: Receive) -> bytes:
    """What a small form sent; nothing where it is longer."""
    found = b""
    while len(found) <= _FORM:
        message = await receive()
        found += message.get("body", b"")
        if not message.get("more_body"):
            return found if len(found) <= _FORM else b""
    return b""


async def _answer(send: Send, status: int, body: bytes, headers: Sequence[tuple[bytes, bytes]]) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})


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
    await _answer(send, status, text, ((b"content-type", b"text/plain; charset=utf-8"), *_HEADERS))
