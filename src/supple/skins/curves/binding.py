"""A trained network packed for kernels: the loads of all its curves, and the mesh as it goes along with their nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.skins.curves.beam.batch import CurveBatch
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.example_loads import find_loads
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.pose_space import ExampleInterpolator
from supple.skins.kinematic.blend import BlendWeights

_BLOCK = 4  # entries of the mesh's matrix that a kernel takes at once


@dataclass(frozen=True, eq=False)
class CurveBinding:
    """What follows from a trained network and its character.

    Row v of the mesh's matrix has the blocks from `rows[v]` to `rows[v + 1]` of `columns` and `values` (B, 4). `static`
    are the curves in balance. Neither shapes nor maps of the character count: curves are learnt from its mesh alone.
    """

    model: CurveModel
    character: Character
    blend_weights: BlendWeights
    rows: IntArray
    columns: IntArray
    values: Float32Array
    static: CurveBatch
    constants: devices.Constants

    @classmethod
    def from_model(cls, model: CurveModel, character: Character, device: str) -> CurveBinding:
        """Find the loads under which curves meet every example."""
        loads = find_loads(model)
        grouping: dict[str, Any] = {"groups": loads.groups, "counts": loads.counts}
        beams = [StaticBeam(count) for count in loads.nodes]
        static = CurveBatch.from_beams(beams, loads.examples, where="CurveNetwork", **grouping)
        return cls(
            model,
            character,
            BlendWeights.from_character(character, "CurveNetwork"),
            *pack_rows(model.rows, model.columns, model.values),
            static,
            devices.Constants(device),
        )

    def reshaped(self, character: Character) -> CurveBinding:
        """That of a character with other shapes and maps."""
        return replace(self, character=character)

    @cached_property
    def interpolator(self) -> ExampleInterpolator:
        """From poses to weights of examples."""
        return self.model.interpolator()


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
