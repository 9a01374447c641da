"""A character's body as position based skinning sees it: tetrahedra, how bones carry them, how soft they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Bones
from supple.character.weight_transfer import transfer_weights
from supple.character.weighting.bones import owning_bones
from supple.character.weighting.nearest_bone import nearest_bone_weights
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry.embedding import Embedding, embed, embed_smoothly
from supple.geometry.flesh import Flesh
from supple.geometry.segments import distances_to_segments
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces, fill
from supple.geometry.topology import compact
from supple.skins.position_based.body.constraints import Constraints, build_constraints
from supple.skins.position_based.body.foreign_skin import own_flesh

_INFLUENCES = 8  # joints that carry one particle
_ENOUGH = 0.25  # of the weight of the bone that carries a particle most: bones with less count as farther away
_HARDLY = 0.25  # of the distance to the nearest bone: bones that are farther away by more have no share in a bond
WHERE = "PositionBased"


@dataclass(frozen=True, eq=False)
class Bonds:
    """The points of bones that particles are bound to: of four bones each, by their shares.

    `joints` (P, 4) move the bones, `points` (P, 4, 3) [m] are the nearest ones on them at rest, `weights` (P, 4) sum to
    one. `lengths` (P,) [m] are the distances at rest to what the points together make. A particle midway between two
    legs is bound to both: if the nearest alone counted, rounding would decide with which leg it goes.
    """

    joints: IntArray
    points: FloatArray
    weights: FloatArray
    lengths: FloatArray

    @classmethod
    def from_bones(
        cls, points: FloatArray, bones: Bones, *, spread: float = _HARDLY, carried: FloatArray | None = None
    ) -> Bonds:
        """Bind points (P, 3) to bones farther away than the nearest by up to a share `spread`, the less the farther.

        `carried` (P, J) are weights by joint: a bone that hardly carries a point counts as farther away, and one that
        does not is none of its bones, however near it lies, as the jaw to the chest of a dog that hangs its
        head. Where no bone carries a point, all count as they lie.
        """
        distances, along = distances_to_segments(points, bones.starts, bones.ends)
        if carried is not None:
            distances = distances * _remoteness(carried[:, bones.joints])
        nearest = distances.min(axis=1, keepdims=True)
        near = np.argsort(distances, axis=1, kind="stable")[:, :4]
        count = near.shape[1]
        near = np.pad(near, ((0, 0), (0, 4 - count)), mode="edge")
        far = np.take_along_axis(distances, near, axis=1) - nearest
        far[:, count:] = np.inf  # there are fewer than four
        weights = np.clip(1.0 - far / np.maximum(spread * nearest, 1e-12), 0.0, 1.0) ** 2
        weights /= weights.sum(axis=1, keepdims=True)
        u = np.clip(np.take_along_axis(along, near, axis=1), 0.0, 1.0)[..., None]
        positions = bones.starts[near] + u * (bones.ends[near] - bones.starts[near])
        blended = np.einsum("pk,pki->pi", weights, positions)
        return cls(bones.joints[near].astype(np.int32), positions, weights, np.linalg.norm(points - blended, axis=1))


@dataclass(frozen=True, eq=False)
class FleshBody:
    """What follows from the character, as plain arrays; P particles.

    `joint` (P,) is the joint of the nearest bone and `bone_distance` (P,) [m] how far that is. `bonds` say what each is
    bound to. Every particle sees the skin through the triangle nearest to it: `surface_corners` (P, 3) are its corners
    and `surface_barycentric` (P, 3) how much each counts. `skin_depth` (P,) [m] is how far it lies below the skin.
    `half_thickness` (V,) [m] is how deep flesh goes under each vertex of the skin, `flesh` (P,) [m] the same where a
    particle sees the skin. `skin_bonds` say which bones lie below each vertex. The skin itself follows the particles by
    `embedding`, evenly across the borders of elements, or each element by itself by `plain_embedding`.
    """

    constraints: Constraints
    weights: Weights
    joint: IntArray
    bone_distance: FloatArray
    bonds: Bonds
    surface_corners: IntArray
    surface_barycentric: FloatArray
    skin_depth: FloatArray
    half_thickness: FloatArray
    skin_bonds: Bonds
    embedding: Embedding
    plain_embedding: Embedding

    @cached_property
    def flesh(self) -> FloatArray:
        return self.sample_skin(self.half_thickness)

    @property
    def rise(self) -> FloatArray:
        """How far every particle (P,) is on the way from the middle of its flesh, 0, to the skin, 1."""
        return 1.0 - np.clip(self.skin_depth / np.maximum(self.flesh, 1e-9), 0.0, 1.0)

    def sample_skin(self, values: FloatArray) -> FloatArray:
        """A value per vertex of the skin (V, ...) as a value per particle (P, ...)."""
        return np.asarray(np.einsum("pk,pk...->p...", self.surface_barycentric, values[self.surface_corners]))


def build_body(character: Character, *, count: int, weights: str, spread: float = _HARDLY) -> FleshBody:
    """Fill a character with about `count` tetrahedra and tie them to its bones.

    `weights` "carried" takes the skin's own weights inwards; "bones" shares out by the nearest bone as published.
    `spread` is how much farther than the nearest a bone may be that a particle is bound to, as a share.
    """
    skin = character.anatomy.shells.flesh_triangles(character.triangles)
    constraints = build_constraints(fill(*compact(character.points, skin), count=count))
    points = constraints.points
    bones = moving_bones(character, owning_bones(character.skeleton, Flesh(*compact(character.points, skin))))
    if not len(bones.joints):
        raise InputError(WHERE, "no bone has a length", "flesh hangs on bones", "give joints children or tails")
    distances, _ = distances_to_segments(points, bones.starts, bones.ends)
    joint = bones.joints[distances.argmin(axis=1)]
    surface_corners, barycentric, skin_depth = _nearest_on_surface(points, character.points, skin)
    skin_depth[boundary_faces(Tetrahedra(points, constraints.corners))] = 0.0  # some of them lie outside the skin
    half_thickness = 0.5 * character.anatomy.thickness
    weights_by_bone = nearest_bone_weights(points, bones)
    solid = Tetrahedra(points, constraints.corners)
    embeddings = embed_smoothly(character.points, solid), embed(character.points, solid)
    body = FleshBody(
        constraints,
        weights_by_bone,
        joint,
        distances.min(axis=1),
        Bonds.from_bones(points, bones, spread=spread),
        surface_corners,
        barycentric,
        skin_depth,
        half_thickness,
        Bonds.from_bones(character.points, bones),
        *embeddings,
    )
    if weights == "bones":
        return body
    inner = _carry_weights_inwards(body, character)
    carried = inner.dense(len(character.skeleton))
    own = character.require_weights(WHERE).dense(len(character.skeleton))
    return replace(
        body,
        weights=inner,
        bonds=Bonds.from_bones(points, bones, spread=spread, carried=carried),
        embedding=own_flesh(body.embedding, own, carried),
        plain_embedding=own_flesh(body.plain_embedding, own, carried),
    )


def _remoteness(weights: FloatArray) -> FloatArray:
    """How many times farther away bones (P, B) count than they lie, by how much less they carry than the most."""
    most = weights.max(axis=1, keepdims=True)
    enough = np.where(most > 0.0, _ENOUGH * most, 1.0)
    return np.where(most > 0.0, np.maximum(enough / np.maximum(weights, 1e-6 * enough), 1.0), 1.0)


def moving_bones(character: Character, bones: Bones) -> Bones:
    """Those that move any skin, or all where none does: a root on the ground would hold back the flesh around it."""
    weights = character.weights
    if weights is None:
        return bones
    moving = np.isin(bones.joints, weights.joints[weights.values > 0.0])
    return Bones(bones.joints[moving], bones.starts[moving], bones.ends[moving]) if moving.any() else bones


def _nearest_on_surface(
    points: FloatArray, skin_points: FloatArray, skin: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The corners of the skin's triangle nearest to every point, the shares of the nearest place in it, and how far."""
    import igl

    faces = np.ascontiguousarray(skin, dtype=np.int64)
    squared, triangle, position = igl.point_mesh_squared_distance(points, skin_points, faces)
    corners = skin[triangle]
    a, b, c = np.moveaxis(skin_points[corners], 1, 0)
    barycentric = np.nan_to_num(igl.barycentric_coordinates(position, a, b, c))
    barycentric = np.clip(barycentric, 0.0, 1.0)
    sums = barycentric.sum(axis=1, keepdims=True)
    barycentric = np.where(sums > 0.0, barycentric / np.where(sums > 0.0, sums, 1.0), 1.0 / 3.0)
    return corners, barycentric, np.sqrt(squared)


def _carry_weights_inwards(body: FleshBody, character: Character) -> Weights:
    """The skin's own weights taken inwards; skin that lies off the body, or on it, has no say."""
    from scipy.sparse import csr_array

    dense = character.require_weights(WHERE).dense(len(character.skeleton))
    embedding, corners = body.embedding, body.embedding.corners
    rows = np.repeat(np.arange(len(dense)), corners.shape[1])
    near = (embedding.distance <= body.constraints.size) & character.anatomy.shells.is_flesh
    near = near.repeat(corners.shape[1])
    weights = np.where(near, embedding.barycentric.ravel(), 0.0)
    onto = csr_array((weights, (rows, corners.ravel())), shape=(len(dense), len(body.constraints.points)))
    return transfer_weights(dense, onto, body.constraints.ends, lost=body.joint, influences=_INFLUENCES)
