"""Settings that describe themselves, so that panels and command-line options can be built from them."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from supple.errors import InputError

T = TypeVar("T", bound=bool | int | float | str)


@dataclass(frozen=True)
class SettingInfo:
    """One knob: what it is called, what it does, its unit and its range."""

    name: str
    kind: type[bool] | type[int] | type[float] | type[str]
    default: bool | int | float | str
    label: str
    unit: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]

    def check(self, value: Any, where: str) -> bool | int | float | str:
        """Return `value` as this setting's type, or say what would fit."""
        if self.kind is bool and isinstance(value, bool | np.bool_):
            return bool(value)
        if self.kind is str and isinstance(value, str):
            if self.choices and value not in self.choices:
                raise InputError(
                    where, f"{self.name} is {value!r}", f"one of {', '.join(self.choices)} is needed", "choose one"
                )
            return value
        number = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
        if number and self.kind in (int, float) and self.kind(value) == value:
            return self._in_range(self.kind(value), where)
        needed = {bool: "true or false", int: "a whole number", float: "a finite number", str: "a word"}[self.kind]
        raise InputError(where, f"{self.name} is {value!r}", f"{needed} is needed", f"try the default {self.default!r}")

    def _in_range(self, value: float | str | bool, where: str) -> bool | int | float | str:
        number = float(value)
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if low <= number <= high:
            return value
        unit = f" {self.unit}" if self.unit else ""
        raise InputError(
            where,
            f"{self.name} is {_written(value)}{unit}",
            f"the range is {low:g} to {high:g}{unit}",
            f"try the default {_written(self.default)}",
        )


def _written(value: bool | int | float | str) -> str:
    """As people write it: no more digits than they need."""
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def setting(
    default: T,
    label: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declare one setting of a frozen settings class; its type is that of its default."""
    meta = {"label": label, "unit": unit, "low": low, "high": high, "choices": choices}
    value: T = dataclasses.field(default=default, metadata={"supple": meta})
    return value


class Settings:
    """Base of frozen dataclasses made of `setting` fields; every value is checked when the object is made."""

    def __post_init__(self) -> None:
        for info in settings_of(type(self)):
            object.__setattr__(self, info.name, info.check(getattr(self, info.name), type(self).__name__))


def settings_of(cls: type[Any]) -> tuple[SettingInfo, ...]:
    """Return the knobs of a settings class, in the order in which they were declared."""
    fields: list[dataclasses.Field[Any]] = [f for f in dataclasses.fields(cls) if "supple" in f.metadata]
    defaults: list[Any] = [field.default for field in fields]
    return tuple(
        SettingInfo(name=field.name, kind=type(default), default=default, **field.metadata["supple"])
        for field, default in zip(fields, defaults, strict=True)
    )
