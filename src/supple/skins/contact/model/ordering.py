"""In which order the skeleton is solved, and which places of its matrix can be other than zero.

Links come before those they hang on, the rows of a joint right after the link that hangs on it. Where a link has
several branches, the largest comes first, so that rows of the branching link reach back past the small ones only: the
number of places grows with the number of links, and at most with its logarithm besides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.skins.contact.model.joints import HINGE
from supple.skins.contact.model.mechanism import Mechanism

_PIECE = 48  # entries that one thread adds up


@dataclass(frozen=True, eq=False)
class Skyline:
    """Places of the unknowns in threes: `link_rows` (k,) of each link, which has two, and `joint_rows` (c,) of joints.

    Row i of the matrix is kept from column `first_columns[i]` to the diagonal, from place `row_offsets[i]` on;
    `row_offsets` has one more.
    """

    link_rows: IntArray
    joint_rows: IntArray
    first_columns: IntArray
    row_offsets: IntArray

    @property
    def size(self) -> int:
        """How many threes of unknowns there are."""
        return len(self.first_columns)


def skyline_from_mechanism(mechanism: Mechanism, pairs: IntArray) -> Skyline:
    """The order of solution for a mechanism whose `pairs` (P, 2) of links are coupled beside those of its joints."""
    joints, k = mechanism.joints, mechanism.link_count
    joint_of = np.full(k, -1)
    joint_of[joints.children] = np.arange(len(joints))
    link_rows, joint_rows = np.zeros(k, np.int32), np.zeros(len(joints), np.int32)
    heights = np.where(joints.kinds == HINGE, 2, 1)
    size = 0
    for link in _leaves_first(mechanism):
        link_rows[link] = size
        size += 2
        joint = int(joint_of[link])
        if joint >= 0:
            joint_rows[joint] = size
            size += int(heights[joint])
    first_columns = np.arange(size)

    def reach(row: int, height: int, column: int) -> None:
        first_columns[row : row + height] = np.minimum(first_columns[row : row + height], column)

    for link in range(k):
        reach(int(link_rows[link]), 2, int(link_rows[link]))
    for one, other in pairs.tolist():
        low, high = sorted((int(link_rows[one]), int(link_rows[other])))
        reach(high, 2, low)
    for joint in range(len(joints)):
        child, parent = int(link_rows[joints.children[joint]]), int(link_rows[joints.parents[joint]])
        reach(int(joint_rows[joint]), int(heights[joint]), child)
        reach(parent, 2, child)
    row_offsets = np.concatenate([[0], np.cumsum(np.arange(size) - first_columns + 1)])
    return Skyline(link_rows, joint_rows, first_columns.astype(np.int32), row_offsets.astype(np.int32))


def _leaves_first(mechanism: Mechanism) -> list[int]:
    """All links, each after those that hang on it; larger branches first."""
    joints, k = mechanism.joints, mechanism.link_count
    children: list[list[int]] = [[] for _ in range(k)]
    for child, parent in zip(joints.children.tolist(), joints.parents.tolist(), strict=True):
        children[parent].append(child)
    down, stack = [], mechanism.roots.tolist()
    while stack:
        link = stack.pop()
        down.append(link)
        stack.extend(children[link])
    size = np.ones(k)
    for link in reversed(down):
        size[link] += sum(size[child] for child in children[link])
    order: list[int] = []
    stack = sorted(mechanism.roots.tolist(), key=lambda link: size[link])
    while stack:  # each link before its branches, the smallest branch next to it: turned round, that is what we want
        link = stack.pop()
        order.append(link)
        stack.extend(sorted(children[link], key=lambda child: -size[child]))
    return order[::-1]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Entries grouped by what they add up to, cut into pieces of about equal length.

    Piece p has `entries[starts[p] : starts[p + 1]]`; group g has the pieces `groups[g]` to `groups[g + 1]`.
    """

    starts: IntArray
    entries: IntArray
    groups: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1


def cut_pieces(labels: IntArray, groups: int) -> Pieces:
    """Cut entries with these labels (E,), which are below `groups`, into pieces."""
    order = np.argsort(labels, kind="stable").astype(np.int32)
    sizes = np.bincount(labels, minlength=groups)
    counts = -(-sizes // _PIECE)
    begins = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.repeat(begins, counts) + number * _PIECE
    return Pieces(
        np.append(starts, len(labels)).astype(np.int32), order, np.append(0, np.cumsum(counts)).astype(np.int32)
    )


@dataclass(frozen=True, eq=False)
class CarrierPairs:
    """Who shares what: entry e = K j + slot is one carrier of node j.

    `by_link` groups the entries of free nodes by link. `pairs` (P, 2) are links that carry a node together, each with
    itself too; `by_pair` groups the pairs of entries, of which `ones` and `others` are the two.
    """

    by_link: Pieces
    pairs: IntArray
    by_pair: Pieces
    ones: IntArray
    others: IntArray


def carrier_pairs(mechanism: Mechanism) -> CarrierPairs:
    """Who shares what in a mechanism."""
    links, weights = mechanism.free_links, mechanism.free_weights
    k, width = mechanism.link_count, links.shape[1]
    used = np.flatnonzero(weights.ravel() > 0.0).astype(np.int32)
    by_link = cut_pieces(links.ravel()[used], k)
    ones, others = [], []
    for one in range(width):
        for other in range(width):
            both = _ordered(links, weights, one, other)
            node = np.flatnonzero(both)
            ones.append(width * node + one)
            others.append(width * node + other)
    first, second = np.concatenate(ones).astype(np.int64), np.concatenate(others).astype(np.int64)
    keys, label = np.unique(links.ravel()[first].astype(np.int64) * k + links.ravel()[second], return_inverse=True)
    pairs = np.stack([keys // k, keys % k], axis=1).astype(np.int32)
    by_pair = cut_pieces(label.reshape(-1).astype(np.int32), len(keys))
    return CarrierPairs(
        Pieces(by_link.starts, used[by_link.entries], by_link.groups),
        pairs,
        by_pair,
        first[by_pair.entries].astype(np.int32),
        second[by_pair.entries].astype(np.int32),
    )


def _ordered(links: IntArray, weights: FloatArray, one: int, other: int) -> BoolArray:
    """Nodes at which two slots count as a pair: each pair of links once, the later one first."""
    there = (weights[:, one] > 0.0) & (weights[:, other] > 0.0)
    return there & ((links[:, one] > links[:, other]) | (one == other))


def coupled_pairs(mechanism: Mechanism) -> IntArray:
    """Pairs of links (P, 2) that carry nodes of one element: a contact within it can couple them."""
    k = mechanism.link_count
    corners = mechanism.elements
    links, weights = mechanism.links[corners], mechanism.weights[corners]
    links = np.where(weights > 0.0, links, links[..., :1]).reshape(len(corners), -1)
    keys = np.unique((links[:, :, None].astype(np.int64) * k + links[:, None, :]).ravel())
    return np.stack([keys // k, keys % k], axis=1).astype(np.int32)
