"""A fine surface carried by a coarse body: every vertex keeps its shares in a few particles.

When the particles have moved to X, a vertex stands at sum_k share_k X_k.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import BoolArray, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.tetrahedra.tetrahedra import EDGES, Tetrahedra, boundary_with_owners, edges_of
from supple.geometry.vectors import smoothstep

_PAIRS = 1 << 20  # tests of a point against an element at a time
_SLACK = 1e-12  # a share this far below zero still counts as inside: rounding may not lose a point on a face
_STEEPEST = 4.0  # no share outside the body may be more than this above one or below zero
_NEIGHBORS = 16
_LEAST_BARYCENTRIC = -0.5, -0.25  # smooth shares make way for barycentric ones from the second down to the first
_REACH = 1.1  # over its longest edge: how far a particle takes part in smooth shares; some twelve then meet
_FLAT = 1e3, 1e5  # condition numbers between which particles begin to count as lying in a plane
_CHUNK = 8192  # vertices at a time
_ALIKE = 1e-5  # of the body's size: places of its surface that are as close as this are as close as each other


@dataclass(frozen=True, eq=False)
class Embedding:
    """Which particles carry each vertex, and with which shares.

    `corners` (V, K) are particle indices and `barycentric` (V, K) sum to one in every row; unused places have share
    zero. `distance` (V,) [m] is how far the vertex lies outside the body at rest, 0 for those within.
    """

    corners: IntArray
    barycentric: FloatArray
    distance: FloatArray

    def __post_init__(self) -> None:
        where = "Embedding"
        object.__setattr__(self, "corners", frozen(self.corners, np.int32, (-1, -1), where, "corners"))
        object.__setattr__(
            self, "barycentric", frozen(self.barycentric, np.float64, self.corners.shape, where, "barycentric")
        )
        count = len(self.corners)
        object.__setattr__(self, "distance", frozen(self.distance, np.float64, (count,), where, "distance"))
        off = np.abs(self.barycentric.sum(axis=1) - 1.0)
        if count and off.max() > 1e-6:
            raise InputError(
                where,
                f"the shares of vertex {int(off.argmax())} sum to {float(self.barycentric[off.argmax()].sum()):.6g}",
                "they must sum to one",
                "divide every row by its sum",
            )

    def carry(self, particles: ArrayLike) -> FloatArray:
        """Where the vertices (V, ...) are when the particles (P, ...) are there, or any other quantity of theirs."""
        values = np.asarray(particles, dtype=np.float64)
        total = np.zeros((len(self.corners), *values.shape[1:]))
        for corner, coordinate in zip(self.corners.T, self.barycentric.T, strict=True):
            total += coordinate.reshape(-1, *[1] * (values.ndim - 1)) * values[corner]
        return total


def embed(points: ArrayLike, tetrahedra: Tetrahedra, *, normals: ArrayLike | None = None) -> Embedding:
    """Tie every point to the four corners of the element that holds it, or else of the closest one.

    Shares are barycentric coordinates, so an affine motion of the body carries the points exactly. A point outside
    extrapolates from the element at the closest point of the boundary; beyond the size of that element it changes
    over to the shares of the closest point itself, and no share goes far beyond one, so that nothing explodes.

    `points` (V, 3) [m]. `normals` (V, 3), where given, keep the skin of one part from being tied to another close by:
    a boundary that faces the other way is passed over where there is one near that does not.
    """
    return _embed_with_closest(points, tetrahedra, normals)[0]


def embed_closest(points: ArrayLike, tetrahedra: Tetrahedra) -> Embedding:
    """Tie every point to the closest place of the body, by its barycentric coordinates in the element that has it.

    They change evenly along the skin, and never leave 0 to 1; what lies outside is carried to the boundary.
    """
    plain, closest = _embed_with_closest(points, tetrahedra, None)
    return Embedding(plain.corners, closest, plain.distance)


def _embed_with_closest(
    points: ArrayLike, tetrahedra: Tetrahedra, normals: ArrayLike | None
) -> tuple[Embedding, FloatArray]:
    """What `embed` returns, and the shares (V, 4) of the closest points in the body, without extrapolation."""
    positions = frozen(points, np.float64, (-1, 3), "embed", "points")
    facing = None if normals is None else frozen(normals, np.float64, positions.shape, "embed", "normals")
    if len(tetrahedra.corners) == 0:
        raise InputError("embed", "the body has no elements", "at least one is needed", "fill the character first")
    element, barycentric = _find_containing(positions, tetrahedra)
    distance, closest = np.zeros(len(positions)), barycentric.copy()
    outside = np.flatnonzero(element < 0)
    if len(outside):
        found = _extrapolate(positions[outside], tetrahedra, None if facing is None else facing[outside])
        element[outside], barycentric[outside], closest[outside], distance[outside] = found
    return Embedding(tetrahedra.corners[element], barycentric, distance), closest


def embed_smoothly(
    points: ArrayLike, tetrahedra: Tetrahedra, *, neighbors: int = _NEIGHBORS, normals: ArrayLike | None = None
) -> Embedding:
    """Tie every point to the particles around it, so that no facets of the elements show in the skin.

    Shares are those of moving least squares with a linear basis, s_i = w_i b_i . M^-1 b(0), b_i = (1, X_i - x),
    M = sum_i w_i b_i b_i^T, w_i = (1 - |X_i - x|² / R_i²)³: they sum to one and carry affine motions exactly. R_i is
    a little more than the longest edge at particle i, so shares fade in and out. Particles take part when they are at
    most two edges from the corner that counts most at the closest point, so that shares do not reach across air.

    `neighbors` is the most particles (5 or more) that share a point. Where particles lie almost in a plane or a share
    would fall below -0.5, the shares change over to those of the closest point in the body, little by little, so that
    rounding does not decide where a point goes. Points far outside are treated as in `embed`. Particles are blended,
    not met: the skin is a little smoother than the body.
    """
    if neighbors < 5:
        raise InputError("embed_smoothly", f"neighbors is {neighbors}", "5 or more are needed", "try 16")
    plain, closest = _embed_with_closest(points, tetrahedra, normals)
    targets = plain.carry(tetrahedra.points)  # the points themselves, and for far ones those that stand in for them
    leading = np.take_along_axis(plain.corners, closest.argmax(axis=1)[:, None], axis=1)[:, 0]
    starts, joined = _rings(tetrahedra)
    reaches = _reaches(tetrahedra)
    corners = np.zeros((len(targets), neighbors), dtype=np.int32)
    barycentric = np.zeros((len(targets), neighbors))
    trust = np.zeros(len(targets))
    for first in range(0, len(targets), _CHUNK):
        rows = slice(first, first + _CHUNK)
        around = _around(leading[rows], starts, joined)
        corners[rows], barycentric[rows], trust[rows] = _moving_least_squares(
            targets[rows], tetrahedra.points, reaches, around, neighbors
        )
    extreme = np.minimum(barycentric.min(axis=1), 1.0 - barycentric.max(axis=1))
    trust *= smoothstep(extreme, *_LEAST_BARYCENTRIC)
    calm = Embedding(plain.corners, closest, plain.distance)
    return Embedding(*_blend_with_plain(corners, barycentric, trust, calm), plain.distance)


def _blend_with_plain(
    corners: IntArray, barycentric: FloatArray, trust: FloatArray, plain: Embedding
) -> tuple[IntArray, FloatArray]:
    """Smooth shares (V, K) where `trust` (V,) is one, the plain ones where it is zero, and some of both between."""
    corners, barycentric = corners.copy(), trust[:, None] * barycentric
    left = np.flatnonzero(trust < 1.0)
    for corner, coordinate in zip(plain.corners[left].T, plain.barycentric[left].T, strict=True):
        same = (corners[left] == corner[:, None]) & (barycentric[left] != 0.0)
        free = barycentric[left] == 0.0
        slot = np.where(same.any(axis=1), same.argmax(axis=1), free.argmax(axis=1))
        lost = ~(same.any(axis=1) | free.any(axis=1))  # no room: the plain shares alone
        trust = np.where(np.isin(np.arange(len(trust)), left[lost]), 0.0, trust)
        corners[left, slot] = corner
        barycentric[left, slot] += (1.0 - trust[left]) * coordinate
    alone = np.flatnonzero(trust == 0.0)
    corners[alone], barycentric[alone] = plain.corners[alone, :1], 0.0
    corners[alone, :4], barycentric[alone, :4] = plain.corners[alone], plain.barycentric[alone]
    return corners, barycentric


def _find_containing(points: FloatArray, tetrahedra: Tetrahedra) -> tuple[NDArray[np.int64], FloatArray]:
    """The element (V,) that holds each point, -1 for none, and the point's barycentric coordinates (V, 4) in it.

    Elements are entered into every cell of a grid that their box touches, so each point meets all that could hold it.
    Of several, the one is taken in which the point lies deepest.
    """
    solid = tetrahedra.points[tetrahedra.corners]
    low, high = solid.min(axis=1), solid.max(axis=1)
    origin, end = low.min(axis=0), high.max(axis=0)
    side = max(float((high - low).mean()), float((end - origin).max()) / 1024)
    shape = np.floor((end - origin) / side).astype(np.int64) + 1
    first, last = np.floor((low - origin) / side).astype(np.int64), np.floor((high - origin) / side).astype(np.int64)
    owner, cell = _overlapped_cells(first, last, shape)
    order = np.argsort(cell, kind="stable")
    owner, cell = owner[order], cell[order]

    element = np.full(len(points), -1, dtype=np.int64)
    barycentric = np.zeros((len(points), 4))
    within = np.flatnonzero(((points >= origin) & (points <= end)).all(axis=1))
    index = np.floor((points[within] - origin) / side).astype(np.int64)
    wanted = (index[:, 0] * shape[1] + index[:, 1]) * shape[2] + index[:, 2]
    begin, stop = np.searchsorted(cell, wanted, side="left"), np.searchsorted(cell, wanted, side="right")
    inverse = _barycentric_matrices(solid)
    done = 0
    total = np.cumsum(stop - begin)
    while done < len(within):
        until = max(int(np.searchsorted(total, (total[done - 1] if done else 0) + _PAIRS, side="right")), done + 1)
        some = np.arange(done, min(until, len(within)))
        lengths = (stop - begin)[some]
        row = np.repeat(some, lengths)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        candidate = owner[begin[row] + rank]
        point = within[row]
        boxed = ((points[point] >= low[candidate]) & (points[point] <= high[candidate])).all(axis=1)
        point, candidate = point[boxed], candidate[boxed]
        found = _barycentric(points[point], solid[candidate, 0], inverse[candidate])
        depth = found.min(axis=1)
        hold = depth >= -_SLACK
        point, candidate, found, depth = point[hold], candidate[hold], found[hold], depth[hold]
        best = np.lexsort((candidate, -depth, point))
        point, choice = np.unique(point[best], return_index=True)
        element[point], barycentric[point] = candidate[best[choice]], found[best[choice]]
        done = int(some[-1]) + 1
    return element, barycentric


def _overlapped_cells(
    first: NDArray[np.int64], last: NDArray[np.int64], shape: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every pair of a box (rows of `first` to `last`) and the number of a cell it touches."""
    spans = last - first + 1
    counts = spans.prod(axis=1)
    owner = np.repeat(np.arange(len(first)), counts)
    rank = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    deep = spans[owner, 2]
    wide = deep * spans[owner, 1]
    x, y, z = first[owner].T + np.stack([rank // wide, rank % wide // deep, rank % deep])
    return owner, (x * shape[1] + y) * shape[2] + z


def _barycentric_matrices(solid: FloatArray) -> FloatArray:
    """Rows (T, 3, 3) that turn a way from corner 0 into the shares of corners 1, 2 and 3."""
    b, c, d = (solid[:, k] - solid[:, 0] for k in (1, 2, 3))
    rows = np.stack([np.cross(c, d), np.cross(d, b), np.cross(b, c)], axis=1)
    return np.asarray(rows / np.einsum("ti,ti->t", b, rows[:, 0])[:, None, None])


def _barycentric(points: FloatArray, origins: FloatArray, inverses: FloatArray) -> FloatArray:
    others = np.einsum("nij,nj->ni", inverses, points - origins)
    return np.concatenate([1.0 - others.sum(axis=1, keepdims=True), others], axis=1)


def _extrapolate(
    points: FloatArray, tetrahedra: Tetrahedra, normals: FloatArray | None
) -> tuple[NDArray[np.int64], FloatArray, FloatArray, FloatArray]:
    """The element at the closest point of the boundary, shares in it, those of that point, and the distance [m]."""
    faces, owner = boundary_with_owners(tetrahedra)
    closest, face = _closest_on_boundary(points, tetrahedra.points, faces, normals)
    element = owner[face]
    solid = tetrahedra.points[tetrahedra.corners[element]]
    inverse = _barycentric_matrices(solid)
    at_boundary = np.maximum(_barycentric(closest, solid[:, 0], inverse), 0.0)
    at_boundary /= at_boundary.sum(axis=1, keepdims=True)
    slope = _barycentric(points, solid[:, 0], inverse) - at_boundary
    distance = np.linalg.norm(points - closest, axis=1)
    size = np.linalg.norm(solid[:, EDGES[:, 0]] - solid[:, EDGES[:, 1]], axis=2).mean(axis=1)
    steep = np.abs(slope).max(axis=1)
    fraction = np.clip(2.0 - distance / size, 0.0, 1.0) * np.minimum(1.0, _STEEPEST / np.maximum(steep, _STEEPEST))
    return element, at_boundary + fraction[:, None] * slope, at_boundary, distance


def _closest_on_boundary(
    points: FloatArray, vertices: FloatArray, faces: IntArray, normals: FloatArray | None
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Closest points (N, 3) of a surface and their faces (N,), facing the way of `normals` where that is near too."""
    size = float(np.ptp(vertices, axis=0).max())

    def ask(some: FloatArray, among: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.int64]]:
        position, face = _closest_on_one_side(some, vertices, faces[among], _ALIKE * size)
        return position, among[face]

    every = np.arange(len(faces))
    closest, face = ask(points, every)
    if normals is None:
        return closest, face
    outward = topology.area_vectors(vertices, faces)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    length = np.abs(normals).max(axis=1)
    wrong: BoolArray = np.einsum("ni,ni->n", outward[face], normals) < -_ALIKE * length
    mostly = (np.abs(normals) >= (1.0 - _ALIKE) * length[:, None]).argmax(axis=1)
    reach = 2.0 * np.sqrt(topology.ring_areas(vertices, faces).max())
    for axis in range(3):
        for sign in (-1.0, 1.0):
            # Vertices whose normal points mostly along one axis look at the faces that do not turn away from it.
            mine = np.flatnonzero(wrong & (mostly == axis) & (normals[:, axis] * sign > 0.0))
            among = np.flatnonzero(outward[:, axis] * sign > _ALIKE)
            if len(mine) and len(among):
                position, found = ask(points[mine], among)
                near = np.linalg.norm(position - points[mine], axis=1) <= reach
                closest[mine[near]], face[mine[near]] = position[near], found[near]
    return closest, face


def _closest_on_one_side(
    points: FloatArray, vertices: FloatArray, faces: IntArray, alike: float
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Closest points (N, 3) of a surface and their faces (N,); of several about as close, the one farthest along x.

    A vertex in the middle of a symmetric character is as close to its left as to its right side. Rounding may not
    choose between them: places are looked at from a little to every side, and what is not farther than `alike` [m]
    beyond the closest counts as close; where x is alike as well, y and then z decide.
    """
    import igl

    surface = np.ascontiguousarray(faces, dtype=np.int64)

    def ask(some: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
        _, face, position = igl.point_mesh_squared_distance(np.ascontiguousarray(some), vertices, surface)
        return np.asarray(position).reshape(-1, 3), np.asarray(face, dtype=np.int64).reshape(-1)

    best, of_face = ask(points)
    limit = np.linalg.norm(best - points, axis=1) + 3.0 * alike
    for axis, sign in itertools.product(range(3), (-1.0, 1.0)):
        position, face = ask(points + sign * alike * np.eye(3)[axis])
        ahead = np.round((position - best) / (10.0 * alike))
        lead = np.take_along_axis(ahead, (ahead != 0.0).argmax(axis=1)[:, None], axis=1)[:, 0]
        better = (np.linalg.norm(position - points, axis=1) <= limit) & (lead > 0.0)
        best[better], of_face[better] = position[better], face[better]
    return best, of_face


def _rings(tetrahedra: Tetrahedra) -> tuple[NDArray[np.int64], IntArray]:
    """Particles at most two edges from each, itself among them, as compressed rows."""
    from scipy.sparse import coo_array, eye_array

    count = len(tetrahedra.points)
    one, other = edges_of(tetrahedra).T
    near = coo_array((np.ones(len(one), dtype=np.int32), (one, other)), shape=(count, count)).tocsr()
    near = near + near.T + eye_array(count, dtype=np.int32, format="csr")
    twice = (near @ near).tocsr()
    twice.sort_indices()
    return twice.indptr.astype(np.int64), twice.indices.astype(np.int32)


def _around(particles: IntArray, starts: NDArray[np.int64], joined: IntArray) -> IntArray:
    """The rows (N, M) of `joined` that belong to these particles (N,); -1 fills up."""
    lengths = starts[particles + 1] - starts[particles]
    rank = np.arange(int(lengths.max(initial=0)))
    index = np.minimum(starts[particles][:, None] + rank, len(joined) - 1)
    return np.where(rank < lengths[:, None], joined[index], -1).astype(np.int32)


def _reaches(tetrahedra: Tetrahedra) -> FloatArray:
    """How far (P,) [m] every particle takes part: a little more than its longest edge."""
    edges = edges_of(tetrahedra)
    lengths = np.linalg.norm(tetrahedra.points[edges[:, 0]] - tetrahedra.points[edges[:, 1]], axis=1)
    longest = np.zeros(len(tetrahedra.points))
    np.maximum.at(longest, edges.reshape(-1), np.repeat(lengths, 2))
    return _REACH * longest


def _moving_least_squares(
    points: FloatArray, particles: FloatArray, reaches: FloatArray, around: IntArray, most: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Particles (N, most), their shares, and how far (N,) those can be trusted: 1, or less where all lie in a plane."""
    offsets = particles[around] - points[:, None]
    fade = 1.0 - np.einsum("nki,nki->nk", offsets, offsets) / np.maximum(reaches[around], 1e-300) ** 2
    weight = np.where(around >= 0, fade.clip(0.0) ** 3, 0.0)
    if weight.shape[1] < most:
        spare = ((0, 0), (0, most - weight.shape[1]))
        weight, around = np.pad(weight, spare), np.pad(around, spare)
        offsets = np.pad(offsets, (*spare, (0, 0)))
    used = np.argsort(-weight, axis=1, kind="stable")[:, :most]
    weight = np.take_along_axis(weight, used, axis=1)
    corners = np.where(weight > 0.0, np.take_along_axis(around, used, axis=1), 0)
    basis = np.ones((*used.shape, 4))
    basis[..., 1:] = np.take_along_axis(offsets, used[:, :, None], axis=1) / reaches.max()
    moments = np.einsum("nk,nki,nkj->nij", weight, basis, basis)
    trust = np.zeros(len(points))
    some = np.flatnonzero(np.isfinite(moments).all(axis=(1, 2)) & (weight[:, 3] > 0.0))
    flatness = np.log(np.linalg.cond(moments[some]))
    trust[some] = 1.0 - smoothstep(flatness, *np.log(_FLAT))
    solvable = np.flatnonzero(trust > 0.0)
    barycentric = np.zeros(used.shape)
    unit = np.zeros((len(solvable), 4, 1))
    unit[:, 0] = 1.0
    factor = np.linalg.solve(moments[solvable], unit)[:, :, 0]
    barycentric[solvable] = weight[solvable] * np.einsum("nki,ni->nk", basis[solvable], factor)
    return corners.astype(np.int32), barycentric, trust
