"""The door out: `save` writes a character or a motion for another program."""

from __future__ import annotations

from pathlib import Path

from supple.character.character import Character
from supple.errors import InputError
from supple.io import formats
from supple.motion.motion import Motion


def save(what: object, path: str | Path) -> None:
    """Write a character with all its motions, or a motion with its skeleton; the suffix says the format.

    The file appears whole or not at all. A bake is written with `cache.save`.
    """
    if isinstance(what, Character):
        formats.module_for(path, formats.CHARACTER_WRITERS, "files for characters").write_character(what, Path(path))
    elif isinstance(what, Motion):
        formats.module_for(path, formats.MOTION_WRITERS, "files for motions").write_motion(what, Path(path))
    else:
        given = f"a {type(what).__name__} was given"
        raise InputError("save", given, "a character or a motion is needed", "write a bake with cache.save")
