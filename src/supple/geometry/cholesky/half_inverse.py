"""An inverse in numbers of 16 bits, which the tensor cores of a GPU multiply by the right sides of many bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array

_ARCHITECTURE = 80  # from which a GPU has the instructions
_LARGEST = 2.0**14  # what the largest entry of an inverse is brought to at most; 16 bits reach to 65504
_MOST_SIDE = 2.0**15  # the same of what is expected of right sides


def multiplies_halves(device: str) -> bool:
    """Whether a device has tensor cores that multiply numbers of 16 bits as is needed here."""
    return device != "cpu" and int(devices.warp().get_device(device).arch) >= _ARCHITECTURE


class HalfInverse:
    """A symmetric inverse of `count` unknowns on a GPU, and room for the right sides of `copies` bodies.

    Right sides longer than `expected` are cut off. What is ten thousand million times less than that is lost.
    """

    def __init__(self, count: int, *, copies: int, expected: float, device: str) -> None:
        from supple.geometry.cholesky.half_kernels import STEP, TILE

        wp = devices.warp()
        self._count, self._copies, self._device = count, copies, device
        self._tiles = -(-count // TILE), -(-3 * copies // TILE)
        self._width = -(-count // STEP) * STEP
        self._sides_by = 2.0 ** math.floor(math.log2(_MOST_SIDE / expected))
        self._scales = wp.zeros(2, dtype=wp.float32, device=device)
        self._inverse = wp.zeros(self._tiles[0] * TILE * self._width, dtype=wp.float16, device=device)
        self._high, self._low = (
            wp.zeros(self._tiles[1] * TILE * self._width, dtype=wp.float16, device=device) for _ in range(2)
        )

    def replace(self, values: Float32Array) -> None:
        """Take another inverse (n n,); launches that were recorded see it."""
        by = 2.0 ** math.floor(math.log2(_LARGEST / float(np.abs(values).max())))
        padded = np.zeros((len(self._inverse) // self._width, self._width), dtype=np.float16)
        padded[: self._count, : self._count] = (by * values).reshape(self._count, self._count)
        devices.write(self._inverse, padded.reshape(-1))
        devices.write(self._scales, np.array([self._sides_by, 1.0 / (by * self._sides_by)], dtype=np.float32))

    def multiplying(self, stride: int, rows: Any, sides: Any, answers: Any) -> devices.Calls:
        """Recorded: `answers` = A^-1 `sides`, where unknown j of a body of `stride` items is its item `rows[j]`."""
        from supple.geometry.cholesky import half_kernels as kernels

        threads, tiles = int(kernels.THREADS), self._tiles[0] * self._tiles[1]
        split = [stride, self._width, rows, self._scales, sides, self._high, self._low]
        inputs = [self._copies, stride, self._width, rows, self._scales]
        inputs += [self._inverse, self._high, self._low, answers]
        return [
            devices.Launch(kernels.split_sides, self._copies * self._count, split, self._device),
            devices.Launch(kernels.multiply_tiles, threads * tiles, inputs, self._device, block=threads),
        ]
