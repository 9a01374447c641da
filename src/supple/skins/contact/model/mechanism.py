"""The mechanics of a soft character: where its matter is, how it moves, what it weighs and what pushes it.

A piece of flesh with rest place p, displacement u and weights w_i stands at

    x = sum_i w_i x_i,   x_i = c_i + r_i,   r_i = R_i (p + u - p_i),                   [Galoppo2007, Eq. 2]

where link i has its centre at c_i (at p_i at rest) and has turned by R_i. Its velocity is linear in the velocities of
the links (c_i', angular velocity o_i in world axes) and of the displacement,

    x' = sum_i w_i (c_i' + o_i x r_i) + R_W u',   R_W = sum_i w_i R_i.            [Galoppo2007, Eq. 17]

(The source keeps angular velocities in the axes of each link; turned into the world its blocks -w_i R_i [u_i]x become
-w_i [r_i]x.) The kinetic energy is

    T = 1/2 sum_j m_j ( sum_i w_ij |y_ij|^2 + 2 (sum_i w_ij y_ij) . R_Wj u_j' + |u_j'|^2 ),   y_ij = c_i' + o_i x r_ij,

in which links are not coupled by blending (the first term) and the mass of the skin never changes (the last), as in the
source. Since a mean of squares is never below the square of the mean, T is never negative, however flesh is displaced.
Linear momentum is exactly sum_j m_j x_j'.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry import quaternions
from supple.skins.contact.model.flesh import WHERE, FleshLayer
from supple.skins.contact.model.joints import Joints
from supple.skins.contact.model.links import Links

GRAVITY = (0.0, -9.81, 0.0)  # m/s²
_SPREAD = 0.02  # of the square of an edge: how far the matter of a node of the core reaches, so that one alone can turn


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A soft character as plain arrays: k links, c joints, n free nodes of flesh.

    `rest` (N, 3) [m], `links` and `weights` (N, K) say where all nodes are at rest and which links carry them; the n
    free ones come first, then those of the core. `elements` (T, 4) are the tetrahedra between them, `masses` (n,) [kg]
    those of the free nodes. `stiffness` and `damping` (3 n, 3 n) act on displacements. `centers` (k, 3) [m] are the
    links' centres at rest. `core_masses` (k,) [kg], `core_first_moments` (k, 3) [kg m] and `core_second_moments` (k, 3,
    3) [kg m²] are the sums of m, m r and m r r^T over the matter that cannot move against the link, in the link's
    frame. `joint_stiffness` (c,) [N m/rad] and `joint_damping` (c,) [N m s/rad] resist turning away from rest, and
    `joint_friction` (c,) [N m] holds joints that less would turn; without it there is none.
    """

    rest: FloatArray
    masses: FloatArray
    links: IntArray
    weights: FloatArray
    elements: IntArray
    stiffness: Any
    damping: Any
    centers: FloatArray
    core_masses: FloatArray
    core_first_moments: FloatArray
    core_second_moments: FloatArray
    joints: Joints
    joint_stiffness: FloatArray
    joint_damping: FloatArray
    joint_friction: FloatArray | None = None

    @property
    def node_count(self) -> int:
        """How many nodes are free."""
        return len(self.masses)

    @property
    def free_links(self) -> IntArray:
        """The links (n, K) of the free nodes."""
        return self.links[: self.node_count]

    @property
    def free_weights(self) -> FloatArray:
        """The shares (n, K) of those links."""
        return self.weights[: self.node_count]

    @property
    def link_count(self) -> int:
        """How many links there are."""
        return len(self.centers)

    @cached_property
    def link_masses(self) -> FloatArray:
        """The whole mass (k,) [kg] of every link, with its share of the free flesh."""
        share = self.masses[:, None] * self.free_weights
        free = np.bincount(self.free_links.ravel(), share.ravel(), self.link_count)
        return self.core_masses + free

    @cached_property
    def trees(self) -> IntArray:
        """Which of the bodies that no joint joins each link (k,) is part of, numbered by their roots."""
        found = np.full(self.link_count, -1, dtype=np.int32)
        found[self.roots] = np.arange(len(self.roots))
        above = np.arange(self.link_count)
        above[self.joints.children] = self.joints.parents
        for _ in range(self.link_count):
            if (found >= 0).all():
                break
            found = np.where(found >= 0, found, found[above]).astype(np.int32)
        return found

    @cached_property
    def roots(self) -> IntArray:
        """The links that hang on no other."""
        return np.setdiff1d(np.arange(self.link_count), self.joints.children).astype(np.int32)


