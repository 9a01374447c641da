"""`supple cache`: what is kept between runs, so that nothing is bound or meshed twice."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

from supple import kept
from supple.cli.console import Console


def add_arguments(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """`--clear`."""
    parser.add_argument("--clear", action="store_true", help="remove everything that is kept; it is made again")


def run(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Show what is kept on disk, or remove it, and return the same as data."""
    freed = kept.clear() if arguments.clear else 0
    found = kept.stored()
    total, most = sum(one.size for one in found), kept.limit()
    if arguments.clear:
        console.say(f"removed {_megabytes(freed)}")
    console.say(f"{kept.folder()}: {_counted(found)}, {_megabytes(total)} of at most {_megabytes(most)}")
    for one in found:
        console.say(f"  {one.of:<18} {_megabytes(one.size):>10}  last used {_ago(time.time() - one.used)}")
    return {
        "folder": str(kept.folder()),
        "bytes": total,
        "limit": most,
        "freed": freed,
        "bindings": [{"skin": one.of, **_about(one)} for one in found if one.path.suffix == kept.BINDING],
        "meshes": [{"character": one.of, **_about(one)} for one in found if one.path.suffix == kept.MESH],
    }


def _about(one: kept.KeptFile) -> dict[str, Any]:
    return {"bytes": one.size, "used": one.used, "name": one.path.name}


def _counted(found: Sequence[kept.KeptFile]) -> str:
    bindings = sum(one.path.suffix == kept.BINDING for one in found)
    return f"{bindings} bindings and {len(found) - bindings} meshes"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _ago(seconds: float) -> str:
    for length, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
