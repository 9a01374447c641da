"""A fingerprint of a character, by which a bake knows what it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import digest_of
from supple.character.character import Character
from supple.character.packing import pack

# What each array counts as, in the order in which they count; bakes on disk carry fingerprints, so neither may change.
_COUNTED = {
    "rest": "points",
    "triangles": "triangles",
    "joints": "joints",
    "parents": "parents",
    "joint_rest": "rest",
    "joint_tails": "tails",
    "weight_joints": "weight joints",
    "weight_values": "weight values",
    "polygons": "polygons",
}
_NAMED = ("map ", "part ", "shape ")


def fingerprint(character: Character) -> str:
    """Hexadecimal digest of all that can change how the character moves; its name and clips do not count.

    Numbers count to single precision, as skins move them: the last bits of double precision may depend on the machine
    that made the character.
    """
    return digest_of((name, _single(array)) for name, array in moving_arrays(character)).hex()


def mesh_digest(character: Character, where: str) -> str:
    """Hexadecimal digest of what a trained model depends on: mesh, skeleton and weights, to the last bit."""
    skeleton, weights = character.skeleton, character.require_weights(where)
    named: list[tuple[str, NDArray[Any]]] = [
        ("points", character.points),
        ("triangles", character.triangles),
        ("joints", np.frombuffer("\0".join(skeleton.names).encode(), dtype=np.uint8)),
        ("parents", skeleton.parents),
        ("rest", skeleton.world_from_joint),
        ("weight joints", weights.joints),
        ("weight values", weights.values),
    ]
    return digest_of(named).hex()


def moving_arrays(character: Character) -> Iterator[tuple[str, NDArray[np.generic]]]:
    """All arrays that can change how a character moves, by name."""
    arrays = pack(character)
    arrays["joints"] = np.frombuffer("\0".join(character.skeleton.names).encode(), dtype=np.uint8)
    yield from ((counted, arrays[name]) for name, counted in _COUNTED.items() if name in arrays)
    for kind in _NAMED:
        yield from ((name, array) for name, array in arrays.items() if name.startswith(kind))


def differing_arrays(one: Character, other: Character) -> list[str]:
    """What of two characters differs beside shapes and maps, by name."""
    mine, its = (
        {name: array for name, array in moving_arrays(each) if not name.startswith(("map ", "shape "))}
        for each in (one, other)
    )
    if type(one) is not type(other):
        return ["kind"]
    there = [name for name in {**mine, **its} if name not in mine or name not in its]
    return there or [name for name in mine if mine[name] is not its[name] and not np.array_equal(mine[name], its[name])]


def _single(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array.astype(np.float32) if array.dtype == np.float64 else array
