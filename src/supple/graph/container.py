"""The bytes of a cache file: a header, a few fixed arrays, a table of frames, and the frames.

    8 bytes   magic
    8 bytes   length of the header, little-endian
    header    JSON: what was baked, and where everything lies
    16 bytes  checksum of the header
    arrays    the fixed ones (rest shape, triangles, poses), each on a multiple of 64 bytes
    table     32 bytes a frame: status, mark of the machine, checksum; zeros where the frame is not there yet
    frames    V x 3 little-endian float32, J x 12 float64 where bones are kept and B x 12 of what was met, V float32
              where pressure is kept, then how many events there were (8 bytes) and room for E of them, each frame on a
              multiple of 64 bytes

Every place is known before the first frame, so a frame is written straight to where it stays, and then its row of
the table says that it is there. Killed at any instant, at most the frame being written is lost. Nothing in the file
depends on the clock, so two bakes of the same thing have the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray
from supple.graph.header import DIGEST, MOST, ROW, aligned, read_header, refused
from supple.skins.contact_events import RECORD, Records, no_records, strongest

MAGIC = b"SUPPLE\x01\n"
BONE = 96  # bytes: the upper three rows of a transform
GOOD, FELL_BACK = 1, 2
MARK = 8  # bytes that stand for a kind of machine


def digest(data: bytes | memoryview) -> bytes:
    """Checksum of a chunk (BLAKE2b, 16 bytes)."""
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


@dataclass(frozen=True)
class Layout:
    """Where everything lies in a cache file."""

    header: bytes
    arrays: dict[str, tuple[str, tuple[int, ...], int, bytes]]
    table: int
    frames: int
    count: int
    vertices: int
    joints: int = 0
    bodies: int = 0
    pressure: int = 0
    events: int = 0

    @property
    def size(self) -> int:
        """Length of the finished file."""
        return self.frames + self.count * self.stride

    @property
    def frame_bytes(self) -> int:
        """Bytes of one frame."""
        return self.events_at + (8 + self.events * RECORD.itemsize if self.events else 0)

    @property
    def pressure_at(self) -> int:
        """Bytes from the beginning of a frame to its pressures."""
        return self.vertices * 12 + (self.joints + self.bodies) * BONE

    @property
    def events_at(self) -> int:
        """Bytes from the beginning of a frame to its events."""
        return self.pressure_at + self.vertices * 4 * self.pressure

    @property
    def stride(self) -> int:
        """Bytes from one frame to the next."""
        return aligned(self.frame_bytes)

    def frame_at(self, frame: int) -> int:
        """Where a frame starts."""
        return self.frames + frame * self.stride


def plan(
    info: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    frames: int,
    vertices: int,
    joints: int = 0,
    bodies: int = 0,
    pressure: bool = False,
    events: int = 0,
) -> Layout:
    """Lay out a file for `frames` frames and say where everything will lie.

    `joints` and `bodies` are how many have a transform in each frame, `events` how many there is room for.
    """
    listed: dict[str, tuple[str, tuple[int, ...], int, bytes]] = {}
    offset = 0
    for name, array in arrays.items():
        listed[name] = (array.dtype.str, array.shape, offset, digest(np.ascontiguousarray(array).tobytes()))
        offset += aligned(array.nbytes)
    table = offset
    first = aligned(table + frames * ROW)
    data = {
        "info": dict(info),
        "arrays": {n: {"dtype": d, "shape": s, "at": a, "sum": c.hex()} for n, (d, s, a, c) in listed.items()},
        "table": table,
        "frames": first,
        "count": frames,
        "vertices": vertices,
        **({"joints": joints} if joints else {}),
        **({"bodies": bodies} if bodies else {}),
        **({"pressure": 1} if pressure else {}),
        **({"events": events} if events else {}),
    }
    header = json.dumps(data, sort_keys=True, separators=(",", ":")).encode()
    base = aligned(len(MAGIC) + 8 + len(header) + DIGEST)
    moved = {name: (dtype, shape, base + at, check) for name, (dtype, shape, at, check) in listed.items()}
    counts = frames, vertices, joints, bodies, int(pressure), events
    return Layout(header, moved, base + table, base + first, *counts)


def start(path: Path, layout: Layout, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write all but the frames."""
    with path.open("wb") as file:
        file.write(MAGIC + len(layout.header).to_bytes(8, "little") + layout.header + digest(layout.header))
        for name, (_, _, at, _) in layout.arrays.items():
            file.seek(at)
            file.write(np.ascontiguousarray(arrays[name]).tobytes())
        file.truncate(layout.frames)
        file.flush()
        os.fsync(file.fileno())


