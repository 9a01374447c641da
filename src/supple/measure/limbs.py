"""The limbs of a character: what each of its larger bones moves."""

from __future__ import annotations

import numpy as np

from supple.arrays import IntArray
from supple.character.character import Character
from supple.geometry.topology import ring_areas

SMALLEST = 0.03  # of all skin: what a bone moves that is less belongs to the limb above it


def limbs_of(character: Character) -> dict[str, IntArray]:
    """The vertices of every limb by the name of its joint; none without weights.

    A vertex belongs to the joint that moves it most. Joints that move little skin, such as those of fingers, belong to
    the joint above them, so that a hand is one limb.
    """
    weights, skeleton = character.weights, character.skeleton
    if weights is None or not len(character.triangles):
        return {}
    joint = np.take_along_axis(weights.joints, weights.values.argmax(axis=1)[:, None], axis=1)[:, 0]
    areas = ring_areas(character.points, character.triangles)
    own = np.bincount(joint, areas, len(skeleton))
    owner = np.arange(len(skeleton), dtype=np.int32)
    for level in skeleton.levels[:0:-1]:
        for one in level:
            if own[one] < SMALLEST * areas.sum():
                above = int(skeleton.parents[one])
                own[above] += own[one]
                owner[one] = above
    for level in skeleton.levels[1:]:  # of joints that went to one which itself went on
        owner[level] = np.where(owner[level] == level, level, owner[owner[level]])
    limb = owner[joint]
    used = np.zeros(len(character.points), dtype=bool)
    used[character.triangles] = True
    return {skeleton.names[one]: np.flatnonzero(used & (limb == one)).astype(np.int32) for one in np.unique(limb[used])}
