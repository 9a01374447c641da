"""What is there at once: the page, a fixed list of files. A browser reads it while the engine is still being made."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

PAGE = {
    "index.html": "text/html",
    "studio.js": "text/javascript",
    "three.js": "text/javascript",
    "studio.css": "text/css",
    "LICENSES.txt": "text/plain",
}
_FAILED = "The studio could not open what it was asked to; its terminal says why."


def front(application: Future[ASGIApp]) -> Starlette:
    """The page, and behind it an application that may still be in the making: all that is asked of it waits."""

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            made = await asyncio.shield(asyncio.wrap_future(application))
        except Exception:  # whoever made it is told why
            made = WebSocketClose() if scope["type"] == "websocket" else PlainTextResponse(_FAILED, 503)
        await made(scope, receive, send)

    pages = [Route("/" if name == "index.html" else f"/{name}", _file(name)) for name in PAGE]
    return Starlette(routes=[*pages, Mount("/", behind)])


def _file(name: str) -> ASGIApp:
    path = Path(__file__).resolve().parents[1] / "page" / name
    data = path.read_bytes() if path.is_file() else b""

    async def answer(request: Request) -> Response:
        return Response(data, media_type=f"{PAGE[name]}; charset=utf-8")

    return answer  # type: ignore[return-value]
