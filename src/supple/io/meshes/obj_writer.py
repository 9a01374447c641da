"""Wavefront OBJ out: a mesh at rest, or one for every frame, with quads, texture coordinates and materials."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray
from supple.character.attributes import NORMAL
from supple.character.character import Character
from supple.character.materials import Material
from supple.character.shading import shading_of
from supple.files import atomic
from supple.geometry.normals import CarriedNormals
from supple.io.pictures import PictureFolder
from supple.io.surfaces.bake_normals import BakeNormals
from supple.io.surfaces.surface import Surface
from supple.names import UNDERLINED, unique

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def write_character(character: Character, path: Path) -> None:
    """Write the mesh at rest with its quads, seams, texture coordinates and materials; an OBJ has no skeleton.

    Materials go to `hero.mtl` and their pictures to the folder `hero_textures`, beside `hero.obj`.
    """
    _write_materials(character, path)
    _write(path, character.points, _faces_text(character, path), character.name, _authored(character))


def write_cache(cache: Cache, path: Path) -> None:
    """Write `hero.obj` at rest, and beside it `hero_0001.obj`, `hero_0002.obj`, ... one for every frame."""
    character = cache.character
    _write_materials(character, path)
    faces = _faces_text(character, path)
    authored = _authored(character)
    moved = None if authored is None else BakeNormals(cache)
    for number, points in enumerate(cache.points, start=1):
        normals = None if moved is None else moved.at(number - 1)
        _write(path.with_name(f"{path.stem}_{number:04d}{path.suffix}"), points, faces, character.name, normals)
    _write(path, character.points, faces, character.name, authored)


def _authored(character: Character) -> FloatArray | None:
    """The normals of the drawn vertices at rest, where somebody authored them; programs compute others themselves."""
    shading = shading_of(character)
    return shading.rest if isinstance(shading, CarriedNormals) else None


def _write(
    path: Path, points: FloatArray | np.ndarray, faces: str, name: str, normals: FloatArray | None = None
) -> None:
    text = _lines("v", points) + ("" if normals is None else _lines("vn", normals))
    with atomic(path) as waiting:
        waiting.write_text(f"o {'_'.join(name.split()) or 'character'}\n{text}{faces}", encoding="utf-8")


def _lines(word: str, rows: FloatArray | np.ndarray) -> str:
    flat = tuple(np.asarray(rows, dtype=np.float64).ravel().tolist())
    return (f"{word} %.9g %.9g %.9g\n" * len(rows)) % flat


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
    if NORMAL in surface.layers:
        numbers = (surface.layers[NORMAL][1] + 1).tolist()
        words = [f"{w}{'/' if '/' in w else '//'}{n}" for w, n in zip(words, numbers, strict=True)]
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


def _material_names(materials: Sequence[Material]) -> tuple[str, ...]:
    """Names without spaces, each once."""
    plain = ["_".join(material.name.split()) or "material" for material in materials]
    return unique(plain, taken=("none",), form=UNDERLINED)


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
