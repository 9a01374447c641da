"""EXT_meshopt_compression: the bytes of a buffer view out of their compressed form, by its specification.

https://github.com/KhronosGroup/glTF/blob/main/extensions/2.0/Vendor/EXT_meshopt_compression. Pure NumPy and Python, so
that nothing a file says can reach outside the arrays: what does not add up is a `ValueError` or an `IndexError`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
_GROUP, _MOST, _BLOCK, _TAIL = 16, 256, 8192, 32
_GLANCE = 1 << 13  # triangles or indices between two looks at the clock


def unpack(data: bytes, *, count: int, stride: int, mode: str, filtered: str, look: Callable[[], None]) -> bytes:
    """The `count * stride` bytes that were packed; `look` is called now and then, to stop what takes too long."""
    packed = np.frombuffer(data, dtype=np.uint8)
    if mode == "ATTRIBUTES":
        return _filtered(_attributes(packed, count, stride, look), filtered)
    if mode not in ("TRIANGLES", "INDICES") or filtered != "NONE" or stride not in (2, 4):
        raise ValueError(f"mode {mode[:20]}, filter {filtered[:20]} and byteStride {stride} do not go together")
    found = _triangles(data, count, look) if mode == "TRIANGLES" else _indices(data, count, look)
    numbers = np.array(found, dtype=np.uint64)
    if numbers.size and int(numbers.max()) >= 1 << (8 * stride):
        raise ValueError("an index is larger than its type can hold")
    return numbers.astype("<u2" if stride == 2 else "<u4").tobytes()


def _attributes(packed: Bytes, count: int, stride: int, look: Callable[[], None]) -> Bytes:
    """Rows (count, stride): every byte the sum of all differences before it."""
    if stride % 4 or not 4 <= stride <= _MOST or len(packed) < 1 or packed[0] != 0xA0:
        raise ValueError("it is no stream of attributes of version 0")
    tail = max(stride, _TAIL)
    end = len(packed) - tail
    if end < 1:
        raise ValueError("it is cut off")
    last = packed[-stride:].astype(np.uint8)
    block = min((_BLOCK // stride) & ~(_GROUP - 1), _MOST)
    rows = np.empty((count, stride), dtype=np.uint8)
    at = 1
    for first in range(0, count, block):
        look()
        size = min(block, count - first)
        for column in range(stride):
            deltas, at = _column(packed, at, end, size)
            signed = np.where(deltas & 1, ~(deltas >> 1), deltas >> 1)
            rows[first : first + size, column] = last[column] + np.cumsum(signed, dtype=np.uint8)
        last = rows[first + size - 1].copy()
    return rows


def _column(packed: Bytes, at: int, end: int, size: int) -> tuple[Bytes, int]:
    """The differences (size,) of one byte of a block, and where the next begin."""
    groups = -(-size // _GROUP)
    head = -(-groups // 4)
    if at + head > end:
        raise ValueError("it is cut off")
    kinds = (packed[at : at + head, None] >> np.array([0, 2, 4, 6], dtype=np.uint8)) & 3
    at += head
    found = np.zeros((groups, _GROUP), dtype=np.uint8)
    for group, kind in enumerate(kinds.reshape(-1)[:groups].tolist()):
        if kind == 3:
            found[group] = _slice(packed, at, _GROUP, end)
            at += _GROUP
        elif kind:
            bits = 2 * kind
            raw = _slice(packed, at, 2 * bits, end)
            at += 2 * bits
            shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
            values = ((raw[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)
            beyond = np.flatnonzero(values == (1 << bits) - 1)
            values[beyond] = _slice(packed, at, len(beyond), end)
            at += len(beyond)
            found[group] = values
    return found.reshape(-1)[:size], at


def _slice(packed: Bytes, at: int, size: int, end: int) -> Bytes:
    if at + size > end:
        raise ValueError("it is cut off")
    return packed[at : at + size]


class _Stream:
    """Bytes read one after the other, and whole numbers of any length in them."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self._data, self._at, self._end = data, at, end

    def byte(self) -> int:
        if self._at >= self._end:
            raise ValueError("it is cut off")
        self._at += 1
        return self._data[self._at - 1]

    def whole(self) -> int:
        """Seven bits a byte, the lowest first, five bytes at most."""
        total = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            total |= (byte & 127) << shift
            if byte < 128:
                break
        return total & 0xFFFFFFFF

    def step(self) -> int:
        """A difference: even numbers go up, odd ones down."""
        value = self.whole()
        return -((value + 1) >> 1) if value & 1 else value >> 1


