"""Where examples lie among all poses, and how much of each example a pose gets.

Poses are points: the turns of several joints away from rest, as rotation vectors one after another. Examples lie
anywhere among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Floats, frozen
from supple.errors import InputError
from supple.geometry.quaternions import conjugate, normalize, quat_multiply

POWERS = {"smooth": 3, "straight": 1}  # of the distance
BEYOND = ("hold", "extend", "ease")
_EASE = 0.2  # of the box of the examples: how far it goes on past its border while it comes to rest
_SAME_POSITION = 1e-9  # of the distance of the examples furthest apart
_FLAT = 1e-7  # of the longest extent; less is no direction in which examples differ


@dataclass(frozen=True, eq=False)
class PoseSpace:
    """How much of every example a pose gets: all of one at its own place, and a smooth mixture in between.

    With examples x_e, the weights of a position x are those of the interpolant
        s(x) = sum_e c_e |x - x_e|^p + c . x + c_0,   sum c_e = 0, sum c_e x_e = 0.
    They are one and zero at the examples, always add up to one, and give every linear function of the position exactly:
    two examples are blended evenly, three at the corners of a triangle by its area coordinates. `blend` "smooth" has
    p = 3 and no edges anywhere; along a line of examples it is the natural cubic spline. "straight" has p = 1, an edge
    at every example, and overshoots less; along a line it is broken straight lines. Outside the box of the examples,
    `beyond` "hold" keeps what its border has, with an edge there, "extend" goes on, in the end evenly, and "ease" goes
    on for a while and comes to rest without an edge.

    Only directions in which examples differ count. Units do: scale coordinates by what a joint's turn is worth.

    Limits: weights may be a little below zero or above one between examples.
    """

    positions: Floats
    blend: str = "smooth"
    beyond: str = "hold"

    def __post_init__(self) -> None:
        where = "PoseSpace"
        given = frozen(self.positions, np.float64, (-1, -1), where, "positions")
        if not len(given):
            raise InputError(where, "there are no positions", "at least one example is needed", "add the rest pose")
        for name, choices in (("blend", tuple(POWERS)), ("beyond", BEYOND)):
            if getattr(self, name) not in choices:
                found = f"{name} is {getattr(self, name)!r}"
                raise InputError(where, found, f"it is one of {', '.join(choices)}", f"choose another {name}")
        object.__setattr__(self, "positions", given)
        self._refuse_twins()

    def weights(self, position: ArrayLike) -> Floats:
        """The weights (..., examples) of positions (..., dimensions)."""
        dimensions = self.positions.shape[1]
        given = np.asarray(position, dtype=np.float64)
        if given.ndim < 1 or given.shape[-1] != dimensions:
            needed = f"(..., {dimensions}) is needed"
            raise InputError("PoseSpace.weights", f"position is {given.shape}", needed, "give all joints of the space")
        if not np.isfinite(given).all():
            raise InputError(
                "PoseSpace.weights", "position is not finite", "finite numbers are needed", "check the pose"
            )
        given = _bounded(given, *self._bounds)
        features = self._features(given @ self._axes - self._middle)
        # Seen from the nearest example, so that rounding cannot spoil the examples, however close two of them are.
        near = np.argmin(features[..., : len(self.positions)], axis=-1)
        return np.eye(len(self.positions))[near] + (features - self._features(self._positions)[near]) @ self._solved

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats, Floats]:
        """The box of the examples, and how far beyond it positions may go, each (dimensions,)."""
        low, high = self.positions.min(axis=0), self.positions.max(axis=0)
        if self.beyond == "extend":
            return np.full_like(low, -np.inf), np.full_like(high, np.inf), np.zeros_like(low)
        return low, high, _EASE * (high - low) if self.beyond == "ease" else np.zeros_like(low)

    @cached_property
    def _scale(self) -> float:
        """The size of the box of the examples; one where they are all alone."""
        size = float(np.linalg.norm(np.ptp(self.positions, axis=0)))
        return size if size > 0.0 else 1.0

    @cached_property
    def _axes(self) -> Floats:
        """The directions in which the examples differ, as columns, scaled to the size of the box."""
        around = self.positions - self.positions.mean(axis=0)
        _, extents, directions = np.linalg.svd(around / self._scale, full_matrices=False)
        kept = extents > _FLAT * max(float(extents.max(initial=0.0)), 1e-300)
        return directions[kept].T / self._scale

    @cached_property
    def _middle(self) -> Floats:
        return self.positions.mean(axis=0) @ self._axes

    @cached_property
    def _positions(self) -> Floats:
        """The examples in those directions, around their middle."""
        return self.positions @ self._axes - self._middle

    @cached_property
    def _solved(self) -> Floats:
        """From the features of a position to the weights of the examples."""
        count, size = len(self._positions), len(self._positions) + 1 + self._positions.shape[1]
        matrix = np.zeros((size, size))
        matrix[:count] = self._features(self._positions)
        matrix[count:, :count] = matrix[:count, count:].T
        return np.asarray(np.linalg.solve(matrix, np.eye(size))[:, :count], dtype=np.float64)

    def _features(self, positions: Floats) -> Floats:
        """Distances to the power p, one, and the coordinates."""
        apart = np.linalg.norm(positions[..., None, :] - self._positions, axis=-1)
        one = np.ones((*positions.shape[:-1], 1))
        return np.concatenate([apart ** POWERS[self.blend], one, positions], axis=-1)

    def _refuse_twins(self) -> None:
        apart = np.linalg.norm(self.positions[:, None] - self.positions, axis=-1)
        np.fill_diagonal(apart, np.inf)
        if len(apart) > 1 and apart.min() <= _SAME_POSITION * self._scale:
            first, second = (int(i) for i in np.unravel_index(np.argmin(apart), apart.shape))
            given = f"examples {first} and {second} are at one place"
            raise InputError("PoseSpace", given, "every example has its own pose", "remove one of the two")


class PoseSpaces:
    """Several spaces asked at once: all parts of a character in a few operations on arrays.

    Spaces of fewer dimensions or examples are filled up with zeros, which count nothing.
    """

    def __init__(self, spaces: Sequence[PoseSpace]) -> None:
        powers = {POWERS[space.blend] for space in spaces}
        if len(powers) != 1:
            given = f"there are {len(spaces)} spaces with {len(powers)} kinds of blend"
            raise InputError("PoseSpaces", given, "all are blended alike", "choose one blend")
        self._power = powers.pop()
        self.examples = max(len(space.positions) for space in spaces)
        self.dimensions = max(space.positions.shape[1] for space in spaces)
        kept, count = max(space._axes.shape[1] for space in spaces), len(spaces)
        size = self.examples + 1 + kept
        self._bounds = np.zeros((3, count, self.dimensions))
        self._axes, self._middle = np.zeros((count, self.dimensions, kept)), np.zeros((count, 1, kept))
        self._positions, self._absent = np.zeros((count, self.examples, kept)), np.full((count, self.examples), np.inf)
        self._solved = np.zeros((count, size, self.examples))
        for number, space in enumerate(spaces):
            examples, dimensions = space.positions.shape
            axes = space._axes.shape[1]
            self._bounds[:, number, :dimensions] = space._bounds
            self._axes[number, :dimensions, :axes] = space._axes
            self._middle[number, 0, :axes] = space._middle
            self._positions[number, :examples, :axes] = space._positions
            self._absent[number, :examples] = 0.0
            self._solved[number, :examples, :examples] = space._solved[:examples]
            self._solved[number, self.examples, :examples] = space._solved[examples]
            self._solved[number, self.examples + 1 : size - kept + axes, :examples] = space._solved[examples + 1 :]
        self._at_examples = self._features(self._positions)
        self._every = np.arange(count)

    def weights(self, positions: Floats) -> Floats:
        """Weights (spaces, examples) of one position (spaces, dimensions) in each; zero where there is no example."""
        given = _bounded(positions, *self._bounds)
        features = self._features(given[:, None, :] @ self._axes - self._middle)
        near = np.argmin(features[:, 0, : self.examples] + self._absent, axis=1)
        change = (features - self._at_examples[self._every, near][:, None, :]) @ self._solved
        change[self._every, 0, near] += 1.0
        return np.asarray(change[:, 0])

    def _features(self, positions: Floats) -> Floats:
        """Distances to the power p, one, and the coordinates: (spaces, rows, size)."""
        apart = np.linalg.norm(positions[:, :, None, :] - self._positions[:, None], axis=-1)
        one = np.ones((*positions.shape[:2], 1))
        return np.concatenate([apart**self._power, one, positions], axis=-1)


def _bounded(positions: Floats, low: Floats, high: Floats, reach: Floats) -> Floats:
    """Places as they are inside a box; outside they go on ever more slowly, at most as far as `reach`."""
    inside: Floats = np.clip(positions, low, high)
    if not reach.any():
        return inside
    past = positions - inside
    return inside + np.sign(past) * reach * (1.0 - np.exp(-np.abs(past) / np.where(reach > 0.0, reach, 1.0)))


def rotation_positions(rotations: ArrayLike, rest: ArrayLike) -> Floats:
    """The place (..., 3 joints) of a pose: each joint's turn away from rest as a rotation vector [rad].

    `rotations` (..., joints, 4) and `rest` (joints, 4) are quaternions relative to the parent joint; the turn is
    rest^-1 rotation, and its vector the axis times the angle (the logarithm).

    Limits: turns go the shorter way round; at half a turn the place jumps to the opposite side.
    """
    where = "rotation_positions"
    still = frozen(rest, np.float64, (-1, 4), where, "rest")
    turned = np.asarray(rotations, dtype=np.float64)
    if turned.shape[-2:] != still.shape:
        needed = f"(..., {len(still)}, 4) is needed"
        raise InputError(where, f"rotations are {turned.shape}", needed, "give the same joints as at rest")
    turned = frozen(turned, np.float64, turned.shape, where, "rotations")
    if not (np.linalg.norm(turned, axis=-1).all() and np.linalg.norm(still, axis=-1).all()):
        raise InputError(where, "a quaternion is zero", "each must be a turn", "use 0, 0, 0, 1 for no turn")
    rotation = quat_multiply(conjugate(normalize(still)), normalize(turned))
    rotation = rotation * np.where(rotation[..., 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(rotation[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, rotation[..., 3:])
    per_sine = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    return (rotation[..., :3] * per_sine).reshape(*rotation.shape[:-2], -1)
