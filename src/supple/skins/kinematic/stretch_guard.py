"""No edge of the skin is drawn out by flesh that the bones leave alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.character.character import Character
from supple.geometry import topology

_LIMIT = 2.4  # of its length at rest: how long an edge may become, unless the bones draw it out farther
_LEAST = 1e-6  # of the longest side: shorter edges are points
_ROUNDS = 8  # an even number, in which edges that share a vertex come to an agreement


@dataclass(frozen=True, eq=False)
class StretchGuard:
    """The E edges of a skin that have a length, and the vertices around every vertex, with lengths at rest [m]."""

    edges: IntArray
    lengths: Float32Array
    starts: IntArray
    others: IntArray
    lengths_around: Float32Array

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

    def record(self, incoming: Any, skin: Any, constants: devices.Constants) -> list[Callable[[], object]]:
        """Recorded: bring ends of edges together that flesh drew apart from where the bones carry them (`incoming`).

        An edge is left 2.4 times its length at rest, or as long as the bones make it. What it takes for that is taken
        off the difference of how its two ends are displaced, so that an edge which bones leave whole is never torn. On
        a processor nothing is done in frames without such an edge.
        """
        from supple.skins.kinematic import guard_kernels as kernels

        if not len(self.edges):
            return []
        wp, put, device = devices.warp(), constants.put, constants.device
        other = constants.blank(len(skin), wp.vec3f)
        around = [put(self.starts, wp.int32), put(self.others, wp.int32), put(self.lengths_around, wp.float32)]
        rounds: list[Callable[[], object]] = [
            devices.Launch(kernels.draw_together, len(skin), [_LIMIT, *around, incoming, *buffers], device)
            for _ in range(_ROUNDS // 2)
            for buffers in ((skin, other), (other, skin))
        ]
        if device != "cpu":
            return rounds
        found = constants.blank(1, wp.int32)
        edges = [put(self.edges, wp.vec2i), put(self.lengths, wp.float32)]
        look = devices.Launch(kernels.find_drawn_out, len(self.edges), [_LIMIT, *edges, incoming, skin, found], device)
        seen = found.numpy()

        def guard() -> None:
            seen[0] = 0
            look()
            if seen[0]:
                for each in rounds:
                    each()

        return [guard]
