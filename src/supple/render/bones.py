"""A skeleton drawn as spindles from joint to joint."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import perpendicular
from supple.motion.pose import Pose

_WAIST = 0.18  # where a spindle is thickest, along the bone
_FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]])


def bone_mesh(skeleton: Skeleton, pose: Pose) -> tuple[FloatArray, IntArray]:
    """Points (6 B, 3) [m] and triangles (8 B, 3) of all bones in a pose."""
    bones = skeleton.bones
    carried = pose.skinning(skeleton)[bones.joints]
    starts, ends = (np.einsum("bij,bj->bi", carried[:, :3, :3], p) + carried[:, :3, 3] for p in _ends(skeleton))
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    forward = along / np.maximum(length, 1e-12)
    first = perpendicular(forward)
    second = np.cross(forward, first)
    thick = 0.09 * length
    waist = starts + _WAIST * along
    ring = [waist + thick * first, waist + thick * second, waist - thick * first, waist - thick * second]
    points = np.stack([starts, *ring, ends], axis=1).reshape(-1, 3)
    triangles = (_FACES[None] + 6 * np.arange(len(starts))[:, None, None]).reshape(-1, 3)
    return points, triangles.astype(np.int32)


def _ends(skeleton: Skeleton) -> tuple[FloatArray, FloatArray]:
    return skeleton.bones.starts, skeleton.bones.ends
