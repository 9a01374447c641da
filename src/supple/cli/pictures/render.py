"""`supple render CACHE -o OUT`: a picture, a contact sheet or a film of a bake."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.cli.bake import SUFFIX
from supple.cli.console import Console
from supple.cli.options.documents import add_document_option, bake_document
from supple.cli.options.sizes import read_size
from supple.document.file import load_document
from supple.errors import InputError
from supple.graph.cache import Cache
from supple.measure.vertex_measures import VERTEX_MEASURES
from supple.render.bakes import BakeRenderer, View
from supple.render.film import KINDS, Film
from supple.render.painted import CLAY
from supple.render.quality import FILM, PICTURE
from supple.render.sheet import contact_sheet, save_picture

_ACROSS = 8  # pictures in a row of a contact sheet


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`CACHE` or `--document`, `-o`, and how it is looked at."""
    parser.add_argument("cache", metavar="CACHE", nargs="?", help="a bake, finished or still being written")
    add_document_option(parser, words)
    kinds = f"a film ({', '.join(KINDS)}) or a picture (.png, .jpg)"
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help=kinds)
    parser.add_argument("--frame", type=int, metavar="N", help="one picture, of this frame (default: the middle one)")
    parser.add_argument("--sheet", type=int, metavar="N", help="a contact sheet of N frames")
    parser.add_argument(
        "--color", default=CLAY, metavar="WHAT", help=f"clay, a map of the character, or {', '.join(VERTEX_MEASURES)}"
    )
    parser.add_argument("--skeleton", action="store_true", help="show the bones, as the skin has them, through it")
    parser.add_argument(
        "--camera", choices=("auto", "whole", "follow"), default="auto", help="stand still, walk along, or what suits"
    )
    parser.add_argument("--size", default="640x720", metavar="WxH", help="of a picture [pixels] (default: 640x720)")
    parser.add_argument("--no-ground", action="store_true", help="leave out the ground and the shadow on it")
    parser.add_argument("--no-obstacles", action="store_true", help="leave out what the character met")
    parser.add_argument("--fps", type=float, metavar="X", help="of a film (default: that of the bake, at most 30)")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Draw what was asked for and say where it is."""
    output = Path(arguments.output)
    baked = output.with_name(output.name + SUFFIX)
    cache = _cache(arguments, baked, console)
    moving = output.suffix.lower() in KINDS and arguments.sheet is None and arguments.frame is None
    view = View(
        size=read_size(arguments.size),
        camera=arguments.camera,
        skeleton=arguments.skeleton,
        ground=not arguments.no_ground,
        bodies=not arguments.no_obstacles,
        quality=FILM if moving else PICTURE,
    )
    fps = min(cache.fps, 30.0) if arguments.fps is None else arguments.fps
    with BakeRenderer(cache, view, color=arguments.color) as renderer:
        if moving:
            frames = _film(cache, renderer, output, fps, console)
        elif arguments.sheet is not None:
            frames = _sheet(cache, renderer, output, arguments.sheet, console)
        else:
            frames = _picture(cache, renderer, output, arguments.frame)
    if arguments.document is not None:
        baked.unlink()
    console.say(f"{output}: {len(frames)} of {len(cache)} frames")
    return {"output": str(output), "frames": frames, "fps": fps if moving else None, "size": list(view.size)}


def _cache(arguments: argparse.Namespace, baked: Path, console: Console) -> Cache:
    """The bake that was named; that of a document is made beside what is drawn, until it is drawn."""
    if (arguments.cache is None) == (arguments.document is None):
        given = "none is named" if arguments.cache is None else "a bake and a document are named"
        raise InputError("CACHE", given, "a bake or a document is needed", "name one, or use --document")
    if arguments.cache is not None:
        return Cache(arguments.cache)
    document = load_document(arguments.document)
    return bake_document(document, arguments.number, console=console, device=arguments.device, path=baked)


def _film(cache: Cache, renderer: BakeRenderer, output: Path, fps: float, console: Console) -> list[int]:
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError("--fps", f"fps is {fps}", "a rate above zero is needed", "use 24 or 30")
    count = max(int(np.floor((cache.ready - 1) / cache.fps * fps + 1e-6)) + 1, 1)
    frames = [min(round(number / fps * cache.fps), cache.ready - 1) for number in range(count)]
    with Film(output, fps=fps) as film:
        for frame in console.progress(frames, "pictures"):
            film.add(renderer.draw(frame))
    return frames


def _sheet(cache: Cache, renderer: BakeRenderer, output: Path, count: int, console: Console) -> list[int]:
    if not 1 <= count <= 400:
        raise InputError("--sheet", f"{count} pictures were asked for", "the range is 1 to 400", "try 8")
    frames = [round(at) for at in np.linspace(0, cache.ready - 1, min(count, cache.ready))]
    pictures = [renderer.draw(frame) for frame in console.progress(frames, "pictures")]
    times = [f"{cache.times[frame]:.2f} s" for frame in frames]
    if len(frames) <= _ACROSS:
        contact_sheet([pictures], captions=times, path=output)
        return frames
    starts = range(0, len(frames), _ACROSS)
    labels = [f"{times[start]} to {times[min(start + _ACROSS, len(frames)) - 1]}" for start in starts]
    contact_sheet([pictures[start : start + _ACROSS] for start in starts], labels=labels, path=output)
    return frames


def _picture(cache: Cache, renderer: BakeRenderer, output: Path, frame: int | None) -> list[int]:
    chosen = cache.ready // 2 if frame is None else frame
    if not 0 <= chosen < cache.ready:
        raise InputError("--frame", f"frame {chosen} was asked for", f"there are 0 to {cache.ready - 1}", "choose one")
    save_picture(renderer.draw(chosen), output)
    return [chosen]
