"""The patches of skin that bones move: a bone that moves places apart from each other has a largest one and strays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.decompose.blending import blended, limit_influences
from supple.decompose.frames import Frames

_REACH = 0.3  # of the body's size: how far the patch of a bone may grow in a round
_LINKS = 8  # nearest vertices among which shells of the mesh find a neighbour


@dataclass(frozen=True)
class Surface:
    """Which vertices are beside each other, shells of the mesh joined where they are nearest.

    `edges` (E, 2) has every pair once, `beside` (V, V) is not zero for a vertex itself and those beside it, and in
    `rings` of those a patch may grow in a round.
    """

    edges: IntArray
    beside: Any
    rings: int

    @classmethod
    def from_frames(cls, frames: Frames, nearby: Any) -> Surface:
        """From a matrix (V, V) whose rows take the mean over a vertex and those beside it."""
        from scipy.sparse import coo_array, eye_array

        rows, columns = nearby.nonzero()
        edges = np.stack([rows, columns], axis=1)[rows < columns].astype(np.int32)
        rest, count = frames.rest[:, :3], len(frames.rest)
        length = float(np.mean(np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1))) if len(edges) else 1.0
        edges = np.concatenate([edges, _links(rest, edges)])
        one = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
        beside = (one + one.T + eye_array(count)).tocsr()
        return cls(edges, beside, max(1, round(_REACH / max(length, 1e-9))))

    def pieces(self, weights: FloatArray) -> IntArray:
        """The number (V, B) of the connected piece of skin that each influence belongs to; -1 where there is none."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        count, bones = weights.shape
        used = weights > 0.0
        edge, bone = np.nonzero(used[self.edges[:, 0]] & used[self.edges[:, 1]])
        one, other = (self.edges[edge, end].astype(np.int64) * bones + bone for end in (0, 1))
        graph = coo_array((np.ones(len(one)), (one, other)), shape=(count * bones, count * bones))
        labels = connected_components(graph, directed=False)[1].reshape(count, bones)
        return np.where(used, labels, -1).astype(np.int32)

    def largest(self, weights: FloatArray) -> BoolArray:
        """The influences (V, B) that lie in the largest patch of their bone, by the sum of its weights."""
        pieces = self.pieces(weights)
        sums = np.bincount(pieces[pieces >= 0], weights=weights[pieces >= 0], minlength=1)
        size = np.where(pieces >= 0, sums[pieces], -1.0)
        chosen = np.take_along_axis(pieces, np.argmax(size, axis=0)[None], axis=0)
        return np.asarray((pieces >= 0) & (pieces == chosen))

    def strays(self, weights: FloatArray) -> BoolArray:
        """The influences (V, B) that lie off the largest patch of their bone."""
        return np.asarray((weights > 0.0) & ~self.largest(weights))

    def grown(self, patches: BoolArray, rings: int) -> BoolArray:
        """Patches (V, B) with so many rings of vertices round them."""
        wide = patches.astype(np.float64)
        for _ in range(rings):
            wide = (self.beside @ wide > 0.0).astype(np.float64)
        return wide > 0.0

    def without(self, weights: FloatArray, strays: BoolArray) -> FloatArray:
        """Weights (V, B) of sum one without some; a vertex that has no others takes the mean of those beside it."""
        kept = np.where(strays, 0.0, weights)
        while (bare := kept.sum(axis=1) <= 0.0).any():
            mean = self.beside @ kept
            filled = bare & (mean.sum(axis=1) > 0.0)
            if not filled.any():  # skin that nothing joins to the rest
                kept[bare] = weights[bare]
                break
            kept[filled] = mean[filled]
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def stray_share(weights: FloatArray, surface: Surface) -> float:
    """The share of all influences that lie off the patch of their bone that has the most vertices."""
    used = weights > 0.0
    return 1.0 - np.count_nonzero(surface.largest(used.astype(np.float64))) / np.count_nonzero(used)


def drop_strays(
    frames: Frames, bones: FloatArray, weights: FloatArray, surface: Surface, *, influences: int, most: float
) -> tuple[FloatArray, BoolArray]:
    """Weights (V, B) without the strays that cost least, and which bones every vertex may follow after that.

    All vertices with strays are solved without them; pieces go, the cheapest for each influence first, as long as
    the sum of squared errors grows by no more than `most` of itself.
    """
    largest = surface.largest(weights)
    strays = surface.strays(weights)
    pieces = surface.pieces(weights)
    near = surface.grown(largest, 1)
    _, before = blended(frames, bones, weights, influences=influences, allowed=weights > 0.0)
    start = limit_influences(surface.without(weights, strays), influences)
    _, after = blended(frames, bones, start, influences=influences, allowed=near | (start > 0.0))
    rows, columns = np.nonzero(strays)
    each = np.maximum(after - before, 0.0) / np.maximum(strays.sum(axis=1), 1)
    numbers, index, sizes = np.unique(pieces[rows, columns], return_inverse=True, return_counts=True)
    cost = np.bincount(index, weights=each[rows], minlength=len(numbers))
    order = np.argsort(cost / sizes, kind="stable")
    fits = np.cumsum(cost[order]) <= most * before.sum()
    gone = np.zeros_like(strays)
    going = np.zeros(len(numbers), dtype=bool)
    going[order[fits]] = True
    gone[rows, columns] = going[index]
    left = limit_influences(surface.without(weights, gone), influences)
    return left, near | (left > 0.0)


def _links(rest: FloatArray, edges: IntArray) -> IntArray:
    """Pairs of vertices (N, 2) that join shells to those near them, the shortest that do."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import KDTree

    from supple.geometry.topology import components

    shell = components(edges[:, 0], edges[:, 1], len(rest))
    few = min(_LINKS, len(rest) - 1)
    if few < 1 or shell.max(initial=0) == shell.min(initial=0):
        return np.zeros((0, 2), dtype=np.int32)
    away, near = (np.asarray(found) for found in KDTree(rest).query(rest, k=few + 1))
    one, other = np.repeat(np.arange(len(rest)), few + 1), near.ravel()
    across = shell[one] != shell[other]
    one, other, away = one[across], other[across], away.ravel()[across] + 1e-12
    order = np.lexsort((away, shell[other], shell[one]))
    one, other, away = one[order], other[order], away[order]
    pairs = np.stack([shell[one], shell[other]], axis=1)
    first = np.append(True, (np.diff(pairs, axis=0) != 0).any(axis=1)) if len(pairs) else np.zeros(0, dtype=bool)
    one, other, away = one[first], other[first], away[first]
    size = int(shell.max()) + 1
    graph = coo_array((away, (shell[one], shell[other])), shape=(size, size)).tocsr()
    tree = minimum_spanning_tree(graph.maximum(graph.T)).tocoo()
    wanted = {(min(pair), max(pair)) for pair in zip(tree.row.tolist(), tree.col.tolist(), strict=True)}
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        key = (min(int(shell[a]), int(shell[b])), max(int(shell[a]), int(shell[b])))
        if key in wanted:
            found.setdefault(key, (a, b))
    return np.array(list(found.values()), dtype=np.int32).reshape(-1, 2)
