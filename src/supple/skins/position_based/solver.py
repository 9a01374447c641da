"""The sweeps over all constraints of a body, on the CPU slab by slab, on a GPU colour by colour."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Floats
from supple.skins.position_based.constraints import Constraints, Walk, clusters, walks

_BLOCK = 32  # threads of a GPU that start together: few, so that the clusters of a colour spread over all of it
_LONGEST_MOVE = 0.5  # of an element's size, in one projection: flat elements would jump


@dataclass(frozen=True)
class Knobs:
    """How stiff each kind of constraint is, 0 to 1, and whether that holds for any number of rounds.

    With `slack`, flesh may come nearer to its bone than it was at rest, and only not go farther away.
    """

    volume: float
    bind: float
    stretch: float
    compliant: bool
    slack: bool = False

    def row(self) -> Floats:
        """As the kernels take them."""
        return np.array(
            [self.volume, self.bind, self.stretch, float(self.compliant), float(self.slack)], dtype=np.float32
        )


class Solver:
    """The particles of a body on a device, and sweeps that bring them nearer to all constraints.

    `particles` holds position and inverse mass; `anchors` are the points of the bones that particles are bound to, at
    `bind_lengths`. On the CPU the schedule is by slabs, on a GPU by colours, unless `by_colours` says otherwise.
    """

    def __init__(
        self,
        constraints: Constraints,
        bind_lengths: Floats,
        constants: devices.Constants,
        *,
        by_colours: bool | None = None,
    ) -> None:
        wp = devices.warp()
        count = len(constraints.points)
        self.constraints, self.device = constraints, constants.device
        self.particles, self.anchors = constants.blank(count, wp.vec4f), constants.blank(count, wp.vec3f)
        self.bind_lengths = devices.to_device(bind_lengths.astype(np.float32), wp.float32, self.device)
        self._in_colours = self.device != "cpu" if by_colours is None else by_colours
        schedule = _colour_walks if self._in_colours else _slab_walks
        self._walks = constants.derive(constraints.corners, schedule, lambda: schedule(constraints))

    def tables(self) -> Tables:
        """All constraints of the body on the device, in the order of the schedule."""
        kind = _ColourTable if self._in_colours else _SlabTable
        return Tables([kind(self.constraints, walks, self.device) for walks in self._walks])

    def sweeps(self, tables: Tables) -> Sweeps:
        """Sweeps over the constraints in `tables`, with knobs of their own."""
        return Sweeps(self, tables)


class Tables:
    """Constraints on the device, in one or two walks that follow each other."""

    def __init__(self, each: list[_SlabTable | _ColourTable]) -> None:
        self.each = each

    def stiffen(self, factors: Floats) -> None:
        """Factors (E,) on the stiffness of every edge of the body."""
        for table in self.each:
            table.stiffen(factors)

    def forget(self) -> None:
        """Begin a step: no constraint has gathered anything yet."""
        for table in self.each:
            table.forget()


class Sweeps:
    """Recorded sweeps over some constraints."""

    def __init__(self, solver: Solver, tables: Tables) -> None:
        wp = devices.warp()
        self._knobs = wp.zeros(5, dtype=wp.float32, device=solver.device)
        self._launches = [launch for table in tables.each for launch in table.launches(self._knobs, solver)]

    def set(self, knobs: Knobs) -> None:
        """Take stiffnesses for the sweeps to come."""
        devices.write(self._knobs, knobs.row())

    def round(self) -> None:
        """Once through all constraints."""
        for launch in self._launches:
            launch()


Walks = tuple[Walk, Walk, Walk]  # through volumes, bonds and edges


def _slab_walks(constraints: Constraints) -> list[Walks]:
    particles = np.arange(len(constraints.points))[:, None]
    (a, d), (b, e), (c, f) = (
        walks(members, constraints.slab_of) for members in (constraints.corners, particles, constraints.ends)
    )
    return [(a, b, c)] if constraints.slabs == 1 else [(a, b, c), (d, e, f)]


def _colour_walks(constraints: Constraints) -> list[Walks]:
    count = len(constraints.points)
    every = Walk(np.arange(count, dtype=np.int32), np.array([0, count], dtype=np.int32))
    elements, edges = clusters(constraints)
    return [(elements, every, edges)]


class _Table:
    """Device arrays of one walk through volumes, bonds and edges."""

    def __init__(self, constraints: Constraints, walks: Walks, device: str) -> None:
        wp = devices.warp()
        self.constraints, self.device = constraints, device
        self.walks = walks
        volumes, bonds, edges = walks
        self.corners = wp.zeros(max(len(volumes.order), 1), dtype=wp.vec4i, device=device)
        self.sizes = wp.zeros(len(self.corners), dtype=wp.vec2f, device=device)
        self.bound = wp.zeros(max(len(bonds.order), 1), dtype=wp.int32, device=device)
        self.ends = wp.zeros(max(len(edges.order), 1), dtype=wp.vec2i, device=device)
        self.rest_lengths = wp.zeros(len(self.ends), dtype=wp.float32, device=device)
        self.stiffness = wp.zeros(len(self.ends), dtype=wp.float32, device=device)
        lengths = [len(self.corners), len(self.bound), len(self.ends)]
        self.gathered = [wp.zeros(length, dtype=wp.float32, device=device) for length in lengths]
        self.starts = [wp.zeros(len(walk) + 1, dtype=wp.int32, device=device) for walk in self.walks]
        self.factors: Floats = np.ones(len(constraints.ends))
        self.write()

    def stiffen(self, factors: Floats) -> None:
        self.factors = factors
        self.write()

    def write(self) -> None:
        """Put the walks on the device, in place, so that recorded launches see it."""
        body, (volumes, bonds, edges) = self.constraints, self.walks
        _put(self.corners, body.corners[volumes.order])
        rest = 6.0 * body.rest_volumes[volumes.order]
        _put(self.sizes, np.stack([rest, (_LONGEST_MOVE * np.cbrt(rest)) ** 2], axis=1).astype(np.float32))
        _put(self.bound, bonds.order)
        _put(self.ends, body.ends[edges.order])
        _put(self.rest_lengths, body.rest_lengths[edges.order].astype(np.float32))
        _put(self.stiffness, self.factors[edges.order].astype(np.float32))
        for starts, walk in zip(self.starts, self.walks, strict=True):
            devices.write(starts, walk.starts)

    def forget(self) -> None:
        for gathered in self.gathered:
            gathered.zero_()


def _put(array: Any, values: NDArray[Any]) -> None:
    if len(values):
        whole = array.numpy()
        whole[: len(values)] = values
        devices.write(array, whole)


class _SlabTable(_Table):
    """One walk per slab, or per pair of neighbouring slabs; each runs on a thread of its own."""

    def launches(self, knobs: Any, solver: Solver) -> list[devices.Launch]:
        from supple.skins.position_based import kernels

        volume_starts, bind_starts, stretch_starts = self.starts
        volumes, bonds, edges = self.gathered
        inputs = [
            knobs,
            volume_starts,
            self.corners,
            self.sizes,
            volumes,
            bind_starts,
            self.bound,
            solver.anchors,
            solver.bind_lengths,
            bonds,
            stretch_starts,
            self.ends,
            self.rest_lengths,
            self.stiffness,
            edges,
            solver.particles,
        ]
        return [devices.Launch(kernels.sweep, len(volume_starts) - 1, inputs, self.device, smallest=1)]


class _ColourTable(_Table):
    """One launch per colour, in which every thread walks through a cluster."""

    def launches(self, knobs: Any, solver: Solver) -> list[devices.Launch]:
        from supple.skins.position_based import kernels

        volumes, bonds, edges = self.gathered
        volume_starts, bind_starts, stretch_starts = self.starts
        inputs = [
            knobs,
            volume_starts,
            self.corners,
            self.sizes,
            volumes,
            stretch_starts,
            self.ends,
            self.rest_lengths,
            self.stiffness,
            edges,
            solver.particles,
        ]
        binding = [bind_starts, knobs, self.bound, solver.anchors, solver.bind_lengths, bonds, solver.particles]
        colours = self.walks[0].colour_starts
        bounds = [] if colours is None else itertools.pairwise(colours.tolist())
        return [
            *(
                devices.Launch(kernels.sweep_colour, stop - start, [start, *inputs], self.device, block=_BLOCK)
                for start, stop in bounds
            ),
            devices.Launch(kernels.bonds, len(self.walks[1].order), binding, self.device),
        ]
