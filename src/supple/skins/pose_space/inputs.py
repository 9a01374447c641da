"""What a learnt skin looks at: how joints are turned, where gravity points, how fast joints turn and how they speed up.

One piece of code takes these numbers from a frame, while a skin learns and while it plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import conjugate, nearest_rotation, normalize, quat_from_matrix, quat_multiply
from supple.motion.pose import Pose
from supple.skins.examples import SkinExamples
from supple.skins.kinematic.blend import Affine
from supple.skins.pose_space.parts import Parts

INPUTS = 12  # numbers a joint has: its rotation, gravity, angular velocity, acceleration
KINDS = {"pose": 3, "gravity": 6, "motion": 12}
"""How many of those numbers are looked at."""
# What a radian, the direction of gravity, a radian per second and a metre per second squared count. Tried on motions of
# one captured body: half or twice as much of one of them changes the error in motions kept out by a few percent.
SCALES = (0.4, 0.25, 0.04, 0.015)
FASTEST, HARDEST = 15.0, 40.0  # rad/s, m/s^2: where angular velocities and accelerations level off
DOWN = (0.0, -1.0, 0.0)


@dataclass(frozen=True, eq=False)
class JointFrame:
    """What joints are seen from: `references` (J,), -1 for none, and `homes` (J, 4), rotations that they turn around.

    A rotation and the one that goes on round to the same end are told apart by the home: the shorter way from there.
    """

    references: IntArray
    homes: FloatArray

    def __post_init__(self) -> None:
        references = frozen(self.references, np.int32, (-1,), "JointFrame", "references")
        object.__setattr__(self, "references", references)
        object.__setattr__(self, "homes", frozen(self.homes, np.float64, (len(references), 4), "JointFrame", "homes"))

    @classmethod
    def from_poses(cls, character: Character, poses: Sequence[Pose]) -> JointFrame:
        """Joints seen from their parents, at home in the middle of what they do."""
        skeleton = character.skeleton
        turns = relative_rotations(skeleton, poses)
        total = turns[0].copy()
        last = turns[0]
        for turn in turns[1:]:
            last = turn * np.where((turn * last).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
            total += last
        clear = np.linalg.norm(total, axis=1, keepdims=True) > 1e-6
        return cls(skeleton.parents, np.where(clear, normalize(total), turns[0]))


def relative_rotations(skeleton: Skeleton, poses: Sequence[Pose]) -> FloatArray:
    """How every joint is turned away from rest as its parent sees it, quaternions (F, J, 4)."""
    linear = np.stack([pose.skinning(skeleton)[:, :3, :3] for pose in poses])
    turned = quat_from_matrix(nearest_rotation(linear.reshape(-1, 3, 3))).reshape(*linear.shape[:2], 4)
    parents = skeleton.parents
    above = np.where((parents >= 0)[:, None], turned[:, parents], [0.0, 0.0, 0.0, 1.0])
    return np.asarray(quat_multiply(conjugate(above), turned))


def farthest_turns(skeleton: Skeleton, poses: Sequence[Pose]) -> FloatArray:
    """How far every joint (J,) turns in some poses from the first of them [rad]."""
    turns = relative_rotations(skeleton, poses)
    cosine = np.abs((turns * turns[:1]).sum(axis=2)).min(axis=0)
    return np.asarray(2.0 * np.arccos(np.clip(cosine, 0.0, 1.0)))


def select_inputs(parts: Parts, kind: str) -> tuple[IntArray, Float32Array]:
    """Numbers of joints that every part looks at, and what each counts: entries and scales, (P, D).

    Parts that look at fewer have entries that count nothing.
    """
    lists = []
    for joint, neighbors in zip(parts.joints, parts.neighbors, strict=True):
        own = [(INPUTS * other + axis, SCALES[0] * counts) for other, counts in neighbors for axis in range(3)]
        own += [(INPUTS * int(joint) + axis, SCALES[axis // 3]) for axis in range(3, KINDS[kind])]
        lists.append(own)
    size = 4 * max(1, -(-max(len(own) for own in lists) // 4))  # kernels take four at once
    entries, scales = np.zeros((len(lists), size), dtype=np.int32), np.zeros((len(lists), size), dtype=np.float32)
    for number, own in enumerate(lists):
        for place, (entry, scale) in enumerate(own):
            entries[number, place], scales[number, place] = entry, scale
    return entries, scales


@dataclass
class History:
    """What the inputs of the next frame depend on, on the device: rotations, positions and velocities of the joints."""

    frames: Any
    rotations: Any
    positions: Any
    velocities: Any


class InputReader:
    """Takes the numbers of all joints from one frame after another, on a device.

    `affine` are the skinning transforms of the frame, which the skin below uses too.
    """

    def __init__(self, frame: JointFrame, affine: Affine, device: str) -> None:
        from supple.skins.pose_space import kernels

        wp, count = devices.warp(), len(frame.references)
        self._affine = affine
        self._positions = wp.zeros(count, dtype=wp.vec3d, device=device)
        self._rate, self._interval = wp.zeros(1, dtype=wp.float32, device=device), 0.0
        self.inputs = wp.zeros(INPUTS * count, dtype=wp.float32, device=device)
        self.history = History(
            wp.zeros(count, dtype=wp.int32, device=device),
            wp.zeros(count, dtype=wp.quatf, device=device),
            wp.zeros(count, dtype=wp.vec3d, device=device),
            wp.zeros(count, dtype=wp.vec3d, device=device),
        )
        joints = devices.fill_struct(
            kernels.Joints(),
            references=devices.to_device(frame.references, wp.int32, device),
            homes=devices.to_device(frame.homes.astype(np.float32), wp.quatf, device),
            down=wp.vec3f(*DOWN),
            fastest=FASTEST,
            hardest=HARDEST,
            rate=self._rate,
        )
        history = devices.fill_struct(kernels.History(), **vars(self.history))
        inputs = [affine.matrices, self._positions, joints, history, self.inputs]
        self.launch = devices.Launch(kernels.read_joints, count, inputs, device)

    def set_pose(self, pose: Pose, skeleton: Skeleton, interval: float) -> None:
        """Take a pose; `interval` [s] is the time since the last one, 0 where nothing follows."""
        self._affine.set_pose(pose, skeleton)
        if interval > 0.0:  # else nobody asks where joints are
            pose.write_positions(self._positions)
        if interval != self._interval:
            self._interval = interval
            devices.write(self._rate, np.array([1.0 / interval if interval > 0.0 else 0.0], dtype=np.float32))

    def forget(self) -> None:
        """Be at rest in the next pose."""
        self.history.frames.zero_()


def read_inputs(character: Character, frame: JointFrame, examples: SkinExamples) -> Float32Array:
    """The numbers (F, 12 J) of all frames of some examples; every motion starts at rest."""
    reader = InputReader(frame, Affine(len(character.skeleton), "cpu"), "cpu")
    found = np.zeros((len(examples), INPUTS * len(character.skeleton)), dtype=np.float32)
    starts = set(np.cumsum([0, *examples.lengths]).tolist())
    for number, pose in enumerate(examples.poses):
        if number in starts:
            reader.forget()
        reader.set_pose(pose, character.skeleton, examples.interval)
        reader.launch()
        found[number] = devices.to_host(reader.inputs)
    return found
