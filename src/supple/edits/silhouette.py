"""The outline of a skin as it is seen, and edits that draw it anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import BoolArray, FloatArray, IntArray, frozen, remembered
from supple.edits.region import Region, region_round
from supple.edits.region_editing import RegionEditing
from supple.edits.strokes.picking import depths_from, nearness
from supple.edits.strokes.reduction import PIXELS, resample
from supple.edits.strokes.skin_line import choose_knots
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.strokes.view import View
from supple.errors import InputError
from supple.geometry.quaternions import normalize
from supple.geometry.topology import EdgeLinks, area_vectors, edge_links

_WHERE = "silhouette"
_NEAR = 1  # pixels round an edge that are asked
_PIXELS = 4.0  # widths of a pixel by which what is beside an edge may be nearer than it, because skin curves away
_DETOUR, _AWAY = 1.5, 0.5  # lengths of a line: of the outline between its ends, and how far that may be from it
_LONG_WAY = 1.0  # lengths of a line that the other way round may be from it, however long that is
_CLOSED, _BESIDE = 1e6, 200.0  # how much longer that counts along the way not to be taken, and off the outline
_ROUNDS, _CLOSE = 4, 1.0  # in which skin that became outline is laid on the line too, where it is off by more [px]
_HIDDEN, _INSIDE = 3.0, 10.0  # how much longer a way counts along a hidden outline, and off the outline


def silhouette_edges(points: ArrayLike, triangles: ArrayLike, eye: ArrayLike) -> IntArray:
    """Edges (E, 2) where the skin turns away from an eye at (3,): one side is seen from its front, the other is not.

    A border of a side that is seen from its front counts too. Whether something stands before it is not asked.
    """
    where, faces = _check_mesh(points, triangles)
    front = _facing(where, faces, np.asarray(eye, dtype=np.float64) - where[faces[:, 0]])
    return edge_links(faces, len(where)).edges[_turning(faces, front, len(where))]


def _check_mesh(points: ArrayLike, triangles: ArrayLike) -> tuple[FloatArray, IntArray]:
    where = frozen(points, np.float64, (-1, 3), _WHERE, "points")
    return where, frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")


def _facing(points: FloatArray, triangles: IntArray, ways: FloatArray) -> BoolArray:
    """Which triangles (T,) are seen from their front by an eye that lies along `ways` (T, 3) from them."""
    return np.asarray(np.einsum("ti,ti->t", area_vectors(points, triangles), ways) > 0)


def _turning(triangles: IntArray, facing: BoolArray, count: int) -> IntArray:
    """Numbers of the edges in which the skin turns away."""
    links = edge_links(triangles, count)
    front = np.bincount(links.edge_of_side[np.tile(facing, 3)], minlength=len(links.edges))
    total = _sides(triangles, count)
    return np.flatnonzero((front > 0) & ((front < total) | (total == 1))).astype(np.int32)


def _sides(triangles: IntArray, count: int) -> IntArray:
    """How many triangles meet in every edge (E,)."""
    links = edge_links(triangles, count)
    return remembered(triangles, f"sides {count}", lambda: np.bincount(links.edge_of_side).astype(np.int32))


def crease_edges(points: ArrayLike, triangles: ArrayLike, angle: float) -> IntArray:
    """Edges (E, 2) in which the skin is bent by more than an `angle` [rad], such as under a chin or between fingers."""
    where, faces = _check_mesh(points, triangles)
    return edge_links(faces, len(where)).edges[_creased(where, faces, _check_angle(angle))]


def _check_angle(angle: float) -> float:
    if not 0.0 < angle < np.pi:
        raise InputError(_WHERE, f"crease is {angle}", "an angle between 0 and pi is needed", "try 0.8")
    return angle


def _creased(points: FloatArray, triangles: IntArray, angle: float) -> IntArray:
    """Numbers of the edges between two triangles whose normals are more than an angle [rad] apart."""
    links = edge_links(triangles, len(points))
    normals = normalize(area_vectors(points, triangles))[np.tile(np.arange(len(triangles)), 3)]
    total = np.stack([np.bincount(links.edge_of_side, normals[:, k], len(links.edges)) for k in range(3)], axis=1)
    both = _sides(triangles, len(points)) == 2
    return np.flatnonzero(both & (np.linalg.norm(total, axis=1) < 2.0 * np.cos(0.5 * angle))).astype(np.int32)


def outline(points: ArrayLike, triangles: ArrayLike, view: View, *, crease: float | None = None) -> IntArray:
    """The edges (E, 2) of the silhouette that are seen in a view; with a `crease` [rad], those bent more than it too.

    Beside an edge that is seen, something is as far as it or farther; where all round it is nearer, it is hidden.
    """
    where, faces = _check_mesh(points, triangles)
    turning, seen = _outline(where, faces, view, crease)
    return edge_links(faces, len(where)).edges[turning[seen]]


def _outline(
    points: FloatArray, triangles: IntArray, view: View, crease: float | None = None
) -> tuple[IntArray, BoolArray]:
    """Numbers of the silhouette's edges in a view, and of creases, and which of them are seen."""
    front = _facing(points, triangles, view.towards_eye(points[triangles[:, 0]]))
    turning = _turning(triangles, front, len(points))
    if crease is not None:
        turning = np.union1d(turning, _creased(points, triangles, _check_angle(crease))).astype(np.int32)
    edges = edge_links(triangles, len(points)).edges[turning]
    # The back of a closed skin is never nearer than its front.
    drawn = triangles[front] if (_sides(triangles, len(points)) == 2).all() else triangles
    return turning, _find_visible(edges, points, view, picture=nearness(points, drawn, view))


