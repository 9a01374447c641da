"""When a GPU gives each body of a crowd a block of threads, which hold its particles in memory that they share."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray

_BODIES = 16  # from which a GPU has enough to do with a block of threads for each


def fit_blocks(device: str, copies: int, particles: int) -> bool:
    """Whether `copies` bodies of so many particles are many and small enough."""
    from supple.geometry.kernels.block import SHARED_ROWS

    return device != "cpu" and copies >= _BODIES and particles <= int(SHARED_ROWS)


def packed_corners(corners: IntArray, shares: Float32Array, vertices: int, device: str) -> Any:
    """What carries each of so many vertices of one body, (V * blocks, 4) corners and shares, as kernels take it."""
    from supple.skins.position_based.crowd_skin_kernels import PackedCorners

    wp, blocks = devices.warp(), len(corners) // max(vertices, 1)
    order = np.argsort(-np.abs(shares).reshape(vertices, -1), axis=1, kind="stable")  # some are below zero
    numbers, values = (np.take_along_axis(each.reshape(vertices, -1), order, axis=1) for each in (corners, shares))
    # Block by block for all vertices, so that threads beside one another read what lies beside one another.
    numbers, values = (each.reshape(vertices, blocks, 4).swapaxes(0, 1) for each in (numbers, values))
    codes = np.bitwise_or.reduce(numbers.astype(np.uint64) << np.arange(0, 64, 16, dtype=np.uint64), axis=2)
    return devices.fill_struct(
        PackedCorners(),
        count=vertices,
        particles=devices.to_device(codes.reshape(-1), wp.uint64, device),
        shares=devices.to_device(values.reshape(-1, 4).astype(np.float32), wp.vec4f, device),
    )
