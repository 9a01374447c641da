"""The limbs of a character: unbranched runs of its skeleton, each with the skin that follows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.names import FINGERS, named_part
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize, perpendicular

_LEAST_SKIN = 2e-3  # share of the vertices that a limb must move to count as one
_LEAST_LENGTH = 0.02  # share of the skeleton's size that a limb must be long
_RAYS = 24  # cast round a bone to see whose skin surrounds it
_SURROUNDED = 0.6  # share of them that must meet its own limb's skin
_MUCH = 0.33  # share of a run's skin
_NAMES = {
    "hips": "torso", "spine": "torso", "neck": "head", "head": "head", "shoulder": "arm", "upper arm": "arm",
    "lower arm": "arm", "hand": "hand", "upper leg": "leg", "lower leg": "leg", "foot": "foot", "toes": "foot",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Limb:
    """One run of joints without a branching, such as upper arm, forearm and hand.

    `joints` are all that move its skin. `path` (K, 3) [m] is the line through its bones at rest, and segment k of it
    turns with joint `path_joints[k]` (K - 1,). `free_start` and `free_end` say where nothing goes on: the skin closes
    there, as round a finger tip. `weights` (V,) is how much of every vertex this limb moves; those of all limbs sum
    to one.
    """

    name: str
    joints: IntArray
    path: FloatArray
    path_joints: IntArray
    weights: FloatArray
    free_start: bool
    free_end: bool


def find_limbs(character: Character) -> tuple[Limb, ...]:
    """Take the skeleton apart at its branchings, and the skin with it.

    A run ends where two or more children go on that move skin; each of them starts another. The run that begins at
    the root goes on into the heaviest child, so that hips and spine are one trunk. Joints that move next to nothing
    (eyes, end markers) go with what they hang on, and so does the first bone of a run that lies in skin that is not
    its own: a collar bone is part of the torso.
    """
    weights = character.require_weights("curve network")
    skeleton = character.skeleton
    mass = _joint_masses(weights, len(skeleton))
    runs = _runs(skeleton, _significant(skeleton, mass), mass)
    owner = _owners(skeleton, runs)
    flesh = Flesh(character.points, character.triangles)
    for number in range(len(runs)):
        parent = int(skeleton.parents[runs[number][0]])
        above = owner[parent] if parent >= 0 else number
        while above != number and len(runs[number]) > 1:
            if _owns_first_bone(character, flesh, runs[number], mass, owner == number):
                break
            owner[runs[number][0]] = above
            runs[number] = runs[number][1:]
    used: dict[str, int] = {}
    result = []
    for number, run in enumerate(runs):
        path, path_joints = _path(skeleton, run)
        parent = int(skeleton.parents[run[0]])
        free_start = parent < 0 or owner[parent] == number
        below = skeleton.descendants(run[-1])
        free_end = not any(other[0] in below for other in runs if other is not run)
        name = _name(skeleton, run)
        used[name] = used.get(name, 0) + 1
        result.append(
            Limb(
                name if used[name] == 1 else f"{name} {used[name]}",
                np.flatnonzero(owner == number).astype(np.int32),
                path,
                path_joints,
                np.where(owner[weights.joints] == number, weights.values, 0.0).sum(axis=1),
                free_start,
                free_end,
            )
        )
    return tuple(result)


def _joint_masses(weights: Weights, count: int) -> FloatArray:
    """How much skin every joint moves (J,), in vertices."""
    total = np.bincount(weights.joints.ravel(), weights=weights.values.ravel(), minlength=count)
    return total.astype(np.float64)


def _significant(skeleton: Skeleton, mass: FloatArray) -> BoolArray:
    """Joints below which there is enough skin and enough bone to be a limb, or part of one."""
    total, reach = mass.copy(), np.zeros(len(skeleton))
    ends = skeleton.bones
    np.maximum.at(reach, ends.joints, np.linalg.norm(ends.ends - ends.starts, axis=1))
    for level in skeleton.levels[:0:-1]:
        parents = skeleton.parents[level]
        np.add.at(total, parents, total[level])
        step = np.linalg.norm(skeleton.heads[level] - skeleton.heads[parents], axis=1)
        np.maximum.at(reach, parents, reach[level] + step)
    size = float(np.ptp(np.concatenate([ends.starts, ends.ends]), axis=0).max())
    enough: BoolArray = (total >= _LEAST_SKIN * mass.sum()) & (reach >= _LEAST_LENGTH * size)
    return enough


def _runs(skeleton: Skeleton, significant: BoolArray, mass: FloatArray) -> list[list[int]]:
    """Chains of joints from branching to branching, without leading joints that move no skin."""
    below = mass.copy()
    for level in skeleton.levels[:0:-1]:
        np.add.at(below, skeleton.parents[level], below[level])
    runs: list[list[int]] = []
    starts = np.flatnonzero(skeleton.parents < 0).tolist()
    while starts:
        run = [starts.pop(0)]
        while True:
            here = run[-1]
            children = skeleton.children(here).tolist()
            onward = [child for child in children if significant[child]]
            moving = [child for child in children if below[child] > 0.0]
            if not onward and len(moving) == 1:
                onward = moving  # the last short bone of a finger goes on with it
            run = [joint for joint in run if mass[joint] > 0.0 or joint == here]
            rooted = _is_top(skeleton, run, mass)
            if not onward or (len(onward) > 1 and not (rooted and len(run) == 1)):
                break
            heaviest = max(onward, key=lambda child: float(below[child]))
            starts += [child for child in onward if child != heaviest]
            run.append(heaviest)
        starts += onward
        if mass[run].any():
            runs.append(run)
    return runs


def _is_top(skeleton: Skeleton, run: list[int], mass: FloatArray) -> bool:
    """Whether nothing above a run moves skin."""
    above = int(skeleton.parents[run[0]])
    while above >= 0:
        if mass[above] > 0.0:
            return False
        above = int(skeleton.parents[above])
    return True


def _owners(skeleton: Skeleton, runs: list[list[int]]) -> IntArray:
    """The run (J,) that every joint goes with: its own, else that of the nearest joint above, else the first below."""
    owner = np.full(len(skeleton), -1, dtype=np.int32)
    for number, run in enumerate(runs):
        owner[run] = number
    for level in skeleton.levels[1:]:
        for joint in level[owner[level] < 0]:
            owner[joint] = owner[skeleton.parents[joint]]
    for level in skeleton.levels[:0:-1]:
        for joint in level[owner[level] >= 0]:
            parent = skeleton.parents[joint]
            if owner[parent] < 0:
                owner[parent] = owner[joint]
    return np.maximum(owner, 0)


def _owns_first_bone(character: Character, flesh: Flesh, run: list[int], mass: FloatArray, own: BoolArray) -> bool:
    """Whether the skin round the middle of a run's first bone is moved by the run itself, on most sides.

    A bone that is named as a collar bone never is, whatever skin was given to it; one that moves much of the run's
    skin always is.
    """
    named = named_part(character.skeleton.names[run[0]])
    if named is not None and named.part == "shoulder":
        return False
    if mass[run[0]] > _MUCH * mass[run].sum():
        return True
    weights = character.require_weights("curve network")
    start, end = character.skeleton.heads[run[0]], character.skeleton.heads[run[1]]
    along = normalize(end - start)
    aside = perpendicular(along)
    angles = np.arange(_RAYS) * (2.0 * np.pi / _RAYS)
    directions = np.cos(angles)[:, None] * aside + np.sin(angles)[:, None] * np.cross(along, aside)
    origins = np.tile(0.5 * (start + end), (_RAYS, 1))
    face, _ = flesh.first_crossing(origins, directions, 2.0 * flesh.span)
    own_weight = np.zeros(len(flesh.points))
    own_weight[flesh.point_of] = np.where(own[weights.joints], weights.values, 0.0).sum(axis=1)
    met = own_weight[flesh.triangles[face[face >= 0]]].mean(axis=1)
    return not len(met) or float((met >= 0.5).mean()) >= _SURROUNDED


def _path(skeleton: Skeleton, run: list[int]) -> tuple[FloatArray, IntArray]:
    """The line through the heads of a run and on to the end of its last bone; joints at one place count once."""
    positions = [skeleton.heads[joint] for joint in run]
    before = positions[-1] - positions[-2] if len(positions) > 1 else None
    positions.append(_bone_end(skeleton, run[-1], before))
    size = float(np.ptp(skeleton.heads, axis=0).max()) or 1.0
    path, joints = [positions[0]], []
    for joint, position in zip(run, positions[1:], strict=True):
        if np.linalg.norm(position - path[-1]) > 1e-4 * size:
            path.append(position)
            joints.append(joint)
    if not joints:
        path.append(path[0] + np.array([0.0, 0.02 * size, 0.0]))
        joints.append(run[-1])
    return np.array(path), np.array(joints, dtype=np.int32)


def _bone_end(skeleton: Skeleton, joint: int, before: FloatArray | None) -> FloatArray:
    """Where the bone of a run's last joint ends: of several ends, the one that lies straightest ahead."""
    bones = skeleton.bones
    ends = bones.ends[bones.joints == joint]
    if before is None or len(ends) == 1:
        return np.asarray(ends.mean(axis=0))
    return np.asarray(ends[np.argmax(normalize(ends - skeleton.heads[joint]) @ normalize(before))])


def _name(skeleton: Skeleton, run: list[int]) -> str:
    """What people call a run: by the first joint of its upper half whose name says so, else by its first joint.

    What comes at its end does not count: a snake is more than a head.
    """
    for joint in run[: (len(run) + 1) // 2]:
        named = named_part(skeleton.names[joint])
        if named is not None and (named.part in _NAMES or named.part in FINGERS):
            return f"{named.side} {_NAMES.get(named.part, named.part)}".strip()
    return skeleton.names[run[0]]
