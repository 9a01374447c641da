"""`supple place-joints RIG -o OUT`: finger joints of a rig moved to where people have theirs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supple.character.proportions import HANDS, JointReport, Proportions, place_finger_joints
from supple.cli.console import Console
from supple.cli.options.characters import add_file_options
from supple.io import load, save
from supple.io.formats import CHARACTER_READERS, CHARACTER_WRITERS, module_for
from supple.measure.proportions import finger_report


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`RIG`, `-o`, which fingers, and where to."""
    parser.add_argument("file", metavar="RIG", help=f"a character ({', '.join(CHARACTER_READERS)})")
    parser.add_argument("-o", "--output", metavar="OUT", help="the rig set right; without it fingers are only compared")
    parser.add_argument("--fingers", metavar="NAMES", help='such as "left index,left thumb" (default: all)')
    parser.add_argument(
        "--at", choices=("mean", "least", "most"), default="mean", help="of all people measured (default: mean)"
    )
    parser.add_argument(
        "--measured", metavar="CSV", help="measurements of your own: a limb and its lengths in each row"
    )
    add_file_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Say how the fingers compare, and write the rig with other joints."""
    if arguments.output is not None:
        module_for(arguments.output, CHARACTER_WRITERS, "files to be written")
    character = load(arguments.file, repair=arguments.repair, units=arguments.units)
    measured = HANDS if arguments.measured is None else Proportions.read(arguments.measured)
    before = finger_report(character, measured=measured)
    if not before.segments:
        console.say("There is no finger to compare, with as many joints as were measured and an end that is known.")
    if arguments.output is None:
        console.say(str(before))
        return {"segments": _plain(before), "outside": len(before.outside)}
    names = [] if arguments.fingers is None else [name.strip() for name in arguments.fingers.split(",") if name.strip()]
    moved = place_finger_joints(character, names, measured=measured, at=arguments.at)
    after = finger_report(moved, measured=measured)
    save(moved, Path(arguments.output))
    console.say(str(after))
    console.say(
        f"{arguments.output}: {len(before.outside)} of {len(before.segments)} segments were outside what was measured, "
        f"{len(after.outside)} are now"
    )
    return {
        "output": arguments.output,
        "segments": _plain(after),
        "outside_before": len(before.outside),
        "outside": len(after.outside),
    }


def _plain(report: JointReport) -> list[dict[str, Any]]:
    return [
        {"limb": one.limb, "joint": one.joint, "fraction": one.fraction, "inside": one.inside}
        for one in report.segments
    ]
