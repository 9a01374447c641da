"""A small writer of glTF for tests; it knows nothing of the reader."""

from __future__ import annotations

import base64
import copy
import json
import struct
from pathlib import Path

import numpy as np

CODES = {"b": 5120, "B": 5121, "h": 5122, "H": 5123, "I": 5125, "f": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
QUAD = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0))
QUAD_TRIANGLES = (0, 1, 2, 0, 2, 3)


class GltfFile:
    """JSON and bytes of a file that is being put together."""

    def __init__(self) -> None:
        self.json: dict = {"asset": {"version": "2.0"}}
        self.blob = bytearray()

    def add(self, kind: str, **fields) -> int:
        self.json.setdefault(kind, []).append(fields)
        return len(self.json[kind]) - 1

    def view(self, data: bytes, **fields) -> int:
        self.blob += b"\0" * (-len(self.blob) % 4)
        start = len(self.blob)
        self.blob += data
        return self.add("bufferViews", buffer=0, byteOffset=start, byteLength=len(data), **fields)

    def accessor(self, rows, letter: str = "f", **fields) -> int:
        """Rows of numbers, packed one by one with struct."""
        table = np.atleast_1d(np.asarray(rows))
        table = table.reshape(len(table), -1)
        data = b"".join(struct.pack(f"<{table.shape[1]}{letter}", *row) for row in table.tolist())
        return self.add(
            "accessors",
            bufferView=self.view(data),
            componentType=CODES[letter],
            count=len(table),
            type=TYPES[table.shape[1]],
            **fields,
        )

    def mesh(self, points=QUAD, triangles=QUAD_TRIANGLES, *, joints=None, weights=None, name="body", **more) -> int:
        """One primitive; `joints` and `weights` are (V, 4), or lists of such for several sets."""
        attributes = {"POSITION": self.accessor(points)}
        if joints is not None:
            sets = list(zip(joints, weights, strict=True)) if np.ndim(joints) == 3 else [(joints, weights)]
            for number, (index, share) in enumerate(sets):
                attributes[f"JOINTS_{number}"] = self.accessor(index, "H")
                attributes[f"WEIGHTS_{number}"] = self.accessor(share)
        primitive = {"attributes": attributes, **more}
        if triangles is not None:
            primitive["indices"] = self.accessor(triangles, "I")
        return self.add("meshes", name=name, primitives=[primitive])

    def skin(self, joints, matrices=None, **more) -> int:
        """A skin; `matrices` (K, 4, 4) are inverse bind matrices."""
        if matrices is not None:
            columns = np.asarray(matrices, dtype=float).transpose(0, 2, 1).reshape(-1, 16)
            more["inverseBindMatrices"] = self.accessor(columns)
        return self.add("skins", joints=list(joints), **more)

    def clip(self, *channels, name=None) -> int:
        """Channels are (node, path, times, values) or (node, path, times, values, interpolation)."""
        samplers, targets = [], []
        for node, path, times, values, *how in channels:
            sampler = {"input": self.accessor(times), "output": self.accessor(values)}
            if how:
                sampler["interpolation"] = how[0]
            samplers.append(sampler)
            targets.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        return self.add("animations", samplers=samplers, channels=targets, **({"name": name} if name else {}))

    def document(self, **buffer) -> dict:
        whole = copy.deepcopy(self.json)
        if self.blob:
            whole["buffers"] = [{"byteLength": len(self.blob), **buffer}]
        return whole

    def glb_bytes(self) -> bytes:
        return glb(json.dumps(self.document()).encode(), bytes(self.blob))

    def save(self, folder: Path, name: str = "test.glb") -> Path:
        """As .glb, or as .gltf with its bytes embedded."""
        path = folder / name
        if path.suffix == ".gltf":
            data = base64.b64encode(bytes(self.blob)).decode()
            path.write_text(json.dumps(self.document(uri=f"data:application/octet-stream;base64,{data}")))
        else:
            path.write_bytes(self.glb_bytes())
        return path


def glb(text: bytes, binary: bytes = b"") -> bytes:
    """The container around JSON and bytes."""
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def quad(x=0.0, y=0.0, z=0.0) -> np.ndarray:
    """The corners of the quad, shifted."""
    return np.array(QUAD) + np.array([x, y, z])


def moved(x=0.0, y=0.0, z=0.0) -> np.ndarray:
    """A shift, as a matrix."""
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def arm() -> GltfFile:
    """A quad on two joints: the lower edge follows `shoulder` at the origin, the upper one `hand` one metre above."""
    file = GltfFile()
    file.add("nodes", name="shoulder", children=[1])
    file.add("nodes", name="hand", translation=[0.0, 1.0, 0.0])
    joints = [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    mesh = file.mesh(joints=joints, weights=[[1.0, 0.0, 0.0, 0.0]] * 4)
    skin = file.skin([0, 1], [np.eye(4), moved(y=-1.0)])
    file.add("nodes", name="body", mesh=mesh, skin=skin)
    file.add("scenes", nodes=[0, 2])
    return file
