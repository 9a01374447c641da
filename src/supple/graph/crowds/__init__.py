"""Crowds whose members differ, and are moved by better or cheaper skins as they are near or far."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from supple.graph.crowds.crowd import Crowd, Group, Level

if TYPE_CHECKING:
    from supple.graph.crowds.player import CrowdFrame, CrowdPlayer

__all__ = ["Crowd", "CrowdFrame", "CrowdPlayer", "Group", "Level"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("supple.graph.crowds.player"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
