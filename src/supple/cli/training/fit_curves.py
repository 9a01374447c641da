"""`supple fit-curves BAKE... -o MODEL`: teach curves a slow skin from its bakes, and say how well they learnt it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

from supple.cli.console import Console
from supple.cli.options.bakes import add_baking_arguments, add_source_arguments, bakes_from, output_path, tests_from
from supple.skins.curves.learn.model_file import save_curves
from supple.skins.curves.learn.radial_space import BEYOND, POWERS
from supple.skins.curves.learn.training import Progress, fit_curves
from supple.skins.examples import BASE_SKINS, SkinExamples

ENDING = ".curves"


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`BAKE` or a character with a skin and a motion, `-o`, and how closely to learn."""
    add_source_arguments(parser, words)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help=f"the model to write ({ENDING})")
    parser.add_argument(
        "--below",
        choices=tuple(BASE_SKINS),
        default="dual-quaternion",
        help="the skin below (default: dual-quaternion)",
    )
    parser.add_argument(
        "--nodes-per-vertex", type=float, default=0.5, metavar="X", help="at most so many nodes (default: 0.5)"
    )
    parser.add_argument(
        "--most-frames", type=int, default=12, metavar="N", help="most frames a part learns (default: 12)"
    )
    parser.add_argument("--exact", action="store_true", help="meet those frames exactly, not all frames on the whole")
    parser.add_argument("--between", choices=tuple(POWERS), default="smooth", help="examples (default: smooth)")
    parser.add_argument("--past", choices=BEYOND, default="ease", help="the last example (default: ease)")
    parser.add_argument(
        "--test", nargs="+", default=[], metavar="BAKE", help="whole motions to test with, never learnt from"
    )
    add_baking_arguments(parser, words)


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Train, showing how far it is, write the model, and say how far off it is and why."""
    began = time.perf_counter()
    output = output_path(arguments, ENDING)
    bakes = bakes_from(arguments, console)
    tests = tests_from(arguments, bakes)
    trained_in = time.perf_counter()
    with console.counting("lessons") as count:

        def watch(progress: Progress) -> None:
            if progress.what == "frames":
                count(progress.done, progress.total)

        character = bakes[0].character
        model = fit_curves(
            character,
            SkinExamples.of(*bakes),
            below=arguments.below,
            nodes_per_vertex=arguments.nodes_per_vertex,
            most_frames=arguments.most_frames,
            exact=arguments.exact,
            between=arguments.between,
            past=arguments.past,
            test=SkinExamples.of(*tests) if tests else None,
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
