"""Settings of a skin as rows of a panel, and values of a panel as settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from supple.character.character import Character
from supple.errors import InputError
from supple.graph.mask import Mask
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


def rows_of_mask(mask: Mask, character: Character) -> list[SettingRow]:
    """One row for all that says where a blend counts, with the parts and maps that the character has."""
    usual = Mask()
    parts, maps = ["", *character.parts], ["", *character.maps]
    return [
        SettingRow("part", "Part", "choice", mask.part, usual.part, choices=parts, live=True),
        SettingRow("map", "Map", "choice", mask.map, usual.map, choices=maps, live=True),
        SettingRow("low", "Value of the map where it begins", "number", mask.low, usual.low, live=True),
        SettingRow("high", "Value of the map where it is all", "number", mask.high, usual.high, live=True),
        SettingRow(
            "soften",
            "Rounds of softening",
            "whole",
            float(mask.soften),
            float(usual.soften),
            low=0,
            high=1000,
            live=True,
        ),
        SettingRow("amount", "Amount", "number", mask.amount, usual.amount, low=0.0, high=1.0, live=True),
    ]


def mask_from_panel(mask: Mask, name: str, value: Value) -> Mask:
    """A mask with another value; it goes by a part or by a map, the one that was chosen last."""
    kinds = {"part": str, "map": str, "low": float, "high": float, "soften": int, "amount": float}
    if name not in kinds:
        raise InputError("studio", f"{name!r} of a blend was to change", f"there are {', '.join(kinds)}", "name one")
    kind = kinds[name]
    fits = isinstance(value, str) if kind is str else isinstance(value, float) and not isinstance(value, bool)
    if not fits or (kind is int and not float(value).is_integer()):
        raise InputError("studio", f"{name} is {value!r}", "a name or a number is needed", "choose another")
    other = {"part": {"map": ""}, "map": {"part": ""}}.get(name, {}) if value else {}
    return replace(mask, **{name: kind(value), **other})
