"""Bend and twist: one joint of any skeleton turned to an angle and, if wanted, back."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin.recipe import Recipe
from supple.motion.pose import Pose

_LIKED = ("LeftForeArm", "ForeArm", "LeftLeg", "Leg")  # joints whose bend shows what a skin does


def bend(
    skeleton: Skeleton,
    *,
    joint: str | None = None,
    angle: float = math.radians(135.0),
    seconds: float = 2.0,
    fps: float = 60.0,
    hold: bool = False,
) -> Recipe:
    """Bend a joint by `angle` [rad] about an axis across its bone, evenly in and out, and back unless `hold`.

    An elbow or knee bends the way it does in life; other joints bend in the plane of the bone and its parent's, or
    forward where those are in line.
    """
    number = _chosen(skeleton, joint)
    return _rotate_joint(
        skeleton, number, _bend_axis(skeleton, number), angle, name="bend", seconds=seconds, fps=fps, hold=hold
    )


def twist(
    skeleton: Skeleton,
    *,
    joint: str | None = None,
    angle: float = math.pi,
    seconds: float = 2.0,
    fps: float = 60.0,
    hold: bool = False,
) -> Recipe:
    """Twist a joint by `angle` [rad] about its own bone, evenly in and out, and back unless `hold`."""
    number = _chosen(skeleton, joint)
    return _rotate_joint(
        skeleton, number, _along(skeleton, number), angle, name="twist", seconds=seconds, fps=fps, hold=hold
    )


def _chosen(skeleton: Skeleton, joint: str | None) -> int:
    """The joint asked for, or one that shows something: an elbow, a knee, or the middle of the longest chain."""
    if joint is not None:
        return skeleton.index(joint)
    for name in _LIKED:
        if name in skeleton.names:
            return skeleton.index(name)
    chain = [int(skeleton.levels[-1][0])]
    while skeleton.parents[chain[-1]] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
    return chain[(len(chain) - 1) // 2]


def _along(skeleton: Skeleton, joint: int) -> FloatArray:
    """Direction of a joint's bone at rest; upward where the bone has no length."""
    bones = skeleton.bones
    reach = np.mean((bones.ends - bones.starts)[bones.joints == joint], axis=0)
    return quaternions.normalize(reach) if np.linalg.norm(reach) > 1e-9 else np.array([0.0, 1.0, 0.0])


def _bend_axis(skeleton: Skeleton, joint: int) -> FloatArray:
    along = _along(skeleton, joint)
    parent = int(skeleton.parents[joint])
    if parent >= 0:
        axis = np.cross(quaternions.normalize(skeleton.heads[joint] - skeleton.heads[parent]), along)
        if np.linalg.norm(axis) > 0.02:  # more than a degree out of line: it bends further the way it is bent
            return quaternions.normalize(axis)
    side = np.array([1.0, 0.0, 0.0]) if abs(along[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    return quaternions.normalize(np.cross(np.cross(along, side), along))


def _rotate_joint(
    skeleton: Skeleton, joint: int, axis: FloatArray, angle: float, *, name: str, seconds: float, fps: float, hold: bool
) -> Recipe:
    for what, value in (("seconds", seconds), ("fps", fps)):
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"motion {name!r}", f"{what} is {value}", "more than zero is needed", "use 2 and 60")
    if not math.isfinite(angle):
        raise InputError(f"motion {name!r}", f"angle is {angle}", "a finite angle is needed", "pass radians")

    def pose(time: float) -> Pose:
        fraction = min(time / seconds, 1.0)
        amount = 0.5 - 0.5 * math.cos(math.pi * fraction * (1.0 if hold else 2.0))
        rotation = quaternions.quat_from_axis_angle(axis, amount * angle)
        return Pose.from_rotations(skeleton, {skeleton.names[joint]: rotation})

    return Recipe(skeleton, pose, seconds, fps, f"{name} {skeleton.names[joint]}")
