# mypy: ignore-errors
"""What hands on any kind of flesh have in common: which of their moves are their own."""

import warp as wp

UNCHANGED = wp.constant(0)  # what a hand did since the last step
CLOSED = wp.constant(1)
MOVED = wp.constant(2)
RECENT = wp.constant(0.1)  # s that a hand remembers of how its place was carried along
ALONG = wp.constant(0.5)  # of that way: by so much may a hand that goes along go another way
SHORTEST = wp.constant(1.0e-9)  # m


@wp.func
def own_move(move: wp.vec3f, carried: wp.vec3f) -> wp.vec3f:
    """What of the move of a hand the body does not explain that carried its place along meanwhile.

    Some share of the way of the body, from none (a hand that stays) to all (one that goes along), is no move of its
    own, and neither is what goes another way by less than `ALONG` of it.
    """
    way = wp.length(carried)
    share = wp.clamp(wp.dot(move, carried) / wp.max(way * way, SHORTEST * SHORTEST), 0.0, 1.0)
    own = move - share * carried
    return wp.max(1.0 - ALONG * way / wp.max(wp.length(own), SHORTEST), 0.0) * own
