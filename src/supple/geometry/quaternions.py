"""Rotations and rigid transforms: quaternions as x y z w, matrices on column vectors, batched over leading axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


_ROTATION = 1e-12  # off being orthonormal by less than this, a matrix is its own nearest rotation
_FIRST = np.array([0.0, 1e-6, 2e-6])  # by which an axis goes before those that a direction has as little of


def normalize(vectors: ArrayLike) -> Array:
    """Scale vectors to length one; zero vectors stay zero."""
    given = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt(np.einsum("...i,...i->...", given, given))[..., None]
    return given / np.where(length > 0.0, length, 1.0)


def perpendicular(directions: ArrayLike) -> Array:
    """Unit vectors (..., 3) square to directions (..., 3): across the axis that each has least of.

    Directions along an axis have none of two others; then it is the first of them, whatever rounding has left there.
    """
    given = np.asarray(directions, dtype=np.float64)
    least = np.argmin(np.abs(given) + _FIRST * np.linalg.norm(given, axis=-1, keepdims=True), axis=-1)
    return normalize(np.cross(given, np.eye(3)[least]))


def quat_from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Quaternion (..., 4) turning by `angle` [rad] about `axis` (..., 3)."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    vector = normalize(axis) * np.sin(half)
    return np.concatenate([vector, np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1))], axis=-1)


def quat_multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Quaternion product: turn by `b` first, then by `a`."""
    one, two = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    x1, y1, z1, w1 = (one[..., position] for position in range(4))
    x2, y2, z2, w2 = (two[..., position] for position in range(4))
    w = w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2
    product = np.empty((*np.shape(w), 4))
    product[..., 0] = w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2
    product[..., 1] = w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2
    product[..., 2] = w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2
    product[..., 3] = w
    return product


def conjugate(quaternions: ArrayLike) -> Array:
    """The opposite turn of unit quaternions."""
    return np.asarray(quaternions, dtype=np.float64) * np.array([-1.0, -1.0, -1.0, 1.0])


def matrix_from_quat(quaternions: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4), which need not have length one."""
    unit = normalize(quaternions)
    x, y, z, w = unit[..., 0], unit[..., 1], unit[..., 2], unit[..., 3]
    matrix = np.empty((*unit.shape[:-1], 3, 3))  # filled place by place: stacking costs three times as much
    matrix[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    matrix[..., 0, 1] = 2.0 * (x * y - z * w)
    matrix[..., 0, 2] = 2.0 * (x * z + y * w)
    matrix[..., 1, 0] = 2.0 * (x * y + z * w)
    matrix[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    matrix[..., 1, 2] = 2.0 * (y * z - x * w)
    matrix[..., 2, 0] = 2.0 * (x * z - y * w)
    matrix[..., 2, 1] = 2.0 * (y * z + x * w)
    matrix[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return matrix


def quat_from_matrix(matrices: ArrayLike) -> Array:
    """Unit quaternions (..., 4) with w >= 0 of proper rotation matrices (..., 3, 3).

    Each of the four candidate formulas divides by one component; the largest component is taken, so none is near zero.
    """
    m = np.asarray(matrices, dtype=np.float64)
    candidates = (m.reshape(*m.shape[:-2], 9) @ _CANDIDATES + _CANDIDATES_OF_ZERO).reshape(*m.shape[:-2], 4, 4)
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)
    unit = normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])
    return unit * np.where(unit[..., 3:] < 0.0, -1.0, 1.0)


def _candidates() -> tuple[Array, Array]:
    """The four candidates of `quat_from_matrix` as one linear map of a matrix's nine numbers, and a constant.

    With m the matrix, row r of the 4x4 result is 4 q_r q: its diagonal is 1 +- m_00 +- m_11 +- m_22, and off it stand
    m_ij + m_ji between x, y, z and m_kj - m_jk beside w.
    """
    linear, constant = np.zeros((3, 3, 4, 4)), np.eye(4)
    for position in range(3):
        for other in range(4):
            linear[position, position, other, other] = 1.0 if other in (position, 3) else -1.0
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        for row, column in ((i, j), (j, i)):
            linear[i, j, row, column] = linear[j, i, row, column] = 1.0
        for row, column in ((i, 3), (3, i)):
            linear[k, j, row, column], linear[j, k, row, column] = 1.0, -1.0
    return linear.reshape(9, 16), constant.reshape(16)


_CANDIDATES, _CANDIDATES_OF_ZERO = _candidates()


def slerp(a: ArrayLike, b: ArrayLike, fraction: ArrayLike) -> Array:
    """Turn evenly from `a` (fraction 0) to `b` (fraction 1) along the shorter arc."""
    start, end = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    alpha = np.asarray(fraction, dtype=np.float64)[..., None]
    cosine = np.sum(start * end, axis=-1, keepdims=True)
    end = np.where(cosine < 0.0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6  # the arc is straight to within rounding: blend and renormalise
    safe = np.where(near, 1.0, sine)
    from_start = np.where(near, 1.0 - alpha, np.sin((1.0 - alpha) * angle) / safe)
    from_end = np.where(near, alpha, np.sin(alpha * angle) / safe)
    return normalize(from_start * start + from_end * end)


def rotation_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Smallest turn, as a quaternion (..., 4), that takes direction `a` to direction `b` (..., 3)."""
    start, end = normalize(a), normalize(b)
    cross = np.cross(start, end)
    cosine = np.sum(start * end, axis=-1, keepdims=True)
    # Beyond a right angle 1 + cosine cancels; for unit vectors |a + b|^2 / 2 is the same number without that.
    gap = np.linalg.norm(start + end, axis=-1, keepdims=True)
    w = np.where(cosine < 0.0, 0.5 * gap * gap, 1.0 + cosine)
    # Opposite directions leave the axis open: take one across the smallest component of `a`.
    across = perpendicular(start)
    is_opposite = (cosine < 0.0) & (gap < 1e-8)
    return normalize(np.concatenate([np.where(is_opposite, across, cross), np.where(is_opposite, 0.0, w)], axis=-1))


