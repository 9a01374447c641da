"""Parts of a skin that learn apart from each other, and which joints each of them looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton

STILL = np.radians(1.0)  # joints that turn less than this in all examples do not move
_REACH = 2  # moving joints away: how far a part looks along the skeleton
_FADING = 0.6  # what a joint counts, for every moving joint that it is farther away
_LEAST = 1e-3  # weights below this are left to the other parts


@dataclass(frozen=True, eq=False)
class Parts:
    """Joints that lead a part of the skin each, (P,), and how much each moves every vertex, (V, P); rows sum to one.

    A part is the skin of one moving joint and of those below it that stand still against it. Weights of the skin are
    smooth, so there is no seam between parts. `neighbors` says for every part which joints it looks at, and how much
    each of them counts.
    """

    joints: IntArray
    weights: FloatArray
    neighbors: tuple[tuple[tuple[int, float], ...], ...]


def find_parts(character: Character, references: IntArray, turns: FloatArray) -> Parts:
    """Parts of a character whose joints turn this far (J,) [rad] in the examples, seen from their `references`."""
    skeleton, weights = character.skeleton, character.require_weights("pose space")
    dense = np.zeros((len(weights), len(skeleton)))
    np.add.at(dense, (np.arange(len(weights))[:, None], weights.joints), weights.values)
    moving = turns > STILL
    leader = np.arange(len(skeleton))
    for joint in np.concatenate(skeleton.levels):
        if not moving[joint] and references[joint] >= 0:
            leader[joint] = leader[references[joint]]
    gathered = np.zeros_like(dense)
    np.add.at(gathered.T, leader, dense.T)
    joints = np.flatnonzero((gathered >= _LEAST).any(axis=0))
    shared = np.where(gathered[:, joints] < _LEAST, 0.0, gathered[:, joints])
    neighbors = tuple(_neighbors(skeleton, int(joint), moving) for joint in joints)
    return Parts(joints.astype(np.int32), shared / shared.sum(axis=1, keepdims=True), neighbors)


def _neighbors(skeleton: Skeleton, joint: int, moving: BoolArray) -> tuple[tuple[int, float], ...]:
    """Moving joints within reach along the skeleton, and how much each counts; joints that stand still are no step."""
    steps = {joint: 0}
    waiting = [joint]
    while waiting:
        here = waiting.pop()
        parent = int(skeleton.parents[here])
        beside = [(int(child), int(child)) for child in np.flatnonzero(skeleton.parents == here)]
        if parent >= 0:
            beside.append((parent, here))
        for other, turned in beside:
            far = steps[here] + int(moving[turned])
            if far <= _REACH and far < steps.get(other, _REACH + 1):
                steps[other] = far
                waiting.append(other)
    found = []
    for turned in np.flatnonzero(moving & (skeleton.parents >= 0)).tolist():
        far = max(steps.get(turned, _REACH + 1), steps.get(int(skeleton.parents[turned]), _REACH + 1))
        if far <= _REACH:
            found.append((turned, _FADING ** (far - 1)))
    return tuple(found)
