"""The clock of a sender, read through a network that delays some of what it carries."""

from __future__ import annotations

from collections import deque

_REMEMBERED = 61
_SLEW = 0.01  # s per s; clocks differ by less than a ten-thousandth
_SETTLING = 12  # first readings, while the clock may still be set at once
_STRANGE = 0.5  # s; a reading farther off than this is late, early or of another clock
_ALIKE = 0.1  # s; strange readings this near to each other speak of one clock
_PERSISTENT = 0.1  # s; and if they go on for so long, it is the new one
_ENOUGH = 3


class SenderClock:
    """Tell when, by our own clock, a pose was taken, from the sender's times and from when they arrived.

    The offset between the clocks is the median of the last readings of arrival - sent, so single late packets do not
    move it; it follows by a hundredth of a second per second at most, so poses stay evenly spaced. A reading that is
    half a second off belongs to a packet from nowhere or of long ago and is refused, unless such readings agree with
    each other for a tenth of a second: then the sender was started again, or its clock was paused, and theirs counts.
    """

    def __init__(self) -> None:
        self.restarts = 0
        """How often the sender's clock was found to be another one."""
        self._offset, self._last = 0.0, 0.0
        self._count = 0  # readings since the clock was set
        self._readings: deque[float] = deque(maxlen=_REMEMBERED)
        self._strange: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)

    def local(self, sent: float, arrival: float) -> float | None:
        """Our time [s] of what was sent at `sent` by the sender's clock and arrived at `arrival`; None if refused."""
        reading = arrival - sent
        if self._count == 0:
            self._set(reading, arrival)
        elif abs(reading - self._offset) <= _STRANGE:
            self._follow(reading, arrival)
        elif self._persists(reading, arrival):
            self.restarts += 1
            self._set(reading, arrival)
        else:
            return None
        return self.told(sent)

    def told(self, sent: float) -> float:
        """Our time [s] of a time of the sender's that was taken before."""
        return sent + self._offset

    def _set(self, reading: float, arrival: float) -> None:
        self._readings.clear()
        self._strange.clear()
        self._readings.append(reading)
        self._offset, self._count, self._last = reading, 1, arrival

    def _follow(self, reading: float, arrival: float) -> None:
        self._strange.clear()
        self._readings.append(reading)
        self._count += 1
        middle = sorted(self._readings)[len(self._readings) // 2]
        most = abs(middle - self._offset)
        if self._count > _SETTLING:
            most = min(most, _SLEW * max(arrival - self._last, 0.0))
        self._offset += most if middle > self._offset else -most
        self._last = max(arrival, self._last)

    def _persists(self, reading: float, arrival: float) -> bool:
        """Whether strange readings have agreed with each other for long enough, this one included."""
        if self._strange and abs(self._strange[-1][1] - reading) > _ALIKE:
            self._strange.clear()
        self._strange.append((arrival, reading))
        return len(self._strange) >= _ENOUGH and arrival - self._strange[0][0] >= _PERSISTENT
