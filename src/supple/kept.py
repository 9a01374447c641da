"""What is kept on disk from one run to the next, so that nothing that takes long is made twice.

The folder is `SUPPLE_CACHE_DIR`, or where caches are kept on this system; what can be made again is held below
`SUPPLE_CACHE_LIMIT` bytes (2 GB; 0 keeps nothing) by removing what was not used for longest. Nothing of it is needed: a
file that is missing, damaged or from other code is made again. The name of a file says all that it follows from.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from supple.files import atomic

_LIMIT = 2_000_000_000  # bytes
_SUFFIXES = (BINDING, MESH) = (".binding", ".mesh")


@dataclass(frozen=True)
class KeptFile:
    """One file: the skin or the character it is of, its size in bytes, and when it was last used [s since 1970]."""

    path: Path
    of: str
    size: int
    used: float


def folder() -> Path:
    """Where everything is kept."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "supple" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "supple"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "supple"


def limit() -> int:
    """How many bytes may be kept."""
    given = os.environ.get("SUPPLE_CACHE_LIMIT", "")
    return int(given) if given.isdigit() else _LIMIT


def stored(*suffixes: str) -> list[KeptFile]:
    """What is on disk, the last used first; of some kinds, or of all."""
    found = []
    for path in _files(suffixes or _SUFFIXES):
        with contextlib.suppress(OSError):  # another process may be clearing
            about = path.stat()
            found.append(KeptFile(path, path.name.rpartition("-")[0], about.st_size, about.st_mtime))
    return sorted(found, key=lambda one: (-one.used, one.path.name))


def clear() -> int:
    """Remove all of it; how many bytes that were."""
    removed = 0
    for one in stored():
        with contextlib.suppress(OSError):
            one.path.unlink()
            removed += one.size
    return removed


def read(name: str) -> bytes | None:
    """The bytes of a file, which counts as used now; None where there is none."""
    if limit() == 0:
        return None
    path = folder() / name
    with contextlib.suppress(OSError):
        data = path.read_bytes()
        with contextlib.suppress(OSError):  # it may be another person's
            os.utime(path)
        return data
    return None


def write(name: str, data: bytes) -> None:
    """Keep a file, if there is room for it on disk; what was not used for longest makes way."""
    if len(data) > limit():
        return
    path = folder() / name
    with contextlib.suppress(OSError):  # a full or read-only disk costs nothing but the time to make it again
        with atomic(path) as waiting:
            waiting.write_bytes(data)
        room = limit()
        for one in stored():
            room -= one.size
            if room < 0 and one.path != path:
                one.path.unlink(missing_ok=True)


def forget(name: str) -> None:
    """Remove a file that is no good."""
    with contextlib.suppress(OSError):
        (folder() / name).unlink()


@cache
def code_version(*parts: str) -> str:
    """Digest of sources, files or folders of this package, that something is made by."""
    root = Path(__file__).resolve().parent
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        source = root / part
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            total.update(path.relative_to(root).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def _files(suffixes: tuple[str, ...]) -> Iterator[Path]:
    where = folder()
    return (path for path in where.iterdir() if path.suffix in suffixes) if where.is_dir() else iter(())
