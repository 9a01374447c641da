"""`supple fit-pose-space BAKE... -o MODEL`: teach pose-space deformation a slow skin, and say how well it learnt it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

from supple.cli.bake import SUFFIX as BAKE
from supple.cli.console import Console
from supple.cli.options.bakes import add_baking_arguments, add_source_arguments, bakes_from, output_path, tests_from
from supple.skins.examples import BASE_SKINS, SkinExamples
from supple.skins.pose_space.inputs import KINDS
from supple.skins.pose_space.model_file import SUFFIX, save_pose_space
from supple.skins.pose_space.training import Progress, fit_pose_space


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`BAKE` or a character with a skin and a motion, `-o`, and how closely to learn."""
    add_source_arguments(parser, words)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help=f"the model to write ({SUFFIX})")
    parser.add_argument(
        "--test", nargs="+", default=[], metavar="BAKE", help=f"whole motions to test with, never learnt from ({BAKE})"
    )
    parser.add_argument("--below", choices=tuple(BASE_SKINS), default="linear", help="the skin below (default: linear)")
    parser.add_argument(
        "--inputs",
        choices=tuple(KINDS),
        default="motion",
        help="what it looks at: joints, also gravity, also how they move (default: motion)",
    )
    parser.add_argument(
        "--centers", type=int, default=128, metavar="N", help="most frames a part compares with (default: 128)"
    )
    parser.add_argument(
        "--tolerance", type=float, default=0.0006, metavar="M", help="what components leave out [m] (default: 0.0006)"
    )
    add_baking_arguments(parser, words)


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Train, showing how far it is, write the model, and say how far off it is."""
    began = time.perf_counter()
    output = output_path(arguments, SUFFIX)
    bakes = bakes_from(arguments, console)
    tests = tests_from(arguments, bakes)
    trained_in = time.perf_counter()
    with console.counting("frames") as count:

        def watch(progress: Progress) -> None:
            if progress.what == "frames":
                count(progress.done, progress.total)

        character = bakes[0].character
        model = fit_pose_space(
            character,
            SkinExamples.of(*bakes),
            below=arguments.below,
            inputs=arguments.inputs,
            centers=arguments.centers,
            tolerance=arguments.tolerance,
            test=SkinExamples.of(*tests) if tests else None,
            watch=watch,
        )
    save_pose_space(model, output)
    training, size = time.perf_counter() - trained_in, output.stat().st_size
    frames, components = sum(bake.ready for bake in bakes), int((model.shapes.units > 0.0).sum())
    console.say(
        f"{output}: {len(model.joints)} parts, {components} components for {model.vertex_count} vertices, "
        f"{frames} frames, {size / 1e6:.2f} MB, trained in {training:.1f} s"
    )
    assert model.errors is not None
    for line in str(model.errors).splitlines():
        console.say(line)
    return {
        "output": str(output),
        "character": character.name,
        "digest": model.digest,
        "frames": frames,
        "parts": len(model.joints),
        "components": components,
        "bytes": size,
        "vertices": model.vertex_count,
        "errors": model.errors.to_json(),
        "seconds_training": training,
        "seconds": time.perf_counter() - began,
    }
