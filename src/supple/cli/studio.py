"""`supple studio`: a page in the browser in which a character plays and can be taken hold of."""

from __future__ import annotations

import argparse
import socket
import webbrowser
from collections.abc import Sequence
from typing import Any

from supple.cli.console import Console
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named

_PORT = 8470


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Which character, motion and skin to open with, and where."""
    parser.add_argument("--character", default="hero", metavar="NAME", help="a built-in character (hero)")
    parser.add_argument("--vertices", type=int, default=10_000, metavar="N", help="its size (10000)")
    parser.add_argument("--motion", default="walk", metavar="NAME", help="a built-in motion (walk)")
    parser.add_argument("--skin", default="lattice", metavar="NAME", help="the skin it opens with (lattice)")
    parser.add_argument("--port", type=int, default=_PORT, metavar="N", help=f"where to serve it ({_PORT}; 0 for any)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Serve the studio on this machine until it is interrupted."""
    try:
        import uvicorn

        from supple.studio.engine import Engine
        from supple.studio.server.app import application
        from supple.studio.server.guard import Guard
    except ImportError as missing:
        raise InputError(
            "supple studio", f"{missing.name} is not installed", "the studio needs it", "pip install 'supple[studio]'"
        ) from None
    listening = _listen(arguments.port)
    port = listening.getsockname()[1]
    source = CharacterSource(arguments.character, arguments.vertices)
    engine = Engine(Document(source, arguments.motion, (Graph.of(skin_named(arguments.skin)),)))
    guard = Guard(application(engine), port=port)
    address = f"http://127.0.0.1:{port}/?token={guard.token}"
    engine.start()
    console.say(f"The studio is at {address}")
    console.say("It serves this machine alone, until Ctrl+C.")
    if not arguments.no_browser:
        webbrowser.open(address)
    settings = uvicorn.Config(
        guard, log_level="error", ws="websockets-sansio", ws_per_message_deflate=False, ws_max_size=1 << 20
    )
    try:
        uvicorn.Server(settings).run([listening])
    finally:
        engine.stop()
    return {"address": address}


def _listen(port: int) -> socket.socket:
    """A socket on this machine alone."""
    if not 0 <= port <= 65535:
        raise InputError("supple studio", f"port is {port}", "the range is 0 to 65535", "leave it out")
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise InputError(
            "supple studio", f"port {port} cannot be had ({error.strerror})", "a free one is needed", "use --port 0"
        ) from None
    return listening
