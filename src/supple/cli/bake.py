"""`supple bake FILE --skin NAME --motion NAME -o OUT`: every frame on disk, whatever happens in between."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.cli.console import Console
from supple.cli.options.characters import add_character_argument, add_motion_option, motion_of
from supple.cli.options.documents import add_document_option, document_from, skin_of
from supple.cli.options.skins import add_skin_options, skin_from
from supple.device import check_device
from supple.document.skin_files import graph_with_files
from supple.document.sources import character_from
from supple.edits.file import load_edits
from supple.errors import InputError
from supple.graph.bake import Progress, bake
from supple.graph.graph import Graph
from supple.io.contact_events import check_events_path, save_events
from supple.io.formats import CACHE_WRITERS
from supple.motion.motion import Motion
from supple.skins.base import AnySkin

SUFFIX = ".supple"


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`FILE` or `--document`, `--motion`, `-o`, the range of frames, and the settings of the skin."""
    add_character_argument(parser, optional=True)
    add_document_option(parser, words)
    add_motion_option(parser)
    kinds = ", ".join(CACHE_WRITERS)
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help=f".supple, or for other programs: {kinds}")
    parser.add_argument("--fps", type=float, metavar="X", help="frames a second (default: the motion's own)")
    parser.add_argument("--start", type=float, default=0.0, metavar="S", help="where in the motion to start [s]")
    parser.add_argument("--end", type=float, metavar="S", help="where to end [s] (default: the motion's end)")
    parser.add_argument("--graph", metavar="FILE", help="a saved graph of skins, instead of --skin")
    parser.add_argument("--edits", metavar="FILE", help="saved edits of the skin and of the pose, played on top")
    parser.add_argument(
        "--stop-on-failure", action="store_true", help="stop where a skin fails instead of falling back"
    )
    parser.add_argument(
        "--events", metavar="FILE", help="write what the skin touched, with place, impulse and time (.json or .csv)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace what was baked there from something else")
    add_skin_options(parser, words, default="dual-quaternion")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Bake, showing how far it is, and say what was written and which frames fell back."""
    began = time.perf_counter()
    check_device(arguments.device)
    output, cache_path = Path(arguments.output), cache_path_for(arguments.output)
    events = None if arguments.events is None else check_events_path(arguments.events)
    character, clip, skin = _opened(arguments)
    if events is not None and not Graph.of(skin).records_contacts:
        raise InputError("--events", "this skin touches nothing", "contacts come from a skin that does", "use contact")
    seconds: list[float] = []
    with console.counting("frames") as count:

        def watch(progress: Progress) -> None:
            seconds.append(progress.seconds)
            count(progress.frame + 1, progress.frames)
            if progress.fell_back:
                console.note(f"frame {progress.frame}: the skin failed and linear blend took its place")

        cache = bake(
            character,
            clip,
            skin,
            path=cache_path,
            device=arguments.device,
            fps=arguments.fps,
            start=arguments.start,
            end=arguments.end,
            overwrite=arguments.overwrite,
            watch=watch,
            on_failure="stop" if arguments.stop_on_failure else "fall-back",
        )
    if events is not None:
        save_events(cache, events)
    touched = len(cache.events)
    if cache_path != output:
        cache.save(output)
        cache_path.unlink()
    result = {
        "output": str(output),
        "character": character.name,
        "motion": clip.name,
        "graph": cache.graph.to_dict(),
        "frames": len(cache),
        "frames_made_now": len(seconds),
        "fps": cache.fps,
        "vertices": len(character.points),
        "fell_back": list(cache.fell_back),
        "contacts": touched,
        "events": None if events is None else str(events),
        "seconds": time.perf_counter() - began,
        "seconds_per_frame": sum(seconds) / len(seconds) if seconds else None,
    }
    console.say(str(cache.graph))
    made = f"{len(seconds)} made now" if seconds else "all there already"
    pace = f", {1000 * sum(seconds) / len(seconds):.2f} ms each" if seconds else ""
    console.say(f"{output}: {len(cache)} frames at {cache.fps:g} fps ({made}{pace}), {len(character.points)} vertices")
    if events is not None:
        console.say(f"{events}: {touched} contacts")
    if cache.fell_back:
        console.say(
            f"linear blend took the place of the skin in {len(cache.fell_back)} frames: {list(cache.fell_back)}"
        )
    return result


def _opened(arguments: argparse.Namespace) -> tuple[Character, Motion, AnySkin | Graph]:
    """What is to be baked: a document, or what the other options say."""
    document = document_from(arguments, needs="something to bake is needed")
    if document is not None:
        return *document.opened(end=arguments.end), skin_of(document, arguments.number)
    skin = graph_with_files(Graph.load(arguments.graph)) if arguments.graph else skin_from(arguments)
    edits = load_edits(arguments.edits) if arguments.edits else None
    character = character_from(
        arguments.file, vertices=arguments.vertices, repair=arguments.repair, units=arguments.units
    )
    clip = motion_of(arguments, character)
    if edits is not None:  # layers have a time of their own: it must not start over with a motion that loops
        longer = arguments.end if arguments.end is not None and arguments.end > clip.duration else None
        character, clip = edits.on(character, clip, seconds=longer)
    return character, clip, skin


def cache_path_for(output: str) -> Path:
    """Where the frames are kept: the output itself, or for another format a file beside it until that is written."""
    path = Path(output)
    if path.suffix.lower() == SUFFIX:
        return path
    if path.suffix.lower() not in CACHE_WRITERS:
        known = ", ".join([SUFFIX, *CACHE_WRITERS])
        raise InputError("-o", f"the suffix of {output!r} is unknown", f"there are {known}", "choose one of those")
    return path.with_name(path.name + SUFFIX)
