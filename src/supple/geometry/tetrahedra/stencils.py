"""How a lattice element that the skin cuts is filled: the pieces for every pattern of corners.

A corner is kept ('inside'), lies on the skin, or is cut away. Kept parts are tetrahedra, pyramids or prisms between
kept corners, corners on the skin, and cut points on the edges from a kept to a cut-away corner. Faces with two kept
corners and two cut points are quads; their diagonal follows from the face alone, so that the neighbour across the
face cuts it the same way [Labelle2007]: where one of its cut edges is long, from the cut point on that edge; where
both are short, from the kept corner of even parity.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from supple.arrays import IntArray
from supple.geometry.tetrahedra.lattice import ELEMENTS

AWAY, SKIN, KEPT = 0, 1, 2
PIECES = 3  # the most tetrahedra that one element is filled with
# A place in an element: corner c is 5 c, the cut point on the edge from kept corner c to corner d is 4 c + d.

LocalIndex = int
Piece = tuple[LocalIndex, LocalIndex, LocalIndex, LocalIndex]


def corner(c: int) -> LocalIndex:
    """The place of corner c."""
    return 5 * c


def cut(kept: int, away: int) -> LocalIndex:
    """The place of the cut point on the edge from a kept corner to one that is cut away."""
    return 4 * kept + away


def pattern(states: IntArray, first_even: IntArray, second_even: IntArray, crosswise: IntArray) -> IntArray:
    """The row (N,) of the table for elements with corner states (N, 4) and three choices, each 0 or 1 (N,).

    `first_even` and `second_even` say whether corner 0 rather than 1, and corner 2 rather than 3, has even parity.
    `crosswise` chooses the diagonal of the quad on the skin where either would do.
    """
    code = ((states[:, 0] * 3 + states[:, 1]) * 3 + states[:, 2]) * 3 + states[:, 3]
    return np.asarray(((code * 2 + first_even) * 2 + second_even) * 2 + crosswise, dtype=np.int32)


@cache
def table() -> tuple[IntArray, IntArray]:
    """How many pieces every pattern has (648,), and the four places of each (648, 3, 4)."""
    counts = np.zeros(648, dtype=np.int32)
    pieces = np.zeros((648, PIECES, 4), dtype=np.int32)
    every = product(product((AWAY, SKIN, KEPT), repeat=4), product((False, True), repeat=3))
    for row, (states, (first_even, second_even, crosswise)) in enumerate(every):
        made = [_outwards(piece) for piece in _fill(states, (first_even, second_even), crosswise)]
        counts[row] = len(made)
        pieces[row, : len(made)] = np.array(made).reshape(-1, 4)
    return counts, pieces


def _fill(states: tuple[int, ...], even: tuple[bool, bool], crosswise: bool) -> list[Piece]:
    kept = [c for c in range(4) if states[c] == KEPT]
    skin = [c for c in range(4) if states[c] == SKIN]
    away = [c for c in range(4) if states[c] == AWAY]
    if not kept:
        return []
    if not away:
        return [(0, 5, 10, 15)]
    if len(kept) == 1:
        rest = [corner(c) for c in skin] + [cut(kept[0], c) for c in away]
        return [(corner(kept[0]), rest[0], rest[1], rest[2])]
    if len(kept) == 2 and len(away) == 1:  # a pyramid over the quad of a face, its top on the skin
        (a, b), far, top = kept, away[0], corner(skin[0])
        from_a = _diagonal_from_first(a, b, far, even)
        one, other = corner(a), corner(b)
        near, next_to = cut(a, far), cut(b, far)
        if from_a:
            return [(top, one, other, next_to), (top, one, next_to, near)]
        return [(top, one, other, near), (top, other, next_to, near)]
    if len(kept) == 3:  # a prism between the kept corners and their cut points
        far = away[0]
        ends = [(corner(c), cut(c, far)) for c in kept]
        diagonal_rises = [
            _diagonal_from_first(kept[i], kept[(i + 1) % 3], far, even) for i in range(3)
        ]  # from the upper corner of edge i to the lower one of edge i + 1
        return _prism([upper for upper, _ in ends], [lower for _, lower in ends], diagonal_rises)
    (a, b), (c, d) = kept, away  # a prism along the edge between the two kept corners
    # Its three sides are that over face (a, b, c), the quad on the skin, and that over face (a, b, d).
    diagonal_rises = [_diagonal_from_first(a, b, c, even), crosswise, _diagonal_from_first(b, a, d, even)]
    if diagonal_rises[0] == diagonal_rises[1] == diagonal_rises[2]:
        diagonal_rises[1] = not crosswise  # three diagonals that chase each other round leave no way to fill the prism
    return _prism([corner(a), cut(a, c), cut(a, d)], [corner(b), cut(b, c), cut(b, d)], diagonal_rises)


def _diagonal_from_first(a: int, b: int, far: int, even: tuple[bool, bool]) -> bool:
    """Whether the diagonal of quad (a, b, cut b, cut a) starts at corner a (to cut b), rather than at b (to cut a)."""
    if _long(a, far):
        return False
    if _long(b, far):
        return True
    return even[a // 2] == (a % 2 == 0)


def _long(a: int, b: int) -> bool:
    return a // 2 == b // 2


def _prism(upper: list[LocalIndex], lower: list[LocalIndex], diagonal_rises: list[bool]) -> list[Piece]:
    """Three tetrahedra in a prism; side i lies between edges i and i + 1.

    Its diagonal joins upper i with lower i + 1 where `diagonal_rises[i]`, and lower i with upper i + 1 elsewhere.
    """
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for top, bottom, here, before in (
            (upper, lower, diagonal_rises[i], not diagonal_rises[k]),
            (lower, upper, not diagonal_rises[i], diagonal_rises[k]),
        ):
            if here and before:  # both diagonals at edge i start at this end
                last = diagonal_rises[j] if top is upper else not diagonal_rises[j]
                whole = (top[i], bottom[0], bottom[1], bottom[2])
                if last:
                    return [whole, (top[i], top[j], top[k], bottom[k]), (top[i], top[j], bottom[j], bottom[k])]
                return [whole, (top[i], top[j], top[k], bottom[j]), (top[i], top[k], bottom[j], bottom[k])]
    raise AssertionError("diagonals chase each other round the prism")


def _outwards(piece: Piece) -> Piece:
    """Turn a piece so that its volume is positive in an element of the lattice."""
    corners = ELEMENTS[0].astype(float)
    positions = [0.5 * (corners[index // 4] + corners[index % 4]) for index in piece]
    a, b, c, d = positions
    volume = float(np.dot(np.cross(b - a, c - a), d - a))
    return piece if volume > 0.0 else (piece[0], piece[1], piece[3], piece[2])
