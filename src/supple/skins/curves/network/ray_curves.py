"""Curves on a limb of any mesh: rays from inside the limb, at equal angles and equal steps along it.

Triangle meshes have no edge loops to follow. So the line through the limb's bones is walked in equal steps, at every
step rays go out at equal angles, and where they meet the limb's own skin is a node. Ray number c of every step
together make curve c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.limbs import Limb
from supple.errors import InputError
from supple.skins.curves.network.centerline import Centerline, RayTarget, Stations, find_exit, parallel_transport
from supple.skins.curves.network.surface_points import SurfacePoints

_COVERED = 0.7  # of a curve's or a ring's nodes: with fewer on skin it is not made
_FEWEST_CURVES, _FEWEST_NODES = 4, 5  # of a limb
_OWN = 0.2  # share of a triangle that a limb must move for its rays to stop there
_STEEPEST = np.radians(78.0)  # how far the last ring of a closed end leans from the side to the tip
_LEANS = tuple(
    np.radians([60.0, 45.0, 30.0, 15.0])
)  # the same where the limb hangs on another one: the first that fits
_SHOULDER_RAYS = 24  # cast to see which fits
_MOST = 0.7  # share of them that must meet skin
_NEAR = 1.8  # times the radius of the ring beside it that skin of another limb may be away
_FAR = 2.6  # times the ring's median radius beyond which a ray has gone into another limb
_PASSES = 3  # how often the origins of the rays are moved to the middle of what they met


class UnreachedError(InputError):
    """A limb has no skin that rays from its bones could meet."""


@dataclass(frozen=True, eq=False)
class CastCurves:
    """The nodes of one limb: `surface_points` (C * N), curve after curve, and `found` (C, N) where a ray met skin."""

    surface_points: SurfacePoints
    curves: int
    nodes: int
    found: BoolArray


class RayCaster:
    """Casts the curves of one limb of a mesh; `whole` is the skin of all limbs, where it was made before."""

    def __init__(self, limb: Limb, points: FloatArray, triangles: IntArray, *, whole: RayTarget | None = None) -> None:
        self._limb, self._points = limb, points
        self._own = RayTarget(points, _own_triangles(limb, triangles))
        self._whole = whole or RayTarget(points, triangles)
        self._centerline = Centerline.from_limb(limb, points, self._own)

    @property
    def extent(self) -> tuple[float, float]:
        """About how long the limb is and how far it is around it [m]."""
        return float(self._centerline.length[-1]), 2.0 * np.pi * float(self._centerline.radius.mean())

    def cast(self, curves: int, nodes: int, *, whole: bool = True) -> CastCurves:
        """Find `curves` times `nodes` places on the skin of the limb.

        Unless the `whole` grid is wanted, curves and rings at the ends that mostly meet no skin are not made.

        Where a ray meets no skin of the limb (another limb grows out of it there, or the mesh is open) the node is
        a weighted mean of the nodes around the gap: the discrete harmonic filling of the grid. The same is done where
        a curve would run backwards.
        """
        name = f"curves of {self._limb.name}"
        if curves < 3 or nodes < 3:
            raise InputError(
                name,
                f"{curves} curves of {nodes} nodes were asked for",
                "a limb needs three curves of three nodes or more",
                "ask for more",
            )
        stations = self._centerline.stations(nodes, _find_leans(self._centerline, self._whole))
        hits = _cast_rays(self._own, stations, curves)
        for _ in range(_PASSES):
            stations = _center(stations, hits)
            hits = _cast_rays(self._own, stations, curves)
        seams = self._centerline.seams(stations)
        if seams.any():
            hits = _merge_seams(hits, _cast_rays(self._whole, stations, curves), seams)
        found = hits.found & ~_find_reversed(hits.positions, stations)
        if not found.any():
            raise UnreachedError(
                name,
                "no ray from its bones meets its skin",
                "the bones must lie inside the limb",
                "move the joints into the limb, or leave this limb out",
            )
        kept = np.ix_(*(np.arange(curves), np.arange(nodes)) if whole else _covered(found))
        found, corners, positions = found[kept], hits.corners[kept], hits.positions[kept]
        barycentric = _barycentric(positions, self._points[corners])
        known = SurfacePoints.on_triangles(corners.reshape(-1, 3), barycentric.reshape(-1, 3), len(self._points))
        return CastCurves(known.fill(_harmonic_weights(found), found.ravel()), len(found), found.shape[1], found)


def _covered(found: BoolArray) -> tuple[IntArray, IntArray]:
    """The curves and the rings of a grid (C, N) that mostly lie on skin: rings from the first such to the last.

    A limb keeps the fewest curves and nodes that it can have, whatever they lie on.
    """
    good = np.flatnonzero(found.mean(axis=0) >= _COVERED)
    rings = np.arange(good[0], good[-1] + 1) if len(good) else np.arange(found.shape[1])
    if len(rings) < _FEWEST_NODES:
        rings = np.arange(found.shape[1])
    curves = np.flatnonzero(found[:, rings].mean(axis=1) >= _COVERED)
    if len(curves) < _FEWEST_CURVES:
        curves = np.arange(len(found))
    return curves.astype(np.int32), rings.astype(np.int32)


def _own_triangles(limb: Limb, triangles: IntArray) -> IntArray:
    """The triangles that a limb moves, some of them together with its neighbours."""
    own: IntArray = triangles[limb.weights[triangles].mean(axis=1) >= _OWN]
    if len(own) == 0:
        raise UnreachedError(
            f"curves of {limb.name}", "no triangle is moved by it", "rays need skin to stop at", "leave this limb out"
        )
    return own


@dataclass(frozen=True, eq=False)
class _Hits:
    """What rays met: `found` (C, N), the `corners` (C, N, 3) of the triangle there, the `positions` (C, N, 3) [m]
    and how far they are from where the rays began (C, N) [m].
    """

    found: BoolArray
    corners: IntArray
    positions: FloatArray
    reach: FloatArray


def _find_leans(centerline: Centerline, whole: RayTarget) -> tuple[float, float]:
    """How far rings lean at both ends of a limb: where it hangs on another one, as far as most rays meet skin near."""
    leans = []
    for free, sign, end in ((centerline.limb.free_start, -1.0, 0), (centerline.limb.free_end, 1.0, -1)):
        chosen = _STEEPEST if free else 0.0
        for lean in () if free else _LEANS:
            rows = np.array([end, end])
            across = parallel_transport(centerline.along[rows])
            aside = np.cross(centerline.along[rows], across)
            both = Stations(centerline.line[rows], centerline.along[rows], across, aside, np.array([0.0, sign * lean]))
            hits = _cast_rays(whole, both, _SHOULDER_RAYS)
            hits = _merge_seams(hits, hits, np.array([False, True]))
            if hits.found[:, 1].mean() >= _MOST:
                chosen = lean
                break
        leans.append(chosen)
    return leans[0], leans[1]


def _merge_seams(hits: _Hits, whole: _Hits, seams: BoolArray) -> _Hits:
    """Rings where limbs meet take any skin that is as near as the limb's own next to it."""
    if not seams.any() or seams.all():
        return hits
    inner = np.flatnonzero(~seams)
    found, corners, positions, reach = hits.found.copy(), hits.corners.copy(), hits.positions.copy(), hits.reach.copy()
    for ring in np.flatnonzero(seams):
        beside = inner[np.argmin(np.abs(inner - ring))]
        sound = hits.found[:, beside]
        radius = np.median(hits.reach[sound, beside]) if sound.any() else 0.0
        found[:, ring] = whole.found[:, ring] & (whole.reach[:, ring] <= _NEAR * radius)
        corners[:, ring], positions[:, ring] = whole.corners[:, ring], whole.positions[:, ring]
        reach[:, ring] = whole.reach[:, ring]
    return _Hits(found, corners, positions, reach)


