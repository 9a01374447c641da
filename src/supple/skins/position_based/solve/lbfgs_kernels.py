# mypy: ignore-errors
"""Arithmetic of L-BFGS: the least of an energy, found by a quasi-Newton method with a line search.

Symbols: x a particle, G the gradient of the energy, A a constant matrix close to its second derivatives, H = A^-1 G
(the preconditioned gradient). The last three differences of x, G and H are S, Y and Z = A^-1 Y; L-BFGS
[LiuBouazizKavan2017] makes of them a better direction than H. Only their inner products matter, so that no step depends
on the order of particles or elements but by rounding. S.Y is only asked for where Y is not older than S. As
A is symmetric, Y.H is Z.G, but not when rounded: what is set against it is Y.Z, and flesh would not come to rest.
"""

import warp as wp

from supple.geometry.kernels.block import wait_for_block
from supple.geometry.kernels.particle import position, translate

Vec4Array = wp.array(dtype=wp.vec4f)
Vec3Array = wp.array(dtype=wp.vec3f)
Mat33Array = wp.array(dtype=wp.mat33f)
FloatArray = wp.array(dtype=wp.float32)
IntArray = wp.array(dtype=wp.int32)

# What every lane adds up: four kinds of inner products, three of each, and the energy, one after another.
S_G = wp.constant(0)
Y_H = wp.constant(3)
S_NEW_Y = wp.constant(6)
NEW_Y_Z = wp.constant(9)
ENERGY = wp.constant(12)
Products = wp.types.vector(length=13, dtype=wp.float32)
ProductsArray = wp.array(dtype=Products)
LANES = 512  # that share a body on a GPU, if there are few bodies
LANES_OF_MANY = 256
MAX_ENERGY_RISE = wp.constant(1.5)  # times the energy before: a step that ends higher is halved
MIN_CURVATURE = wp.constant(0.05)  # S.Y over Y.Z from which a difference tells something of E
TINY = wp.constant(1.0e-12)


@wp.struct
class Iterate:
    """x, G and H from which the last step started."""

    positions: Vec3Array
    gradients: Vec3Array
    preconditioned: Vec3Array


@wp.struct
class History:
    """S, Y and Z of the last three steps, one after another, with their products S.Y and Y.Z, for every body.

    `slot` is where the next is written. `count` says how many are kept; below zero it says that nothing is there to
    compare with yet.
    """

    positions: Vec3Array
    gradients: Vec3Array
    preconditioned: Vec3Array
    s_y: Mat33Array
    y_z: Mat33Array
    slot: IntArray
    count: IntArray


@wp.struct
class LineSearch:
    """Where every body stands: the energy of the last step that was good, how often the last one was halved, and the
    direction as weights of Z (`alphas`) and S (`gammas`)."""

    energy: FloatArray
    backtracks: IntArray
    alphas: Vec3Array
    gammas: Vec3Array


@wp.func
def add_products(
    c: int,
    lane: int,
    lanes: int,
    particles_per_copy: int,
    energies: FloatArray,
    particles: Vec4Array,
    gradients: Vec3Array,
    preconditioned: Vec3Array,
    last: Iterate,
    history: History,
) -> Products:
    """Write down the newest S, Y and Z, and add up all products that have something new in them.

    A lane goes through part of one body; lanes are as many on every machine, so that all add up alike.
    """
    count = particles.shape[0]
    slot = history.slot[c]
    products = Products()
    for i in range(lane, particles_per_copy, lanes):
        p = c * particles_per_copy + i
        own = particles[p]
        if own[3] > 0.0:  # G is zero where nothing moves
            g = gradients[p]
            h = preconditioned[p]
            s = position(own) - last.positions[p]
            y = g - last.gradients[p]
            z = h - last.preconditioned[p]
            products[ENERGY] += energies[p]
            for k in range(3):
                old_s = s
                old_y = y
                old_z = z
                if k != slot:
                    old_s = history.positions[k * count + p]
                    old_y = history.gradients[k * count + p]
                    old_z = history.preconditioned[k * count + p]
                products[S_G + k] += wp.dot(old_s, g)
                products[Y_H + k] += wp.dot(old_y, h)
                products[S_NEW_Y + k] += wp.dot(old_s, y)
                products[NEW_Y_Z + k] += wp.dot(y, old_z)
            history.positions[slot * count + p] = s
            history.gradients[slot * count + p] = y
            history.preconditioned[slot * count + p] = z
    return products


