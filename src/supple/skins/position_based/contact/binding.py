"""What contacts know of a body: its shape at rest, its parts, and where they fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.character.anatomy.joint_limits import JointLimit
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.collision.spatial_hash import HashedMesh
from supple.geometry.rows import group_by_label
from supple.motion.motion import Motion
from supple.skins.position_based.contact.joint_analysis import find_joint_planes
from supple.skins.position_based.contact.joint_planes import JointPlanes

WHERE = "Contacts"


@dataclass(frozen=True, eq=False)
class CollisionBinding:
    """What contacts know of one body of P particles: its shape at rest, its parts, and where they fold.

    `rest` (P, 3) [m], `corners` (T, 4), `faces` (F, 3) of the boundary, anticlockwise seen from outside. `parts` (P,)
    are those that joints carry; region r sets the parts of side 1 and 2 in `regions[r]` apart, joints first, then
    limbs. `sides` and `limb_of_part` say the same by planes and limbs; the particles of all elements that reach into a
    part are `members[member_starts[part]:member_starts[part + 1]]`. `rest_angles` (R,) [rad].
    """

    rest: FloatArray
    corners: IntArray
    faces: IntArray
    planes: JointPlanes
    parts: IntArray
    mesh: HashedMesh
    regions: IntArray
    sides: IntArray
    limb_of_part: IntArray
    member_starts: IntArray
    members: IntArray
    extents: Float32Array
    rest_angles: FloatArray

    @classmethod
    def from_body(
        cls,
        rest_points: ArrayLike,
        corners: ArrayLike,
        faces: ArrayLike,
        *,
        joints: ArrayLike,
        skeleton: Skeleton,
        motion: Motion | None = None,
        limits: Mapping[str, JointLimit] | None = None,
    ) -> CollisionBinding:
        """`joints` (P,) are the joints that carry each particle most; `motion` or `limits` tell the axes of joints."""
        rest = frozen(rest_points, np.float64, (-1, 3), WHERE, "rest_points")
        elements = frozen(corners, np.int32, (-1, 4), WHERE, "corners")
        boundary = frozen(faces, np.int32, (-1, 3), WHERE, "faces")
        carriers = frozen(joints, np.int32, (len(rest),), WHERE, "joints")
        _check_numbers("faces", boundary, len(rest), "particles")
        _check_numbers("joints", carriers, len(skeleton), "joints")
        planes = find_joint_planes(skeleton, motion=motion, limits=limits)
        parts = planes.part_of_joint[carriers]
        angles = planes.pose(skeleton.world_from_joint).flexion
        return cls(
            rest,
            elements,
            boundary,
            planes,
            parts,
            HashedMesh.from_rest(rest, elements, labels=parts),
            _groups(planes),
            planes.sides(),
            _limb_of_part(planes),
            *_particles_of_parts(elements, parts, len(skeleton)),
            planes.extents.astype(np.float32),
            np.concatenate([angles, np.full(len(planes.limb_joints), np.inf)]),
        )


def _groups(planes: JointPlanes) -> IntArray:
    """The two sides (R, J) of every region, 1 and 2, and 0 for parts that it leaves alone: joints first, then limbs."""
    skeleton, merged = planes.skeleton, planes.part_of_joint
    rows = np.zeros((len(planes) + len(planes.limb_joints), len(skeleton)), dtype=np.int32)
    for row, joint in zip(rows, planes.joints.tolist(), strict=False):
        row[merged[skeleton.descendants(joint)]] = 1
        row[merged[skeleton.parents[joint]]] = 2
    for row, joint in zip(rows[len(planes) :], planes.limb_joints.tolist(), strict=True):
        row[merged] = 2
        row[merged[skeleton.descendants(joint)]] = 1
        row[merged[skeleton.parents[joint]]] = 2
    return rows


def _limb_of_part(planes: JointPlanes) -> IntArray:
    """The limb (J,) that a part belongs to, -1 for the trunk."""
    limb_of = np.full(len(planes.skeleton), -1, dtype=np.int32)
    for limb, joint in enumerate(planes.limb_joints.tolist()):
        limb_of[planes.skeleton.descendants(joint)] = limb
    return limb_of


def _particles_of_parts(corners: IntArray, parts: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """The particles of all elements that have a corner in each part, as compressed rows."""
    contact_particles = parts[corners]  # (T, 4)
    both = np.stack([np.repeat(contact_particles, 4, axis=1).reshape(-1), np.tile(corners, (1, 4)).reshape(-1)], axis=1)
    unique = np.unique(both, axis=0)
    starts, order = group_by_label(unique[:, 0], count)
    return starts, unique[order, 1].astype(np.int32)


def _check_numbers(what: str, numbers: IntArray, count: int, of: str) -> None:
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        worst = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise InputError(WHERE, f"{what} name number {worst}", f"there are {count} {of}", "pass those of this body")
