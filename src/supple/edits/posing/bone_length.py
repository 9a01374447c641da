"""Bones that are stretched or shortened: what hangs on a joint moves along its bone."""

from __future__ import annotations

import numpy as np

from supple.character.skeleton import Skeleton
from supple.edits.pose_edit import PoseEdit
from supple.errors import InputError
from supple.motion.pose import Pose, parent_from_joints

_WHERE = "stretch_bone"


def bone_stretch(skeleton: Skeleton, pose: Pose, name: str) -> float:
    """How long the bone of a joint is in a pose, times its length at rest; with several children, on average."""
    children = _children(skeleton, name)
    now = np.linalg.norm(parent_from_joints(skeleton, pose)[children, :3, 3], axis=1)
    rest = np.linalg.norm(skeleton.parent_from_joint[children, :3, 3], axis=1)
    return float(now.sum() / max(rest.sum(), 1e-300))


def stretch_bone(skeleton: Skeleton, pose: Pose, name: str, stretch: float) -> Pose:
    """The pose with the bone of a joint `stretch` times as long as at rest; all that hangs on it goes along.

    The joint stays where it is. Where it has several children, each moves along its own way from the joint.
    """
    if not 0.05 <= stretch <= 20.0:
        given = f"the bone of {name!r} was to be {stretch:g} times as long as at rest"
        raise InputError(_WHERE, given, "the range is 0.05 to 20", "use 1 for its length at rest")
    children = _children(skeleton, name)
    offsets = parent_from_joints(skeleton, pose)[children, :3, 3]
    rest = np.linalg.norm(skeleton.parent_from_joint[children, :3, 3], axis=1)
    now = np.linalg.norm(offsets, axis=1)
    factors = np.where(now > 1e-12, stretch * rest / np.where(now > 1e-12, now, 1.0), 1.0)
    moves = {
        skeleton.names[child]: move for child, move in zip(children, (factors - 1.0)[:, None] * offsets, strict=True)
    }
    return PoseEdit({}, moves).on(skeleton, pose)


def _children(skeleton: Skeleton, name: str) -> list[int]:
    children = skeleton.children(skeleton.index(name)).tolist()
    if not children:
        raise InputError(_WHERE, f"{name!r} has no joint below it", "a bone leads to one", "choose the joint above")
    return children
