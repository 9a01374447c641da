"""Sound files of every kind but glTF and BVH, small, from which damage starts."""

from __future__ import annotations

import io
import json
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import caches
import numpy as np
from small_pictures import picture

import supple
from supple.io import save


def _written(write: Callable[[Path], object], suffix: str = ".a") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        write(path)
        return path.read_bytes()


def _saved(what: Any, suffix: str) -> bytes:
    return _written(lambda path: save(what, path), suffix)


def obj_files() -> list[bytes]:
    """Text with everything that is read."""
    return [
        b"o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\n"
        b"g b c\nf 1/1 2/2 3/1 4/2\nf 1 2 \\\n 3\nf -1 -2 -3\n",
        _saved(caches.small_character(), ".obj"),
    ]


def ply_files() -> list[bytes]:
    """Text and both byte orders, faces even and uneven."""
    axes = "".join(f"property float {axis}\n" for axis in ("x", "y", "z", "s", "t"))
    faces = "element face 2\nproperty list uchar int vertex_indices\n"
    head = f"ply\nformat %s 1.0\nelement vertex 4\n{axes}{faces}end_header\n"
    points = np.array([[0, 0, 0, 0, 0], [1, 0, 0, 1, 0], [1, 1, 0, 1, 1], [0, 1, 0, 0, 1]])
    text = head % "ascii" + "\n".join(" ".join(map(str, row)) for row in points) + "\n3 0 1 2\n4 0 1 2 3\n"
    found = [text.encode()]
    for order, sign in (("binary_little_endian", "<"), ("binary_big_endian", ">")):
        for faces in (((0, 1, 2), (0, 2, 3)), ((0, 1, 2), (0, 1, 2, 3))):
            lists = b"".join(bytes([len(face)]) + np.array(face, dtype=f"{sign}i4").tobytes() for face in faces)
            found.append((head % order).encode() + points.astype(f"{sign}f4").tobytes() + lists)
    return found


def stl_files() -> list[bytes]:
    """Text and bytes."""
    text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    rows = np.zeros(4, dtype=record)
    rows["corners"] = np.random.default_rng(1).random((4, 3, 3))
    return [text.encode(), bytes(80) + (4).to_bytes(4, "little") + rows.tobytes()]


def npz_files() -> list[bytes]:
    """Archives, packed and not."""
    points = np.random.default_rng(2).random((3, 4, 3)).astype(np.float32)
    fields = {"points": points, "triangles": np.array([[0, 1, 2], [0, 2, 3]]), "rest": points[0], "fps": np.array(24)}
    made = []
    for pack in (np.savez, np.savez_compressed):
        held = io.BytesIO()
        pack(held, **fields)
        made.append(held.getvalue())
    return made


def pc2_files() -> list[bytes]:
    """A point cache of two frames."""
    return [struct.pack("<12siiffi", b"POINTCACHE2\0", 1, 4, 0.0, 1.0, 2) + bytes(2 * 4 * 12)]


def mdd_files() -> list[bytes]:
    """A point cache of two frames, the other way round."""
    return [struct.pack(">ii", 2, 4) + struct.pack(">ff", 0.0, 0.5) + bytes(2 * 4 * 12)]


def cache_files() -> list[bytes]:
    """The small cache."""
    return [_written(caches.write_cache)]


def graph_files() -> list[bytes]:
    """A chain, a blend and a muted stage."""
    chain = supple.Graph.chain(supple.LinearBlend(), supple.DeltaMush())
    blend = supple.Graph.blend(supple.LinearBlend(), supple.DualQuaternion(), supple.Mask(amount=0.5))
    return [json.dumps(each.to_dict()).encode() for each in (chain, blend)]