@wp.func
def three_of(sums: Products, first: int) -> wp.vec3f:
    return wp.vec3f(sums[first], sums[first + 1], sums[first + 2])


@wp.func
def by_age(v: wp.vec3f, after: int) -> wp.vec3f:
    """From the order of slots to that of age, the newest first, or back: number (after + 2 - k) % 3 at every k."""
    return wp.where(
        after == 0,
        wp.vec3f(v[2], v[1], v[0]),
        wp.where(after == 1, wp.vec3f(v[0], v[2], v[1]), wp.vec3f(v[1], v[0], v[2])),
    )


@wp.func
def both_by_age(m: wp.mat33f, after: int) -> wp.mat33f:
    """The same for rows and columns."""
    by_row = wp.matrix_from_cols(
        by_age(wp.vec3f(m[0, 0], m[1, 0], m[2, 0]), after),
        by_age(wp.vec3f(m[0, 1], m[1, 1], m[2, 1]), after),
        by_age(wp.vec3f(m[0, 2], m[1, 2], m[2, 2]), after),
    )
    return wp.matrix_from_rows(
        by_age(wp.vec3f(by_row[0, 0], by_row[0, 1], by_row[0, 2]), after),
        by_age(wp.vec3f(by_row[1, 0], by_row[1, 1], by_row[1, 2]), after),
        by_age(wp.vec3f(by_row[2, 0], by_row[2, 1], by_row[2, 2]), after),
    )


@wp.func
def choose_direction(c: int, min_product: float, sums: Products, history: History, search: LineSearch):
    """The direction of one body as weights of H, Z and S, by the two loops of L-BFGS on inner products alone.

    A step after which the energy is too high is halved instead. Differences with Y.Z below `min_product` are rounding.
    """
    now = sums[ENERGY]
    backtracked = search.backtracks[c]
    before = search.energy[c]
    slot = history.slot[c]
    kept = history.count[c]
    products = history.s_y[c]
    second = history.y_z[c]
    if kept >= 0 and now > MAX_ENERGY_RISE * before and backtracked < 2:
        search.backtracks[c] = backtracked + 1
        return
    after = slot
    if kept < 0:
        kept = 0
    else:
        s_new_y = three_of(sums, S_NEW_Y)
        new_y_z = three_of(sums, NEW_Y_Z)
        for k in range(3):
            for other in range(3):
                products[k, other] = wp.where(other == slot, s_new_y[k], products[k, other])
                second[k, other] = wp.where(other == slot, new_y_z[k], second[k, other])
                second[k, other] = wp.where(k == slot, new_y_z[other], second[k, other])
        newest = wp.where(slot == 0, s_new_y[0], wp.where(slot == 1, s_new_y[1], s_new_y[2]))
        size = wp.where(slot == 0, new_y_z[0], wp.where(slot == 1, new_y_z[1], new_y_z[2]))
        if newest > MIN_CURVATURE * size and size > min_product:
            kept = wp.min(kept + 1, 3)
            after = (slot + 1) % 3
        else:  # it stands where the oldest was
            kept = wp.min(kept, 2)
    # In the order of age, all loops are short and known, and nothing has to be looked up by a number.
    s_y = both_by_age(products, after)
    y_z = both_by_age(second, after)
    s_g = by_age(three_of(sums, S_G), after)
    y_h = by_age(three_of(sums, Y_H), after)
    alpha = wp.vec3f(0.0, 0.0, 0.0)
    gamma = wp.vec3f(0.0, 0.0, 0.0)
    for k in range(3):
        if k < kept:
            along = s_g[k]
            for newer in range(k):
                along -= alpha[newer] * s_y[k, newer]
            alpha[k] = along / s_y[k, k]
    for back in range(3):
        k = 2 - back
        if k < kept:
            along = y_h[k]
            for other in range(3):
                along -= alpha[other] * y_z[k, other]
                if other > k:
                    along += gamma[other] * s_y[other, k]
            gamma[k] = alpha[k] - along / s_y[k, k]
    alpha = by_age(alpha, after)
    gamma = by_age(gamma, after)
    if not (wp.isfinite(alpha) and wp.isfinite(gamma)):
        kept = 0
        alpha = wp.vec3f(0.0, 0.0, 0.0)
        gamma = wp.vec3f(0.0, 0.0, 0.0)
    search.backtracks[c] = 0
    search.energy[c] = now
    search.alphas[c] = alpha
    search.gammas[c] = gamma
    history.s_y[c] = products
    history.y_z[c] = second
    history.slot[c] = after
    history.count[c] = kept


