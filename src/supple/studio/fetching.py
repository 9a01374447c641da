"""A file that is being read beside what plays, to be opened when it is there."""

from __future__ import annotations

from threading import Thread

from supple.character.character import Character
from supple.io.confined.reader import What
from supple.motion.motion import Motion
from supple.studio.files.library import FileEntry, Library


class Fetching:
    """Reads a file on a thread of its own, and carries a motion over to a character."""

    def __init__(self, library: Library, entry: FileEntry, what: What, moved: Character) -> None:
        """`moved` is who shall make a motion."""
        self.entry = entry
        self._library, self._what, self._moved = library, what, moved
        self._found: tuple[Character | Motion, list[str]] | None = None
        self._problem: BaseException | None = None
        self._thread = Thread(target=self._fetch, name="supple fetching", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether it is there, or has failed, which `result` then says."""
        return not self._thread.is_alive()

    def result(self) -> tuple[Character | Motion, list[str]]:
        """What was read, and what was mended in it or left out."""
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        assert self._found is not None
        return self._found

    def _fetch(self) -> None:
        try:
            found = self._library.read(self.entry.path, self._what)
            if isinstance(found[0], Motion):
                self._library.motion(str(self.entry.path), self._moved)  # which is remembered
            self._found = found
        except BaseException as problem:  # told to whoever asks for the result
            self._problem = problem
