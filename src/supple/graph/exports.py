"""Which module writes a bake to which suffix; by name, because the graph knows nothing of files.

A module named here has `write_cache(cache, path)`; the file appears whole or not at all.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from supple.errors import InputError

if TYPE_CHECKING:
    from supple.graph.cache import Cache

CACHE_WRITERS: dict[str, str] = {
    ".usd": "supple.io.usd.cache_writer",
    ".usda": "supple.io.usd.cache_writer",
    ".usdc": "supple.io.usd.cache_writer",
    ".glb": "supple.io.gltf_out.writer",
    ".abc": "supple.io.alembic",
    ".pc2": "supple.io.pc2",
    ".mdd": "supple.io.mdd",
    ".npz": "supple.io.npz",
    ".obj": "supple.io.obj",
}
"""Suffix to the full name of a module."""


def write(cache: Cache, path: str | Path) -> None:
    """Write all frames of a finished bake in the format that the suffix names."""
    suffix = Path(path).suffix.lower()
    if suffix not in CACHE_WRITERS:
        known = ", ".join(CACHE_WRITERS) or "none yet"
        raise InputError(str(path), f"its suffix is {suffix!r}", f"bakes are written as {known}", "choose one of those")
    if not cache.finished:
        given = f"{cache.ready} of {len(cache)} frames are there"
        raise InputError(str(cache.path), given, "only a finished bake is exported", "let the bake go on first")
    import_module(CACHE_WRITERS[suffix]).write_cache(cache, Path(path))
