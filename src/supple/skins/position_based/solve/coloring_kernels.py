# mypy: ignore-errors
"""Greedy gathering and colouring, one after another."""

import warp as wp


@wp.kernel(enable_backward=False)
def color_greedily(
    members: wp.array2d(dtype=wp.int32), met: wp.array2d(dtype=wp.uint64), found: wp.array(dtype=wp.int32)
):
    """Give every constraint the lowest colour that none of its particles has met; one thread does it all.

    met[i] is a set of colours, 64 to a word. When all words are full a constraint gets no colour (-1).
    """
    for c in range(members.shape[0]):
        chosen = int(-1)
        for word in range(met.shape[1]):
            taken = wp.uint64(0)
            for k in range(members.shape[1]):
                taken = taken | met[members[c, k], word]
            free = ~taken
            if free != wp.uint64(0):
                bit = int(0)
                while ((free >> wp.uint64(bit)) & wp.uint64(1)) == wp.uint64(0):
                    bit += 1
                chosen = 64 * word + bit
                break
        found[c] = chosen
        if chosen >= 0:
            mark = wp.uint64(1) << wp.uint64(chosen % 64)
            for k in range(members.shape[1]):
                met[members[c, k], chosen // 64] = met[members[c, k], chosen // 64] | mark


@wp.kernel(enable_backward=False)
def gather_fans(
    largest: int,
    edges: wp.array(dtype=wp.int32),
    starts: wp.array(dtype=wp.int32),
    elements: wp.array(dtype=wp.int32),
    found: wp.array(dtype=wp.int32),
):
    """Give the elements round every edge, as far as no other edge has them, to that edge; one thread does it all.

    First where at least three are left, then two, then one; no more than `largest` to an edge.
    """
    for least in range(3):
        for n in range(edges.shape[0]):
            e = edges[n]
            left = int(0)
            for k in range(starts[e], starts[e + 1]):
                if found[elements[k]] < 0:
                    left += 1
            if left >= 3 - least:
                taken = int(0)
                for k in range(starts[e], starts[e + 1]):
                    if found[elements[k]] < 0 and taken < largest:
                        found[elements[k]] = e
                        taken += 1
