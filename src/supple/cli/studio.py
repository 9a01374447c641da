"""`supple studio`: a page in the browser in which a character plays and can be taken hold of."""

from __future__ import annotations

import argparse
import secrets
import sys
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from supple.cli.console import Console
from supple.errors import InputError
from supple.memory import leave_alone_what_is_there, put_off_collecting

if TYPE_CHECKING:
    from supple.studio.engine import Engine
    from supple.studio.server.address import Address
    from supple.studio.server.certificate import Certificate

_PORT = 8470
_PATIENCE = 10.0  # s in which a browser that was sent here asks, and is told that nothing could be opened


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Which character, motion and skin to open with, and where."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="a document (.supple.json), a character's file or a built-in one (hero)"
    )
    parser.add_argument("--character", metavar="NAME", help="the same as FILE")
    parser.add_argument("--vertices", type=int, default=10_000, metavar="N", help="its size (10000)")
    parser.add_argument(
        "--units", metavar="UNIT", help="that the file was modelled in: m, cm, mm, in, ft (as its size tells)"
    )
    parser.add_argument("--motion", default="walk", metavar="NAME", help="a built-in motion (walk)")
    parser.add_argument("--skin", default="lattice", metavar="NAME", help="the skin it opens with (lattice)")
    parser.add_argument("--port", type=int, default=_PORT, metavar="N", help=f"where to serve it ({_PORT}; 0 for any)")
    parser.add_argument(
        "--host", metavar="ADDRESS", help="an address of this machine, to let other machines in by TLS and a code"
    )
    parser.add_argument("--folder", metavar="FOLDER", help="whose files can be opened from the page, with those below")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--measured", type=Path, help=argparse.SUPPRESS)  # for supple bench: what a page measured


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Serve the studio, to this machine alone unless `--host` says more, until it is interrupted.

    The browser is sent there first: it starts, and reads the page, while all that takes long is made here.
    """
    _check_installed()
    put_off_collecting()
    from supple.studio.files.listing import checked_folder
    from supple.studio.server.address import listen
    from supple.studio.server.beginning import Beginning
    from supple.studio.server.certificate import certificate_for
    from supple.studio.server.entry_code import EntryCode
    from supple.studio.server.front import front
    from supple.studio.server.guard import Guard
    from supple.studio.server.serving import serve, web_server

    folder = None if arguments.folder is None else checked_folder(arguments.folder)
    listening, address = listen(arguments.port, arguments.host)
    with listening:
        certificate = certificate_for(address.host) if address.secure else None
        code = EntryCode(lambda digits: _say_code(digits, console)) if address.secure else None
        token = secrets.token_urlsafe(32)
        link = f"{address.url}/?token={token}"
        console.say(f"The studio is at {link}")
        if certificate is None or code is None:
            console.say("It serves this machine alone, until Ctrl+C.")
        else:
            _say_open(address, certificate, console)
            _say_code(code.digits, console)
        if not arguments.no_browser:
            webbrowser.open(link)
        beginning = Beginning(lambda: _engine(arguments, folder, console), arguments.measured)
        told = Event()
        behind = front(beginning.application, told=told.set)
        guard = Guard(behind, port=address.port, token=token, hosts=address.hosts, secure=address.secure, code=code)
        server = web_server(guard, certificate)
        patience = 0.0 if arguments.no_browser else _PATIENCE

        def end() -> None:
            told.wait(patience)
            server.should_exit = True

        beginning.start(failed=Thread(target=end, daemon=True).start)
        try:
            serve(server, listening)
        finally:
            leave_alone_what_is_there()  # also where nothing has begun
            beginning.end()
    return {"address": link}


def _check_installed() -> None:
    """Say what is missing, without loading what is there."""
    for name in ("starlette", "uvicorn", "websockets", "msgspec"):
        if find_spec(name) is None:
            raise InputError(
                "supple studio", f"{name} is not installed", "the studio needs it", "pip install 'supple[studio]'"
            )


def _engine(arguments: argparse.Namespace, folder: Path | None, console: Console) -> Engine:
    from supple.character.builtin import CHARACTERS
    from supple.document.document import Document
    from supple.document.file import is_document, load_document
    from supple.document.sources import CharacterSource
    from supple.graph.graph import Graph
    from supple.skins.registry import skin_named
    from supple.studio.engine import Engine
    from supple.studio.files.library import Library

    name = arguments.file or arguments.character or "hero"
    if is_document(name):
        if arguments.units is not None:
            raise InputError("--units", f"{name} is a document", "a document says its units", "leave it out")
        file = Path(name).resolve()
        return Engine(load_document(file), Library(folder), file=file)
    library = Library(folder)
    if arguments.units is not None or name in CHARACTERS or not Path(name).is_file():
        source = CharacterSource(name, arguments.vertices, units=arguments.units or "m")
    else:
        source = library.source_of(Path(name))
        if source.units != "m":
            console.say(f"{name} seems to be modelled in {source.units}, and is shown so; --units says otherwise.")
    return Engine(Document(source, arguments.motion, (Graph.of(skin_named(arguments.skin)),)), library)


def _say_open(address: Address, certificate: Certificate, console: Console) -> None:
    """What is open to whom, in plain words, and the address for a camera."""
    from supple.studio.server.qr_code import as_text, qr_code

    square = as_text(qr_code(address.url))
    camera = "or point its camera at the square, " if _has_signs(square) else ""
    if camera:
        console.say(square)
    console.say(
        f"It is open to every machine that reaches {address.host}, by TLS alone, until Ctrl+C. On another device open\n"
        f"    {address.url}\n"
        f"{camera}and type the code. A code lets one device in, which can then do all that this page can.\n"
        "The browser warns the first time, since this machine signed its own certificate. Its fingerprint is\n"
        f"    {certificate.fingerprint[:47]}\n"
        f"    {certificate.fingerprint[48:]}"
    )


def _has_signs(text: str) -> bool:
    """Whether the terminal knows all signs of a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _say_code(digits: str, console: Console) -> None:
    console.say(f"The code for the next device is {digits[:3]} {digits[3:]}")
