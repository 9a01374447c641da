"""Weights by the length of the way through the flesh from bone to skin."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Bools, Floats
from supple.character.automatic.bones import steps_between
from supple.character.automatic.flesh import Flesh
from supple.character.automatic.tissue import STAIRS, Tissue, tissue
from supple.character.skeleton import Bones, Skeleton
from supple.character.weights import Weights
from supple.errors import SuppleWarning
from supple.geometry.segments import distances_to_segments

Ranks = NDArray[np.int64]

_FALLOFF = 0.5  # alpha: share of the quadratic term
_UNIT = 1.0 / 512.0  # share of the character's size in which distances are measured
_REACH = 4.0  # bones this many times farther than the nearest have less than 1/256 of its weight
_FAR_OUT = 0.02  # share of the character's size; a bone farther outside than that is probably misplaced
_SMALL = 0.01  # weights below this are cut


def geodesic_weights(
    skeleton: Skeleton, bones: Bones, flesh: Flesh, *, resolution: int, influences: int
) -> tuple[Weights, Bools]:
    """Tie the points of the skin to the bones near them, as a walk through the flesh measures nearness.

    See `automatic_weights`. Returns weights of `flesh.points`, and which of them were reached at all; the weights of
    those that were not are those of the nearest one that was.
    """
    body = tissue(flesh, resolution)
    joints = np.unique(bones.joints)
    distances = _distances(body, skeleton, bones)
    reached: Bools = np.asarray(np.isfinite(distances).any(axis=1))
    full = np.zeros((len(flesh.points), len(skeleton)))
    full[:, joints] = _shares(distances, flesh.span)
    full = _faded(full, steps_between(skeleton, bones))
    full = _carried_over(full, reached, flesh)
    return _sparse(full, influences), reached


def _distances(body: Tissue, skeleton: Skeleton, bones: Bones) -> Floats:
    """Length (points, owning joints) [m] of the way from every owning joint's bones; infinite where none is near.

    Voxel paths are jagged: up to 13 % longer than a straight line, depending on its direction. Where the path shows
    that the straight line d_e to the bone is open, d_e itself is the distance, smooth and the same at every resolution;
    only what a path is longer than jaggedness explains is added: d = d_e + max(0, d_path - 1.13 d_e - one voxel).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    joints = np.unique(bones.joints)
    count, sources = len(body.places), len(joints)
    source, node, length = _seeds(body, skeleton, bones)
    # One more node per joint, with ways into the flesh but none back. Zero would mean no way, so a hair is added.
    ways = body.graph.tocoo()
    froms, tos = np.concatenate([ways.coords[0], source + count]), np.concatenate([ways.coords[1], node])
    lengths = np.concatenate([ways.data, length + 1e-9 * body.grid.side])
    graph = coo_array((lengths, (froms, tos)), shape=(count + sources, count + sources)).tocsr()
    origins = count + np.arange(sources)
    skin = slice(body.skin_from, count)
    nearest = dijkstra(graph, indices=origins, min_only=True)[skin]
    limit = _REACH * float(np.max(nearest[np.isfinite(nearest)], initial=0.0))
    path = dijkstra(graph, indices=origins, limit=limit)[:, skin].T
    straight, _ = distances_to_segments(body.flesh.points, bones.starts, bones.ends)
    nearest_of_joint = np.stack([straight[:, bones.joints == joint].min(axis=1) for joint in joints], axis=1)
    detour = np.maximum(path - STAIRS * nearest_of_joint - body.grid.side, 0.0)
    return nearest_of_joint + detour


def _seeds(body: Tissue, skeleton: Skeleton, bones: Bones) -> tuple[Ranks, Ranks, Floats]:
    """Where the ways of every joint begin: (joint's rank, node, distance of the node from the joint's bones)."""
    from scipy.spatial import cKDTree

    joints = np.unique(bones.joints)
    bone, samples = _along(bones, 0.5 * body.grid.side)
    inner = body.flesh.inside(samples)
    which, node = body.nodes_around(samples[inner])
    seen = body.flesh.joined(samples[inner][which], body.places[node])
    bone_of_seed, node = bone[inner][which[seen]], node[seen]
    # Bones that meet no inner voxel, being outside or in a part thinner than one, start at the place nearest to them.
    blind = np.setdiff1d(np.arange(len(bones.joints)), bone_of_seed)
    if len(blind):
        tree = cKDTree(body.places)
        gaps, nearest = (np.asarray(found) for found in tree.query(samples))
        best = np.array([np.argmin(np.where(bone == one, gaps, np.inf)) for one in blind])
        bone_of_seed, node = np.concatenate([bone_of_seed, blind]), np.concatenate([node, nearest[best]])
        outside = blind[~np.isin(blind, bone[inner]) & (gaps[best] > _FAR_OUT * body.flesh.span)]
        if len(outside):
            _warn_of([skeleton.names[joint] for joint in np.unique(bones.joints[outside])])
    rank = np.searchsorted(joints, bones.joints[bone_of_seed])
    rank, node = np.unique(np.stack([rank, node], axis=1), axis=0).T
    straight, _ = distances_to_segments(body.places[node], bones.starts, bones.ends)
    own = bones.joints[None, :] == joints[rank][:, None]
    return rank, node, np.where(own, straight, np.inf).min(axis=1)


