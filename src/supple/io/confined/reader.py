"""Letting another process read a file, and saying here what it said there."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from supple.character.character import Character
from supple.errors import InputError
from supple.io import formats, interprocess, subprocess_reader
from supple.io.parcel import BROKEN
from supple.motion.motion import Motion

PROGRAM: tuple[str, ...] = ("-P", "-m", "supple.io.confined.child")  # -P: nothing that lies beside the file is run
What = Literal["character", "motion", "either"]
_TABLES: dict[What, dict[str, str]] = {
    "character": formats.CHARACTER_READERS,
    "motion": formats.MOTION_READERS,
    "either": formats.CHARACTER_READERS | formats.MOTION_READERS,
}
_READER = subprocess_reader.Reader("the reader", "a whole file is needed", "export it again")


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
    program = (*PROGRAM, what, "repair" if repair else "", str(size), str(path.resolve()))
    arrays, words = subprocess_reader.ask(program, _READER, where=path.name, size=size)
    try:
        made, words = interprocess.unpacked(arrays, words)
        notes = list(words["warnings"])
    except (*BROKEN, InputError):
        raise _READER.refusal(path.name, "left half an answer") from None
    if made is None:
        raise interprocess.error_from(words.get("error"), path.name)
    return made, notes
