"""What stands around a baked character, as it is drawn: the bodies that it met, and the ground where it met one."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.graph.baked_bodies import BakedBody
from supple.graph.cache import Cache
from supple.obstacles.things import Thing
from supple.render.camera import Camera

_LEVEL = 0.9999  # cosine of the angle to upright up to which a floor is the ground
_SUNK = 0.01  # of the character's size: who comes lower than this below its soles at rest stands on no such ground
_WIDE = 1.3  # of all that is seen of the character: side of the square that is drawn for a wall


class Surroundings:
    """The bodies of one bake as things to draw, and the height of the ground.

    A floor that lies still and level is the ground, the highest of several. Without one the ground is where the
    character stands at rest, or lower where its skin comes lower. Walls and slopes are squares that are seen from
    the side that can be met.
    """

    def __init__(self, cache: Cache) -> None:
        bodies = cache.bodies
        floors = [body for body in bodies if _is_ground(body)]
        self.ground = max((float(body.world_from_body[0, 1, 3]) for body in floors), default=_lowest(cache))
        """Height of the ground [m]."""
        every = max(cache.ready // 40, 1)
        seen = cache.points[::every, :: max(len(cache.rest) // 500, 1)].reshape(-1, 3).astype(np.float64)
        self._middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
        side = _WIDE * float(np.ptp(seen, axis=0).max())
        self._bodies = [(body, _thing(body, side), _is_flat(body)) for body in bodies if body not in floors]

    def at(self, frame: int, camera: Camera) -> list[tuple[Thing, FloatArray]]:
        """What is seen in a frame by a camera, each with its transform (4, 4)."""
        found = []
        for body, thing, flat in self._bodies:
            matrix = body.world_from_body[frame]
            if flat:
                matrix = self._beside(matrix)
                if (camera.position - matrix[:3, 3]) @ matrix[:3, 1] <= 0.0:
                    continue
            found.append((thing, matrix))
        return found

    def _beside(self, matrix: FloatArray) -> FloatArray:
        """A wall has no end: its square is drawn where it is next to the character."""
        moved = matrix.copy()
        off = self._middle - matrix[:3, 3]
        moved[:3, 3] += off - (off @ matrix[:3, 1]) * matrix[:3, 1]
        return moved


def _is_flat(body: BakedBody) -> bool:
    """Whether it is the square that a cache keeps for a plane."""
    return len(body.points) == 4 and len(body.triangles) == 2 and not body.points[:, 1].any()


def _is_ground(body: BakedBody) -> bool:
    return _is_flat(body) and not body.moves and float(body.world_from_body[0, 1, 1]) > _LEVEL


def _lowest(cache: Cache) -> float:
    """Where the soles are at rest, or the lowest place of the skin where it goes lower."""
    soles, size = float(cache.rest[:, 1].min()), float(np.ptp(cache.rest, axis=0).max())
    lowest = min(float(points[:, 1].min()) for points in cache.points)
    return lowest if lowest < soles - _SUNK * size else soles


def _thing(body: BakedBody, side: float) -> Thing:
    points = body.points
    if _is_flat(body):
        points = points * (side / float(np.ptp(points[:, 0])))
    return Thing(points, body.triangles, body.name)
