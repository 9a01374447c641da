"""No edge of the skin is drawn out by flesh that the bones leave alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.character.character import Character
from supple.geometry import topology

_LIMIT = 2.4  # of its length at rest: how long an edge may become, unless the bones draw it out farther
_LEAST = 1e-6  # of the longest side: shorter edges are points
_ROUNDS = 8  # an even number, in which edges that share a vertex come to an agreement
_SLACK = 1e-4  # of that length: what is left of what is too long
_REPEATS = 20  # of these rounds on a processor, while there are edges that are too long


@dataclass(frozen=True, eq=False)
class StretchGuard:
    """The E edges of a skin that have a length, and the vertices around every vertex, with lengths at rest [m].

    Of a crowd they are those of one of its `copies`.
    """

    edges: IntArray
    lengths: Float32Array
    starts: IntArray
    others: IntArray
    lengths_around: Float32Array
    copies: int = 1

    @classmethod
    def from_character(cls, character: Character) -> StretchGuard:
        """Measure the edges at rest."""
        points = character.points
        edges = topology.unique_edges(character.triangles)
        lengths = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
        edges = edges[lengths > _LEAST * float(np.ptp(points, axis=0).max(initial=0.0))]
        around = topology.neighbors_from_edges(edges, len(points))
        owners = np.repeat(np.arange(len(points)), np.diff(around.starts))

        def measured(ends: IntArray) -> Float32Array:
            return np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1).astype(np.float32)

        pairs = np.stack([owners, around.indices], axis=1).astype(np.int32)
        return cls(edges.astype(np.int32), measured(edges), around.starts, around.indices, measured(pairs))

    def stack(self, count: int) -> StretchGuard:
        """That of a crowd of `count`, of which this is one member's."""
        return replace(self, copies=count)

    def record(self, incoming: Any, skin: Any, constants: devices.Constants) -> list[Callable[[], object]]:
        """Recorded: bring ends of edges together that flesh drew apart from where the bones carry them (`incoming`).

        An edge is left 2.4 times its length at rest, or as long as the bones make it. Its ends come together along it,
        by no more than it takes, and weigh by that where they share a vertex: what is only just too long hardly moves,
        so that nothing snaps and nothing trembles.
        All of these bounds are convex and hold where bones carry the skin, so that repeating this leads to where all
        of them hold.
        """
        from supple.skins.kinematic import guard_kernels as kernels

        if not len(self.edges):
            return []
        wp, put, device = devices.warp(), constants.put, constants.device
        count, each = self.copies * len(self.edges), len(skin) // self.copies
        if device == "cpu":
            flags, edges = constants.blank(count, wp.int32), put(self.edges, wp.vec2i)
            inputs = [_LIMIT, _SLACK, each, edges, put(self.lengths, wp.float32), incoming, skin, flags]
            look = devices.Launch(kernels.find_drawn_out, count, inputs, device)
            return [lambda: self._draw_together(look, flags.numpy(), incoming.numpy(), skin.numpy())]
        return self.record_rounds(incoming, skin, constants)

    def record_rounds(self, incoming: Any, skin: Any, constants: devices.Constants) -> list[Callable[[], object]]:
        """Recorded: the rounds of all vertices at once, as a GPU goes through them."""
        from supple.skins.kinematic import guard_kernels as kernels

        wp, put = devices.warp(), constants.put
        other, moved = constants.blank(len(skin), wp.vec3f), constants.blank(len(skin), wp.int32)
        around = [put(self.starts, wp.int32), put(self.others, wp.int32), put(self.lengths_around, wp.float32)]
        around = [len(skin) // self.copies, *around, incoming]
        buffers = [(skin, other), (other, skin)] * (_ROUNDS // 2)
        rounds = [
            devices.Launch(kernels.draw_together, len(skin), [_LIMIT, number, *around, *pair, moved], constants.device)
            for number, pair in enumerate(buffers)
        ]
        return [moved.zero_, *rounds]

    def _draw_together(
        self, look: Callable[[], object], flags: IntArray, incoming: Float32Array, skin: Float32Array
    ) -> None:
        """The same on a processor, for the few edges alone that are too long: `look` marks them in `flags` (E,)."""
        for _ in range(_REPEATS):
            look()
            wrong = np.flatnonzero(flags)
            if not len(wrong):
                return
            copy, edge = np.divmod(wrong, len(self.edges))
            pairs = self.edges[edge] + (copy * (len(skin) // self.copies))[:, None]
            vertices, ends = np.unique(pairs, return_inverse=True)
            i, j = ends.reshape(-1, 2).T
            carried, now = incoming[vertices].astype(np.float64), skin[vertices].astype(np.float64)
            plain = np.linalg.norm(carried[i] - carried[j], axis=1)
            longest = np.maximum(_LIMIT * self.lengths[edge].astype(np.float64), plain)
            for _ in range(_ROUNDS):
                apart = now[i] - now[j]
                length = np.linalg.norm(apart, axis=1)
                excess = np.maximum(1.0 - longest / np.maximum(length, 1e-300), 0.0)
                move = 0.5 * (excess**2)[:, None] * apart
                weights = np.bincount(i, excess, len(now)) + np.bincount(j, excess, len(now))
                for axis in range(3):
                    total = np.bincount(j, move[:, axis], len(now)) - np.bincount(i, move[:, axis], len(now))
                    now[:, axis] += total / np.maximum(weights, 1e-300)
            skin[vertices] = now
