"""What follows from a character alone: how its skin hangs on the bones, and the springs over it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple import device as devices
from supple.arrays import BoolArray, Float32Array, FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.quaternions import normalize
from supple.geometry.topology import Neighbors, neighbors
from supple.skins.springs.attachment.attachment import Attachment
from supple.skins.springs.attachment.segments import Segments
from supple.skins.springs.attachment.weights import BLOCK, AttachmentWeights, control_positions

if TYPE_CHECKING:
    from supple.skins.springs.settings import SpringSettings, Stiffness
    from supple.skins.springs.spring_dynamics import SpringDynamics

EDIT_PREFIX = "edit "  # begins the names of shapes that are edits; all others are morph targets of the character
STIFFNESS_MAP, JIGGLE_MAP = "stiffness", "jiggle"
KINDS = ("edges", "relative_radius", "bend", "radius", "bones", "twist")
_OLD_KINDS = {"relative_radius": "lengths", "bend": "turns", "radius": "girth", "twist": "hold"}  # in painted maps
_ROUNDING = 1e-4  # of an edge: changes this small are not worth a sweep
_ON_SKELETON = 1e-3  # of an edge: a vertex this near to its attachment point has no direction of its own
_MAX_OFFSET = 1.0  # of its scale vector that a vertex may be from where it hangs
_LEAST_LOOSENESS = 0.05  # below which skin counts as firm


@dataclass(frozen=True, eq=False)
class AttachedSkin:
    """How a character's V vertices hang on its bones, as kernels take it.

    Attachment points at rest are `rest_attached` (V, 3) [m], and `rest_vectors` (V, 3) go from there to the vertices.
    `control_points` (ends of segments) and their weights, and `pairs` of segments and theirs, are in blocks of four,
    (V * blocks, 4); `owners` (V,) are the segments that vertices turn with most, pair p turns from segment `one[p]` to
    `other[p]`.
    """

    character: Character
    segments: Segments
    squash: float
    rest_attached: FloatArray
    rest_vectors: FloatArray
    control_points: IntArray
    control_weights: Float32Array
    pairs: IntArray
    pair_weights: Float32Array
    one: IntArray
    other: IntArray
    owners: IntArray
    constants: devices.Constants

    @classmethod
    def from_weights(
        cls, character: Character, attachment: Attachment, weights: AttachmentWeights, *, squash: float, device: str
    ) -> AttachedSkin:
        """Pack where vertices hang."""
        segments = attachment.segments
        indices, values = weights.control_points.indices, weights.control_points.values
        pairs, pair_weights, one, other = _find_pairs(weights)
        attached = np.einsum("vk,vki->vi", values, control_positions(segments.starts, segments.ends)[indices])
        return cls(
            character,
            segments,
            squash,
            attached,
            character.points - attached,
            indices.reshape(-1, BLOCK),
            values.reshape(-1, BLOCK).astype(np.float32),
            pairs.reshape(-1, BLOCK),
            pair_weights.reshape(-1, BLOCK).astype(np.float32),
            one,
            other,
            weights.segment,
            devices.Constants(device),
        )

    def __len__(self) -> int:
        return len(self.owners)

    @cached_property
    def rest_lengths(self) -> FloatArray:
        """How far (V,) [m] vertices are from their attachment points at rest."""
        return np.linalg.norm(self.rest_vectors, axis=1)


@dataclass(frozen=True, eq=False)
class SpringBinding:
    """The springs of one character at bind; V vertices, E directed edges.

    The ring of vertex v are `others[starts[v]:starts[v + 1]]`. `ring_stiffness` (V, 3) is that of springs along the
    skin, `bone_stiffness` (V, 3) of those to the bone, `edge_components` (E, 2) [m] are the parts of edges along and
    across the bone. `edge_size` (V,) [m] is the mean edge of a vertex, `firm` (V,) marks vertices that have a direction
    from the bone, and `fallback` (V, 3) are those directions, and stand in where there is none. `wave_ratio` (V,) is
    how fast waves run beside how fast springs act, `energy_tolerance` an energy below which nothing is worth a sweep.
    """

    attached_skin: AttachedSkin
    starts: IntArray
    others: IntArray
    ring_stiffness: Float32Array
    bone_stiffness: Float32Array
    edge_components: Float32Array
    edge_size: FloatArray
    firm: IntArray
    fallback: Float32Array
    wave_ratio: FloatArray
    energy_tolerance: float

    @classmethod
    def from_attached_skin(cls, skin: AttachedSkin, settings: SpringSettings) -> SpringBinding:
        """Measure a character that hangs on its bones."""
        character = skin.character
        around = neighbors(character.triangles, len(skin))
        edge_size = _ring_mean(np.linalg.norm(_edge_vectors(character.points, around), axis=1), around)
        firm = skin.rest_lengths > _ON_SKELETON * np.maximum(edge_size, 1e-300)
        fallback = np.where(firm[:, None], normalize(skin.rest_vectors), [0.0, 1.0, 0.0])
        fine = np.minimum(edge_size / np.maximum(skin.rest_lengths, 1e-300), 1.0) ** 2 * firm
        ring, bone = _stiffness(character, settings.stiffness, has_ring=edge_size > 0.0, firm=firm, fine=fine)
        total, coupling = ring.sum(axis=1) + bone.sum(axis=1), 0.55 * (ring[:, 0] + ring[:, 2])
        # A ring of springs of stiffness k acts like k edge^2 / 8 times the Laplacian, so waves run at
        # rate edge sqrt(coupling / 8 total); skin pulled along itself feels about half of edges and turns.
        wave_ratio = np.sqrt(8.0 * total / np.where(coupling > 0.0, coupling, np.inf))
        return cls(
            skin,
            around.starts,
            around.indices,
            ring.astype(np.float32),
            bone.astype(np.float32),
            _edge_components(character.points, around, skin),
            edge_size,
            firm.astype(np.int32),
            fallback.astype(np.float32),
            wave_ratio,
            float((total * (_ROUNDING * edge_size) ** 2).sum()),
        )

    @property
    def constants(self) -> devices.Constants:
        """What all states share on the device."""
        return self.attached_skin.constants

    def edge_components_of(self, points: FloatArray) -> Float32Array:
        """The components of edges between other rest points."""
        return _edge_components(points, Neighbors(self.starts, self.others), self.attached_skin)


@dataclass(frozen=True, eq=False)
class DynamicsBinding:
    """Springs, how loose (V,) the skin is, how fast (V,) [1/s] it answers them, and how far (V,) [m] it may go."""

    springs: SpringBinding
    looseness: Float32Array
    rates: Float32Array
    max_offsets: Float32Array

    @classmethod
    def from_springs(cls, springs: SpringBinding, settings: SpringDynamics) -> DynamicsBinding:
        """Give springs momentum."""
        skin = springs.attached_skin
        looseness = np.clip(skin.character.maps.get(JIGGLE_MAP, np.ones(len(skin))), 0.0, 1.0)
        size = np.maximum(springs.edge_size, 1e-9)
        rates = springs.wave_ratio * settings.speed / (size * np.maximum(looseness, _LEAST_LOOSENESS))
        fastest = 1.0 / (settings.step / settings.iterations)
        max_offsets = _MAX_OFFSET * np.maximum(skin.rest_lengths, size)
        return cls(
            springs,
            looseness.astype(np.float32),
            np.minimum(rates, fastest).astype(np.float32),
            max_offsets.astype(np.float32),
        )


def painted_stiffness(character: Character, kind: str) -> FloatArray:
    """What a kind of spring is multiplied by (V,) where it is painted, also by the name that it had before."""
    names = [f"{STIFFNESS_MAP}_{name}" for name in (kind, _OLD_KINDS.get(kind, kind))]
    return next((character.maps[name] for name in names if name in character.maps), np.ones(len(character.points)))


def _find_pairs(weights: AttachmentWeights) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """For every vertex the pairs (own segment, other) it turns between (V, K), with their weights, and all pairs."""
    own, size = weights.segment.astype(np.int64), int(weights.rotations.indices.max(initial=0)) + 1
    others, values = weights.rotations.indices[:, 1:], weights.rotations.values[:, 1:]
    codes = np.where(values > 0.0, own[:, None] * size + others, 0)
    known, index = np.unique(codes, return_inverse=True)
    fill = ((0, 0), (0, 1))  # back to whole blocks
    pairs, padded = np.pad(index.reshape(codes.shape), fill).astype(np.int32), np.pad(values, fill)
    return pairs, padded, (known // size).astype(np.int32), (known % size).astype(np.int32)


def _edge_vectors(points: FloatArray, around: Neighbors) -> FloatArray:
    """From every vertex to its neighbours (E, 3) [m]."""
    vectors: FloatArray = points[around.indices] - np.repeat(points, np.diff(around.starts), axis=0)
    return vectors


def _edge_components(points: FloatArray, around: Neighbors, skin: AttachedSkin) -> Float32Array:
    """The parts (E, 2) [m] of directed edges along and across the bone."""
    vectors = _edge_vectors(points, around)
    bones = np.repeat(skin.segments.directions[skin.owners], np.diff(around.starts), axis=0)
    along = np.abs(np.einsum("ei,ei->e", vectors, bones))
    across = np.sqrt(np.maximum(np.einsum("ei,ei->e", vectors, vectors) - along**2, 0.0))
    return np.stack([along, across], axis=1).astype(np.float32)


def _ring_mean(values: FloatArray, around: Neighbors) -> FloatArray:
    count = np.diff(around.starts)
    owner = np.repeat(np.arange(len(count)), count)
    return np.asarray(np.bincount(owner, values, len(count)) / np.maximum(count, 1))


def _stiffness(
    character: Character, stiffness: Stiffness, *, has_ring: BoolArray, firm: BoolArray, fine: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(edges, relative_radius, bend) and (radius, bones, twist) of every vertex (V, 3) each.

    Springs to the bone are scaled by `fine` = (edge / distance from the bone)^2: a ring of springs acts on a skin like
    edge^2 times its curvature, so that the shape at rest does not depend on how fine the mesh is.
    """
    count = len(character.points)
    every = character.maps.get(STIFFNESS_MAP, np.ones(count))
    found = {}
    for kind in KINDS:
        painted = painted_stiffness(character, kind)
        found[kind] = getattr(stiffness, kind) * np.maximum(every, 0.0) * np.maximum(painted, 0.0)
    ring = np.stack([found["edges"] * has_ring, found["relative_radius"] * firm, found["bend"] * firm], axis=1)
    bone = np.stack([found["radius"] * fine, found["bones"] * fine, found["twist"] * fine], axis=1)
    most = np.maximum(np.concatenate([ring, bone], axis=1).sum(axis=1), 1e-300)
    scale = np.where(most > 1e6, 1e6 / most, 1.0)[:, None]  # only ratios count; large numbers would overflow
    return ring * scale, bone * scale
