"""Small bodies of tetrahedra that linear blending carries, and rigid bodies in their way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from solids import sphere

from oracles.inside_tets import joined, lattice
from supple import Pose, Skeleton
from supple import device as devices
from supple.geometry import quaternions
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.obstacles import Capsule, MovingMesh, Plane, Sphere
from supple.skins.position_based.contact.collision import build_collision

EXACT = 1e-5  # [m]: what single precision leaves of a distance of some metres


@dataclass
class Flesh:
    """A body of tetrahedra that linear blending carries."""

    rest: np.ndarray
    corners: np.ndarray
    skeleton: Skeleton
    weights: np.ndarray  # (P, J)

    @property
    def joints(self):
        return np.argmax(self.weights, axis=1)

    def carried(self, pose):
        moved = np.einsum("jab,pb->jpa", pose.skinning(self.skeleton), np.c_[self.rest, np.ones(len(self.rest))])
        return np.einsum("pj,jpa->pa", self.weights, moved)[:, :3]

    def contacts(self, **options):
        faces = boundary_faces(Tetrahedra(self.rest, self.corners))
        return build_collision(self.rest, self.corners, faces, joints=self.joints, skeleton=self.skeleton, **options)


def particles_at(points, device="cpu", masses=1.0):
    wp = devices.warp()
    inverse = np.broadcast_to(1.0 / np.asarray(masses, dtype=float), len(points))
    return devices.to_device(np.c_[points, inverse].astype(np.float32), wp.vec4f, device)


def arm() -> Flesh:
    """A bar of 1.2 m along x with a joint in its middle."""
    rest, corners = lattice((24, 4, 4), side=0.05, origin=(0.0, -0.1, -0.1))
    skeleton = Skeleton.from_heads(
        ["upper", "fore"], [-1, 0], [[0.0, 0.0, 0.0], [0.6, 0.0, 0.0]], tails=[[0.6, 0.0, 0.0], [1.2, 0.0, 0.0]]
    )
    share = np.clip((rest[:, 0] - 0.5) / 0.2, 0.0, 1.0)
    return Flesh(rest, corners, skeleton, np.stack([1.0 - share, share], axis=1))


def bent(flesh, angle, *, name="fore"):
    return Pose.from_rotations(flesh.skeleton, {name: quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle)})


def trunk_and_limb() -> Flesh:
    """A block with another one beside it, which hangs on it by a thin joint and shares no particle with it."""
    rest, corners = joined(
        lattice((4, 6, 4), side=0.1, origin=(-0.2, 0.0, -0.2)), lattice((2, 6, 2), side=0.1, origin=(0.3, -0.1, -0.1))
    )
    names = ["root", "collar", "limb"]
    heads = [[0.0, 0.0, 0.0], [0.0, 0.6, 0.0], [0.4, 0.6, 0.0]]
    skeleton = Skeleton.from_heads(names, [-1, 0, 1], heads, tails=[[0.0, 0.6, 0.0], [0.4, 0.6, 0.0], [0.4, 0.0, 0.0]])
    weights = np.zeros((len(rest), 3))
    own = np.arange(len(rest)) < 5 * 7 * 5
    weights[own, 0], weights[~own, 2] = 1.0, 1.0
    return Flesh(rest, corners, skeleton, weights)


BALL = sphere(8, radius=0.3)
BODIES = {
    "sphere": Sphere(radius=0.3, at=(0.5, 0.1, 0.0)),
    "capsule": Capsule(
        radius=0.1,
        length=0.6,
        at=quaternions.compose([0.5, 0.0, 0.0], quaternions.quat_from_axis_angle([1, 0, 1], 0.7)),
    ),
    "plane": Plane(at=quaternions.compose([0.5, 0.0, 0.0], quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.4))),
    "mesh": MovingMesh(points=BALL[0], triangles=BALL[1], at=(0.5, 0.1, 0.0)),
}


def depth_in(body, points, time=0.0):
    """How deep (P,) points are inside a body, from its definition."""
    local = (points - body.world_from_body(time)[:3, 3]) @ body.world_from_body(time)[:3, :3]
    if isinstance(body, Plane):
        return -local[:, 1]
    if isinstance(body, MovingMesh):  # convex: the nearest of its planes
        corners = body.points[body.triangles]
        normals = quaternions.normalize(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        return -(np.einsum("pti,ti->pt", local[:, None] - corners[None, :, 0], normals)).max(axis=1)
    half = 0.5 * getattr(body, "length", 0.0)
    along = np.clip(local[:, 1], -half, half)
    return body.radius - np.linalg.norm(local - along[:, None] * [0.0, 1.0, 0.0], axis=1)
