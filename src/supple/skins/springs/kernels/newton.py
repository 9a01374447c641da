# mypy: ignore-errors
"""Springs near a shape as one linear problem, and rounds that solve it, for some of the vertices.

Symbols as in `energy`. H is how pulls fall as vertices move, with a block H_ij of three by three for each edge and H_ii
for each vertex. Where springs give way, as in skin that folds, the true H says that farther is better without end; what
makes it so is left out of each spring. So H is stiffer than springs there, and each spring adds what is positive:

    edges            k (n n^T + a (1 - n n^T))               n along the edge, a = max(1 - L/|e|, 0); at both ends alike
    relative_radius  w_l g g^T                               g = (u_i, -u_j)
    bend             w_t (max(cos D, 0) g g^T + b h h^T)     g = (t_i / l_i, -t_j / l_j), h = (s / l_i, -s / l_j),
                                                             D = theta - theta_0, b = max(sin D cot theta, 0)

t are directions across u along the arc between u_i and u_j, s that across both. Springs to the bone have the same at
one end. Every kernel works on vertex `some[first + tid]`; a negative one is none. Kernels spell out vectors number by
number: three times as fast on a processor.
"""

import warp as wp

from supple.skins.springs.kernels.energy import (
    FLAT,
    NEAR,
    SLACK,
    TINY,
    FloatArray,
    IntArray,
    Points,
    Polars,
    Springs,
    angular_error,
    polar,
    pull,
    total_stiffness,
)

LEAST = wp.constant(1.0e-6)  # of all springs at a vertex, which H has at least
FARTHEST = wp.constant(0.5)  # of the distance from the bone that one round moves a vertex by at most


@wp.func
def lever(radius: float, rest: float) -> float:
    """1 / l, or what pulls aside have of it near the bone."""
    return 1.0 / wp.max(wp.max(radius, NEAR * rest), TINY)


