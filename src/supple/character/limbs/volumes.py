"""The volume of every limb of a body, cut off across the middle of its bones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import Float32Array, FloatArray, IntArray
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.character.character import Character
from supple.character.limbs.cuts import cut_triangles
from supple.character.limbs.division import Limbs, find_limbs

SLAB = 0.15  # of the area of its cuts to the power 1.5: what has less volume is a slab, not a limb


@dataclass(frozen=True, eq=False)
class LimbVolumes:
    """Cuts a body across the middle of its bones and tells the volume of each piece, which is the limb of a joint.

    The cuts are lines on the skin at rest, planar where a bone is between, and stay on the same places of the skin when
    it moves. Each is closed by a fan to its middle, which both neighbours share: what one loses at a cut the other
    gains, and limbs add up to the whole. Holes of the skin are covered, patches of it turned outwards
    (`enclosing_triangles`).

    Of `triangles` (T, 3) the `shares` (L, T) belong to limbs. Cuts are `segments` (S, 2) between corners, which `mixed`
    (C, V) makes from vertices, and belong to closed lines `tips` (S,), whose middles `line_corners` (K, C) makes from
    those; `beside` (S, 2) are the limbs on their left and right.
    """

    limbs: Limbs
    triangles: IntArray
    shares: Any
    mixed: Any
    line_corners: Any
    segments: IntArray
    tips: IntArray
    beside: IntArray

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that limbs lie around."""
        return self.limbs.names

    @classmethod
    def from_character(cls, character: Character, triangles: IntArray | None = None) -> LimbVolumes | None:
        """Of a character that has weights and encloses something: by all its skin, or by `triangles` (T, 3) of it."""
        limbs = find_limbs(character)
        given = character.triangles if triangles is None else triangles
        triangles, _ = enclosing_triangles(character.points, given)
        if limbs is None or not len(triangles):
            return None
        while True:
            found = cls._of(character.points, triangles, limbs)
            flat = found._flattest(character.points)
            if flat is None:
                return found
            limbs = limbs.merge(*flat)

    @classmethod
    def _of(cls, points: FloatArray, triangles: IntArray, limbs: Limbs) -> LimbVolumes:
        cuts = cut_triangles(points, triangles, limbs)
        tips, middles = cuts.lines(points)
        mixed = cuts.corners
        return cls(limbs, triangles, cuts.shares, mixed, middles, cuts.segments, tips, cuts.beside)

    def _flattest(self, points: FloatArray) -> tuple[int, int] | None:
        """The limb that is most of a slab between its cuts and no body of its own, and the one that it goes with."""
        corners = self.mixed @ points
        tips = self.line_corners @ corners
        a, b = (corners[self.segments[:, k]] - tips[self.tips] for k in range(2))
        halves = np.repeat(0.5 * np.linalg.norm(np.cross(a, b), axis=1), 2)
        areas = np.bincount(self.beside.reshape(-1), halves, len(self.names))
        volumes = np.maximum(self(points[None])[0], 0.0)
        ratio = np.where(areas > 0.0, volumes / np.maximum(areas, 1e-30) ** 1.5, np.inf)
        limb = int(ratio.argmin())
        return (limb, self.limbs.next_to(limb)) if ratio[limb] < SLAB else None

    def __call__(self, points: FloatArray | Float32Array) -> FloatArray:
        """The volumes (F, L) [m³] in frames (F, V, 3)."""
        found = np.empty((len(points), len(self.names)))
        for frame, given in enumerate(points):
            x = np.asarray(given, dtype=np.float64) - given[self.triangles[0, 0]]
            corners = self.mixed @ x
            tips = self.line_corners @ corners
            caps = _cones(corners[self.segments[:, 1]], corners[self.segments[:, 0]], tips[self.tips])
            found[frame] = self.shares @ _cones(*(x[self.triangles[:, k]] for k in range(3)))
            for side, sign in enumerate((1.0, -1.0)):
                found[frame] += sign * np.bincount(self.beside[:, side], caps, len(self.names))
        return found


def _cones(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """The volume (N,) between the origin and each triangle a b c, V = a . (b x c) / 6."""
    return np.asarray(np.einsum("ni,ni->n", a, np.cross(b, c)) / 6.0)
