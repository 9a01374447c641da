"""Damage for the readers of glTF and BVH, by bytes and by structure, and the watch that is kept while they read it.

What comes of a damaged file is a sound character or motion, or one `FormatError` or `InputError` in time and in
memory; nothing is opened that does not lie in the file's own folder. `Watch` raises `Broken` for anything else.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import signal
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gltf_files import QUAD, GltfFile, arm, glb, moved
from packed_files import packed_quad, with_fallback
from vrm_dolls import newer, older

from supple import Character, Motion
from supple.errors import FormatError, InputError, SuppleWarning
from supple.io import load, load_motion

SECONDS = 5.0  # of this process's own time
MEMORY = 256 << 20  # [bytes] beyond the file's own size

NASTY: list[Any] = [
    0, 1, 2, 3, -1, 4, 5, 7, 255, 256, 65535, 2**31, 2**32, 2**53, 2**64, 10**30, 0.5, -0.0, 1e-300, 1e38, 1e300, True,
    None, "", "POSITION", "MAT4", "VEC3", "SCALAR", "STEP", [], {}, [0], [0, 0, 0], [1e30] * 3, [0, 1, 0, 1], {"a": 1},
    5120, 5121, 5123, 5125, 5126, [[]],
]  # fmt: skip
ADDRESSES = [
    "../secret.bin", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x", "C:\\secret.bin", "..\\secret.bin",
    "%2e%2e/secret.bin", "way_out.bin", "way_out/secret.bin", "beside.bin", ".", "", "a\0b", "data:,abc",
    "data:;base64,", "data:;base64,AAAA", "data:x", "spoilt.glb", "x" * 300, "~/x", "./beside.bin",
    "beside.bin/..", "/dev/zero",
]  # fmt: skip
KEYS = {
    "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5123}, "values": {"bufferView": 0}},
    "byteStride": 4, "byteOffset": 4, "normalized": True, "skeleton": 0, "children": [0, 1, 2], "weights": [0.5],
    "targets": [{"POSITION": 0}], "indices": 0, "mode": 5, "skin": 0, "mesh": 0, "matrix": [0.0] * 16, "scene": 0,
    "scale": [0.0] * 3, "rotation": [0.0] * 4, "translation": [1e38] * 3, "extensionsRequired": ["A"], "name": "x" * 70,
    "interpolation": "CUBICSPLINE", "TEXCOORD_0": 0, "JOINTS_1": 0, "WEIGHTS_1": 0, "inverseBindMatrices": 0,
    "extras": {"targetNames": [1, "a", None]}, "extensions": {"VRM": [], "KHR_draco_mesh_compression": {}},
}  # fmt: skip


class Broken(BaseException):
    """The reader did what no file may make it do; no `except Exception` on the way may hide it."""


# What is damaged


def rich() -> GltfFile:
    """A glTF with a bit of everything in it."""
    file = arm()
    file.json["nodes"][1]["mesh"] = file.mesh(points=np.array(QUAD) * 0.1, name="ring", mode=6, triangles=None)
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": file.accessor(np.ones((4, 3)))}]
    file.add("nodes", matrix=moved(x=1.0).T.ravel().tolist(), children=[2], skin=0, mesh=0)
    file.json["scenes"][0]["nodes"] = [0, 3]
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]]), name="turn")
    file.clip((0, "translation", [0.0, 1.0], np.zeros((6, 3)), "CUBICSPLINE"), (1, "scale", [0.0], [[1, 1, 1]], "STEP"))
    positions, values = file.view(np.array([1, 2], dtype="<u2").tobytes()), file.view(bytes(24))
    file.json["accessors"][0]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": positions, "componentType": 5123},
        "values": {"bufferView": values},
    }
    return file


def shaped() -> GltfFile:
    """A glTF whose shapes move, with quantised weights, two sets of influences, strips, and texture coordinates."""
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["TEXCOORD_0"] = file.accessor(np.array(QUAD)[:, :2])
    attributes["WEIGHTS_0"] = file.accessor([[128, 0, 0, 0]] * 4, "B", normalized=True)
    attributes["JOINTS_1"] = file.accessor([[1, 0, 0, 0]] * 4, "B")
    attributes["WEIGHTS_1"] = file.accessor([[127, 0, 0, 0]] * 4, "B", normalized=True)
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive |= {"targets": [{"POSITION": file.accessor(np.ones((4, 3)))}, {}], "material": 0, "mode": 5}
    primitive["indices"] = file.accessor([0, 1, 3, 2], "B")
    file.json["meshes"][0] |= {"extras": {"targetNames": ["smile", "frown"]}, "weights": [0.0, 0.5]}
    file.json["materials"] = [{"name": "skin"}]
    file.clip((2, "weights", [0.0, 0.4, 1.1], np.linspace(0, 1, 6)), (0, "scale", [0.1, 0.7], [[1, 1, 1], [2, 2, 2]]))
    file.json["extensions"] = {"VRM": {"secondaryAnimation": {"boneGroups": []}}}
    return file


def kept() -> GltfFile:
    """A glTF as Supple writes it: materials and pictures, and what the format has no place for."""
    file = arm()
    mesh = file.json["meshes"][0]
    mesh["primitives"][0]["material"] = 0
    mesh["primitives"][0]["attributes"] |= {
        "_FLESH": file.accessor([0, 0.5, 1, 1]),
        "_CONTROL_POINT": file.accessor(range(4)),
    }
    mesh["extras"] = {
        "supple": {"name": "hero", "maps": {"_FLESH": "flesh"}, "parts": {"hand": [0, 2, 3, 4]}, "quads": [1]}
    }
    for node in file.json["nodes"]:
        node["extras"] = {"supple": {"tail": [0.0, 1.0, 0.0]}}
    file.clip((1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]]), name="walk")
    file.json["animations"][0]["extras"] = {"supple": {"loop": True, "stride": [0, 0, 1]}}
    file.json["materials"] = [
        {
            "name": "cloth", "alphaMode": "MASK", "alphaCutoff": 0.3, "emissiveFactor": [1, 0, 0], "doubleSided": True,
            "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1], "baseColorTexture": {"index": 0}},
            "normalTexture": {"index": 1, "extensions": {"KHR_texture_transform": {"offset": [0, 1]}}},
            "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 2.0}},
        }
    ]  # fmt: skip
    picture = file.view(b"\x89PNG\r\n\x1a\n" + bytes(40))
    file.json["textures"] = [{"source": 0}, {"source": 1}]
    file.json["images"] = [{"bufferView": picture, "mimeType": "image/png"}, {"uri": "beside.bin"}]
    return file


def outside() -> tuple[dict[str, Any], bytes]:
    """A document whose buffer lies in the file `beside.bin`."""
    file = arm()
    return file.document(uri="beside.bin"), bytes(file.blob)


BVH = b"""HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT LeftUpLeg
 {
  OFFSET 1 -4 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 -4 0
  }
 }
 JOINT Spine
 {
  OFFSET 0 0 0
  CHANNELS 4 Yrotation Yposition Xrotation Xrotation
 }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 1 2 3 4 5 6 7 8 9 10 11 12
