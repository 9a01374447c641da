"""Pressure in flesh: what makes it keep its volume where edges, bones and contacts press on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from supple import device as devices
from supple.geometry.rows import group_by_label
from supple.skins.position_based.solve.energy import EnergyBinding


class Pressure:
    """How much more volume than at rest the elements of a body want, found from what was missing in earlier steps.

    At the least of the energy volumes balance edges, bonds and contacts, and lose a few parts in a hundred; stiffer
    volumes would need many more rounds. So they are multipliers, in the way of augmented Lagrangians: what is missing
    around a particle adds to its pressure step by step, until nothing is.
    """

    def __init__(
        self, binding: EnergyBinding, elements: Any, constants: devices.Constants, *, at_particles: bool = False
    ) -> None:
        wp, device = devices.warp(), constants.device
        self._count, self._copies, self._device = len(binding.one.points), binding.copies, device
        self._elements, self._total = elements, binding.copies * len(binding.corners)
        around = constants.derive(binding.corners, "around", lambda: _around(binding, device))
        self._starts, self._members = around
        self.applied = constants.blank(self._copies * self._count, wp.float32) if at_particles else None
        self.targets = None if at_particles else devices.to_device(_wanted(binding), wp.float32, device)
        self._missing = constants.blank(self._total, wp.float32)

    def apply(self, pressures: Any) -> Callable[[], object]:
        """Recorded: elements want as much more as `pressures` (C P,) at their corners say.

        What they want is in `targets` (C T,), or those who make elements of particles find the pressures in `applied`.
        """
        from supple.skins.position_based.solve import pressure_kernels as kernels

        if self.applied is not None:
            return partial(devices.warp().copy, self.applied, pressures)
        inputs = [self._count, self._elements.corners, self._elements.sizes, pressures, self.targets]
        return devices.Launch(kernels.raise_targets, self._total, inputs, self._device)

    def update(self, kinematic: Any, settled: Any, pressures: Any, inverted: Any, params: Any) -> devices.Calls:
        """Recorded: `pressures` (C P,) grow by what is missing at `settled` (C P,).

        `inverted` (C P,) becomes 1 at elements that are inside out there, and are not where the bones carry them,
        `kinematic` (C P,). While flesh sleeps (`params`), pressures stay as they are.
        """
        from supple.skins.position_based.solve import pressure_kernels as kernels

        sizes = self._elements.sizes
        measuring = [self._count, self._elements.corners, sizes, kinematic, settled, self._missing, inverted]
        raising = [params, self._count, self._starts, self._members, sizes, self._missing, pressures]
        return [
            devices.Launch(kernels.look_at_elements, self._total, measuring, self._device),
            devices.Launch(kernels.raise_pressures, self._copies * self._count, raising, self._device),
        ]


def _around(binding: EnergyBinding, device: str) -> tuple[Any, Any]:
    """The elements around every particle, in compressed rows."""
    wp = devices.warp()
    starts, members = group_by_label(binding.corners.reshape(-1), len(binding.one.points))
    return devices.to_device(starts, wp.int32, device), devices.to_device(members // 4, wp.int32, device)


def _wanted(binding: EnergyBinding) -> Any:
    import numpy as np

    return np.tile(binding.sizes[:, 0], binding.copies)
