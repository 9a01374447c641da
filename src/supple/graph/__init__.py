"""Skins chained into a graph, the player that runs it frame by frame, and what drives a player."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supple.graph.mask import Mask

if TYPE_CHECKING:
    from supple.graph.transport import Transport

__all__ = ["Mask", "Transport"]


def __getattr__(name: str) -> Any:
    if name == "Transport":
        return import_module("supple.graph.transport").Transport
    raise AttributeError(name)
