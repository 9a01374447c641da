# mypy: ignore-errors
"""Arithmetic of single particles and vertices in the published step [AbuRumman2016, Alg. 5].

Symbols: q a particle where the bones carry it, x where it was and v its velocity, p where it is predicted and then
projected to, g gravity.
"""

import warp as wp

from supple.geometry.kernels.particle import position
from supple.skins.kinematic.kernels import Joints, Transforms, Weights

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Mat33Array = wp.array(dtype=wp.mat33f)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

DT = wp.constant(0)  # s
GRAVITY = wp.constant(1)  # m/s^2, downwards
KEPT = wp.constant(2)  # share of the velocity that is left after a step
STARTING = wp.constant(3)  # 1: nothing has moved yet


@wp.kernel(enable_backward=False)
def predict(
    first: int,
    params: FloatArray,
    free: IntArray,
    kinematic: Vec3Array,
    positions: Vec3Array,
    velocities: Vec3Array,
    particles: Vec4Array,
):
    """Lines 23 to 33: free particles go on with their momentum and fall, others start where the bones carry them."""
    i = first + wp.tid()
    p = kinematic[i]
    if params[STARTING] == 1.0:
        positions[i] = p
        velocities[i] = wp.vec3f(0.0, 0.0, 0.0)
    elif free[i] == 1:
        v = velocities[i] + wp.vec3f(0.0, -params[DT] * params[GRAVITY], 0.0)
        p = positions[i] + params[DT] * v
    particles[i] = wp.vec4f(p[0], p[1], p[2], 1.0)


@wp.kernel(enable_backward=False)
def update_velocities(
    first: int, params: FloatArray, particles: Vec4Array, positions: Vec3Array, velocities: Vec3Array
):
    """Lines 39 to 43: v = (p - x) / dt, damped; x = p."""
    i = first + wp.tid()
    p = position(particles[i])
    velocities[i] = (1.0 - params[STARTING]) * (params[KEPT] / params[DT]) * (p - positions[i])
    positions[i] = p


@wp.kernel(enable_backward=False)
def blend_frames(first: int, blocks: int, joints: Joints, weights: Weights, transforms: Transforms, frames: Mat33Array):
    """How the bones turn what lies at a particle: sum_k w_k A_{j_k}."""
    i = first + wp.tid()
    frame = wp.mat33f()
    for b in range(i * blocks, i * blocks + blocks):
        for k in range(4):
            w = weights[b][k]
            if w > 0.0:
                m = transforms[joints[b][k]]
                frame += w * wp.mat33f(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2])
    frames[i] = frame


@wp.kernel(enable_backward=False)
def update_surface(
    first: int,
    corners: Joints,
    barycentric: Weights,
    offsets: Vec3Array,
    frames: Mat33Array,
    positions: Vec3Array,
    skin: Vec3Array,
):
    """Line 45: every vertex keeps its barycentric coordinates, and its offset from there in the frame of the bones."""
    v = first + wp.tid()
    c = corners[v]
    b = barycentric[v]
    x = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(4):
        x += b[k] * (positions[c[k]] + frames[c[k]] * offsets[v])
    skin[v] = x
