"""The skin over the flesh, which it goes along with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.character.morph_targets import MorphTargets
from supple.geometry.vectors import smoothstep
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import pack_blocks
from supple.skins.position_based.body import Body

_LEEWAY = 0.05  # sizes of an element: how far skin and flesh may disagree on where the bones carry them
_NEAR, _FAR = 0.25, 1.25  # sizes of an element outside the flesh: to the first the skin goes along, from the second not


@dataclass(frozen=True, eq=False)
class Hung:
    """How V vertices hang on particles, in blocks of four: (V * blocks, 4) particles and shares.

    `along` (V,) is how much of what flesh does a vertex follows, `held` (V, 3) [m] where flesh holds it at rest, and
    `leeway` [m] how far skin and flesh may disagree on where the bones carry them.
    """

    particles: Ints
    shares: Singles
    along: Singles
    held: Floats
    leeway: float

    @classmethod
    def from_body(cls, body: Body) -> Hung:
        """The skin goes along with the elements it is embedded in."""
        embedding, size = body.embedding, body.constraints.size
        # Fingers and ears that no element reaches are left to the bones, fading in so that no ring shows.
        along = 1.0 - smoothstep(embedding.distance / size, _NEAR, _FAR)
        blocks = pack_blocks(embedding.corners, embedding.shares)
        held = embedding.carry(body.constraints.points)
        return cls(*blocks, along.astype(np.float32), held, _LEEWAY * size)


class Surface:
    """A character's skin on a device, moved by the flesh it is embedded in.

    `flesh` is where the bones alone carry the particles and what moved them from there, on the device.
    """

    def __init__(self, character: Character, hung: Hung, flesh: tuple[Any, Any], constants: devices.Constants) -> None:
        wp, put = devices.warp(), constants.put
        self._count, self._device = len(character.points), constants.device
        blocks = len(hung.particles) // max(self._count, 1)
        self._tied = [blocks, put(hung.particles, wp.vec4i), put(hung.shares, wp.vec4f)]
        self._along, self._held, self._leeway = put(hung.along, wp.float32), hung.held, hung.leeway
        self._morph_targets = MorphTargets(character.points, character.shapes)
        self._apart = devices.to_device(self._away(character.points), wp.float32, self._device)
        self._flesh = flesh
        self.points = constants.blank(self._count, wp.vec3f)
        self._recorded: tuple[Any, devices.Launch] | None = None

    def set(self, pose: Pose) -> None:
        """Take the shapes (morph targets) of a pose, which carry the skin away from its flesh."""
        rest = self._morph_targets.update(pose.shapes)
        if rest is not None:
            devices.write(self._apart, self._away(rest))

    def _away(self, rest: Floats) -> Singles:
        """How far (V,) [m] rest points are from where their flesh holds them."""
        return np.linalg.norm(rest - self._held, axis=1).astype(np.float32)

    def follow(self, incoming: Any) -> None:
        """Go along with the offsets of the flesh, from where the bones alone carry the skin."""
        from supple.skins.position_based import skin_kernels as kernels

        if self._recorded is None or self._recorded[0] is not incoming:
            inputs = [*self._tied, self._along, self._apart, self._leeway, *self._flesh, incoming, self.points]
            self._recorded = incoming, devices.Launch(kernels.carry_skin, self._count, inputs, self._device)
        self._recorded[1]()
