# mypy: ignore-errors
"""Arithmetic of k-DOPs on arrays: the frames of the patches that they go with, and how far nodes leave these.

Every kernel works on patch `first + tid`.
"""

import warp as wp

Positions = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Transforms = wp.array(dtype=wp.transformf)
Matrices = wp.array(dtype=wp.mat44f)


@wp.kernel(enable_backward=False)
def take_frames(first: int, bones: IntArray, matrices: Matrices, frames: Transforms):
    """Place and turn of the bone of a patch, without its scale and shear.

    Its first axis is kept, and the plane of the first two. Who has no such plane is not turned: slabs hold their nodes
    in any frame, only less closely.
    """
    a = first + wp.tid()
    m = matrices[bones[a]]
    x = wp.normalize(wp.vec3f(m[0, 0], m[1, 0], m[2, 0]))
    along = wp.vec3f(m[0, 1], m[1, 1], m[2, 1])
    y = wp.normalize(along - wp.dot(along, x) * x)
    z = wp.cross(x, y)
    rotation = wp.quat_identity()
    if wp.dot(z, z) > 0.5:
        rotation = wp.normalize(wp.quat_from_matrix(wp.matrix_from_cols(x, y, z)))
    frames[a] = wp.transformf(wp.vec3f(m[0, 3], m[1, 3], m[2, 3]), rotation)


@wp.kernel(enable_backward=False)
def grow(
    first: int,
    starts: IntArray,
    members: IntArray,
    local: Positions,
    frames: Transforms,
    points: Positions,
    growths: FloatArray,
):
    """How far the node of a patch that left its bone most is from where the bone alone takes it."""
    a = first + wp.tid()
    back = wp.transform_inverse(frames[a])
    rotation = wp.quat_to_matrix(wp.transform_get_rotation(back))
    move = wp.transform_get_translation(back)
    most = float(0.0)
    for m in range(starts[a], starts[a + 1]):
        apart = rotation * points[members[m]] + move - local[m]
        most = wp.max(most, wp.dot(apart, apart))
    growths[a] = wp.sqrt(most) * 1.00001 + 1.0e-6  # rounding
