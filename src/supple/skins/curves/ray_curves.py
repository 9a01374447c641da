"""Curves on a limb of any mesh: rays from inside the limb, at equal angles and equal steps along it.

Triangle meshes have no edge loops to follow. So the line through the limb's bones is walked in equal steps, at every
step rays go out at equal angles, and where they meet the limb's own skin is a node. Ray number c of every step
together make curve c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Bools, Floats, Ints
from supple.character.anatomy.limbs import Limb
from supple.errors import InputError
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize, perpendicular
from supple.geometry.segments import distances_to_segments
from supple.skins.curves.surface_points import SurfacePoints

_OWN = 0.2  # share of a triangle that a limb must move for its rays to stop there
_SAMPLES = 256  # places along the path at which it is smoothed
_BEND = 0.8  # width, in radii of the limb, over which the bend of a joint is spread
_STEEPEST = np.radians(78.0)  # how far the last ring of a closed end leans from the side to the tip
_LEANS = tuple(
    np.radians([60.0, 45.0, 30.0, 15.0])
)  # the same where the limb hangs on another one: the first that fits
_SHOULDER_RAYS = 24  # cast to see which fits
_MOST = 0.7  # share of them that must meet skin
_NEAR = 1.8  # times the radius of the ring beside it that skin of another limb may be away
_FAR = 2.6  # times the ring's median radius beyond which a ray has gone into another limb
_HOLLOW = 0.6  # share of the way so far that a hollow in the skin may be wide to be passed over
_NUDGE = 1e-5  # [rad], about: how far a ray is moved that slipped through the skin
_LAYERS = 6  # surfaces that one ray may pass
_PASSES = 3  # how often the origins of the rays are moved to the middle of what they met


class UnreachedError(InputError):
    """A limb has no skin that rays from its bones could meet."""


@dataclass(frozen=True, eq=False)
class Cast:
    """The nodes of one limb: `places` of C * N nodes, curve after curve; `found` (C, N) where a ray met skin."""

    positions: SurfacePoints
    curves: int
    nodes: int
    found: Bools


@dataclass(frozen=True, eq=False)
class Stations:
    """Where rays start and which way they lean: one row for every ring of nodes.

    `centers` (N, 3) [m]; `along`, `across`, `aside` (N, 3) are unit vectors, `along` pointing down the limb; `lean`
    (N,) [rad] turns the rays from the side towards `along`.
    """

    centers: Floats
    along: Floats
    across: Floats
    aside: Floats
    lean: Floats

    def ways(self, curves: int) -> Floats:
        """Unit directions (C, N, 3) of all rays; angles run from `across` to `aside`."""
        lean = self.lean[:, None]
        return np.asarray(np.cos(lean) * self._out(curves) + np.sin(lean) * self.along)

    def onward(self, curves: int) -> Floats:
        """The way (C, N, 3) in which a curve should run at every node: square to its ray, down the limb."""
        lean = self.lean[:, None]
        return np.asarray(np.cos(lean) * self.along - np.sin(lean) * self._out(curves))

    def _out(self, curves: int) -> Floats:
        angle = np.arange(curves)[:, None, None] * (2.0 * np.pi / curves)
        return np.asarray(np.cos(angle) * self.across + np.sin(angle) * self.aside)


class Caster:
    """Casts the curves of one limb of a mesh; `whole` is the skin of all limbs, where it was made before."""

    def __init__(self, limb: Limb, points: Floats, triangles: Ints, *, whole: Target | None = None) -> None:
        self._limb, self._points = limb, points
        self._own = Target(points, _own(limb, triangles))
        self._whole = whole or Target(points, triangles)
        self._course = Course.of(limb, points, self._own)

    @property
    def extent(self) -> tuple[float, float]:
        """About how long the limb is and how far it is around it [m]."""
        return float(self._course.length[-1]), 2.0 * np.pi * float(self._course.radius.mean())

    def cast(self, curves: int, nodes: int) -> Cast:
        """Find `curves` times `nodes` places on the skin of the limb.

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
        stations = self._course.stations(nodes, _shoulders(self._course, self._whole))
        met = _met(self._own, stations, curves)
        for _ in range(_PASSES):
            stations = _centred(stations, met)
            met = _met(self._own, stations, curves)
        seams = self._course.seams(stations)
        if seams.any():
            met = _with_seams(met, _met(self._whole, stations, curves), seams)
        found = met.found & ~_backwards(met.positions, stations)
        if not found.any():
            raise UnreachedError(
                name,
                "no ray from its bones meets its skin",
                "the bones must lie inside the limb",
                "move the joints into the limb, or leave this limb out",
            )
        shares = _shares(met.positions, self._points[met.corners])
        known = SurfacePoints.on_triangles(met.corners.reshape(-1, 3), shares.reshape(-1, 3), len(self._points))
        return Cast(known.filled(_filling(found), found.ravel()), curves, nodes, found)