def read_layout(path: Path) -> tuple[dict[str, Any], Layout]:
    """Read and check the header of a cache file; returns what was baked and where everything lies."""
    where = str(path)
    with path.open("rb") as file:
        head = file.read(len(MAGIC) + 8)
        if head[: len(MAGIC)] != MAGIC:
            raise refused(where, "it does not start like a cache")
        length = int.from_bytes(head[len(MAGIC) :], "little")
        if length > MOST or len(head) < len(MAGIC) + 8:
            raise refused(where, "its header is cut off")
        text, check = file.read(length), file.read(DIGEST)
        base = aligned(file.tell())
        padding = file.read(base - file.tell())
        size = file.seek(0, os.SEEK_END)
    if len(text) != length or check != digest(text) or padding.strip(b"\0"):
        raise refused(where, "its header is damaged")
    header = read_header(text, where, size - base)
    arrays = {name: (each.dtype, each.shape, base + each.at, each.check) for name, each in header.arrays.items()}
    counts = header.count, header.vertices, header.joints, header.bodies, header.pressure, header.events
    return header.info, Layout(text, arrays, base + header.table, base + header.frames, *counts)


def identity(path: Path) -> str:
    """What tells a finished bake from any other: a digest of its header, arrays and checksums of frames."""
    _, layout = read_layout(path)
    with path.open("rb") as file:
        return digest(file.read(layout.frames)).hex()


def read_array(path: Path, layout: Layout, name: str) -> NDArray[Any]:
    """One of the fixed arrays, checked."""
    dtype, shape, at, check = layout.arrays[name]
    size = math.prod(shape) * np.dtype(dtype).itemsize
    with path.open("rb") as file:
        file.seek(at)
        data, padding = file.read(size), file.read(aligned(size) - size)
    if digest(data) != check or padding.strip(b"\0"):
        raise refused(str(path), f"its array {name!r} is damaged")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def kind_mark(kind: str) -> bytes:
    """Eight bytes that stand for a kind of machine in the table of frames."""
    return digest(kind.encode())[:MARK]


def read_table(path: Path, layout: Layout) -> tuple[NDArray[np.uint8], list[bytes], list[bytes]]:
    """Status and checksum of every frame, and the mark of the kind of machine that made it.

    A row that makes no sense has status zero: its frame is not there.
    """
    with path.open("rb") as file:
        file.seek(layout.table)
        data = file.read(layout.count * ROW)
        padding = file.read(layout.frames - layout.table - layout.count * ROW)
    if len(data) < layout.count * ROW or padding.strip(b"\0"):
        raise refused(str(path), "its table of frames is damaged")
    rows = [data[at : at + ROW] for at in range(0, len(data), ROW)]
    sound = [row[0] <= FELL_BACK and not row[1 + MARK : ROW - DIGEST].strip(b"\0") for row in rows]
    status = np.array([row[0] if fine else 0 for row, fine in zip(rows, sound, strict=True)], dtype=np.uint8)
    return status, [row[DIGEST:] for row in rows], [row[1 : 1 + MARK] for row in rows]


