"""Bindings that are shared: in a process while anybody uses them, and on disk from one run to the next.

A binding follows from the character, the skin's settings that cannot change while it plays, the kind of machine and the
code itself; a digest of all of them is its name. The folder is `SUPPLE_CACHE_DIR`, or where caches are kept on this
system; it is held below `SUPPLE_CACHE_LIMIT` bytes (2 GB; 0 keeps nothing) by removing what was not used for longest.
Nothing in it is needed: a file that is missing, damaged or from other code is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from supple import machine
from supple.arrays import digest_of
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.fingerprint import moving_arrays
from supple.errors import InputError
from supple.files import atomic
from supple.graph.binding_codec import pack, unpack
from supple.settings import settings_of, value_of
from supple.skins.base import AnySkin

SUFFIX = ".binding"
_LIMIT = 2_000_000_000  # bytes
_CODE = (
    "arrays.py",
    "device.py",
    "character",
    "geometry",
    "graph/binding_codec.py",
    "motion/pose.py",
    "obstacles",
    "skins",
)
_alive: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


@dataclass(frozen=True)
class StoredBinding:
    """One binding on disk: the skin it is for, its size in bytes, and when it was last used [s since 1970]."""

    path: Path
    skin: str
    size: int
    used: float


def bind(skin: AnySkin, character: Character, device: str) -> Any:
    """The binding of a skin: one that is in use, one from disk, or a new one."""
    if not skin.cached:
        return skin.bind(character, device)
    name = _name(skin, character)
    key = f"{name} on {device}"
    found = _alive.get(key)
    if found is not None:
        return found
    path = folder() / f"{skin.command_name}-{name}{SUFFIX}"
    known = _known(character)
    found = _read(path, known, device) if limit() > 0 else None
    if found is None:
        found = skin.bind(character, device)
        if limit() > 0:
            _write(path, found, known)
    _alive[key] = found
    return found


def folder() -> Path:
    """Where bindings are kept."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))) / "supple" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "supple"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "supple"


def limit() -> int:
    """How many bytes may be kept."""
    given = os.environ.get("SUPPLE_CACHE_LIMIT", "")
    return int(given) if given.isdigit() else _LIMIT


def stored() -> list[StoredBinding]:
    """What is on disk, the last used first."""
    found = []
    for path in _files():
        with contextlib.suppress(OSError):  # another process may be clearing
            about = path.stat()
            found.append(StoredBinding(path, path.name.rpartition("-")[0], about.st_size, about.st_mtime))
    return sorted(found, key=lambda one: (-one.used, one.path.name))


def clear() -> int:
    """Remove all of it; how many bytes that were."""
    removed = 0
    for one in stored():
        with contextlib.suppress(OSError):
            one.path.unlink()
            removed += one.size
    return removed


def _files() -> Iterator[Path]:
    where = folder()
    return where.glob(f"*{SUFFIX}") if where.is_dir() else iter(())


def _read(path: Path, known: dict[str, Any], device: str) -> Any:
    """A binding from disk; None where there is none, or none that is whole."""
    try:
        found = unpack(path.read_bytes(), known, device=device)
    except FileNotFoundError:
        return None
    except (OSError, InputError, ValueError, KeyError, AttributeError, ImportError, IndexError):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return found


def _write(path: Path, binding: Any, known: dict[str, Any]) -> None:
    """Keep a binding, if there is room for it on disk; what was not used for longest makes way."""
    data = pack(binding, known)
    if len(data) > limit():
        return
    with contextlib.suppress(OSError):  # a full or read-only disk costs nothing but the time to bind again
        with atomic(path) as waiting:
            waiting.write_bytes(data)
        room = limit()
        for one in stored():
            room -= one.size
            if room < 0 and one.path != path:
                one.path.unlink(missing_ok=True)


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
        "code": _code_version(),
        "copies": character.count if isinstance(character, Crowd) else 1,
    }
    total = hashlib.blake2b(json.dumps(about, sort_keys=True, default=str).encode(), digest_size=16)
    total.update(digest_of(moving_arrays(character)))
    return total.hexdigest()


@cache
def _code_version() -> str:
    """Digest of the sources that bindings are made by."""
    root = Path(__file__).resolve().parents[1]
    total = hashlib.blake2b(digest_size=16)
    for part in _CODE:
        source = root / part
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            total.update(path.relative_to(root).as_posix().encode())
            total.update(path.read_bytes())
    return total.hexdigest()
