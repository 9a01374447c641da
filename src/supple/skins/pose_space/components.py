"""The shapes that a part of the skin takes, as few principal components of all that it did in the examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray, IntArray

MOST = 32  # components that are looked for in a part
BLOCK = 4  # components that a kernel takes at once
LEVELS = 127  # of a component's largest offset: shapes are kept in bytes
_SPARE = 8  # directions more than are looked for, so that the last ones are found well [Halko2011]
_UNSEEN = 0.2  # of the tolerance: blocks of a vertex that add less than this are left out


@dataclass(frozen=True, eq=False)
class PartShapes:
    """Components of one part: `vertices` (n,), `shapes` (n, 3, C), and the `amounts` (F, C) [m] of all frames.

    `energy` [m^2] is the sum of squares of all that the part did.
    """

    vertices: IntArray
    shapes: FloatArray
    amounts: FloatArray
    energy: float


def find_components(offsets: Float32Array, weights: FloatArray) -> PartShapes:
    """Principal components of the offsets (F, V, 3) [m] of a part, times its weights (V,), largest first.

    Zero offset is no offset from the skin below, so nothing is taken off as a mean.
    """
    vertices = np.flatnonzero(weights > 0.0)
    frames = len(offsets)
    part = (offsets[:, vertices] * weights[vertices, None].astype(np.float32)).reshape(frames, -1)
    rank = min(MOST, frames, part.shape[1])
    if frames > part.shape[1]:
        _, vectors = np.linalg.eigh((part.T @ part).astype(np.float64))
        basis = vectors[:, ::-1][:, :rank].T
    else:
        probe = np.random.default_rng(0).normal(size=(part.shape[1], min(rank + _SPARE, frames)))
        spread, _ = np.linalg.qr(part @ (part.T @ (part @ probe.astype(np.float32))))
        _, _, basis = np.linalg.svd((spread.T @ part).astype(np.float64), full_matrices=False)
        basis = basis[:rank]
    basis = basis * np.where(basis[np.arange(rank), np.abs(basis).argmax(axis=1)] < 0.0, -1.0, 1.0)[:, None]
    amounts = part.astype(np.float64) @ basis.T
    shapes = np.ascontiguousarray(basis.T.reshape(len(vertices), 3, rank))
    return PartShapes(vertices.astype(np.int32), shapes, amounts, float(np.square(part, dtype=np.float64).sum()))


def choose_counts(parts: Sequence[PartShapes], tolerance: float, vertices: int) -> list[int]:
    """How many components of every part are kept, a multiple of four.

    Those that hold most of the movement come first, whatever part they are of, until what all parts leave out is a
    root mean square of `tolerance` [m] over all frames and vertices; where parts overlap, errors add up to a little
    more.
    """
    if not parts:
        return []
    frames = len(parts[0].amounts)
    held = [np.square(part.amounts).sum(axis=0) for part in parts]
    ranked = sorted(((value, number) for number, values in enumerate(held) for value in values), reverse=True)
    counts, left = [0] * len(parts), sum(part.energy for part in parts)
    for value, number in ranked:
        if left <= tolerance**2 * frames * vertices:
            break
        counts[number] += 1
        left -= value
    return [min(-(-count // BLOCK) * BLOCK, len(values)) for count, values in zip(counts, held, strict=True)]


@dataclass(frozen=True, eq=False)
class PackedShapes:
    """Components of all parts as kernels take them, in blocks of four; B blocks.

    Vertex v has the entries from `rows[v]` to `rows[v + 1]`: `blocks` (n,) says which block, `levels` (n, 3, 4) its
    four offsets in steps of `units` (B, 4) [m]. Block b is of part `part_of[b]`.
    """

    rows: IntArray
    blocks: IntArray
    levels: NDArray[np.int8]
    units: Float32Array
    part_of: IntArray


def pack_components(
    parts: Sequence[PartShapes], counts: Sequence[int], vertices: int, *, tolerance: float
) -> PackedShapes:
    """Bytes of all components that are kept, without those that move a vertex by next to nothing."""
    owners, numbers, levels, units = [], [], [], []
    part_of: list[int] = []
    for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
        for start in range(0, count, BLOCK):
            stop = min(start + BLOCK, count)
            shapes = np.zeros((len(part.vertices), 3, BLOCK))
            shapes[:, :, : stop - start] = part.shapes[:, :, start:stop]
            sizes = np.zeros(BLOCK)
            sizes[: stop - start] = np.sqrt(np.square(part.amounts[:, start:stop]).mean(axis=0))
            unit = np.maximum(np.abs(shapes).max(axis=(0, 1)), 1e-12) / LEVELS
            seen = np.sqrt(np.square(shapes * sizes).sum(axis=(1, 2))) > _UNSEEN * tolerance
            owners.append(part.vertices[seen])
            numbers.append(np.full(int(seen.sum()), len(part_of)))
            levels.append(np.round(shapes[seen] / unit).astype(np.int8))
            units.append(unit)
            part_of.append(number)
    owner = np.concatenate([np.zeros(0, dtype=np.int32), *owners])
    order = np.argsort(owner, kind="stable")
    rows = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=vertices))]).astype(np.int32)
    return PackedShapes(
        rows,
        np.concatenate([np.zeros(0, dtype=np.int32), *numbers]).astype(np.int32)[order],
        np.concatenate([np.zeros((0, 3, BLOCK), dtype=np.int8), *levels])[order],
        np.array(units, dtype=np.float32).reshape(-1, BLOCK),
        np.array(part_of, dtype=np.int32),
    )