def edits_files() -> list[bytes]:
    """A shape, a pose, layers and strokes."""
    from supple.edits import Edits, Key, Layer, PoseEdit, radial, save_edits
    from supple.edits.strokes import Stroke, SurfaceStroke

    tube = caches.small_character()
    joint = "root"
    edits = (
        Edits.of(tube)
        .with_shape("swell", radial(tube, joint, swell=0.3))
        .with_pose("bend", PoseEdit({joint: [0, 0, 0.6, 0.8]}, {joint: [0, 0.1, 0]}))
        .with_layer(Layer.breathing("breath", "swell", seconds=2.0))
        .with_layer(Layer(name="lean", keys=(Key(time=0.5), Key(time=1.0, use="bend", ease="cubic-in")), firmness=3.0))
        .with_stroke("line", Stroke([[0, 0, 0], [0, 1, 0.5], [1, 2, 0]], [0, 0.5, 1]))
        .with_stroke("scar", SurfaceStroke([0, 1], [[1, 0, 0], [0.2, 0.3, 0.5]], [3, 4, 5]))
    )
    return [_written(lambda path: save_edits(edits, path))]


def scene_files() -> list[bytes]:
    """Bodies of every kind, at rest, moving and free."""
    from supple.obstacles import Box, Capsule, Free, Keys, MovingMesh, Plane, Sphere, Straight
    from supple.obstacles.scene import Scene, save_scene

    corners, triangles = np.eye(4)[:, :3], np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
    scene = Scene(
        (
            Plane(friction=0.5),
            Sphere(name="ball", radius=0.1, at=(0, 2, 0), restitution=0.8, free=Free(mass=0.4, velocity=(0, 0, 3))),
            Capsule(name="rod", radius=0.05, length=0.5, at=Straight(np.eye(4), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0))),
            Box(name="crate", sides=(0.3, 0.4, 0.5), free=Free(mass=5.0, spin=(0.1, 0.2, 0.3))),
            MovingMesh(name="rock", points=corners, triangles=triangles, at=Keys([0.0, 1.0], np.eye(3)[:2])),
        ),
        gravity=(0.0, -1.6, 0.0),
    )
    return [_written(lambda path: save_scene(scene, path))]


def curves_files() -> list[bytes]:
    """A model of one limb with two examples."""
    from supple.skins.curves.learn.model import CurveModel, PartModel
    from supple.skins.curves.learn.model_file import save_curves
    from supple.skins.curves.learn.radial_space import Drivers

    offsets = np.zeros((2, 1, 8, 3))
    offsets[1] = 0.1
    part = PartModel("limb", np.array([0]), np.eye(3)[:, :1], np.array([[0.0], [1.0]]), offsets, np.array([-1, 3]))
    drivers = Drivers(np.array([1]), np.array([0]), np.array([[0.0, 0, 0, 1]]))
    matrix = np.array([0, 1, 2]), np.array([0, 7]), np.array([0.5, 1.0])
    model = CurveModel("0" * 32, "linear", "smooth", "hold", drivers, (part,), *matrix)
    return [_written(lambda path: save_curves(model, path))]


def pose_space_files() -> list[bytes]:
    """A model of one part with one block of components, two centres and two vertices."""
    from supple.skins.pose_space.components import PackedShapes
    from supple.skins.pose_space.inputs import JointFrame
    from supple.skins.pose_space.model import PoseSpaceModel
    from supple.skins.pose_space.model_file import save_pose_space

    frame = JointFrame(np.array([-1, 0]), np.tile([0.0, 0, 0, 1], (2, 1)))
    levels = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    shapes = PackedShapes(np.array([0, 1, 2]), np.array([0, 0]), levels, np.full((1, 4), 1e-4), np.array([0]))
    inputs = np.array([1]), np.array([[12, 13, 14, 12]]), np.array([[0.4, 0.4, 0.4, 0.0]])
    learnt = np.zeros((1, 2, 4)), np.ones((1, 2, 4))
    model = PoseSpaceModel("0" * 32, "linear", "motion", 0.05, frame, *inputs, *learnt, shapes)
    return [_written(lambda path: save_pose_space(model, path))]


def usd_files() -> list[bytes]:
    """A rigged character in both of USD's own formats."""
    character = caches.small_character()
    return [_saved(character, ".usda"), _saved(character, ".usdc")]


def fbx_files() -> list[bytes]:
    """A strip on two bones, in text, plain and dressed."""
    import fbx_files as files

    return [files.text(), files.text(looks=files.red_and_glass(embedded=picture(9)))]