@wp.func
def step_particle(
    p: int,
    c: int,
    max_step: float,
    search: LineSearch,
    gradients: Vec3Array,
    preconditioned: Vec3Array,
    history: History,
    last: Iterate,
    particles: Vec4Array,
):
    """x moves by -(H - sum_k alpha_k Z_k + sum_k gamma_k S_k), `max_step` [m] at most, or half of its last way back."""
    count = particles.shape[0]
    own = particles[p]
    if own[3] > 0.0:
        if search.backtracks[c] > 0:
            particles[p] = translate(own, 0.5 * (last.positions[p] - position(own)))
        else:
            alpha = search.alphas[c]
            gamma = search.gammas[c]
            d = preconditioned[p]
            for k in range(3):
                d += gamma[k] * history.positions[k * count + p] - alpha[k] * history.preconditioned[k * count + p]
            last.positions[p] = position(own)
            last.gradients[p] = gradients[p]
            last.preconditioned[p] = preconditioned[p]
            particles[p] = translate(own, -wp.min(1.0, max_step / wp.max(wp.length(d), TINY)) * d)


@wp.kernel(enable_backward=False)
def lbfgs_products(
    first: int,
    lanes: int,
    particles_per_copy: int,
    energies: FloatArray,
    particles: Vec4Array,
    gradients: Vec3Array,
    preconditioned: Vec3Array,
    last: Iterate,
    history: History,
    sums: ProductsArray,
):
    """All products of one lane of one body."""
    n = first + wp.tid()
    c = n // lanes
    lane = n - c * lanes
    sums[n] = add_products(
        c, lane, lanes, particles_per_copy, energies, particles, gradients, preconditioned, last, history
    )


@wp.kernel(enable_backward=False)
def lbfgs_direction(first: int, min_product: float, sums: ProductsArray, history: History, search: LineSearch):
    """The direction of one body."""
    c = first + wp.tid()
    choose_direction(c, min_product, sums[c], history, search)


@wp.kernel(enable_backward=False)
def line_search_step(
    first: int,
    particles_per_copy: int,
    max_step: float,
    search: LineSearch,
    gradients: Vec3Array,
    preconditioned: Vec3Array,
    history: History,
    last: Iterate,
    particles: Vec4Array,
):
    """The step of one particle."""
    p = first + wp.tid()
    step_particle(p, p // particles_per_copy, max_step, search, gradients, preconditioned, history, last, particles)


@wp.kernel(enable_backward=False, launch_bounds=512)
def lbfgs_round(
    first: int,
    particles_per_copy: int,
    limits: wp.vec2f,
    energies: FloatArray,
    particles: Vec4Array,
    gradients: Vec3Array,
    preconditioned: Vec3Array,
    last: Iterate,
    history: History,
    search: LineSearch,
):
    """All three of one body, by a block of threads on a GPU; `limits` are `min_product` and `max_step`."""
    t = first + wp.tid()
    lanes = wp.block_dim()
    c = t // lanes
    lane = t - c * lanes
    part = add_products(
        c, lane, lanes, particles_per_copy, energies, particles, gradients, preconditioned, last, history
    )
    total = wp.tile_sum(wp.tile(part, preserve_type=True))
    sums = total[0]
    if lane == 0:
        choose_direction(c, limits[0], sums, history, search)
    wait_for_block()
    for i in range(lane, particles_per_copy, lanes):
        step_particle(
            c * particles_per_copy + i, c, limits[1], search, gradients, preconditioned, history, last, particles
        )
