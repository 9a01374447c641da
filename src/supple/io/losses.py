"""What a save to a format would lose of a character, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from supple.character.attributes import NORMAL, TANGENT
from supple.character.character import Character
from supple.character.materials import SLOTS
from supple.io.formats import CHARACTER_WRITERS

_GLTF, _USD, _OBJ = (".glb", ".vrm"), (".usd", ".usda", ".usdc"), (".obj",)
_OBJ_SLOTS = ("color", "emission", "normal")
_MOST_NAMES = 4


def losses(character: Character, path: str | Path) -> list[str]:
    """What of the character a file of this suffix has no place for, one line each; empty where nothing is lost.

    Only things that the character has are named: one without shapes loses none.
    """
    suffix = (Path(path).suffix or str(path)).lower()
    return [f"{what}: {words}" if words else what for what, words, kept in _things(character) if suffix not in kept]


def losses_by_format(character: Character) -> dict[str, list[str]]:
    """The losses of every format that a character can be saved to, by suffix; .vrm only for one that came from one."""
    kept = character.extras.get("gltf")
    is_vrm = isinstance(kept, Mapping) and bool(kept.get("extensions"))
    return {suffix: losses(character, suffix) for suffix in CHARACTER_WRITERS if suffix != ".vrm" or is_vrm}


def _things(character: Character) -> list[tuple[str, str, tuple[str, ...]]]:
    """What a character has: its name, some words of it, and the suffixes that keep it."""
    rigged = (*_GLTF, *_USD)
    found: list[tuple[str, str, tuple[str, ...]]] = [("the skeleton", f"{len(character.skeleton)} joints", rigged)]
    if character.weights is not None:
        found.append(("weights", "", rigged))
    for what, names in (
        ("motions", character.motions),
        ("shapes", character.shapes),
        ("painted maps", character.maps),
        ("parts", character.parts),
    ):
        if names:
            found.append((what, _listed(names), rigged))
    return [*found, *_at_corners(character), *_looks(character), *_kept(character)]


def _at_corners(character: Character) -> list[tuple[str, str, tuple[str, ...]]]:
    attributes = {} if character.display is None else character.display.attributes
    plain = [name for name in attributes if name != NORMAL and "/" not in name.removeprefix("_")]
    found: list[tuple[str, str, tuple[str, ...]]] = []
    if NORMAL in attributes:
        found.append(("authored normals", "", (*_GLTF, *_USD, *_OBJ)))
    if plain:
        words = {TANGENT: "tangents"}
        found.append(("attributes of vertices", _listed(words.get(name, name) for name in plain), (*_GLTF, *_USD)))
    if any(name.startswith(("NORMAL/", "TANGENT/")) for name in attributes):
        found.append(("what shapes add to normals and tangents", "", _GLTF))
    return found


def _looks(character: Character) -> list[tuple[str, str, tuple[str, ...]]]:
    materials = character.materials
    found: list[tuple[str, str, tuple[str, ...]]] = []
    extensions = {name for material in materials for name in material.gltf.get("extensions", {})}
    if extensions:
        found.append(("extensions of materials", _listed(sorted(extensions)), _GLTF))
    if any(key != "extensions" for material in materials for key in material.gltf):
        found.append(("how pictures are laid on, and extras of materials", "", _GLTF))
    pictures = [(slot, picture) for material in materials for slot, picture in material.textures.items()]
    unusual = {slot for slot, _ in pictures if slot in SLOTS and slot not in _OBJ_SLOTS}
    if unusual:
        found.append(("pictures", _listed(sorted(unusual)), (*_GLTF, *_USD)))
    samplers = {key for _, picture in pictures for key, _ in picture.sampler}
    if samplers & {"wrapS", "wrapT"}:
        found.append(("how pictures end at their border", "", (*_GLTF, *_USD)))
    if samplers & {"magFilter", "minFilter"}:
        found.append(("how pictures are filtered", "", _GLTF))
    return found


def _kept(character: Character) -> list[tuple[str, str, tuple[str, ...]]]:
    kept: Any = character.extras.get("gltf")
    kept = kept if isinstance(kept, Mapping) else {}
    found: list[tuple[str, str, tuple[str, ...]]] = []
    if kept.get("asset"):
        found.append(("who made it", _listed(kept["asset"]), _GLTF))
    if kept.get("attachments"):
        names = _listed(str(each.get("name")) for each in kept["attachments"])
        found.append(("sockets, ends of bones, cameras and lights", names, _GLTF))
    if kept.get("extensions"):
        found.append(("licence, bones, expressions, springs and colliders of a VRM", "", _GLTF))
    return found


def _listed(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    every = list(names)
    more = len(every) - _MOST_NAMES
    return ", ".join(every[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
