"""The skin over the flesh, which it goes along with."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Singles
from supple.character.character import Character
from supple.character.shapes import Shaped
from supple.geometry.ramps import rising
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import blocks_of
from supple.skins.position_based.body import Body

_LEEWAY = 0.05  # sizes of an element: how far skin and flesh may disagree on where the bones carry them
_NEAR, _FAR = 0.25, 1.25  # sizes of an element outside the flesh: to the first the skin goes along, from the second not


class Surface:
    """A character's skin on a device, moved by the flesh it is embedded in.

    `flesh` is where the bones alone carry the particles and what moved them from there, on the device.
    """

    def __init__(self, character: Character, body: Body, flesh: tuple[Any, Any], *, device: str) -> None:
        wp = devices.warp()
        count, embedding, size = len(character.points), body.embedding, body.constraints.size
        self._device, self._count = device, count
        self._tied = blocks_of(embedding.corners, embedding.shares, device=device)
        # Fingers and ears that no element reaches are left to the bones, fading in so that no ring shows.
        along = 1.0 - rising(embedding.distance / size, _NEAR, _FAR)
        self._along = devices.to_device(along.astype(np.float32), wp.float32, device)
        self._shaped, self._held = Shaped(character.points, character.shapes), embedding.carry(body.constraints.points)
        self._apart = devices.to_device(self._away(character.points), wp.float32, device)
        self._leeway = _LEEWAY * size
        self._flesh = flesh
        self.points = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._recorded: tuple[Any, devices.Launch] | None = None

    def set(self, pose: Pose) -> None:
        """Take the shapes (morph targets) of a pose, which carry the skin away from its flesh."""
        rest = self._shaped.changed(pose.shapes)
        if rest is not None:
            devices.write(self._apart, self._away(rest))

    def _away(self, rest: Floats) -> Singles:
        """How far (V,) [m] rest points are from where their flesh holds them."""
        return np.linalg.norm(rest - self._held, axis=1).astype(np.float32)

    def follow(self, incoming: Any) -> None:
        """Go along with the offsets of the flesh, from where the bones alone carry the skin."""
        from supple.skins.position_based import skin_kernels as kernels

        if self._recorded is None or self._recorded[0] is not incoming:
            inputs = [
                *self._tied,
                self._along,
                self._apart,
                self._leeway,
                *self._flesh,
                incoming,
                self.points,
            ]
            self._recorded = incoming, devices.Launch(kernels.carry_skin, self._count, inputs, self._device)
        self._recorded[1]()
