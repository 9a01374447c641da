"""A convex shell round the skin of every bone: where shells are apart, nothing in them can touch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.device import HostSide
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.rows import group_by_label

_WHERE = "KDops"
LONG_WALK = 16384  # nodes: fewer are measured sooner than another thread is woken
_DIAGONALS = [(1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1), (1, 1, 1), (1, 1, -1), (1, -1, 1),
              (-1, 1, 1)]  # fmt: skip
AXES: FloatArray = quaternions.normalize(np.concatenate([np.eye(3), np.array(_DIAGONALS, dtype=np.float64)]))
"""Directions (13, 3) of the slabs; the first three make a box."""


class KDops:
    """Slabs round the nodes that a bone carries, and round the triangles that reach them, in the bone's own frame.

    At rest, node p of a patch lies in all slabs low <= a . u <= high of its bone. Flesh moves away from where the bone
    alone would take it, by the bend of the joint and by its own displacement; the largest such distance in the patch is
    measured in every step, and the slabs grow by it. So nothing is ever outside: |a . d| <= |d|.

    A patch is a bone that carries nodes; `bones` (P,) names them and `patch_of` (N,) is the patch of every node.
    """

    def __init__(
        self, rest_points: ArrayLike, triangles: ArrayLike, *, carriers: ArrayLike, rest_bones: ArrayLike, device: str
    ) -> None:
        """For nodes at `rest_points` (N, 3) [m], each carried most by bone `carriers` (N,) of `rest_bones` (B, 4, 4).

        `triangles` (T, 3) join the nodes.
        """
        rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        faces = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        bones = frozen(rest_bones, np.float64, (-1, 4, 4), _WHERE, "rest_bones")
        carrier = frozen(carriers, np.int32, (len(rest),), _WHERE, "carriers")
        _check_indices("triangles", faces, len(rest), "nodes")
        _check_indices("carriers", carrier, len(bones), "bones")
        self.bones, patch_of = np.unique(carrier, return_inverse=True)
        self.patch_of: IntArray = patch_of.reshape(-1).astype(np.int32)
        self.nodes, self.bone_count, self.device = len(rest), len(bones), device
        self.starts, self.members = group_by_label(self.patch_of, len(self))
        self._put(rest, faces, bones)

    def __len__(self) -> int:
        return len(self.bones)

    def _put(self, rest: FloatArray, faces: IntArray, bones: FloatArray) -> None:
        from supple.geometry.collision import kdop_kernels as kernels

        wp, count = devices.warp(), len(self)

        def put(values: Any, dtype: Any) -> Any:
            return devices.to_device(values, dtype, self.device)

        own = np.stack([self.patch_of, np.arange(len(rest))], axis=1)
        along = np.stack([np.repeat(self.patch_of[faces], 3, axis=1).ravel(), np.tile(faces, (1, 3)).ravel()], axis=1)
        both = np.concatenate([own, along]).astype(np.int64)
        pairs = np.unique(both[:, 0] * len(rest) + both[:, 1])  # by patch, then by node
        starts, order = group_by_label(pairs // max(len(rest), 1), count)
        nodes = (pairs % max(len(rest), 1))[order].astype(np.int32)
        matrices = wp.zeros(self.bone_count, dtype=wp.mat44f, device=self.device)
        self._bones = HostSide(matrices)
        self.frames = wp.zeros(count, dtype=wp.transformf, device=self.device)
        inputs = [put(self.bones.astype(np.int32), wp.int32), matrices, self.frames]
        self._take_frames = devices.Launch(kernels.take_frames, count, inputs, self.device)
        self.pose(bones)
        placed = devices.to_host(self.frames).astype(np.float64)
        frames = quaternions.compose(placed[:, :3], placed[:, 3:])
        owner = np.repeat(np.arange(count), np.diff(starts))
        local = np.einsum("mji,mj->mi", frames[owner, :3, :3], rest[nodes] - frames[owner, :3, 3])
        along_axes = local @ AXES.T
        self.lows = np.minimum.reduceat(along_axes, starts[:-1], axis=0)
        self.highs = np.maximum.reduceat(along_axes, starts[:-1], axis=0)
        self.axes = put(AXES, wp.vec3f)
        self.device_lows, self.device_highs = (
            put(side.astype(np.float32), wp.float32) for side in (self.lows, self.highs)
        )
        self._members = [put(starts, wp.int32), put(nodes, wp.int32), put(local, wp.vec3f)]
        self.device_patch_of = put(self.patch_of, wp.int32)
        self.growths, self.start_growths = (wp.zeros(count, dtype=wp.float32, device=self.device) for _ in range(2))

    def pose(self, world_from_bone: ArrayLike) -> None:
        """Take the places of the bones (B, 4, 4); scale in them counts as displacement."""
        given = np.asarray(world_from_bone)
        if given.shape != (self.bone_count, 4, 4):
            raise InputError(
                _WHERE,
                f"the bones have shape {given.shape}",
                f"({self.bone_count}, 4, 4) is needed",
                "pass the transforms of these bones",
            )
        self._bones.write(given)
        self._take_frames()

    def growing(self, points: Any, growths: Any) -> devices.Launch:
        """The launch that measures how far nodes at `points` (N,) have left the bones of their patch."""
        from supple.geometry.collision import kdop_kernels as kernels

        inputs = [*self._members, self.frames, points, growths]
        each = max(len(self._members[1]) // max(len(self), 1), 1)
        return devices.Launch(kernels.grow, len(self), inputs, self.device, smallest=max(LONG_WALK // each, 1))


def _check_indices(what: str, indices: IntArray, count: int, things: str) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        worst = int(indices.min() if indices.min() < 0 else indices.max())
        raise InputError(
            _WHERE, f"{what} name number {worst}", f"there are {count} {things}", "pass those of this body"
        )
