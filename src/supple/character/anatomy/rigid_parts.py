"""Parts that are bone and sinew whatever their width: head, hands and feet, where the names of joints tell them."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.names import FINGERS, LIMBS, named_part
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights

_MOST = 0.4  # of all weights: what hangs on a head and moves more than this is no part of it
FIRM = frozenset({"head", "hand", "foot", "toes", *FINGERS})


def rigid_fraction(
    character: Character, weights: Weights, *, loose: tuple[str, ...] = (), parts: frozenset[str] = FIRM
) -> FloatArray:
    """How much of every weighted point belongs to head, hands or feet, or to some `parts` of them: 0 to 1.

    Faces and hands are kept as the bones carry them, because people see every change in them. `loose` are words: a
    joint that hangs on such a part and has one in its name, such as an ear, is not firm. Skin that one bone of a rig
    with arms and legs moves, and nothing else of it, is a head or a thing, not a body: where all of `FIRM` is asked
    for, it is firm.
    """
    firm = _firm_joints(character, weights, loose, parts)
    return np.clip((weights.values * firm[weights.joints]).sum(axis=1), 0.0, 1.0)


def _firm_joints(character: Character, weights: Weights, loose: tuple[str, ...], parts: frozenset[str]) -> FloatArray:
    """1 for joints of the parts and all that hangs on them, unless that is most of the body: a snake may hang there."""
    if isinstance(character, Crowd):
        one = Weights(
            weights.joints[: len(weights) // character.count], weights.values[: len(weights) // character.count]
        )
        return np.tile(_firm_joints(character.member, one, loose, parts), character.count)
    skeleton = character.skeleton
    below = np.bincount(weights.joints.ravel(), weights.values.ravel(), len(skeleton))
    total = float(below.sum())
    for level in skeleton.levels[:0:-1]:
        np.add.at(below, skeleton.parents[level], below[level])
    firm = np.zeros(len(skeleton))
    for level in skeleton.levels:
        for joint in level:
            name = skeleton.names[joint]
            named, parent = named_part(name), int(skeleton.parents[joint])
            if parent >= 0 and firm[parent] > 0.0 and below[joint] <= _MOST * total:
                firm[joint] = not any(word in name.lower() for word in loose)
            else:
                firm[joint] = named is not None and named.part in parts
    if parts == FIRM:
        firm[_lone_joints(skeleton, weights)] = 1.0
    return firm


def _lone_joints(skeleton: Skeleton, weights: Weights) -> list[int]:
    """Joints that move all the skin of a tree of joints whose names speak of arms and legs, which move none."""
    root = np.arange(len(skeleton))
    for level in skeleton.levels[1:]:
        root[level] = root[skeleton.parents[level]]
    moving = np.unique(weights.joints[weights.values > 0.0])
    names = {part for limb in LIMBS.values() for part in limb}
    found = []
    for joint in moving[np.bincount(root[moving], minlength=len(skeleton))[root[moving]] == 1]:
        others = (skeleton.names[other] for other in np.flatnonzero(root == root[joint]) if other != joint)
        named = (named_part(name) for name in others)
        if any(part is not None and part.part in names for part in named):
            found.append(int(joint))
    return found
