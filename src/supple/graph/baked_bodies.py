"""What a baked skin met: obstacles and free bodies, each as a mesh with where it was in every frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.names import unique
from supple.obstacles.shapes import RigidBody
from supple.obstacles.things import Thing, thing_of

_FLOOR = 4.0  # side of the square that stands for a floor or a wall, in reaches of the character


@dataclass(frozen=True, eq=False)
class BakedBody:
    """A body that a skin met: `points` (P, 3) [m] and `triangles` (T, 3) in its own frame, and where it was.

    `world_from_body` (F, 4, 4) is one transform a frame. A floor or a wall, which has no end, is a square.
    """

    name: str
    points: FloatArray
    triangles: IntArray
    world_from_body: FloatArray

    @property
    def moves(self) -> bool:
        """Whether it is anywhere else than in the first frame."""
        return bool((self.world_from_body != self.world_from_body[:1]).any())


def with_meshes(bodies: Sequence[RigidBody]) -> IntArray:
    """Which of the bodies are kept: all but skins of other characters, which have bakes of their own."""
    return np.array([number for number, body in enumerate(bodies) if _mesh(body, 1.0) is not None], dtype=np.int32)


def body_names(bodies: Sequence[RigidBody]) -> list[str]:
    """What all of the bodies are called, each by a name of its own."""
    return list(unique(body.name or type(body).__name__.lower() for body in bodies))


def pack_bodies(
    bodies: Sequence[RigidBody], character: Character, poses: Sequence[Pose]
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Meshes of the bodies as arrays of a cache, and their names."""
    if not bodies:
        return {}, []
    far = max(float(np.abs(pose.world_from_joint[:, :3, 3]).max()) for pose in poses)
    side = _FLOOR * (far + float(character.size.max()))
    meshes = [mesh for body in bodies if (mesh := _mesh(body, side)) is not None]
    kinds = [type(body).__name__.lower() for body in bodies if _mesh(body, side) is not None]
    names = unique(mesh.name or kind for mesh, kind in zip(meshes, kinds, strict=True))
    arrays: dict[str, NDArray[Any]] = {}
    for number, mesh in enumerate(meshes):
        arrays[f"body {number} points"] = mesh.points.astype("<f8")
        arrays[f"body {number} triangles"] = mesh.triangles.astype("<i4")
    return arrays, list(names)


def unpack_bodies(
    arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any], places: FloatArray
) -> tuple[BakedBody, ...]:
    """What `pack_bodies` packed, with where (F, B, 4, 4) they were; refused where a mesh or a place makes no sense."""
    made = []
    for number, name in enumerate(info["bodies"]):
        points, triangles = arrays[f"body {number} points"], arrays[f"body {number} triangles"]
        inside = int(triangles.min()) >= 0 and int(triangles.max()) < len(points)
        if not inside or not (np.abs(points) < 1e30).all() or not (np.abs(places[:, number]) < 1e30).all():
            raise InputError(f"body {name}", "its mesh or its path is broken", "both are needed", "bake it again")
        made.append(BakedBody(name, points, triangles, places[:, number]))
    return tuple(made)


def _mesh(body: RigidBody, side: float) -> Thing | None:
    return thing_of(body, spacing=np.inf, floor=side)
