"""Curves on a quad mesh: edge loops, the rows of edges that a modeller laid along a limb.

An edge loop goes straight on through every vertex where four edges meet. At a pole, where three or five or more meet,
there is no straight on: the loop stops, or turns as it is told. An edge ring is the row of quads beside an edge, across
the loops; the ring round the middle of a limb has one edge for every loop along it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.limbs import Limb
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.quaternions import normalize
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import neighbors
from supple.skins.curves.network.surface_points import SurfacePoints

_WHERE = "edge loops"
_PAIRED = 0.99  # share of triangles that must stand in pairs to be taken for halved quads
_FEWEST, _MOST = 5, 128  # loops round a limb
_MIDDLE = (0.15, 0.85)  # share of a limb's length between which its ring is looked for
_LEAST_WEIGHT = 0.2  # share that a limb must have of a vertex for a loop to go on
_TRIED = 24  # rings that are compared
_BACK = 0.05  # share of the limb's length that a loop may go back before it counts as turned round
_EVEN = 0.6  # share of the farthest reach along the limb that nine of ten loops must have


@dataclass(frozen=True, kw_only=True)
class LoopPlan:
    """How the loops of one limb are found, where a person knows better.

    `start` is an edge (vertex, vertex) along the limb; the ring through it gives all loops. Loops end at vertices
    in `stops`. `next_vertex` says for a vertex where a loop that comes there goes next. `straight_at_poles` goes on at
    poles into the edge that bends least; else loops end there.
    """

    start: tuple[int, int] | None = None
    stops: Collection[int] = ()
    next_vertex: Mapping[int, int] = field(default_factory=dict)
    straight_at_poles: bool = True


@dataclass(frozen=True)
class EdgeLoop:
    """Vertices in a row; a closed loop comes back to its first vertex, which is not repeated."""

    vertices: tuple[int, ...]
    closed: bool


def find_quads(character: Character) -> IntArray | None:
    """The faces (P, 4) of a character that is made of quads, else None.

    Many files store every quad as two triangles in a row, (a, b, c) and (a, c, d); those are put together again where
    nearly all triangles stand like that.
    """
    if character.polygons is not None:
        return character.polygons if (character.polygons[:, 3] >= 0).any() else None
    triangles = character.triangles
    if len(triangles) % 2:
        return None
    first, second = triangles[::2], triangles[1::2]
    halves = (first[:, 0] == second[:, 0]) & (first[:, 2] == second[:, 1])
    if halves.mean() < _PAIRED:
        return None
    quads = np.concatenate([first[halves], second[halves, 2:]], axis=1)
    rest = np.concatenate([first[~halves], second[~halves]])
    return np.concatenate([quads, np.pad(rest, ((0, 0), (0, 1)), constant_values=-1)]).astype(np.int32)


class QuadMesh:
    """A mesh of quads, and perhaps some triangles, that can be walked along its edges."""

    def __init__(self, polygons: IntArray, points: FloatArray) -> None:
        self.polygons, self.points = polygons, points
        self._face: dict[tuple[int, int], tuple[int, ...]] = {}
        for row in polygons.tolist():
            corners = tuple(corner for corner in row if corner >= 0)
            for here, after in zip(corners, (*corners[1:], corners[0]), strict=True):
                self._face[here, after] = corners

    @property
    def directed_edges(self) -> Collection[tuple[int, int]]:
        """The sides of all faces, in the direction in which each face runs."""
        return self._face.keys()

    @cached_property
    def _around(self) -> list[list[int]]:
        near = neighbors(self.polygons, len(self.points))
        return [near.of(vertex).tolist() for vertex in range(len(self.points))]

    @cached_property
    def _poles(self) -> list[bool]:
        return [self.is_pole(vertex) for vertex in range(len(self.points))]

    def is_pole(self, vertex: int) -> bool:
        """Whether a vertex has other than four edges, or lies on the border of the mesh."""
        around = self._around[vertex]
        return len(around) != 4 or any(self._on_border(vertex, other) for other in around)

    def ahead(self, before: int, here: int) -> int | None:
        """The vertex straight on from the edge `before` to `here`; None at a pole. Along a border it goes on there."""
        if self._on_border(before, here):
            onward = [other for other in self._around[here] if other != before and self._on_border(here, other)]
            return onward[0] if len(onward) == 1 and len(self._around[here]) == 3 else None
        if self._poles[here]:
            return None
        beside = {*self._face[before, here], *self._face[here, before]}
        onward = [other for other in self._around[here] if other not in beside]
        return onward[0] if len(onward) == 1 else None

    def _on_border(self, one: int, other: int) -> bool:
        return ((one, other) in self._face) != ((other, one) in self._face)

    def straightest(self, before: int, here: int) -> int | None:
        """Of all edges at a pole, the one that bends least and shares no face with the one we came by."""
        beside = {corner for edge in ((before, here), (here, before)) for corner in self._face.get(edge, ())}
        onward = [other for other in self._around[here] if other not in beside]
        if not onward:
            return None
        direction = normalize(self.points[here] - self.points[before])
        cosines = normalize(self.points[onward] - self.points[here]) @ direction
        return onward[int(np.argmax(cosines))] if cosines.max() > 0.0 else None

    def loop(self, start: int, toward: int, plan: LoopPlan | None = None) -> EdgeLoop:
        """Follow the edge from `start` to `toward` on and on, until it stops or comes back."""
        given = plan or LoopPlan(straight_at_poles=False)
        if toward not in self._around[start]:
            raise InputError(
                _WHERE,
                f"the edge from vertex {start} to {toward} was named",
                "no face has it",
                "name two vertices that share an edge",
            )
        path = [start, toward]
        seen = {start, toward}
        while path[-1] not in given.stops:
            here = path[-1]
            onward = (
                self._check_edge(given.next_vertex[here], here)
                if here in given.next_vertex
                else self.ahead(path[-2], here)
            )
            if onward is None and given.straight_at_poles:
                onward = self.straightest(path[-2], here)
            if onward is None:
                break
            if onward in seen:
                return EdgeLoop(tuple(path), closed=onward == start)
            path.append(onward)
            seen.add(onward)
        return EdgeLoop(tuple(path), closed=False)

    def _check_edge(self, onward: int, here: int) -> int:
        if onward not in self._around[here]:
            raise InputError(
                _WHERE,
                f"a turn from vertex {here} to {onward} was asked for",
                "no edge joins them",
                "turn to a vertex that shares an edge with it",
            )
        return onward

    def ring(self, start: int, toward: int) -> tuple[list[tuple[int, int]], bool]:
        """The edges beside an edge, across quads, all in the same direction; and whether the ring closes."""
        first = (start, toward)
        edges = [first]
        seen = {first}
        while True:
            face = self._face.get(edges[-1])
            if face is None or len(face) != 4:
                return edges, False
            at = face.index(edges[-1][0])
            across = (face[at - 1], face[at - 2])
            if across == first:
                return edges, True
            if across in seen:
                return edges, False
            edges.append(across)
            seen.add(across)


def trace_limb_loops(mesh: QuadMesh, limb: Limb, plan: LoopPlan | None = None) -> list[tuple[int, ...]] | None:
    """The loops along a limb, in order around it, each as vertices from its start to its end; None if there are none.

    Without a start edge in the `plan`, rings round the limb are tried and the one is taken whose loops reach farthest.
    Loops end where the skin is no longer the limb's.
    """
    given = plan or LoopPlan()
    along = _arc_lengths(mesh.points, limb.path)
    if given.start is not None:
        ring, closed = mesh.ring(*given.start)
        if not closed:
            raise InputError(
                _WHERE,
                f"the ring through the edge {given.start} of {limb.name} does not close",
                "loops need a closed ring round the limb",
                "name an edge along the limb where it is round",
            )
        return [_trace_loop(mesh, edge, limb, given, along) for edge in ring]
    best: list[tuple[int, ...]] | None = None
    most = 0.0
    followed: set[int] = set()
    for ring in _find_rings(mesh, limb, along):
        if followed.issuperset(vertex for edge in ring for vertex in edge):
            continue  # another ring across the same loops
        loops = [_trace_loop(mesh, edge, limb, given, along) for edge in ring]
        followed.update(vertex for loop in loops for vertex in loop)
        reaches = np.array([along[loop[-1]] - along[loop[0]] for loop in loops])
        if np.quantile(reaches, 0.1) >= _EVEN * reaches.max() and reaches.mean() > most:
            best, most = loops, float(reaches.mean())
    return best


def sample_loops(
    loops: list[tuple[int, ...]], points: FloatArray, *, nodes: int, path: FloatArray | None = None
) -> SurfacePoints:
    """Places at equal steps along every loop: each a vertex and a ratio on the edge to the next.

    With the `path` of a limb, steps are equal along that, so that nodes of the same number stand round it in a ring
    even where one loop makes a detour; without, they are equal along the loop itself.
    """
    along = None if path is None else _arc_lengths(points, path)
    corners, barycentric = [], []
    for loop in loops:
        index = np.array(loop)
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points[index], axis=0), axis=1))])
        if along is not None and along[index[-1]] > along[index[0]]:
            # A little of the loop's own length keeps steps apart where it goes back or across.
            forward = np.maximum.accumulate(along[index]) - along[index[0]]
            length = forward + 1e-3 * length
        at = np.linspace(0.0, length[-1], nodes)
        edge = np.clip(np.searchsorted(length, at, side="right") - 1, 0, len(index) - 2)
        ratio = np.clip((at - length[edge]) / np.maximum(length[edge + 1] - length[edge], 1e-300), 0.0, 1.0)
        corners.append(np.stack([index[edge], index[edge + 1], index[edge]], axis=1))
        barycentric.append(np.stack([1.0 - ratio, ratio, np.zeros(nodes)], axis=1))
    return SurfacePoints.on_triangles(np.concatenate(corners), np.concatenate(barycentric), len(points))


def _length(line: FloatArray) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def _trace_loop(
    mesh: QuadMesh, edge: tuple[int, int], limb: Limb, plan: LoopPlan, along: FloatArray
) -> tuple[int, ...]:
    """The loop through an edge, from where it starts to where it ends: as far as the skin is the limb's.

    A loop that goes over the tip of a limb and comes back on its other side ends at the tip.
    """
    forward = mesh.loop(*edge, plan).vertices
    back = mesh.loop(edge[1], edge[0], plan).vertices
    onward = _limb_run(forward[1:], limb, along)
    return (*_limb_run(back[1:], limb, -along)[::-1], *onward)


def _limb_run(line: tuple[int, ...], limb: Limb, along: FloatArray) -> tuple[int, ...]:
    """The beginning of a line of vertices that is the limb's skin and goes on along it; at least its first vertex."""
    last, highest = 0, float(along[line[0]])
    slack = _BACK * _length(limb.path)
    for index, vertex in enumerate(line[1:], start=1):
        if limb.weights[vertex] < _LEAST_WEIGHT or along[vertex] < highest - slack:
            break
        if along[vertex] >= highest:
            last, highest = index, float(along[vertex])
    return line[: last + 1]


