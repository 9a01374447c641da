"""Progress of a comparison on the console, whose parts may go on beside each other."""

from __future__ import annotations

import contextlib
import sys
import time

from supple.cli.console import Console
from supple.report import Step

_PATIENCE = 5.0  # [s] without a word, after which one is said of what goes on


class Steps:
    """Says what is being made, and when it is done how long that took, with the time since the start before it.

    On a terminal there is a bar besides for all that goes on.
    """

    def __init__(self, console: Console) -> None:
        self._console, self._stack = console, contextlib.ExitStack()
        self._start = self._said = time.monotonic()
        self._began: dict[str, float] = {}
        self._bars = _Bars() if sys.stderr.isatty() and not console.progress_lines else None

    def __enter__(self) -> Steps:
        if self._bars is not None:
            self._stack.enter_context(self._bars)
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def tell(self, step: Step) -> None:
        """Show one step."""
        if self._console.progress_lines:
            self._console.tell_progress(step.what, step.done, step.total)
            return
        now = time.monotonic()
        fresh = step.what not in self._began
        began = self._began.setdefault(step.what, now)
        if self._bars is not None:
            self._bars.show(step)
        if step.done >= step.total:
            took = f"{now - began:.1f} s"
            self._say(f"{step.what}, {took}" if step.total == 1 else f"{step.what}, {step.total} in {took}")
            self._began.pop(step.what)
        elif fresh and step.done == 0:
            self._say(f"{step.what} ...")
        elif now - self._said >= _PATIENCE:
            self._say(f"{step.what}, {step.done} of {step.total}")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        self._console.note(f"{self._said - self._start:6.1f} s  {text}")


class _Bars:
    """One bar for each thing that goes on, below what was said; gone when it is done."""

    def __enter__(self) -> _Bars:
        from rich.console import Console as Screen
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(*columns, console=Screen(stderr=True), transient=True, refresh_per_second=4)
        self._progress.start()
        self._tasks: dict[str, TaskID] = {}
        return self

    def __exit__(self, *problem: object) -> None:
        self._progress.stop()

    def show(self, step: Step) -> None:
        """Draw or move the bar of a step."""
        if step.what not in self._tasks:
            self._tasks[step.what] = self._progress.add_task(step.what, total=step.total if step.total > 1 else None)
        self._progress.update(self._tasks[step.what], completed=step.done)
        if step.done >= step.total:
            self._progress.remove_task(self._tasks.pop(step.what))
