"""Arithmetic of contacts and of joint limits on arrays.

A contact is a point of the flesh, a blend of up to four nodes with shares s, that may not go on against a normal n.
Its row is J = sum_a s_a n^T L_a; on the skin of node a it is j_a = s_a W_a^T n. With the links' part condensed,

    Jcond = sum_a w (n_a; r x n_a),   n_a = s_a n - m_a W_a D_a j_a,   M = sum_a j_a^T D_a j_a.   [Galoppo2007, 5.4]

Contacts that share nodes push each other's points; then M counts that push too, so each answers too little rather than
too much, and they are answered again.
"""

import warp as wp

from supple.skins.contact.body_kernels import (
    HINGE,
    IMPULSE,
    TWIST,
    WORK,
    add_vector,
    rotation_vector,
    set_row,
    vector_at,
)
from supple.skins.contact.kernels import Matrices, Numbers, Vectors, Whole

CORNERS = wp.constant(4)


@wp.kernel(enable_backward=False)
def prepare_contacts(
    first: int, counts: Whole, free: int, floor: wp.float64, dt: wp.float64, corners: Whole, shares: Numbers,
    normals: Vectors, motions: Vectors, gaps: Numbers, masses: Numbers, blends: Matrices, inverses: Matrices,
    paces: Vectors, reach: Numbers, skins: Vectors, pushes: Vectors, yields: Numbers, wanted: Numbers, begun: Numbers,
    gathered: Numbers,
):  # fmt: skip
    """Rows of all contacts, how much each yields, and how fast each may go on.

    A point that began the step outside may come as far as to touch; one that began inside may not go deeper.
    """
    for c in range(counts[0]):
        n = normals[c]
        pace = wp.float64(0.0)
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            j = corners[a]
            s = shares[a]
            pace += s * wp.dot(n, paces[j])
            skin = wp.vec3d()
            push = s * n
            if j < free and s != wp.float64(0.0):
                skin = s * (wp.transpose(blends[j]) * n)
                push = push - masses[j] * (blends[j] * (inverses[j] * skin))
                reach[j] = reach[j] + wp.sqrt(wp.dot(skin, inverses[j] * skin))
            skins[a] = skin
            pushes[a] = push
        away = wp.dot(n, motions[c])
        begun[c] = gaps[c] - dt * (pace - away)
        wanted[c] = away - wp.max(begun[c], wp.float64(0.0)) / dt
        gathered[c] = wp.float64(0.0)
    for c in range(counts[0]):
        total = wp.float64(0.0)
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            j = corners[a]
            if j < free:
                total += wp.sqrt(wp.dot(skins[a], inverses[j] * skins[a])) * reach[j]
        yields[c] = wp.max(total, floor)
    for c in range(counts[0]):
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            if corners[a] < free:
                reach[corners[a]] = wp.float64(0.0)


@wp.kernel(enable_backward=False)
def find_excess(
    first: int, counts: Whole, joints: int, dt: wp.float64, share: wp.float64, corners: Whole, shares: Numbers,
    normals: Vectors, paces: Vectors, wanted: Numbers, slack: wp.float64, children: Whole, parents: Whole,
    kinds: Whole, axes: Vectors, lows: Numbers, highs: Numbers, limit_rows: Whole, turns: Matrices, spins: Vectors,
    excess: Numbers, active: Whole, limits: Vectors, limit_excess: Numbers, limit_active: Whole,
):  # fmt: skip
    """By how much every contact and limit goes on too fast now, and which of them are to be answered.

    The limit of a ball bounds its angle, that of a hinge its angle about the axis, from the nearer side.
    """
    counts[1] = 0
    for c in range(counts[0]):
        pace = wp.float64(0.0)
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            pace += shares[a] * wp.dot(normals[c], paces[corners[a]])
        excess[c] = pace - wanted[c]
        active[c] = 0
        if excess[c] < -slack:
            active[c] = 1
            counts[1] = 1
    for c in range(joints):
        limit_active[c] = 0
        if limit_rows[c] >= 0:
            out = rotation_vector(wp.transpose(turns[parents[c]]) * turns[children[c]])
            room = wp.float64(0.0)
            along = wp.vec3d()
            if kinds[c] == HINGE:
                angle = wp.dot(out, axes[3 * c])
                along = -axes[3 * c]
                room = highs[c] - angle
                if angle - lows[c] < room:
                    along = axes[3 * c]
                    room = angle - lows[c]
            else:
                angle = wp.length(out)
                room = highs[c] - angle
                along = -out / wp.max(angle, wp.float64(1.0e-12))
            row = turns[children[c]] * along
            limits[c] = row
            rate = wp.dot(row, spins[children[c]] - spins[parents[c]])
            least = -room / dt
            if room < wp.float64(0.0):
                least = share * least
            limit_excess[c] = rate - least
            if limit_excess[c] < -slack:
                limit_active[c] = 1
                counts[1] = 1


