"""An address as a square of dark and light fields that a camera reads (ISO/IEC 18004): bytes, versions 1 to 10.

What is shown in a terminal is read from a screen, at once: level L, which mends seven percent, is enough.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from supple.errors import InputError

Fields = NDArray[np.bool_]
# For versions 1 to 10 at level L: bytes that mend a block, and the bytes of data in each of its blocks.
_BLOCKS: tuple[tuple[int, tuple[int, ...]], ...] = (
    (7, (19,)),
    (10, (34,)),
    (15, (55,)),
    (20, (80,)),
    (26, (108,)),
    (18, (68, 68)),
    (20, (78, 78)),
    (24, (97, 97)),
    (30, (116, 116)),
    (18, (68, 68, 69, 69)),
)
_MARKS = ((), (6, 18), (6, 22), (6, 26), (6, 30), (6, 34), (6, 22, 38), (6, 24, 42), (6, 26, 46), (6, 28, 50))
_QUIET = 4  # light fields round it, without which no camera finds it
_BYTES, _PADDING = 0b0100, (0xEC, 0x11)


def qr_code(text: str) -> Fields:
    """The fields (N, N) of a text, true where they are dark, without the light ones round them."""
    data = text.encode("utf-8")
    version = next((number for number in range(1, 11) if len(data) <= _room(number)), None)
    if version is None:
        raise InputError("qr_code", f"the text has {len(data)} bytes", f"at most {_room(10)} fit", "shorten it")
    bits = _bits(_codewords(data, version))
    plans = [_masked(version, bits, mask) for mask in range(8)]
    return min(plans, key=_penalty)


def as_text(fields: Fields) -> str:
    """Fields for a terminal, two rows in a line of text; dark ones are gaps, so that it reads on a dark ground."""
    wide = np.pad(fields, _QUIET)
    wide = np.pad(wide, ((0, len(wide) % 2), (0, 0)))
    pairs = zip(wide[::2], wide[1::2], strict=True)
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return "\n".join("".join(signs[bool(a), bool(b)] for a, b in zip(*pair, strict=True)) for pair in pairs)


def _room(version: int) -> int:
    """Bytes of text that fit, after four bits that say what they are and eight or sixteen that count them."""
    return sum(_BLOCKS[version - 1][1]) - (2 if version < 10 else 3)


def _codewords(data: bytes, version: int) -> bytes:
    """Data with its length and padding in blocks, each with what mends it, as they are laid out."""
    mending, sizes = _BLOCKS[version - 1]
    count = 8 if version < 10 else 16
    number = (_BYTES << count | len(data)) << 8 * len(data) | int.from_bytes(data, "big")
    length = 4 + count + 8 * len(data)
    total = sum(sizes)
    end = min(4, 8 * total - length)
    length += end
    number <<= end + -length % 8
    filled = number.to_bytes((length + 7) // 8, "big")
    filled += bytes(_PADDING[i % 2] for i in range(total - len(filled)))
    starts = np.cumsum((0, *sizes))
    blocks = [filled[start : start + size] for start, size in zip(starts, sizes, strict=False)]
    mends = [_mending(block, mending) for block in blocks]
    woven = [block[i] for i in range(max(sizes)) for block in blocks if i < len(block)]
    return bytes(woven + [block[i] for i in range(mending) for block in mends])


@lru_cache(maxsize=1)
def _powers() -> tuple[list[int], list[int]]:
    """Powers of two in the field of 256 elements by x^8 + x^4 + x^3 + x^2 + 1, and their logarithms."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value = value << 1 ^ (0x11D if value & 0x80 else 0)
    logarithms = [0] * 256
    for exponent, value in enumerate(powers):
        logarithms[value] = exponent
    return powers, logarithms


def _times(a: int, b: int) -> int:
    powers, logarithms = _powers()
    return powers[(logarithms[a] + logarithms[b]) % 255] if a and b else 0


def _mending(block: bytes, count: int) -> bytes:
    """What is left of a block, as a polynomial, by the one whose roots are the first `count` powers of two."""
    divisor = [1]
    for exponent in range(count):
        root = _powers()[0][exponent]
        shifted, scaled = [*divisor, 0], [0, *(_times(one, root) for one in divisor)]
        divisor = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
    left = [*block, *[0] * count]
    for place in range(len(block)):
        factor = left[place]
        for step, one in enumerate(divisor):
            left[place + step] ^= _times(one, factor)
    return bytes(left[len(block) :])


def _bits(codewords: bytes) -> Fields:
    return np.unpackbits(np.frombuffer(codewords, dtype=np.uint8)).astype(bool)


