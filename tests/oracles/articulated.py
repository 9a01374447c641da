"""Slow and readable: a soft articulated character as one dense system, not condensed [Galoppo2007, Eq. 6 and 9].

Unknowns are the velocities of all links (c', o in world axes, six each), then those of all free nodes (three each).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import bsr_array
from scipy.spatial.transform import Rotation

from oracles.inside_tets import lattice
from supple import Skeleton, Weights
from supple.geometry.tetrahedra import Tetrahedra
from supple.skins.contact.control.tracking import Targets
from supple.skins.contact.dynamics.factored_system import diagonal_blocks
from supple.skins.contact.model.flesh import layer
from supple.skins.contact.model.joints import HINGE
from supple.skins.contact.model.links import joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import Mechanism, MechanismState, mechanism_from_flesh, rotate_by


def cross(v):
    """[v]x, so that cross(v) @ w = v x w."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def packed(state: MechanismState) -> np.ndarray:
    return np.concatenate([np.c_[state.velocities, state.angular_velocities].ravel(), state.node_velocities.ravel()])


def unpacked(state: MechanismState, v: np.ndarray) -> MechanismState:
    new = state.copy()
    k = len(state.positions)
    links = v[: 6 * k].reshape(k, 6)
    new.velocities, new.angular_velocities, new.node_velocities = (
        links[:, :3].copy(),
        links[:, 3:].copy(),
        v[6 * k :].reshape(-1, 3).copy(),
    )
    return new


def moved(state: MechanismState, dt: float) -> MechanismState:
    """Places after a step with the velocities that the state has."""
    new = state.copy()
    new.positions = state.positions + dt * state.velocities
    new.rotations = np.stack(
        [
            Rotation.from_rotvec(dt * o).as_matrix() @ R
            for o, R in zip(state.angular_velocities, state.rotations, strict=True)
        ]
    )
    new.displacements = state.displacements + dt * state.node_velocities
    return new


def carriers(mechanism: Mechanism, node: int):
    """Which links carry a node, and how much of it."""
    return [(int(i), w) for i, w in zip(mechanism.links[node], mechanism.weights[node], strict=True) if w > 0.0]


def arm(mechanism, state, node, link):
    moved = state.displacements[node] if node < mechanism.node_count else 0.0  # a node of the core
    return state.rotations[link] @ (mechanism.rest[node] + moved - mechanism.centers[link])


def position(mechanism, state, node):
    return sum(w * (state.positions[i] + arm(mechanism, state, node, i)) for i, w in carriers(mechanism, node))


def blend_rotations(mechanism, state, node):
    return sum(w * state.rotations[i] for i, w in carriers(mechanism, node))


def velocity_rows(mechanism: Mechanism, state: MechanismState, node: int) -> np.ndarray:
    """L (3, 6 k + 3 n) of a node: x' = L v."""
    k = mechanism.link_count
    rows = np.zeros((3, 6 * k + 3 * mechanism.node_count))
    for i, w in carriers(mechanism, node):
        rows[:, 6 * i : 6 * i + 3] = w * np.eye(3)
        rows[:, 6 * i + 3 : 6 * i + 6] = -w * cross(arm(mechanism, state, node, i))
    if node < mechanism.node_count:
        at = 6 * k + 3 * node
        rows[:, at : at + 3] = blend_rotations(mechanism, state, node)
    return rows


def inertia(mechanism: Mechanism, state: MechanismState) -> np.ndarray:
    """M: links not coupled by blending, constant mass of the skin, both coupled by m L^T R_W."""
    k, n = mechanism.link_count, mechanism.node_count
    M = np.zeros((6 * k + 3 * n,) * 2)
    for i in range(k):
        R = state.rotations[i]
        first, second = R @ mechanism.core_first_moments[i], R @ mechanism.core_second_moments[i] @ R.T
        at = 6 * i
        M[at : at + 3, at : at + 3] += mechanism.core_masses[i] * np.eye(3)
        M[at : at + 3, at + 3 : at + 6] -= cross(first)
        M[at + 3 : at + 6, at : at + 3] += cross(first)
        M[at + 3 : at + 6, at + 3 : at + 6] += np.trace(second) * np.eye(3) - second
    for j in range(n):
        m = mechanism.masses[j]
        rows = velocity_rows(mechanism, state, j)
        at = 6 * k + 3 * j
        rotation = rows[:, at : at + 3]
        for i, w in carriers(mechanism, j):
            own = rows[:, 6 * i : 6 * i + 6] / w
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] += m * w * own.T @ own
        M[: 6 * k, at : at + 3] = m * rows[:, : 6 * k].T @ rotation
        M[at : at + 3, : 6 * k] = M[: 6 * k, at : at + 3].T
        M[at : at + 3, at : at + 3] = m * np.eye(3)
    return M


