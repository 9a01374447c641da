"""`supple decompose CACHE --bones N -o OUT`: a bake as bones, weights and motion, for engines."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.cli.console import Console
from supple.decompose import Progress, decompose
from supple.decompose.decomposing import ONE, PATCHES
from supple.decompose.files import READERS, read_sequence
from supple.io import load, save
from supple.io.formats import CHARACTER_WRITERS, module_for


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`CACHE`, `-o`, and how many bones there are."""
    parser.add_argument("cache", metavar="CACHE", help=f"points over time: {', '.join(READERS)}")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="a rigged character: .glb, .usd, .usdc")
    parser.add_argument("--bones", type=int, required=True, metavar="N", help="how many bones to find")
    parser.add_argument(
        "--influences", type=int, default=4, metavar="K", help="most bones that move one vertex (default: 4)"
    )
    parser.add_argument(
        "--keep-skeleton", action="store_true", help="keep the character's own joints and add the bones as helpers"
    )
    parser.add_argument(
        "--stretch",
        action=argparse.BooleanOptionalAction,
        help="let bones stretch along three directions of their own, all side by side, or be rigid (default: stretch)",
    )
    parser.add_argument("--smoothness", type=float, default=0.0, metavar="X", help="of the weights (default: 0)")
    parser.add_argument("--rounds", type=int, default=150, metavar="N", help="stop after these (default: 150)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another one finds other bones (default: 0)")
    parser.add_argument("--tries", type=int, default=8, metavar="N", help="seeds, of which the best goes on (8)")
    parser.add_argument(
        "--patches", choices=PATCHES, default=ONE, help="places apart that one bone may move (default: one)"
    )
    parser.add_argument(
        "--rest", default="given", metavar="SHAPE", help="the shape that bones are bound in: given, first, fitted, N"
    )
    parser.add_argument("--mesh", metavar="FILE", help="the mesh that a .pc2 or .mdd moves")
    parser.add_argument("--fps", type=float, metavar="X", help="frames a second, where the file does not say")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Find the bones, showing how far it is, write the character, and say how far off it is and where."""
    began = time.perf_counter()
    output = Path(arguments.output)
    module_for(output, CHARACTER_WRITERS, "rigged characters")
    mesh = None if arguments.mesh is None else load(arguments.mesh)
    sequence = read_sequence(arguments.cache, mesh=mesh, fps=arguments.fps)
    sequence.require_triangles()  # before minutes of work for a character that cannot be made
    with console.counting("rounds") as count:

        def watch(progress: Progress) -> None:
            count(progress.round, progress.rounds)

        found = decompose(
            sequence,
            bones=arguments.bones,
            influences=arguments.influences,
            keep_skeleton=arguments.keep_skeleton,
            stretch=arguments.stretch,
            rounds=arguments.rounds,
            smoothness=arguments.smoothness,
            seed=arguments.seed,
            tries=arguments.tries,
            patches=arguments.patches,
            rest=int(arguments.rest) if arguments.rest.isdigit() else arguments.rest,
            watch=watch,
        )
    save(found.character(), output)
    seconds = time.perf_counter() - began
    error = found.error
    joints = f"{len(found.skeleton)} joints ({arguments.bones} found)"
    console.say(f"{output}: {joints}, {found.weights.influences} influences, {len(sequence)} frames, {seconds:.1f} s")
    console.say(
        f"off by {1000 * error.rms:.3g} mm RMS, {1000 * error.worst:.3g} mm at worst; "
        f"1000 sqrt(E / 3VF) = {error.thousandths:.3g} at size one"
    )
    console.say(f"{100 * found.strays:.3g} % of the influences lie off the largest patch of their bone")
    for part, rms in error.by_part.items():
        console.say(f"  {part}: {1000 * rms:.3g} mm RMS")
    return {
        "output": str(output),
        "frames": len(sequence),
        "vertices": sequence.points.shape[1],
        "joints": list(found.skeleton.names),
        "bones": arguments.bones,
        "influences": found.weights.influences,
        "rounds": len(found.history),
        "history": list(found.history),
        "error": error.to_json(),
        "strays": found.strays,
        "seconds": seconds,
    }
