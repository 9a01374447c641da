"""What is shown, sent on to another program."""

from __future__ import annotations

from collections.abc import Callable

from supple.character.character import Character
from supple.motion.live import VmcSender
from supple.motion.pose import Pose


class Outlet:
    """Sends every pose that is shown over the VMC protocol, to one place or to none."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` hears of a place that cannot be reached."""
        self._tell = tell
        self._sender: VmcSender | None = None
        self.to: str | None = None

    def open(self, character: Character, host: str, port: int) -> None:
        """Send to this place from now on, and to no other."""
        sender = VmcSender(character, host=host, port=port)
        self.close()
        self._sender, self.to = sender, f"{host}:{port}"

    def close(self) -> None:
        """Send no more."""
        if self._sender is not None:
            self._sender.close()
        self._sender = self.to = None

    def send(self, pose: Pose, time: float) -> None:
        """Send a pose as it is at a time [s]; where that cannot be it stops, and says so."""
        if self._sender is None:
            return
        try:
            self._sender.send(pose, time)
        except OSError as problem:
            self._tell(f"Nothing is sent to {self.to} any more: {problem.strerror or problem}.")
            self.close()
