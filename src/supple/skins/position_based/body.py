"""A character's body as position based skinning sees it: tetrahedra, how bones carry them, how soft they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from supple.arrays import Floats, Ints
from supple.character.automatic.bones import owning_bones
from supple.character.automatic.flesh import Flesh
from supple.character.automatic.nearest_bone import nearest_bone_weights
from supple.character.character import Character
from supple.character.skeleton import Bones
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry.segments import distances_to_segments
from supple.geometry.tetrahedra import fill
from supple.skins.position_based.constraints import Constraints, constraints_of

_INFLUENCES = 8  # joints that carry one particle
_SMOOTHING = 3  # rounds that spread weights from the skin through the flesh


@dataclass(frozen=True, eq=False)
class Body:
    """What follows from the character, as plain arrays; P particles.

    `joint` (P,) is the joint of the nearest bone, `bone_point` (P, 3) [m] the nearest point of that bone at rest,
    `bone_distance` (P,) [m] how far it is. Every particle sees the skin through the triangle nearest to it: `seen`
    (P, 3) are its corners and `seen_shares` (P, 3) how much each counts. `skin_distance` (V,) [m] is how far each
    vertex of the skin is from the nearest bone, and `flesh` (P,) [m] the same where a particle sees the skin.
    """

    constraints: Constraints
    weights: Weights
    joint: Ints
    bone_point: Floats
    bone_distance: Floats
    seen: Ints
    seen_shares: Floats
    skin_distance: Floats

    @cached_property
    def flesh(self) -> Floats:
        return self.from_skin(self.skin_distance)

    def from_skin(self, values: Floats) -> Floats:
        """A value per vertex of the skin (V, ...) as a value per particle (P, ...)."""
        return np.asarray(np.einsum("pk,pk...->p...", self.seen_shares, values[self.seen]))


def body_of(character: Character, *, count: int, weights: str) -> Body:
    """Fill a character with about `count` tetrahedra and tie them to its bones.

    `weights` "carried" takes the skin's own weights inwards; "bones" shares out by the nearest bone as published.
    """
    constraints = constraints_of(fill(character.points, character.triangles, count=count))
    points = constraints.points
    bones = owning_bones(character.skeleton, Flesh(character.points, character.triangles))
    if not len(bones.joints):
        raise InputError(
            "PositionBased", "no bone has a length", "flesh hangs on bones", "give joints children or tails"
        )
    nearest, place, distance = _nearest(points, bones)
    seen, shares = _seen(points, character)
    skin_distance = _nearest(character.points, bones)[2]
    shared = nearest_bone_weights(points, bones)
    body = Body(constraints, shared, bones.joints[nearest], place, distance, seen, shares, skin_distance)
    return body if weights == "bones" else replace(body, weights=_carried(body, character))


def _nearest(points: Floats, bones: Bones) -> tuple[Ints, Floats, Floats]:
    """The nearest bone of every point, the nearest place on it, and how far that is."""
    distances, along = distances_to_segments(points, bones.starts, bones.ends)
    bone = np.argmin(distances, axis=1)
    rows = np.arange(len(points))
    u = np.clip(along[rows, bone], 0.0, 1.0)[:, None]
    place = bones.starts[bone] + u * (bones.ends[bone] - bones.starts[bone])
    return bone.astype(np.int32), place, distances[rows, bone]


def _seen(points: Floats, character: Character) -> tuple[Ints, Floats]:
    """The corners of the skin's triangle nearest to every point, and the shares of the nearest place in it."""
    import igl

    faces = np.ascontiguousarray(character.triangles, dtype=np.int64)
    _, triangle, place = igl.point_mesh_squared_distance(points, character.points, faces)
    corners = character.triangles[triangle]
    a, b, c = np.moveaxis(character.points[corners], 1, 0)
    shares = np.nan_to_num(igl.barycentric_coordinates(place, a, b, c))
    shares = np.clip(shares, 0.0, 1.0)
    sums = shares.sum(axis=1, keepdims=True)
    return corners, np.where(sums > 0.0, shares / np.where(sums > 0.0, sums, 1.0), 1.0 / 3.0)


def _carried(body: Body, character: Character) -> Weights:
    """The skin's weights at the nearest skin, then evened out through the flesh."""
    from scipy.sparse import coo_array

    dense = character.require_weights("PositionBased").dense(len(character.skeleton))
    values = body.from_skin(dense)
    ends, count = body.constraints.ends, len(values)
    one, other = ends.T
    links = coo_array(
        (np.ones(2 * len(ends)), (np.concatenate([one, other]), np.concatenate([other, one]))), shape=(count, count)
    ).tocsr()
    degree = np.maximum(links.sum(axis=1), 1.0)[:, None]
    for _ in range(_SMOOTHING):
        values = 0.5 * values + 0.5 * (links @ values) / degree
    return Weights.from_dense(values, influences=_INFLUENCES)
