"""Hands on the skin: places of it that are held or pushed while it plays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError

_WHERE = "Pull"
RADIUS = 0.09  # of a character's largest side: about 0.16 m on a grown person


@dataclass(frozen=True, eq=False)
class Pull:
    """Take hold of a place of the skin, as an artist's mouse does: either hold it somewhere, or pull it with a force.

    The place is one of the `vertices`, or lies among several by `shares` that sum to one, such as the corners of a
    triangle that was picked. Flesh within `radius` [m] of the place goes along, less towards the rim; without one, that
    is a share of the character's size. Given `to` (3,) [m] the place is held there, however the character moves; given
    `force` (3,) [N] it is pulled that way.

    Bones move as the motion says, whoever pulls, unless the skin moves them itself.
    """

    vertices: int | Sequence[int]
    _: KW_ONLY
    to: ArrayLike | None = None
    force: ArrayLike | None = None
    radius: float | None = None
    shares: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if (self.to is None) == (self.force is None):
            given = "neither `to` nor `force` was given" if self.to is None else "both `to` and `force` were given"
            raise InputError(_WHERE, given, "a pull either holds a place or pushes it", "give one of them")
        if self.radius is not None and not (math.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(_WHERE, f"radius is {self.radius}", "a length above zero is needed", "try 0.1")
        _ = self.indices, self.vector
        if self.shares is None:
            return
        shares = frozen(self.shares, np.float64, (-1,), _WHERE, "shares")
        if len(shares) != len(self.indices) or shares.min() < -1e-9 or abs(shares.sum() - 1.0) > 1e-6:
            raise InputError(
                _WHERE,
                f"shares are {tuple(shares.tolist())}",
                f"{len(self.indices)} are needed, none below zero, that sum to one",
                "use those of a pick",
            )

    @property
    def indices(self) -> IntArray:
        """The vertices (K,) among which the place lies."""
        vertices = np.atleast_1d(np.asarray(self.vertices))
        if vertices.ndim != 1 or not len(vertices) or vertices.dtype.kind not in "iu" or vertices.min() < 0:
            raise InputError(
                _WHERE, f"vertices is {self.vertices!r}", "one number of a vertex is needed, or several", "pick one"
            )
        return vertices.astype(np.int32)

    @property
    def barycentric(self) -> FloatArray:
        """How much each of the vertices counts (K,)."""
        count = len(self.indices)
        return np.full(count, 1.0 / count) if self.shares is None else np.asarray(self.shares, dtype=np.float64)

    @property
    def vector(self) -> FloatArray:
        """Where it is held [m], or the force [N], (3,)."""
        if self.to is not None:
            return frozen(self.to, np.float64, (3,), _WHERE, "to")
        return frozen(np.asarray(self.force), np.float64, (3,), _WHERE, "force")

    def radius_for(self, size: float) -> float:
        """How far round the place flesh goes along [m], on a character whose largest side is `size` [m]."""
        return RADIUS * size if self.radius is None else self.radius

    def sized(self, size: float) -> Pull:
        """The same with its radius said, for a character whose largest side is `size` [m]."""
        return replace(self, radius=self.radius_for(size)) if self.radius is None else self

    def same_place(self, other: Pull) -> bool:
        """Whether one is the other with another target or force, so that the hand keeps its grip."""
        return (
            (self.to is None) == (other.to is None)
            and self.radius == other.radius
            and np.array_equal(self.indices, other.indices)
            and np.array_equal(self.barycentric, other.barycentric)
        )

    def check_for(self, vertex_count: int) -> None:
        """Refuse vertices that a character does not have."""
        most = int(self.indices.max())
        if most >= vertex_count:
            raise InputError(
                _WHERE, f"it names vertex {most}", f"there are vertices 0 to {vertex_count - 1}", "pick one of those"
            )


def match_hands(held: Sequence[Pull | None], pulls: Sequence[Pull]) -> tuple[list[Pull | None], list[Pull]]:
    """What every hand goes on holding of `pulls`, None where it opens, and those that no hand has yet."""
    new, kept = list(pulls), list[Pull | None]()
    for old in held:
        kept.append(next((pull for pull in new if old is not None and pull.same_place(old)), None))
        if kept[-1] is not None:
            new.remove(kept[-1])
    return kept, new
