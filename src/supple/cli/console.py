"""What a command says: results on standard output, progress and notes on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # [s] between lines of progress where there is no terminal; shorter work says nothing


class Console:
    """Talks to the person at the screen, and keeps standard output clean when a program reads it."""

    def __init__(self, *, machine_reads: bool = False) -> None:
        """`machine_reads` says that standard output carries JSON and nothing else."""
        self.machine_reads = machine_reads

    def say(self, text: str = "") -> None:
        """Part of the result, for people."""
        if not self.machine_reads:
            print(text, flush=True)

    def note(self, text: str) -> None:
        """Something worth knowing that is not part of the result."""
        print(text, file=sys.stderr, flush=True)

    def progress(self, items: Sequence[T], label: str) -> Iterator[T]:
        """Go through `items` and show how far it is: a bar on a terminal, plain lines elsewhere."""
        if sys.stderr.isatty():
            yield from _with_bar(items, label)
        else:
            yield from self._lines(items, label)

    def _lines(self, items: Sequence[T], label: str) -> Iterator[T]:
        said = time.monotonic()
        for number, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - said >= _PATIENCE:
                said = now
                self.note(f"{label}: {number} of {len(items)}")


def _with_bar(items: Sequence[T], label: str) -> Iterator[T]:
    from rich.console import Console as Screen
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=len(items))
        for item in items:
            yield item
            bar.advance(task)
