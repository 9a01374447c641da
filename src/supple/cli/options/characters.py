"""Options that name a character and a motion; `supple.document.sources` opens them."""

from __future__ import annotations

import argparse

from supple.character.builtin import CHARACTERS
from supple.character.character import Character
from supple.character.units import UNITS
from supple.document.sources import motion_from, swinging
from supple.io.formats import CHARACTER_READERS, MOTION_READERS
from supple.motion.builtin import MOTIONS
from supple.motion.motion import Motion


def add_character_argument(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add `FILE`, the character, how fine a built-in one is made, and whether a file's faults are mended."""
    kinds = ", ".join(CHARACTER_READERS)
    told = f"a file ({kinds}), or built in: {', '.join(CHARACTERS)}"
    parser.add_argument("file", metavar="FILE", nargs="?" if optional else None, help=told)
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
    parser.add_argument(
        "--spring-bones",
        action="store_true",
        help="joints of hair, ears, tails, capes and skirts swing, as a VRM says or as their names tell",
    )


def motion_of(arguments: argparse.Namespace, character: Character) -> Motion:
    """The motion that `--motion` names, with swinging joints where they were asked for."""
    motion = motion_from(arguments.motion, character)
    return swinging(character, motion) if arguments.spring_bones else motion
