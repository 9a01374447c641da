"""When a GPU gives each body of a crowd a block of threads, which hold its particles in memory that they share."""

from __future__ import annotations

from typing import Any

from supple import device as devices

_BODIES = 16  # from which a GPU has enough to do with a block of threads for each


def fit_blocks(device: str, copies: int, particles: int) -> bool:
    """Whether `copies` bodies of so many particles are many and small enough."""
    from supple.geometry.kernels.block import SHARED_ROWS

    return device != "cpu" and copies >= _BODIES and particles <= int(SHARED_ROWS)


def as_rows(vectors: Any) -> Any:
    """The memory of an array of vectors as an array of rows of numbers."""
    wp = devices.warp()
    shape = len(vectors), vectors.dtype._length_
    return wp.array(ptr=vectors.ptr, dtype=wp.float32, shape=shape, device=vectors.device, copy=False)
