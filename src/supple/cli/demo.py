"""`supple demo`: the front door. The hero runs, stops and is hit by a ball, under a skin of every kind."""

from __future__ import annotations

import argparse
import shlex
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.character.builtin import character
from supple.character.character import Character
from supple.cli.console import Console
from supple.cli.options.characters import add_vertices_option
from supple.cli.screen.steps import Steps
from supple.device import check_device, threads
from supple.document.sources import check_motion
from supple.errors import InputError
from supple.motion.builtin import MOTIONS, motion
from supple.motion.motion import Motion
from supple.obstacles import Pendulum, Plane, Sphere
from supple.render.film import playable_suffix
from supple.report import compare
from supple.report.crew import MOST
from supple.settings import changed
from supple.skins.base import AnySkin
from supple.skins.contact.skin import ArticulatedContact

_MOTION = "run-and-stop"
SHOWN = ("linear", "spring-dynamics", "position-based", "lattice", "curves", "contact")
"""One of every room, so that a first look takes less than a minute; `supple compare` takes any."""
_FPS = 24.0  # as films have

# The hit: strong enough to run and to keep arms and head in step, soft enough in the back to fold.
_STRENGTH = "0.5, Spine=0.1, LeftShoulder=0.7, RightShoulder=0.7, Neck=0.6"
_FLESH, _ELEMENTS = "muscle, torso=fat", 4000
_HIT = 0.73  # of the time shown: in run-and-stop, he stands still then
_RADIUS, _DEEP = 0.15, 0.2  # [m]: of the ball, and how far beyond the belly's skin it would come


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
    moves = motion(arguments.motion, hero)
    ball = ball_at_the_belly(hero, moves, seconds=arguments.seconds)
    at_a_time = min(threads(), MOST) if arguments.device == "cpu" else 1
    with Steps(console) as steps:
        made = compare(
            hero,
            moves,
            {name: _skin(name, ball) for name in SHOWN},
            path=folder / "report.html",
            film=folder / f"hero{playable_suffix()}",
            bakes=folder / "bakes",
            device=arguments.device,
            fps=_FPS,
            seconds=arguments.seconds,
            processes=at_a_time,
            made_by=shlex.join(["supple", "demo", *arguments.words]),
            watch=steps.tell,
        )
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
        "python": python_lines(arguments.motion, ball, vertices=arguments.vertices, seconds=arguments.seconds),
    }
    for line in _lines(result):
        console.say(line)
    return result


def ball_at_the_belly(hero: Character, moves: Motion, *, seconds: float | None) -> Sphere:
    """A ball on a rope that comes for the hero's belly from the front, where that is when it comes."""
    when = round(_HIT * (moves.duration if seconds is None else seconds), 2)
    skin = hero.points[hero.parts["belly"]]
    front = np.array([0.0, skin[:, 1].mean(), skin[:, 2].max(), 1.0])
    carried = moves.sample(when).skinning(hero.skeleton)[hero.skeleton.index("Spine1")]
    ahead = carried[:3, 2] * [1.0, 0.0, 1.0] / np.hypot(carried[0, 2], carried[2, 2])
    lowest = (carried @ front)[:3] + (_RADIUS - _DEEP) * ahead
    path = Pendulum(when, np.round(lowest, 3), np.round(ahead, 3))
    return Sphere(name="ball", radius=_RADIUS, at=path, friction=0.3)


def _skin(name: str, ball: Sphere) -> str | AnySkin:
    if name != "contact":
        return name
    floor = Plane(name="floor", at=(0.0, -0.01, 0.0), friction=0.6)
    chosen = {"muscles.strength": _STRENGTH, "flesh": _FLESH}
    return changed(ArticulatedContact(elements=_ELEMENTS, obstacles=(floor, ball)), chosen)


def python_lines(motion_name: str, ball: Sphere, *, vertices: int, seconds: float | None) -> list[str]:
    """The lines of Python that make the same page."""
    length = "" if seconds is None else f", seconds={seconds:g}"
    names = ", ".join(f'"{name}"' for name in SHOWN if name != "contact")
    assert isinstance(ball.at, Pendulum)
    swing = f"Pendulum({ball.at.time:g}, {tuple(ball.at.lowest.tolist())}, {tuple(ball.at.toward.tolist())})"
    return [
        "import supple",
        "from supple.obstacles import Pendulum, Plane, Sphere",
        f'hero = supple.character("hero", vertices={vertices})',
        f'motion = supple.motion("{motion_name}", hero)',
        f'ball = Sphere(name="ball", radius={ball.radius:g}, friction={ball.friction:g}, at={swing})',
        'floor = Plane(name="floor", at=(0.0, -0.01, 0.0), friction=0.6)',
        f'hit = supple.ArticulatedContact(strength="{_STRENGTH}", flesh="{_FLESH}", elements={_ELEMENTS}, '
        "obstacles=(floor, ball))",
        f'supple.compare(hero, motion, [{names}, hit], path="report.html", bakes="bakes", fps={_FPS:g}{length})',
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
