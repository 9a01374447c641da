"""The skeleton follows strokes: a baseline picks joints, an offset says where they are to go."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.edits.strokes.stroke import Stroke, carry_from
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

_WHERE = "posed_by_strokes"
RADIUS = 0.06  # of the largest side of the box round all joints: about 0.1 m on a grown person
_FACING = math.radians(60.0)  # how far a bone turns about itself for a hinge at its end
_BACKWARDS = math.radians(120.0)  # a hinge would have to turn round by more than this: it is drawn backwards
_HARDLY = 0.1  # sine of a fold, or of the angle between an axis and a bone, that tells nothing


@dataclass(frozen=True, eq=False)
class Hinge:
    """A joint that turns about one line: its `axis` (3,) at rest, and from `low` to `high` [rad], rest being 0."""

    axis: FloatArray
    low: float
    high: float


def joints_near(pose: Pose, stroke: Stroke, radius: float | None = None) -> IntArray:
    """The joints of a pose that are within `radius` [m] of a stroke; without one, within 0.06 of the pose's size."""
    reach = _check_radius(radius, pose, "joints_near")
    _, distances = stroke.nearest_parameters(pose.world_from_joint[:, :3, 3])
    return np.flatnonzero(distances <= reach).astype(np.int32)


def posed_by_strokes(
    skeleton: Skeleton,
    pose: Pose,
    baseline: Stroke,
    *,
    offset: Stroke,
    radius: float | None = None,
    joints: Sequence[str] | None = None,
    limits: Mapping[str, float] | None = None,
    hinges: Mapping[str, Hinge] | None = None,
    move_roots: bool = True,
    stretch: float | Mapping[str, float] = 1.0,
    twist: bool = False,
) -> Pose:
    """The pose in which joints near `baseline` stand to `offset` as they stood to it [Toothman2020, Sec. 7.2].

    From the root outward, each picked joint is turned so that the picked joints below it point to where the strokes
    want them; where bones keep their lengths, they come as near as those allow. A picked root moves there unless
    `move_roots` is false. `limits` are the largest angles [rad] from rest by joint name; a joint turns no farther than
    that against its parent (nor farther than it is already). `hinges` turn about one line alone, and as far as they
    may: a knee that is drawn backwards stays straight; the joint above turns about its bone, up to 60 degrees, for a
    hinge to fold the way that is drawn. `JointRanges.of(character)` knows both. Without a `radius` [m], joints within
    0.06 of the pose's size are picked; where there are none it is refused. `joints` are picked by their names instead,
    however far they are from the line.

    `stretch` is how many times as long as they are bones may become, or as many times as short, for all or by the name
    of the joint that a bone begins at; then joints come to where the strokes want them. With `twist` bones take the
    turn of the strokes about themselves too, and the last picked joints all of it.
    """
    lengths = _check_stretch(skeleton, stretch)
    bounds = _check_limits(skeleton, limits or {})
    folds = {skeleton.index(name): hinge for name, hinge in (hinges or {}).items()}
    heads = pose.world_from_joint[:, :3, 3]
    parameters, distances = baseline.nearest_parameters(heads)
    if joints is None:
        picked = np.flatnonzero(distances <= _check_radius(radius, pose, _WHERE))
        if len(picked) == 0:
            raise InputError(
                _WHERE,
                f"no joint is within {_check_radius(radius, pose, _WHERE):.3g} m of the baseline",
                f"the nearest one is {distances.min():.3g} m away",
                "draw it nearer, or pass a larger radius",
            )
    else:
        picked = np.unique([skeleton.index(name) for name in joints]).astype(np.int64)
        if len(picked) == 0:
            raise InputError(_WHERE, "joints names none", "at least one is needed", "leave it out, or name some")
    goals, turns = carry_from(baseline, offset, heads[picked], parameters=parameters[picked])
    wanted = dict(zip(picked.tolist(), goals, strict=True))
    twists = dict(zip(picked.tolist(), turns, strict=True)) if twist else {}
    allowed = _Allowed(bounds, folds, lengths, twists, move_roots)
    moves = _move_joints(skeleton, pose, wanted, allowed)
    return Pose(moves @ pose.world_from_joint, shapes=pose.shapes)


@dataclass(frozen=True)
class _Allowed:
    """What joints may do: `bounds` [rad] and `hinges` by joint, how far bones (J,) may stretch, and their twists."""

    bounds: Mapping[int, float]
    hinges: Mapping[int, Hinge]
    stretch: FloatArray
    twists: Mapping[int, FloatArray]
    move_roots: bool


