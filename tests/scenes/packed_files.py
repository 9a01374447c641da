"""A quad that meshopt packed, and streams of its encoder."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from gltf_files import GltfFile

# Streams of the reference encoder (the npm package meshoptimizer; version 0 of attributes, 1 of indices): mode, filter,
# count, bytes an element, the stream, and the start of the SHA-256 of what its own decoder makes of it.
STREAMS = json.loads((Path(__file__).parent / "meshopt_streams.json").read_text())


def packed_quad(extension="EXT_meshopt_compression") -> GltfFile:
    """A quad of which places and triangles are packed by meshopt, on a node."""
    file = GltfFile()
    mesh = file.mesh()
    primitive = file.json["meshes"][mesh]["primitives"][0]
    for number, row in ((primitive["attributes"]["POSITION"], STREAMS[-2]), (primitive["indices"], STREAMS[-1])):
        mode, _, count, stride, packed, _ = row
        data = base64.b64decode(packed)
        source = file.json["bufferViews"][file.view(data)]
        packed_as = {**source, "count": count, "byteStride": stride, "mode": mode}
        view = file.add("bufferViews", buffer=1, byteLength=count * stride, extensions={extension: packed_as})
        file.json["accessors"][number]["bufferView"] = view
    file.json["accessors"][primitive["indices"]]["componentType"] = 5123
    file.add("nodes", mesh=mesh)
    file.add("scenes", nodes=[0])
    file.json["extensionsRequired"] = file.json["extensionsUsed"] = [extension]
    return file


def with_fallback(file: GltfFile, path: Path) -> Path:
    """The file with a second buffer that is only there compressed."""
    whole = file.document(uri=f"data:;base64,{base64.b64encode(bytes(file.blob)).decode()}")
    whole["buffers"].append({"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": True}}})
    path.write_text(json.dumps(whole))
    return path
