"""Which joints of a character drive its curves, and which of them those of one part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import normalize
from supple.motion.pose import Pose
from supple.skins.curves.learn.radial_space import Drivers, joint_rotations
from supple.skins.curves.network.curve_network import Network

_IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
_LEAST_INFLUENCE = 0.1  # of the part's most important joint; joints that bend less of it do not drive it


def find_drivers(character: Character) -> Drivers:
    """All joints of a character whose turns bend its skin, at home at rest."""
    weights, skeleton = character.require_weights("curve network"), character.skeleton
    mass: FloatArray = np.zeros(len(skeleton))
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
    return Drivers(
        np.array([*joints, *others], dtype=np.int32),
        np.array([*references, *[heaviest] * len(others)], dtype=np.int32),
        np.tile(_IDENTITY, (len(joints) + len(others), 1)),
    )


def center_homes(drivers: Drivers, poses: Iterable[Pose], skeleton: Skeleton) -> Drivers:
    """The same joints, at home in the middle of what they do in poses that follow one another from rest."""
    last = np.tile(_IDENTITY, (len(drivers), 1))
    total = last.copy()
    for pose in poses:
        rotation = drivers.quaternions(joint_rotations(pose, skeleton))
        last = rotation * np.where((rotation * last).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        total += last
    middle = np.linalg.norm(total, axis=1, keepdims=True) > 1e-6
    return replace(drivers, homes=np.where(middle, normalize(total), _IDENTITY))


def joint_influences(network: Network, drivers: Drivers) -> FloatArray:
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


def select_drivers(influence: FloatArray, *, most: int) -> IntArray:
    """Which of the joints (K,) drive a part, at most so many, in order."""
    strong = np.flatnonzero(influence >= _LEAST_INFLUENCE * max(float(influence.max(initial=0.0)), 1e-300))
    chosen = strong[np.argsort(-influence[strong], kind="stable")][:most]
    return np.sort(chosen).astype(np.int32)


def _next_with_skin(skeleton: Skeleton, joint: int, mass: FloatArray) -> int:
    above = int(skeleton.parents[joint])
    while above >= 0 and mass[above] <= 0.0:
        above = int(skeleton.parents[above])
    return above
