"""A value for all and others for some by name, and the one place that reads them as people write them.

`{"default": 0.5, "belly": 0.2}` in Python, "0.5, belly=0.2" on the command line and in files of older versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

V = TypeVar("V")

DEFAULT = "default"
"""The name of the value for all that are not named."""


class ByName(Mapping[str, V], Generic[V]):
    """A mapping that never changes. Its order counts: where names overlap, later ones win."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, V]) -> None:
        self._values = dict(values)

    @property
    def default(self) -> V | None:
        """The value for all that are not named; None where there is none."""
        return self._values.get(DEFAULT)

    @property
    def named(self) -> dict[str, V]:
        """The values by name, without the one for all."""
        return {name: value for name, value in self._values.items() if name != DEFAULT}

    def __getitem__(self, name: str) -> V:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)

    def __str__(self) -> str:
        return ", ".join(
            _written(value) if name == DEFAULT else f"{name}={_written(value)}" for name, value in self.items()
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ByName, (self._values,)


def pieces(text: str) -> list[tuple[str, str | None, str]]:
    """The pieces of "0.5, belly=0.2" as (text, name, value); without "=" the name is None; empty ones are left out."""
    found = []
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = piece.rpartition("=")
        found.append((piece, name.strip() if equals else None, value.strip()))
    return found


def _written(value: object) -> str:
    """As people write it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return ":".join(f"{end:.6g}" for end in value)
    return str(value)