def quadratic(mechanism: Mechanism, state: MechanismState) -> np.ndarray:
    """Centripetal and Coriolis forces: -m times what of x'' is left when all velocities stay as they are."""
    k, n = mechanism.link_count, mechanism.node_count
    force = np.zeros(6 * k + 3 * n)
    for i in range(k):
        R, o = state.rotations[i], state.angular_velocities[i]
        first, second = R @ mechanism.core_first_moments[i], R @ mechanism.core_second_moments[i] @ R.T
        force[6 * i : 6 * i + 3] -= np.cross(o, np.cross(o, first))
        force[6 * i + 3 : 6 * i + 6] -= np.cross(o, (np.trace(second) * np.eye(3) - second) @ o)
    for j in range(n):
        m = mechanism.masses[j]
        centripetal, coriolis = np.zeros(3), np.zeros(3)
        for i, w in carriers(mechanism, j):
            o, r = state.angular_velocities[i], arm(mechanism, state, j, i)
            centripetal += w * np.cross(o, np.cross(o, r))
            coriolis += w * 2.0 * np.cross(o, state.rotations[i] @ state.node_velocities[j])
        for i, w in carriers(mechanism, j):
            o, r = state.angular_velocities[i], arm(mechanism, state, j, i)
            pull = np.cross(o, np.cross(o, r)) + coriolis
            force[6 * i : 6 * i + 3] -= m * w * pull
            force[6 * i + 3 : 6 * i + 6] -= m * w * np.cross(r, pull)
        at = 6 * k + 3 * j
        force[at : at + 3] = -m * blend_rotations(mechanism, state, j).T @ (centripetal + coriolis)
    return force


def weight(mechanism: Mechanism, state: MechanismState, gravity) -> np.ndarray:
    """Gravity on everything."""
    k, n = mechanism.link_count, mechanism.node_count
    force, g = np.zeros(6 * k + 3 * n), np.asarray(gravity, dtype=float)
    for i in range(k):
        force[6 * i : 6 * i + 3] = mechanism.core_masses[i] * g
        force[6 * i + 3 : 6 * i + 6] = np.cross(state.rotations[i] @ mechanism.core_first_moments[i], g)
    for j in range(n):
        force += mechanism.masses[j] * velocity_rows(mechanism, state, j).T @ g
    return force


@dataclass
class Spring:
    """A damped spring: rows A of the velocities it resists, how far it is out, k, d, and its wanted velocity."""

    rows: np.ndarray
    out: np.ndarray
    curvature: np.ndarray
    stiffness: float
    damping: float
    wanted: np.ndarray


def rotation_vector(matrix):
    return Rotation.from_matrix(matrix).as_rotvec()


def curvature(out):
    """How the rotation vector follows a turn: symmetric part of the inverse right Jacobian, by its definition."""
    angle = np.linalg.norm(out)
    if angle < 1e-6:
        return np.eye(3)
    a = np.outer(out, out) / angle**2
    return a + max(0.5 * angle / np.tan(0.5 * angle), 0.0) * (np.eye(3) - a)


def springs(mechanism: Mechanism, state: MechanismState, targets: Targets) -> list[Spring]:
    """Springs of the joints, of their control, and of the roots' control."""
    size = 6 * mechanism.link_count + 3 * mechanism.node_count
    found = []
    joints = mechanism.joints
    for c in range(len(joints)):
        child, parent = int(joints.children[c]), int(joints.parents[c])
        rows = np.zeros((3, size))
        rows[:, 6 * child + 3 : 6 * child + 6] = state.rotations[child].T  # in the child's axes
        rows[:, 6 * parent + 3 : 6 * parent + 6] = -state.rotations[child].T
        relative = state.rotations[parent].T @ state.rotations[child]
        for target, k, d, wanted in (
            (np.eye(3), mechanism.joint_stiffness[c], mechanism.joint_damping[c], np.zeros(3)),
            (targets.rotations[c], targets.stiffness[c], targets.damping[c], targets.angular_velocities[c]),
        ):
            out = rotation_vector(target.T @ relative)
            found.append(Spring(rows, out, curvature(out), k, d, wanted))
    for r, root in enumerate(mechanism.roots):
        gains = targets.root_gains[r]
        rows = np.zeros((3, size))
        rows[:, 6 * root : 6 * root + 3] = np.eye(3)
        out = state.positions[root] - targets.root_positions[r]
        found.append(Spring(rows, out, np.eye(3), gains[0], gains[1], targets.root_velocities[r]))
        rows = np.zeros((3, size))
        rows[:, 6 * root + 3 : 6 * root + 6] = np.eye(3)
        out = rotation_vector(state.rotations[root] @ targets.root_rotations[r].T)  # in world axes
        found.append(Spring(rows, out, curvature(out), gains[2], gains[3], targets.root_angular_velocities[r]))
    return found


