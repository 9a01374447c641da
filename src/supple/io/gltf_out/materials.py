"""Materials into a GLB: numbers, and pictures as the bytes they came as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from supple.character.materials import Material, Texture
from supple.io.gltf.materials import KEY
from supple.io.gltf_out.container import Glb

_NONE = {
    "name": "skin",
    "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.8, 0.8, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7},
    "extras": {KEY: {"none": True}},
}
"""Plain grey: without a material, the format means a metal, which is black where nothing is mirrored in it."""


def add_materials(glb: Glb, materials: Sequence[Material], *, bare: bool, textured: bool) -> None:
    """Add all materials, each at its own number, and where something is `bare` the grey that stands for none.

    Pictures go along where the mesh is `textured`: without texture coordinates the format forbids them.
    """
    pictures: dict[Texture, int] = {}
    listed = [
        _fields(glb, material if textured else replace(material, textures={}), pictures) for material in materials
    ]
    glb.scene["materials"] = [*listed, _NONE] if bare else listed
    strong = [fields for fields in listed if "extensions" in fields]
    if strong:
        glb.scene["extensionsUsed"] = ["KHR_materials_emissive_strength"]


def _fields(glb: Glb, material: Material, pictures: dict[Texture, int]) -> dict[str, Any]:
    shown = {slot: {"index": _texture(glb, picture, pictures)} for slot, picture in material.textures.items()}
    pbr: dict[str, Any] = {
        "baseColorFactor": list(material.color),
        "metallicFactor": material.metallic,
        "roughnessFactor": material.roughness,
    }
    fields: dict[str, Any] = {"name": material.name, "pbrMetallicRoughness": pbr}
    keys = {"normal": "normalTexture", "occlusion": "occlusionTexture", "emission": "emissiveTexture"}
    fields |= {key: shown[slot] for slot, key in keys.items() if slot in shown}
    keys = {"color": "baseColorTexture", "metal_rough": "metallicRoughnessTexture"}
    pbr |= {key: shown[slot] for slot, key in keys.items() if slot in shown}
    strength = max(*material.emission, 1.0)  # the format keeps what is brighter than one apart
    if any(material.emission):
        fields["emissiveFactor"] = [part / strength for part in material.emission]
    if strength > 1.0:
        fields["extensions"] = {"KHR_materials_emissive_strength": {"emissiveStrength": strength}}
    if material.double_sided:
        fields["doubleSided"] = True
    if material.alpha == "blend":
        fields["alphaMode"] = "BLEND"
    elif material.alpha != "opaque":
        fields |= {"alphaMode": "MASK", "alphaCutoff": material.alpha}
    return fields


def _texture(glb: Glb, picture: Texture, pictures: dict[Texture, int]) -> int:
    if picture not in pictures:
        pictures[picture] = len(pictures)
        view = glb.add_bytes(picture.data)
        image = {"name": picture.name, "mimeType": picture.mime_type, "bufferView": view}
        glb.scene.setdefault("images", []).append(image)
        glb.scene.setdefault("textures", []).append({"source": pictures[picture]})
    return pictures[picture]
