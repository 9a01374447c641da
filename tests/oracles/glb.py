"""A slow, plain reader of GLB files: enough to play what is in them."""

import json
import struct
from pathlib import Path

import numpy as np

from supple.geometry import quaternions

KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": (), "VEC2": (2,), "VEC3": (3,), "VEC4": (4,), "MAT4": (4, 4)}


class ReadGlb:
    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, total = struct.unpack_from("<4sII", data)
        assert (magic, version, total) == (b"glTF", 2, len(data))
        length, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.scene = json.loads(data[20 : 20 + length])
        size, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0"
        self._binary = data[28 + length :]
        assert len(self._binary) == size

    def array(self, number: int) -> np.ndarray:
        accessor = self.scene["accessors"][number]
        view = self.scene["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        count = accessor["count"] * int(np.prod(width))
        flat = np.frombuffer(self._binary, KINDS[accessor["componentType"]], count, view["byteOffset"])
        found = flat.reshape(accessor["count"], *width)
        if "min" in accessor:
            rows = found.reshape(len(found), -1)
            assert np.array_equal(rows.min(axis=0), accessor["min"])
            assert np.array_equal(rows.max(axis=0), accessor["max"])
        return found.swapaxes(1, 2) if width == (4, 4) else found

    @property
    def primitive(self) -> dict:
        return self.scene["meshes"][0]["primitives"][0]

    def attribute(self, name: str) -> np.ndarray:
        return self.array(self.primitive["attributes"][name])

    def times(self, animation: int = 0) -> np.ndarray:
        return self.array(self.scene["animations"][animation]["samplers"][0]["input"])

    def morphed(self, frame: int, attribute: str = "POSITION") -> np.ndarray:
        """The drawn vertices at a key of the weights' animation."""
        animation = self.scene["animations"][0]
        assert animation["channels"][0]["target"]["path"] == "weights"
        targets = self.primitive["targets"]
        weights = self.array(animation["samplers"][0]["output"]).reshape(-1, len(targets))[frame]
        points = self.attribute(attribute).astype(np.float64)
        for weight, target in zip(weights, targets, strict=True):
            if weight:
                points = points + weight * self.array(target[attribute])
        return points

    def skinned(self, frame: int, animation: int = 0) -> np.ndarray:
        """The drawn vertices at a key, by the specification's sum over all sets of influences."""
        world = self.joints_at(frame, animation)
        skin = self.scene["skins"][0]
        moves = world[skin["joints"]] @ self.array(skin["inverseBindMatrices"]).astype(np.float64)
        points = np.concatenate([self.attribute("POSITION"), np.ones((len(self.attribute("POSITION")), 1))], axis=1)
        result = np.zeros((len(points), 3))
        for number in range(sum(name.startswith("JOINTS_") for name in self.primitive["attributes"])):
            joints, weights = self.attribute(f"JOINTS_{number}"), self.attribute(f"WEIGHTS_{number}")
            carried = np.einsum("vkij,vj->vki", moves[joints], points)[..., :3]
            result += np.einsum("vk,vki->vi", weights, carried)
        return result

    def joints_at(self, frame: int, animation: int = 0) -> np.ndarray:
        """World transforms of all nodes at a key."""
        nodes = self.scene["nodes"]
        local = {
            "translation": [node.get("translation", [0, 0, 0]) for node in nodes],
            "rotation": [node.get("rotation", [0, 0, 0, 1]) for node in nodes],
            "scale": [node.get("scale", [1, 1, 1]) for node in nodes],
        }
        playing = self.scene["animations"][animation]
        for channel in playing["channels"]:
            target = channel["target"]
            if target["path"] == "weights":
                continue
            keys = self.array(playing["samplers"][channel["sampler"]]["output"])
            local[target["path"]][target["node"]] = keys[frame]
        world = quaternions.compose(local["translation"], local["rotation"], local["scale"])
        waiting = [(root, np.eye(4)) for root in self.scene["scenes"][0]["nodes"]]
        while waiting:
            node, above = waiting.pop()
            world[node] = above @ world[node]
            waiting += [(child, world[node]) for child in nodes[node].get("children", [])]
        return world
