"""What is being made: the character, its motion and its skin, as a value that can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from supple.skins.base import AnySkin
from supple.skins.registry import skin_named


@dataclass(frozen=True)
class Document:
    """A built-in character by name and size, a motion by name, and a skin by name with the settings that differ.

    `step` says in words what was done last.
    """

    character: str = "hero"
    vertices: int = 10_000
    motion: str = "walk"
    skin: str = "lattice"
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: str = "Open"

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    def made_skin(self) -> AnySkin:
        """The skin with its settings."""
        return skin_named(self.skin, self.settings)

    def with_setting(self, name: str, value: Any, label: str) -> Document:
        """With one setting of the skin changed."""
        return replace(self, settings={**self.settings, name: value}, step=label)

    def with_skin(self, skin: str) -> Document:
        """With another skin, as it comes."""
        return replace(self, skin=skin, settings={}, step=f"Skin {skin}")
