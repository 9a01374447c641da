"""Commands of the motion's time."""

from __future__ import annotations

from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _play(session: Session, command: say.Play) -> None:
    session.transport.play()


def _pause(session: Session, command: say.Pause) -> None:
    session.transport.pause()


def _seek(session: Session, command: say.Seek) -> None:
    session.transport.seek(command.time)


def _run(session: Session, command: say.Run) -> None:
    session.transport.run(command.rate)


def _loop(session: Session, command: say.Loop) -> None:
    session.transport.loop(command.start, command.end)


def _unloop(session: Session, command: say.Unloop) -> None:
    session.transport.unloop()


def _as_baked(session: Session, command: say.AsBaked) -> None:
    session.as_baked.switch(command.on)


HANDLERS: Handlers = {
    say.Play: _play,
    say.Pause: _pause,
    say.Seek: _seek,
    say.Run: _run,
    say.Loop: _loop,
    say.Unloop: _unloop,
    say.AsBaked: _as_baked,
}
