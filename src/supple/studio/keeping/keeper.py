"""The document on disk: in its file, and until it has one where it can be taken up again after anything.

A document is a value, so a thread of its own writes it while the engine goes on. What is not yet written is written
at the latest `SOON` after it was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from supple.document.document import Camera, Document
from supple.document.file import SUFFIX, document_name, load_document, save_document
from supple.errors import InputError, SuppleError
from supple.studio.keeping.recovery import Recovery
from supple.studio.keeping.remembered import Remembered, key_of

SOON = 1.5  # [s] after which a change is on its way to the disk
MOST = 200  # documents of the folder that are listed
_NAME = re.compile(r"[^\W_][\w .()+-]{0,99}")
_WHERE = "studio"


@dataclass(frozen=True)
class _Waiting:
    """A document that is to be written."""

    document: Document
    due: float  # [s] of `monotonic`


class Keeper:
    """Keeps one document at a time; `folder` is where those go that are given a name.

    Without one that is beside the file, or where the program was started.
    Called by one thread, except for `close`. `tell` is given sentences, `written` is called when something was
    written, both from a thread of its own.
    """

    def __init__(
        self,
        document: Document,
        file: Path | None,
        folder: Path | None,
        *,
        tell: Callable[[str], None] = lambda words: None,
        written: Callable[[], None] = lambda: None,
        settled: Callable[[Document, Path], Document] = lambda document, folder: document,
    ) -> None:
        """`settled` gives the document that is written to a folder: with files that are still there later."""
        self.folder = (folder or (Path() if file is None else file.parent)).resolve()
        self.camera = document.camera
        self.opened = 0
        self.remembered = Remembered()
        self.recovery = Recovery()
        self._tell, self._told_written, self._settled = tell, written, settled
        self._known, self._file = document, file
        self._known_paths: list[Path] | None = None
        self._waiting: dict[Path, _Waiting] = {}
        self._failed: set[Path] = set()
        self._something, self._closing = Condition(), False
        self._thread = Thread(target=self._run, name="supple keeping", daemon=True)
        self._thread.start()
        if file is not None:
            self.take(document, file)

    @property
    def file(self) -> Path | None:
        """Where the document is kept, if it has a name."""
        return self._file

    @property
    def name(self) -> str | None:
        """What the document is called, if it has a name."""
        return None if self._file is None else document_name(self._file)

    @property
    def saved(self) -> bool:
        """Whether the document is on disk as it is, or has not been changed since it was made."""
        return self._path() not in self._waiting and self._path() not in self._failed

    def follow(self, document: Document) -> None:
        """The document as it is now; what differs from the one before is written soon."""
        if document is self._known:
            return
        self._known = document
        self._write(document, SOON)

    def look(self, camera: Camera) -> None:
        """From where it is looked at now, which is written along with the next change."""
        self.camera = camera

    def take(self, document: Document, file: Path | None) -> None:
        """Keep another document from now on, which is in that file as it is."""
        self._known, self._file, self.camera = document, file, document.camera
        self.opened += 1
        if file is not None:
            self.remembered.add(file)

    def recover(self) -> Document:
        """What an earlier studio left behind, kept by this one from now on."""
        left = self.recovery.offered
        if left is None:
            raise InputError(_WHERE, "nothing was left open", "only what was can be gone on with", "open a document")
        return load_document(left)

    def keep_recovered(self, document: Document) -> None:
        """Write what `recover` gave; what was left behind goes when that is done."""
        self.recovery.supersede()
        self._write(document, 0.0)

    def save(self) -> None:
        """Write the document to its file now."""
        if self._file is None:
            raise InputError(_WHERE, "the document has no name", "a name is needed to save it", "use Save as")
        self._write(self._known, 0.0)

    def save_as(self, name: str, *, replace_it: bool = False) -> None:
        """Write the document to a file of that name in the folder now, and keep it there from now on."""
        path = self.folder / (checked_name(name) + SUFFIX)
        if path.exists() and path != self._file and not replace_it:
            there = f"{path.name} is there already"
            raise InputError(_WHERE, there, "another document must not be lost", "choose another name, or replace it")
        self._file = path
        self.remembered.add(path)
        self.look_again()
        self._write(self._known, 0.0)

    def known(self) -> dict[str, Path]:
        """Documents that can be opened by their keys: those that were open last, then those of the folder."""
        if self._known_paths is None:
            self._known_paths = self._look_for_documents()
        return {key_of(path): path for path in [*self.remembered.paths, *self._known_paths]}

    def look_again(self) -> None:
        """The folder may have other documents in it."""
        self._known_paths = None

    def _look_for_documents(self) -> list[Path]:
        try:
            return sorted(path for path in self.folder.glob(f"*{SUFFIX}") if path.is_file())[:MOST]
        except OSError:
            return []

    def close(self) -> None:
        """Write what waits, and end."""
        with self._something:
            self._closing = True
            self._something.notify()
        self._thread.join()
        self.recovery.close()

    def _path(self) -> Path:
        return self.recovery.path if self._file is None else self._file

    def _write(self, document: Document, after: float) -> None:
        path, due = self._path(), monotonic() + after
        with self._something:
            before = self._waiting.get(path)
            self._waiting[path] = _Waiting(
                replace(document, camera=self.camera), due if before is None else min(due, before.due)
            )
            self._something.notify()

    # The thread

    def _run(self) -> None:
        while (path := self._next()) is not None:
            waiting = self._waiting[path]
            try:
                lasting = path != self.recovery.path
                document = self._settled(waiting.document, path.parent) if lasting else waiting.document
                save_document(document, path)
                self._failed.discard(path)
                self.recovery.written(path)
            except (SuppleError, OSError) as error:
                self._failed.add(path)
                self._tell(f"{path.name} could not be written: {error}")
            with self._something:
                if self._waiting.get(path) is waiting:
                    del self._waiting[path]
            self._told_written()

    def _next(self) -> Path | None:
        """The next file to write, when it is due; None at the end."""
        with self._something:
            while True:
                if not self._waiting:
                    if self._closing:
                        return None
                    self._something.wait()
                    continue
                path = min(self._waiting, key=lambda path: self._waiting[path].due)
                left = self._waiting[path].due - monotonic()
                if left <= 0.0 or self._closing:
                    return path
                self._something.wait(left)


def checked_name(name: str) -> str:
    """A name for a file, and nothing but a name: no folder, no other suffix, nothing hidden."""
    plain = name.strip().removesuffix(SUFFIX)
    if not _NAME.fullmatch(plain) or plain.endswith("."):
        needed = "letters, figures, spaces and . ( ) + - _ make a name, which starts with one of the first two"
        raise InputError(_WHERE, f"the name is {name[:60]!r}", needed, "choose another one")
    return plain
