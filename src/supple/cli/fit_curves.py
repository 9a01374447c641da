"""`supple fit-curves BAKE... -o MODEL`: teach curves a slow skin from its bakes, and say how well they learnt it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from supple.skins.curves.learn.dataset import CurveExamples
from supple.skins.curves.learn.model import BASES
from supple.skins.curves.learn.model_file import save_curves
from supple.skins.curves.learn.pose_space import BEYOND, POWERS
from supple.skins.curves.learn.training import Progress, fit_curves

ENDING = ".curves"


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`BAKE` or a character with a skin and a motion, `-o`, and how closely to learn."""
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="BAKE",
        help=f"bakes of one character ({SUFFIX}), or one character that is baked now with --skin and --motion",
    )
    add_document_option(parser, words)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help=f"the model to write ({ENDING})")
    parser.add_argument(
        "--stand-on", choices=BASES, default="dual-quaternion", help="the skin below (default: dual-quaternion)"
    )
    parser.add_argument(
        "--nodes-per-vertex", type=float, default=0.5, metavar="X", help="how fine the curves are (default: 0.5)"
    )
    parser.add_argument("--examples", type=int, default=12, metavar="N", help="most frames a part learns (default: 12)")
    parser.add_argument("--exact", action="store_true", help="meet those frames exactly, not all frames on the whole")
    parser.add_argument("--between", choices=tuple(POWERS), default="smooth", help="examples (default: smooth)")
    parser.add_argument("--past", choices=BEYOND, default="ease", help="the last example (default: ease)")
    parser.add_argument(
        "--keep-out", type=int, default=5, metavar="N", help="never learn one frame in N, to test with (default: 5)"
    )
    add_file_options(parser)
    parser.add_argument("--fps", type=float, default=30.0, metavar="X", help="of what is baked now (default: 30)")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="of what is baked now (default: the motion's length)"
    )
    add_vertices_option(parser)
    add_motion_option(parser)
    add_skin_options(parser, words, default="position-based")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Train, showing how far it is, write the model, and say how far off it is and why."""
    began = time.perf_counter()
    output = Path(arguments.output)
    if output.suffix.lower() != ENDING:
        given = f"the suffix of {arguments.output!r} is unknown"
        raise InputError("-o", given, f"it is {ENDING}", f"name it such as hero{ENDING}")
    bakes = _bakes(arguments, console)
    trained_in = time.perf_counter()
    with console.counting("lessons") as count:

        def watch(progress: Progress) -> None:
            if progress.what == "frames":
                count(progress.done, progress.total)

        character = bakes[0].character
        model = fit_curves(
            character,
            CurveExamples.of(*bakes),
            base=arguments.stand_on,
            detail=arguments.nodes_per_vertex,
            most=arguments.examples,
            exact=arguments.exact,
            blend=arguments.between,
            beyond=arguments.past,
            kept_out=arguments.keep_out,
            watch=watch,
        )
    save_curves(model, output)
    training = time.perf_counter() - trained_in
    curves = sum(part.curves for part in model.parts)
    frames = sum(bake.ready for bake in bakes)
    console.say(
        f"{output}: {curves} curves, {model.node_count} nodes for {model.vertex_count} vertices, "
        f"{frames} frames, trained in {training:.1f} s"
    )
    assert model.errors is not None
    for line in str(model.errors).splitlines():
        console.say(line)
    parts = []
    for part in model.parts:
        off = model.errors.by_part.get(part.name)
        learnt = len(part.frames) - 1
        console.say(
            f"  {part.name}: {part.curves} x {part.nodes}, {learnt} frames learnt"
            + ("" if off is None else f", {1000 * off:.3g} mm RMS")
        )
        parts.append(
            {"name": part.name, "curves": part.curves, "nodes": part.nodes, "frames": part.frames[1:].tolist()}
        )
    return {
        "output": str(output),
        "character": character.name,
        "digest": model.digest,
        "frames": frames,
        "curves": curves,
        "nodes": model.node_count,
        "vertices": model.vertex_count,
        "parts": parts,
        "errors": model.errors.to_json(),
        "seconds_training": training,
        "seconds": time.perf_counter() - began,
    }


def _bakes(arguments: argparse.Namespace, console: Console) -> list[Cache]:
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
