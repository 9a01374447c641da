"""The meshes of an FBX file, each with the bones that bend it.

A mesh that no skin bends, and a vertex that no bone holds, ride on the node of the mesh: to a rig that node is one more
bone, in whose space the mesh lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.attributes import NORMAL, unit
from supple.errors import FormatError
from supple.io.fbx.child import MOST_UVS
from supple.io.fbx.materials import Materials
from supple.io.gltf.faults import Faults
from supple.io.surfaces.surface import Layer, Surface
from supple.names import unique

_LINEAR = (0, 1)  # the library's numbers of blending by weights, and of one bone a vertex
_ADVICE = "export the mesh again"


@dataclass(frozen=True, eq=False)
class Piece:
    """One mesh on one node, in its own space: `bones` (K,) are nodes, `bone_from_mesh` (K, 4, 4) their bind matrices.

    `world_from_bone` (K, 4, 4) is where the file says that the bones were when they were bound; `slots` and `values`
    (V, I) are the weights of the vertices on these K bones. `channels` names the shape that each of the file's channels
    blends in, and the weight at which it is blended in wholly.
    """

    name: str
    points: FloatArray
    surface: Surface
    bones: IntArray
    bone_from_mesh: FloatArray
    world_from_bone: FloatArray
    slots: IntArray
    values: FloatArray
    shapes: dict[str, FloatArray]
    channels: dict[int, tuple[str, float]]


class Meshes:
    """Reads the meshes of one file out of the arrays that the reading program left."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        words: dict[str, Any],
        world_from_node: FloatArray,
        faults: Faults,
        *,
        file: str,
        room: int,
        materials: Materials,
    ) -> None:
        self._materials = materials
        self._arrays, self._words, self._world, self._faults = arrays, words, world_from_node, faults
        self._file, self._room = file, room

    def pieces(self) -> list[Piece]:
        """All meshes that are shown, under names that differ."""
        found: list[tuple[int, int]] = []
        for number, words in enumerate(self._words["meshes"]):
            shown = [node for node in words["nodes"] if self._arrays["shown"][node]]
            if len(shown) < len(words["nodes"]):
                self._faults.note(f"mesh {self._name(number)!r}", "it is hidden and left out")
            # Bones alone say where a bent mesh goes, so all its copies lie in one place.
            found += [(number, node) for node in (shown[:1] if words["skins"] else shown)]
        names = unique([self._words["names"][node] or self._name(number) for number, node in found])
        pieces = [self._piece(number, node, name) for (number, node), name in zip(found, names, strict=True)]
        return [piece for piece in pieces if piece is not None]

    def _name(self, number: int) -> str:
        return self._words["meshes"][number]["name"] or f"mesh{number}"

    def _error(self, name: str, given: str, needed: str) -> FormatError:
        return FormatError(f"{self._file}: mesh {name!r}", given, needed, _ADVICE)

    def _spend(self, count: int, name: str, what: str) -> None:
        """Refuse a mesh before it unfolds to more memory than a file of this size may ask for."""
        self._room -= count
        if self._room < 0:
            raise self._error(name, f"its {what} unfold to more than a character needs", "less is needed")

    def _piece(self, number: int, node: int, name: str) -> Piece | None:
        key, words = f"mesh {number}", self._words["meshes"][number]
        points = self._arrays[f"{key} points"]
        surface = self._surface(key, name, len(points), words["looks"][words["nodes"].index(node)])
        if surface is None or len(points) == 0:
            self._faults.note(f"mesh {name!r}", "it has no faces and is left out")
            return None
        if not np.isfinite(points).all():
            raise self._error(name, "a point is not finite", "finite numbers are needed")
        if words["skins"] > 1:
            self._faults.note(f"mesh {name!r}", f"it has {words['skins']} skins, and only the first bends it")
        if words["method"] not in _LINEAR:
            self._faults.note(f"mesh {name!r}", "it asks for dual quaternions; choose the skin yourself")
        bones, matrices, bound = self._bones(key, name, node)
        slots, values = self._weights(key, name, len(points))
        shapes = self._shapes(key, name, len(points))
        channels = {item["channel"]: (label, item["full"]) for item, label in zip(words["shapes"], shapes, strict=True)}
        return Piece(name, points, surface, bones, matrices, bound, slots, values, shapes, channels)

    def _surface(self, key: str, name: str, count: int, looks: list[int]) -> Surface | None:
        faces, listed = self._arrays[f"{key} faces"], self._arrays[f"{key} corners"]
        worn = self._arrays[f"{key} face_materials"]
        worn = worn if len(worn) == len(faces) else np.zeros(len(faces), dtype=np.int64)
        faces, worn = faces[faces[:, 1] >= 3], worn[faces[:, 1] >= 3]
        if len(faces) == 0:
            return None
        if int(faces.sum(axis=1).max()) > len(listed):
            raise self._error(name, "a face has corners beyond the last", f"there are {len(listed)}")
        starts, counts = faces.T
        order = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
        corners = listed[order]
        if not 0 <= int(corners.min()) <= int(corners.max()) < count:
            raise self._error(name, "a face names a point that is not there", f"there are {count} points")
        counts, corners = counts.astype(np.int32), corners.astype(np.int32)
        layers: dict[str, Layer] = {}
        further = [(f"uv{number}", f"TEXCOORD_{number}") for number in range(1, MOST_UVS)]
        for layer, attribute in (("normal", NORMAL), ("color", "COLOR_0"), *further):
            found = self._at_corners(key, layer, len(listed))
            if found is not None:
                with np.errstate(over="ignore"):
                    rows = np.nan_to_num(found[0].astype(np.float32), posinf=0.0, neginf=0.0)
                layers[attribute] = unit(rows) if attribute == NORMAL else rows, found[1][order]
        materials = self._materials.worn(looks, worn)
        uvs = self._at_corners(key, "uv", len(listed))
        if uvs is None:
            return Surface(counts, corners, material_indices=materials, layers=layers)
        return Surface(counts, corners, uvs[0], uvs[1][order], materials, layers=layers)

    def _at_corners(self, key: str, layer: str, count: int) -> tuple[FloatArray, IntArray] | None:
        """Rows of what stands at corners, and the row of each, where they fit the mesh and are finite."""
        values, rows = self._arrays.get(f"{key} {layer}s"), self._arrays.get(f"{key} {layer}_corners")
        if values is None or rows is None or not len(values) or len(rows) != count or not np.isfinite(values).all():
            return None
        return values, np.where((rows >= 0) & (rows < len(values)), rows, -1).astype(np.int32)

    def _bones(self, key: str, name: str, node: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """The bones of the skin and their bind matrices, and last the node of the mesh itself."""
        bones = self._arrays[f"{key} bones"]
        matrices, bound = self._arrays[f"{key} geometry_to_bone"], self._arrays[f"{key} bind_to_world"]
        placed = self._arrays["geometry"][node]
        bad = ~_stand(matrices) & (bones >= 0)
        if bad.any():
            self._faults.mend(
                f"mesh {name!r}",
                f"{int(bad.sum())} bind matrices cannot be inverted",
                "each bone needs one that can",
                "those bones are bound where they stand",
            )
            matrices = matrices.copy()
            for index in np.flatnonzero(bad):
                matrices[index] = np.linalg.pinv(self._world[bones[index]]) @ self._world[node] @ placed
        if not _stand(placed[None])[0]:
            raise self._error(name, "its node flattens it", "a size other than zero is needed")
        return (
            np.append(bones, node).astype(np.int32),
            np.concatenate([matrices, placed[None]]),
            np.concatenate([bound, self._world[node][None]]),
        )

    def _weights(self, key: str, name: str, count: int) -> tuple[IntArray, FloatArray]:
        """Weights of sum one on the bones; the format divides by the sum, and so do we."""
        bones, counts = self._arrays[f"{key} bones"], self._arrays[f"{key} counts"]
        vertices, given = self._arrays[f"{key} vertices"], self._arrays[f"{key} weights"]
        slots = np.repeat(np.arange(len(bones)), counts)
        if not len(vertices) == len(given) == len(slots):
            raise self._error(
                name, f"it has {len(vertices)} weighted vertices and {len(given)} weights", f"{len(slots)} are needed"
            )
        sound = np.isfinite(given) & (given >= 0.0) & (given < 1e30) & (vertices >= 0) & (vertices < count)
        sound &= bones[slots] >= 0
        if not sound.all():
            self._faults.mend(
                f"mesh {name!r}",
                f"{int((~sound).sum())} weights are negative, not finite, or of no bone or vertex",
                "weights of zero or more on bones that exist are needed",
                "those are left out",
            )
        used = sound & (given > 0.0)
        pairs, label = np.unique(vertices[used] * (len(bones) + 1) + slots[used], return_inverse=True)
        sums = np.bincount(label.reshape(-1), weights=given[used], minlength=len(pairs))
        vertex, slot = pairs // (len(bones) + 1), pairs % (len(bones) + 1)
        each = np.bincount(vertex, minlength=count)
        wide = max(int(each.max()), 1)
        self._spend(16 * count * wide, name, "weights")
        index = np.arange(len(pairs)) - (np.cumsum(each) - each)[vertex]
        joints, values = np.zeros((count, wide), dtype=np.int32), np.zeros((count, wide))
        joints[vertex, index], values[vertex, index] = slot, sums
        loose = each == 0
        if loose.any() and not loose.all():
            self._faults.note(f"mesh {name!r}", f"{int(loose.sum())} vertices without weights ride on its node")
        joints[loose, 0], values[loose, 0] = len(bones), 1.0
        return joints, values / values.sum(axis=1, keepdims=True)

    def _shapes(self, key: str, name: str, count: int) -> dict[str, FloatArray]:
        listed = self._words["meshes"][int(key.split()[1])]["shapes"]
        self._spend(24 * count * len(listed), name, "shapes")
        shapes = {}
        for number, (words, label) in enumerate(zip(listed, unique([item["name"] for item in listed]), strict=True)):
            vertices = self._arrays[f"{key} shape {number} vertices"]
            moves = self._arrays[f"{key} shape {number} offsets"]
            inside = (vertices >= 0) & (vertices < count)
            if len(moves) != len(vertices) or not np.isfinite(moves).all() or not inside.all():
                raise self._error(name, f"shape {label!r} does not fit it", "finite offsets of its points are needed")
            shapes[label] = np.zeros((count, 3))
            np.add.at(shapes[label], vertices, moves)
            if words["weight"] != 0.0:
                self._faults.note(f"shape {label!r}", "the file opens with it blended in; it rests at zero here")
            if words["between"] > 0:
                self._faults.note(f"shape {label!r}", "its shapes in between are left out")
        return shapes


def _stand(matrices: FloatArray) -> BoolArray:
    """Which transforms (K, 4, 4) are finite and can be inverted."""
    sound: BoolArray = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    size = np.abs(np.linalg.det(np.where(sound[:, None, None], matrices, np.eye(4))[:, :3, :3]))
    return sound & (size > 1e-18) & (size < 1e18)
