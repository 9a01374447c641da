"""Skin that lies in flesh which other bones move, as legs under a tunic do, or beside it, as thighs do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.character import Character
from supple.geometry import topology
from supple.geometry.embedding import Embedding
from supple.geometry.vectors import smoothstep

if TYPE_CHECKING:
    from supple.skins.position_based.body.tetrahedral_body import FleshBody

_LEAST = 0.25  # share from which skin is looked at more closely; less counts as none
_EVENED = 0.5  # sizes of an element: over how much of the skin its weights are evened out
_STRANGE = (0.02, 0.12)  # weight that skin and a particle have in common: with less they go different ways
_FEW = 0.08  # share of its weights in which skin differs from its flesh, up to which none of it is strange
_LEFT = 0.1  # of the shares of a vertex: what must be its own flesh
_AROUND = 2.0  # sizes of an element: how far around such skin the mesh matters for that


def foreign_share(character: Character, body: FleshBody) -> FloatArray:
    """The share (V,) of its weights in which skin differs from the flesh that it is embedded in.

    Flesh cannot follow weights that change within an element, as those of an armpit do: it has their mean. So skin
    whose weights, evened out along the mesh over half an element, are those of the flesh does not differ from it.
    """
    from scipy.sparse import csr_array

    joints, corners = len(character.skeleton), body.embedding.corners
    rows = np.repeat(np.arange(len(corners)), corners.shape[1])
    shape = len(corners), len(body.joint)
    onto = csr_array((body.embedding.barycentric.ravel(), (rows, corners.ravel())), shape=shape)
    own = character.require_weights("PositionBased").dense(joints)
    flesh = np.asarray(onto @ body.weights.dense(joints))
    share = np.asarray(0.5 * np.abs(flesh - own).sum(axis=1))
    edges, size = topology.kept_edges(character.triangles), body.constraints.size
    distant = np.where(share > _LEAST, 0.0, np.inf)
    near = topology.limit_slope(distant, character.points, edges, 1.0) < _AROUND * size
    if near.any():
        evened = _even_out(own[near], _edges_within(edges, near), character.points[near], _EVENED * size)
        share[near] = np.minimum(share[near], 0.5 * np.abs(flesh[near] - evened).sum(axis=1))
    return share


def own_flesh(embedding: Embedding, own: FloatArray, flesh: FloatArray) -> Embedding:
    """The embedding of skin with weights `own` (V, J), without particles that none of its bones carry.

    Where two thighs come nearer to each other than an element is wide, the skin of one lies beside particles of the
    other, which would draw it along. `flesh` (P, J) are the weights of the particles.
    """
    corners, shares = embedding.corners, embedding.barycentric.copy()
    mean = np.zeros_like(own)
    for corner, share in zip(corners.T, shares.T, strict=True):
        mean += share[:, None] * flesh[corner]
    some = np.flatnonzero(0.5 * np.abs(mean - own).sum(axis=1) > _FEW)
    common = np.stack([np.minimum(own[some], flesh[corner]).sum(axis=1) for corner in corners[some].T], axis=1)
    kept = smoothstep(common, *_STRANGE) * np.maximum(shares[some], 0.0)
    left = kept.sum(axis=1, keepdims=True)
    shares[some] = np.where(left > _LEFT, kept / np.where(left > _LEFT, left, 1.0), shares[some])
    return Embedding(corners, shares, embedding.distance)


def _edges_within(edges: Any, chosen: BoolArray) -> Any:
    """The edges (E, 2) both of whose ends are chosen (V,), by their numbers among those."""
    number = np.cumsum(chosen) - 1
    return number[edges[chosen[edges].all(axis=1)]]


def _even_out(values: FloatArray, edges: Any, points: FloatArray, width: float) -> FloatArray:
    """Values (V, K) as they are after they have flowed along edges as far as `width` [m], by one implicit step.

    (M + t A) u = M v, t = width² / 2, A the Laplacian of edges that weigh by one over their squared length, and M a
    fourth of how many there are: on an even mesh M^-1 A is the Laplacian of the surface.
    """
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import splu

    count = len(points)
    i, j = edges.T
    squared = ((points[i] - points[j]) ** 2).sum(axis=1)
    shortest = 1e-4 * width**2  # what is shorter is one point to it
    flow = 0.5 * width**2 / np.maximum(squared, shortest)
    both = np.concatenate([i, j]), np.concatenate([j, i])
    links = coo_array((np.concatenate([flow, flow]), both), shape=(count, count)).tocsr()
    masses = np.maximum(0.25 * np.bincount(np.concatenate([i, j]), minlength=count), 0.25)
    system = diags_array(masses + np.asarray(links.sum(axis=1)).ravel()) - links
    used = values.any(axis=0)
    evened = np.zeros_like(values)
    evened[:, used] = splu(system.tocsc()).solve(masses[:, None] * values[:, used])
    return evened
