"""Letting another process read a file, and saying here what it said there."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile

from supple.character.character import Character
from supple.errors import FormatError
from supple.io import formats, interprocess, sandbox, subprocess_reader
from supple.motion.motion import Motion

PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.confined.child")  # -P: nothing that lies beside the file is run
What = Literal["character", "motion", "either"]
_TABLES: dict[What, dict[str, str]] = {
    "character": formats.CHARACTER_READERS,
    "motion": formats.MOTION_READERS,
    "either": formats.CHARACTER_READERS | formats.MOTION_READERS,
}
_NEEDED, _ADVICE = "a whole file is needed", "export it again"


def read_confined(
    path: Path, what: What, *, repair: bool = False, drawn_in: int = 0
) -> tuple[Character | Motion, list[str]]:
    """What `supple.load` ("character") or `supple.load_motion` ("motion") gives, and what it would warn of.

    "either" is the motion of a well-formed file that has no character. The file is read by a process of its own,
    bounded as `supple.io.sandbox` says by the size of the file, and of `drawn_in` bytes more that files
    beside it may have. Whatever a file does to it, here there is a character, a motion or a `SuppleError`.
    """
    formats.module_for(path, _TABLES[what], f"files of {'characters' if what == 'character' else 'motions'}")
    size = path.stat().st_size + drawn_in
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        answer = Path(folder) / "answer.npz"
        program = (*PROGRAM, what, "repair" if repair else "", str(size), str(path.resolve()), str(answer))
        environment = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        ending = subprocess_reader.run(program, answer, where=path.name, size=size, environment=environment)
        if not answer.exists():
            raise FormatError(path.name, _ended(ending), _NEEDED, _ADVICE)
        try:
            made, words = interprocess.read(answer)
        except (ValueError, KeyError, OSError, BadZipFile):
            raise FormatError(path.name, "the reader left half an answer", _NEEDED, _ADVICE) from None
    if made is None:
        raise interprocess.error_from(words.get("error"), path.name)
    return made, words["warnings"]


def _ended(ending: subprocess_reader.Ending) -> str:
    """How a process ended that left no answer."""
    if ending.code is None or ending.code in sandbox.OUT_OF_TIME:
        return "the reader was still busy with it when its time was up"
    return f"the reader broke down over it (exit {ending.code}: {ending.last})"
