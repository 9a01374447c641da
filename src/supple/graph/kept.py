"""What a cache keeps of the character it was baked from, as plain arrays, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from supple.character.character import Character, Display
from supple.character.materials import packed, unpacked
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights

Arrays = dict[str, NDArray[Any]]


def arrays_of(character: Character) -> Arrays:
    """Mesh, skeleton, weights, parts, maps and shapes; little-endian, in a fixed order."""
    skeleton, weights = character.skeleton, character.weights
    arrays: Arrays = {
        "rest": character.points.astype("<f8"),
        "triangles": character.triangles.astype("<i4"),
        "parents": skeleton.parents.astype("<i4"),
        "joint_rest": skeleton.world_from_joint.astype("<f8"),
        **{f"part {name}": index.astype("<i4") for name, index in sorted(character.parts.items())},
        **{f"map {name}": values.astype("<f8") for name, values in sorted(character.maps.items())},
        **{f"shape {name}": offsets.astype("<f8") for name, offsets in sorted(character.shapes.items())},
    }
    if skeleton.tails is not None:
        arrays["joint_tails"] = skeleton.tails.astype("<f8")
    if weights is not None:
        arrays["weight_joints"] = weights.joints.astype("<i4")
        arrays["weight_values"] = weights.values.astype("<f8")
    if character.polygons is not None:
        arrays["polygons"] = character.polygons.astype("<i4")
    return arrays


def display_arrays_of(character: Character) -> Arrays:
    """Seams, texture coordinates and materials: nothing moves by them, but programs that draw the bake want them."""
    display = character.display
    arrays: Arrays = packed(character.materials, character.material_of_triangle)
    if display is not None:
        arrays["display_control_points"] = display.control_points.astype("<i4")
        arrays["display_triangles"] = display.triangles.astype("<i4")
        if display.uvs is not None:
            arrays["display_uvs"] = display.uvs.astype("<f8")
    return arrays


def skeleton_from(arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> Skeleton:
    """The skeleton that was kept."""
    return Skeleton(tuple(info["joints"]), arrays["parents"], arrays["joint_rest"], tails=arrays.get("joint_tails"))


def character_from(arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> Character:
    """The character that was kept; its clips were not."""
    weights = None
    if "weight_joints" in arrays:
        weights = Weights(arrays["weight_joints"], arrays["weight_values"])
    display = None
    if "display_triangles" in arrays:
        control, drawn = arrays["display_control_points"], arrays["display_triangles"]
        display = Display(control, drawn, arrays.get("display_uvs"))
    return Character(
        arrays["rest"],
        arrays["triangles"],
        skeleton_from(arrays, info),
        weights,
        name=info["character_name"],
        parts={name: arrays[f"part {name}"] for name in info["parts"]},
        maps={name: arrays[f"map {name}"] for name in info["maps"]},
        shapes={name: arrays[f"shape {name}"] for name in info["shapes"]},
        polygons=arrays.get("polygons"),
        display=display,
        **unpacked(arrays),
    )
