"""How far skin is from its bone: what is farther off than at rest has lost no girth, and does not swell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.limbs.division import Limbs

_LEAST = 1e-6  # of the body's size: nothing is thinner, when girths are compared


@dataclass(frozen=True, eq=False)
class Girths:
    """Every vertex lies beside the place `along` (V,) the way from one joint of `bones` (V, 2) to the other.

    `halves` (V,) [m] is half of how thick its flesh is. Where a vertex lies along no bone, both joints are the one that
    moves it most.
    """

    bones: IntArray
    along: Float32Array
    halves: Float32Array
    heads: FloatArray

    @classmethod
    def from_limbs(cls, character: Character, limbs: Limbs) -> Girths:
        """Those of a character with weights."""
        weights = character.require_weights("Girths")
        strongest = np.take_along_axis(weights.joints, weights.values.argmax(axis=1)[:, None], axis=1)
        bones, along = np.repeat(strongest, 2, axis=1), np.zeros(len(character.points))
        on = np.flatnonzero(limbs.bone_of >= 0)
        bone = limbs.bone_of[on]
        bones[on] = limbs.bones[bone]
        along[on] = np.clip(limbs.position(character.points[on], bone), 0.0, 1.0)
        halves = np.maximum(0.5 * character.body_shape.thickness, _LEAST * float(character.size.max()))
        heads = character.skeleton.heads
        return cls(bones.astype(np.int32), along.astype(np.float32), halves.astype(np.float32), heads)

    def distances(self, points: FloatArray) -> Float32Array:
        """How far (V,) [m] points (V, 3) at rest are from there."""
        start, end = (self.heads[self.bones[:, k]] for k in range(2))
        return np.linalg.norm(points - start - self.along[:, None] * (end - start), axis=1).astype(np.float32)

    def on_device(self, distances: Any, constants: devices.Constants) -> Any:
        """As kernels take them, with the distances at rest."""
        from supple.skins.kinematic.swelling import kernels

        wp, put = devices.warp(), constants.put
        return devices.fill_struct(
            kernels.Girths(),
            joint_count=len(self.heads),
            bones=put(self.bones, wp.vec2i),
            along=put(self.along, wp.float32),
            distances=distances,
            halves=put(self.halves, wp.float32),
        )
