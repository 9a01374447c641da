"""A trained network packed for kernels: shapes of all curves, and the mesh as it goes along with their nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.skins.curves.beam.batch import CurveBatch
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.radial_space import ExampleInterpolator
from supple.skins.kinematic.blend import BlendWeights

_BLOCK = 4  # entries of the mesh's matrix that a kernel takes at once


@dataclass(frozen=True, eq=False)
class CurveBinding:
    """What follows from a trained network and its character; n nodes, E examples at most.

    Row v of the mesh's matrix has the blocks from `rows[v]` to `rows[v + 1]` of `columns` and `values` (B, 4). Node i
    belongs to part `part_of[i]`, which has `counts[p]` examples, and has the offsets `shapes` (E * n, 3) [m] in them.
    Neither shapes nor maps of the character count: curves are learnt from its mesh alone.
    """

    model: CurveModel
    character: Character
    blend_weights: BlendWeights
    rows: IntArray
    columns: IntArray
    values: Float32Array
    part_of: IntArray
    counts: IntArray
    shapes: Float32Array
    constants: devices.Constants

    @classmethod
    def from_model(cls, model: CurveModel, character: Character, device: str) -> CurveBinding:
        """Pack a model; beams are made only where curves have mass (`beams`)."""
        counts = np.array([len(part.offsets) for part in model.parts], dtype=np.int32)
        sizes = [part.curves * part.nodes for part in model.parts]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        shapes = np.zeros((int(counts.max()), model.node_count, 3), dtype=np.float32)
        for part, start, size in zip(model.parts, starts, sizes, strict=False):
            shapes[: len(part.offsets), start : start + size] = part.offsets.reshape(len(part.offsets), size, 3)
        return cls(
            model,
            character,
            BlendWeights.from_character(character, "CurveNetwork"),
            *pack_rows(model.rows, model.columns, model.values),
            np.repeat(np.arange(len(model.parts), dtype=np.int32), sizes),
            counts,
            shapes.reshape(-1, 3),
            devices.Constants(device),
        )

    def reshaped(self, character: Character) -> CurveBinding:
        """That of a character with other shapes and maps."""
        return replace(self, character=character)

    @cached_property
    def interpolator(self) -> ExampleInterpolator:
        """From poses to weights of examples."""
        return self.model.interpolator()

    @cached_property
    def beams(self) -> CurveBatch:
        """The curves as beams, under the loads that bend them into their examples."""
        return CurveBatch.from_shapes([part.offsets for part in self.model.parts])

    def blended(self, weights: FloatArray) -> FloatArray:
        """Offsets (n, 3) [m] of all nodes under weights (parts, examples): sum_e w_e q_e."""
        pairs = zip(self.model.parts, weights, strict=True)
        mixed = [np.tensordot(row[: len(part.offsets)], part.offsets, 1).reshape(-1, 3) for part, row in pairs]
        return np.concatenate(mixed)


def pack_rows(rows: IntArray, columns: IntArray, values: FloatArray) -> tuple[IntArray, IntArray, Float32Array]:
    """Compressed rows with their entries in blocks of four: where rows start, columns (B, 4) and values (B, 4).

    Blocks are filled up with entries of zero that name the first column.
    """
    counts = np.diff(rows)
    blocks = np.concatenate([[0], np.cumsum(-(-counts // _BLOCK))]).astype(np.int32)
    index = np.arange(len(columns)) + np.repeat(_BLOCK * blocks[:-1] - rows[:-1], counts)
    filled_columns = np.zeros(_BLOCK * blocks[-1], dtype=np.int32)
    filled_values = np.zeros(_BLOCK * blocks[-1], dtype=np.float32)
    filled_columns[index], filled_values[index] = columns, values
    return blocks, filled_columns.reshape(-1, _BLOCK), filled_values.reshape(-1, _BLOCK)
