"""With which normals a character is drawn: those that were authored, or else what its triangles say."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from supple.arrays import FloatArray
from supple.character.attributes import NORMAL
from supple.character.character import Character
from supple.geometry.normals import CarriedNormals, Creases, creases

Shading = Creases | CarriedNormals


@lru_cache(maxsize=2)
def creases_of(character: Character, *, angle: float = np.pi / 3.0) -> Creases:
    """Normals of a character split where triangles meet at more than `angle` [rad]; found once for all who ask."""
    return creases(character.points, character.triangles, angle=angle)


def shading_of(character: Character) -> Shading:
    """Authored normals, carried by the surface; without any, smooth ones that are split at creases of 60 degrees."""
    display = character.display
    if display is None or NORMAL not in display.attributes:
        return creases_of(character)
    return CarriedNormals(
        character.points, character.triangles, display.triangles, display.control_points, display.attributes[NORMAL]
    )


def blended_matrices(character: Character, world_from_joint: FloatArray) -> FloatArray:
    """The linear part (V, 3, 3) of what linear blending does to every point in a pose (J, 4, 4)."""
    weights = character.require_weights("blended_matrices")
    moved = (world_from_joint @ character.skeleton.joint_from_world)[:, :3, :3]
    total = np.zeros((len(character.points), 3, 3))
    for joints, values in zip(weights.joints.T, weights.values.T, strict=True):
        total += values[:, None, None] * moved[joints]
    return total
