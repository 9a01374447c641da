"""The rows of a benchmark: for people as a table, for machines as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from supple.bench.timing import Timing
from supple.files import atomic


@dataclass(frozen=True)
class Row:
    """One figure: what was done, how long it took, and how long others took for the same."""

    room: str
    scene: str
    what: str
    seconds: float
    peer: str | None = None
    peer_seconds: float | None = None
    published_seconds: float | None = None
    spread: tuple[float, float] | None = None
    note: str = ""

    @classmethod
    def of(cls, room: str, scene: str, what: str, *, timing: Timing, **others: Any) -> Row:
        """A row from a timing, its quartiles kept as the spread."""
        return cls(room, scene, what, timing.seconds, spread=(timing.low, timing.high), **others)

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the peer."""
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    from importlib.metadata import version

    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "supple": version("supple"),
        "warp": version("warp-lang"),
        "numpy": version("numpy"),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def to_dict(rows: Sequence[Row]) -> dict[str, Any]:
    """The benchmark as plain data; `ratio` is peer_seconds / seconds, null where there is no peer."""
    return {"machine": machine(), "rows": [{**asdict(row), "ratio": row.ratio} for row in rows]}


def save(rows: Sequence[Row], path: str | Path) -> None:
    """Write the benchmark as JSON."""
    with atomic(path) as waiting:
        waiting.write_text(json.dumps(to_dict(rows), indent=2) + "\n", encoding="utf-8")
