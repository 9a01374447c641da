"""A pen that says how hard it is pressed, through the browser's own input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_window import Window

Sample = tuple[float, float, float]


class Pen:
    """Draws in one window; samples are pixels across and down, and the pressure from 0 to 1."""

    def __init__(self, window: Window) -> None:
        self._devtools = window.page.context.new_cdp_session(window.page)
        self._last: Sample = (0.0, 0.0, 0.0)

    def down(self, sample: Sample) -> None:
        """Put it on the screen."""
        self._say("mousePressed", sample)

    def move(self, samples: Sequence[Sample]) -> None:
        """Draw on."""
        for sample in samples:
            self._say("mouseMoved", sample)

    def up(self) -> None:
        """Lift it where it is."""
        self._say("mouseReleased", (*self._last[:2], 0.0), buttons=0)

    def draw(self, samples: Sequence[Sample]) -> None:
        """A whole line."""
        self.down(samples[0])
        self.move(samples[1:])
        self.up()

    def _say(self, kind: str, sample: Sample, *, buttons: int = 1) -> None:
        x, y, force = self._last = sample
        pen = {"pointerType": "pen", "button": "left", "buttons": buttons, "clickCount": 1, "force": force}
        self._devtools.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **pen})