0 1 2 -3 4e1 5 6 -7 8 9.5 10 11 12
1 1 2 3 4 5 6 7 8 9 10 11 180
"""
WORDS = [
    b"{", b"}", b"JOINT", b"ROOT x", b"End Site", b"OFFSET", b"CHANNELS", b"CHANNELS 3 Xrotation Yrotation Zrotation",
    b"6", b"0", b"-1", b"1e308", b"-1e9", b"1e-320", b"9" * 30, b"MOTION", b"nan", b"inf", b"1e400", b"Frames:",
    b"Frames", b"Frame Time:", b"\n", b"\r", b"\r\n", b"\t", b"\x00", b"#", b"//", "é".encode(), b"\xff", b"1_0",
    b"0x10", b"1e", b",", b"\xef\xbb\xbf", b"\x0b", b"\x1c", b"\xc2\xa0", b"\xe2\x80\xa8", b"HIERARCHY", b"Xposition",
    b"Frame Time: 1e-5",
]  # fmt: skip


# How it is damaged


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_in(inner, (*path, key))


def changed(document: Any, position: tuple[Any, ...], value: Any, *, drop: bool) -> Any:
    """A copy of a document with another value in a place, or none; a place that is not there changes nothing."""
    document = copy.deepcopy(document)
    inner = document
    try:
        for key in position[:-1]:
            inner = inner[key]
        if drop:
            del inner[position[-1]]
        elif isinstance(inner, dict | list):
            inner[position[-1]] = value
    except (KeyError, IndexError, TypeError):
        pass
    return document


def within(document: Any, position: tuple[Any, ...]) -> Any:
    for key in position:
        document = document[key]
    return document


def damaged_document(document: Any, luck: random.Random) -> Any:
    """One value of a JSON document changed: replaced, nudged, dropped, doubled, swapped with another, or added."""
    positions = [position for position in places_in(document) if position]
    if not positions:
        return {"asset": {"version": "2.0"}}
    position = luck.choice(positions)
    value = within(document, position)
    kind = luck.randrange(8)
    if kind == 0:
        return changed(document, position, None, drop=True)
    if kind == 1:
        return changed(document, position, copy.deepcopy(within(document, luck.choice(positions))), drop=False)
    if kind == 2 and isinstance(value, list) and value:
        many = value * luck.choice([1, 2, 300]) if len(positions) < 3000 else value
        return changed(document, position, [*many, luck.choice(value)], drop=False)
    if kind == 3 and isinstance(value, dict):
        key = luck.choice(list(KEYS))
        return changed(document, (*position, key), copy.deepcopy(KEYS[key]), drop=False)
    if kind == 4 and isinstance(value, str):
        return changed(document, position, luck.choice(ADDRESSES), drop=False)
    if isinstance(value, int | float) and not isinstance(value, bool) and kind > 4:
        nudges: list[Callable[[Any], Any]] = [
            lambda v: v + 1, lambda v: v - 1, lambda v: v * 2, lambda v: -v, float, lambda v: v + 4, lambda v: v // 2,
            lambda v: 2**24, lambda v: 10**8, lambda v: 10**12,
        ]  # fmt: skip
        return changed(document, position, luck.choice(nudges)(value) if abs(value) < 1e15 else 0, drop=False)
    return changed(document, position, luck.choice(NASTY), drop=False)


def damaged_bytes(data: bytes, luck: random.Random, words: list[bytes] | None = None) -> bytes:
    """Some bytes flipped, cut out, doubled, or replaced by words."""
    content = bytearray(data)
    for _ in range(luck.randrange(1, 4)):
        start = luck.randrange(len(content) + 1)
        end = min(start + luck.choice([1, 1, 2, 4, 16, 64]), len(content))
        kind = luck.randrange(6)
        if kind == 0:
            del content[start:end]
        elif kind == 1:
            content[start:start] = content[start:end]
        elif kind == 2:
            content[start:end] = luck.randbytes(end - start)
        elif kind == 3 and words:
            content[start:start] = luck.choice(words)
        elif kind == 4:
            content[start:end] = luck.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * (end - start)
        elif luck.random() < 0.1:
            del content[start:]
    return bytes(content)


FLOATS = [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 1e-6, 1e6, 1e18, 3e38, float("nan"), float("inf"), float("-inf"), 86400.0]


def damaged_floats(blob: bytes, luck: random.Random) -> bytes:
    """Some aligned words of a buffer replaced by floats that are awkward."""
    content = bytearray(blob)
    for _ in range(luck.randrange(1, 6)):
        if len(content) >= 4:
            struct.pack_into("<f", content, luck.randrange(len(content) // 4) * 4, luck.choice(FLOATS))
    return bytes(content)


def parts_of(data: bytes) -> tuple[Any, bytes] | None:
    """The document and the buffer of a file that still has both, or None."""
    try:
        if data[:4] != b"glTF":
            return json.loads(data), b""
        (length,) = struct.unpack_from("<I", data, 12)
        return json.loads(data[20 : 20 + length]), data[28 + length :]
    except (ValueError, struct.error, RecursionError):
        return None


def damaged_gltf(data: bytes, luck: random.Random) -> bytes:
    """A file damaged in its document, in its buffer, or in its container."""
    found = parts_of(data) if luck.random() < 0.9 else None
    if found is None:
        return damaged_bytes(data, luck, [b"[" * 2000, b'{"a":', b"NaN", b"1e999", b"-", b'"', b"}", b"]", b"\\ud800"])
    document, blob = found
    for _ in range(luck.choice([1, 1, 1, 2, 3, 6])):
        if blob and luck.random() < 0.3:
            blob = damaged_floats(blob, luck) if luck.random() < 0.7 else damaged_bytes(blob, luck)
        else:
            document = damaged_document(document, luck)
    text = json.dumps(document).encode()
    return glb(text, blob) if data[:4] == b"glTF" else text


def damaged_bvh(data: bytes, luck: random.Random) -> bytes:
    """A file with words dropped, doubled, swapped and replaced, or with any bytes changed."""
    if luck.random() < 0.3:
        return damaged_bytes(data, luck, WORDS)
    lines = [line.split() for line in data.split(b"\n")]
    for _ in range(luck.choice([1, 1, 2, 4])):
        line, other = luck.choice(lines), luck.choice(lines)
        kind = luck.randrange(7)
        if kind == 0 and line:
            del line[luck.randrange(len(line))]
        elif kind == 1 and line:
            line.insert(luck.randrange(len(line)), luck.choice(line))
        elif kind == 2 and line and other:
            at, to = luck.randrange(len(line)), luck.randrange(len(other))
            line[at], other[to] = other[to], line[at]
        elif kind == 3:
            lines.insert(luck.randrange(len(lines)), list(line))
        elif kind == 4:
            lines.remove(line)
            lines = lines or [[]]
        elif kind == 5 and luck.random() < 0.1:
            lines = lines[: luck.randrange(len(lines)) + 1]
        elif line:
            line[luck.randrange(len(line))] = luck.choice(WORDS)
    return b"\n".join(b" ".join(line) for line in lines)


def gltf_seeds() -> list[bytes]:
    """Sound files to start from, embedded, in a container, and with a buffer beside."""
    document, _ = outside()
    plain = {"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {}], "scenes": [{"nodes": [0]}]}
    return [
        rich().glb_bytes(),
        shaped().glb_bytes(),
        kept().glb_bytes(),
        json.dumps(document).encode(),
        json.dumps(plain).encode(),
        *(file.glb_bytes() for file in (newer(), older(), repeated())),
        packed(),
        vrm_motion(),
    ]


def repeated() -> GltfFile:
    """Quads in copies, with colours, tangents and normals."""
    file = GltfFile()
    mesh = file.mesh()
    file.json["meshes"][mesh]["primitives"][0]["attributes"] |= {
        "NORMAL": file.accessor([[0.0, 0.6, 0.8]] * 4),
        "TANGENT": file.accessor([[1.0, 0.0, 0.0, -1.0]] * 4),
        "COLOR_0": file.accessor([[255, 0, 51, 128]] * 4, "B", normalized=True),
        "TEXCOORD_1": file.accessor([[0.0, 0.5]] * 4),
    }
    places = {"TRANSLATION": file.accessor(np.eye(3)), "SCALE": file.accessor(np.ones((3, 3)))}
    file.add("nodes", mesh=mesh, extensions={"EXT_mesh_gpu_instancing": {"attributes": places}})
    file.add("scenes", nodes=[0])
    return file


def packed() -> bytes:
    """A quad that meshopt packed."""
    with tempfile.TemporaryDirectory() as folder:
        return with_fallback(packed_quad(), Path(folder) / "packed.gltf").read_bytes()


def vrm_motion() -> bytes:
    """A motion of VRM bones and of an expression, which is read by its extension whatever the suffix."""
    file = GltfFile()
    for name, children in (("hips", [1, 2]), ("head", []), ("happy", [])):
        file.add("nodes", name=name, **({"children": children} if children else {}))
    file.add("scenes", nodes=[0])
    file.clip(
        (0, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]),
        (1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]]),
        (2, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]),
    )
    bones = {"humanBones": {"hips": {"node": 0}, "head": {"node": 1}}}
    said = {"humanoid": bones, "expressions": {"preset": {"happy": {"node": 2}}}}
    file.json["extensions"] = {"VRMC_vrm_animation": said}
    return file.glb_bytes()


# The watch


class Watch:
    """A folder to read damaged files in, and an eye on what is opened, how long it takes and how much memory it needs.

    There is no way to take an audit hook back, so a watch belongs in a process of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve() / "inside"
        self.folder.mkdir()
        (self.folder / "beside.bin").write_bytes(outside()[1])
        (folder / "secret.bin").write_bytes(outside()[1])
        (self.folder / "way_out.bin").symlink_to(folder / "secret.bin")
        (self.folder / "way_out").symlink_to(folder, target_is_directory=True)
        self._reading = False
        for suffix, data in ((".glb", rich().glb_bytes()), (".glb", kept().glb_bytes()), (".bvh", BVH)):
            self.read(data, suffix)  # everything that is imported late is imported now
        sys.addaudithook(self._seen)
        signal.signal(signal.SIGVTALRM, self._late)

    def read(self, data: bytes, suffix: str) -> str:
        """Read one file in every way there is, and say what came of it, in words without numbers."""
        path = self.folder / f"spoilt{suffix}"
        path.write_bytes(data)
        ways: list[Callable[[], Character | Motion]] = [lambda: load_motion(path)]
        if suffix != ".bvh":
            ways += [lambda: load(path), lambda: load(path, repair=True)]
        return ", ".join(self._outcome(way) for way in ways)

    def _outcome(self, way: Callable[[], Character | Motion]) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a number that overflows or divides by zero was not checked
            warnings.simplefilter("ignore", SuppleWarning)
            self._reading = True
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                made = way()
            except InputError as error:
                if len(str(error)) > 2000 or "spoilt" not in error.where:
                    raise Broken("an error is long, or does not name the file") from error
                if not isinstance(error, FormatError) and "well formed" not in error.given:
                    raise Broken("an error calls the file neither broken nor well formed") from error
                return re.sub(r"[^a-zA-Z ]+", "", f"{type(error).__name__} {error.where} {error.needed}")
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
                self._reading = False
        motions = [made] if isinstance(made, Motion) else list(made.motions.values())
        if isinstance(made, Character) and not np.isfinite(made.points).all():
            raise Broken("a point is not finite")
        for motion in motions:
            if not (np.isfinite(motion.translations).all() and np.isfinite(motion.rotations).all()):
                raise Broken("a joint is nowhere")
        return type(made).__name__

    def _seen(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._reading:
            return
        if event in ("subprocess.Popen", "os.system", "os.exec", "socket.connect", "pickle.find_class", "os.remove"):
            raise Broken(f"{event} {arguments}")
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            opened = os.fsdecode(arguments[0])
            if opened.endswith((".py", ".pyc")):  # the text of a warning, or an import
                return
            if not Path(opened).resolve().is_relative_to(self.folder):
                raise Broken(f"{opened} was opened")

    def _late(self, *_: object) -> None:
        raise Broken(f"it is still busy after {SECONDS} s")


def keep_to(extra: int) -> None:
    """Let this process have no more memory than it has now and `extra` bytes."""
    import resource

    now = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (now + extra, resource.RLIM_INFINITY))


