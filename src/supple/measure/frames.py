"""Frames as they come to the measures: checked once, looked at some at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.errors import InputError

CHUNK = 8  # frames at once: enough for every thread, and little enough to stay near the processor
IN_MEMORY = 1 << 30  # bytes; larger arrays live in a temporary file


def frames_of(points: ArrayLike, where: str, *, vertices: int | None = None, what: str = "points") -> Float32Array:
    """A sequence (F, V, 3) [m] in single precision; frames mapped from disk stay there."""
    given = np.asarray(points)
    wanted = f"(F, {'V' if vertices is None else vertices}, 3) is needed"
    fits = given.ndim == 3 and given.shape[2] == 3 and vertices in (None, given.shape[1])
    if not fits or given.dtype.kind not in "iuf":
        raise InputError(where, f"{what} has shape {given.shape} of {given.dtype}", wanted, "pass one row per vertex")
    if given.size == 0:
        raise InputError(where, f"{what} has shape {given.shape}", "at least one frame is needed", "bake some frames")
    for rows in chunks(len(given)):
        whole = np.isfinite(given[rows]).all(axis=(1, 2))
        if not whole.all():
            frame = rows.start + int(np.argmin(whole))
            given_words = f"frame {frame} of {what} has values that are not finite"
            raise InputError(where, given_words, "all must be finite numbers", "leave it out, or bake it again")
    return given if given.dtype == np.float32 else given.astype(np.float32)


def mesh_of(rest_points: ArrayLike, triangles: ArrayLike, where: str) -> tuple[FloatArray, IntArray]:
    """Rest points (V, 3) and triangles (T, 3) that name them."""
    rest = frozen(rest_points, np.float64, (-1, 3), where, "rest_points")
    faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
    if len(faces) == 0:
        raise InputError(where, "there are no triangles", "at least one is needed", "pass the triangles of the mesh")
    check_indices(faces, len(rest), where, "triangles")
    return rest, faces


def check_indices(indices: IntArray, count: int, where: str, what: str) -> None:
    """Refuse numbers of points that are not there."""
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        worst = int(indices.min()) if indices.min() < 0 else int(indices.max())
        raise InputError(where, f"{what} name point {worst}", f"there are {count} (0 to {count - 1})", "renumber them")


def chunks(count: int, size: int = CHUNK) -> Iterator[slice]:
    """Ranges of frames, in order."""
    for begin in range(0, count, size):
        yield slice(begin, min(begin + size, count))


def room_for(shape: tuple[int, ...]) -> Float32Array:
    """An empty single-precision array, in memory or, when it is large, in a temporary file that goes with it."""
    if 4 * int(np.prod(shape)) <= IN_MEMORY:
        return np.empty(shape, dtype=np.float32)
    with tempfile.TemporaryFile(prefix="supple-") as file:
        mapped: NDArray[Any] = np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
    return mapped


class FrameBuffer:
    """A chunk of frames on the device, always of one size so that launches can be recorded once."""

    def __init__(self, frame_count: int, vertices: int, *, extra: int = 0) -> None:
        """`extra` places per frame are left for points that a kernel makes."""
        from supple import device as devices

        wp = devices.warp()
        self.size, self._vertices = min(CHUNK, frame_count), vertices
        self.array = wp.zeros((self.size, vertices + extra), dtype=wp.vec3f, device="cpu")

    def fill(self, points: Float32Array) -> None:
        """Take up to a chunk of frames; the last one fills the places that are left."""
        buffer = self.array.numpy()
        buffer[: len(points), : self._vertices] = points
        buffer[len(points) :, : self._vertices] = points[-1]
