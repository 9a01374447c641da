"""A skeleton for bones that were found: which hangs on which, and the point about which each turns.

All sums run over the frames. Q_bc = sum of (T_b - T_c)^T (T_b - T_c) (4, 4) says how far bones b and c pull a point x
apart: x^T Q_bc x, with a one behind x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.geometry import quaternions
from supple.names import unique

_QUIET = 1e-3  # squared turn [rad²] a frame below which a bone's turning says nothing of its pivot
_UNTIED = 4.0  # how much dearer a tie between bones is that share no vertices, in bone lengths


@dataclass(frozen=True)
class Regions:
    """Where the vertices of every bone are: middles (B, 3) [m], radii (B,) [m], and sums (B, 4, 4) of w² x x^T."""

    middles: FloatArray
    radii: FloatArray
    inertia: FloatArray

    @classmethod
    def from_weights(cls, rest: FloatArray, weights: FloatArray) -> Regions:
        """Of weights (V, B); a bone without any stands at the middle of the body."""
        points = np.concatenate([rest, np.ones((len(rest), 1))], axis=1)
        inertia = np.einsum("vb,vi,vj->bij", weights**2, points, points, optimize=True)
        mass = inertia[:, 3, 3]
        empty = mass < 1e-12
        safe = np.where(empty, 1.0, mass)
        middles = np.where(empty[:, None], rest.mean(axis=0), inertia[:, :3, 3] / safe[:, None])
        spread = np.einsum("bii->b", inertia[:, :3, :3]) / safe - np.sum(middles**2, axis=1)
        return cls(middles, np.sqrt(np.maximum(np.where(empty, 0.0, spread), 0.0)), inertia)


def apart(transforms: FloatArray, bones: IntArray, others: IntArray) -> FloatArray:
    """Q (N, M, 4, 4) of every pair of bones and others in transforms (F, B, 4, 4)."""
    one, two = transforms[:, bones, :3], transforms[:, others, :3]
    mixed = np.einsum("fbia,fcid->bcad", one, two, optimize=True)
    own = np.einsum("fbia,fbid->bad", one, one, optimize=True)[:, None]
    return own + np.einsum("fcia,fcid->cad", two, two, optimize=True)[None] - mixed - np.swapaxes(mixed, -1, -2)


def pivots(forms: FloatArray, near: FloatArray, *, frames: int) -> FloatArray:
    """The points (..., 3) that forms Q (..., 4, 4) pull apart least, near to given ones where turning says little."""
    regularized = forms[..., :3, :3] + frames * _QUIET * np.eye(3)
    pull = np.einsum("...ij,...j->...i", forms[..., :3, :3], near) + forms[..., :3, 3]
    return near - np.linalg.solve(regularized, pull[..., None])[..., 0]


def tree(rest: FloatArray, weights: FloatArray, transforms: FloatArray) -> tuple[IntArray, FloatArray]:
    """Parents (B,) and pivots (B, 3) [m] of bones found.

    A tie is short when there is a point in both regions that both bones carry alike. The tree is the one with the
    shortest ties in all, and its root the bone with the shortest way to all of the skin.
    """
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree, shortest_path

    count, frames = weights.shape[1], len(transforms)
    regions = Regions.from_weights(rest, weights)
    if count == 1:
        return np.array([-1], dtype=np.int32), regions.middles
    every = np.arange(count, dtype=np.int32)
    between = _between(rest, weights, regions)
    forms = apart(transforms, every, every)
    positions = pivots(forms, between, frames=frames)
    positions = between + _shorten(positions - between, np.minimum(regions.radii[:, None], regions.radii))
    long = np.concatenate([positions, np.ones((count, count, 1))], axis=2)
    gap = np.sqrt(np.maximum(np.einsum("bci,bcij,bcj->bc", long, forms, long, optimize=True), 0.0) / frames)
    reach = np.linalg.norm(regions.middles[:, None] - regions.middles, axis=2)
    untied = weights.T @ weights < 1e-6 * len(weights)
    cost = gap + 0.1 * reach + np.where(untied, _UNTIED * reach, 0.0)
    ties = minimum_spanning_tree(_ranks(np.maximum(cost, cost.T)))
    ties.data[:] = 1e-3 + reach[ties.nonzero()] / max(float(reach.max()), 1e-12)
    root = int(np.argmin(shortest_path(ties, directed=False) @ weights.sum(axis=0)))
    _, parents = breadth_first_order(ties, root, directed=False)
    parents = np.where(every == root, -1, parents).astype(np.int32)
    heads = np.where((every == root)[:, None], regions.middles, positions[every, np.maximum(parents, 0)])
    return parents, heads


def _ranks(cost: FloatArray) -> FloatArray:
    """The same tree from whole numbers, all different: how SciPy breaks ties depends on the model of the processor.

    Costs alike, to nine digits of the largest, are ranked by the bones' numbers. Zero means no tie to SciPy.
    """
    upper = np.triu_indices(len(cost), 1)
    alike = np.round(cost[upper] / max(float(cost.max()), 1e-300), 9)
    ranks = np.zeros(cost.shape)
    order = np.argsort(alike, kind="stable")
    ranks[upper[0][order], upper[1][order]] = 1.0 + np.arange(len(order))
    return ranks + ranks.T


def _between(rest: FloatArray, weights: FloatArray, regions: Regions) -> FloatArray:
    """A point (B, B, 3) for every pair of bones: the middle of the vertices they share, or halfway between them."""
    shared = weights.T @ weights
    sums = np.stack([weights.T @ (weights * rest[:, [axis]]) for axis in range(3)], axis=2)
    halfway = 0.5 * (regions.middles[:, None] + regions.middles)
    some = shared > 1e-6 * len(weights)
    return np.where(some[..., None], sums / np.where(some, shared, 1.0)[..., None], halfway)


def helper_parents(transforms: FloatArray, regions: Regions, joints: int) -> IntArray:
    """The joint (H,) that carries each helper's vertices most nearly as the helper does; helpers follow the joints.

    Joints that scale unevenly are left out, since what hangs on them is sheared; -1 where no joint is left.
    """
    helpers = np.arange(joints, transforms.shape[1], dtype=np.int32)
    forms = apart(transforms, helpers, np.arange(joints, dtype=np.int32))
    cost = np.einsum("hcij,hij->hc", forms, regions.inertia[helpers], optimize=True)
    even = _even(transforms[:, :joints])
    return np.where(even.any(), np.argmin(np.where(even, cost, np.inf), axis=1), -1).astype(np.int32)


def _even(transforms: FloatArray) -> BoolArray:
    linear = transforms[..., :3, :3]
    gram = np.swapaxes(linear, -1, -2) @ linear
    scale = np.einsum("...ii->...", gram)[..., None, None] / 3.0
    return (np.abs(gram - scale * np.eye(3)) < 1e-6 * scale).all(axis=(0, 2, 3))


def _shorten(vectors: FloatArray, most: FloatArray) -> FloatArray:
    length = np.linalg.norm(vectors, axis=-1)
    return vectors * np.minimum(1.0, most / np.where(length > 0.0, length, 1.0))[..., None]


def bones_only(rest: FloatArray, weights: FloatArray, transforms: FloatArray) -> tuple[Skeleton, IntArray]:
    """A skeleton of the bones alone, the root first, and the order (B,) in which it takes them."""
    parents, heads = tree(rest, weights, transforms)
    order = _outward(parents)
    position = np.empty(len(order), dtype=np.int32)
    position[order] = np.arange(len(order))
    above = parents[order]
    return Skeleton.from_heads(_names(len(order)), np.where(above >= 0, position[above], -1), heads[order]), order


def side_by_side(rest: FloatArray, weights: FloatArray, axes: FloatArray) -> Skeleton:
    """A joint for the body as a whole, at its middle, and on it all bones, each turned to the axes (B, 3, 3) along
    which it stretches: then it moves by a translation, a rotation and three scales, and shears nothing."""
    middles = Regions.from_weights(rest, weights).middles
    world = np.tile(np.eye(4), (len(axes) + 1, 1, 1))
    world[0, :3, 3] = rest.mean(axis=0)
    world[1:, :3, :3], world[1:, :3, 3] = axes, middles
    parents = np.append(-1, np.zeros(len(axes))).astype(np.int32)
    return Skeleton(("body", *_names(len(axes))), parents, world)


def _names(count: int) -> list[str]:
    digits = max(len(str(count - 1)), 2)
    return [f"bone_{number:0{digits}d}" for number in range(count)]


def with_helpers(skeleton: Skeleton, rest: FloatArray, weights: FloatArray, transforms: FloatArray) -> Skeleton:
    """The skeleton with the helper bones behind its own joints, each on the joint it follows most."""
    joints = len(skeleton)
    regions = Regions.from_weights(rest, weights)
    parents = helper_parents(transforms, regions, joints)
    helpers = np.arange(joints, transforms.shape[1], dtype=np.int32)
    forms = apart(transforms, helpers, np.arange(joints, dtype=np.int32))[np.arange(len(helpers)), parents]
    middles = regions.middles[helpers]
    heads = middles + _shorten(pivots(forms, middles, frames=len(transforms)) - middles, regions.radii[helpers])
    upright = np.tile([0.0, 0.0, 0.0, 1.0], (len(heads), 1))
    world = np.concatenate([skeleton.world_from_joint, quaternions.compose(heads, upright)])
    held_by = [skeleton.names[parent] if parent >= 0 else "body" for parent in parents]
    called = [f"{bone}_helper_{number:02d}" for number, bone in enumerate(held_by, start=1)]
    names = [*skeleton.names, *unique(called, taken=skeleton.names)]
    tails = None if skeleton.tails is None else np.concatenate([skeleton.tails, middles])
    return Skeleton(tuple(names), np.concatenate([skeleton.parents, parents]), world, tails=tails)


def _outward(parents: IntArray) -> IntArray:
    """Bones from the root outwards, level by level."""
    order = list(np.flatnonzero(parents < 0))
    for bone in order:
        order.extend(np.flatnonzero(parents == bone))
    return np.array(order, dtype=np.int32)
