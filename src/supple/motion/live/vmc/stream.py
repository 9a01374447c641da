"""What arrives over the VMC protocol, made into poses to show: no sockets and no clock of its own."""

from __future__ import annotations

import bisect
import math
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from supple.character.anatomy.names import plain_key
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.live.live_motion import LiveMotion
from supple.motion.live.steady import SteadyMotion
from supple.motion.live.vmc.clock import SenderClock
from supple.motion.live.vmc.humanoid import HumanoidPose, Puppet
from supple.motion.live.vmc.osc import OscError, read_packet
from supple.motion.live.vmc.protocol import BONES, Said, understood
from supple.motion.live.vmc.quality import LineQuality, line_quality
from supple.motion.pose import Pose

_WHERE = "VmcStream"
_COAST = 0.06  # s; a hand at 2 m/s goes on for 12 cm when its sender stops
_TOGETHER = 0.004  # s; datagrams without a time that arrive within this are of one frame
_FRAMES = 64  # that datagrams may still add to
_STALE = 0.5  # s after which the last time that was sent says nothing about what arrives now
DROPS = (
    "malformed",
    "arguments",
    "not a number",
    "too far",
    "unknown bone",
    "unknown shape",
    "unknown address",
    "wrong time",
)
"""Why something was dropped."""


class VmcStream:
    """Follow datagrams of the VMC protocol, given to `take` with the time of their arrival.

    This is a `VmcReceiver` without its socket and its thread: for tests, for recordings, and for programs that have a
    socket of their own. `sample(time)` is in the same seconds as the arrivals. See `VmcReceiver` for the options.
    """

    def __init__(
        self,
        character: Character | Skeleton,
        *,
        delay: float = 0.1,
        smoothing: float = 0.0,
        ease: float = 0.2,
        table: Mapping[str, str] | None = None,
        shapes: Mapping[str, str] | None = None,
        hip_height: float | None = None,
    ) -> None:
        skeleton = character.skeleton if isinstance(character, Character) else character
        if not isinstance(skeleton, Skeleton):
            raise InputError(
                _WHERE,
                f"the character is {type(character).__name__}",
                "a character or skeleton is needed",
                "pass the character that shall move",
            )
        if hip_height is not None and not (math.isfinite(hip_height) and hip_height > 0.0):
            raise InputError(
                _WHERE,
                f"hip_height is {hip_height}",
                "metres above zero are needed",
                "pass how high the sender's hips are, or leave it out",
            )
        self._puppet = Puppet(skeleton, table=table, hip_height=hip_height)
        self._shape_of = _shape_names(character, shapes)
        self._buffer = LiveMotion(skeleton, delay=delay, smoothing=smoothing, coast=_COAST)
        self._steady = SteadyMotion(self._buffer, ease=ease)
        self._clock = SenderClock()
        self._lock = threading.Lock()
        self._frames = _Frames()
        self._unfinished: _Frame | None = None
        self._shape_weights: dict[str, float] = {}
        self._waiting: dict[str, float] = {}
        self._sent: tuple[float, float] | None = None  # the last time that was sent, and when it arrived
        self._timed, self._untimed = False, -math.inf
        self._counts: Counter[str] = Counter()

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._puppet.skeleton

    @property
    def delay(self) -> float:
        """How far behind the clock the poses are shown [s]."""
        return self._buffer.delay

    @property
    def latest(self) -> float | None:
        """The time [s] of the newest pose, None before the first; tells whether the sender is still there."""
        with self._lock:
            self._finish()
        return self._buffer.latest

    @property
    def followed(self) -> dict[str, str]:
        """Which bone of the sender each joint follows; joints that are not here stay as they are on their parents."""
        return {self.skeleton.names[joint]: BONES[follow.source] for joint, follow in self._puppet.pairs.items()}

    @property
    def counts(self) -> dict[str, int]:
        """What arrived: "datagrams", "messages", "poses"; "restarts" of the sender's clock; and drops by reason."""
        with self._lock:
            self._finish()
            known = ("datagrams", "messages", "poses", *DROPS)
            return {**{name: self._counts[name] for name in known}, "restarts": self._clock.restarts}

    @property
    def line(self) -> LineQuality:
        """How good the line to the sender was in the last seconds in which anything came."""
        with self._lock:
            self._finish()
        return line_quality(self._buffer.times)

    def take(self, datagram: bytes, arrival: float) -> None:
        """Take a datagram that arrived at `arrival` [s]. Whatever is wrong with it is counted; nothing is raised."""
        with self._lock:
            self._counts["datagrams"] += 1
            try:
                messages = read_packet(datagram)
            except OscError:
                self._counts["malformed"] += 1
                return
            self._counts["messages"] += len(messages)
            self._use(understood(messages, self._counts), arrival)

    def sample(self, time: float) -> Pose:
        """The pose to show at `time` [s]: what the sender did `delay` before, without jumps."""
        with self._lock:
            self._finish()
        return self._steady.sample(time)

    def _use(self, said: Said, arrival: float) -> None:
        frame = self._frame_of(said, arrival)
        if frame is None:
            self._counts["wrong time"] += 1
            return
        self._take_shapes(said)
        if not (said.rotations or said.root or said.apply):
            return
        for bone, rotation in said.rotations.items():
            frame.avatar.rotations[bone], frame.avatar.positions[bone] = rotation, said.positions[bone]
        if said.root is not None:
            frame.avatar.root_position, frame.avatar.root_rotation = said.root
        if self._unfinished is not frame:
            self._finish()
            self._unfinished = frame

    def _finish(self) -> None:
        """Make the pose of the frame that datagrams were added to last: once, and not for each of them."""
        if self._unfinished is not None:
            pose = self._puppet.pose(self._unfinished.avatar, self._shape_weights)
            self._buffer.push(pose, self._unfinished.time)
            self._counts["poses"] += 1
            self._unfinished = None

    def _frame_of(self, said: Said, arrival: float) -> _Frame | None:
        """The frame that a datagram adds to; None where the sender's time makes no sense.

        The time that a datagram names counts for all of it; one without goes with the last that was named, and by its
        arrival where none was named lately.
        """
        if said.time is not None:
            restarts = self._clock.restarts
            time = self._clock.local(said.time, arrival)
            if time is None:
                return None
            if not self._timed or restarts < self._clock.restarts:
                self._frames.start_over()
            self._timed, self._sent = True, (said.time, arrival)
            return self._frames.at(said.time, time)
        if self._sent is not None and arrival - self._sent[1] < _STALE:
            return self._frames.at(self._sent[0], self._clock.told(self._sent[0]))
        if self._timed:
            self._frames.start_over()
            self._timed = False
        if abs(arrival - self._untimed) > _TOGETHER:
            self._untimed = arrival
        return self._frames.at(self._untimed, self._untimed)

    def _take_shapes(self, said: Said) -> None:
        """Shares of shapes wait until they are applied together."""
        for name, weight in said.shapes.items():
            own = self._shape_of.get(plain_key(name))
            if own is None:
                self._counts["unknown shape"] += 1
            else:
                self._waiting[own] = weight
        if said.apply:
            self._shape_weights = {**self._shape_weights, **self._waiting}
            self._waiting = {}


