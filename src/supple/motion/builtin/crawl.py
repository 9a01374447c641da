"""How the animals without legs get on: the snake slithers, the octopus swims."""

from __future__ import annotations

import cmath
import math
import re
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin.recipe import Recipe
from supple.motion.pose import Pose

_UP = np.array([0.0, 1.0, 0.0])
_TRACK_STEPS = 4096  # of one wave of the track; the error of the straight pieces is far below a micrometre
_STEADY = 0.3  # share of the track's swing that the head still makes
_EASED = 4  # bones over which the swing fades out towards the head

_OPEN = math.radians(4.0)  # how far the arms hang when open
_DROOP = math.radians(2.0)  # and how much more with every joint
_LAG = 0.42  # phase [rad] by which a joint trails the one before it
_ARM_LATE = 0.35  # phase [rad] by which the arms behind trail those ahead
_CLEAR = 0.04  # between the arms at their lowest and where they lie at rest [m]
_HASTE = 0.55  # how much quicker the arms close than they open
_RISE = 1.9  # phase [rad] at which the body is lowest, in the middle of the stroke


def slither(
    skeleton: Skeleton,
    *,
    seconds: float = 2.5,
    fps: float = 60.0,
    waves: float = 1.4,
    swing: float = math.radians(48.0),
) -> Recipe:
    """Slither ahead along a winding track, one wave of it in `seconds`, and on and on.

    The body follows the head like a train: every joint runs along the same track on the ground, so nothing slips
    sideways. The track is a serpenoid curve, whose heading at arc length s is swing * cos(2 pi s / length of a wave)
    away from straight ahead; `waves` of it lie under the body. `swing` [rad] is the largest heading. The last bones
    swing less and less, which holds the head steady. Joints turn about the vertical alone and keep their heights.

    The skeleton is a chain from the tail to a joint called Head that lies on the ground; more may hang on the head.
    """
    _check("slither", seconds=seconds, fps=fps)
    chain = _spine(skeleton)
    if not (math.isfinite(waves) and 0.25 <= waves <= len(chain) / 4.0):
        raise InputError(
            "motion 'slither'",
            f"waves is {waves}",
            f"0.25 to {len(chain) / 4.0:g} fit {len(chain)} joints, four to a wave",
            "try 1.4",
        )
    if not (math.isfinite(swing) and 0.0 <= swing <= 1.4):
        raise InputError("motion 'slither'", f"swing is {swing} rad", "0 to 1.4 rad are possible", "try 0.8")
    spans = np.stack([_reach(skeleton, joint) for joint in chain])
    lengths = np.hypot(spans[:, 0], spans[:, 2])
    rest_yaw = np.arctan2(spans[:, 0], spans[:, 2])
    level = (skeleton.heads[chain[-1]] - skeleton.heads[chain[0]]) * [1.0, 0.0, 1.0]
    ahead = math.atan2(level[0], level[2])
    track = _Track(wave=float(lengths.sum()) / waves, swing=swing)
    eased = np.ones(len(chain))
    fading = min(_EASED, len(chain) - 1)
    eased[-fading:] = np.linspace(1.0, _STEADY, fading + 1)[1:]
    # The wave of the track goes through the middle of the animal as it rests.
    middle = skeleton.heads[chain].mean(axis=0) * [1.0, 0.0, 1.0] - 0.5 * level
    relative = skeleton.joint_from_world[chain[-1]] @ skeleton.world_from_joint

    def pose(time: float) -> Pose:
        gone = track.wave * time / seconds
        yaw, start = track.followed(gone, lengths)
        yaw *= eased
        steps = lengths[:, None] * np.stack([np.sin(yaw), np.zeros(len(yaw)), np.cos(yaw)], axis=1)
        positions = start + np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)])
        positions = middle + positions @ _about_up(ahead).T
        positions[:, 1] = skeleton.heads[chain, 1]
        world = np.tile(np.eye(4), (len(chain), 1, 1))
        world[:, :3, :3] = _about_up(yaw + ahead - rest_yaw) @ skeleton.world_from_joint[chain, :3, :3]
        world[:, :3, 3] = positions
        everything = world[-1] @ relative
        everything[chain] = world
        return Pose(everything)

    stride = _about_up(ahead) @ np.array([0.0, 0.0, track.advance])
    return Recipe(skeleton, pose, seconds, _whole_rate(seconds, fps), "slither", loop=True, stride=stride)


