"""A trained network on a device: from a pose to weights, from weights to curves, from curves to the mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.geometry.quaternions import quat_from_matrix
from supple.motion.pose import Pose
from supple.skins.curves.batches import CurveBatch, CurveLoad
from supple.skins.curves.beams import Clamps
from supple.skins.curves.drivers import joint_rotations
from supple.skins.curves.dynamic import DynamicBeam
from supple.skins.curves.examples import ExampleSpace
from supple.skins.curves.model import CurveModel
from supple.skins.curves.pose_space import PoseSpaces
from supple.skins.curves.static import StaticBeam
from supple.skins.kinematic.blend import BlendArrays, BlendWeights

_BLOCK = 4  # entries of the mesh's matrix that a kernel takes at once


class Driving:
    """From a pose to how much every part gets of each of its examples; a few operations on arrays for all parts."""

    def __init__(self, model: CurveModel) -> None:
        self._spaces = PoseSpaces(model.spaces)
        self._drivers = model.drivers
        count, most = len(model.parts), max(len(part.joints) for part in model.parts)
        self._joints = np.zeros((count, most), dtype=np.int32)
        self._axes = np.zeros((count, 3 * most, self._spaces.dimensions))
        for number, part in enumerate(model.parts):
            self._joints[number, : len(part.joints)] = part.joints
            self._axes[number, : part.axes.shape[0], : part.axes.shape[1]] = part.axes

    def weights(self, rotations: Floats) -> Floats:
        """Weights (parts, examples) in a pose, by how its joints are turned (J, 3, 3)."""
        count, most = self._joints.shape
        if not len(self._drivers):
            return self._spaces.weights(np.zeros((count, self._spaces.dimensions)))
        turns = self._drivers.rotation_vectors(rotations)[self._joints].reshape(count, 1, 3 * most)
        return self._spaces.weights((turns @ self._axes)[:, 0])


@dataclass(frozen=True)
class Loads:
    """All curves of a model for a batch: per curve its nodes and its part, per part its examples, and the loads.

    Parts with fewer examples than others are filled up with loads of nothing, which are never read.
    """

    nodes: list[int]
    groups: list[int]
    counts: list[int]
    examples: list[list[CurveLoad]]


def loads_of(model: CurveModel) -> Loads:
    """The forces and clamps under which the curves meet every example."""
    nodes = [part.nodes for part in model.parts for _ in range(part.curves)]
    groups = [number for number, part in enumerate(model.parts) for _ in range(part.curves)]
    counts = [len(part.positions) for part in model.parts]
    tables = []
    most = max(counts)
    for part, space in zip(model.parts, model.spaces, strict=True):
        shapes = np.moveaxis(part.offsets, 2, 1)
        table = ExampleSpace(StaticBeam(part.nodes), shapes, space).loads()
        nothing = [CurveLoad(np.zeros((part.nodes - 2, 3)), Clamps.still((3,)))] * part.curves
        tables.append(table + [nothing] * (most - len(table)))
    examples = [[load for table in tables for load in table[example]] for example in range(most)]
    return Loads(nodes, groups, counts, examples)


@dataclass(frozen=True, eq=False)
class CurveBinding:
    """A trained network, packed for kernels: the mesh as it goes along with nodes, and the loads of all curves.

    Row v of the mesh's matrix has the blocks from `rows[v]` to `rows[v + 1]` of `columns` and `values` (B, 4). `still`
    are the curves in balance, `moving` those with mass, where they have any.
    """

    model: CurveModel
    character: Character
    packed: BlendWeights
    rows: Ints
    columns: Ints
    values: Singles
    still: CurveBatch
    moving: CurveBatch | None
    constants: devices.Constants

    @classmethod
    def from_model(
        cls, model: CurveModel, character: Character, device: str, *, moving: Callable[[int], DynamicBeam] | None = None
    ) -> CurveBinding:
        """`moving` makes the beam of a curve of so many nodes, where curves have mass."""
        loads = loads_of(model)
        grouping: dict[str, Any] = {"groups": loads.groups, "counts": loads.counts}
        beams = [StaticBeam(count) for count in loads.nodes]
        still = CurveBatch.from_beams(beams, loads.examples, where="CurveNetwork", **grouping)
        swinging = None
        if moving is not None:
            masses = [moving(count) for count in loads.nodes]
            swinging = CurveBatch.from_beams(masses, loads.examples, where="CurveDynamics", **grouping)
        return cls(
            model,
            character,
            BlendWeights.from_character(character, "CurveNetwork"),
            *in_blocks(model.rows, model.columns, model.values),
            still,
            swinging,
            devices.Constants(device),
        )

    @cached_property
    def driving(self) -> Driving:
        """From poses to weights of examples."""
        return Driving(self.model)


class Carrier:
    """The mesh of a character, which goes along with nodes on the device."""

    def __init__(self, binding: CurveBinding, nodes: Any) -> None:
        from supple.skins.curves import carry_kernels

        wp, constants = devices.warp(), binding.constants
        self._skeleton, self._device = binding.character.skeleton, constants.device
        self._arrays = BlendArrays(binding.packed, constants)
        self._matrix = [
            constants.put(binding.rows, wp.int32),
            constants.put(binding.columns, wp.vec4i),
            constants.put(binding.values, wp.vec4f),
        ]
        count = binding.model.node_count
        self._nodes = constants.blank(count, wp.vec3f)
        self._shorten = devices.Launch(carry_kernels.shorten, count, [nodes, self._nodes], self._device)
        self._rotations = constants.blank(len(self._skeleton), wp.vec4f)
        self._recorded: tuple[Any, devices.Launch] | None = None

    @property
    def points(self) -> Any:
        """The carried skin on the device."""
        return self._arrays.posed

    def rotations(self, pose: Pose) -> Floats:
        """How the joints are turned in a pose (J, 3, 3); the mesh will be turned with them."""
        rotations = joint_rotations(pose, self._skeleton)
        devices.write(self._rotations, quat_from_matrix(rotations))
        return rotations

    def run(self, below: Any) -> Any:
        """The skin below with the offsets of the nodes as they are now, turned as `rotations` said last."""
        if self._recorded is None or self._recorded[0] is not below:
            self._recorded = below, self._launch(below)
        self._shorten()
        self._recorded[1]()
        return self.points

    def _launch(self, below: Any) -> devices.Launch:
        from supple.skins.curves import carry_kernels

        arrays = self._arrays
        inputs = [
            *self._matrix,
            self._nodes,
            arrays.blocks,
            arrays.joints,
            arrays.weights,
            self._rotations,
            below,
            arrays.posed,
        ]
        return devices.Launch(carry_kernels.carry, arrays.count, inputs, self._device)


def in_blocks(rows: Ints, columns: Ints, values: Floats) -> tuple[Ints, Ints, Singles]:
    """Compressed rows with their entries in blocks of four: where rows start, columns (B, 4) and values (B, 4).

    Blocks are filled up with entries of zero that name the first column.
    """
    counts = np.diff(rows)
    blocks = np.concatenate([[0], np.cumsum(-(-counts // _BLOCK))]).astype(np.int32)
    position = np.arange(len(columns)) + np.repeat(_BLOCK * blocks[:-1] - rows[:-1], counts)
    filled_columns = np.zeros(_BLOCK * blocks[-1], dtype=np.int32)
    filled_values = np.zeros(_BLOCK * blocks[-1], dtype=np.float32)
    filled_columns[position], filled_values[position] = columns, values
    return blocks, filled_columns.reshape(-1, _BLOCK), filled_values.reshape(-1, _BLOCK)
