"""What is shown besides the skin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """What comes with every frame of every view: where its joints are."""

    joints: bool = False
