# mypy: ignore-errors
"""Arithmetic of bones that come out through large triangles of the skin.

Symbols: a a place on a bone, s the place of the skin straight over it at rest, where the bones alone carry it, x the
same place where flesh has it, n the way from a to it at rest, turned with the bone, l its length; beta the barycentric
coordinates of that place in its triangle.
"""

import warp as wp

from supple.skins.kinematic.kernels import Transforms, transform_affine
from supple.skins.position_based.step_kernels import LEAST_COVER, IntArray, Vec2Array, Vec3Array, turn_affine

Vec3iArray = wp.array(dtype=wp.vec3i)


@wp.kernel(enable_backward=False)
def find_bared(
    first: int,
    each: int,
    joint_count: int,
    joints: IntArray,
    points: Vec3Array,
    offsets: Vec3Array,
    covers: Vec2Array,
    corners: Vec3iArray,
    barycentric: Vec3Array,
    transforms: Transforms,
    incoming: Vec3Array,
    skin: Vec3Array,
    pushes: Vec3Array,
):
    """How far the skin over each place has to go so that (x - a) . n >= min((s - a) . n, l / 2).

    What is known of bones and skin is that of one copy, of `each` vertices and `joint_count` joints.
    """
    row = first + wp.tid()
    copy = row / joints.shape[0]
    r = row - copy * joints.shape[0]
    corner = corners[r]
    beta = barycentric[r]
    s = wp.vec3f(0.0, 0.0, 0.0)
    x = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(3):
        v = copy * each + corner[k]
        s += beta[k] * incoming[v]
        x += beta[k] * skin[v]
    m = transforms[copy * joint_count + joints[r]]
    a = transform_affine(m, points[r])
    n = wp.normalize(turn_affine(m, offsets[r]))
    least = wp.min(wp.dot(s - a, n), LEAST_COVER * covers[r][0])
    pushes[row] = (covers[r][1] * wp.max(least - wp.dot(x - a, n), 0.0)) * n


@wp.kernel(enable_backward=False)
def draw_over(
    first: int,
    each: int,
    rows: int,
    vertices: IntArray,
    starts: IntArray,
    members: IntArray,
    barycentric: Vec3Array,
    pushes: Vec3Array,
    skin: Vec3Array,
):
    """Corners go along with the places of their triangles, by beta / |beta|^2 of their ways p.

    Of several ways d a vertex goes the mean that weighs by them, sum |d| d / sum |d|. `rows` are those of one copy.
    """
    i = first + wp.tid()
    copy = i / vertices.shape[0]
    m = i - copy * vertices.shape[0]
    total = wp.vec3f(0.0, 0.0, 0.0)
    weight = float(0.0)
    for e in range(starts[m], starts[m + 1]):
        r = members[e] / 3
        beta = barycentric[r]
        d = (beta[members[e] - 3 * r] / wp.dot(beta, beta)) * pushes[copy * rows + r]
        length = wp.length(d)
        total += length * d
        weight += length
    if weight > 0.0:
        v = copy * each + vertices[m]
        skin[v] = skin[v] + total / weight
