"""The skeleton follows strokes: a baseline picks joints, an offset says where they are to go."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.edits.strokes.stroke import Stroke, carry_along
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

_WHERE = "posed_by_strokes"


def joints_near(pose: Pose, stroke: Stroke, radius: float) -> IntArray:
    """The joints of a pose that are within `radius` [m] of a stroke."""
    if not (np.isfinite(radius) and radius >= 0.0):
        raise InputError("joints_near", f"radius is {radius}", "metres, zero or more, are needed", "try 0.1")
    _, distances = stroke.nearest(pose.world_from_joint[:, :3, 3])
    return np.flatnonzero(distances <= radius).astype(np.int32)


def posed_by_strokes(
    skeleton: Skeleton,
    pose: Pose,
    baseline: Stroke,
    *,
    offset: Stroke,
    radius: float = 0.1,
    limits: Mapping[str, float] | None = None,
    move_roots: bool = True,
) -> Pose:
    """The pose in which joints near `baseline` stand to `offset` as they stood to it [Toothman2020, Sec. 7.2].

    From the root outward, each picked joint is turned so that the picked joints below it point to where the strokes
    want them; bones keep their lengths, so they come as near as those allow. A picked root moves there unless
    `move_roots` is false. `limits` are the largest angles [rad] from rest by joint name; a joint turns no farther than
    that against its parent (nor farther than it is already).

    Limits: only directions of bones are matched; nothing twists about itself.
    """
    bounds = _check_limits(skeleton, limits or {})
    picked = joints_near(pose, baseline, radius)
    world = np.array(pose.world_from_joint)
    if len(picked) == 0:
        return pose
    wanted = dict(zip(picked.tolist(), carry_along(baseline, offset, world[picked, :3, 3])[0], strict=True))
    leads = _find_followers(skeleton, wanted)
    for level in skeleton.levels:
        for joint in (int(j) for j in level if int(j) in wanted):
            below = skeleton.descendants(joint)
            if skeleton.parents[joint] < 0 and move_roots:
                world[below, :3, 3] += wanted[joint] - world[joint, :3, 3]
            followers = leads.get(joint, [])
            if not followers:
                continue
            head = world[joint, :3, 3].copy()
            directions = world[followers, :3, 3] - head
            rotation = _fit_rotation(
                directions,
                _find_targets(directions, np.array([wanted[f] for f in followers]) - head, wanted[joint] - head),
            )
            rotation = _limit_rotation(skeleton, world, joint, rotation=rotation, bound=bounds.get(joint, np.inf))
            world[below, :3, :3] = rotation @ world[below, :3, :3]
            world[below, :3, 3] = (world[below, :3, 3] - head) @ rotation.T + head
    return Pose(world, shapes=pose.shapes)


def _check_limits(skeleton: Skeleton, limits: Mapping[str, float]) -> dict[int, float]:
    for name, angle in limits.items():
        if not 0.0 <= angle <= np.pi:
            raise InputError(
                _WHERE,
                f"the limit of {name!r} is {angle}",
                "an angle of 0 to pi is needed",
                "leave it out for no limit",
            )
    return {skeleton.index(name): float(angle) for name, angle in limits.items()}


def _find_followers(skeleton: Skeleton, wanted: Mapping[int, FloatArray]) -> dict[int, list[int]]:
    """For every picked joint the picked ones that have it as their nearest picked ancestor."""
    found: dict[int, list[int]] = {}
    for joint in wanted:
        above = int(skeleton.parents[joint])
        while above >= 0 and above not in wanted:
            above = int(skeleton.parents[above])
        if above >= 0:
            found.setdefault(above, []).append(joint)
    return found


def _find_targets(directions: FloatArray, targets: FloatArray, miss: FloatArray) -> FloatArray:
    """Where to point from a joint that is off its own target by `miss`.

    A little off, it points at the targets of what follows; by a bone's length or more, in the direction that the stroke
    has there, so that a limit far up does not fold the joints below.
    """
    weight = np.minimum(np.linalg.norm(miss) / np.maximum(np.linalg.norm(directions, axis=1), 1e-12), 1.0)
    return np.asarray(targets - weight[:, None] * miss)


def _fit_rotation(before: FloatArray, after: FloatArray) -> FloatArray:
    """The turn (3, 3) that takes directions (N, 3) to others: the least one for a single direction, else the best."""
    if len(before) == 1:
        return quaternions.matrix_from_quat(quaternions.rotation_between(before[0], after[0]))
    least = quaternions.matrix_from_quat(quaternions.rotation_between(before.sum(axis=0), after.sum(axis=0)))
    rest = quaternions.normalize(before) @ least.T
    # A share of the identity decides where the directions leave a twist open.
    spread = np.einsum("ni,nj->ij", quaternions.normalize(after), rest) + 1e-6 * np.eye(3)
    best: FloatArray = quaternions.nearest_rotation(spread) @ least
    return best


def _limit_rotation(
    skeleton: Skeleton, world: FloatArray, joint: int, *, rotation: FloatArray, bound: float
) -> FloatArray:
    """As much of a turn of a joint as keeps its angle from rest, as seen from its parent, within bounds."""
    if not np.isfinite(bound):
        return rotation
    parent = int(skeleton.parents[joint])
    above = np.eye(3) if parent < 0 else quaternions.nearest_rotation(world[parent, :3, :3])
    rest = quaternions.nearest_rotation(skeleton.parent_from_joint[joint, :3, :3])
    own = quaternions.nearest_rotation(world[joint, :3, :3])
    start = _rotation_angle(rest.T @ above.T @ own)
    allowed = max(bound, start)
    if _rotation_angle(rest.T @ above.T @ rotation @ own) <= allowed:
        return rotation
    quaternion = quaternions.quat_from_matrix(rotation)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        part = quaternions.matrix_from_quat(quaternions.slerp([0.0, 0.0, 0.0, 1.0], quaternion, middle))
        inside = _rotation_angle(rest.T @ above.T @ part @ own) <= allowed
        low, high = (middle, high) if inside else (low, middle)
    return quaternions.matrix_from_quat(quaternions.slerp([0.0, 0.0, 0.0, 1.0], quaternion, low))


def _rotation_angle(rotation: FloatArray) -> float:
    quaternion = quaternions.quat_from_matrix(rotation)
    return float(2.0 * np.arctan2(np.linalg.norm(quaternion[:3]), quaternion[3]))
