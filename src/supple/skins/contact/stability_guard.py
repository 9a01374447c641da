"""Looking after a soft body while it moves, where its arrays are."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays

_CHEAP = 32_768  # items to look at that are worth another thread


class Watch:
    """Says whether the numbers of a body are sound, and keeps its flesh from going farther than it is deep.

    `sculpted` (n, 3) [m] is where flesh is at rest, `farthest` (n,) [m] how far from there it may go. Crushed between
    hard things, or lifted out of them where bones fold it flat, linear flesh knows no end.
    """

    def __init__(
        self, nodes: NodeArrays, links: LinkArrays, *, sculpted: Floats, farthest: Floats, device: str
    ) -> None:
        from supple.skins.contact import stability_kernels as kernels

        wp = devices.warp()
        self._flags = wp.zeros(2, dtype=wp.int32, device=device)
        self._raised = devices.HostSide(self._flags)
        self._strange, self._over = int(kernels.STRANGE), int(kernels.OVER)

        def launch(kernel: Any, count: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, count, [*inputs, self._flags], device, smallest=_CHEAP)

        def look(*arrays: Any) -> devices.Chain:
            return devices.Chain([launch(kernels.find_strange, len(array), array) for array in arrays], device)

        moving = (links.velocities, links.spins)
        self._look_ahead = look(*moving, nodes.ahead)  # where flesh flows to tells how it flows
        self._look = look(*moving, nodes.flows, nodes.nodes)
        deep = devices.to_device(np.asarray(farthest, dtype=np.float64), wp.float64, device)
        still = devices.to_device(np.asarray(sculpted, dtype=np.float64), wp.vec3d, device)
        self._contain = launch(kernels.contain, len(farthest), still, deep, nodes.displacements, nodes.flows)

    def is_sound(self) -> bool:
        """Whether places and velocities are finite."""
        self._look()
        return not self._lowered(self._strange)

    def is_sound_ahead(self) -> bool:
        """Whether velocities, and the places where they lead in this step, are finite."""
        self._look_ahead()
        return not self._lowered(self._strange)

    def contain(self) -> bool:
        """Bring back flesh that went farther than it is deep, and stop it there; whether any did."""
        self._contain()
        return self._lowered(self._over)

    def _lowered(self, flag: int) -> bool:
        """Whether a flag was up; afterwards none is."""
        up = bool(self._raised.read()[flag])
        if up:
            self._flags.zero_()
        return up
