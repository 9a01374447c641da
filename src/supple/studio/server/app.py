"""What the server answers behind its page: meshes; what can be opened, and is sent; the socket."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from supple.files import atomic
from supple.studio.engine import Engine
from supple.studio.server.socket import TRY_LATER, Window, turn_away
from supple.studio.server.uploads import Uploads, listed

MOST_WINDOWS = 4


def application(engine: Engine, measured: Path | None = None) -> Starlette:
    """The application for one engine; whoever comes in has passed the guard.

    Where a file is named, what the page has measured of itself is written there.
    """
    windows: set[Window] = set()
    uploads = Uploads(engine.library)

    async def mesh(request: Request) -> Response:
        found = engine.mesh(int(request.path_params["number"]))
        if found is None:
            return PlainTextResponse("That mesh is no longer shown.", 404)
        return Response(found, media_type="application/octet-stream")

    async def files(request: Request) -> Response:
        return await asyncio.to_thread(listed, engine.library)

    async def result(request: Request) -> Response:
        found = engine.result(int(request.path_params["number"]))
        if found is None or not found.is_file():
            return PlainTextResponse("That job has made nothing.", 404)
        return FileResponse(found, media_type="application/octet-stream", filename=found.name)

    async def socket(incoming: WebSocket) -> None:
        if len(windows) >= MOST_WINDOWS:
            await turn_away(incoming, TRY_LATER, f"{MOST_WINDOWS} windows are open already.")
            return
        window = Window(incoming, engine)
        windows.add(window)
        try:
            await window.serve()
        finally:
            windows.discard(window)

    async def measuring(request: Request) -> Response:
        assert measured is not None
        with atomic(measured) as waiting:
            waiting.write_bytes(await request.body())
        return Response(status_code=204)

    return Starlette(
        routes=[
            *([] if measured is None else [Route("/measured", measuring, methods=["POST"])]),
            Route("/mesh/{number:int}", mesh),
            Route("/result/{number:int}", result),
            Route("/files", files),
            Route("/upload/{kind}", uploads.receive, methods=["POST"]),
            WebSocketRoute("/socket", socket),
        ]
    )
