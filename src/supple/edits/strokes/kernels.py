# mypy: ignore-errors
"""Arithmetic of picking: triangles drawn by their numbers into a buffer."""

import warp as wp

Pixels = wp.array(dtype=wp.vec2d)
Doubles = wp.array(dtype=wp.float64)
Triangles = wp.array(dtype=wp.vec3i)
Ids = wp.array2d(dtype=wp.int32)
Picture = wp.array2d(dtype=wp.float64)


@wp.func
def side(a: wp.vec2d, b: wp.vec2d, inverse: wp.float64):
    """What times (x, y, 1) is the barycentric coordinate of the corner opposite to a side; linear in the picture."""
    return wp.vec3d((a[1] - b[1]) * inverse, (b[0] - a[0]) * inverse, (a[0] * b[1] - a[1] * b[0]) * inverse)


@wp.kernel(enable_backward=False)
def rasterize(
    first: int,
    bands: int,
    count: int,
    triangles: Triangles,
    pixels: Pixels,
    nearness: Doubles,
    ids: Ids,
    picture: Picture,
):
    """Draw all triangles, one after the other, into one of the strips across; of equally near ones the first wins.

    A pixel belongs to a triangle where its middle does; the nearness of its corners is linear in the picture. Triangles
    with a corner that has none (zero) are left out.
    """
    band = first + wp.tid()
    high = ids.shape[0]
    wide = ids.shape[1]
    start = band * high / bands
    end = (band + 1) * high / bands
    for row in range(start, end):
        for column in range(wide):
            ids[row, column] = -1
            picture[row, column] = wp.float64(0.0)
    zero = wp.float64(0.0)
    half = wp.float64(0.5)
    for t in range(count):
        corner = triangles[t]
        a = pixels[corner[0]]
        b = pixels[corner[1]]
        c = pixels[corner[2]]
        top = wp.min(wp.min(a[1], b[1]), c[1])
        bottom = wp.max(wp.max(a[1], b[1]), c[1])
        if bottom >= wp.float64(start) and top <= wp.float64(end):
            near = wp.vec3d(nearness[corner[0]], nearness[corner[1]], nearness[corner[2]])
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            left = wp.max(wp.min(wp.min(a[0], b[0]), c[0]), zero)
            right = wp.min(wp.max(wp.max(a[0], b[0]), c[0]), wp.float64(wide))
            if wp.min(near) > zero and area != zero and left < right:
                # Middles at or after the upper left corner, up to those at or before the lower right one.
                low = wp.max(int(wp.ceil(wp.max(top, zero) - half)), start)
                high_row = wp.min(int(wp.floor(wp.min(bottom, wp.float64(high)) - half)) + 1, end)
                from_column = wp.max(int(wp.ceil(left - half)), 0)
                to_column = wp.min(int(wp.floor(right - half)) + 1, wide)
                inverse = wp.float64(1.0) / area
                opposite_a = side(b, c, inverse)
                opposite_b = side(c, a, inverse)
                opposite_c = side(a, b, inverse)
                for row in range(low, high_row):
                    y = wp.float64(row) + half
                    for column in range(from_column, to_column):
                        middle = wp.vec3d(wp.float64(column) + half, y, wp.float64(1.0))
                        u = wp.dot(opposite_a, middle)
                        v = wp.dot(opposite_b, middle)
                        w = wp.dot(opposite_c, middle)
                        if u >= zero and v >= zero and w >= zero:
                            n = u * near[0] + v * near[1] + w * near[2]
                            if n > picture[row, column]:
                                picture[row, column] = n
                                ids[row, column] = t
