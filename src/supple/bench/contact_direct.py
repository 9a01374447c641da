"""The system of a step in full, links, flesh, joints and contacts together, for a direct solver to solve at once.

It is what the condensed solver stands in for [Galoppo2007, Eq. 9]; nobody needs it but those who compare.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.skins.contact.model.joints import BALL
from supple.skins.contact.model.mechanism import Mechanism, MechanismState, arms, blended_rotations
from supple.skins.contact.response.contact_set import ContactSet


def full_system(mechanism: Mechanism, state: MechanismState, contacts: ContactSet, dt: float) -> tuple[Any, int]:
    """((M~, -J^T), (-J, 0)) of links (6 k), flesh (3 n), ball joints (3 c) and contacts (m) as a sparse matrix.

    M~ = M + dt D + dt^2 K without springs of the joints. Of the rows J the joints come first. Contacts are those of
    single free nodes. Also returns how many unknowns are velocities.
    """
    from scipy.sparse import block_array, bsr_array, coo_array, diags_array

    n, k = mechanism.node_count, mechanism.link_count
    links, weights = mechanism.free_links, mechanism.free_weights
    reach, blends = arms(mechanism, state), blended_rotations(mechanism, state)
    carried = np.zeros((n, links.shape[1], 3, 6))  # how fast a node is by its links: w (1, -[r]x)
    carried[..., :3] = weights[..., None, None] * np.eye(3)
    carried[..., 3:] = -weights[..., None, None] * _crossing(reach)
    coupling = np.einsum("n,nba,nkbc->nkac", mechanism.masses, blends, carried)  # of flesh with links
    flesh_of_links = _spread(coupling, np.repeat(np.arange(n), links.shape[1]), links.ravel(), (3 * n, 6 * k))
    inertia = bsr_array((_inertia(mechanism, state, reach), np.arange(k), np.arange(k + 1)), shape=(6 * k, 6 * k))
    flesh = diags_array(np.repeat(mechanism.masses, 3)) + dt * mechanism.damping + dt**2 * mechanism.stiffness
    joints = _joint_rows(mechanism, state)
    nodes, count = contacts.nodes[:, 0], len(contacts)
    met = np.einsum("ma,mkab->mkb", contacts.normals, carried[nodes])
    met_links = _spread(
        met[:, :, None], np.repeat(np.arange(count), links.shape[1]), links[nodes].ravel(), (count, 6 * k)
    )
    met_flesh = _spread(
        np.einsum("ma,mab->mb", contacts.normals, blends[nodes])[:, None], np.arange(count), nodes, (count, 3 * n)
    )
    none = coo_array((joints.shape[0], 3 * n))
    system: Any = block_array(
        [
            [inertia, flesh_of_links.T, -joints.T, -met_links.T],
            [flesh_of_links, flesh, -none.T, -met_flesh.T],
            [-joints, -none, None, None],
            [-met_links, -met_flesh, None, None],
        ]
    ).tocsc()
    return system, 6 * k + 3 * n


def _crossing(vectors: FloatArray) -> FloatArray:
    """[v]x (..., 3, 3) of vectors (..., 3)."""
    found: FloatArray = np.cross(np.eye(3), vectors[..., None, :])
    return found


def _inertia(mechanism: Mechanism, state: MechanismState, reach: FloatArray) -> FloatArray:
    """(k, 6, 6) of the links, with their shares of the flesh."""
    k, links = mechanism.link_count, mechanism.free_links
    first = np.einsum("kab,kb->ka", state.rotations, mechanism.core_first_moments)
    second = np.einsum("kab,kbc,kdc->kad", state.rotations, mechanism.core_second_moments, state.rotations)
    weight = mechanism.masses[:, None] * mechanism.free_weights
    np.add.at(first, links, weight[..., None] * reach)
    np.add.at(second, links, weight[..., None, None] * reach[..., :, None] * reach[..., None, :])
    blocks = np.zeros((k, 6, 6))
    blocks[:, :3, :3] = mechanism.link_masses[:, None, None] * np.eye(3)
    blocks[:, 3:, :3] = _crossing(first)
    blocks[:, :3, 3:] = -blocks[:, 3:, :3]
    blocks[:, 3:, 3:] = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return blocks


def _joint_rows(mechanism: Mechanism, state: MechanismState) -> Any:
    """(3 c, 6 k): how fast the joints open."""
    joints, count = mechanism.joints, len(mechanism.joints)
    if (joints.kinds != BALL).any():
        raise ValueError("only ball joints are put into the full system")
    ends = [
        np.einsum("cab,cb->ca", state.rotations[side], joints.pivots - mechanism.centers[side])
        for side in (joints.children, joints.parents)
    ]
    middle = 0.5 * (state.positions[joints.children] + ends[0] + state.positions[joints.parents] + ends[1])
    rows = np.zeros((count, 2, 3, 6))
    for position, (side, sign) in enumerate(((joints.children, 1.0), (joints.parents, -1.0))):
        rows[:, position, :, :3] = sign * np.eye(3)
        rows[:, position, :, 3:] = -sign * _crossing(middle - state.positions[side])
    both = np.stack([joints.children, joints.parents], axis=1)
    return _spread(rows, np.repeat(np.arange(count), 2), both.ravel(), (3 * count, 6 * mechanism.link_count))


def _spread(blocks: FloatArray, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """A sparse matrix from blocks (..., a, b), each at its row and column of blocks; what meets is added."""
    from scipy.sparse import coo_array

    high, wide = blocks.shape[-2:]
    values = blocks.reshape(-1, high, wide)
    at = np.broadcast_to(high * np.asarray(rows)[:, None, None] + np.arange(high)[:, None], values.shape)
    over = np.broadcast_to(wide * np.asarray(columns)[:, None, None] + np.arange(wide), values.shape)
    return coo_array((values.ravel(), (at.ravel(), over.ravel())), shape=shape).tocsr()
