"""Read one USD file and leave what was found: `python -m supple.io.usd.reading_process WHAT FILE ANSWER`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.errors import SuppleError
from supple.io import interprocess, subprocess_reader
from supple.io.isolation import isolate
from supple.io.sandbox import Sandbox
from supple.io.usd.library import load_all
from supple.io.usd.stage_character import stage_character, stage_motion
from supple.io.usd.stage_reader import layers_of, refusing
from supple.motion.motion import Motion


def main(what: str, path: Path, answer: Path) -> None:
    """Read a character ('character', 'repair') or a 'motion'; errors and warnings go into the answer too.

    Memory and time are bounded as `supple.io.sandbox` says, from the moment the USD library is loaded, by the size of
    the file and of the files that it draws in. The process is shut off as `supple.io.isolation` says, but for the
    folder of the file.
    """
    load_all(str(path))
    subprocess_reader.begin(answer)
    bounds = Sandbox()
    isolate([path.resolve().parent], answer.parent)
    made: Character | Motion | None = None
    said: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with refusing(path):
                held = layers_of(path, before_opening=bounds.allow)
            made = stage_motion(path) if what == "motion" else stage_character(path, repair=what == "repair")
            held.clear()  # the library would have forgotten them before, and read them twice
        except SuppleError as error:
            said["error"] = [type(error).__name__, error.where, error.given, error.needed, error.advice]
    said["warnings"] = [str(note.message) for note in caught]
    interprocess.write(answer, made, said)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
