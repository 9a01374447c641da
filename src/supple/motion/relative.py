"""A pose taken apart: where every joint stands on its parent and how it is turned there, so that poses can be mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import Floats
from supple.character.skeleton import Skeleton
from supple.geometry import rotations
from supple.motion.pose import Pose


@dataclass(frozen=True, eq=False)
class RelativePose:
    """Places (J, 3) [m], quaternions (J, 4) x y z w and scales (J, 3) of joints on their parents; shares of shapes."""

    moves: Floats
    turns: Floats
    scales: Floats
    shapes: Mapping[str, float]

    @classmethod
    def of(cls, skeleton: Skeleton, pose: Pose) -> RelativePose:
        """Take a pose apart."""
        local = pose.world_from_joint.copy()
        hanging = skeleton.parents >= 0
        local[hanging] = np.linalg.solve(pose.world_from_joint[skeleton.parents[hanging]], local[hanging])
        return cls(*rotations.decompose(local), pose.shapes)

    def pose(self, skeleton: Skeleton) -> Pose:
        """Put it together again."""
        local = rotations.compose(self.moves, self.turns, self.scales)
        return Pose(skeleton.world_from_locals(local), shapes=self.shapes)


def mixed(poses: Sequence[RelativePose], shares: Floats) -> RelativePose:
    """The sum of poses times `shares` (N,), which add up to one and may be negative.

    Quaternions are added on the side of the one with the largest share and made unit again: the mean turn of poses
    that are less than half a turn apart.
    """
    turns = np.stack([pose.turns for pose in poses])
    middle = turns[int(np.argmax(shares))]
    turns = turns * np.where(np.einsum("njc,jc->nj", turns, middle) < 0.0, -1.0, 1.0)[..., None]
    turn = rotations.normalised(np.einsum("n,njc->jc", shares, turns))
    turn = np.where((turn == 0.0).all(axis=1, keepdims=True), middle, turn)
    names = {name for pose in poses for name in pose.shapes}
    return RelativePose(
        np.einsum("n,njc->jc", shares, np.stack([pose.moves for pose in poses])),
        turn,
        np.einsum("n,njc->jc", shares, np.stack([pose.scales for pose in poses])),
        {
            name: float(sum(share * pose.shapes.get(name, 0.0) for share, pose in zip(shares, poses, strict=True)))
            for name in sorted(names)
        },
    )


def beyond(first: RelativePose, last: RelativePose, fraction: float) -> RelativePose:
    """`first` at 0, `last` at 1, and on with the same speed above 1; joints turn evenly."""
    apart = rotation_vectors(rotations.multiply(rotations.conjugate(first.turns), last.turns))
    names = sorted({*first.shapes, *last.shapes})
    return RelativePose(
        first.moves + fraction * (last.moves - first.moves),
        rotations.multiply(first.turns, turns_of(fraction * apart)),
        last.scales,
        {
            name: (1.0 - fraction) * first.shapes.get(name, 0.0) + fraction * last.shapes.get(name, 0.0)
            for name in names
        },
    )


def rotation_vectors(turns: Floats) -> Floats:
    """Axis times angle (J, 3) [rad] of unit quaternions (J, 4), the shorter way round."""
    positive = turns * np.where(turns[..., 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(positive[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, positive[..., 3:])
    return np.asarray(positive[..., :3] * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0))


def turns_of(vectors: Floats) -> Floats:
    """Quaternions (J, 4) of rotation vectors (J, 3) [rad]."""
    return rotations.quaternion_about(vectors, np.linalg.norm(vectors, axis=-1))
