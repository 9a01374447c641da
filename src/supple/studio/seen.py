"""The last frames as they were seen, so that what is drawn on one lies where it was drawn when later ones are shown."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from supple.arrays import Float32Array
from supple.errors import InputError
from supple.motion.pose import Pose

FRAMES = 120  # of every view, two seconds
MOST_BYTES = 64 << 20  # of all together; skins with very many points are remembered less long


@dataclass(frozen=True, eq=False)
class Seen:
    """The skin (V, 3) [m] of a frame, and the pose that it was in."""

    points: Float32Array
    pose: Pose


class SeenFrames:
    """Remembers the newest frames by view and number, and forgets the oldest."""

    def __init__(self) -> None:
        self._frames: dict[int, OrderedDict[int, Seen]] = {}

    def keep(self, view: int, frame: int, seen: Seen) -> None:
        """Remember a frame of a view; its points must be nobody else's."""
        frames = self._frames.setdefault(view, OrderedDict())
        frames[frame] = seen
        most = MOST_BYTES // max(seen.points.nbytes * len(self._frames), 1)
        while len(frames) > max(1, min(FRAMES, most)):
            frames.popitem(last=False)

    def at(self, view: int, frame: int) -> Seen:
        """The frame of a number; of one that was forgotten or never was, the nearest to it that is remembered."""
        frames = self._frames.get(view)
        if not frames:
            raise InputError("studio", f"frame {frame} was drawn on", "none was shown yet", "wait for a picture")
        return frames[min(frames, key=lambda known: abs(known - frame))]

    def newest(self, view: int) -> Seen:
        """The frame that was made last."""
        return self.at(view, 2**32)

    def forget(self) -> None:
        """All of it: they are frames of another mesh."""
        self._frames.clear()
