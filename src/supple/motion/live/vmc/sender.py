"""Send poses over the network as VMC datagrams."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from types import TracebackType

from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.live.vmc.encoder import VmcEncoder
from supple.motion.pose import Pose

_WHERE = "VmcSender"


class VmcSender:
    """Play the performer: send a character's poses to a program that listens for the VMC protocol.

    `send(pose, time)` sends one frame with the sender's time [s]. Nothing says whether anybody listens; that is how UDP
    is. `table` {joint: bone} adds to what names tell about the character's joints.
    """

    def __init__(
        self,
        character: Character | Skeleton,
        *,
        port: int = 39539,
        host: str = "127.0.0.1",
        table: Mapping[str, str] | None = None,
    ) -> None:
        self._encoder = VmcEncoder(character, table=table)
        family, address = address_of(host, port, _WHERE)
        if port == 0:
            raise InputError(_WHERE, "port is 0", "a port to send to is needed", "most programs listen at 39539")
        self._address = address
        self._socket = socket.socket(family, socket.SOCK_DGRAM)

    def send(self, pose: Pose, time: float) -> None:
        """Send one frame."""
        for datagram in self._encoder.datagrams(pose, time):
            self._socket.sendto(datagram, self._address)

    def close(self) -> None:
        """Give the socket back."""
        self._socket.close()

    def __enter__(self) -> VmcSender:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def address_of(host: str, port: int, where: str) -> tuple[int, tuple[str, int]]:
    """The kind of network and the address of a host's port."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise InputError(where, f"port is {port!r}", "a whole number from 0 to 65535 is needed", "try 39539")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError):
        raise InputError(where, f"host is {host!r}", "the address of a machine is needed", "try '127.0.0.1'") from None
    return found[0], (str(found[4][0]), port)
