"""What Supple writes into a GLB beyond the format, under `extras.supple`, and reads back: nothing else looks there.

    meshes[i]      name       of the character
                   maps       {"_FLESH": "flesh"}: painted maps by the custom attributes that hold them
                   parts      {"hand": [3, 9, 20, 21]}: control points 3 to 8 and 20, by the numbers in _CONTROL_POINT
                   normals    "authored" where they are the character's own, and not computed from its triangles
                   quads      [4, 2, 7]: the triangles of the file make 4 quads, then 2 triangles, then 7 quads
    nodes[j]       tail       [x, y, z]: where the bone of a joint ends, in the joint's own space [m]
    animations[k]  loop       true where the motion starts over
                   stride     [x, y, z] by which its roots go on each time [m]
    materials[m]   none       true for the grey that stands for no material

Other programs may have changed the mesh since. What no longer fits it is left out, and the mesh is read as any other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.geometry.topology import triangulate
from supple.io.gltf.document import Document, Fields
from supple.io.gltf.materials import own_extras
from supple.io.rigs.rig import Rig
from supple.motion.motion import Motion

AUTHORED = "authored"
NUMBER = "_CONTROL_POINT"  # the custom attribute that says which control point a vertex stands on


def weld_by_number(
    columns: list[FloatArray | IntArray], numbers: FloatArray | None
) -> tuple[IntArray, IntArray, IntArray] | None:
    """Control points by the numbers (V,) they had when the file was written, if rows of one number are still equal.

    Returns which row stands for each point, the point of each row, and the number of each point, rising.
    """
    if numbers is None:
        return None
    known, first, group = np.unique(numbers, return_index=True, return_inverse=True)
    whole = known[0] >= 0 and known[-1] < 2**31 and np.array_equal(known, np.round(known))
    if not whole or not all(np.array_equal(column, column[first[group]]) for column in columns):
        return None
    return first.astype(np.int32), group.reshape(-1).astype(np.int32), known.astype(np.int32)


def parts(document: Document, ours: Fields, numbers: IntArray) -> dict[str, IntArray] | None:
    """Named parts, where the file has the numbers of their points; None where it has none."""
    given = ours.get("parts")
    if not isinstance(given, dict):
        return None
    found = {}
    for name, ranges in given.items():
        if not _whole_numbers(ranges) or len(ranges) % 2:
            return None
        ends = np.searchsorted(numbers, np.minimum(np.array(ranges, dtype=np.int64).reshape(-1, 2), 2**31 - 1))
        lengths = np.maximum(ends[:, 1] - ends[:, 0], 0)
        document.spend(16 * int(lengths.sum()), f"part {name[:40]!r}")
        starts = np.repeat(ends[:, 0] - np.cumsum(lengths) + lengths, lengths)
        found[name] = (starts + np.arange(len(starts))).astype(np.int32)
    return found


def ranges_of(vertices: IntArray) -> list[int]:
    """Rising numbers as starts and ends of the runs they make, one after the other."""
    smoothstep = np.unique(vertices)
    if not len(smoothstep):
        return []
    breaks = np.flatnonzero(np.diff(smoothstep) > 1)
    starts, ends = smoothstep[np.concatenate([[0], breaks + 1])], smoothstep[np.concatenate([breaks, [-1]])] + 1
    return [int(n) for n in np.stack([starts, ends], axis=1).ravel()]


def quads(ours: Fields, triangles: IntArray) -> IntArray | None:
    """The faces (P, 4) whose halves are `triangles`; None where they do not make quads any more."""
    runs = ours.get("quads")
    if not _whole_numbers(runs) or not runs or sum(runs) > len(triangles):
        return None
    square = np.repeat(np.arange(len(runs)) % 2 == 0, runs)
    first = np.cumsum(np.where(square, 2, 1)) - np.where(square, 2, 1)
    if int(np.where(square, 2, 1).sum()) != len(triangles):
        return None
    faces = np.full((len(square), 4), -1, dtype=np.int32)
    faces[:, :3] = triangles[first]
    faces[square, 3] = triangles[first[square] + 1, 2]
    return faces if np.array_equal(triangulate(faces), triangles) else None


def runs_of(square: Any) -> list[int]:
    """How many quads, then triangles, then quads again there are, one after the other."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], square, [not square[-1]]]).astype(np.int8)))
    return [int(n) for n in np.diff(np.concatenate([[0], edges]))]


def restore_tails(document: Document, rig: Rig) -> Rig:
    """The rig with the tails of its bones, where every joint has one."""
    if (rig.nodes < 0).any():
        return rig
    given = [_vector(own_extras(document.item("nodes", node)).get("tail")) for node in rig.nodes.tolist()]
    tails = [tail for tail in given if tail is not None]
    if len(tails) < len(given):
        return rig
    world = rig.skeleton.world_from_joint
    tail_positions = np.einsum("jab,jb->ja", world[:, :3, :3], np.array(tails)) + world[:, :3, 3]
    return replace(rig, skeleton=replace(rig.skeleton, tails=tail_positions))


def restore_loops(document: Document, motions: dict[str, Motion], names: list[str]) -> dict[str, Motion]:
    """Motions that start over where their clips say so; `names` are those of the clips, in the order of the file."""
    made = dict(motions)
    for name, fields in zip(names, document.items("animations"), strict=True):
        ours, motion = own_extras(fields), motions.get(name)
        if motion is not None and ours:
            made[name] = motion.replace(loop=ours.get("loop") is True, stride=_vector(ours.get("stride")))
    return made


def _vector(given: Any) -> FloatArray | None:
    """Three finite numbers, or None."""
    fine = isinstance(given, list) and len(given) == 3 and all(type(v) in (int, float) for v in given)
    if not fine or not all(math.isfinite(v) and abs(v) < 1e30 for v in given):
        return None
    return np.array(given, dtype=np.float64)


def _whole_numbers(given: Any) -> bool:
    return isinstance(given, list) and all(type(v) is int and 0 <= v < 2**53 for v in given)
