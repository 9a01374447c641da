"""The cells of a grid of curves that is closed around, and where points lie in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry.topology import area_vectors

_STEPS = 6  # of Gauss and Newton, that find a place in its cell


@dataclass(frozen=True, eq=False)
class Cells:
    """Where M points lie in a grid of `curves` times `nodes` nodes.

    Point m is over the place sum_k `weights[m, k]` times node `corners[m, k]`; there one step around is `around[m]` and
    one step along is `along[m]` of the same nodes (all (M, K)). Node C * N is the middle of the first ring, the next
    one that of the last. `distance` (M,) [m] is how far the point is from the grid.
    """

    curves: int
    nodes: int
    corners: NDArray[np.int64]
    weights: FloatArray
    around: FloatArray
    along: FloatArray
    distance: FloatArray


def locate(grid: FloatArray, points: FloatArray, *, smooth: bool) -> Cells:
    """Find the cell of a grid (C, N, 3) [m] that is nearest to each point (M, 3) [m], and the place in it.

    Places are bilinear in the four corners, or with `smooth` products of cubics over sixteen nodes; both are exact at
    nodes and keep straight lines straight. Cells at the ends, which have two corners in the middle of a ring, are
    always bilinear.
    """
    import igl

    curves, nodes = grid.shape[:2]
    cells = _cells(curves, nodes)
    positions = np.concatenate([grid.reshape(-1, 3), grid[:, 0].mean(axis=0)[None], grid[:, -1].mean(axis=0)[None]])
    halves = np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
    solid = np.linalg.norm(area_vectors(positions, halves), axis=1) > 0.0
    owners = np.tile(np.arange(len(cells)), 2)[solid]
    square, near, closest = igl.point_mesh_squared_distance(
        np.ascontiguousarray(points), positions, np.ascontiguousarray(halves[solid], dtype=np.int64)
    )
    cell = owners[np.asarray(near)]
    corners = cells[cell].astype(np.int64)
    u, w = invert_bilinear(positions[corners], np.asarray(closest))
    inner = cell < curves * (nodes - 1)
    patches = _CubicPatches(cell[inner], u[inner], w[inner], curves, nodes)
    blends = []
    for at_end, within in zip(_end_weights(u, w, cell >= curves * nodes), patches.weights(smooth=smooth), strict=True):
        whole = np.concatenate([np.where(inner[:, None], 0.0, at_end), np.zeros((len(cell), 16))], axis=1)
        whole[inner, 4:] = within
        blends.append(whole)
    corners = np.concatenate([corners, np.repeat(corners[:, :1], 16, axis=1)], axis=1)
    corners[inner, 4:] = patches.nodes
    return Cells(curves, nodes, corners, blends[0], blends[1], blends[2], np.sqrt(np.asarray(square)))


def _cells(curves: int, nodes: int) -> IntArray:
    """Corners (C (N - 1) + 2 C, 4) of all cells: around, then along; those at the start and at the end come last."""
    number = np.arange(curves * nodes).reshape(curves, nodes)
    curve, node = (index.ravel() for index in np.meshgrid(np.arange(curves), np.arange(nodes - 1), indexing="ij"))
    beside = (curve + 1) % curves
    quads = [number[curve, node], number[beside, node], number[beside, node + 1], number[curve, node + 1]]
    here, next_one = np.arange(curves), (np.arange(curves) + 1) % curves
    low, high = np.full(curves, curves * nodes), np.full(curves, curves * nodes + 1)
    start = [low, low, number[next_one, 0], number[here, 0]]
    end = [number[here, -1], number[next_one, -1], high, high]
    return np.concatenate([np.stack(rows, axis=1) for rows in (quads, start, end)]).astype(np.int32)


def _end_weights(u: FloatArray, w: FloatArray, last: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Place, way around and way along (M, 4) in cells that narrow to a point; they go around where they are widest."""
    edge = np.where(last, 0.0, 1.0)
    return (
        np.stack([(1 - u) * (1 - w), u * (1 - w), u * w, (1 - u) * w], axis=1),
        np.stack([edge - 1, 1 - edge, edge, -edge], axis=1),
        np.stack([u - 1, -u, u, 1 - u], axis=1),
    )


