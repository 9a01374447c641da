"""Read one USD file and leave a parcel: `python -m supple.io.usd.reading_process WHAT FILE ANSWER`."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.errors import SuppleError
from supple.io import parcel
from supple.io.usd.stage_character import stage_character, stage_motion
from supple.motion.motion import Motion

_MOST_MEMORY = 16 << 30  # a damaged count must not take the machine's memory


def main(what: str, path: Path, answer: Path) -> None:
    """Read a character ('character', 'repair') or a 'motion'; errors and warnings go into the parcel too."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    made: Character | Motion | None = None
    said: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = stage_motion(path) if what == "motion" else stage_character(path, repair=what == "repair")
        except SuppleError as error:
            said["error"] = [type(error).__name__, error.where, error.given, error.needed, error.advice]
    said["warnings"] = [str(note.message) for note in caught]
    waiting = answer.with_suffix(".part")
    parcel.write(waiting, made, said)
    waiting.replace(answer)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
