"""Where the skin passes through itself, how often and how deep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray
from supple.geometry.collision.self_intersection import CrossingFinder
from supple.measure.frames import CHUNK, frames_of, mesh_of


@dataclass(frozen=True)
class Penetration:
    """`pairs` (F,) of triangles that pass through each other; `at_rest` of them do so in the rest pose already.

    `vertices` (F,) is how many vertices lie inside the body and `depth` (F,) [m] how deep the deepest is: through the
    flesh under it to the nearest skin that faces the other way. Both are NaN for an open mesh, which has no inside.
    """

    pairs: IntArray
    at_rest: int
    vertices: FloatArray
    depth: FloatArray


def penetration(
    points: ArrayLike, rest_points: ArrayLike, triangles: ArrayLike, *, ignore_rest: bool = False
) -> Penetration:
    """Count the pairs of triangles that cross in frames (F, V, 3), and measure how deep the skin is in itself.

    Pairs that share a vertex do not count, nor do triangles that touch without passing through. With `ignore_rest`,
    pairs that cross in the rest pose are left out, for characters whose eyes or clothes were modelled that way.
    """
    rest, faces = mesh_of(rest_points, triangles, "penetration")
    frames = frames_of(points, "penetration", vertices=len(rest))
    finder = CrossingFinder(rest, faces, frames_at_once=min(CHUNK, len(frames)))
    already = finder.pairs(rest)
    if ignore_rest and len(already):
        finder.pass_over(already)
    found = finder.search(frames)
    unknown = np.full(len(frames), np.nan)
    return Penetration(
        pairs=found.counts,
        at_rest=len(already),
        vertices=unknown if found.inside is None else found.inside.astype(np.float64),
        depth=unknown if found.depths is None else found.depths,
    )
