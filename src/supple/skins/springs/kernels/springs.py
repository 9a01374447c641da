# mypy: ignore-errors
"""Arithmetic of the springs between skin and skeleton.

Symbols: x a vertex, a its attachment point, s = x - a = l u its scale vector of length l (`radius`) and direction u; l'
and u' the length and direction it would have by incremental rotation, d the direction of its bone, j its n neighbours;
L_ij the length an edge should have, theta_ij the angle between u_i and u_j, phi the angle between u and d; index 0 at
bind.

A *pull* is a stiffness times the way to where one spring would be at rest, shared between both ends of it. Angles are
taken by their sines up to a quarter turn and go on rising to twice that at half a turn, so no inverse is needed.
Every kernel works on item `first + tid`, so that a launch can be cut into ranges.
"""

import warp as wp

Points = wp.array(dtype=wp.vec3f)
Polars = wp.array(dtype=wp.vec4f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Angles = wp.array(dtype=wp.vec2f)
Edges = wp.array(dtype=wp.vec3f)

STEP_SCALE, MOMENTUM, MEASURED = wp.constant(0), wp.constant(1), wp.constant(2)  # parameters of sweeps
STEP, INERTIA, SWEEP_STEP, RETENTION = wp.constant(0), wp.constant(1), wp.constant(2), wp.constant(3)  # and in time
ROOM_RETENTION, MAX_STRETCH = wp.constant(4), wp.constant(5)

TINY = wp.constant(1.0e-12)
SLACK = wp.constant(0.2)  # of its stiffness an edge has against being pressed: skin folds where it cannot stretch
SURE = wp.constant(16.0)  # how soon the last move counts fully, by the squared cosine between it and the pull
CALM = wp.constant(0.8)  # damping of skin that a hand has let go, of the pace at which it swings; two ends all swings
SPREAD = wp.constant(0.1)  # how much springs along the skin add to that pace
MOVES = wp.constant(1)  # what a sweep measures: how far vertices moved
FORCES = wp.constant(2)  # or how hard they were pulled, per unit of stiffness
UNKNOWN_DRIFT = wp.constant(1.0e30)  # m/s of bones of which only one pose is known
YIELDING = wp.constant(0.05)  # looseness below which skin counts as firm
FLAT = wp.constant(1.0e-4)  # sine below which two directions count as one


@wp.struct
class Springs:
    """All springs of one skin in one pose.

    The ring of vertex i are `others[starts[i]:starts[i + 1]]`; `edges` are (L_ij, cos theta_ij0, sin theta_ij0), `aims`
    (u', l'), `bone_angles` (cos phi_0, sin phi_0). `ring_stiffness` is (k_s, k_l, k_t), `bone_stiffness` is
    (k_g, k_b, k_h), of which `anchors` are shares; `holds` is k_e, with which edits draw a vertex to `targets`,
    and `edit_rooms` how much farther than usual they let it swing.
    `freedom` is 1 of vertices that springs move and 0 of static ones, which stay with the first stage.
    """

    starts: IntArray
    others: IntArray
    edges: Edges
    ring_stiffness: Points
    bone_stiffness: Points
    attachment_points: Points
    aims: Polars
    segments: IntArray
    bone_directions: Points
    bone_angles: Angles
    anchors: FloatArray
    holds: FloatArray
    targets: Points
    edit_rooms: FloatArray
    freedom: FloatArray


@wp.struct
class Memory:
    """The skin after the last step, its velocity as seen from the bones, and where the bones were and went.

    `rooms` are how much farther than usual hands have let vertices go.
    """

    points: Points
    velocities: Points
    attached: Points
    aims: Polars
    drifts: Points
    rooms: FloatArray


@wp.func
def angular_error(u: wp.vec3f, other: wp.vec3f, cosine_0: float, sine_0: float) -> wp.vec3f:
    """Across u, towards `other`, as long as the angle between them is larger than at bind: (theta - theta_0) tau.

    tau sin(theta - theta_0) = (other - cos(theta) u) sin(theta - theta_0) / sin(theta).
    """
    cosine = wp.dot(u, other)
    across = other - cosine * u
    sine = wp.length(across)
    change = (sine * cosine_0 - cosine * sine_0) / wp.max(sine, FLAT)
    if cosine * cosine_0 + sine * sine_0 < 0.0:  # more than a quarter turn from bind
        off = wp.abs(change) * sine
        change *= (2.0 - off) / wp.max(off, FLAT)
    return change * across


@wp.func
def polar(x: wp.vec3f, a: wp.vec3f, aim: wp.vec4f) -> wp.vec4f:
    """Direction of the scale vector, and how much longer it is than it should be; on the skeleton, u' stands in."""
    s = x - a
    radius = wp.length(s)
    if radius > 1.0e-3 * aim[3] and radius > TINY:
        return wp.vec4f(s[0] / radius, s[1] / radius, s[2] / radius, radius - aim[3])
    return wp.vec4f(aim[0], aim[1], aim[2], radius - aim[3])


@wp.func
def pull(i: int, x: Points, polars: Polars, springs: Springs) -> wp.vec3f:
    """The sum of all pulls on a vertex [Toothman2020, Eq. 21 and 22], averaged over its ring.

    edges            k_s 1/n sum (|x_j - x_i| - L_ij) / 2 along the edge
    relative_radius  k_l 1/n sum ((l_j - l'_j) - (l_i - l'_i)) / 2 along u
    bend             k_t l/n sum (theta_ij - theta_ij0) / 2 across u, towards u_j
    radius           k_g (l' - l) along u
    bones            k_b l (phi - phi_0) across u, towards d
    twist            k_h l sin(angle to u') across u, towards u'
    edits            k_e (target - x), the external force F_e
    """
    ring = springs.ring_stiffness[i]
    site = springs.anchors[i] * springs.bone_stiffness[i]
    aim = springs.aims[i]
    bone = springs.bone_directions[springs.segments[i]]
    bone_angle = springs.bone_angles[i]
    here = x[i]
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    along = wp.vec3f(0.0, 0.0, 0.0)
    across = wp.vec3f(0.0, 0.0, 0.0)
    longer = float(0.0)
    first = springs.starts[i]
    last = springs.starts[i + 1]
    for e in range(first, last):
        j = springs.others[e]
        c = springs.edges[e]
        edge = x[j] - here
        stretch = 1.0 - c[0] / wp.max(wp.length(edge), TINY)
        if stretch < 0.0:
            stretch *= SLACK
        along += stretch * edge
        q = polars[j]
        longer += q[3]
        across += angular_error(u, wp.vec3f(q[0], q[1], q[2]), c[1], c[2])
    radius = p[3] + aim[3]
    weight = 0.5 / float(wp.max(last - first, 1))
    radial = ring[1] * (weight * longer - 0.5 * p[3]) - site[0] * p[3]
    twist = wp.vec3f(aim[0], aim[1], aim[2])
    cosine = wp.dot(twist, u)
    twist = twist - cosine * u
    if cosine < 0.0:
        twist = twist / wp.max(wp.length(twist), FLAT)
    tangential = (
        (ring[2] * weight) * across + site[1] * angular_error(u, bone, bone_angle[0], bone_angle[1]) + site[2] * twist
    )
    own = (ring[0] * weight) * along + radial * u + radius * tangential
    return own + springs.holds[i] * (springs.targets[i] - here)


@wp.func
def total_stiffness(i: int, springs: Springs) -> float:
    """Of all springs at a vertex."""
    ring = springs.ring_stiffness[i]
    site = springs.bone_stiffness[i]
    return ring[0] + ring[1] + ring[2] + springs.anchors[i] * (site[0] + site[1] + site[2]) + springs.holds[i]


@wp.kernel(enable_backward=False)
def begin(first: int, start: Points, springs: Springs, now: Points, before: Points, polars: Polars):
    """Start from a shape, at rest."""
    i = first + wp.tid()
    x = start[i]
    now[i] = x
    before[i] = x
    polars[i] = polar(x, springs.attachment_points[i], springs.aims[i])


@wp.kernel(enable_backward=False)
def aim(first: int, aimed_at: Points, attachment_points: Points, fallback: Points, aims: Polars):
    """(u', l') of every vertex; where a scale vector has no length, a fixed direction stands in."""
    i = first + wp.tid()
    s = aimed_at[i] - attachment_points[i]
    radius = wp.length(s)
    if radius > TINY:
        aims[i] = wp.vec4f(s[0] / radius, s[1] / radius, s[2] / radius, radius)
    else:
        aims[i] = wp.vec4f(fallback[i][0], fallback[i][1], fallback[i][2], 0.0)


@wp.kernel(enable_backward=False)
def measure_rest(first: int, rest: Points, polars: Polars, firm: IntArray, springs: Springs):
    """Lengths and angles at bind, by the arithmetic that measures them later: at rest nothing pulls, to the last bit.

    Cosine and sine are both zero where a scale vector has no direction: then nothing pulls either.
    """
    i = first + wp.tid()
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        q = polars[j]
        other = wp.vec3f(q[0], q[1], q[2])
        angle = wp.vec2f(0.0, 0.0)
        if firm[i] != 0 and firm[j] != 0:
            cosine = wp.dot(u, other)
            angle = wp.vec2f(cosine, wp.length(other - cosine * u))
        springs.edges[e] = wp.vec3f(wp.length(rest[j] - rest[i]), angle[0], angle[1])
    bone = springs.bone_directions[springs.segments[i]]
    if firm[i] != 0:
        cosine = wp.dot(u, bone)
        springs.bone_angles[i] = wp.vec2f(cosine, wp.length(bone - cosine * u))
    else:
        springs.bone_angles[i] = wp.vec2f(0.0, 0.0)


@wp.func
def growth(i: int, rest_vectors: Points, scale_vectors: Points, usual: Points, springs: Springs) -> float:
    """How many times as far from its bone a vertex should be: by stretch, and by what the first stage makes of it."""
    grown = wp.length(scale_vectors[i]) / wp.max(wp.length(rest_vectors[i]), TINY)
    distance = wp.length(usual[i] - springs.attachment_points[i])
    if distance > TINY:
        grown *= springs.aims[i][3] / distance
    return grown


@wp.kernel(enable_backward=False)
def stretch_edges(
    first: int,
    ratios: FloatArray,
    rest_vectors: Points,
    scale_vectors: Points,
    usual: Points,
    components: Angles,
    springs: Springs,
):
    """L_ij^2 = (across grown)^2 + (along ratio)^2: edges grow along a bone that grows, and across with the radius.

    `components` are the parts of a bind edge (along, across) the bone; growth is the mean of that at both ends, and is
    what stretch does to scale vectors: a pose without any gives the lengths of bind. A first stage that thins a limb,
    where the `usual` skin would not, thins its edges too.
    """
    i = first + wp.tid()
    own_length = wp.length(rest_vectors[i])
    own_grown = growth(i, rest_vectors, scale_vectors, usual, springs)
    own_ratio = ratios[springs.segments[i]]
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        length = wp.length(rest_vectors[j])
        grown = 0.5 * (own_grown + growth(j, rest_vectors, scale_vectors, usual, springs))
        if own_length < TINY or length < TINY:
            grown = 1.0
        ratio = 0.5 * (own_ratio + ratios[springs.segments[j]])
        h = components[e]
        c = springs.edges[e]
        springs.edges[e] = wp.vec3f(wp.sqrt(h[0] * h[0] * ratio * ratio + h[1] * h[1] * grown * grown), c[1], c[2])


@wp.kernel(enable_backward=False)
def sweep(
    first: int,
    springs: Springs,
    parameters: FloatArray,
    now: Points,
    polars: Polars,
    before: Points,
    after_polars: Polars,
    residuals: FloatArray,
):
    """x <- x + min(step_scale, 1 / sum k) pull, and on by `momentum` of the last move [Toothman2020, Eq. 23].

    With 1 / sum k a vertex goes to the mean of where its springs want it, each counted by its stiffness: it cannot
    overshoot them all, whatever the stiffness. The last move counts while it helps. The next position is written over
    the last but one. What an edit holds needs no momentum.
    """
    i = first + wp.tid()
    x = now[i]
    force = springs.freedom[i] * pull(i, now, polars, springs)
    safe = 1.0 / wp.max(total_stiffness(i, springs), TINY)
    move = wp.min(parameters[STEP_SCALE], safe) * force
    last = x - before[i]
    together = wp.max(wp.dot(move, last), 0.0)
    sure = SURE * together * together / wp.max(wp.dot(move, move) * wp.dot(last, last), 1.0e-36)
    move += (parameters[MOMENTUM] * wp.min(sure, 1.0) * (1.0 - safe * springs.holds[i])) * last
    measured = int(parameters[MEASURED])
    if measured == MOVES:
        residuals[i] = wp.length(move)
    if measured == FORCES:
        residuals[i] = safe * wp.length(force)
    x += move
    before[i] = x
    after_polars[i] = polar(x, springs.attachment_points[i], springs.aims[i])


@wp.kernel(enable_backward=False)
def measure_forces(first: int, springs: Springs, now: Points, polars: Polars, found: Points):
    """All pulls on every vertex."""
    i = first + wp.tid()
    found[i] = pull(i, now, polars, springs)


@wp.kernel(enable_backward=False)
def measure_energies(first: int, springs: Springs, now: Points, polars: Polars, found: FloatArray):
    """Half of stiffness times squared change, over the springs of a vertex; ring springs count half at each end."""
    i = first + wp.tid()
    ring = springs.ring_stiffness[i]
    site = springs.anchors[i] * springs.bone_stiffness[i]
    p = polars[i]
    u = wp.vec3f(p[0], p[1], p[2])
    aim = springs.aims[i]
    bone_angle = springs.bone_angles[i]
    radius = p[3] + aim[3]
    total = float(0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        c = springs.edges[e]
        q = polars[j]
        stretch = wp.length(now[j] - now[i]) - c[0]
        off = wp.length(angular_error(u, wp.vec3f(q[0], q[1], q[2]), c[1], c[2]))
        total += (
            ring[0] * stretch * stretch
            + ring[1] * (q[3] - p[3]) * (q[3] - p[3])
            + ring[2] * radius * radius * off * off
        )
    total = 0.25 * total / float(wp.max(springs.starts[i + 1] - springs.starts[i], 1))
    bone_off = wp.length(angular_error(u, springs.bone_directions[springs.segments[i]], bone_angle[0], bone_angle[1]))
    twist_off = wp.length(angular_error(u, wp.vec3f(aim[0], aim[1], aim[2]), 1.0, 0.0))
    total += 0.5 * (site[0] * p[3] * p[3] + site[1] * radius * radius * bone_off * bone_off)
    off_target = springs.targets[i] - now[i]
    total += 0.5 * site[2] * radius * radius * twist_off * twist_off
    found[i] = total + 0.5 * springs.holds[i] * wp.dot(off_target, off_target)


@wp.kernel(enable_backward=False)
def set_targets(first: int, springs: Springs, offsets: Points):
    """Edits draw to where a vertex hangs, by incremental rotation, and on by the posed offset of the edits."""
    i = first + wp.tid()
    aim = springs.aims[i]
    springs.targets[i] = springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2]) + offsets[i]


