"""Settings that describe themselves, so that panels and command-line options can be built from them."""

from supple.settings.base import (
    Settings,
    changed,
    flattened,
    group,
    is_setting,
    path_of,
    settings_of,
    table_of,
    to_data,
    value_of,
)
from supple.settings.by_name import DEFAULT, ByName
from supple.settings.info import SettingInfo, by_name, maybe, setting
from supple.settings.values import Item, Number, Span

__all__ = [
    "DEFAULT",
    "ByName",
    "Item",
    "Number",
    "SettingInfo",
    "Settings",
    "Span",
    "by_name",
    "changed",
    "flattened",
    "group",
    "is_setting",
    "maybe",
    "path_of",
    "setting",
    "settings_of",
    "table_of",
    "to_data",
    "value_of",
]