def _arc_lengths(points: FloatArray, path: FloatArray) -> FloatArray:
    """How far along a path [m] every point (V, 3) is, by the nearest place of it; past its ends it goes on straight."""
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    gap, fraction = distances_to_segments(points, path[:-1], path[1:])
    nearest = gap.argmin(axis=1)
    fraction = fraction[np.arange(len(points)), nearest]
    low = np.where(nearest == 0, -np.inf, 0.0)
    high = np.where(nearest == len(lengths) - 1, np.inf, 1.0)
    before = np.concatenate([[0.0], np.cumsum(lengths)])
    return np.asarray(before[nearest] + np.clip(fraction, low, high) * lengths[nearest])


def _find_rings(mesh: QuadMesh, limb: Limb, along: FloatArray) -> list[list[tuple[int, int]]]:
    """Closed rings round a limb, each once, from edges that lie along it."""
    inside = limb.weights > 0.5
    edges = np.array([edge for edge in mesh.directed_edges if inside[edge[0]] and inside[edge[1]]]).reshape(-1, 2)
    step = along[edges[:, 1]] - along[edges[:, 0]]
    middle = along[edges].mean(axis=1)
    length = _length(limb.path)
    straight = step > 0.7 * np.linalg.norm(mesh.points[edges[:, 1]] - mesh.points[edges[:, 0]], axis=1)
    fits = np.flatnonzero(straight & (middle > _MIDDLE[0] * length) & (middle < _MIDDLE[1] * length))
    fits = fits[np.argsort(middle[fits], kind="stable")]
    rings: list[list[tuple[int, int]]] = []
    seen: set[tuple[int, int]] = set()
    for row in fits[np.linspace(0, len(fits) - 1, min(_TRIED, len(fits))).astype(int)]:
        edge = (int(edges[row, 0]), int(edges[row, 1]))
        if edge in seen:
            continue
        ring, closed = mesh.ring(*edge)
        seen.update(ring)
        if closed and _FEWEST <= len(ring) <= _MOST and inside[np.array(ring)].all():
            rings.append(ring)
    return rings
