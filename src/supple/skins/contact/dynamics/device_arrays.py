"""The arrays of a mechanism on the device: what never changes, what follows from time, and room to work in."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Bools, Floats, Ints
from supple.geometry.quaternions import perpendicular
from supple.skins.contact.model.joints import HINGE
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.model.ordering import Skyline, blends_of

_LEAST = 1e-3  # [rad]: a joint that may turn less has no direction in which it turns too far
_BLOCK = 64  # nodes whose momentum and energy one thread adds up


class NodeArrays:
    """Everything that there is one of for each node, each carrier of a node, or each piece of a sum over them."""

    def __init__(self, mechanism: Mechanism, together: Floats, alone: Floats, device: str) -> None:
        wp = devices.warp()
        n, every = mechanism.node_count, len(mechanism.rest)
        self.carriers = mechanism.links.shape[1]

        doubles, whole, room = partial(_doubles, device), partial(_whole, device), partial(_room, device)
        self.rest, self.masses = doubles(mechanism.rest, wp.vec3d), doubles(mechanism.masses, wp.float64)
        self.links, self.shares = whole(mechanism.links.ravel()), doubles(mechanism.shares.ravel(), wp.float64)
        self.together, self.alone = doubles(together, wp.mat33d), doubles(alone, wp.mat33d)
        starts, columns, blocks = _block_rows(mechanism.stiffness, n)
        self.row_starts, self.columns, self.blocks = whole(starts), whole(columns), doubles(blocks, wp.mat33d)

        blends = blends_of(mechanism)
        self.link_pieces, self.pair_pieces, self.pairs = len(blends.by_link), len(blends.by_pair), len(blends.pairs)
        self.piece_starts, self.entries = whole(blends.by_link.starts), whole(blends.by_link.entries)
        self.link_groups, self.pair_groups = whole(blends.by_link.groups), whole(blends.by_pair.groups)
        self.pair_starts, self.pair_links = whole(blends.by_pair.starts), whole(blends.pairs.ravel())
        self.ones, self.others = whole(blends.ones), whole(blends.others)
        block_starts = np.append(np.arange(0, n, _BLOCK), n)
        self.block_starts, self.blocks_of_nodes = whole(block_starts), len(block_starts) - 1

        self.displacements, self.flows, self.shifts = (room(n, wp.vec3d) for _ in range(3))
        self.arms, self.nodes = room(every * self.carriers, wp.vec3d), room(every, wp.vec3d)
        self.paces, self.ahead, self.kept = (room(every, wp.vec3d) for _ in range(3))
        self.blends, self.yields, self.lone_yields = (room(n, wp.mat33d) for _ in range(3))
        self.pulls, self.coriolis, self.sides, self.free_flows, self.pushes = (room(n, wp.vec3d) for _ in range(5))
        self.reach = room(n, wp.float64)
        self.firsts, self.seconds = room(self.link_pieces, wp.vec3d), room(self.link_pieces, wp.mat33d)
        self.wrenches = room(2 * self.link_pieces, wp.vec3d)
        self.parts, self.pair_blocks = room(4 * self.pair_pieces, wp.mat33d), room(4 * self.pairs, wp.mat33d)
        self.sums = room(3 * self.blocks_of_nodes, wp.vec3d)


class LinkArrays:
    """Everything that there is one of for each link or joint, and the system that joins them."""

    def __init__(self, mechanism: Mechanism, skyline: Skyline, device: str) -> None:
        from supple.skins.contact.dynamics.link_kernels import BOOKS

        wp = devices.warp()
        joints, k, c, r = mechanism.joints, mechanism.link_count, len(mechanism.joints), len(mechanism.roots)

        doubles, whole, room = partial(_doubles, device), partial(_whole, device), partial(_room, device)
        self.mass = float(mechanism.link_masses.sum())
        self.masses, self.centres = doubles(mechanism.link_masses, wp.float64), doubles(mechanism.centres, wp.vec3d)
        self.core_moments = doubles(mechanism.core_moments, wp.vec3d)
        self.core_seconds = doubles(mechanism.core_seconds, wp.mat33d)
        self.children, self.parents, self.kinds = whole(joints.children), whole(joints.parents), whole(joints.kinds)
        ends = [joints.pivots - mechanism.centres[side] for side in (joints.children, joints.parents)]
        self.ends = doubles(np.stack(ends, axis=1).reshape(-1, 3), wp.vec3d)
        self.axes = doubles(hinge_frames(joints.axes, joints.kinds == HINGE).reshape(-1, 3), wp.vec3d)
        lows, highs = np.minimum(joints.lows, -_LEAST), np.maximum(joints.highs, _LEAST)
        self.lows, self.highs = doubles(lows, wp.float64), doubles(highs, wp.float64)
        springs = np.stack([mechanism.joint_stiffness, mechanism.joint_damping], axis=1)
        self.springs = doubles(springs.ravel(), wp.float64)

        self.positions, self.velocities, self.spins = (room(k, wp.vec3d) for _ in range(3))
        self.rotations = room(k, wp.mat33d)
        self.moments, self.squares = room(k, wp.vec3d), room(k, wp.mat33d)
        self.jumps, self.twists, self.shifts = (room(k, wp.vec3d) for _ in range(3))
        self.downwards = whole(np.argsort(-skyline.rows, kind="stable"))  # links come before those they hang on
        self.target_rotations, self.target_spins = room(c, wp.mat33d), room(c, wp.vec3d)
        self.gains = room(2 * c, wp.float64)
        self.roots, self.wanted, self.wanted_rotations = (
            whole(mechanism.roots),
            room(3 * r, wp.vec3d),
            room(r, wp.mat33d),
        )
        self.root_gains = room(4 * r, wp.float64)
        self.books = room(int(BOOKS), wp.float64)

        self.size, self.entries = skyline.size, int(skyline.ats[-1])
        self.starts, self.rows = whole(skyline.starts), whole(skyline.rows)
        self.firsts, self.ats = whole(skyline.firsts), whole(skyline.ats)
        self.values, self.factor = room(self.entries, wp.mat33d), room(self.entries, wp.mat33d)
        self.pivots = room(self.size, wp.mat33d)
        self.right, self.solution = room(self.size, wp.vec3d), room(self.size, wp.vec3d)


def _doubles(device: str, values: Any, kind: Any) -> Any:
    return devices.to_device(np.asarray(values, dtype=np.float64), kind, device)


def _whole(device: str, values: Any) -> Any:
    return devices.to_device(np.asarray(values, dtype=np.int32), devices.warp().int32, device)


def _room(device: str, count: int, kind: Any) -> Any:
    return devices.warp().zeros(count, dtype=kind, device=device)


def hinge_frames(axes: Floats, hinges: Bools) -> Floats:
    """The axis of every hinge and two directions square to it: (c, 3, 3), zero for other joints."""
    across = perpendicular(axes)
    frames = np.stack([axes, across, np.cross(axes, across)], axis=1)
    return np.where(hinges[:, None, None], frames, 0.0)


def _block_rows(matrix: Any, count: int) -> tuple[Ints, Ints, Floats]:
    """A sparse matrix (3 n, 3 n) as rows of 3x3 blocks."""
    if count == 0:
        return np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros((0, 3, 3))
    blocks = matrix.tobsr((3, 3))
    blocks.sort_indices()
    return blocks.indptr, blocks.indices, blocks.data