def joint_rows(mechanism: Mechanism, state: MechanismState) -> tuple[np.ndarray, np.ndarray]:
    """Rows J and errors g of all joints, one joint after another."""
    size = 6 * mechanism.link_count + 3 * mechanism.node_count
    joints, rows, errors = mechanism.joints, [], []
    for c in range(len(joints)):
        child, parent = int(joints.children[c]), int(joints.parents[c])
        block = np.zeros((3, size))
        ends = [
            state.positions[link] + state.rotations[link] @ (joints.pivots[c] - mechanism.centers[link])
            for link in (child, parent)
        ]
        middle, error = 0.5 * (ends[0] + ends[1]), ends[0] - ends[1]
        for link, sign in ((child, 1.0), (parent, -1.0)):
            # Both ends are held at one place, so that a joint that is a little open still turns nothing as a whole.
            block[:, 6 * link : 6 * link + 3] = sign * np.eye(3)
            block[:, 6 * link + 3 : 6 * link + 6] = -sign * cross(middle - state.positions[link])
        rows.append(block)
        errors.append(error)
        if joints.kinds[c] == HINGE:
            axis = joints.axes[c]
            across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
            across /= np.linalg.norm(across)
            for b in (across, np.cross(axis, across)):
                turned = state.rotations[parent] @ b
                row = np.zeros((1, size))
                row[0, 6 * child + 3 : 6 * child + 6] = turned
                row[0, 6 * parent + 3 : 6 * parent + 6] = -turned
                rows.append(row)
                errors.append([turned @ np.cross(state.rotations[parent] @ axis, state.rotations[child] @ axis)])
    if not rows:
        return np.zeros((0, size)), np.zeros(0)
    return np.concatenate(rows), np.concatenate(errors)


@dataclass
class System:
    """M~ and dt F~ of a step, and the joints' rows."""

    matrix: np.ndarray
    impulse: np.ndarray
    rows: np.ndarray
    errors: np.ndarray


def system(mechanism: Mechanism, state: MechanismState, targets: Targets, dt: float, gravity) -> System:
    k, n = mechanism.link_count, mechanism.node_count
    v = packed(state)
    K, D = mechanism.stiffness.toarray(), mechanism.damping.toarray()
    M = inertia(mechanism, state)
    skin = slice(6 * k, 6 * k + 3 * n)
    M[skin, skin] += dt * D + dt**2 * K
    impulse = dt * (quadratic(mechanism, state) + weight(mechanism, state, gravity))
    u = state.displacements.ravel()
    impulse[skin] -= dt * (K @ u + dt * K @ v[skin] + D @ v[skin])
    for one in springs(mechanism, state, targets):
        resist = dt * one.stiffness * one.curvature + one.damping * np.eye(3)
        M += dt * one.rows.T @ resist @ one.rows
        impulse -= dt * one.rows.T @ (one.stiffness * one.out + resist @ one.rows @ v - one.damping * one.wanted)
    rows, errors = joint_rows(mechanism, state)
    return System(M, impulse, rows, errors)


def block_diagonal(mechanism: Mechanism, matrix: np.ndarray) -> np.ndarray:
    """The 3x3 blocks on the diagonal of the skin's part of M~."""
    k, n = mechanism.link_count, mechanism.node_count
    skin = matrix[6 * k :, 6 * k :]
    hat = np.zeros_like(skin)
    for j in range(n):
        hat[3 * j : 3 * j + 3, 3 * j : 3 * j + 3] = skin[3 * j : 3 * j + 3, 3 * j : 3 * j + 3]
    return hat


def free_velocities(mechanism, state, targets, dt, gravity, stabilization) -> np.ndarray:
    """v- of Eq. 6, solved directly; `stabilization` is the share of a joint's error that a step puts right."""
    it = system(mechanism, state, targets, dt, gravity)
    v, c = packed(state), len(it.errors)
    full = np.block([[it.matrix, -it.rows.T], [-it.rows, np.zeros((c, c))]])
    right = np.concatenate([it.impulse, it.rows @ v + stabilization / dt * it.errors])
    return v + np.linalg.solve(full, right)[: len(v)]


def contact_rows(mechanism, state, nodes, shares, normals) -> np.ndarray:
    """Rows n^T L of contacts at points that are blends of nodes (m, K)."""
    return np.array(
        [
            normal @ sum(s * velocity_rows(mechanism, state, int(j)) for j, s in zip(js, ss, strict=True) if s != 0.0)
            for js, ss, normal in zip(nodes, shares, normals, strict=True)
        ]
    )


