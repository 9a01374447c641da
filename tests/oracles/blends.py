"""Weighted blends written out vertex by vertex, in double precision."""

import numpy as np


def linear_blend(points, dense_weights, transforms):
    """x = sum_j w_j M_j v."""
    homogeneous = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    each = np.einsum("jab,vb->vja", transforms[:, :3, :], homogeneous)
    return np.einsum("vj,vja->va", dense_weights, each)


def quaternion(matrix):
    """x y z w of a rotation matrix, through the eigenvector of Bar-Itzhack's 4x4 matrix."""
    m = matrix
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
            [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], np.trace(m)],
        ]
    )
    values, vectors = np.linalg.eigh(k / 3.0)
    return vectors[:, np.argmax(values)]


def product(a, b):
    """Hamilton product of x y z w quaternions."""
    av, aw, bv, bw = a[:3], a[3], b[:3], b[3]
    return np.append(aw * bv + bw * av + np.cross(av, bv), aw * bw - av @ bv)


def conjugate(a):
    return np.append(-a[:3], a[3])


def polar(linear):
    """Rotation and stretch with linear = R S."""
    u, s, vt = np.linalg.svd(linear)
    if np.linalg.det(u @ vt) < 0.0:
        u[:, 2] *= -1.0
        s = s * [1.0, 1.0, -1.0]
    return u @ vt, vt.T @ np.diag(s) @ vt


def dual_quaternion(points, dense_weights, transforms):
    """Blend unit dual quaternions, signs after the largest weight; stretch blended apart and applied first."""
    parts = [polar(m[:3, :3]) for m in transforms]
    reals = [quaternion(rotation) for rotation, _ in parts]
    duals = [0.5 * product(np.append(m[:3, 3], 0.0), r) for m, r in zip(transforms, reals, strict=True)]
    posed = np.zeros_like(points)
    for i, v in enumerate(points):
        pivot = reals[int(np.argmax(dense_weights[i]))]
        real, dual, stretched = np.zeros(4), np.zeros(4), np.zeros(3)
        for j, w in enumerate(dense_weights[i]):
            sign = -1.0 if pivot @ reals[j] < 0.0 else 1.0
            real += sign * w * reals[j]
            dual += sign * w * duals[j]
            stretched += w * (parts[j][1] @ v)
        length = np.linalg.norm(real)
        real, dual = real / length, dual / length
        turned = product(product(real, np.append(stretched, 0.0)), conjugate(real))[:3]
        posed[i] = turned + 2.0 * product(dual, conjugate(real))[:3]
    return posed


def centers_of_rotation(points, triangles, dense_weights, width):
    """The sum over all triangles for every vertex, as printed."""
    corners = points[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    middle = corners.mean(axis=1)
    mean = dense_weights[triangles].mean(axis=1)
    centers = points.copy()
    for i, w in enumerate(dense_weights):
        outer_w, outer_u = w[:, None] * w[None, :], mean[:, :, None] * mean[:, None, :]
        apart = w[None, :, None] * mean[:, None, :] - w[None, None, :] * mean[:, :, None]
        pairs = outer_w[None] * outer_u * np.exp(-((apart / width) ** 2))
        pairs[:, np.arange(len(w)), np.arange(len(w))] = 0.0
        alike = pairs.sum(axis=(1, 2)) * area
        if alike.sum() > 0.0:
            centers[i] = (alike[:, None] * middle).sum(axis=0) / alike.sum()
    return centers


def delta_mush(rest, triangles, posed, iterations, strength):
    """Smooth, then give the rest detail back in frames of the normal and the first neighbour."""
    around = [[] for _ in rest]
    for a, b, c in triangles:
        for one, two in ((a, b), (b, c), (c, a)):
            for x, y in ((one, two), (two, one)):
                if y not in around[x]:
                    around[x].append(y)
    after = {}
    for a, b, c in triangles:
        for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
            after.setdefault(one, []).append((two, three))

    def smoothed(points):
        for _ in range(iterations):
            mean = np.array([points[n].mean(axis=0) if n else p for n, p in zip(around, points, strict=True)])
            points = points + strength * (mean - points)
        return points

    def frames(points):
        result = np.tile(np.eye(3), (len(points), 1, 1))
        for v, pairs in after.items():
            normal = sum(np.cross(points[a] - points[v], points[b] - points[v]) for a, b in pairs)
            normal = normal / np.linalg.norm(normal)
            tangent = points[min(around[v])] - points[v]
            tangent = tangent - (tangent @ normal) * normal
            tangent = tangent / np.linalg.norm(tangent)
            result[v] = np.stack([tangent, np.cross(normal, tangent), normal], axis=1)
        return result

    still, moving = smoothed(rest), smoothed(posed)
    delta = np.einsum("vab,va->vb", frames(still), rest - still)
    return moving + np.einsum("vab,vb->va", frames(moving), delta)
