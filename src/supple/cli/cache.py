"""`supple cache`: what is kept between runs, so that nothing is bound twice."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

from supple.cli.console import Console
from supple.graph import bindings


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`--clear`."""
    parser.add_argument("--clear", action="store_true", help="remove everything that is kept; it is made again")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Show the bindings that are kept on disk, or remove them, and return the same as data."""
    freed = bindings.clear() if arguments.clear else 0
    found = bindings.stored()
    total, most = sum(one.size for one in found), bindings.limit()
    if arguments.clear:
        console.say(f"removed {_megabytes(freed)}")
    console.say(f"{bindings.folder()}: {len(found)} bindings, {_megabytes(total)} of at most {_megabytes(most)}")
    for one in found:
        console.say(f"  {one.skin:<18} {_megabytes(one.size):>10}  last used {_ago(time.time() - one.used)}")
    return {
        "folder": str(bindings.folder()),
        "bytes": total,
        "limit": most,
        "freed": freed,
        "bindings": [{"skin": one.skin, "bytes": one.size, "used": one.used, "name": one.path.name} for one in found],
    }


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _ago(seconds: float) -> str:
    for length, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
