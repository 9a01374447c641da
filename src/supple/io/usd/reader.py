"""USD in, read by a process of its own: a damaged file can bring the USD library down, or keep it busy for minutes."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import cast

from supple.character.character import Character
from supple.errors import InputError, SuppleWarning
from supple.io import interprocess, subprocess_reader
from supple.io.parcel import BROKEN
from supple.io.usd.library import missing
from supple.motion.motion import Motion

# -P: nothing that lies in the current folder is taken for a module.
PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.usd.reading_process")
_READER = subprocess_reader.Reader("USD", "a whole USD file is needed", "export it again")


def read_character(path: Path, *, repair: bool) -> Character:
    """Read all meshes of a stage as one character, in metres and y up, with all clips.

    Where there are several meshes each becomes a part. Meshes that no skeleton moves ride on the first joint. Quads
    and texture coordinates (primvar st) are kept, blend shapes become shapes and UsdPreviewSurface materials; other
    shaders and subdivision are left out.
    """
    return cast(Character, _read_in_subprocess(path, "repair" if repair else "character"))


def read_motion(path: Path) -> Motion:
    """The clip that plays, or the first there is, on its own skeleton."""
    return cast(Motion, _read_in_subprocess(path, "motion"))


def _read_in_subprocess(path: Path, what: str) -> Character | Motion | None:
    """Let another process read the file, and say here what it said there.

    The other process is bounded in memory and time as `supple.io.sandbox` says: for a damaged file of up to a megabyte
    240 MB and 5 s.
    """
    if importlib.util.find_spec("pxr") is None:
        raise missing(str(path))
    program = (*PROGRAM, what, str(path))
    arrays, words = subprocess_reader.ask(program, _READER, where=str(path), size=path.stat().st_size)
    try:
        made, words = interprocess.unpacked(arrays, words)
        notes = list(words["warnings"])
    except (*BROKEN, InputError):
        raise _READER.refusal(str(path), "left half an answer") from None
    for note in notes:
        warnings.warn(note, SuppleWarning, stacklevel=5)
    if "error" in words:
        raise interprocess.error_from(words["error"], str(path))
    return made
