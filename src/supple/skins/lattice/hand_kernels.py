# mypy: ignore-errors
"""Arithmetic of hands that hold the lattice or push it.

Symbols: for hand a, c_i how much of its place hangs on node i (sum one), g_i how firmly it grips node i (0 to 1),
p the place of the skin it holds, l = p - sum c_i x_i, called its tie. All positions are seen from the origin of the
character.
"""

import warp as wp

from supple.skins.kinematic.kernels import Points
from supple.skins.lattice.kernels import DT, Helps
from supple.skins.lattice.matching_kernels import Numbers, Whole

HANDS = 8  # at once
vec8 = wp.types.vector(length=HANDS, dtype=wp.float32)
Grips = wp.array(dtype=vec8)

NOBODY = wp.constant(0)
HOLDS = wp.constant(1)
PUSHES = wp.constant(2)
EASE = wp.constant(40.0)  # 1/s: a hand that is told to go elsewhere has a twentieth of the way left after 0.12 s
LATELY = wp.constant(0.5)  # how much of the new l is believed: it was seen one step ago
FADE = wp.constant(0.1)  # s in which flesh that was let go loses two thirds of its longer reach
NONE = wp.constant(1.0e-6)  # m
RECOVERY = wp.constant(0.5)  # s in which the skin of a body that was let go is two thirds back at its own volume


@wp.func
def place_on_nodes(hand: int, starts: Whole, nodes: Whole, shares: Numbers, positions: Points) -> wp.vec3f:
    """sum c_i x_i."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    for slot in range(starts[hand], starts[hand + 1]):
        total += shares[slot] * positions[nodes[slot]]
    return total


@wp.func
def place_on_skin(
    hand: int, starts: Whole, vertices: Whole, portions: Numbers, origins: Points, copies: Whole, skin: Points
) -> wp.vec3f:
    """p, as it was seen last."""
    total = wp.vec3f(0.0, 0.0, 0.0)
    origin = origins[copies[hand]]
    for slot in range(starts[hand], starts[hand + 1]):
        total += portions[slot] * (skin[vertices[slot]] - origin)
    return total


@wp.kernel(enable_backward=False)
def move_hands(
    first: int,
    knobs: Numbers,
    longest: float,
    kinds: Whole,
    copies: Whole,
    shifts: Points,
    wanted: Points,
    starts: Whole,
    nodes: Whole,
    shares: Numbers,
    kinematic: Points,
    ties: Points,
    stretches: Numbers,
    hands: Points,
    speeds: Points,
    reaches: Numbers,
):
    """Hands go to where they are `wanted` as critically damped springs do, which never jump nor overshoot.

    None is farther than `longest` from where the bones alone carry its place. Flesh that is held fully may `reach` as
    far as its hand, times the `stretch` of that hand.
    """
    hand = first + wp.tid()
    if kinds[hand] == HOLDS:
        h = knobs[DT]
        goal = wanted[hand]
        away = hands[hand] - shifts[copies[hand]] - goal
        fade = wp.exp(-EASE * h)
        pull = speeds[hand] + EASE * away
        speeds[hand] = (speeds[hand] - EASE * h * pull) * fade
        home = place_on_nodes(hand, starts, nodes, shares, kinematic) + ties[hand]
        out = goal + (away + h * pull) * fade - home
        way = wp.length(out)
        hands[hand] = home + wp.min(1.0, longest / wp.max(way, NONE)) * out
        reaches[hand] = stretches[hand] * wp.min(way, longest)
    elif kinds[hand] == PUSHES:
        reaches[hand] = longest
    else:
        reaches[hand] = 0.0


@wp.kernel(enable_backward=False)
def help_nodes(first: int, knobs: Numbers, kinds: Whole, forces: Points, reaches: Numbers, grips: Grips, helps: Helps):
    """How forces accelerate a node, and how much farther than its own reach it may go, in the fourth number.

    Flesh that is let go does not lose that reach at once.
    """
    i = first + wp.tid()
    push = wp.vec3f(0.0, 0.0, 0.0)
    farther = wp.exp(-knobs[DT] / FADE) * helps[i][3]
    grip = grips[i]
    for hand in range(HANDS):
        if kinds[hand] == PUSHES:
            push += grip[hand] * forces[hand]
        farther = wp.max(farther, grip[hand] * reaches[hand])
    helps[i] = wp.vec4f(push[0], push[1], push[2], wp.where(farther < NONE, 0.0, farther))


@wp.kernel(enable_backward=False)
def feel_places(
    first: int,
    kinds: Whole,
    starts: Whole,
    nodes: Whole,
    shares: Numbers,
    positions: Points,
    ties: Points,
    hands: Points,
    missing: Points,
):
    """How far the place of every hand is from that hand."""
    hand = first + wp.tid()
    if kinds[hand] == HOLDS:
        missing[hand] = hands[hand] - ties[hand] - place_on_nodes(hand, starts, nodes, shares, positions)
    else:
        missing[hand] = wp.vec3f(0.0, 0.0, 0.0)


@wp.kernel(enable_backward=False)
def draw_nodes(
    first: int, inverse: wp.array2d(dtype=wp.float32), missing: Points, layers: Whole, grips: Grips, positions: Points
):
    """Move held nodes by sum_a g_ia d_a, so that all places come to their hands at once.

    A d = missing, with A_ab = sum_i c_ia g_ib; `inverse` is that of A.
    """
    i = first + wp.tid()
    grip = grips[i]
    if layers[i] > 0:
        x = positions[i]
        for hand in range(HANDS):
            if grip[hand] > 0.0:
                for other in range(HANDS):
                    x += grip[hand] * inverse[hand, other] * missing[other]
        positions[i] = x


@wp.kernel(enable_backward=False)
def see_places(
    first: int,
    kinds: Whole,
    fresh: Whole,
    copies: Whole,
    origins: Points,
    starts: Whole,
    nodes: Whole,
    shares: Numbers,
    positions: Points,
    vertex_starts: Whole,
    vertices: Whole,
    portions: Numbers,
    skin: Points,
    ties: Points,
    hands: Points,
    speeds: Points,
):
    """How the place of the skin lies to its nodes after the step; a hand that has just closed is where its place is."""
    hand = first + wp.tid()
    if kinds[hand] == HOLDS:
        position = place_on_skin(hand, vertex_starts, vertices, portions, origins, copies, skin)
        tie = position - place_on_nodes(hand, starts, nodes, shares, positions)
        if fresh[hand] > 0:
            ties[hand] = tie
            hands[hand] = position
            speeds[hand] = wp.vec3f(0.0, 0.0, 0.0)
            fresh[hand] = 0
        else:
            ties[hand] += LATELY * (tie - ties[hand])


@wp.kernel(enable_backward=False)
def trust_volume(first: int, knobs: Numbers, kinds: Whole, trust: Numbers):
    """How far the volume of the whole skin is kept: hands draw flesh out, which must not be taken from elsewhere."""
    goal = float(1.0)
    slow = float(RECOVERY)
    for hand in range(HANDS):
        if kinds[hand] != NOBODY:
            goal = 0.0
            slow = FADE
    share = trust[0] + (1.0 - wp.exp(-knobs[DT] / slow)) * (goal - trust[0])
    trust[0] = wp.where(wp.abs(goal - share) < 1.0e-4, goal, share)


@wp.kernel(enable_backward=False)
def mix_volume(first: int, trust: Numbers, loose: Points, skin: Points):
    """Skin between what it was before its volume was kept, and after."""
    v = first + wp.tid()
    skin[v] = trust[0] * skin[v] + (1.0 - trust[0]) * loose[v]