def _along(bones: Bones, spacing: float) -> tuple[Ranks, Floats]:
    """Places along all bones, `spacing` [m] apart or closer, ends included, and the bone of each."""
    counts = np.ceil(np.linalg.norm(bones.ends - bones.starts, axis=1) / spacing).astype(int) + 1
    bone = np.repeat(np.arange(len(counts)), counts)
    step = np.arange(len(bone)) - np.repeat(np.cumsum(counts) - counts, counts)
    fraction = step / np.maximum(counts - 1, 1)[bone]
    return bone, bones.starts[bone] + fraction[:, None] * (bones.ends - bones.starts)[bone]


def _warn_of(names: list[str]) -> None:
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    warnings.warn(
        f"automatic_weights: the bones of {few} lie outside the mesh, and were tied to the flesh nearest to them; "
        "check that skeleton and mesh fit each other.",
        SuppleWarning,
        stacklevel=7,
    )


def _shares(distances: Floats, span: float) -> Floats:
    """w = [1 / ((1 - a)(d + eps) + a (d + eps)^2)]^2, a = 1/2, rows of sum one; rows without any distance are zero."""
    d = distances / (_UNIT * span) + 1e-3
    raw = np.where(np.isfinite(d), 1.0 / ((1.0 - _FALLOFF) * d + _FALLOFF * d * d) ** 2, 0.0)
    return _rows_of_one(raw)


def _faded(full: Floats, steps: Floats) -> Floats:
    """Fade joints that stand alone: a joint counts as much as it and its neighbours in the skeleton together hold.

    w_j <- w_j sum_k 2^-max(s_jk - 1, 0) w_k with s_jk the steps between joints. Between forearm and upper arm nothing
    changes; a spine that shows through the armpit, three steps from the arm, loses nearly all.
    """
    kinship = np.exp2(-np.maximum(steps - 1.0, 0.0))
    return _rows_of_one(full * (full @ kinship) ** 2)


def _carried_over(full: Floats, reached: Bools, flesh: Flesh) -> Floats:
    """Give points that no way leads to (buttons, loose clothes) the weights of the nearest skin that was reached."""
    import igl

    if reached.all():
        return full
    faces = flesh.triangles[reached[flesh.triangles].all(axis=1)].astype(np.int64)
    _, face, closest = igl.point_mesh_squared_distance(flesh.points[~reached], flesh.points, faces)
    corners = faces[np.asarray(face)]
    a, b, c = (np.ascontiguousarray(flesh.points[corners[:, k]]) for k in range(3))
    share = np.asarray(igl.barycentric_coordinates(np.ascontiguousarray(closest), a, b, c))
    share = np.clip(np.nan_to_num(share, nan=1.0 / 3.0), 0.0, None)
    result = full.copy()
    result[~reached] = _rows_of_one(np.einsum("nk,nkj->nj", share, full[corners]))
    return result


def _sparse(full: Floats, influences: int) -> Weights:
    """Keep the largest influences of every point, fading out those that are about to be dropped.

    The largest one that does not fit is subtracted from those that do, so that a joint enters and leaves with weight
    zero: plain cutting would leave a crease in the skin where the fifth and the fourth change places.
    """
    ordered = -np.sort(-full, axis=1)
    floor = np.full(len(full), _SMALL)
    if influences < full.shape[1]:
        floor = np.maximum(floor, ordered[:, influences])
    # The largest always stays, also where more joints than fit are equally near.
    kept = np.maximum(full - np.minimum(floor, 0.999 * ordered[:, 0])[:, None], 0.0)
    return Weights.from_dense(_rows_of_one(kept), influences=influences)


def _rows_of_one(full: Floats) -> Floats:
    sums = full.sum(axis=1, keepdims=True)
    return full / np.where(sums > 0.0, sums, 1.0)
