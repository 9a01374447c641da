# mypy: ignore-errors
"""Arithmetic of the constraints on arrays.

Symbols: p_i a particle and w_i its inverse mass (0: cannot be moved), kept in one vector (x, y, z, w); k in [0, 1] the
share of its error that a constraint alone would lose in one projection; C a constraint, zero when it is met, and g_i
its gradients; V_0, d_0 volume and length at rest; a_i the point of the bone that particle i is bound to.

Here constraints are projected one by one, as on a GPU: they are gathered in small clusters; one thread walks through a
cluster, and one launch through all clusters of a colour, none of which share a particle. `batch_kernels` has the same
for a processor, which projects eight at a time.

Each projection moves p_i by -k C w_i g_i / sum_j w_j |g_j|^2, so more rounds make it stiffer; the text leaves out w.
"""

import warp as wp

from supple.geometry.kernels.particle import position, translate

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Vec4iArray = wp.array(dtype=wp.vec4i)
Vec2iArray = wp.array(dtype=wp.vec2i)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

VOLUME = wp.constant(0)  # knobs: how stiff volumes, bonds to the bones and edges are
BIND = wp.constant(1)
STRETCH = wp.constant(2)
TINY = wp.constant(1.0e-12)
FLATTEST = wp.constant(1.0e-12)  # below this share of a size to the fourth, gradients say nothing


@wp.struct
class VolumeConstraints:
    """Elements in the order of a schedule: group g is starts[g] to starts[g + 1]. A size is (6 V_0, square of the
    longest move, factor on the stiffness)."""

    starts: IntArray
    corners: Vec4iArray
    sizes: Vec3Array


@wp.struct
class BindConstraints:
    """Bound particles in the order of a schedule; anchors, distances at rest and factors are those of all particles."""

    starts: IntArray
    bound: IntArray
    anchors: Vec3Array
    lengths: FloatArray
    stiffness: FloatArray


@wp.struct
class StretchConstraints:
    """Edges in the order of a schedule, with factors on their stiffness."""

    starts: IntArray
    ends: Vec2iArray
    lengths: FloatArray
    stiffness: FloatArray


@wp.func
def project_stretch(c: int, k: float, edges: StretchConstraints, particles: Vec4Array):
    """C = |p_1 - p_2| - d_0 [AbuRumman2016, Eq. 4.2 and 4.3]."""
    e = edges.ends[c]
    a = particles[e[0]]
    b = particles[e[1]]
    apart = position(a) - position(b)
    length = wp.length(apart)
    masses = a[3] + b[3]
    if masses > 0.0 and length > TINY:
        push = (-k * (length - edges.lengths[c]) / (masses * length)) * apart
        particles[e[0]] = translate(a, a[3] * push)
        particles[e[1]] = translate(b, -b[3] * push)


@wp.func
def project_volume(c: int, k: float, volumes: VolumeConstraints, particles: Vec4Array):
    """C = (p_21 x p_31) . p_41 / 6 - V_0, all of it times six [AbuRumman2016, Eq. 4.4 to 4.13].

    The text gives the gradients of p_2, p_3 and p_4 to the wrong particles; they are
    g_2 = p_31 x p_41, g_3 = p_41 x p_21, g_4 = p_21 x p_31, g_1 = -(g_2 + g_3 + g_4). An element that is inside out
    has a negative volume and is pushed through flatness; where it is nearly flat no corner moves more than a part of
    its size at once.
    """
    t = volumes.corners[c]
    p1 = particles[t[0]]
    p2 = particles[t[1]]
    p3 = particles[t[2]]
    p4 = particles[t[3]]
    p21 = position(p2) - position(p1)
    p31 = position(p3) - position(p1)
    p41 = position(p4) - position(p1)
    g2 = wp.cross(p31, p41)
    g3 = wp.cross(p41, p21)
    g4 = wp.cross(p21, p31)
    g1 = -(g2 + g3 + g4)
    size = volumes.sizes[c]
    slope = p1[3] * wp.dot(g1, g1) + p2[3] * wp.dot(g2, g2) + p3[3] * wp.dot(g3, g3) + p4[3] * wp.dot(g4, g4)
    if slope > size[1] * size[1] * FLATTEST:
        s = -k * size[2] * (wp.dot(g4, p41) - size[0]) / slope
        # sqrt(slope) bounds the longest gradient, so that |s| sqrt(slope) bounds the longest move.
        reach = s * s * slope
        if reach > size[1]:
            s = s * wp.sqrt(size[1] / reach)
        particles[t[0]] = translate(p1, (s * p1[3]) * g1)
        particles[t[1]] = translate(p2, (s * p2[3]) * g2)
        particles[t[2]] = translate(p3, (s * p3[3]) * g3)
        particles[t[3]] = translate(p4, (s * p4[3]) * g4)


@wp.func
def project_bind(c: int, k: float, bonds: BindConstraints, particles: Vec4Array):
    """C = |p_i - a_i| - d_0 [AbuRumman2016, 4.3.1.3]; the bone is not moved."""
    i = bonds.bound[c]
    p = particles[i]
    apart = position(p) - bonds.anchors[i]
    length = wp.length(apart)
    if p[3] > 0.0 and length > TINY:
        share = -k * bonds.stiffness[i] * (length - bonds.lengths[i]) / length
        particles[i] = translate(p, share * apart)


@wp.func
def sweep_volumes(g: int, params: FloatArray, volumes: VolumeConstraints, particles: Vec4Array):
    k = params[VOLUME]
    if k > 0.0:
        for c in range(volumes.starts[g], volumes.starts[g + 1]):
            project_volume(c, k, volumes, particles)


@wp.func
def sweep_edges(g: int, params: FloatArray, edges: StretchConstraints, particles: Vec4Array):
    stretch = params[STRETCH]
    if stretch > 0.0:
        for c in range(edges.starts[g], edges.starts[g + 1]):
            k = stretch * edges.stiffness[c]
            if k > 0.0:
                project_stretch(c, k, edges, particles)


@wp.kernel(enable_backward=False)
def sweep_color(
    first: int,
    start: int,
    params: FloatArray,
    volumes: VolumeConstraints,
    edges: StretchConstraints,
    particles: Vec4Array,
):
    """Walk once through one cluster: its volumes and its edges."""
    g = start + first + wp.tid()
    sweep_volumes(g, params, volumes, particles)
    sweep_edges(g, params, edges, particles)


@wp.kernel(enable_backward=False)
def project_bonds(first: int, params: FloatArray, bonds: BindConstraints, particles: Vec4Array):
    """Bonds to the bones hold one particle each, so that all may run at once."""
    c = first + wp.tid()
    if params[BIND] > 0.0 and c < bonds.starts[1]:
        project_bind(c, params[BIND], bonds, particles)
