"""What follows from one character: its lattice, how the skin hangs on it, and the volume that is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.character.weights import Weights
from supple.skins.kinematic.blend import BlendWeights, pack_blocks
from supple.skins.kinematic.hanging_shells import HangingShells
from supple.skins.kinematic.stretch_guard import StretchGuard
from supple.skins.kinematic.swelling.limb_swelling import LimbSwelling
from supple.skins.kinematic.volume_preservation import RestVolume
from supple.skins.lattice.shape_matching.regions import Regions
from supple.skins.lattice.voxelize.anatomy import LatticeBody, prepare_body
from supple.skins.lattice.voxelize.cells import Lattice
from supple.skins.lattice.voxelize.embedding import Embedding

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice


@dataclass(frozen=True, eq=False)
class LatticeBinding:
    """A character's lattice, or that of a crowd.

    `body` is the lattice of one copy, `arrays` that of all of them; shells that lie on the skin are `hanging`,
    and `guard` holds its edges.
    """

    character: Character
    body: LatticeBody
    arrays: LatticeArrays
    embedding: EmbeddingArrays
    hanging: HangingShells
    guard: StretchGuard
    volume: RestVolume
    swelling: LimbSwelling
    constants: devices.Constants

    @classmethod
    def from_character(cls, character: Character, skin: LayeredLattice, device: str) -> LatticeBinding:
        """Fill a character with voxels; the slow part."""
        crowd = character if isinstance(character, Crowd) else None
        one, copies = (character, 1) if crowd is None else (crowd.member, crowd.count)
        body = prepare_body(one, skin)
        arrays = LatticeArrays.from_anatomy(
            body, len(one.skeleton), width=skin.voxels.width, neighbors=skin.voxels.neighbors, copies=copies
        )
        return cls(
            character,
            body,
            arrays,
            EmbeddingArrays.from_embedding(body.embedding, arrays),
            HangingShells.from_shells(character.body_shape.shells),
            StretchGuard.from_character(character),
            RestVolume.from_character(character, np.ones(len(character.points)), painted=False),
            LimbSwelling.from_character(character),
            devices.Constants(device),
        )

    def reshaped(self, character: Character) -> LatticeBinding:
        """That of a character with other shapes and maps: no voxel follows from them."""
        volume, swelling = self.volume.reshaped(character), self.swelling.reshaped(character)
        return replace(self, character=character, volume=volume, swelling=swelling)

    @property
    def member(self) -> Character:
        """One of the copies."""
        return self.volume.member


class CarriedLattice(Protocol):
    """A lattice whose nodes joints carry; `surfaces` (N,) are 1 at the skin to 0 at the node farthest from it."""

    @property
    def lattice(self) -> Lattice: ...
    @property
    def weights(self) -> Weights: ...
    @property
    def surfaces(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class LatticeArrays:
    """What never changes of a lattice, for all `copies` of a character together; N nodes.

    `packed` are rest positions and joints, `volumes` [m³] and `surfaces` (N,) as `Anatomy` has them, `table` (N, K) the
    neighbours that keep their distance, `regions` those that keep their shape.
    """

    copies: int
    joints: int
    side: float
    packed: BlendWeights
    volumes: Float32Array
    surfaces: Float32Array
    table: IntArray
    regions: Regions

    @classmethod
    def from_anatomy(
        cls, anatomy: CarriedLattice, joints: int, *, width: int = 3, neighbors: str = "all", copies: int = 1
    ) -> LatticeArrays:
        """The lattice of one character as often as there are copies, which have `joints` joints each."""
        lattice, count = anatomy.lattice, len(anatomy.lattice)
        whole = Weights(stacked(anatomy.weights.joints, copies, joints), np.tile(anatomy.weights.values, (copies, 1)))
        volumes, surfaces = (
            np.tile(values, copies).astype(np.float32) for values in (lattice.rest_volumes, anatomy.surfaces)
        )
        return cls(
            copies,
            joints,
            lattice.side,
            BlendWeights.from_weights(np.tile(lattice.points, (copies, 1)), whole, copies * joints),
            volumes,
            surfaces,
            _offset_indices(lattice.neighbor_table(neighbors), copies, 8 * count),
            _repeat_regions(Regions.from_chains(lattice.chains, width), copies),
        )

    def __len__(self) -> int:
        return len(self.volumes)


@dataclass(frozen=True, eq=False)
class EmbeddingArrays:
    """How the skin of all copies hangs on their nodes, in blocks of four: (V * blocks, 4) nodes and weights."""

    nodes: IntArray
    weights: Float32Array
    width: int

    @classmethod
    def from_embedding(cls, embedding: Embedding, lattice: LatticeArrays) -> EmbeddingArrays:
        """`embedding` is how the vertices of one copy hang on its nodes."""
        nodes = stacked(embedding.nodes, lattice.copies, len(lattice) // lattice.copies)
        return cls(*pack_blocks(nodes, np.tile(embedding.weights, (lattice.copies, 1))), embedding.nodes.shape[1])


def _repeat_regions(regions: Regions, copies: int) -> Regions:
    return Regions(
        _offset_indices(regions.chains, copies, len(regions.chains)),
        regions.width,
        np.tile(regions.masses, copies),
        np.tile(regions.centers, (copies, 1)),
        np.tile(regions.region_masses, copies),
    )


def _offset_indices(indices: IntArray, copies: int, span: int) -> IntArray:
    """Indices of `copies` copies, those of copy c raised by c `span`; -1 stays what it is."""
    return np.where(np.tile(indices, (copies, 1)) < 0, -1, stacked(indices, copies, span)).astype(np.int32)
