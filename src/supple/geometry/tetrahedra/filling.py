"""Filling any character with tetrahedra of about one size, as many as asked for."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray
from supple.errors import InputError, SuppleWarning
from supple.geometry import topology
from supple.geometry.tetrahedra.carving import carve
from supple.geometry.tetrahedra.ordering import reorder
from supple.geometry.tetrahedra.solid import Solid
from supple.geometry.tetrahedra.tetrahedra import Tetrahedra
from supple.geometry.tetrahedra.thin import ThinParts

_WHERE = "fill"
_FEWEST, _MOST = 50, 20_000_000  # elements
_GOOD = 0.05  # share of the wanted count by which the result may be off
_CLOSE = 0.045  # share that ends the search
_TRIES = 24
_FINEST = 0.1  # share of the first spacing below which nothing is looked for
_NARROW = 0.003  # share by which spacings differ between which nothing is looked for
_STEADY = 10  # tries before the lattice is shifted as well: a symmetric body may have no count between two
_DAMPED = 1.0 / 6.0  # power of a count that corrects the spacing of shifted lattices: half of what cubes would need
_ASIDE = 1e-3 * np.array([0.37, 0.71, 0.53])  # cubes: so that no ray meets a symmetric body in a corner or an edge
_GOLDEN = np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703])  # spreads shifts evenly
_FIRST = 20_000  # elements of the first try: small enough to be quick, large enough to tell how counts grow
_PER_CUBE = 12.0  # elements in every cube of the lattice
_APART = 0.12  # between the logarithms of counts, and of volumes, that are told apart
_PER_AREA = 4.0  # elements that the skin adds for every square of that size on it, roughly


class _Try(NamedTuple):
    """What a spacing [m] gave: how many elements, and how much volume [m³]."""

    spacing: float
    made: float
    volume: float


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
    given = np.asarray(points, dtype=np.float64)
    # Rays are cast in single precision: they meet a body best that is of size one, about the origin.
    usable = given.size > 0 and bool(np.isfinite(given).all()) and bool(np.ptp(given, axis=0).max() > 0.0)
    middle = 0.5 * (given.min(axis=0) + given.max(axis=0)) if usable else np.zeros(3)
    size = float(np.ptp(given, axis=0).max()) if usable else 1.0
    body = Solid((given - middle) / size if usable else given, triangles, _WHERE)
    positions, corners = _search(body, count, ThinParts.from_body(body) if thicken else None)
    if not len(corners):
        raise InputError(
            _WHERE,
            f"the surface ({len(body.triangles)} triangles, box {_box(given)}) encloses nothing that holds an element",
            "a surface with an inside is needed",
            "close it, give flat parts a thickness, or ask for a larger count",
        )
    if abs(len(corners) - count) > _GOOD * count:
        warnings.warn(
            f"fill: made {len(corners)} elements where {count} were asked for; this body has no closer count",
            SuppleWarning,
            stacklevel=2,
        )
    return reorder(positions * size + middle, corners)


def _search(body: Solid, count: int, thin: ThinParts | None) -> tuple[FloatArray, IntArray]:
    """Carve at several spacings until the number of elements is right; the nearest found is returned."""
    best = np.empty((0, 3)), np.empty((0, 4), dtype=np.int32)
    tried: list[_Try] = []
    shifted = False
    for number in range(_TRIES):
        if shifted:  # every shift gives another count: what is wanted lies among them, not between two
            spacing: float | None = tried[-1].spacing * (max(tried[-1].made, 1.0) / count) ** _DAMPED
        else:
            spacing = _next_spacing(body, tried, min(count, _FIRST) if number == 0 else count)
        shifted = shifted or number >= _STEADY or _jumps(tried, count)
        if spacing is None:
            break
        shift = _ASIDE + shifted * ((number * _GOLDEN) % 1.0)
        points, corners = carve(body, spacing, thin=thin, shift=shift)
        made, cubes = float(len(corners)), _volume(points, corners) / spacing**3
        if number < 2:
            made, cubes = _coarse(made), _coarse(cubes)
        tried.append(_Try(spacing, made, cubes * spacing**3))
        if abs(len(corners) - count) < abs(len(best[1]) - count):
            best = points, corners
        if abs(len(best[1]) - count) <= _CLOSE * count:
            break
    return best


def _jumps(tried: list[_Try], count: int) -> bool:
    """Whether counts jump over the wanted one: there is hardly anything between a spacing with fewer and one with more.

    To come nearer to the jump would leave it to rounding on which side of it the lattice lies.
    """
    few = [one.spacing for one in tried if one.made < count]
    many = [one.spacing for one in tried if one.made > count]
    return bool(few and many) and min(few) < (1.0 + _NARROW) * max(many)


def _coarse(value: float) -> float:
    """The nearest of values that are an eighth apart.

    A few elements more or less, as when the skin just reaches a node or just does not, then lead to the same next
    spacing, and not to other elements everywhere.
    """
    return float(np.exp(_APART * np.round(np.log(value) / _APART))) if value > 0.0 else 0.0


def _next_spacing(body: Solid, tried: list[_Try], count: int) -> float | None:
    """The spacing [m] of the lattice to try next; None where nothing new can be learnt.

    Between a spacing that gives too few and one that gives too many, counts follow a power law; it is kept from
    crawling by halving now and then.
    """
    few = [one for one in tried if one.made < count]
    many = [one for one in tried if one.made > count]
    if few and many:
        coarse, fine = min(few, key=lambda one: one.spacing), max(many, key=lambda one: one.spacing)
        if coarse.spacing < fine.spacing * (1.0 + 1e-6):
            return None
        fraction = 0.5
        if coarse.made and len(tried) % 4 != 3:
            fraction = np.log(count / coarse.made) / np.log(fine.made / coarse.made)
        return float(coarse.spacing * (fine.spacing / coarse.spacing) ** np.clip(fraction, 0.05, 0.95))
    if not tried:
        area = 0.5 * float(np.linalg.norm(topology.area_vectors(body.points, body.triangles), axis=1).sum())
        # Volume and area may be far off where shells cross or lie inside each other; the box is not.
        fair = float(np.ptp(body.points, axis=0).max() / (4.0 * np.sqrt(count)))
        return max(_spacing_for(body.volume, _PER_AREA * area, count), fair)
    last = tried[-1]
    if not last.made:
        # The first spacing was right for a body of this volume and area; one that stays empty below it has no inside.
        return 0.5 * last.spacing if last.spacing > _FINEST * tried[0].spacing else None
    at_skin = max(last.made - _PER_CUBE * last.volume / last.spacing**3, 0.0) * last.spacing**2
    # Never quite the same again, even where the model says so.
    return _spacing_for(last.volume, at_skin, count) * (0.999 if last.made < count else 1.001)


def _spacing_for(volume: float, at_skin: float, count: int) -> float:
    """The spacing a at which 12 V / a³ + S / a² elements are `count`, by Newton's method on 1 / a."""
    dense = (count / (_PER_CUBE * volume + 1e-300)) ** (1.0 / 3.0)
    dense = min(dense, (count / (at_skin + 1e-300)) ** 0.5)
    for _ in range(30):
        off = _PER_CUBE * volume * dense**3 + at_skin * dense**2 - count
        dense -= off / (3.0 * _PER_CUBE * volume * dense**2 + 2.0 * at_skin * dense)
    return float(1.0 / dense)


def _volume(points: FloatArray, corners: IntArray) -> float:
    a, b, c, d = (points[corners[:, k]] for k in range(4))
    return float(np.einsum("ti,ti->", np.cross(b - a, c - a), d - a)) / 6.0


def _box(points: FloatArray) -> str:
    return " x ".join(f"{side:.3g}" for side in np.ptp(points, axis=0)) + " m"
