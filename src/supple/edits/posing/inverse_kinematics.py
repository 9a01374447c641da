"""Inverse kinematics: joints are led to places, and what lies between turns so that they come there.

The turns are found by damped least squares [Wampler1986], step by step: with e how far joints are from where they are
wanted, J how they move when others turn, and S how willingly those do,

    d = S J^T (J S J^T + m)^-1 e,   m grown until a step brings e down.

Pinned joints count ten times as much as those that are led, and have the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.skeleton import Skeleton
from supple.edits.posing.joint_ranges import JointRanges
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.motion.relative import rotations_from_vectors

_WHERE = "reach"
_NEAR = 5e-5  # of the size: near enough
_HELD = 1e-4  # of the size: pins that are farther off need more joints to give way
_FIRMLY = 10.0  # times as much as a joint that is led, a pinned one counts
_STEPS = 30
_PROGRESS = 2e-5  # of the size: steps that bring less are the last ones
_LONGEST_STEP = 0.6  # [rad]
_FOLD = 0.15  # [rad] by which a straight limb is bent before it can be shortened
_STRAIGHT = 0.02  # share of the pull that shortens a limb which is as good as straight
_LEAST_WILLING = 0.1
_WALK = 0.3  # how willingly the roots move, against a joint that turns by one over the size


@dataclass(frozen=True)
class _Free:
    """What may give way: joints that turn, and whether the roots move."""

    joints: tuple[int, ...]
    roots: bool = False


def reach(
    skeleton: Skeleton,
    pose: Pose,
    goals: Mapping[str, ArrayLike],
    *,
    pins: Iterable[str] = (),
    ranges: JointRanges | None = None,
) -> Pose:
    """The pose in which named joints are at their `goals` (3,) [m], or as near as bones allow.

    A joint draws its limb along, up to where the skeleton branches or to a pin above it; a root is moved itself, and by
    a joint on a root that branches, such as the lowest one of a spine, about which the whole body would turn. Joints
    named in `pins` stay where they are, and turned as they are: limbs that are carried along bend for them, and where a
    goal is out of its limb's reach, all joints on the way to the nearest pin help. Bones keep their lengths. `ranges`
    say how far joints may turn.

    Limits: roots are moved, not turned. Pins on several sides of one joint have it hold still, not stretch.
    """
    wanted = {skeleton.index(name): frozen(goal, np.float64, (3,), _WHERE, f"the goal of {name!r}")
              for name, goal in goals.items()}  # fmt: skip
    if not wanted:
        raise InputError(_WHERE, "there are no goals", "at least one joint must be led", "use hold for pins alone")
    held = {joint for joint in map(skeleton.index, pins) if joint not in wanted}
    limbs: set[int] = set().union(*(_limb(skeleton, joint, held) for joint in wanted))
    roots = any(_moves_roots(skeleton, joint, held) for joint in wanted)
    return _settle(skeleton, pose, pose, wanted=wanted, held=held, free=_Free(tuple(limbs), roots), ranges=ranges)


def hold(
    skeleton: Skeleton, pose: Pose, posed: Pose, *, pins: Iterable[str], ranges: JointRanges | None = None
) -> Pose:
    """A pose that was `posed` from another one, with joints named in `pins` back where they were and how they were."""
    held = set(map(skeleton.index, pins))
    return _settle(skeleton, pose, posed, wanted={}, held=held, free=_Free(()), ranges=ranges)


def _settle(
    skeleton: Skeleton,
    before: Pose,
    start: Pose,
    *,
    wanted: Mapping[int, FloatArray],
    held: set[int],
    free: _Free,
    ranges: JointRanges | None,
) -> Pose:
    """From `start`, lead joints to where they are wanted and pins to where they were `before`."""
    places = {joint: before.world_from_joint[joint, :3, 3] for joint in sorted(held)}
    body = _Body(skeleton, start, ranges)
    limbs = _Free(tuple(_opened(skeleton, free, held, fresh=not wanted)), free.roots)
    body.lead(wanted, places, limbs)
    off = max((body.distance(joint, place) for joint, place in places.items()), default=0.0)
    short = max((body.distance(joint, goal) for joint, goal in wanted.items()), default=0.0)
    if held and (off > _HELD * body.size or short > 4.0 * _NEAR * body.size):
        body.lead(wanted, places, _all_between(skeleton, limbs, wanted, held))
        body.lead({}, places, _all_between(skeleton, limbs, wanted, held))
    body.turn_back(before, held)
    return Pose(body.world, shapes=start.shapes)


class _Body:
    """Joints on the way from one pose to another; `world` (J, 4, 4) is where they are."""

    def __init__(self, skeleton: Skeleton, pose: Pose, ranges: JointRanges | None) -> None:
        self.skeleton, self.world = skeleton, np.array(pose.world_from_joint)
        self.size = max(float(np.ptp(self.world[:, :3, 3], axis=0).max()), 1e-9)
        self._rotations = quaternions.nearest_rotation(pose.skinning(skeleton)[:, :3, :3])
        self._bounds = None if ranges is None else ranges.on(skeleton, self._rotations)
        self._above = _ancestors(skeleton)
        self._bones = np.zeros(len(skeleton))
        hung = np.flatnonzero(skeleton.parents >= 0)
        lengths = np.linalg.norm(self.world[hung, :3, 3] - self.world[skeleton.parents[hung], :3, 3], axis=1)
        np.maximum.at(self._bones, skeleton.parents[hung], lengths)

    def distance(self, joint: int, goal: FloatArray) -> float:
        """How far a joint is from a place [m]."""
        return float(np.linalg.norm(goal - self.world[joint, :3, 3]))

    def lead(self, wanted: Mapping[int, FloatArray], places: Mapping[int, FloatArray], free: _Free) -> None:
        """Bring joints to where they are wanted and to their places, which count more."""
        ends = np.array([*wanted, *places], dtype=np.int32)
        if not (len(free.joints) or free.roots) or not len(ends):
            return
        goals = np.array([*wanted.values(), *places.values()])
        firmness = np.array([1.0] * len(wanted) + [_FIRMLY] * len(places))
        pivots = np.array(sorted(free.joints), dtype=np.int32)
        self._unfold(ends, goals - self._carried(wanted, len(places)), pivots)
        damping, error = 1e-6, self._error(ends, goals, firmness)
        for _ in range(_STEPS):
            if error <= _NEAR * self.size or damping > 1e2:
                return
            before = self.world, self._rotations
            self._step(self._find_step(ends, goals, firmness, pivots, roots=free.roots, damping=damping), pivots)
            after = self._error(ends, goals, firmness)
            if after < error:
                settled = error - after < _PROGRESS * self.size and after > 20.0 * _NEAR * self.size
                damping, error = 0.2 * damping, after
                if settled:
                    return
            else:
                (self.world, self._rotations), damping = before, max(10.0 * damping, 1e-6)

    def _carried(self, wanted: Mapping[int, FloatArray], count: int) -> FloatArray:
        """How far (E, 3) [m] joints are carried along by a root that is led: those that are led not at all."""
        roots = [goal - self.world[joint, :3, 3] for joint, goal in wanted.items() if self.skeleton.parents[joint] < 0]
        carried = np.zeros((len(wanted) + count, 3))
        carried[len(wanted) :] = roots[0] if roots else 0.0
        return carried

    def turn_back(self, before: Pose, held: set[int]) -> None:
        """Let pinned joints be turned as they were."""
        joints = np.array(sorted(held), dtype=np.int32)
        if len(joints):
            were = quaternions.nearest_rotation(before.skinning(self.skeleton)[joints, :3, :3])
            self._rotate(joints, were @ np.swapaxes(self._rotations[joints], 1, 2))

    def _error(self, ends: IntArray, goals: FloatArray, firmness: FloatArray) -> float:
        return float(np.linalg.norm(firmness[:, None] * (goals - self.world[ends, :3, 3])))

    def _find_step(
        self, ends: IntArray, goals: FloatArray, firmness: FloatArray, pivots: IntArray, *, roots: bool, damping: float
    ) -> FloatArray:
        """Turns (P, 3) [rad] of pivots and, behind them, the move (1, 3) [m] of the roots."""
        arms = self.world[ends, None, :3, 3] - self.world[pivots, :3, 3]
        arms = arms * self._above[ends[:, None], pivots][..., None]
        jacobian = np.zeros((len(ends), 3, len(pivots) + roots, 3))
        jacobian[:, :, : len(pivots)] = np.swapaxes(_cross_matrices(-arms), 1, 2)
        willing = np.ones((len(pivots) + roots, 3))
        willing[: len(pivots)] = self._willingness(pivots)[:, None]
        if self._bounds is not None:
            jacobian[:, :, : len(pivots)] = np.einsum(
                "eipj,pjk->eipk", jacobian[:, :, : len(pivots)], self._bounds.freedom(pivots, self._rotations)
            )
        if roots:
            jacobian[:, :, -1] = np.eye(3)
            willing[-1] = _WALK * self.size
        rows = (firmness[:, None, None, None] * jacobian * willing).reshape(3 * len(ends), -1)
        missing = (firmness[:, None] * (goals - self.world[ends, :3, 3])).ravel()
        square = rows @ rows.T
        square[np.diag_indices(len(square))] += damping * max(float(np.trace(square)), 1e-12) + 1e-12 * self.size**2
        step = (rows.T @ np.linalg.solve(square, missing)).reshape(-1, 3) * willing
        longest = float(np.linalg.norm(step[: len(pivots)], axis=1).max(initial=0.0))
        return np.asarray(step * min(1.0, _LONGEST_STEP / max(longest, 1e-300)))

    def _willingness(self, pivots: IntArray) -> FloatArray:
        """How willingly (P,) joints turn: those of short bones, such as collars, less than those of long ones."""
        reach = self._bones[pivots]
        longest = float(reach.max(initial=0.0))
        return np.clip(reach / longest, _LEAST_WILLING, 1.0) if longest > 0.0 else np.ones(len(pivots))

    def _step(self, step: FloatArray, pivots: IntArray) -> None:
        """Turn pivots and move roots; joints that came out of their range go back to its border."""
        move = step[len(pivots)] if len(step) > len(pivots) else None
        self._rotate(pivots, quaternions.matrix_from_quat(rotations_from_vectors(step[: len(pivots)])), move)
        if self._bounds is not None:
            joints, back = self._bounds.corrections(pivots, self._rotations)
            if len(joints):
                self._rotate(joints, back)

    def _rotate(self, joints: IntArray, rotations: FloatArray, move: FloatArray | None = None) -> None:
        """Turn joints by rotations (P, 3, 3) about themselves; all that hangs on them goes along."""
        local = np.tile(np.eye(4), (len(self.skeleton), 1, 1))
        heads = self.world[joints, :3, 3]
        local[joints, :3, :3] = rotations
        local[joints, :3, 3] = heads - np.einsum("pij,pj->pi", rotations, heads)
        if move is not None:
            local[self.skeleton.parents < 0, :3, 3] += move
        moves = self.skeleton.world_from_locals(local)
        self.world, self._rotations = moves @ self.world, moves[:, :3, :3] @ self._rotations

    def _unfold(self, ends: IntArray, goals: FloatArray, pivots: IntArray) -> None:
        """Bend a limb that is straight and is to become shorter: no small turn would do that."""
        for end, goal in zip(ends, goals, strict=True):
            chain = [joint for joint in pivots if self._above[end, joint]]
            if len(chain) < 2:
                continue
            chain.sort(key=lambda joint: int(self._above[joint].sum()))
            along = self.world[end, :3, 3] - self.world[chain[0], :3, 3]
            length, pull = float(np.linalg.norm(along)), goal - self.world[end, :3, 3]
            bones = np.linalg.norm(np.diff(self.world[[*chain, end], :3, 3], axis=0), axis=1).sum()
            if pull @ along < -_STRAIGHT * length * np.linalg.norm(pull) and length > (1.0 - _STRAIGHT) * bones:
                bent = np.array(chain[1:], dtype=np.int32)
                axes = np.tile(quaternions.perpendicular(along), (len(bent), 1))
                if self._bounds is not None:
                    axes = self._bounds.fold_axes(bent, self._rotations, axes)
                self._rotate(bent, quaternions.matrix_from_quat(rotations_from_vectors(_FOLD * axes)))


def _ancestors(skeleton: Skeleton) -> FloatArray:
    """Whether (J, J) a joint hangs, over any number of others, on another."""
    above = np.zeros((len(skeleton), len(skeleton)))
    for level in skeleton.levels[1:]:
        parents = skeleton.parents[level]
        above[level] = above[parents]
        above[level, parents] = 1.0
    return above


def _cross_matrices(vectors: FloatArray) -> FloatArray:
    """[v] with [v] w = v x w, (..., 3, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([np.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))], axis=-2)


