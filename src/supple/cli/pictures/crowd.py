"""`supple crowd FILE... -o OUT`: a film or a picture of many, of whom the near have better skins than the far."""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.cli.console import Console
from supple.cli.options.characters import add_file_options
from supple.cli.options.sizes import read_size
from supple.cli.options.skin_lists import read_skin_list
from supple.device import check_device
from supple.document.skin_files import with_files
from supple.document.sources import character_from, motion_from
from supple.errors import InputError
from supple.graph.crowds import Crowd, CrowdFrame, Group, Level
from supple.motion.cast import Cast
from supple.motion.crowd_field import crowd_field
from supple.motion.motion import Motion
from supple.render.camera import Camera
from supple.render.crowds import CrowdRenderer
from supple.render.film import KINDS, Film
from supple.render.quality import FILM, PICTURE
from supple.render.sheet import save_picture
from supple.skins.base import AnySkin
from supple.skins.registry import skin_named

_LEVELS = "position-based:tetrahedra=1200:within=5:most=6,delta-mush:within=11,dual-quaternion"
_APART = 0.8  # of the widest body with its arms out
_EYES, _AHEAD, _SEEN, _PACE = 0.95, 2.8, 3.4, 1.25  # heights of a body: the eye, its start, its aim, its way a second
_ANGLE = math.radians(50.0)


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`FILE...`, how many, how they move, which skins they have from near to far, and `-o`."""
    del words
    parser.add_argument("files", metavar="FILE", nargs="+", help="characters, built in or files; they share the places")
    add_file_options(parser)
    parser.add_argument(
        "--vertices", type=int, default=1500, metavar="N", help="of a built-in character (default: 1500)"
    )
    parser.add_argument("--count", type=int, default=50, metavar="N", help="members of the crowd (default: 50)")
    parser.add_argument(
        "--motions", metavar="A,B", help="clips, built-in motions or files, dealt out at random (default: the first)"
    )
    parser.add_argument(
        "--levels",
        default=_LEVELS,
        metavar="A,B",
        help="skins from near to far, settings after colons; `within` is metres from the eye, `most` how many at once "
        f"(default: {_LEVELS})",
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help=f"a film ({', '.join(KINDS)}) or .png")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="of a film (default: 4)")
    parser.add_argument("--fps", type=float, default=24.0, metavar="X", help="frames a second (default: 24)")
    parser.add_argument("--at", type=float, default=2.0, metavar="S", help="the time of a picture (default: 2)")
    parser.add_argument("--spacing", type=float, metavar="M", help="from one to the next [m] (default: by their size)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of who stands where and moves how")
    parser.add_argument("--color", choices=("clay", "level"), default="clay", help="as they are, or by level")
    parser.add_argument("--size", default="960x540", metavar="WxH", help="of a picture [pixels] (default: 960x540)")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Play the crowd while an eye goes through it, draw that, and say who was moved by what."""
    check_device(arguments.device)
    output, size = Path(arguments.output), read_size(arguments.size)
    moving = output.suffix.lower() in KINDS
    times = _times(arguments, moving=moving)
    bodies = [
        character_from(name, vertices=arguments.vertices, repair=arguments.repair, units=arguments.units)
        for name in arguments.files
    ]
    crowd, casts = _crowd(arguments, bodies)
    player = crowd.player(device=arguments.device, fps=arguments.fps)
    height = max(float(np.ptp(body.points[:, 1])) for body in bodies)
    seconds: list[float] = []
    counts: list[list[int]] = []
    with contextlib.ExitStack() as opened:
        film = opened.enter_context(Film(output, fps=arguments.fps)) if moving else None
        renderer: CrowdRenderer | None = None
        for now in console.progress(times, "frames"):
            camera = _camera(height, now)
            began = time.perf_counter()
            frame = player.play(casts, now, eye=camera.position)
            seconds.append(time.perf_counter() - began)
            counts.append(_counts(crowd, frame))
            if film is None and now != times[-1]:
                continue
            if renderer is None:
                quality = PICTURE if film is None else FILM
                renderer = opened.enter_context(CrowdRenderer(crowd, frame, size=size, quality=quality))
            picture = renderer.draw(frame, camera=camera, by_level=arguments.color == "level")
            save_picture(picture, output) if film is None else film.add(picture)
    names = [_named(level) for level in next(iter(crowd.groups.values())).levels]
    for number, name in enumerate(names):
        own = [at[number] for at in counts]
        console.say(f"  {name:<{max(map(len, names))}}  {min(own)} to {max(own)} of {len(crowd)} at a time")
    drawn = f"{len(times)} frames" if moving else f"at {times[-1]:.2f} s"
    console.say(f"{output}: {drawn}, {1000.0 * statistics.median(seconds):.1f} ms a frame without drawing")
    return {
        "output": str(output),
        "groups": {name: group.count for name, group in crowd.groups.items()},
        "levels": names,
        "times": times,
        "members": counts,
        "seconds": seconds,
    }


