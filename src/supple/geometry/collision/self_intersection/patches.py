"""Triangles sorted into patches that lie together at rest, so that far parts of a body are told apart box by box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray

PATCH = 16  # triangles at most
GROUP = 16
MOST_AROUND = 32  # triangles at a vertex that are known to touch; others are found out when compared


@dataclass(frozen=True)
class Patches:
    """`order` (T,) lists the triangles patch by patch; patch p has `order[starts[p]:starts[p + 1]]`.

    Group g holds the patches from `group_starts[g]` to `group_starts[g + 1]`, which lie together as well.
    """

    order: IntArray
    starts: IntArray
    group_starts: IntArray


def patches(rest_points: FloatArray, triangles: IntArray) -> Patches:
    """Halve the triangles along the longest side of their box until no heap has more than PATCH of them."""
    middles = rest_points[triangles].mean(axis=1)
    heaps = [np.arange(len(triangles), dtype=np.int32)]
    while max(len(heap) for heap in heaps) > PATCH:
        heaps = [half for heap in heaps for half in _halves(heap, middles)]
    starts = np.concatenate([[0], np.cumsum([len(heap) for heap in heaps])])
    group_starts = np.append(np.arange(0, len(heaps), GROUP), len(heaps))
    return Patches(np.concatenate(heaps).astype(np.int32), starts.astype(np.int32), group_starts.astype(np.int32))


def _halves(heap: IntArray, middles: FloatArray) -> list[IntArray]:
    if len(heap) <= 1:
        return [heap]
    side = int(np.argmax(np.ptp(middles[heap], axis=0)))
    sorted_heap = heap[np.argsort(middles[heap, side], kind="stable")]
    return [sorted_heap[: len(heap) // 2], sorted_heap[len(heap) // 2 :]]


@dataclass(frozen=True)
class Beside:
    """Which patches share vertices: patch p has `others[starts[p]:starts[p + 1]]`, itself and later ones.

    `masks` (N, PATCH) belongs to `others`: bit k of row (n, i) is set where triangle i of patch p is worth comparing
    with triangle k of the other patch, because they share no corner and, within one patch, k comes after i.
    """

    starts: IntArray
    others: IntArray
    masks: NDArray[np.uint32]


def beside(triangles: IntArray, sorted_patches: Patches) -> Beside:
    """Find the patches that touch, for `triangles` in patch order."""
    starts = sorted_patches.starts
    count = len(starts) - 1
    patch_of = np.repeat(np.arange(count), np.diff(starts))
    local = np.arange(len(triangles)) - starts[patch_of]
    one, two = _sharing(triangles)
    codes = np.concatenate([patch_of[one] * count + patch_of[two], np.arange(count) * (count + 1)])
    pairs, position = np.unique(codes, return_inverse=True)
    masks = np.full((len(pairs), PATCH), (1 << PATCH) - 1, dtype=np.uint32)
    np.bitwise_and.at(masks, (position[: len(one)], local[one]), ~(np.uint32(1) << local[two].astype(np.uint32)))
    own = pairs // count == pairs % count
    masks[own] &= np.array([((1 << PATCH) - 1) ^ ((2 << i) - 1) for i in range(PATCH)], dtype=np.uint32)
    sizes = np.bincount(pairs // count, minlength=count)
    rows = np.concatenate([[0], np.cumsum(sizes)])
    return Beside(rows.astype(np.int32), (pairs % count).astype(np.int32), masks)


def _sharing(triangles: IntArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of triangles at a common vertex, the lower number first; the crowd at a pole is left out."""
    flat = triangles.reshape(-1)
    corners = np.argsort(flat, kind="stable")
    vertex, owner = flat[corners], corners // 3
    ones, twos = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for ahead in range(1, min(MOST_AROUND, len(flat))):
        same = np.flatnonzero(vertex[ahead:] == vertex[:-ahead])
        if not len(same):
            break
        pair = np.sort(np.stack([owner[same], owner[same + ahead]]), axis=0)
        ones.append(pair[0][pair[0] != pair[1]])
        twos.append(pair[1][pair[0] != pair[1]])
    return np.concatenate(ones), np.concatenate(twos)
