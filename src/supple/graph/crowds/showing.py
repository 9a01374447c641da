"""Putting the places of one block over what is shown of a group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray
from supple.skins.base import DevicePoints


class Showing:
    """The launch that does so, for one array of points; who is shown is brought to the device where it changes."""

    def __init__(self, points: DevicePoints, shown: DevicePoints, vertices: int, places: int, device: str) -> None:
        from supple.graph.crowds.kernels import show_members

        wp = devices.warp()
        self.points = points
        self._members = wp.zeros(places, dtype=wp.int32, device=device)
        self._weights = wp.zeros(places, dtype=wp.float32, device=device)
        self._known_members = np.zeros(places, dtype=np.int32)
        self._known_weights = np.zeros(places)
        inputs = [vertices, points, self._members, self._weights, shown]
        self._launch = devices.Launch(show_members, places * vertices, inputs, device)

    def show(self, members: NDArray[np.int32], weights: FloatArray) -> None:
        """Show the members of all places, -1 for none, each by so much."""
        if not np.array_equal(members, self._known_members):
            devices.write(self._members, members)
            self._known_members = members
        if not np.array_equal(weights, self._known_weights):
            devices.write(self._weights, weights)
            self._known_weights = weights
        self._launch()
