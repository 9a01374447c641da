"""Fingers on a screen, through the browser's own input, as many as are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio_window import Window

Pixel = tuple[float, float]


class Fingers:
    """Touches of one window; every finger has a number, and stays where it is until it is moved or lifted."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._devtools = window.page.context.new_cdp_session(window.page)
        self._down: dict[int, Pixel] = {}

    def down(self, fingers: dict[int, Pixel]) -> None:
        """Put fingers down, and wait until each holds the skin below it."""
        for finger, pixel in fingers.items():
            self._down[finger] = pixel
            hands = len(self._hands())
            self._say("touchStart")
            self._window.until(f"{_HANDS} > it", hands)

    def move(self, fingers: dict[int, Pixel], steps: int = 4) -> None:
        """Move fingers there, and wait for a frame with the last of their commands in it."""
        start = {finger: self._down[finger] for finger in fingers}
        for step in range(1, steps + 1):
            for finger, (x, y) in fingers.items():
                from_x, from_y = start[finger]
                share = step / steps
                self._down[finger] = (from_x + share * (x - from_x), from_y + share * (y - from_y))
            self._say("touchMove")
            self._window.frames(1)
        self._window.frames(3)
        self._window.frame_with(self._window.commands("hold")[-1]["seq"])

    def up(self, finger: int) -> None:
        """Lift one, and wait for a frame in which its flesh is let go."""
        count = len(self._window.commands("let-go"))
        self._say("touchEnd", {finger: self._down.pop(finger)})
        self._window.until("watched.commands.filter(({do: what}) => what === 'let-go').length > it", count)
        self._window.frame_with(self._window.commands("let-go")[-1]["seq"])

    def _hands(self) -> set[str]:
        return {one["hand"] for one in self._window.commands("hold")}

    def _say(self, kind: str, fingers: dict[int, Pixel] | None = None) -> None:
        named = self._down if fingers is None else fingers
        points = [{"x": x, "y": y, "id": finger, "force": 0.5} for finger, (x, y) in named.items()]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


_HANDS = "new Set(watched.commands.filter((one) => one.do === 'hold').map((one) => one.hand)).size"
