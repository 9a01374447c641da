"""What swings on a skeleton: chains of joints, how stiff they are, and what they may not go through."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.names import words_of
from supple.character.character import Character
from supple.character.skeleton import Skeleton

STEP = 1.0 / 60.0
"""Seconds of a step, for which stiffness and drag are meant."""
_STRANDS = re.compile(
    r"hair|(?<![a-z])ears?(?![a-z])|tail|antenna|cape|cloak|skirt|ribbon|scarf|braid|pony|bangs?(?![a-z])|fringe|"
    r"tassel|feeler|whisker|sleeve|robe"
)
_FREQUENCY, _DAMPING = 2.5, 0.25  # Hz, and of what would not overshoot: a strand that no file says anything of
_SHORT = 1e-6  # of the size of the skeleton: a bone without a length points nowhere
_BEYOND = 0.07  # m: how long the last bone of a chain is, where nothing says so


@dataclass(frozen=True, eq=False)
class SpringJoint:
    """A joint that swings: its number, and its `tail` (3,) [m] as seen from it, which lags behind.

    Every step the tail keeps 1 - `drag` of its motion and goes `stiffness` x 1/60 [m] towards where it belongs and
    `gravity` (3,) x 1/60 [m] down. It is a ball of `radius` [m] to colliders.
    """

    joint: int
    tail: FloatArray
    stiffness: float
    drag: float
    gravity: FloatArray
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Collider:
    """A ball, or a capsule from `offset` to `tail` (3,) [m], both as seen from a joint."""

    joint: int
    offset: FloatArray
    tail: FloatArray
    radius: float


@dataclass(frozen=True, eq=False)
class Spring:
    """A chain of joints from its root outwards. Motion of the joint `center` makes nothing swing; -1 is the world."""

    joints: tuple[SpringJoint, ...]
    colliders: tuple[Collider, ...] = ()
    center: int = -1


def springs_of(character: Character) -> tuple[Spring, ...]:
    """The springs that a file says a character has, or else those that the names of its joints tell."""
    from supple.motion.spring_bones.vrm_springs import file_springs

    return file_springs(character) or usual_springs(character.skeleton)


def usual_springs(
    skeleton: Skeleton, *, frequency: float = _FREQUENCY, damping: float = _DAMPING
) -> tuple[Spring, ...]:
    """A spring for every chain of joints that is named as a strand: hair, ears, tails, capes, skirts.

    It swings at `frequency` [Hz] and comes to rest by `damping` (1 would not overshoot), however long its bones are.
    """
    named = np.array([bool(_STRANDS.search(" ".join(words_of(name)))) for name in skeleton.names])
    for level in skeleton.levels[1:]:
        named[level] |= named[skeleton.parents[level]]
    roots = [
        joint for joint in np.flatnonzero(named) if skeleton.parents[joint] < 0 or not named[skeleton.parents[joint]]
    ]
    return tuple(
        Spring(tuple(_joint(skeleton, one, frequency, damping) for one in chain))
        for root in roots
        for chain in chains_below(skeleton, int(root))
        if skeleton.parents[root] >= 0
    )


def _joint(skeleton: Skeleton, joint: int, frequency: float, damping: float) -> SpringJoint:
    """A joint that swings at a `frequency` [Hz] with a `damping`.

    Off its place by d, a tail of length L goes on by d'' = c (d' + (1 - drag)(d' - d)), c = L / (L + stiffness / 60): a
    swing by r e^(ia) in a step for c = 2 r cos a - r^2 and 1 - drag = r^2 / c.
    """
    tail = tail_of(skeleton, joint)
    pace = 2.0 * np.pi * frequency * STEP
    fade, turn = np.exp(-damping * pace), np.cos(pace * np.sqrt(1.0 - damping**2))
    kept = float(np.clip(2.0 * fade * turn - fade**2, 0.01, 1.0))
    stiffness = (1.0 / kept - 1.0) * float(np.linalg.norm(tail)) / STEP
    return SpringJoint(joint, tail, stiffness, float(np.clip(1.0 - fade**2 / kept, 0.0, 1.0)), np.zeros(3))


def chains_below(skeleton: Skeleton, root: int) -> list[list[int]]:
    """The joints below and with a root, as chains: where it forks, every branch but the first begins one of its own."""
    chains, waiting = [], [root]
    while waiting:
        chain = [waiting.pop()]
        while len(below := skeleton.children(chain[-1])):
            waiting += [int(other) for other in below[1:]]
            chain.append(int(below[0]))
        chains.append(chain)
    return chains


def tail_of(skeleton: Skeleton, joint: int) -> FloatArray:
    """The tail (3,) [m] of a joint as seen from it: its first child, or as far again as it is from its parent."""
    world = skeleton.world_from_joint
    children = skeleton.children(joint)
    least = _SHORT * float(np.ptp(skeleton.heads, axis=0).max(initial=0.0))
    if len(children):
        away = world[int(children[0]), :3, 3] - world[joint, :3, 3]
        if np.linalg.norm(away) > least:
            return np.asarray(np.linalg.solve(world[joint, :3, :3], away))
    parent = int(skeleton.parents[joint])
    away = world[joint, :3, 3] - world[parent, :3, 3] if parent >= 0 else np.array([0.0, _BEYOND, 0.0])
    if np.linalg.norm(away) <= least:
        away = np.array([0.0, _BEYOND, 0.0])
    return np.asarray(np.linalg.solve(world[joint, :3, :3], away))