def _own(limb: Limb, triangles: Ints) -> Ints:
    """The triangles that a limb moves, some of them together with its neighbours."""
    own: Ints = triangles[limb.shares[triangles].mean(axis=1) >= _OWN]
    if len(own) == 0:
        raise UnreachedError(
            f"curves of {limb.name}", "no triangle is moved by it", "rays need skin to stop at", "leave this limb out"
        )
    return own


@dataclass(frozen=True, eq=False)
class Course:
    """The line that a limb follows, in equal small steps, the bends at its joints spread out.

    `line` (M, 3) [m], `length` (M,) [m] from its start, unit tangents `along` (M, 3) and the limb's `radius` (M,) [m].
    Over a bend, directions are averaged within about one radius of the limb: a right angle then has a radius of
    curvature a little larger than the limb's own, so that neighbouring rings do not cross.
    """

    limb: Limb
    line: Floats
    length: Floats
    along: Floats
    radius: Floats

    @classmethod
    def of(cls, limb: Limb, points: Floats, own: Target) -> Course:
        """Follow the bones of a limb, up to the skin at its free ends."""
        line = _resampled(_reaching(limb, own.flesh), _SAMPLES)
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
        radius = _radii(points[np.unique(own.triangles)], line, length)
        line = _spread(line, length, _BEND * radius)
        along = normalize(_spread(np.gradient(line, axis=0), length, _BEND * radius))
        return cls(limb, line, length, along, radius)

    def stations(self, count: int, leans: tuple[float, float]) -> Stations:
        """Equal steps along the limb. At its ends rings lean more and more, up to `leans` [rad].

        A closed end is rounded off so, down to its tip, and a limb that hangs on another one reaches over its shoulder.
        """
        start, end = (min(float(self.radius[k]), 0.3 * self.length[-1]) for k in (0, -1))
        first = start if self.limb.free_start else 0.0
        reach = self.length[-1] - (end if self.limb.free_end else 0.0) - first
        walk = np.linspace(-leans[0] * start, reach + leans[1] * end, count)
        at = np.clip(walk, 0.0, reach) + first
        lean = np.minimum(walk / start, 0.0) + np.maximum((walk - reach) / end, 0.0)
        centers = np.stack([np.interp(at, self.length, self.line[:, k]) for k in range(3)], axis=1)
        tangent = normalize(np.stack([np.interp(at, self.length, self.along[:, k]) for k in range(3)], axis=1))
        across = transported(tangent)
        return Stations(centers, tangent, across, np.cross(tangent, across), lean)

    def seams(self, stations: Stations) -> Bools:
        """Which rings (N,) lie where the limb hangs on another one."""
        start = (stations.lean < 0.0) & (not self.limb.free_start)
        return np.asarray(start | ((stations.lean > 0.0) & (not self.limb.free_end)))


class Target:
    """Triangles that rays may meet, and the vertices that they have in the mesh."""

    def __init__(self, points: Floats, triangles: Ints) -> None:
        self.triangles = triangles
        self.flesh = Flesh(points, triangles)
        self.vertex_of_point = np.zeros(len(self.flesh.points), dtype=np.int32)
        self.vertex_of_point[self.flesh.point_of[triangles.ravel()]] = triangles.ravel()


@dataclass(frozen=True, eq=False)
class _Met:
    """What rays met: `found` (C, N), the `corners` (C, N, 3) of the triangle there, the `places` (C, N, 3) [m]
    and how far they are from where the rays began (C, N) [m].
    """

    found: Bools
    corners: Ints
    positions: Floats
    reach: Floats


def _shoulders(course: Course, whole: Target) -> tuple[float, float]:
    """How far rings lean at both ends of a limb: where it hangs on another one, as far as most rays meet skin near."""
    leans = []
    for free, sign, end in ((course.limb.free_start, -1.0, 0), (course.limb.free_end, 1.0, -1)):
        chosen = _STEEPEST if free else 0.0
        for lean in () if free else _LEANS:
            rows = np.array([end, end])
            across = transported(course.along[rows])
            aside = np.cross(course.along[rows], across)
            both = Stations(course.line[rows], course.along[rows], across, aside, np.array([0.0, sign * lean]))
            met = _met(whole, both, _SHOULDER_RAYS)
            met = _with_seams(met, met, np.array([False, True]))
            if met.found[:, 1].mean() >= _MOST:
                chosen = lean
                break
        leans.append(chosen)
    return leans[0], leans[1]