@wp.func
def rotate_between(one: wp.vec3f, other: wp.vec3f, v: wp.vec3f) -> wp.vec3f:
    """v turned by the smallest turn from unit vector `one` to unit vector `other`; opposite ones turn nothing."""
    axis = wp.cross(one, other)
    cosine = wp.dot(one, other)
    if cosine < -0.9999:
        return v
    return v + wp.cross(axis, v) + (1.0 / (1.0 + cosine)) * wp.cross(axis, wp.cross(axis, v))


@wp.kernel(enable_backward=False)
def carry(
    first: int,
    springs: Springs,
    looseness: FloatArray,
    parameters: FloatArray,
    memory: Memory,
    now: Points,
    before: Points,
    polars: Polars,
):
    """Take the last result along with the joints' change since then, and leave it behind by its inertia.

    x <- a + Q (x - a_last) with the turn Q from the last u' to this one: the joints' differential transform. The skin's
    own velocity, as seen from the bones, loses `inertia` of what the bones' velocity gained.
    """
    i = first + wp.tid()
    aim = springs.aims[i]
    attached = springs.attachment_points[i]
    old = memory.aims[i]
    u = wp.vec3f(aim[0], aim[1], aim[2])
    u_old = wp.vec3f(old[0], old[1], old[2])
    grown = float(1.0)
    if old[3] > TINY:
        grown = aim[3] / old[3]
    x = attached + grown * rotate_between(u_old, u, memory.points[i] - memory.attached[i])
    drift = (x - memory.points[i]) / parameters[STEP]
    velocity = rotate_between(u_old, u, memory.velocities[i])
    if memory.drifts[i][0] < UNKNOWN_DRIFT:  # how bones came to the first pose is not known, so nothing is left behind
        velocity -= parameters[INERTIA] * looseness[i] * (drift - memory.drifts[i])
    memory.attached[i] = attached
    memory.aims[i] = aim
    memory.drifts[i] = drift
    memory.velocities[i] = velocity
    memory.rooms[i] = parameters[ROOM_RETENTION] * memory.rooms[i]
    now[i] = x
    before[i] = x
    polars[i] = polar(x, attached, aim)


