"""`supple.decompose`: a baked sequence of points becomes bones, weights and rigid motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.decompose import rig
from supple.decompose.clusters import cluster
from supple.decompose.decomposition import Decomposition
from supple.decompose.frames import Frames, surroundings
from supple.decompose.sequence import PointSequence
from supple.decompose.solver import Alternation
from supple.errors import InputError
from supple.graph.cache import Cache

_WHERE = "decompose"
_MOST_INFLUENCES = 16


@dataclass(frozen=True)
class Progress:
    """Told to whoever watches, after every round: how many of at most `rounds` are done, and the error [m] (RMS)."""

    round: int
    rounds: int
    rms: float


def decompose(
    source: Cache | PointSequence | ArrayLike,
    *,
    bones: int,
    influences: int = 4,
    keep_skeleton: bool = False,
    rounds: int = 60,
    smoothness: float = 0.0,
    seed: int = 0,
    watch: Callable[[Progress], None] | None = None,
) -> Decomposition:
    """Find bones that move a skin as it moves in a bake, so that an engine can play it as a skinned mesh.

    `source` is a bake, a `PointSequence`, or plain points (F, V, 3) [m]. Wanted are rigid motions T_b of `bones` bones
    in every frame and weights w_vb of every vertex, no more than `influences` of them, none below zero and of sum one,
    for which the sum over vertices and frames of |sum_b w_vb T_b u_v - p_v|^2 is small: smooth skinning decomposition
    with rigid bones [LeDeng2012]. Bones start as patches that move nearly rigidly; then weights are solved for
    the bones and bones for the weights, at most `rounds` times. The result depends on `seed` and nothing else.

    With `keep_skeleton` the character's own joints stay and move as they did, and `bones` helper bones are added for
    what they leave over, each hanging on the joint it follows most. `smoothness` draws the weights of a vertex to
    those beside it: 0 not at all, 0.0001 a little, 0.01 much; the error grows with it.

    Does not: find bones that stretch, or the best of all solutions (another `seed` may find a better one).
    """
    sequence = PointSequence.of(source)
    _check(sequence, bones=bones, influences=influences, rounds=rounds, smoothness=smoothness)
    if seed < 0:
        raise InputError(_WHERE, f"seed is {seed}", "a whole number from zero on is needed", "use 0, 1, 2 ...")
    rest = sequence.rest_points
    frames = Frames.from_points(rest, sequence.points)
    nearby = surroundings(frames.rest, sequence.triangles)
    done: list[float] = []

    def tell(rms: float) -> None:
        done.append(rms)
        if watch is not None:
            watch(Progress(len(done), max(rounds, len(done)), rms))

    if keep_skeleton:
        skeleton, weights, poses = _rig_of(sequence)
        kept_bones = poses @ skeleton.joint_from_world
        state = Alternation(
            frames,
            nearby,
            frames.bones(kept_bones),
            _cut(weights, influences, len(skeleton)),
            np.zeros(len(skeleton), dtype=bool),
            _near_joints(skeleton, weights),
            influences,
            smoothness,
        )
        state.run_with_helpers(bones, rounds, tell)
        found = frames.transforms(state.bones)
        found[:, : len(skeleton)] = kept_bones
        grown = rig.with_helpers(skeleton, rest, state.weights, found)
        order = np.arange(len(grown), dtype=np.int32)
    else:
        start, start_weights = cluster(frames, nearby, bones=bones, seed=seed)
        everything = np.ones_like(start_weights, dtype=bool)
        state = Alternation(frames, nearby, start, start_weights, everything[0], everything, influences, smoothness)
        state.run(rounds, tell)
        found = frames.transforms(state.bones)
        grown, order = rig.bones_only(rest, state.weights, found)
    return Decomposition(
        sequence,
        grown,
        Weights.from_dense(state.weights[:, order], influences=influences),
        found[:, order] @ grown.world_from_joint,
        bones,
        tuple(done),
    )


def _check(sequence: PointSequence, *, bones: int, influences: int, rounds: int, smoothness: float) -> None:
    vertices = sequence.points.shape[1]
    if not 1 <= bones <= vertices:
        raise InputError(
            _WHERE, f"{bones} bones were asked for", f"1 to {vertices} fit {vertices} vertices", "ask for 10 to 60"
        )
    if not 1 <= influences <= _MOST_INFLUENCES:
        raise InputError(
            _WHERE, f"influences is {influences}", f"1 to {_MOST_INFLUENCES} are possible", "use 4 for most engines"
        )
    if rounds < 1:
        raise InputError(_WHERE, f"rounds is {rounds}", "at least one is needed", "try 60")
    if not (np.isfinite(smoothness) and smoothness >= 0.0):
        raise InputError(_WHERE, f"smoothness is {smoothness}", "zero or more is needed", "try 0.001")


def _rig_of(sequence: PointSequence) -> tuple[Skeleton, Weights, FloatArray]:
    if sequence.character is None or sequence.poses is None:
        raise InputError(
            _WHERE,
            "the sequence came without a skeleton and poses to keep",
            "keep_skeleton needs both",
            "pass a bake of a character, or leave keep_skeleton out",
        )
    return sequence.character.skeleton, sequence.character.require_weights(_WHERE), sequence.poses


def _cut(weights: Weights, influences: int, joints: int) -> FloatArray:
    return weights.limited(influences).dense(joints)


def _near_joints(skeleton: Skeleton, weights: Weights) -> BoolArray:
    """The joints (V, J) a vertex may follow: those it does, their parents and their children.

    Others may move alike in this one motion; in the next they would tear the skin.
    """
    own = weights.dense(len(skeleton)) > 0.0
    may = own.copy()
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            may[:, joint] |= own[:, parent]
            may[:, parent] |= own[:, joint]
    return may
