"""What a bake has beside its points: the normals of its frames, and the motion of bones that the skin moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray
from supple.character.shading import Shading, blended_matrices, shading_of
from supple.geometry.normals import CarriedNormals
from supple.skins.kinematic.linear_blend import LinearBlend

if TYPE_CHECKING:
    from supple.graph.cache import Cache
    from supple.motion.motion import Motion


class BakeNormals:
    """Unit normals (N, 3) of every frame, and which corner is drawn with which (`shading`).

    Authored normals follow the surface; in a bake of plain linear blending they follow the joints, as in engines.
    """

    def __init__(self, cache: Cache, *, shading: Shading | None = None) -> None:
        """`shading` is that of another bake of the same mesh, beside which this one is shown."""
        self._cache, self._character = cache, cache.character
        self.shading = shading_of(self._character) if shading is None else shading
        self._by_joints = isinstance(self.shading, CarriedNormals) and is_plain_blend(cache)

    def at(self, frame: int) -> FloatArray:
        """The normals of one frame."""
        if self._by_joints and isinstance(self.shading, CarriedNormals):
            return self.shading.normals_by_matrices(blended_matrices(self._character, self._cache.poses[frame]))
        return self.shading.normals(self._cache.points[frame])


def simulated_motion(cache: Cache) -> Motion | None:
    """The motion of the bones, where the skin moved them; None where they follow the poses."""
    return None if np.array_equal(cache.bones, cache.poses[: cache.ready]) else cache.motion


def is_plain_blend(cache: Cache) -> bool:
    """Whether a bake is linear blending of the rest points by joints, and nothing else."""
    stages = cache.graph.stages
    if len(stages) > 1 or not isinstance(stages[0].work, LinearBlend) or cache.character.weights is None:
        return False
    return not np.any(cache.arrays.get("shape_shares", 0.0))
