"""`supple bench [ROOM] --device NAME --json FILE`: how fast it is here, beside other programs where they are there."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from supple.bench.rooms import LONG, ROOMS, rows_of
from supple.bench.rows import Row, to_dict
from supple.cli.console import Console

JSON_FILE = True


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`ROOM`."""
    parser.add_argument(
        "room",
        nargs="?",
        metavar="ROOM",
        help=f"one of {', '.join(ROOMS)}; all but {' and '.join(sorted(LONG))} if left out",
    )


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Time the scenes one after another and say each figure as it comes."""
    rows: list[Row] = []
    for row in rows_of(arguments.room, console.note, device=arguments.device):
        rows.append(row)
        console.note(f"  {row.what}: {_milliseconds(row.seconds)}")
    data = to_dict(rows)
    machine = data["machine"]
    console.say(f"{machine['processor']}, {machine['cores']} cores, Supple {machine['supple']}, Warp {machine['warp']}")
    for line in table(rows):
        console.say(line)
    return data


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as lines of text, one heading per scene."""
    wide = max((len(row.what) for row in rows), default=0)
    lines: list[str] = []
    above = ""
    for row in rows:
        heading = f"{row.room}: {row.scene}"
        if heading != above:
            lines += ["", heading]
            above = heading
        low, high = row.spread or (row.seconds, row.seconds)
        spread = f" ({_milliseconds(low)} to {_milliseconds(high)})" if low != high else ""
        peer = ""
        if row.ratio is not None and row.peer_seconds is not None:
            peer = f"; {row.peer} {_milliseconds(row.peer_seconds)}: {row.ratio:.2f} times as fast"
        if row.published_seconds is not None:
            peer += f"; published {_milliseconds(row.published_seconds)}"
        note = f"; {row.note}" if row.note else ""
        lines.append(f"  {row.what:<{wide}}  {_milliseconds(row.seconds):>10}{spread}{peer}{note}")
    return lines


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds < 0.1 else f"{seconds:.3f} s"
