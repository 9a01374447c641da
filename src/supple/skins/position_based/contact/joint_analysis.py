"""Which joints of a skeleton can fold, about which axes, and where its limbs and its midline are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.anatomy.joint_limits import HINGE, JointLimit
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import (
    conjugate,
    matrix_from_quat,
    normalize,
    perpendicular,
    quat_from_matrix,
    quat_multiply,
)
from supple.motion.motion import Motion
from supple.skins.position_based.contact.joint_planes import JointPlanes, angle_between

SHORTEST = 1e-4  # of the skeleton's size: a bone below this has no direction
STRAIGHT = np.radians(5.0)  # bones that differ by less at rest show no axis
BESIDE = np.radians(30.0)  # bones folded more than this at rest lie beside each other, as a jaw beside a head
HELPER = np.radians(1.0)  # a joint in line that never bends more than this over a clip only twists
STILL = np.radians(1.0)  # a joint that turns less than this over a clip shows no axis
ONE_WAY = 0.3  # of the spread about the main axis: a joint that turns less about another axis does not turn about it
ON_MIDLINE = 0.03  # of the skeleton's size
ALONG = 0.5  # cosine: an axis nearer than this to a bone's direction is no hinge's
LONGER = 1.5  # a limb's second bone stands for it where it is so many times longer than the first (a collar bone)
TWISTERS = ("twist", "roll")


def find_joint_planes(
    skeleton: Skeleton, *, motion: Motion | None = None, limits: Mapping[str, JointLimit] | None = None
) -> JointPlanes:
    """Find the joints, axes and limbs of a skeleton.

    Axes come from `motion`; without one from `limits`, what is known of joints by name: an elbow is a hinge, a hip is
    none, however little it is bent at rest; and where those are silent from the rest pose.
    """
    size = float(np.ptp(skeleton.heads, axis=0).max()) or 1.0
    relative = None if motion is None else _relative_rotations(skeleton, motion)
    middle = _midline_joints(skeleton, size)
    rows, merged = [], np.arange(len(skeleton), dtype=np.int32)
    for level in skeleton.levels[1:]:
        for joint in level.tolist():
            parent = _carrying_joint(skeleton, joint, SHORTEST * size)
            back, own = _parent_bone(skeleton, joint, parent, middle), _child_bone(skeleton, joint, middle)
            short = min(np.linalg.norm(back), np.linalg.norm(own)) < SHORTEST * size
            rotations = None if relative is None else relative[:, joint]
            if short or _is_helper(skeleton.names[joint], normalize(back), normalize(own), rotations):
                merged[joint] = merged[parent]
                continue
            axis, freedom = _axis(normalize(back), normalize(own), rotations)
            limit = None if limits is None else limits.get(skeleton.names[joint])
            if rotations is None and limit is not None and limit.source != "shape":  # which may be the wrong axis
                axis, freedom = _limited_axis(limit, normalize(back), normalize(own), axis)
            lengths = np.linalg.norm([back, own], axis=1)
            extent = max(lengths.min(), 0.5 * lengths.max())
            rows.append((joint, parent, normalize(back), normalize(own), axis, freedom, extent))
    rest = skeleton.world_from_joint[:, :3, :3]
    order = sorted(rows, key=lambda row: row[0])
    joints = np.array([row[0] for row in order], dtype=np.int32)
    parents = np.array([row[1] for row in order], dtype=np.int32)
    limbs = _limbs(skeleton, middle, size)
    carriers = np.array([limb[1] for limb in limbs], dtype=np.int32)
    trunk, down = _trunk(skeleton, middle, size)
    return JointPlanes(
        skeleton,
        joints,
        parents,
        _in_frames(rest[parents], [row[2] for row in order]),
        _in_frames(rest[joints], [row[3] for row in order]),
        _in_frames(rest[parents], [row[4] for row in order]),
        np.array([row[5] for row in order], dtype=np.int32),
        np.array([row[6] for row in order], dtype=np.float64),
        merged,
        np.array([limb[0] for limb in limbs], dtype=np.int32),
        carriers,
        _in_frames(rest[carriers], [limb[2] for limb in limbs]),
        trunk,
        _in_frames(rest[[trunk]], [down])[0],
    )


def _in_frames(world_from_frame: FloatArray, directions: list[FloatArray]) -> FloatArray:
    """World directions (N, 3) in the frames (N, 3, 3), which may be scaled."""
    if len(directions) == 0:
        return np.zeros((0, 3))
    return normalize(np.linalg.solve(world_from_frame, np.array(directions)[..., None])[..., 0])


# Bones


def _carrying_joint(skeleton: Skeleton, joint: int, shortest: float) -> int:
    """The joint above whose bone leads here: the parent, or the first ancestor that stands elsewhere."""
    above = int(skeleton.parents[joint])
    while skeleton.tails is None and skeleton.parents[above] >= 0:
        if np.linalg.norm(skeleton.heads[above] - skeleton.heads[joint]) > shortest:
            break
        above = int(skeleton.parents[above])
    return above


def _parent_bone(skeleton: Skeleton, joint: int, parent: int, middle: NDArray[np.bool_]) -> FloatArray:
    """From the joint back along the bone (3,) [m] of `parent` at rest.

    A limb bends against the trunk, not against the stretch of pelvis between the trunk and its joint; so a joint off
    the midline whose parent is on it sees the trunk, in the direction that leads away from the joint.
    """
    head, here = skeleton.heads[parent], skeleton.heads[joint]
    ends = [np.asarray(skeleton.tails[parent])] if skeleton.tails is not None else []
    if not ends and middle[parent] and not middle[joint]:
        ends = [skeleton.heads[child] for child in skeleton.children(parent) if middle[child]][:1]
    if not ends:
        return head - here
    bone = ends[0] - head
    if np.linalg.norm(bone) == 0.0:
        return head - here
    return bone if np.linalg.norm(here - head) < np.linalg.norm(here - ends[0]) else -bone


def _child_bone(skeleton: Skeleton, joint: int, middle: NDArray[np.bool_]) -> FloatArray:
    """Along the joint's own bone (3,) [m] at rest; with several children, the one that carries the midline on."""
    head = skeleton.heads[joint]
    if skeleton.tails is not None:
        return np.asarray(skeleton.tails[joint] - head)
    children = skeleton.children(joint)
    if len(children) == 0:
        return 0.5 * (head - skeleton.heads[skeleton.parents[joint]])
    on_it = [child for child in children if middle[child]] if middle[joint] else []
    if on_it:
        return skeleton.heads[on_it[0]] - head
    return np.asarray(skeleton.heads[children].mean(axis=0) - head)


