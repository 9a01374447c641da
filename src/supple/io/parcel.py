"""A character or a motion as plain arrays and text, to be handed from one process to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.character.character import Character, Display
from supple.character.materials import packed, unpacked
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.motion.motion import Motion

Arrays = dict[str, NDArray[Any]]


def write(path: Path, what: Character | Motion | None, said: dict[str, Any]) -> None:
    """Write a character or motion, or nothing, and some words, without pickling."""
    arrays: Arrays = {}
    words = dict(said)
    if isinstance(what, Character):
        words["character"] = _pack_character(what, arrays)
    elif isinstance(what, Motion):
        words["skeleton"] = _pack_skeleton(what.skeleton, arrays)
        words["motion"] = _pack_motion(what, arrays, "motion")
    arrays["words"] = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    named: dict[str, Any] = arrays
    with path.open("wb") as file:
        np.savez(file, **named)


def read(path: Path) -> tuple[Character | Motion | None, dict[str, Any]]:
    """What `write` wrote."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    words: dict[str, Any] = json.loads(arrays.pop("words").tobytes())
    if "character" in words:
        return _unpack_character(words.pop("character"), arrays), words
    if "motion" in words:
        skeleton = _unpack_skeleton(words.pop("skeleton"), arrays)
        return _unpack_motion(words.pop("motion"), arrays, "motion", skeleton), words
    return None, words


def _pack_character(character: Character, arrays: Arrays) -> dict[str, Any]:
    arrays |= {"points": character.points, "triangles": character.triangles}
    if character.weights is not None:
        arrays |= {"weight_joints": character.weights.joints, "weight_values": character.weights.values}
    if character.polygons is not None:
        arrays["polygons"] = character.polygons
    if character.display is not None:
        arrays |= {"drawn_points": character.display.control_points, "drawn_triangles": character.display.triangles}
        if character.display.uvs is not None:
            arrays["uvs"] = character.display.uvs
    arrays |= packed(character.materials, character.material_of_triangle)
    arrays |= {f"map {number}": values for number, values in enumerate(character.maps.values())}
    arrays |= {f"part {number}": vertices for number, vertices in enumerate(character.parts.values())}
    arrays |= {f"shape {number}": offsets for number, offsets in enumerate(character.shapes.values())}
    return {
        "name": character.name,
        "skeleton": _pack_skeleton(character.skeleton, arrays),
        "maps": list(character.maps),
        "parts": list(character.parts),
        "shapes": list(character.shapes),
        "motions": [
            [key, _pack_motion(motion, arrays, f"motion {number}")]
            for number, (key, motion) in enumerate(character.motions.items())
        ],
    }


def _unpack_character(words: dict[str, Any], arrays: Arrays) -> Character:
    skeleton = _unpack_skeleton(words["skeleton"], arrays)
    weights = Weights(arrays["weight_joints"], arrays["weight_values"]) if "weight_joints" in arrays else None
    display = None
    if "drawn_points" in arrays:
        display = Display(arrays["drawn_points"], arrays["drawn_triangles"], arrays.get("uvs"))
    return Character(
        arrays["points"],
        arrays["triangles"],
        skeleton,
        weights,
        name=words["name"],
        maps={name: arrays[f"map {number}"] for number, name in enumerate(words["maps"])},
        parts={name: arrays[f"part {number}"] for number, name in enumerate(words["parts"])},
        shapes={name: arrays[f"shape {number}"] for number, name in enumerate(words["shapes"])},
        motions={
            key: _unpack_motion(motion, arrays, f"motion {number}", skeleton)
            for number, (key, motion) in enumerate(words["motions"])
        },
        polygons=arrays.get("polygons"),
        display=display,
        **unpacked(arrays),
    )


def _pack_skeleton(skeleton: Skeleton, arrays: Arrays) -> list[str]:
    arrays |= {"parents": skeleton.parents, "world_from_joint": skeleton.world_from_joint}
    if skeleton.tails is not None:
        arrays["tails"] = skeleton.tails
    return list(skeleton.names)


def _unpack_skeleton(names: list[str], arrays: Arrays) -> Skeleton:
    return Skeleton(tuple(names), arrays["parents"], arrays["world_from_joint"], tails=arrays.get("tails"))


def _pack_motion(motion: Motion, arrays: Arrays, key: str) -> dict[str, Any]:
    arrays |= {f"{key} translations": motion.translations, f"{key} rotations": motion.rotations}
    if motion.scales is not None:
        arrays[f"{key} scales"] = motion.scales
    if motion.stride is not None:
        arrays[f"{key} stride"] = motion.stride
    arrays |= {f"{key} shape {number}": shares for number, shares in enumerate(motion.shapes.values())}
    return {"name": motion.name, "fps": motion.fps, "loop": motion.loop, "shapes": list(motion.shapes)}


def _unpack_motion(words: dict[str, Any], arrays: Arrays, key: str, skeleton: Skeleton) -> Motion:
    return Motion(
        skeleton,
        words["fps"],
        arrays[f"{key} translations"],
        arrays[f"{key} rotations"],
        arrays.get(f"{key} scales"),
        name=words["name"],
        loop=words["loop"],
        stride=arrays.get(f"{key} stride"),
        shapes={name: arrays[f"{key} shape {number}"] for number, name in enumerate(words["shapes"])},
    )
