"""Skins chained into a graph, the player that runs it frame by frame, and what drives a player."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supple.graph.mask import Mask

if TYPE_CHECKING:
    from supple.graph.scrubber import Scrubber
    from supple.graph.successor import Successor
    from supple.graph.transport import Transport

__all__ = ["Mask", "Scrubber", "Successor", "Transport"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"supple.graph.{name.lower()}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
