"""What a row of the scorecard is: trials that are made again and again, what came of each, and what is told of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Said:
    """What came of an attempt: in words what was lost, if anything, of how many tries; and figures to be told."""

    lost: tuple[str, ...] = ()
    tries: int = 1
    figures: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, lost: str, **figures: float) -> Said:
        """Of one try, which lost something unless the words are empty."""
        return cls((lost,) if lost else (), figures=figures)


Attempt = Callable[[int], Said]
Told = Callable[[Mapping[str, Sequence[float]]], str]


@dataclass(frozen=True)
class Trial:
    """A row to be: `attempts` numbers are tried one by one, each on its own; `ready` makes ready what they share.

    `needed` is the share that has to survive. `told` says in words what the figures of all attempts come to.
    """

    what: str
    attempts: int
    ready: Callable[[], AbstractContextManager[Attempt]]
    needed: float = 1.0
    told: Told = lambda figures: ""


def simple(attempt: Attempt) -> Callable[[], AbstractContextManager[Attempt]]:
    """An attempt that shares nothing."""
    return lambda: nullcontext(attempt)


@dataclass(frozen=True)
class Row:
    """How often something was tried, how often it was survived, in words what was lost, and whether that is enough."""

    what: str
    tries: int
    survived: int
    lost: str
    enough: bool


def row_of(trial: Trial, said: Sequence[Said]) -> Row:
    """All attempts of a trial together."""
    tries = sum(one.tries for one in said)
    lost = [words for one in said for words in one.lost]
    names = {name for one in said for name in one.figures}
    figures = {name: [one.figures[name] for one in said if name in one.figures] for name in names}
    told = trial.told(figures) if said else ""
    words = "; ".join(f"{text} ({lost.count(text)})" for text in dict.fromkeys(lost))
    survived = tries - len(lost)
    enough = survived >= trial.needed * tries and tries > 0
    return Row(trial.what + (f" ({told})" if told else ""), tries, survived, words[:400], enough)
