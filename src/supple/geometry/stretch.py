"""How much a moving surface is stretched and squeezed, vertex by vertex, for display."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.geometry.topology import neighbors


class StretchOnDevice:
    """The mean of l / l0 - 1 over the edges of every vertex (V,): above zero stretched, below it squeezed."""

    def __init__(self, triangles: IntArray, points: Any, device: str) -> None:
        from supple.geometry.kernels.stretch import mean_edge_stretch

        wp, count = devices.warp(), len(points)
        around = neighbors(triangles, count)
        layout = [devices.to_device(array, wp.int32, device) for array in (around.starts, around.indices)]
        self.points = points
        self._rest = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._stretch = wp.zeros(count, dtype=wp.float32, device=device)
        inputs = [*layout, self._rest, points, self._stretch]
        self._launch = devices.Launch(mean_edge_stretch, count, inputs, device)

    def set_rest(self, rest: FloatArray) -> None:
        """Take rest points (V, 3) [m]."""
        devices.write(self._rest, rest)

    def __call__(self) -> Float32Array:
        """The stretch (V,) of the points as they are."""
        self._launch()
        return np.array(devices.to_host(self._stretch))
