"""A motion out, as a BVH file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError, SuppleWarning
from supple.files import atomic
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.names import UNDERLINED, unique

_UNITS = {"cm": 100.0, "m": 1.0}
_DIGITS = {"cm": 6, "m": 8}  # after the point; both keep a place to 1e-8 m
_STILL = 1e-7  # m; a joint whose place on its parent moves less has no position channels
_PLACE, _TURN = "Xposition Yposition Zposition", "Zrotation Xrotation Yrotation"


def write_motion(motion: Motion, path: str | Path, *, unit: Literal["cm", "m"] = "cm") -> None:
    """Write every key of a motion, in centimetres unless `unit` says metres.

    BVH has no rest rotations, so joints are written with axes along the world's at rest: with rest rotation R0 and
    posed rotation R in the world, the file holds R R0^-1 relative to the parent's, as turns about z, x, y. Roots have
    positions, and so has every joint whose place on its parent changes. Read back, all joints are where they were.

    Not written: scales of joints (places keep what they did), the loop and its stride. Names lose spaces and braces.
    """
    if unit not in _UNITS:
        raise InputError(str(path), f"unit is {unit!r}", "'cm' or 'm' is needed", "most tools expect 'cm'")
    skeleton = motion.skeleton
    rotations, positions = _relative_to_rest(motion)
    offsets = skeleton.heads.copy()
    hanging = skeleton.parents >= 0
    offsets[hanging] -= skeleton.heads[skeleton.parents[hanging]]
    moving = (np.abs(positions - offsets[:, None]) > _STILL).any(axis=(1, 2)) | ~hanging
    if motion.scales is not None and not np.allclose(motion.scales, 1.0, atol=1e-6):
        warnings.warn(
            f"{Path(path).name}: BVH knows no scale; joints keep their places and lose their scales.",
            SuppleWarning,
            stacklevel=2,
        )
    order = _depth_first(skeleton)
    columns = []
    for joint, _ in order:
        if moving[joint]:
            columns.append(positions[joint] * _UNITS[unit])
        columns.append(np.degrees(_angles(rotations[joint])))
    digits = _DIGITS[unit]
    rows = np.round(np.concatenate(columns, axis=1), digits) + 0.0  # no minus zeros
    line = " ".join([f"%.{digits}f"] * rows.shape[1]) + "\n"
    with atomic(path) as waiting, waiting.open("w", encoding="utf-8", newline="\n") as out:
        out.write("HIERARCHY\n")
        out.writelines(_hierarchy(skeleton, order, offsets, moving, unit))
        out.write(f"MOTION\nFrames: {motion.frames}\nFrame Time: {1.0 / motion.fps:.10g}\n")
        out.writelines(line % tuple(row) for row in rows.tolist())


def _relative_to_rest(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Turns (J, F, 3, 3) and places (J, F, 3) relative to the parent, in frames with the world's axes at rest."""
    skeleton = motion.skeleton
    local = quaternions.compose(motion.translations, motion.rotations, motion.scales)
    world = skeleton.world_from_locals(local).swapaxes(0, 1)
    linear = world[..., :3, :3] @ skeleton.joint_from_world[:, None, :3, :3]
    square = linear @ linear.swapaxes(-1, -2)
    rigid = np.allclose(square, np.eye(3), atol=1e-9)
    rotations = linear if rigid else quaternions.nearest_rotation(linear)
    positions = world[..., :3, 3].copy()
    local_rotations = rotations.copy()
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            back = rotations[parent].swapaxes(-1, -2)
            local_rotations[joint] = back @ rotations[joint]
            positions[joint] = np.einsum("fij,fj->fi", back, world[joint, :, :3, 3] - world[parent, :, :3, 3])
    return local_rotations, positions


def _angles(rotations: FloatArray) -> FloatArray:
    """Angles (F, 3) about z, x, y [rad] with R = Rz Rx Ry, running on without jumps of a full turn.

    Where x is a right angle, z and y turn about the same axis; all of it then goes to z.
    """
    flat = np.hypot(rotations[:, 2, 0], rotations[:, 2, 2])
    x = np.arctan2(rotations[:, 2, 1], flat)
    locked = flat < 1e-9
    z = np.where(
        locked, np.arctan2(rotations[:, 1, 0], rotations[:, 0, 0]), np.arctan2(-rotations[:, 0, 1], rotations[:, 1, 1])
    )
    y = np.where(locked, 0.0, np.arctan2(-rotations[:, 2, 0], rotations[:, 2, 2]))
    return np.asarray(np.unwrap(np.stack([z, x, y], axis=1), axis=0))


def _depth_first(skeleton: Skeleton) -> list[tuple[int, int]]:
    """(joint, depth) in the order in which BVH nests them."""
    children: list[list[int]] = [[] for _ in range(len(skeleton))]
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            children[parent].append(joint)
    waiting = [(int(root), 0) for root in np.flatnonzero(skeleton.parents < 0)[::-1]]
    order = []
    while waiting:
        joint, depth = waiting.pop()
        order.append((joint, depth))
        waiting.extend((child, depth + 1) for child in reversed(children[joint]))
    return order


def _hierarchy(
    skeleton: Skeleton, order: list[tuple[int, int]], offsets: FloatArray, moving: BoolArray, unit: str
) -> Iterator[str]:
    """The lines of the joints, opened and closed as the depth rises and falls."""
    names = _plain_names(skeleton)
    bones = skeleton.bones
    ends = dict(zip(bones.joints.tolist(), bones.ends - bones.starts, strict=True))
    depths = [depth for _, depth in order[1:]] + [0]
    for (joint, depth), after in zip(order, depths, strict=True):
        tab, inner = "\t" * depth, "\t" * (depth + 1)
        channels = f"6 {_PLACE} {_TURN}" if moving[joint] else f"3 {_TURN}"
        yield f"{tab}{'JOINT' if depth else 'ROOT'} {names[joint]}\n{tab}{{\n"
        yield f"{inner}OFFSET {_triple(offsets[joint], unit)}\n{inner}CHANNELS {channels}\n"
        if after <= depth:
            yield f"{inner}End Site\n{inner}{{\n{inner}\tOFFSET {_triple(ends[joint], unit)}\n{inner}}}\n"
            for closing in range(depth, after - 1, -1):
                yield "\t" * closing + "}\n"


def _triple(metres: FloatArray, unit: str) -> str:
    digits = _DIGITS[unit]
    return " ".join(f"{value:.{digits}f}" for value in np.round(metres * _UNITS[unit], digits) + 0.0)


def _plain_names(skeleton: Skeleton) -> list[str]:
    """Names without spaces and braces, which most readers would stumble over."""
    plain = (re.sub(r"[\s{}]+", "_", name) or "joint" for name in skeleton.names)
    names = list(unique(plain, form=UNDERLINED))
    changed = [f"{old!r} as {new!r}" for old, new in zip(skeleton.names, names, strict=True) if old != new]
    if changed:
        warnings.warn(
            f"BVH: joint names may hold no spaces or braces; wrote {', '.join(changed[:3])}.",
            SuppleWarning,
            stacklevel=4,
        )
    return names