def _way_up(skeleton: Skeleton, joint: int) -> list[int]:
    """All joints that a joint hangs on, the nearest first."""
    found, above = [], int(skeleton.parents[joint])
    while above >= 0:
        found.append(above)
        above = int(skeleton.parents[above])
    return found


def _limb(skeleton: Skeleton, joint: int, held: set[int]) -> set[int]:
    """The joints that a joint draws along: those above it until the skeleton branches, or all up to a pin."""
    up = _way_up(skeleton, joint)
    pinned = next((number for number, above in enumerate(up) if above in held), None)
    if pinned is not None:
        return set(up[:pinned])
    if _moves_roots(skeleton, joint, held):
        return set()
    number = next((number for number, above in enumerate(up) if _branches(skeleton, above)), len(up))
    return set(up[: max(number, 1)])


def _moves_roots(skeleton: Skeleton, joint: int, held: set[int]) -> bool:
    """Whether a joint is a root, or hangs on one that is free and from which other limbs hang too."""
    above = int(skeleton.parents[joint])
    return above < 0 or (above not in held and skeleton.parents[above] < 0 and _branches(skeleton, above))


def _branches(skeleton: Skeleton, joint: int) -> bool:
    """Whether several limbs hang on a joint; a single joint, such as one for a twist, is none."""
    children = skeleton.children(joint)
    return sum(len(skeleton.children(int(child))) > 0 for child in children) > 1


