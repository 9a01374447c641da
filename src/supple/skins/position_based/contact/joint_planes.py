"""Planes between the two bones of every joint, and the angles that tell when flesh may meet there.

A joint has two sides: the parent's bone and the child's. Its plane goes through the joint, is parallel to the joint's
axis and halves the angle between the bones, so both sides of a crease meet in it when the joint bends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.geometry.quaternions import normalize


@dataclass(frozen=True)
class PosedPlanes:
    """Planes and angles in a pose: a point and the normal (..., K, 3) of every plane, pointing to the child's side.

    `flexion` (..., K) [rad] is the angle between the two bones of every joint: pi where they are in line. `adduction`
    (..., M) [rad] is that between every limb and the body's midline: 0 where it hangs down along the body.
    """

    points: FloatArray
    normals: FloatArray
    flexion: FloatArray
    adduction: FloatArray


@dataclass(frozen=True)
class JointPlanes:
    """The joints of a skeleton at which flesh can fold, and its limbs.

    Plane k stands at joint `joints[k]`, between that joint's own bone and its parent's. `parent_bones` (K, 3) points
    from the joint back along the parent's bone in the frame of joint `parents[k]`, the nearest ancestor that stands
    elsewhere, `child_bones` (K, 3) along its own in its own frame; `axes` (K, 3) in the parent's frame. `freedoms` (K,)
    says how many axes the joint turns about: at 1 the plane is parallel to the axis, at 2 or 3 to the axis that the
    bones bend about at the moment. A plane ends `extents[k]` [m] from the joint. `part_of_joint` (J,) puts joints that
    only help (of no length, twisting in line, or lying beside their parent's bone) together with the joint they help.

    Limb m hangs on the body's midline: `limb_joints[m]` is its first joint, `limb_bones` (M, 3) the direction of its
    upper bone in the frame of `limb_carriers[m]`. `midline` (3,) points down the trunk in the frame of joint `trunk`.
    """

    skeleton: Skeleton
    joints: IntArray
    parents: IntArray
    parent_bones: FloatArray
    child_bones: FloatArray
    axes: FloatArray
    freedoms: IntArray
    extents: FloatArray
    part_of_joint: IntArray
    limb_joints: IntArray
    limb_carriers: IntArray
    limb_bones: FloatArray
    trunk: int
    midline: FloatArray

    def __len__(self) -> int:
        return len(self.joints)

    @cached_property
    def _attached_directions(self) -> tuple[IntArray, FloatArray]:
        """All directions at once, because many small products cost more: carriers (N,) and directions (N, 3, 1).

        They are the parents' bones, the children's, the axes, the limbs and the midline.
        """
        trunk = np.array([self.trunk], dtype=np.int32)
        carriers = [self.parents, self.joints, self.parents, self.limb_carriers, trunk]
        directions = [self.parent_bones, self.child_bones, self.axes, self.limb_bones, self.midline[None]]
        return np.concatenate(carriers), np.concatenate(directions)[..., None]

    def _directions(self, world_from_joint: FloatArray) -> tuple[FloatArray, ...]:
        """Unit vectors in a pose, in the order of `_attached_directions`."""
        carriers, directions = self._attached_directions
        rotated = normalize((world_from_joint[..., :3, :3][..., carriers, :, :] @ directions)[..., 0])
        planes, limbs = len(self.joints), len(self.limb_joints)
        ends = np.cumsum([0, planes, planes, planes, limbs, 1]).tolist()
        return tuple(rotated[..., start:stop, :] for start, stop in pairwise(ends))

    def bones(self, world_from_joint: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Unit vectors (..., K, 3) from every joint back along the parent's bone and on along its own, in a pose."""
        back, own, _, _, _ = self._directions(world_from_joint)
        return back, own

    def pose(self, world_from_joint: FloatArray) -> PosedPlanes:
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
        return PosedPlanes(positions, normalize(normals), angle_between(back, own), angle_between(limbs, down))

    def at_rest(self) -> tuple[IntArray, FloatArray]:
        """The carriers (N,) and directions (N, 3) of `_attached_directions`, as the rest pose has them."""
        carriers, directions = self._attached_directions
        return carriers, (self.skeleton.world_from_joint[carriers, :3, :3] @ directions)[..., 0]

    def sides(self) -> IntArray:
        """Which plane stands between two parts (J, J): 2 k seen from the child's part, 2 k + 1 from the parent's.

        -1 where parts do not meet at a joint. Rows are the particle's part, columns the other one.
        """
        table = np.full((len(self.skeleton), len(self.skeleton)), -1, dtype=np.int32)
        for plane, (joint, parent) in enumerate(zip(self.joints, self.part_of_joint[self.parents], strict=True)):
            table[joint, parent], table[parent, joint] = 2 * plane, 2 * plane + 1
        return table


def angle_between(one: FloatArray, other: FloatArray) -> FloatArray:
    """The angle (...) between unit vectors (..., 3): 2 atan(|a - b| / |a + b|), exact at both ends."""
    apart, together = one - other, one + other
    squares = [np.einsum("...i,...i->...", vector, vector) for vector in (apart, together)]
    return np.asarray(2.0 * np.arctan2(np.sqrt(squares[0]), np.sqrt(squares[1])))
