"""A bake as NumPy arrays: points (F, V, 3) [m], rest (V, 3), triangles (T, 3), fps, times (F,) [s].

Where the skin felt what it touched: pressure (F, V) [Pa].
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.files import atomic

if TYPE_CHECKING:
    from supple.graph.cache import Cache


def write_cache(cache: Cache, path: Path) -> None:
    """Write points, mesh and times; quads and texture coordinates go along where the character has them."""
    extra: dict[str, Any] = {}
    for name in ("polygons", "display_control_points", "display_triangles", "display_uvs"):
        if name in cache.arrays:
            extra[name] = cache.arrays[name]
    if cache.pressure is not None:
        extra["pressure"] = cache.pressure
    fixed: dict[str, Any] = {
        "rest": cache.rest,
        "triangles": cache.triangles,
        "fps": np.array(cache.fps),
        "times": cache.times,
    }
    with atomic(path) as waiting, waiting.open("wb") as file:
        np.savez(file, points=cache.points, **fixed, **extra)
