"""The skin over the flesh: where the simulated bones carry it, and what the flesh has left them by."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Singles
from supple.character.character import Character
from supple.geometry.embedding import embed_smoothly
from supple.geometry.tetrahedra import edges_of
from supple.geometry.topology import area_vectors
from supple.motion.pose import Pose
from supple.skins.contact.dynamics import Mechanism, State
from supple.skins.contact.flesh import FleshLayer
from supple.skins.kinematic.linear_blend import LinearBlend

_NEAR, _FAR = 0.25, 1.25  # edges outside the flesh: to the first the skin goes along with it, from the second not


class Surface:
    """A character's skin on a device.

    x = sum_j w_j M_j v + sum_k share_k R_Wk u_k: linear blend with the simulated joints M, and the displacements u of
    the flesh that the vertex v is embedded in, turned into the world. Fingers and ears that no element reaches are left
    to the bones.
    """

    def __init__(self, character: Character, flesh: FleshLayer, mechanism: Mechanism, *, device: str) -> None:
        wp = devices.warp()
        count, n = len(character.points), mechanism.node_count
        self._blend = LinearBlend()
        self._binding = self._blend.bind(character, device)
        normals = np.zeros((count, 3))
        np.add.at(normals, character.triangles, area_vectors(character.points, character.triangles)[:, None])
        found = embed_smoothly(character.points, flesh.solid, normals=normals)
        one, other = edges_of(flesh.solid).T
        size = float(np.linalg.norm(flesh.solid.points[one] - flesh.solid.points[other], axis=1).mean())
        share = np.clip((found.distance / size - _NEAR) / (_FAR - _NEAR), 0.0, 1.0)

        def put(values: Any, dtype: Any) -> Any:
            return devices.to_device(np.asarray(values), dtype, device)

        along = put((1.0 - share * share * (3.0 - 2.0 * share)).astype(np.float32), wp.float32)
        corners = put(flesh.places[found.corners].ravel().astype(np.int32), wp.int32)
        shares = put(found.shares.ravel().astype(np.float32), wp.float32)
        links = put(mechanism.free_links.ravel(), wp.int32)
        weights = put(mechanism.free_shares.ravel().astype(np.float32), wp.float32)
        self._turns = wp.zeros(mechanism.link_count, dtype=wp.mat33f, device=device)
        self._moved = wp.zeros(n, dtype=wp.vec3f, device=device)
        offsets = wp.zeros(len(mechanism.rest), dtype=wp.vec3f, device=device)  # the core stays with its bones
        self.points = wp.zeros(count, dtype=wp.vec3f, device=device)
        from supple.skins.contact import carry_kernels as kernels

        carriers, width = mechanism.free_links.shape[1], found.corners.shape[1]
        carried = self._blend.deform(self._binding, Pose.rest(character.skeleton), None)
        turning = [carriers, links, weights, self._turns, self._moved, offsets]
        carrying = [width, corners, shares, along, offsets, carried, self.points]
        self._follow = devices.Chain(
            [
                devices.Launch(kernels.turn_offsets, n, turning, device),
                devices.Launch(kernels.carry_skin, count, carrying, device),
            ],
            device,
        )

    def follow(self, pose: Pose, state: State, sculpted: Floats) -> Any:
        """The skin on bones in `pose`, of flesh in `state`; `sculpted` (n, 3) [m] are displacements not to be seen."""
        self._blend.deform(self._binding, pose, None)
        devices.write(self._turns, state.turns.astype(np.float32))
        moved: Singles = (state.displacements - sculpted).astype(np.float32)
        devices.write(self._moved, moved)
        self._follow()
        return self.points
