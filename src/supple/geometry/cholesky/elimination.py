"""The tree of elimination of a sparse factor, cut into parts for threads.

Unknowns that do not reach each other but through others can be solved for at the same time: the tree is cut into a few
parts, of about equal work, and a top that joins them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from supple.arrays import IntArray

PARTS = 4  # whatever the number of threads, so that all add up in the same order
_CUTS = 4000  # columns that the top may take


@dataclass(frozen=True, eq=False)
class Cut:
    """Columns in a new `order` (n,): part p from `bounds[p]` to `bounds[p + 1]`, the top from the last bound on."""

    order: IntArray
    bounds: IntArray

    def targets(self, starts: IntArray, rows: IntArray) -> IntArray:
        """Where in the work space entries of columns in this order go: what parts say about the top they keep apart."""
        n, top = len(self.order), int(self.bounds[-1])
        part_of = np.searchsorted(self.bounds, np.arange(top), side="right") - 1
        columns = np.repeat(np.arange(n), np.diff(starts))
        targets = rows.astype(np.int64)
        above = (columns < top) & (targets >= top)
        targets[above] += (part_of[columns[above]] + 1) * (n - top)
        return targets.astype(np.int32)


def cut_elimination_tree(starts: IntArray, rows: IntArray) -> Cut:
    """Cut the tree so that the longest part and the top together are short.

    Column j of the factor has entries `starts[j]` to `starts[j + 1]` below its diagonal, at sorted `rows`.
    """
    n = len(starts) - 1
    sizes = np.diff(starts)
    parents = np.full(n, -1)
    parents[sizes > 0] = rows[starts[:-1][sizes > 0]]
    work = (sizes + 1.0).tolist()
    weights = list(work)
    children: list[list[int]] = [[] for _ in range(n)]
    for j in range(n):  # all that hangs on a column comes before it
        if parents[j] >= 0:
            weights[parents[j]] += weights[j]
            children[parents[j]].append(j)
    heap = [(-weights[j], j) for j in np.flatnonzero(parents < 0).tolist()]
    heapq.heapify(heap)
    top = 0.0
    above: list[int] = []
    best = (np.inf, 0, _deal_out(heap))
    while heap and len(above) < _CUTS and top < best[0]:
        if not above or len(children[above[-1]]) > 1:  # along a chain nothing changes but the top
            dealt = _deal_out(heap)
            loads = [sum(weights[j] for j in roots) for roots in dealt]
            longest = top + max(sum(loads[part : part + 2]) for part in range(0, PARTS, 2))  # by two threads
            if longest < best[0]:
                best = (longest, len(above), dealt)
        _, j = heapq.heappop(heap)
        above.append(j)
        top += work[j]
        for child in children[j]:
            heapq.heappush(heap, (-weights[child], child))
    label = np.full(n, -1)
    for part, roots in enumerate(best[2]):
        label[roots] = part
    label[above[: best[1]]] = PARTS
    for j in range(n - 1, -1, -1):
        if label[j] < 0:
            label[j] = label[parents[j]]
    order = np.argsort(label, kind="stable").astype(np.int32)
    return Cut(order, np.searchsorted(label[order], np.arange(PARTS + 1)).astype(np.int32))


def _deal_out(heap: list[tuple[float, int]]) -> list[list[int]]:
    """Subtrees dealt out to the parts, the heaviest first, each to who has least; a heavy part is next to a light one.

    Threads take neighbouring parts.
    """
    loads: list[tuple[float, int, list[int]]] = [(0.0, part, []) for part in range(PARTS)]
    for weight, j in sorted(heap):
        load, part, roots = loads[0]
        roots.append(j)
        heapq.heapreplace(loads, (load - weight, part, roots))
    heavy = [roots for _, _, roots in sorted(loads, reverse=True)]
    return [heavy[at // 2 if at % 2 == 0 else PARTS - 1 - at // 2] for at in range(PARTS)]
