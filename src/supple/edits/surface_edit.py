"""One shape drawn by hand: how far vertices are moved, as seen from the places where they hang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError

KINEMATIC = 1e6  # times as stiff as all other springs: such handles are where they were put
_WHERE = "SurfaceEdit"
_NOTHING = 1e-9  # of the largest offset: less is not kept


@dataclass(frozen=True, eq=False)
class SurfaceEdit:
    """Changes `offsets` (N, 3) [m] of the scale vectors of `vertices` (N,), which are sorted and differ.

    Offsets are in the axes of the rest pose and turn with the scale vectors: v = a' + R (s + offset). So they are the
    same edit in every pose, they add up, and half an edit is half its offsets.

    An edit with `handles`, sorted and among its vertices, is a force to skins with springs: those alone are drawn to
    where they were put, with `stiffness` times that of all other springs there (a million makes them kinematic), the
    other vertices are passive and follow by their springs, and the rest stays. Other skins show all of its offsets.
    """

    vertices: IntArray
    offsets: FloatArray
    handles: IntArray | None = None
    stiffness: float = KINEMATIC

    def __post_init__(self) -> None:
        vertices = frozen(self.vertices, np.int32, (-1,), _WHERE, "vertices")
        offsets = frozen(self.offsets, np.float64, (len(vertices), 3), _WHERE, "offsets")
        if len(vertices) and (vertices[0] < 0 or (np.diff(vertices) <= 0).any()):
            raise InputError(
                _WHERE,
                "vertices are negative, or not sorted, or stand twice",
                "each vertex is named once, in order",
                "use SurfaceEdit.of",
            )
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "offsets", offsets)
        self._check_handles()

    def _check_handles(self) -> None:
        if not 0.0 < self.stiffness <= KINEMATIC:
            given = f"stiffness is {self.stiffness}"
            raise InputError(_WHERE, given, f"the range is above 0 to {KINEMATIC:g}", f"{KINEMATIC:g} holds firmly")
        if self.handles is None:
            return
        handles = frozen(self.handles, np.int32, (-1,), _WHERE, "handles")
        if not len(handles) or (np.diff(handles) <= 0).any() or not np.isin(handles, self.vertices).all():
            raise InputError(
                _WHERE,
                f"{len(handles)} handles are named",
                "one at least is needed, each once, in order, and all among the vertices of the edit",
                "use hold",
            )
        object.__setattr__(self, "handles", handles)

    def hold(self, handles: ArrayLike, *, stiffness: float = KINEMATIC) -> SurfaceEdit:
        """The same edit as a force on these handles, which its other vertices follow, in skins with springs."""
        return replace(self, handles=np.unique(np.asarray(handles, dtype=np.int32)), stiffness=stiffness)

    @classmethod
    def of(cls, offsets: ArrayLike) -> SurfaceEdit:
        """From an offset for every vertex (V, 3); those that do not move are not kept."""
        every = frozen(offsets, np.float64, (-1, 3), _WHERE, "offsets")
        size = np.maximum.reduce(np.abs(every.T)) if len(every) else np.zeros(0)  # by columns: there are many rows
        moved = np.flatnonzero(size > _NOTHING * size.max(initial=0.0))
        return cls(moved.astype(np.int32), every[moved])

    def dense(self, count: int) -> FloatArray:
        """The offset of every one of `count` vertices (count, 3) [m]."""
        if len(self.vertices) and self.vertices[-1] >= count:
            raise InputError(
                _WHERE,
                f"it moves vertex {self.vertices[-1]}",
                f"the mesh has {count} vertices",
                "use it on the character it was drawn on",
            )
        every = np.zeros((count, 3))
        every[self.vertices] = self.offsets
        return every


def mix(edits: Sequence[SurfaceEdit], amounts: ArrayLike) -> SurfaceEdit:
    """The sum of edits, each times its amount."""
    weights = frozen(amounts, np.float64, (len(edits),), _WHERE, "amounts")
    count = max((int(edit.vertices[-1]) + 1 for edit in edits if len(edit.vertices)), default=0)
    total = np.zeros((count, 3))
    for edit, weight in zip(edits, weights, strict=True):
        total += weight * edit.dense(count)
    return SurfaceEdit.of(total)
