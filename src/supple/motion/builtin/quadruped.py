"""The walk of an animal on four legs: four beats, feet planted, head and tail swinging along."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.builtin.body import FootPose, euler
from supple.motion.builtin.recipe import Recipe
from supple.motion.builtin.steps import Contact, Steps
from supple.motion.builtin.timing import round_to_frames, wave
from supple.motion.pose import Pose

_FRONT = ("FrontShoulder", "FrontUpperLeg", "FrontLowerLeg", "FrontCannon", "FrontFoot")
_HIND = ("HindUpperLeg", "HindLowerLeg", "HindCannon", "HindPastern")
_LEGS = {  # the joints of a leg down to the fetlock, which is placed; and the phase at which its foot strikes
    "LeftHind": (tuple("Left" + name for name in _HIND), 0.0),
    "LeftFront": (tuple("Left" + name for name in _FRONT), 0.25),
    "RightHind": (tuple("Right" + name for name in _HIND), 0.5),
    "RightFront": (tuple("Right" + name for name in _FRONT), 0.75),
}
_TRUNK = ("Hips", "Spine1", "Spine2", "Spine3", "Neck1", "Head")
_STANCE = 0.64  # of the cycle that a foot is on the ground
_HORSE_LEG = 0.82  # [m], for which the timing was made
_STRAIGHTEST = 0.985  # of a leg's length


def walk_on_four(skeleton: Skeleton, *, pace: float, intensity: float, fps: float) -> Recipe:
    """Walk on: one cycle of four beats (left hind, left front, right hind, right front), which loops with its stride.

    Each leg keeps the shape it has at rest, folded more or less: all its inner bends are scaled by one factor, found so
    that the leg reaches its planted foot.
    """
    return _Walk(skeleton, pace, intensity, fps).recipe()


class _Walk:
    def __init__(self, skeleton: Skeleton, pace: float, intensity: float, fps: float) -> None:
        needed = [*_TRUNK, *(name for names, _ in _LEGS.values() for name in names)]
        missing = [name for name in needed if name not in skeleton.names]
        if missing:
            raise InputError(
                "motion 'walk'",
                f"the skeleton lacks {', '.join(missing)}",
                "an animal with four legs needs these joints",
                "rename the joints",
            )
        self.skeleton, self.intensity, self.fps = skeleton, intensity, fps
        self.legs = {leg: _Leg(skeleton, names) for leg, (names, _) in _LEGS.items()}
        self.height = float(np.mean([leg.height for leg in self.legs.values()]))
        self.size = self.height / _HORSE_LEG
        self.cycle = round_to_frames("walk", seconds=1.16 * math.sqrt(self.size / pace), fps=fps)
        self.stride = 1.28 * self.height * math.sqrt(pace)
        self.steps = {leg: self._steps(leg, phase) for leg, (_, phase) in _LEGS.items()}
        self.order = [int(joint) for level in skeleton.levels for joint in level]

    def roll_foot(self, side: str, position: FloatArray, *, pitch: float = 0.0, yaw: float = 0.0) -> FootPose:
        """A fetlock over a planted hoof, tipped over the tip of the hoof."""
        leg = self.legs[side]
        ankle_position = leg.toe + euler(pitch=-pitch) @ (leg.fetlock - leg.toe)
        here = np.array([position[0], leg.fetlock[1], position[1]])
        return FootPose(here + euler(yaw) @ (ankle_position - leg.fetlock), pitch, pitch, yaw)

    def _steps(self, leg: str, phase: float) -> Steps:
        fetlock = self.legs[leg].fetlock
        half = 0.5 * _STANCE * self.stride * 0.96
        contacts = []
        for lap in range(-2, 3):
            start = lap + phase
            strike, flat, rise, leave = ((start + after) * self.cycle for after in (0.0, 0.06, 0.40, _STANCE))
            position = np.array([0.85 * fetlock[0], fetlock[2] + start * self.stride + half])
            contacts.append(Contact(position, (strike, flat, rise, leave), (-4.0, -62.0), lift=0.07 * self.size))
        return Steps(self, leg, contacts)

    def recipe(self) -> Recipe:
        stride = np.array([0.0, 0.0, self.stride])
        return Recipe(self.skeleton, self.pose, self.cycle, self.fps, "walk", loop=True, stride=stride)

    def pose(self, time: float) -> Pose:
        phase = time / self.cycle
        rotations = self._trunk(phase)
        move = np.array(
            [
                0.012 * self.size * wave(phase, 0.32),
                self.size * (-0.030 + 0.010 * wave(2.0 * phase, 0.64)),
                phase * self.stride,
            ]
        )
        world = self._assembled(rotations, move)
        for name, leg in self.legs.items():
            foot = self.steps[name].at(time)
            root = world[leg.joints[0], :3, 3]
            air = (phase - _LEGS[name][1] - _STANCE) % 1.0
            fold = math.sin(math.pi * air / (1.0 - _STANCE)) ** 2 if air < 1.0 - _STANCE else 0.0
            rotations.update(leg.reaching(root, foot, fold))
        return Pose(self._assembled(rotations, move))

    def _trunk(self, phase: float) -> dict[str, FloatArray]:
        """Hips turn with the hind leg that steps; the spine bends back against it; head and tail follow late."""
        a = self.intensity
        yaw, roll = -3.0 * a * wave(phase), 2.5 * a * wave(phase, 0.2)
        nod = 4.0 * a * wave(2.0 * phase, 0.15)
        bends = {
            "Hips": euler(yaw, 0.6 * wave(2.0 * phase, 0.3), roll),
            "Spine1": euler(0.4 * yaw, 0.0, 0.6 * roll),
            "Spine2": euler(-0.6 * yaw, 0.0, 0.1 * roll),
            "Spine3": euler(-1.0 * yaw, 0.4 * wave(2.0 * phase, 0.6), -0.5 * roll),
            "Neck1": euler(-0.6 * yaw, 3.0 + 0.5 * nod),
            "Neck2": euler(-0.4 * yaw, 4.0 + 0.9 * nod),
            "Neck3": euler(-0.3 * yaw, 4.0 + nod),
            "Head": euler(-0.2 * yaw, 2.0 + 0.4 * wave(2.0 * phase, 0.35) * 4.0 * a),
            "LeftEar": euler(0.0, 2.0 + 4.0 * a * wave(2.0 * phase, 0.5)),
            "RightEar": euler(0.0, 2.0 + 4.0 * a * wave(2.0 * phase, 0.5)),
        }
        for number, name in enumerate(("Tail1", "Tail2", "Tail3")):
            late = 0.12 * (number + 1)
            bends[name] = euler(0.0, -2.0, (number + 1) * 4.0 * a * wave(phase, 0.1 + late)) @ bends["Hips"]
        return {name: rotation for name, rotation in bends.items() if name in self.skeleton.names}

    def _assembled(self, rotations: dict[str, FloatArray], move: FloatArray) -> FloatArray:
        """Transforms (J, 4, 4) with every bone as long as at rest; joints without a turn go along with their parent."""
        skeleton = self.skeleton
        world = np.tile(np.eye(4), (len(skeleton), 1, 1))
        rotation = np.empty((len(skeleton), 3, 3))
        for joint in self.order:
            parent = int(skeleton.parents[joint])
            above = rotation[parent] if parent >= 0 else np.eye(3)
            rotation[joint] = rotations.get(skeleton.names[joint], above)
            start = world[parent, :3, 3] if parent >= 0 else move
            rest = skeleton.heads[parent] if parent >= 0 else np.zeros(3)
            world[joint, :3, 3] = start + above @ (skeleton.heads[joint] - rest)
            world[joint, :3, :3] = rotation[joint] @ skeleton.world_from_joint[joint, :3, :3]
        return world


class _Leg:
    """A chain of joints that folds in the plane it walks in."""

    def __init__(self, skeleton: Skeleton, names: tuple[str, ...]) -> None:
        self.names = names
        self.joints = [skeleton.index(name) for name in names]
        positions = skeleton.heads[self.joints]
        self.bones = np.diff(positions, axis=0)
        self.fetlock = positions[-1]
        self.height = float(positions[0, 1] - positions[-1, 1])
        last = self.joints[-1]
        while len(skeleton.children(last)):
            last = int(skeleton.children(last)[0])
        bones = skeleton.bones
        self.toe = bones.ends[bones.joints == last][0]
        slopes = np.arctan2(-self.bones[:, 2], -self.bones[:, 1])  # of every bone in the plane, from straight down
        self.bends = np.diff(slopes)
        self.longest = _STRAIGHTEST * float(np.linalg.norm(self._end(-self.bends)))

    def _rotations(self, extra: FloatArray) -> list[FloatArray]:
        """Turns of the bones about x, the first kept, when every joint bends by `extra` (radians) more."""
        return [euler(pitch=math.degrees(angle)) for angle in np.concatenate([[0.0], np.cumsum(extra)])]

    def _end(self, extra: FloatArray) -> FloatArray:
        """From the first joint to the fetlock."""
        total: FloatArray = np.sum(
            [rotation @ bone for rotation, bone in zip(self._rotations(extra), self.bones, strict=True)], axis=0
        )
        return total

    def reaching(self, root: FloatArray, foot: FootPose, fold: float) -> dict[str, FloatArray]:
        """Turns by joint name that bring the fetlock to its place; `fold` (0 to 1) bends the lower joints more."""
        reach_vector = foot.ankle - root
        distance = min(float(np.linalg.norm(reach_vector)), self.longest)
        low = np.linspace(0.0, 1.0, len(self.bends)) ** 2
        more = math.radians(34.0) * fold * low * np.sign(self.bends)
        straight, folded = 0.0, 3.0
        for _ in range(40):
            middle = 0.5 * (straight + folded)
            extra = (middle - 1.0) * self.bends + middle * more
            if np.linalg.norm(self._end(extra)) > distance:
                straight = middle
            else:
                folded = middle
        extra = (straight - 1.0) * self.bends + straight * more
        aim = quaternions.matrix_from_quat(quaternions.rotation_between(self._end(extra), reach_vector))
        rotations = {name: aim @ rotation for name, rotation in zip(self.names, self._rotations(extra), strict=False)}
        rotations[self.names[-1]] = euler(foot.yaw, -foot.pitch)
        return rotations
