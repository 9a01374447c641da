"""Compressed rows: the members of every group, one after another."""

from __future__ import annotations

import numpy as np

from supple.arrays import Ints


def grouped(labels: Ints, group_count: int) -> tuple[Ints, Ints]:
    """`starts` (G + 1,) and `members` (N,): group g has members[starts[g]:starts[g + 1]], in rising order."""
    members = np.argsort(labels, kind="stable").astype(np.int32)
    sizes = np.bincount(labels, minlength=group_count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32), members
