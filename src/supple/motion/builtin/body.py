"""A person's body for the built-in motions: which joint is what, and a pose from a few numbers an animator would set.

Works from the rest geometry alone, so arms may rest half lowered or level and legs may have any length. Angles in this
module are degrees, as one keys them; places are metres.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field
from functools import cache

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin.timing import lesser
from supple.motion.pose import Pose

SIDES = ("Left", "Right")
_DOWN = np.array([0.0, -1.0, 0.0])
_REACH = 0.996  # of a leg's length: a planted leg is never straighter than this
_LONGEST = 0.9995  # of a limb's length, for targets out of reach
_HERO_LEG = 0.842  # [m], the leg for which the timings were made
_NEEDED = (
    "Hips",
    "Spine",
    "Head",
    *(side + part for side in SIDES for part in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")),
)


def euler(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> FloatArray:
    """A turn (3, 3) by degrees: roll to the right (the left side goes up), then bow forward, then turn to the left."""
    (sy, cy), (sp, cp), (sr, cr) = (
        (math.sin(angle), math.cos(angle)) for angle in (math.radians(yaw), math.radians(pitch), math.radians(roll))
    )
    return np.array(
        [
            [cy * cr + sy * sp * sr, sy * sp * cr - cy * sr, sy * cp],
            [cp * sr, cp * cr, -sp],
            [cy * sp * sr - sy * cr, sy * sr + cy * sp * cr, cy * cp],
        ]
    )


@dataclass(frozen=True)
class ArmRotation:
    """How an arm is held, as seen from the chest, in degrees.

    `flex` swings it forward, `spread` out to the side, `turn` rolls it inward about itself, `elbow` bends it (0 is
    straight), `wrist` bends the hand towards the palm, and `curl` the fingers.
    """

    flex: float = 0.0
    spread: float = 12.0
    rotation: float = 8.0
    elbow: float = 16.0
    wrist: float = 0.0
    curl: float = 18.0

    def toward(self, other: ArmRotation, fraction: float) -> ArmRotation:
        """This arm moved some share of the way to how another is held."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return ArmRotation(*(start + fraction * (end - start) for start, end in pairs))


@dataclass(frozen=True)
class FootPose:
    """Where an ankle is [m], and how far the foot and the toes tip up (degrees) and turn to the left."""

    ankle: FloatArray
    pitch: float = 0.0
    toes: float = 0.0
    yaw: float = 0.0


@dataclass(frozen=True)
class Stance:
    """All that makes a pose: the place of the hips [m], turns (3, 3) in the world, arms and feet (left, right).

    `swell` is how much larger the chest and the belly are than at rest (0.01 is one part in a hundred).
    """

    hips: FloatArray
    feet: tuple[FootPose, FootPose]
    pelvis: FloatArray = field(default_factory=euler)
    chest: FloatArray = field(default_factory=euler)
    head: FloatArray = field(default_factory=euler)
    arms: tuple[ArmRotation, ArmRotation] = (ArmRotation(), ArmRotation())
    shrug: float = 0.0
    swell: tuple[float, float] = (0.0, 0.0)


