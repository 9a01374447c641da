"""A body made of tetrahedra, and what can be measured on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError

# The six edges of an element by its corners; edge 5 - i lies opposite edge i.
EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], dtype=np.int32)
# The four faces by their corners, turned outwards; face i lies opposite corner i.
FACES = np.array([(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)], dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Tetrahedra:
    """A solid: `points` (P, 3) [m] and `corners` (T, 4) of elements, each of positive volume.

    The volume of an element is V = (p21 x p31) . p41 / 6 with pij = pi - pj [m³].
    """

    points: FloatArray
    corners: IntArray

    def __post_init__(self) -> None:
        where = "Tetrahedra"
        object.__setattr__(self, "points", frozen(self.points, np.float64, (-1, 3), where, "points"))
        object.__setattr__(self, "corners", frozen(self.corners, np.int32, (-1, 4), where, "corners"))
        if len(self.corners) and (self.corners.min() < 0 or self.corners.max() >= len(self.points)):
            raise InputError(
                where,
                f"corners name points {self.corners.min()} to {self.corners.max()}",
                f"there are points 0 to {len(self.points) - 1}",
                "check the corners",
            )
        flat = np.flatnonzero(~(volumes(self) > 0.0))
        if len(flat):
            raise InputError(
                where,
                f"{len(flat)} elements are flat or inside out (the first is {flat[0]})",
                "every element needs a positive volume",
                "swap two corners of inverted elements and leave flat ones out",
            )


def volumes(tetrahedra: Tetrahedra, points: FloatArray | None = None) -> FloatArray:
    """Volume (T,) [m³] of every element; `points` (P, 3) may be those of a moved body, where it can be negative."""
    a, b, c, d = _corner_points(tetrahedra, points)
    return np.asarray(np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a) / 6.0)


def dihedral_angles(tetrahedra: Tetrahedra, points: FloatArray | None = None) -> FloatArray:
    """The six angles (T, 6) [rad] between faces, at the edges 01, 02, 03, 12, 13, 23 of every element."""
    corner = _corner_points(tetrahedra, points)
    angles = np.empty((len(tetrahedra.corners), 6))
    for number, (i, j) in enumerate(EDGES):
        k, m = EDGES[5 - number]
        along = corner[j] - corner[i]
        one, other = np.cross(along, corner[k] - corner[i]), np.cross(along, corner[m] - corner[i])
        across = np.linalg.norm(np.cross(one, other), axis=1)
        angles[:, number] = np.arctan2(across, np.einsum("ti,ti->t", one, other))
    return angles


def edges_of(tetrahedra: Tetrahedra) -> IntArray:
    """Every edge once (E, 2), inner ones too, lower point first, sorted."""
    return element_edges(tetrahedra.corners, len(tetrahedra.points))


def element_edges(corners: IntArray, points: int) -> IntArray:
    """The same (E, 2) of elements (T, 4) on so many points, which may be flat or inside out."""
    count = np.int64(points)
    ends = np.sort(corners[:, EDGES].reshape(-1, 2).astype(np.int64), axis=1)
    keys = np.unique(ends[:, 0] * count + ends[:, 1])
    return np.stack([keys // count, keys % count], axis=1).astype(np.int32)


def boundary_faces(tetrahedra: Tetrahedra) -> IntArray:
    """The triangles (B, 3) that belong to one element only, anticlockwise seen from outside."""
    return boundary_with_owners(tetrahedra)[0]


def boundary_with_owners(tetrahedra: Tetrahedra) -> tuple[IntArray, NDArray[np.int64]]:
    """Outer faces (B, 3) and the element (B,) that each belongs to."""
    faces = tetrahedra.corners[:, FACES].reshape(-1, 3)
    _, first, count = np.unique(face_keys(faces), return_index=True, return_counts=True)
    outer = np.sort(first[count == 1])
    return np.asarray(faces[outer]), outer // 4


def face_keys(faces: IntArray) -> NDArray[np.int64]:
    """One number (F,) for every set of three points: rows that name the same points have the same number."""
    ordered = np.sort(faces, axis=1).astype(np.int64)
    base = int(ordered.max(initial=0)) + 1
    _, pair = np.unique(ordered[:, 0] * base + ordered[:, 1], return_inverse=True)
    return np.asarray(pair.reshape(-1).astype(np.int64) * base + ordered[:, 2])


def _corner_points(
    tetrahedra: Tetrahedra, points: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    positions = tetrahedra.points if points is None else np.asarray(points, dtype=np.float64)
    a, b, c, d = (positions[tetrahedra.corners[:, k]] for k in range(4))
    return a, b, c, d
