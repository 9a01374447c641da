"""Files that a page sends: judged before they come, counted while they do, and read in a process of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import get_args

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from supple.character.character import Character
from supple.errors import FormatError, InputError, SuppleError, UnfinishedError
from supple.io.confined.reader import What
from supple.studio import messages as say
from supple.studio.files.library import LARGEST, FileEntry, Library
from supple.studio.files.listing import SUFFIXES

PATIENCE = 30.0  # [s] without a byte, after which a page is given up
_BUSY, _NO_LENGTH, _REFUSED, _UNREADABLE, _SLOW = 409, 411, 413, 422, 408


class Uploads:
    """Takes one file after another: `POST /upload/{kind}?name=hero.glb`, the body being the bytes of the file.

    `kind` is character, motion or either, as `read_confined` has it. The answer is a `FileInfo`, or a `Refused`.
    """

    def __init__(self, library: Library) -> None:
        self._library, self._busy = library, False

    async def receive(self, request: Request) -> Response:
        """Keep a file and read it; nothing of one that is refused stays."""
        if self._busy:
            return _refused(
                InputError("upload", "another file is still being sent", "they come one by one", "wait for it"), _BUSY
            )
        self._busy = True
        try:
            return await self._take(request)
        finally:
            self._busy = False

    async def _take(self, request: Request) -> Response:
        kind, length = request.path_params["kind"], request.headers.get("content-length", "")
        if kind not in get_args(What):
            given = f"a {kind!r} was to be sent"
            return _refused(InputError("upload", given, f"there are {', '.join(get_args(What))}", "use one"), 404)
        if not length.isdecimal():
            given = "its length was not said"
            return _refused(InputError("upload", given, "it comes before the bytes", "say Content-Length"), _NO_LENGTH)
        try:
            entry = self._library.expect(request.query_params.get("name", ""), int(length))
        except InputError as error:
            return _refused(error, _REFUSED)
        try:
            await _write(request, entry, int(length))
            made, _ = await asyncio.to_thread(self._library.read, entry.path, kind)
        except SuppleError as error:
            self._library.forget(entry)
            return _refused(error, _UNREADABLE if isinstance(error, InputError) else _SLOW)
        except BaseException:
            self._library.forget(entry)
            raise
        self._library.keep(entry)
        found = "character" if isinstance(made, Character) else "motion"
        return _json(say.FileInfo(entry.number, entry.name, found, entry.sent, entry.size), 200)


async def _write(request: Request, entry: FileEntry, length: int) -> None:
    """Write what comes to a file of our own, as much as was said and no more."""
    count, name = 0, entry.name
    with entry.path.open("xb") as file:
        try:
            async for chunk in _in_time(request, name):
                count += len(chunk)
                if count > length:
                    break
                file.write(chunk)
        except OSError as error:
            given = f"it could not be kept ({error.strerror})"
            raise UnfinishedError(name, given, "it needs room on the disk", "make some and send it again") from None
    if count != length:
        raise FormatError(name, f"{count} bytes came", f"{length} were said to come", "send it again")


async def _in_time(request: Request, name: str) -> AsyncIterator[bytes]:
    """The bytes of a request, as long as they go on coming."""
    stream = request.stream()
    while True:
        try:
            yield await asyncio.wait_for(anext(stream), PATIENCE)
        except StopAsyncIteration:
            return
        except (TimeoutError, ClientDisconnect):
            given = "no more of it came"
            raise UnfinishedError(name, given, "all of it is needed", "check the connection and try again") from None


def _refused(error: SuppleError, status: int) -> Response:
    return _json(say.Refused(0, error.where, error.given, error.needed, error.advice), status)


def _json(answer: say.Answer, status: int = 200) -> Response:
    return Response(say.write_event(answer), status, media_type="application/json")


def listed(library: Library) -> Response:
    """All files that a page may open, as `Files`."""
    files = [say.FileInfo(entry.number, entry.name, entry.kind, entry.sent, entry.size) for entry in library.entries()]
    folder = None if library.folder is None else library.folder.name
    return _json(say.Files(folder, files, LARGEST, list(SUFFIXES)))
