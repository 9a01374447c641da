"""The skin over the flesh: where the simulated bones carry it, and what the flesh has left them by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.embedding import embed_smoothly
from supple.geometry.tetrahedra import edges_of
from supple.geometry.topology import area_vectors
from supple.skins.contact.control.controller import PoseController
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.kinematic_base import BaseBinding, PosedBase, allocate_base
from supple.skins.contact.model.flesh import FleshLayer
from supple.skins.contact.model.mechanism import Mechanism

_NEAR, _FAR = 0.25, 1.25  # edges outside the flesh: to the first the skin goes along with it, from the second not
_CHEAP = 16_384  # nodes to turn that are worth another thread


@dataclass(frozen=True, eq=False)
class SkinAttachment:
    """How V vertices hang on nodes of a mechanism: `nodes` and `weights` (V, K), `follow_weights` (V,) 0 to 1."""

    nodes: IntArray
    weights: Float32Array
    follow_weights: Float32Array

    @classmethod
    def from_flesh(cls, character: Character, flesh: FleshLayer) -> SkinAttachment:
        """The skin goes along with the flesh it is embedded in, and less where none reaches it."""
        normals = np.zeros((len(character.points), 3))
        np.add.at(normals, character.triangles, area_vectors(character.points, character.triangles)[:, None])
        found = embed_smoothly(character.points, flesh.solid, normals=normals)
        one, other = edges_of(flesh.solid).T
        size = float(np.linalg.norm(flesh.solid.points[one] - flesh.solid.points[other], axis=1).mean())
        fraction = np.clip((found.distance / size - _NEAR) / (_FAR - _NEAR), 0.0, 1.0)
        follow_weights = (1.0 - fraction * fraction * (3.0 - 2.0 * fraction)).astype(np.float32)
        return cls(
            flesh.node_index[found.corners].astype(np.int32), found.barycentric.astype(np.float32), follow_weights
        )


class Surface:
    """A character's skin on a device, over bones and flesh that a solver moves and a motion leads.

    x = b(M) + sum_k share_k R_Wk u_k: the kinematic skin below with the simulated joints M, and the displacements u of
    the flesh that the vertex is embedded in, turned into the world. Fingers and ears that no element reaches are left
    to the bones. `rest_sag` (n, 3) [m] are displacements that are not to be seen.
    """

    def __init__(
        self,
        character: Character,
        attachment: SkinAttachment,
        mechanism: Mechanism,
        *,
        base: BaseBinding,
        bodies: tuple[NodeArrays, LinkArrays],
        controller: PoseController,
        of_joint: IntArray,
        rest_sag: FloatArray,
        constants: devices.Constants,
    ) -> None:
        from supple.skins.contact import surface_kernels as kernels

        wp, device = devices.warp(), constants.device
        count, n, joints = len(character.points), mechanism.node_count, len(character.skeleton)
        self._base = allocate_base(base)

        def put(values: Any, dtype: Any) -> Any:
            return devices.to_device(np.asarray(values), dtype, device)

        follow_weights, corners, weights = (
            put(attachment.follow_weights, wp.float32),
            put(attachment.nodes.ravel(), wp.int32),
            attachment.weights.ravel(),
        )
        offsets = wp.zeros(len(mechanism.rest), dtype=wp.vec3f, device=device)  # the core stays with its bones
        bones = wp.zeros(joints, dtype=wp.mat44d, device=device)
        self.points = wp.zeros(count, dtype=wp.vec3f, device=device)
        self._bones = devices.HostSide(bones)
        nodes, links = bodies
        moving = [
            put(of_joint, wp.int32),
            put(character.skeleton.joint_from_world, wp.mat44d),
            controller.world_from_joint,
            controller.positions,
            controller.rotations,
            links.positions,
            links.rotations,
            bones,
            self._base.skinning,
        ]
        self.rest_sag = put(rest_sag, wp.vec3d)
        turning = [nodes.blended_rotations, nodes.displacements, self.rest_sag, offsets]
        carrying = [
            attachment.nodes.shape[1],
            corners,
            put(weights, wp.float32),
            follow_weights,
            offsets,
            self._base.posed,
            self.points,
        ]
        self._carry = devices.Chain(
            [
                devices.Launch(kernels.carry_bones, joints, moving, device),
                devices.Launch(kernels.rotate_offsets, n, turning, device, smallest=_CHEAP),
                *self._base.launches,
            ],
            device,
        )
        self._add_flesh = devices.Launch(kernels.carry_skin, count, carrying, device)

    def set_rest_sag(self, rest_sag: FloatArray) -> None:
        """Take other displacements (n, 3) [m] that are not to be seen."""
        devices.write(self.rest_sag, rest_sag)

    def reshape(self, base: BaseBinding) -> None:
        """Take the shapes of another character of the same mesh from the next step on."""
        self._base.reshape(base)

    @property
    def bones(self) -> FloatArray:
        """Where all joints (J, 4, 4) are; on the CPU a view."""
        return self._bones.read()

    def update(self, shapes: Mapping[str, float]) -> Any:
        """Bring bones and skin to where links, flesh and motion are, with so much of the character's shapes."""
        if isinstance(self._base, PosedBase):
            self._carry()
            self._base.pose(self.bones, shapes)
        else:
            self._base.set(shapes)
            self._carry()
        self._add_flesh()
        return self.points
