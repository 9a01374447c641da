"""The body-centred cubic lattice: where its nodes are, how they are joined, and which elements they make.

Nodes have whole coordinates that are all even (the corners of cubes of side 2) or all odd (their middles). Every node
has 14 neighbours: six two steps away along an axis, on a *long* edge, and eight one step away along each axis, on a
*short* one. Two nodes on a long edge and two neighbouring ones of the ring of four around it make an element; all
elements are alike, with dihedral angles of 60 and 90 degrees and edges 2 and sqrt(3) long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.arrays import IntArray

Int64Array = NDArray[np.int64]

LONG = 6  # the first six steps are long, the other eight short
STEPS: IntArray = np.array(
    [sign * 2 * np.eye(3, dtype=np.int32)[axis] for axis in range(3) for sign in (1, -1)]
    + [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)],
    dtype=np.int32,
)


def _elements() -> IntArray:
    """Corners (12, 4, 3) of the elements that belong to the even node at zero, relative to it.

    Corners 0 and 1 are even and lie on a long edge, 2 and 3 are odd and lie on another one; volumes are positive.
    """
    made = []
    for axis in range(3):
        ahead = 2 * np.eye(3, dtype=np.int32)[axis]
        u, v = np.eye(3, dtype=np.int32)[(axis + 1) % 3], np.eye(3, dtype=np.int32)[(axis + 2) % 3]
        ring = [ahead // 2 + u * a + v * b for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        made += [[np.zeros(3, dtype=np.int32), ahead, ring[i], ring[(i + 1) % 4]] for i in range(4)]
    return np.array(made, dtype=np.int32)


ELEMENTS: IntArray = _elements()


def _directions() -> IntArray:
    """Which of the 14 steps (12, 4, 4) leads from one corner of an element to another; -1 to itself."""
    steps = ELEMENTS[:, None, :, :] - ELEMENTS[:, :, None, :]
    same = (steps[:, :, :, None, :] == STEPS).all(axis=-1)
    return np.where(same.any(axis=-1), same.argmax(axis=-1), -1).astype(np.int32)


DIRECTIONS: IntArray = _directions()


class Lattice:
    """Numbers for the nodes of a box of the lattice: `low` to `high`, whole coordinates, both included."""

    def __init__(self, low: IntArray, high: IntArray) -> None:
        self._low = np.asarray(low, dtype=np.int64) - 4  # room for the neighbours of neighbours
        self._sides = np.asarray(high, dtype=np.int64) + 5 - self._low

    def numbers(self, nodes: IntArray | Int64Array) -> Int64Array:
        """One number for each node (..., 3); they rise as x, then y, then z."""
        x, y, z = np.moveaxis(np.asarray(nodes, dtype=np.int64) - self._low, -1, 0)
        return np.asarray((x * self._sides[1] + y) * self._sides[2] + z)

    def nodes(self, numbers: Int64Array) -> IntArray:
        """The nodes (..., 3) that have these numbers."""
        z = numbers % self._sides[2]
        rest = numbers // self._sides[2]
        return (np.stack([rest // self._sides[1], rest % self._sides[1], z], axis=-1) + self._low).astype(np.int32)

    def shifts(self, steps: IntArray) -> Int64Array:
        """What a step (..., 3) adds to the number of a node."""
        x, y, z = np.moveaxis(np.asarray(steps, dtype=np.int64), -1, 0)
        return np.asarray((x * self._sides[1] + y) * self._sides[2] + z)


def find(sorted_numbers: Int64Array, wanted: Int64Array) -> Int64Array:
    """Where each wanted number stands among the sorted ones; -1 where it does not."""
    index = np.searchsorted(sorted_numbers, wanted)
    index[index == len(sorted_numbers)] = 0
    return np.asarray(np.where(sorted_numbers[index] == wanted, index, -1))


def elements_around(lattice: Lattice, inside: Int64Array) -> tuple[Int64Array, IntArray, Int64Array]:
    """All elements with a corner among the sorted nodes `inside`.

    Returns for each element the place of its corners in `inside` (T, 4), -1 for other nodes, its kind (T,), a row of
    ELEMENTS, and the number (T,) of the even node it belongs to.
    """
    nodes = lattice.nodes(inside)
    even = (nodes[:, 0] & 1) == 0
    bases = [inside[even]]
    for corner in range(4):
        offsets = np.unique(ELEMENTS[:, corner], axis=0)
        some = inside[even] if corner < 2 else inside[~even]
        bases += [some - shift for shift in lattice.shifts(offsets) if shift]
    base = np.unique(np.concatenate(bases))
    offsets, which = np.unique(lattice.shifts(ELEMENTS).reshape(-1), return_inverse=True)
    around = np.stack([find(inside, base + shift) for shift in offsets], axis=1)
    corners = around[:, which.reshape(12, 4)]
    row, kind = np.nonzero((corners >= 0).any(axis=2))
    return corners[row, kind], kind.astype(np.int32), base[row]
