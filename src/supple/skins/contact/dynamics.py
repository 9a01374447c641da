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

from supple.arrays import Floats, Ints, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.contact.flesh import WHERE, FleshLayer
from supple.skins.contact.joints import Joints, rotation_vectors
from supple.skins.contact.links import Links

GRAVITY = (0.0, -9.81, 0.0)  # m/s²
_SPREAD = 0.02  # of the square of an edge: how far the matter of a node of the core reaches, so that one alone can turn


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A soft character as plain arrays: k links, c joints, n free nodes of flesh.

    `rest` (N, 3) [m], `links` and `shares` (N, K) say where all nodes are at rest and which links carry them; the n
    free ones come first, then those of the core. `elements` (T, 4) are the tetrahedra between them, `masses` (n,) [kg]
    those of the free nodes. `stiffness` and `damping` (3 n, 3 n) act on displacements. `centres` (k, 3) [m] are
    the links' centres at rest. `core_masses` (k,) [kg], `core_moments` (k, 3) [kg m] and `core_seconds` (k, 3, 3)
    [kg m²] are the sums of m, m r and m r r^T over the matter that cannot move against the link, in the link's frame.
    `joint_stiffness` (c,) [N m/rad] and `joint_damping` (c,) [N m s/rad] resist turning away from rest.
    """

    rest: Floats
    masses: Floats
    links: Ints
    shares: Floats
    elements: Ints
    stiffness: Any
    damping: Any
    centres: Floats
    core_masses: Floats
    core_moments: Floats
    core_seconds: Floats
    joints: Joints
    joint_stiffness: Floats
    joint_damping: Floats

    @property
    def node_count(self) -> int:
        """How many nodes are free."""
        return len(self.masses)

    @property
    def free_links(self) -> Ints:
        """The links (n, K) of the free nodes."""
        return self.links[: self.node_count]

    @property
    def free_shares(self) -> Floats:
        """The shares (n, K) of those links."""
        return self.shares[: self.node_count]

    @property
    def link_count(self) -> int:
        """How many links there are."""
        return len(self.centres)

    @cached_property
    def link_masses(self) -> Floats:
        """The whole mass (k,) [kg] of every link, with its share of the free flesh."""
        share = self.masses[:, None] * self.free_shares
        free = np.bincount(self.free_links.ravel(), share.ravel(), self.link_count)
        return self.core_masses + free

    @cached_property
    def roots(self) -> Ints:
        """The links that hang on no other."""
        return np.setdiff1d(np.arange(self.link_count), self.joints.children).astype(np.int32)


@dataclass(eq=False)
class State:
    """What follows from time: places, turns, displacements and their velocities.

    `places` (k, 3) [m], `turns` (k, 3, 3) from rest, `displacements` (n, 3) [m] in pose space; `velocities` (k, 3)
    [m/s], `spins` (k, 3) [rad/s] in world axes, `flows` (n, 3) [m/s] in pose space.
    """

    positions: Floats
    rotations: Floats
    displacements: Floats
    velocities: Floats
    spins: Floats
    flows: Floats

    def copy(self) -> State:
        """The same state in arrays of its own."""
        return replace(self, **{name: getattr(self, name).copy() for name in self.__dataclass_fields__})

    @classmethod
    def rest(cls, mechanism: Mechanism) -> State:
        """All at rest, where it was bound."""
        k, n = mechanism.link_count, mechanism.node_count
        return cls(
            mechanism.centres.copy(),
            np.tile(np.eye(3), (k, 1, 1)),
            np.zeros((n, 3)),
            np.zeros((k, 3)),
            np.zeros((k, 3)),
            np.zeros((n, 3)),
        )


def mechanism_of(
    flesh: FleshLayer, links: Links, joints: Joints, *, joint_stiffness: ArrayLike = 0.0, joint_damping: ArrayLike = 0.0
) -> Mechanism:
    """Flesh, links and joints put together. Each link must have matter of its own in the core."""
    weights, points = flesh.weights, flesh.solid.points
    carriers = links.of_joint[weights.joints]
    core = flesh.order[len(flesh.free) :]
    moment, k = flesh.masses[:, None] * weights.values, len(links)
    arms = points[:, None] - links.centres[carriers]
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
    combined, shares = _combined(carriers[order], weights.values[order])
    return Mechanism(
        points[order],
        flesh.masses[flesh.free].copy(),
        combined,
        shares,
        flesh.positions[flesh.solid.corners],
        flesh.stiffness,
        flesh.damping,
        links.centres,
        np.bincount(at, share, k).astype(np.float64),
        firsts,
        seconds,
        joints,
        springs[0],
        springs[1],
    )


def _combined(carriers: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Links (n, K) and shares with every link once in a row, unused places with share zero; joints may share a link."""
    order = np.argsort(carriers, axis=1, kind="stable")
    links, shares = np.take_along_axis(carriers, order, axis=1), np.take_along_axis(values, order, axis=1)
    for position in range(links.shape[1] - 1, 0, -1):
        same = links[:, position] == links[:, position - 1]
        shares[same, position - 1] += shares[same, position]
        shares[same, position] = 0.0
    order = np.argsort(-shares, axis=1, kind="stable")
    links, shares = np.take_along_axis(links, order, axis=1), np.take_along_axis(shares, order, axis=1)
    most = max(int((shares > 0.0).sum(axis=1).max(initial=1)), 1)
    return np.where(shares > 0.0, links, links[:, :1])[:, :most].astype(np.int32), shares[:, :most]


