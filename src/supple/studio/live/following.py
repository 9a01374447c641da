"""How pages go along with the body: their cameras, and with them hands that hold its flesh."""

from __future__ import annotations

import math

import numpy as np

from supple.arrays import FloatArray

RATE = 4.0  # 1/s
_STEP = 1.0 / 60.0  # s
_JUMP = 0.5  # of the body between two frames, in sizes of the character: what follows it jumps along
_STILL = 1e-4  # of the body between two frames, in sizes of the character
_FRAMES = 240  # that are remembered


class Following:
    """A critically damped follower of the root, with a velocity of its own: it does not lag behind a steady walk.

    It is the one that every page has for its camera (`camera.ts`), so a pointer that rests on a picture is a hand that
    goes where this goes, however long its commands are on their way.

    When the motion is stopped it does not swing past the body that stopped at once: it comes to it, and no farther.
    """

    def __init__(self, size: float) -> None:
        """`size` [m] is that of the character."""
        self._size = size
        self._body: FloatArray | None = None
        self._velocity: FloatArray = np.zeros(3)
        self._speed: FloatArray = np.zeros(3)
        self.place: FloatArray = np.zeros(3)
        self._places: dict[int, FloatArray] = {}

    def advance(self, body: FloatArray, dt: float, frame: int, *, stopped: bool = False) -> None:
        """The root is at `body` (3,) [m] in a frame, `dt` [s] after the one before.

        `stopped` says that the motion stands at the time of the frame before.
        """
        before = self.place
        if stopped and self._body is not None and float(np.linalg.norm(body - self._body)) < _STILL * self._size:
            self._velocity = np.zeros(3)
            self.place = self._body + (self.place - self._body) * math.exp(-2.0 * RATE * dt)
            self._speed = np.zeros(3)
        elif self._body is None or float(np.linalg.norm(body - self.place)) >= _JUMP * self._size:
            self.place = body.copy()
        elif dt > 0.0:
            steps = math.ceil(dt / _STEP - 1e-6)
            for i in range(1, steps + 1):
                off = self._body + (body - self._body) * (i / steps) - self.place
                self._velocity = self._velocity + off * (RATE**2 * dt / steps)
                self.place = self.place + (2.0 * RATE * off + self._velocity) * (dt / steps)
            self._speed = (self.place - before) / dt
        self._body = body.copy()
        self._places[frame] = self.place
        while len(self._places) > _FRAMES:
            self._places.pop(next(iter(self._places)))

    def since(self, frame: int, *, ahead: float = 0.0) -> FloatArray:
        """How far (3,) [m] it has gone since a frame, and will have `ahead` [s]; nothing where that is long ago."""
        return self.place - self._places.get(frame, self.place) + ahead * self._speed
