# mypy: ignore-errors
"""What contacts are on a device: planes of joints, what is held off them and off faces, what was found, bodies."""

import warp as wp

Vec3Array = wp.array(dtype=wp.vec3f)
Vec2Array = wp.array(dtype=wp.vec2f)
IntArray = wp.array(dtype=wp.int32)
FloatArray = wp.array(dtype=wp.float32)
Int64Array = wp.array(dtype=wp.int64)
IntArray2d = wp.array2d(dtype=wp.int32)
Vec3Array2d = wp.array2d(dtype=wp.vec3f)


@wp.struct
class PlaneArrays:
    """The plane of every joint k in copy c: a point, the normal (C, K), whether it `holds` anything, how far it goes.

    sides[i, j] (J, J) is the plane between parts i and j, as `plane_of` counts them.
    """

    points: Vec3Array2d
    normals: Vec3Array2d
    holds: IntArray2d
    extents: FloatArray
    sides: IntArray2d


@wp.struct
class HeldContacts:
    """The plane and the face that every particle is held off, and how firmly by each, 0 to 1.

    `rate` is how much firmer a contact grows in a step, or weaker when it is let go of. One that is not firm yet lets a
    particle be as deep as `room` [m], less and less: flesh that is found deep in other flesh is led out, not thrown.
    `on_side` (C, 2 K) counts the particles that every side of every plane holds, `were_on_side` those a step ago.
    """

    plane_of: IntArray
    face_of: IntArray
    firmness: Vec2Array
    rate: FloatArray
    room: float
    on_side: IntArray2d
    were_on_side: IntArray2d


@wp.struct
class NewContacts:
    """The plane, and the deepest element, that the search found for every particle; `NONE`, `NO_ELEMENT`."""

    planes: IntArray
    elements: Int64Array


@wp.struct
class ContactList:
    """How many particles touch something, and which."""

    count: IntArray
    particles: IntArray


@wp.struct
class RigidBodies:
    """Shapes of rigid bodies, and what takes their frames to the world at the end and the beginning of the step."""

    kinds: IntArray
    sizes: Vec3Array
    frictions: FloatArray
    meshes: wp.array(dtype=wp.uint64)
    now: wp.array(dtype=wp.transformf)
    earlier: wp.array(dtype=wp.transformf)
    reach: float