def _move_joints(skeleton: Skeleton, pose: Pose, wanted: Mapping[int, FloatArray], allowed: _Allowed) -> FloatArray:
    """The rigid moves (J, 4, 4) that take joints from where they are: each one's parent's, and its own turn on top."""
    world = pose.world_from_joint
    moves = np.tile(np.eye(4), (len(skeleton), 1, 1))
    leads = _find_followers(skeleton, wanted)
    parents = skeleton.parents.tolist()
    for joint in np.concatenate(skeleton.levels).tolist():
        move = moves[parents[joint]] if parents[joint] >= 0 else np.eye(4)
        moves[joint] = move
        if joint not in wanted:
            continue
        head = move[:3, :3] @ world[joint, :3, 3] + move[:3, 3]
        if parents[joint] < 0 and allowed.move_roots:
            moves[joint, :3, 3] += wanted[joint] - head
            head = wanted[joint]
        elif parents[joint] >= 0 and allowed.stretch[parents[joint]] > 1.0:
            above = moves[parents[joint]] @ world[parents[joint]]
            longer = _stretched(head - above[:3, 3], wanted[joint] - above[:3, 3], allowed.stretch[parents[joint]])
            moves[joint, :3, 3] += above[:3, 3] + longer - head
            head = above[:3, 3] + longer
        followers = leads.get(joint, [])
        if not followers and joint not in allowed.twists:
            continue
        move = moves[joint]
        if not followers:
            rotation = allowed.twists[joint] @ move[:3, :3].T
            _turn_about(moves[joint], _bounded(rotation, skeleton, moves, world, joint, allowed.bounds), head)
            continue
        directions = world[followers, :3, 3] @ move[:3, :3].T + move[:3, 3] - head
        targets = _find_targets(directions, np.array([wanted[f] for f in followers]) - head, wanted[joint] - head)
        if joint in allowed.hinges:
            rotation = _fold(allowed.hinges[joint], skeleton, moves, world, joint, directions, targets)
            _turn_about(moves[joint], rotation, head)
            continue
        rotation = _fit_rotation(directions, targets)
        below = followers[0]
        if len(followers) == 1 and below in allowed.hinges and below in leads:
            way = np.mean([wanted[last] for last in leads[below]], axis=0) - wanted[below]
            axis = rotation @ move[:3, :3] @ _rotation_from_rest(skeleton, world, joint) @ allowed.hinges[below].axis
            rotation = _face(axis, rotation @ directions[0], way) @ rotation
        elif joint in allowed.twists:
            about = rotation @ directions.sum(axis=0)
            rotation = _twist(allowed.twists[joint] @ (rotation @ move[:3, :3]).T, about) @ rotation
        _turn_about(moves[joint], _bounded(rotation, skeleton, moves, world, joint, allowed.bounds), head)
    return moves


def _rotation_from_rest(skeleton: Skeleton, world: FloatArray, joint: int) -> FloatArray:
    """How (3, 3) a joint is turned away from rest, in the world."""
    return quaternions.nearest_rotation(world[joint, :3, :3] @ skeleton.joint_from_world[joint, :3, :3])


def _fold(
    hinge: Hinge,
    skeleton: Skeleton,
    moves: FloatArray,
    world: FloatArray,
    joint: int,
    directions: FloatArray,
    targets: FloatArray,
) -> FloatArray:
    """The turn (3, 3) of a hinge about its axis that takes directions (N, 3) nearest to targets, as far as it folds."""
    parent = int(skeleton.parents[joint])
    above = np.eye(3) if parent < 0 else moves[parent, :3, :3] @ _rotation_from_rest(skeleton, world, parent)
    own = moves[joint, :3, :3] @ _rotation_from_rest(skeleton, world, joint)
    axis, folded = above @ hinge.axis, _angle_about(above.T @ own, hinge.axis)
    now, then = (vectors - np.outer(vectors @ axis, axis) for vectors in (directions, targets))
    angle = math.atan2(float((np.cross(now, then) @ axis).sum()), float((now * then).sum()))
    angle = float(np.clip(folded + angle, min(hinge.low, folded), max(hinge.high, folded))) - folded
    return quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, angle))


def _face(axis: FloatArray, bone: FloatArray, way: FloatArray) -> FloatArray:
    """The turn (3, 3) about a bone after which a hinge at its end, with this axis, folds the way that is wanted.

    Where that is hardly a fold, or would be one backwards, the bone stays as it is.
    """
    along = quaternions.normalize(bone)
    wanted, there = np.cross(along, quaternions.normalize(way)), axis - (axis @ along) * along
    if np.linalg.norm(wanted) < _HARDLY or np.linalg.norm(there) < _HARDLY:
        return np.eye(3)
    angle = math.atan2(float(np.cross(there, wanted) @ along), float(there @ wanted))
    if abs(angle) > _BACKWARDS:
        return np.eye(3)
    bounded = float(np.clip(angle, -_FACING, _FACING))
    return quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(along, bounded))


