"""Read one FBX file and leave its contents as plain arrays: `python -m supple.io.fbx.child FILE ANSWER`.

The library is compiled code that a damaged file may bring down, so this program runs apart from the user's. The
handles it gives out must never be let go: letting one go frees what others still point at. All are therefore kept to
the end, and the program ends without tidying up.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.io import subprocess_reader
from supple.io.fbx.looks import read_looks
from supple.io.isolation import isolate
from supple.io.parcel import Arrays, Words, write_parcel
from supple.io.sandbox import Sandbox

CLIP_BYTES = 16 << 20  # for all sampled clips, and as much again as eight times the file
KEY_BYTES = 80  # ten numbers for one node at one moment
MOST_UVS = 8  # sets of texture coordinates
DEEPEST = 1000  # nodes hanging on each other
USUAL_RATE = 30.0  # [1/s], where the file names none that makes sense

_ALIVE: list[Any] = []


def _keep_alive(handle: Any) -> Any:
    _ALIVE.append(handle)
    return handle


def _every(handles: Any) -> list[Any]:
    held = _keep_alive(handles)
    return [_keep_alive(held[index]) for index in range(len(held))]


def _number(handle: Any) -> int:
    """The number of a node, or of any other thing among its kind; -1 where there is none."""
    return -1 if _keep_alive(handle) is None else int(handle.typed_id)


def _floats(values: Any, width: int) -> NDArray[np.float64]:
    return np.array(_keep_alive(values), dtype=np.float64).reshape(-1, width)


def _ints(values: Any, width: int = 1) -> NDArray[np.int64]:
    found = np.array(_keep_alive(values)).astype(np.int64)
    return found.reshape(-1, width) if width > 1 else found.reshape(-1)


def _matrix(columns: Any) -> NDArray[np.float64]:
    """A library matrix, four columns of three, as (4, 4)."""
    full = np.eye(4)
    full[:3] = np.array(columns, dtype=np.float64).T
    return full


def _parts(transform: Any) -> list[float]:
    return [*transform.translation, *transform.rotation, *transform.scale]


def read(data: bytes) -> tuple[Arrays, Words]:
    """All that a character needs: nodes, meshes with skins and shapes, and clips sampled at the file's rate."""
    import ufbx

    scene = _keep_alive(
        ufbx.load_memory(
            data,
            file_format=ufbx.FileFormat.FBX,
            inherit_mode_handling=ufbx.InheritModeHandling.COMPENSATE,
            target_axes=ufbx.axes_right_handed_y_up,
            target_unit_meters=1.0,
            node_depth_limit=DEEPEST,
        )
    )
    arrays: Arrays = {}
    words: Words = {"notes": [str(said.description) for said in _every(_keep_alive(scene.metadata).warnings)]}
    nodes = _every(scene.nodes)
    _read_nodes(scene, nodes, arrays, words)
    words["meshes"] = []
    for mesh in _every(scene.meshes):
        words["meshes"].append(_read_mesh(mesh, f"mesh {len(words['meshes'])}", arrays))
    read_looks(scene, arrays, words, keep=_keep_alive)
    _read_clips(scene, nodes, arrays, words, room=CLIP_BYTES + 8 * len(data))
    return arrays, words


def _read_nodes(scene: Any, nodes: list[Any], arrays: Arrays, words: Words) -> None:
    arrays["parents"] = np.array([_number(node.parent) for node in nodes], dtype=np.int32)
    arrays["locals"] = np.array([_parts(node.local_transform) for node in nodes], dtype=np.float64).reshape(-1, 10)
    arrays["bones"] = np.array([_keep_alive(node.bone) is not None for node in nodes], dtype=bool)
    arrays["shown"] = np.array([bool(node.visible) for node in nodes], dtype=bool)
    arrays["geometry"] = np.array([_matrix(node.geometry_to_node) for node in nodes]).reshape(-1, 4, 4)
    words["names"] = [str(node.name) for node in nodes]
    bind_pose: dict[int, NDArray[np.float64]] = {}
    for pose in _every(scene.poses):
        if pose.is_bind_pose:
            for bone in _every(pose.bone_poses):
                bind_pose.setdefault(_number(bone.bone_node), _matrix(bone.bone_to_world))
    arrays["posed_nodes"] = np.array(list(bind_pose), dtype=np.int32)
    arrays["posed"] = np.array(list(bind_pose.values())).reshape(-1, 4, 4)


