"""The springs of a VRM, 1.0 and 0.x, from what was kept of its file."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.motion.spring_bones.springs import Collider, Spring, SpringJoint, chains_below, tail_of

_MOST = 1e4  # a larger number in a file is none
_END = 0.07  # m: how far beyond the last joint of an old VRM its tail is


def file_springs(character: Character) -> tuple[Spring, ...]:
    """The springs that came with a character; none where its file had none, or names joints that are gone."""
    kept = character.extras.get("gltf", {})
    extensions = _object(_object(kept).get("extensions"))
    joints = _Joints(character.skeleton, _object(kept).get("node_joints", ()))
    newer = _object(extensions.get("VRMC_springBone"))
    if newer:
        return _newer(newer, joints)
    return _older(_object(_object(extensions.get("VRM")).get("secondaryAnimation")), joints)


class _Joints:
    """Joints by the numbers that their nodes had in the file."""

    def __init__(self, skeleton: Skeleton, names: Sequence[Any]) -> None:
        self.skeleton = skeleton
        there = {name: joint for joint, name in enumerate(skeleton.names)}
        self._of = {node: there[name] for node, name in enumerate(names) if name in there}

    def __call__(self, node: Any) -> int:
        return self._of.get(node, -1) if type(node) is int else -1


def _newer(fields: Mapping[str, Any], joint_of: _Joints) -> tuple[Spring, ...]:
    """VRMC_springBone: every joint of a spring but the last swings, and the next one is its tail."""
    every = [_collider(one, joint_of) for one in _objects(fields.get("colliders"))]
    groups = [
        [every[n] for n in _listed(group.get("colliders")) if type(n) is int and 0 <= n < len(every)]
        for group in _objects(fields.get("colliderGroups"))
    ]
    springs = []
    for spring in _objects(fields.get("springs")):
        rows = [(row, joint_of(row.get("node"))) for row in _objects(spring.get("joints"))]
        rows = [(row, joint) for row, joint in rows if joint >= 0]
        world = joint_of.skeleton.world_from_joint
        joints = []
        for (row, joint), (_, after) in itertools.pairwise(rows):
            away = world[after, :3, 3] - world[joint, :3, 3]
            if np.linalg.norm(away) > 0.0:
                tail: FloatArray = np.asarray(np.linalg.solve(world[joint, :3, :3], away), dtype=np.float64)
                joints.append(_spring_joint(row, joint, tail, ("stiffness", "hitRadius"), 1.0))
        met = [one for n in _listed(spring.get("colliderGroups")) if type(n) is int and 0 <= n < len(groups)
               for one in groups[n] if one is not None]  # fmt: skip
        if joints:
            springs.append(Spring(tuple(joints), tuple(met), joint_of(spring.get("center"))))
    return tuple(springs)


def _older(fields: Mapping[str, Any], joint_of: _Joints) -> tuple[Spring, ...]:
    """VRM 0.x: every joint below the roots of a group swings; balls alone are met, and look the other way along z."""
    groups = []
    for group in _objects(fields.get("colliderGroups")):
        joint, balls = joint_of(group.get("node")), _objects(group.get("colliders"))
        offsets = [_vector(ball.get("offset")) * (1.0, 1.0, -1.0) for ball in balls]
        radii = [_number(ball.get("radius"), 0.0) for ball in balls]
        groups.append([Collider(joint, o, o, r) for o, r in zip(offsets, radii, strict=True) if joint >= 0])
    springs, skeleton = [], joint_of.skeleton
    for group in _objects(fields.get("boneGroups")):
        met = [one for n in _listed(group.get("colliderGroups")) if type(n) is int and 0 <= n < len(groups)
               for one in groups[n]]  # fmt: skip
        for root in (joint_of(node) for node in _listed(group.get("bones"))):
            for chain in chains_below(skeleton, root) if root >= 0 else ():
                joints = []
                for joint in chain:
                    end = tail_of(skeleton, joint)
                    if not len(skeleton.children(joint)):
                        end = _END * end / max(float(np.linalg.norm(end)), 1e-12)
                    joints.append(_spring_joint(group, joint, end, ("stiffiness", "hitRadius"), 1.0))
                springs.append(Spring(tuple(joints), tuple(met), joint_of(group.get("center"))))
    return tuple(springs)


def _spring_joint(
    row: Mapping[str, Any], joint: int, tail: FloatArray, names: tuple[str, str], stiffness: float
) -> SpringJoint:
    gravity = _vector(row.get("gravityDir"), (0.0, -1.0, 0.0)) * _number(row.get("gravityPower"), 0.0)
    drag = min(max(_number(row.get("dragForce"), 0.5), 0.0), 1.0)
    return SpringJoint(
        joint, tail, max(_number(row.get(names[0]), stiffness), 0.0), drag, gravity, _number(row.get(names[1]), 0.0)
    )


def _collider(row: Mapping[str, Any], joint_of: _Joints) -> Collider | None:
    """A ball or a capsule; other shapes are not met."""
    shape, joint = _object(row.get("shape")), joint_of(row.get("node"))
    fields = _object(shape.get("sphere")) or _object(shape.get("capsule"))
    if joint < 0 or not fields:
        return None
    offset = _vector(fields.get("offset"))
    tail = _vector(fields.get("tail")) if "capsule" in shape else offset
    return Collider(joint, offset, tail, max(_number(fields.get("radius"), 0.0), 0.0))


def _vector(value: Any, usual: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> FloatArray:
    """A vector as VRM 1.0 writes it, [x, y, z], or 0.x, {"x": ...}."""
    if isinstance(value, dict):
        return np.array([_number(value.get(axis), 0.0) for axis in "xyz"])
    if isinstance(value, list | tuple) and len(value) == 3:
        return np.array([_number(one, 0.0) for one in value])
    return np.array(usual)


def _number(value: Any, usual: float) -> float:
    return float(value) if type(value) in (int, float) and abs(value) < _MOST else usual


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _listed(value) if isinstance(item, Mapping)]
