"""Projected constraints: Gauss-Seidel sweeps over a body, on the CPU slab by slab, on a GPU colour by colour."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray
from supple.skins.position_based.body.constraints import Constraints
from supple.skins.position_based.solve.schedule import Batches, Schedule, cluster_schedules, slab_batches

_BLOCK = 32  # threads of a GPU that start together: few, so that the clusters of a colour spread over all of it
_SHARE = 4000  # particles that a thread walks through; waking another for fewer costs more than it saves
_LONGEST_MOVE = 0.5  # of an element's size, in one projection: flat elements would jump


@dataclass(frozen=True)
class Stiffness:
    """How stiff each kind of constraint is, 0 to 1: what it loses of its error in one projection."""

    volume: float
    bind: float
    stretch: float

    def row(self) -> FloatArray:
        """As the kernels take them."""
        return np.array([self.volume, self.bind, self.stretch], dtype=np.float32)


class ProjectionSolver:
    """The particles of a body on a device, and sweeps that bring them nearer to all constraints.

    `particles` holds position and inverse mass; `anchors` are the points of the bones that particles are bound to, at
    `bind_lengths`. On the CPU the schedule is by slabs, on a GPU by colours, unless `by_color` says otherwise.
    """

    def __init__(
        self,
        constraints: Constraints,
        bind_lengths: FloatArray,
        constants: devices.Constants,
        *,
        by_color: bool | None = None,
    ) -> None:
        wp = devices.warp()
        count = len(constraints.points)
        self.constraints, self.device = constraints, constants.device
        self.particles, self.anchors = constants.blank(count, wp.vec4f), constants.blank(count, wp.vec3f)
        self.bind_lengths = devices.to_device(bind_lengths.astype(np.float32), wp.float32, self.device)
        self.bind_factors = devices.to_device(np.ones(count, dtype=np.float32), wp.float32, self.device)
        self._by_color = self.device != "cpu" if by_color is None else by_color
        schedule: Any = _color_schedules if self._by_color else _slab_schedules
        self._schedules = constants.derive(constraints.corners, schedule, lambda: schedule(constraints))

    def tables(self) -> Tables:
        """All constraints of the body on the device, in the order of the schedule."""
        kind = _ColorTable if self._by_color else _SlabTable
        return Tables([kind(self.constraints, schedules, self) for schedules in self._schedules], self)

    def sweeps(self, tables: Tables) -> Sweeps:
        """Sweeps over the constraints in `tables`, with stiffnesses of their own."""
        return Sweeps(self, tables)


class Tables:
    """Constraints on the device, in one or two walks that follow each other."""

    def __init__(self, each: list[_SlabTable | _ColorTable], solver: ProjectionSolver) -> None:
        self.each, self._solver = each, solver

    def stiffen(self, *, volumes: FloatArray, bonds: FloatArray, edges: FloatArray) -> None:
        """Take factors on the stiffness of every element (T,), bond (P,) and edge (E,) of the body."""
        devices.write(self._solver.bind_factors, bonds.astype(np.float32))
        for table in self.each:
            table.stiffen(volumes, edges)


class Sweeps:
    """Recorded sweeps over some constraints."""

    def __init__(self, solver: ProjectionSolver, tables: Tables) -> None:
        wp = devices.warp()
        self._params = wp.zeros(3, dtype=wp.float32, device=solver.device)
        self._launches = [launch for table in tables.each for launch in table.launches(self._params)]

    def set_stiffness(self, stiffness: Stiffness) -> None:
        """Take stiffnesses for the sweeps to come."""
        devices.write(self._params, stiffness.row())

    def sweep(self) -> None:
        """Once through all constraints."""
        for launch in self._launches:
            launch()


Schedules = tuple[Schedule, Schedule, Schedule]  # through volumes, bonds and edges
SlabBatches = tuple[Batches, Batches, Batches]


def _slab_schedules(constraints: Constraints) -> list[SlabBatches]:
    particles = np.arange(len(constraints.points))[:, None]
    (a, d), (b, e), (c, f) = (
        slab_batches(members, constraints.slab_of) for members in (constraints.corners, particles, constraints.ends)
    )
    return [(a, b, c)] if constraints.slabs == 1 else [(a, b, c), (d, e, f)]


def _color_schedules(constraints: Constraints) -> list[Schedules]:
    count = len(constraints.points)
    every = Schedule(np.arange(count, dtype=np.int32), np.array([0, count], dtype=np.int32))
    elements, edges = cluster_schedules(constraints)
    return [(elements, every, edges)]


def _element_sizes(body: Constraints, of_volumes: FloatArray) -> FloatArray:
    """Six times the volume at rest, the square of the longest move, and the factor on the stiffness (T, 3)."""
    rest = 6.0 * body.rest_volumes
    return np.stack([rest, (_LONGEST_MOVE * np.cbrt(rest)) ** 2, of_volumes], axis=1)


class _Table:
    """One walk through volumes, bonds and edges, with what it works on as the kernels take it."""

    def __init__(self, constraints: Constraints, schedules: Any, solver: ProjectionSolver) -> None:
        self.constraints, self.schedules, self.device = constraints, schedules, solver.device
        self.particles = solver.particles
        self.structs = self._allocate(solver)
        for struct, schedule in zip(self.structs, schedules, strict=True):
            struct.starts = devices.to_device(schedule.starts, devices.warp().int32, self.device)
        self.stiffen(np.ones(len(constraints.corners)), np.ones(len(constraints.ends)))

    def _allocate(self, solver: ProjectionSolver) -> list[Any]:
        """Volumes, bonds and edges, in which what is stiff is not written yet."""
        raise NotImplementedError

    def stiffen(self, of_volumes: FloatArray, of_edges: FloatArray) -> None:
        """Put sizes on the device with these factors, in place, so that recorded launches see them."""
        raise NotImplementedError

    def launches(self, params: Any) -> list[devices.Launch]:
        """The walk, recorded."""
        raise NotImplementedError

    def _put(self, values: NDArray[Any], kind: Any) -> Any:
        """Values on the device, at least one of them."""
        blank = np.zeros((1, *values.shape[1:]), dtype=values.dtype)
        return devices.to_device(values if len(values) else blank, kind, self.device)


class _SlabTable(_Table):
    """One walk per slab, or per pair of neighbouring slabs, eight constraints at a time; see `batch_kernels`."""

    def _allocate(self, solver: ProjectionSolver) -> list[Any]:
        from supple.skins.position_based.published import batch_kernels as kernels

        wp, fill, (volumes, bonds, edges) = devices.warp(), devices.fill_struct, self.schedules
        corners, ends = (
            np.ascontiguousarray(np.swapaxes(members[batches.order], 1, 2)).reshape(-1)
            for members, batches in ((self.constraints.corners, volumes), (self.constraints.ends, edges))
        )
        self._sizes = [
            wp.zeros(max(count, 1), dtype=wp.float32, device=self.device)
            for count in (3 * volumes.order.size, 2 * edges.order.size)
        ]
        return [
            fill(kernels.VolumeBatches(), corners=self._put(corners, wp.int32), sizes=self._sizes[0]),
            fill(
                kernels.BindBatches(),
                bound=self._put(bonds.order.reshape(-1), wp.int32),
                anchors=solver.anchors,
                lengths=solver.bind_lengths,
                stiffness=solver.bind_factors,
            ),
            fill(kernels.StretchBatches(), ends=self._put(ends, wp.int32), sizes=self._sizes[1]),
        ]

    def stiffen(self, of_volumes: FloatArray, of_edges: FloatArray) -> None:
        volumes, _, edges = self.schedules
        of_one = _element_sizes(self.constraints, of_volumes), np.stack([self.constraints.rest_lengths, of_edges], 1)
        for array, values, batches in zip(self._sizes, of_one, (volumes, edges), strict=True):
            if batches.order.size:
                devices.write(array, np.swapaxes(values[batches.order], 1, 2).reshape(-1))

    def launches(self, params: Any) -> list[devices.Launch]:
        from supple.skins.position_based.published import batch_kernels as kernels

        slabs = len(self.schedules[0])
        each = max(len(self.constraints.points) // slabs, 1)
        inputs = [params, *self.structs, self.particles]
        return [devices.Launch(kernels.sweep, slabs, inputs, self.device, smallest=-(-_SHARE // each))]


class _ColorTable(_Table):
    """One launch per colour, in which every thread walks through a cluster; see `projection_kernels`."""

    def _allocate(self, solver: ProjectionSolver) -> list[Any]:
        from supple.skins.position_based.published import projection_kernels as kernels

        wp, fill, body, (volumes, bonds, edges) = devices.warp(), devices.fill_struct, self.constraints, self.schedules
        count = max(len(edges.order), 1)
        lengths = self._put(body.rest_lengths[edges.order].astype(np.float32), wp.float32)
        return [
            fill(
                kernels.VolumeConstraints(),
                corners=self._put(body.corners[volumes.order], wp.vec4i),
                sizes=wp.zeros(max(len(volumes.order), 1), dtype=wp.vec3f, device=self.device),
            ),
            fill(
                kernels.BindConstraints(),
                bound=self._put(bonds.order, wp.int32),
                anchors=solver.anchors,
                lengths=solver.bind_lengths,
                stiffness=solver.bind_factors,
            ),
            fill(
                kernels.StretchConstraints(),
                ends=self._put(body.ends[edges.order], wp.vec2i),
                lengths=lengths,
                stiffness=wp.zeros(count, dtype=wp.float32, device=self.device),
            ),
        ]

    def stiffen(self, of_volumes: FloatArray, of_edges: FloatArray) -> None:
        order, _, edge_order = (schedule.order for schedule in self.schedules)
        if len(order):
            devices.write(self.structs[0].sizes, _element_sizes(self.constraints, of_volumes)[order])
        if len(edge_order):
            devices.write(self.structs[2].stiffness, of_edges[edge_order])

    def launches(self, params: Any) -> list[devices.Launch]:
        from supple.skins.position_based.published import projection_kernels as kernels

        volumes, bonds, edges = self.structs
        colors = self.schedules[0].color_starts
        bounds = [] if colors is None else itertools.pairwise(colors.tolist())
        inputs = [params, volumes, edges, self.particles]
        return [
            *(
                devices.Launch(kernels.sweep_color, stop - start, [start, *inputs], self.device, block=_BLOCK)
                for start, stop in bounds
            ),
            devices.Launch(
                kernels.project_bonds, len(self.schedules[1].order), [params, bonds, self.particles], self.device
            ),
        ]
