"""Bakes to learn from: those that are named, or one of a character or document that is made now."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from supple.character.fingerprint import fingerprint
from supple.cli.bake import SUFFIX
from supple.cli.console import Console
from supple.cli.options.characters import add_file_options, add_motion_option, add_vertices_option, motion_of
from supple.cli.options.documents import add_document_option, bake_document
from supple.cli.options.skins import add_skin_options, skin_from
from supple.document.file import load_document
from supple.document.sources import character_from
from supple.errors import InputError
from supple.graph.bake import Progress as Baking
from supple.graph.bake import bake
from supple.graph.cache import Cache


def add_source_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`BAKE...`, or a character with a skin and a motion, or a document."""
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="BAKE",
        help=f"bakes of one character ({SUFFIX}), or one character that is baked now with --skin and --motion",
    )
    add_document_option(parser, words)


def add_baking_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """How a character is baked now."""
    add_file_options(parser)
    parser.add_argument("--fps", type=float, default=30.0, metavar="X", help="of what is baked now (default: 30)")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="of what is baked now (default: the motion's length)"
    )
    add_vertices_option(parser)
    add_motion_option(parser)
    add_skin_options(parser, words, default="position-based")


def output_path(arguments: argparse.Namespace, suffix: str) -> Path:
    """Where the model goes; its suffix is checked before any work."""
    output = Path(arguments.output)
    if output.suffix.lower() != suffix:
        given = f"the suffix of {arguments.output!r} is unknown"
        raise InputError("-o", given, f"it is {suffix}", f"name it such as hero{suffix}")
    return output


def named_bakes(sources: Sequence[str]) -> list[Cache]:
    """Bakes of one character by their paths."""
    bakes = [Cache(source) for source in sources]
    known = {fingerprint(found.character): found for found in bakes}
    if len(known) > 1:
        one, other = list(known.values())[:2]
        raise InputError(
            str(other.path),
            f"it is a bake of another character than {one.path}",
            "all bakes are of one",
            "train them apart",
        )
    return bakes


def tests_from(arguments: argparse.Namespace, bakes: Sequence[Cache]) -> list[Cache]:
    """Bakes of the same character that `--test` names, to try what was learnt on."""
    if not arguments.test:
        return []
    found = named_bakes(arguments.test)
    if fingerprint(found[0].character) != fingerprint(bakes[0].character):
        given = "it is a bake of another character than those that are learnt"
        raise InputError(str(found[0].path), given, "all bakes are of one", "leave it out")
    return found


def bakes_from(arguments: argparse.Namespace, console: Console) -> list[Cache]:
    """The bakes that were named, or one of the named character, made now."""
    sources = arguments.sources
    if arguments.document is not None:
        if sources:
            given = f"{sources[0]} is named beside it"
            raise InputError("--document", given, "it is one source", "leave one out")
        return [_document_bake(arguments, console)]
    if not sources:
        raise InputError("BAKE", "none is named", f"bakes ({SUFFIX}) or a character are needed", "name one")
    if all(Path(source).suffix.lower() == SUFFIX for source in sources):
        return named_bakes(sources)
    if len(sources) != 1:
        given = f"{len(sources)} sources are named, not all of them bakes"
        raise InputError("BAKE", given, f"several bakes ({SUFFIX}) or one character are needed", "name them so")
    character = character_from(sources[0], vertices=arguments.vertices, repair=arguments.repair, units=arguments.units)
    clip = motion_of(arguments, character)
    with console.counting("frames") as count:

        def watch(progress: Baking) -> None:
            count(progress.frame + 1, progress.frames)

        return [
            bake(
                character,
                clip,
                skin_from(arguments),
                device=arguments.device,
                fps=arguments.fps,
                end=arguments.seconds,
                watch=watch,
            )
        ]


def _document_bake(arguments: argparse.Namespace, console: Console) -> Cache:
    """A bake of a document's skin, made now."""
    document = load_document(arguments.document)
    return bake_document(
        document, arguments.number, console=console, device=arguments.device, fps=arguments.fps, end=arguments.seconds
    )
