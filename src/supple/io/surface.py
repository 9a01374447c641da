"""A mesh as files hold it: faces of any length, with a texture coordinate at every corner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character, Display
from supple.errors import FormatError
from supple.geometry.topology import triangulate


@dataclass(frozen=True, eq=False)
class Surface:
    """Faces one after the other: face f has `counts[f]` corners, corner c stands on point `corners[c]`.

    `uv_corners` (C,) names the row of `uvs` (U, 2) at every corner, `material_indices` (F,) the
    material of every face; -1 is none.
    """

    counts: IntArray
    corners: IntArray
    uvs: FloatArray | None = None
    uv_corners: IntArray | None = None
    material_indices: IntArray | None = None

    @classmethod
    def from_character(cls, character: Character) -> Surface:
        """The faces of a character, quads where it has them, and its seams."""
        display, polygons, material_indices = character.display, character.polygons, character.material_of_triangle
        if polygons is not None and np.array_equal(triangulate(polygons), character.triangles):
            quads = polygons[:, 3] >= 0
            pieces = np.where(quads, 2, 1)
            first = np.cumsum(pieces) - pieces
            whole = material_indices is None or np.array_equal(
                material_indices[first], material_indices[first + pieces - 1]
            )
            used = np.stack([np.ones_like(quads), np.ones_like(quads), np.ones_like(quads), quads], axis=1)
            display_polygons = None if display is None else _display_polygons(display.triangles, quads)
            if whole and (display_polygons is not None or display is None or display.uvs is None):
                faces, counts = polygons[used], np.where(quads, 4, 3).astype(np.int32)
                looks = None if material_indices is None else material_indices[first]
                if display is None or display.uvs is None or display_polygons is None:
                    return cls(counts, faces, material_indices=looks)
                return cls(counts, faces, display.uvs, display_polygons[used], looks)
        counts = np.full(len(character.triangles), 3, dtype=np.int32)
        if display is None or display.uvs is None:
            return cls(counts, character.triangles.ravel(), material_indices=material_indices)
        return cls(counts, character.triangles.ravel(), display.uvs, display.triangles.ravel(), material_indices)

    def check(self, points: int, where: str) -> None:
        """Refuse faces that do not fit together, in a sentence."""
        if (len(self.counts) and int(self.counts.min()) < 0) or int(self.counts.sum()) != len(self.corners):
            given = f"its faces have {int(self.counts.sum())} corners"
            raise FormatError(where, given, f"{len(self.corners)} are listed", "export the mesh again")
        if len(self.corners) and not 0 <= int(self.corners.min()) <= int(self.corners.max()) < points:
            worst = int(self.corners.min()) if int(self.corners.min()) < 0 else int(self.corners.max())
            given = f"a face names point {worst}"
            raise FormatError(where, given, f"there are {points} points (0 to {points - 1})", "export the mesh again")
        if not (self.counts >= 3).any():
            raise FormatError(where, "it has no faces", "a mesh of triangles or polygons is needed", "export faces too")

    def reversed(self) -> Surface:
        """The same faces turned inside out; the first corner stays the first."""
        starts = np.repeat(np.cumsum(self.counts) - self.counts, self.counts)
        lengths = np.repeat(self.counts, self.counts)
        rank = np.arange(len(self.corners)) - starts
        order = starts + (lengths - rank) % np.maximum(lengths, 1)
        uv_corners = None if self.uv_corners is None else self.uv_corners[order]
        return Surface(self.counts, self.corners[order], self.uvs, uv_corners, self.material_indices)

    def triangle_corners(self) -> IntArray:
        """The corners (T, 3) of the fans into which faces are cut; quads as `triangulate` cuts them."""
        fans = np.maximum(self.counts - 2, 0)
        face = np.repeat(np.arange(len(self.counts)), fans)
        starts = (np.cumsum(self.counts) - self.counts)[face]
        step = np.arange(len(face)) - (np.cumsum(fans) - fans)[face]
        return np.stack([starts, starts + step + 1, starts + step + 2], axis=1).astype(np.int32)

    def triangles(self) -> IntArray:
        """Triangles (T, 3) of points."""
        return self.corners[self.triangle_corners()].astype(np.int32)

    def materials_of_triangles(self) -> IntArray | None:
        """The material of every triangle (T,), where faces have any."""
        return (
            None if self.material_indices is None else np.repeat(self.material_indices, np.maximum(self.counts - 2, 0))
        )

    def polygons(self) -> IntArray | None:
        """Faces (P, 4) when they are triangles and quads with at least one quad; None otherwise."""
        if not ((self.counts == 4).any() and np.isin(self.counts, (3, 4)).all()):
            return None
        starts = np.cumsum(self.counts) - self.counts
        faces = np.full((len(self.counts), 4), -1, dtype=np.int32)
        for rank in range(4):
            has = self.counts > rank
            faces[has, rank] = self.corners[starts[has] + rank]
        return faces

    def display(self) -> Display | None:
        """Display vertices: one for every pair of point and texture coordinate that meets at a corner."""
        if self.uvs is None or self.uv_corners is None or not len(self.uvs):
            return None
        points, rows, label = distinct_pairs(self.corners, self.uv_corners)
        uvs = np.where(rows[:, None] >= 0, self.uvs[np.maximum(rows, 0)], 0.0)
        return Display(points, label[self.triangle_corners()], uvs)


def distinct_pairs(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The distinct pairs among (C,) and (C,), in order, and which of them each pair is (C,); -1 may stand in either."""
    wide = int(second.max(initial=0)) + 2
    keys, label = np.unique((first.astype(np.int64) + 1) * wide + second + 1, return_inverse=True)
    pairs = np.stack([keys // wide - 1, keys % wide - 1]).astype(np.int32)
    return pairs[0], pairs[1], label.reshape(-1).astype(np.int32)


def concatenate(surfaces: list[tuple[Surface, int]]) -> Surface:
    """Several surfaces as one; each comes with its number of points, and the points stand one after the other."""
    corners, uv_corners, uvs = [], [], []
    points = rows = 0
    for surface, count in surfaces:
        corners.append(surface.corners + points)
        given = surface.uv_corners
        if given is None or surface.uvs is None:
            uv_corners.append(np.full(len(surface.corners), -1, dtype=np.int32))
        else:
            uv_corners.append(np.where(given >= 0, given + rows, -1))
            uvs.append(surface.uvs)
            rows += len(surface.uvs)
        points += count
    counts = np.concatenate([surface.counts for surface, _ in surfaces])
    looks = [
        np.full(len(s.counts), -1, dtype=np.int32) if s.material_indices is None else s.material_indices
        for s, _ in surfaces
    ]
    material_indices = (
        None if all(surface.material_indices is None for surface, _ in surfaces) else np.concatenate(looks)
    )
    if not uvs:
        return Surface(counts, np.concatenate(corners), material_indices=material_indices)
    return Surface(counts, np.concatenate(corners), np.concatenate(uvs), np.concatenate(uv_corners), material_indices)


def _display_polygons(triangles: IntArray, quads: np.ndarray) -> IntArray | None:
    """Display vertices (P, 4) of the polygons whose triangles are `triangles`; None where a seam crosses a quad."""
    pieces = np.where(quads, 2, 1)
    first = np.cumsum(pieces) - pieces
    faces = np.full((len(quads), 4), -1, dtype=np.int32)
    faces[:, :3] = triangles[first]
    second = triangles[first[quads] + 1]
    if not np.array_equal(second[:, :2], triangles[first[quads]][:, [0, 2]]):
        return None
    faces[quads, 3] = second[:, 2]
    return faces