class Body:
    """A skeleton seen as a person: `leg` [m] is the length of its legs, `tempo` how much slower than the built-in hero
    it moves by nature (a pendulum's time goes with the root of its length), `floor` [m] the height of the ground.
    """

    def __init__(self, skeleton: Skeleton, motion: str) -> None:
        missing = [name for name in _NEEDED if name not in skeleton.names]
        if missing:
            raise InputError(
                f"motion {motion!r}",
                f"the skeleton lacks {', '.join(missing)}",
                "a person's joints are needed, named Hips, Spine, Head, LeftArm, LeftForeArm, ...",
                "rename the joints, or use bend or twist, which move any skeleton",
            )
        self.skeleton = skeleton
        self._number = {name: joint for joint, name in enumerate(skeleton.names)}
        self._order = [int(joint) for level in skeleton.levels for joint in level]
        self._rest = skeleton.heads
        self._spine: list[str] = [n for n in ("Spine", "Spine1", "Spine2", "Spine3") if n in self._number]
        self._neck = [n for n in ("Neck", "Neck1") if n in self._number]
        self.hips = self.rest("Hips")
        self.leg = sum(self._length("Left" + part, "Left" + end) for part, end in (("UpLeg", "Leg"), ("Leg", "Foot")))
        self.tempo = math.sqrt(self.leg / _HERO_LEG)
        self.size = self.leg / _HERO_LEG
        ball = min(self.ball(side)[1] for side in SIDES)
        self.floor = 0.0 if 0.0 <= ball < 0.12 * self.leg else ball - 0.03 * self.leg

    def rest(self, name: str) -> FloatArray:
        """Where a joint is at rest [m]."""
        return self._rest[self._number[name]]

    def ball(self, side: str) -> FloatArray:
        """The ball of a foot at rest [m]: its toe joint, or a guess where it has none."""
        if side + "ToeBase" in self._number:
            return self.rest(side + "ToeBase")
        return self.rest(side + "Foot") + np.array([0.0, -0.08, 0.15]) * self._length(side + "UpLeg", side + "Foot")

    def roll_foot(self, side: str, position: FloatArray, *, pitch: float = 0.0, yaw: float = 0.0) -> FootPose:
        """A foot on the ground, tipped: over its heel where toes are up (`pitch` above 0), else over its ball.

        `place` (2,) [m] is the x and z of the ankle when the foot is flat. With the heel up, the toes stay flat.
        """
        ankle, ball = self.rest(side + "Foot"), self.ball(side)
        heel = np.array([ankle[0], self.floor, ankle[2] - 0.45 * (ball[2] - ankle[2])])
        pivot = heel if pitch > 0.0 else ball
        ankle_position = pivot + euler(pitch=-pitch) @ (ankle - pivot)
        here = np.array([position[0], ankle[1], position[1]])
        return FootPose(here + euler(yaw) @ (ankle_position - ankle), pitch, max(pitch, 0.0), yaw)

    def settle(self, stance_hips: FloatArray, pelvis: FloatArray, feet: tuple[FootPose, FootPose]) -> FloatArray:
        """The hips lowered as far as needed for both feet to be in reach of slightly bent legs; smooth over time."""
        height = float(stance_hips[1])
        for side, foot in zip(SIDES, feet, strict=True):
            hip = pelvis @ (self.rest(side + "UpLeg") - self.hips)
            aside = foot.ankle[[0, 2]] - (stance_hips + hip)[[0, 2]]
            reach = _REACH * self.reach_of(side)
            rise = math.sqrt(max(reach * reach - float(aside @ aside), (0.3 * reach) ** 2))
            height = lesser(height, float(foot.ankle[1]) + rise - float(hip[1]), width=0.02 * self.leg)
        return np.array([stance_hips[0], height, stance_hips[2]])

    def reach_of(self, side: str) -> float:
        """The length of a leg [m] from hip to ankle, straight."""
        return self._length(side + "UpLeg", side + "Leg") + self._length(side + "Leg", side + "Foot")

    def pose(self, stance: Stance) -> Pose:
        """The pose with every bone as long as at rest."""
        rotations: dict[str, FloatArray] = {"Hips": stance.pelvis}
        _spread(rotations, self._spine, stance.pelvis, stance.chest)
        _spread(rotations, [*self._neck, "Head"], stance.chest, stance.head)
        for side, arm in zip(SIDES, stance.arms, strict=True):
            self._hold_arm(rotations, side, arm, stance)
        for side, foot in zip(SIDES, stance.feet, strict=True):
            self._solve_leg(rotations, side, foot, stance)
        return self._assembled(rotations, stance)

    def _hold_arm(self, rotations: dict[str, FloatArray], side: str, arm: ArmRotation, stance: Stance) -> None:
        out = 1.0 if side == "Left" else -1.0
        upper = stance.chest @ euler(pitch=-arm.flex) @ euler(roll=out * arm.spread) @ euler(yaw=-out * arm.rotation)
        lower = upper @ euler(pitch=-arm.elbow)
        hand = lower @ euler(roll=-out * arm.wrist)
        fingers = hand @ euler(roll=-out * arm.curl)
        lift = math.degrees(math.acos(float(np.clip((stance.chest.T @ upper @ _DOWN) @ _DOWN, -1.0, 1.0))))
        # A shoulder blade follows the arm from half way up on, by about a third.
        shrug = stance.shrug + 0.3 * _beyond(lift, 55.0, 20.0)
        if side + "Shoulder" in self._number:
            rotations[side + "Shoulder"] = stance.chest @ euler(roll=out * shrug)
        rotations[side + "Arm"] = upper @ self._dangling_leg(side + "Arm", side + "ForeArm").T
        rotations[side + "ForeArm"] = lower @ self._dangling_leg(side + "ForeArm", side + "Hand").T
        knuckles = [n for n in self._number if n.startswith(side + "Hand") and n.endswith("1") and "Thumb" not in n]
        middle = side + "HandMiddle1"
        palm = self._dangling_leg(side + "Hand", middle if middle in self._number else (knuckles or [""])[0])
        rotations[side + "Hand"] = hand @ palm.T
        for name in knuckles:
            rotations[name] = fingers @ palm.T

    @cache  # noqa: B019 - a body lives as long as the making of one motion
    def _dangling_leg(self, start: str, end: str) -> FloatArray:
        """The least turn (3, 3) that takes straight down to a bone at rest: the bone's frame, thumbs forward."""
        if end in self._number:
            along = self.rest(end) - self.rest(start)
        else:
            along = self.rest(start) - self._rest[self.skeleton.parents[self._number[start]]]
        return quaternions.matrix_from_quat(quaternions.rotation_between(_DOWN, along))

    def _solve_leg(self, rotations: dict[str, FloatArray], side: str, foot: FootPose, stance: Stance) -> None:
        """Two bones from the hip to the ankle, the knee in front of the line between (law of cosines)."""
        thigh, shin = side + "UpLeg", side + "Leg"
        hip = stance.hips + stance.pelvis @ (self.rest(thigh) - self.hips)
        upper, lower = self._length(thigh, shin), self._length(shin, side + "Foot")
        reach_vector = foot.ankle - hip
        span = float(np.linalg.norm(reach_vector))
        distance = min(max(span, 1.02 * abs(upper - lower), 0.2 * (upper + lower)), _LONGEST * (upper + lower))
        along = reach_vector / max(span, 1e-9)
        facing = euler(foot.yaw)
        across = quaternions.normalize(stance.pelvis[:, 0] + facing[:, 0])
        across = quaternions.normalize(across - (across @ along) * along)
        cosine = (upper * upper + distance * distance - lower * lower) / (2.0 * upper * distance)
        front = _cross(across, -along)
        knee = upper * (cosine * along + math.sqrt(max(1.0 - cosine * cosine, 0.0)) * front)
        rotations[thigh] = _frame(knee, across) @ self._leg_frame(thigh, shin).T
        rotations[shin] = _frame(distance * along - knee, across) @ self._leg_frame(shin, side + "Foot").T
        rotations[side + "Foot"] = euler(foot.yaw, -foot.pitch)
        rotations[side + "ToeBase"] = euler(foot.yaw, -foot.toes)

    @cache  # noqa: B019 - a body lives as long as the making of one motion
    def _leg_frame(self, start: str, end: str) -> FloatArray:
        return _frame(self.rest(end) - self.rest(start), np.array([1.0, 0.0, 0.0]))

    @cache  # noqa: B019 - a body lives as long as the making of one motion
    def _length(self, start: str, end: str) -> float:
        return float(np.linalg.norm(self.rest(end) - self.rest(start)))

    def _assembled(self, rotations: dict[str, FloatArray], stance: Stance) -> Pose:
        """Joints without a turn of their own go along with their parent."""
        names, parents = self.skeleton.names, self.skeleton.parents
        world = np.tile(np.eye(4), (len(names), 1, 1))
        rotation = np.empty((len(names), 3, 3))
        for joint in self._order:
            parent = int(parents[joint])
            above = rotation[parent] if parent >= 0 else np.eye(3)
            rotation[joint] = rotations.get(names[joint], above)
            if names[joint] == "Hips":
                world[joint, :3, 3] = stance.hips
            elif parent < 0:
                world[joint, :3, 3] = self._rest[joint]
            else:
                world[joint, :3, 3] = world[parent, :3, 3] + above @ (self._rest[joint] - self._rest[parent])
            world[joint, :3, :3] = rotation[joint] @ self.skeleton.world_from_joint[joint, :3, :3]
        for name, swell in zip(self._spine[:-3:-1], stance.swell, strict=False):
            world[self._number[name], :3, :3] *= 1.0 + swell
        return Pose(world)


def _spread(rotations: dict[str, FloatArray], names: list[str], start: FloatArray, end: FloatArray) -> None:
    """Share the way from one turn to another evenly among joints."""
    first, last = (quaternions.quat_from_matrix(rotation) for rotation in (start, end))
    for number, name in enumerate(names):
        between = quaternions.slerp(first, last, (number + 1) / len(names))
        rotations[name] = quaternions.matrix_from_quat(between)


def _frame(along: FloatArray, across: FloatArray) -> FloatArray:
    """Axes (columns) of a leg bone that runs down `along`, with its hinge as near to `across` as can be."""
    down = quaternions.normalize(along)
    hinge = quaternions.normalize(across - (across @ down) * down)
    return np.array([hinge, -down, _cross(hinge, -down)]).T


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Of two vectors (3,): NumPy's own takes ten times as long for one pair."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _beyond(value: float, start: float, soft: float) -> float:
    """How far `value` is above `start`; the corner is rounded over `soft`."""
    return value - lesser(value, start, width=soft)
