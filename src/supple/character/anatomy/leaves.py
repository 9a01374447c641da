"""Joints that move leaves (fingers, toes, hooves, ears, tails, teeth) and joints of a skull: by shape and name."""

from __future__ import annotations

import re

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.anatomy.names import FINGERS, named_part, words_of
from supple.character.skeleton import Skeleton
from supple.geometry.vectors import smoothstep

# Shares of the trunk's thickness: an end of the skeleton thinner than the first is a leaf, from the second on not.
_LEAF = (0.12, 0.22)
_NAMED = (0.5, 0.8)  # the same of what is named as a leaf: the abdomen of a spider may be called its tail
_SKULL = 0.35  # of the trunk's thickness: the last joint of a chain that moves more than this may hold a skull
_NECK = 0.9  # of the skull's thickness: one of the two joints above it moves thinner flesh
_LARGEST_SKULL = 0.25  # of all skin: what is larger is a body
_LEAVES = re.compile(
    r"finger|thumb|toe|hoof|claw|(?<![a-z])ears?(?![a-z])|tail|tooth|teeth|fang|tongue|antenna|horn|beak|"
    r"whisker|feather|fin(?![a-z])"
)
_NO_SKULL = re.compile(r"abdomen|belly|breast|butt|chest|tail|hips|pelvis|spine")


def leaf_joints(skeleton: Skeleton, relative: FloatArray, moving: BoolArray) -> FloatArray:
    """How much every joint (J,) moves a leaf, 0 to 1: names say so, or it and all below it move thin flesh only.

    `relative` (J,) is how thick the flesh is that each moves, as a share of the trunk's, and `moving` (J,) whether it
    moves any.
    """
    leaf = np.where(moving, 1.0 - smoothstep(relative, *_LEAF), 1.0)
    for level in skeleton.levels[:0:-1]:
        np.minimum.at(leaf, skeleton.parents[level], leaf[level])
    named = np.array([_is_named_leaf(name) for name in skeleton.names])
    for level in skeleton.levels[1:]:
        named[level] |= named[skeleton.parents[level]]
    return np.where(named, np.maximum(leaf, 1.0 - smoothstep(relative, *_NAMED)), leaf)


def _is_named_leaf(name: str) -> bool:
    part = named_part(name)
    return (part is not None and part.part in (*FINGERS, "toes")) or bool(_LEAVES.search(" ".join(words_of(name))))


def skull_joints(skeleton: Skeleton, relative: FloatArray, leaf: FloatArray, moved: FloatArray) -> FloatArray:
    """1 for joints (J,) that move a skull where no name tells the head, else 0.

    That is a thick part at the end of a chain, on a thinner neck, with nothing but leaves beyond it. `moved` (J,) is
    the share of all skin that each joint moves.
    """
    found = np.zeros(len(skeleton))
    if any(part is not None and part.part == "head" for part in map(named_part, skeleton.names)):
        return found
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        beyond = skeleton.children(joint)
        ends = all(leaf[child] > 0.5 for child in beyond)
        thick = relative[joint] >= _SKULL and moved[joint] <= _LARGEST_SKULL and moved[joint] > 0.0
        if parent >= 0 and ends and thick and not _NO_SKULL.search(name.lower()):
            above = int(skeleton.parents[parent])
            neck = min(relative[parent], relative[above if above >= 0 else parent])
            found[joint] = neck < _NECK * relative[joint]
    return found
