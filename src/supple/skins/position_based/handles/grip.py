"""What a hand takes hold of: how far every vertex and every particle is from its place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.geometry.topology import ring_areas, unique_edges
from supple.geometry.vectors import smoothstep
from supple.skins.position_based.binding import FleshBinding
from supple.skins.position_based.body.tetrahedral_body import WHERE
from supple.skins.pull import Pull

MOST_VERTICES = 64  # among which the place of one hand may lie
_DETOUR = 1.5  # ways along edges are longer than straight ones by up to this much, where nothing is in between
_SMALLEST = 1.5  # edges of the skin: a smaller grip would tear at single vertices
_RING = 5.2  # twice the area of six even triangles round a vertex, over the square of their edges
_AT_BONE, _OFF_BONE = 0.1, 0.6  # of the way from bone to skin: nearer flesh stays with the bone, farther goes along
_WIDEST = 0.25  # of the body's longest side
_DENSITY = 1000.0  # kg/m^3
_LIGHTEST = 0.05  # of a cube of water as wide as the grip: what a hand pushes weighs no less


@dataclass(frozen=True, eq=False)
class Grip:
    """One hand's grip, counted through all copies of a crowd.

    Its place lies among `vertices` with `barycentric`, over `particles` with `weights`, which sum to how much of it
    hangs on flesh. `vertex_distances` (V,) and `particle_distances` (P,) [m] are those of the copy that it is on, from
    row `first_vertex` and `first_particle` on. What is nearer than `radius` [m] goes along, `mass` [kg] of it in all.
    """

    vertices: IntArray
    barycentric: FloatArray
    particles: IntArray
    weights: FloatArray
    vertex_distances: FloatArray
    particle_distances: FloatArray
    first_vertex: int
    first_particle: int
    radius: float
    mass: float


class Gripping:
    """Where hands can grip one body, or any one of a crowd."""

    def __init__(self, binding: FleshBinding) -> None:
        self._binding = binding
        self._vertices = len(binding.character.points) // binding.copies
        self._particles = len(binding.inverse_masses) // binding.copies
        self._skin = binding.character.points[: self._vertices]
        self._flesh = binding.body.constraints.points

    @property
    def size(self) -> float:
        """The longest side of the body [m]."""
        return float(np.ptp(self._skin, axis=0).max())

    @property
    def widest(self) -> float:
        """How wide a grip may grow [m] when flesh is drawn far."""
        return _WIDEST * self.size

    def grip(self, pull: Pull) -> Grip:
        """What a hand takes hold of, by the way through flesh or along the skin: nothing that only lies close by.

        Distances are straight where that way is open.
        """
        if len(pull.indices) > MOST_VERTICES:
            raise InputError(
                WHERE,
                f"a pull names {len(pull.indices)} vertices",
                f"it can hold {MOST_VERTICES} at once",
                "name a few, and let the radius do the rest",
            )
        copies, vertices = np.divmod(pull.indices, self._vertices)
        if len(set(copies.tolist())) > 1:
            raise InputError(
                WHERE, "a pull names vertices of several characters", "a hand holds one of a crowd", "use more hands"
            )
        copy = int(copies[0])
        radius = max(pull.radius_for(self.size), _SMALLEST * float(self._edge_lengths[vertices].max()))
        away = self._distances(pull.barycentric @ self._skin[vertices], vertices, max(radius, self.widest))
        particle_distances = away[self._vertices :]
        falloff = np.maximum(1.0 - (particle_distances / radius) ** 2, 0.0) ** 2
        mass = float((falloff * self.looseness) @ self._masses)
        particles, weights = self._below(vertices, pull.barycentric)
        return Grip(
            pull.indices,
            pull.barycentric,
            particles + copy * self._particles,
            weights,
            away[: self._vertices],
            particle_distances,
            copy * self._vertices,
            copy * self._particles,
            radius,
            max(mass, _LIGHTEST * _DENSITY * radius**3),
        )

    def _distances(self, place: FloatArray, vertices: IntArray, radius: float) -> FloatArray:
        """How far (V + P,) [m] vertices and particles are from a place and the vertices that it lies among.

        Beyond the radius it may be infinite.
        """
        from scipy.sparse.csgraph import dijkstra

        points = np.concatenate([self._skin, self._flesh])
        straight = np.min([np.linalg.norm(points - one, axis=1) for one in (place, *self._skin[vertices])], axis=0)
        slack = self._binding.body.constraints.size
        path = dijkstra(self._ways, indices=vertices, min_only=True, limit=_DETOUR * radius + slack)
        return np.asarray(straight + np.maximum(np.asarray(path) - _DETOUR * straight - slack, 0.0))

    @cached_property
    def _ways(self) -> Any:
        """Lengths (V + P, V + P) [m] of edges of skin and flesh, and from each vertex to the flesh that it hangs on."""
        from scipy.sparse import coo_array

        count, total = self._vertices, self._vertices + self._particles
        embedding, follow = self._binding.body.embedding, self._binding.attachment.follow[: self._vertices]
        near = np.take_along_axis(embedding.corners, embedding.barycentric.argmax(axis=1)[:, None], axis=1)
        hangs = np.flatnonzero(follow > 0.0)
        ends = np.concatenate(
            [
                self._skin_edges,
                self._binding.body.constraints.ends + count,
                np.stack([hangs, near[hangs, 0] + count], axis=1),
            ]
        )
        points = np.concatenate([self._skin, self._flesh])
        lengths = np.maximum(np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1), 1e-9 * self.size)
        whole = coo_array((lengths, (ends[:, 0], ends[:, 1])), shape=(total, total)).tocsr()
        return whole.maximum(whole.T)

    @cached_property
    def _skin_edges(self) -> IntArray:
        return unique_edges(self._triangles)

    @cached_property
    def _triangles(self) -> IntArray:
        triangles = self._binding.character.triangles
        return triangles[: len(triangles) // self._binding.copies]

    @cached_property
    def _edge_lengths(self) -> FloatArray:
        """About how long (V,) [m] the edges at every vertex are."""
        return np.sqrt(ring_areas(self._skin, self._triangles) / _RING)

    @cached_property
    def looseness(self) -> FloatArray:
        """How far (P,) flesh goes along with a hand by where it lies between bone and skin."""
        body = self._binding.body
        return smoothstep(body.rise, _AT_BONE, _OFF_BONE)

    @cached_property
    def _masses(self) -> FloatArray:
        """What every particle (P,) weighs [kg]: a quarter of the elements around it."""
        one = self._binding.body.constraints
        quarter = np.repeat(0.25 * _DENSITY * np.abs(one.rest_volumes), 4)
        return np.bincount(one.corners.reshape(-1), quarter, self._particles).astype(np.float64)

    def _below(self, vertices: IntArray, barycentric: FloatArray) -> tuple[IntArray, FloatArray]:
        """The particles below a place, and how much of it hangs on each, heaviest first."""
        embedding, follow = self._binding.body.embedding, self._binding.attachment.follow
        spread = (barycentric * np.maximum(follow[vertices], 1e-6))[:, None] * embedding.barycentric[vertices]
        particles, index = np.unique(embedding.corners[vertices], return_inverse=True)
        weights = np.bincount(index.ravel(), spread.ravel(), len(particles))
        order = np.argsort(-weights, kind="stable")[:MOST_VERTICES]
        return particles[order].astype(np.int32), np.maximum(weights[order], 0.0)
