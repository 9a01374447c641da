"""How much the skin is stretched and squeezed, along its edges and over its triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.errors import InputError
from supple.geometry.topology import area_vectors, unique_edges
from supple.measure.frames import FrameBuffer, chunks, frames_of, mesh_of

HIGH = 95.0  # percent


@dataclass(frozen=True)
class Stretch:
    """|size / rest size - 1| in every frame (F,): the mean, the 95th percentile and the worst; 0 is no stretch."""

    mean: FloatArray
    high: FloatArray
    worst: FloatArray


def edge_stretch(points: ArrayLike, rest_points: ArrayLike, triangles: ArrayLike) -> Stretch:
    """How far edges are from their rest length in frames (F, V, 3): |l / l0 - 1| over all edges.

    Every edge counts once, however long. Edges without length at rest are left out.
    """
    from supple.measure import kernels

    rest, faces = mesh_of(rest_points, triangles, "edge_stretch")
    frames = frames_of(points, "edge_stretch", vertices=len(rest))
    edges = unique_edges(faces)
    lengths = np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1)
    kept = lengths > 0.0
    return _stretch(frames, kernels.edge_ratios, edges[kept], lengths[kept], "edge_stretch")


def area_stretch(points: ArrayLike, rest_points: ArrayLike, triangles: ArrayLike) -> Stretch:
    """How far triangles are from their rest area in frames (F, V, 3): |a / a0 - 1| over all triangles.

    A triangle that is sheared keeps its area. Triangles without area at rest are left out.
    """
    from supple.measure import kernels

    rest, faces = mesh_of(rest_points, triangles, "area_stretch")
    frames = frames_of(points, "area_stretch", vertices=len(rest))
    areas = np.linalg.norm(area_vectors(rest, faces), axis=1)
    kept = areas > 1e-12 * areas.max()
    return _stretch(frames, kernels.area_ratios, faces[kept], areas[kept], "area_stretch")


def _stretch(frames: Float32Array, kernel: Any, items: NDArray[Any], sizes: FloatArray, where: str) -> Stretch:
    if len(items) == 0:
        raise InputError(where, "nothing has a size at rest", "a mesh with some extent is needed", "check its units")
    wp = devices.warp()
    buffer = FrameBuffer(len(frames), frames.shape[1])
    ratios = wp.zeros((buffer.size, len(items)), dtype=wp.float32, device="cpu")
    inputs = [
        buffer.array,
        devices.to_device(items, wp.vec2i if items.shape[1] == 2 else wp.vec3i, "cpu"),
        devices.to_device(sizes.astype(np.float32), wp.float32, "cpu"),
        ratios,
    ]
    launch = devices.Launch(kernel, buffer.size * len(items), inputs, "cpu")
    mean, high, worst = (np.empty(len(frames)) for _ in range(3))
    # The linear percentile lies between two ranks; everything above the lower one holds the higher one.
    rank, fraction = divmod((len(items) - 1) * HIGH / 100.0, 1.0)
    for rows in chunks(len(frames)):
        buffer.fill(frames[rows])
        launch()
        found = ratios.numpy()[: rows.stop - rows.start]
        mean[rows] = found.mean(axis=1, dtype=np.float64)
        found.partition(int(rank), axis=1)
        low, above = found[:, int(rank)], found[:, int(rank) + 1 :]
        worst[rows] = above.max(axis=1) if above.shape[1] else low
        high[rows] = low + fraction * ((above.min(axis=1) if above.shape[1] else low) - low)
    return Stretch(mean, high, worst)
