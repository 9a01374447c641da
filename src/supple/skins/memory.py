"""The memory of a player as plain arrays, so that a bake can stop anywhere and go on as if it had not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.errors import UnfinishedError

Arrays = dict[str, NDArray[Any]]


def capture_arrays(state: Any, prefix: str) -> Arrays:
    """All arrays and numbers of a state, by where they stand in it."""
    return {name: np.array(_value(owner, field)) for name, owner, field in _leaves(state, prefix)}


def restore_arrays(state: Any, prefix: str, saved: Mapping[str, NDArray[Any]]) -> None:
    """Overwrite a state of the same kind with what `capture_arrays` kept."""
    for name, owner, field in _leaves(state, prefix):
        value = getattr(owner, field)
        if _on_device(value):
            value.assign(np.ascontiguousarray(saved[name]))
        elif isinstance(value, np.ndarray):
            value[...] = saved[name]
        else:
            setattr(owner, field, type(value)(saved[name].item()))


def copy_rows(state: Any, one: Any, copy: int, copies: int) -> None:
    """Overwrite what a state of `copies` remembers of one copy with the state `one` of a member alone.

    Arrays that have a row, or so many, for every copy stand copy after copy; all others belong to none of them.
    """
    for (_, owner, field), (_, alone, _) in zip(_leaves(state, ""), _leaves(one, ""), strict=True):
        target, source = getattr(owner, field), getattr(alone, field)
        if _on_device(target) and copies > 1 and target.size == copies * source.size:
            devices.warp().copy(target.flatten(), source.flatten(), dest_offset=copy * source.size, count=source.size)


def _leaves(state: Any, prefix: str) -> Iterator[tuple[str, Any, str]]:
    if not dataclasses.is_dataclass(state):
        raise UnfinishedError(
            "checkpoint",
            f"the state {type(state).__name__} is no dataclass",
            "its fields are what is kept",
            "make it a dataclass of arrays and numbers",
        )
    for field in dataclasses.fields(state):
        value, name = getattr(state, field.name), f"{prefix}.{field.name}"
        if _on_device(value) or isinstance(value, np.ndarray | bool | int | float):
            yield name, state, field.name
        elif dataclasses.is_dataclass(value):
            yield from _leaves(value, name)
        elif value is not None:
            raise UnfinishedError(
                "checkpoint",
                f"{name} is a {type(value).__name__}",
                "states hold arrays and numbers only",
                "keep it in the binding",
            )


def _value(owner: Any, field: str) -> Any:
    value = getattr(owner, field)
    return value.numpy() if _on_device(value) else value


def _on_device(value: Any) -> bool:
    return hasattr(value, "numpy") and hasattr(value, "assign")
