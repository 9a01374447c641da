"""Overlaps: where one limb has run deep into another, the flesh that belongs to both is shared out."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from supple.arrays import IntArray

_FACES = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))
Cell = tuple[int, ...]


def assign_overlap(cells: IntArray, links: IntArray, overlap: IntArray) -> tuple[IntArray, IntArray]:
    """Give every cell of an `overlap` (M, 3) that has no node one: the cells (K, 3) of new nodes, and their links.

    New nodes count on from the given ones, which lie in `cells` (N, 3) and are joined by `links` (L, 2). From the
    border inwards each cell goes to the limb of a cell over one of its faces: it is linked with the node there, and
    with those around it that are linked with that node.
    """
    position: list[Cell] = [tuple(cell) for cell in cells.tolist()]
    nodes_in: dict[Cell, list[int]] = defaultdict(list)
    for node, cell in enumerate(position):
        nodes_in[cell].append(node)
    linked: dict[int, set[int]] = defaultdict(set)
    for a, b in links.tolist():
        linked[a].add(b)
        linked[b].add(a)
    pairs: list[tuple[int, int]] = []
    left = [cell for cell in map(tuple, overlap.tolist()) if cell not in nodes_in]
    while left:
        parents = {cell: node for cell in left for node in _over_faces(cell, nodes_in)[:1]}
        if not parents:
            break
        for cell, parent in parents.items():
            node = len(position)
            position.append(cell)
            for other in sorted({parent, *linked[parent]}):
                if max(abs(a - b) for a, b in zip(position[other], cell, strict=True)) == 1:
                    pairs.append((other, node))
                    linked[node].add(other)
                    linked[other].add(node)
            nodes_in[cell].append(node)
        left = [cell for cell in left if cell not in parents]
    new = np.array(position[len(cells) :], dtype=np.int32).reshape(-1, 3)
    return new, np.array(pairs, dtype=np.int32).reshape(-1, 2)


def _over_faces(cell: Cell, nodes_in: dict[Cell, list[int]]) -> list[int]:
    beside = (tuple(a + b for a, b in zip(cell, step, strict=True)) for step in _FACES)
    return [node for other in beside if other in nodes_in for node in nodes_in[other]]