def _find_visible(edges: IntArray, points: FloatArray, view: View, *, picture: tuple[FloatArray, float]) -> BoolArray:
    near, farthest = picture
    pixels, depth = view.project(0.5 * (points[edges[:, 0]] + points[edges[:, 1]]))
    column, row = np.floor(np.clip(pixels, -10.0, 20_000.0)).astype(int).T
    inside = (column >= 0) & (row >= 0) & (column < view.size[0]) & (row < view.size[1]) & (depth > 0.0)
    steps = np.arange(-_NEAR, _NEAR + 1)
    rows = np.clip(np.where(inside, row, 0)[:, None, None] + steps[:, None], 0, view.size[1] - 1)
    columns = np.clip(np.where(inside, column, 0)[:, None, None] + steps, 0, view.size[0] - 1)
    least = near[rows, columns].min(axis=(1, 2))
    return np.asarray(inside & (depths_from(least, view, farthest) >= depth - _PIXELS * view.pixel_size(depth)))


def redrawn_silhouette(
    points: ArrayLike,
    triangles: ArrayLike,
    view: View,
    *,
    pixels: ArrayLike,
    crease: float | None = None,
    other_way: bool = False,
) -> tuple[IntArray, FloatArray]:
    """Handles (H,) along the outline under a stroke through `pixels` (N, 2), and where the stroke wants them (H, 3).

    The outline between the places nearest to the stroke's start and end is laid on the stroke by shares of their
    lengths in the picture; vertices keep their distance from the viewer. Small gaps of the outline are crossed. With a
    `crease` [rad], skin bent by more than that can be drawn anew too. `other_way` takes the outline the other way round
    between the same two places. What would go farther than the stroke is long is refused.
    """
    where, faces = _check_mesh(points, triangles)
    path, targets = _lay_on_line(where, faces, view, pixels, crease=crease, other_way=other_way)
    order = np.argsort(path, kind="stable")
    return path[order], targets[order]


def redrawn_outline(
    points: ArrayLike,
    triangles: ArrayLike,
    view: View,
    *,
    pixels: ArrayLike,
    reach: float,
    method: str = "smooth",
    crease: float | None = None,
    other_way: bool = False,
) -> tuple[FloatArray, SurfaceStroke]:
    """The skin (V, 3) [m] with its outline laid on a stroke through `pixels` (N, 2), and the outline as a stroke on it.

    Skin up to `reach` [m] away follows as `method` says (`RegionEditing`). The stroke has knots to pull it by later.
    `crease` and `other_way` are those of `redrawn_silhouette`.
    """
    where, faces = _check_mesh(points, triangles)
    path, targets = _lay_on_line(where, faces, view, pixels, crease=crease, other_way=other_way)
    region = region_round(faces, path, points=where, reach=reach)
    wanted = where.copy()
    wanted[path] = targets
    moved = RegionEditing(where, faces, region, method=method).moved(wanted[region.handles])
    shift = float(np.linalg.norm(view.project(targets)[0] - view.project(where[path])[0], axis=1).max())
    line = resample(pixels, 1.0)
    for _ in range(_ROUNDS):
        late, aims = _find_off_line(moved, faces, view, line, region, shift=shift)
        if len(late) == 0:
            break
        wanted[late] = aims
        region = Region(np.union1d(region.handles, late), np.setdiff1d(region.passive, late), region.static)
        moved = RegionEditing(where, faces, region, method=method).moved(wanted[region.handles])
    wide = float(np.median(view.pixel_size(view.project(targets)[1])))
    knots = choose_knots(targets, np.ones(len(path)), PIXELS * wide)
    return moved, _stroke_through(path, knots, faces)


