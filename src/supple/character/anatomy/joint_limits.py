"""How far joints turn, by anatomy: elbows, knees, hocks and fingers fold one way, shoulders and hips swing and twist.

Every joint has one kind of bounds. With R its rotation from rest, seen from what it hangs on, and a an axis at rest,

    angle(R a, c) <= swing,    low <= twist of R about a <= high.

Of a hinge a = c is the axis about which it folds, the swing a few degrees of play, and low to high how far it folds; of
a ball a is the bone, c the middle of the cone that the bone swings in, and low to high how far it turns about itself.
A spine, a neck and a tail share what they bend over all their joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.joint_parts import JointParts, find_joint_parts
from supple.character.skeleton import Skeleton
from supple.geometry import quaternions
from supple.geometry.quaternions import normalize

HINGE, BALL = "hinge", "ball"
_BENT = np.radians(15.0)  # a joint bent more than this at rest tells its axis
_SLACK = np.radians(4.0)  # beyond what a motion reaches, and what rest needs
_STRAIGHT = np.radians(5.0)  # how far beyond straight elbows and knees go
_MOVING = np.radians(25.0)  # a joint that turns less than this in a motion does not tell its axis
_ONE_WAY = 0.35  # turns off an axis, as a share of those about it, up to which a motion tells a hinge
_OF_ONE = np.radians(40.0)  # how much of a shared bend one joint alone has at most
_LEAST_OF_ONE = np.radians(12.0)  # and at least, so that who has many, as a snake, can coil
_UNFOLDS = np.radians(40.0)  # how far a hinge that is bent at rest unfolds at most
_ALIKE = 0.5  # cosine: how much the axis of a bend at rest agrees with how such a joint folds
_FOLDED_AT_REST = ("shank", "hock", "paw", "bend")  # parts whose bend at rest says which way they fold
_WIDEST = np.radians(25.0)  # how far beyond anatomy the motions of a character may widen its bounds


@dataclass(frozen=True)
class _Fold:
    """A hinge: how far it folds [degrees] and its play across; `forward`: what is below it folds forwards."""

    fold: float
    play: float
    forward: bool = False


@dataclass(frozen=True)
class _Cone:
    """A ball: swing and twist [degrees]; `middle` of its cone as shares of (out, up, forward), or along rest.

    `shared`: swing and twist are those of a whole run of joints.
    """

    swing: float
    twist: float
    middle: tuple[float, float, float] | None = None
    shared: bool = False


# Of people, from common clinical tables of how far joints reach, rounded; of animals by what their clips show.
_PEOPLE: MappingProxyType[str, _Fold | _Cone] = MappingProxyType(
    {
        "spine": _Cone(70.0, 45.0, shared=True),
        "neck": _Cone(65.0, 75.0, shared=True),
        "head": _Cone(65.0, 75.0, shared=True),
        "clavicle": _Cone(14.0, 10.0),
        "upper arm": _Cone(85.0, 60.0, middle=(0.65, -0.4, 0.65)),
        "elbow": _Fold(145.0, 6.0, forward=True),
        "hand": _Cone(55.0, 55.0),
        "finger": _Fold(90.0, 8.0),
        "thumb": _Cone(35.0, 12.0),
        "upper leg": _Cone(62.0, 30.0, middle=(0.12, -0.8, 0.59)),
        "knee": _Fold(140.0, 4.0),
        "foot": _Cone(32.0, 12.0),
        "toes": _Cone(28.0, 4.0),
    }
)
_ANIMALS: MappingProxyType[str, _Fold | _Cone] = MappingProxyType(
    {
        "spine": _Cone(60.0, 25.0, shared=True),
        "neck": _Cone(80.0, 40.0, shared=True),
        "head": _Cone(80.0, 40.0, shared=True),
        "tail": _Cone(150.0, 40.0, shared=True),
        "trunk": _Cone(8.0, 5.0),
        "girdle": _Cone(12.0, 6.0),
        "thigh": _Cone(40.0, 10.0),
        "shank": _Fold(80.0, 5.0),
        "hock": _Fold(80.0, 5.0),
        "paw": _Fold(60.0, 8.0),
        "wing": _Cone(50.0, 20.0),
        "feather": _Cone(12.0, 5.0),
        "ear": _Cone(20.0, 8.0),
        "jaw": _Fold(30.0, 3.0),
        "limb": _Cone(45.0, 15.0),
        "bend": _Fold(80.0, 8.0),
        "skull": _Cone(6.0, 4.0),
        "tip": _Cone(10.0, 6.0),
        "": _Cone(30.0, 15.0),
    }
)


@dataclass(frozen=True, eq=False)
class JointLimit:
    """How one joint may turn from rest; see the head of this file. Angles in radians, directions at rest in the world.

    `part` is what it was taken for, `source` whence that is known: "names" or "shape", and "motion" where motions
    gave the axis of a hinge.
    """

    kind: str
    part: str
    source: str
    axis: FloatArray
    middle: FloatArray
    swing: float
    low: float
    high: float

    def measure(self, rotations: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Swing and twist (F,) [rad] of rotations (F, 3, 3) from rest, seen from what the joint hangs on."""
        swung = np.einsum("fij,j->fi", rotations, self.axis) @ self.middle
        unit = quaternions.quat_from_matrix(rotations)
        twist = 2.0 * np.arctan2(unit[:, :3] @ self.axis, unit[:, 3])
        return np.arccos(np.clip(swung, -1.0, 1.0)), (twist + np.pi) % (2.0 * np.pi) - np.pi