@wp.func
def add_outer(
    a: int, b: int, f: wp.vec3d, t: wp.vec3d, g: wp.vec3d, u: wp.vec3d, scale: wp.float64, firsts: Whole, ats: Whole,
    values: Numbers,
):  # fmt: skip
    """Add scale (f; t)(g; u)^T at links a and b, of which a comes later or is the same."""
    for i in range(6):
        left = scale * t[(i + 3) % 3]
        if i < 3:
            left = scale * f[i]
        at = ats[a + i] - firsts[a + i]
        for j in range(6):
            right = u[(j + 3) % 3]
            if j < 3:
                right = g[j]
            if b + j <= a + i:
                values[at + b + j] = values[at + b + j] + left * right


@wp.kernel(enable_backward=False)
def assemble_contacts(
    first: int, counts: Whole, joints: int, size: int, entries: int, carriers: int, starts: Whole, firsts: Whole,
    ats: Whole, links: Whole, weights: Numbers, arms: Vectors, corners: Whole, shares: Numbers, pushes: Vectors,
    yields: Numbers, excess: Numbers, active: Whole, children: Whole, parents: Whole, limits: Vectors,
    limit_excess: Numbers, limit_active: Whole, limit_rows: Whole, base: Numbers, values: Numbers, right: Numbers,
):  # fmt: skip
    """Mb* = M^cond + Jcond^T M^-1 Jcond and its right side -Jcond^T M^-1 b; limits that are met as rows."""
    for e in range(entries):
        values[e] = base[e]
    for i in range(size):
        right[i] = wp.float64(0.0)
    for c in range(counts[0]):
        if active[c] == 1:
            soft = wp.float64(1.0) / yields[c]
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                if shares[a] != wp.float64(0.0):
                    for e in range(carriers * corners[a], carriers * corners[a] + carriers):
                        if weights[e] > wp.float64(0.0):
                            f = weights[e] * pushes[a]
                            t = wp.cross(arms[e], f)
                            at = starts[links[e]]
                            add_vector(at, -(soft * excess[c]) * f, right)
                            add_vector(at + 3, -(soft * excess[c]) * t, right)
                            for b in range(CORNERS * c, CORNERS * c + CORNERS):
                                if shares[b] != wp.float64(0.0):
                                    for h in range(carriers * corners[b], carriers * corners[b] + carriers):
                                        g = weights[h] * pushes[b]
                                        if weights[h] > wp.float64(0.0) and starts[links[h]] <= at:
                                            u = wp.cross(arms[h], g)
                                            add_outer(at, starts[links[h]], f, t, g, u, soft, firsts, ats, values)
    for c in range(joints):
        if limit_active[c] == 1:
            row = limit_rows[c]
            values[ats[row + 1] - 1] = wp.float64(0.0)
            set_row(row, starts[children[c]] + 3, limits[c], firsts, ats, values)
            set_row(row, starts[parents[c]] + 3, -limits[c], firsts, ats, values)
            right[row] = limit_excess[c]


@wp.func
def link_pace(
    c: int, carriers: int, starts: Whole, links: Whole, weights: Numbers, arms: Vectors, corners: Whole,
    shares: Numbers, pushes: Vectors, answer: Numbers,
) -> wp.float64:  # fmt: skip
    """Jcond dv of a contact."""
    pace = wp.float64(0.0)
    for a in range(CORNERS * c, CORNERS * c + CORNERS):
        if shares[a] != wp.float64(0.0):
            for e in range(carriers * corners[a], carriers * corners[a] + carriers):
                at = starts[links[e]]
                v = vector_at(at, answer) + wp.cross(vector_at(at + 3, answer), arms[e])
                pace += weights[e] * wp.dot(pushes[a], v)
    return pace


@wp.kernel(enable_backward=False)
def judge_contacts(
    first: int, counts: Whole, joints: int, carriers: int, slack: wp.float64, starts: Whole, links: Whole,
    weights: Numbers, arms: Vectors, corners: Whole, shares: Numbers, pushes: Vectors, yields: Numbers,
    excess: Numbers, children: Whole, parents: Whole, limits: Vectors, limit_excess: Numbers, limit_rows: Whole,
    answer: Numbers, active: Whole, limit_active: Whole, impulses: Numbers, limit_impulses: Numbers,
):  # fmt: skip
    """Impulses of the contacts that were answered. Those that would pull let go; those that now go on too fast join.

    counts[1] says whether anything changed. Once counts[2] is set nothing joins any more: then what pushes can only
    become less, so it comes to an end.
    """
    counts[1] = 0
    for c in range(counts[0]):
        pace = link_pace(c, carriers, starts, links, weights, arms, corners, shares, pushes, answer)
        if active[c] == 1:
            impulses[c] = -(pace + excess[c]) / yields[c]
            if impulses[c] < wp.float64(0.0):
                active[c] = 0
                counts[1] = 1
        else:
            impulses[c] = wp.float64(0.0)
            if counts[2] == 0 and excess[c] + pace < -slack:
                active[c] = 1
                counts[1] = 1
    for c in range(joints):
        limit_impulses[c] = wp.float64(0.0)
        if limit_rows[c] >= 0:
            if limit_active[c] == 1:
                limit_impulses[c] = answer[limit_rows[c]]
                if limit_impulses[c] < wp.float64(0.0):
                    limit_active[c] = 0
                    counts[1] = 1
            else:
                spin = vector_at(starts[children[c]] + 3, answer) - vector_at(starts[parents[c]] + 3, answer)
                if counts[2] == 0 and limit_excess[c] + wp.dot(limits[c], spin) < -slack:
                    limit_active[c] = 1
                    counts[1] = 1