def compose(translations: ArrayLike, quaternions: ArrayLike, scales: ArrayLike | None = None) -> Array:
    """Transforms (..., 4, 4) that scale, then rotate, then translate."""
    moves = np.asarray(translations, dtype=np.float64)
    linear = matrix_from_quat(quaternions)
    if scales is not None:
        linear = linear * np.asarray(scales, dtype=np.float64)[..., None, :]
    matrix = np.zeros((*moves.shape[:-1], 4, 4))
    matrix[..., :3, :3] = linear
    matrix[..., :3, 3] = moves
    matrix[..., 3, 3] = 1.0
    return matrix


def decompose(matrices: ArrayLike) -> tuple[Array, Array, Array]:
    """Translations, quaternions and scales whose `compose` gives the matrices back, shear aside.

    A mirrored transform keeps a proper rotation; its mirror goes into a negative first scale.
    """
    m = np.asarray(matrices, dtype=np.float64)
    linear = m[..., :3, :3]
    scales = np.linalg.norm(linear, axis=-2)
    scales[..., 0] *= np.where(np.linalg.det(linear) < 0.0, -1.0, 1.0)
    safe = np.where(np.abs(scales) > 0.0, scales, 1.0)
    return m[..., :3, 3].copy(), quat_from_matrix(nearest_rotation(linear / safe[..., None, :])), scales


def nearest_rotation(matrices: ArrayLike) -> Array:
    """The proper rotations (..., 3, 3) nearest to the matrices (polar decomposition; flat and mirrored ones too)."""
    given = np.asarray(matrices, dtype=np.float64)
    gram = np.swapaxes(given, -1, -2) @ given
    if np.abs(gram - np.eye(3)).max(initial=0.0) < _ROTATION and np.linalg.det(given).min(initial=1.0) > 0.0:
        return given.copy()
    u, _, vt = np.linalg.svd(given)
    flip = np.where(np.linalg.det(u) * np.linalg.det(vt) < 0.0, -1.0, 1.0)
    u = u.copy()
    u[..., :, 2] *= flip[..., None]
    result: Array = u @ vt
    return result


def rigid_inverse(matrices: ArrayLike) -> Array:
    """Inverse of rigid transforms (..., 4, 4) by transposition."""
    m = np.asarray(matrices, dtype=np.float64)
    inverse = np.zeros_like(m)
    transposed = np.swapaxes(m[..., :3, :3], -1, -2)
    inverse[..., :3, :3] = transposed
    inverse[..., :3, 3] = -(transposed @ m[..., :3, 3, None])[..., 0]
    inverse[..., 3, 3] = 1.0
    return inverse


def transforms_between(a: ArrayLike, b: ArrayLike, fraction: float) -> Array:
    """Transforms (N, 4, 4) part of the way from `a` to `b`: places and scales change evenly, and so do turns."""
    return compose_between(decompose(a), decompose(b), fraction)


def compose_between(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array], fraction: float) -> Array:
    """The same from what `decompose` makes of both."""
    (move_a, rotation_a, scale_a), (move_b, rotation_b, scale_b) = a, b
    return compose(
        (1.0 - fraction) * move_a + fraction * move_b,
        slerp(rotation_a, rotation_b, np.full(len(move_a), fraction)),
        (1.0 - fraction) * scale_a + fraction * scale_b,
    )
