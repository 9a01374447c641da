"""Attachment, incremental rotation and one sweep of springs written out vertex by vertex, in double precision."""

import numpy as np


def direct(point, starts, ends):
    """The nearest segment, t on it, and how far it is: t = clamp((v - p).(c - p) / |c - p|^2)."""
    best = None
    for number, (p, c) in enumerate(zip(starts, ends, strict=True)):
        way = c - p
        t = min(max(float((point - p) @ way / (way @ way)), 0.0), 1.0)
        far = float(np.linalg.norm(point - (p + t * way)))
        if best is None or far < best[2]:
            best = (number, t, far)
    return best


def rotation(axis, angle):
    """The matrix of a turn about a unit axis."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def axis_angle(matrix):
    angle = np.arccos(np.clip((np.trace(matrix) - 1.0) / 2.0, -1.0, 1.0))
    axis = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    length = np.linalg.norm(axis)
    return (axis / length, angle) if length > 1e-12 else (np.array([0.0, 0.0, 1.0]), 0.0)


def weight(distance, reach):
    """Eq. 14: 1 at the joint, 0 from `reach` on."""
    return min(max(1.0 - distance / reach, 0.0), 1.0) if reach > 0.0 else 0.0


def incremental(chain, point, segment, t, *, rest_heads, heads, rotations, reach):
    """One vertex of a chain of bones, as published: rigid first, then Rot(-p_w theta_p / 2) or Rot(c_w theta_c / 2).

    Bone b goes from rest_heads[b] to rest_heads[b + 1] and turns by turns[b] from rest; theta is how much further a
    bone turns than the one before it. Both at once are blended in the space of turns (axis times angle).
    """
    a = rest_heads[segment] + t * (rest_heads[segment + 1] - rest_heads[segment])
    s = rotations[segment] @ (point - a)
    posed = heads[segment] + t * (heads[segment + 1] - heads[segment])
    p_w = weight(t, reach) if segment > 0 else 0.0
    c_w = weight(1.0 - t, reach) if segment < chain - 1 else 0.0
    total = np.zeros(3)
    if p_w > 0.0:
        axis, angle = axis_angle(rotations[segment] @ rotations[segment - 1].T)
        total += -p_w * angle / 2.0 * axis * p_w / (p_w + c_w)
    if c_w > 0.0:
        axis, angle = axis_angle(rotations[segment + 1] @ rotations[segment].T)
        total += c_w * angle / 2.0 * axis * c_w / (p_w + c_w)
    size = np.linalg.norm(total)
    return posed + (rotation(total / size, size) @ s if size > 0.0 else s)


def angle_between(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


def risen(angle):
    """The sine up to a quarter turn, and on to two at half a turn."""
    return np.sin(angle) if abs(angle) <= np.pi / 2.0 else np.sign(angle) * (2.0 - abs(np.sin(angle)))


def towards(u, other):
    """The unit vector across u on the side of `other`; nothing where the two are one."""
    across = other - (u @ other) * u
    length = np.linalg.norm(across)
    return across / length if length > 1e-9 else np.zeros(3)


def pull(i, points, *, attached, rest_points, rest_attached, rings, bone, rest_bone, aim, k, slack):
    """Eq. 21 and 22 for vertex i, with Hooke's law for each spring; `k` has a stiffness for each kind.

    A spring between two vertices is as stiff as the mean of what both rings have for each of theirs, and angles count
    by the distance from the bone at bind, so that all of it is the slope of an energy.
    """

    def polar(x, a):
        s = x - a
        return s / np.linalg.norm(s), np.linalg.norm(s)

    u, radius = polar(points[i], attached[i])
    u_0, radius_0 = polar(rest_points[i], rest_attached[i])
    lever = 1.0 / max(radius, 0.5 * radius_0)
    aims = [np.linalg.norm(aim[j] - attached[j]) for j in range(len(points))]
    force = np.zeros(3)
    for j in rings[i]:
        way = points[j] - points[i]
        length, rest = np.linalg.norm(way), np.linalg.norm(rest_points[j] - rest_points[i])
        share = 0.25 / len(rings[i]) + 0.25 / len(rings[j])
        force += k["edges"] * share * (length - rest) * (slack if length < rest else 1.0) * way / length
        u_j, radius_j = polar(points[j], attached[j])
        u_j0, radius_j0 = polar(rest_points[j], rest_attached[j])
        force += k["relative_radius"] * share * ((radius_j - aims[j]) - (radius - aims[i])) * u
        change = risen(angle_between(u, u_j) - angle_between(u_0, u_j0))
        force += k["bend"] * share * lever * min(radius_0, radius_j0) ** 2 * change * towards(u, u_j)
    force += k["radius"] * (aims[i] - radius) * u
    change = risen(angle_between(u, bone) - angle_between(u_0, rest_bone))
    force += k["bones"] * lever * radius_0**2 * change * towards(u, bone)
    goal = (aim[i] - attached[i]) / aims[i]
    return force + k["twist"] * lever * radius_0**2 * np.sin(angle_between(u, goal)) * towards(u, goal)
