"""Curves that teach themselves: a kinematic teacher is posed joint by joint, and the curves learn what it does.

So the skin works on any character by name, without a bake to learn from.
"""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import Floats, Ints
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import normalize, perpendicular, quat_from_axis_angle
from supple.motion.pose import Pose
from supple.skins.curves.dataset import CurveExamples, Lessons
from supple.skins.curves.drivers import Drivers, driving, worths
from supple.skins.curves.model import CurveModel
from supple.skins.curves.network import curve_network
from supple.skins.curves.posing import TEACHERS, Posed
from supple.skins.curves.training import model_of, part_of
from supple.skins.curves.transfer import Transfer

_BEND, _TWIST = math.radians(90.0), math.radians(70.0)
_WAYS = 6  # about three axes, to both sides
_NOTHING = 0.02  # of a part's worth: joints that bend less of it leave it alone
_MOST = 24  # joints that drive a part; each is turned that many ways


def self_taught(
    character: Character, *, base: str, teacher: str, detail: float, blend: str = "smooth", beyond: str = "ease"
) -> CurveModel:
    """What a kinematic skin adds to another, learnt from each joint turned about its bone and across it, both ways.

    Where several joints turn at once, what they do is blended.
    """
    network = curve_network(character, detail=detail)
    transfer, drivers = Transfer.of(network), Drivers.of(character)
    worth = worths(network, drivers)
    chosen = [driving(row, most=_MOST) for row in worth]
    together = _together(sorted({int(joint) for joints in chosen for joint in joints}), worth)
    frames = np.array([bone_frame(character.skeleton, int(joint)) for joint in drivers.joints]).reshape(-1, 3, 3)
    poses = [Pose.rest(character.skeleton)]
    for group in together:
        poses += _turned(character.skeleton, drivers.joints[group], frames[group])
    posed = Posed(TEACHERS[teacher](), character)
    examples = CurveExamples(tuple(poses), np.stack([posed(pose) for pose in poses]))
    told = Lessons.of(character, examples, transfer, drivers, base=base)
    parts = []
    for number, (part, joints) in enumerate(zip(network.parts, chosen, strict=True)):
        axes = np.zeros((3 * len(joints), max(1, 3 * len(joints))))
        for position, joint in enumerate(joints):
            at = slice(3 * position, 3 * position + 3)
            axes[at, at] = worth[number, joint] * frames[joint]
        positions = told.rotations[:, joints].reshape(len(poses), -1) @ axes
        lessons = [position for joint in joints for position, others in enumerate(together) if joint in others]
        mine = (1 + _WAYS * np.array(lessons, dtype=np.int32)[:, None] + np.arange(_WAYS)).ravel()
        nodes = told.nodes[mine, network.starts[number] : network.starts[number + 1]]
        shapes = nodes.reshape(len(mine), part.curves, part.nodes, 3)
        parts.append(part_of(part.name, joints, axes, positions=positions[mine], shapes=shapes, frames=mine))
    return model_of(character, transfer, drivers, parts, base=base, blend=blend, beyond=beyond)


def bone_frame(skeleton: Skeleton, joint: int) -> Floats:
    """Axes (3, 3) as columns: along a joint's bone at rest, and two across it."""
    bones = skeleton.bones
    reach = (bones.ends - bones.starts)[bones.joints == joint].mean(axis=0)
    along = normalize(reach) if np.linalg.norm(reach) > 1e-9 else np.array([0.0, 1.0, 0.0])
    across = perpendicular(along)
    return np.stack([along, across, np.cross(along, across)], axis=1)


def _together(joints: list[int], worth: Floats) -> list[list[int]]:
    """Joints that can be turned in one pose, because no part is bent by two of them; fewer poses, the same lessons."""
    groups: list[list[int]] = []
    for joint in joints:
        for group in groups:
            if not ((worth[:, group] > _NOTHING).any(axis=1) & (worth[:, joint] > _NOTHING)).any():
                group.append(joint)
                break
        else:
            groups.append([joint])
    return groups


def _turned(skeleton: Skeleton, joints: Ints, frames: Floats) -> list[Pose]:
    """Joints (K,) turned to both sides about the three axes (K, 3, 3) of their bones, all at once."""
    names = [skeleton.names[joint] for joint in joints]
    return [
        Pose.from_rotations(
            skeleton,
            dict(zip(names, quat_from_axis_angle(frames[:, :, axis], np.full(len(names), way * angle)), strict=True)),
        )
        for axis, angle in enumerate((_TWIST, _BEND, _BEND))
        for way in (1.0, -1.0)
    ]
