"""A model packed for kernels, and the weights of the skin below it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.skins.kinematic.blend import BlendWeights
from supple.skins.pose_space.inputs import JointFrame
from supple.skins.pose_space.model import PoseSpaceModel


@dataclass(frozen=True, eq=False)
class PoseSpaceBinding:
    """What follows from a model and its character; names are those of `PoseSpaceModel`.

    `shapes` (n, 3, 4) are the components of `PackedShapes` as offsets [m], and `centers` (P, M, D / 4, 4) in blocks
    of four, of which part p has `used[p]`. Of a crowd, weights and what joints are seen from stand one copy after
    another, and the model itself is there once for all `copies`. Neither shapes nor maps of the character count:
    offsets are added to whatever its shapes make of the rest pose.
    """

    character: Character
    blend_weights: BlendWeights
    base: str
    references: IntArray
    homes: FloatArray
    entries: IntArray
    scales: Float32Array
    used: IntArray
    centers: Float32Array
    coefficients: Float32Array
    part_of: IntArray
    rows: IntArray
    blocks: IntArray
    shapes: Float32Array
    constants: devices.Constants
    copies: int = 1

    @classmethod
    def from_model(cls, model: PoseSpaceModel, character: Character, device: str) -> PoseSpaceBinding:
        packed = model.shapes
        filled = np.where(model.scales != 0.0, np.arange(model.scales.shape[1]) + 1, 0).max(axis=1)
        return cls(
            character,
            BlendWeights.from_character(character, "PoseSpace"),
            model.base,
            model.frame.references,
            model.frame.homes,
            model.entries,
            model.scales,
            (-(-filled // 4)).astype(np.int32),
            model.centers.reshape(*model.centers.shape[:2], -1, 4),
            model.coefficients,
            packed.part_of,
            packed.rows,
            packed.blocks,
            (packed.levels * packed.units[packed.blocks][:, None]).astype(np.float32),
            devices.Constants(device),
        )

    def stack(self, crowd: Crowd) -> PoseSpaceBinding:
        """That of a crowd, of which this is one member's."""
        references = stacked(self.references, crowd.count, len(self.references))
        return replace(
            self,
            character=crowd,
            blend_weights=self.blend_weights.stack(crowd.count),
            references=np.where(np.tile(self.references, crowd.count) < 0, -1, references),
            homes=np.tile(self.homes, (crowd.count, 1)),
            copies=crowd.count,
        )

    @property
    def frame(self) -> JointFrame:
        """What joints are seen from."""
        return JointFrame(self.references, self.homes)

    def reshaped(self, character: Character) -> PoseSpaceBinding:
        """That of a character with other shapes and maps."""
        return replace(self, character=character)