@dataclass(eq=False)
class MechanismState:
    """What follows from time: places, turns, displacements and their velocities.

    `positions` (k, 3) [m], `rotations` (k, 3, 3) from rest, `displacements` (n, 3) [m] in pose space; `velocities` (k,
    3) [m/s], `angular_velocities` (k, 3) [rad/s] in world axes, `node_velocities` (n, 3) [m/s] in pose space.
    """

    positions: FloatArray
    rotations: FloatArray
    displacements: FloatArray
    velocities: FloatArray
    angular_velocities: FloatArray
    node_velocities: FloatArray

    def copy(self) -> MechanismState:
        """The same state in arrays of its own."""
        return replace(self, **{name: getattr(self, name).copy() for name in self.__dataclass_fields__})

    @classmethod
    def rest(cls, mechanism: Mechanism) -> MechanismState:
        """All at rest, where it was bound."""
        k, n = mechanism.link_count, mechanism.node_count
        return cls(
            mechanism.centers.copy(),
            np.tile(np.eye(3), (k, 1, 1)),
            np.zeros((n, 3)),
            np.zeros((k, 3)),
            np.zeros((k, 3)),
            np.zeros((n, 3)),
        )


def mechanism_from_flesh(
    flesh: FleshLayer, links: Links, joints: Joints, *, joint_stiffness: ArrayLike = 0.0, joint_damping: ArrayLike = 0.0
) -> Mechanism:
    """Flesh, links and joints put together. Each link must have matter of its own in the core."""
    carried_by, points = flesh.weights, flesh.solid.points
    carriers = links.of_joint[carried_by.joints]
    core = flesh.order[len(flesh.free) :]
    moment, k = flesh.masses[:, None] * carried_by.values, len(links)
    arms = points[:, None] - links.centers[carriers]
    whole = np.bincount(carriers.ravel(), moment.ravel(), k)
    if not (whole > 0.0).all():
        bare = int(np.argmin(whole))
        raise InputError(WHERE, f"link {bare} has no flesh", "every link needs some", "make its joint part of another")
    at, share, arm = carriers[core].ravel(), moment[core].ravel(), arms[core].reshape(-1, 3)
    firsts, seconds = np.zeros((k, 3)), np.zeros((k, 3, 3))
    np.add.at(firsts, at, share[:, None] * arm)
    np.add.at(seconds, at, share[:, None, None] * arm[:, :, None] * arm[:, None, :])
    ends = points[flesh.solid.corners]
    spread = _SPREAD * float(np.mean(np.sum((ends[:, 1:] - ends[:, :1]) ** 2, axis=2)))
    seconds += spread * np.bincount(at, share, k)[:, None, None] * np.eye(3)
    count = len(joints)
    springs = [
        frozen(np.broadcast_to(value, (count,)), np.float64, (count,), WHERE, what)
        for value, what in (
            (np.asarray(joint_stiffness), "joint_stiffness"),
            (np.asarray(joint_damping), "joint_damping"),
        )
    ]
    for values, what in zip(springs, ("joint_stiffness", "joint_damping"), strict=True):
        if (values < 0.0).any():
            raise InputError(WHERE, f"{what} is {values.min():g}", "zero or more is needed", "use 0 for none")
    order = flesh.order
    combined, weights = _combine(carriers[order], carried_by.values[order])
    return Mechanism(
        points[order],
        flesh.masses[flesh.free].copy(),
        combined,
        weights,
        flesh.node_index[flesh.solid.corners],
        flesh.stiffness,
        flesh.damping,
        links.centers,
        np.bincount(at, share, k).astype(np.float64),
        firsts,
        seconds,
        joints,
        springs[0],
        springs[1],
    )


def _combine(carriers: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Links (n, K) and shares with every link once in a row, unused places with share zero; joints may share a link."""
    order = np.argsort(carriers, axis=1, kind="stable")
    links, weights = np.take_along_axis(carriers, order, axis=1), np.take_along_axis(values, order, axis=1)
    for slot in range(links.shape[1] - 1, 0, -1):
        same = links[:, slot] == links[:, slot - 1]
        weights[same, slot - 1] += weights[same, slot]
        weights[same, slot] = 0.0
    order = np.argsort(-weights, axis=1, kind="stable")
    links, weights = np.take_along_axis(links, order, axis=1), np.take_along_axis(weights, order, axis=1)
    most = max(int((weights > 0.0).sum(axis=1).max(initial=1)), 1)
    return np.where(weights > 0.0, links, links[:, :1])[:, :most].astype(np.int32), weights[:, :most]


def arms(mechanism: Mechanism, state: MechanismState) -> FloatArray:
    """r_ij (n, K, 3) [m]: from the centre of each link that carries a node to where that link has it."""
    links = mechanism.free_links
    local = (mechanism.rest[: len(links)] + state.displacements)[:, None] - mechanism.centers[links]
    return np.einsum("nkab,nkb->nka", state.rotations[links], local)


def blended_rotations(mechanism: Mechanism, state: MechanismState) -> FloatArray:
    """R_W (n, 3, 3) of every node."""
    return np.einsum("nk,nkab->nab", mechanism.free_weights, state.rotations[mechanism.free_links])


def rotate_by(rotations: FloatArray, angles: FloatArray) -> FloatArray:
    """Turns (k, 3, 3) after a further turn by rotation vectors (k, 3) [rad] in world axes."""
    length = np.linalg.norm(angles, axis=1)
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(angles, length))
    return np.where((length > 0.0)[:, None, None], rotation @ rotations, rotations)
