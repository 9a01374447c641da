# mypy: ignore-errors
"""Arithmetic that looks after a body: whether its numbers are numbers, and flesh that has gone too far."""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import FloatArray, IntArray, Vectors

NONFINITE = wp.constant(0)  # flags: something is no number
CLAMPED = wp.constant(1)  # flesh went too far


@wp.kernel(enable_backward=False)
def find_nonfinite(first: int, values: Vectors, flags: IntArray):
    v = values[first + wp.tid()]
    if not wp.isfinite(v[0] + v[1] + v[2]):  # what is infinite or no number stays so in a sum
        wp.atomic_max(flags, NONFINITE, 1)


@wp.kernel(enable_backward=False)
def clamp_displacements(
    first: int,
    rest_sag: Vectors,
    max_displacements: FloatArray,
    displacements: Vectors,
    node_velocities: Vectors,
    flags: IntArray,
):
    """Bring back flesh that went farther than it may, and stop it there."""
    j = first + wp.tid()
    moved = displacements[j] - rest_sag[j]
    length = wp.length(moved)
    if length > max_displacements[j]:
        displacements[j] = rest_sag[j] + (max_displacements[j] / length) * moved
        node_velocities[j] = wp.vec3d()
        wp.atomic_max(flags, CLAMPED, 1)
