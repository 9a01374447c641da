"""Commands of jobs: bakes, films, comparisons and lessons that go on beside what plays."""

from __future__ import annotations

import re

from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _start(session: Session, command: say.StartJob) -> None:
    session.view(command.view)
    skin = session.document.skins[command.view].stages[-1].name
    called = session.keeper.name or session.library.label(session.document.character.name).partition(".")[0]
    parts = [called] if command.kind == "compare" else [called, skin]
    name = re.sub(r"[^\w.+]+", "-", "-".join(parts)).strip(".-")[:80] or "result"
    session.jobs.start(command.kind, command.suffix, session.document, command.view + 1, name)


def _cancel(session: Session, command: say.CancelJob) -> None:
    session.jobs.cancel(command.job)


def _resume(session: Session, command: say.ResumeJob) -> None:
    session.jobs.resume(command.job)


def _forget(session: Session, command: say.ForgetJob) -> None:
    session.jobs.forget(command.job)


HANDLERS: Handlers = {say.StartJob: _start, say.CancelJob: _cancel, say.ResumeJob: _resume, say.ForgetJob: _forget}
