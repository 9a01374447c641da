"""What the native code of this room is made of: groups of eight vertices, and the rings around them.

A group is eight entries of a list of vertices, -1 for none. Nothing of this runs on a GPU.
"""

from supple.geometry.kernels.eight import EIGHT

LANES = f"""
{EIGHT}
    const int* list = some.data + 8 * group;
    I i;
    for (int n = 0; n < 8; ++n) i[n] = list[n] < 0 ? 0 : list[n];
"""

RINGS = """
    const float flat = 1.0e-4f;  // FLAT
    I start, count;
    int most = 0;
    for (int n = 0; n < 8; ++n) {
        start[n] = springs.starts.data[i[n]];
        count[n] = list[n] < 0 ? 0 : springs.starts.data[i[n] + 1] - start[n];
        most = count[n] > most ? count[n] : most;
    }
    const I first = count > 0 ? start : 0;  // an edge that is there
"""

# Goes round the rings of a group: `e` is an edge of each, `j` its other end, and `there` says who has one more.
NEIGHBORS = """
    for (int k = 0; k < most; ++k) {
        const I there = count > k, e = there ? start + k : first;
        I j;
        for (int n = 0; n < 8; ++n) j[n] = springs.others.data[e[n]];
"""
