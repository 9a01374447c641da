"""A disk that loses power: every write below a folder is noted, and played again up to any of them, less what was not
yet safe.

Safe is what POSIX says is: the contents of a file up to its last fsync, and names (a file made, renamed, removed) up to
the last fsync of their folder. Whatever came after may be there or not, in parts, and as zeros.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

SECTOR = 512  # bytes that a disk writes whole

# What is left of that which was not yet safe, each another way in which disks have been seen to fail.
LOSSES = ("everything", "contents", "names", "contents, but not lengths", "some of it")


@dataclass(frozen=True)
class Op:
    """One change. `kind` is make, write, cut, sync, name, gone, folder (made) or sync-folder."""

    kind: str
    file: int = 0
    name: str = ""
    to: str = ""
    at: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """What happened below a folder, in order."""

    folder: Path
    ops: list[Op] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)
    made: int = 0

    def note(self, op: Op) -> None:
        self.ops.append(op)

    def name_of(self, path: Any) -> str | None:
        """A path as a name below the folder; None outside of it."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        path = os.path.abspath(os.fspath(path))
        return os.path.relpath(path, self.folder) if path.startswith(f"{self.folder}{os.sep}") else None

    def file_at(self, name: str) -> int:
        """The number of the file that has a name now; a new one is made."""
        if name not in self.files:
            self.made += 1
            self.files[name] = self.made
            self.note(Op("make", self.made, name))
        return self.files[name]

    def renamed(self, name: str, to: str) -> None:
        self.files[to] = self.files.pop(name)
        self.note(Op("name", self.files[to], name, to))

    def removed(self, name: str) -> None:
        self.note(Op("gone", self.files.pop(name), name))

    def after(self, count: int, loss: str = "nothing", *, luck: int = 0) -> dict[str, bytes]:
        """What is on the disk when the power fails after `count` changes, by name."""
        rng = np.random.default_rng([count, luck])
        done = self.ops[:count]
        kept: list[bytes] = [b""] * (self.made + 1)
        for number in {op.file for op in done if op.file}:
            kept[number] = _contents([op for op in done if op.file == number], loss, rng)
        return {name: kept[number] for name, number in _names(done, loss, rng).items()}


def _contents(ops: list[Op], loss: str, rng: np.random.Generator) -> bytes:
    """What a file holds: all up to its last fsync, and of the rest what the loss leaves."""
    safe = max((at for at, op in enumerate(ops) if op.kind == "sync"), default=-1)
    data, share = bytearray(), float(rng.choice([0.1, 0.5, 0.9]))
    for at, op in enumerate(ops):
        if op.kind not in ("write", "cut"):
            continue
        what = op.data
        if at > safe and loss in ("everything", "contents"):
            continue
        if at > safe and loss == "contents, but not lengths":
            what = bytes(len(what))
        if at > safe and loss == "some of it":
            if op.kind == "cut":
                if rng.random() > share:
                    continue
            else:
                for begin in range(0, len(what), SECTOR):
                    part = what[begin : begin + SECTOR] if rng.random() < share else b""
                    data = _put(data, op.at + begin, part)
                continue
        cut = op.kind == "cut"
        data = data[: op.at] + bytes(max(op.at - len(data), 0)) if cut else _put(data, op.at, what)
    return bytes(data)


def _put(data: bytearray, at: int, what: bytes) -> bytearray:
    if what:
        data += bytes(max(at - len(data), 0))
        data[at : at + len(what)] = what
    return data


