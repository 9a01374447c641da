"""One knob: what it is called, what it does, its unit, its range, and what fits it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from supple.errors import InputError
from supple.settings.by_name import DEFAULT, ByName, pieces
from supple.settings.values import Kind, UnfitError

T = TypeVar("T", bound=bool | int | float | str)


@dataclass(frozen=True)
class SettingInfo:
    """One knob: what it is called (with its group, "swing.frequency"), what it does, its unit and its range.

    A setting by name has `values`, which say what each value may be; `names` says what they are by ("region").
    """

    name: str
    kind: type[Any]
    default: Any
    label: str
    unit: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    values: Kind | None = None
    names: str = ""
    group: str = ""

    def check(self, value: Any, where: str) -> Any:
        """Return `value` as this setting's type, or say what would fit."""
        if self.values is not None:
            return self._check_by_name(value, where)
        if value is None and self.optional:
            return None
        if self.kind is bool and isinstance(value, bool | np.bool_):
            return bool(value)
        if self.kind is str and isinstance(value, str):
            if self.choices and value not in self.choices:
                needed = f"one of {', '.join(self.choices)} is needed"
                raise InputError(where, f"{self.name} is {value!r}", needed, "choose one")
            return value
        number = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
        if number and self.kind in (int, float) and self.kind(value) == value:
            return self._in_range(self.kind(value), where)
        needed = {bool: "true or false", int: "a whole number", float: "a finite number", str: "a word"}[self.kind]
        raise InputError(where, f"{self.name} is {value!r}", f"{needed} is needed", f"try the default {self.default!r}")

    def to_data(self, value: Any) -> Any:
        """A value as plain data, such as JSON has."""
        if self.values is None:
            return value
        # Pairs: the order of names counts, and programs that write objects may sort them.
        return [[name, self.values.to_data(one)] for name, one in value.items()]

    def _in_range(self, value: Any, where: str) -> Any:
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

    def _check_by_name(self, value: Any, where: str) -> ByName[Any]:
        """A mapping as it is, text as people write it, and any other value for all."""
        if isinstance(value, Mapping) or _are_pairs(value):
            pairs = value.items() if isinstance(value, Mapping) else value
            given = [(f"{name}={one}", str(name), one) for name, one in pairs]
        elif isinstance(value, str):
            given, for_all = [], DEFAULT
            for text, name, one in pieces(value):
                given.append((text, for_all if name is None else name, one))
                for_all = "" if name is None else for_all  # a second value for all lacks a name
        else:
            given = [(str(value), DEFAULT, value)]
        return ByName({name: self._one(text, name, one, where) for text, name, one in given})

    def _one(self, text: str, name: str, value: Any, where: str) -> Any:
        assert self.values is not None
        try:
            if not name:
                raise UnfitError("a name is needed before =")
            return self.values.check(value)
        except UnfitError as unfit:
            example = f"{self.default}" if str(self.default) else "0.5, belly=0.2"
            raise InputError(
                where, f"{self.name} has {text!r}", f"VALUE or {self.names.upper()}=VALUE: {unfit}",
                f"write for example {example}",
            ) from None  # fmt: skip


def _are_pairs(value: Any) -> bool:
    """Whether this is a mapping as data has it, a list of names and values."""
    return isinstance(value, list) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in value
    )


def _written(value: Any) -> str:
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
    meta = {"kind": type(default), "label": label, "unit": unit, "low": low, "high": high, "choices": choices}
    value: T = dataclasses.field(default=default, metadata={"supple": meta})
    return value


def maybe(
    kind: type[T], label: str, *, unit: str = "", low: float | None = None, high: float | None = None
) -> T | None:
    """Declare a setting of a row of a table; None leaves it to the row for all."""
    meta = {"kind": kind, "label": label, "unit": unit, "low": low, "high": high, "choices": (), "optional": True}
    value: T | None = dataclasses.field(default=None, metadata={"supple": meta})
    return value


def by_name(default: Any, label: str, values: Kind, *, names: str, unit: str = "") -> Any:
    """Declare a setting that has a value for all, and others for some by name: regions, joints, layers.

    It takes one value, a mapping such as `{"default": 0.5, "belly": 0.2}`, or text such as "0.5, belly=0.2".
    """
    meta: dict[str, Any] = {"kind": ByName, "label": label, "unit": unit, "values": values, "names": names}
    info = SettingInfo(name=label, default="", **meta)
    return dataclasses.field(default=info.check(default, label), metadata={"supple": meta})
