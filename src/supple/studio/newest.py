"""Of what a hand says again and again only the newest counts, where more has come than there was time for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from supple.studio import messages as say

Who = TypeVar("Who")


def is_replaced_by_the_next(command: say.AnyCommand) -> bool:
    """Whether one that says the same of the same thing, and comes at once after it, makes this one needless.

    So it is with times that are sought, hands, things that are held, and all that is still being dragged.
    """
    if isinstance(command, say.MoveThing):
        return command.velocity is None
    return isinstance(command, say.Seek | say.Hold) or getattr(command, "done", True) is False


def newest_of_each(commands: Sequence[tuple[say.AnyCommand, Who]]) -> list[tuple[say.AnyCommand, Who]]:
    """Commands, and who gave them, without those that later ones make needless; no other command stands between."""
    kept: list[tuple[say.AnyCommand, Who]] = []
    later: set[object] = set()
    for command, who in reversed(commands):
        if not is_replaced_by_the_next(command):
            later.clear()
        else:
            about = (who, type(command), _names(command))
            if about in later:
                continue
            later.add(about)
        kept.append((command, who))
    return kept[::-1]


def _names(command: say.AnyCommand) -> tuple[object, ...]:
    """What it is about: the words and whole numbers in it, but for its own."""
    values = msgspec.structs.asdict(command)
    return tuple(value for name, value in values.items() if name != "seq" and isinstance(value, str | int))