@wp.kernel(enable_backward=False)
def linearize(
    first: int,
    some: IntArray,
    springs: Springs,
    now: Points,
    polars: Polars,
    levers: FloatArray,
    forces: Points,
    inverses: Points,
    blocks: Points,
):
    """All pulls, the inverse of H_ii, and -H_ij of every edge, both row by row."""
    i = some[first + wp.tid()]
    if i < 0:
        return
    freedom = springs.freedom[i]
    site = springs.anchors[i] * springs.bone_stiffness[i]
    aim = springs.aims[i]
    rest = springs.rest_lengths[i]
    bone_angle = springs.bone_angles[i]
    here = now[i]
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    ux, uy, uz = p[0], p[1], p[2]
    short = levers[i]
    along = wp.vec3f(0.0, 0.0, 0.0)
    across = wp.vec3f(0.0, 0.0, 0.0)
    longer = float(0.0)
    out = site[0]  # what H_ii has of u u^T,
    every = springs.holds[i] + LEAST * total_stiffness(i, springs) + TINY  # of 1,
    plane = float(0.0)  # and of 1 - u u^T
    xx, yy, zz = float(0.0), float(0.0), float(0.0)
    xy, xz, yz = float(0.0), float(0.0), float(0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        c = springs.edges[e]
        w = springs.edge_stiffness[e]
        edge = now[j] - here
        inverse_length = 1.0 / wp.max(wp.length(edge), TINY)
        stretch = 1.0 - c[0] * inverse_length
        k = w[0] * wp.where(stretch < 0.0, SLACK, 1.0)
        along += (k * stretch) * edge
        q = polars[j]
        longer += w[1] * (q[3] - p[3])
        out += w[1]
        v = wp.vec3f(q[0], q[1], q[2])
        cosine = wp.dot(u, v)
        off = v - cosine * u
        sine = wp.length(off)
        inverse_sine = 1.0 / wp.max(sine, FLAT)
        change = sine * c[1] - cosine * c[2]
        near = cosine * c[1] + sine * c[2]
        if near < 0.0:
            across += w[2] * angular_error(u, v, c[1], c[2])
        else:
            across += (w[2] * change * inverse_sine) * off
        bend = w[2] * short
        towards = bend * wp.max(near, 0.0)
        sideways = bend * wp.max(change * cosine * inverse_sine, 0.0)
        if sine < FLAT:  # along one bone directions are alike, and nothing tells one way across from another
            sideways = towards
            inverse_sine = 0.0
        aside = wp.max(stretch, 0.0) * k
        every += aside
        plane += short * sideways
        squared_inverse = inverse_sine * inverse_sine
        bent = short * (towards - sideways) * squared_inverse
        pressed = (k - aside) * inverse_length * inverse_length
        ex, ey, ez = edge[0], edge[1], edge[2]
        tx, ty, tz = off[0], off[1], off[2]
        xx += pressed * ex * ex + bent * tx * tx
        yy += pressed * ey * ey + bent * ty * ty
        zz += pressed * ez * ez + bent * tz * tz
        xy += pressed * ex * ey + bent * tx * ty
        xz += pressed * ex * ez + bent * tx * tz
        yz += pressed * ey * ez + bent * ty * tz
        short_j = levers[j]
        vx, vy, vz = v[0], v[1], v[2]
        ahead = short_j * towards * squared_inverse
        fx, fy, fz = ahead * (cosine * vx - ux), ahead * (cosine * vy - uy), ahead * (cosine * vz - uz)
        beside = short_j * sideways * squared_inverse
        sx, sy, sz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        gx, gy, gz = beside * sx, beside * sy, beside * sz
        alike = wp.where(sine < FLAT, short_j * towards, 0.0)
        aside += alike
        radial = w[1] - alike
        mx, my, mz = radial * vx, radial * vy, radial * vz
        px, py, pz = pressed * ex, pressed * ey, pressed * ez
        blocks[3 * e] = wp.vec3f(
            aside + ex * px + ux * mx + tx * fx + sx * gx,
            ex * py + ux * my + tx * fy + sx * gy,
            ex * pz + ux * mz + tx * fz + sx * gz,
        )
        blocks[3 * e + 1] = wp.vec3f(
            ey * px + uy * mx + ty * fx + sy * gx,
            aside + ey * py + uy * my + ty * fy + sy * gy,
            ey * pz + uy * mz + ty * fz + sy * gz,
        )
        blocks[3 * e + 2] = wp.vec3f(
            ez * px + uz * mx + tz * fx + sz * gx,
            ez * py + uz * my + tz * fy + sz * gy,
            aside + ez * pz + uz * mz + tz * fz + sz * gz,
        )
    bone = springs.bone_directions[springs.segments[i]]
    aimed = wp.vec3f(aim[0], aim[1], aim[2])
    squared = rest * rest
    to_bone = site[1] * angular_error(u, bone, bone_angle[0], bone_angle[1])
    to_aim = site[2] * angular_error(u, aimed, 1.0, 0.0)
    outwards = longer - site[0] * p[3]
    own = along + outwards * u + short * (across + squared * (to_bone + to_aim))
    forces[i] = own + springs.holds[i] * (springs.targets[i] - here)
    turned = squared * short * short
    plane += wp.max(-outwards * short, 0.0) + turned * site[2] * wp.max(wp.dot(u, aimed), 0.0)
    cosine = wp.dot(u, bone)
    off = bone - cosine * u
    sine = wp.max(wp.length(off), FLAT)
    bent = turned * site[1] * wp.max(cosine * bone_angle[0] + sine * bone_angle[1], 0.0) / (sine * sine)
    tx, ty, tz = off[0], off[1], off[2]
    out -= plane
    every += plane
    xx += every + out * ux * ux + bent * tx * tx
    yy += every + out * uy * uy + bent * ty * ty
    zz += every + out * uz * uz + bent * tz * tz
    xy += out * ux * uy + bent * tx * ty
    xz += out * ux * uz + bent * tx * tz
    yz += out * uy * uz + bent * ty * tz
    x = wp.vec3f(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy)  # cofactors
    scale = freedom / wp.max(xx * x[0] + xy * x[1] + xz * x[2], 1.0e-36)
    inverses[3 * i] = scale * x
    inverses[3 * i + 1] = scale * wp.vec3f(x[1], xx * zz - xz * xz, xy * xz - xx * yz)
    inverses[3 * i + 2] = scale * wp.vec3f(x[2], xy * xz - xx * yz, xx * yy - xy * xy)


@wp.kernel(enable_backward=False)
def respond(
    first: int,
    some: IntArray,
    springs: Springs,
    scale: float,
    weight: float,
    forces: Points,
    inverses: Points,
    blocks: Points,
    moves: Points,
    before: Points,
):
    """One of Jacobi's rounds: y <- weight (s H_ii^-1 (F - sum H_ij y_j) + (1 - s) y) + (1 - weight) y_before."""
    i = some[first + wp.tid()]
    if i < 0:
        return
    side = forces[i]
    for e in range(springs.starts[i], springs.starts[i + 1]):
        y = moves[springs.others[e]]
        side += wp.vec3f(wp.dot(blocks[3 * e], y), wp.dot(blocks[3 * e + 1], y), wp.dot(blocks[3 * e + 2], y))
    row = 3 * i
    own = wp.vec3f(wp.dot(inverses[row], side), wp.dot(inverses[row + 1], side), wp.dot(inverses[row + 2], side))
    before[i] = (weight * scale) * own + (weight * (1.0 - scale)) * moves[i] + (1.0 - weight) * before[i]


@wp.kernel(enable_backward=False)
def take_moves(
    first: int,
    some: IntArray,
    springs: Springs,
    moves: Points,
    before: Points,
    now: Points,
    polars: Polars,
    levers: FloatArray,
):
    """x <- x + y, no farther than lies near the shape of which H was made; what comes next begins at y = 0."""
    i = some[first + wp.tid()]
    if i < 0:
        return
    y = moves[i]
    most = FARTHEST / levers[i]
    x = now[i] + wp.min(most / wp.max(wp.length(y), TINY), 1.0) * y
    now[i] = x
    p = polar(x, springs.attachment_points[i], springs.aims[i])
    polars[i] = p
    levers[i] = lever(p[3] + springs.aims[i][3], springs.rest_lengths[i])
    moves[i] = wp.vec3f(0.0, 0.0, 0.0)
    before[i] = wp.vec3f(0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def measure_residuals(
    first: int,
    some: IntArray,
    springs: Springs,
    tolerances: FloatArray,
    now: Points,
    polars: Polars,
    residuals: FloatArray,
):
    """How many times its tolerance [m] a vertex is pulled by, per unit of stiffness."""
    i = some[first + wp.tid()]
    if i < 0:
        return
    force = springs.freedom[i] * wp.length(pull(i, now, polars, springs))
    residuals[i] = force / wp.max(tolerances[i] * total_stiffness(i, springs), TINY)


@wp.kernel(enable_backward=False)
def find_unbalanced(first: int, some: IntArray, springs: Springs, residuals: FloatArray, found: IntArray):
    """Vertices that are pulled by more than their tolerance, and those beside them."""
    i = some[first + wp.tid()]
    if i < 0:
        return
    most = residuals[i]
    for e in range(springs.starts[i], springs.starts[i + 1]):
        most = wp.max(most, residuals[springs.others[e]])
    found[i] = wp.where(most > 1.0, 1, 0)


@wp.kernel(enable_backward=False)
def measure_levers(first: int, springs: Springs, polars: Polars, levers: FloatArray):
    """1 / l of every vertex."""
    i = first + wp.tid()
    levers[i] = lever(polars[i][3] + springs.aims[i][3], springs.rest_lengths[i])
