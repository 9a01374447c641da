"""The doors for files: `supple.load` and `supple.load_motion`."""

from __future__ import annotations

import inspect
from pathlib import Path

from supple.character.character import Character
from supple.character.units import in_metres
from supple.errors import InputError
from supple.io import formats
from supple.io.tidying import tidy_character, tidy_motion
from supple.motion.motion import Motion


def load(path: str | Path, *, repair: bool = False, units: str = "m") -> Character:
    """A character from a file, by suffix, in metres and y up.

    Faults are refused in a sentence; with `repair` those that can be mended are, and a `SuppleWarning` says what was
    done. `units` is for files that were modelled in others than they say: "cm", "mm", "in" or "ft".
    """
    module = formats.module_for(_existing(path), formats.CHARACTER_READERS, "files of characters")
    character: Character = module.read_character(Path(path), repair=repair)
    return in_metres(tidy_character(character), units)


def load_motion(path: str | Path, *, metres_per_unit: float | None = None) -> Motion:
    """A motion from a file, by suffix, on the skeleton it came with; `retarget` it to another.

    `metres_per_unit` settles the unit of files that do not say theirs (BVH), where it is guessed otherwise.
    """
    module = formats.module_for(_existing(path), formats.MOTION_READERS, "files of motions")
    if metres_per_unit is None:
        motion: Motion = module.read_motion(Path(path))
        return tidy_motion(motion)
    if "metres_per_unit" not in inspect.signature(module.read_motion).parameters:
        given = f"metres_per_unit is {metres_per_unit}"
        raise InputError(str(path), given, "this format says its own unit", "leave it out")
    measured: Motion = module.read_motion(Path(path), metres_per_unit=metres_per_unit)
    return tidy_motion(measured)


def _existing(path: str | Path) -> Path:
    found = Path(path)
    if not found.is_file():
        raise InputError(str(path), "there is no such file", "a file is needed", "check the path")
    return found
