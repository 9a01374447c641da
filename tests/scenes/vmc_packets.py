"""VMC datagrams for tests, and a hero and a spine that follow them."""

from __future__ import annotations

import supple
from supple import Pose, Skeleton
from supple.motion.live.vmc.osc import Message, write_bundle, write_message

HERO = supple.character("hero", vertices=2000)
WALK = supple.motion("walk", HERO)
UNTURNED = (0.0, 0.0, 0.0, 1.0)
SPINE = Skeleton.from_heads(["a", "b", "c"], [-1, 0, 1], [[0.0, 1.0, 0.0], [0.0, 1.3, 0.0], [0.0, 1.6, 0.0]])
SPINE_TABLE = {"a": "Hips", "b": "Spine", "c": "Chest"}


def world(pose: Pose):
    return pose.world_from_joint


def bone(name: str, position=(0.0, 0.0, 0.0), rotation=UNTURNED) -> Message:
    return Message("/VMC/Ext/Bone/Pos", (name, *map(float, position), *map(float, rotation)))


def clock(time: float) -> Message:
    return Message("/VMC/Ext/T", (float(time),))


def packet(*messages: Message) -> bytes:
    return write_bundle([write_message(message) for message in messages])
