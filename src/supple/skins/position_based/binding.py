"""What follows from one character: its flesh, how the bones carry it, how the skin hangs on it, what may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Singles
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.skins.kinematic.blend import BlendWeights
from supple.skins.kinematic.volume_preservation import RestVolume
from supple.skins.position_based.body import Body, body_of
from supple.skins.position_based.contacts import ContactBinding
from supple.skins.position_based.equilibrium import EquilibriumBinding
from supple.skins.position_based.softness import automatic_softness, firmness, skin_depth
from supple.skins.position_based.surface import Hung

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

_ALL_FIRM = 0.8  # firmness from which a particle is not moved: equally heavy neighbours would move each other freely
_HEAVIEST = 0.02  # inverse mass below which a particle is not moved either
_FARTHEST = 0.6  # of the depth of flesh and an element: settling never moved flesh farther on real characters


@dataclass(frozen=True, eq=False)
class FleshBinding:
    """A character's flesh, or that of a crowd; P particles of all `copies`, V vertices.

    `packed` are the particles' rest positions and joints, `bond_points` (P * 4, 3) [m] and `bond_shares` (P, 4) what
    they are bound to. `reach` (P,) [m] is how deep flesh is, `farthest` (P,) [m] how far it may settle from where
    the bones carry it, `masses` (P,) inverse masses, `soft` (V,) how soft the skin is by itself. `equilibrium` is there
    where flesh settles, `contacts` where it meets something.
    """

    character: Character
    body: Body
    copies: int
    packed: BlendWeights
    bond_points: Singles
    bond_shares: Singles
    reach: Singles
    farthest: Singles
    masses: Singles
    soft: Floats
    hung: Hung
    volume: RestVolume
    contacts: ContactBinding | None
    equilibrium: EquilibriumBinding | None
    constants: devices.Constants

    @classmethod
    def from_character(cls, character: Character, skin: PositionBased, device: str) -> FleshBinding:
        """Fill a character with flesh; the slow part."""
        body = body_of(character, count=skin.tetrahedra, weights=skin.weights, smooth=skin.smooth)
        copies = character.count if isinstance(character, Crowd) else 1
        masses = 1.0 - np.clip(firmness(character, body) / _ALL_FIRM, 0.0, 1.0)
        masses = np.where(masses < _HEAVIEST, 0.0, masses)
        member = body.constraints.member(copies)
        equilibrium = None
        if skin.order != "published":
            own = masses[: len(member.points)]
            equilibrium = EquilibriumBinding.from_constraints(member, body.bonds.lengths, own, copies=copies)
        contacts = None
        if skin.meets_anything:
            one = character.member if isinstance(character, Crowd) else character
            faces = boundary_faces(Tetrahedra(member.points, member.corners))
            carriers = body.weights.joints[: len(member.points), 0]
            contacts = ContactBinding.from_body(
                member.points, member.corners, faces, joints=carriers, skeleton=one.skeleton
            )
        farthest = _FARTHEST * (body.flesh + body.constraints.size)
        return cls(
            character,
            body,
            copies,
            BlendWeights.from_weights(body.constraints.points, body.weights, len(character.skeleton)),
            body.bonds.points.reshape(-1, 3).astype(np.float32),
            body.bonds.shares.astype(np.float32),
            body.flesh.astype(np.float32),
            farthest.astype(np.float32),
            masses.astype(np.float32),
            automatic_softness(character, body),
            Hung.from_body(body),
            RestVolume.from_character(character, skin_depth(character, body)),
            contacts,
            equilibrium,
            devices.Constants(device),
        )
