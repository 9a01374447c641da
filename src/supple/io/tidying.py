"""Characters and motions whose names no file could hold get names that one can, wherever they came from."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import SuppleWarning
from supple.motion.motion import Motion
from supple.names import is_writable, unique, writable

T = TypeVar("T")


def tidy_character(character: Character) -> Character:
    """The character with names that can be written; one warning says how many were not."""
    named = [
        character.name, *character.skeleton.names, *character.parts, *character.maps, *character.shapes,
        *character.motions, *(motion.name for motion in character.motions.values()),
        *(name for motion in character.motions.values() for name in motion.shapes),
        *(material.name for material in character.materials),
        *(picture.name for material in character.materials for picture in material.textures.values()),
    ]  # fmt: skip
    if not _tell(named, character.name):
        return character
    skeleton = _skeleton(character.skeleton)
    new_name = dict(zip(character.skeleton.names, skeleton.names, strict=True))
    motions = {name: _motion(motion, skeleton) for name, motion in _named(character.motions).items()}
    materials = tuple(
        replace(
            material,
            name=writable(material.name),
            textures={slot: replace(p, name=writable(p.name)) for slot, p in material.textures.items()},
        )
        for material in character.materials
    )
    return character.replace(
        name=writable(character.name),
        skeleton=skeleton,
        parts=_named(character.parts),
        maps=_named(character.maps),
        shapes=_named(character.shapes),
        motions=motions,
        materials=materials,
        extras=_renamed(dict(character.extras), new_name),
    )


def tidy_motion(motion: Motion) -> Motion:
    """The motion with names that can be written; one warning says how many were not."""
    if not _tell([motion.name, *motion.skeleton.names, *motion.shapes], motion.name):
        return motion
    return _motion(motion, _skeleton(motion.skeleton))


def _tell(names: Iterable[str], where: str) -> bool:
    """Whether any name cannot be written; how many is told."""
    count = sum(not is_writable(name) for name in names)
    if count:
        told = f"{writable(where)}: {count} names hold control characters or halves of signs; those became underscores"
        warnings.warn(told, SuppleWarning, stacklevel=4)
    return count > 0


def _skeleton(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, names=unique(writable(name) for name in skeleton.names))


def _motion(motion: Motion, skeleton: Skeleton) -> Motion:
    return motion.replace(skeleton=skeleton, name=writable(motion.name), shapes=_named(motion.shapes))


def _named(things: Mapping[str, T]) -> dict[str, T]:
    return dict(zip(unique(writable(name) for name in things), things.values(), strict=True))


def _renamed(extras: dict[str, Any], new_name: Mapping[str, str]) -> dict[str, Any]:
    """What a file brought along, with the joints that its nodes became by their new names."""
    gltf = extras.get("gltf")
    if isinstance(gltf, Mapping) and "node_joints" in gltf:
        joints = tuple(None if name is None else new_name.get(name, name) for name in gltf["node_joints"])
        extras["gltf"] = {**gltf, "node_joints": joints}
        if "attachments" in gltf:
            hung = [{**each, "name": writable(each["name"])} for each in gltf["attachments"]]
            extras["gltf"]["attachments"] = [
                {**each, "parent": new_name.get(each["parent"], each["parent"])} for each in hung
            ]
    return extras