def _read_mesh(mesh: Any, key: str, arrays: Arrays) -> Words:
    arrays[f"{key} points"] = _floats(mesh.vertices, 3)
    arrays[f"{key} faces"] = _ints(mesh.faces, 2)
    arrays[f"{key} corners"] = _ints(mesh.vertex_indices)
    uv = _keep_alive(mesh.vertex_uv)
    if uv.exists:
        arrays[f"{key} uvs"], arrays[f"{key} uv_corners"] = _floats(uv.values, 2), _ints(uv.indices)
    for name, width in (("normal", 3), ("color", 4)):
        layer = _keep_alive(getattr(mesh, f"vertex_{name}"))
        if layer.exists:
            arrays[f"{key} {name}s"], arrays[f"{key} {name}_corners"] = (
                _floats(layer.values, width),
                _ints(layer.indices),
            )
    arrays[f"{key} face_materials"] = _ints(mesh.face_material)
    _read_further_uvs(mesh, key, arrays)
    skins = _every(mesh.skin_deformers)
    nodes = _every(mesh.instances)
    words: Words = {
        "name": str(mesh.name),
        "nodes": [_number(node) for node in nodes],
        "looks": [[_number(material) for material in _every(node.materials)] for node in nodes],
        "skins": len(skins),
        "method": int(skins[0].skinning_method) if skins else 0,
        "shapes": _read_shapes(mesh, key, arrays),
    }
    clusters = _every(skins[0].clusters) if skins else []
    arrays[f"{key} bones"] = np.array([_number(cluster.bone_node) for cluster in clusters], dtype=np.int32)
    for name in ("geometry_to_bone", "bind_to_world"):
        matrices = [_matrix(getattr(cluster, name)) for cluster in clusters]
        arrays[f"{key} {name}"] = np.array(matrices).reshape(-1, 4, 4)
    counts = [int(cluster.num_weights) for cluster in clusters]
    arrays[f"{key} counts"] = np.array(counts, dtype=np.int64)
    arrays[f"{key} vertices"] = _concatenate((_ints(cluster.vertices) for cluster in clusters), np.int64)
    arrays[f"{key} weights"] = _concatenate((_floats(cluster.weights, 1)[:, 0] for cluster in clusters), np.float64)
    return words


def _read_further_uvs(mesh: Any, key: str, arrays: Arrays) -> None:
    """Texture coordinates beyond the first set, which `vertex_uv` is."""
    for number, layer in enumerate(_every(mesh.uv_sets)[1:MOST_UVS], start=1):
        uv = _keep_alive(layer.vertex_uv)
        arrays[f"{key} uv{number}s"], arrays[f"{key} uv{number}_corners"] = _floats(uv.values, 2), _ints(uv.indices)


def _concatenate(pieces: Iterable[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *pieces])


def _read_shapes(mesh: Any, key: str, arrays: Arrays) -> list[Words]:
    shapes: list[Words] = []
    for deformer in _every(mesh.blend_deformers):
        for channel in _every(deformer.channels):
            shape = _keep_alive(channel.target_shape)
            if shape is None:
                continue
            arrays[f"{key} shape {len(shapes)} vertices"] = _ints(shape.offset_vertices)
            arrays[f"{key} shape {len(shapes)} offsets"] = _floats(shape.position_offsets, 3)
            stages = _every(channel.keyframes)
            shapes.append(
                {
                    "name": str(channel.name),
                    "weight": float(channel.weight),
                    "between": len(stages) - 1,
                    "channel": _number(channel),
                    "full": float(stages[-1].target_weight) if stages else 1.0,
                }
            )
    return shapes


