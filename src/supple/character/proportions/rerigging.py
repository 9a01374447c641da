"""Move the finger joints of a rig to where people have theirs, and skin weights and motions with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.proportions.fingers import Finger, find_fingers
from supple.character.proportions.measurements import HANDS, Proportions
from supple.character.proportions.placing import place_joints, positions_along
from supple.character.proportions.tips import finger_tip
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError

_WHERE = "place_finger_joints"
_OWN = 0.5  # of a vertex: skin that a finger's joints move more than this tells how weights go along it
_SMOOTH = 0.04  # of a finger's length: over how much of it weights are averaged


def place_finger_joints(
    character: Character,
    fingers: Sequence[str] = (),
    *,
    measured: Proportions = HANDS,
    at: Literal["mean", "least", "most"] = "mean",
) -> Character:
    """A character whose finger joints lie where they lie on people; knuckles and tips stay.

    `fingers` names some of `find_fingers`, such as "left index"; all of them without. Joints move along the line
    through the joints as they are. Weights go along: what was blended at a joint is now blended where the joint is. All
    motions are kept, with the same rotations.

    Limits: the skin at rest stays as it is, so creases that were modelled at the old joints stay there.
    """
    found = {finger.name: finger for finger in find_fingers(character, measured=measured)}
    strange = [name for name in fingers if name not in found]
    if strange or not found:
        known = ", ".join(found) or "none with as many joints as were measured"
        given = f"{strange[0]!r} was asked for" if strange else f"{character.name} was given"
        raise InputError(_WHERE, given, f"its fingers are {known}", "name joints as Mixamo, VRM, Unreal or WebXR do")
    skeleton, weights = character.skeleton, character.weights
    heads = skeleton.heads.copy()
    for name in fingers or found:
        finger = found[name]
        line = finger_line(character, finger)
        placed = place_joints(finger.limb, line, measured=measured, at=at)
        if weights is not None:
            weights = _carried_weights(character, weights, finger, line, placed)
        heads[list(finger.joints)] = placed
    moved = _moved_skeleton(skeleton, heads)
    shift = moved.parent_from_joint[:, :3, 3] - skeleton.parent_from_joint[:, :3, 3]
    motions = {
        name: motion.replace(skeleton=moved, translations=motion.translations + shift)
        for name, motion in character.motions.items()
    }
    return character.replace(skeleton=moved, weights=weights, motions=motions)


def finger_line(character: Character, finger: Finger) -> FloatArray:
    """The line (K, 3) [m] from the knuckle through the joints of a finger to its tip."""
    heads = character.skeleton.heads[list(finger.joints)]
    return np.concatenate([heads, finger_tip(character, finger)[None]])


def _moved_skeleton(skeleton: Skeleton, heads: FloatArray) -> Skeleton:
    """The same joints at other places; bones that ended at a moved joint end there again."""
    world = skeleton.world_from_joint.copy()
    world[:, :3, 3] = heads
    tails = None
    if skeleton.tails is not None:
        tails = skeleton.tails.copy()
        for joint, parent in enumerate(skeleton.parents.tolist()):
            if parent >= 0 and np.allclose(tails[parent], skeleton.heads[joint], atol=1e-6):
                tails[parent] = heads[joint]
    return Skeleton(skeleton.names, skeleton.parents, world, tails=tails)


def _carried_weights(
    character: Character, weights: Weights, finger: Finger, line: FloatArray, placed: FloatArray
) -> Weights:
    """Weights of a finger's joints, shared out anew: at a new joint as they were at the old one.

    How they go along the finger is a mean over its skin; what all joints of the finger have of a vertex stays.
    """
    dense = np.zeros((len(weights), len(character.skeleton)))
    np.add.at(dense, (np.arange(len(weights))[:, None], weights.joints), weights.values)
    joints = list(finger.joints)
    share = dense[:, joints].sum(axis=1)
    own = np.flatnonzero(share > _OWN)
    if len(own) < len(joints):
        return weights
    along = positions_along(line, character.points)
    length = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    old = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    new = np.append(positions_along(line, placed), length)
    grid = np.linspace(0.0, length, 129)
    near = np.exp(-0.5 * np.square((grid[:, None] - along[own]) / (_SMOOTH * length)))
    profile = near @ (dense[own][:, joints] / share[own, None]) / np.maximum(near.sum(axis=1, keepdims=True), 1e-300)
    touched = np.flatnonzero(share > 0.0)
    before = np.interp(along[touched], new, old)
    shared = np.stack([np.interp(before, grid, column) for column in profile.T], axis=1)
    dense[touched[:, None], joints] = share[touched, None] * shared / shared.sum(axis=1, keepdims=True)
    return Weights.from_dense(dense)