def _with_seams(met: _Met, whole: _Met, seams: Bools) -> _Met:
    """Rings where limbs meet take any skin that is as near as the limb's own next to it."""
    if not seams.any() or seams.all():
        return met
    inner = np.flatnonzero(~seams)
    found, corners, positions, reach = met.found.copy(), met.corners.copy(), met.positions.copy(), met.reach.copy()
    for ring in np.flatnonzero(seams):
        beside = inner[np.argmin(np.abs(inner - ring))]
        sound = met.found[:, beside]
        radius = np.median(met.reach[sound, beside]) if sound.any() else 0.0
        found[:, ring] = whole.found[:, ring] & (whole.reach[:, ring] <= _NEAR * radius)
        corners[:, ring], positions[:, ring] = whole.corners[:, ring], whole.positions[:, ring]
        reach[:, ring] = whole.reach[:, ring]
    return _Met(found, corners, positions, reach)


def transported(along: Floats) -> Floats:
    """Unit vectors (N, 3) square to `along` that turn about it as little as can be from row to row."""
    result = np.empty_like(along)
    result[0] = perpendicular(along[0])
    for row in range(1, len(along)):
        # Two reflections move the frame without a twist: through the plane between the places, then between tangents.
        axis = np.cross(along[row - 1], along[row])
        cosine = float(along[row - 1] @ along[row])
        before = result[row - 1]
        turned = before * cosine + np.cross(axis, before) + axis * (axis @ before) / max(1.0 + cosine, 1e-9)
        result[row] = normalize(turned - (turned @ along[row]) * along[row])
    return result


def _reaching(limb: Limb, flesh: Flesh) -> Floats:
    """The path of a limb, its free ends moved on, or back, to where they meet the skin."""
    path = limb.path.copy()
    for free, end, before in ((limb.free_start, 0, 1), (limb.free_end, -1, -2)):
        if free:
            way = normalize(path[end] - path[before])
            origin = path[end] if flesh.inside(path[end][None])[0] else path[before]
            face, reach = _outermost(flesh, origin[None], way[None])
            position = origin + reach[0] * way
            if face[0] >= 0 and (position - path[before]) @ way > 0.1 * np.linalg.norm(path[end] - path[before]):
                path[end] = position
    return path


def _resampled(path: Floats, count: int) -> Floats:
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], count)
    return np.stack([np.interp(at, length, path[:, k]) for k in range(3)], axis=1)


def _radii(skin: Floats, line: Floats, length: Floats) -> Floats:
    """The radius (M,) [m] of a limb along its line: medians of how far skin is from it, smoothed."""
    pieces = np.arange(0, len(line), 8)
    gap, _ = distances_to_segments(skin, line[pieces[:-1]], line[pieces[1:]])
    nearest = gap.argmin(axis=1)
    distance = gap[np.arange(len(skin)), nearest]
    overall = float(np.median(distance))
    medians = np.full(len(pieces) - 1, overall)
    for piece in range(len(medians)):
        # The outermost pieces also hold all skin beyond the ends, which says nothing about the radius.
        near = distance[(nearest == piece) & (distance < 3.0 * overall)]
        if len(near) >= 3:
            medians[piece] = np.median(near)
    middles = 0.5 * (length[pieces[:-1]] + length[pieces[1:]])
    rough = np.interp(length, middles, medians)
    return _spread(rough[:, None], length, np.full(len(line), overall))[:, 0]


def _spread(values: Floats, length: Floats, width: Floats) -> Floats:
    """Averages (M, K) along a line with Gaussian weights of the width (M,) [m]; lines go on straight at their ends."""
    step = length[1] - length[0]
    more = int(np.ceil(3.0 * width.max() / step)) + 1
    more = min(more, len(values) - 1)
    head = 2.0 * values[:1] - values[more:0:-1]
    tail = 2.0 * values[-1:] - values[-2 : -more - 2 : -1]
    long = np.concatenate([head, values, tail])
    at = (np.arange(len(long)) - more) * step
    weight = np.exp(-0.5 * ((at - length[:, None]) / np.maximum(width, 1e-3 * step)[:, None]) ** 2)
    return np.asarray((weight @ long) / weight.sum(axis=1, keepdims=True))


