"""`supple farm SHOTS.toml`: many shots, baked, measured and looked at; what is there already is not made again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.cli.console import Console
from supple.device import check_device
from supple.errors import InputError
from supple.farm import News, Outcome, farm, junit, load_shots
from supple.farm.hands import PATIENCE
from supple.files import atomic


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`SHOTS`, who does the work, and what is written beside the page."""
    parser.add_argument(
        "shots", metavar="SHOTS.toml", help="the list of shots (docs/farm.md says what can stand in it)"
    )
    parser.add_argument(
        "--cluster",
        metavar="local|ADDRESS",
        help="a Dask cluster on this machine, or tcp://host:8786 (default: the cores of this machine, without Dask)",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="on this machine (default: one for each core)")
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE,
        metavar="SECONDS",
        help=f"wait so long for a scheduler that is gone, or for a worker where there is none (default: {PATIENCE:g})",
    )
    parser.add_argument("--only", metavar="A,B", help="only these shots, or all of these scenes")
    parser.add_argument("--junit", metavar="FILE", help="write what came of it for build servers, as JUnit's XML")
    parser.add_argument("--check", action="store_true", help="read and check the list, show its shots, and do nothing")
    parser.add_argument("--overwrite", action="store_true", help="replace bakes of what the list said before")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Farm, showing how far it is; ends with 3 where a shot failed or is outside its bounds."""
    check_device(arguments.device)
    shots = load_shots(arguments.shots)
    if arguments.only is not None:
        wanted = {name.strip() for name in arguments.only.split(",")}
        chosen = tuple(shot for shot in shots.shots if wanted & {shot.name, shot.scene})
        strange = wanted - {name for shot in chosen for name in (shot.name, shot.scene)}
        if strange:
            known = ", ".join(list(dict.fromkeys(shot.scene for shot in shots.shots))[:20])
            raise InputError("--only", f"there is no {sorted(strange)[0]!r}", f"there are {known}", "choose some")
        shots = type(shots)(**{**vars(shots), "shots": chosen})
    if arguments.check:
        for shot in shots.shots:
            console.say(shot.name)
        console.say(f"{arguments.shots}: {len(shots.shots)} shots, to {shots.folder}")
        return {"folder": shots.folder, "shots": [shot.to_dict() for shot in shots.shots]}
    with console.counting("tasks") as count:

        def watch(news: News) -> None:
            count(news.done, news.total)
            if news.words:
                console.note(f"{news.task}: {news.state}: {news.words}" if news.task else news.words)

        outcome = farm(
            shots,
            cluster=arguments.cluster,
            workers=arguments.workers,
            device=arguments.device,
            overwrite=arguments.overwrite,
            watch=watch,
            patience=arguments.patience,
        )
    if arguments.junit is not None:
        with atomic(Path(arguments.junit)) as waiting:
            waiting.write_text(junit(outcome), encoding="utf-8")
    _say(outcome, console)
    return {**outcome.to_dict(), "exit_code": 0 if outcome.good else 3}


def _say(outcome: Outcome, console: Console) -> None:
    """The table: a line for every shot, and below it what is wrong with it."""
    wide = max(len(shot.shot.name) for shot in outcome.shots)
    for shot in outcome.shots:
        frames = f"{shot.frames:>6} frames" if shot.frames else " " * 13
        console.say(f"  {shot.shot.name:<{wide}}  {frames}  {shot.state}")
        for words in (*shot.errors.values(), *shot.crossed):
            console.say(f"  {'':<{wide}}    {words}")
    bad = sum(not shot.good for shot in outcome.shots)
    console.say(
        f"{outcome.folder}/{outcome.page}: {len(outcome.shots)} shots, {bad} to look at; {outcome.tasks} tasks, "
        f"{outcome.found} there already, in {outcome.seconds:.1f} s by {outcome.workers}"
    )
    if len(outcome.kinds) > 1:
        console.note(f"bakes were made on {len(outcome.kinds)} kinds of machines, and may differ by rounding")
