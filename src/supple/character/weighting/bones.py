"""Which bones may own skin, and which of them are neighbours."""

from __future__ import annotations

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Bones, Skeleton
from supple.geometry.flesh import Flesh

_SAMPLES = 33  # places along a bone that are asked whether they lie inside
_GROWTH = 4.0  # times the guessed length that a last bone may reach
_SHORT_OF_SKIN = 0.9  # share of the way to the skin that it takes
_MEET = 1e-4  # share of the skeleton's size within which the ends of two bones count as one


def owning_bones(skeleton: Skeleton, flesh: Flesh) -> Bones:
    """The bones that may own skin: all but those without length and those of joints that only carry the rest.

    A bone without length says nothing about the skin around it and is left out, unless it is all its joint has and
    the joint is a last one: then it counts as a point. A joint at the top of the skeleton whose bones lie in the
    flesh for less than half of their length (a root on the floor between the feet) carries the character as a whole,
    and owns nothing; so does one below it for which the same is true. Where no bone lies in flesh (a sheet
    of cloth) nothing can be said, and all own.

    Where the skeleton does not say how long a last bone is, it goes on until it nears the skin, at most four times as
    long as it was guessed: the top of a head or the tip of a finger is then as near to it as the sides are.
    """
    bones = skeleton.bones if skeleton.tails is not None else _extend_to_skin(skeleton, flesh)
    lengths = np.linalg.norm(bones.ends - bones.starts, axis=1)
    has_length = lengths > _MEET * _extent(skeleton)
    fractions = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    samples = bones.starts[:, None] + fractions * (bones.ends - bones.starts)[:, None]
    inside_fraction = flesh.inside(samples.reshape(-1, 3)).reshape(len(lengths), _SAMPLES).mean(axis=1)
    last = ~np.isin(np.arange(len(skeleton)), skeleton.parents)
    keep = has_length | last[bones.joints]
    fleshy = has_length & (inside_fraction >= 0.5)
    carriers = np.zeros(len(skeleton), dtype=bool)
    for level in skeleton.levels:
        for joint in level:
            parent = skeleton.parents[joint]
            own = bones.joints == joint
            top = parent < 0 or carriers[parent]
            carriers[joint] = fleshy.any() and top and not last[joint] and not fleshy[own].any()
    return _taken(bones, keep & ~carriers[bones.joints])


def _extend_to_skin(skeleton: Skeleton, flesh: Flesh) -> Bones:
    bones = skeleton.bones
    directions = bones.ends - bones.starts
    last = ~np.isin(bones.joints, skeleton.parents) & (np.linalg.norm(directions, axis=1) > 0.0)
    last[last] = flesh.inside(bones.starts[last])
    _, multiple = flesh.first_crossing(bones.starts[last], directions[last], _GROWTH / _SHORT_OF_SKIN)
    factors = np.ones(len(directions))
    factors[last] = np.clip(np.nan_to_num(_SHORT_OF_SKIN * multiple, nan=_GROWTH), 1.0, _GROWTH)
    return Bones(bones.joints, bones.starts, bones.starts + factors[:, None] * directions)


def _taken(bones: Bones, keep: BoolArray) -> Bones:
    return Bones(bones.joints[keep], bones.starts[keep], bones.ends[keep])


def meeting(bones: Bones, positions: FloatArray) -> BoolArray:
    """Which bones have an end at which place: (places, bones)."""
    reach = _MEET * max(float(np.ptp(np.concatenate([bones.starts, bones.ends]), axis=0).max()), 1e-300)
    ends = np.stack([bones.starts, bones.ends])
    return (np.linalg.norm(ends[:, None] - positions[None, :, None], axis=3) <= reach).any(axis=0)


def steps_between(skeleton: Skeleton, bones: Bones) -> FloatArray:
    """How many steps apart joints are (J, J): one between joints whose bones meet, or that hang on each other.

    Joints that own no bone are passed at no cost, so a chain of helpers does not push a limb away from the body.
    """
    from scipy.sparse.csgraph import shortest_path

    count = len(skeleton)
    owning = np.isin(np.arange(count), bones.joints)
    near = np.full((count, count), np.inf)
    children = np.flatnonzero(skeleton.parents >= 0)
    # Half a step at each end that owns a bone; a little for those that do not, because zero would mean no way.
    toll = np.where(owning, 0.5, 1e-6)
    parents = skeleton.parents[children]
    near[children, parents] = toll[children] + toll[parents]
    meets = meeting(bones, bones.starts) | meeting(bones, bones.ends)
    first, second = np.nonzero(meets)
    near[bones.joints[first], bones.joints[second]] = 1.0
    near = np.minimum(near, near.T)
    np.fill_diagonal(near, np.inf)
    return np.asarray(shortest_path(np.where(np.isfinite(near), near, 0.0), directed=False))


def _extent(skeleton: Skeleton) -> float:
    ends = np.concatenate([skeleton.bones.starts, skeleton.bones.ends])
    return max(float(np.ptp(ends, axis=0).max()), 1e-300)