def _triangles(data: bytes, count: int, look: Callable[[], None]) -> list[int]:
    """Corners (count,) of triangles, of which most name an edge and a vertex that came before."""
    size = count // 3
    if count % 3 or len(data) < 1 + size + 16 or data[0] != 0xE1:
        raise ValueError("it is no stream of triangles of version 1")
    stream, aux = _Stream(data, 1 + size, len(data) - 16), data[-16:]
    edges, vertices = [(0, 0)] * 16, [0] * 16
    edge = vertex = following = last = 0
    out: list[int] = []
    for number in range(size):
        if number % _GLANCE == 0:
            look()
        code = data[1 + number]
        fresh: list[int] = []
        if code < 0xF0:
            a, b = edges[(edge - 1 - (code >> 4)) & 15]
            which = code & 15
            if which == 0:
                c, following = following, following + 1
                fresh = [c]
            elif which < 13:
                c = vertices[(vertex - 1 - which) & 15]
            else:
                c = last = (last + (which - (which ^ 3)) if which != 15 else last + stream.step()) & 0xFFFFFFFF
                fresh = [c]
            new_edges = ((c, b), (a, c))
        else:
            pair = aux[code & 15] if code < 0xFE else stream.byte()
            if code >= 0xFE and pair == 0:
                following = 0
            corners = []
            for rank, which in enumerate((15 if code == 0xFF else 0, pair >> 4, pair & 15)):
                if which == 0:
                    corners.append(following)
                    following += 1
                    fresh.append(corners[-1])
                elif which < 15 or (code < 0xFE and rank):
                    corners.append(vertices[(vertex - which) & 15])
                else:
                    corners.append(-1)
            for rank, corner in enumerate(corners):
                if corner < 0:
                    last = (last + stream.step()) & 0xFFFFFFFF
                    corners[rank] = last
            if code >= 0xFE:
                known = (False, 0 < (pair >> 4) < 15, 0 < (pair & 15) < 15)
                fresh = [corner for corner, old in zip(corners, known, strict=True) if not old]
            a, b, c = corners
            new_edges = ((b, a), (c, b), (a, c))  # type: ignore[assignment]
        out += (a, b, c)
        for new in fresh:
            vertices[vertex & 15] = new
            vertex += 1
        for pushed in new_edges:
            edges[edge & 15] = pushed
            edge += 1
    return out


def _indices(data: bytes, count: int, look: Callable[[], None]) -> list[int]:
    """Numbers (count,), each near to one of two before."""
    if len(data) < 1 + count + 4 or data[0] != 0xD1:
        raise ValueError("it is no stream of indices of version 1")
    stream, last, out = _Stream(data, 1, len(data) - 4), [0, 0], []
    for number in range(count):
        if number % _GLANCE == 0:
            look()
        value = stream.whole()
        current, value = value & 1, value >> 1
        last[current] = (last[current] + (-((value + 1) >> 1) if value & 1 else value >> 1)) & 0xFFFFFFFF
        out.append(last[current])
    return out


def _filtered(rows: Bytes, filtered: str) -> bytes:
    """The bytes after their filter was undone."""
    stride = rows.shape[1]
    if filtered == "NONE":
        return rows.tobytes()
    if filtered == "OCTAHEDRAL" and stride in (4, 8):
        return _octahedral(rows.view("<i1" if stride == 4 else "<i2"))
    if filtered == "QUATERNION" and stride == 8:
        return _quaternions(rows.view("<i2"))
    if filtered == "EXPONENTIAL":
        whole = rows.view("<i4")
        with np.errstate(over="ignore"):  # what is beyond single precision is refused where finite numbers are needed
            return np.ldexp(((whole << 8) >> 8).astype(np.float32), whole >> 24).astype("<f4").tobytes()
    raise ValueError(f"filter {filtered[:20]} does not go with byteStride {stride}")


def _octahedral(given: NDArray[np.integer]) -> bytes:
    """Unit vectors that were folded onto the square |x| + |y| <= one; the fourth number stays."""
    most = np.iinfo(given.dtype).max
    x, y, one = (given[:, k].astype(np.float32) for k in range(3))
    z = one - np.abs(x) - np.abs(y)
    fold = np.minimum(z, 0.0)
    x, y = x + np.where(x >= 0.0, fold, -fold), y + np.where(y >= 0.0, fold, -fold)
    length = np.sqrt(x * x + y * y + z * z)
    scale = most / np.where(length > 0.0, length, 1.0)
    made = given.copy()
    for column, values in enumerate((x, y, z)):
        made[:, column] = _rounded(values * scale)
    return made.tobytes()


def _quaternions(given: NDArray[np.integer]) -> bytes:
    """Unit quaternions of which the largest number was left out; the last says which."""
    largest = given[:, 3] & 3
    scale = np.float32(np.sqrt(0.5)) / (given[:, 3] | 3).astype(np.float32)
    small = given[:, :3].astype(np.float32) * scale[:, None]
    rest = np.sqrt(np.maximum(1.0 - np.sum(small * small, axis=1), 0.0))
    made = np.empty_like(given)
    every = np.arange(len(given))
    for offset, values in enumerate((rest, *small.T)):
        made[every, (largest + offset) & 3] = _rounded(values * 32767.0)
    return made.tobytes()


def _rounded(values: NDArray[np.floating]) -> NDArray[np.int32]:
    """To the nearest whole number, halves away from zero."""
    return np.trunc(values + np.where(values >= 0.0, 0.5, -0.5)).astype(np.int32)