def find_joint_limits(skeleton: Skeleton, motions: Sequence[FloatArray] = ()) -> dict[str, JointLimit]:
    """The limits of all joints but the roots, by name.

    `motions` are poses `world_from_joint` (F, J, 4, 4) that the character takes: they tell the axes of hinges that are
    straight at rest, and bounds are widened to what they reach, within reason.
    """
    parts = find_joint_parts(skeleton)
    seen = _relative_rotations(skeleton, motions) if len(motions) else None
    found: dict[str, JointLimit] = {}
    for joint, name in enumerate(skeleton.names):
        if skeleton.parents[joint] < 0 or not parts.sources[joint]:
            continue
        turned = None if seen is None else seen[:, joint]
        found[name] = _widen(_limit(parts, joint, turned), turned)
    return found


def _limit(parts: JointParts, joint: int, turned: FloatArray | None) -> JointLimit:
    part = parts.parts[joint]
    rule = _PEOPLE.get(part) if parts.upright else None
    rule = rule or _ANIMALS.get(part) or _PEOPLE.get(part, _ANIMALS[""])
    bone, before = _bone(parts.skeleton, joint), _bone_before(parts.skeleton, joint)
    if isinstance(rule, _Cone):
        share = 1.0 / parts.shared(joint) if rule.shared else 1.0
        swing, twist = np.radians(rule.swing) * share, np.radians(rule.twist) * share
        if rule.shared:
            swing, twist = min(max(swing, _LEAST_OF_ONE), _OF_ONE), min(max(twist, 0.3 * _LEAST_OF_ONE), _OF_ONE)
        middle = bone if rule.middle is None else _cone_middle(parts, joint, rule.middle)
        swing = max(swing, float(np.arccos(np.clip(bone @ middle, -1.0, 1.0))) + 2.0 * _SLACK)
        return JointLimit(BALL, part, parts.sources[joint], bone, middle, swing, -twist, twist)
    across = np.cross(before, bone)
    bent = float(np.arctan2(np.linalg.norm(across), before @ bone))
    axis, source = _fold_axis(parts, rule, part, bone), parts.sources[joint]
    told = _axis_in_motion(turned) if turned is not None else None
    if bent > _BENT and (part in _FOLDED_AT_REST or axis @ across > _ALIKE * np.linalg.norm(across)):
        axis = normalize(across)
    elif told is not None and abs(told @ axis) > 0.5:
        axis, source = normalize(told * np.sign(told @ axis)), "motion"
    folded = bent * float(axis @ normalize(across)) if bent > 1e-6 and part != "jaw" else 0.0
    unfold = min(max(folded, 0.0) + _STRAIGHT, _UNFOLDS if part in _FOLDED_AT_REST else np.pi)
    fold = max(np.radians(rule.fold) - folded, np.radians(20.0))
    return JointLimit(HINGE, part, source, axis, axis, np.radians(rule.play), -unfold, fold)


