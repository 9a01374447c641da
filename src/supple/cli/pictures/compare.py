"""`supple compare FILE --skins a,b,c -o report.html`: skins side by side, measured, on one page."""

from __future__ import annotations

import argparse
import dataclasses
import math
import shlex
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from supple.character.character import Character
from supple.cli.console import Console
from supple.cli.options.characters import add_character_argument, add_motion_option, motion_of
from supple.cli.options.documents import add_document_option, document_from
from supple.cli.options.skin_lists import HELP, read_skin_list
from supple.cli.screen.steps import Steps
from supple.device import check_device
from supple.document.document import Document
from supple.document.skin_files import graph_with_files, with_files
from supple.document.sources import character_from
from supple.graph.graph import Graph
from supple.measure.report import Report
from supple.measure.vertex_measures import VERTEX_MEASURES
from supple.motion.motion import Motion
from supple.render.painted import CLAY
from supple.report import compare
from supple.skins.base import AnySkin
from supple.skins.contact.skin import ArticulatedContact
from supple.skins.curves.skin import CurveSettings
from supple.skins.pose_space.model_file import SUFFIX as POSE_SPACE
from supple.skins.pose_space.skin import PoseSpaceSettings
from supple.skins.registry import SKINS, skin_named


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`FILE` or `--document`, `--skins`, `--motion`, `-o`, how long, how often, and from where."""
    add_character_argument(parser, optional=True)
    add_document_option(parser, words, number=False)
    parser.add_argument("--skins", metavar="A,B,C", help=f"{HELP} (default: {','.join(SKINS)})")
    add_motion_option(parser)
    parser.add_argument(
        "-o", "--output", default="report.html", metavar="PAGE", help="the page to write (default: report.html)"
    )
    parser.add_argument("--film", metavar="FILM", help="keep the film as a file too (.mp4, .gif or .webp)")
    parser.add_argument("--bakes", metavar="FOLDER", help="keep the bakes here, and use those that are there already")
    parser.add_argument(
        "--model",
        metavar="FILE",
        help="a model of fit-pose-space or fit-curves, for those skins among them that play it",
    )
    parser.add_argument("--scene", metavar="FILE", help="what the skin contact meets: a built-in scene, or a file")
    parser.add_argument("--fps", type=float, default=30.0, metavar="X", help="frames a second (default: 30)")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long (default: the motion's length)")
    parser.add_argument(
        "--camera", choices=("auto", "whole", "follow"), default="auto", help="stand still, or walk along"
    )
    parser.add_argument(
        "--color", default=CLAY, metavar="WHAT", help=f"clay, a map of the character, or {', '.join(VERTEX_MEASURES)}"
    )
    parser.add_argument("--skeleton", action="store_true", help="show the bones, as each skin has them, through it")
    parser.set_defaults(words=list(words))


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Compare, showing how far it is, and say where the page is."""
    began = time.perf_counter()
    check_device(arguments.device)
    character, motion, skins = _opened(arguments)
    with Steps(console) as steps:
        made = compare(
            character,
            motion,
            skins,
            path=Path(arguments.output),
            film=arguments.film,
            bakes=arguments.bakes,
            device=arguments.device,
            fps=arguments.fps,
            seconds=arguments.seconds,
            camera=arguments.camera,
            skeleton=arguments.skeleton,
            color=arguments.color,
            made_by=shlex.join(["supple", "compare", *arguments.words]),
            watch=steps.tell,
        )
    if made.without_film:
        console.note(f"the page has no film: {made.without_film}")
    first = next(iter(made.reports.values()))
    seconds = time.perf_counter() - began
    wide = max(len(label) for label in made.reports)
    for label, report in made.reports.items():
        console.say(f"  {label:<{wide}}  {_pace(report)}")
    frames = f"{len(first)} frames at {first.fps:g} fps"
    count = "1 skin" if len(made.reports) == 1 else f"{len(made.reports)} skins"
    console.say(f"{made.path}: {count}, {frames}, in {seconds:.1f} s")
    return {
        "page": str(made.path),
        "film": None if made.film is None else str(made.film),
        "character": first.character,
        "motion": first.motion,
        "frames": len(first),
        "fps": first.fps,
        "skins": {label: _rows(report) for label, report in made.reports.items()},
        "seconds": seconds,
    }


def _opened(arguments: argparse.Namespace) -> tuple[Character, Motion, Mapping[str, Graph]]:
    """What is to be compared: all skins of a document, or those that the other options name."""
    document = document_from(arguments, needs="something to compare is needed")
    if document is not None:
        return *document.opened(end=arguments.seconds), _labelled(document)
    wanted = read_skin_list(",".join(SKINS) if arguments.skins is None else arguments.skins)
    skins = {
        label: Graph.of(with_files(skin_named(name, {**_given(name, arguments), **settings})))
        for label, (name, settings) in wanted.items()
    }
    character = character_from(
        arguments.file, vertices=arguments.vertices, repair=arguments.repair, units=arguments.units
    )
    return character, motion_of(arguments, character), skins


def _labelled(document: Document) -> dict[str, Graph]:
    """The skins of a document by their names, with a number where a name stands more than once."""
    names = [graph.stages[-1].name for graph in document.skins]
    labels = [
        name if names.count(name) == 1 else f"{name} {names[: index + 1].count(name)}"
        for index, name in enumerate(names)
    ]
    return {label: graph_with_files(graph) for label, graph in zip(labels, document.skins, strict=True)}


def _given(name: str, arguments: argparse.Namespace) -> dict[str, str]:
    """The settings of a skin that were given: a model, if it plays one, and a scene, if it meets one."""
    kind = SKINS.get(name, AnySkin)
    plays: type = PoseSpaceSettings if str(arguments.model).endswith(POSE_SPACE) else CurveSettings
    if arguments.model and issubclass(kind, plays):
        return {"model": arguments.model}
    if arguments.scene and issubclass(kind, ArticulatedContact):
        return {"preset": arguments.scene} if arguments.scene in kind.presets else {"scene": arguments.scene}
    return {}


def _rows(report: Report) -> list[dict[str, Any]]:
    return [
        {**dataclasses.asdict(row), "value": row.value if math.isfinite(row.value) else None} for row in report.rows()
    ]


def _pace(report: Report) -> str:
    taken = [1000.0 * statistics.median(values) for values in report.seconds.values()]
    return f"{taken[0]:.2f} ms a frame" if taken else "baked before"
