"""The web server with the few settings that it needs."""

from __future__ import annotations

import signal
import socket
from types import FrameType
from typing import Any

import uvicorn

from supple.studio.server.certificate import Certificate

LONGEST = 1 << 20  # bytes of a command


def web_server(app: Any, certificate: Certificate | None = None) -> uvicorn.Server:
    """A server for an application that a guard stands before; by https where there is a certificate.

    Messages are not compressed: that costs more time than it saves.
    """
    settings = uvicorn.Config(
        app,
        log_level="error",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=LONGEST,
        ssl_certfile=None if certificate is None else str(certificate.path),
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(settings)


def serve(server: uvicorn.Server, listening: socket.socket) -> None:
    """Serve until it is interrupted or ended; either comes back here, so that all can be tidied up."""
    # The server hands on what ended it when it has closed; shells start what runs behind them deaf to interrupts.
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run([listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
