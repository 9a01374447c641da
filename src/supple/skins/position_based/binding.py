"""What follows from one character: its flesh, how the bones carry it, how the skin hangs on it, what may touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.geometry.embedding import Embedding
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.geometry.topology import kept_edges, limit_slope
from supple.geometry.vectors import smoothstep
from supple.skins.kinematic.blend import BlendWeights, pack_blocks
from supple.skins.kinematic.hanging_shells import HangingShells
from supple.skins.kinematic.stretch_guard import StretchGuard
from supple.skins.kinematic.swelling.limb_swelling import LimbSwelling
from supple.skins.kinematic.volume_preservation import RestVolume
from supple.skins.position_based.body.covered_bones import CoveredBones
from supple.skins.position_based.body.foreign_skin import foreign_share
from supple.skins.position_based.body.softness import automatic_softness, firmness
from supple.skins.position_based.body.tetrahedral_body import WHERE, Bonds, FleshBody, build_body
from supple.skins.position_based.contact.binding import CollisionBinding
from supple.skins.position_based.solve.energy import EnergyBinding

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

_ALL_FIRM = 0.8  # firmness from which a particle is not moved: equally heavy neighbours would move each other freely
_HEAVIEST = 0.02  # inverse mass below which a particle is not moved either
_FARTHEST = 0.6  # of the depth of flesh and an element: settling never moved flesh farther on real characters
_LEEWAY = 0.05  # sizes of an element: how far skin and flesh may disagree on where the bones carry them
_HOLDS = (
    0.8,
    1.6,
)  # sizes of an element: thinner flesh than the first has no element of its own, from the second it has
# Share of its weights in which skin differs from the flesh around it: to the first it goes along, from the second not.
# On single shells 99 of 100 vertices are below a quarter.
_FOREIGN = (0.25, 0.5)
_FADES = 2.0  # sizes of an element, at least, over which the skin passes from flesh to bones
_OWN = (0.5, 0.9)  # share of its weights: skin that the bones below it carry by less may go round them, by more not
_NEAR, _FAR = 0.25, 1.25  # sizes of an element outside the flesh: to the first the skin goes along, from the second not


@dataclass(frozen=True, eq=False)
class SkinAttachment:
    """How V vertices hang on particles, in blocks of four: (V * blocks, 4) `particles` and `barycentric` coordinates.

    `follow` (V,) is how much of what flesh does a vertex follows, `attached` (V, 3) [m] where flesh holds it at rest,
    and `leeway` [m] how far skin and flesh may disagree on where the bones carry them.
    """

    particles: IntArray
    barycentric: Float32Array
    follow: Float32Array
    attached: FloatArray
    leeway: float

    @classmethod
    def from_body(cls, character: Character, body: FleshBody, embedding: Embedding) -> SkinAttachment:
        """The skin goes along with the elements it is embedded in, where it is not firm.

        Fingers, ears and whatever is thinner than the elements are left to the bones, fading in so that no ring shows:
        elements that stand in for them are thicker than they are, and would carry them with their neighbours. The same
        goes for skin in flesh that other bones move, as the legs under a tunic are.
        """
        size = body.constraints.size
        follow = 1.0 - smoothstep(embedding.distance / size, _NEAR, _FAR)
        follow *= (1.0 - character.anatomy.firmness) * smoothstep(2.0 * body.half_thickness / size, *_HOLDS)
        follow *= 1.0 - smoothstep(foreign_share(character, body), *_FOREIGN)
        follow = limit_slope(follow, character.points, kept_edges(character.triangles), 1.0 / (_FADES * size))
        blocks = pack_blocks(embedding.corners, embedding.barycentric)
        attached = embedding.carry(body.constraints.points)
        return cls(*blocks, follow.astype(np.float32), attached, _LEEWAY * size)

    def stack(self, count: int, particles: int) -> SkinAttachment:
        """Those of `count` copies of a character with so many particles, one after another."""
        return SkinAttachment(
            stacked(self.particles, count, particles),
            np.tile(self.barycentric, (count, 1)),
            np.tile(self.follow, count),
            np.tile(self.attached, (count, 1)),
            self.leeway,
        )


@dataclass(frozen=True, eq=False)
class BoundPoints:
    """Points of four bones for each of N rows: `joints` (N, 4), `points` (N * 4, 3) [m] at rest, `weights` (N, 4)."""

    joints: IntArray
    points: Float32Array
    weights: Float32Array

    @classmethod
    def from_bonds(cls, bonds: Bonds) -> BoundPoints:
        """As kernels take them."""
        points = bonds.points.reshape(-1, 3).astype(np.float32)
        return cls(bonds.joints, points, bonds.weights.astype(np.float32))

    def stack(self, count: int, joints: int) -> BoundPoints:
        """Those of `count` copies of a character with so many joints, one after another."""
        points, weights = (np.tile(values, (count, 1)) for values in (self.points, self.weights))
        return BoundPoints(stacked(self.joints, count, joints), points, weights)

    def on_device(self, constants: devices.Constants) -> list[Any]:
        """The first arguments of the kernels that ask where they are."""
        wp, put = devices.warp(), constants.put
        return [put(self.joints, wp.vec4i), put(self.points, wp.vec3f), put(self.weights, wp.vec4f)]


@dataclass(frozen=True, eq=False)
class FleshBinding:
    """A character's flesh, or that of a crowd; P particles of all `copies`, V vertices.

    `body` is that of one of them, and so is `softness`, how soft the skin is by itself at each of its particles.
    `packed` are the particles' rest positions and joints, `bonds` what they are bound to, `cover` the bones below every
    vertex, `cover_offsets` (V, 3) [m] the way from there, and `covers` (V, 2) its length and how much they count, of
    one of them; `covered` are places on bones below large triangles.
    `depth` (P,) [m] is how deep flesh goes that swings, `max_correction` (P,) [m] how far it may settle from where the
    bones carry it. The skin is attached evenly across elements (`attachment`) or by each element alone
    (`plain_attachment`), shells that lie on it are `hanging`, and `guard` holds
    its edges. Limbs keep their volume by `swelling`, the whole by `volume`. `energy` is what settling flesh lowers,
    `collision` what it may meet. `member` is that of one copy alone.
    """

    character: Character
    body: FleshBody
    copies: int
    packed: BlendWeights
    bonds: BoundPoints
    depth: Float32Array
    max_correction: Float32Array
    inverse_masses: Float32Array
    softness: FloatArray
    attachment: SkinAttachment
    plain_attachment: SkinAttachment
    hanging: HangingShells
    guard: StretchGuard
    cover: BoundPoints
    cover_offsets: Float32Array
    covers: Float32Array
    covered: CoveredBones
    swelling: LimbSwelling
    volume: RestVolume
    collision: CollisionBinding
    energy: EnergyBinding
    constants: devices.Constants
    member: FleshBinding | None = None

    @classmethod
    def from_character(cls, character: Character, skin: PositionBased, device: str) -> FleshBinding:
        """Fill a character with flesh; the slow part. Of a crowd one member is filled, for all."""
        if isinstance(character, Crowd):
            return cls.from_character(character.member, skin, device).stack(character)
        body = build_body(character, count=skin.tetrahedra, weights=skin.skinning.weights)
        constraints, inverse_masses = body.constraints, _inverse_masses(character, body)
        collision = CollisionBinding.from_body(
            constraints.points,
            constraints.corners,
            boundary_faces(Tetrahedra(constraints.points, constraints.corners)),
            joints=body.weights.joints[:, 0],
            skeleton=character.skeleton,
            limits=character.joint_limits,
        )
        cover_offsets, covers = _covers(character, body)
        return cls(
            character,
            body,
            1,
            BlendWeights.from_weights(body.constraints.points, body.weights, len(character.skeleton)),
            BoundPoints.from_bonds(body.bonds),
            _swing_depth(character, body),
            _max_correction(body),
            inverse_masses,
            automatic_softness(character, body),
            SkinAttachment.from_body(character, body, body.embedding),
            SkinAttachment.from_body(character, body, body.plain_embedding),
            HangingShells.from_shells(character.anatomy.shells),
            StretchGuard.from_character(character),
            BoundPoints.from_bonds(body.skin_bonds),
            cover_offsets,
            covers,
            CoveredBones.from_character(character, covers[:, 1]),
            LimbSwelling.from_character(character),
            RestVolume.from_character(character, _loose_thickness(character, body)),
            collision,
            EnergyBinding.from_constraints(constraints, body.bonds.lengths, inverse_masses),
            devices.Constants(device),
        )

    def stack(self, crowd: Crowd) -> FleshBinding:
        """The flesh of a crowd, of which this is one member's."""
        count, particles = crowd.count, len(self.inverse_masses)
        return replace(
            self,
            character=crowd,
            copies=count,
            packed=self.packed.stack(count),
            bonds=self.bonds.stack(count, len(crowd.member.skeleton)),
            depth=np.tile(self.depth, count),
            max_correction=np.tile(self.max_correction, count),
            inverse_masses=np.tile(self.inverse_masses, count),
            attachment=self.attachment.stack(count, particles),
            plain_attachment=self.plain_attachment.stack(count, particles),
            hanging=self.hanging.stack(count, len(crowd.member.points)),
            guard=self.guard.stack(count),
            covered=self.covered.stack(count),
            swelling=self.swelling.stack(count),
            volume=self.volume.stack(crowd),
            energy=self.energy.stack(count),
            member=self,
        )

    def reshaped(self, character: Character) -> FleshBinding:
        """That of a character with other shapes and maps, which change how thick, soft and firm flesh is, and no more.

        What settling flesh lowers is made anew only where other flesh is firm.
        """
        if self.member is not None and isinstance(character, Crowd):
            member = self.member.reshaped(character.member)
            crowd = member.stack(character)
            return replace(crowd, energy=self.energy) if member.energy is self.member.energy else crowd
        body, half_thickness = self.body, 0.5 * character.anatomy.thickness
        if not np.array_equal(half_thickness, body.half_thickness):
            body = replace(body, half_thickness=half_thickness)
        inverse_masses, energy = _inverse_masses(character, body), self.energy
        if not np.array_equal(inverse_masses, self.inverse_masses):
            energy = EnergyBinding.from_constraints(energy.one, body.bonds.lengths, inverse_masses)
        return replace(
            self,
            character=character,
            body=body,
            depth=_swing_depth(character, body),
            max_correction=_max_correction(body),
            inverse_masses=inverse_masses,
            softness=automatic_softness(character, body),
            attachment=SkinAttachment.from_body(character, body, body.embedding),
            plain_attachment=SkinAttachment.from_body(character, body, body.plain_embedding),
            swelling=self.swelling.reshaped(character),
            volume=self.volume.reshaped(character, _loose_thickness(character, body)),
            energy=energy,
        )


