"""Curves at rest that something is in the way of: they touch it, press on it, and bend beside it as beams do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.errors import InputError, UnfinishedError
from supple.skins.curves.beam.finite_differences import check_rows
from supple.skins.curves.beam.static import StaticBeam

Outside = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_WHERE = "meet"
_ROUNDS = 60  # in which directions are looked at again
_STILL = 1e-9  # of the longest side of the curve: nodes that move less have settled


@dataclass(frozen=True, eq=False)
class Meeting:
    """How a curve has given way: `offsets` (nodes, 3) from where it was, and what presses on its inner nodes.

    `pressures` (nodes - 2,) are forces per unit of v, as those of `StaticBeam`, along `normals` (nodes - 2, 3); none is
    below zero, and where nothing touches it is zero.
    """

    offsets: FloatArray
    pressures: FloatArray
    normals: FloatArray


def meet(beam: StaticBeam, places: ArrayLike, outside: Outside, *, load: ArrayLike = (0.0, 0.0, 0.0)) -> Meeting:
    """What becomes of a curve at `places` (nodes, 3), held at its ends as it is, when something stands in its way.

    `outside` tells of points (n, 3) how far (n,) they are outside, less than zero within, and the directions (n, 3) in
    which that grows. The energy 1/2 q.Kq - load.q of the offsets q is least among those with no inner node inside:

        K q = load + sum n p,   p >= 0,   d >= 0,   p d = 0

    for pressures p along the normals n where nodes are d outside. For given normals that is one nonnegative least
    squares problem in p; it is solved again where the nodes have come to, until they stay.
    """
    from scipy.optimize import nnls

    curve = check_rows(places, beam.nodes, _WHERE, "places")
    if curve.shape != (beam.nodes, 3):
        raise InputError(_WHERE, f"places are {curve.shape}", f"({beam.nodes}, 3) is needed", "give one curve in space")
    force = np.tile(frozen(load, np.float64, (3,), _WHERE, "load"), (beam.nodes - 2, 1))
    if beam.bands.eigenvalues.min() <= 0.0:
        given = f"compression {beam.compression} is more than a curve bears without buckling"
        raise InputError(_WHERE, given, "a curve that buckles gives way by any amount", "use less compression")
    inner, size = curve[1:-1], float(np.ptp(curve, axis=0).max())
    flexibility = beam.bands.solve(np.eye(beam.nodes - 2))
    free = beam.bands.solve(force)
    moved = free
    for _ in range(_ROUNDS):
        distances, normals = outside(inner + moved)
        needed = np.einsum("ni,ni->n", normals, moved - free) - distances
        yields = flexibility * (normals @ normals.T)
        near = np.flatnonzero(np.isfinite(needed))
        factor = np.linalg.cholesky(yields[np.ix_(near, near)])
        pressures = np.zeros(len(inner))
        pressures[near] = nnls(factor.T, np.linalg.solve(factor, needed[near]))[0]
        before, moved = moved, free + flexibility @ (pressures[:, None] * normals)
        if np.abs(moved - before).max() <= _STILL * size:
            offsets = np.zeros_like(curve)
            offsets[1:-1] = moved
            return Meeting(offsets, pressures, normals)
    raise UnfinishedError(
        _WHERE,
        f"nodes still moved after {_ROUNDS} rounds",
        "they must come to rest",
        "let the thing come less deep, or be rounder",
    )