def _cast_rays(target: RayTarget, stations: Stations, curves: int) -> _Hits:
    """Where the rays of all stations meet skin from inside."""
    directions = stations.directions(curves)
    origins = np.broadcast_to(stations.centers, directions.shape)
    face, reach = find_exit(target.flesh, origins.reshape(-1, 3), directions.reshape(-1, 3))
    face, reach = face.reshape(directions.shape[:2]), reach.reshape(directions.shape[:2])
    hit = face >= 0
    limit = np.full(directions.shape[1], np.inf)
    for ring in range(directions.shape[1]):
        if hit[:, ring].any():
            limit[ring] = _FAR * np.median(reach[hit[:, ring], ring])
    hit &= reach <= limit
    reach = np.where(hit, reach, 0.0)
    corners = target.vertex_of_point[target.flesh.triangles[np.maximum(face, 0)]]
    return _Hits(hit, corners, origins + reach[..., None] * directions, reach)


def _center(stations: Stations, hits: _Hits) -> Stations:
    """Move every origin to the middle of what its rays met, square to the limb, in step with its neighbours."""
    count = hits.found.sum(axis=0)
    middle = np.where(hits.found[..., None], hits.positions, 0.0).sum(axis=0) / np.maximum(count, 1)[:, None]
    shift = middle - stations.centers
    shift -= np.einsum("ni,ni->n", shift, stations.along)[:, None] * stations.along
    trusted = (count >= 0.6 * len(hits.found)) & (stations.lean == 0.0)
    if not trusted.any():
        return stations
    at = np.flatnonzero(trusted)
    every = np.arange(len(shift))
    shift = np.stack([np.interp(every, at, shift[at, k]) for k in range(3)], axis=1)
    padded = np.concatenate([shift[:1], shift, shift[-1:]])
    smooth = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return Stations(stations.centers + 0.8 * smooth, stations.along, stations.across, stations.aside, stations.lean)


