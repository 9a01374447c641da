"""Commands of live capture, and of what is sent on."""

from __future__ import annotations

from supple.studio.words.bounds import Command, Name, Port


class StartCapture(Command, tag="start-capture", frozen=True):
    """Let what arrives on a port over the VMC protocol move the character; port 0 is any that is free."""

    port: Port = 39539


class StopCapture(Command, tag="stop-capture", frozen=True):
    """Listen no more, and play the motion again."""


class StartRecording(Command, tag="start-recording", frozen=True):
    """Record what the capture shows."""


class StopRecording(Command, tag="stop-recording", frozen=True):
    """Make what was recorded a motion, which is a step."""


class StartSending(Command, tag="start-sending", frozen=True):
    """Send every pose that is shown over the VMC protocol."""

    host: Name = "127.0.0.1"
    port: Port = 39540


class StopSending(Command, tag="stop-sending", frozen=True):
    """Send no more."""
