"""Listen for poses on the network."""

from __future__ import annotations

import socket
import threading
import time as clocks
from collections.abc import Mapping
from types import TracebackType

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.live.vmc.osc import LARGEST
from supple.motion.live.vmc.quality import LineQuality
from supple.motion.live.vmc.sender import address_of
from supple.motion.live.vmc.stream import VmcStream
from supple.motion.pose import Pose

_WHERE = "VmcReceiver"
_PATIENCE = 0.1  # s between looks at whether to stop


class VmcReceiver:
    """Let a motion capture or avatar program move the character while it runs, over the VMC protocol.

    A thread listens on a UDP port from the moment this is made until `close()`, or until the `with` block ends.
    `sample(time)` is the pose to show, for `player.play(receiver, receiver.now())`; `sample()` is that of now. Times
    are seconds since the receiver was made.

    `delay` [s] is how far behind the sender the character is shown: packets that are late by less, lost singly or out
    of order are not seen at all. `smoothing` [s] takes noise out (see `LiveMotion`). When the sender stops, the body
    comes to rest where it is; when it returns, or its clock starts over, the body goes over to what is sent within
    `ease` [s]. What is not a number, is farther away than a kilometre, or is not VMC is dropped and counted.

    Bones are matched to joints by names and shape, as in retargeting; `table` {joint: bone} adds to that, and
    `followed` says what came out. A T-pose sent is a T-pose shown, facing where the character faces at rest. The hips
    go as the sender's do, scaled by the ratio of leg lengths; `hip_height` [m] of the sender's avatar replaces that.
    Shapes go by equal names; `shapes` {sender's name: our shape} adds to that.

    Only this machine can send, unless a `host` is given: "0.0.0.0" listens to everybody who can reach the port, and
    anybody there can then move the character. The protocol knows no passwords. `port` 0 takes a free one.

    Limits: bones of the sender must not be turned in its T-pose (so it is for VRM avatars); hands and feet are not
    pinned to anything; no camera, light or device messages; the scale of the root is ignored.
    """

    def __init__(
        self,
        character: Character | Skeleton,
        *,
        port: int = 39539,
        host: str = "127.0.0.1",
        delay: float = 0.1,
        smoothing: float = 0.0,
        ease: float = 0.2,
        table: Mapping[str, str] | None = None,
        shapes: Mapping[str, str] | None = None,
        hip_height: float | None = None,
    ) -> None:
        self._stream = VmcStream(
            character, delay=delay, smoothing=smoothing, ease=ease, table=table, shapes=shapes, hip_height=hip_height
        )
        self._start = clocks.monotonic()
        self._closing = threading.Event()
        self._socket = _bound(host, port)
        self._port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._listen, name="supple VMC receiver", daemon=True)
        self._thread.start()

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self._stream.skeleton

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._port

    @property
    def delay(self) -> float:
        """How far behind the sender the poses are shown [s]."""
        return self._stream.delay

    @property
    def latest(self) -> float | None:
        """The time [s] of the newest pose, None before the first; tells whether the sender is still there."""
        return self._stream.latest

    @property
    def followed(self) -> dict[str, str]:
        """Which bone of the sender each joint follows; joints that are not here stay as they are on their parents."""
        return self._stream.followed

    @property
    def counts(self) -> dict[str, int]:
        """What arrived: "datagrams", "messages", "poses"; "restarts" of the sender's clock; and drops by reason."""
        return self._stream.counts

    @property
    def line(self) -> LineQuality:
        """How many poses a second the sender makes, and the share of them that was lost in the last seconds."""
        return self._stream.line

    def now(self) -> float:
        """Seconds since the receiver was made."""
        return clocks.monotonic() - self._start

    def sample(self, time: float | None = None) -> Pose:
        """The pose to show at `time` [s], or now."""
        return self._stream.sample(self.now() if time is None else time)

    def close(self) -> None:
        """Stop listening. The last pose stays; a second call does nothing."""
        self._closing.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> VmcReceiver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self) -> None:
        with self._socket as listening:
            while not self._closing.is_set():
                try:
                    datagram = listening.recv(LARGEST + 1)
                except TimeoutError:
                    continue
                except OSError:  # some systems report here that an earlier answer was refused
                    self._closing.wait(_PATIENCE)
                    continue
                self._stream.take(datagram, self.now())


def _bound(host: str, port: int) -> socket.socket:
    family, address = address_of(host, port, _WHERE)
    listening = socket.socket(family, socket.SOCK_DGRAM)
    try:
        listening.bind(address)
    except OSError as problem:
        listening.close()
        raise InputError(
            _WHERE,
            f"port {port} of {host} cannot be listened on ({problem.strerror})",
            "a free port is needed",
            "close the other program, or use port 0",
        ) from None
    listening.settimeout(_PATIENCE)
    return listening
