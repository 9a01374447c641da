"""The line inside a limb from which rays are cast: along its bones to the skin at its free ends, bends spread out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.limbs import Limb
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize, perpendicular
from supple.geometry.segments import distances_to_segments

_SAMPLES = 256  # places along the path at which it is smoothed
_BEND = 0.8  # width, in radii of the limb, over which the bend of a joint is spread
_HOLLOW = 0.6  # share of the way so far that a hollow in the skin may be wide to be passed over
_NUDGE = 1e-5  # [rad], about: how far a ray is moved that slipped through the skin
_LAYERS = 6  # surfaces that one ray may pass


@dataclass(frozen=True, eq=False)
class Stations:
    """Where rays start and which way they lean: one row for every ring of nodes.

    `centers` (N, 3) [m]; `along`, `across`, `aside` (N, 3) are unit vectors, `along` pointing down the limb; `lean`
    (N,) [rad] turns the rays from the side towards `along`.
    """

    centers: FloatArray
    along: FloatArray
    across: FloatArray
    aside: FloatArray
    lean: FloatArray

    def directions(self, curves: int) -> FloatArray:
        """Unit directions (C, N, 3) of all rays; angles run from `across` to `aside`."""
        lean = self.lean[:, None]
        return np.asarray(np.cos(lean) * self._outward(curves) + np.sin(lean) * self.along)

    def tangents(self, curves: int) -> FloatArray:
        """The way (C, N, 3) in which a curve should run at every node: square to its ray, down the limb."""
        lean = self.lean[:, None]
        return np.asarray(np.cos(lean) * self.along - np.sin(lean) * self._outward(curves))

    def _outward(self, curves: int) -> FloatArray:
        angle = np.arange(curves)[:, None, None] * (2.0 * np.pi / curves)
        return np.asarray(np.cos(angle) * self.across + np.sin(angle) * self.aside)


@dataclass(frozen=True, eq=False)
class Centerline:
    """The line that a limb follows, in equal small steps, the bends at its joints spread out.

    `line` (M, 3) [m], `length` (M,) [m] from its start, unit tangents `along` (M, 3) and the limb's `radius` (M,) [m].
    Over a bend, directions are averaged within about one radius of the limb: a right angle then has a radius of
    curvature a little larger than the limb's own, so that neighbouring rings do not cross.
    """

    limb: Limb
    line: FloatArray
    length: FloatArray
    along: FloatArray
    radius: FloatArray

    @classmethod
    def from_limb(cls, limb: Limb, points: FloatArray, own: RayTarget) -> Centerline:
        """Follow the bones of a limb, up to the skin at its free ends."""
        line = _resample(_extend_to_skin(limb, own.flesh), _SAMPLES)
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
        radius = _estimate_radii(points[np.unique(own.triangles)], line, length)
        line = _gaussian_smooth(line, length, _BEND * radius)
        along = normalize(_gaussian_smooth(np.gradient(line, axis=0), length, _BEND * radius))
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
        across = parallel_transport(tangent)
        return Stations(centers, tangent, across, np.cross(tangent, across), lean)

    def seams(self, stations: Stations) -> BoolArray:
        """Which rings (N,) lie where the limb hangs on another one."""
        start = (stations.lean < 0.0) & (not self.limb.free_start)
        return np.asarray(start | ((stations.lean > 0.0) & (not self.limb.free_end)))


class RayTarget:
    """Triangles that rays may meet, and the vertices that they have in the mesh."""

    def __init__(self, points: FloatArray, triangles: IntArray) -> None:
        self.triangles = triangles
        self.flesh = Flesh(points, triangles)
        self.vertex_of_point = np.zeros(len(self.flesh.points), dtype=np.int32)
        self.vertex_of_point[self.flesh.point_of[triangles.ravel()]] = triangles.ravel()


def parallel_transport(along: FloatArray) -> FloatArray:
    """Unit vectors (N, 3) square to `along` that turn about it as little as can be from row to row."""
    result = np.empty_like(along)
    result[0] = perpendicular(along[0])
    for row in range(1, len(along)):
        # Two reflections move the frame without a twist: through the plane between the places, then between tangents.
        axis = np.cross(along[row - 1], along[row])
        cosine = float(along[row - 1] @ along[row])
        before = result[row - 1]
        rotated = before * cosine + np.cross(axis, before) + axis * (axis @ before) / max(1.0 + cosine, 1e-9)
        result[row] = normalize(rotated - (rotated @ along[row]) * along[row])
    return result


def _extend_to_skin(limb: Limb, flesh: Flesh) -> FloatArray:
    """The path of a limb, its free ends moved on, or back, to where they meet the skin."""
    path = limb.path.copy()
    for free, end, before in ((limb.free_start, 0, 1), (limb.free_end, -1, -2)):
        if free:
            direction = normalize(path[end] - path[before])
            origin = path[end] if flesh.inside(path[end][None])[0] else path[before]
            face, reach = find_exit(flesh, origin[None], direction[None])
            position = origin + reach[0] * direction
            if face[0] >= 0 and (position - path[before]) @ direction > 0.1 * np.linalg.norm(path[end] - path[before]):
                path[end] = position
    return path


def _resample(path: FloatArray, count: int) -> FloatArray:
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], count)
    return np.stack([np.interp(at, length, path[:, k]) for k in range(3)], axis=1)


def _estimate_radii(skin: FloatArray, line: FloatArray, length: FloatArray) -> FloatArray:
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
    return _gaussian_smooth(rough[:, None], length, np.full(len(line), overall))[:, 0]


def _gaussian_smooth(values: FloatArray, length: FloatArray, width: FloatArray) -> FloatArray:
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


def find_exit(flesh: Flesh, origins: FloatArray, directions: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """The crossing with the skin at which each ray leaves it: the first, unless only a narrow hollow lies behind it.

    A mouth or an eye socket is a pocket of the skin that a ray from inside meets first; the face is behind it.
    """
    face, reach = flesh.first_crossing(
        np.ascontiguousarray(origins), np.ascontiguousarray(directions), 2.0 * flesh.span
    )
    face, reach = face.astype(np.int64), reach.copy()
    lost = np.flatnonzero(face < 0)
    if len(lost):
        # A ray that aims right at an edge or a vertex may slip through between its triangles; one beside it does not.
        aside = directions[lost] + _NUDGE * np.roll(directions[lost], 1, axis=1)
        face[lost], reach[lost] = flesh.first_crossing(np.ascontiguousarray(origins[lost]), aside, 2.0 * flesh.span)
    going = np.flatnonzero(face >= 0)
    for _ in range(_LAYERS):
        past = reach[going] * (1.0 + 1e-6) + 1e-6 * flesh.span
        room = _HOLLOW * reach[going]
        beyond = origins[going] + past[:, None] * directions[going]
        again, more = flesh.first_crossing(beyond, directions[going] * room[:, None], 1.0)
        hit = again >= 0
        going = going[hit]
        if not len(going):
            break
        face[going], reach[going] = again[hit], past[hit] + more[hit] * room[hit]
    return face, reach
