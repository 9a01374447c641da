"""Settings of a skin as rows of a panel, and values of a panel as settings."""

from __future__ import annotations

from typing import Any

from supple.settings import settings_of, value_of
from supple.skins.base import AnySkin
from supple.studio.messages import SettingRow, Value

_KINDS = {bool: "switch", int: "whole", float: "number", str: "words"}


def rows_of(skin: AnySkin) -> list[SettingRow]:
    """One row for every setting, in the order in which the skin has them."""
    found = []
    for info in settings_of(type(skin)):
        by_name = info.values is not None
        kind = "words" if by_name else "choice" if info.choices else _KINDS[info.kind]
        found.append(
            SettingRow(
                name=info.name,
                label=info.label,
                kind=kind,
                value=_plain(value_of(skin, info.name), kind),
                default=_plain(info.default, kind),
                unit=info.unit,
                low=info.low,
                high=info.high,
                choices=list(info.choices),
                live=info.name in type(skin).live,
            )
        )
    return found


def _plain(value: Any, kind: str) -> float | bool | str:
    """A value as a panel shows it."""
    if kind == "words" or kind == "choice":
        return "" if value is None else str(value)
    if value is None:
        return ""
    return bool(value) if kind == "switch" else float(value)


def setting_from_panel(skin: AnySkin, name: str, value: Value) -> Any:
    """What a panel's value means for a setting; whole numbers come as any others."""
    kinds = {info.name: info.kind for info in settings_of(type(skin))}
    if kinds.get(name) is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value
