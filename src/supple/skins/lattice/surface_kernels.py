# mypy: ignore-errors
"""Arithmetic of the skin that hangs on the nodes of the lattice.

Symbols: k a node where the bones alone carry it and Q how they turn it, x the node, w_i the weight by which a vertex
hangs on node i. Positions of nodes are seen from the origin of their character.
"""

import warp as wp

from supple.geometry.kernels.rotation import quat_multiply
from supple.skins.kinematic.kernels import Joints, Points, Quaternions, Transforms, Weights, mat34, transform_affine
from supple.skins.lattice.shape_matching.matching_kernels import FloatArray, Vec4Array
from supple.skins.lattice.shape_matching.node_kernels import TINY, IntTable


@wp.func
def affine_about(m: wp.mat33f, center: wp.vec3f, moved: wp.vec3f) -> mat34:
    """The affine map a -> M (a - center) + moved."""
    t = moved - m * center
    return mat34(m[0, 0], m[0, 1], m[0, 2], t[0], m[1, 0], m[1, 1], m[1, 2], t[1], m[2, 0], m[2, 1], m[2, 2], t[2])


@wp.kernel(enable_backward=False)
def compute_offset_transforms(
    first: int,
    side: float,
    chains: IntTable,
    kinematic: Points,
    frames: Quaternions,
    positions: Points,
    transforms: Transforms,
):
    """What the flesh at a node does to skin that the bones carried there: y -> u + (M - 1)(y - k), with u = x - k.

    M turns as flesh leans away from where the bones turn it: half the curl of u is sin(angle) times the axis. Along an
    axis e of the lattice the bones carry neighbours in the direction Q e, so that curl u = sum_e Q e x du/de, with
    du/de by differences to the neighbours there are.
    """
    i = first + wp.tid()
    k = kinematic[i]
    u = positions[i] - k
    frame = frames[i]
    axes = wp.quat_to_matrix(frame)
    curl = wp.vec3f(0.0, 0.0, 0.0)
    for axis in range(3):
        below = chains[2 * axis, i]
        above = chains[2 * axis + 1, i]
        change = wp.vec3f(0.0, 0.0, 0.0)
        spans = float(0.0)
        if above >= 0:
            change += positions[above] - kinematic[above] - u
            spans += 1.0
        if below >= 0:
            change += u - (positions[below] - kinematic[below])
            spans += 1.0
        if spans > 0.0:
            e = wp.vec3f(axes[0, axis], axes[1, axis], axes[2, axis])
            curl += wp.cross(e, change / (spans * side))
    a = 0.5 * curl
    a = a / wp.max(wp.length(a), 1.0)
    away = wp.skew(a)
    rotation_away = away + away * away / (1.0 + wp.sqrt(wp.max(1.0 - wp.dot(a, a), 0.0)))
    transforms[i] = affine_about(rotation_away, k, u)


@wp.kernel(enable_backward=False)
def compute_node_transforms(
    first: int, rest: Points, frames: Quaternions, rotations: Quaternions, positions: Points, transforms: Transforms
):
    """Where a node puts skin that knows of no bones: X -> R (X - X_i) + x_i, R the rotation of the node's region."""
    i = first + wp.tid()
    q = quat_multiply(rotations[i], frames[i])
    transforms[i] = affine_about(wp.quat_to_matrix(q), rest[i], positions[i])


@wp.func
def blend_transforms(
    v: int, blocks: int, nodes: Joints, weights: Weights, transforms: Transforms, p: wp.vec3f
) -> wp.vec3f:
    """sum_i w_i times what node i does to p."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * blocks, v * blocks + blocks):
        n = nodes[b]
        w = weights[b]
        total += w[0] * transform_affine(transforms[n[0]], p) + w[1] * transform_affine(transforms[n[1]], p)
        total += w[2] * transform_affine(transforms[n[2]], p) + w[3] * transform_affine(transforms[n[3]], p)
    return total


@wp.kernel(enable_backward=False)
def interpolate_forces(first: int, blocks: int, nodes: Joints, weights: Weights, forces: Points, on_skin: Points):
    """The force on a vertex: that of the nodes on which it hangs, sum_i w_i f_i."""
    v = first + wp.tid()
    total = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * blocks, v * blocks + blocks):
        n = nodes[b]
        w = weights[b]
        total += w[0] * forces[n[0]] + w[1] * forces[n[1]] + w[2] * forces[n[2]] + w[3] * forces[n[3]]
    on_skin[v] = total


@wp.kernel(enable_backward=False)
def offset_skin(
    first: int,
    each: int,
    blocks: int,
    nodes: Joints,
    weights: Weights,
    origins: Points,
    transforms: Transforms,
    looseness: FloatArray,
    external: Vec4Array,
    incoming: Points,
    skin: Points,
):
    """The skin that the bones carry goes along with the flesh, by its looseness or as far as hands make room for it.

    Where the lattice is where the bones carry it, this is the kinematic skin to the last digit.
    """
    v = first + wp.tid()
    y = incoming[v]
    d = blend_transforms(v, blocks, nodes, weights, transforms, y - origins[v / each])
    loose = looseness[v]
    if loose < 1.0:
        room = float(0.0)
        for b in range(v * blocks, v * blocks + blocks):
            n = nodes[b]
            w = weights[b]
            room += w[0] * external[n[0]][3] + w[1] * external[n[1]][3]
            room += w[2] * external[n[2]][3] + w[3] * external[n[3]][3]
        d *= wp.max(loose, wp.min(room / wp.max(wp.length(d), TINY), 1.0))
    skin[v] = y + d


@wp.kernel(enable_backward=False)
def interpolate_skin(
    first: int,
    each: int,
    blocks: int,
    nodes: Joints,
    weights: Weights,
    origins: Points,
    transforms: Transforms,
    rest: Points,
    skin: Points,
):
    """The skin from the lattice alone."""
    v = first + wp.tid()
    skin[v] = origins[v / each] + blend_transforms(v, blocks, nodes, weights, transforms, rest[v])
