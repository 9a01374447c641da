"""Native code for eight numbers at a time: vectors as registers of a processor hold them.

Compilers for processors know such vectors; nothing of this runs on a GPU.
"""

# F and I are eight numbers. `rows` and `quads` turn rows of eight and of four numbers, one item each, into eight of
# every kind, `triples` the first three of four; `keep_quads` turns them back. Items are an I or a pointer to eight.
EIGHT = """
#if !defined(__CUDA_ARCH__)
    typedef float F __attribute__((ext_vector_type(8)));
    typedef int I __attribute__((ext_vector_type(8)));
    typedef float F8 __attribute__((ext_vector_type(8), aligned(4)));
    typedef float F4 __attribute__((ext_vector_type(4), aligned(4)));
    auto larger = [](F x, F y) { return __builtin_elementwise_max(x, y); };
    auto smaller = [](F x, F y) { return __builtin_elementwise_min(x, y); };
    auto root = [](F x) { return __builtin_elementwise_sqrt(x); };
    auto low = [](F a, F b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); };
    auto high = [](F a, F b) { return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); };
    auto low_pairs = [](F a, F b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); };
    auto high_pairs = [](F a, F b) { return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15); };
    auto low_half = [](F a, F b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); };
    auto high_half = [](F a, F b) { return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15); };
    auto rows = [&](const float* from, I i, F& a, F& b, F& c, F& d, F& e, F& f, F& g, F& h) {
        F r[8];
        for (int n = 0; n < 8; ++n) r[n] = *(const F8*)(from + 8 * i[n]);
        const F p0 = low(r[0], r[1]), p1 = high(r[0], r[1]), p2 = low(r[2], r[3]), p3 = high(r[2], r[3]);
        const F p4 = low(r[4], r[5]), p5 = high(r[4], r[5]), p6 = low(r[6], r[7]), p7 = high(r[6], r[7]);
        const F q0 = low_pairs(p0, p2), q1 = high_pairs(p0, p2), q2 = low_pairs(p1, p3), q3 = high_pairs(p1, p3);
        const F q4 = low_pairs(p4, p6), q5 = high_pairs(p4, p6), q6 = low_pairs(p5, p7), q7 = high_pairs(p5, p7);
        a = low_half(q0, q4), b = low_half(q1, q5), c = low_half(q2, q6), d = low_half(q3, q7);
        e = high_half(q0, q4), f = high_half(q1, q5), g = high_half(q2, q6), h = high_half(q3, q7);
    };
    auto quads = [&](const float* from, auto i, F& a, F& b, F& c, F& d) {
        F r[4];
        for (int n = 0; n < 4; ++n) {
            const F4 one = *(const F4*)(from + 4 * i[n]), other = *(const F4*)(from + 4 * i[n + 4]);
            r[n] = __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        const F p0 = low(r[0], r[1]), p1 = high(r[0], r[1]), p2 = low(r[2], r[3]), p3 = high(r[2], r[3]);
        a = low_pairs(p0, p2), b = high_pairs(p0, p2), c = low_pairs(p1, p3), d = high_pairs(p1, p3);
    };
    auto triples = [&](const float* from, I i, F& a, F& b, F& c) {
        F d;
        quads(from, i, a, b, c, d);
    };
    auto keep_quads = [&](float* to, auto i, F a, F b, F c, F d) {
        const F p0 = low(a, b), p1 = high(a, b), p2 = low(c, d), p3 = high(c, d);
        const F r[4] = {low_pairs(p0, p2), high_pairs(p0, p2), low_pairs(p1, p3), high_pairs(p1, p3)};
        for (int n = 0; n < 4; ++n) {
            *(F4*)(to + 4 * i[n]) = __builtin_shufflevector(r[n], r[n], 0, 1, 2, 3);
            *(F4*)(to + 4 * i[n + 4]) = __builtin_shufflevector(r[n], r[n], 4, 5, 6, 7);
        }
    };
    const float tiny = 1.0e-12f;  // TINY
    auto at = [](const float* from, int size, I i, int k) {
        F found;
        for (int n = 0; n < 8; ++n) found[n] = from[size * i[n] + k];
        return found;
    };
"""
