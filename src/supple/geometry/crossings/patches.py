"""Triangles sorted into patches that lie together at rest, so that far parts of a body are told apart box by box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import Floats, Ints

PATCH = 16  # triangles at most
GROUP = 16


@dataclass(frozen=True)
class Patches:
    """`order` (T,) lists the triangles patch by patch; patch p has `order[starts[p]:starts[p + 1]]`.

    Group g holds the patches from `group_starts[g]` to `group_starts[g + 1]`, which lie together as well.
    """

    order: Ints
    starts: Ints
    group_starts: Ints


def patches(rest_points: Floats, triangles: Ints) -> Patches:
    """Halve the triangles along the longest side of their box until no heap has more than PATCH of them."""
    middles = rest_points[triangles].mean(axis=1)
    heaps = [np.arange(len(triangles), dtype=np.int32)]
    while max(len(heap) for heap in heaps) > PATCH:
        heaps = [half for heap in heaps for half in _halves(heap, middles)]
    starts = np.concatenate([[0], np.cumsum([len(heap) for heap in heaps])])
    group_starts = np.append(np.arange(0, len(heaps), GROUP), len(heaps))
    return Patches(np.concatenate(heaps).astype(np.int32), starts.astype(np.int32), group_starts.astype(np.int32))


def _halves(heap: Ints, middles: Floats) -> list[Ints]:
    if len(heap) <= 1:
        return [heap]
    side = int(np.argmax(np.ptp(middles[heap], axis=0)))
    sorted_heap = heap[np.argsort(middles[heap, side], kind="stable")]
    return [sorted_heap[: len(heap) // 2], sorted_heap[len(heap) // 2 :]]