def swim(
    skeleton: Skeleton,
    *,
    seconds: float = 2.0,
    fps: float = 60.0,
    sweep: float = math.radians(54.0),
    squeeze: float = 0.08,
    bob: float = 0.06,
) -> Recipe:
    """Swim on the spot by pulses, one in `seconds`: the arms close quickly, open slowly, and trail in a wave.

    Every joint of an arm does what the one before it did a little earlier, so the tips lag and unroll. `sweep` [rad]
    is how far the arms go from open to closed. The mantle shrinks by the share `squeeze` as it drives the water out,
    and the body rises by twice `bob` [m] after each stroke. The animal floats, its arms just clear of the ground.

    The skeleton has arms named Arm1_1, Arm1_2, ... that hang on one body joint, and joints whose names begin with
    Mantle. Arms sweep in their own upright planes; they do not reach for anything.
    """
    _check("swim", seconds=seconds, fps=fps)
    for what, value, high in (("sweep", sweep, 1.5), ("squeeze", squeeze, 0.5), ("bob", bob, 10.0)):
        if not (math.isfinite(value) and 0.0 <= value <= high):
            raise InputError("motion 'swim'", f"{what} is {value}", f"0 to {high:g} is possible", "use the default")
    arms, mantle = _arms(skeleton), _mantle(skeleton)
    rest = skeleton.world_from_joint[:, :3, :3]
    center = skeleton.heads[skeleton.parents[arms[0][0]]]
    roots = skeleton.parents < 0

    def locals_at(phase: float) -> FloatArray:
        local = skeleton.parent_from_joint.copy()
        for arm in arms:
            out = (skeleton.heads[arm[-1]] - center) * [1.0, 0.0, 1.0]
            axis = np.cross(_UP, quaternions.normalize(out))  # turning about it brings an arm down
            late = _ARM_LATE * 0.5 * (1.0 - out[2] / np.linalg.norm(out))
            index = np.arange(len(arm))
            drop = _OPEN + sweep * _pulse(phase - late - _LAG * index) + _DROOP * index
            rotations = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, np.diff(drop, prepend=0.0)))
            local[arm, :3, :3] = local[arm, :3, :3] @ np.linalg.inv(rest[arm]) @ rotations @ rest[arm]
        sizes = 1.0 - squeeze * _pulse(phase - _LAG * np.arange(len(mantle)))
        # Scales of a chain multiply, so each joint of the mantle gets what its parent has not done yet.
        local[mantle, :3, :3] *= (sizes / np.concatenate([[1.0], sizes[:-1]]))[:, None, None]
        local[roots, 1, 3] -= bob * math.cos(phase - _RISE)
        return local

    bones = skeleton.bones

    def lowest(phase: float) -> float:
        """Height of the lowest end of a bone."""
        moved = (skeleton.world_from_locals(locals_at(phase)) @ skeleton.joint_from_world)[bones.joints, 1]
        return float(np.min(np.sum(moved[:, :3] * bones.ends, axis=1) + moved[:, 3]))

    @cache
    def lift() -> float:
        floor = float(bones.ends[:, 1].min())
        return floor + _CLEAR - min(lowest(phase) for phase in np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False))

    def pose(time: float) -> Pose:
        local = locals_at(2.0 * math.pi * time / seconds)
        local[roots, 1, 3] += max(lift(), 0.0)
        return Pose(skeleton.world_from_locals(local))

    return Recipe(skeleton, pose, seconds, _whole_rate(seconds, fps), "swim", loop=True)


def _pulse(phase: ArrayLike) -> FloatArray:
    """Zero when open, one when closed; closing takes about a third of the time."""
    angle = np.asarray(phase, dtype=np.float64)
    return np.asarray(0.5 - 0.5 * np.cos(angle - _HASTE * np.cos(angle) + _HASTE))


