"""A character's anatomy as pictures: how thick, firm and soft it is, and which shells lie on which, in colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.render.camera import Camera
from supple.render.renderer import Renderer
from supple.render.sheet import contact_sheet

_SIZE = (360, 440)  # pixels of one picture
_VIEWS = ((0.55, 0.16, 1.0), (-0.55, 0.16, -1.0))  # from the front, and from behind
SHELLS = {"flesh": 0.0, "lying on flesh": 0.5, "hard": 1.0}  # what the colours of shells mean


def anatomy_values(character: Character) -> dict[str, FloatArray]:
    """What is shown of an anatomy, by name: values (V,) from 0 to 1."""
    anatomy = character.anatomy
    shells = anatomy.shells
    kind = np.where(shells.hard, SHELLS["hard"], np.where(shells.lying, SHELLS["lying on flesh"], SHELLS["flesh"]))
    return {
        "thickness": np.clip(anatomy.relative_thickness, 0.0, 1.0),
        "leaf": anatomy.leaf,
        "rigid": anatomy.rigid,
        "firm": anatomy.firmness,
        "soft": anatomy.softness,
        "shells": kind[shells.number],
    }


def anatomy_sheet(character: Character, *, path: str | Path | None = None) -> NDArray[Any]:
    """One picture of a character from the front and from behind, painted with what its anatomy is; pale is 0, dark 1.

    Thickness is a share of the trunk's. Written to `path` too if one is given.
    """
    values = anatomy_values(character)
    with Renderer(character.points, character.triangles, size=_SIZE, ground=False) as renderer:
        views = [Camera.framing(character.points, size=_SIZE, direction=way) for way in _VIEWS]
        rows = [
            [renderer.draw(character.points, camera=view, values=each, limits=(0.0, 1.0)) for each in values.values()]
            for view in views
        ]
    return contact_sheet(rows, captions=list(values), title=character.name, path=path)
