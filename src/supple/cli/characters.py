"""The character and the motion that the words of a command name."""

from __future__ import annotations

import argparse

from supple.character.builtin import CHARACTERS, character
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.builtin import MOTIONS


def add_character_argument(parser: argparse.ArgumentParser) -> None:
    """Add `FILE`, the character, and how fine a built-in one is made."""
    parser.add_argument("file", metavar="FILE", help=f"a built-in character: {', '.join(CHARACTERS)}")
    add_vertices_option(parser)


def add_vertices_option(parser: argparse.ArgumentParser) -> None:
    """Add `--vertices`, how fine a built-in character is made."""
    parser.add_argument(
        "--vertices", type=int, default=10_000, metavar="N", help="of a built-in character (default: 10000)"
    )


def character_from(file: str, *, vertices: int) -> Character:
    """The character that `FILE` names: a built-in one, made with that many vertices."""
    if file in CHARACTERS:
        return character(file, vertices=vertices)
    raise InputError(
        "FILE",
        f"{file!r} is no built-in character",
        f"the built-in ones are {', '.join(CHARACTERS)}, and this version reads no character files",
        "use one of those names",
    )


def check_motion(name: str) -> None:
    """Refuse a motion that is not built in, before a character is made for it."""
    if name not in MOTIONS:
        raise InputError(
            "--motion", f"{name!r} is no built-in motion", f"there are {', '.join(MOTIONS)}", "use one of those"
        )