def _met(target: Target, stations: Stations, curves: int) -> _Met:
    """Where the rays of all stations meet skin from inside."""
    ways = stations.ways(curves)
    origins = np.broadcast_to(stations.centers, ways.shape)
    face, reach = _outermost(target.flesh, origins.reshape(-1, 3), ways.reshape(-1, 3))
    face, reach = face.reshape(ways.shape[:2]), reach.reshape(ways.shape[:2])
    met = face >= 0
    limit = np.full(ways.shape[1], np.inf)
    for ring in range(ways.shape[1]):
        if met[:, ring].any():
            limit[ring] = _FAR * np.median(reach[met[:, ring], ring])
    met &= reach <= limit
    reach = np.where(met, reach, 0.0)
    corners = target.vertex_of_point[target.flesh.triangles[np.maximum(face, 0)]]
    return _Met(met, corners, origins + reach[..., None] * ways, reach)


def _outermost(flesh: Flesh, origins: Floats, ways: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The crossing with the skin at which each ray leaves it: the first, unless only a narrow hollow lies behind it.

    A mouth or an eye socket is a pocket of the skin that a ray from inside meets first; the face is behind it.
    """
    face, reach = flesh.first_crossing(np.ascontiguousarray(origins), np.ascontiguousarray(ways), 2.0 * flesh.span)
    face, reach = face.astype(np.int64), reach.copy()
    lost = np.flatnonzero(face < 0)
    if len(lost):
        # A ray that aims right at an edge or a vertex may slip through between its triangles; one beside it does not.
        aside = ways[lost] + _NUDGE * np.roll(ways[lost], 1, axis=1)
        face[lost], reach[lost] = flesh.first_crossing(np.ascontiguousarray(origins[lost]), aside, 2.0 * flesh.span)
    going = np.flatnonzero(face >= 0)
    for _ in range(_LAYERS):
        past = reach[going] * (1.0 + 1e-6) + 1e-6 * flesh.span
        room = _HOLLOW * reach[going]
        beyond = origins[going] + past[:, None] * ways[going]
        again, more = flesh.first_crossing(beyond, ways[going] * room[:, None], 1.0)
        hit = again >= 0
        going = going[hit]
        if not len(going):
            break
        face[going], reach[going] = again[hit], past[hit] + more[hit] * room[hit]
    return face, reach


def _centred(stations: Stations, met: _Met) -> Stations:
    """Move every origin to the middle of what its rays met, square to the limb, in step with its neighbours."""
    count = met.found.sum(axis=0)
    middle = np.where(met.found[..., None], met.positions, 0.0).sum(axis=0) / np.maximum(count, 1)[:, None]
    shift = middle - stations.centers
    shift -= np.einsum("ni,ni->n", shift, stations.along)[:, None] * stations.along
    trusted = (count >= 0.6 * len(met.found)) & (stations.lean == 0.0)
    if not trusted.any():
        return stations
    at = np.flatnonzero(trusted)
    every = np.arange(len(shift))
    shift = np.stack([np.interp(every, at, shift[at, k]) for k in range(3)], axis=1)
    padded = np.concatenate([shift[:1], shift, shift[-1:]])
    smooth = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return Stations(stations.centers + 0.8 * smooth, stations.along, stations.across, stations.aside, stations.lean)


def _backwards(positions: Floats, stations: Stations) -> Bools:
    """Nodes (C, N) at which a curve runs against the way it should."""
    ahead = stations.onward(len(positions))
    onward = np.einsum("cni,cni->cn", np.diff(positions, axis=1), ahead[:, 1:] + ahead[:, :-1])
    bad = np.zeros(positions.shape[:2], dtype=bool)
    bad[:, 1:] |= onward <= 0.0
    bad[:, :-1] |= onward <= 0.0
    return bad


def _shares(positions: Floats, corners: Floats) -> Floats:
    """Barycentric shares (..., 3) of places on triangles (..., 3, 3), none below zero."""
    a, b, c = np.moveaxis(corners, -2, 0)
    normal = np.cross(b - a, c - a)
    square = np.maximum(np.einsum("...i,...i->...", normal, normal), 1e-300)
    second = np.einsum("...i,...i->...", np.cross(positions - a, c - a), normal) / square
    third = np.einsum("...i,...i->...", np.cross(b - a, positions - a), normal) / square
    shares = np.clip(np.stack([1.0 - second - third, second, third], axis=-1), 0.0, None)
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _filling(found: Bools) -> Floats:
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
