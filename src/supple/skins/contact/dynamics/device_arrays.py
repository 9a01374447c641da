"""The arrays of a mechanism on the device: what never changes, what follows from time, and room to work in."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import BoolArray, FloatArray, IntArray
from supple.geometry.quaternions import perpendicular
from supple.skins.contact.model.joints import HINGE, JointCones
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.model.ordering import Skyline, carrier_pairs

_LEAST = 1e-3  # [rad]: a joint that may turn less has no direction in which it turns too far
_BLOCK = 64  # nodes whose momentum and energy one thread adds up


class NodeArrays:
    """Everything that there is one of for each node, each carrier of a node, or each piece of a sum over them.

    Points are all nodes, then the vertices of a skin; `point_compliances` (P, 3, 3) [1/kg] say how each yields where
    it is touched. Places that are touched are the points, and `triangles` of the skin. `warm_start` has impulses of the
    step before: of places, and of joints (`kept_at`), `next_warm_start` those of this one. `struct` has those that
    kernels take together.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        lumped_inverses: FloatArray,
        point_compliances: FloatArray,
        device: str,
        *,
        triangles: int = 0,
    ) -> None:
        from supple.skins.contact.dynamics.node_kernels import Nodes

        wp = devices.warp()
        n, every = mechanism.node_count, len(mechanism.rest)
        self.carriers, self.free = mechanism.links.shape[1], n

        doubles, whole, room = partial(_doubles, device), partial(_whole, device), partial(_room, device)
        self.rest, self.masses = doubles(mechanism.rest, wp.vec3d), doubles(mechanism.masses, wp.float64)
        self.links, self.weights = whole(mechanism.links.ravel()), doubles(mechanism.weights.ravel(), wp.float64)
        self.lumped_inverses = doubles(lumped_inverses, wp.mat33d)
        self.point_compliances = doubles(point_compliances, wp.mat33d)
        starts, columns, blocks = _block_rows(mechanism.stiffness, n)
        self.row_starts, self.columns, self.blocks = whole(starts), whole(columns), doubles(blocks, wp.mat33d)

        pairs = carrier_pairs(mechanism)
        self.link_pieces, self.pair_pieces, self.pairs = len(pairs.by_link), len(pairs.by_pair), len(pairs.pairs)
        self.piece_starts, self.entries = whole(pairs.by_link.starts), whole(pairs.by_link.entries)
        self.link_groups, self.pair_groups = whole(pairs.by_link.groups), whole(pairs.by_pair.groups)
        self.pair_starts, self.pair_links = whole(pairs.by_pair.starts), whole(pairs.pairs.ravel())
        self.ones, self.others = whole(pairs.ones), whole(pairs.others)
        trees = mechanism.trees[mechanism.free_links[:, 0]]
        order = np.argsort(trees, kind="stable")
        begins = np.flatnonzero(np.diff(trees[order], prepend=-1))
        ends = np.append(begins[1:], n)[: len(begins)]
        pieces = [np.arange(*span, _BLOCK) for span in zip(begins, ends, strict=True)]
        block_starts = np.concatenate([*pieces, [n]]).astype(np.int32)
        self.block_starts, self.blocks_of_nodes = whole(block_starts), len(block_starts) - 1
        self.block_order, self.block_trees = whole(order), whole(trees[order][block_starts[:-1]])

        self.displacements, self.node_velocities = (room(n, wp.vec3d) for _ in range(2))
        self.arms, self.positions = room(every * self.carriers, wp.vec3d), room(every, wp.vec3d)
        self.world_velocities, self.predicted_positions = (room(every, wp.vec3d) for _ in range(2))
        self.points = len(point_compliances)
        self.places = self.points + triangles
        self.first_limit = 2 * self.places + every
        self.warm_start, self.next_warm_start = (
            room(self.first_limit + 4 * len(mechanism.joints), wp.vec3d) for _ in range(2)
        )
        self.blended_rotations, self.compliances = (room(n, wp.mat33d) for _ in range(2))
        self.elastic_forces, self.coriolis, self.rhs = (room(n, wp.vec3d) for _ in range(3))
        self.free_node_velocities, self.impulses, self.responses = (room(n, wp.vec3d) for _ in range(3))
        self.held_responses = room(n, wp.vec3d)
        self.touch_weights = room(n, wp.float64)
        self.partial_first_moments = room(self.link_pieces, wp.vec3d)
        self.partial_second_moments = room(self.link_pieces, wp.mat33d)
        self.wrenches = room(2 * self.link_pieces, wp.vec3d)
        self.partial_blocks, self.pair_blocks = room(4 * self.pair_pieces, wp.mat33d), room(4 * self.pairs, wp.mat33d)
        self.sums = room(3 * self.blocks_of_nodes, wp.vec3d)
        self.struct = fill_struct(Nodes, self)


