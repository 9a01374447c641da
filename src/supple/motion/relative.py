"""A pose taken apart: where every joint stands on its parent and how it is turned there, so that poses can be mixed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.geometry import quaternions
from supple.motion.pose import Pose, parent_from_joints


@dataclass(frozen=True, eq=False)
class RelativePose:
    """Places (J, 3) [m], quaternions (J, 4) x y z w and scales (J, 3) of joints on their parents; shares of shapes."""

    moves: FloatArray
    rotations: FloatArray
    scales: FloatArray
    shapes: Mapping[str, float]

    @classmethod
    def from_pose(cls, skeleton: Skeleton, pose: Pose) -> RelativePose:
        """Take a pose apart."""
        return cls(*quaternions.decompose(parent_from_joints(skeleton, pose)), pose.shapes)

    def pose(self, skeleton: Skeleton) -> Pose:
        """Put it together again."""
        local = quaternions.compose(self.moves, self.rotations, self.scales)
        return Pose(skeleton.world_from_locals(local), shapes=self.shapes)


def mix_poses(poses: Sequence[RelativePose], weights: FloatArray) -> RelativePose:
    """The sum of poses times `shares` (N,), which add up to one and may be negative.

    Quaternions are added on the side of the one with the largest share and made unit again: the mean turn of poses
    that are less than half a turn apart.
    """
    rotations = np.stack([pose.rotations for pose in poses])
    middle = rotations[int(np.argmax(weights))]
    rotations = rotations * np.where(np.einsum("njc,jc->nj", rotations, middle) < 0.0, -1.0, 1.0)[..., None]
    rotation = quaternions.normalize(np.einsum("n,njc->jc", weights, rotations))
    rotation = np.where((rotation == 0.0).all(axis=1, keepdims=True), middle, rotation)
    names = {name for pose in poses for name in pose.shapes}
    return RelativePose(
        np.einsum("n,njc->jc", weights, np.stack([pose.moves for pose in poses])),
        rotation,
        np.einsum("n,njc->jc", weights, np.stack([pose.scales for pose in poses])),
        {
            name: float(sum(weight * pose.shapes.get(name, 0.0) for weight, pose in zip(weights, poses, strict=True)))
            for name in sorted(names)
        },
    )


def beyond(first: RelativePose, last: RelativePose, fraction: float) -> RelativePose:
    """`first` at 0, `last` at 1, and on with the same speed above 1; joints turn evenly."""
    apart = rotation_vectors(quaternions.quat_multiply(quaternions.conjugate(first.rotations), last.rotations))
    names = sorted({*first.shapes, *last.shapes})
    return RelativePose(
        first.moves + fraction * (last.moves - first.moves),
        quaternions.quat_multiply(first.rotations, rotations_from_vectors(fraction * apart)),
        last.scales,
        {
            name: (1.0 - fraction) * first.shapes.get(name, 0.0) + fraction * last.shapes.get(name, 0.0)
            for name in names
        },
    )


def difference(there: RelativePose, here: RelativePose) -> FloatArray:
    """How far (J, 2, 3) every joint is moved [m] and turned [rad] from here to there."""
    rotations = rotation_vectors(quaternions.quat_multiply(quaternions.conjugate(here.rotations), there.rotations))
    return np.stack([there.moves - here.moves, rotations], axis=1)


def displace(here: RelativePose, off: FloatArray) -> RelativePose:
    """The pose that differs from `here` by `off` (J, 2, 3) [m] and [rad]; scales and shapes are as they are here."""
    rotations = quaternions.normalize(quaternions.quat_multiply(here.rotations, rotations_from_vectors(off[:, 1])))
    return RelativePose(here.moves + off[:, 0], rotations, here.scales, here.shapes)


def decay_spring(off: FloatArray, speed: FloatArray, rate: float, seconds: float) -> tuple[FloatArray, FloatArray]:
    """What is left of a difference and of its speed after some seconds, by a critically damped spring.

    e'' = -2 k e' - k^2 e with k = `rate` [1/s], solved exactly: e(t) = (e + (e' + k e) t) exp(-k t).
    """
    fade = math.exp(-rate * seconds)
    pull = speed + rate * off
    return (off + pull * seconds) * fade, (speed - rate * seconds * pull) * fade


def rotation_vectors(rotations: FloatArray) -> FloatArray:
    """Axis times angle (J, 3) [rad] of unit quaternions (J, 4), the shorter way round."""
    positive = rotations * np.where(rotations[..., 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(positive[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, positive[..., 3:])
    return np.asarray(positive[..., :3] * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0))


def rotations_from_vectors(vectors: FloatArray) -> FloatArray:
    """Quaternions (J, 4) of rotation vectors (J, 3) [rad]."""
    return quaternions.quat_from_axis_angle(vectors, np.linalg.norm(vectors, axis=-1))
