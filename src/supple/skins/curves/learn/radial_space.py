"""Where examples lie among all poses, and how much of each example a pose gets, by radial basis functions [Lewis2000].

Poses are points: the turns of several joints away from rest, as rotation vectors one after another. Examples lie
anywhere among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.quaternions import nearest_rotation, quat_from_matrix
from supple.motion.pose import Pose

POWERS = {"smooth": 3, "straight": 1}  # of the distance
BEYOND = ("hold", "extend", "ease")
_EASE = 0.2  # of the box of the examples: how far it goes on past its border while it comes to rest
_SAME_POSE = 1e-9  # of the distance of the examples furthest apart
_RIGID = 1e-6  # of a transform's Gram matrix against one; more is a stretch that is taken out first
_FLAT = 1e-7  # of the longest extent; less is no direction in which examples differ


@dataclass(frozen=True, eq=False)
class RadialSpace:
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

    positions: FloatArray
    blend: str = "smooth"
    beyond: str = "hold"

    def __post_init__(self) -> None:
        where = "RadialSpace"
        given = frozen(self.positions, np.float64, (-1, -1), where, "positions")
        if not len(given):
            raise InputError(where, "there are no positions", "at least one example is needed", "add the rest pose")
        for name, choices in (("blend", tuple(POWERS)), ("beyond", BEYOND)):
            if getattr(self, name) not in choices:
                found = f"{name} is {getattr(self, name)!r}"
                raise InputError(where, found, f"it is one of {', '.join(choices)}", f"choose another {name}")
        object.__setattr__(self, "positions", given)
        self._check_distinct()

    def weights(self, position: ArrayLike) -> FloatArray:
        """The weights (..., examples) of positions (..., dimensions)."""
        dimensions = self.positions.shape[1]
        given = np.asarray(position, dtype=np.float64)
        if given.ndim < 1 or given.shape[-1] != dimensions:
            needed = f"(..., {dimensions}) is needed"
            raise InputError(
                "RadialSpace.weights", f"position is {given.shape}", needed, "give all joints of the space"
            )
        if not np.isfinite(given).all():
            raise InputError(
                "RadialSpace.weights", "position is not finite", "finite numbers are needed", "check the pose"
            )
        given = _clamp_to_box(given, *self._bounds)
        features = self._features(given @ self._axes - self._mean)
        # Seen from the nearest example, so that rounding cannot spoil the examples, however close two of them are.
        near = np.argmin(features[..., : len(self.positions)], axis=-1)
        return np.eye(len(self.positions))[near] + (features - self._features(self._positions)[near]) @ self._solution

    @cached_property
    def _bounds(self) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    def _axes(self) -> FloatArray:
        """The directions in which the examples differ, as columns, scaled to the size of the box."""
        around = self.positions - self.positions.mean(axis=0)
        _, extents, directions = np.linalg.svd(around / self._scale, full_matrices=False)
        wide = extents > _FLAT * max(float(extents.max(initial=0.0)), 1e-300)
        return directions[wide].T / self._scale

    @cached_property
    def _mean(self) -> FloatArray:
        return self.positions.mean(axis=0) @ self._axes

    @cached_property
    def _positions(self) -> FloatArray:
        """The examples in those directions, around their middle."""
        return self.positions @ self._axes - self._mean

    @cached_property
    def _solution(self) -> FloatArray:
        """From the features of a position to the weights of the examples."""
        count, size = len(self._positions), len(self._positions) + 1 + self._positions.shape[1]
        matrix = np.zeros((size, size))
        matrix[:count] = self._features(self._positions)
        matrix[count:, :count] = matrix[:count, count:].T
        return np.asarray(np.linalg.solve(matrix, np.eye(size))[:, :count], dtype=np.float64)

    def _features(self, positions: FloatArray) -> FloatArray:
        """Distances to the power p, one, and the coordinates."""
        apart = np.linalg.norm(positions[..., None, :] - self._positions, axis=-1)
        one = np.ones((*positions.shape[:-1], 1))
        return np.concatenate([apart ** POWERS[self.blend], one, positions], axis=-1)

    def _check_distinct(self) -> None:
        apart = np.linalg.norm(self.positions[:, None] - self.positions, axis=-1)
        np.fill_diagonal(apart, np.inf)
        if len(apart) > 1 and apart.min() <= _SAME_POSE * self._scale:
            first, second = (int(i) for i in np.unravel_index(np.argmin(apart), apart.shape))
            given = f"examples {first} and {second} are at one place"
            raise InputError("RadialSpace", given, "every example has its own pose", "remove one of the two")


class RadialSpaces:
    """Several spaces asked at once: all parts of a character in a few operations on arrays.

    Spaces of fewer dimensions or examples are filled up with zeros, which count nothing.
    """

    def __init__(self, spaces: Sequence[RadialSpace]) -> None:
        powers = {POWERS[space.blend] for space in spaces}
        if len(powers) != 1:
            given = f"there are {len(spaces)} spaces with {len(powers)} kinds of blend"
            raise InputError("RadialSpaces", given, "all are blended alike", "choose one blend")
        self._power = powers.pop()
        self.examples = max(len(space.positions) for space in spaces)
        self.dimensions = max(space.positions.shape[1] for space in spaces)
        rank, count = max(space._axes.shape[1] for space in spaces), len(spaces)
        size = self.examples + 1 + rank
        self._bounds = np.zeros((3, count, self.dimensions))
        self._axes, self._mean = np.zeros((count, self.dimensions, rank)), np.zeros((count, 1, rank))
        self._positions, self._absent = np.zeros((count, self.examples, rank)), np.full((count, self.examples), np.inf)
        self._solution = np.zeros((count, size, self.examples))
        for number, space in enumerate(spaces):
            examples, dimensions = space.positions.shape
            axes = space._axes.shape[1]
            self._bounds[:, number, :dimensions] = space._bounds
            self._axes[number, :dimensions, :axes] = space._axes
            self._mean[number, 0, :axes] = space._mean
            self._positions[number, :examples, :axes] = space._positions
            self._absent[number, :examples] = 0.0
            self._solution[number, :examples, :examples] = space._solution[:examples]
            self._solution[number, self.examples, :examples] = space._solution[examples]
            self._solution[number, self.examples + 1 : size - rank + axes, :examples] = space._solution[examples + 1 :]
        self._at_examples = self._features(self._positions)
        self._every = np.arange(count)

    def weights(self, positions: FloatArray) -> FloatArray:
        """Weights (spaces, examples) of one position (spaces, dimensions) in each; zero where there is no example."""
        given = _clamp_to_box(positions, *self._bounds)
        features = self._features(given[:, None, :] @ self._axes - self._mean)
        near = np.argmin(features[:, 0, : self.examples] + self._absent, axis=1)
        change = (features - self._at_examples[self._every, near][:, None, :]) @ self._solution
        change[self._every, 0, near] += 1.0
        return np.asarray(change[:, 0])

    def _features(self, positions: FloatArray) -> FloatArray:
        """Distances to the power p, one, and the coordinates: (spaces, rows, size)."""
        apart = np.linalg.norm(positions[:, :, None, :] - self._positions[:, None], axis=-1)
        one = np.ones((*positions.shape[:2], 1))
        return np.concatenate([apart**self._power, one, positions], axis=-1)


def _clamp_to_box(positions: FloatArray, low: FloatArray, high: FloatArray, margin: FloatArray) -> FloatArray:
    """Places as they are inside a box; outside they go on ever more slowly, at most as far as `margin`."""
    inside: FloatArray = np.clip(positions, low, high)
    if not margin.any():
        return inside
    past = positions - inside
    return inside + np.sign(past) * margin * (1.0 - np.exp(-np.abs(past) / np.where(margin > 0.0, margin, 1.0)))


@dataclass(frozen=True, eq=False)
class Drivers:
    """Joints (K,) and the joint that each one's turn is seen from (K,): the next one above it that moves skin.

    A joint that nothing above moves skin for carries the body as a whole and bends nothing; of several such joints all
    but the heaviest are seen from that one. A turn and the one that goes on round to the same end are told apart by
    `homes` (K, 4), quaternions around which the joints turn: the one nearer to home is taken.
    """

    joints: IntArray
    references: IntArray
    homes: FloatArray

    def __post_init__(self) -> None:
        where = "Drivers"
        joints = frozen(self.joints, np.int32, (-1,), where, "joints")
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "references", frozen(self.references, np.int32, joints.shape, where, "references"))
        object.__setattr__(self, "homes", frozen(self.homes, np.float64, (len(joints), 4), where, "homes"))

    def __len__(self) -> int:
        return len(self.joints)

    def rotation_vectors(self, rotations: FloatArray) -> FloatArray:
        """The turn (K, 3) of every joint away from rest as a rotation vector [rad], in the axes of the rest pose.

        R = S_r^T S_j, where S (J, 3, 3) are `joint_rotations` and r is the joint that the turn is seen from. A motion
        of the whole body changes nothing.
        """
        if not len(self):
            return np.zeros((0, 3))
        rotation = self.quaternions(rotations)
        rotation = rotation * np.where(np.einsum("ki,ki->k", rotation, self.homes) < 0.0, -1.0, 1.0)[:, None]
        sine = np.sqrt(np.einsum("ki,ki->k", rotation[:, :3], rotation[:, :3]))
        per_sine = 2.0 * np.arctan2(sine, rotation[:, 3]) / np.where(sine > 1e-12, sine, 1.0)
        vectors: FloatArray = rotation[:, :3] * np.where(sine > 1e-12, per_sine, 2.0)[:, None]
        return vectors

    def quaternions(self, rotations: FloatArray) -> FloatArray:
        """The turn (K, 4) of every joint as seen from its reference, of either sign."""
        return quat_from_matrix(np.swapaxes(rotations[self.references], 1, 2) @ rotations[self.joints])


def joint_rotations(pose: Pose, skeleton: Skeleton) -> FloatArray:
    """How every joint turns away from rest in the world (J, 3, 3), without its stretch."""
    linear = pose.skinning(skeleton)[:, :3, :3]
    gram = np.swapaxes(linear, 1, 2) @ linear - np.eye(3)
    if np.abs(gram).max() > _RIGID or np.linalg.det(linear).min() < 0.0:
        return nearest_rotation(linear)
    return linear


class ExampleInterpolator:
    """From a pose to how much every part gets of each of its examples; a few operations on arrays for all parts.

    Part p is driven by `joints[p]`, numbers into the `drivers`; their turns times `axes[p]` are its place in
    `spaces[p]`.
    """

    def __init__(
        self, drivers: Drivers, spaces: Sequence[RadialSpace], joints: Sequence[IntArray], axes: Sequence[FloatArray]
    ) -> None:
        self._drivers, self._spaces = drivers, RadialSpaces(spaces)
        count, most = len(joints), max(len(one) for one in joints)
        self._joints = np.zeros((count, most), dtype=np.int32)
        self._axes = np.zeros((count, 3 * most, self._spaces.dimensions))
        for number, (own_joints, own_axes) in enumerate(zip(joints, axes, strict=True)):
            self._joints[number, : len(own_joints)] = own_joints
            self._axes[number, : own_axes.shape[0], : own_axes.shape[1]] = own_axes

    def weights(self, rotations: FloatArray) -> FloatArray:
        """Weights (parts, examples) in a pose, by how its joints are turned (J, 3, 3)."""
        count, most = self._joints.shape
        if not len(self._drivers):
            return self._spaces.weights(np.zeros((count, self._spaces.dimensions)))
        vectors = self._drivers.rotation_vectors(rotations)[self._joints].reshape(count, 1, 3 * most)
        return self._spaces.weights((vectors @ self._axes)[:, 0])
