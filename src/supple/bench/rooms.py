"""Which rooms have a benchmark. Each is a module with `rows(progress, device=...) -> Iterator[Row]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from supple import device as devices
from supple.bench.rows import Row
from supple.errors import InputError

ROOMS = {
    "kinematic": "kinematic",
    "expressive": "expressive",
    "position-based": "position_based",
    "lattice": "lattice",
    "curves": "curves",
    "contact": "contact",
    "crowd": "crowds.crowd",
    "live": "live",
    "studio": "studio",
    "farm": "clusters.farm",
    "endurance": "endurance",
    "farm-load": "clusters.load",
}
"""Module below `supple.bench`, by the name on the command line."""

LONG = {"endurance", "farm-load"}
"""Those that are run only where they are asked for by name."""


def rows_of(room: str | None, progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Run the benchmark of one room, or of all but long ones, on a device; `progress` is told what is being timed."""
    if room is not None and room not in ROOMS:
        raise InputError(
            "bench", f"room {room!r} was asked for", f"there are {', '.join(ROOMS)}", "choose one of those"
        )
    found = devices.check_device(device)
    for name in [room] if room else [name for name in ROOMS if name not in LONG]:
        yield from import_module(f"supple.bench.{ROOMS[name]}").rows(progress, device=found)
