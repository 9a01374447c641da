"""Looking after a soft body while it moves, where its arrays are."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays

_CHEAP = 32_768  # items to look at that are worth another thread


class StabilityGuard:
    """Says whether the numbers of a body are sound, and keeps its flesh from going farther than it is deep.

    `rest_sag` (n, 3) [m] is where flesh is at rest, `max_displacements` (n,) [m] how far from there it may go. Crushed
    between hard things, or lifted out of them where bones fold it flat, linear flesh knows no end.
    """

    def __init__(
        self, nodes: NodeArrays, links: LinkArrays, *, rest_sag: FloatArray, max_displacements: FloatArray, device: str
    ) -> None:
        from supple.skins.contact import stability_kernels as kernels

        wp = devices.warp()
        self._flags = wp.zeros(2, dtype=wp.int32, device=device)
        self._raised = devices.HostSide(self._flags)
        self._nonfinite, self._clamped = int(kernels.NONFINITE), int(kernels.CLAMPED)

        def launch(kernel: Any, count: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, count, [*inputs, self._flags], device, smallest=_CHEAP)

        def check(*arrays: Any) -> devices.Chain:
            return devices.Chain([launch(kernels.find_nonfinite, len(array), array) for array in arrays], device)

        moving = (links.velocities, links.angular_velocities)
        self._check_prediction = check(*moving, nodes.predicted_positions)  # where flesh flows to tells how it flows
        self._check = check(*moving, nodes.node_velocities, nodes.positions)
        deep = devices.to_device(np.asarray(max_displacements, dtype=np.float64), wp.float64, device)
        self._rest_sag = devices.to_device(np.asarray(rest_sag, dtype=np.float64), wp.vec3d, device)
        self._clamp = launch(
            kernels.clamp_displacements,
            len(max_displacements),
            self._rest_sag,
            deep,
            nodes.displacements,
            nodes.node_velocities,
        )

    def set_rest_sag(self, rest_sag: FloatArray) -> None:
        """Let flesh rest elsewhere, (n, 3) [m]."""
        devices.write(self._rest_sag, rest_sag)

    def is_finite(self) -> bool:
        """Whether places and velocities are finite."""
        self._check()
        return not self._take_flag(self._nonfinite)

    def is_prediction_finite(self) -> bool:
        """Whether velocities, and the places where they lead in this step, are finite."""
        self._check_prediction()
        return not self._take_flag(self._nonfinite)

    def clamp_displacements(self) -> bool:
        """Bring back flesh that went farther than it is deep, and stop it there; whether any did."""
        self._clamp()
        return self._take_flag(self._clamped)

    def _take_flag(self, flag: int) -> bool:
        """Whether a flag was up; afterwards none is."""
        up = bool(self._raised.read()[flag])
        if up:
            self._flags.zero_()
        return up