def state_in(
    mechanism: Mechanism, links: Links, pose: Pose, *, skeleton: Skeleton, before: Pose | None = None, dt: float = 0.01
) -> State:
    """In a pose: links where the bones are, flesh as it was bound.

    With the pose `before`, `dt` [s] ago, everything already moves as the bones do; else it is at rest.
    """
    state = State.rest(mechanism)
    state.positions, state.rotations = links.placed(skeleton, pose)
    if before is not None:
        positions, rotations = links.placed(skeleton, before)
        state.velocities = (state.positions - positions) / dt
        state.spins = rotation_vectors(state.rotations @ np.swapaxes(rotations, 1, 2)) / dt
    return state


def arms(mechanism: Mechanism, state: State) -> Floats:
    """r_ij (n, K, 3) [m]: from the centre of each link that carries a node to where that link has it."""
    links = mechanism.free_links
    local = (mechanism.rest[: len(links)] + state.displacements)[:, None] - mechanism.centres[links]
    return np.einsum("nkab,nkb->nka", state.rotations[links], local)


def blended_rotations(mechanism: Mechanism, state: State) -> Floats:
    """R_W (n, 3, 3) of every node."""
    return np.einsum("nk,nkab->nab", mechanism.free_shares, state.rotations[mechanism.free_links])


def node_positions(mechanism: Mechanism, state: State) -> Floats:
    """Where the free nodes are: (n, 3) [m]; nodes of the core stand where the links alone carry them."""
    return np.einsum(
        "nk,nka->na", mechanism.free_shares, state.positions[mechanism.free_links] + arms(mechanism, state)
    )


def node_velocities(mechanism: Mechanism, state: State) -> Floats:
    """How the free nodes move: (n, 3) [m/s]."""
    turning = np.cross(state.spins[mechanism.free_links], arms(mechanism, state))
    carried = np.einsum("nk,nka->na", mechanism.free_shares, state.velocities[mechanism.free_links] + turning)
    return carried + np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.flows)


def momentum(mechanism: Mechanism, state: State) -> tuple[Floats, Floats]:
    """Linear [kg m/s] and angular [kg m²/s] momentum (3,) of all matter, the latter about the world's origin."""
    first, second = _core_moments(mechanism, state)
    links, shares = mechanism.free_links, mechanism.free_shares
    linear = mechanism.core_masses[:, None] * state.velocities + np.cross(state.spins, first)
    angular = np.cross(state.positions, linear) + np.cross(first, state.velocities)
    angular += np.trace(second, axis1=1, axis2=2)[:, None] * state.spins - np.einsum("kab,kb->ka", second, state.spins)
    reach = arms(mechanism, state)
    pace = state.velocities[links] + np.cross(state.spins[links], reach)
    own = np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.flows) * mechanism.masses[:, None]
    weight = mechanism.masses[:, None, None] * shares[:, :, None]
    position = state.positions[links] + reach
    total = linear.sum(axis=0) + (weight * pace).sum(axis=(0, 1)) + own.sum(axis=0)
    turning = angular.sum(axis=0) + np.cross(position, weight * pace).sum(axis=(0, 1))
    return total, turning + np.cross((shares[:, :, None] * position).sum(axis=1), own).sum(axis=0)


