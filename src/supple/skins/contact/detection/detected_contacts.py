"""Contacts as they are found, as arrays: who touches what, how deep, and which way is out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DetectedContacts:
    """M contacts as they are found: node `nodes` (M,) is `gaps` (M,) [m] outside of what it met, negative inside.

    `normals` (M, 3) point out of it, towards where the node belongs. `obstacles` (M,) says which obstacle, -1 for skin;
    `velocities` (M, 3) [m/s] is how fast the obstacle moves there and `frictions` (M,) its coefficient. Where skin was
    met, `corners` (M, 3) are the nodes of the triangle, and `barycentric` (M, 3) say where in it. Where an obstacle
    meets a triangle between its corners they are of the triangle that it meets, to which the node belongs; else -1, 0.
    `keys` (M,) tell places of the skin apart from step to step: its nodes, and on from their number its triangles.
    """

    nodes: IntArray
    normals: FloatArray
    gaps: FloatArray
    obstacles: IntArray
    velocities: FloatArray
    frictions: FloatArray
    corners: IntArray
    barycentric: FloatArray
    keys: IntArray

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def between(self) -> BoolArray:
        """Whether each (M,) is an obstacle's with a triangle between its corners, and not with a node."""
        found: BoolArray = (self.obstacles >= 0) & (self.corners[:, 0] >= 0)
        return found

    @classmethod
    def with_obstacles(
        cls,
        nodes: IntArray,
        normals: NDArray[Any],
        gaps: NDArray[Any],
        obstacles: IntArray,
        velocities: NDArray[Any],
        frictions: FloatArray,
        within: tuple[IntArray, NDArray[Any], IntArray] | None = None,
    ) -> DetectedContacts:
        """Contacts of nodes with obstacles, or `within` triangles: their corners, where in them, and their keys."""
        count = len(nodes)
        corners, barycentric, keys = within or (np.full((count, 3), -1, dtype=np.int32), np.zeros((count, 3)), nodes)
        return cls(
            nodes,
            normals.astype(np.float64),
            gaps.astype(np.float64),
            obstacles,
            velocities.astype(np.float64),
            frictions,
            corners.astype(np.int32),
            barycentric.astype(np.float64),
            keys.astype(np.int32),
        )

    @classmethod
    def with_skin(
        cls, nodes: IntArray, normals: NDArray[Any], gaps: NDArray[Any], corners: IntArray, barycentric: NDArray[Any]
    ) -> DetectedContacts:
        """Contacts of nodes with triangles of skin."""
        count = len(nodes)
        return cls(
            nodes,
            normals.astype(np.float64),
            gaps.astype(np.float64),
            np.full(count, -1, dtype=np.int32),
            np.zeros((count, 3)),
            np.zeros(count),
            corners,
            barycentric.astype(np.float64),
            nodes,
        )

    @classmethod
    def concatenate(cls, several: Sequence[DetectedContacts]) -> DetectedContacts:
        """Several lots one after another; none at all is no contacts."""
        some = [one for one in several if len(one)]
        if len(some) < 2:
            return some[0] if some else cls.none()
        return cls(*(np.concatenate([getattr(one, field.name) for one in some]) for field in fields(cls)))

    @classmethod
    def none(cls) -> DetectedContacts:
        """No contacts."""
        few, rows, numbers = np.zeros(0, dtype=np.int32), np.zeros((0, 3)), np.zeros(0)
        return cls(few, rows, numbers, few, rows, numbers, np.zeros((0, 3), dtype=np.int32), rows, few)

    def sort_by_obstacle(self) -> DetectedContacts:
        """The same, sorted by obstacle and then by node."""
        return self.only(np.lexsort((self.nodes, self.obstacles)).astype(np.int32))

    def only(self, rows: BoolArray | IntArray) -> DetectedContacts:
        """Some of them, by their numbers or by whether each is wanted."""
        return DetectedContacts(*(getattr(self, field.name)[rows] for field in fields(self)))
