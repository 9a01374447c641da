"""USD in, read by a process of its own: a damaged file can bring the USD library down, or keep it busy for minutes."""

from __future__ import annotations

import importlib.util
import tempfile
import warnings
from pathlib import Path
from typing import cast
from zipfile import BadZipFile

from supple.character.character import Character
from supple.errors import FormatError, SuppleWarning
from supple.io import interprocess, sandbox, subprocess_reader
from supple.io.usd.library import missing
from supple.motion.motion import Motion

# -P: nothing that lies in the current folder is taken for a module.
PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.usd.reading_process")


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
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        answer = Path(folder) / "answer.npz"
        program = (*PROGRAM, what, str(path), str(answer))
        ending = subprocess_reader.run(program, answer, where=str(path), size=path.stat().st_size)
        if not answer.exists():
            raise FormatError(str(path), _ended(ending), "a whole USD file is needed", "export it again")
        try:
            made, words = interprocess.read(answer)
        except (ValueError, KeyError, OSError, BadZipFile):
            given = "the reader left half an answer"
            raise FormatError(str(path), given, "a whole USD file is needed", "export it again") from None
    for note in words["warnings"]:
        warnings.warn(note, SuppleWarning, stacklevel=5)
    if "error" in words:
        raise interprocess.error_from(words["error"], str(path))
    return made


def _ended(ending: subprocess_reader.Ending) -> str:
    """How a process ended that left no answer."""
    if ending.code is None or ending.code in sandbox.OUT_OF_TIME:
        return "USD was still busy with it when its time was up"
    if "bad_alloc" in ending.words:
        return "USD asks for more memory over it than such a file needs"
    return f"USD broke down over it (exit {ending.code}: {ending.last})"
