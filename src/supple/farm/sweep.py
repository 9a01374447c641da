"""Sweeps: where a list of shots has a list in place of one value, there is a shot for every choice."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from supple.farm.shot import plain

WHOLE = ("outputs", "bounds")  # lists and tables that are one value
Choice = tuple[Any, tuple[str, ...]]
"""A value, and the words that tell it from the others it was listed with; none where it was alone."""


def choices(table: Mapping[str, Any]) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """Every combination of what a table lists, with the words that tell it apart, in the order of the lists."""
    keys = list(table)
    columns = [[(table[key], ())] if key in WHOLE else _of(key, table[key]) for key in keys]
    return [
        ({key: value for key, (value, _) in zip(keys, row, strict=True)}, tuple(w for _, words in row for w in words))
        for row in itertools.product(*columns)
    ]


def _of(key: str, value: Any) -> list[Choice]:
    if isinstance(value, list):
        return [(inner, (_word(key, one, inner), *words)) for one in value for inner, words in _alone(key, one)]
    return _alone(key, value)


def _alone(key: str, value: Any) -> list[Choice]:
    """One value; a table, which is that of a skin, may list values of its settings, however deep they lie."""
    return [(made, words) for made, words in choices(value)] if isinstance(value, Mapping) else [(value, ())]


def _word(key: str, listed: Any, value: Any) -> str:
    """How one of several is called: a skin or a file by its name, a number with what it is."""
    if isinstance(listed, Mapping):
        name = listed.get("name")
        return plain(name) if isinstance(name, str) else ""
    if isinstance(value, str):
        return plain(PurePosixPath(value).name.split(".")[0])
    return f"{plain(key)}={value}"


def names_of(scene: str, all_words: Sequence[tuple[str, ...]]) -> list[str]:
    """The names of the shots of one scene."""
    return ["-".join([scene, *(word for word in words if word)]) for words in all_words]