def _names(ops: list[Op], loss: str, rng: np.random.Generator) -> dict[str, int]:
    """Which file each name has: changes up to the last fsync of the folder, and of the rest the first ones."""
    changes = [op for op in ops if op.kind in ("make", "name", "gone")]
    until: dict[str, int] = {}
    for folder in {os.path.dirname(op.name) for op in changes}:
        own = [at for at, op in enumerate(ops) if op in changes and os.path.dirname(op.name) == folder]
        synced = [at for at, op in enumerate(ops) if op.kind == "sync-folder" and op.name == folder]
        safe = sum(at < synced[-1] for at in own) if synced else 0
        if loss in ("everything", "names"):
            until[folder] = safe
        else:
            until[folder] = int(rng.integers(safe, len(own) + 1)) if loss == "some of it" else len(own)
    names: dict[str, int] = {}
    seen = dict.fromkeys(until, 0)
    for op in changes:
        folder = os.path.dirname(op.name)
        seen[folder] += 1
        if seen[folder] > until[folder]:
            continue
        if op.kind == "make":
            names[op.name] = op.file
        else:
            names.pop(op.name, None)
            if op.kind == "name":
                names[op.to] = op.file
    return names


class _Noted(io.FileIO):
    """A file whose writes are noted; Python's buffers and text are put on top of it, as `open` does."""

    def __init__(self, disk: Disk, path: Any, mode: str) -> None:
        name = disk.name_of(path)
        assert name is not None
        self._disk, self._number = disk, disk.file_at(name)
        super().__init__(path, mode)
        if "w" in mode:
            disk.note(Op("cut", self._number))

    def write(self, data: Any, /) -> int:
        at, written = self.tell(), super().write(data)
        self._disk.note(Op("write", self._number, at=at, data=bytes(memoryview(data).cast("B")[:written])))
        return written

    def truncate(self, size: int | None = None, /) -> int:
        length = super().truncate(size)
        self._disk.note(Op("cut", self._number, at=length))
        return length


@contextlib.contextmanager
def noted(folder: Path) -> Iterator[Disk]:
    """Note all that Python writes below a folder, which has to be empty."""
    disk = Disk(folder.resolve())
    real, real_open, sync = io.open, os.open, os.fsync
    replace, unlink = os.replace, os.unlink

    def opened(file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
               newline: Any = None, closefd: bool = True, opener: Any = None) -> Any:  # fmt: skip
        if not set(mode) & set("wax+") or opener is not None or disk.name_of(file) is None:
            return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = _Noted(disk, file, mode.replace("b", "").replace("t", ""))
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def low_open(path: Any, flags: int, mode: int = 0o777, **others: Any) -> int:
        name = disk.name_of(path)
        if name is not None and flags & (os.O_CREAT | os.O_TRUNC):
            number = disk.file_at(name)
            if flags & os.O_TRUNC:
                disk.note(Op("cut", number))
        return real_open(path, flags, mode, **others)

    def fsync(file: Any) -> None:
        number = file if isinstance(file, int) else file.fileno()
        path = os.readlink(f"/proc/self/fd/{number}")
        if path == str(disk.folder) or (disk.name_of(path) is not None and os.path.isdir(path)):
            name = disk.name_of(path) or ""
            disk.note(Op("sync-folder", name=name))
        elif disk.name_of(path) is not None:
            disk.note(Op("sync", disk.file_at(disk.name_of(path) or "")))
        sync(file)

    def rename(old: Any, new: Any, **others: Any) -> None:
        replace(old, new, **others)
        name, to = disk.name_of(old), disk.name_of(new)
        if name is not None and to is not None:
            disk.renamed(name, to)

    def remove(path: Any, **others: Any) -> None:
        unlink(path, **others)
        name = disk.name_of(path)
        if name is not None:
            disk.removed(name)

    with contextlib.ExitStack() as stack:
        for where, what, instead in (
            (io, "open", opened), (builtins, "open", opened), (os, "open", low_open), (os, "fsync", fsync),
            (os, "replace", rename), (os, "rename", rename), (os, "unlink", remove), (os, "remove", remove),
        ):  # fmt: skip
            stack.enter_context(mock.patch.object(where, what, instead))
        yield disk


def lay(folder: Path, files: dict[str, bytes]) -> None:
    """Put files into a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def lying(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
