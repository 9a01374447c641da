"""Rigid things that a character's flesh meets; they are shared by all skins that meet the world."""

from __future__ import annotations

from supple.obstacles import BakedSkin, Box, Capsule, Keys, MovingMesh, Path, Plane, RigidBody, Sphere, Straight
from supple.obstacles.on_device import DeviceBodies

__all__ = [
    "BakedSkin",
    "Box",
    "Capsule",
    "DeviceBodies",
    "Keys",
    "MovingMesh",
    "Path",
    "Plane",
    "RigidBody",
    "Sphere",
    "Straight",
]
