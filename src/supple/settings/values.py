"""What a value by name may be: a number, a span of two numbers, or a thing that has settings of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Protocol


class UnfitError(ValueError):
    """A value does not fit; the text says what is needed."""


class Kind(Protocol):
    """How values of one kind are read, checked and told apart."""

    def check(self, value: Any) -> Any:
        """The value as it is kept, or `UnfitError`; text is read as people write it."""

    def to_data(self, value: Any) -> Any:
        """The value as plain data, such as JSON has."""


@dataclass(frozen=True)
class Number:
    """A finite number in a range, or one of some words such as "auto"."""

    low: float = 0.0
    high: float = 1.0
    words: tuple[str, ...] = ()

    def check(self, value: Any) -> float | str:
        if isinstance(value, str) and value.lower() in self.words:
            return value.lower()
        number = _number(value)
        if number is None or not self.low <= number <= self.high:
            words = "".join(f"{word} or " for word in self.words)
            raise UnfitError(f"{words}a number from {self.low:g} to {self.high:g} is needed")
        return number

    def to_data(self, value: Any) -> Any:
        return value


@dataclass(frozen=True)
class Span:
    """Two numbers about zero, (low, high); "1.2" is (-1.2, 1.2), "-0.1:2.4" has two ends. Or one of some words."""

    limit: float = math.pi
    words: tuple[str, ...] = ()

    def check(self, value: Any) -> tuple[float, float] | str:
        if isinstance(value, str) and value.lower() in self.words:
            return value.lower()
        ends = value.split(":") if isinstance(value, str) else value if isinstance(value, tuple | list) else (value,)
        numbers = [number for number in map(_number, ends) if number is not None]
        if len(numbers) == len(ends) and len(ends) in (1, 2):
            low, high = (-numbers[0], numbers[0]) if len(ends) == 1 else numbers
            if -self.limit < low <= 0.0 <= high < self.limit:
                return low, high
        words = "".join(f"{word}, " for word in self.words)
        raise UnfitError(f"{words}ANGLE or LOW:HIGH is needed, -pi < LOW <= 0 <= HIGH < pi")

    def to_data(self, value: Any) -> Any:
        return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Item:
    """A thing of a frozen settings class: one of some by name, or one made for this purpose."""

    kind: type[Any]
    known: Mapping[str, Any] = field(default_factory=dict)

    def check(self, value: Any) -> Any:
        if isinstance(value, self.kind):
            return value
        if isinstance(value, str) and value in self.known:
            return value
        if isinstance(value, Mapping):
            return self.kind(**value)
        raise UnfitError(f"{', '.join(self.known)} or a {self.kind.__name__} is needed")

    def to_data(self, value: Any) -> Any:
        from supple.settings.base import to_data

        return value if isinstance(value, str) else to_data(value)


def _number(value: Any) -> float | None:
    """A finite number, also where it is written as text; None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, Real) and math.isfinite(value) else None
