"""Materials into a GLB: numbers, pictures as the bytes they came as, and what else a file said of them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from supple.character.materials import SLOTS, Material, Texture
from supple.io.gltf.materials import KEY
from supple.io.gltf_out.container import Glb

_NONE = {
    "name": "skin",
    "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.8, 0.8, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7},
    "extras": {KEY: {"none": True}},
}
"""Plain grey: without a material, the format means a metal, which is black where nothing is mirrored in it."""
_STRENGTH = "KHR_materials_emissive_strength"
_TRANSFORM = "KHR_texture_transform"


class GlbTextures:
    """The pictures of a GLB, each written once, and the textures that lay them on."""

    def __init__(self, glb: Glb) -> None:
        self._glb = glb
        self._images: dict[tuple[str, bytes], int] = {}
        self._textures: dict[Texture, int] = {}
        self._samplers: dict[tuple[tuple[str, int], ...], int] = {}

    def number(self, picture: Texture) -> int:
        """The number of the texture of a picture."""
        scene = self._glb.scene
        if picture not in self._textures:
            texture = {"source": self.image(picture)}
            if picture.sampler:
                if picture.sampler not in self._samplers:
                    self._samplers[picture.sampler] = len(self._samplers)
                    scene.setdefault("samplers", []).append(dict(picture.sampler))
                texture["sampler"] = self._samplers[picture.sampler]
            self._textures[picture] = len(self._textures)
            scene.setdefault("textures", []).append(texture)
        return self._textures[picture]

    def image(self, picture: Texture) -> int:
        """The number of the image of a picture."""
        key = picture.name, picture.data
        if key not in self._images:
            self._images[key] = len(self._images)
            view = self._glb.add_bytes(picture.data)
            fields = {"name": picture.name, "mimeType": picture.mime_type, "bufferView": view}
            self._glb.scene.setdefault("images", []).append(fields)
        return self._images[key]


def add_materials(glb: Glb, materials: Sequence[Material], *, bare: bool, coordinates: Iterable[int]) -> GlbTextures:
    """Add all materials, each at its own number, and where something is `bare` the grey that stands for none.

    Pictures go along where the mesh has the set of texture `coordinates` that they lie on: without it the format
    forbids them.
    """
    textures, sets = GlbTextures(glb), set(coordinates)
    listed = [_fields(textures, _laid_on(material, sets)) for material in materials]
    glb.scene["materials"] = [*listed, _NONE] if bare else listed
    for fields in listed:
        glb.use(*_extensions_in(fields))
    return textures


def add_plain_material(glb: Glb) -> int:
    """The number of the grey that stands for none, which is added where there is none yet."""
    listed: list[Any] = glb.scene["materials"]
    if _NONE not in listed:
        listed.append(_NONE)
    return listed.index(_NONE)


def _laid_on(material: Material, sets: set[int]) -> Material:
    """The material with those of its pictures whose texture coordinates there are."""
    kept = {slot: picture for slot, picture in material.textures.items() if _coordinates(material, slot) in sets}
    return material if len(kept) == len(material.textures) else replace(material, textures=kept)


def _coordinates(material: Material, slot: str) -> int:
    """The set of texture coordinates that the picture of a slot lies on."""
    info = _inner(material.gltf, *([_KEYS[slot]] if slot in _KEYS else slot.split("/")))
    found = _inner(info, "extensions", _TRANSFORM).get("texCoord", info.get("texCoord", 0))
    return found if isinstance(found, int) else 0


def _inner(fields: Mapping[str, Any], *steps: str) -> Mapping[str, Any]:
    """What stands at the end of a way through objects; nothing where it ends before."""
    for step in steps:
        value = fields.get(step)
        fields = value if isinstance(value, Mapping) else {}
    return fields


_KEYS = {
    "color": "baseColorTexture",
    "metal_rough": "metallicRoughnessTexture",
    "normal": "normalTexture",
    "occlusion": "occlusionTexture",
    "emission": "emissiveTexture",
}


def _fields(textures: GlbTextures, material: Material) -> dict[str, Any]:
    shown = {
        _KEYS[slot]: {"index": textures.number(picture), **copy.deepcopy(material.gltf.get(_KEYS[slot], {}))}
        for slot, picture in material.textures.items()
        if slot in SLOTS
    }
    pbr: dict[str, Any] = {
        "baseColorFactor": list(material.color),
        "metallicFactor": material.metallic,
        "roughnessFactor": material.roughness,
    }
    fields: dict[str, Any] = {"name": material.name, "pbrMetallicRoughness": pbr}
    inner = (_KEYS["color"], _KEYS["metal_rough"])
    fields |= {key: info for key, info in shown.items() if key not in inner}
    pbr |= {key: info for key, info in shown.items() if key in inner}
    strength = max(*material.emission, 1.0)  # the format keeps what is brighter than one apart
    if any(material.emission):
        fields["emissiveFactor"] = [part / strength for part in material.emission]
    extensions = _extensions(textures, material)
    if strength > 1.0:
        extensions[_STRENGTH] = {"emissiveStrength": strength}
    fields |= {"extensions": extensions} if extensions else {}
    fields |= {"extras": material.gltf["extras"]} if "extras" in material.gltf else {}
    if material.double_sided:
        fields["doubleSided"] = True
    if material.alpha == "blend":
        fields["alphaMode"] = "BLEND"
    elif material.alpha != "opaque":
        fields |= {"alphaMode": "MASK", "alphaCutoff": material.alpha}
    return fields


def _extensions(textures: GlbTextures, material: Material) -> dict[str, Any]:
    """What extensions said of the material, with the numbers that their pictures have now; those without one go."""
    made: dict[str, Any] = copy.deepcopy(material.gltf.get("extensions", {}))
    waiting: list[tuple[str, dict[str, Any]]] = [("extensions", made)]
    while waiting:
        at, fields = waiting.pop()
        for key, value in list(fields.items()):
            if not isinstance(value, dict):
                continue
            path = f"{at}/{key}"
            if path in material.textures:
                value["index"] = textures.number(material.textures[path])
            elif key.endswith("Texture"):
                del fields[key]
                continue
            waiting.append((path, value))
    return made


def _extensions_in(fields: dict[str, Any]) -> set[str]:
    """The names of all extensions of a material and of how its pictures are laid on."""
    found: set[str] = set()
    waiting: list[Any] = [fields]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            inner = item.get("extensions")
            found |= set(inner) if isinstance(inner, dict) else set()
            waiting += [value for key, value in item.items() if key != "extras"]
    return found
