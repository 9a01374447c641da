# mypy: ignore-errors
"""A frame as the page takes it: places in a cube of 65 535 steps, and normals folded into two bytes."""

import warp as wp

STEPS = wp.constant(65535.0)
HALF = wp.constant(127.5)
vec4us = wp.types.vector(length=4, dtype=wp.uint16)


@wp.func
def octahedral(n: wp.vec3f) -> wp.vec2f:
    """A unit vector on the faces of an octahedron, laid flat: both numbers from -1 to 1."""
    total = wp.abs(n[0]) + wp.abs(n[1]) + wp.abs(n[2])
    scale = 1.0 / wp.max(total, 1.0e-12)
    x = n[0] * scale
    y = n[1] * scale
    if n[2] < 0.0:
        folded = (1.0 - wp.abs(y)) * wp.where(x < 0.0, -1.0, 1.0)
        y = (1.0 - wp.abs(x)) * wp.where(y < 0.0, -1.0, 1.0)
        x = folded
    return wp.vec2f(x, y)


@wp.kernel(enable_backward=False)
def pack_frame(
    first: int,
    cube: wp.array(dtype=wp.float32),
    vertices: wp.array(dtype=wp.int32),
    points: wp.array(dtype=wp.vec3f),
    normals: wp.array(dtype=wp.vec3f),
    packed: wp.array(dtype=vec4us),
):
    """Display point i is vertex `vertices[i]`; `cube` is its low corner and its side."""
    i = first + wp.tid()
    p = points[vertices[i]]
    scale = STEPS / cube[3]
    x = wp.clamp((p[0] - cube[0]) * scale + 0.5, 0.0, STEPS)
    y = wp.clamp((p[1] - cube[1]) * scale + 0.5, 0.0, STEPS)
    z = wp.clamp((p[2] - cube[2]) * scale + 0.5, 0.0, STEPS)
    flat = octahedral(normals[i])
    u = wp.uint16(int(flat[0] * HALF + HALF + 0.5))
    v = wp.uint16(int(flat[1] * HALF + HALF + 0.5))
    packed[i] = vec4us(wp.uint16(int(x)), wp.uint16(int(y)), wp.uint16(int(z)), u + wp.uint16(256) * v)
