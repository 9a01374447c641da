"""A character as plain arrays and words, and the way back: the one place that says what is kept of a character.

Caches keep both on disk, readers in a process of their own hand both over, and fingerprints are taken of the arrays.
Names and kinds of the arrays are a file format: bakes that were made before must stay readable. Clips are no part of
it, nor are `extras`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import IntArray
from supple.character.character import Character, Display
from supple.character.materials import Material, Texture
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights

Arrays = dict[str, NDArray[Any]]
_CORNERS = "display attribute "  # before the name of what stands at corners


def pack(character: Character) -> Arrays:
    """All arrays by which it moves: mesh, skeleton, weights, parts, maps, shapes; little-endian, in a fixed order."""
    weights = character.weights
    bones = pack_skeleton(character.skeleton)
    tails = bones.pop("joint_tails", None)
    arrays: Arrays = {
        "rest": _floats(character.points),
        "triangles": _ints(character.triangles),
        **bones,
        **{f"part {name}": _ints(index) for name, index in sorted(character.parts.items())},
        **{f"map {name}": _floats(values) for name, values in sorted(character.maps.items())},
        **{f"shape {name}": _floats(offsets) for name, offsets in sorted(character.shapes.items())},
    }
    if tails is not None:
        arrays["joint_tails"] = tails
    if weights is not None:
        arrays["weight_joints"] = _ints(weights.joints)
        arrays["weight_values"] = _floats(weights.values)
    if character.polygons is not None:
        arrays["polygons"] = _ints(character.polygons)
    return arrays


def pack_display(character: Character) -> Arrays:
    """Seams, texture coordinates and materials: nothing moves by them, but programs that draw it want them."""
    display = character.display
    arrays = pack_materials(character.materials, character.material_of_triangle)
    if display is not None:
        arrays["display_control_points"] = _ints(display.control_points)
        arrays["display_triangles"] = _ints(display.triangles)
        if display.uvs is not None:
            arrays["display_uvs"] = _floats(display.uvs)
        arrays |= {f"{_CORNERS}{name}": rows.astype("<f4") for name, rows in sorted(display.attributes.items())}
    return arrays


def pack_skeleton(skeleton: Skeleton) -> Arrays:
    """The arrays of a skeleton on its own, as those of a character have them."""
    arrays: Arrays = {"parents": _ints(skeleton.parents), "joint_rest": _floats(skeleton.world_from_joint)}
    if skeleton.tails is not None:
        arrays["joint_tails"] = _floats(skeleton.tails)
    return arrays


def describe(character: Character) -> dict[str, Any]:
    """The words that go with the arrays, as JSON has them; parts, maps and shapes in their own order."""
    return {
        "character_name": character.name,
        "joints": list(character.skeleton.names),
        "parts": list(character.parts),
        "maps": list(character.maps),
        "shapes": list(character.shapes),
    }


def unpack_skeleton(arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any]) -> Skeleton:
    """The skeleton of a character that was packed, or one on its own."""
    return Skeleton(tuple(words["joints"]), arrays["parents"], arrays["joint_rest"], tails=arrays.get("joint_tails"))


def unpack(arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Any]) -> Character:
    """The character that `pack`, `pack_display` and `describe` took apart."""
    weights = None
    if "weight_joints" in arrays:
        weights = Weights(arrays["weight_joints"], arrays["weight_values"])
    display = None
    if "display_triangles" in arrays:
        control, triangles = arrays["display_control_points"], arrays["display_triangles"]
        attributes = {name[len(_CORNERS) :]: rows for name, rows in arrays.items() if name.startswith(_CORNERS)}
        display = Display(control, triangles, arrays.get("display_uvs"), attributes)
    return Character(
        arrays["rest"],
        arrays["triangles"],
        unpack_skeleton(arrays, words),
        weights,
        name=words["character_name"],
        parts={name: arrays[f"part {name}"] for name in words["parts"]},
        maps={name: arrays[f"map {name}"] for name in words["maps"]},
        shapes={name: arrays[f"shape {name}"] for name in words["shapes"]},
        polygons=arrays.get("polygons"),
        display=display,
        **unpack_materials(arrays),
    )


def pack_materials(materials: Sequence[Material], worn: IntArray | None) -> Arrays:
    """Materials as plain arrays, little-endian; nothing where there are none. A picture used twice is there once."""
    if not materials or worn is None:
        return {}
    pictures: dict[Texture, int] = {}
    words = [
        {
            "name": material.name,
            "color": material.color,
            "metallic": material.metallic,
            "roughness": material.roughness,
            "emission": material.emission,
            "double_sided": material.double_sided,
            "alpha": material.alpha,
            "textures": {slot: pictures.setdefault(t, len(pictures)) for slot, t in material.textures.items()},
            **({"gltf": dict(material.gltf)} if material.gltf else {}),
        }
        for material in materials
    ]
    said: dict[str, Any] = {"materials": words, "pictures": [picture.name for picture in pictures]}
    if any(picture.sampler for picture in pictures):
        said["samplers"] = [picture.sampler for picture in pictures]
    text = json.dumps(said, sort_keys=True)
    return {
        "materials": np.frombuffer(text.encode(), dtype=np.uint8),
        "material_of_triangle": worn.astype("<i4"),
        **{f"picture {n}": np.frombuffer(picture.data, dtype=np.uint8) for picture, n in pictures.items()},
    }


def unpack_materials(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """What `pack_materials` made, as the fields of a character."""
    if "materials" not in arrays:
        return {}
    words = json.loads(arrays["materials"].tobytes())
    samplers = words.get("samplers", [()] * len(words["pictures"]))
    pictures = [
        Texture(name, arrays[f"picture {number}"].tobytes(), tuple((key, value) for key, value in sampler))
        for number, (name, sampler) in enumerate(zip(words["pictures"], samplers, strict=True))
    ]
    materials = [
        Material(**{**fields, "textures": {slot: pictures[n] for slot, n in fields["textures"].items()}})
        for fields in words["materials"]
    ]
    return {"materials": tuple(materials), "material_of_triangle": arrays["material_of_triangle"]}


def _floats(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype("<f8", copy=False)


def _ints(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype("<i4", copy=False)
