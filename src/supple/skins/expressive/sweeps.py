"""Sweeps back and forth between two buffers."""

from __future__ import annotations

from typing import Any

from supple import device as devices


class Sweeps:
    """Two launches by turns; on a GPU a whole run of them is one graph, captured once."""

    def __init__(self, launches: list[devices.Launch], device: str) -> None:
        self._launches, self._device = launches, device
        self._graphs: dict[int, Any] = {}

    def run(self, count: int) -> None:
        """Run `count` sweeps, the first one out of the first buffer."""
        if self._device == "cpu":
            self._one_by_one(count)
            return
        wp = devices.warp()
        if count not in self._graphs:
            with wp.ScopedCapture(device=self._device) as capture:
                self._one_by_one(count)
            self._graphs[count] = capture.graph
        wp.capture_launch(self._graphs[count])

    def _one_by_one(self, count: int) -> None:
        for turn in range(count):
            self._launches[turn % 2]()
