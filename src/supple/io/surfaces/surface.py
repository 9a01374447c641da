"""A mesh as files hold it: faces of any length, with texture coordinates, normals and colours at every corner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.attributes import join_attributes, placed
from supple.character.character import Character, Display
from supple.errors import FormatError
from supple.geometry.topology import triangulate

Layer = tuple[Float32Array, IntArray]


@dataclass(frozen=True, eq=False)
class Surface:
    """Faces one after the other: face f has `counts[f]` corners, corner c stands on point `corners[c]`.

    `uv_corners` (C,) names the row of `uvs` (U, 2) at every corner, `material_indices` (F,) the
    material of every face; -1 is none. `layers` are what else stands at corners, by the names of
    `supple.character.attributes`: rows (U, W), and the row of every corner (C,), or -1.
    """

    counts: IntArray
    corners: IntArray
    uvs: FloatArray | None = None
    uv_corners: IntArray | None = None
    material_indices: IntArray | None = None
    layers: Mapping[str, Layer] = field(default_factory=dict)

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
            bare = display is None or (display.uvs is None and not display.attributes)
            if whole and (display_polygons is not None or bare):
                faces, counts = polygons[used], np.where(quads, 4, 3).astype(np.int32)
                looks = None if material_indices is None else material_indices[first]
                drawn = None if display_polygons is None else display_polygons[used]
                return cls(counts, faces, material_indices=looks)._seamed(display, drawn)
        counts = np.full(len(character.triangles), 3, dtype=np.int32)
        plain = cls(counts, character.triangles.ravel(), material_indices=material_indices)
        return plain._seamed(display, None if display is None else display.triangles.ravel())

    def _seamed(self, display: Display | None, drawn: IntArray | None) -> Surface:
        """The same faces with what stands at the drawn vertices (C,) of their corners."""
        if display is None or drawn is None:
            return self
        layers = {name: (rows, drawn) for name, rows in display.attributes.items()}
        if display.uvs is None:
            return replace(self, layers=layers)
        return replace(self, uvs=display.uvs, uv_corners=drawn, layers=layers)

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
        return self.with_corners(order, self.counts)

    def with_corners(self, order: IntArray, counts: IntArray) -> Surface:
        """The surface of the corners `order`, `counts` to the face; materials stay where faces do."""
        uv_corners = None if self.uv_corners is None else self.uv_corners[order]
        layers = {name: (rows, corners[order]) for name, (rows, corners) in self.layers.items()}
        return Surface(counts, self.corners[order], self.uvs, uv_corners, self.material_indices, layers)

    def placed(self, placement: FloatArray) -> Surface:
        """The same faces, whose points go by an affine map (4, 4): normals and tangents turn."""
        if not self.layers or not abs(np.linalg.det(placement[:3, :3])) > 1e-30:
            return self
        rows = placed({name: rows for name, (rows, _) in self.layers.items()}, placement)
        return replace(self, layers={name: (rows[name], corners) for name, (_, corners) in self.layers.items()})

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
        """Display vertices: one for every point, texture coordinate and row of a layer that meet at a corner."""
        textured = self.uvs is not None and self.uv_corners is not None and len(self.uvs) > 0
        if not textured and not self.layers:
            return None
        points = label = self.corners
        chosen: dict[str, IntArray] = {}
        layers = {name: corners for name, (_, corners) in self.layers.items()}
        if textured and self.uv_corners is not None:
            layers = {"": self.uv_corners, **layers}
        for name, corners in layers.items():
            before, rows, label = distinct_pairs(label, corners)
            chosen = {known: kept[before] for known, kept in chosen.items()} | {name: rows}
            points = before if len(chosen) == 1 else points[before]
        drawn = {name: _rows_or_nothing(name, rows, chosen[name]) for name, (rows, _) in self.layers.items()}
        uvs = None
        if textured and self.uvs is not None:
            uvs = np.where(chosen[""][:, None] >= 0, self.uvs[np.maximum(chosen[""], 0)], 0.0)
        return Display(points, label[self.triangle_corners()], uvs, drawn)


def _rows_or_nothing(name: str, rows: Float32Array, chosen: IntArray) -> Float32Array:
    """The chosen rows; where -1 is chosen, what stands for none."""
    nothing = np.float32(1.0 if name.startswith("COLOR_") else 0.0)
    if not len(rows):
        return np.full((len(chosen), rows.shape[1]), nothing)
    return np.where(chosen[:, None] >= 0, rows[np.maximum(chosen, 0)], nothing)


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
    layers = _joined_layers([surface for surface, _ in surfaces])
    if not uvs:
        return Surface(counts, np.concatenate(corners), material_indices=material_indices, layers=layers)
    return Surface(
        counts, np.concatenate(corners), np.concatenate(uvs), np.concatenate(uv_corners), material_indices, layers
    )


def _joined_layers(surfaces: list[Surface]) -> dict[str, Layer]:
    """The layers of all surfaces; a corner whose surface lacks one has none of its rows."""
    sizes = [{name: len(rows) for name, (rows, _) in surface.layers.items()} for surface in surfaces]
    joined: dict[str, Layer] = {}
    for name in dict.fromkeys(name for surface in surfaces for name in surface.layers):
        rows = join_attributes(
            [
                ({name: surface.layers[name][0]}, len(surface.layers[name][0]))
                for surface in surfaces
                if name in surface.layers
            ]
        )[name]
        before = np.cumsum([0, *(size.get(name, 0) for size in sizes)])
        corners = [
            np.where(surface.layers[name][1] >= 0, surface.layers[name][1] + first, -1)
            if name in surface.layers
            else np.full(len(surface.corners), -1)
            for surface, first in zip(surfaces, before, strict=False)
        ]
        joined[name] = rows, np.concatenate(corners).astype(np.int32)
    return joined


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