@dataclass(frozen=True)
class Energy:
    """Energies [J] of a soft character."""

    kinetic: float
    elastic: float
    joints: float
    height: float

    @property
    def total(self) -> float:
        return self.kinetic + self.elastic + self.joints + self.height


def energy(mechanism: Mechanism, state: State, *, gravity: ArrayLike = GRAVITY) -> Energy:
    """What is stored in motion, in strained flesh, in bent joints, and in height."""
    pull = np.asarray(gravity, dtype=np.float64)
    first, second = _core_moments(mechanism, state)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    kinetic = 0.5 * mechanism.core_masses @ np.sum(state.velocities**2, axis=1)
    kinetic += np.sum(state.velocities * np.cross(state.spins, first))
    kinetic += 0.5 * np.einsum("ka,kab,kb->", state.spins, inertia, state.spins)
    pace = state.velocities[mechanism.free_links] + np.cross(state.spins[mechanism.free_links], arms(mechanism, state))
    mean = np.einsum("nk,nka->na", mechanism.free_shares, pace)
    own = np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.flows)
    kinetic += (
        0.5
        * mechanism.masses
        @ (
            np.einsum("nk,nka,nka->n", mechanism.free_shares, pace, pace)
            + 2.0 * np.sum(mean * own, axis=1)
            + np.sum(state.flows**2, axis=1)
        )
    )
    moved = state.displacements.ravel()
    elastic = 0.5 * moved @ (mechanism.stiffness @ moved)
    bends = bend(mechanism.joints, state.rotations)
    springs = 0.5 * mechanism.joint_stiffness @ np.sum(bends**2, axis=1)
    matter = mechanism.masses @ node_positions(mechanism, state)
    matter = matter + (mechanism.core_masses[:, None] * state.positions + first).sum(axis=0)
    return Energy(float(kinetic), float(elastic), float(springs), float(-pull @ matter))


def bend(joints: Joints, rotations: Floats) -> Floats:
    """How far each joint is turned from rest: axis times angle (c, 3) [rad], in the axes of the child."""
    relative = np.swapaxes(rotations[joints.parents], 1, 2) @ rotations[joints.children]
    return rotation_vectors(relative)


def spring_hessian(bends: Floats) -> Floats:
    """How a joint's bend f follows a small turn d of the child in its own axes, symmetric part: (..., 3, 3).

    The energy k |f|^2 / 2 has the slope k f (f is an eigenvector of every derivative of a rotation vector), and along
    d the curvature

        H = a a^T + (t / 2) cot(t / 2) (I - a a^T),   t = |f|, a = f / t,

    which is positive up to t = pi. The printed appendix of the source differs in signs and factors; this is checked
    against differences. Links turn against each other by d_child - d_parent, and the same H serves both.
    """
    angle = np.linalg.norm(bends, axis=-1)
    safe = np.where(angle > 1e-6, angle, 1.0)
    axis = bends / safe[..., None]
    half = 0.5 * safe
    across = np.where(angle > 1e-6, np.maximum(half / np.tan(half), 0.0), 1.0)
    along = axis[..., :, None] * axis[..., None, :] * (angle > 1e-6)[..., None, None]
    return along + across[..., None, None] * (np.eye(3) - along)


def joint_gaps(mechanism: Mechanism, state: State) -> Floats:
    """How far apart (c, 3) [m] the two links of each joint have it."""
    joints = mechanism.joints
    ends = [
        state.positions[side] + np.einsum("cab,cb->ca", state.rotations[side], joints.pivots - mechanism.centres[side])
        for side in (joints.children, joints.parents)
    ]
    return ends[0] - ends[1]


def _core_moments(mechanism: Mechanism, state: State) -> tuple[Floats, Floats]:
    """First and second moments of the cores in world axes."""
    first = np.einsum("kab,kb->ka", state.rotations, mechanism.core_moments)
    second = np.einsum("kab,kbc,kdc->kad", state.rotations, mechanism.core_seconds, state.rotations)
    return first, second


def rotate_by(rotations: Floats, angles: Floats) -> Floats:
    """Turns (k, 3, 3) after a further turn by rotation vectors (k, 3) [rad] in world axes."""
    length = np.linalg.norm(angles, axis=1)
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(angles, length))
    return np.where((length > 0.0)[:, None, None], rotation @ rotations, rotations)
