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
from supple.skins.position_based.solve.schedule import Schedule, cluster_schedules, slab_schedules

_BLOCK = 32  # threads of a GPU that start together: few, so that the clusters of a colour spread over all of it
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
        schedule = _color_schedules if self._by_color else _slab_schedules
        self._schedules = constants.derive(constraints.corners, schedule, lambda: schedule(constraints))

    def tables(self) -> Tables:
        """All constraints of the body on the device, in the order of the schedule."""
        kind = _ColorTable if self._by_color else _SlabTable
        return Tables([kind(self.constraints, schedules, self.device) for schedules in self._schedules], self)

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
        self._launches = [launch for table in tables.each for launch in table.launches(self._params, solver)]

    def set_stiffness(self, stiffness: Stiffness) -> None:
        """Take stiffnesses for the sweeps to come."""
        devices.write(self._params, stiffness.row())

    def sweep(self) -> None:
        """Once through all constraints."""
        for launch in self._launches:
            launch()


Schedules = tuple[Schedule, Schedule, Schedule]  # through volumes, bonds and edges


def _slab_schedules(constraints: Constraints) -> list[Schedules]:
    particles = np.arange(len(constraints.points))[:, None]
    (a, d), (b, e), (c, f) = (
        slab_schedules(members, constraints.slab_of) for members in (constraints.corners, particles, constraints.ends)
    )
    return [(a, b, c)] if constraints.slabs == 1 else [(a, b, c), (d, e, f)]


def _color_schedules(constraints: Constraints) -> list[Schedules]:
    count = len(constraints.points)
    every = Schedule(np.arange(count, dtype=np.int32), np.array([0, count], dtype=np.int32))
    elements, edges = cluster_schedules(constraints)
    return [(elements, every, edges)]


class _Table:
    """Device arrays of one walk through volumes, bonds and edges."""

    def __init__(self, constraints: Constraints, schedules: Schedules, device: str) -> None:
        wp = devices.warp()
        self.constraints, self.device = constraints, device
        self.schedules = schedules
        volumes, bonds, edges = schedules
        self.corners = wp.zeros(max(len(volumes.order), 1), dtype=wp.vec4i, device=device)
        self.sizes = wp.zeros(len(self.corners), dtype=wp.vec3f, device=device)
        self.bound = wp.zeros(max(len(bonds.order), 1), dtype=wp.int32, device=device)
        self.ends = wp.zeros(max(len(edges.order), 1), dtype=wp.vec2i, device=device)
        self.rest_lengths = wp.zeros(len(self.ends), dtype=wp.float32, device=device)
        self.stiffness = wp.zeros(len(self.ends), dtype=wp.float32, device=device)
        self.starts = [wp.zeros(len(schedule) + 1, dtype=wp.int32, device=device) for schedule in self.schedules]
        self.stiffen(np.ones(len(constraints.corners)), np.ones(len(constraints.ends)))

    def structs(self, solver: ProjectionSolver) -> list[Any]:
        """Volumes, bonds and edges as the kernels take them."""
        from supple.skins.position_based.published import projection_kernels as kernels

        volumes, bonds, edges = self.starts
        return [
            devices.fill_struct(kernels.VolumeConstraints(), starts=volumes, corners=self.corners, sizes=self.sizes),
            devices.fill_struct(
                kernels.BindConstraints(),
                starts=bonds,
                bound=self.bound,
                anchors=solver.anchors,
                lengths=solver.bind_lengths,
                stiffness=solver.bind_factors,
            ),
            devices.fill_struct(
                kernels.StretchConstraints(),
                starts=edges,
                ends=self.ends,
                lengths=self.rest_lengths,
                stiffness=self.stiffness,
            ),
        ]

    def stiffen(self, of_volumes: FloatArray, of_edges: FloatArray) -> None:
        """Put the walks on the device with these factors, in place, so that recorded launches see it."""
        body, (volumes, bonds, edges) = self.constraints, self.schedules
        _put(self.corners, body.corners[volumes.order])
        rest = 6.0 * body.rest_volumes[volumes.order]
        sizes = [rest, (_LONGEST_MOVE * np.cbrt(rest)) ** 2, of_volumes[volumes.order]]
        _put(self.sizes, np.stack(sizes, axis=1).astype(np.float32))
        _put(self.bound, bonds.order)
        _put(self.ends, body.ends[edges.order])
        _put(self.rest_lengths, body.rest_lengths[edges.order].astype(np.float32))
        _put(self.stiffness, of_edges[edges.order].astype(np.float32))
        for starts, schedule in zip(self.starts, self.schedules, strict=True):
            devices.write(starts, schedule.starts)


def _put(array: Any, values: NDArray[Any]) -> None:
    if len(values):
        whole = array.numpy()
        whole[: len(values)] = values
        devices.write(array, whole)


class _SlabTable(_Table):
    """One walk per slab, or per pair of neighbouring slabs; each runs on a thread of its own."""

    def launches(self, params: Any, solver: ProjectionSolver) -> list[devices.Launch]:
        from supple.skins.position_based.published import projection_kernels as kernels

        inputs = [params, *self.structs(solver), solver.particles]
        return [devices.Launch(kernels.sweep, len(self.starts[0]) - 1, inputs, self.device, smallest=1)]


class _ColorTable(_Table):
    """One launch per colour, in which every thread walks through a cluster."""

    def launches(self, params: Any, solver: ProjectionSolver) -> list[devices.Launch]:
        from supple.skins.position_based.published import projection_kernels as kernels

        volumes, bonds, edges = self.structs(solver)
        colors = self.schedules[0].color_starts
        bounds = [] if colors is None else itertools.pairwise(colors.tolist())
        inputs = [params, volumes, edges, solver.particles]
        return [
            *(
                devices.Launch(kernels.sweep_color, stop - start, [start, *inputs], self.device, block=_BLOCK)
                for start, stop in bounds
            ),
            devices.Launch(
                kernels.project_bonds, len(self.schedules[1].order), [params, bonds, solver.particles], self.device
            ),
        ]
