"""What can be read off flesh while it plays: forces and pressure at every vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.geometry.topology import ring_areas

if TYPE_CHECKING:
    from supple.skins.position_based.state import FleshState

_DENSITY = 1000.0  # kg/m^3
_ROUND = 0.5  # of a prism: flesh narrows towards the bone


class Readings:
    """Arrays and launches that show what the last step did, recorded for one way in which the skin is attached."""

    def __init__(self, state: FleshState) -> None:
        from supple.skins.position_based import reading_kernels as kernels

        wp, binding, skin = devices.warp(), state.binding, state.surface
        blank, device = binding.constants.blank, state.device
        self.particles = skin.particles
        self._state = state
        self._read_drawn: devices.Launch | None = None
        self._forces, self._pressures = blank(skin.count, wp.vec3f), blank(skin.count, wp.float32)
        tractions, self._drawn = blank(state.count, wp.vec3f), blank(skin.count, wp.vec3f)
        attachment = devices.fill_struct(
            kernels.Attachment(),
            blocks=skin.blocks,
            corners=skin.particles,
            barycentric=skin.barycentric,
            follow=skin.follow,
        )
        flesh = [state.angular_frequencies, state.depth, state.arrays.posed, state.settled]
        inputs = [state.count // binding.copies, *flesh, *state.collision.surfaces, tractions]
        self._measure = devices.Launch(kernels.measure_tractions, state.count, inputs, device)
        inputs = [attachment, tractions, self._pressures]
        self._read_pressure = devices.Launch(kernels.read_pressure, skin.count, inputs, device)
        sizes = devices.to_device(self._sizes(), wp.vec2f, device)
        inputs = [attachment, sizes, state.angular_frequencies, state.settled, state.memory.positions, tractions]
        self._read_forces = devices.Launch(
            kernels.read_forces, skin.count, [*inputs, self._drawn, self._forces], device
        )

    def _sizes(self) -> Any:
        """The flesh [kg] below every vertex and the skin [m^2] round it (V, 2)."""
        binding = self._state.binding
        one = binding.character if binding.member is None else binding.member.character
        areas = ring_areas(one.points, one.triangles) / 6.0
        sizes = np.stack([_ROUND * _DENSITY * areas * binding.body.half_thickness, areas], axis=1)
        return np.tile(sizes.astype(np.float32), (binding.copies, 1))

    def forces(self) -> Any:
        """The force (V,) [N] on every vertex."""
        self._measure()
        if self._read_drawn is None and self._state.handles is not None:
            self._read_drawn = self._state.handles.read_drawn(self._drawn)
        if self._read_drawn is not None:
            self._read_drawn()
        self._read_forces()
        return self._forces

    def pressures(self) -> Any:
        """How hard (V,) [Pa] every vertex is pressed."""
        self._measure()
        self._read_pressure()
        return self._pressures
