# mypy: ignore-errors
"""What rounds over some of the vertices work on, and the lists of these vertices, on a processor.

Lists are made of those that are still pulled, and of those beside them; a list ends in eight none.
"""

import warp as wp

from supple.skins.springs.kernels.energy import FloatArray, IntArray, Points, Springs

PULLED, TOUCHED, MARK = wp.constant(0), wp.constant(1), wp.constant(2)  # `counts`: of two lists, and the last mark


@wp.struct
class Rounds:
    """What rounds work on and with.

    `pulled` are vertices that are not at rest, `touched` those and the ones beside them; `slots` where the ring of
    each group of `pulled` begins, `marks` which list a vertex came into last. `lowest` and `highest` are the
    eigenvalues of H_ii^-1 H between which Jacobi's rounds take care of what is wrong; a move is `reach` times what
    these say, since H is stiffer than springs are in folds.
    """

    pulled: IntArray
    touched: IntArray
    slots: IntArray
    marks: IntArray
    counts: IntArray
    states: FloatArray
    tolerances: FloatArray
    forces: Points
    residuals: FloatArray
    neighbors: IntArray
    blocks: FloatArray
    sides: FloatArray
    moves: FloatArray
    others: FloatArray
    lowest: float
    highest: float
    jacobi: int
    reach: float


FIELDS = tuple(Rounds.vars)

# Lists are walked by one thread, which is quick where nothing is asked twice: an entry is written before it is known
# whether it is new, and counts if so.
_LIST = """
#if !defined(__CUDA_ARCH__)
    int* counts = rounds.counts.data;
    int* marks = rounds.marks.data;
    const int *starts = springs.starts.data, *others = springs.others.data;
    const int mark = ++counts[2];  // MARK
    int count = 0;
    auto add = [&](int* some, int i) {
        some[count] = i;
        count += marks[i] != mark;
        marks[i] = mark;
    };
    auto add_ring = [&](int* some, int i) {
        add(some, i);
        for (int e = starts[i]; e < starts[i + 1]; ++e) add(some, others[e]);
    };
    auto end = [&](int* some) {
        for (int none = 0; none < 8; ++none) some[count + none] = -1;
    };
"""

_LIST_TOUCHED = f"""
{_LIST}
    for (int place = 0; place < counts[0]; ++place) add_ring(rounds.touched.data, rounds.pulled.data[place]);
    end(rounds.touched.data);
    counts[1] = count;  // TOUCHED
    return count;
#else
    return 0;
#endif
"""

_LIST_PULLED = f"""
{_LIST}
    const int* touched = rounds.touched.data;
    float largest = 0.0f;
    for (int place = 0; place < counts[1]; ++place) {{
        const float residual = rounds.residuals.data[touched[place]];
        if (residual <= 1.0f) continue;
        if (!(residual <= largest)) largest = residual;  // what is no number is pulled too
        add_ring(rounds.pulled.data, touched[place]);
    }}
    end(rounds.pulled.data);
    counts[0] = count;  // PULLED
    int slot = 0;
    for (int group = 0; 8 * group < count; ++group) {{
        rounds.slots.data[group] = slot;
        int most = 0;
        for (int place = 8 * group; place < 8 * group + 8 && place < count; ++place) {{
            const int i = rounds.pulled.data[place], ring = starts[i + 1] - starts[i];
            most = ring > most ? ring : most;
        }}
        slot += most;
        rounds.slots.data[group + 1] = slot;
    }}
    return largest;
#else
    return 0.0f;
#endif
"""


@wp.func_native(_LIST_TOUCHED)
def list_touched(springs: Springs, rounds: Rounds) -> int:
    """List those that are not at rest and the ones beside them: all whose pulls a round has changed."""


@wp.func_native(_LIST_PULLED)
def list_pulled(springs: Springs, rounds: Rounds) -> float:
    """List those pulled by more than their tolerance and the ones beside them; the largest residual.

    Every group has as many slots as the vertex of it with most neighbors has.
    """
