# mypy: ignore-errors
"""Arithmetic of rays against a mesh in a hierarchy of boxes; ray `first + tid`."""

import warp as wp

Vectors = wp.array(dtype=wp.vec3f)
IntArray = wp.array(dtype=wp.int32)


@wp.kernel(enable_backward=False)
def cast_rays(first: int, mesh: wp.uint64, origins: Vectors, directions: Vectors, longest: float, faces: IntArray):
    """The first triangle that a ray meets within a length, -1 for none."""
    i = first + wp.tid()
    hit = wp.mesh_query_ray(mesh, origins[i], directions[i], longest)
    face = int(-1)
    if hit.result:
        face = hit.face
    faces[i] = face