@wp.kernel(enable_backward=False)
def press_skin(
    first: int, counts: Whole, free: int, corners: Whole, shares: Numbers, normals: Vectors, motions: Vectors,
    skins: Vectors, nodes: Vectors, impulses: Numbers, sides: Vectors, gathered: Numbers, books: Numbers,
):  # fmt: skip
    """Contacts press the skin, and what they bring from outside goes to the books."""
    for c in range(counts[0]):
        push = impulses[c]
        if push > wp.float64(0.0):
            gathered[c] = gathered[c] + push
            point = wp.vec3d()
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                point += shares[a] * nodes[corners[a]]
                if corners[a] < free:
                    sides[corners[a]] = sides[corners[a]] + push * skins[a]
            twist = push * wp.cross(point, normals[c])
            for axis in range(3):
                books[IMPULSE + axis] = books[IMPULSE + axis] + push * normals[c][axis]
                books[TWIST + axis] = books[TWIST + axis] + twist[axis]
            books[WORK] = books[WORK] + wp.max(push * wp.dot(normals[c], motions[c]), wp.float64(0.0))


@wp.kernel(enable_backward=False)
def rub_and_lift(
    first: int, counts: Whole, free: int, carriers: int, dt: wp.float64, slack: wp.float64, links: Whole,
    weights: Numbers, arms: Vectors, blends: Matrices, masses: Numbers, nodes: Vectors, velocities: Vectors,
    spins: Vectors, corners: Whole, shares: Numbers, normals: Vectors, motions: Vectors, gaps: Numbers,
    frictions: Numbers, gathered: Numbers,
    begun: Numbers, flows: Vectors, shifts: Vectors, books: Numbers,
):  # fmt: skip
    """Friction slows what slides, and what stands deeper inside than `slack` is lifted out; both of the skin alone.

    Sliding loses at most friction times the change of the normal velocity [Bridson2002]. Contacts are taken one after
    another, each with what those before it did.
    """
    for c in range(counts[0]):
        n = normals[c]
        pace = wp.vec3d()
        lifted = wp.float64(0.0)
        grip = wp.float64(0.0)
        for a in range(CORNERS * c, CORNERS * c + CORNERS):
            j = corners[a]
            s = shares[a]
            if s != wp.float64(0.0):
                for e in range(carriers * j, carriers * j + carriers):
                    i = links[e]
                    pace += (s * weights[e]) * (velocities[i] + wp.cross(spins[i], arms[e]))
                if j < free:
                    pace += s * (blends[j] * flows[j])
                    lifted += s * wp.dot(n, blends[j] * shifts[j])
                    grip += s * s
        if grip > wp.float64(0.0):
            along = pace - motions[c]
            normal = wp.dot(n, along)
            across = along - normal * n
            speed = wp.length(across)
            loss = wp.vec3d()
            if gathered[c] > wp.float64(0.0) and speed > wp.float64(1.0e-12):
                stopped = wp.max(normal - (gaps[c] - begun[c]) / dt, wp.float64(0.0))
                loss = -(wp.min(frictions[c] * stopped, speed) / speed) * across
            inside = begun[c] + dt * normal + lifted
            lift = wp.max(-inside - slack, wp.float64(0.0)) * n
            for a in range(CORNERS * c, CORNERS * c + CORNERS):
                j = corners[a]
                if j < free and shares[a] != wp.float64(0.0):
                    back = wp.transpose(blends[j])
                    if wp.determinant(blends[j]) > wp.float64(1.0e-3):
                        back = wp.inverse(blends[j])
                    part = shares[a] / grip
                    flows[j] = flows[j] + part * (back * loss)
                    shifts[j] = shifts[j] + part * (back * lift)
                    got = (masses[j] * part) * (blends[j] * (back * loss))
                    twist = wp.cross(nodes[j], got)
                    for axis in range(3):
                        books[IMPULSE + axis] = books[IMPULSE + axis] + got[axis]
                        books[TWIST + axis] = books[TWIST + axis] + twist[axis]
