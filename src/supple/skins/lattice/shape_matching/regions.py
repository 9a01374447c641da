"""Overlapping regions of voxels that each want to keep their shape: what of them never changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray


def window(width: int) -> tuple[int, int]:
    """How many steps a region goes down and up from its node: centred where the width is odd."""
    return (width - 1) // 2, width // 2


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a lattice, one named after each node, and what of them never changes.

    `chains` (N, 6) are neighbours along -x, +x, -y, +y, -z, +z, or -1. `masses` (N,) are one over the number of regions
    that contain a node. `centers` (N, 3) are the middles of the regions at rest, in voxels from their nodes, and
    `region_masses` (N,) the masses of the regions.
    """

    chains: IntArray
    width: int
    masses: FloatArray
    centers: FloatArray
    region_masses: FloatArray

    @classmethod
    def from_chains(cls, chains: IntArray, width: int) -> Regions:
        """Regions of `width` voxels along every axis, where flesh reaches that far."""
        low, high = window(width)
        count = np.ones(len(chains))
        for axis in range(3):  # the regions that contain a node: windows the other way round
            count = _window_sums(count, chains, axis, high, low)[0]
        masses = 1.0 / count
        total = masses
        moments: list[FloatArray] = []
        for axis in (2, 1, 0):
            sums = [_window_sums(moment, chains, axis, low, high)[0] for moment in moments]
            total, moment = _window_sums(total, chains, axis, low, high)
            moments = [*sums, moment]
        return cls(chains, width, masses, np.stack(moments[::-1], axis=1) / total[:, None], total)


def _window_sums(values: FloatArray, chains: IntArray, axis: int, low: int, high: int) -> tuple[FloatArray, FloatArray]:
    """Sums of values (N,) over `low` steps down and `high` steps up one axis, and their moments."""
    total, moment = values.copy(), np.zeros(len(values))
    padded = np.append(values, 0.0)
    for side, steps, sign in ((0, low, -1.0), (1, high, 1.0)):
        following = np.append(chains[:, 2 * axis + side], -1)  # what lies beyond the end stays there
        at = np.arange(len(values))
        for step in range(1, steps + 1):
            at = following[at]
            total += padded[at]
            moment += sign * step * padded[at]
    return total, moment


@dataclass(frozen=True, eq=False)
class Blocks:
    """The chains along one axis, cut into blocks of `width` nodes from their lower ends.

    `indices` (N,) are where nodes stand in their chain, `starts` (B,) the first nodes of blocks, `order` (N,) all nodes
    chain by chain, `ranks` (N,) where each stands in that order, `lengths` (N,) how long the chain of each is.
    """

    width: int
    starts: IntArray
    order: IntArray
    ranks: IntArray
    indices: IntArray
    lengths: IntArray

    @classmethod
    def from_chains(cls, chains: IntArray, axis: int, width: int) -> Blocks:
        """Blocks along an axis: 0 for x, 1 for y, 2 for z."""
        down, up = chains[:, 2 * axis], chains[:, 2 * axis + 1]
        count = len(chains)
        indices, heads = np.zeros(count, dtype=np.int32), np.arange(count, dtype=np.int32)
        at: IntArray = np.flatnonzero(down < 0).astype(np.int32)
        index = 0
        while len(at):  # all chains at once, one step further each time
            indices[at] = index
            ahead = up[at]
            heads[ahead[ahead >= 0]] = heads[at[ahead >= 0]]
            at, index = ahead[ahead >= 0], index + 1
        order = np.lexsort((indices, heads)).astype(np.int32)
        ranks = np.empty(count, dtype=np.int32)
        ranks[order] = np.arange(count, dtype=np.int32)
        lengths = np.bincount(heads, minlength=count)[heads].astype(np.int32)
        starts = np.flatnonzero(indices % width == 0).astype(np.int32)
        return cls(width, starts, order, ranks, indices, lengths)

    def windows(self, low: int, high: int) -> NDArray[np.int32]:
        """For every node the first and last node of its window and how far off they are (N, 4).

        A node is -1 where the running sum at the other end covers the whole window.
        """
        below = np.minimum(low, self.indices)
        above = np.minimum(high, self.lengths - 1 - self.indices)
        first, last = self.indices - below, self.indices + above
        same = first // self.width == last // self.width
        begins = first % self.width == 0
        lower, upper = self.order[self.ranks - below], self.order[self.ranks + above]
        lower, upper = np.where(same & begins, -1, lower), np.where(same & ~begins, -1, upper)
        return np.stack([lower, upper, below, above], axis=1).astype(np.int32)
