"""Small files made to cost much, one for every way that was found, and the watch on what they cost.

`python tests/scenes/bombs.py NAME FILE` writes one and reads it within the bounds that every reader has; it ends with
code 0 where the file was read or refused in a sentence.
"""

from __future__ import annotations

import io
import struct
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gltf_files import GltfFile, arm
from vrm_dolls import newer

MEMORY, GROWTH = 256 << 20, 16  # [bytes], and for each byte of the file
SECONDS, MEGABYTE_SECONDS = 5.0, 1.0  # of the processor

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def _ply(head: str, body: bytes, order: str = "ascii") -> bytes:
    axes = "".join(f"property float {axis}\n" for axis in "xyz")
    start = f"ply\nformat {order} 1.0\nelement vertex 3\n{axes}"
    return f"{start}{head}end_header\n".encode() + body


_ROWS = b"0 0 0\n1 0 0\n0 1 0\n"
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
_LITTLE = "binary_little_endian"
_LIST = "property list uchar int vertex_indices\n"


def ply_of_nothing(count: int) -> bytes:
    """Elements that have no properties, and so many of them."""
    return _ply(f"element junk {count}\nelement face 1\n{_LIST}", _ROWS + b"3 0 1 2\n")


def ply_of_empty_lists() -> bytes:
    """Faces of no corners, a byte each."""
    body = _CORNERS + bytes(500_000) + b"\x03" + np.array([0, 1, 2], dtype="<i4").tobytes()
    return _ply(f"element face 500001\n{_LIST}", body, _LITTLE)


def ply_of_short_rows() -> bytes:
    """Text of two signs a row."""
    head = f"element dust 150000\nproperty char a\nelement face 1\n{_LIST}"
    return _ply(head, _ROWS + b"0\n" * 150_000 + b"3 0 1 2\n")


def ply_of_one_face() -> bytes:
    """A face of a million corners, a byte each."""
    head = "element face 1\nproperty list uint uchar vertex_indices\n"
    return _ply(head, _CORNERS + struct.pack("<I", 1_000_000) + bytes(1_000_000), _LITTLE)


def ply_of_points() -> bytes:
    """Points in text."""
    text = _ply(f"element face 1\n{_LIST}", b"0 0 0\n" * 150_000 + b"3 0 1 2\n")
    return text.replace(b"element vertex 3", b"element vertex 150000")


def obj_of_backslashes() -> bytes:
    """Lines that all go on."""
    return TRIANGLE.encode() + b"f 1 2 3\n" + b"\\\n" * 500_000


def obj_of_one_face() -> bytes:
    """A face of half a million corners."""
    return TRIANGLE.encode() + b"f" + b" 1" * 500_000 + b"\n"


def obj_of_groups() -> bytes:
    """A group for every face."""
    return (TRIANGLE + "".join(f"g {n}\nf 1 2 3\n" for n in range(60_000))).encode()


def obj_of_points() -> bytes:
    """Points, and one face."""
    return b"v 0 0 0\n" * 150_000 + b"v 1 0 0\nv 1 1 0\nf 1 150001 150002\n"


def obj_of_faces() -> bytes:
    """Faces with texture coordinates."""
    return TRIANGLE.encode() + b"vt 0 0\n" + b"f 1/1 2/1 3/1\n" * 80_000


def obj_of_empty_lines() -> bytes:
    """Nothing, a million times."""
    return TRIANGLE.encode() + b"\n" * 1_000_000 + b"f 1 2 3\n"


def stl_of_words() -> bytes:
    """Corners in text, one place for all but one."""
    return b"solid a\n" + b"vertex 0 0 0\n" * 80_000 + b"vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"


def stl_of_blanks() -> bytes:
    """A corner that never comes."""
    return b"solid a\n" + b"vertex " + b" " * 500_000 + b"vertex" * 80_000


def stl_of_corners() -> bytes:
    """Forty thousand triangles in bytes."""
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    rows = np.zeros(40_000, dtype=record)
    rows["corners"] = np.random.default_rng(0).random((40_000, 3, 3))
    return bytes(80) + struct.pack("<I", len(rows)) + rows.tobytes()