def _find_off_line(
    points: FloatArray, triangles: IntArray, view: View, line: FloatArray, region: Region, *, shift: float
) -> tuple[IntArray, FloatArray]:
    """Passive vertices that have come to be outline beside a line through pixels (N, 2), and where (n, 3) they belong.

    Skin that follows bulges past the outline it had. Whoever is farther off than half of what the outline was moved by,
    `shift` [px], or beyond an end of the line, is another piece of outline.
    """
    from scipy.spatial import cKDTree

    turning, seen = _outline(points, triangles, view)
    vertices = np.unique(edge_links(triangles, len(points)).edges[turning[seen]])
    vertices = vertices[np.isin(vertices, region.passive)]
    pixels, depth = view.project(points[vertices])
    away, found = cKDTree(line).query(pixels)
    nearest = np.asarray(found)
    off = (away > _CLOSE) & (away < 0.5 * shift) & (nearest > 0) & (nearest < len(line) - 1)
    return vertices[off], view.unproject(line[nearest[off]], depth[off])


def _stroke_through(path: IntArray, knots: IntArray, triangles: IntArray) -> SurfaceStroke:
    """A stroke along vertices, with knots at some of them."""
    corner_of = np.zeros(int(triangles.max()) + 1, dtype=np.int32)
    corner_of[triangles.ravel()] = np.arange(triangles.size, dtype=np.int32)
    corners = corner_of[path]
    return SurfaceStroke(corners[knots] // 3, np.eye(3)[corners[knots] % 3], corners // 3, np.ones(len(knots)))


def _lay_on_line(
    where: FloatArray, faces: IntArray, view: View, pixels: ArrayLike, *, crease: float | None, other_way: bool
) -> tuple[IntArray, FloatArray]:
    """Vertices of the outline under a stroke, in its order, and where it wants them."""
    line = resample(pixels, 1.0)
    turning, visible = _outline(where, faces, view, crease)
    links = edge_links(faces, len(where))
    if not visible.any():
        raise InputError(_WHERE, "no outline is seen", "the skin must be in view", "move the view")
    vertices = np.unique(links.edges[turning[visible]])
    seen, depth = view.project(where)
    ends = [vertices[int(np.argmin(np.linalg.norm(seen[vertices] - line[end], axis=1)))] for end in (0, -1)]
    dear = np.full(len(links.edges), _INSIDE)
    dear[turning] = np.where(visible, 1.0, _HIDDEN)
    path = _shortest_path(links, dear, seen, start=int(ends[0]), end=int(ends[1]))
    if other_way:
        taken = np.isin(links.edges, path[1:-1]).any(axis=1) | np.isin(links.edges, path[[0, -1]]).all(axis=1)
        round_about = np.where(taken, _CLOSED, np.where(dear == _INSIDE, _BESIDE, dear))
        path = _shortest_path(links, round_about, seen, start=int(ends[0]), end=int(ends[1]))
    steps = np.linalg.norm(np.diff(seen[path], axis=0), axis=1)
    fraction = np.concatenate([[0.0], np.cumsum(steps)]) / max(float(steps.sum()), 1e-12)
    drawn = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    wanted = np.stack([np.interp(fraction * drawn[-1], drawn, line[:, k]) for k in range(2)], axis=1)
    farthest = float(np.linalg.norm(wanted - seen[path], axis=1).max())
    longest, away = (np.inf, _LONG_WAY) if other_way else (_DETOUR, _AWAY)
    if steps.sum() > longest * drawn[-1] or farthest > away * drawn[-1]:
        raise InputError(
            _WHERE,
            f"the outline between the ends of the line is {steps.sum():.0f} pixels long and up to {farthest:.0f} away",
            f"the line itself is {drawn[-1]:.0f} pixels long",
            "draw it along one piece of the outline, nearer to it",
        )
    return path, view.unproject(wanted, depth[path])


def _shortest_path(links: EdgeLinks, dear: FloatArray, seen: FloatArray, *, start: int, end: int) -> IntArray:
    """Vertices from `start` to `end`, the shortest way in the picture; `dear` (E,) is how much longer an edge counts.

    Along what is seen of the outline it is short, along what is hidden longer, and along other edges longest.
    """
    from scipy.sparse.csgraph import dijkstra

    if start == end:
        raise InputError(
            _WHERE,
            "the stroke starts and ends at the same vertex of the outline",
            "it must go along the outline",
            "draw a longer one",
        )
    graph = links.graph(dear * (np.linalg.norm(np.subtract(*seen[links.edges.T]), axis=1) + 1e-6))
    limit = 2.0 * float(np.linalg.norm(seen[start] - seen[end])) + 1.0
    while True:  # a short way is found without looking at the whole skin
        away, before = dijkstra(graph, indices=np.array([start]), return_predecessors=True, limit=limit)
        if np.isfinite(away[0, end]) or np.isinf(limit):
            break
        limit = 4.0 * limit if limit < 1e5 else np.inf
    path = [end]
    while path[-1] != start:
        path.append(int(before[0, path[-1]]))
        if path[-1] < 0:
            raise InputError(
                _WHERE,
                "the stroke's ends lie on different pieces of the mesh",
                "both ends must be on one piece",
                "draw along one of them",
            )
    return np.array(path[::-1], dtype=np.int32)
