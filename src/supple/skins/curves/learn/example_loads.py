"""From example shapes to what bends curves into them: the forces and clamps of every example."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.skins.curves.beam.batch import CurveLoad
from supple.skins.curves.beam.finite_differences import Clamps, check_rows
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.pose_space import PoseSpace


@dataclass(frozen=True, eq=False)
class ExampleSpace:
    """Curves driven by several joints at once: examples anywhere in a space of poses, each met exactly.

    Forces and clamps of the examples (examples, nodes, ...) are mixed by the weights of the pose, and the beam is
    solved under the mixture. `loads` hands them to a batch of curves on a device.
    """

    beam: StaticBeam
    shapes: FloatArray
    space: PoseSpace

    def __post_init__(self) -> None:
        where = "ExampleSpace"
        shapes = check_rows(self.shapes, len(self.space.positions), where, "shapes")
        if shapes.ndim < 2 or shapes.shape[1] != self.beam.nodes:
            needed = f"(examples, {self.beam.nodes}, ...) is needed"
            raise InputError(where, f"shapes are {shapes.shape}", needed, "give every example the nodes of the beam")
        object.__setattr__(self, "shapes", shapes)

    def at(self, position: ArrayLike) -> FloatArray:
        """The curves (nodes, ...) at a position (dimensions,) of the space."""
        weights = self.space.weights(position)
        if weights.ndim != 1:
            given = f"position has {weights.ndim} axes"
            raise InputError("ExampleSpace.at", given, "one position is needed", "ask for one pose at a time")
        values = np.tensordot(weights, np.stack([one.values for one in self._clamps]), 1)
        slopes = np.tensordot(weights, np.stack([one.slopes for one in self._clamps]), 1)
        return self.beam.shape(np.tensordot(weights, self._forces, 1), Clamps(values, slopes))

    def loads(self) -> list[list[CurveLoad]]:
        """Per example and curve, what a batch on a device takes, from shapes (examples, nodes, curves, 3) or one curve.

        A dynamic batch takes them too: held in a pose and damped, it comes to rest in the static shape.
        """
        if self.shapes.ndim not in (3, 4) or self.shapes.shape[-1] != 3:
            given = f"shapes are {self.shapes.shape}"
            raise InputError("ExampleSpace.loads", given, "curves in space are needed", "give three coordinates")
        tables = []
        for force, held in zip(self._forces, self._clamps, strict=True):
            by_curve = (np.moveaxis(part.reshape(len(part), -1, 3), 1, 0) for part in (force, held.values, held.slopes))
            tables.append([CurveLoad(one, Clamps(ends, slopes)) for one, ends, slopes in zip(*by_curve, strict=True)])
        return tables

    @cached_property
    def _clamps(self) -> list[Clamps]:
        return [Clamps.from_shape(shape) for shape in self.shapes]

    @cached_property
    def _forces(self) -> FloatArray:
        return np.stack([self.beam.force(shape, held) for shape, held in zip(self.shapes, self._clamps, strict=True)])


@dataclass(frozen=True)
class ModelLoads:
    """All curves of a model for a batch: per curve its nodes and its part, per part its examples, and the loads.

    Parts with fewer examples than others are filled up with loads of nothing, which are never read.
    """

    nodes: list[int]
    groups: list[int]
    counts: list[int]
    examples: list[list[CurveLoad]]


def find_loads(model: CurveModel) -> ModelLoads:
    """The forces and clamps under which the curves meet every example."""
    nodes = [part.nodes for part in model.parts for _ in range(part.curves)]
    groups = [number for number, part in enumerate(model.parts) for _ in range(part.curves)]
    counts = [len(part.positions) for part in model.parts]
    tables = []
    most = max(counts)
    for part, space in zip(model.parts, model.spaces, strict=True):
        shapes = np.moveaxis(part.offsets, 2, 1)
        table = ExampleSpace(StaticBeam(part.nodes), shapes, space).loads()
        no_load = [CurveLoad(np.zeros((part.nodes - 2, 3)), Clamps.zero((3,)))] * part.curves
        tables.append(table + [no_load] * (most - len(table)))
    examples = [[load for table in tables for load in table[example]] for example in range(most)]
    return ModelLoads(nodes, groups, counts, examples)