def _npz(**arrays: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return held.getvalue()


def _npy(shape: tuple[int, ...], content: bytes, kind: str = "<f4") -> bytes:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


def npz_of_zeros() -> bytes:
    """A megabyte that unpacks to six hundred."""
    return _npz(points=_npy((1000, 50_000, 3), bytes(600_000_000)))


def npz_of_others() -> bytes:
    """Two frames, and an array that nobody asked for and that would fill the memory."""
    return _npz(points=np_bytes(np.zeros((2, 3, 3), dtype=np.float32)), other=_npy((10**8,), bytes(400_000_000)))


def npz_of_claims() -> bytes:
    """An array that says it is a million times as long as it is."""
    return _npz(points=_npy((10**6, 10**6, 3), bytes(36)))


def np_bytes(array: np.ndarray) -> bytes:
    """An array as NumPy writes it."""
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def gltf_of_clips() -> bytes:
    """Forty thousand clips over the same keys."""
    file = arm()
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]]), name="a")
    file.json["animations"] *= 40_000
    return file.glb_bytes()


def gltf_of_primitives() -> bytes:
    """Forty thousand pieces of one mesh."""
    file = arm()
    file.json["meshes"][0]["primitives"] *= 40_000
    return file.glb_bytes()


def gltf_of_nodes() -> bytes:
    """A mesh shown by fifteen thousand nodes."""
    file = arm()
    first = len(file.json["nodes"])
    file.json["nodes"] += [{"mesh": 0, "name": "a"}] * 15_000
    file.json["scenes"][0]["nodes"] += list(range(first, first + 15_000))
    return file.glb_bytes()


def gltf_of_brackets() -> bytes:
    """JSON of nothing but lists."""
    return b'{"asset":{"version":"2.0"},"a":[' + b"[]," * 3_000_000 + b"[]]}"


def gltf_of_names() -> bytes:
    """Joints that all have one name."""
    file = arm()
    first = len(file.json["nodes"])
    file.json["nodes"] += [{"name": "a"}] * 16_000
    file.json["nodes"][0]["children"] = [1, *range(first, first + 16_000)]
    file.clip(*((n, "translation", [0.0], [[0, 0, 0]]) for n in range(first, first + 200)), name="a")
    return file.glb_bytes()


def bvh_of_numbers() -> bytes:
    """Frames of short numbers."""
    head = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}"
    return head + b"\n}\nMOTION\nFrames: 150000\nFrame Time: 0.01\n" + b"0 0 0\n" * 150_000


def bvh_of_joints() -> bytes:
    """Joints, each in the one before."""
    joint = b"JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n"
    return b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n" + joint * 60_000


def cache_of_brackets() -> bytes:
    """A header of nothing but lists."""
    from supple.graph import container

    text = b'{"a":[' + b"[]," * 3_000_000 + b"[]]}"
    return container.MAGIC + len(text).to_bytes(8, "little") + text + container.digest(text) + bytes(64)


def json_of_brackets() -> bytes:
    """Lists in a list."""
    return b"[" + b"[]," * 3_000_000 + b"[]]"


def vrm_of_expressions() -> bytes:
    """A shape of twenty thousand points, blended in by as many expressions."""
    file = newer()
    rng = np.random.default_rng(4)
    mesh = file.mesh(rng.random((20_000, 3)), np.arange(19_998))
    target = {"POSITION": file.accessor(rng.random((20_000, 3)))}
    file.json["meshes"][mesh]["primitives"][0]["targets"] = [target]
    file.json["nodes"][1]["mesh"] = mesh
    bind = {"morphTargetBinds": [{"node": 1, "index": 0, "weight": 0.5}]}
    file.json["extensions"]["VRMC_vrm"]["expressions"] = {"custom": {f"e{number}": bind for number in range(20_000)}}
    return file.glb_bytes()


