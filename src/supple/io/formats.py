"""Which module reads or writes which suffix. Modules are imported when a file asks for them.

A reader of characters has `read_character(path, *, repair) -> Character` and says with a `SuppleWarning` what it
repaired or left out; a reader of motions has `read_motion(path) -> Motion`. Both raise `FormatError` for files that are
broken, never anything else, and never hang. A writer of characters has `write_character(character, path)`, a writer of
motions `write_motion(motion, path)`, a writer of bakes `write_cache(cache, path)`; files appear whole or not at all
(`supple.files.atomic`).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

from supple.errors import InputError

CHARACTER_READERS: dict[str, str] = {
    ".glb": "gltf.reader",
    ".gltf": "gltf.reader",
    ".vrm": "gltf.reader",
    ".usd": "usd.reader",
    ".usda": "usd.reader",
    ".usdc": "usd.reader",
    ".usdz": "usd.reader",
    ".fbx": "fbx.reader",
    ".obj": "meshes.obj_reader",
    ".ply": "meshes.ply",
    ".stl": "meshes.stl",
}
MOTION_READERS: dict[str, str] = {
    ".glb": "gltf.reader",
    ".gltf": "gltf.reader",
    ".vrm": "gltf.reader",
    ".vrma": "gltf.reader",
    ".bvh": "bvh.reader",
    ".usd": "usd.reader",
    ".usda": "usd.reader",
    ".usdc": "usd.reader",
    ".usdz": "usd.reader",
    ".fbx": "fbx.reader",
}
CHARACTER_WRITERS: dict[str, str] = {
    ".glb": "gltf_out.writer",
    ".vrm": "gltf_out.writer",
    ".usd": "usd.character_writer",
    ".usda": "usd.character_writer",
    ".usdc": "usd.character_writer",
    ".obj": "meshes.obj_writer",
}
MOTION_WRITERS: dict[str, str] = {
    ".bvh": "bvh.writer",
    ".glb": "gltf_out.writer",
    ".usd": "usd.character_writer",
    ".usda": "usd.character_writer",
    ".usdc": "usd.character_writer",
}
CACHE_WRITERS: dict[str, str] = {
    ".usd": "usd.cache_writer",
    ".usda": "usd.cache_writer",
    ".usdc": "usd.cache_writer",
    ".glb": "gltf_out.writer",
    ".abc": "alembic",
    ".pc2": "pc2",
    ".mdd": "mdd",
    ".npz": "npz",
    ".obj": "meshes.obj_writer",
}
"""Suffix to the name of a module below `supple.io`."""


def module_for(
    path: str | Path, table: dict[str, str], what: str, *, advice: str = "convert it to one of those"
) -> ModuleType:
    """The module that handles this suffix, or a sentence that lists those there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in table:
        known = ", ".join(table) or "none yet"
        raise InputError(str(path), f"its suffix is {suffix!r}", f"{what} are {known}", advice)
    return import_module(f"supple.io.{table[suffix]}")
