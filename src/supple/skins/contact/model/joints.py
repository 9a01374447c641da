"""The joints of a dynamic skeleton: how one link may move against the one it hangs on.

A *ball* holds two links together at a point and lets them turn. A *hinge* also keeps an axis of both in line. A joint
that may not move at all makes two links one, so there is no constraint for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

BALL, HINGE = 0, 1
ANGLE, SWING, TWIST = 0, 1, 2  # what a limit bounds: the angle of a hinge or a ball, or a ball's swing or twist
FRICTION = 3  # and what is like one: the friction of a joint,
SPEED = 4  # and how fast contacts may turn it
FREE = 1e9  # [rad]: a limit that is never met
_WHERE = "joints"
# Joints that bend one way only, as rigs call them; a rig's word for the segment below the joint counts.
_HINGED = (
    "forearm",
    "lowerarm",
    "elbow",
    "leg",
    "lowerleg",
    "calf",
    "shin",
    "knee",
    "cannon",
    "lowerhind",
    "lowerfront",
)
_NOT_HINGED = ("upleg", "upperleg", "thigh")
_BENT = np.radians(8.0)  # a joint bent less than this at rest does not tell its axis
_ONE_WAY = 0.2  # a hinge's turns off its axis are below this share of those about it
_MOVING = np.radians(15.0)  # a joint that turns less than this in a motion does not tell its axis


@dataclass(frozen=True, eq=False)
class JointCones:
    """Swing and twist of c balls, as anatomy has them (`supple.character.anatomy.joint_limits`).

    With R a joint's rotation from rest, R `axes` (c, 3) stays within `swings` (c,) [rad] of `middles` (c, 3), and the
    twist about the axis within `lows` and `highs` (c,) [rad]. A swing of FREE is no limit, nor is its twist then.
    """

    axes: FloatArray
    middles: FloatArray
    swings: FloatArray
    lows: FloatArray
    highs: FloatArray

    @classmethod
    def none(cls, count: int) -> JointCones:
        """No joint has one."""
        along = np.tile([1.0, 0.0, 0.0], (count, 1))
        return cls(along, along, np.full(count, FREE), np.full(count, -FREE), np.full(count, FREE))


@dataclass(frozen=True, eq=False)
class Joints:
    """Joints as plain arrays; c of them, one for each link that hangs on another.

    `children` and `parents` (c,) are links, `pivots` (c, 3) [m] where they meet at rest. `kinds` (c,) is BALL or
    HINGE; `axes` (c, 3) are the hinges' axes at rest. `lows` and `highs` (c,) [rad] bound the angle of a hinge; of a
    ball `highs` bounds how far it turns from rest, whichever way, and `lows` says nothing. `cones` bound balls by their
    swing and twist.
    """

    children: IntArray
    parents: IntArray
    pivots: FloatArray
    kinds: IntArray
    axes: FloatArray
    lows: FloatArray
    highs: FloatArray
    cones: JointCones | None = None

    def __post_init__(self) -> None:
        count = len(np.asarray(self.children))
        if self.cones is None:
            object.__setattr__(self, "cones", JointCones.none(count))
        for name, kind, shape in (
            ("children", np.int32, (count,)),
            ("parents", np.int32, (count,)),
            ("pivots", np.float64, (count, 3)),
            ("kinds", np.int32, (count,)),
            ("axes", np.float64, (count, 3)),
            ("lows", np.float64, (count,)),
            ("highs", np.float64, (count,)),
        ):
            object.__setattr__(self, name, frozen(getattr(self, name), kind, shape, _WHERE, name))
        for joint in np.flatnonzero((self.kinds != BALL) & (self.kinds != HINGE))[:1]:
            raise InputError(
                _WHERE,
                f"joint {joint} is of kind {self.kinds[joint]}",
                f"{BALL} (ball) or {HINGE} (hinge) is needed",
                "choose one",
            )
        length = np.linalg.norm(self.axes, axis=1)
        for joint in np.flatnonzero((self.kinds == HINGE) & ~(length > 1e-9))[:1]:
            raise InputError(_WHERE, f"hinge {joint} has no axis", "a direction is needed", "give it an axis")
        wrong = (self.highs < 0.0) | ((self.kinds == HINGE) & (self.lows > 0.0))
        for joint in np.flatnonzero(wrong)[:1]:
            raise InputError(
                _WHERE,
                f"joint {joint} is bound to {self.lows[joint]:g} to {self.highs[joint]:g} rad",
                "limits are measured from rest, which must lie between them",
                "use low <= 0 <= high",
            )
        axes = quaternions.normalize(self.axes)
        axes.setflags(write=False)
        object.__setattr__(self, "axes", axes)

    def __len__(self) -> int:
        return len(self.children)

    @classmethod
    def balls(cls, children: ArrayLike, parents: ArrayLike, pivots: ArrayLike) -> Joints:
        """Balls without limits."""
        count = len(np.asarray(children))
        return cls(
            np.asarray(children),
            np.asarray(parents),
            np.asarray(pivots),
            np.full(count, BALL),
            np.zeros((count, 3)),
            np.full(count, -FREE),
            np.full(count, FREE),
        )

    @property
    def limited(self) -> IntArray:
        """The joints that have a limit."""
        return np.unique(self.limits[0]).astype(np.int32)

    @property
    def limits(self) -> tuple[IntArray, IntArray]:
        """All limits (l,): the joint of each, and what it bounds (ANGLE, SWING or TWIST)."""
        swings = JointCones.none(len(self)).swings if self.cones is None else self.cones.swings
        hinge = self.kinds == HINGE
        angles = np.flatnonzero((self.highs < FREE) | (hinge & (self.lows > -FREE)))
        cones = np.flatnonzero(swings < FREE)
        joints = np.concatenate([angles, cones, cones])
        kinds = np.repeat([ANGLE, SWING, TWIST], [len(angles), len(cones), len(cones)])
        order = np.argsort(joints, kind="stable")
        return joints[order].astype(np.int32), kinds[order].astype(np.int32)


def named_hinges(skeleton: Skeleton, poses: Sequence[Pose] = ()) -> dict[str, FloatArray]:
    """Axes at rest of the joints that by their names bend one way only: elbows and knees.

    The axis is square to the two bones that meet there. A limb that is straight at rest tells none; then it is the one
    about which the joint turns in `poses`, if there are any and it is one (`hinges_in_motion`).
    """
    found: dict[str, FloatArray] = {}
    moved = hinges_in_motion(skeleton, poses) if poses else {}
    for joint, name in enumerate(skeleton.names):
        plain = "".join(letter for letter in name.lower() if letter.isalpha())
        if not plain.endswith(_HINGED) or plain.endswith(_NOT_HINGED) or skeleton.parents[joint] < 0:
            continue
        bone = skeleton.bones.ends[skeleton.bones.joints == joint]
        along = quaternions.normalize(bone[0] - skeleton.heads[joint])
        before = quaternions.normalize(skeleton.heads[joint] - skeleton.heads[skeleton.parents[joint]])
        across = np.cross(before, along)
        if np.linalg.norm(across) > np.sin(_BENT):
            found[name] = quaternions.normalize(across)
        elif name in moved:
            found[name] = moved[name]
    return found


def hinges_in_motion(skeleton: Skeleton, poses: Sequence[Pose]) -> dict[str, FloatArray]:
    """Axes at rest of the joints that turn about one line only in some poses.

    A joint that hardly moves is left out: it tells nothing.
    """
    world = np.stack([pose.skinning(skeleton)[:, :3, :3] for pose in poses])
    rotations = quaternions.nearest_rotation(world)
    found: dict[str, FloatArray] = {}
    for joint, name in enumerate(skeleton.names):
        parent = skeleton.parents[joint]
        if parent < 0:
            continue
        relative = np.swapaxes(rotations[:, parent], 1, 2) @ rotations[:, joint]
        away = rotation_vectors(relative)
        values, axes = np.linalg.eigh(away.T @ away)
        spread = np.ptp(away @ axes[:, 2])
        if spread > _MOVING and values[1] < (_ONE_WAY**2) * values[2]:
            found[name] = axes[:, 2] * np.sign((away @ axes[:, 2]).sum() or 1.0)
    return found


def rotation_vectors(matrices: ArrayLike) -> FloatArray:
    """Axis times angle (..., 3) [rad] of rotations (..., 3, 3), at most pi long."""
    unit = quaternions.quat_from_matrix(matrices)
    sine = np.linalg.norm(unit[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, unit[..., 3:])
    return unit[..., :3] * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)


def check_axes(skeleton: Skeleton, hinges: Mapping[str, ArrayLike]) -> dict[int, FloatArray]:
    """Axes by joint number from those by name, checked."""
    chosen: dict[int, FloatArray] = {}
    for name, axis in hinges.items():
        given = frozen(axis, np.float64, (3,), _WHERE, f"the axis of {name!r}")
        if not np.linalg.norm(given) > 1e-9:
            raise InputError(_WHERE, f"hinge {name!r} has no axis", "a direction is needed", "give it an axis")
        chosen[skeleton.index(name)] = quaternions.normalize(given)
    return chosen
