"""`supple convert IN OUT`: a character or a motion carried over to another format, with what that loses."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.cli.console import Console
from supple.cli.options.characters import add_file_options
from supple.errors import FormatError, InputError
from supple.io import load, load_motion, save
from supple.io.formats import CHARACTER_READERS, CHARACTER_WRITERS, MOTION_READERS, MOTION_WRITERS, module_for
from supple.io.losses import losses


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`IN`, `OUT`, and how `IN` is to be read."""
    parser.add_argument("file", metavar="IN", help=f"a character ({', '.join(CHARACTER_READERS)}) or a motion (.bvh)")
    parser.add_argument("output", metavar="OUT", help=", ".join({**CHARACTER_WRITERS, **MOTION_WRITERS}))
    add_file_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Read the one, write the other, and say what has no place there."""
    module_for(arguments.output, CHARACTER_WRITERS | MOTION_WRITERS, "files to be written")
    output = Path(arguments.output)
    character = _character(arguments)
    if character is None:
        motion = load_motion(arguments.file)
        save(motion, output)
        console.say(f"{output}: the motion {motion.name!r}, {motion.frames} frames; no mesh")
        return {"output": str(output), "kind": "motion", "lost": []}
    save(character, output)
    lost = losses(character, output)
    console.say(f"{output}: {character!r}")
    console.say("Nothing is lost." if not lost else "Lost, for want of a place in that format:")
    for line in lost:
        console.say(f"  {line}")
    return {"output": str(output), "kind": "character", "lost": lost}


def _character(arguments: argparse.Namespace) -> Any:
    """The character of the file; None where it holds a motion alone, or only motions can be written."""
    given, wanted = Path(arguments.file).suffix.lower(), Path(arguments.output).suffix.lower()
    if wanted not in CHARACTER_WRITERS or (given not in CHARACTER_READERS and given in MOTION_READERS):
        return None
    try:
        return load(arguments.file, repair=arguments.repair, units=arguments.units)
    except FormatError:
        raise
    except InputError:
        if given in MOTION_READERS and wanted in MOTION_WRITERS and Path(arguments.file).is_file():
            return None
        raise
