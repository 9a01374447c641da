"""Greedy colouring, one constraint after another."""

import warp as wp


@wp.kernel(enable_backward=False)
def colour(members: wp.array2d(dtype=wp.int32), met: wp.array2d(dtype=wp.uint64), found: wp.array(dtype=wp.int32)):
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
