"""Read one file and leave what was found: `python -m supple.io.confined.child WHAT REPAIR SIZE FILE ANSWER`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.errors import FormatError, InputError, SuppleError
from supple.io import formats, interprocess, load, load_motion, subprocess_reader
from supple.io.isolation import isolate
from supple.io.sandbox import Sandbox
from supple.motion.motion import Motion


def read(what: str, path: Path, *, repair: bool) -> Character | Motion:
    """A character, a motion, or what there is of them."""
    if what == "motion" or path.suffix.lower() not in formats.CHARACTER_READERS:
        return load_motion(path)
    try:
        return load(path, repair=repair)
    except FormatError:
        raise
    except InputError:
        if what == "character" or path.suffix.lower() not in formats.MOTION_READERS:
            raise
        return load_motion(path)


def main(what: str, path: Path, answer: Path, *, repair: bool, size: int) -> None:
    """Leave a character or a motion, or why there is none, and all that was warned of.

    Memory and time are bounded as `supple.io.sandbox` says, from the moment the reader is loaded, and the
    process is shut off as `supple.io.isolation` says, but for the folder of the file.
    """
    formats.module_for(path, formats.CHARACTER_READERS | formats.MOTION_READERS, "files")
    subprocess_reader.begin(answer)
    Sandbox().allow(size)
    isolate([path.resolve().parent], answer.parent)
    subprocess_reader.SHUT_OFF = True
    made: Character | Motion | None = None
    said: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = read(what, path, repair=repair)
        except SuppleError as error:
            said["error"] = [type(error).__name__, error.where, error.given, error.needed, error.advice]
        except MemoryError:
            given, needed = "it asks for more memory than such a file needs", "a whole file is needed"
            said["error"] = ["FormatError", path.name, given, needed, "export it again"]
    said["warnings"] = [str(note.message) for note in caught if issubclass(note.category, UserWarning)]
    interprocess.write(answer, made, said)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[4]), Path(sys.argv[5]), repair=sys.argv[2] == "repair", size=int(sys.argv[3]))
