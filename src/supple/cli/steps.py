"""Progress of a comparison on the console."""

from __future__ import annotations

import contextlib

from supple.cli.console import Console, Count
from supple.report import Step


class Steps:
    """Turns the steps of a comparison into one line of progress after another."""

    def __init__(self, console: Console) -> None:
        self._console, self._stack = console, contextlib.ExitStack()
        self._what = ""
        self._count: Count | None = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def tell(self, step: Step) -> None:
        """Show one step; a new kind of work starts a new line."""
        if step.what != self._what or self._count is None:
            self._stack.close()
            self._what, self._count = step.what, self._stack.enter_context(self._console.counting(step.what))
        self._count(step.done, step.total)
