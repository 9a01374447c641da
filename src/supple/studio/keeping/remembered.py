"""Documents that were open before, newest first, from one studio to the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

from supple.files import atomic
from supple.kept import folder as cache_folder

MOST = 12


class Remembered:
    """A short list in the folder of caches; the page names its entries by what `key_of` says, never by their paths."""

    def __init__(self) -> None:
        self._list = cache_folder() / "studio" / "recent.json"
        self.paths = self._read()

    def add(self, path: Path) -> None:
        """Put a document first."""
        self.paths = [path, *(one for one in self._read() if one != path)][:MOST]
        with contextlib.suppress(OSError), atomic(self._list) as waiting:
            waiting.write_text(json.dumps([str(one) for one in self.paths]), encoding="utf-8")

    def _read(self) -> list[Path]:
        try:
            found = json.loads(self._list.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        listed = found if isinstance(found, list) else []
        paths = [Path(one) for one in listed[:MOST] if isinstance(one, str) and "\0" not in one]
        return [path for path in paths if path.is_absolute() and path.is_file()]


def key_of(path: Path) -> str:
    """A short word for a path that says nothing about it."""
    return hashlib.sha256(str(path).encode()).hexdigest()[:16]