def _find_reversed(positions: FloatArray, stations: Stations) -> BoolArray:
    """Nodes (C, N) at which a curve runs against the way it should."""
    ahead = stations.tangents(len(positions))
    onward = np.einsum("cni,cni->cn", np.diff(positions, axis=1), ahead[:, 1:] + ahead[:, :-1])
    bad = np.zeros(positions.shape[:2], dtype=bool)
    bad[:, 1:] |= onward <= 0.0
    bad[:, :-1] |= onward <= 0.0
    return bad


def _barycentric(positions: FloatArray, corners: FloatArray) -> FloatArray:
    """Barycentric coordinates (..., 3) of places on triangles (..., 3, 3), none below zero."""
    a, b, c = np.moveaxis(corners, -2, 0)
    normal = np.cross(b - a, c - a)
    square = np.maximum(np.einsum("...i,...i->...", normal, normal), 1e-300)
    second = np.einsum("...i,...i->...", np.cross(positions - a, c - a), normal) / square
    third = np.einsum("...i,...i->...", np.cross(b - a, positions - a), normal) / square
    barycentric = np.clip(np.stack([1.0 - second - third, second, third], axis=-1), 0.0, None)
    return np.asarray(barycentric / barycentric.sum(axis=-1, keepdims=True))


def _harmonic_weights(found: BoolArray) -> FloatArray:
    """How much (missing, found) each found node counts for each missing one: harmonic on the grid, closed around."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    curves, nodes = found.shape
    number = np.arange(curves * nodes).reshape(curves, nodes)
    one = np.concatenate([number.ravel(), number[:, :-1].ravel()])
    other = np.concatenate([np.roll(number, -1, axis=0).ravel(), number[:, 1:].ravel()])
    missing, known = np.flatnonzero(~found.ravel()), np.flatnonzero(found.ravel())
    if not len(missing):
        return np.zeros((0, len(known)))
    links = coo_array((np.ones(len(one)), (one, other)), shape=(number.size, number.size)).tocsr()
    links = links + links.T
    laplacian = coo_array((links.sum(axis=1), (number.ravel(), number.ravel()))).tocsr() - links
    inner = laplacian[missing][:, missing].tocsc()
    outer = laplacian[missing][:, known].toarray()
    return np.asarray(splu(inner).solve(-outer))