@wp.kernel(enable_backward=False)
def integrate(
    first: int,
    springs: Springs,
    rates: FloatArray,
    max_offsets: FloatArray,
    rooms: FloatArray,
    parameters: FloatArray,
    velocities: Points,
    now: Points,
    polars: Polars,
    after: Points,
    after_polars: Polars,
):
    """Semi-implicit Euler: v <- retention (v + dt rate^2 pull / sum k), x <- x + dt v.

    A vertex is held back ever more on its way to its largest offset from where it would be without springs, which is
    larger where hands or edits have drawn at it. dt rate is at most one, so that no wave outruns the mesh. Static
    vertices are where they would be without springs.
    """
    i = first + wp.tid()
    ring = springs.ring_stiffness[i]
    site = springs.anchors[i] * springs.bone_stiffness[i]
    aim = springs.aims[i]
    attached = springs.attachment_points[i]
    force = pull(i, now, polars, springs)
    total = total_stiffness(i, springs)
    dt = parameters[SWEEP_STEP]
    velocity = parameters[RETENTION] * (velocities[i] + (dt * rates[i] * rates[i] / wp.max(total, TINY)) * force)
    max_offset = max_offsets[i] + rooms[i] + springs.edit_rooms[i]
    if rooms[i] > 0.0:  # where hands have made room, it would swing right through the bone
        pace = rates[i] * wp.sqrt((site[0] + site[1] + site[2] + SPREAD * (ring[0] + ring[2])) / wp.max(total, TINY))
        velocity *= wp.exp(-CALM * pace * dt * rooms[i] / max_offset)
    x = now[i] + dt * velocity
    home = attached + aim[3] * wp.vec3f(aim[0], aim[1], aim[2])
    away = x - home
    far = wp.length(away)
    taut = far / max_offset
    if taut > 0.5:  # held back ever more, so that nothing changes abruptly
        out = away / far
        x = home + (max_offset * (1.0 - 0.25 / taut)) * out
        velocity -= (1.0 - 0.25 / (taut * taut)) * wp.max(wp.dot(velocity, out), 0.0) * out
    x = home + springs.freedom[i] * (x - home)
    velocities[i] = springs.freedom[i] * velocity
    after[i] = x
    after_polars[i] = polar(x, attached, aim)


