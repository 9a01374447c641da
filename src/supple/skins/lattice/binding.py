"""What follows from one character: its lattice, how the skin hangs on it, and the volume that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.skins.kinematic.volume_preservation import RestVolume
from supple.skins.lattice.body import Body, body_of
from supple.skins.lattice.solver import LatticeArrays
from supple.skins.lattice.surface import Hung

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice


@dataclass(frozen=True, eq=False)
class LatticeBinding:
    """A character's lattice, or that of a crowd.

    `body` is the lattice of one copy, `arrays` that of all of them. `base` is the binding of the kinematic skin below
    where flesh poses that itself, in a steadied pose.
    """

    character: Character
    body: Body
    arrays: LatticeArrays
    hung: Hung
    volume: RestVolume
    base: Any
    constants: devices.Constants

    @classmethod
    def from_character(cls, character: Character, skin: LayeredLattice, device: str) -> LatticeBinding:
        """Fill a character with voxels; the slow part."""
        crowd = character if isinstance(character, Crowd) else None
        one, copies = (character, 1) if crowd is None else (crowd.member, crowd.count)
        body = body_of(one, skin)
        arrays = LatticeArrays.from_anatomy(
            body.anatomy, len(one.skeleton), width=skin.width, neighbors=skin.neighbors, copies=copies
        )
        depths = np.tile(body.tie.matrix(len(body.anatomy.lattice)) @ body.thickness, copies)
        base = None if skin.steady == 0.0 else skin.driving_skin().bind(character, device)
        return cls(
            character,
            body,
            arrays,
            Hung.from_tie(body.tie, arrays),
            RestVolume.from_character(character, depths),
            base,
            devices.Constants(device),
        )

    @property
    def member(self) -> Character:
        """One of the copies."""
        return self.volume.member
