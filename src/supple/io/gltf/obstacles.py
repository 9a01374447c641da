"""Things of the world from a glTF file: named nodes with closed meshes, moved as a clip of the file moves them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.geometry import quaternions
from supple.io.gltf import animation
from supple.io.gltf.accessors import Accessors
from supple.io.gltf.document import Document
from supple.io.gltf.faults import Faults
from supple.io.gltf.meshes import Meshes
from supple.io.gltf.scene import Scene, read_scene
from supple.io.surfaces.welding import weld
from supple.obstacles import Box, Keys, MovingMesh, RigidBody, Sphere

SHAPES = ("mesh", "box", "sphere")
_STEADY = 1e-4  # relative: how much a node's scale may change before it is no rigid thing
_MOST = 1 << 14  # keys


def load_obstacles(
    path: str | Path, names: Sequence[str], *, shape: str = "mesh", clip: str | None = None, friction: float = 0.0
) -> tuple[RigidBody, ...]:
    """One obstacle for each of the nodes called `names`, in their order.

    `shape` is "mesh" for the closed mesh itself, "box" or "sphere" for what goes round it. `clip` names the animation
    that moves them, the first one unless given. Scale of a node goes into its size and must not change over time.
    """
    file = Path(path)
    if shape not in SHAPES:
        raise InputError("load_obstacles", f"shape is {shape!r}", f"one of {', '.join(SHAPES)} is needed", "choose one")
    faults = Faults(file.name, repair=False)
    document = Document(file, faults)
    accessors = Accessors(document)
    scene, meshes = read_scene(document), Meshes(document, accessors)
    curves = _curves(document, accessors, clip)
    nodes = [_node(document, name) for name in names]
    made = [
        _obstacle(document, meshes, scene, curves, node, {"name": name, "friction": friction, "shape": shape})
        for node, name in zip(nodes, names, strict=True)
    ]
    faults.tell()
    return tuple(made)


def _node(document: Document, name: str) -> int:
    found = [number for number, node in enumerate(document.items("nodes")) if node.get("name") == name]
    with_mesh = [number for number in found if "mesh" in document.item("nodes", number)]
    if len(with_mesh) != 1:
        known = sorted({str(node.get("name")) for node in document.items("nodes") if "mesh" in node})
        given = f"{name!r} was asked for" if not with_mesh else f"{len(with_mesh)} nodes are called {name!r}"
        listed = ", ".join(known[:20]) or "no node with a mesh"
        raise InputError(
            document.path.name,
            given,
            f"one node of that name with a mesh is needed; there is {listed}",
            "use the name of a node with a mesh",
        )
    return with_mesh[0]


def _curves(document: Document, accessors: Accessors, clip: str | None) -> list[animation.Curve]:
    clips = animation.read_clips(document)
    if clip is not None and clip not in [one.name for one in clips]:
        known = ", ".join(one.name for one in clips) or "no clips"
        raise InputError(document.path.name, f"clip {clip!r} was asked for", f"there is {known}", "use one of those")
    chosen = [one for one in clips if clip is None or one.name == clip][:1]
    return [animation.read_curve(document, accessors, one, channel) for one in chosen for channel in one.channels]


def _obstacle(
    document: Document, meshes: Meshes, scene: Scene, curves: list[animation.Curve], node: int, asked: dict[str, Any]
) -> RigidBody:
    name, shape, shared = asked["name"], asked["shape"], {"name": asked["name"], "friction": asked["friction"]}
    line = [node]
    while scene.parents[line[-1]] >= 0:
        line.append(int(scene.parents[line[-1]]))
    times, positions, rotations, scale = _path(document, scene, [c for c in curves if c.node in line], line[::-1], name)
    points, triangles = _weld(document, meshes, node, scale)
    middle = np.zeros(3)
    if shape != "mesh":
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    positions = positions + np.einsum("kij,j->ki", quaternions.matrix_from_quat(rotations), middle)
    at = quaternions.compose(positions[0], rotations[0]) if len(times) == 1 else Keys(times, positions, rotations)
    try:
        if shape == "box":
            return Box(sides=np.ptp(points, axis=0), at=at, **shared)
        if shape == "sphere":
            return Sphere(radius=float(np.linalg.norm(points - middle, axis=1).max()), at=at, **shared)
        return MovingMesh(points=points, triangles=triangles, at=at, **shared)
    except InputError as error:
        raise InputError(f"{document.path.name}: node {name!r}", error.given, error.needed, error.advice) from None


def _weld(document: Document, meshes: Meshes, node: int, scale: FloatArray) -> tuple[FloatArray, IntArray]:
    """All pieces of the node's mesh as one, seams closed, at the node's scale; a mirrored one right way out."""
    number = document.index(document.item("nodes", node), "mesh", f"nodes[{node}]", of="meshes")
    pieces = meshes.primitives(number if number is not None else 0)
    if not pieces:
        raise document.nothing("the mesh has no triangles", "an obstacle needs some", "export it as triangles")
    before = np.cumsum([0, *(len(piece.points) for piece in pieces[:-1])])
    points = np.concatenate([piece.points for piece in pieces])
    triangles = np.concatenate([piece.triangles + start for piece, start in zip(pieces, before, strict=True)])
    first, point_of = weld([points])
    faces = point_of[triangles]
    flat = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    faces = faces[~flat]
    if np.prod(scale) < 0.0:
        faces = faces[:, ::-1]
    return points[first] * scale, np.ascontiguousarray(faces, dtype=np.int32)


def _path(
    document: Document, scene: Scene, curves: list[animation.Curve], line: list[int], name: str
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Times (K,), places (K, 3), turns (K, 4) and the scale (3,) of a node, below its ancestors, root first."""
    times = np.zeros(1)
    if curves:
        keys = np.unique(np.concatenate([curve.times for curve in curves]))
        bends = any(curve.bends for curve in curves) or len(line) > 1
        times, _ = animation.even_times(keys, bends=bends, most=_MOST)
    world = np.tile(np.eye(4), (len(times), 1, 1))
    for node in line:
        parts = [np.tile(part[node], (len(times), 1)) for part in (scene.moves, scene.rotations, scene.scales)]
        for curve in curves:
            if curve.node == node:
                parts[("translation", "rotation", "scale").index(curve.path)] = curve.sample(times)
        world = world @ quaternions.compose(*parts)
    positions, rotations, scales = quaternions.decompose(world)
    sheared = np.abs(quaternions.compose(positions, rotations, scales) - world).max() > _STEADY * np.abs(scales).max()
    if sheared or np.ptp(scales, axis=0).max() > _STEADY * np.abs(scales).max():
        raise InputError(
            f"{document.path.name}: node {name!r}",
            "it is sheared, or its scale changes over time",
            "obstacles are rigid",
            "apply the scale, or bake the mesh",
        )
    return times, positions, rotations, scales[0]
