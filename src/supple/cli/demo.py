"""`supple demo`: the front door. The hero runs and stops under a skin of every kind; no file needed."""

from __future__ import annotations

import argparse
import shlex
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.character.builtin import character
from supple.cli.characters import add_vertices_option, check_motion
from supple.cli.console import Console
from supple.cli.steps import Steps
from supple.device import check_device
from supple.errors import InputError
from supple.motion.builtin import MOTIONS, motion
from supple.render.film import playable_suffix
from supple.report import compare

_MOTION = "run-and-stop"
SHOWN = ("linear", "delta-mush", "spring-dynamics", "position-based", "lattice", "curves")
"""One or two of every room, so that a first look takes about a minute; `supple compare` takes any."""


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`-o`, `--vertices`, `--motion` and `--seconds`; none is needed."""
    parser.add_argument(
        "-o", "--output", default="supple-demo", metavar="FOLDER", help="where files go (default: supple-demo)"
    )
    parser.add_argument(
        "--motion",
        default=_MOTION,
        metavar="NAME",
        help=f"what the hero does: {', '.join(MOTIONS)} (default: {_MOTION})",
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="how long (default: the motion's length)")
    add_vertices_option(parser)
    parser.set_defaults(words=list(words))


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Bake, measure and film the hero under a skin of every kind; say where it all is, and how to do it in Python."""
    began = time.perf_counter()
    folder = Path(arguments.output)
    if folder.exists() and not folder.is_dir():
        raise InputError("demo", f"{folder} is a file", "a folder is needed", "choose another one with -o")
    check_device(arguments.device)
    check_motion(arguments.motion)
    console.note(f"making the hero with {arguments.vertices} vertices; kernels are compiled the first time")
    hero = character("hero", vertices=arguments.vertices)
    with Steps(console) as steps:
        made = compare(
            hero, motion(arguments.motion, hero), SHOWN,
            path=folder / "report.html", film=folder / f"hero{playable_suffix()}", bakes=folder / "bakes",
            device=arguments.device, seconds=arguments.seconds,
            made_by=shlex.join(["supple", "demo", *arguments.words]), watch=steps.tell,
        )  # fmt: skip
    if made.without_film:
        console.note(f"no film was made: {made.without_film}")
    result = {
        "character": hero.name,
        "motion": arguments.motion,
        "vertices": len(hero.points),
        "frames": len(next(iter(made.reports.values()))),
        "page": str(made.path),
        "film": None if made.film is None else str(made.film),
        "bakes": str(folder / "bakes"),
        "skins": {label: _pace(report.seconds) for label, report in made.reports.items()},
        "seconds": time.perf_counter() - began,
        "python": python_lines(arguments.motion, vertices=arguments.vertices, seconds=arguments.seconds),
    }
    for line in _lines(result):
        console.say(line)
    return result


def python_lines(motion_name: str, *, vertices: int, seconds: float | None) -> list[str]:
    """The lines of Python that make the same page."""
    length = "" if seconds is None else f", seconds={seconds:g}"
    names = ", ".join(f'"{name}"' for name in SHOWN)
    return [
        "import supple",
        f'hero = supple.character("hero", vertices={vertices})',
        f'motion = supple.motion("{motion_name}", hero)',
        f"skins = [{names}]",
        f'supple.compare(hero, motion, skins, path="report.html", bakes="bakes"{length})',
    ]


def _pace(seconds: Any) -> float | None:
    """Median seconds a frame; None where the bake was there already."""
    whole = [statistics.median(values) for values in seconds.values()]
    return float(whole[0]) if whole else None


def _lines(result: dict[str, Any]) -> list[str]:
    wide = max(len(name) for name in result["skins"])
    skins = [
        f"  {name:<{wide}}  " + ("baked before" if pace is None else f"{1000 * pace:6.2f} ms a frame")
        for name, pace in result["skins"].items()
    ]
    return [
        f"The hero in {result['motion']!r}: {result['frames']} frames of {result['vertices']} vertices under "
        f"{len(result['skins'])} skins, in {result['seconds']:.0f} s.",
        *skins,
        "",
        *([f"  film   {result['film']}"] if result["film"] else []),
        f"  page   {result['page']}   (open it in a browser; it needs no network)",
        f"  bakes  {result['bakes']}",
        "",
        "The same in Python:",
        "",
        *(f"  {line}" for line in result["python"]),
    ]
