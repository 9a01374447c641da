"""A stroke on the skin: bound to triangles, so that it is carried along by whatever moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.edits.strokes.gaps import drop_crumbs, find_breaks, find_leaps
from supple.edits.strokes.picking import pick
from supple.edits.strokes.reduction import PIXELS, resample, simplify
from supple.edits.strokes.stroke import Stroke, check_pressures
from supple.edits.strokes.view import View
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.topology import area_vectors

_WHERE = "SurfaceStroke"


@dataclass(frozen=True, eq=False)
class SurfaceStroke:
    """Knots on `triangles` (K,) at `barycentric` coordinates (K, 3), and all triangles that it `crossed` (C,).

    `pressures` (K,), 0 to 1, are how hard the pen was pressed; None for a device that does not say.
    """

    triangles: IntArray
    barycentric: FloatArray
    crossed: IntArray
    pressures: FloatArray | None = None

    def __post_init__(self) -> None:
        triangles = frozen(self.triangles, np.int32, (-1,), _WHERE, "triangles")
        barycentric = frozen(self.barycentric, np.float64, (len(triangles), 3), _WHERE, "barycentric")
        crossed = frozen(self.crossed, np.int32, (-1,), _WHERE, "crossed")
        if len(triangles) < 1 or triangles.min() < 0 or len(crossed) < 1 or crossed.min() < 0:
            raise InputError(
                _WHERE,
                f"it has {len(triangles)} knots over {len(crossed)} triangles, or numbers below 0",
                "at least one of each is needed",
                "draw it on the skin",
            )
        if np.abs(barycentric.sum(axis=1) - 1.0).max() > 1e-6 or barycentric.min() < -1e-6:
            raise InputError(
                _WHERE,
                "shares do not sum to one, or are below zero",
                "places in triangles are needed",
                "draw it on the skin",
            )
        object.__setattr__(self, "triangles", triangles)
        object.__setattr__(self, "barycentric", barycentric)
        object.__setattr__(self, "crossed", np.unique(crossed))
        if self.pressures is not None:
            object.__setattr__(self, "pressures", check_pressures(self.pressures, len(triangles), _WHERE))

    @classmethod
    def drawn(
        cls,
        points: ArrayLike,
        triangles: ArrayLike,
        view: View,
        *,
        pixels: ArrayLike,
        pressures: ArrayLike | None = None,
        tolerance: float = PIXELS,
    ) -> SurfaceStroke:
        """A line through `pixels` (N, 2) laid on the skin `points` (V, 3) that is seen there, pixel by pixel.

        `tolerance` [px] says how few knots it has. A line that breaks (`drawn_pieces`) is refused.
        """
        pieces = cls.drawn_pieces(points, triangles, view, pixels=pixels, pressures=pressures, tolerance=tolerance)
        return only_piece(pieces, "SurfaceStroke.drawn_pieces")

    @classmethod
    def drawn_pieces(
        cls,
        points: ArrayLike,
        triangles: ArrayLike,
        view: View,
        *,
        pixels: ArrayLike,
        pressures: ArrayLike | None = None,
        tolerance: float = PIXELS,
    ) -> tuple[SurfaceStroke, ...]:
        """The same for a line that breaks: a stroke for every piece of it.

        It breaks where it is beside the skin for more than eight pixels, and where it goes over to skin that lies
        elsewhere, such as from an arm to the belly behind it.
        """
        line = resample(pixels, 1.0)
        picks = pick(points, triangles, view, pixels=line)
        hard = None if pressures is None else _spread(pressures, pixels, line)
        skin, mesh = np.asarray(points, dtype=np.float64), np.asarray(triangles)
        on_skin = np.flatnonzero(picks.triangles >= 0)
        faces = picks.triangles[on_skin]
        positions = np.einsum("kc,kci->ki", picks.barycentric[on_skin], skin[mesh[faces]])
        leaps = np.zeros(len(line), dtype=bool)
        leaps[on_skin] = find_leaps(skin, mesh, faces, positions)
        return cls._pieces(picks.triangles, picks.barycentric, line, hard, tolerance, leaps)

    @classmethod
    def from_picks(
        cls,
        triangles: ArrayLike,
        barycentric: ArrayLike,
        *,
        pixels: ArrayLike | None = None,
        pressures: ArrayLike | None = None,
        tolerance: float = PIXELS,
    ) -> SurfaceStroke:
        """From picks made elsewhere, in the order in which they were drawn: `triangles` (N,), -1 beside the skin.

        With the `pixels` (N, 2) in which they were made it has as few knots as `tolerance` [px] allows; without them,
        every pick is a knot. Picks beside the skin break it, which is refused (`pieces_from_picks`).
        """
        pieces = cls.pieces_from_picks(triangles, barycentric, pixels=pixels, pressures=pressures, tolerance=tolerance)
        return only_piece(pieces, "SurfaceStroke.pieces_from_picks")

    @classmethod
    def pieces_from_picks(
        cls,
        triangles: ArrayLike,
        barycentric: ArrayLike,
        *,
        pixels: ArrayLike | None = None,
        pressures: ArrayLike | None = None,
        tolerance: float = PIXELS,
    ) -> tuple[SurfaceStroke, ...]:
        """The same for picks with gaps: a stroke for every piece.

        With `pixels` a gap is more than eight of them long; without, every pick beside the skin is one.
        """
        faces = frozen(triangles, np.int32, (-1,), _WHERE, "triangles")
        inside = frozen(barycentric, np.float64, (len(faces), 3), _WHERE, "barycentric")
        hard = None if pressures is None else check_pressures(pressures, len(faces), _WHERE)
        line = None if pixels is None else frozen(pixels, np.float64, (len(faces), 2), _WHERE, "pixels")
        return cls._pieces(faces, inside, line, hard, tolerance, np.zeros(len(faces), dtype=bool))

    @classmethod
    def _pieces(
        cls,
        faces: IntArray,
        inside: FloatArray,
        line: FloatArray | None,
        hard: FloatArray | None,
        tolerance: float,
        leaps: BoolArray,
    ) -> tuple[SurfaceStroke, ...]:
        on_skin = np.flatnonzero(faces >= 0)
        if len(on_skin) == 0:
            raise InputError(_WHERE, "the line does not touch the skin", "some of it must", "draw it over the skin")
        if line is None:
            starts = np.flatnonzero(np.diff(on_skin, prepend=-2) > 1).astype(np.int32)
            pieces = np.split(np.arange(len(on_skin), dtype=np.int32), starts[1:])
        else:
            passed = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
            ways = np.diff(passed[on_skin], prepend=passed[on_skin[0]])
            missed = np.where(np.diff(on_skin, prepend=on_skin[0] - 1) > 1, ways, 0.0)
            pieces = drop_crumbs(find_breaks(missed, leaps[on_skin]), len(on_skin))
        found = []
        for piece in pieces:
            own = on_skin[piece]
            knots = own if line is None else own[simplify(line[own], tolerance)]
            pressures = None if hard is None else hard[knots]
            found.append(cls(faces[knots], np.clip(inside[knots], 0.0, 1.0), faces[own], pressures))
        return tuple(found)

    def check_fits(self, triangles: ArrayLike) -> None:
        """Refuse a mesh that has fewer triangles than it names."""
        most = int(max(self.triangles.max(), self.crossed.max()))
        if most >= len(np.asarray(triangles)):
            raise InputError(
                _WHERE,
                f"it lies on triangle {most}",
                f"the mesh has {len(np.asarray(triangles))}",
                "use it on the character it was drawn on",
            )

    def handles(self, triangles: IntArray) -> IntArray:
        """The vertices of all triangles that it crossed, sorted."""
        return np.unique(triangles[self.crossed]).astype(np.int32)

    def positions(self, points: ArrayLike, triangles: IntArray) -> FloatArray:
        """Where its knots are (K, 3) [m] now that the skin is at `points`."""
        return np.einsum(
            "kc,kci->ki", self.barycentric, np.asarray(points, dtype=np.float64)[triangles[self.triangles]]
        )

    def normals(self, points: ArrayLike, triangles: IntArray) -> FloatArray:
        """Unit normals (K, 3) of the skin under its knots."""
        return quaternions.normalize(area_vectors(np.asarray(points, dtype=np.float64), triangles[self.triangles]))

    def stroke(self, points: ArrayLike, triangles: IntArray) -> Stroke:
        """The smooth curve through its knots where they are now."""
        return Stroke.from_samples(self.positions(points, triangles), pressures=self.pressures, tolerance=0.0)


def only_piece(pieces: tuple[SurfaceStroke, ...], other: str) -> SurfaceStroke:
    """The stroke of a line that does not break."""
    if len(pieces) > 1:
        given = f"the line lies on the skin in {len(pieces)} pieces"
        raise InputError(_WHERE, given, "a stroke is one", f"draw it without a gap, or use {other}")
    return pieces[0]


def _spread(pressures: ArrayLike, pixels: ArrayLike, line: FloatArray) -> FloatArray:
    """Pressures (N,) given at pixels, along a line through them that has more places."""
    given = np.asarray(pixels, dtype=np.float64)
    hard = check_pressures(pressures, len(given), _WHERE)
    passed, all_of_it = (
        np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))]) for places in (given, line)
    )
    return np.clip(np.interp(all_of_it, passed, hard), 0.0, 1.0)


def raised(points: ArrayLike, triangles: ArrayLike, vertices: ArrayLike, *, heights: ArrayLike) -> FloatArray:
    """Where `vertices` (N,) of a skin go when they rise by `heights` (N,) [m] along its normals; targets of handles."""
    where = "raised"
    skin = frozen(points, np.float64, (-1, 3), where, "points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    chosen = frozen(vertices, np.int32, (-1,), where, "vertices")
    rise = frozen(heights, np.float64, (len(chosen),), where, "heights")
    return np.asarray(skin[chosen] + rise[:, None] * vertex_normals(skin, faces)[chosen])


def vertex_normals(points: FloatArray, triangles: IntArray) -> FloatArray:
    """Unit normals (V, 3): the triangles round a vertex count by their area; a vertex without any has none (zero)."""
    areas = np.repeat(area_vectors(points, triangles), 3, axis=0)
    sums = np.stack([np.bincount(triangles.ravel(), areas[:, k], len(points)) for k in range(3)], axis=1)
    return quaternions.normalize(sums)
