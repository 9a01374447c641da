"""Things of the world that a character meets: balls, capsules, boxes, floors, meshes and other characters."""

from supple.obstacles.baked import BakedSkin
from supple.obstacles.paths import Keys, Path, Pendulum, Straight
from supple.obstacles.scene import Scene, load_scene, save_scene
from supple.obstacles.shapes import Box, Capsule, Free, MovingMesh, Plane, RigidBody, Sphere

__all__ = [
    "BakedSkin",
    "Box",
    "Capsule",
    "Free",
    "Keys",
    "MovingMesh",
    "Path",
    "Pendulum",
    "Plane",
    "RigidBody",
    "Scene",
    "Sphere",
    "Straight",
    "load_scene",
    "save_scene",
]
