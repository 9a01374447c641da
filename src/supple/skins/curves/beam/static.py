"""Curves at rest: the shape a clamped beam takes under a force, and the force that a shape tells of."""

from __future__ import annotations

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

_NEARLY_SINGULAR = 1e-9  # of the softest answer that the curve has without compression
_REFINEMENTS = 3  # of correction; each leaves about cond * 1e-16 of the error before


@dataclass(frozen=True)
class StaticBeam:
    """Bend curves as clamped beams do: smooth everywhere, and held at both ends in place and direction.

        a1 q'''' + a2 q'' = F  on 0 <= v <= 1,   q and q' given at both ends   [Chaudhry2015, Eq. 5.1]

    `bending` is a1, `compression` is a2. Above zero the ends are pushed together, and the beam answers ever more
    strongly until it buckles at a2 = 4 pi^2 a1 (beyond, it bends against the force); below zero the ends are pulled
    apart, and it comes close to a string.
    Central differences on `nodes` - 1 intervals, second order in 1/(nodes - 1). One factor serves all curves with this
    number of nodes. Shapes are (nodes, ...), forces (nodes - 2, ...): there is none at the clamped ends.

    Limits: the equation is linear. If force and clamps go evenly from one example to another, so does every node, along
    a straight line; turns must be taken out first.
    """

    nodes: int
    bending: float = 1.0
    compression: float = 0.0

    def __post_init__(self) -> None:
        where = "StaticBeam"
        check_nodes(self.nodes, where)
        check_positive(self.bending, where, "bending")
        if not np.isfinite(self.compression):
            given = f"compression is {self.compression}"
            raise InputError(where, given, "a finite number is needed", "use 0 for a plain beam")
        if self.compression > 0.0:
            self._refuse_buckling()

    def shape(self, force: ArrayLike, clamps: Clamps) -> FloatArray:
        """The shape (nodes, ...) under a force (nodes - 2, ...) with clamped ends."""
        where = "StaticBeam.shape"
        given = check_rows(force, self.nodes - 2, where, "force")
        check_same_columns(given, clamps, where)
        return self._shape(given, clamps)

    def force(self, shape: ArrayLike, clamps: Clamps | None = None) -> FloatArray:
        """The force (nodes - 2, ...) under which `shape` gives this shape (nodes, ...) back.

        Without clamps those of the shape itself are taken. Differences of differences cancel many digits, so what the
        solver makes of the force is compared with the shape and the force corrected.
        """
        where = "StaticBeam.force"
        nodes = check_rows(shape, self.nodes, where, "shape")
        held = Clamps.from_shape(nodes) if clamps is None else clamps
        check_same_columns(nodes, held, where)
        inner = nodes[1:-1]
        force = self.bands.multiply(inner) + self.bands.boundary_load(held)
        for _ in range(_REFINEMENTS):
            force = force + self.bands.multiply(inner - self._shape(force, held)[1:-1])
        return force

    @cached_property
    def bands(self) -> BandedMatrix:
        """The matrix K of the inner nodes   [Chaudhry2015, Eq. 5.8]."""
        return BandedMatrix(self.nodes, self.bending, self.compression)

    def _shape(self, force: FloatArray, clamps: Clamps) -> FloatArray:
        inner = self.bands.solve(force - self.bands.boundary_load(clamps))
        return np.concatenate([clamps.values[:1], inner, clamps.values[1:]])

    def _refuse_buckling(self) -> None:
        """At a buckling load there is a shape that needs no force, so a force does not say which shape it makes."""
        softest = np.abs(self.bands.eigenvalues).min()
        plain = BandedMatrix(self.nodes, self.bending).eigenvalues[0]
        if softest < _NEARLY_SINGULAR * plain:
            given = f"compression {self.compression} is a load at which the curve buckles"
            raise InputError(
                "StaticBeam",
                given,
                f"the equations need one solution; the first such load is near {4.0 * np.pi**2 * self.bending:.5g}",
                "use less compression, best below half of that",
            )
