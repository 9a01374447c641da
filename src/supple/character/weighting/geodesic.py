"""Weights by the length of the way through the flesh from bone to skin."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray
from supple.character.skeleton import Bones, Skeleton
from supple.character.weighting.bones import steps_between
from supple.character.weighting.tissue import STAIRS, Tissue, along, tissue
from supple.character.weights import Weights
from supple.errors import SuppleWarning
from supple.geometry.flesh import Flesh
from supple.geometry.quaternions import normalize
from supple.geometry.segments import distances_to_segments

Ranks = NDArray[np.int64]

_FALLOFF = 0.5  # alpha: share of the quadratic term
_POWER = 3  # published: 2, which lets the spine move the shoulders and the shins the thighs
_UNIT = 1.0 / 512.0  # share of the character's size in which distances are measured
_REACH = 4.0  # bones this many times farther than the nearest have less than a thousandth of its weight
_IN_FRONT = 2.0  # added to the distance of a bone straight in front of the skin, as a multiple
_BROAD = 0.02  # share of the character's size over which normals are averaged
_FAR_OUT = 0.02  # share of the character's size; a bone farther outside than that is probably misplaced
_SMALL = 0.01  # weights below this are cut


def geodesic_weights(
    skeleton: Skeleton, bones: Bones, flesh: Flesh, *, resolution: int, influences: int
) -> tuple[Weights, BoolArray]:
    """Tie the points of the skin to the bones near them, as a walk through the flesh measures nearness.

    See `automatic_weights`. Returns weights of `flesh.points`, and which of them were reached at all; the weights of
    those that were not are those of the nearest one that was.
    """
    body = tissue(flesh, resolution)
    joints = np.unique(bones.joints)
    distances = _distances(body, _brought_in(body, skeleton, bones))
    reached: BoolArray = np.asarray(np.isfinite(distances).any(axis=1))
    full = np.zeros((len(flesh.points), len(skeleton)))
    full[:, joints] = _weights_from_distances(distances, flesh.span)
    full = _fade_by_steps(full, steps_between(skeleton, bones))
    full = _spread_to_unreached(full, reached, flesh)
    return _sparse(full, influences), reached


def _distances(body: Tissue, bones: Bones) -> FloatArray:
    """Length (points, owning joints) [m] of the way from every owning joint's bones; infinite where none is near.

    Voxel paths are jagged: up to 13 % longer than a straight line, depending on its direction. Where the path shows
    that the straight line d_e to the bone is open, d_e itself is the distance, smooth and the same at every resolution;
    only what a path is longer than jaggedness explains is added: d = d_e + max(0, d_path - 1.13 d_e - one voxel).

    A bone in front of the skin instead of beneath it counts as up to three times as far, or a raised arm would pull
    the chest along: d (1 + 2 ((1 - cos) / 2)^2) with the angle between the normal and the line from the bone.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    joints = np.unique(bones.joints)
    count, sources = len(body.positions), len(joints)
    source, node, length = _seeds(body, bones)
    # One more node per joint, with ways into the flesh but none back. Zero would mean no way, so a hair is added.
    edges = body.graph.tocoo()
    froms, tos = np.concatenate([edges.coords[0], source + count]), np.concatenate([edges.coords[1], node])
    lengths = np.concatenate([edges.data, length + 1e-9 * body.grid.side])
    graph = coo_array((lengths, (froms, tos)), shape=(count + sources, count + sources)).tocsr()
    origins = count + np.arange(sources)
    skin = slice(body.skin_from, count)
    nearest = dijkstra(graph, indices=origins, min_only=True)[skin]
    limit = _REACH * float(np.max(nearest[np.isfinite(nearest)], initial=0.0))
    path = dijkstra(graph, indices=origins, limit=limit)[:, skin].T
    straight, beneath = _straight(body.flesh, bones)
    detour = np.maximum(path - STAIRS * straight - body.grid.side, 0.0)
    return (straight + detour) * (1.0 + _IN_FRONT * (0.5 - 0.5 * beneath) ** 2)


def _straight(flesh: Flesh, bones: Bones) -> tuple[FloatArray, FloatArray]:
    """Straight distance (points, owning joints) [m] to the nearest bone of each joint, and how far it is beneath.

    The second is the cosine between the skin's normal and the line from the bone: 1 straight below the skin, 0 beside
    it, -1 in front of it, as the arm's bone is for the skin under the armpit.
    """
    distances, along = distances_to_segments(flesh.points, bones.starts, bones.ends)
    normals = flesh.broad_normals(_BROAD * flesh.span)
    rows = np.arange(len(distances))
    straight, beneath = [], []
    for joint in np.unique(bones.joints):
        own = np.flatnonzero(bones.joints == joint)
        bone = own[np.argmin(distances[:, own], axis=1)]
        foot = bones.starts[bone] + np.clip(along[rows, bone], 0.0, 1.0)[:, None] * (bones.ends - bones.starts)[bone]
        straight.append(distances[rows, bone])
        beneath.append(np.einsum("ni,ni->n", normalize(flesh.points - foot), normals))
    return np.stack(straight, axis=1), np.stack(beneath, axis=1)


