# mypy: ignore-errors
"""Arithmetic of shells that lie on other skin: clothes go along with it, hard pieces as one piece.

Symbols: y a vertex where the bones alone carry it, x where it is in the end, d = x - y.
"""

import warp as wp

from supple.skins.kinematic.kernels import Points

IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
LARGEST_ROTATION = wp.constant(0.5)  # rad, of a hard shell against its bone
LEAST_SPREAD = wp.constant(1.0e-3)  # of the spread of a shell: how firmly a flat or a thin one is held about its axis


@wp.kernel(enable_backward=False)
def hang(
    first: int, width: int, vertices: IntArray, hosts: IntArray, weights: FloatArray, incoming: Points, skin: Points
):
    """x = y + sum_k w_k d_k, over the places k that a vertex lies on."""
    h = first + wp.tid()
    v = vertices[h]
    d = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(h * width, h * width + width):
        w = weights[k]
        if w > 0.0:
            d += w * (skin[hosts[k]] - incoming[hosts[k]])
    skin[v] = incoming[v] + d


@wp.kernel(enable_backward=False)
def move_rigidly(first: int, starts: IntArray, members: IntArray, incoming: Points, skin: Points):
    """A hard shell makes of all d one displacement t and one rotation w about its middle c: the least of

    sum_i |d_i - t - w x r_i|^2,   r = y - c,   so that   (sum_i |r_i|^2 - r_i r_i^T) w = sum_i r_i x d_i.
    """
    s = first + wp.tid()
    count = float(starts[s + 1] - starts[s])
    c = wp.vec3f(0.0, 0.0, 0.0)
    t = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[s], starts[s + 1]):
        v = members[m]
        c += incoming[v] / count
        t += (skin[v] - incoming[v]) / count
    inertia = wp.mat33f(0.0)
    torque = wp.vec3f(0.0, 0.0, 0.0)
    for m in range(starts[s], starts[s + 1]):
        v = members[m]
        r = incoming[v] - c
        inertia += wp.dot(r, r) * wp.identity(n=3, dtype=wp.float32) - wp.outer(r, r)
        torque += wp.cross(r, skin[v] - incoming[v] - t)
    spread = wp.trace(inertia)
    w = wp.vec3f(0.0, 0.0, 0.0)
    if spread > 0.0:
        scaled = inertia / spread + LEAST_SPREAD * wp.identity(n=3, dtype=wp.float32)
        w = wp.inverse(scaled) * (torque / spread)
    angle = wp.length(w)
    turn = wp.quat_identity(dtype=wp.float32)
    if angle > 1.0e-9:
        turn = wp.quat_from_axis_angle(w / angle, wp.min(angle, LARGEST_ROTATION))
    for m in range(starts[s], starts[s + 1]):
        v = members[m]
        skin[v] = c + t + wp.quat_rotate(turn, incoming[v] - c)