def _opened(skeleton: Skeleton, free: _Free, held: set[int], *, fresh: bool) -> set[int]:
    """The joints that turn, and those between them and the pins that they would carry along.

    Where it is not known what was turned (`fresh`), those are the limbs of the pins.
    """
    found = set(free.joints)
    for pin in held:
        up = _way_up(skeleton, pin)
        first = next((number for number, joint in enumerate(up) if joint in free.joints), None)
        if first is not None:
            found.update(up[:first])
        elif fresh or free.roots:
            found.update(_limb(skeleton, pin, held))
    return found - held


def _all_between(skeleton: Skeleton, free: _Free, wanted: Mapping[int, FloatArray], held: set[int]) -> _Free:
    """All joints that may help: on the ways from what is led to the nearest pin, and the roots, unless one is pinned.

    Other pins have the joints between them and those help too.
    """
    found, roots = set(free.joints), free.roots
    for joint in wanted:
        up = [joint, *_way_up(skeleton, joint)]
        if any(above in held for above in up):
            continue
        nearest = min(held, key=lambda pin: (_apart(up, [pin, *_way_up(skeleton, pin)]), pin))
        meet = next((above for above in [nearest, *_way_up(skeleton, nearest)] if above in up), None)
        if meet is None:
            continue  # another skeleton beside this one
        found.update(up[1 : up.index(meet) + 1])
        roots = True
    if not wanted:
        roots = True
    if any(skeleton.parents[pin] < 0 for pin in held):
        roots = False
    if roots:
        for pin in held:
            up = _way_up(skeleton, pin)
            stop = next((number for number, above in enumerate(up) if above in held), len(up))
            found.update(above for above in up[:stop] if skeleton.parents[above] >= 0)
    return _Free(tuple(found - held), roots)


def _apart(one: list[int], other: list[int]) -> int:
    """How many bones lie between the beginnings of two ways up."""
    return next((one.index(joint) + number for number, joint in enumerate(other) if joint in one), 10**6)