def _fold_axis(parts: JointParts, rule: _Fold, part: str, bone: FloatArray) -> FloatArray:
    """About which a joint that is straight at rest folds: what is below an elbow goes forwards, below a knee back."""
    out = parts.left * np.sign(parts.left @ bone)
    if part == "finger":
        way = -parts.up - out  # towards the palm: down of an arm that is held out, inwards of one that hangs
    elif part == "jaw":
        way = -parts.up
    else:
        way = parts.forward if rule.forward else -parts.forward
        if abs(way @ bone) > 0.9:
            way = parts.up
    axis = np.cross(bone, way)
    return normalize(axis) if np.linalg.norm(axis) > 1e-6 else normalize(np.cross(bone, parts.up + 1e-3))


def _cone_middle(parts: JointParts, joint: int, shares: tuple[float, float, float]) -> FloatArray:
    heads = parts.skeleton.heads
    side = float((heads[joint] - heads[parts.skeleton.parents[joint]]) @ parts.left)
    middle = float(np.median(heads @ parts.left))
    off = float(heads[joint] @ parts.left) - middle
    out = parts.left * (np.sign(off) or np.sign(side) or 1.0)
    return normalize(shares[0] * out + shares[1] * parts.up + shares[2] * parts.forward)


def _bone(skeleton: Skeleton, joint: int) -> FloatArray:
    """Along the bone (3,) at rest; that of several is their middle."""
    along = (skeleton.bones.ends[skeleton.bones.joints == joint] - skeleton.heads[joint]).sum(axis=0)
    return normalize(along) if np.linalg.norm(along) > 1e-9 else _bone_before(skeleton, joint)


def _bone_before(skeleton: Skeleton, joint: int) -> FloatArray:
    """Along the way (3,) from what a joint hangs on; of joints that stand at one place, of what that hangs on."""
    above = int(skeleton.parents[joint])
    while above >= 0:
        way = skeleton.heads[joint] - skeleton.heads[above]
        if np.linalg.norm(way) > 1e-9:
            return normalize(way)
        above = int(skeleton.parents[above])
    return np.array([0.0, 1.0, 0.0])


def _relative_rotations(skeleton: Skeleton, motions: Sequence[FloatArray]) -> FloatArray:
    """Rotations (F, J, 3, 3) from rest seen from the parent, in all poses."""
    world = np.concatenate([np.asarray(poses) for poses in motions])
    rotations = quaternions.nearest_rotation((world @ skeleton.joint_from_world)[:, :, :3, :3])
    above = np.where((skeleton.parents >= 0)[None, :, None, None], rotations[:, skeleton.parents], np.eye(3))
    return np.asarray(np.swapaxes(above, 2, 3) @ rotations)


def _axis_in_motion(turned: FloatArray) -> FloatArray | None:
    """The axis (3,) about which a joint turns in poses, if it is one."""
    unit = quaternions.quat_from_matrix(turned)
    unit = unit * np.where(unit[:, 3:] < 0.0, -1.0, 1.0)
    away = 2.0 * unit[:, :3]  # near enough to axis times angle to tell an axis
    values, axes = np.linalg.eigh(away.T @ away)
    one_way = values[1] < _ONE_WAY**2 * values[2] and np.ptp(away @ axes[:, 2]) > _MOVING
    return np.asarray(axes[:, 2]) if one_way else None


def _widen(limit: JointLimit, turned: FloatArray | None) -> JointLimit:
    """Bounds that hold what motions reach, a few degrees more, and at most some way beyond anatomy."""
    if turned is None:
        return limit
    swing, twist = limit.measure(turned)

    def to(reached: float, bound: float) -> float:
        return min(max(reached + _SLACK, bound), bound + _WIDEST)

    return replace(
        limit,
        swing=to(float(swing.max()), limit.swing),
        low=-to(-float(twist.min()), -limit.low),
        high=to(float(twist.max()), limit.high),
    )
