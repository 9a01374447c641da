"""Pose-space deformation that teaches itself: a kinematic teacher in random poses, for any character."""

from __future__ import annotations

import numpy as np

from supple.character.character import Character
from supple.geometry.quaternions import normalize, quat_from_axis_angle
from supple.motion.pose import Pose
from supple.skins.examples import TEACHERS, HostSkin, SkinExamples
from supple.skins.pose_space.model import PoseSpaceModel
from supple.skins.pose_space.training import fit_pose_space

_POSES = 96
_FARTHEST = 1.4  # rad: how far a joint is turned at most, where nothing is known of it
_TURNED = 0.5  # of the joints are turned in a pose


def self_train(character: Character, *, base: str, teacher: str) -> PoseSpaceModel:
    """What a kinematic skin adds to another, learnt from poses in which half of the joints are turned at random."""
    poses = [Pose.rest(character.skeleton), *random_poses(character, _POSES)]
    teach = HostSkin(TEACHERS[teacher](), character)
    points = np.stack([teach(pose) for pose in poses]).astype(np.float32)
    return fit_pose_space(character, SkinExamples(tuple(poses), points), below=base, inputs="pose")


def random_poses(character: Character, count: int, *, seed: int = 0) -> list[Pose]:
    """Poses with joints that move skin turned at random about any axis, other joints for every pose."""
    skeleton, weights = character.skeleton, character.require_weights("random_poses")
    mass = np.bincount(weights.joints.ravel(), weights=weights.values.ravel(), minlength=len(skeleton))
    used = np.flatnonzero((mass > 0.0) & (skeleton.parents >= 0))
    rng = np.random.default_rng(seed)
    poses = []
    for _ in range(count):
        chosen = used[rng.random(len(used)) < _TURNED]
        axes = normalize(rng.normal(size=(len(chosen), 3)))
        turns = quat_from_axis_angle(axes, rng.uniform(-_FARTHEST, _FARTHEST, len(chosen)))
        poses.append(
            Pose.from_rotations(skeleton, {skeleton.names[j]: turn for j, turn in zip(chosen, turns, strict=True)})
        )
    return poses
