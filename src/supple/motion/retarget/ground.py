"""Feet and the floor: how high the soles of a skeleton are over the floor, at rest and in motion."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from supple.arrays import Floats
from supple.motion.retarget.alignment import body_axes
from supple.motion.retarget.anatomy import SIDES, Anatomy

_SOLE = 0.12  # a lowest foot joint this share of the leg above the origin belongs to a body that stands there
_NEAR_FLOOR = 0.15  # of the leg: soles that come no lower than this never touch the floor
_STEP = 0.08  # of the leg: a sole this near to the floor may stand on it
_WALKED = 0.5  # of the leg: who keeps nearer than this to one spot shows no slope
_TILT = 0.04


class Soles:
    """The points of the feet that may touch the floor: ankles, balls of the feet and tips of the toes.

    A point's height over its height at rest says how far the sole below it is off the floor. `stands` tells whether
    the skeleton stands at the height of the origin at rest; many BVH skeletons have their hips there instead.
    """

    def __init__(self, anatomy: Anatomy) -> None:
        parts = anatomy.parts
        up = body_axes(anatomy)[:, 1]
        heads = anatomy.skeleton.heads
        self.joints: list[int] = []
        points: list[Floats] = []
        for side in SIDES:
            feet = [parts[f"{side} {name}"] for name in ("foot", "toes") if f"{side} {name}" in parts]
            for joint in feet:
                self.joints.append(joint)
                points.append(heads[joint])
            if feet:
                self.joints.append(feet[-1])
                points.append(anatomy.ends[feet[-1]])
        self.leg = leg_length(anatomy)
        self.points: Floats = np.array(points).reshape(-1, 3)
        heights = self.points @ up
        lowest = float(heights.min()) if len(heights) else 0.0
        self.stands = -0.05 * self.leg <= lowest <= _SOLE * self.leg
        self._heights = heights if self.stands else heights - lowest
        self._heads = heads

    def __len__(self) -> int:
        return len(self.joints)

    def lowest(self, turns: Floats, places: Floats) -> tuple[Floats, Floats]:
        """How far the lowest sole is over y = 0 (F,), and the place (F, 3) of its point in the foot.

        From turns (F, J, 3, 3) away from rest and places (F, J, 3) of all joints.
        """
        reach = np.einsum("fpij,pj->fpi", turns[:, self.joints], self.points - self._heads[self.joints])
        points = places[:, self.joints] + reach
        over = points[..., 1] - self._heights
        which = np.argmin(over, axis=1)
        frames = np.arange(len(over))
        return over[frames, which], points[frames, which]


def measured_floor(over: Floats, spots: Floats, leg: float) -> Floats:
    """The floor (F,) under the lowest sole of a captured motion, where soles are known only up to a constant.

    Soles are on the floor when they are lowest. A capture volume is rarely level, and over a long walk the floor
    then seems to rise: a line along the way is fitted through the steps and believed up to a slope of `_TILT`.
    A motion that stays well above y = 0 (on a chair, on a wall) keeps its height.
    """
    floor = np.full(len(over), np.percentile(over, 5.0))
    if floor[0] > _NEAR_FLOOR * leg:
        return np.zeros(len(over))
    flat = spots[:, [0, 2]] - spots[:, [0, 2]].mean(axis=0)
    _, spread, axes = np.linalg.svd(flat, full_matrices=False)
    if spread[0] / np.sqrt(len(flat)) < _WALKED * leg:
        return floor
    way = flat @ axes[0]
    slope = 0.0
    for _ in range(8):
        near = np.abs(over - floor) < _STEP * leg
        if np.ptp(way[near]) < 2.0 * _WALKED * leg:
            return np.full(len(over), np.percentile(over, 5.0))
        slope = float(np.clip(np.polyfit(way[near], over[near], 1)[0], -_TILT, _TILT))
        floor = slope * way + np.percentile(over - slope * way, 5.0)
    return floor


def leg_length(anatomy: Anatomy) -> float:
    """Thigh and shin together, averaged over both sides [m]; zero where they are not known."""
    heads, parts = anatomy.skeleton.heads, anatomy.parts
    lengths = []
    for side in SIDES:
        chain = [parts.get(f"{side} {name}") for name in ("upper leg", "lower leg", "foot")]
        known = [heads[joint] for joint in chain if joint is not None]
        if len(known) == 3:
            lengths.append(sum(float(np.linalg.norm(b - a)) for a, b in pairwise(known)))
    return float(np.mean(lengths)) if lengths else 0.0