class LinkArrays:
    """Everything that there is one of for each link or joint, and the system that joins them.

    `struct`, `joint_struct`, `root_struct` and `skyline_struct` have those that kernels take together.
    """

    def __init__(self, mechanism: Mechanism, skyline: Skyline, device: str) -> None:
        from supple.skins.contact.dynamics import link_kernels
        from supple.skins.contact.dynamics.energy_kernels import BALANCE_SIZE
        from supple.skins.contact.dynamics.node_kernels import Links

        wp = devices.warp()
        joints, k, c, r = mechanism.joints, mechanism.link_count, len(mechanism.joints), len(mechanism.roots)

        doubles, whole, room = partial(_doubles, device), partial(_whole, device), partial(_room, device)
        self.trees = whole(mechanism.trees)
        self.tree_count = int(mechanism.trees.max(initial=0)) + 1
        self.mass = float(mechanism.link_masses.sum())
        self.masses, self.centers = doubles(mechanism.link_masses, wp.float64), doubles(mechanism.centers, wp.vec3d)
        self.core_first_moments = doubles(mechanism.core_first_moments, wp.vec3d)
        self.core_second_moments = doubles(mechanism.core_second_moments, wp.mat33d)
        self.children, self.parents, self.kinds = whole(joints.children), whole(joints.parents), whole(joints.kinds)
        anchors = [joints.pivots - mechanism.centers[side] for side in (joints.children, joints.parents)]
        self.anchors = doubles(np.stack(anchors, axis=1).reshape(-1, 3), wp.vec3d)
        self.axes = doubles(hinge_frames(joints.axes, joints.kinds == HINGE).reshape(-1, 3), wp.vec3d)
        self.lows, self.highs, self.springs = room(c, wp.float64), room(c, wp.float64), room(2 * c, wp.float64)
        self.cone_axes, self.cone_middles = room(c, wp.vec3d), room(c, wp.vec3d)
        self.swings, self.twist_lows, self.twist_highs = (room(c, wp.float64) for _ in range(3))
        self.joint_friction = room(c, wp.float64)
        self.set_joints(mechanism)

        self.positions, self.velocities, self.angular_velocities = (room(k, wp.vec3d) for _ in range(3))
        self.rotations = room(k, wp.mat33d)
        self.first_moments, self.second_moments = room(k, wp.vec3d), room(k, wp.mat33d)
        self.velocity_changes, self.angular_velocity_changes, self.shifts = (room(k, wp.vec3d) for _ in range(3))
        self.parents_first = whole(np.argsort(-skyline.joint_rows, kind="stable"))  # links precede those they hang on
        self.target_rotations, self.target_angular_velocities = room(c, wp.mat33d), room(c, wp.vec3d)
        self.gains = room(2 * c, wp.float64)
        self.roots, self.root_targets = whole(mechanism.roots), room(3 * r, wp.vec3d)
        self.root_target_rotations, self.root_gains = room(r, wp.mat33d), room(4 * r, wp.float64)
        self.energy_balance = room(int(BALANCE_SIZE) * self.tree_count, wp.float64)

        self.size, self.entries = skyline.size, int(skyline.row_offsets[-1])
        self.link_rows, self.joint_rows = whole(skyline.link_rows), whole(skyline.joint_rows)
        self.first_columns, self.row_offsets = whole(skyline.first_columns), whole(skyline.row_offsets)
        self.values, self.factor = room(self.entries, wp.mat33d), room(self.entries, wp.mat33d)
        self.pivots = room(self.size, wp.mat33d)
        self.rhs, self.solution = room(self.size, wp.vec3d), room(self.size, wp.vec3d)
        self.struct, self.joint_struct = fill_struct(Links, self), fill_struct(link_kernels.Joints, self)
        self.root_struct, self.skyline_struct = (
            fill_struct(link_kernels.Roots, self),
            fill_struct(link_kernels.Skyline, self),
        )

    def set_joints(self, mechanism: Mechanism) -> None:
        """Take limits and springs of the joints of a mechanism."""
        joints = mechanism.joints
        devices.write(self.lows, np.minimum(joints.lows, -_LEAST))
        devices.write(self.highs, np.maximum(joints.highs, _LEAST))
        cones = JointCones.none(len(joints)) if joints.cones is None else joints.cones
        for array, values in (
            (self.cone_axes, cones.axes),
            (self.cone_middles, cones.middles),
            (self.swings, np.maximum(cones.swings, _LEAST)),
            (self.twist_lows, np.minimum(cones.lows, -_LEAST)),
            (self.twist_highs, np.maximum(cones.highs, _LEAST)),
        ):
            devices.write(array, values)
        friction = mechanism.joint_friction
        devices.write(self.joint_friction, np.zeros(len(joints)) if friction is None else friction)
        springs = np.stack([mechanism.joint_stiffness, mechanism.joint_damping], axis=1)
        devices.write(self.springs, springs.ravel())


def fill_struct(kind: Any, source: Any) -> Any:
    """A struct for kernels, with those attributes of `source` that it has fields for."""
    struct = kind()
    for name in kind.vars:
        setattr(struct, name, getattr(source, name))
    return struct


def _doubles(device: str, values: Any, kind: Any) -> Any:
    return devices.to_device(np.asarray(values, dtype=np.float64), kind, device)


def _whole(device: str, values: Any) -> Any:
    return devices.to_device(np.asarray(values, dtype=np.int32), devices.warp().int32, device)


def _room(device: str, count: int, kind: Any) -> Any:
    return devices.warp().zeros(count, dtype=kind, device=device)


def hinge_frames(axes: FloatArray, hinges: BoolArray) -> FloatArray:
    """The axis of every hinge and two directions square to it: (c, 3, 3), zero for other joints."""
    across = perpendicular(axes)
    frames = np.stack([axes, across, np.cross(axes, across)], axis=1)
    return np.where(hinges[:, None, None], frames, 0.0)


def _block_rows(matrix: Any, count: int) -> tuple[IntArray, IntArray, FloatArray]:
    """A sparse matrix (3 n, 3 n) as rows of 3x3 blocks."""
    if count == 0:
        return np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros((0, 3, 3))
    blocks = matrix.tobsr((3, 3))
    blocks.sort_indices()
    return blocks.indptr, blocks.indices, blocks.data
