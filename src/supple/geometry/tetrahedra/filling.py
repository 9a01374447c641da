"""Filling any character with tetrahedra of about one size, as many as asked for."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Floats, Ints
from supple.errors import InputError, SuppleWarning
from supple.geometry.tetrahedra.body import Body
from supple.geometry.tetrahedra.carving import carve
from supple.geometry.tetrahedra.ordering import ordered
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra
from supple.geometry.tetrahedra.thin import ThinParts

_WHERE = "fill"
_FEWEST, _MOST = 50, 20_000_000  # elements
_GOOD = 0.05  # share of the wanted count by which the result may be off
_CLOSE = 0.045  # share that ends the search
_TRIES = 14
_FIRST = 20_000  # elements of the first try: small enough to be quick, large enough to tell how counts grow
_PER_VOLUME = 16.0  # elements for every cube of the lattice inside a body of common size, its cut ones included


def fill(points: ArrayLike, triangles: ArrayLike, *, count: int = 5000, thicken: bool = True) -> Tetrahedra:
    """Fill a character's surface with about `count` tetrahedra, whatever state the surface is in.

    The inside is where the generalised winding number exceeds one half, so holes are closed by the smoothest lid,
    shells may cross, and surfaces that are inside out are turned over. Elements are those of a body-centred cubic
    lattice, carved by the skin without ever making a thin one: no dihedral angle is under 9 degrees. The spacing
    of the lattice is searched until the count is right within 5 %. Parts that come close without touching stay apart.

    Arms and hands thinner than an element are filled by elements thicker than they are, so that they are there to move;
    `thicken=False` leaves them out. What is thinner than a third of an element is left out either way.

    `points` (V, 3) [m], `triangles` (T, 3). Points and elements come out in an order that is good for memory, always
    the same for the same surface.

    Limits: the boundary follows the skin with
    the detail of the elements, not of the triangles. What a shell encloses twice, as where two thighs run into each
    other, is left empty.
    """
    if not _FEWEST <= count <= _MOST:
        raise InputError(_WHERE, f"count is {count}", f"{_FEWEST} to {_MOST:,} elements can be made", "try 5000")
    body = Body(points, triangles, _WHERE)
    places, corners = _search(body, count, ThinParts.of(body) if thicken else None)
    if not len(corners):
        raise InputError(
            _WHERE,
            f"the surface ({len(body.triangles)} triangles, box {_size(body)}) encloses nothing that holds an element",
            "a surface with an inside is needed",
            "close it, give flat parts a thickness, or ask for a larger count",
        )
    if abs(len(corners) - count) > _GOOD * count:
        warnings.warn(
            f"fill: made {len(corners)} elements where {count} were asked for; this body has no closer count",
            SuppleWarning,
            stacklevel=2,
        )
    return ordered(places, corners)


def _search(body: Body, count: int, thin: ThinParts | None) -> tuple[Floats, Ints]:
    """Carve at several spacings until the number of elements is right; the nearest found is returned.

    Counts grow as a power of one over the spacing, nearly the third. Between a spacing that gives too few and one that
    gives too many, the power law through both is followed; it is stopped from crawling by halving now and then.
    """
    best = np.empty((0, 3)), np.empty((0, 4), dtype=np.int32)
    tried: list[tuple[float, int]] = []  # spacing, elements
    for number in range(_TRIES):
        wanted = min(count, _FIRST) if number == 0 else count
        spacing = _next_spacing(body, tried, wanted)
        if spacing is None:
            break
        points, corners = carve(body, spacing, thin=thin)
        tried.append((spacing, len(corners)))
        if abs(len(corners) - count) < abs(len(best[1]) - count):
            best = points, corners
        if abs(len(best[1]) - count) <= _CLOSE * count:
            break
    return best


def _next_spacing(body: Body, tried: list[tuple[float, int]], count: int) -> float | None:
    """The spacing [m] of the lattice to try next; None where nothing new can be learnt."""
    if not tried:
        size = float(np.ptp(body.points, axis=0).max())
        return float(np.clip((_PER_VOLUME * body.volume / count) ** (1.0 / 3.0), 0.2 * size / count ** (1 / 2), size))
    spacing, made = tried[-1]
    few = [(s, n) for s, n in tried if n < count]
    many = [(s, n) for s, n in tried if n > count]
    if few and many:
        coarse, fine = min(few), max(many)
        if coarse[0] / fine[0] < 1.0 + 1e-6:
            return None
        share = 0.5
        if coarse[1] and len(tried) % 4 != 3:
            share = np.log(count / coarse[1]) / np.log(fine[1] / coarse[1])
        return float(coarse[0] * (fine[0] / coarse[0]) ** np.clip(share, 0.05, 0.95))
    if not made:
        return 0.5 * spacing
    power = 3.0
    if len(tried) > 1 and tried[-2][1]:
        power = np.log(made / tried[-2][1]) / np.log(tried[-2][0] / spacing)
    return float(spacing * np.clip(made / count, 1e-3, 1e3) ** (1.0 / np.clip(power, 2.0, 3.5)))


def _size(body: Body) -> str:
    return " x ".join(f"{side:.3g}" for side in np.ptp(body.points, axis=0)) + " m"
