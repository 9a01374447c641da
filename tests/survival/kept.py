"""What was tried is kept, line by line, so that the scorecard goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path

from survival.rows import TESTS, Said, Trial

FILE = TESTS.parent / "scratch" / "survive.jsonl"


def source() -> str:
    """A mark of all that is tried and of what tries it: with another source, everything is tried anew."""
    mark = hashlib.blake2b(digest_size=8)
    for folder in (TESTS.parent / "src" / "supple", TESTS / "survival"):
        for path in sorted(folder.rglob("*.py")):
            mark.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return mark.hexdigest()


class Kept:
    """The attempts of a source, by trial and number."""

    def __init__(self, path: Path, *, older: bool = False) -> None:
        self._path, self._source = path, source()
        self._said: dict[tuple[str, int], Said] = {}
        self._seconds: dict[tuple[str, int], float] = {}
        for line in _lines(path):
            if not older and line["source"] != self._source:
                continue
            said = Said(tuple(line["lost"]), line["tries"], line["figures"])
            self._said[line["what"], line["number"]] = said
            self._seconds[line["what"], line["number"]] = line["seconds"]

    @property
    def seconds(self) -> float:
        """How long all attempts took [s]."""
        return sum(self._seconds.values())

    def seconds_of(self, whats: Collection[str]) -> float:
        """How long the attempts of some trials took [s]."""
        return sum(seconds for (what, _), seconds in self._seconds.items() if what in whats)

    def get(self, what: str, number: int) -> Said | None:
        """What came of an attempt, if it was made."""
        return self._said.get((what, number))

    def of(self, trial: Trial) -> list[Said]:
        """All that came of a trial so far."""
        found = (self.get(trial.what, number) for number in range(trial.attempts))
        return [said for said in found if said is not None]

    def add(self, what: str, number: int, said: Said, seconds: float) -> None:
        """Keep what came of an attempt."""
        self._said[what, number] = said
        self._seconds[what, number] = seconds
        line = {"source": self._source, "what": what, "number": number, "lost": said.lost, "tries": said.tries}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            text = json.dumps({**line, "figures": dict(said.figures), "seconds": round(seconds, 3)})
            file.write(f"\n{text}\n")  # on a line of its own, also after one that was cut off


def _lines(path: Path) -> Iterator[dict]:
    """Every line that is whole: the last may be cut off."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue
