"""What is there at once: the page, a fixed list of files. A browser reads it while the engine is still being made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

PAGE = {
    "index.html": "text/html",
    "studio.js": "text/javascript",
    "three.js": "text/javascript",
    "studio.css": "text/css",
    "LICENSES.txt": "text/plain",
}
_FAILED = "The studio could not open what it was asked to; its terminal says why."
_NOT_MADE = 1011


def front(application: Future[ASGIApp], *, told: Callable[[], None] = lambda: None) -> Starlette:
    """The page, and behind it an application that may still be in the making: all that is asked of it waits.

    Where it could not be made a page that asks for its socket is told why, and then `told` is called.
    """

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            made = await asyncio.shield(asyncio.wrap_future(application))
        except Exception as problem:  # whoever made it is told why, too
            if scope["type"] == "websocket":
                await _say_why(WebSocket(scope, receive, send), problem)
                told()
                return
            made = PlainTextResponse(_FAILED, 503)
        await made(scope, receive, send)

    pages = [Route("/" if name == "index.html" else f"/{name}", _file(name)) for name in PAGE]
    return Starlette(routes=[*pages, Mount("/", behind)])


async def _say_why(socket: WebSocket, problem: Exception) -> None:
    from supple.errors import SuppleError
    from supple.studio import messages as say

    await socket.accept(subprotocol=say.PROTOCOL)
    if isinstance(problem, SuppleError):
        event = say.Refused(0, problem.where, problem.given, problem.needed, problem.advice)
        await socket.send_text(say.write_event(event).decode())
    await socket.close(_NOT_MADE, _FAILED)


def _file(name: str) -> ASGIApp:
    path = Path(__file__).resolve().parents[1] / "page" / name
    data = path.read_bytes() if path.is_file() else b""

    async def answer(request: Request) -> Response:
        return Response(data, media_type=f"{PAGE[name]}; charset=utf-8")

    return answer  # type: ignore[return-value]
