"""`supple measure CACHE`: what a baked skin did to its character, in numbers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.cli.console import Console
from supple.files import atomic
from supple.graph.cache import Cache
from supple.measure.measuring import measure

_WORST = 6  # limbs whose volume is told


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`CACHE`, `--reference` and `-o`."""
    parser.add_argument("cache", metavar="CACHE", help="a bake, finished or still being written")
    parser.add_argument("--reference", metavar="CACHE", help="another bake of the same mesh and frames")
    parser.add_argument("-o", "--output", metavar="FILE", help="write all of it, frame by frame, as JSON")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Measure a bake, tell people the numbers, and return them."""
    cache = Cache(arguments.cache)
    reference = None if arguments.reference is None else Cache(arguments.reference)
    report = measure(cache.character, cache, reference=reference, by_itself=True)
    console.say(report.summary())
    worst = sorted(report.limb_volume_ratio.items(), key=lambda limb: -float(abs(limb[1] - 1.0).max()))[:_WORST]
    if worst:
        console.say("volume of limbs that change most, least to greatest, of rest")
        wide = max(len(name) for name, _ in worst)
        for name, ratio in worst:
            console.say(f"  {name:<{wide}}  {ratio.min():.3f} to {ratio.max():.3f}")
    if arguments.output is not None:
        with atomic(Path(arguments.output)) as part:
            part.write_text(report.to_json(), encoding="utf-8")
        console.say(f"{arguments.output}: all of it, frame by frame")
    found = report.to_dict()
    return {
        "character": report.character,
        "motion": report.motion,
        "skin": report.skin,
        "frames": len(report),
        "fps": report.fps,
        "rows": found["rows"],
        "limbs": {
            name: {"least": float(ratio.min()), "greatest": float(ratio.max())}
            for name, ratio in report.limb_volume_ratio.items()
        },
        "output": arguments.output,
    }