def _brought_in(body: Tissue, skeleton: Skeleton, bones: Bones) -> Bones:
    """Shift bones that lie outside the flesh from end to end by the shortest way to it; warn where that is far."""
    from scipy.spatial import cKDTree

    bone, samples = along(bones, 0.5 * body.grid.side)
    outside = np.setdiff1d(np.arange(len(bones.joints)), bone[body.flesh.inside(samples)])
    if not len(outside):
        return bones
    gaps, nearest = (np.asarray(found) for found in cKDTree(body.positions).query(samples))
    best = np.array([np.argmin(np.where(bone == one, gaps, np.inf)) for one in outside])
    shifts = np.zeros_like(bones.starts)
    shifts[outside] = body.positions[nearest[best]] - samples[best]
    far = outside[gaps[best] > _FAR_OUT * body.flesh.span]
    if len(far):
        names = [skeleton.names[joint] for joint in np.unique(bones.joints[far])]
        few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        warnings.warn(
            f"automatic_weights: the bones of {few} lie outside the mesh, and were tied to the flesh nearest to them; "
            "check that skeleton and mesh fit each other.",
            SuppleWarning,
            stacklevel=5,
        )
    return Bones(bones.joints, bones.starts + shifts, bones.ends + shifts)


def _seeds(body: Tissue, bones: Bones) -> tuple[Ranks, Ranks, FloatArray]:
    """Where the ways of every joint begin: (joint's rank, node, distance of the node from the joint's bones)."""
    joints = np.unique(bones.joints)
    bone, node, _ = body.seen_from(bones)
    rank = np.searchsorted(joints, bones.joints[bone])
    rank, node = np.unique(np.stack([rank, node], axis=1), axis=0).T
    straight, _ = distances_to_segments(body.positions[node], bones.starts, bones.ends)
    own = bones.joints[None, :] == joints[rank][:, None]
    return rank, node, np.where(own, straight, np.inf).min(axis=1)


def _weights_from_distances(distances: FloatArray, span: float) -> FloatArray:
    """w = [1 / ((1 - a)(d + eps) + a (d + eps)^2)]^3, a = 1/2, rows of sum one; rows without any distance are zero."""
    d = distances / (_UNIT * span) + 1e-3
    raw = np.where(np.isfinite(d), 1.0 / ((1.0 - _FALLOFF) * d + _FALLOFF * d * d) ** _POWER, 0.0)
    return _rows_of_one(raw)


def _fade_by_steps(full: FloatArray, steps: FloatArray) -> FloatArray:
    """Fade joints that stand alone: a joint counts as much as it and its neighbours in the skeleton together hold.

    w_j <- w_j sum_k 2^-max(s_jk - 1, 0) w_k with s_jk the steps between joints. Between forearm and upper arm nothing
    changes; a spine that shows through the armpit, three steps from the arm, loses nearly all.
    """
    kinship = np.exp2(-np.maximum(steps - 1.0, 0.0))
    return _rows_of_one(full * (full @ kinship) ** 2)


def _spread_to_unreached(full: FloatArray, reached: BoolArray, flesh: Flesh) -> FloatArray:
    """Give points that no way leads to (buttons, loose clothes) the weights of the nearest skin that was reached."""
    import igl

    if reached.all():
        return full
    faces = flesh.triangles[reached[flesh.triangles].all(axis=1)].astype(np.int64)
    _, face, closest = igl.point_mesh_squared_distance(flesh.points[~reached], flesh.points, faces)
    corners = faces[np.asarray(face)]
    a, b, c = (np.ascontiguousarray(flesh.points[corners[:, k]]) for k in range(3))
    barycentric = np.asarray(igl.barycentric_coordinates(np.ascontiguousarray(closest), a, b, c))
    barycentric = np.clip(np.nan_to_num(barycentric, nan=1.0 / 3.0), 0.0, None)
    result = full.copy()
    result[~reached] = _rows_of_one(np.einsum("nk,nkj->nj", barycentric, full[corners]))
    return result


def _sparse(full: FloatArray, influences: int) -> Weights:
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


def _rows_of_one(full: FloatArray) -> FloatArray:
    sums = full.sum(axis=1, keepdims=True)
    return full / np.where(sums > 0.0, sums, 1.0)
