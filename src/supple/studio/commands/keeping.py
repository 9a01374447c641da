"""Commands of the document on disk: save, save under a name, open, go on with what was left open."""

from __future__ import annotations

from supple.document.document import Camera
from supple.document.file import document_name, load_document
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.session import Session


def _save(session: Session, command: say.Save) -> None:
    session.keeper.follow(session.document)
    if command.name:
        session.keeper.save_as(command.name, replace_it=command.replace)
    else:
        session.keeper.save()


def _open_document(session: Session, command: say.OpenDocument) -> None:
    session.keeper.look_again()
    known = session.keeper.known()
    if command.key not in known:
        there = ", ".join(document_name(path) for path in known.values()) or "none"
        raise InputError("studio", "that document is not in the list", f"there are {there}", "choose one of those")
    path = known[command.key]
    session.open(load_document(path, tell=session.tell), path)


def _go_on(session: Session, command: say.GoOn) -> None:
    if not command.take:
        session.keeper.recovery.decline()
        return
    document = session.keeper.recover()
    session.open(document, None)
    session.keeper.keep_recovered(document)


def _look(session: Session, command: say.LookFrom) -> None:
    session.keeper.look(Camera(command.position, command.target))


HANDLERS: Handlers = {say.Save: _save, say.OpenDocument: _open_document, say.GoOn: _go_on, say.LookFrom: _look}
