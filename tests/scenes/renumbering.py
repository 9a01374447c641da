"""The same thing written down in another order, or moved by a millionth of its size."""

from __future__ import annotations

import numpy as np

from supple import Character, Weights
from supple.geometry.tetrahedra import Tetrahedra

EVEN = np.array([(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0), (0, 2, 3, 1), (0, 3, 1, 2)])


def renumbered(character: Character, seed: int) -> tuple[Character, np.ndarray]:
    """The character with vertices, triangles and corners in another order, and where each vertex went."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(character.points))
    position = np.argsort(order, kind="stable")
    triangles = position[character.triangles][random.permutation(len(character.triangles))]
    first = (np.arange(3) + random.integers(3, size=len(triangles))[:, None]) % 3
    weights = character.weights
    made = Character(
        character.points[order],
        np.take_along_axis(triangles, first, axis=1).astype(np.int32),
        character.skeleton,
        None if weights is None else Weights(weights.joints[order], weights.values[order]),
        parts={name: np.sort(position[rows]).astype(np.int32) for name, rows in character.parts.items()},
        maps={name: values[order] for name, values in character.maps.items()},
        name=character.name,
    )
    return made, position


def shuffled(body: Tetrahedra, seed: int) -> Tetrahedra:
    """The same elements with particles, elements and corners in another order."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(body.points))
    position = np.argsort(order, kind="stable")
    corners = position[body.corners][random.permutation(len(body.corners))]
    rotations = EVEN[random.integers(len(EVEN), size=len(corners))]
    return Tetrahedra(body.points[order], np.take_along_axis(corners, rotations, axis=1).astype(np.int32))


def nudged(character: Character, seed: int, share: float = 1e-6) -> Character:
    """The character with every vertex moved by up to a share of its size."""
    size = np.ptp(character.points, axis=0).max()
    moves = np.random.default_rng(seed).uniform(-1.0, 1.0, character.points.shape)
    return character.replace(points=character.points + share * size * moves)