@dataclass(frozen=True)
class _Frame:
    """One frame of the sender: its time by our clock [s], and what is known of the avatar."""

    time: float
    avatar: HumanoidPose


class _Frames:
    """The last frames, so that a frame may come in several datagrams, in any order, and some of them late.

    A new frame starts as a copy of the one before it: bones that are not sent stay as they were.
    """

    def __init__(self) -> None:
        self._keys: list[float] = []
        self._frames: list[_Frame] = []
        self._newest = HumanoidPose()

    def at(self, key: float, time: float) -> _Frame:
        """The frame that the sender calls `key`; it begins at `time` [s] of our clock where it is new."""
        position = bisect.bisect_left(self._keys, key)
        if position < len(self._keys) and self._keys[position] == key:
            return self._frames[position]
        before = self._frames[max(position - 1, 0)].avatar if self._frames else self._newest
        frame = _Frame(time, before.copy())
        self._keys.insert(position, key)
        self._frames.insert(position, frame)
        if len(self._keys) > _FRAMES:
            del self._keys[0], self._frames[0]
        return frame

    def start_over(self) -> None:
        """Forget the frames but not what the newest of them looked like."""
        if self._frames:
            self._newest = self._frames[-1].avatar
        self._keys.clear()
        self._frames.clear()


def _shape_names(character: Character | Skeleton, table: Mapping[str, str] | None) -> dict[str, str]:
    """Our shapes by the plain spelling of the sender's names; `table` {sender's name: our shape} comes first."""
    own = list(character.shapes) if isinstance(character, Character) else []
    found = {plain_key(name): name for name in own}
    for theirs, ours in (table or {}).items():
        if ours not in own:
            raise InputError(
                f"{_WHERE}, shapes",
                f"{ours!r} stands for a shape of the character",
                f"it has {', '.join(own[:8]) or 'none'}",
                "the table is {sender's name: our shape}",
            )
        found[plain_key(theirs)] = ours
    return found