def _inverse_masses(character: Character, body: FleshBody) -> Float32Array:
    """How freely particles (P,) settle, 1 to 0 for those that the bones carry."""
    inverse_masses = 1.0 - np.clip(firmness(character, body) / _ALL_FIRM, 0.0, 1.0)
    return np.where(inverse_masses < _HEAVIEST, 0.0, inverse_masses).astype(np.float32)


def _swing_depth(character: Character, body: FleshBody) -> Float32Array:
    """How deep (P,) [m] flesh goes that swings."""
    return body.sample_skin(character.anatomy.swing_depth).astype(np.float32)


def _max_correction(body: FleshBody) -> Float32Array:
    """How far (P,) [m] flesh may settle from where the bones carry it."""
    return (_FARTHEST * (body.flesh + body.constraints.size)).astype(np.float32)


def _loose_thickness(character: Character, body: FleshBody) -> FloatArray:
    """How thick (V,) [m] the flesh is that may take part in a change of volume."""
    anatomy = character.anatomy
    return np.asarray(body.half_thickness * (1.0 - np.maximum(anatomy.rigid, anatomy.leaf)))


def _covers(character: Character, body: FleshBody) -> tuple[Float32Array, Float32Array]:
    """The way (V, 3) [m] to every vertex from the bones below it; its length, and how much of it they carry (V, 2)."""
    bonds, weights = body.skin_bonds, character.require_weights(WHERE)
    own = (weights.joints[:, :, None] == bonds.joints[:, None, :]).any(axis=2)
    carried = smoothstep((weights.values * own).sum(axis=1), *_OWN)
    offsets = character.points - np.einsum("vk,vki->vi", bonds.weights, bonds.points)
    carried[bonds.lengths < 1e-6 * float(character.size.max())] = 0.0  # on the bone there is no side
    return offsets.astype(np.float32), np.stack([bonds.lengths, carried], axis=1).astype(np.float32)
