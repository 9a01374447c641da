"""Our poses as datagrams of the VMC protocol, as an avatar program would send them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from supple.character.anatomy.humanoid import Anatomy, leg_length
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.live.vmc.humanoid import HumanoidPose, RotationTransfer, avatar, hip_sockets
from supple.motion.live.vmc.osc import Message, write_bundle, write_message
from supple.motion.live.vmc.protocol import BONES, mirrored_position, mirrored_rotation
from supple.motion.pose import Pose

_WHERE = "VmcEncoder"
_LARGEST = 1400  # bytes; what a network carries in one piece


class VmcEncoder:
    """Says in the VMC protocol how a character stands, through an avatar of Unity's bones that moves like it.

    `datagrams(pose, time)` is one frame: the sender's time, the root, all 55 bones and the shares of shapes, in bundles
    that a network carries in one piece. Places and rotations are those of an avatar of 1.7 m that follows the character
    as in retargeting; bones that the character has not are sent unturned. `table` {joint: bone} adds to what names
    tell.
    """

    def __init__(self, character: Character | Skeleton, *, table: Mapping[str, str] | None = None) -> None:
        skeleton = character.skeleton if isinstance(character, Character) else character
        self.skeleton = skeleton
        body = avatar()
        of, to = Anatomy(skeleton), Anatomy(body)
        bones = None if table is None else {bone: joint for joint, bone in table.items()}
        self._transfer = RotationTransfer(of, to, bones)
        pairs = self._transfer.pairs
        self._hips = of.parts.get("hips", pairs[0].source if 0 in pairs else -1)
        legs = leg_length(of), leg_length(to)
        self._ratio = legs[1] / legs[0] if legs[0] > 0.0 else 1.0
        sockets = hip_sockets(of), hip_sockets(to)
        self._sockets = np.zeros((2, 3)) if sockets[0] is None else np.array(sockets)
        self._above = body.parents[1:]
        self._positions = np.concatenate([body.heads[:1], body.heads[1:] - body.heads[self._above]])

    def humanoid(self, pose: Pose) -> HumanoidPose:
        """The avatar in the character's pose, in our axes."""
        skinning = pose.skinning(self.skeleton)
        rotations_of_joints = quaternions.nearest_rotation(skinning[:, :3, :3])
        rotations = self._transfer.rotations(quaternions.quat_from_matrix(rotations_of_joints))
        sent = HumanoidPose()
        local = rotations.copy()
        local[1:] = rotations[self._above].swapaxes(-1, -2) @ rotations[1:]
        sent.rotations = quaternions.quat_from_matrix(local)
        sent.positions = self._positions.copy()
        if self._hips >= 0:
            middle = pose.world_from_joint[self._hips, :3, 3] + rotations_of_joints[self._hips] @ self._sockets[0]
            sent.positions[0] = self._ratio * (self._transfer.body @ middle) - rotations[0] @ self._sockets[1]
        return sent

    def datagrams(self, pose: Pose, time: float) -> list[bytes]:
        """One frame at the sender's `time` [s], as datagrams of at most 1400 bytes that each name the time."""
        if not math.isfinite(time):
            raise InputError(_WHERE, f"time is {time}", "a finite time is needed", "pass seconds")
        clock = write_message(Message("/VMC/Ext/T", (float(time),)))
        bundles, size = [[clock]], _size(clock)
        for message in self._messages(pose):
            written = write_message(message)
            if size + _size(written) > _LARGEST:
                bundles.append([clock])
                size = _size(clock)
            bundles[-1].append(written)
            size += _size(written)
        return [write_bundle(bundle) for bundle in bundles]

    def _messages(self, pose: Pose) -> Iterator[Message]:
        sent = self.humanoid(pose)
        positions, rotations = mirrored_position(sent.positions).tolist(), mirrored_rotation(sent.rotations).tolist()
        yield Message("/VMC/Ext/OK", (1,))
        yield Message("/VMC/Ext/Root/Pos", ("root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
        for name, position, rotation in zip(BONES, positions, rotations, strict=True):
            yield Message("/VMC/Ext/Bone/Pos", (name, *position, *rotation))
        for name, weight in pose.shapes.items():
            yield Message("/VMC/Ext/Blend/Val", (name, float(weight)))
        if pose.shapes:
            yield Message("/VMC/Ext/Blend/Apply")


def _size(written: bytes) -> int:
    """Bytes that a message takes in a bundle; the sixteen of the bundle itself are counted with the first."""
    return len(written) + 4 + (16 if written.startswith(b"/VMC/Ext/T\0") else 0)
