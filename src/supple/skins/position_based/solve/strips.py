"""The elements around every particle as strips of triangles, so that one new corner at a time makes an element.

What faces a particle in its elements is a triangulated surface around it. A thread of a GPU that goes along it from
triangle to triangle, and remembers the two corners of the side it came through, reads one particle for an element
instead of three, and meets all its edges on the way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import Float32Array, IntArray
from supple.geometry.rows import GROUP, group_by_label, in_groups
from supple.geometry.tetrahedra.tetrahedra import FACES

REPLACE_FIRST = 1 << 16  # flag of a step: its corner takes the place of the first of the two, not of the second
_SORTED = 16 * GROUP  # particles within which those of like length are put together
_NO_EDGE = -1.0
_STARTS = 6  # of strips that are tried


@dataclass(frozen=True)
class Strips:
    """Steps around all particles of a body.

    Thread t goes around `particles[t]` (a multiple of `GROUP`, -1 for none) from step `starts[t // GROUP] + t % GROUP`
    up to `starts[t // GROUP + 1]`, every `GROUP`th. A step's `codes` are its corner and whether that is to replace the
    first of two (p, q); `elements` are those that (particle, p, q, corner) make, -1 for none; `lengths` [m] are of the
    edges to the corner, below zero for none.
    """

    particles: IntArray
    starts: IntArray
    codes: IntArray
    elements: IntArray
    lengths: Float32Array

    @classmethod
    def from_body(cls, count: int, corners: IntArray, ends: IntArray, rest_lengths: Float32Array) -> Strips:
        """Of a body of `count` particles with elements `corners` (T, 4) and edges `ends` (E, 2)."""
        starts, members = group_by_label(corners.reshape(-1), count)
        others = np.asarray(corners[members[:, None] // 4, FACES[members % 4]]).tolist()
        elements = (members // 4).tolist()
        edge_starts, half = group_by_label(ends.reshape(-1), count)
        far_ends, lengths = ends[half // 2, 1 - half % 2].tolist(), rest_lengths[half // 2].tolist()
        walks = []
        for i in range(count):
            mine = range(starts[i], starts[i + 1])
            edges = range(edge_starts[i], edge_starts[i + 1])
            triangles = [others[m] for m in mine]
            walks.append(_walk(triangles, [elements[m] for m in mine], {far_ends[e]: lengths[e] for e in edges}))
        return cls._in_groups(walks)

    @classmethod
    def _in_groups(cls, walks: list[list[tuple[int, int, float]]]) -> Strips:
        sizes = np.array([len(walk) for walk in walks], dtype=np.int64)
        order = np.full(-(-len(walks) // GROUP) * GROUP, -1)
        order[: len(walks)] = np.lexsort((-sizes, np.arange(len(walks)) // _SORTED))
        groups = order.reshape(-1, GROUP)
        longest = np.where(groups >= 0, sizes[groups], 0).max(axis=1, initial=0)
        # The longest first: who is done takes the next.
        first = np.argsort(-longest, kind="stable")
        groups = groups[first]
        particles = groups.reshape(-1).astype(np.int32)
        ordered = [walks[i] if i >= 0 else [] for i in particles]
        starts, at = in_groups([len(walk) for walk in ordered])
        codes, elements = np.zeros(starts[-1], dtype=np.int32), np.full(starts[-1], -1, dtype=np.int32)
        lengths = np.full(starts[-1], _NO_EDGE, dtype=np.float32)
        steps = [step for walk in ordered for step in walk]
        codes[at], elements[at], lengths[at] = ([step[k] for step in steps] for k in range(3))
        return cls(particles, starts, codes, elements, lengths)


def _walk(triangles: list[list[int]], elements: list[int], edges: dict[int, float]) -> list[tuple[int, int, float]]:
    """Steps (code, element, length) that meet all triangles around a particle, and all its edges, once."""
    across = {}  # the triangle that has a side in this direction
    for number, (a, b, c) in enumerate(triangles):
        across[a, b] = across[b, c] = across[c, a] = number
    left, unmet = set(range(len(triangles))), dict(edges)
    steps: list[tuple[int, int, float]] = []

    def step(corner: int, element: int, *, first: bool) -> None:
        steps.append((corner + first * REPLACE_FIRST, element, unmet.pop(corner, _NO_EDGE)))

    while left:
        (p, q), strip = _longest_strip(triangles, across, left)
        step(p, -1, first=True)
        step(q, -1, first=False)
        for number, corner, first in strip:
            step(corner, elements[number], first=first)
            left.discard(number)
    for corner in list(unmet):
        step(corner, -1, first=True)
    return steps


def _longest_strip(
    triangles: list[list[int]], across: dict[tuple[int, int], int], left: set[int]
) -> tuple[tuple[int, int], list[tuple[int, int, bool]]]:
    """Of a few strips through triangles that are left the longest: its first side, and (triangle, corner, first)."""
    lonely = sorted(left, key=lambda number: (_neighbors(triangles[number], across, left), number))
    best: tuple[tuple[int, int], list[tuple[int, int, bool]]] = (0, 0), []
    for number in lonely[:_STARTS]:
        a, b, c = triangles[number]
        # Its first side is one behind which nothing is left, if there is one.
        a, b, c = next(
            (s for s in ((a, b, c), (b, c, a), (c, a, b)) if across.get((s[1], s[0])) not in left), (a, b, c)
        )
        strip = _strip(number, (a, b, c), triangles, across, set(left))
        if len(strip) > len(best[1]):
            best = (a, b), strip
        if len(strip) == len(left):
            break
    return best


def _strip(
    number: int,
    corners: tuple[int, int, int],
    triangles: list[list[int]],
    across: dict[tuple[int, int], int],
    left: set[int],
) -> list[tuple[int, int, bool]]:
    """From a triangle on to the neighbor that has the fewest others to go to, until there is none."""
    p, q, v = corners
    strip = []
    while True:
        left.discard(number)
        ways = []
        for first, side in ((True, (v, q)), (False, (p, v))):
            beyond = across.get(side, -1)
            if beyond in left:
                ways.append((_neighbors(triangles[beyond], across, left), first, side, beyond))
        if not ways:
            strip.append((number, v, True))
            return strip
        _, first, (p_, q_), beyond = min(ways)
        strip.append((number, v, first))
        p, q, number = p_, q_, beyond
        v = next(corner for corner in triangles[number] if corner not in (p, q))


def _neighbors(triangle: list[int], across: dict[tuple[int, int], int], left: set[int]) -> int:
    """How many triangles beside one are left."""
    a, b, c = triangle
    return (across.get((b, a)) in left) + (across.get((c, b)) in left) + (across.get((a, c)) in left)
