"""What follows from one character in the published method: lines 1 to 15 of Algorithm 5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.geometry.embedding import embed_closest
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.skins.kinematic.blend import BlendWeights
from supple.skins.kinematic.stretch_guard import StretchGuard
from supple.skins.position_based.body.tetrahedral_body import FleshBody, build_body
from supple.skins.position_based.contact.binding import CollisionBinding

if TYPE_CHECKING:
    from supple.skins.position_based.published.skin import PublishedPositionBased


@dataclass(frozen=True, eq=False)
class PublishedBinding:
    """A character's tetrahedra, or those of a crowd; P particles of all `copies`, V vertices.

    `body` is that of one of them, with one volume for every element, one stretch for every edge and one bond for every
    particle to its nearest bone. `packed` are the particles' rest positions and joints, `bond_joints` (P, 4) and
    `bond_points` (P * 4, 3) [m] what they are bound to, by `bond_weights` (P, 4).

    Vertices are at the `barycentric` coordinates (V, 4) of the closest place in their element, with `corners` (V, 4),
    and `offsets` (V, 3) [m] away from it. Published meshes have the skin for their boundary, so that there is hardly
    such an offset. This mesher's do not, and most skin lies a little outside: coordinates that leave 0 to 1 tore
    neighbours in two elements apart (25 times as long), so offsets turn with the bones of the place instead. Where the
    closest places of neighbours are far apart, as on lips that a neck bone opens, a `guard` keeps edges whole.
    """

    character: Character
    body: FleshBody
    copies: int
    packed: BlendWeights
    bond_joints: IntArray
    bond_points: Float32Array
    bond_weights: Float32Array
    corners: IntArray
    barycentric: Float32Array
    offsets: Float32Array
    guard: StretchGuard
    collision: CollisionBinding
    constants: devices.Constants
    member: PublishedBinding | None = None

    @classmethod
    def from_character(cls, character: Character, skin: PublishedPositionBased, device: str) -> PublishedBinding:
        """Fill a character; the slow part. Of a crowd one member is filled, for all."""
        if isinstance(character, Crowd):
            return cls.from_character(character.member, skin, device).stack(character)
        body = build_body(character, count=skin.tetrahedra, weights=skin.weights, spread=0.0)
        points, elements = body.constraints.points, body.constraints.corners
        embedding = embed_closest(character.points, Tetrahedra(points, elements))
        return cls(
            character,
            body,
            1,
            BlendWeights.from_weights(points, body.weights, len(character.skeleton)),
            body.bonds.joints,
            body.bonds.points.reshape(-1, 3).astype(np.float32),
            body.bonds.weights.astype(np.float32),
            embedding.corners.astype(np.int32),
            embedding.barycentric.astype(np.float32),
            (character.points - embedding.carry(points)).astype(np.float32),
            StretchGuard.from_character(character),
            CollisionBinding.from_body(
                points,
                elements,
                boundary_faces(Tetrahedra(points, elements)),
                joints=body.weights.joints[:, 0],
                skeleton=character.skeleton,
                limits=character.joint_limits,
            ),
            devices.Constants(device),
        )

    def stack(self, crowd: Crowd) -> PublishedBinding:
        """The flesh of a crowd, of which this is one member's."""
        count, particles = crowd.count, len(self.body.joint)
        return replace(
            self,
            character=crowd,
            copies=count,
            packed=self.packed.stack(count),
            bond_joints=stacked(self.bond_joints, count, len(crowd.member.skeleton)),
            bond_points=np.tile(self.bond_points, (count, 1)),
            bond_weights=np.tile(self.bond_weights, (count, 1)),
            corners=stacked(self.corners, count, particles),
            barycentric=np.tile(self.barycentric, (count, 1)),
            offsets=np.tile(self.offsets, (count, 1)),
            guard=self.guard.stack(count),
            member=self,
        )
