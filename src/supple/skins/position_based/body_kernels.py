# mypy: ignore-errors
"""Particles and rigid bodies, on arrays: who is near one, and the move that brings a particle out.

Symbols: p a particle as (x, y, z, w), w its inverse mass; b a body, which takes its own frame to the world; n the
direction out of it. Every kernel works on item `first + tid`.
"""

from typing import Any

import warp as wp

from supple.geometry.collision.spatial_hash.kernels import position
from supple.obstacles.kernels import body_surface

Particles = wp.array(dtype=wp.vec4f)
Places = wp.array(dtype=Any)
Whole = wp.array(dtype=wp.int32)
Numbers = wp.array(dtype=wp.float32)
Sizes = wp.array(dtype=wp.vec3f)
Meshes = wp.array(dtype=wp.uint64)
Transforms = wp.array(dtype=wp.transformf)


@wp.func
def project_body(
    p: wp.vec4f,
    before: wp.vec3f,
    b: int,
    stiffness: float,
    kinds: Whole,
    sizes: Sizes,
    frictions: Numbers,
    meshes: Meshes,
    now: Transforms,
    earlier: Transforms,
    reach: float,
) -> wp.vec4f:
    """C = signed distance to body b >= 0; friction then takes back up to mu times the push from the sliding.

    Sliding is the move since `before`, less that of the body's own material, along its skin.
    """
    moved = p
    if p[3] > 0.0:
        local = wp.transform_point(wp.transform_inverse(now[b]), position(p))
        skin = body_surface(local, kinds[b], sizes[b], meshes[b], reach)
        if skin[3] < 0.0:
            n = wp.transform_vector(now[b], wp.vec3f(skin[0], skin[1], skin[2]))
            depth = -stiffness * skin[3]
            x = position(p) + depth * n
            sliding = x - before - (position(p) - wp.transform_point(earlier[b], local))
            sliding = sliding - wp.dot(sliding, n) * n
            length = wp.length(sliding)
            if frictions[b] > 0.0 and length > 1.0e-12:
                x = x - sliding * (wp.min(length, frictions[b] * depth) / length)
            moved = wp.vec4f(x[0], x[1], x[2], p[3])
    return moved


@wp.kernel(enable_backward=False)
def find_near_bodies(
    first: int,
    particles: Particles,
    margin: float,
    kinds: Whole,
    sizes: Sizes,
    meshes: Meshes,
    now: Transforms,
    reach: float,
    near: Whole,
    near_bodies: Whole,
):
    """List the particles that are inside a rigid body or closer to one than `margin`."""
    i = first + wp.tid()
    x = position(particles[i])
    close = bool(0)
    for b in range(kinds.shape[0]):
        local = wp.transform_point(wp.transform_inverse(now[b]), x)
        skin = body_surface(local, kinds[b], sizes[b], meshes[b], reach)
        if skin[3] < margin:
            close = True
    if close:
        near_bodies[wp.atomic_add(near, 0, 1)] = i


@wp.kernel(enable_backward=False)
def part_bodies(
    first: int,
    near: Whole,
    near_bodies: Whole,
    stiffness: Numbers,
    before: Places,
    kinds: Whole,
    sizes: Sizes,
    frictions: Numbers,
    meshes: Meshes,
    now: Transforms,
    earlier: Transforms,
    reach: float,
    particles: Particles,
):
    """Push particles out of rigid bodies; each is moved alone, so any number may run at once."""
    t = first + wp.tid()
    if t < near[0]:
        i = near_bodies[t]
        p = particles[i]
        x = position(before[i])
        for b in range(kinds.shape[0]):
            p = project_body(p, x, b, stiffness[0], kinds, sizes, frictions, meshes, now, earlier, reach)
        particles[i] = p


# Both are compiled at once; a kernel met later with another type would compile the whole file again.
wp.overload(part_bodies, {"before": wp.array(dtype=wp.vec3f)})
wp.overload(part_bodies, {"before": wp.array(dtype=wp.vec4f)})
