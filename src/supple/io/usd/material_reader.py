"""Materials of a USD stage: what UsdPreviewSurface says, and pictures that lie beside the file or in its package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.materials import Material, Texture
from supple.errors import InputError
from supple.io.usd.library import usd
from supple.io.usd.material_writer import BOTH_SIDES, NONE, WRAPS

MOST_BYTES = 64 << 20  # of all pictures together
_SLOTS = {"diffuseColor": "color", "roughness": "metal_rough", "normal": "normal", "occlusion": "occlusion",
          "emissiveColor": "emission"}  # fmt: skip


class Materials:
    """The materials of a stage by number, each read when the first face wears it."""

    def __init__(self, path: Path, notes: list[str]) -> None:
        self.found: list[Material] = []
        self._numbers: dict[str, int] = {}
        self._pictures: dict[str, Texture | None] = {}
        self._folder, self._notes, self._room = path.resolve().parent, notes, MOST_BYTES

    def materials_of(self, mesh: Any, faces: int) -> IntArray:
        """Which material every face (F,) of a mesh wears, -1 for none."""
        UsdShade = usd("UsdShade", str(mesh.GetPath()))
        api = UsdShade.MaterialBindingAPI(mesh.GetPrim())
        both = bool(mesh.GetDoubleSidedAttr().Get())
        material_indices = np.full(faces, self._number(api.ComputeBoundMaterial()[0], both=both), dtype=np.int32)
        for subset in api.GetMaterialBindSubsets():
            rows = np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int64)
            bound = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0]
            material_indices[rows[(rows >= 0) & (rows < faces)]] = self._number(bound, both=both)
        return material_indices

    def _number(self, bound: Any, *, both: bool) -> int:
        if not bound or bound.GetPrim().GetCustomDataByKey(NONE) is True:
            return -1
        path = str(bound.GetPath())
        if path not in self._numbers:
            self._numbers[path] = len(self.found)
            self.found.append(self._read(bound, both=both))
        return self._numbers[path]

    def _read(self, bound: Any, *, both: bool) -> Material:
        prim = bound.GetPrim()
        name = prim.GetDisplayName() or prim.GetName()
        given = prim.GetCustomDataByKey(BOTH_SIDES)
        double_sided = both if given is None else bool(given)
        shader = bound.ComputeSurfaceSource()[0]
        if not shader or shader.GetIdAttr().Get() != "UsdPreviewSurface":
            return Material(name, double_sided=double_sided)
        textures: dict[str, Texture] = {}
        color = _value(shader, "diffuseColor", [0.18, 0.18, 0.18])
        emission = _value(shader, "emissiveColor", [0.0, 0.0, 0.0])
        factors = {"metallic": _value(shader, "metallic", [0.0]), "roughness": _value(shader, "roughness", [0.5])}
        opacity, cutoff = _value(shader, "opacity", [1.0]), float(_value(shader, "opacityThreshold", [0.0])[0])
        for key, slot in _SLOTS.items():
            source = _source(shader, key)
            picture = None if source is None else self._picture(source, f"{name}.{key}")
            if source is None or picture is None:
                continue
            textures[slot] = picture
            scale = _value(source, "scale", [1.0, 1.0, 1.0, 1.0])
            if slot == "color":
                color, opacity = scale[:3], scale[3:]
            elif slot == "emission":
                emission = scale[:3]
            elif slot == "metal_rough":
                factors = {"metallic": scale[2:3], "roughness": scale[1:2]}
        # The share in a picture's scale says nothing by itself: solid materials have one too.
        clear = _source(shader, "opacity") is not None or _value(shader, "opacity", [1.0])[0] < 1.0
        red, green, blue, solid, metallic, roughness = _shares(color, opacity, *factors.values())
        light = np.maximum(emission, 0.0).tolist()
        return Material(
            name,
            (red, green, blue, solid),
            metallic,
            roughness,
            (light[0], light[1], light[2]),
            double_sided=double_sided,
            alpha=min(cutoff, 1.0) if cutoff > 0.0 else "blend" if clear else "opaque",
            textures=textures,
        )

    def _picture(self, source: Any, where: str) -> Texture | None:
        """The picture of a UsdUVTexture; one that is missing, damaged or outside the folder is left out, and told."""
        if source.GetIdAttr().Get() != "UsdUVTexture":
            return None
        asset = source.GetInput("file").Get() if source.GetInput("file") else None
        found = str(asset.resolvedPath) if asset else ""
        if found not in self._pictures:
            data = self._bytes(found)
            try:
                stem = found.rstrip("]").replace("[", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
                self._pictures[found] = Texture(stem, data)
            except InputError:
                self._pictures[found] = None
                self._notes.append(f"the picture of {where} is not there, no PNG or JPEG, or too large: left out")
        picture = self._pictures[found]
        return None if picture is None else replace(picture, sampler=_sampler(source))

    def _bytes(self, found: str) -> bytes:
        """What lies at a path in the folder of the file, or in a package there; nothing where it may not be read."""
        Ar = usd("Ar", found)
        file = Path(found.split("[", 1)[0]).resolve()
        if not found or not file.is_file() or not file.is_relative_to(self._folder):
            return b""
        asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(found))
        if not asset or not 0 < asset.GetSize() <= self._room:
            return b""
        self._room -= asset.GetSize()
        with asset:
            return bytes(asset.GetBuffer())


def _sampler(source: Any) -> tuple[tuple[str, int], ...]:
    """How a picture ends at its border, where it is not repeated."""
    numbers = {name: number for number, name in WRAPS.items() if name != "repeat"}
    given = {side: source.GetInput(side).Get() for side in ("wrapS", "wrapT") if source.GetInput(side)}
    return tuple((side, numbers[str(name)]) for side, name in given.items() if str(name) in numbers)


def _source(shader: Any, key: str) -> Any | None:
    """The shader that an input is connected to."""
    UsdShade = usd("UsdShade", key)
    given = shader.GetInput(key)
    if not given or not given.HasConnectedSource():
        return None
    return UsdShade.Shader(given.GetConnectedSource()[0].GetPrim()) or None


def _value(shader: Any, key: str, default: list[float]) -> FloatArray:
    """The finite numbers of an input, or the default of the format."""
    given = shader.GetInput(key).Get() if shader.GetInput(key) else None
    found = np.atleast_1d(np.array(default if given is None else given, dtype=np.float64))
    return found if found.shape == (len(default),) and np.isfinite(found).all() else np.array(default)


def _shares(*values: FloatArray) -> list[float]:
    clipped: list[float] = np.clip(np.concatenate(values), 0.0, 1.0).tolist()
    return clipped
