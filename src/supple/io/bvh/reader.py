"""A BVH file in: its skeleton at rest, and its frames as a motion."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import numpy as np

from supple.arrays import Floats
from supple.character.skeleton import Skeleton
from supple.errors import InputError, SuppleWarning
from supple.geometry import rotations
from supple.io.bvh.hierarchy import FARTHEST, Joint, read_hierarchy
from supple.io.bvh.upright import upright
from supple.motion.motion import Motion

# How long one unit of the file may be. A person is 1.4 to 2.2 m tall, and no two of these put one there.
UNITS = {
    1.0: "metres",
    0.01: "centimetres",
    0.0254: "inches",
    0.001: "millimetres",
    0.0254 / 0.45: "units of the CMU library (an inch / 0.45)",
    0.3048: "feet",
    0.1: "decimetres",
}
_PERSON = 1.75  # m
_FASTEST = 1e5  # frames a second
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))(?:#|//).*$")
# Possessive (++): a run of blanks is walked over once, however long, or a bad file could take hours.
_MOTION = re.compile(r"(?im)^[ \t]*+MOTION\b|(?<=[}\s])MOTION(?=\s++Frames)")
_HEADER = re.compile(r"(?i)\s*+MOTION\s++Frames\s*+:?\s*+(\S++)\s++Frame\s*+Time\s*+:?\s*+(\S++)")


def read_motion(path: str | Path, *, metres_per_unit: float | None = None) -> Motion:
    """The motion of a BVH file on its own skeleton, in metres.

    At rest all rotations are zero: joints stand at their offsets with axes along the world's. A frame turns a joint by
    the product of its rotation channels in file order, R = R_1 R_2 R_3 (any order, mixed in one file), and its position
    channels, on whichever joint, replace the offset. End sites become the tails of last joints; where a joint has
    several children its tail is their middle.

    BVH names no unit. Unless `metres_per_unit` says, the unit is the one that makes the skeleton nearest to a grown
    person's size, and a `SuppleWarning` names it. Nor does it name the way up: y is taken, unless a human body stands
    along z at rest and in its frames, which are then turned, and that is said too.
    """
    path = Path(path)
    where = path.name
    if metres_per_unit is not None and not (math.isfinite(metres_per_unit) and metres_per_unit > 0.0):
        raise InputError(where, f"metres_per_unit is {metres_per_unit}", "a number above zero is needed",
                         "use 0.01 for centimetres")  # fmt: skip
    text = _text(path)
    start = _MOTION.search(text)
    joints = read_hierarchy(text[: start.start()] if start else text, where)
    if start is None:
        line = text.count("\n") + 1
        raise InputError(f"{where}, line {line}", "the file ends without MOTION", "frames are needed after the joints",
                         "the file may be cut off; export it again")  # fmt: skip
    count, fps, numbers_at = _header(text, start.start(), where)
    rows = _rows(text, numbers_at, sum(len(joint.channels) for joint in joints), count, where)
    if len(rows) * len(joints) > max(2_000_000, len(text)):
        raise InputError(where, f"{len(rows)} frames of {len(joints)} joints come from {len(text)} characters",
                         "most joints of a motion have channels", "remove the joints that never move")  # fmt: skip
    skeleton, unit = _skeleton(joints, metres_per_unit, where)
    places, turns = _keys(joints, rows)
    motion = Motion(skeleton, fps, places * unit, turns, name=path.stem or "motion")
    return upright(motion, where)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _COMMENT.sub("", text) if "#" in text or "//" in text else text


def _header(text: str, start: int, where: str) -> tuple[int, float, int]:
    """Frame count, frames a second, and where the numbers begin."""
    found = _HEADER.match(text, start)
    line = text.count("\n", 0, start) + 1
    if found is None:
        raise InputError(f"{where}, line {line}", "MOTION is not followed by its header",
                         "'Frames: N' and 'Frame Time: seconds' are needed", "add them")  # fmt: skip
    word, seconds = found.group(1), found.group(2)
    if not (word.isascii() and word.isdigit()):
        raise InputError(f"{where}, line {line + 1}", f"Frames is {word[:40]!r}", "a whole number is needed",
                         "correct it")  # fmt: skip
    try:
        step = float(seconds)
    except ValueError:
        step = math.nan
    if not (math.isfinite(step) and step >= 1.0 / _FASTEST):
        raise InputError(f"{where}, line {line + 2}", f"Frame Time is {seconds[:40]!r}",
                         f"seconds from {1.0 / _FASTEST:g} are needed", "0.0333333 is 30 frames a second")  # fmt: skip
    # Six digits of a frame time blur the rate: 0.033333 s is meant to be 30 a second, and 29.97 stays itself.
    fps = 1.0 / step
    whole = round(fps)
    near = whole > 0 and abs(fps - whole) < 2e-5 * whole
    # A count with thousands of digits cannot be turned into a number, and says no more than a large one does.
    return (int(word) if len(word) < 19 else 10**18), float(whole) if near else fps, found.end()


def _rows(text: str, start: int, channels: int, count: int, where: str) -> Floats:
    """The frames (F, C) that are there; nothing is allocated by what the header claims."""
    body = text[start:]
    words = _count_words(body)
    if channels == 0:
        if words:
            raise InputError(where, f"there are {words} numbers after the header", "no joint has a channel for them",
                             "export it with channels")  # fmt: skip
        return np.zeros((1, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # unread rests are found below, with their line
        try:
            numbers = np.fromstring(body, dtype=np.float64, sep=" ") if words else np.zeros(0)
        except ValueError:
            numbers = np.zeros(0)
    if len(numbers) != words or not (np.abs(numbers) <= FARTHEST).all():
        raise _bad_number(text, start, where)
    whole, rest = divmod(words, channels)
    if whole == count and rest == 0 and count > 0:
        return numbers.reshape(count, channels)
    first = text.count("\n", 0, start) + 1
    lengths = [length for length in (len(line.split()) for line in body.split("\n")) if length]
    wrapped = bool(lengths) and max(lengths) < channels and len(lengths) != count
    by_rows = all(length == channels for length in lengths[:-1]) and bool(lengths) and lengths[-1] <= channels
    if whole == 0 or not (wrapped or by_rows):
        most = max(lengths, default=0)
        raise InputError(f"{where}, from line {first}",
                         f"{words} numbers in {len(lengths)} rows of up to {most} follow",
                         f"the joints have {channels} channels and the header says {count} frames",
                         "the channels or the rows are wrong; export it again")  # fmt: skip
    cut = " and a cut-off row" if rest else ""
    warnings.warn(f"{where}: the header says {count} frames and {whole}{cut} are there; loaded {whole}.",
                  SuppleWarning, stacklevel=4)  # fmt: skip
    return numbers[: whole * channels].reshape(whole, channels)


def _count_words(body: str) -> int:
    """How many words there are, in a byte per character instead of a string per word."""
    blank = np.frombuffer(body.encode("utf-8"), dtype=np.uint8) <= 32
    if blank.size == 0:
        return 0
    return int(np.count_nonzero(blank[:-1] & ~blank[1:]) + (not blank[0]))


def _bad_number(text: str, start: int, where: str) -> InputError:
    """The first word among the frames that is no finite number, with its line."""
    first = text.count("\n", 0, start) + 1
    for number, line in enumerate(text[start:].split("\n"), start=first):
        for word in line.split():
            try:
                fine = abs(float(word)) <= FARTHEST and "_" not in word
            except ValueError:
                fine = False
            if not fine:
                return InputError(f"{where}, line {number}", f"{word[:40]!r} stands in a frame",
                                  "finite numbers are needed", "correct it, or cut the frame out")  # fmt: skip
    return InputError(f"{where}, from line {first}", "the frames hold characters that are no text",
                      "numbers between spaces are needed", "export it again")  # fmt: skip


def _skeleton(joints: list[Joint], metres_per_unit: float | None, where: str) -> tuple[Skeleton, float]:
    offsets = np.array([joint.offset for joint in joints], dtype=np.float64)
    parents = np.array([joint.parent for joint in joints], dtype=np.int32)
    heads = offsets.copy()
    for index, parent in enumerate(parents):
        if parent >= 0:
            heads[index] += heads[parent]
    tails = _tails(joints, heads, where)
    unit = metres_per_unit
    if unit is None:
        size = float(np.ptp(np.concatenate([heads, tails]), axis=0).max())
        unit = _guessed_unit(size, where)
    names = _unique([joint.name for joint in joints], where)
    return Skeleton.from_heads(names, parents, heads * unit, tails=tails * unit), unit


def _tails(joints: list[Joint], heads: Floats, where: str) -> Floats:
    tails = heads.copy()
    sums, counts = np.zeros_like(heads), np.zeros(len(heads))
    bare = []
    for index, joint in enumerate(joints):
        if joint.parent >= 0:
            sums[joint.parent] += heads[index]
            counts[joint.parent] += 1
    for index, joint in enumerate(joints):
        if counts[index]:
            tails[index] = sums[index] / counts[index]
        elif joint.end is not None:
            tails[index] = heads[index] + joint.end
        else:
            bare.append(joint.name)
            if joint.parent >= 0:
                tails[index] = heads[index] + 0.5 * (heads[index] - heads[joint.parent])
    if bare:
        warnings.warn(f"{where}: {', '.join(bare[:5])} ends without an End Site; its bone was given half the length of "
                      "the one before.", SuppleWarning, stacklevel=5)  # fmt: skip
    return tails


def _guessed_unit(size: float, where: str) -> float:
    """The unit that brings `size`, the longest side of the rest skeleton, nearest to a person's height."""
    if size == 0.0:
        return 0.01
    unit = min(UNITS, key=lambda candidate: abs(math.log(candidate * size / _PERSON)))
    if unit != 1.0:
        warnings.warn(f"{where}: its unit was taken to be {UNITS[unit]} (factor {unit:.6g}), which makes the skeleton "
                      f"{size * unit:.2f} m; if that is wrong, read it with metres_per_unit.",
                      SuppleWarning, stacklevel=5)  # fmt: skip
    return unit


