"""`--document`: what was made in the studio, in place of a character, a motion, a skin and edits."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from supple.cli.console import Console
from supple.document.document import Document
from supple.document.file import SUFFIX, load_document
from supple.document.skin_files import graph_with_files
from supple.errors import InputError
from supple.graph.bake import Progress, bake
from supple.graph.cache import Cache
from supple.graph.graph import Graph

_SAID_BY_IT = ("--motion", "--skin", "--skins", "--graph", "--edits", "--model", "--scene", "--repair", "--units",
               "--vertices")  # fmt: skip


def add_document_option(parser: argparse.ArgumentParser, words: Sequence[str], *, number: bool = True) -> None:
    """Add `--document`, and `--number`, which of its skins."""
    options = [word.partition("=")[0] for word in words]
    parser.set_defaults(beside_document=[option for option in options if option in _SAID_BY_IT])
    parser.add_argument("--document", metavar=f"NAME{SUFFIX}", help="what was made in the studio, in place of all that")
    if number:
        parser.add_argument(
            "--number", type=int, default=1, metavar="N", help="which of the document's skins (default: the first)"
        )


def document_from(arguments: argparse.Namespace, *, needs: str) -> Document | None:
    """The document that was named, if one was; `needs` says what is needed where none was.

    What a document says itself cannot be given beside it.
    """
    if arguments.document is None:
        if arguments.file is None:
            raise InputError("FILE", "no character is named", needs, "name one, or use --document")
        return None
    settings = [name for name, value in vars(arguments).items() if name.startswith("setting_") and value is not None]
    given = ["FILE"] * (arguments.file is not None) + arguments.beside_document
    given += [f"--{name.removeprefix('setting_')}" for name in settings]
    if given:
        raise InputError("--document", f"{given[0]} is given beside it", "it says that itself", "leave one out")
    return load_document(arguments.document)


def skin_of(document: Document, number: int) -> Graph:
    """One of its skins, counted from 1, with all that its settings name files of."""
    if not 1 <= number <= len(document.skins):
        there = f"the document has {len(document.skins)}"
        raise InputError("--number", f"skin {number} was asked for", there, "choose one of those")
    return graph_with_files(document.skins[number - 1])


def bake_document(
    document: Document,
    number: int,
    *,
    console: Console,
    device: str,
    path: Path | None = None,
    fps: float | None = None,
    end: float | None = None,
) -> Cache:
    """A bake of one of its skins, to a file where it goes on if it was interrupted, or to a temporary one."""
    character, motion = document.opened(end=end)
    with console.counting("frames") as count:

        def watch(progress: Progress) -> None:
            count(progress.frame + 1, progress.frames)

        return bake(
            character,
            motion,
            skin_of(document, number),
            path=path,
            device=device,
            fps=fps,
            end=end,
            watch=watch,
            overwrite=True,
        )
