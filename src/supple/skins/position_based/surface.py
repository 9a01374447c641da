"""The skin over the flesh: it goes along with it, and encloses the volume it had at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.shapes import Shaped
from supple.geometry import topology
from supple.geometry.rows import grouped
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import BLOCK
from supple.skins.position_based.body import Body
from supple.skins.position_based.softness import rising

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
        self._blocks = -(-embedding.corners.shape[1] // BLOCK)
        corners = np.zeros((count, self._blocks * BLOCK), dtype=np.int32)
        shares = np.zeros(corners.shape, dtype=np.float32)
        width = embedding.corners.shape[1]
        corners[:, :width], shares[:, :width] = embedding.corners, embedding.shares
        # Fingers and ears that no element reaches are left to the bones, fading in so that no ring shows.
        along = 1.0 - rising(embedding.distance / size, _NEAR, _FAR)
        self._along = devices.to_device(along.astype(np.float32), wp.float32, device)
        self._shaped, self._held = Shaped(character.points, character.shapes), embedding.carry(body.constraints.points)
        self._apart = devices.to_device(self._away(character.points), wp.float32, device)
        self._leeway = _LEEWAY * size
        self._corners = devices.to_device(corners.reshape(-1, BLOCK), wp.vec4i, device)
        self._shares = devices.to_device(shares.reshape(-1, BLOCK), wp.vec4f, device)
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
                self._blocks,
                self._corners,
                self._shares,
                self._along,
                self._apart,
                self._leeway,
                *self._flesh,
                incoming,
                self.points,
            ]
            self._recorded = incoming, devices.Launch(kernels.carry_skin, self._count, inputs, self._device)
        self._recorded[1]()


class VolumeKeeper:
    """Moves a closed skin a little along its normals, so that it encloses exactly its rest volume.

    Elements that almost keep their volume leave an error of a few parts in a hundred in hard poses, which is a
    millimetre on a human. It is spread over the skin in proportion to the depth of flesh, so that fingers and ears are
    left alone; of a crowd, copy by copy. A skin with a hole in it encloses nothing and is not moved.
    """

    def __init__(self, character: Character, depth: Floats, points: Any, *, device: str) -> None:
        one = character.member if isinstance(character, Crowd) else character
        census = topology.census(one.triangles)
        self.active = census.border_edges == 0 and census.flipped_edges == 0
        if not self.active:
            return
        wp = devices.warp()
        self._one, self._device = one, device
        self._copies = len(character.points) // len(one.points)
        self._shaped = Shaped(one.points, one.shapes)
        self._rest = topology.signed_volume(one.points, one.triangles)
        count = len(character.points)
        thickness = (depth / max(float(depth.mean()), 1e-12)).astype(np.float32)
        self._origins = wp.zeros(self._copies, dtype=wp.vec3f, device=device)
        self._terms = [wp.empty(count, dtype=wp.float32, device=device) for _ in range(2)]
        self._sums = wp.zeros(3 * self._copies, dtype=wp.float32, device=device)
        self._record(character.triangles, thickness, points)

    def _record(self, faces: Ints, thickness: Singles, points: Any) -> None:
        from supple.geometry import kernels as geometry
        from supple.skins.position_based import skin_kernels as kernels

        wp, device, count, each = devices.warp(), self._device, len(points), len(points) // self._copies
        starts, corners = grouped(faces.reshape(-1), count)
        layout = [devices.to_device(a, wp.int32, device) for a in (starts, (corners // 3).astype(np.int32))]
        areas = wp.empty(len(faces), dtype=wp.vec3f, device=device)
        ways = wp.empty(count, dtype=wp.vec3f, device=device)
        on_device = devices.to_device(faces, wp.vec3i, device)
        factors = devices.to_device(thickness, wp.float32, device)
        inputs = [*layout, areas, factors, each, self._origins, points, ways, *self._terms]
        self._measure = [
            devices.Launch(geometry.area_vectors, len(faces), [points, on_device, areas], device),
            devices.Launch(kernels.volume_terms, count, inputs, device),
        ]
        if device != "cpu":  # there one launch adds up; here threads would step on each other's sums
            pieces = -(-each // kernels.PIECE)
            inputs = [each, pieces, *self._terms, self._sums]
            self._measure.append(devices.Launch(kernels.add_terms, self._copies * pieces, inputs, device))
        self._inflate = devices.Launch(kernels.inflate, count, [each, self._sums, ways, points], device)

    def set(self, pose: Pose) -> None:
        """Take from a pose what the volume of its shapes (morph targets) is, and where the copies are."""
        if not self.active:
            return
        points = self._shaped.changed(pose.shapes)
        if points is not None:
            self._rest = topology.signed_volume(points, self._one.triangles)
        devices.write(self._origins, pose.world_from_joint[:: len(pose) // self._copies, :3, 3])
        devices.write(self._sums, np.tile([self._rest, 0.0, 0.0], self._copies))

    def keep(self) -> None:
        """Bring the skin to the volume of its rest shape."""
        if not self.active:
            return
        for stage in self._measure:
            stage()
        if self._device == "cpu":
            sums = self._sums.numpy().reshape(self._copies, 3)
            for place, term in enumerate(self._terms, start=1):
                sums[:, place] = term.numpy().reshape(self._copies, -1).sum(axis=1, dtype=np.float64)
        self._inflate()
