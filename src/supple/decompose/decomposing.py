"""`supple.decompose`: a baked sequence of points becomes bones, weights and rigid motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.decompose import rig
from supple.decompose.clusters import cluster
from supple.decompose.decomposition import Decomposition
from supple.decompose.frames import Frames, sample, surroundings
from supple.decompose.patches import Surface
from supple.decompose.sequence import PointSequence
from supple.decompose.solver import Alternation
from supple.decompose.torn_edges import mend
from supple.errors import InputError
from supple.graph.cache import Cache

_WHERE = "decompose"
_MOST_INFLUENCES = 16
GIVEN, FIRST, FITTED = "given", "first", "fitted"
PATCHES = ANY, FEW, ONE = "any", "few", "one"
# Of the squared error: what it may grow when influences off the largest patch of their bone are dropped.
_GATHERING_COST = 0.1
_CONTENDERS = 3  # tries that settle before the best goes on
_SAMPLED = 2000  # vertices of a larger mesh with which bones are begun


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
    stretch: bool | None = None,
    rounds: int = 150,
    smoothness: float = 0.0,
    seed: int = 0,
    tries: int = 8,
    rest: str | int = GIVEN,
    patches: str = ONE,
    watch: Callable[[Progress], None] | None = None,
) -> Decomposition:
    """Find bones that move a skin as it moves in a bake, so that an engine can play it as a skinned mesh.

    `source` is a bake, a `PointSequence`, or plain points (F, V, 3) [m]. Wanted are motions T_b of `bones` bones in
    every frame and weights w_vb of every vertex, no more than `influences` of them, none below zero and of sum one,
    for which the sum over vertices and frames of |sum_b w_vb T_b u_v - p_v|^2 is small: smooth skinning decomposition
    [LeDeng2012]. Bones start as patches that move nearly rigidly, and with more influences than they
    keep; then weights are solved for the bones and bones for the weights, at most `rounds` times. The result depends on
    `seed` and nothing else; of several `tries`, with seeds that follow on it, the best start goes on (of large meshes
    with a sample of their vertices).

    Every bone moves one connected patch of skin. Left to itself it would also move places that lie apart and happen to
    move alike, such as two legs of a gallop: with `patches` "any" it may, with "few" as far as that helps much.

    Bones are bound in the rest shape of the sequence, in its "first" frame, in the frame of a number, or in a shape
    that is found with them ("fitted"), from that of the sequence on, and leaves less error.

    Bones turn and move, become longer and shorter along three directions of their own, and all hang on one joint that
    moves with the body: nothing that stretches may carry another bone, which it would shear. Without `stretch` they are
    rigid and hang on each other.

    With `keep_skeleton` the character's own joints stay and move as they did, and `bones` helper bones are added for
    what they leave over, each rigid and hanging on the joint it follows most. `smoothness` draws the weights of a
    vertex to those beside it: 0 not at all, 0.0001 a little, 0.01 much; the error grows with it.

    Does not: find the best of all solutions (another `seed` may find a better one).
    """
    sequence = _bound_in(PointSequence.of(source), rest, keeps=keep_skeleton)
    if patches not in PATCHES:
        raise InputError(_WHERE, f"patches is {patches!r}", f"it is {', '.join(PATCHES)}", f"leave it out for {ONE}")
    _check(sequence, bones=bones, influences=influences, rounds=rounds, smoothness=smoothness)
    for name, value, least in (("seed", seed, 0), ("tries", tries, 1)):
        if value < least:
            raise InputError(_WHERE, f"{name} is {value}", f"a whole number from {least} on is needed", "try 1, 2 ...")
    if stretch and keep_skeleton:
        advice = "leave one of them out"
        raise InputError(_WHERE, "stretch and keep_skeleton are on", "joints that stay move as they did", advice)
    stretch = not keep_skeleton if stretch is None else stretch
    frames = Frames.from_points(sequence.rest_points, sequence.points)
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
        grown = rig.with_helpers(skeleton, sequence.rest_points, state.weights, found)
        order = np.arange(len(grown), dtype=np.int32)
    else:
        surface = Surface.from_frames(frames, nearby)

        def from_bones(
            own: Frames, beside: Any, start: FloatArray, weights: FloatArray, axes: FloatArray | None = None
        ) -> Alternation:
            everything = np.ones_like(weights, dtype=bool)
            patches_on = (surface if own is frames else Surface.from_frames(own, beside)) if patches == ONE else None
            return Alternation(
                own,
                beside,
                start,
                weights,
                everything[0],
                everything,
                influences,
                smoothness,
                fits_rest=rest == FITTED,
                surface=patches_on,
                stretch=stretch,
                axes=axes,
            )

        def best_start(own: Frames, beside: Any) -> Alternation:
            begun = []
            for one in range(seed, seed + tries):
                begun.append(from_bones(own, beside, *cluster(own, beside, bones=bones, seed=one)))
                begun[-1].anneal()
            contenders = sorted(begun, key=lambda state: state.rms)[:_CONTENDERS]
            for state in contenders:
                state.settle()
            return min(contenders, key=lambda state: state.rms)

        if rest == FITTED or len(frames.rest) <= _SAMPLED:
            state = best_start(frames, nearby)
        else:
            some, nearest = sample(frames, max(_SAMPLED, bones))
            best = best_start(some, surroundings(some.rest, None))
            state = from_bones(frames, nearby, best.bones, best.weights[nearest], best.axes)
        if patches == ONE:
            state.run_in_patches(rounds, tell)
        else:
            state.run(rounds if patches == ANY else max(2 * rounds // 3, 1), tell)
            if patches == FEW:
                state.gather(surface, _GATHERING_COST)
                state.run(rounds - len(done), tell)
        if sequence.triangles is not None:
            state.bones, state.weights = mend(
                state.frames,
                state.bones,
                state.weights,
                sequence.triangles,
                influences=influences,
                surface=state.surface,
                axes=state.axes,
            )
        found = frames.transforms(state.bones)
        if rest == FITTED:
            sequence = sequence.replace(rest=state.frames.rest_points)
        if state.axes is None:
            grown, order = rig.bones_only(sequence.rest_points, state.weights, found)
        else:
            grown = rig.side_by_side(sequence.rest_points, state.weights, state.axes)
            found = np.concatenate([frames.body_transforms()[:, None], found], axis=1)
            state.weights = np.pad(state.weights, ((0, 0), (1, 0)))
            order = np.arange(len(grown), dtype=np.int32)
    return Decomposition(
        sequence,
        grown,
        Weights.from_dense(state.weights[:, order], influences=influences),
        found[:, order] @ grown.world_from_joint,
        bones,
        tuple(done),
    )


def _bound_in(sequence: PointSequence, rest: str | int, *, keeps: bool) -> PointSequence:
    """The sequence with the rest shape that was asked for."""
    count = len(sequence)
    if rest == GIVEN or (rest == FITTED and not keeps):
        return sequence
    if keeps:
        given, advice = f"rest is {rest!r} and keep_skeleton is on", "leave one of them out"
        raise InputError(_WHERE, given, "joints that stay keep the shape that they are bound in", advice)
    number = 0 if rest == FIRST else rest
    if isinstance(number, str) or not 0 <= number < count:
        needed = f'it is "{GIVEN}", "{FIRST}", "{FITTED}" or the number of a frame, 0 to {count - 1}'
        raise InputError(_WHERE, f"rest is {rest!r}", needed, "leave it out for that of the sequence")
    return sequence.replace(rest=sequence.points[number])


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
