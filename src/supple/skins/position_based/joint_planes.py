"""Planes between the two bones of every joint, and the angles that tell when flesh may meet there.

A joint has two sides: the parent's bone and the child's. Its plane goes through the joint, is parallel to the joint's
axis and halves the angle between the bones, so both sides of a crease meet in it when the joint bends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Floats, Ints
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


@dataclass(frozen=True)
class PosedPlanes:
    """Planes and angles in a pose: a point and the normal (..., K, 3) of every plane, pointing to the child's side.

    `flexion` (..., K) [rad] is the angle between the two bones of every joint: pi where they are in line. `adduction`
    (..., M) [rad] is that between every limb and the body's midline: 0 where it hangs down along the body.
    """

    points: Floats
    normals: Floats
    flexion: Floats
    adduction: Floats


@dataclass(frozen=True)
class JointPlanes:
    """The joints of a skeleton at which flesh can fold, and its limbs.

    Plane k stands at joint `joints[k]`, between that joint's own bone and its parent's. `parent_bones` (K, 3) points
    from the joint back along the parent's bone in the frame of joint `parents[k]`, the
    nearest ancestor that stands elsewhere, `child_bones` (K, 3) along its own
    in its own frame; `axes` (K, 3) in the parent's frame. `freedoms` (K,) says how many axes the joint turns about:
    at 1 the plane is parallel to the axis, at 2 or 3 to the axis that the bones bend about at the moment. A plane ends
    `extents[k]` [m] from the joint. `part_of_joint` (J,) puts joints that only help (of no length, twisting in
    line, or lying beside their parent's bone) together with the joint they help.

    Limb m hangs on the body's midline: `limb_joints[m]` is its first joint, `limb_bones` (M, 3) the direction of its
    upper bone in the frame of `limb_carriers[m]`. `midline` (3,) points down the trunk in the frame of joint `trunk`.
    """

    skeleton: Skeleton
    joints: Ints
    parents: Ints
    parent_bones: Floats
    child_bones: Floats
    axes: Floats
    freedoms: Ints
    extents: Floats
    part_of_joint: Ints
    limb_joints: Ints
    limb_carriers: Ints
    limb_bones: Floats
    trunk: int
    midline: Floats

    @classmethod
    def of(cls, skeleton: Skeleton, *, motion: Motion | None = None) -> JointPlanes:
        """Find the joints, axes and limbs of a skeleton; axes come from `motion`, or else from the rest pose."""
        size = float(np.ptp(skeleton.heads, axis=0).max()) or 1.0
        relative = None if motion is None else _relative_rotations(skeleton, motion)
        middle = _midline_joints(skeleton, size)
        rows, merged = [], np.arange(len(skeleton), dtype=np.int32)
        for level in skeleton.levels[1:]:
            for joint in level.tolist():
                parent = _carrier(skeleton, joint, SHORTEST * size)
                back, own = _parent_bone(skeleton, joint, parent, middle), _own_bone(skeleton, joint, middle)
                short = min(np.linalg.norm(back), np.linalg.norm(own)) < SHORTEST * size
                rotations = None if relative is None else relative[:, joint]
                if short or _is_helper(skeleton.names[joint], normalize(back), normalize(own), rotations):
                    merged[joint] = merged[parent]
                    continue
                axis, freedom = _axis(normalize(back), normalize(own), rotations)
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
        return cls(
            skeleton,
            joints,
            parents,
            _seen_from(rest[parents], [row[2] for row in order]),
            _seen_from(rest[joints], [row[3] for row in order]),
            _seen_from(rest[parents], [row[4] for row in order]),
            np.array([row[5] for row in order], dtype=np.int32),
            np.array([row[6] for row in order], dtype=np.float64),
            merged,
            np.array([limb[0] for limb in limbs], dtype=np.int32),
            carriers,
            _seen_from(rest[carriers], [limb[2] for limb in limbs]),
            trunk,
            _seen_from(rest[[trunk]], [down])[0],
        )

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def _carried(self) -> tuple[Ints, Floats]:
        """All directions at once, because many small products cost more: carriers (N,) and directions (N, 3, 1).

        They are the parents' bones, the children's, the axes, the limbs and the midline.
        """
        trunk = np.array([self.trunk], dtype=np.int32)
        carriers = [self.parents, self.joints, self.parents, self.limb_carriers, trunk]
        directions = [self.parent_bones, self.child_bones, self.axes, self.limb_bones, self.midline[None]]
        return np.concatenate(carriers), np.concatenate(directions)[..., None]

    def _directions(self, world_from_joint: Floats) -> tuple[Floats, ...]:
        """Unit vectors in a pose, in the order of `_carried`."""
        carriers, directions = self._carried
        turned = normalize((world_from_joint[..., :3, :3][..., carriers, :, :] @ directions)[..., 0])
        planes, limbs = len(self.joints), len(self.limb_joints)
        ends = np.cumsum([0, planes, planes, planes, limbs, 1]).tolist()
        return tuple(turned[..., start:stop, :] for start, stop in pairwise(ends))

    def bones(self, world_from_joint: Floats) -> tuple[Floats, Floats]:
        """Unit vectors (..., K, 3) from every joint back along the parent's bone and on along its own, in a pose."""
        back, own, _, _, _ = self._directions(world_from_joint)
        return back, own

    def posed(self, world_from_joint: Floats) -> PosedPlanes:
        """The planes and angles in a pose (..., J, 4, 4).

        With u back along the parent's bone and v along the child's, v - u is normal to the plane that halves their
        angle; a joint of one axis a takes the part of it across a. Where the bones lie on each other and v - u
        vanishes, the normal is across the axis and the bones.
        """
        back, own, axes, limbs, down = self._directions(world_from_joint)
        apart = own - back
        along = np.einsum("...i,...i->...", apart, axes) * (self.freedoms == 1)
        normals = apart - along[..., None] * axes
        folded = np.einsum("...i,...i->...", normals, normals) < 1e-12
        if folded.any():
            across = np.cross(axes, back)
            lost = np.linalg.norm(across, axis=-1, keepdims=True) < 1e-6  # the axis along the bones too
            normals = np.where(folded[..., None], np.where(lost, own, across), normals)
        positions = world_from_joint[..., :3, 3][..., self.joints, :]
        return PosedPlanes(positions, normalize(normals), _angle(back, own), _angle(limbs, down))

    def sides(self) -> Ints:
        """Which plane stands between two parts (J, J): 2 k seen from the child's part, 2 k + 1 from the parent's.

        -1 where parts do not meet at a joint. Rows are the particle's part, columns the other one.
        """
        table = np.full((len(self.skeleton), len(self.skeleton)), -1, dtype=np.int32)
        for plane, (joint, parent) in enumerate(zip(self.joints, self.part_of_joint[self.parents], strict=True)):
            table[joint, parent], table[parent, joint] = 2 * plane, 2 * plane + 1
        return table


def _angle(one: Floats, other: Floats) -> Floats:
    """The angle (...) between unit vectors (..., 3): 2 atan(|a - b| / |a + b|), exact at both ends."""
    apart, together = one - other, one + other
    squares = [np.einsum("...i,...i->...", vector, vector) for vector in (apart, together)]
    return np.asarray(2.0 * np.arctan2(np.sqrt(squares[0]), np.sqrt(squares[1])))


def _seen_from(world_from_frame: Floats, directions: list[Floats]) -> Floats:
    """World directions (N, 3) in the frames (N, 3, 3), which may be scaled."""
    if len(directions) == 0:
        return np.zeros((0, 3))
    return normalize(np.linalg.solve(world_from_frame, np.array(directions)[..., None])[..., 0])


# Bones


def _carrier(skeleton: Skeleton, joint: int, shortest: float) -> int:
    """The joint above whose bone leads here: the parent, or the first ancestor that stands elsewhere."""
    above = int(skeleton.parents[joint])
    while skeleton.tails is None and skeleton.parents[above] >= 0:
        if np.linalg.norm(skeleton.heads[above] - skeleton.heads[joint]) > shortest:
            break
        above = int(skeleton.parents[above])
    return above


def _parent_bone(skeleton: Skeleton, joint: int, parent: int, middle: NDArray[np.bool_]) -> Floats:
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


def _own_bone(skeleton: Skeleton, joint: int, middle: NDArray[np.bool_]) -> Floats:
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


def _is_helper(name: str, back: Floats, own: Floats, rotations: Floats | None) -> bool:
    """Whether a joint in line with its parent is there for twisting only, or lies beside it."""
    if _angle(back, own) < BESIDE:
        return True
    if np.pi - _angle(back, own) > STRAIGHT:
        return False
    if rotations is None:
        return any(word in name.lower() for word in TWISTERS)
    bends = _angle(back, np.einsum("fij,j->fi", rotations, own))
    return bool((np.pi - bends < HELPER).all())


# Axes


def _relative_rotations(skeleton: Skeleton, motion: Motion) -> Floats:
    """How every joint has turned against its parent since rest (F, J, 3, 3), in the world's axes at rest."""
    motion.check_fits(skeleton)
    frames = np.stack([motion.sample(time).world_from_joint[:, :3, :3] for time in motion.times])
    rest = skeleton.world_from_joint[:, :3, :3]
    since = frames @ np.linalg.inv(rest)
    parents = np.where(skeleton.parents >= 0, skeleton.parents, 0)
    turned = np.linalg.inv(since[:, parents]) @ since
    turned[:, skeleton.parents < 0] = since[:, skeleton.parents < 0]
    return np.asarray(turned)


def _axis(back: Floats, own: Floats, rotations: Floats | None) -> tuple[Floats, int]:
    """The joint's main axis (3,) in the world at rest, and how many axes it turns about.

    From a motion: the rotation vectors of the joint about its middle pose are spread along its axes; twist about the
    joint's own bone counts as an axis, but is never the main one, because it moves no plane. A shoulder that swings
    about its collar bone all through a clip is still no hinge: a hinge's axis is across both bones.
    """
    if rotations is not None:
        quaternions = quat_from_matrix(rotations)
        _, vectors = np.linalg.eigh(np.einsum("fi,fj->ij", quaternions, quaternions))
        middle = vectors[:, -1]
        turned = _rotation_vectors(quaternions, middle)
        spread = np.sqrt(np.maximum(np.linalg.eigvalsh(turned.T @ turned / len(turned)), 0.0))
        along = matrix_from_quat(middle) @ own
        swings = turned - np.outer(turned @ along, along)
        _, directions = np.linalg.eigh(swings.T @ swings)
        if np.sqrt(np.mean(np.sum(swings**2, axis=1))) > STILL:
            axis = directions[:, -1]
            hinge = max(abs(axis @ back), abs(axis @ along)) < ALONG
            return axis, max(int((spread > ONE_WAY * spread[-1]).sum()), 1 if hinge else 2)
    across = np.cross(back, own)
    if np.linalg.norm(across) > np.sin(STRAIGHT):
        return normalize(across), 1
    return perpendicular(own), 3


def _rotation_vectors(quaternions: Floats, middle: Floats) -> Floats:
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

    def mirrored(side: int) -> Floats:
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


def _trunk(skeleton: Skeleton, middle: NDArray[np.bool_], size: float) -> tuple[int, Floats]:
    """The joint that carries the midline, and the direction from its far end back to the root, at rest."""
    root = int(np.flatnonzero(skeleton.parents < 0)[0])
    branching = [j for j in np.flatnonzero(middle).tolist() if any(not middle[c] for c in skeleton.children(j))]
    far = max(branching, key=lambda j: float(np.linalg.norm(skeleton.heads[j] - skeleton.heads[root])), default=root)
    line = skeleton.heads[root] - skeleton.heads[far]
    if np.linalg.norm(line) < SHORTEST * size:
        line = -_own_bone(skeleton, root, middle) if len(skeleton.children(root)) else np.zeros(3)
    if np.linalg.norm(line) < SHORTEST * size:
        line = np.array([0.0, -1.0, 0.0])
    return root, normalize(line)


def _limbs(skeleton: Skeleton, middle: NDArray[np.bool_], size: float) -> list[tuple[int, int, Floats]]:
    """First joint, the joint whose bone stands for the limb, and that bone's direction at rest."""
    found = []
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        if middle[joint] or parent < 0 or not middle[parent]:
            continue
        carrier, bone = joint, _own_bone(skeleton, joint, middle)
        for child in skeleton.children(joint).tolist():
            longer = _own_bone(skeleton, child, middle)
            if np.linalg.norm(longer) > LONGER * np.linalg.norm(bone):
                carrier, bone = child, longer
        if np.linalg.norm(bone) > SHORTEST * size:
            found.append((joint, carrier, normalize(bone)))
    return found
