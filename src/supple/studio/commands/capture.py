"""Commands of live capture: a performer moves the character, is recorded, and is sent on."""

from __future__ import annotations

from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _start_capture(session: Session, command: say.StartCapture) -> None:
    session.capture.start(session.character, command.port)
    session.follow_capture()
    session.transport.play()


def _stop_capture(session: Session, command: say.StopCapture) -> None:
    if session.capture.source is None:
        return
    if session.capture.recording:
        _keep(session)
    session.capture.stop()
    session.follow_capture()


def _start_recording(session: Session, command: say.StartRecording) -> None:
    session.capture.start_recording()


def _stop_recording(session: Session, command: say.StopRecording) -> None:
    _keep(session)


def _keep(session: Session) -> None:
    """Make the recording one of the motions."""
    taken = {name.lower() for name in session.motions}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"Take {number}").lower() not in taken)
    session.do(session.document.with_take(session.capture.stop_recording(name), f"Record {name}"))


def _start_sending(session: Session, command: say.StartSending) -> None:
    session.outlet.open(session.character, command.host, command.port)


def _stop_sending(session: Session, command: say.StopSending) -> None:
    session.outlet.close()


HANDLERS: Handlers = {
    say.StartCapture: _start_capture,
    say.StopCapture: _stop_capture,
    say.StartRecording: _start_recording,
    say.StopRecording: _stop_recording,
    say.StartSending: _start_sending,
    say.StopSending: _stop_sending,
}
