"""Bindings that are shared: in a process while anybody uses them, and on disk from one run to the next.

A binding follows from the character, the skin's settings that cannot change while it plays, the kind of machine and the
code itself; a digest of all of them is its name. `supple.kept` says where they are and how many may stay.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from typing import Any

from supple import kept, machine
from supple.arrays import digest_of
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.fingerprint import moving_arrays
from supple.errors import InputError
from supple.graph.binding_codec import pack, unpack
from supple.settings import settings_of, value_of
from supple.skins.base import AnySkin, BoundSkin

_CODE = (
    "arrays.py",
    "device.py",
    "character",
    "geometry",
    "graph/binding_codec.py",
    "graph/bindings.py",
    "motion/pose.py",
    "obstacles",
    "skins",
)
_SHAPE = "body_shape"  # of a character, which it finds once
_alive: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


def bind(skin: AnySkin, character: Character, device: str) -> Any:
    """The binding of a skin: one that is in use, one from disk, or a new one.

    Where that of a crowd follows from one member's, only the member's is looked for and kept.
    """
    if isinstance(character, Crowd) and isinstance(skin, BoundSkin) and skin.stackable:
        return skin.stack(bind(skin, character.member, device), character)
    if not skin.cached:
        return skin.bind(character, device)
    name = _name(skin, character)
    key = f"{name} on {device}"
    found = _alive.get(key)
    if found is not None:
        return found
    file = _file(skin, name)
    known = _known(character)
    found = _read(file, character, known, device)
    if found is None:
        found = skin.bind(character, device)
        if kept.limit() > 0:
            kept.write(file, pack((found, character.__dict__.get(_SHAPE)), known))
    _alive[key] = found
    return found


def is_kept(skin: AnySkin, character: Character) -> bool:
    """Whether a binding is on disk, so that it need not be made."""
    return kept.limit() > 0 and (kept.folder() / _file(skin, _name(skin, character))).is_file()


def _file(skin: AnySkin, name: str) -> str:
    return f"{skin.command_name}-{name}{kept.BINDING}"


def _read(name: str, character: Character, known: dict[str, Any], device: str) -> Any:
    """A binding from disk; None where there is none, or none that is whole.

    What was found of the body's shape to make it is with it: to find that again may take longer than all the rest.
    """
    data = kept.read(name)
    if data is None:
        return None
    try:
        found, shape = unpack(data, known, device=device)
        if shape is not None:
            character.__dict__.setdefault(_SHAPE, shape)
        return found
    except (InputError, ValueError, TypeError, KeyError, AttributeError, ImportError, IndexError):
        kept.forget(name)
        return None


def _known(character: Character) -> dict[str, Any]:
    """What a binding names rather than holds: the character, and what it is made of."""
    known: dict[str, Any] = {}
    members = {"member": character.member} if isinstance(character, Crowd) else {}
    for name, one in {"character": character, **members}.items():
        parts = {"skeleton": one.skeleton, "weights": one.weights, "shapes": one.shapes}
        arrays = {"points": one.points, "triangles": one.triangles}
        known |= {name: one, **{f"{name}.{part}": value for part, value in {**parts, **arrays}.items()}}
    return {name: value for name, value in known.items() if value is not None}


def _name(skin: AnySkin, character: Character) -> str:
    """Digest of all that a binding follows from, but for the device."""
    infos = [info for info in settings_of(type(skin)) if info.name not in skin.live]
    fixed = {info.name: info.to_data(value_of(skin, info.name)) for info in infos}
    about = {
        "skin": f"{type(skin).__module__}:{type(skin).__qualname__}",
        "settings": fixed,
        "beside": skin.binding_identity(),
        "machine": machine.kind(),
        "code": kept.code_version(*_CODE),
        "copies": character.count if isinstance(character, Crowd) else 1,
    }
    total = hashlib.blake2b(json.dumps(about, sort_keys=True, default=str).encode(), digest_size=16)
    total.update(digest_of(moving_arrays(character)))
    return total.hexdigest()
