"""`supple demo`: the hero walks under two skins; no file needed."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import Singles
from supple.character.builtin import character
from supple.character.character import Character
from supple.cli.characters import add_vertices_option, check_motion
from supple.cli.console import Console
from supple.device import check_device
from supple.errors import InputError, UnfinishedError
from supple.files import atomic
from supple.graph.player import player
from supple.motion.builtin import MOTIONS, motion
from supple.motion.motion import Motion
from supple.skins.catalogue import SKINS
from supple.skins.skin import AnySkin

_SKINS = {"linear": "Linear blend", "dual-quaternion": "Dual quaternion"}
_FPS = 30
_SECONDS = 3.0  # of a motion that loops, and at most of one that does not
_COLUMNS = 8
_PANEL = (270, 450)  # [pixels]
_FROM = (0.95, 0.2, 0.8)  # from the side and the front, where both stride and face are seen


@dataclass(frozen=True)
class _Take:
    """One skin played through: its points (F, V, 3) [m] and how long a frame took."""

    label: str
    points: Singles
    seconds_per_frame: float
    path: Path


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`-o`, `--vertices` and `--motion`; none is needed."""
    parser.add_argument(
        "-o", "--output", default="supple-demo", metavar="FOLDER", help="where files go (default: supple-demo)"
    )
    parser.add_argument(
        "--motion", default="walk", metavar="NAME", help=f"what the hero does: {', '.join(MOTIONS)} (default: walk)"
    )
    add_vertices_option(parser)


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Play the hero under every skin of the demo, write points and a picture, and say what was done."""
    began = time.perf_counter()
    folder = Path(arguments.output)
    if folder.exists() and not folder.is_dir():
        raise InputError("demo", f"{folder} is a file", "a folder is needed", "choose another one with -o")
    check_device(arguments.device)
    check_motion(arguments.motion)
    console.note(f"making the hero with {arguments.vertices} vertices")
    hero = character("hero", vertices=arguments.vertices)
    clip = motion(arguments.motion, hero)
    frames = _frame_count(clip)
    takes = {}
    for name in _SKINS:
        path = folder / f"hero-{arguments.motion}-{name}.npz"
        takes[name] = _play(
            hero, clip, SKINS[name](), frames=frames, device=arguments.device, path=path, console=console
        )
    picture = _picture(hero, clip, list(takes.values()), folder / "demo.png", console)
    result = {
        "character": hero.name,
        "motion": arguments.motion,
        "vertices": len(hero.points),
        "frames": frames,
        "fps": _FPS,
        "skins": {
            name: {"file": str(take.path), "seconds_per_frame": take.seconds_per_frame} for name, take in takes.items()
        },
        "picture": None if picture is None else str(picture),
        "seconds": time.perf_counter() - began,
        "python": python_lines(arguments.motion, vertices=arguments.vertices, frames=frames),
    }
    for line in _lines(result):
        console.say(line)
    return result


def python_lines(motion_name: str, *, vertices: int, frames: int) -> list[str]:
    """The lines of Python that make the same points as the demo's dual quaternion file."""
    return [
        "import numpy as np",
        "import supple",
        f'hero = supple.character("hero", vertices={vertices})',
        f'motion = supple.motion("{motion_name}", hero)',
        "player = supple.player(hero, supple.DualQuaternion())",
        f"points = np.stack([player.play(motion, frame / {_FPS}) for frame in range({frames})])",
    ]


def _frame_count(clip: Motion) -> int:
    seconds = _SECONDS if clip.loop else min(clip.duration, _SECONDS)
    return max(round(seconds * _FPS), 1)


def _play(
    hero: Character, clip: Motion, skin: AnySkin, *, frames: int, device: str, path: Path, console: Console
) -> _Take:
    name = skin.command_name
    playing = player(hero, skin, device=device)
    points = np.empty((frames, len(hero.points), 3), dtype=np.float32)
    seconds = []
    for frame in console.progress(range(frames), f"{name}: frames"):
        start = time.perf_counter()
        points[frame] = playing.play(clip, frame / _FPS)
        seconds.append(time.perf_counter() - start)
    with atomic(path) as waiting:
        np.savez(waiting, points=points, triangles=hero.triangles, fps=np.float64(_FPS))
    return _Take(_SKINS[name], points, statistics.median(seconds), path)


def _picture(hero: Character, clip: Motion, takes: list[_Take], path: Path, console: Console) -> Path | None:
    """A row of frames for every skin, seen by a camera that walks along; None where the render extra is missing."""
    from supple import render

    count = len(takes[0].points)
    lap = min(count, round(clip.duration * _FPS)) if clip.loop else count
    shown = [frame * lap // _COLUMNS for frame in range(_COLUMNS)]
    along = np.stack([clip.sample(frame / _FPS).world_from_joint[0, :3, 3] for frame in shown])
    along = (along - along[0]) * [1.0, 0.0, 1.0]
    in_place = np.concatenate([take.points[shown] - along[:, None] for take in takes])
    camera = render.Camera.framing(in_place, size=_PANEL, direction=_FROM)
    try:
        with render.Renderer(hero.points, hero.triangles, size=_PANEL) as renderer:
            panels = [
                renderer.draw(takes[row].points[shown[column]], camera=camera.moved(along[column]))
                for row, column in console.progress(list(np.ndindex(len(takes), _COLUMNS)), "pictures")
            ]
        render.contact_sheet(
            [panels[row * _COLUMNS : (row + 1) * _COLUMNS] for row in range(len(takes))],
            labels=[take.label for take in takes],
            captions=[f"{frame / _FPS:.2f} s" for frame in shown],
            path=path,
        )
    except UnfinishedError as missing:
        if missing.where != "render":
            raise
        console.note(f"no picture was made: {missing}")
        return None
    return path


def _lines(result: dict[str, Any]) -> list[str]:
    wide = max(len(name) for name in result["skins"])
    skins = [
        f"  {name:<{wide}}  {1000 * skin['seconds_per_frame']:6.2f} ms a frame  {skin['file']}"
        for name, skin in result["skins"].items()
    ]
    picture = [f"  {'picture':<{wide}}  {'':17}  {result['picture']}"] if result["picture"] else []
    return [
        f"The hero in {result['motion']!r}: {result['frames']} frames at {result['fps']} fps, "
        f"{result['vertices']} vertices, in {result['seconds']:.1f} s.",
        *skins,
        *picture,
        "",
        "The same in Python:",
        "",
        *(f"  {line}" for line in result["python"]),
    ]
