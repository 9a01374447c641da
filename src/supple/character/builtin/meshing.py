"""Give a body its mesh: a closed shell with exactly as many vertices as asked for."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.builtin.lenses import Lens, through
from supple.errors import UnfinishedError
from supple.geometry import remeshing, topology
from supple.geometry.implicit import Body
from supple.geometry.surface_nets import polygonize

_SURPLUS = 1.12  # polygonise this many times the vertices wanted, then collapse the shortest edges
_SPREAD = 2.2  # how much larger than the body its drawing through the lenses may be


def mesh(
    body: Body, lenses: tuple[Lens, ...], *, vertices: int, finest: int, coarse: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Points and triangles of the body's skin.

    The skin is polygonised with at least `finest` vertices, which is what its narrowest gaps need, and thinned to
    `vertices`. `coarse` is how many a first try gives (see `first_try`), where that is known, and saves the try.
    """

    def distance(drawn: FloatArray) -> FloatArray:
        return body.distance(through(lenses, drawn))

    raw_points, raw_triangles = _raw(body, lenses, distance, int(_SURPLUS * max(vertices, finest)), coarse)
    points, triangles = remeshing.decimate(raw_points, raw_triangles, vertices)
    points, triangles = remeshing.even_out(points, triangles, distance, rounds=12)
    # The lenses squeeze triangles a little; a few more rounds on the character itself make up for it.
    return remeshing.even_out(through(lenses, points), triangles, body.distance, rounds=4)


def first_try(body: Body, lenses: tuple[Lens, ...]) -> int:
    """How many vertices the body has on the lattice that is tried first, whose cells are guessed from its size."""
    room, cell = _room(body, lenses)
    points, _ = polygonize(lambda drawn: body.distance(through(lenses, drawn)), *_corners(room, cell, 0), cell=cell)
    return len(points)


def _room(body: Body, lenses: tuple[Lens, ...]) -> tuple[FloatArray, float]:
    """Where the body may be in the drawing (2, 3) [m], and the size of the first cells [m]."""
    low, high = body.box
    middle, margin = 0.5 * (low + high), 0.1 * float((high - low).max())
    spread = _SPREAD if lenses else 1.0
    room = np.stack([middle + spread * (low - middle) - margin, middle + spread * (high - middle) + margin])
    return room, min(0.02, 0.2 * float((high - low).min()))


def _corners(room: FloatArray, cell: float, attempt: int) -> tuple[FloatArray, FloatArray]:
    """The corners of the lattice, shifted so that no plane of symmetry lies on it, by more with every attempt."""
    return room[0] - 0.31 * cell - 0.137 * attempt * cell, room[1]


def _raw(
    body: Body, lenses: tuple[Lens, ...], distance: remeshing.Distance, wanted: int, coarse: int | None
) -> tuple[FloatArray, IntArray]:
    """A closed shell without handles of about `wanted` vertices, searched for from a first guess of the cell."""
    room, cell = _room(body, lenses)
    found = 0
    for attempt in range(12):
        if attempt == 0 and coarse is not None and not _suits(coarse, wanted):
            found = coarse
        else:
            points, quads = polygonize(distance, *_corners(room, cell, attempt), cell=cell)
            triangles = topology.triangulate(_short_diagonals_first(points, quads))
            found = len(points)
            if _suits(found, wanted):
                census = topology.census(triangles)
                if census.is_closed and census.shells == 1 and census.euler == 2:
                    return points, triangles
        # Twice as fine gives four times as many.
        cell *= float(np.sqrt(found / (1.02 * wanted)))
    raise UnfinishedError(
        "character",
        f"no clean mesh came of {found} vertices",
        "one closed shell without handles is needed",
        "ask for more vertices",
    )


def _suits(found: int, wanted: int) -> bool:
    return 0.96 * wanted <= found <= 1.15 * wanted


def _short_diagonals_first(points: FloatArray, quads: IntArray) -> IntArray:
    """The same quads, turned so that the diagonal along which they will be cut is the shorter one."""
    corner = points[quads]
    first = np.linalg.norm(corner[:, 2] - corner[:, 0], axis=1)
    second = np.linalg.norm(corner[:, 3] - corner[:, 1], axis=1)
    return np.where((first <= second)[:, None], quads, np.roll(quads, 1, axis=1))