def _unique(names: list[str], where: str) -> list[str]:
    used: set[str] = set()
    result, doubles = [], []
    numbers: dict[str, int] = {}
    taken = set(names)
    for name in names:
        new = name
        if name in used:
            number = numbers.get(name, 1) + 1
            while f"{name}_{number}" in taken:
                number += 1
            numbers[name] = number
            new = f"{name}_{number}"
            taken.add(new)
            doubles.append(new)
        used.add(new)
        result.append(new)
    if doubles:
        warnings.warn(f"{where}: joint names stand twice; the later ones are now {', '.join(doubles[:5])}.",
                      SuppleWarning, stacklevel=5)  # fmt: skip
    return result


def _keys(joints: list[Joint], rows: Floats) -> tuple[Floats, Floats]:
    """Places (F, J, 3) in file units and turns (F, J, 4); joints with the same channels are worked out together."""
    offsets = np.array([joint.offset for joint in joints], dtype=np.float64)
    places = np.tile(offsets, (len(rows), 1, 1))
    turns = np.zeros((len(rows), len(joints), 4))
    turns[..., 3] = 1.0
    alike: dict[tuple[tuple[str, int], ...], list[tuple[int, int]]] = {}
    column = 0
    for index, joint in enumerate(joints):
        alike.setdefault(tuple(joint.channels), []).append((index, column))
        column += len(joint.channels)
    for channels, members in alike.items():
        which, first = (np.array(values) for values in zip(*members, strict=True))
        for step, (kind, axis) in enumerate(channels):
            values = rows[:, first + step]
            if kind == "position":
                places[:, which, axis] = values
            else:
                half = 0.5 * np.radians(values)
                turn = np.zeros((*values.shape, 4))
                turn[..., axis], turn[..., 3] = np.sin(half), np.cos(half)
                turns[:, which] = rotations.multiply(turns[:, which], turn)
    return places, turns
