"""The character and the motion that the words of a command name: built in, or from a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from supple.character.builtin import CHARACTERS, character
from supple.character.builtin.skeletons import hero_skeleton
from supple.character.character import Character
from supple.character.units import UNITS
from supple.errors import InputError
from supple.io import load, load_motion
from supple.io.formats import CHARACTER_READERS, MOTION_READERS
from supple.motion.builtin import MOTIONS, motion
from supple.motion.motion import Motion


def add_character_argument(parser: argparse.ArgumentParser) -> None:
    """Add `FILE`, the character, how fine a built-in one is made, and whether a file's faults are mended."""
    kinds = ", ".join(CHARACTER_READERS)
    parser.add_argument("file", metavar="FILE", help=f"a file ({kinds}), or built in: {', '.join(CHARACTERS)}")
    add_file_options(parser)
    add_vertices_option(parser)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add `--repair` and `--units`, how a character's file is to be read."""
    parser.add_argument("--repair", action="store_true", help="mend a file's faults where that can be done, and say so")
    parser.add_argument(
        "--units", choices=tuple(UNITS), default="m", help="that a file was modelled in, if not in those it says"
    )


def add_vertices_option(parser: argparse.ArgumentParser) -> None:
    """Add `--vertices`, how fine a built-in character is made."""
    parser.add_argument(
        "--vertices", type=int, default=10_000, metavar="N", help="of a built-in character (default: 10000)"
    )


def add_motion_option(parser: argparse.ArgumentParser) -> None:
    """Add `--motion`: a clip of the file, a built-in motion, or a file of motion."""
    kinds = ", ".join(MOTION_READERS)
    help_ = (
        f"a clip of the character, a file ({kinds}), or built in: {', '.join(MOTIONS)} (default: its first, or walk)"
    )
    parser.add_argument("--motion", metavar="NAME", help=help_)


def character_from(file: str, *, vertices: int, repair: bool = False, units: str = "m") -> Character:
    """The character that `FILE` names: a built-in one, made with that many vertices, or one from a file."""
    if file in CHARACTERS:
        if units != "m":
            given = f"{file} was said to be in {units}"
            raise InputError("--units", given, "built-in characters are in metres", "leave it out")
        return character(file, vertices=vertices)
    if Path(file).suffix:
        return load(file, repair=repair, units=units)
    raise InputError(
        "FILE",
        f"{file!r} is no built-in character and has no suffix of a file",
        f"the built-in ones are {', '.join(CHARACTERS)}, and files are {', '.join(CHARACTER_READERS)}",
        "use one of those",
    )


def motion_from(name: str | None, moved: Character) -> Motion:
    """The motion that `--motion` names: a clip of the character, a file carried over to it, or a built-in one."""
    if name is None:
        clips = list(moved.motions.values())
        return clips[0] if clips else motion("walk", moved)
    clip = next((clip for label, clip in moved.motions.items() if label.lower() == name.lower()), None)
    if clip is not None:
        return clip
    if Path(name).suffix.lower() in MOTION_READERS:
        return load_motion(name).retarget(moved)
    check_motion(name, clips=list(moved.motions))
    return _built_in(name, moved)


def _built_in(name: str, moved: Character) -> Motion:
    """A built-in motion for the character; where its joints have other names, the hero's carried over to it."""
    try:
        return motion(name, moved)
    except InputError as refused:
        try:
            return motion(name, hero_skeleton()).retarget(moved)
        except InputError:
            raise refused from None


def check_motion(name: str, *, clips: list[str] | None = None) -> None:
    """Refuse a motion that is nowhere."""
    if name not in MOTIONS:
        own = f"this character has {', '.join(clips)}, and " if clips else ""
        raise InputError(
            "--motion", f"{name!r} is no built-in motion", f"{own}there are {', '.join(MOTIONS)}", "use one of those"
        )
