"""What a state of a soft articulated character amounts to: where its nodes are, momentum, energy, how joints stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray
from supple.character.skeleton import Skeleton
from supple.motion.pose import Pose
from supple.skins.contact.model.joints import HINGE, Joints, rotation_vectors
from supple.skins.contact.model.links import Links
from supple.skins.contact.model.mechanism import GRAVITY, Mechanism, MechanismState, arms, blended_rotations


def state_in(
    mechanism: Mechanism, links: Links, pose: Pose, *, skeleton: Skeleton, before: Pose | None = None, dt: float = 0.01
) -> MechanismState:
    """In a pose: links where the bones are, flesh as it was bound.

    With the pose `before`, `dt` [s] ago, everything already moves as the bones do; else it is at rest.
    """
    state = MechanismState.rest(mechanism)
    state.positions, state.rotations = links.pose(skeleton, pose)
    if before is not None:
        positions, rotations = links.pose(skeleton, before)
        state.velocities = (state.positions - positions) / dt
        state.angular_velocities = rotation_vectors(state.rotations @ np.swapaxes(rotations, 1, 2)) / dt
    return state


def node_positions(mechanism: Mechanism, state: MechanismState) -> FloatArray:
    """Where the free nodes are: (n, 3) [m]; nodes of the core stand where the links alone carry them."""
    return np.einsum(
        "nk,nka->na", mechanism.free_weights, state.positions[mechanism.free_links] + arms(mechanism, state)
    )


def node_velocities(mechanism: Mechanism, state: MechanismState) -> FloatArray:
    """How the free nodes move: (n, 3) [m/s]."""
    turning = np.cross(state.angular_velocities[mechanism.free_links], arms(mechanism, state))
    carried = np.einsum("nk,nka->na", mechanism.free_weights, state.velocities[mechanism.free_links] + turning)
    return carried + np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.node_velocities)


def momentum(mechanism: Mechanism, state: MechanismState) -> tuple[FloatArray, FloatArray]:
    """Linear [kg m/s] and angular [kg m²/s] momentum (3,) of all matter, the latter about the world's origin."""
    first, second = _core_moments(mechanism, state)
    links, weights = mechanism.free_links, mechanism.free_weights
    linear = mechanism.core_masses[:, None] * state.velocities + np.cross(state.angular_velocities, first)
    angular = np.cross(state.positions, linear) + np.cross(first, state.velocities)
    angular += np.trace(second, axis1=1, axis2=2)[:, None] * state.angular_velocities - np.einsum(
        "kab,kb->ka", second, state.angular_velocities
    )
    reach = arms(mechanism, state)
    pace = state.velocities[links] + np.cross(state.angular_velocities[links], reach)
    own = (
        np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.node_velocities) * mechanism.masses[:, None]
    )
    weight = mechanism.masses[:, None, None] * weights[:, :, None]
    position = state.positions[links] + reach
    total = linear.sum(axis=0) + (weight * pace).sum(axis=(0, 1)) + own.sum(axis=0)
    turning = angular.sum(axis=0) + np.cross(position, weight * pace).sum(axis=(0, 1))
    return total, turning + np.cross((weights[:, :, None] * position).sum(axis=1), own).sum(axis=0)


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


def energy(mechanism: Mechanism, state: MechanismState, *, gravity: ArrayLike = GRAVITY) -> Energy:
    """What is stored in motion, in strained flesh, in bent joints, and in height."""
    pull = np.asarray(gravity, dtype=np.float64)
    first, second = _core_moments(mechanism, state)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    kinetic = 0.5 * mechanism.core_masses @ np.sum(state.velocities**2, axis=1)
    kinetic += np.sum(state.velocities * np.cross(state.angular_velocities, first))
    kinetic += 0.5 * np.einsum("ka,kab,kb->", state.angular_velocities, inertia, state.angular_velocities)
    pace = state.velocities[mechanism.free_links] + np.cross(
        state.angular_velocities[mechanism.free_links], arms(mechanism, state)
    )
    mean = np.einsum("nk,nka->na", mechanism.free_weights, pace)
    own = np.einsum("nab,nb->na", blended_rotations(mechanism, state), state.node_velocities)
    kinetic += (
        0.5
        * mechanism.masses
        @ (
            np.einsum("nk,nka,nka->n", mechanism.free_weights, pace, pace)
            + 2.0 * np.sum(mean * own, axis=1)
            + np.sum(state.node_velocities**2, axis=1)
        )
    )
    moved = state.displacements.ravel()
    elastic = 0.5 * moved @ (mechanism.stiffness @ moved)
    bends = bend(mechanism.joints, state.rotations)
    springs = 0.5 * mechanism.joint_stiffness @ np.sum(bends**2, axis=1)
    matter = mechanism.masses @ node_positions(mechanism, state)
    matter = matter + (mechanism.core_masses[:, None] * state.positions + first).sum(axis=0)
    return Energy(float(kinetic), float(elastic), float(springs), float(-pull @ matter))


def bend(joints: Joints, rotations: FloatArray) -> FloatArray:
    """How far each joint is turned from rest: axis times angle (c, 3) [rad], in the axes of the child."""
    relative = np.swapaxes(rotations[joints.parents], 1, 2) @ rotations[joints.children]
    return rotation_vectors(relative)


def beyond_limits(joints: Joints, rotations: FloatArray) -> FloatArray:
    """By how much each joint (c,) [rad] is turned beyond what it may: about its hinge, or in its swing; 0 within."""
    relative = np.swapaxes(rotations[joints.parents], 1, 2) @ rotations[joints.children]
    turns = rotation_vectors(relative)
    angles = np.einsum("ca,ca->c", turns, joints.axes)
    hinges = np.maximum(angles - joints.highs, joints.lows - angles)
    balls = np.linalg.norm(turns, axis=1) - joints.highs
    axes = np.einsum("cab,cb->ca", relative, joints.cones.axes)
    middles = joints.cones.middles
    swung = np.arctan2(np.linalg.norm(np.cross(axes, middles), axis=1), np.einsum("ca,ca->c", axes, middles))
    beyond = np.maximum(np.where(joints.kinds == HINGE, hinges, balls), swung - joints.cones.swings)
    return np.maximum(beyond, 0.0)


def spring_hessian(bends: FloatArray) -> FloatArray:
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


def joint_gaps(mechanism: Mechanism, state: MechanismState) -> FloatArray:
    """How far apart (c, 3) [m] the two links of each joint have it."""
    joints = mechanism.joints
    ends = [
        state.positions[side] + np.einsum("cab,cb->ca", state.rotations[side], joints.pivots - mechanism.centers[side])
        for side in (joints.children, joints.parents)
    ]
    return ends[0] - ends[1]


def _core_moments(mechanism: Mechanism, state: MechanismState) -> tuple[FloatArray, FloatArray]:
    """First and second moments of the cores in world axes."""
    first = np.einsum("kab,kb->ka", state.rotations, mechanism.core_first_moments)
    second = np.einsum("kab,kbc,kdc->kad", state.rotations, mechanism.core_second_moments, state.rotations)
    return first, second