def _is_helper(name: str, back: FloatArray, own: FloatArray, rotations: FloatArray | None) -> bool:
    """Whether a joint in line with its parent is there for twisting only, or lies beside it."""
    if angle_between(back, own) < BESIDE:
        return True
    if np.pi - angle_between(back, own) > STRAIGHT:
        return False
    if rotations is None:
        return any(word in name.lower() for word in TWISTERS)
    bends = angle_between(back, np.einsum("fij,j->fi", rotations, own))
    return bool((np.pi - bends < HELPER).all())


# Axes


def _relative_rotations(skeleton: Skeleton, motion: Motion) -> FloatArray:
    """How every joint has turned against its parent since rest (F, J, 3, 3), in the world's axes at rest."""
    motion.check_fits(skeleton)
    frames = np.stack([motion.sample(time).world_from_joint[:, :3, :3] for time in motion.times])
    rest = skeleton.world_from_joint[:, :3, :3]
    since = frames @ np.linalg.inv(rest)
    parents = np.where(skeleton.parents >= 0, skeleton.parents, 0)
    rotated = np.linalg.inv(since[:, parents]) @ since
    rotated[:, skeleton.parents < 0] = since[:, skeleton.parents < 0]
    return np.asarray(rotated)


def _axis(back: FloatArray, own: FloatArray, rotations: FloatArray | None) -> tuple[FloatArray, int]:
    """The joint's main axis (3,) in the world at rest, and how many axes it turns about.

    From a motion: the rotation vectors of the joint about its middle pose are spread along its axes; twist about the
    joint's own bone counts as an axis, but is never the main one, because it moves no plane. A shoulder that swings
    about its collar bone all through a clip is still no hinge: a hinge's axis is across both bones.
    """
    if rotations is not None:
        quaternions = quat_from_matrix(rotations)
        _, vectors = np.linalg.eigh(np.einsum("fi,fj->ij", quaternions, quaternions))
        middle = vectors[:, -1]
        rotated = _rotation_vectors(quaternions, middle)
        spread = np.sqrt(np.maximum(np.linalg.eigvalsh(rotated.T @ rotated / len(rotated)), 0.0))
        along = matrix_from_quat(middle) @ own
        swings = rotated - np.outer(rotated @ along, along)
        _, directions = np.linalg.eigh(swings.T @ swings)
        if np.sqrt(np.mean(np.sum(swings**2, axis=1))) > STILL:
            axis = directions[:, -1]
            hinge = max(abs(axis @ back), abs(axis @ along)) < ALONG
            return axis, max(int((spread > ONE_WAY * spread[-1]).sum()), 1 if hinge else 2)
    across = np.cross(back, own)
    if np.linalg.norm(across) > np.sin(STRAIGHT):
        return normalize(across), 1
    return perpendicular(own), 3


