# mypy: ignore-errors
"""Arithmetic of what is read off a skin: forces on nodes, and both forces and pressure spread over its vertices.

A node k has the skin area a_k = sum_v s_vk A_v of the vertices v, of areas A_v, that hang on it by s_vk. Its force f_k
is spread evenly over that: tractions t_v = sum_k s_vk f_k / a_k, and forces A_v t_v, which sum to those of the nodes.
"""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Matrices, Vectors

Floats32 = wp.array(dtype=wp.float32)
Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def add_elastic_forces(
    first: int, blended_rotations: Matrices, elastic_forces: Vectors, outer_forces: Vectors, forces: Vectors
):
    """What flesh does to a free node, R_W (-K u), and what comes from outside."""
    j = first + wp.tid()
    forces[j] = outer_forces[j] - blended_rotations[j] * elastic_forces[j]


@wp.kernel(enable_backward=False)
def spread_forces(
    first: int, width: int, corners: IntArray, densities: Floats32, areas: Floats32, forces: Vectors, found: Points
):
    """A_v sum_k s_vk f_k / a_k of a vertex; `densities` are s / a."""
    v = first + wp.tid()
    total = wp.vec3d()
    for e in range(width * v, width * v + width):
        total += wp.float64(densities[e]) * forces[corners[e]]
    found[v] = areas[v] * wp.vec3f(total)


@wp.kernel(enable_backward=False)
def spread_pressure(
    first: int, width: int, corners: IntArray, densities: Floats32, pressed: FloatArray, found: Floats32
):
    """sum_k s_vk f_k / a_k of a vertex, with f_k how hard a node is pressed [N]."""
    v = first + wp.tid()
    total = wp.float64(0.0)
    for e in range(width * v, width * v + width):
        total += wp.float64(densities[e]) * pressed[corners[e]]
    found[v] = wp.float32(total)
