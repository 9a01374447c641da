"""Compressed rows: the members of every group, one after another, or in step for threads beside one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import IntArray

GROUP = 32  # threads of a GPU that go in step


def stable_order(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """What sorts whole numbers (N,) from zero up, those that are alike in the order in which they stand.

    Each is sorted together with its place, where both fit into one number: a third of the time of a stable sort.
    """
    count = max(len(keys), 1)
    if keys.max(initial=0) >= np.iinfo(np.int64).max // count:
        return np.argsort(keys, kind="stable")
    return np.sort(keys * count + np.arange(len(keys))) % count


def group_by_label(labels: IntArray, group_count: int) -> tuple[IntArray, IntArray]:
    """`starts` (G + 1,) and `members` (N,): group g has members[starts[g]:starts[g + 1]], in rising order."""
    members = np.argsort(labels, kind="stable").astype(np.int32)
    sizes = np.bincount(labels, minlength=group_count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32), members


def in_groups(sizes: ArrayLike) -> tuple[IntArray, IntArray]:
    """Where items stand that threads beside one another read in step: each of them goes through one row.

    Of rows with so many items (R,), those of row r are every `GROUP`th from `starts[r // GROUP] + r % GROUP` on, and
    before the next start. Also where each item stands, row after row.
    """
    given = np.asarray(sizes, dtype=np.int64)
    padded = np.zeros(-(-len(given) // GROUP) * GROUP, dtype=np.int64)
    padded[: len(given)] = given
    starts = np.append(0, np.cumsum(GROUP * padded.reshape(-1, GROUP).max(axis=1, initial=0)))
    row = np.repeat(np.arange(len(given)), given)
    step = np.arange(len(row)) - np.repeat(np.cumsum(given) - given, given)
    return starts.astype(np.int32), (starts[row // GROUP] + row % GROUP + GROUP * step).astype(np.int32)