def _read_clips(scene: Any, nodes: list[Any], arrays: Arrays, words: Words, *, room: int) -> None:
    """Places, turns and scales (F, N, 10) of all nodes relative to their parents, one array a clip.

    Shape weights (F, S) come along for the channels that the clip moves.
    """
    rate = float(_keep_alive(scene.settings).frames_per_second)
    rate = rate if math.isfinite(rate) and 1.0 <= rate <= 1000.0 else USUAL_RATE
    stacks = _every(scene.anim_stacks)
    channels = {int(channel.element_id): channel for channel in _every(scene.blend_channels)}
    words["clips"] = []
    for stack in stacks:
        anim = _keep_alive(stack.anim)
        first, last, moved = _span(stack)
        shaped = [channels[element] for element in sorted(moved & set(channels))]
        most = max(room // (KEY_BYTES * max(len(nodes) + len(shaped), 1) * len(stacks)), 2)
        frames = math.ceil(min((last - first) * rate, 1e9) - 1e-3) + 1
        step = 1.0 / rate
        if frames > most:
            step = (last - first) / (most - 1)
            words["notes"].append(f"clip {stack.name!r} is long, and sampled at {1.0 / step:.3g} frames a second only")
            frames = most
        keys, shape_weights = np.empty((frames, len(nodes), 10)), np.empty((frames, len(shaped)))
        for frame in range(frames):
            time = first + frame * step
            keys[frame] = [_parts(node.evaluate_transform(anim, time)) for node in nodes]
            shape_weights[frame] = [channel.evaluate_blend_weight(anim, time) for channel in shaped]
        key = f"clip {len(words['clips'])}"
        arrays[key], arrays[f"{key} shape weights"] = keys, shape_weights
        listed = [_number(channel) for channel in shaped]
        words["clips"].append({"name": str(stack.name), "fps": 1.0 / step, "channels": listed})


def _span(stack: Any) -> tuple[float, float, set[int]]:
    """From when to when a clip runs [s]: as the file says, or else as its keys do; and what it moves, by numbers."""
    first, last = float(stack.time_begin), float(stack.time_end)
    times: list[float] = []
    moved: set[int] = set()
    for layer in _every(stack.layers):
        for prop in _every(layer.anim_props):
            moved.add(int(_keep_alive(prop.element).element_id))
            for curve in _keep_alive(_keep_alive(prop.anim_value).curves):
                if _keep_alive(curve) is not None:
                    times += [float(curve.min_time), float(curve.max_time)]
    if not (math.isfinite(first) and math.isfinite(last) and last > first):
        sound = [time for time in times if math.isfinite(time)]
        first, last = (min(sound), max(sound)) if sound else (0.0, 0.0)
    return first, last, moved


def main(path: Path, answer: Path) -> None:
    """Read the file; the answer holds its arrays, or what the library said against it.

    Memory and time are bounded as `supple.io.sandbox` says, from the moment the library is loaded, and the process is
    shut off as `supple.io.isolation` says.
    """
    import ufbx  # noqa: F401, what it costs is not the file's doing

    subprocess_reader.begin(answer)
    Sandbox().allow(path.stat().st_size)
    isolate([path], answer.parent)
    arrays: Arrays = {}
    try:
        data = path.read_bytes()
        arrays, words = read(data)
    except MemoryError:
        words = {"error": "it asks for more memory than such a file needs"}
    except Exception as error:  # the library has a class for every complaint, and none may pass for a crash
        words = {"error": " ".join(str(error).split()) or type(error).__name__}
    write_parcel(answer, arrays, words)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    os._exit(0)  # tidying up would free handles in an order that the library does not survive
