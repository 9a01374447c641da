"""Joints that lag behind and swing, step by step, as springs of a VRM do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.motion.spring_bones.springs import STEP, Spring, springs_of

_SETTLING = 6.0  # s that a motion is played before it is recorded, so that it begins as it goes on


class SpringBones:
    """The swinging joints of one character in motion [VRMC_springBone 1.0].

    Every 1/60 s each joint's tail keeps what its drag leaves of its motion, goes towards where the pose has it and down
    by gravity, is put at the right distance from its joint and out of colliders; then the joint turns to look at it.
    Joints swing about where the motion has them: what an animator keyed is where they come to rest.
    """

    def __init__(self, character: Character, springs: Sequence[Spring] | None = None) -> None:
        self.skeleton = character.skeleton
        self.springs = springs_of(character) if springs is None else tuple(springs)
        self._order = np.concatenate(self.skeleton.levels).tolist()
        self._rows = {one.joint: (number, one) for number, spring in enumerate(self.springs) for one in spring.joints}
        self._tails: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._centers: dict[int, FloatArray] = {}
        self._left = 0.0

    def reset(self) -> None:
        """Forget the past: the next pose is at rest."""
        self._tails, self._centers, self._left = {}, {}, 0.0

    def advance(self, pose: Pose, dt: float) -> Pose:
        """The pose with swinging joints, `dt` [s] after the last one; the first pose is at rest."""
        if not self._rows:
            return pose
        if len(pose) != len(self.skeleton):
            raise InputError(
                "SpringBones",
                f"the pose has {len(pose)} joints",
                f"the skeleton has {len(self.skeleton)}",
                "use a motion made for this character",
            )
        self._left += dt
        steps = int(self._left / STEP + 1e-6)
        self._left -= steps * STEP
        world = self._posed(pose.world_from_joint, moving=steps > 0)
        for _ in range(max(steps, 1) - 1):
            world = self._posed(pose.world_from_joint, moving=True)
        return Pose(world, shapes=pose.shapes)

    def _posed(self, carried: FloatArray, *, moving: bool) -> FloatArray:
        """Joints (J, 4, 4), from where the motion has them."""
        parents = self.skeleton.parents
        self._follow_centers(carried)
        world = carried.copy()
        for joint in self._order:
            parent = int(parents[joint])
            if parent >= 0:
                world[joint] = world[parent] @ np.linalg.solve(carried[parent], carried[joint])
            if joint in self._rows:
                self._swing(joint, world, moving=moving)
        return world

    def _swing(self, joint: int, world: FloatArray, *, moving: bool) -> None:
        """Turn one joint towards its tail, which moves on by a step first if it is `moving`."""
        number, spring = self._rows[joint]
        head = world[joint, :3, 3]
        aimed = world[joint, :3, :3] @ spring.tail
        length = float(np.linalg.norm(aimed))
        if length == 0.0:
            return
        before, now = self._tails.setdefault(joint, (head + aimed, head + aimed))
        if moving:
            free = now + (1.0 - spring.drag) * (now - before)
            free = free + STEP * (spring.stiffness * aimed / length + spring.gravity)
            tail = self._outside(number, head + _long(free - head, length, aimed), head, length, spring.radius, world)
            self._tails[joint] = now, tail
        else:
            tail = head + _long(now - head, length, aimed)
        turn = quaternions.matrix_from_quat(quaternions.rotation_between(aimed, tail - head))
        world[joint, :3, :3] = turn @ world[joint, :3, :3]

    def _outside(
        self, number: int, tail: FloatArray, head: FloatArray, length: float, radius: float, world: FloatArray
    ) -> FloatArray:
        """The tail pushed out of what its spring may not go through, still at its distance."""
        for collider in self.springs[number].colliders:
            place = world[collider.joint]
            start, end = (place[:3, :3] @ point + place[:3, 3] for point in (collider.offset, collider.tail))
            axis = end - start
            along = np.clip((tail - start) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
            away = tail - (start + along * axis)
            apart, least = float(np.linalg.norm(away)), radius + collider.radius
            if 0.0 < apart < least:
                tail = head + _long(tail + (least / apart - 1.0) * away - head, length, away)
        return tail

    def _follow_centers(self, carried: FloatArray) -> None:
        """Carry the tails of springs along with their centers, whose motion makes nothing swing."""
        for spring in self.springs:
            if spring.center < 0:
                continue
            now = carried[spring.center]
            before = self._centers.get(spring.center, now)
            moved = now @ np.linalg.inv(before)
            for one in spring.joints:
                if one.joint in self._tails:
                    old, tail = ((moved[:3, :3] @ x + moved[:3, 3]) for x in self._tails[one.joint])
                    self._tails[one.joint] = old, tail
        self._centers = {spring.center: carried[spring.center].copy() for spring in self.springs if spring.center >= 0}


def with_spring_bones(character: Character, motion: Motion, springs: Sequence[Spring] | None = None) -> Motion:
    """The motion with joints that swing, as keys 60 times a second; the same motion where nothing swings.

    `springs` are those that the character's file has, or else those that names tell, if none are given. A motion that
    loops is played until it goes on as it began.
    """
    bones = SpringBones(character, springs)
    if not bones.springs:
        return motion
    lead = 0
    if motion.loop and motion.duration > 0.0:
        lead = round(max(np.ceil(_SETTLING / motion.duration), 1.0) * motion.duration / STEP)
    bones.advance(motion.sample(-lead * STEP), 0.0)
    for step in range(1 - lead, 1):
        bones.advance(motion.sample(step * STEP), STEP)
    last = 0.0

    def pose(time: float) -> Pose:
        nonlocal last
        elapsed, last = time - last, time
        return bones.advance(motion.sample(time), elapsed)

    return Motion.from_poses(
        motion.skeleton,
        pose,
        seconds=motion.duration,
        fps=1.0 / STEP,
        name=motion.name,
        loop=motion.loop,
        stride=motion.stride,
    )


def _long(vector: FloatArray, length: float, usual: FloatArray) -> FloatArray:
    """The vector at a length [m]; along `usual` where it has none."""
    size = float(np.linalg.norm(vector))
    return length / size * vector if size > 0.0 else length / max(float(np.linalg.norm(usual)), 1e-300) * usual
