"""Wavefront OBJ: meshes in, with their order, quads, texture coordinates and groups; meshes and sequences out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.materials import Material
from supple.errors import FormatError
from supple.files import atomic
from supple.io.pictures import PictureFolder
from supple.io.surface import Surface
from supple.io.unrigged import unrigged_character

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def read_character(path: Path, *, repair: bool) -> Character:
    """Read a mesh, which has no skeleton and gets one joint; groups and objects become parts.

    Vertices keep their order. Quads stay quads where all faces are triangles and quads; longer faces are cut into fans.
    Normals, materials, lines and curves are left out. An OBJ says neither its unit nor its up axis: metres and y up
    are taken.
    """
    found = _Obj(str(path))
    with path.open(encoding="utf-8", errors="replace") as file:
        held = ""
        for number, line in enumerate(file, start=1):
            text = held + line.split("#", 1)[0].rstrip()
            if text.endswith("\\"):
                held = text[:-1] + " "
                continue
            held = ""
            found.take(text, number)
    return found.character(path)


@dataclass
class _Obj:
    """What was found in the file so far."""

    where: str
    points: list[tuple[float, float, float]] = field(default_factory=list)
    uvs: list[tuple[float, float]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    corners: list[int] = field(default_factory=list)
    uv_corners: list[int] = field(default_factory=list)
    groups: dict[str, list[int]] = field(default_factory=dict)
    group: str = ""

    def take(self, text: str, number: int) -> None:
        words = text.split()
        if not words:
            return
        try:
            if words[0] == "v":
                self.points.append((float(words[1]), float(words[2]), float(words[3])))
            elif words[0] == "vt":
                self.uvs.append((float(words[1]), float(words[2]) if len(words) > 2 else 0.0))
            elif words[0] == "f":
                self._face(words[1:])
            elif words[0] in ("g", "o"):
                self.group = " ".join(words[1:])
        except (ValueError, IndexError):
            shown = text if len(text) < 60 else text[:57] + "..."
            given = f"line {number} is {shown!r}"
            raise FormatError(self.where, given, "numbers are needed there", "export the mesh again") from None

    def _face(self, words: list[str]) -> None:
        if len(words) < 3:
            raise ValueError
        for word in words:
            fields = word.split("/")
            self.corners.append(_row(int(fields[0]), len(self.points)))
            uv = int(fields[1]) if len(fields) > 1 and fields[1] else 0
            self.uv_corners.append(_row(uv, len(self.uvs)) if uv else -1)
        self.groups.setdefault(self.group, []).append(len(self.counts))
        self.counts.append(len(words))

    def character(self, path: Path) -> Character:
        points = np.array(self.points, dtype=np.float64).reshape(-1, 3)
        uvs = np.array(self.uvs, dtype=np.float64).reshape(-1, 2)
        corners, uv_corners = _indices(self.corners, self.where), _indices(self.uv_corners, self.where)
        if len(uv_corners) and int(uv_corners.max()) >= len(uvs):
            given = f"a face names texture coordinate {int(uv_corners.max()) + 1}"
            raise FormatError(self.where, given, f"there are {len(uvs)}", "export the mesh again")
        has_uvs = bool((uv_corners >= 0).any())
        surface = Surface(
            np.array(self.counts, dtype=np.int32), corners, uvs if has_uvs else None, uv_corners if has_uvs else None
        )
        surface.check(len(points), self.where)
        return unrigged_character(points, surface, path, parts=self._parts(surface))

    def _parts(self, surface: Surface) -> dict[str, IntArray]:
        """The points of every named group, when there is a name at all."""
        ends = np.cumsum(surface.counts)
        parts = {}
        for name, faces in self.groups.items():
            if name:
                corners = np.concatenate([surface.corners[ends[f] - surface.counts[f] : ends[f]] for f in faces])
                parts[name] = np.unique(corners)
        return parts


def _row(number: int, count: int) -> int:
    """Files count from one, or backwards from what was last given."""
    row = number - 1 if number > 0 else count + number
    if number == 0 or row < 0:
        raise ValueError
    return row


def _indices(numbers: list[int], where: str) -> IntArray:
    if numbers and max(numbers) > np.iinfo(np.int32).max:
        raise FormatError(where, f"a face names point {max(numbers)}", "so many do not exist", "export the mesh again")
    return np.array(numbers, dtype=np.int32)


def write_character(character: Character, path: Path) -> None:
    """Write the mesh at rest with its quads, seams, texture coordinates and materials; an OBJ has no skeleton.

    Materials go to `hero.mtl` and their pictures to the folder `hero_textures`, beside `hero.obj`.
    """
    _write_materials(character, path)
    _write(path, character.points, _faces_text(character, path), character.name)


def write_cache(cache: Cache, path: Path) -> None:
    """Write `hero.obj` at rest, and beside it `hero_0001.obj`, `hero_0002.obj`, ... one for every frame."""
    character = cache.character
    _write_materials(character, path)
    faces = _faces_text(character, path)
    for number, points in enumerate(cache.points, start=1):
        _write(path.with_name(f"{path.stem}_{number:04d}{path.suffix}"), points, faces, character.name)
    _write(path, character.points, faces, character.name)


def _write(path: Path, points: FloatArray | np.ndarray, faces: str, name: str) -> None:
    flat = tuple(np.asarray(points, dtype=np.float64).ravel().tolist())
    text = ("v %.9g %.9g %.9g\n" * len(points)) % flat
    with atomic(path) as waiting:
        waiting.write_text(f"o {'_'.join(name.split()) or 'character'}\n{text}{faces}", encoding="utf-8")


def _faces_text(character: Character, path: Path) -> str:
    """Texture coordinates and faces with what they wear, the same in every frame."""
    surface = Surface.from_character(character)
    lines = []
    if surface.uvs is not None:
        lines.append(("vt %.9g %.9g\n" * len(surface.uvs)) % tuple(surface.uvs.ravel().tolist()))
    corners = (surface.corners + 1).tolist()
    coordinates = None if surface.uv_corners is None else (surface.uv_corners + 1).tolist()
    words = (
        [str(c) for c in corners]
        if coordinates is None
        else [f"{c}/{t}" if t else str(c) for c, t in zip(corners, coordinates, strict=True)]
    )
    ends = np.cumsum(surface.counts).tolist()
    faces = [f"f {' '.join(words[a:b])}\n" for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    if surface.material_indices is not None:
        lines.append(f"mtllib {_material_file(path).name}\n")
        names = _material_names(character.materials)
        for face in np.flatnonzero(
            np.diff(surface.material_indices, prepend=surface.material_indices[:1] - 1)
        ).tolist():
            material = int(surface.material_indices[face])
            faces[face] = f"usemtl {names[material] if material >= 0 else 'none'}\n{faces[face]}"
    return "".join([*lines, *faces])


def _material_file(path: Path) -> Path:
    return path.with_name("_".join(path.stem.split()) + ".mtl")  # a name ends at a space


def _material_names(materials: Sequence[Material]) -> list[str]:
    """Names without spaces, each once."""
    names: list[str] = []
    for material in materials:
        name = plain = "_".join(material.name.split()) or "material"
        number = 2
        while name in names or name == "none":
            name, number = f"{plain}_{number}", number + 1
        names.append(name)
    return names


def _write_materials(character: Character, path: Path) -> None:
    """The file of materials, in the words of old and those that programs added for metal and roughness."""
    material_indices = character.material_of_triangle
    if material_indices is None:
        return
    pictures = PictureFolder(_material_file(path))
    lines = []
    for material, name in zip(character.materials, _material_names(character.materials), strict=True):
        shine = 1000.0 * (1.0 - material.roughness) ** 2
        lines += [f"newmtl {name}", "Kd {:.6g} {:.6g} {:.6g}".format(*material.color[:3]), f"Ns {shine:.6g}"]
        lines += ["Ke {:.6g} {:.6g} {:.6g}".format(*material.emission)]
        lines += [f"d {1.0 if material.alpha == 'opaque' else material.color[3]:.6g}"]
        lines += [f"Pm {material.metallic:.6g}", f"Pr {material.roughness:.6g}"]
        for slot, key in (("color", "map_Kd"), ("emission", "map_Ke"), ("normal", "norm")):
            if slot in material.textures:
                lines.append(f"{key} {pictures.file_of(material.textures[slot])}")
        lines.append("")
    lines += ["newmtl none", "Kd 0.8 0.8 0.8", ""] if (material_indices < 0).any() else []
    with atomic(_material_file(path)) as waiting:
        waiting.write_text("\n".join(lines), encoding="utf-8")
