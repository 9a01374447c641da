# mypy: ignore-errors
"""Arithmetic of picking: triangles drawn by their numbers into a buffer."""

import warp as wp

Pixels = wp.array(dtype=wp.vec2d)
Depths = wp.array(dtype=wp.float64)
Triangles = wp.array(dtype=wp.vec3i)
Ids = wp.array2d(dtype=wp.int32)
Nearness = wp.array2d(dtype=wp.float64)


@wp.kernel(enable_backward=False)
def rasterize(
    count: int, triangles: Triangles, pixels: Pixels, depths: Depths, least: wp.float64, ids: Ids, near: Nearness
):
    """Draw all triangles, one after the other; the nearest wins, and of equally near ones the first.

    A pixel belongs to a triangle where its middle does; 1 / depth is linear in the picture. Triangles that reach behind
    the eye are left out.
    """
    wide = ids.shape[1]
    high = ids.shape[0]
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    for t in range(count):
        corner = triangles[t]
        a = pixels[corner[0]]
        b = pixels[corner[1]]
        c = pixels[corner[2]]
        if depths[corner[0]] > least and depths[corner[1]] > least and depths[corner[2]] > least:
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if area != zero:
                left = wp.max(wp.min(wp.min(a[0], b[0]), c[0]), zero)
                right = wp.min(wp.max(wp.max(a[0], b[0]), c[0]), wp.float64(wide))
                top = wp.max(wp.min(wp.min(a[1], b[1]), c[1]), zero)
                bottom = wp.min(wp.max(wp.max(a[1], b[1]), c[1]), wp.float64(high))
                if left < right and top < bottom:
                    for row in range(int(top), wp.min(int(bottom) + 1, high)):
                        y = wp.float64(row) + half
                        for column in range(int(left), wp.min(int(right) + 1, wide)):
                            x = wp.float64(column) + half
                            u = ((b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)) / area
                            v = ((c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)) / area
                            w = wp.float64(1.0) - u - v
                            if u >= zero and v >= zero and w >= zero:
                                n = u / depths[corner[0]] + v / depths[corner[1]] + w / depths[corner[2]]
                                if n > near[row, column]:
                                    near[row, column] = n
                                    ids[row, column] = t
