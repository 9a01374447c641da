"""Curves that teach themselves: a kinematic teacher is posed joint by joint, and the curves learn what it does.

So the skin works on any character by name, without a bake to learn from.
"""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import normalize, perpendicular, quat_from_axis_angle
from supple.motion.pose import Pose
from supple.skins.curves.learn.dataset import CurveDataset
from supple.skins.curves.learn.drivers import find_drivers, joint_influences, select_drivers
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.training import make_model, make_part
from supple.skins.curves.network.curve_network import curve_network
from supple.skins.curves.network.transfer import Transfer
from supple.skins.examples import TEACHERS, HostSkin, SkinExamples

_BEND, _TWIST = math.radians(90.0), math.radians(70.0)
_PROBES = 6  # about three axes, to both sides
_NOTHING = 0.02  # of a part's worth: joints that bend less of it leave it alone
_MOST = 24  # joints that drive a part; each is turned that often


def self_train(
    character: Character, *, base: str, teacher: str, detail: float, blend: str = "smooth", beyond: str = "ease"
) -> CurveModel:
    """What a kinematic skin adds to another, learnt from each joint turned about its bone and across it, to both sides.

    Where several joints turn at once, what they do is blended.
    """
    network = curve_network(character, nodes_per_vertex=detail)
    transfer, drivers = Transfer.from_network(network), find_drivers(character)
    influence = joint_influences(network, drivers)
    chosen = [select_drivers(row, most=_MOST) for row in influence]
    groups = _independent_groups(sorted({int(joint) for joints in chosen for joint in joints}), influence)
    frames = np.array([bone_frame(character.skeleton, int(joint)) for joint in drivers.joints]).reshape(-1, 3, 3)
    poses = [Pose.rest(character.skeleton)]
    for group in groups:
        poses += _probe_poses(character.skeleton, drivers.joints[group], frames[group])
    teach = HostSkin(TEACHERS[teacher](), character)
    examples = SkinExamples(tuple(poses), np.stack([teach(pose) for pose in poses]))
    dataset = CurveDataset.from_examples(character, examples, transfer, drivers, base=base)
    parts = []
    for number, (part, joints) in enumerate(zip(network.parts, chosen, strict=True)):
        axes = np.zeros((3 * len(joints), max(1, 3 * len(joints))))
        for index, joint in enumerate(joints):
            at = slice(3 * index, 3 * index + 3)
            axes[at, at] = influence[number, joint] * frames[joint]
        positions = dataset.rotations[:, joints].reshape(len(poses), -1) @ axes
        group_indices = [index for joint in joints for index, others in enumerate(groups) if joint in others]
        own_frames = (1 + _PROBES * np.array(group_indices, dtype=np.int32)[:, None] + np.arange(_PROBES)).ravel()
        nodes = dataset.nodes[own_frames, network.starts[number] : network.starts[number + 1]]
        shapes = nodes.reshape(len(own_frames), part.curves, part.nodes, 3)
        parts.append(
            make_part(part.name, joints, axes, positions=positions[own_frames], shapes=shapes, frames=own_frames)
        )
    return make_model(character, transfer, drivers, parts, base=base, blend=blend, beyond=beyond)


def bone_frame(skeleton: Skeleton, joint: int) -> FloatArray:
    """Axes (3, 3) as columns: along a joint's bone at rest, and two across it."""
    bones = skeleton.bones
    reach = (bones.ends - bones.starts)[bones.joints == joint].mean(axis=0)
    along = normalize(reach) if np.linalg.norm(reach) > 1e-9 else np.array([0.0, 1.0, 0.0])
    across = perpendicular(along)
    return np.stack([along, across, np.cross(along, across)], axis=1)


def _independent_groups(joints: list[int], influence: FloatArray) -> list[list[int]]:
    """Joints that can be turned in one pose, because no part is bent by two of them; fewer poses, the same examples."""
    groups: list[list[int]] = []
    for joint in joints:
        for group in groups:
            if not ((influence[:, group] > _NOTHING).any(axis=1) & (influence[:, joint] > _NOTHING)).any():
                group.append(joint)
                break
        else:
            groups.append([joint])
    return groups


def _probe_poses(skeleton: Skeleton, joints: IntArray, frames: FloatArray) -> list[Pose]:
    """Joints (K,) turned to both sides about the three axes (K, 3, 3) of their bones, all at once."""
    names = [skeleton.names[joint] for joint in joints]
    return [
        Pose.from_rotations(
            skeleton,
            dict(zip(names, quat_from_axis_angle(frames[:, :, axis], np.full(len(names), sign * angle)), strict=True)),
        )
        for axis, angle in enumerate((_TWIST, _BEND, _BEND))
        for sign in (1.0, -1.0)
    ]
