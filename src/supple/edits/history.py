"""Undo and redo as a value: every state keeps the way it came and the way it was taken back from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from supple.errors import InputError

T = TypeVar("T")
STEPS = 200


@dataclass(frozen=True)
class History(Generic[T]):
    """`present`, what was before it (`past`, oldest first) and what was undone (`future`, next first).

    Nothing in it changes: `do`, `undo` and `redo` give another history. The oldest states are forgotten beyond `steps`.
    """

    present: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()
    steps: int = STEPS

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= 1_000_000:
            raise InputError("History", f"steps is {self.steps}", "the range is 1 to 1000000", f"try {STEPS}")

    def do(self, value: T) -> History[T]:
        """Go on to `value`; what was undone before can no longer be redone."""
        return History(value, (*self.past, self.present)[-self.steps :], (), self.steps)

    def undo(self) -> History[T]:
        """One step back; at the beginning it stays as it is."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.present, *self.future), self.steps)

    def redo(self) -> History[T]:
        """One step forth again; where nothing was undone it stays as it is."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.present), self.future[1:], self.steps)
