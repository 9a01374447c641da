# mypy: ignore-errors
"""Putting members of a crowd together from the players that move them, item `first + tid`."""

import warp as wp

Points = wp.array(dtype=wp.vec3f)


@wp.kernel(enable_backward=False)
def show_members(
    first: int,
    vertices: int,
    points: Points,
    members: wp.array(dtype=wp.int32),
    weights: wp.array(dtype=wp.float32),
    shown: Points,
):
    """x + w (p - x) for vertices p of the member in each place, x as it is shown so far; p itself where w is 1.

    Places that show nobody have member -1.
    """
    i = first + wp.tid()
    place = i // vertices
    m = members[place]
    if m >= 0:
        k = m * vertices + i - place * vertices
        w = weights[place]
        if w == 1.0:
            shown[k] = points[i]
        else:
            shown[k] = shown[k] + w * (points[i] - shown[k])
