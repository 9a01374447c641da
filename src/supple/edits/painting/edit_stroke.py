"""A stroke of the brush over a drawn shape, which it takes away or smooths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.arrays import FloatArray
from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.edits.painting.retouching import RETOUCHING, retouch
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError


class EditStroke:
    """A stroke over a shape, changed where the brush has been: the same wherever and however often it was there."""

    def __init__(
        self, canvas: Canvas, edit: SurfaceEdit, *, brush: Brush, action: str = "erase", mirror: bool = False
    ) -> None:
        if action not in RETOUCHING:
            there = f"there are {', '.join(RETOUCHING)}"
            raise InputError("EditStroke", f"action is {action!r}", there, "choose one of those")
        self._canvas, self._edit, self._mirror = canvas, edit, mirror
        self.brush, self.action = brush, action
        self.coverage: FloatArray = np.zeros(len(canvas))

    def add(self, places: Sequence[Place]) -> None:
        """Go on over these places, and over those on the other side of the body if both are touched up."""
        self.coverage = np.maximum(self.coverage, self._canvas.coverage(self.brush, places, mirror=self._mirror))

    @property
    def shape(self) -> SurfaceEdit:
        """The shape as it is now."""
        return retouch(self._canvas, self._edit, self.action, self.brush.strength * self.coverage)