def _masked(version: int, bits: Fields, mask: int) -> Fields:
    """All fields with one of the eight masks over the data."""
    fields, fixed = _frame(version)
    rows, columns = _ways(fixed)
    laid = np.zeros(len(rows), dtype=bool)  # a few fields are left over, and light
    laid[: len(bits)] = bits
    fields[rows, columns] = laid ^ _MASKS[mask](rows, columns)
    _write_format(fields, mask)
    return fields


_MASKS = (
    lambda i, j: (i + j) % 2 == 0,
    lambda i, j: i % 2 == 0,
    lambda i, j: j % 3 == 0,
    lambda i, j: (i + j) % 3 == 0,
    lambda i, j: (i // 2 + j // 3) % 2 == 0,
    lambda i, j: i * j % 2 + i * j % 3 == 0,
    lambda i, j: (i * j % 2 + i * j % 3) % 2 == 0,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2 == 0,
)


def _frame(version: int) -> tuple[Fields, Fields]:
    """The fields that are the same for every text, and which those are."""
    size = 17 + 4 * version
    fields, fixed = (np.zeros((size, size), dtype=bool) for _ in range(2))
    fields[6, ::2] = fields[::2, 6] = True
    fixed[6, :] = fixed[:, 6] = True
    finder = np.maximum.outer(np.abs(np.arange(-3, 4)), np.abs(np.arange(-3, 4)))
    for row, column in ((0, 0), (0, size - 7), (size - 7, 0)):
        near = np.s_[max(row - 1, 0) : row + 8, max(column - 1, 0) : column + 8]
        fields[near], fixed[near] = False, True
        fields[row : row + 7, column : column + 7] = finder != 2
    marks, ends = _MARKS[version - 1], {(6, 6), (6, size - 7), (size - 7, 6)}
    mark = np.maximum.outer(np.abs(np.arange(-2, 3)), np.abs(np.arange(-2, 3))) != 1
    for row, column in ((a, b) for a in marks for b in marks if (a, b) not in ends):
        fields[row - 2 : row + 3, column - 2 : column + 3] = mark
        fixed[row - 2 : row + 3, column - 2 : column + 3] = True
    fixed[8, :9] = fixed[:9, 8] = fixed[8, size - 8 :] = fixed[size - 8 :, 8] = True
    if version >= 7:
        known = version << 12 | _rest(version, 12, 0x1F25)
        corner = np.array([known >> i & 1 for i in range(18)], dtype=bool).reshape(6, 3)
        fields[:6, size - 11 : size - 8], fields[size - 11 : size - 8, :6] = corner, corner.T
        fixed[:6, size - 11 : size - 8] = fixed[size - 11 : size - 8, :6] = True
    return fields, fixed


def _ways(fixed: Fields) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of all fields for data in their order: in pairs of columns from the right, up and down."""
    size, found, up = len(fixed), [], True
    for right in [column for column in range(size - 1, 0, -2) if column > 6] + [5, 3, 1]:
        for row in range(size - 1, -1, -1) if up else range(size):
            found += [(row, column) for column in (right, right - 1) if not fixed[row, column]]
        up = not up
    rows, columns = np.array(found).T
    return rows, columns


def _rest(value: int, degree: int, divisor: int) -> int:
    """What is left of a polynomial of bits."""
    left = value << degree
    for place in range(left.bit_length() - 1, degree - 1, -1):
        if left >> place & 1:
            left ^= divisor << place - degree
    return left


def _write_format(fields: Fields, mask: int) -> None:
    """Level and mask, twice."""
    size, known = len(fields), 0b01 << 3 | mask
    known = (known << 10 | _rest(known, 10, 0x537)) ^ 0x5412
    bits = [bool(known >> i & 1) for i in range(14, -1, -1)]
    for i, bit in enumerate(bits):
        fields[(8, (*range(6), 7, 8)[i]) if i < 8 else ((7, *range(5, -1, -1))[i - 8], 8)] = bit
        fields[(size - 1 - i, 8) if i < 7 else (8, size - 15 + i)] = bit
    fields[size - 8, 8] = True


def _penalty(fields: Fields) -> int:
    """How hard it is to read: long rows and blocks of one colour, what looks like a corner, and uneven shares."""
    corner = np.array([1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0], dtype=bool)
    total = 0
    for lines in (fields, fields.T):
        for line in lines:
            changes = np.flatnonzero(np.diff(line)) + 1
            lengths = np.diff(np.concatenate([[0], changes, [len(line)]]))
            total += int((lengths[lengths >= 5] - 2).sum())
        windows = np.lib.stride_tricks.sliding_window_view(lines, 11, axis=1)
        total += 40 * int(sum((windows == sign).all(axis=2).sum() for sign in (corner, corner[::-1])))
    square = fields[:-1, :-1]
    same = (square == fields[1:, :-1]) & (square == fields[:-1, 1:]) & (square == fields[1:, 1:])
    return total + 3 * int(same.sum()) + 10 * int(abs(fields.mean() - 0.5) * 20)
