"""Feet and the floor: how high the soles of a skeleton are over the floor, at rest and in motion."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.humanoid import SIDES, Anatomy, body_axes, leg_length
from supple.character.character import Character

_SOLE = 0.12  # a lowest foot joint this share of the leg above the origin belongs to a body that stands there
_NEAR_FLOOR = 0.15  # of the leg: soles that come no lower than this never touch the floor
_STEP = 0.08  # of the leg: a sole this near to the floor may stand on it
_WALKED = 0.5  # of the leg: who keeps nearer than this to one spot shows no slope
_TILT = 0.04
# Directions in which a sole may come lowest when the foot rolls: down, and down slanted to eight sides.
_AROUND = np.arange(8) * np.pi / 4.0
_DOWNWARD = np.concatenate(
    [
        [[0.0, -1.0, 0.0]],
        *(np.stack([s * np.cos(_AROUND), np.full(8, -1.0), s * np.sin(_AROUND)], axis=1) for s in (0.3, 1.0)),
    ]
)


class Soles:
    """The points of the feet that may touch the floor: ankles, balls of the feet and tips of the toes.

    A point's height over its height at rest says how far the sole below it is off the floor. `stands` tells whether
    the skeleton stands at the height of the origin at rest; many BVH skeletons have their hips there instead.
    """

    def __init__(self, anatomy: Anatomy) -> None:
        heads = anatomy.skeleton.heads
        self.joints: list[int] = []
        points: list[FloatArray] = []
        for side in SIDES:
            feet = _foot_joints(anatomy, side)
            for joint in feet:
                self.joints.append(joint)
                points.append(heads[joint])
            if feet:
                self.joints.append(feet[-1])
                points.append(anatomy.ends[feet[-1]])
        self.leg = leg_length(anatomy)
        self.points: FloatArray = np.array(points).reshape(-1, 3)
        heights = self.points @ body_axes(anatomy)[:, 1]
        lowest = float(heights.min()) if len(heights) else 0.0
        self.stands = -0.05 * self.leg <= lowest <= _SOLE * self.leg
        self._heights = heights if self.stands else heights - lowest
        self._reach = self.points - heads[self.joints]

    def __len__(self) -> int:
        return len(self.joints)

    def lowest(
        self, rotations: FloatArray, positions: FloatArray, *, floor: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """How far the lowest sole is over the floor (F,), and the place (F, 3) of its point in the foot.

        From turns (F, J, 3, 3) away from rest and places (F, J, 3) of all joints. The floor is y = 0, or one that
        `measured_floor` found.
        """
        points = positions[:, self.joints] + np.einsum("fpij,pj->fpi", rotations[:, self.joints], self._reach)
        over = points[..., 1] - self._heights
        if floor is not None:
            over = over - floor[0] - points[..., [0, 2]] @ floor[1:]
        which = np.argmin(over, axis=1)
        frames = np.arange(len(over))
        return over[frames, which], points[frames, which]


def lowest_skin(
    character: Character, anatomy: Anatomy, rotations: FloatArray, positions: FloatArray
) -> FloatArray | None:
    """The height (F,) of the lowest point of the feet's skin, each vertex carried by the joint that holds it most.

    Only vertices that lie outermost under a foot are followed. None for a character without weights or feet.
    """
    if character.weights is None:
        return None
    holder = character.weights.joints[np.arange(len(character.points)), np.argmax(character.weights.values, axis=1)]
    vertices: list[int] = []
    for side in SIDES:
        feet = _foot_joints(anatomy, side)
        if not feet:
            continue
        for joint in anatomy.skeleton.descendants(feet[0]).tolist():
            held = np.flatnonzero(holder == joint)
            if len(held):
                vertices.extend(held[np.unique(np.argmax(character.points[held] @ _DOWNWARD.T, axis=0))].tolist())
    if not vertices:
        return None
    joints = holder[vertices]
    reach = character.points[vertices] - anatomy.skeleton.heads[joints]
    heights = positions[:, joints, 1] + np.einsum("fpj,pj->fp", rotations[:, joints, 1], reach)
    return np.asarray(heights.min(axis=1))


def _foot_joints(anatomy: Anatomy, side: str) -> list[int]:
    return [anatomy.parts[f"{side} {name}"] for name in ("foot", "toes") if f"{side} {name}" in anatomy.parts]


def fit_floor(over: FloatArray, spots: FloatArray, leg: float) -> FloatArray:
    """The floor (3,) of a captured motion, where soles are known only up to a constant: its height at the origin, and
    how much it rises along x and along z.

    `over` (F,) are heights of the lowest sole over y = 0, `spots` (F, 3) where it was. Soles are on the floor when they
    are lowest. A capture volume is rarely level, and over a long walk the floor then seems to rise: a line along the
    way is fitted through the steps and believed up to a slope of `_TILT`. A motion that stays well above y = 0 (on a
    chair, on a wall) keeps its height.
    """
    level = np.array([np.percentile(over, 5.0), 0.0, 0.0])
    if level[0] > _NEAR_FLOOR * leg:
        return np.zeros(3)
    flat = spots[:, [0, 2]]
    _, spread, axes = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
    if spread[0] / np.sqrt(len(flat)) < _WALKED * leg:
        return level
    along = flat @ axes[0]
    slope, height = 0.0, level[0]
    for _ in range(8):
        near = np.abs(over - height - slope * along) < _STEP * leg
        if not near.any() or np.ptp(along[near]) < 2.0 * _WALKED * leg:
            return level
        slope = float(np.clip(np.polyfit(along[near], over[near], 1)[0], -_TILT, _TILT))
        height = float(np.percentile(over - slope * along, 5.0))
    return np.array([height, *(slope * axes[0])])


def smooth(values: FloatArray, width: float, *, loop: bool) -> FloatArray:
    """Values (F,) blurred by a Gaussian of `width` frames; those of a loop run on from the last frame to the first."""
    from scipy.ndimage import gaussian_filter1d

    if len(values) < 2:
        return values
    if not loop:
        return np.asarray(gaussian_filter1d(values, width, mode="nearest"))
    lap = gaussian_filter1d(values[:-1], width, mode="wrap")  # the last key of a loop is its first again
    return np.append(lap, lap[0])