@wp.kernel(enable_backward=False)
def limit_stretch(
    first: int,
    springs: Springs,
    looseness: FloatArray,
    rooms: FloatArray,
    parameters: FloatArray,
    now: Points,
    velocities: Points,
    after: Points,
):
    """Ends of an edge that has swung to too much or too little of its length go on apart or together ever less.

    Without motion an edge is about as long as at bind, or as the first stage has it. Beyond these two, what is free is
    `max_stretch` of either; from half of that on, more and more of its ends' velocity along it is lost, by the loose
    end more than by the firm one. Skin at rest feels nothing. Hands and edits may draw farther.
    """
    i = first + wp.tid()
    x = now[i]
    velocity = velocities[i]
    aim = springs.aims[i]
    home = springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2])
    own = wp.max(looseness[i], YIELDING)
    drawn = rooms[i] + springs.edit_rooms[i]
    change = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        rest = springs.edges[e][0]
        edge = now[j] - x
        length = wp.max(wp.length(edge), TINY)
        apart = wp.dot(velocities[j] - velocity, edge) / length
        if (apart > 0.0 and length > rest) or (apart < 0.0 and length < rest):  # else nothing is taut
            aim_j = springs.aims[j]
            home_j = springs.attachment_points[j] + aim_j[3] * wp.vec3f(aim_j[0], aim_j[1], aim_j[2])
            aimed = wp.length(home_j - home)
            off = length - wp.max(aimed, rest)
            free = parameters[MAX_STRETCH] * wp.max(aimed, rest)
            if apart < 0.0:
                off = wp.min(aimed, rest) - length
                free = parameters[MAX_STRETCH] * wp.min(aimed, rest)
            room = wp.max(free + drawn + rooms[j] + springs.edit_rooms[j], TINY)
            taut = wp.clamp(2.0 * off / room - 1.0, 0.0, 1.0)
            lost = taut * own / (own + wp.max(looseness[j], YIELDING))
            change += (lost * apart / length) * edge
    count = springs.starts[i + 1] - springs.starts[i]
    after[i] = velocity + change * (2.0 / float(wp.max(count, 2)))  # edges lie two ways along the skin
