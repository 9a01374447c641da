"""Which triangles of the skin lie over a bone and are so large that it could come out between their corners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.character import Character
from supple.geometry.rows import group_by_label
from supple.skins.position_based.body.tetrahedral_body import moving_bones

_PLACES = 9  # along every bone
_ROUNDS = 4  # in which places that share a vertex come to an agreement
_NEAREST = 32  # triangles about a place that are looked at
_SMALL = 0.4  # of the distance to the bone: corners of smaller triangles hold their side of it by themselves
_BESIDE = 1e-4  # barycentric: what lies over the border of two triangles lies over both


@dataclass(frozen=True, eq=False)
class CoveredBones:
    """R places on bones at rest, each with the place of the skin that lies straight over it.

    `joints` (R,) move the bones, `points` (R, 3) [m] are the places. `corners` (R, 3) are the triangle's and
    `barycentric` (R, 3) the place in it, `offsets` (R, 3) [m] the way there; `covers` (R, 2) are its length, and how
    much the bones below carry of that skin. Vertex `vertices[m]` is a corner in `members[starts[m]:starts[m + 1]]`,
    three times the row and the corner's number.
    """

    joints: IntArray
    points: Float32Array
    corners: IntArray
    barycentric: Float32Array
    offsets: Float32Array
    covers: Float32Array
    vertices: IntArray
    starts: IntArray
    members: IntArray
    copies: int = 1

    @classmethod
    def from_character(cls, character: Character, carried: FloatArray | Float32Array) -> CoveredBones:
        """`carried` (V,) is how much of every vertex the bones below it carry, from 0 to 1."""
        skin = character.anatomy.shells.flesh_triangles(character.triangles)
        bones = moving_bones(character, character.skeleton.bones)
        along = np.linspace(0.0, 1.0, _PLACES)[:, None]
        places = (bones.starts[:, None] + along * (bones.ends - bones.starts)[:, None]).reshape(-1, 3)
        joints = np.repeat(bones.joints, _PLACES)
        faces, _ = enclosing_triangles(character.points, skin)
        place, face, barycentric, offsets = _straight_over(places, character.points, faces)
        corners = faces[face]
        counts = np.einsum("rk,rk->r", barycentric, carried[corners])
        kept = counts > 0.0
        corners = corners[kept]
        vertices, number = np.unique(corners, return_inverse=True)
        starts, members = group_by_label(number.ravel().astype(np.int32), len(vertices))
        covers = np.stack([np.linalg.norm(offsets, axis=1), counts], axis=1)[kept]
        return cls(
            joints[place[kept]].astype(np.int32),
            places[place[kept]].astype(np.float32),
            corners.astype(np.int32),
            barycentric[kept].astype(np.float32),
            offsets[kept].astype(np.float32),
            covers.astype(np.float32),
            vertices.astype(np.int32),
            starts,
            members,
        )

    def stack(self, count: int) -> CoveredBones:
        """Those of a crowd of `count`, of which these are one member's."""
        return replace(self, copies=count)

    def record(
        self, transforms: Any, incoming: Any, skin: Any, constants: devices.Constants
    ) -> list[Callable[[], object]]:
        """Recorded: draw `skin` over bones that came out through it, where they are inside `incoming`.

        Each place of a bone wants the place of the skin over it on the side where the bones alone carry it; the corners
        go along with that, and where they have several to go with, with their mean, which weighs by how far it is.
        """
        from supple.skins.position_based import cover_kernels as kernels

        rows, moved = self.copies * len(self.joints), self.copies * len(self.vertices)
        if not rows:
            return []
        wp, put, device = devices.warp(), constants.put, constants.device
        sizes = [len(skin) // self.copies, len(transforms) // self.copies]
        corners, barycentric = put(self.corners, wp.vec3i), put(self.barycentric, wp.vec3f)
        pushes = constants.blank(rows, wp.vec3f)
        bones = [put(self.joints, wp.int32), put(self.points, wp.vec3f), put(self.offsets, wp.vec3f)]
        inputs = [*sizes, *bones, put(self.covers, wp.vec2f), corners, barycentric, transforms, incoming, skin, pushes]
        find = devices.Launch(kernels.find_bared, rows, inputs, device)
        around = [put(self.vertices, wp.int32), put(self.starts, wp.int32), put(self.members, wp.int32)]
        inputs = [sizes[0], len(self.joints), *around, barycentric, pushes, skin]
        draw = devices.Launch(kernels.draw_over, moved, inputs, device)
        if device != "cpu":
            return [find, draw] * _ROUNDS

        def draw_while_bared() -> None:
            for _ in range(_ROUNDS):
                find()
                if not pushes.numpy().any():
                    return
                draw()

        return [draw_while_bared]


def _straight_over(
    places: FloatArray, points: FloatArray, faces: IntArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Pairs of a place (K, 3) and a large triangle that it lies straight below: their numbers, where, and the way."""
    from scipy.spatial import cKDTree

    none = np.zeros(0, dtype=np.int32)
    if not len(faces) or not len(places):
        return none, none, np.zeros((0, 3)), np.zeros((0, 3))
    corner = points[faces]
    middle = corner.mean(axis=1)
    reach = np.linalg.norm(corner - middle[:, None], axis=2).max(axis=1)
    each = min(_NEAREST, len(faces))
    _, near = cKDTree(middle).query(places, k=each)
    place, face = np.repeat(np.arange(len(places)), each), np.asarray(near).reshape(-1)
    a, b, c = np.moveaxis(corner[face] - places[place][:, None], 1, 0)
    normal = np.cross(b - a, c - a)
    square = np.einsum("ni,ni->n", normal, normal)
    safe = np.where(square > 0.0, square, 1.0)
    sides = (np.cross(b, c), np.cross(c, a), np.cross(a, b))
    barycentric = np.stack([np.einsum("ni,ni->n", normal, side) / safe for side in sides], axis=1)
    height = np.einsum("ni,ni->n", normal, a) / np.sqrt(safe)
    below = (square > 0.0) & (height > 0.0) & (barycentric > -_BESIDE).all(axis=1)
    below &= reach[face] > _SMALL * height
    offsets = (height / np.sqrt(safe))[:, None] * normal
    return place[below].astype(np.int32), face[below].astype(np.int32), barycentric[below], offsets[below]
