"""A BVH file in: its skeleton at rest, and its frames as a motion."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import FormatError, InputError, SuppleWarning
from supple.geometry import quaternions
from supple.io.bvh.frames import COMMENT, read_frames, read_header
from supple.io.bvh.hierarchy import Joint, read_hierarchy
from supple.io.bvh.upright import upright
from supple.motion.motion import Motion
from supple.names import UNDERLINED, unique

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
_LONGEST_HEAD = 2 << 20  # bytes of hierarchy and header: 512 for each of the most joints there may be
_FEW_KEYS = 1_000_000  # of one joint in one frame, which any file may have; more need a byte each
# Possessive (++): a run of blanks is walked over once, however long, or a bad file could take hours.
_MOTION = re.compile(rb"(?im)^[ \t]*+MOTION\b|(?<=[}\s])MOTION(?=\s++Frames)")


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
        raise InputError(
            where, f"metres_per_unit is {metres_per_unit}", "a number above zero is needed", "use 0.01 for centimetres"
        )
    data = _bytes(path)
    head = _head(data)
    start = _MOTION.search(head)
    joints = read_hierarchy(_text(head[: start.start()] if start else head), where)
    if start is None:
        line = head.count(b"\n") + 1
        given = "the file ends without MOTION" if len(head) == len(data) else "there is no MOTION up to here"
        raise FormatError(
            f"{where}, line {line}",
            given,
            "frames are needed after the joints",
            "the file may be cut off; export it again",
        )
    header = read_header(head, start.start(), where)
    if header.end == len(head) < len(data):
        raise FormatError(
            where,
            f"its hierarchy and header are longer than {_LONGEST_HEAD} bytes",
            "no body needs so many",
            "check that the file is a motion",
        )
    rows = read_frames(data, header, sum(len(joint.channels) for joint in joints), where)
    if len(rows) * len(joints) > max(_FEW_KEYS, len(data)):
        raise FormatError(
            where,
            f"{len(rows)} frames of {len(joints)} joints come from {len(data)} bytes",
            "most joints of a motion have channels",
            "remove the joints that never move",
        )
    del data, head
    try:
        skeleton, unit = _skeleton(joints, metres_per_unit, where)
        positions, rotations = _keys(joints, rows)
        motion = Motion(skeleton, header.fps, positions * unit, rotations, name=path.stem or "motion")
        return upright(motion, where)
    except InputError as error:  # a skeleton or motion that cannot be, said of the file unless the unit made it so
        if metres_per_unit is not None:
            raise
        raise FormatError(f"{where}: {error.where}", error.given, error.needed, "export it again") from None


def _bytes(path: Path) -> bytes:
    """The file with line feeds only, and without a byte order mark."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(
            path.name, f"it cannot be read ({error.strerror})", "a readable file is needed", "check its rights"
        ) from None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf")


def _head(data: bytes) -> bytes:
    """The bytes that hierarchy and header may take, each where it was in the file, with blanks for comments."""
    head = data[:_LONGEST_HEAD]
    return COMMENT.sub(lambda found: b" " * len(found.group()), head) if b"#" in head or b"//" in head else head


def _text(head: bytes) -> str:
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError:
        return head.decode("latin-1")


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


def _tails(joints: list[Joint], heads: FloatArray, where: str) -> FloatArray:
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
        warnings.warn(
            f"{where}: {', '.join(bare[:5])} ends without an End Site; its bone was given half the length of "
            "the one before.",
            SuppleWarning,
            stacklevel=5,
        )
    return tails


def _guessed_unit(size: float, where: str) -> float:
    """The unit that brings `size`, the longest side of the rest skeleton, nearest to a person's height."""
    if size == 0.0:
        return 0.01
    unit = min(UNITS, key=lambda candidate: abs(math.log(candidate * size / _PERSON)))
    if unit != 1.0:
        warnings.warn(
            f"{where}: its unit was taken to be {UNITS[unit]} (factor {unit:.6g}), which makes the skeleton "
            f"{size * unit:.2f} m; if that is wrong, read it with metres_per_unit.",
            SuppleWarning,
            stacklevel=5,
        )
    return unit


def _unique(names: list[str], where: str) -> tuple[str, ...]:
    result = unique(names, form=UNDERLINED)
    doubles = [new for name, new in zip(names, result, strict=True) if new != name]
    if doubles:
        warnings.warn(
            f"{where}: joint names stand twice; the later ones are now {', '.join(doubles[:5])}.",
            SuppleWarning,
            stacklevel=5,
        )
    return result


def _keys(joints: list[Joint], rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places (F, J, 3) in file units and turns (F, J, 4); joints with the same channels are worked out together."""
    offsets = np.array([joint.offset for joint in joints], dtype=np.float64)
    positions = np.tile(offsets, (len(rows), 1, 1))
    rotations = np.zeros((len(rows), len(joints), 4))
    rotations[..., 3] = 1.0
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
                positions[:, which, axis] = values
            else:
                half = 0.5 * np.radians(values)
                rotation = np.zeros((*values.shape, 4))
                rotation[..., axis], rotation[..., 3] = np.sin(half), np.cos(half)
                rotations[:, which] = quaternions.quat_multiply(rotations[:, which], rotation)
    return positions, rotations
