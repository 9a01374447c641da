# mypy: ignore-errors
"""Ways of skin between springs: it begins somewhere, sweeps to rest, or swings.

What springs want, and how they pull, is in `energy`, with its symbols. Every kernel works on item `first + tid`, so
that a launch can be cut into ranges.
"""

import warp as wp

from supple.skins.springs.kernels.energy import (
    TINY,
    Angles,
    FloatArray,
    IntArray,
    Points,
    Polars,
    Springs,
    polar,
    pull,
    total_stiffness,
)

STEP_SCALE, MOMENTUM, MEASURED = wp.constant(0), wp.constant(1), wp.constant(2)  # parameters of sweeps
STEP, INERTIA, SWEEP_STEP = wp.constant(0), wp.constant(1), wp.constant(2)  # and in time
ROOM_RETENTION, MAX_STRETCH = wp.constant(3), wp.constant(4)

SURE = wp.constant(16.0)  # how soon the last move counts fully, by the squared cosine between it and the pull
CALM = wp.constant(0.8)  # damping of skin that a hand has let go, of the pace at which it swings; two ends all swings
SPREAD = wp.constant(0.1)  # how much springs along the skin add to that pace
MOVES = wp.constant(1)  # what a sweep measures: how far vertices moved
FORCES = wp.constant(2)  # or how hard they were pulled, per unit of stiffness
UNKNOWN_DRIFT = wp.constant(1.0e30)  # m/s of bones of which only one pose is known
YIELDING = wp.constant(0.05)  # looseness below which skin counts as firm


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


@wp.struct
class Swung:
    """Where a vertex has swung to, and its velocity there."""

    x: wp.vec3f
    velocity: wp.vec3f


@wp.func
def swing(
    i: int,
    start: wp.vec3f,
    velocity: wp.vec3f,
    dt: float,
    springs: Springs,
    rates: FloatArray,
    max_offsets: FloatArray,
    rooms: FloatArray,
) -> Swung:
    """On by a velocity, but held back ever more on the way to the largest offset from where it hangs without springs.

    That is larger where hands or edits have drawn at it. Static vertices are where they hang.
    """
    aim = springs.aims[i]
    max_offset = max_offsets[i] + rooms[i] + springs.edit_rooms[i]
    if rooms[i] > 0.0:  # where hands have made room, it would swing right through the bone
        ring = springs.ring_stiffness[i]
        site = springs.anchors[i] * springs.bone_stiffness[i]
        own = site[0] + site[1] + site[2] + SPREAD * (ring[0] + ring[2])
        pace = rates[i] * wp.sqrt(own / wp.max(total_stiffness(i, springs), TINY))
        velocity *= wp.exp(-CALM * pace * dt * rooms[i] / max_offset)
    x = start + dt * velocity
    home = springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2])
    away = x - home
    far = wp.length(away)
    taut = far / max_offset
    if taut > 0.5:  # held back ever more, so that nothing changes abruptly
        out = away / far
        x = home + (max_offset * (1.0 - 0.25 / taut)) * out
        velocity -= (1.0 - 0.25 / (taut * taut)) * wp.max(wp.dot(velocity, out), 0.0) * out
    found = Swung()
    found.x = home + springs.freedom[i] * (x - home)
    found.velocity = springs.freedom[i] * velocity
    return found


@wp.kernel(enable_backward=False)
def integrate(
    first: int,
    springs: Springs,
    rates: FloatArray,
    fadings: FloatArray,
    max_offsets: FloatArray,
    rooms: FloatArray,
    parameters: FloatArray,
    velocities: Points,
    now: Points,
    polars: Polars,
    after: Points,
    after_polars: Polars,
):
    """Semi-implicit Euler: v <- exp(-fading dt) (v + dt rate^2 pull / sum k), x <- x + dt v.

    dt rate is at most one, so that no wave outruns the mesh.
    """
    i = first + wp.tid()
    total = total_stiffness(i, springs)
    dt = parameters[SWEEP_STEP]
    force = pull(i, now, polars, springs)
    velocity = velocities[i] + (dt * rates[i] * rates[i] / wp.max(total, TINY)) * force
    velocity *= wp.exp(-fadings[i] * dt)
    swung = swing(i, now[i], velocity, dt, springs, rates, max_offsets, rooms)
    velocities[i] = swung.velocity
    after[i] = swung.x
    after_polars[i] = polar(swung.x, springs.attachment_points[i], springs.aims[i])


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
    end more than by the firm one; what is quite firm loses nothing. Skin at rest feels nothing. Hands and edits may
    draw farther.
    """
    i = first + wp.tid()
    velocity = velocities[i]
    if looseness[i] < YIELDING:
        after[i] = velocity
        return
    x = now[i]
    aim = springs.aims[i]
    home = springs.attachment_points[i] + aim[3] * wp.vec3f(aim[0], aim[1], aim[2])
    own = looseness[i]
    drawn = rooms[i] + springs.edit_rooms[i]
    half = 0.5 * parameters[MAX_STRETCH]  # within which nothing is taut
    change = wp.vec3f(0.0, 0.0, 0.0)
    for e in range(springs.starts[i], springs.starts[i + 1]):
        j = springs.others[e]
        rest = springs.edges[e][0]
        edge = now[j] - x
        squared = wp.dot(edge, edge)
        apart = wp.dot(velocities[j] - velocity, edge)
        longest, shortest = (1.0 + half) * rest, (1.0 - half) * rest
        if (apart > 0.0 and squared > longest * longest) or (apart < 0.0 and squared < shortest * shortest):
            length = wp.max(wp.sqrt(squared), TINY)
            apart /= length
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
