"""The studio for an hour: what page and server keep in memory while it plays and its skin is changed 200 times.

Not among the rooms that are run unless it is asked for. Memory is what processes have asked for and filled, and their
part of what they share of it, of the server with its children and of the browser with its own, as Linux counts it.
Files that are mapped, such as libraries, do not count: what falls on each program that uses them changes with every
other one that comes and goes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory

import numpy as np

from supple.bench.rows import Row
from supple.bench.studio import FEW, address_of, browser_command, find_chromium, program, running

ROOM = "endurance"
MINUTES, CHANGES = 60.0, 200
_EVERY = 5.0  # s
_SLACK = 120.0  # s for the page to open and to end


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """How much memory server and page have gained in an hour."""
    chromium = find_chromium(progress)
    if chromium is None or not Path("/proc/self/smaps_rollup").exists():
        progress("memory is measured with a Chromium on Linux")
        return
    progress(f"the studio plays for {MINUTES:.0f} minutes")
    memory = memory_over_time(chromium, FEW, MINUTES, CHANGES)
    scene = f"hero-{FEW}, {CHANGES} changes of skin, without drawing"
    for name, megabytes in memory.items():
        yield Row(ROOM, scene, f"memory of the {name}", 60.0 * MINUTES, note=growth(megabytes))


def growth(megabytes: np.ndarray) -> str:
    """The last sixth of the time beside the second, in the first of which everything is loaded once."""
    sixth = max(len(megabytes) // 6, 1)
    before, after = np.median(megabytes[sixth : 2 * sixth]), np.median(megabytes[-sixth:])
    return f"{before:.0f} to {after:.0f} MB, {100.0 * (after / before - 1.0):+.1f} %; most {max(megabytes):.0f} MB"


def memory_over_time(chromium: str, vertices: int, minutes: float, changes: int) -> dict[str, np.ndarray]:
    """Megabytes every few seconds, of the server with its children and of the browser."""
    taken: dict[str, list[float]] = {"server": [], "page": []}
    with TemporaryDirectory() as folder:
        file = Path(folder, "measured.json")
        words = ["studio", "--no-browser", "--port", "0", "--vertices", str(vertices), "--measured", str(file)]
        with running(program(*words)) as server:
            page = f"{address_of(server)}#endure={minutes},{changes}"
            with running(browser_command(chromium, Path(folder, "profile"), page)) as browser:
                end = time.monotonic() + 60.0 * minutes + _SLACK
                while not file.exists() and time.monotonic() < end:
                    taken["server"].append(megabytes_of(server))
                    taken["page"].append(megabytes_of(browser))
                    time.sleep(_EVERY)
    return {name: np.array(values) for name, values in taken.items()}


def megabytes_of(process: Popen[str]) -> float:
    """What a process and all below it have in memory, what they share counted once."""
    return sum(map(_proportional, _family(process.pid))) / 1024.0


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = [
            word for task in Path(f"/proc/{pid}/task").iterdir() for word in (task / "children").read_text().split()
        ]
    except OSError:  # it has ended
        return
    for child in children:
        yield from _family(int(child))


def _proportional(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    found = {name: float(words[0]) for name, *words in (line.split() for line in lines[1:]) if len(words) == 2}
    own = [found[name] for name in ("Pss_Anon:", "Pss_Shmem:") if name in found]
    return sum(own) if own else found.get("Pss:", 0.0)  # older kernels do not tell them apart