def write_frame(
    file: io.RawIOBase,
    layout: Layout,
    frame: int,
    *,
    points: Float32Array,
    bones: FloatArray | None = None,
    bodies: FloatArray | None = None,
    pressure: Float32Array | None = None,
    events: Records | None = None,
    status: int,
    made_on: bytes,
) -> None:
    """Put a frame in its place, and only then say in the table that it is there. `file` must not be buffered."""
    data = np.ascontiguousarray(points, dtype="<f4").tobytes()
    for transforms in (bones, bodies):
        if transforms is not None:
            data += np.ascontiguousarray(transforms[:, :3], dtype="<f8").tobytes()
    if layout.pressure:
        felt = np.zeros(layout.vertices, dtype="<f4") if pressure is None else pressure
        data += np.ascontiguousarray(felt, dtype="<f4").tobytes()
    if layout.events:
        records = no_records() if events is None else events
        listed = strongest(records, layout.events)
        data += len(records).to_bytes(8, "little") + listed.tobytes()
        data += bytes((layout.events - len(listed)) * RECORD.itemsize)
    _write_all(file, data + bytes(layout.stride - len(data)), layout.frame_at(frame))
    row = bytes([status]) + made_on + bytes(ROW - 1 - MARK - DIGEST) + digest(data)
    _write_all(file, row, layout.table + frame * ROW)


def read_bones(path: Path, layout: Layout, ready: int) -> FloatArray:
    """The transforms (ready, J, 4, 4) of all joints in the frames that are there."""
    return _read_transforms(path, layout, ready, layout.vertices * 12, layout.joints)


def read_bodies(path: Path, layout: Layout, ready: int) -> FloatArray:
    """The transforms (ready, B, 4, 4) of all that was met in the frames that are there."""
    return _read_transforms(path, layout, ready, layout.vertices * 12 + layout.joints * BONE, layout.bodies)


def _read_transforms(path: Path, layout: Layout, ready: int, at: int, count: int) -> FloatArray:
    """Transforms (ready, `count`, 4, 4) that stand `at` bytes after the beginning of every frame."""
    found = np.zeros((ready, count, 4, 4))
    found[..., 3, 3] = 1.0
    with path.open("rb") as file:
        for frame in range(ready):
            file.seek(layout.frame_at(frame) + at)
            data = file.read(count * BONE)
            if len(data) < count * BONE:
                raise refused(str(path), f"frame {frame} is cut off")
            found[frame, :, :3] = np.frombuffer(data, dtype="<f8").reshape(count, 3, 4)
    return found


def read_events(path: Path, layout: Layout, ready: int) -> tuple[list[Records], int]:
    """The records of contacts in the frames that are there, and how many more there were than room for them."""
    found, left_out = [], 0
    with path.open("rb") as file:
        for frame in range(ready):
            file.seek(layout.frame_at(frame) + layout.events_at)
            count = int.from_bytes(file.read(8), "little")
            data = file.read(layout.events * RECORD.itemsize)
            if len(data) < layout.events * RECORD.itemsize:
                raise refused(str(path), f"frame {frame} is cut off")
            found.append(np.frombuffer(data, dtype=RECORD)[: min(count, layout.events)])
            left_out += max(count - layout.events, 0)
    return found, left_out


def forget_frames(file: io.RawIOBase, layout: Layout, first: int) -> None:
    """Take back what the table says of frame `first` and all after it."""
    _write_all(file, bytes((layout.count - first) * ROW), layout.table + first * ROW)


def _write_all(file: io.RawIOBase, data: bytes, at: int) -> None:
    """A raw write may take less than it was given: go on until all is written or the system says why not."""
    file.seek(at)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]


def frame_digest(path: Path, layout: Layout, frame: int) -> bytes:
    """Checksum of a frame as it lies in the file; none that fits where there is anything in the gap after it."""
    with path.open("rb") as file:
        file.seek(layout.frame_at(frame))
        data, padding = file.read(layout.frame_bytes), file.read(layout.stride - layout.frame_bytes)
    return digest(data) if not padding.strip(b"\0") else b""
