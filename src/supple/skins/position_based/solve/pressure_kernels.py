# mypy: ignore-errors
"""Arithmetic of pressure: how much more volume than at rest elements must want, so that they have what they had.

Symbols: V_t and V_t0 the volume of an element now and at rest; p_i the pressure at a particle, as a share of volume.
"""

import warp as wp

from supple.skins.position_based.solve.energy_kernels import six_volumes
from supple.skins.position_based.step_kernels import AWAKE

Vec3Array = wp.array(dtype=wp.vec3f)
Vec2Array = wp.array(dtype=wp.vec2f)
Vec4iArray = wp.array(dtype=wp.vec4i)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

GAIN = wp.constant(0.6)  # of what is missing: how much of it pressure grows by in a step
LEAK = wp.constant(0.01)  # of the pressure that is lost in a step, so that none stays where nothing can give way
MOST = wp.constant(0.1)  # of the volume at rest: the largest pressure


@wp.kernel(enable_backward=False)
def raise_targets(
    first: int,
    particles_per_copy: int,
    corners: Vec4iArray,
    sizes: Vec2Array,
    pressures: FloatArray,
    targets: FloatArray,
):
    """Six times the volume that an element wants: 6 V_t0 (1 + p), p the mean at its corners."""
    n = first + wp.tid()
    count = corners.shape[0]
    c = n // count
    t = n - c * count
    v = corners[t]
    s = c * particles_per_copy
    p = 0.25 * (pressures[s + v[0]] + pressures[s + v[1]] + pressures[s + v[2]] + pressures[s + v[3]])
    targets[n] = (1.0 + p) * sizes[t][0]


@wp.kernel(enable_backward=False)
def look_at_elements(
    first: int,
    particles_per_copy: int,
    corners: Vec4iArray,
    sizes: Vec2Array,
    kinematic: Vec3Array,
    settled: Vec3Array,
    missing: FloatArray,
    inverted: IntArray,
):
    """What elements are missing, 6 (V_t0 - V_t), never more than all of it.

    Corners of those that have settled inside out, though the bones alone carry them the right way, are marked.
    """
    n = first + wp.tid()
    count = corners.shape[0]
    c = n // count
    t = n - c * count
    v = corners[t]
    s = c * particles_per_copy
    now = six_volumes(settled[s + v[0]], settled[s + v[1]], settled[s + v[2]], settled[s + v[3]])
    missing[n] = wp.clamp(sizes[t][0] - now, -sizes[t][0], sizes[t][0])
    carried = now
    if now < 0.0:
        carried = six_volumes(kinematic[s + v[0]], kinematic[s + v[1]], kinematic[s + v[2]], kinematic[s + v[3]])
    if now < 0.0 and carried > 0.0:
        for k in range(4):
            inverted[s + v[k]] = 1


@wp.kernel(enable_backward=False)
def raise_pressures(
    first: int,
    params: FloatArray,
    particles_per_copy: int,
    starts: IntArray,
    members: IntArray,
    sizes: Vec2Array,
    missing: FloatArray,
    pressures: FloatArray,
):
    """p_i grows by what is missing of all elements around a particle, as a share of what they had at rest.

    One number for all of them leaves each its shape: volumes that are kept one by one hold an element stiff.
    """
    p = first + wp.tid()
    c = p // particles_per_copy
    i = p - c * particles_per_copy
    lost = float(0.0)
    whole = float(0.0)
    for m in range(starts[i], starts[i + 1]):
        t = members[m]
        lost += missing[c * sizes.shape[0] + t]
        whole += sizes[t][0]
    if whole > 0.0:
        change = GAIN * lost / whole - LEAK * pressures[p]
        pressures[p] = wp.clamp(pressures[p] + params[AWAKE] * change, -MOST, MOST)
