"""Where the studio is reached: an address of this machine, the names by which it may be called, and its socket."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import re
import socket
from dataclasses import dataclass

from supple.errors import InputError

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_PLAIN = {"http": 80, "https": 443}  # ports that browsers leave out


@dataclass(frozen=True)
class Address:
    """A host and a port; `secure` ones are reached by https, and from other machines."""

    host: str
    port: int
    secure: bool

    @property
    def scheme(self) -> str:
        """https, or http."""
        return "https" if self.secure else "http"

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a browser may say in `Host`."""
        names = [f"[{self.host}]" if ":" in self.host else self.host, *(() if self.secure else ("localhost",))]
        bare = names if self.port == _PLAIN[self.scheme] else []
        return (*(f"{name}:{self.port}" for name in names), *bare)

    @property
    def url(self) -> str:
        """What a person types."""
        return f"{self.scheme}://{self.hosts[0]}"


def listen(port: int, host: str | None = None) -> tuple[socket.socket, Address]:
    """A socket at an address of this machine, for this machine alone if none is given; port 0 is any free one."""
    if not 0 <= port <= 65535:
        raise InputError("supple studio", f"port is {port}", "the range is 0 to 65535", "leave it out")
    wanted = "127.0.0.1" if host is None else checked_host(host)
    listening = socket.socket(_family(wanted))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((wanted, port))
    except OSError as error:
        listening.close()
        raise _refused(wanted, port, error) from None
    listening.listen()  # whoever comes before there is a server waits
    return listening, Address(wanted, listening.getsockname()[1], secure=host is not None)


def checked_host(host: str) -> str:
    """One address or name, as browsers write it."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if _NAME.fullmatch(host.lower()) is None:
            needed = "an address or a name of this machine is needed"
            raise InputError("--host", f"it is {host!r}", needed, _suggestion()) from None
        return host.lower()
    if address.is_unspecified or address.is_multicast or "%" in host:
        raise InputError("--host", f"it is {host}", "one address of this machine is needed", _suggestion())
    return str(address)


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _refused(host: str, port: int, error: OSError) -> InputError:
    if isinstance(error, socket.gaierror) or error.errno in _ELSEWHERE:
        return InputError("--host", f"{host} is no address of this machine", "one of its own is needed", _suggestion())
    given = f"port {port} cannot be had ({error.strerror})"
    return InputError("supple studio", given, "a free one is needed", "use --port 0")


_ELSEWHERE = (errno.EADDRNOTAVAIL, getattr(errno, "WSAEADDRNOTAVAIL", errno.EADDRNOTAVAIL))


def _suggestion() -> str:
    """The address by which other machines most likely reach this one; no packet is sent to find it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(("192.0.2.1", 9))
        return f"try --host {asking.getsockname()[0]}"
    return "ask the system for its address"
