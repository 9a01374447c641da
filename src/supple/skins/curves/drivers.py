"""Which joints drive the curves of a part, and where a pose lies among the poses of those joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from supple.arrays import Floats, Ints, frozen
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import nearest_rotation, normalize, quat_from_matrix
from supple.motion.pose import Pose
from supple.skins.curves.network import Network

_STILL = np.array([0.0, 0.0, 0.0, 1.0])
_RIGID = 1e-6  # of a transform's Gram matrix against one; more is a stretch that is taken out first
_LEAST_WORTH = 0.1  # of the part's most important joint; joints that bend less of it do not drive it


@dataclass(frozen=True, eq=False)
class Drivers:
    """Joints (K,) and the joint that each one's turn is seen from (K,): the next one above it that moves skin.

    A joint that nothing above moves skin for carries the body as a whole and bends nothing; of several such joints all
    but the heaviest are seen from that one. A turn and the one that goes on round to the same end are told apart by
    `homes` (K, 4), quaternions around which the joints turn: the one nearer to home is taken.
    """

    joints: Ints
    references: Ints
    homes: Floats

    def __post_init__(self) -> None:
        where = "Drivers"
        joints = frozen(self.joints, np.int32, (-1,), where, "joints")
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "references", frozen(self.references, np.int32, joints.shape, where, "references"))
        object.__setattr__(self, "homes", frozen(self.homes, np.float64, (len(joints), 4), where, "homes"))

    @classmethod
    def of(cls, character: Character) -> Drivers:
        """All joints of a character whose turns bend its skin, at home at rest."""
        weights, skeleton = character.require_weights("curve network"), character.skeleton
        mass: Floats = np.zeros(len(skeleton))
        np.add.at(mass, weights.joints, weights.values)
        tops: list[int] = []
        joints, references = [], []
        for joint in np.concatenate(skeleton.levels):
            if mass[joint] <= 0.0:
                continue
            above = _next_with_skin(skeleton, int(joint), mass)
            if above < 0:
                tops.append(int(joint))
            else:
                joints.append(int(joint))
                references.append(above)
        heaviest = max(tops, key=lambda joint: float(mass[joint]))
        others = [joint for joint in tops if joint != heaviest]
        return cls(
            np.array([*joints, *others], dtype=np.int32),
            np.array([*references, *[heaviest] * len(others)], dtype=np.int32),
            np.tile(_STILL, (len(joints) + len(others), 1)),
        )

    def at_home_among(self, poses: Iterable[Pose], skeleton: Skeleton) -> Drivers:
        """The same joints, at home in the middle of what they do in poses that follow one another from rest."""
        last = np.tile(_STILL, (len(self), 1))
        total = last.copy()
        for pose in poses:
            rotation = self._quaternions(joint_rotations(pose, skeleton))
            last = rotation * np.where((rotation * last).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
            total += last
        middle = np.linalg.norm(total, axis=1, keepdims=True) > 1e-6
        return replace(self, homes=np.where(middle, normalize(total), _STILL))

    def __len__(self) -> int:
        return len(self.joints)

    def rotation_vectors(self, rotations: Floats) -> Floats:
        """The turn (K, 3) of every joint away from rest as a rotation vector [rad], in the axes of the rest pose.

        R = S_r^T S_j, where S (J, 3, 3) are `joint_rotations` and r is the joint that the turn is seen from. A motion
        of the whole body changes nothing.
        """
        if not len(self):
            return np.zeros((0, 3))
        rotation = self._quaternions(rotations)
        rotation = rotation * np.where(np.einsum("ki,ki->k", rotation, self.homes) < 0.0, -1.0, 1.0)[:, None]
        sine = np.sqrt(np.einsum("ki,ki->k", rotation[:, :3], rotation[:, :3]))
        per_sine = 2.0 * np.arctan2(sine, rotation[:, 3]) / np.where(sine > 1e-12, sine, 1.0)
        vectors: Floats = rotation[:, :3] * np.where(sine > 1e-12, per_sine, 2.0)[:, None]
        return vectors

    def _quaternions(self, rotations: Floats) -> Floats:
        return quat_from_matrix(np.swapaxes(rotations[self.references], 1, 2) @ rotations[self.joints])


def joint_rotations(pose: Pose, skeleton: Skeleton) -> Floats:
    """How every joint turns away from rest in the world (J, 3, 3), without its stretch."""
    linear = pose.skinning(skeleton)[:, :3, :3]
    gram = np.swapaxes(linear, 1, 2) @ linear - np.eye(3)
    if np.abs(gram).max() > _RIGID or np.linalg.det(linear).min() < 0.0:
        return nearest_rotation(linear)
    return linear


def worths(network: Network, drivers: Drivers) -> Floats:
    """How much of every part (P, K) each joint's turn bends, from 0 to 1.

    The root mean square over a part's nodes of sqrt(s (1 - s)) * 2, with s how much of a node the joint and all below
    it move. Nodes that go with the joint entirely, or not at all, are not bent by it.
    """
    if not len(drivers):
        return np.zeros((len(network.parts), 0))
    skeleton, weights = network.character.skeleton, network.weights
    dense = np.zeros((len(network), len(skeleton)))
    np.add.at(dense, (np.arange(len(network))[:, None], weights.joints), weights.values)
    below = np.stack([dense[:, skeleton.descendants(int(j))].sum(axis=1) for j in drivers.joints], axis=1)
    bent = np.clip(4.0 * below * (1.0 - below), 0.0, None)
    pieces = np.split(bent, network.starts[1:-1])
    return np.sqrt(np.stack([piece.mean(axis=0) for piece in pieces]))


def driving(worth: Floats, *, most: int) -> Ints:
    """Which of the joints (K,) drive a part, at most so many, in order."""
    strong = np.flatnonzero(worth >= _LEAST_WORTH * max(float(worth.max(initial=0.0)), 1e-300))
    chosen = strong[np.argsort(-worth[strong], kind="stable")][:most]
    return np.sort(chosen).astype(np.int32)


def _next_with_skin(skeleton: Skeleton, joint: int, mass: Floats) -> int:
    above = int(skeleton.parents[joint])
    while above >= 0 and mass[above] <= 0.0:
        above = int(skeleton.parents[above])
    return above
