"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Write to the path this yields, in the same folder; when the block ends well it takes the name `path`.

    If anything goes wrong, what was at `path` before is still there, unchanged, and nothing half-written is left.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    waiting = Path(name)
    try:
        yield waiting
        with waiting.open("rb+") as written:
            os.fsync(written.fileno())
        mask = os.umask(0)
        os.umask(mask)
        waiting.chmod(0o666 & ~mask)
        put_in_place(waiting, target)
    except BaseException:
        waiting.unlink(missing_ok=True)
        raise


def put_in_place(waiting: Path, target: Path) -> None:
    """Give a file that is safe on disk its name, in the same folder; once this returns, no power cut takes it away."""
    waiting.replace(target)
    if os.name != "posix":
        return  # Windows does not open folders
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems do not sync folders
            os.fsync(folder)
    finally:
        os.close(folder)