def gltf_of_copies() -> bytes:
    """A thousand triangles, a hundred thousand times."""
    file = GltfFile()
    mesh = file.mesh(np.random.default_rng(5).random((3000, 3)), np.arange(3000))
    places = {"TRANSLATION": file.accessor(np.zeros((100_000, 3)))}
    file.add("nodes", mesh=mesh, extensions={"EXT_mesh_gpu_instancing": {"attributes": places}})
    file.add("scenes", nodes=[0])
    return file.glb_bytes()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "ply of nothing": (".ply", lambda: ply_of_nothing(200_000_000)),
    "ply of nothing at all": (".ply", lambda: ply_of_nothing(10**12)),
    "ply of empty lists": (".ply", ply_of_empty_lists),
    "ply of short rows": (".ply", ply_of_short_rows),
    "ply of one face": (".ply", ply_of_one_face),
    "ply of points": (".ply", ply_of_points),
    "obj of backslashes": (".obj", obj_of_backslashes),
    "obj of one face": (".obj", obj_of_one_face),
    "obj of groups": (".obj", obj_of_groups),
    "obj of points": (".obj", obj_of_points),
    "obj of faces": (".obj", obj_of_faces),
    "obj of empty lines": (".obj", obj_of_empty_lines),
    "stl of words": (".stl", stl_of_words),
    "stl of blanks": (".stl", stl_of_blanks),
    "stl of corners": (".stl", stl_of_corners),
    "npz of zeros": (".npz", npz_of_zeros),
    "npz of others": (".npz", npz_of_others),
    "npz of claims": (".npz", npz_of_claims),
    "gltf of clips": (".glb", gltf_of_clips),
    "gltf of primitives": (".glb", gltf_of_primitives),
    "gltf of nodes": (".glb", gltf_of_nodes),
    "gltf of brackets": (".gltf", gltf_of_brackets),
    "gltf of names": (".glb", gltf_of_names),
    "gltf of copies": (".glb", gltf_of_copies),
    "vrm of expressions": (".vrm", vrm_of_expressions),
    "bvh of numbers": (".bvh", bvh_of_numbers),
    "bvh of joints": (".bvh", bvh_of_joints),
    "cache of brackets": (".supple", cache_of_brackets),
    "graph of brackets": (".graph.json", json_of_brackets),
    "edits of brackets": (".edits.json", json_of_brackets),
    "scene of brackets": (".scene.json", json_of_brackets),
}


def reader_of(path: Path) -> Callable[[Path], object]:
    """What reads a file of its suffix."""
    import supple
    from supple.decompose.files import read_sequence
    from supple.edits.file import load_edits
    from supple.graph.graph import Graph
    from supple.obstacles.scene import load_scene
    from supple.skins.curves.learn.model_file import load_curves
    from supple.skins.pose_space.model_file import load_pose_space

    endings: dict[str, Callable[[Path], object]] = {
        ".supple": read_sequence,
        ".npz": read_sequence,
        ".pc2": read_sequence,
        ".mdd": read_sequence,
        ".bvh": supple.load_motion,
        ".graph.json": Graph.load,
        ".edits.json": load_edits,
        ".scene.json": load_scene,
        ".curves": load_curves,
        ".posespace": load_pose_space,
    }
    return next((read for ending, read in endings.items() if path.name.endswith(ending)), supple.load)


def main(name: str, folder: Path) -> str:
    """Read one of the files within its bounds, and say what came of it, how long it took and how much it needed."""
    import resource

    from supple.errors import SuppleError

    suffix, make = BOMBS[name]
    path = folder / f"bomb{suffix}"
    data = make()
    path.write_bytes(data)
    size = len(data)
    del data
    read = reader_of(path)
    own = next(
        int(line.split()[1]) << 10 for line in Path("/proc/self/status").read_text().splitlines() if "VmData" in line
    )
    resource.setrlimit(resource.RLIMIT_DATA, (own + MEMORY + GROWTH * size, resource.RLIM_INFINITY))
    peak, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            came = type(read(path)).__name__
        except SuppleError as error:
            came = f"{type(error).__name__}: {error.given}"
    seconds = time.process_time() - start
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
    if seconds > SECONDS + MEGABYTE_SECONDS * size / 1e6:
        raise SystemExit(f"{name}: {size} bytes took {seconds:.1f} s")
    return f"{name}: {size} bytes, {seconds:.2f} s, {more:.0f} MB more, {came[:100]}"


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1], Path(sys.argv[2])) + "\n")
