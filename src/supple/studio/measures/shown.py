"""What is shown besides the skin."""

from __future__ import annotations

from dataclasses import dataclass

from supple.studio.measures.arrows import Arrows
from supple.studio.measures.colours import Colours


@dataclass(frozen=True, eq=False)
class Shown:
    """What comes with every frame of every view: its joints, a measure as colours, lines; and curves beside."""

    joints: bool = False
    colours: Colours | None = None
    curves: bool = False
    arrows: Arrows | None = None
    dividers: bool = False
    region: str = ""  # the stroke of which it is told which skin follows it
