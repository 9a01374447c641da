"""Joints that are made larger or smaller, with all that hangs on them."""

from __future__ import annotations

import numpy as np

from supple.character.skeleton import Skeleton
from supple.edits.pose_edit import PoseEdit
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose, parent_from_joints

_WHERE = "scale_joint"


def joint_size(skeleton: Skeleton, pose: Pose, name: str) -> float:
    """How large a joint is in a pose, times its size at rest, beside its parent."""
    joint = skeleton.index(name)
    return float(_size(parent_from_joints(skeleton, pose)[joint]) / _size(skeleton.parent_from_joint[joint]))


def scale_joint(skeleton: Skeleton, pose: Pose, name: str, size: float) -> Pose:
    """The pose with a joint `size` times as large as at rest, and all that hangs on it with it.

    The joint stays where it is and grows evenly on all sides, so that nothing shears where its children turn.
    """
    if not 0.05 <= size <= 20.0:
        given = f"{name!r} was to be {size:g} times as large as at rest"
        raise InputError(_WHERE, given, "the range is 0.05 to 20", "use 1 for its size at rest")
    return PoseEdit({}, {}, {name: size / joint_size(skeleton, pose, name)}).on(skeleton, pose)


def _size(transform: np.ndarray) -> float:
    volume = float(np.abs(quaternions.decompose(transform)[2]).prod())
    if not volume > 0.0:
        raise InputError(_WHERE, "the joint is flat", "it needs a size to grow from", "choose another joint")
    return float(np.cbrt(volume))