class _CubicPatches:
    """Cells with the nodes around them: `nodes` (M, 16), four curves by four rings."""

    def __init__(self, cell: NDArray[np.int64], u: FloatArray, w: FloatArray, curves: int, nodes: int) -> None:
        self._u, self._w = u, w
        self._curve, self._node, self._last = cell // (nodes - 1), cell % (nodes - 1), nodes - 2
        offsets = np.arange(-1, 3)
        around = (self._curve[:, None] + offsets) % curves
        along = np.clip(self._node[:, None] + offsets, 0, nodes - 1)
        self.nodes = (around[:, :, None] * nodes + along[:, None, :]).reshape(-1, 16)

    def weights(self, *, smooth: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place, way around and way along (M, 16).

        The ways are means over the cell's corners of the way from the node before to the node after, so that
        they have no jumps from cell to cell.
        """
        weights = self._cubic() if smooth else _tensor_product(_linear(self._u), _linear(self._w))
        return (
            weights,
            _tensor_product(_central_difference(self._u), _linear(self._w)),
            _tensor_product(_linear(self._u), _central_difference(self._w)),
        )

    def _cubic(self) -> FloatArray:
        down = _catmull_rom(self._w)
        # Past the ends a curve goes on straight: p_-1 = 2 p_0 - p_1, and likewise at the other end.
        for end, beyond, last, inner in ((self._node == 0, 0, 1, 2), (self._node == self._last, 3, 2, 1)):
            weight = np.where(end, down[:, beyond], 0.0)
            down[:, beyond] -= weight
            down[:, last] += 2.0 * weight
            down[:, inner] -= weight
        return _tensor_product(_catmull_rom(self._u), down)


def _tensor_product(around: FloatArray, along: FloatArray) -> FloatArray:
    return np.asarray((around[:, :, None] * along[:, None, :]).reshape(-1, 16))


def _linear(t: FloatArray) -> FloatArray:
    """Shares (M, 4) of four nodes in a row, on the straight line between the middle two."""
    return np.stack([np.zeros_like(t), 1.0 - t, t, np.zeros_like(t)], axis=1)


def _central_difference(t: FloatArray) -> FloatArray:
    """Shares (M, 4) of four nodes in a row: the way from the node before to the one after, between the middle two."""
    return 0.5 * np.stack([t - 1.0, -t, 1.0 - t, t], axis=1)


def _catmull_rom(t: FloatArray) -> FloatArray:
    """Shares (M, 4) of four nodes in a row, at t from 0 to 1 between the middle two."""
    return np.stack(
        [
            0.5 * t * (t * (2.0 - t) - 1.0),
            0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
            0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
            0.5 * t * t * (t - 1.0),
        ],
        axis=1,
    )


def invert_bilinear(corners: FloatArray, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where places (M, 3) lie in bilinear cells (M, 4, 3): around u and along w, both 0 to 1.

    Found by Gauss-Newton steps; where a cell is folded so badly that steps do not lead nearer, the best seen is kept.
    """
    p00, p10, p11, p01 = np.moveaxis(corners, 1, 0)
    u, w = np.full(len(positions), 0.5), np.full(len(positions), 0.5)
    best = np.stack([u, w])
    least = np.full(len(positions), np.inf)
    for _ in range(_STEPS + 1):
        low, high = p00 + u[:, None] * (p10 - p00), p01 + u[:, None] * (p11 - p01)
        gap = positions - low - w[:, None] * (high - low)
        error = np.einsum("mi,mi->m", gap, gap)
        best = np.where(error < least, np.stack([u, w]), best)
        least = np.minimum(error, least)
        around = (p10 - p00) + w[:, None] * (p11 - p01 - p10 + p00)
        along = high - low
        a, b, d = (np.einsum("mi,mi->m", x, y) for x, y in ((around, around), (around, along), (along, along)))
        e, f = np.einsum("mi,mi->m", around, gap), np.einsum("mi,mi->m", along, gap)
        # A cell with two corners in the middle of a ring has no way around there: a little keeps the matrix regular.
        little = 1e-12 * (a + d) + 1e-300
        determinant = (a + little) * (d + little) - b * b
        u = np.clip(u + ((d + little) * e - b * f) / determinant, 0.0, 1.0)
        w = np.clip(w + ((a + little) * f - b * e) / determinant, 0.0, 1.0)
    return best[0], best[1]
