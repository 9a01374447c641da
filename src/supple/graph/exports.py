"""Where a bake goes out to other programs: who can write one says so here, and `Cache.save` asks.

The graph knows no file formats. A room above it that does calls `register_writer` when it is imported;
`supple.connect_rooms` imports such rooms, and is called before the first bake is written.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import supple

if TYPE_CHECKING:
    from supple.graph.cache import Cache

Writer = Callable[["Cache", Path], None]
"""Writes all frames of a finished bake to a path, in the format that its suffix names."""

_writers: list[Writer] = []  # the last that was registered writes


def register_writer(writer: Writer) -> None:
    """From now on `Cache.save` writes with this."""
    _writers.append(writer)


def write(cache: Cache, path: str | Path) -> None:
    """Write all frames of a finished bake with the writer that was registered."""
    if not _writers:
        supple.connect_rooms()
    _writers[-1](cache, Path(path))
