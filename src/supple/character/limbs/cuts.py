"""Triangles parted between limbs along lines on the skin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.character.limbs.division import Limbs
from supple.geometry.topology import components, unique_edges


@dataclass(frozen=True, eq=False)
class LimbCuts:
    """How T triangles are shared out between L limbs.

    `shares` (L, T) of the area of each belong to each limb. `corners` (C, V) make the corners of the cuts from the
    vertices: places on edges, and middles of triangles where three limbs meet. `segments` (S, 2) of cuts lead from
    corner to corner, with the limbs `beside` (S, 2) them on their left and right.
    """

    shares: Any
    corners: Any
    segments: IntArray
    beside: IntArray

    def lines(self, points: FloatArray) -> tuple[IntArray, Any]:
        """The closed line (S,) that each segment belongs to, and the middle of each line as a mean (K, C) of corners.

        Every corner counts by the length of the segments beside it at rest.
        """
        from scipy.sparse import coo_array

        start, end = self.segments.T
        line_of = components(start, end, self.corners.shape[0])
        _, line = np.unique(line_of[start], return_inverse=True)
        count = int(line.max(initial=-1)) + 1
        corners = self.corners @ points
        length = np.linalg.norm(corners[start] - corners[end], axis=1) + 1e-30
        share = 0.5 * length / np.bincount(line, length, count)[line]
        where = (np.tile(line, 2), np.concatenate([start, end]))
        return line.astype(np.int32), coo_array((np.tile(share, 2), where), shape=(count, len(corners))).tocsr()


@dataclass(frozen=True, eq=False)
class _Edges:
    """The edges (E, 2) that lead from limb to limb, and how far along each it is cut."""

    ends: IntArray
    at: FloatArray
    span: int

    def cuts(self, i: IntArray, j: IntArray) -> tuple[NDArray[np.int64], FloatArray]:
        """Numbers of the cuts of edges from vertices i to j (N,), and how far from i they are."""
        keys = self.ends.astype(np.int64) @ np.array([self.span, 1])
        number = np.searchsorted(keys, np.minimum(i, j).astype(np.int64) * self.span + np.maximum(i, j))
        return number, np.where(i < j, self.at[number], 1.0 - self.at[number])


def cut_triangles(points: FloatArray, triangles: IntArray, limbs: Limbs) -> LimbCuts:
    """Part triangles whose corners belong to different limbs.

    A corner of its own is cut off from its triangle from edge to edge; where three limbs meet, each gets what lies
    between its corner, the cuts of its two edges and the middle.
    """
    ends = unique_edges(triangles)
    ends = ends[limbs.limb_of[ends[:, 0]] != limbs.limb_of[ends[:, 1]]]
    edges = _Edges(ends, limbs.cut_shares(points, ends), len(points))
    limb = limbs.limb_of[triangles]
    alike = [limb[:, k] == limb[:, (k + 1) % 3] for k in range(3)]  # edge k leads from corner k to the next
    shares = np.zeros((len(triangles), 3))
    shares[:, 0] = 1.0  # of those that lie in one limb
    segments, beside = [], []
    for k in range(3):
        rows, ahead = np.flatnonzero(~alike[k - 1] & ~alike[k] & alike[(k + 1) % 3]), (k + 1) % 3
        first, s = edges.cuts(triangles[rows, k], triangles[rows, ahead])
        last, t = edges.cuts(triangles[rows, k], triangles[rows, k - 1])
        shares[rows] = 0.0
        shares[rows, k], shares[rows, ahead] = s * t, 1.0 - s * t
        segments.append(np.stack([first, last], axis=1))
        beside.append(limb[rows][:, [k, ahead]])
    rows = np.flatnonzero(~alike[0] & ~alike[1] & ~alike[2])
    middles = len(ends) + np.arange(len(rows))
    shares[rows] = 0.0
    for k in range(3):
        ahead = (k + 1) % 3
        first, s = edges.cuts(triangles[rows, k], triangles[rows, ahead])
        shares[rows, k] += s / 3.0
        shares[rows, ahead] += (1.0 - s) / 3.0
        segments.append(np.stack([first, middles], axis=1))
        beside.append(limb[rows][:, [k, ahead]])
    return LimbCuts(
        _share_matrix(shares, limb, len(limbs.names)),
        _corners(edges, triangles[rows]),
        np.concatenate(segments).astype(np.int32),
        np.concatenate(beside).astype(np.int32),
    )


def _share_matrix(shares: FloatArray, limb: IntArray, limbs: int) -> Any:
    from scipy.sparse import coo_array

    where = (limb.reshape(-1), np.repeat(np.arange(len(limb)), 3))
    return coo_array((shares.reshape(-1), where), shape=(limbs, len(limb))).tocsr()


def _corners(edges: _Edges, parted: IntArray) -> Any:
    """Places on edges, then middles of triangles that three limbs share, as means (C, V) of vertices."""
    from scipy.sparse import coo_array

    count = len(edges.ends)
    middles = np.repeat(count + np.arange(len(parted)), 3)
    values = np.concatenate([1.0 - edges.at, edges.at, np.full(3 * len(parted), 1.0 / 3.0)])
    rows = np.concatenate([np.tile(np.arange(count), 2), middles])
    columns = np.concatenate([edges.ends[:, 0], edges.ends[:, 1], parted.reshape(-1)])
    return coo_array((values, (rows, columns)), shape=(count + len(parted), edges.span)).tocsr()
