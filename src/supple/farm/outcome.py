"""What came of a farm: shot by shot, with what was measured, what is outside its bounds, and what failed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from supple.farm.shot import Shot


@dataclass(frozen=True, eq=False)
class ShotOutcome:
    """One shot. `errors` are by task, `rows` what was measured, `pictures` where its strip is, if it was drawn."""

    shot: Shot
    frames: int = 0
    vertices: int = 0
    fell_back: tuple[int, ...] = ()
    made_on: str = ""
    seconds: float = 0.0
    made_now: bool = False
    files: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def crossed(self) -> tuple[str, ...]:
        """In words, the bounds that it is outside of; none where it was not baked, which is an error already."""
        if any(name.startswith(("bake", "measure")) for name in self.errors):
            return ()
        found = (bound.crossed_by(self.measured) for bound in self.shot.bounds)
        return tuple(words for words in found if words)

    @property
    def measured(self) -> dict[str, float]:
        """The measures by name; NaN where there is no number."""
        return {row["name"]: math.nan if row["value"] is None else float(row["value"]) for row in self.rows}

    @property
    def good(self) -> bool:
        """Whether all of it is there and within its bounds."""
        return not self.errors and not self.crossed

    @property
    def state(self) -> str:
        """In a word or two."""
        if self.errors:
            return "failed"
        return "outside its bounds" if self.crossed else "done" if self.made_now else "there already"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.shot.name,
            "state": self.state,
            "frames": self.frames,
            "vertices": self.vertices,
            "fell_back": list(self.fell_back),
            "made_on": self.made_on,
            "seconds": self.seconds,
            "files": list(self.files),
            "measures": {row["name"]: row["value"] for row in self.rows},
            "crossed": list(self.crossed),
            "errors": dict(self.errors),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """All shots, in the order of the list; `tasks` were done, of which `found` were there already."""

    shots: tuple[ShotOutcome, ...]
    folder: str
    page: str
    tasks: int
    found: int
    begun_again: int
    seconds: float
    workers: str

    @property
    def good(self) -> bool:
        """Whether every shot is."""
        return all(shot.good for shot in self.shots)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of machines that bakes were made on: with more than one, points may differ by rounding."""
        return tuple(dict.fromkeys(shot.made_on for shot in self.shots if shot.made_on))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "folder": self.folder,
            "page": self.page,
            "good": self.good,
            "tasks": self.tasks,
            "found": self.found,
            "begun_again": self.begun_again,
            "seconds": self.seconds,
            "workers": self.workers,
            "made_on": list(self.kinds),
            "shots": [shot.to_dict() for shot in self.shots],
        }