class _Track:
    """A serpenoid curve on the ground, along z: its heading is swing * cos(2 pi s / wave) at arc length s [m]."""

    def __init__(self, *, wave: float, swing: float) -> None:
        self.wave, self.swing = wave, swing
        self._lengths = np.linspace(0.0, wave, _TRACK_STEPS + 1)
        middles = 0.5 * (self._lengths[1:] + self._lengths[:-1])
        heading = self.heading(middles)
        steps = np.exp(1j * heading) * (wave / _TRACK_STEPS)
        self._points = np.concatenate([[0.0], np.cumsum(steps)])
        self._points[-1] = self._points[-1].real  # a wave ends exactly straight ahead of its start
        self.advance = float(self._points[-1].real)

    def heading(self, length: FloatArray | float) -> FloatArray:
        """The angle [rad] away from straight ahead."""
        return np.asarray(self.swing * np.cos(2.0 * np.pi * np.asarray(length) / self.wave))

    def at(self, length: float) -> complex:
        """The point at an arc length: how far ahead, and to the side as the imaginary part [m]."""
        laps = math.floor(length / self.wave)
        return complex(np.interp(length - laps * self.wave, self._lengths, self._points)) + laps * self.advance

    def followed(self, gone: float, bones: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lay a chain of bones along the track: their headings (B,), and where the first one starts (3,)."""
        length = gone + float(bones[:-1].sum())
        position = self.at(length)
        headings = [float(self.heading(length + 0.5 * bones[-1]))]
        for bone in bones[-2::-1].tolist():
            back, short = bone, math.inf
            while abs(short) > 1e-9 * bone:  # a chord is a little shorter than its arc: go back until it fits
                before = self.at(length - back)
                short = bone - abs(position - before)
                back += short
            headings.append(cmath.phase(position - before))
            length, position = length - back, before
        return np.array(headings[::-1]), np.array([position.imag, 0.0, position.real])


def _spine(skeleton: Skeleton) -> list[int]:
    """The joints from the tail to the head of an animal that is one chain."""
    where = "motion 'slither'"
    if "Head" not in skeleton.names:
        raise InputError(
            where,
            "there is no joint called Head",
            "a chain from the tail to the head is needed",
            "use the snake, or rename the last joint",
        )
    chain = [skeleton.index("Head")]
    while skeleton.parents[chain[-1]] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
    chain.reverse()
    fork = next((joint for joint in chain[:-1] if len(skeleton.children(joint)) > 1), None)
    if fork is not None or (skeleton.parents < 0).sum() > 1 or len(chain) < 4:
        given = (
            f"joint {skeleton.names[fork]!r} has limbs" if fork is not None else f"the chain has {len(chain)} joints"
        )
        raise InputError(where, given, "one chain of at least four joints up to the head is needed", "use the snake")
    spans = np.stack([_reach(skeleton, joint) for joint in chain])
    if (np.hypot(spans[:, 0], spans[:, 2]) <= np.abs(spans[:, 1])).any():
        raise InputError(where, "the chain stands upright", "it has to lie on the ground", "use the snake")
    return chain


def _reach(skeleton: Skeleton, joint: int) -> FloatArray:
    """From a joint to the end of its bone at rest."""
    bones = skeleton.bones
    return np.asarray(np.mean((bones.ends - bones.starts)[bones.joints == joint], axis=0))


def _arms(skeleton: Skeleton) -> list[list[int]]:
    """The joints of every arm, from the body to the tip."""
    found: dict[int, dict[int, int]] = {}
    for joint, name in enumerate(skeleton.names):
        if match := re.fullmatch(r"Arm(\d+)_(\d+)", name):
            found.setdefault(int(match[1]), {})[int(match[2])] = joint
    arms = [[arm[number] for number in sorted(arm)] for _, arm in sorted(found.items())]
    bodies = {int(skeleton.parents[arm[0]]) for arm in arms}
    connected = all(skeleton.parents[after] == before for arm in arms for before, after in pairwise(arm))
    if len(bodies) != 1 or -1 in bodies or not connected or min(len(arm) for arm in arms) < 2:
        raise InputError(
            "motion 'swim'",
            f"{len(arms)} arms were found on {len(bodies)} bodies",
            "arms Arm1_1, Arm1_2, ... are needed, chains on one body joint",
            "use the octopus",
        )
    return arms


def _mantle(skeleton: Skeleton) -> list[int]:
    """The joints of the mantle, from the head on."""
    order = [int(joint) for level in skeleton.levels for joint in level]
    mantle = [joint for joint in order if skeleton.names[joint].startswith("Mantle")]
    chained = all(skeleton.parents[after] == before for before, after in pairwise(mantle))
    if not mantle or not chained:
        raise InputError(
            "motion 'swim'",
            f"{len(mantle)} joints of a mantle were found",
            "one or more in a chain are needed, called Mantle1, Mantle2, ...",
            "use the octopus",
        )
    return mantle


def _about_up(angle: FloatArray | float) -> FloatArray:
    return quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(_UP, angle))


def _whole_rate(seconds: float, fps: float) -> float:
    """The rate nearest to `fps` that puts a key exactly on the end, where the loop closes."""
    return max(round(seconds * fps), 8) / seconds


def _check(name: str, **values: float) -> None:
    for what, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"motion {name!r}", f"{what} is {value}", "more than zero is needed", "use 2 and 60")