def response(mechanism, state, targets, dt, gravity, v, rows, wanted, *, skin=None) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and impulses of Eq. 9 with contacts as equalities: rows v+ = wanted. `skin` may replace M~s."""
    it = system(mechanism, state, targets, dt, gravity)
    matrix = it.matrix.copy()
    if skin is not None:
        matrix[6 * mechanism.link_count :, 6 * mechanism.link_count :] = skin
    J = np.concatenate([it.rows, rows])
    full = np.block([[matrix, -J.T], [-J, np.zeros((len(J), len(J)))]])
    right = np.concatenate([np.zeros(len(v)), np.zeros(len(it.rows)), rows @ v - wanted])
    found = np.linalg.solve(full, right)
    return v + found[: len(v)], found[len(v) + len(it.rows) :]


def bar(
    links: int = 3,
    *,
    cells: int = 2,
    tissue="muscle",
    hinges=(),
    limits=None,
    spring: float = 0.0,
    damping: float = 0.0,
) -> Mechanism:
    """A bar along x of `cells` cubes of 0.1 m for each link, with soft weights and a core along its axis."""
    points, corners = lattice((cells * links, 2, 2), side=0.1, origin=(0.0, -0.1, -0.1))
    length = 0.1 * cells
    heads = np.zeros((links, 3))
    heads[:, 0] = length * np.arange(links)
    names = [f"link{i}" for i in range(links)]
    ends = heads + np.array([length, 0.0, 0.0])
    skeleton = Skeleton.from_heads(names, np.arange(links) - 1, heads, tails=ends)
    away = np.abs(points[:, :1] - heads[:, 0] - 0.5 * length) / length
    share = np.clip(1.0 - away, 0.0, 1.0) ** 2
    weights = Weights.from_dense(share / share.sum(axis=1, keepdims=True))
    on_axis = (np.abs(points[:, 1:]) < 0.01).all(axis=1)
    middles = (np.abs(points[:, 2]) < 0.01) & (np.abs(points[:, :1] - heads[:, 0] - 0.1).min(axis=1) < 0.01)
    flesh = layer(Tetrahedra(points, corners), weights, on_axis | middles, tissues=(tissue,))
    found = links_from_flesh(skeleton, flesh)
    joints = joints_from_links(skeleton, found, hinges=dict(hinges), limits=limits)
    return mechanism_from_flesh(flesh, found, joints, joint_stiffness=spring, joint_damping=damping)


def any_state(mechanism: Mechanism, seed: int, *, moved=0.02, fast=1.0) -> MechanismState:
    """Somewhere, turned, open at the joints, displaced, and moving."""
    rng = np.random.default_rng(seed)
    state = MechanismState.rest(mechanism)
    k, n = mechanism.link_count, mechanism.node_count
    state.rotations = rotate_by(state.rotations, 0.5 * rng.normal(size=(k, 3)))
    state.positions = state.positions + 0.05 * rng.normal(size=(k, 3))
    state.velocities, state.angular_velocities = fast * rng.normal(size=(k, 3)), 2.0 * fast * rng.normal(size=(k, 3))
    state.displacements, state.node_velocities = moved * rng.normal(size=(n, 3)), 0.3 * fast * rng.normal(size=(n, 3))
    return state


def any_targets(mechanism: Mechanism, seed: int) -> Targets:
    """Control of all joints and roots towards anywhere."""
    rng = np.random.default_rng(seed)
    c, r = len(mechanism.joints), len(mechanism.roots)
    none = Targets.none(mechanism)
    return Targets(
        rotate_by(none.rotations, 0.3 * rng.normal(size=(c, 3))),
        rng.normal(size=(c, 3)),
        rng.uniform(0.0, 30.0, c),
        rng.uniform(0.0, 2.0, c),
        rng.normal(size=(r, 3)),
        rotate_by(none.root_rotations, 0.3 * rng.normal(size=(r, 3))),
        rng.normal(size=(r, 3)),
        rng.normal(size=(r, 3)),
        rng.uniform(1.0, 90.0, (r, 4)),
    )


def loose(mechanism: Mechanism) -> Mechanism:
    """The same with nodes that do not pull each other: then the skin's matrix is its own block diagonal."""

    def blocks(matrix):
        found = diagonal_blocks(matrix.tocsc())
        count = len(found)
        return bsr_array((found, np.arange(count), np.arange(count + 1)), shape=matrix.shape).tocsr()

    return replace(mechanism, stiffness=blocks(mechanism.stiffness), damping=blocks(mechanism.damping))
