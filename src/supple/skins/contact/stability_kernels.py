# mypy: ignore-errors
"""Arithmetic that looks after a body: whether its numbers are numbers, and flesh that has gone too far."""

import warp as wp

from supple.skins.contact.dynamics.node_kernels import Numbers, Vectors, Whole

STRANGE = wp.constant(0)  # flags: something is no number
OVER = wp.constant(1)  # flesh went too far


@wp.kernel(enable_backward=False)
def find_strange(first: int, values: Vectors, flags: Whole):
    v = values[first + wp.tid()]
    if not wp.isfinite(v[0] + v[1] + v[2]):  # what is infinite or no number stays so in a sum
        wp.atomic_max(flags, STRANGE, 1)


@wp.kernel(enable_backward=False)
def contain(first: int, sculpted: Vectors, farthest: Numbers, displacements: Vectors, flows: Vectors, flags: Whole):
    """Bring back flesh that went farther than it may, and stop it there."""
    j = first + wp.tid()
    moved = displacements[j] - sculpted[j]
    length = wp.length(moved)
    if length > farthest[j]:
        displacements[j] = sculpted[j] + (farthest[j] / length) * moved
        flows[j] = wp.vec3d()
        wp.atomic_max(flags, OVER, 1)