def _camera(height: float, now: float) -> Camera:
    """The eye at a time [s]: as high as that of the tallest body, it walks down the aisle and looks ahead."""
    z = (_AHEAD - _PACE * now) * height
    return Camera((0.0, _EYES * height, z), (0.0, 0.5 * height, z - _SEEN * height), view_angle=_ANGLE)


def _counts(crowd: Crowd, frame: CrowdFrame) -> list[int]:
    """How many are in each level."""
    every = np.concatenate([frame.levels[name] for name in crowd.groups])
    return np.bincount(every, minlength=len(next(iter(crowd.groups.values())).levels)).tolist()


def _named(level: Level) -> str:
    """What a level is called: its skin, and for whom it is."""
    assert isinstance(level.skin, AnySkin)
    reach = f", within {level.within:g} m" if math.isfinite(level.within) else ""
    return f"{level.skin.command_name}{reach}" + ("" if level.most is None else f", {level.most} at most")


def _times(arguments: argparse.Namespace, *, moving: bool) -> list[float]:
    """When the crowd is played [s]: flesh needs the frames before the one that is drawn."""
    end = arguments.seconds if moving else arguments.at
    option = "--seconds" if moving else "--at"
    if not (math.isfinite(arguments.fps) and arguments.fps > 0.0):
        raise InputError("--fps", f"fps is {arguments.fps}", "a rate above zero is needed", "use 24 or 30")
    if not (math.isfinite(end) and 0.0 <= end <= 3600.0):
        raise InputError(option, f"{end:g} s were asked for", "the range is 0 to 3600", "try 4")
    frames = max(round(end * arguments.fps), 1) if moving else round(end * arguments.fps) + 1
    return [number / arguments.fps for number in range(frames)]


def _crowd(arguments: argparse.Namespace, bodies: Sequence[Character]) -> tuple[Crowd, dict[str, Cast]]:
    """The groups, a body each, and who stands where and moves how."""
    count = arguments.count
    if count < len(bodies):
        given = f"--count is {count}"
        raise InputError("--count", given, f"there are {len(bodies)} characters", "ask for one of each at least")
    levels = _levels(arguments.levels)
    width = max(float(np.ptp(body.points[:, [0, 2]], axis=0).max()) for body in bodies)
    spacing = _APART * width if arguments.spacing is None else arguments.spacing
    places = crowd_field(count, spacing=spacing, seed=arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    groups: dict[str, Group] = {}
    casts: dict[str, Cast] = {}
    for number, (file, body) in enumerate(zip(arguments.files, bodies, strict=True)):
        own = places[number :: len(bodies)]
        motions = _motions(arguments.motions, body)
        sources = [motions[which] for which in rng.integers(0, len(motions), len(own))]
        delays = rng.uniform(0.0, max(motion.duration for motion in motions), len(own))
        name = _name(file, groups)
        groups[name] = Group(body, len(own), levels)
        casts[name] = Cast(sources, delays, _standing(own, sources, delays))
    return Crowd(groups), casts


def _standing(places: FloatArray, sources: Sequence[Motion], delays: FloatArray) -> FloatArray:
    """Placements that have the middle of each member above its place at the start, wherever its motion has gone."""
    middles = Cast(sources, delays).centers(0.0)
    back = np.tile(np.eye(4), (len(places), 1, 1))
    back[:, [0, 2], 3] = -middles[:, [0, 2]]
    return places @ back


def _motions(text: str | None, body: Character) -> list[Motion]:
    names = [None] if text is None else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("--motions", f"{text!r} was given", "motions are needed", "try walk,dance")
    return [motion_from(name, body) for name in names]


def _name(file: str, taken: Mapping[str, Group]) -> str:
    """What a group is called: its character, with a number where one of that name is there already."""
    stem = Path(file).stem
    number = 2
    name = stem
    while name in taken:
        name, number = f"{stem} {number}", number + 1
    return name


def _levels(text: str) -> list[Level]:
    """What `--levels` says: skins with their settings, of which `within` and `most` are those of the level."""
    levels = []
    for label, (name, settings) in read_skin_list(text).items():
        within, most = settings.pop("within", math.inf), settings.pop("most", None)
        if not isinstance(within, int | float) or isinstance(within, bool):
            raise InputError("--levels", f"{label!r} says within={within}", "metres are needed", "within=5")
        if most is not None and (not isinstance(most, int) or isinstance(most, bool)):
            raise InputError("--levels", f"{label!r} says most={most}", "a whole number is needed", "most=6")
        levels.append(Level(with_files(skin_named(name, settings)), float(within), most))
    return levels
