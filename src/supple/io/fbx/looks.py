"""Materials of an FBX file for the process that asked: numbers by our words, pictures by their bytes or places.

Part of the reading program (`supple.io.fbx.child`), which keeps every handle of the library alive by `keep`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.io.parcel import Arrays, Words

Keep = Callable[[Any], Any]
_CLAMPED = 1  # the library's number of a picture that ends at its border


def read_looks(scene: Any, arrays: Arrays, words: Words, *, keep: Keep) -> None:
    """All materials of a scene under "materials", and all pictures under "pictures", embedded bytes as arrays."""
    textures = [keep(scene.textures[number]) for number in range(len(keep(scene.textures)))]
    words["pictures"] = []
    for number, texture in enumerate(textures):
        content = keep(texture.content)
        if content:
            arrays[f"picture {number}"] = np.frombuffer(bytes(content), dtype=np.uint8)
        places = [str(texture.relative_filename), str(texture.filename), str(texture.absolute_filename)]
        ends = [int(texture.wrap_u) == _CLAMPED, int(texture.wrap_v) == _CLAMPED]
        fields = {"name": str(texture.name), "places": places, "clamped": ends, "moved": bool(texture.has_uv_transform)}
        words["pictures"].append(fields)
    materials = [keep(scene.materials[number]) for number in range(len(keep(scene.materials)))]
    words["materials"] = [_look(material, keep) for material in materials]


def _look(material: Any, keep: Keep) -> Words:
    pbr, fbx, features = keep(material.pbr), keep(material.fbx), keep(material.features)

    def value(maps: Any, name: str, default: tuple[float, ...]) -> list[float]:
        found = keep(getattr(maps, name))
        given = [float(number) for number in keep(found.value_vec4)][: len(default)]
        return given if found.has_value and all(map(math.isfinite, given)) else list(default)

    def picture(*places: tuple[Any, str]) -> int:
        for maps, name in places:
            texture = keep(keep(getattr(maps, name)).texture)
            if texture is not None:
                files = keep(texture.file_textures)
                return int(keep(files[0]).typed_id) if len(files) else int(texture.typed_id)
        return -1

    (share,), (light,) = value(pbr, "base_factor", (1.0,)), value(pbr, "emission_factor", (1.0,))
    clear = value(fbx, "transparency_color", (1.0, 1.0, 1.0))
    (transparency,) = value(fbx, "transparency_factor", (0.0,))
    (solid,) = value(pbr, "opacity", (1.0 - transparency * sum(clear) / 3.0,))
    return {
        "name": str(material.name),
        "color": [share * number for number in value(pbr, "base_color", (0.8, 0.8, 0.8))],
        "opacity": solid,
        "metallic": value(pbr, "metalness", (0.0,))[0],
        "roughness": value(pbr, "roughness", (0.7,))[0],
        "emission": [light * number for number in value(pbr, "emission_color", (0.0, 0.0, 0.0))],
        "double_sided": bool(keep(features.double_sided).enabled),
        "pictures": {
            "color": picture((pbr, "base_color"), (fbx, "diffuse_color")),
            "normal": picture((pbr, "normal_map"), (fbx, "normal_map")),
            "emission": picture((pbr, "emission_color"), (fbx, "emission_color")),
            "occlusion": picture((pbr, "ambient_occlusion")),
            "metal": picture((pbr, "metalness")),
            "rough": picture((pbr, "roughness")),
            "opacity": picture((pbr, "opacity"), (fbx, "transparency_color"), (fbx, "transparency_factor")),
            "bump": picture((fbx, "bump")),
        },
    }
