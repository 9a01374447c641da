"""Sweeps back and forth between two buffers."""

from __future__ import annotations

from supple import device as devices


class Sweeps:
    """Two launches by turns; on a GPU a whole run of them is one graph."""

    def __init__(self, launches: list[devices.Launch], device: str) -> None:
        self._launches, self._device = launches, device
        self._runs: dict[int, devices.Chain] = {}

    def run(self, count: int) -> None:
        """Run `count` sweeps, the first one out of the first buffer."""
        if count not in self._runs:
            rotations = [self._launches[rotation % 2] for rotation in range(count)]
            self._runs[count] = devices.Chain(rotations, self._device)
        self._runs[count]()
