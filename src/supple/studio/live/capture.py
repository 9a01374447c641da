"""Live capture: a receiver whose poses take the place of the motion, how it fares, and what is recorded of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.live import VmcReceiver
from supple.motion.live.vmc.quality import LineQuality
from supple.motion.motion import Motion
from supple.motion.pose import Pose, PoseSource
from supple.studio import messages as say
from supple.studio.live.recorder import Recorder

LOST = 1.0  # s after the last pose
_DRIFT = 1.0 / 60.0  # s that what is shown may be early or late before it is brought back
_SECOND = 1.0  # s over which packets are counted
_NEWS = 0.25  # s between two looks of the panel
_WHERE = "capture"


class Receiver(Protocol):
    """What is needed of a receiver; `VmcReceiver` is one."""

    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def port(self) -> int: ...
    @property
    def delay(self) -> float: ...
    @property
    def latest(self) -> float | None: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def line(self) -> LineQuality: ...
    @property
    def followed(self) -> dict[str, str]: ...
    def now(self) -> float: ...
    def sample(self, time: float) -> Pose: ...
    def close(self) -> None: ...


def listen(character: Character, port: int, host: str) -> Receiver:
    """Listen for the VMC protocol."""
    return VmcReceiver(character, port=port, host=host)


class LiveSource:
    """The poses of a receiver by the motion's clock: what is shown stays as far behind the performer as it should."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._ahead = receiver.now()  # of the receiver's clock before the motion's [s]

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._receiver.skeleton

    def sample(self, time: float) -> Pose:
        """The pose at a time [s] of the motion."""
        return self._receiver.sample(time + self._ahead)

    def keep_up(self, time: float) -> None:
        """It is `time` [s] by the motion's clock, which may have run slow, stopped or jumped: go by the receiver's."""
        ahead = self._receiver.now() - time
        if abs(ahead - self._ahead) > _DRIFT:
            self._ahead = ahead


class Capture:
    """One receiver at a time, or none; how well it hears its sender; and a recording of it."""

    def __init__(self, *, host: str = "127.0.0.1", open_receiver: Callable[..., Receiver] = listen) -> None:
        """`host` is the address to listen on: this machine alone can send, unless another is given."""
        self.host, self._open = host, open_receiver
        self._receiver: Receiver | None = None
        self._live: LiveSource | None = None
        self._recorder: Recorder | None = None
        self._packets: deque[tuple[float, int]] = deque()
        self._told = 0.0

    @property
    def source(self) -> PoseSource | None:
        """The poses that come, while it listens."""
        return self._live

    @property
    def recording(self) -> bool:
        """Whether what comes is being recorded."""
        return self._recorder is not None

    def start(self, character: Character, port: int) -> None:
        """Listen on a port, and on no other any more."""
        wanted = self._receiver is not None and port == self._receiver.port
        if wanted:
            return
        receiver = self._open(character, port=port, host=self.host)
        self.stop()
        self._receiver, self._live = receiver, LiveSource(receiver)
        self._packets.clear()
        self._told = 0.0

    def stop(self) -> None:
        """Listen no more; a recording that is not done is forgotten."""
        if self._receiver is not None:
            self._receiver.close()
        self._receiver = self._live = self._recorder = None

    def advance(self, time: float, *, playing: bool) -> None:
        """It is `time` [s] by the motion's clock: keep up with the sender, and record what has come since."""
        if self._receiver is None or self._live is None:
            return
        if playing:
            self._live.keep_up(time)
        if self._recorder is not None:
            self._recorder.advance(self._receiver.now())

    def start_recording(self) -> None:
        """Record what is shown from now on."""
        if self._receiver is None or self.light != "live":
            raise InputError(_WHERE, "a recording was to start", "nothing comes in now", "start the sender first")
        if self._recorder is None:
            self._recorder = Recorder(self._receiver)

    def stop_recording(self, name: str) -> Motion:
        """What was recorded, as a motion of that name."""
        if self._recorder is None:
            raise InputError(_WHERE, "a recording was to stop", "none is being made", "start one")
        recorder, self._recorder = self._recorder, None
        return recorder.motion(name)

    @property
    def light(self) -> str:
        """Off, waiting for the first pose, live, or lost since a second."""
        if self._receiver is None:
            return "off"
        latest = self._receiver.latest
        if latest is None:
            return "waiting"
        return "live" if self._receiver.now() - latest < LOST else "lost"

    def news(self) -> bool:
        """Whether panels should look again: a few times a second while it listens."""
        if self._receiver is None:
            return False
        now = self._receiver.now()
        self._packets.append((now, self._receiver.counts["datagrams"]))
        while now - self._packets[0][0] > _SECOND and len(self._packets) > 1:
            self._packets.popleft()
        if now - self._told < _NEWS:
            return False
        self._told = now
        return True

    def info(self, *, sending: str | None) -> say.CaptureInfo:
        """As panels show it."""
        receiver = self._receiver
        if receiver is None:
            return say.CaptureInfo("off", 0, self.host, 0.0, 0.0, 0.0, 0, None, sending)
        light = self.light
        line = receiver.line if light == "live" else LineQuality()
        recorded = None if self._recorder is None else self._recorder.seconds
        numbers = (receiver.delay, 100.0 * line.loss, self._packet_rate(), len(receiver.followed))
        return say.CaptureInfo(light, receiver.port, self.host, *numbers, recorded, sending)

    def _packet_rate(self) -> float:
        """Packets a second, over the last one."""
        if len(self._packets) < 2:
            return 0.0
        (since, before), (now, packets) = self._packets[0], self._packets[-1]
        return (packets - before) / (now - since) if now > since else 0.0