# A run


def suffix_of(data: bytes) -> str:
    """The suffix under which a damaged file still reaches its reader."""
    return ".glb" if data[:4] == b"glTF" else ".gltf"


def run(kind: str, seed: int, seconds: float) -> int:
    """Damage files for `seconds` and read each; how many were read is said at the end.

    Files that came to something new are damaged further, so the run finds its way into the readers. The first that
    breaks a reader ends the run, under its seed and number, and is left as a file in the folder for temporary ones.
    """
    luck = random.Random(seed)
    damaged = damaged_bvh if kind == "bvh" else damaged_gltf
    pool = [BVH] if kind == "bvh" else gltf_seeds()
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="supple-fuzz-") as folder:
        watch = Watch(Path(folder))
        keep_to(MEMORY)
        number, start = 0, time.monotonic()
        while time.monotonic() - start < seconds:
            data = damaged(luck.choice(pool), luck)[:20_000]
            suffix = ".bvh" if kind == "bvh" else suffix_of(data)
            try:
                came = watch.read(data, suffix)
            except BaseException:
                left = Path(tempfile.gettempdir()) / f"supple-fuzz-{kind}-{seed}-{number}{suffix}"
                left.write_bytes(data)
                sys.stderr.write(f"{kind}, seed {seed}, file {number}, left in {left}\n")
                raise
            number += 1
            if came not in seen:
                seen.add(came)
                pool.append(data)
    sys.stdout.write(f"{kind}, seed {seed}: {number} files, {len(seen)} outcomes\n")
    return number


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
