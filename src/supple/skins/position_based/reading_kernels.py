# mypy: ignore-errors
"""What flesh does to the skin, for display: what draws it back to where it settles, and what presses it.

Symbols: x a particle, y where it settles, q where the bones alone carry it; w its pace [rad/s], L the depth of flesh
[m], rho its density. A layer of flesh that is as deep as L and swings at w is as stiff as rho w^2 L [Pa/m]: pressed in
by s it pushes back with rho w^2 L s. s is how far a contact keeps the particle from q, along its normal n.
"""

import warp as wp

from supple.obstacles.kernels import body_surface
from supple.skins.kinematic.kernels import Joints, Weights
from supple.skins.position_based.contact.detection_kernels import (
    HeldContacts,
    PlaneArrays,
    RigidBodies,
    face_normal,
    plane_side,
)

Vec3Array = wp.array(dtype=wp.vec3f)
Vec3iArray = wp.array(dtype=wp.vec3i)
Vec2Array = wp.array(dtype=wp.vec2f)
FloatArray = wp.array(dtype=wp.float32)

DENSITY = wp.constant(1000.0)  # kg/m^3
FIRM_FREQUENCY = wp.constant(50.0)  # rad/s: of what the bones drive, and the quickest flesh


@wp.struct
class Attachment:
    """How vertices hang on particles, in blocks of four, and how much of it reaches each."""

    blocks: int
    corners: Joints
    barycentric: Weights
    follow: FloatArray


@wp.func
def pace(w: float) -> float:
    """w, also of what the bones drive."""
    if w < 0.0:
        return FIRM_FREQUENCY
    return wp.min(w, FIRM_FREQUENCY)


@wp.kernel(enable_backward=False)
def measure_tractions(
    first: int,
    particles_per_copy: int,
    angular_frequencies: FloatArray,
    depth: FloatArray,
    kinematic: Vec3Array,
    settled: Vec3Array,
    held: HeldContacts,
    planes: PlaneArrays,
    faces: Vec3iArray,
    bodies: RigidBodies,
    tractions: Vec3Array,
):
    """rho w^2 L s n [Pa] of all that a particle is held off: the plane of a joint, a face, rigid bodies."""
    i = first + wp.tid()
    c = i // particles_per_copy
    q = kinematic[i]
    pushed = wp.vec3f(0.0, 0.0, 0.0)
    code = held.plane_of[i]
    if code >= 0:
        n = plane_side(code) * planes.normals[c, code // 2]
        s = wp.max(-wp.dot(q - planes.points[c, code // 2], n), 0.0)
        pushed += (held.firmness[i][0] * s) * n
    f = held.face_of[i]
    if f >= 0:
        shift = c * particles_per_copy
        a = settled[shift + faces[f][0]]
        n = face_normal(a, settled[shift + faces[f][1]], settled[shift + faces[f][2]])
        s = wp.min(wp.max(-wp.dot(q - a, n), 0.0), depth[i])
        pushed += (held.firmness[i][1] * s) * n
    for b in range(bodies.kinds.shape[0]):
        local = wp.transform_point(wp.transform_inverse(bodies.now[b]), q)
        surface = body_surface(local, bodies.kinds[b], bodies.sizes[b], bodies.meshes[b], bodies.reach)
        if surface[3] < 0.0:
            n = wp.transform_vector(bodies.now[b], wp.vec3f(surface[0], surface[1], surface[2]))
            pushed += wp.min(-surface[3], depth[i]) * n
    w = pace(angular_frequencies[i])
    tractions[i] = (DENSITY * w * w * depth[i]) * pushed


@wp.kernel(enable_backward=False)
def read_pressure(first: int, attachment: Attachment, tractions: Vec3Array, pressures: FloatArray):
    """How hard [Pa] every vertex is pressed."""
    v = first + wp.tid()
    total = wp.vec3f(0.0, 0.0, 0.0)
    for b in range(v * attachment.blocks, (v + 1) * attachment.blocks):
        for k in range(4):
            total += attachment.barycentric[b][k] * tractions[attachment.corners[b][k]]
    pressures[v] = attachment.follow[v] * wp.length(total)


@wp.kernel(enable_backward=False)
def read_forces(
    first: int,
    attachment: Attachment,
    sizes: Vec2Array,
    angular_frequencies: FloatArray,
    settled: Vec3Array,
    positions: Vec3Array,
    tractions: Vec3Array,
    drawn: Vec3Array,
    forces: Vec3Array,
):
    """-m w^2 (x - y + d) + A t [N] at every vertex: d is how far hands draw it, t what presses it.

    `sizes` are m [kg], the flesh below a vertex, and A [m^2], the skin round it.
    """
    v = first + wp.tid()
    back = wp.vec3f(0.0, 0.0, 0.0)
    pressed = wp.vec3f(0.0, 0.0, 0.0)
    stiffness = float(0.0)
    for b in range(v * attachment.blocks, (v + 1) * attachment.blocks):
        for k in range(4):
            i = attachment.corners[b][k]
            share = attachment.barycentric[b][k]
            w = pace(angular_frequencies[i])
            back += (share * w * w) * (positions[i] - settled[i])
            stiffness += share * w * w
            pressed += share * tractions[i]
    stiffness = attachment.follow[v] * stiffness + (1.0 - attachment.follow[v]) * FIRM_FREQUENCY * FIRM_FREQUENCY
    own = attachment.follow[v] * back + wp.max(stiffness, 0.0) * drawn[v]
    forces[v] = -sizes[v][0] * own + (attachment.follow[v] * sizes[v][1]) * pressed
