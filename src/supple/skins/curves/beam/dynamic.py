"""Curves in motion: clamped beams with mass that start at rest and are driven by forces and by their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.errors import InputError
from supple.skins.curves.beam.finite_differences import (
    BandedMatrix,
    Clamps,
    check_nodes,
    check_positive,
    check_rows,
    check_same_columns,
)

_REFINEMENTS = 1  # of correction of an exact force; a second gains nothing


@dataclass(frozen=True)
class DynamicBeam:
    """Let curves swing into their shape: they lag behind the forces, run past them, and come to rest if damped.

        a1 q_vvvv + a2 q_tt + a3 q_t = f(v, t)   on 0 <= v <= 1, 0 <= t <= 1   [Chaudhry2015, Eq. 6.2]

    `bending` is a1, `mass` a2, `damping` a3 (0 as published). Time goes from 0 to 1 in `steps` steps of 1/M; it may
    stand for seconds or for the share of a joint's turn. Each step is implicit: the bending is that of the new shape,
        a1 N^4 D4 q[m+1] + a2 M^2 (q[m+1] - 2 q[m] + q[m-1]) + a3 M/2 (q[m+1] - q[m-1]) = f[m+1].
    Starting at rest means q[-1] = q[1], so the first step has 2 a2 M^2 on its diagonal; all later steps share one
    matrix. With mass zero every step is the static beam.

    What the steps do to a swing: a mode of angular frequency w = sqrt(a1 lambda / a2) shrinks by
    1 / sqrt(1 + (w/M)^2) per step and advances by atan(w/M) instead of w/M. So any step is stable; swings slower than
    the step are kept (first order in 1/M), and swings faster than it die within a few steps. Mode one of a clamped
    curve has w = 22.4 sqrt(a1/a2): with M steps it is kept well where that is below M/10.
    """

    nodes: int
    steps: int
    bending: float = 1.0
    mass: float = 1.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        where = "DynamicBeam"
        check_nodes(self.nodes, where)
        if self.steps < 1:
            raise InputError(where, f"steps is {self.steps}", "at least one is needed", "use 30 for a second of film")
        check_positive(self.bending, where, "bending")
        check_positive(self.mass, where, "mass", allow_zero=True)
        check_positive(self.damping, where, "damping", allow_zero=True)

    def ramp(self, force: ArrayLike, clamps: Clamps) -> FloatArray:
        """All shapes (steps + 1, nodes, ...) from rest at zero while force and clamps grow evenly to the given ones."""
        where = "DynamicBeam.ramp"
        final = check_rows(force, self.nodes - 2, where, "force")
        check_same_columns(final, clamps, where)
        return self._ramp(final, clamps)

    def play(self, forces: ArrayLike, clamps: Sequence[Clamps], *, start: ArrayLike | None = None) -> FloatArray:
        """All shapes (steps + 1, nodes, ...) under forces (steps, nodes - 2, ...) and clamps that change as they like.

        Force and clamps number m act at the end of step m. The beam starts at rest, in the shape `start` (zero without
        one). Any number of steps can be given; their length stays 1/M.
        """
        where = "DynamicBeam.play"
        given = check_rows(forces, -1, where, "forces")
        if given.ndim < 2 or given.shape[1] != self.nodes - 2:
            needed = f"(steps, {self.nodes - 2}, ...) is needed"
            raise InputError(where, f"forces are {given.shape}", needed, "leave out the two clamped ends")
        if len(clamps) != len(given):
            found = f"there are {len(clamps)} clamps for {len(given)} forces"
            raise InputError(where, found, "every step needs one of each", "repeat the clamps if they stand still")
        for held in clamps:
            check_same_columns(given[0], held, where)
        columns = given.shape[2:]
        first = np.zeros((self.nodes, *columns)) if start is None else check_rows(start, self.nodes, where, "start")
        if first.shape[1:] != columns:
            raise InputError(where, f"start is {first.shape}", f"(nodes, *{columns}) is needed", "reshape it")
        shapes = np.empty((len(given) + 1, self.nodes, *columns))
        shapes[0] = first
        for step, (force, held) in enumerate(zip(given, clamps, strict=True)):
            before = shapes[step - 1] if step else None
            shapes[step + 1] = self._step(shapes[step], before, force - self.bands.boundary_load(held), held.values)
        return shapes

    def advance(self, now: ArrayLike, before: ArrayLike, force: ArrayLike, *, clamps: Clamps) -> FloatArray:
        """The shape one step after `now` (nodes, ...); `before` is one step earlier, and equals `now` after rest."""
        where = "DynamicBeam.advance"
        here = check_rows(now, self.nodes, where, "now")
        last = check_rows(before, self.nodes, where, "before")
        given = check_rows(force, self.nodes - 2, where, "force")
        check_same_columns(given, clamps, where)
        if here.shape != last.shape or here.shape[1:] != given.shape[1:]:
            found = f"now is {here.shape}, before {last.shape} and the force {given.shape}"
            raise InputError(where, found, "all have the same curves and coordinates", "reshape them")
        return self._step(here, last, given - self.bands.boundary_load(clamps), clamps.values)

    def force(self, shape: ArrayLike, clamps: Clamps | None = None) -> FloatArray:
        """The force (nodes - 2, ...) with which `ramp` ends in this shape (nodes, ...), exactly.

        The last shape is linear in the force, and in the modes of the beam each force moves its own mode only: what
        the ends alone would have done is taken off, and the rest divided by the answer of each mode.
        """
        where = "DynamicBeam.force"
        nodes = check_rows(shape, self.nodes, where, "shape")
        held = Clamps.from_shape(nodes) if clamps is None else clamps
        check_same_columns(nodes, held, where)
        inner = nodes[1:-1]
        force = np.zeros_like(inner)
        for _ in range(1 + _REFINEMENTS):
            force = force + self._force_to_end_in(inner - self._ramp(force, held)[-1, 1:-1])
        return force

    @cached_property
    def modal_responses(self) -> FloatArray:
        """How far each mode has come after a ramp of a unit force, slowest mode first (inner,); never zero."""
        bending = self.bands.eigenvalues - self.bands.diagonal
        before, now = np.zeros_like(bending), 1.0 / self.steps / (bending + 2.0 * self.mass_term)
        for step in range(2, self.steps + 1):
            load = step / self.steps + self.mass_term * (2.0 * now - before) + self.damping_term * before
            before, now = now, load / (bending + self.bands.diagonal)
        return now

    @cached_property
    def bands(self) -> BandedMatrix:
        """The matrix of all steps but the first."""
        return BandedMatrix(self.nodes, self.bending, diagonal=self.mass_term + self.damping_term)

    @cached_property
    def first_bands(self) -> BandedMatrix:
        """The matrix of the first step; at rest damping has nothing to hold   [Chaudhry2015, Eq. 6.14]."""
        return BandedMatrix(self.nodes, self.bending, diagonal=2.0 * self.mass_term)

    @property
    def mass_term(self) -> float:
        """What mass adds to the diagonal, a2 M^2."""
        return self.mass * self.steps**2

    @property
    def damping_term(self) -> float:
        """What damping adds to the diagonal, a3 M / 2."""
        return 0.5 * self.damping * self.steps

    @cached_property
    def _modes(self) -> FloatArray:
        """The shapes of the modes as columns (inner, inner), in the order of the eigenvalues."""
        from scipy.linalg import eig_banded

        return np.asarray(eig_banded(self.bands.diagonals, lower=True)[1])

    def _force_to_end_in(self, inner: FloatArray) -> FloatArray:
        """The force whose ramp, with ends that stay, ends in these inner nodes."""
        flat = inner.reshape(len(inner), -1)
        return (self._modes @ ((self._modes.T @ flat) / self.modal_responses[:, None])).reshape(inner.shape)

    def _ramp(self, force: FloatArray, clamps: Clamps) -> FloatArray:
        load = force - self.bands.boundary_load(clamps)
        shapes = np.zeros((self.steps + 1, self.nodes, *force.shape[1:]))
        for step in range(self.steps):
            alpha = (step + 1) / self.steps
            before = shapes[step - 1] if step else None
            shapes[step + 1] = self._step(shapes[step], before, alpha * load, alpha * clamps.values)
        return shapes

    def _step(self, now: FloatArray, before: FloatArray | None, load: FloatArray, ends: FloatArray) -> FloatArray:
        """One step; without a shape before this one the beam is at rest."""
        if before is None:
            inner = self.first_bands.solve(load + 2.0 * self.mass_term * now[1:-1])
        else:
            inertia = self.mass_term * (2.0 * now[1:-1] - before[1:-1]) + self.damping_term * before[1:-1]
            inner = self.bands.solve(load + inertia)
        return np.concatenate([ends[:1], inner, ends[1:]])
