"""The doors out: `save` writes a character or a motion for another program, `save_cache` a bake."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from supple.character.character import Character
from supple.errors import InputError
from supple.graph import exports
from supple.io import formats
from supple.io.tidying import tidy_character, tidy_motion
from supple.motion.motion import Motion

if TYPE_CHECKING:
    from supple.graph.cache import Cache

_ADVICE = "choose one of those"


def save(what: object, path: str | Path) -> None:
    """Write a character with all its motions, or a motion with its skeleton; the suffix says the format.

    The file appears whole or not at all. A bake is written with `cache.save`.
    """
    if isinstance(what, Character):
        module = formats.module_for(path, formats.CHARACTER_WRITERS, "files for characters", advice=_ADVICE)
        module.write_character(tidy_character(what), Path(path))
    elif isinstance(what, Motion):
        module = formats.module_for(path, formats.MOTION_WRITERS, "files for motions", advice=_ADVICE)
        module.write_motion(tidy_motion(what), Path(path))
    else:
        given = f"a {type(what).__name__} was given"
        raise InputError("save", given, "a character or a motion is needed", "write a bake with cache.save")


def save_cache(cache: Cache, path: Path) -> None:
    """Write all frames of a finished bake; the suffix says the format. This is what `cache.save` does."""
    module = formats.module_for(path, formats.CACHE_WRITERS, "files for bakes", advice=_ADVICE)
    if not cache.finished:
        given = f"{cache.ready} of {len(cache)} frames are there"
        raise InputError(str(cache.path), given, "only a finished bake is exported", "let the bake go on first")
    module.write_cache(cache, path)


exports.register_writer(save_cache)
