"""A fingerprint of a character, by which a bake knows what it was made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from supple.arrays import digest_of
from supple.character.character import Character


def fingerprint(character: Character) -> str:
    """Hexadecimal digest of all that can change how the character moves; its name and clips do not count.

    Numbers count to single precision, as skins move them: the last bits of double precision may depend on the machine
    that made the character.
    """
    return digest_of((name, _single(array)) for name, array in arrays_that_move(character)).hex()


def _single(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array.astype(np.float32) if array.dtype == np.float64 else array


def arrays_that_move(character: Character) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """All arrays that can change how a character moves, by name."""
    skeleton = character.skeleton
    yield "points", character.points
    yield "triangles", character.triangles
    yield "joints", np.frombuffer("\0".join(skeleton.names).encode(), dtype=np.uint8)
    yield "parents", skeleton.parents
    yield "rest", skeleton.world_from_joint
    if skeleton.tails is not None:
        yield "tails", skeleton.tails
    if character.weights is not None:
        yield "weight joints", character.weights.joints
        yield "weight values", character.weights.values
    if character.polygons is not None:
        yield "polygons", character.polygons
    for kind, named in (("map", character.maps), ("part", character.parts), ("shape", character.shapes)):
        for name in sorted(named):
            yield f"{kind} {name}", named[name]
