"""Documents without a name, in the folder of caches: each studio keeps its own there, and finds those of ended ones."""

from __future__ import annotations

import contextlib
import io
import secrets
from datetime import datetime
from pathlib import Path

from supple.document.file import EDITS, SUFFIX, document_name
from supple.kept import folder as cache_folder

MOST = 5  # that are kept from earlier
_START = "open-"


class Recovery:
    """A place for the document of this studio while it has no name, and the newest that another one left behind."""

    def __init__(self) -> None:
        self._folder = cache_folder() / "studio"
        self.path = self._folder / f"{_START}{secrets.token_hex(8)}{SUFFIX}"
        self._lock = self._locked()
        self._left = self._find()
        self._superseded: Path | None = None

    @property
    def offered(self) -> Path | None:
        """What an earlier studio left behind, if anything."""
        return self._left

    @property
    def offered_at(self) -> str | None:
        """When that was last changed, as people say it."""
        if self._left is None:
            return None
        with contextlib.suppress(OSError):
            then = datetime.fromtimestamp(self._left.stat().st_mtime)
            days = (datetime.now().date() - then.date()).days
            return then.strftime("%H:%M") if days == 0 else then.strftime("%H:%M on %d %B %Y")
        return None

    def decline(self) -> None:
        """Do without what was left behind, which is then gone."""
        if self._left is not None:
            _remove(self._left)
        self._left = None

    def supersede(self) -> None:
        """What was left behind is open; it stays until this studio has written its own."""
        self._left, self._superseded = None, self._left

    def written(self, path: Path) -> None:
        """A document was written: what it stands in for is no longer needed."""
        if self._superseded is not None:
            _remove(self._superseded)
            self._superseded = None
        if path != self.path and self.path.exists():
            _remove(self.path)

    def close(self) -> None:
        """Let another studio find what is left behind."""
        if self._lock is not None:
            self._lock.close()
            _lock_of(self.path).unlink(missing_ok=True)

    def _locked(self) -> io.IOBase | None:
        """Held while this studio runs, however it ends."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            held = _lock_of(self.path).open("wb")
            _take(held)
            return held
        return None

    def _find(self) -> Path | None:
        """The newest that no running studio holds; the oldest are removed."""
        try:
            found = sorted(self._folder.glob(f"{_START}*{SUFFIX}"), key=lambda path: -path.stat().st_mtime)
        except OSError:
            return None
        free = [path for path in found if not _is_held(path)]
        for path in free[MOST:]:
            _remove(path)
        return free[0] if free else None


def _lock_of(path: Path) -> Path:
    return path.with_name(document_name(path) + ".lock")


def _take(file: io.IOBase) -> None:
    """Hold a file against other processes where the system can do that; `BlockingIOError` where another one does."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_held(path: Path) -> bool:
    try:
        with _lock_of(path).open("rb") as file:
            _take(file)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        path.with_name(document_name(path) + EDITS).unlink(missing_ok=True)
