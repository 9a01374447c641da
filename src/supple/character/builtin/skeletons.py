"""The skeletons of the built-in characters: y up, facing +z, left is +x, metres, joint axes along the world's."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton

Point = tuple[float, float, float]


class _Joint(NamedTuple):
    name: str
    parent: str  # empty for a root
    head: Point
    tail: Point


_HIPS = (0.0, 0.98, 0.0)
_SPINE = (0.0, 1.08, -0.005)
_SPINE1 = (0.0, 1.20, -0.012)
_SPINE2 = (0.0, 1.33, -0.018)
_NECK = (0.0, 1.49, -0.015)
_NECK1 = (0.0, 1.545, 0.0)
_HEAD = (0.0, 1.60, 0.012)
_CROWN = (0.0, 1.78, 0.02)

_ARM = (0.175, 1.435, -0.02)
_FOREARM = (0.373, 1.237, -0.025)
_HAND = (0.55, 1.06, -0.01)
_KNUCKLES = (0.614, 0.996, -0.005)
_FINGERTIPS = (0.670, 0.940, 0.0)

_UP_LEG = (0.098, 0.93, 0.0)
_LEG = (0.126, 0.51, 0.005)
_FOOT = (0.148, 0.09, -0.03)
_TOES = (0.164, 0.025, 0.10)
_TOE_TIPS = (0.170, 0.018, 0.165)

_SPINE_JOINTS = (
    _Joint("Hips", "", _HIPS, _SPINE),
    _Joint("Spine", "Hips", _SPINE, _SPINE1),
    _Joint("Spine1", "Spine", _SPINE1, _SPINE2),
    _Joint("Spine2", "Spine1", _SPINE2, _NECK),
    _Joint("Neck", "Spine2", _NECK, _NECK1),
    _Joint("Neck1", "Neck", _NECK1, _HEAD),
    _Joint("Head", "Neck1", _HEAD, _CROWN),
)
_ARM_JOINTS = (
    _Joint("LeftArm", "LeftShoulder", _ARM, _FOREARM),
    _Joint("LeftForeArm", "LeftArm", _FOREARM, _HAND),
    _Joint("LeftHand", "LeftForeArm", _HAND, _KNUCKLES),
    _Joint("LeftHandMiddle1", "LeftHand", _KNUCKLES, _FINGERTIPS),
)
_LEG_JOINTS = (
    _Joint("LeftUpLeg", "Hips", _UP_LEG, _LEG),
    _Joint("LeftLeg", "LeftUpLeg", _LEG, _FOOT),
    _Joint("LeftFoot", "LeftLeg", _FOOT, _TOES),
    _Joint("LeftToeBase", "LeftFoot", _TOES, _TOE_TIPS),
)

# Fingers in the frame of the hand: along the fingers, towards the thumb, out of the back of the hand [m].
# Name, where the knuckle is, the way it points, the lengths of its three bones.
_HAND_AXES = np.array([[math.sqrt(0.5), -math.sqrt(0.5), 0.0], [0.0, 0.0, 1.0], [math.sqrt(0.5), math.sqrt(0.5), 0.0]])
_FINGERS = (
    ("Thumb", (-0.062, 0.030, -0.010), (0.62, 0.78, -0.10), (0.040, 0.030, 0.026)),
    ("Index", (-0.002, 0.0285, 0.0), (0.985, 0.17, -0.03), (0.040, 0.024, 0.020)),
    ("Middle", (0.0, 0.0, 0.0), (0.999, 0.03, -0.03), (0.044, 0.027, 0.022)),
    ("Ring", (-0.004, -0.0265, 0.0), (0.990, -0.12, -0.03), (0.041, 0.025, 0.021)),
    ("Pinky", (-0.013, -0.0510, -0.002), (0.960, -0.27, -0.03), (0.033, 0.020, 0.018)),
)


def hero_skeleton(*, fingers: bool = False) -> Skeleton:
    """The person: 25 joints, or 53 with three to a finger, standing with the arms half lowered (A-pose)."""
    limbs = [_Joint("LeftShoulder", "Spine2", (0.025, 1.44, 0.0), _ARM), *_ARM_JOINTS, *_LEG_JOINTS]
    if fingers:
        limbs = [joint for joint in limbs if joint.name != "LeftHandMiddle1"] + _finger_joints()
    return _skeleton([*_SPINE_JOINTS, *limbs, *_mirrored(limbs)])


def arm_skeleton() -> Skeleton:
    """The left arm of the person on its own: upper arm, forearm, hand and fingers as one."""
    return _skeleton([_ARM_JOINTS[0]._replace(parent=""), *_ARM_JOINTS[1:]])


def leg_skeleton() -> Skeleton:
    """The left leg of the person on its own: thigh, shin, foot and toes."""
    return _skeleton([_LEG_JOINTS[0]._replace(parent=""), *_LEG_JOINTS[1:]])


def tube_skeleton(bones: int = 2, *, length: float = 1.0, radius: float = 0.1) -> Skeleton:
    """A straight chain along x, centred at the origin: joints Bone1, Bone2, ... of equal length.

    The first joint and the last tail stand half a radius inside the ends of the tube.
    """
    reach = 0.5 * length - min(0.5 * radius, 0.05 * length)
    control_points = np.linspace(-reach, reach, bones + 1)
    return _chain("Bone", [(float(x), 0.0, 0.0) for x in control_points])


def snake_skeleton() -> Skeleton:
    """Sixteen joints from the tail to the head, lying along z in a gentle S: Tail, Body1 to Body13, Neck, Head."""
    z = np.concatenate([np.linspace(-1.0, 0.86, 16), [0.985]])
    x = snake_sway(z)
    y = np.interp(z, [-1.0, -0.4, 0.7, 0.9, 1.0], [0.018, 0.043, 0.045, 0.050, 0.050])
    names = ["Tail", *(f"Body{i}" for i in range(1, 14)), "Neck", "Head"]
    points = [(float(a), float(b), float(c)) for a, b, c in zip(x, y, z, strict=True)]
    return _skeleton(
        [_Joint(name, names[i - 1] if i else "", points[i], points[i + 1]) for i, name in enumerate(names)]
    )


def snake_sway(z: FloatArray) -> FloatArray:
    """How far the resting snake lies to the side at `z` [m]: an S that fades out towards the head."""
    fade = 0.5 * (1.0 + np.tanh((0.75 - z) / 0.18))
    return 0.10 * np.sin(2.4 * math.pi * (z + 1.0) / 2.0) * fade


def quadruped_skeleton() -> Skeleton:
    """A slender four-legged animal, 34 joints: spine, neck, head with jaw and ears, tail, five joints to a leg."""
    middle = [
        _Joint("Hips", "", (0.0, 1.06, -0.44), (0.0, 1.07, -0.22)),
        _Joint("Spine1", "Hips", (0.0, 1.07, -0.22), (0.0, 1.05, 0.02)),
        _Joint("Spine2", "Spine1", (0.0, 1.05, 0.02), (0.0, 1.07, 0.24)),
        _Joint("Spine3", "Spine2", (0.0, 1.07, 0.24), (0.0, 1.13, 0.44)),
        _Joint("Neck1", "Spine3", (0.0, 1.13, 0.44), (0.0, 1.26, 0.555)),
        _Joint("Neck2", "Neck1", (0.0, 1.26, 0.555), (0.0, 1.40, 0.645)),
        _Joint("Neck3", "Neck2", (0.0, 1.40, 0.645), (0.0, 1.53, 0.715)),
        _Joint("Head", "Neck3", (0.0, 1.53, 0.715), (0.0, 1.335, 1.045)),
        _Joint("Jaw", "Head", (0.0, 1.455, 0.765), (0.0, 1.32, 0.985)),
        _Joint("Tail1", "Hips", (0.0, 1.09, -0.62), (0.0, 1.02, -0.70)),
        _Joint("Tail2", "Tail1", (0.0, 1.02, -0.70), (0.0, 0.88, -0.75)),
        _Joint("Tail3", "Tail2", (0.0, 0.88, -0.75), (0.0, 0.70, -0.765)),
    ]
    side = [
        _Joint("LeftEar", "Head", (0.048, 1.585, 0.705), (0.082, 1.70, 0.690)),
        _Joint("LeftFrontShoulder", "Spine3", (0.085, 1.10, 0.34), (0.125, 0.88, 0.46)),
        _Joint("LeftFrontUpperLeg", "LeftFrontShoulder", (0.125, 0.88, 0.46), (0.130, 0.70, 0.36)),
        _Joint("LeftFrontLowerLeg", "LeftFrontUpperLeg", (0.130, 0.70, 0.36), (0.130, 0.40, 0.385)),
        _Joint("LeftFrontCannon", "LeftFrontLowerLeg", (0.130, 0.40, 0.385), (0.130, 0.145, 0.375)),
        _Joint("LeftFrontFoot", "LeftFrontCannon", (0.130, 0.145, 0.375), (0.130, 0.02, 0.425)),
        _Joint("LeftHindUpperLeg", "Hips", (0.115, 0.98, -0.47), (0.135, 0.73, -0.37)),
        _Joint("LeftHindLowerLeg", "LeftHindUpperLeg", (0.135, 0.73, -0.37), (0.130, 0.49, -0.60)),
        _Joint("LeftHindCannon", "LeftHindLowerLeg", (0.130, 0.49, -0.60), (0.130, 0.16, -0.585)),
        _Joint("LeftHindPastern", "LeftHindCannon", (0.130, 0.16, -0.585), (0.130, 0.075, -0.555)),
        _Joint("LeftHindFoot", "LeftHindPastern", (0.130, 0.075, -0.555), (0.130, 0.02, -0.525)),
    ]
    return _skeleton([*middle, *side, *_mirrored(side)])


ARMS = 8
ARM_JOINTS = 7
_ARM_CONTROL_POINTS = np.array([0.085, 0.165, 0.255, 0.35, 0.445, 0.54, 0.63, 0.705])  # distance from the middle [m]


def octopus_skeleton() -> Skeleton:
    """63 joints: body, head, three of the mantle, two eyes, and eight arms of seven (Arm1_1 to Arm8_7).

    Arm 1 lies ahead to the left; the arms are numbered round through the left, the back and the right.
    """
    joints = [
        _Joint("Body", "", (0.0, 0.105, 0.0), (0.0, 0.20, 0.0)),
        _Joint("Head", "Body", (0.0, 0.20, 0.0), (0.0, 0.27, -0.01)),
        _Joint("Mantle1", "Head", (0.0, 0.27, -0.01), (0.0, 0.36, -0.035)),
        _Joint("Mantle2", "Mantle1", (0.0, 0.36, -0.035), (0.0, 0.46, -0.065)),
        _Joint("Mantle3", "Mantle2", (0.0, 0.46, -0.065), (0.0, 0.56, -0.095)),
        _Joint("LeftEye", "Head", (0.070, 0.235, 0.035), (0.100, 0.245, 0.055)),
        _Joint("RightEye", "Head", (-0.070, 0.235, 0.035), (-0.100, 0.245, 0.055)),
    ]
    for arm in range(ARMS):
        along, across = octopus_arm_axes(arm)
        sway, height = octopus_arm_course(_ARM_CONTROL_POINTS, arm)
        path = (
            _ARM_CONTROL_POINTS[:, None] * along + sway[:, None] * across + height[:, None] * np.array([0.0, 1.0, 0.0])
        )
        control_points = [(float(x), float(y), float(z)) for x, y, z in path]
        for i in range(ARM_JOINTS):
            parent = "Body" if i == 0 else f"Arm{arm + 1}_{i}"
            joints.append(_Joint(f"Arm{arm + 1}_{i + 1}", parent, control_points[i], control_points[i + 1]))
    return _skeleton(joints)


def octopus_arm_axes(arm: int) -> tuple[FloatArray, FloatArray]:
    """The direction in which an arm leaves the body, and the one across it, both level."""
    rotation = (arm + 0.5) * 2.0 * math.pi / ARMS  # from straight ahead (+z) through the left (+x)
    return np.array([math.sin(rotation), 0.0, math.cos(rotation)]), np.array(
        [math.cos(rotation), 0.0, -math.sin(rotation)]
    )


def octopus_arm_course(reach: FloatArray, arm: int) -> tuple[FloatArray, FloatArray]:
    """How an arm winds: its sway sideways and its height [m] at a distance `reach` [m] from the middle.

    Left and right arms mirror each other, so the animal does.
    """
    side = 1.0 if arm < ARMS // 2 else -1.0
    mirror = arm if arm < ARMS // 2 else ARMS - 1 - arm
    bend = (0.055, 0.045, 0.045, -0.05)[mirror]
    out = np.maximum(reach - 0.10, 0.0) / 0.6
    sway = side * bend * np.sin(2.0 * math.pi * out * 0.85) * out
    height = 0.036 + 0.055 * np.exp(-((reach / 0.17) ** 2)) - 0.018 * np.clip(out, 0.0, 1.0)
    lift = 0.035 * np.maximum(out - 0.55, 0.0) ** 2 / 0.45**2
    return sway, height + lift


def _finger_joints() -> list[_Joint]:
    origin, joints = np.array(_KNUCKLES), []
    for finger, knuckle, direction, lengths in _FINGERS:
        step = np.array(direction) / np.linalg.norm(direction) @ _HAND_AXES
        control_points = [origin + np.array(knuckle) @ _HAND_AXES]
        for length in lengths:
            control_points.append(control_points[-1] + length * step)
        points = [(float(x), float(y), float(z)) for x, y, z in control_points]
        for i in range(3):
            parent = "LeftHand" if i == 0 else f"LeftHand{finger}{i}"
            joints.append(_Joint(f"LeftHand{finger}{i + 1}", parent, points[i], points[i + 1]))
    return joints


def _mirrored(joints: list[_Joint]) -> list[_Joint]:
    """The same joints on the right."""

    def flip(point: Point) -> Point:
        return (-point[0], point[1], point[2])

    return [
        _Joint(j.name.replace("Left", "Right"), j.parent.replace("Left", "Right"), flip(j.head), flip(j.tail))
        for j in joints
    ]


def _chain(name: str, control_points: list[Point]) -> Skeleton:
    return _skeleton(
        [
            _Joint(f"{name}{i + 1}", f"{name}{i}" if i else "", head, tail)
            for i, (head, tail) in enumerate(itertools.pairwise(control_points))
        ]
    )


def _skeleton(joints: list[_Joint]) -> Skeleton:
    number = {joint.name: i for i, joint in enumerate(joints)}
    parents = [number[joint.parent] if joint.parent else -1 for joint in joints]
    heads, tails = np.array([j.head for j in joints]), np.array([j.tail for j in joints])
    return Skeleton.from_heads([j.name for j in joints], parents, heads, tails=tails)