def _turn_about(move: FloatArray, rotation: FloatArray, head: FloatArray) -> None:
    """Turn what a joint carries about its head as well."""
    move[:3, 3] = rotation @ (move[:3, 3] - head) + head
    move[:3, :3] = rotation @ move[:3, :3]


def _bounded(
    rotation: FloatArray,
    skeleton: Skeleton,
    moves: FloatArray,
    world: FloatArray,
    joint: int,
    bounds: Mapping[int, float],
) -> FloatArray:
    """A turn of a joint, or as much of it as its limit allows."""
    if joint not in bounds:
        return rotation
    parent = int(skeleton.parents[joint])
    above = np.eye(3) if parent < 0 else moves[parent, :3, :3] @ world[parent, :3, :3]
    own = moves[joint, :3, :3] @ world[joint, :3, :3]
    rest = skeleton.parent_from_joint[joint, :3, :3]
    return _limit_rotation(rotation, rest=rest, above=above, own=own, bound=bounds[joint])


def _stretched(bone: FloatArray, wanted: FloatArray, most: float) -> FloatArray:
    """A bone (3,) [m] along its own direction, as long as comes nearest to `wanted`, within `most` times either way."""
    length = float(np.linalg.norm(bone))
    if length < 1e-12:
        return bone
    ratio = float(bone @ wanted) / length**2
    return np.asarray(bone * np.clip(ratio, 1.0 / most, most))


def _twist(rotation: FloatArray, about: FloatArray) -> FloatArray:
    """The part (3, 3) of a rotation that turns about a direction."""
    axis = quaternions.normalize(about)
    return quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(axis, _angle_about(rotation, axis)))


def _angle_about(rotation: FloatArray, axis: FloatArray) -> float:
    """How far [rad] a rotation turns about an axis, from minus to plus half a turn."""
    quaternion = quaternions.quat_from_matrix(rotation)
    angle = 2.0 * math.atan2(float(quaternion[:3] @ axis), float(quaternion[3]))
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def _check_radius(radius: float | None, pose: Pose, where: str) -> float:
    """The radius [m], or without one a share of the size of what is posed."""
    if radius is None:
        return RADIUS * float(np.ptp(pose.world_from_joint[:, :3, 3], axis=0).max())
    if not (np.isfinite(radius) and radius >= 0.0):
        raise InputError(where, f"radius is {radius}", "metres, zero or more, are needed", "leave it out")
    return radius


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


def _check_stretch(skeleton: Skeleton, stretch: float | Mapping[str, float]) -> FloatArray:
    """How many times as long (J,) the bones of joints may become."""
    named = stretch if isinstance(stretch, Mapping) else dict.fromkeys(skeleton.names, stretch)
    found = np.ones(len(skeleton))
    for name, most in named.items():
        if not 1.0 <= most <= 20.0:
            given = f"the stretch of {name!r} is {most}"
            raise InputError(_WHERE, given, "the range is 1 to 20", "use 1 for bones that keep their length")
        found[skeleton.index(name)] = most
    return found


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
    least = _least_rotation(before.sum(axis=0), after.sum(axis=0))
    if len(before) == 1:
        return least
    rest = quaternions.normalize(before) @ least.T
    # A share of the identity decides where the directions leave a twist open.
    spread = np.einsum("ni,nj->ij", quaternions.normalize(after), rest) + 1e-6 * np.eye(3)
    best: FloatArray = quaternions.nearest_rotation(spread) @ least
    return best


def _least_rotation(before: FloatArray, after: FloatArray) -> FloatArray:
    """The least turn (3, 3) from one direction to another: R = 1 + [v] + [v]^2 / (1 + c), v = a x b, c = a . b."""
    a, b = before.tolist(), after.tolist()
    size = math.sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]))
    cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / size if size > 1e-300 else -1.0
    if cosine < 0.0:  # 1 + c cancels
        return quaternions.matrix_from_quat(quaternions.rotation_between(before, after))
    x, y, z = (
        (a[1] * b[2] - a[2] * b[1]) / size,
        (a[2] * b[0] - a[0] * b[2]) / size,
        (a[0] * b[1] - a[1] * b[0]) / size,
    )
    k = 1.0 / (1.0 + cosine)
    return np.array(
        [
            [cosine + k * x * x, k * x * y - z, k * x * z + y],
            [k * x * y + z, cosine + k * y * y, k * y * z - x],
            [k * x * z - y, k * y * z + x, cosine + k * z * z],
        ]
    )


def _limit_rotation(
    rotation: FloatArray, *, rest: FloatArray, above: FloatArray, own: FloatArray, bound: float
) -> FloatArray:
    """As much of a turn of a joint as keeps its angle from rest, as seen from its parent, within bounds.

    `own` and `above` are the axes of the joint and of its parent now, `rest` those of the joint in its parent at rest.
    """
    rest, above, own = (quaternions.nearest_rotation(axes) for axes in (rest, above, own))
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