def _limited_axis(limit: JointLimit, back: FloatArray, own: FloatArray, axis: FloatArray) -> tuple[FloatArray, int]:
    """That of a hinge, if it is one across both bones; else the one there is, of a joint that turns about more."""
    if limit.kind == HINGE and max(abs(limit.axis @ back), abs(limit.axis @ own)) < ALONG:
        return limit.axis, 1
    return axis, 3


def _rotation_vectors(quaternions: FloatArray, middle: FloatArray) -> FloatArray:
    """Axis times angle (F, 3) of turns after the `middle` one is undone: q = d middle, d the difference."""
    difference = quat_multiply(quaternions, conjugate(middle))
    difference *= np.where(difference[:, 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(difference[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, difference[:, 3])
    return difference[:, :3] * (angle / np.where(sine > 0.0, sine, 1.0))[:, None]


# Limbs and the midline


def _midline_joints(skeleton: Skeleton, size: float) -> NDArray[np.bool_]:
    """The joints (J,) between left and right, hanging together from a root.

    Left and right are opposite along the horizontal axis across which the joints mirror each other best. A joint close
    to the middle whose mirror image is another joint, such as a collar bone's, is not on the midline.
    """
    root = int(np.flatnonzero(skeleton.parents < 0)[0])
    offsets = skeleton.heads - skeleton.heads[root]

    def mirrored(side: int) -> FloatArray:
        image = offsets * np.where(np.arange(3) == side, -1.0, 1.0)
        return np.linalg.norm(image[:, None] - offsets[None], axis=2)

    side = min((0, 2), key=lambda side: float(mirrored(side).min(axis=1).sum()))
    distances = mirrored(side)
    own = np.diagonal(distances) <= distances.min(axis=1) + SHORTEST * size
    close = (np.abs(offsets[:, side]) < ON_MIDLINE * size) & own
    on_it = close & (skeleton.parents < 0)
    for level in skeleton.levels[1:]:
        on_it[level] = close[level] & on_it[skeleton.parents[level]]
    return on_it


def _trunk(skeleton: Skeleton, middle: NDArray[np.bool_], size: float) -> tuple[int, FloatArray]:
    """The joint that carries the midline, and the direction from its far end back to the root, at rest."""
    root = int(np.flatnonzero(skeleton.parents < 0)[0])
    branching = [j for j in np.flatnonzero(middle).tolist() if any(not middle[c] for c in skeleton.children(j))]
    far = max(branching, key=lambda j: float(np.linalg.norm(skeleton.heads[j] - skeleton.heads[root])), default=root)
    line = skeleton.heads[root] - skeleton.heads[far]
    if np.linalg.norm(line) < SHORTEST * size:
        line = -_child_bone(skeleton, root, middle) if len(skeleton.children(root)) else np.zeros(3)
    if np.linalg.norm(line) < SHORTEST * size:
        line = np.array([0.0, -1.0, 0.0])
    return root, normalize(line)


def _limbs(skeleton: Skeleton, middle: NDArray[np.bool_], size: float) -> list[tuple[int, int, FloatArray]]:
    """First joint, the joint whose bone stands for the limb, and that bone's direction at rest."""
    found = []
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if middle[joint] or parent < 0 or not middle[parent]:
            continue
        carrier, bone = joint, _child_bone(skeleton, joint, middle)
        for child in skeleton.children(joint).tolist():
            longer = _child_bone(skeleton, child, middle)
            if np.linalg.norm(longer) > LONGER * np.linalg.norm(bone):
                carrier, bone = child, longer
        if np.linalg.norm(bone) > SHORTEST * size:
            found.append((joint, carrier, normalize(bone)))
    return found
