"""Commands that open files; a page names them by their numbers in the list that it was given."""

from __future__ import annotations

from dataclasses import replace

from supple.character.character import Character
from supple.io.confined.reader import What
from supple.motion.motion import Motion
from supple.studio import messages as say
from supple.studio.commands.document import open_character
from supple.studio.commands.table import Handlers
from supple.studio.files.library import FileEntry
from supple.studio.session import Session


def _open_file(session: Session, command: say.OpenFile) -> None:
    """What the file holds is shown when it has been read; until then all goes on."""
    entry = session.library.entry(command.number)
    what: What = "motion" if command.motion else "either"
    session.fetch(entry, what, lambda made: _show(session, entry, made))


def _show(session: Session, entry: FileEntry, made: Character | Motion) -> None:
    if isinstance(made, Character):
        source = session.library.source_of(entry.path, repair=True)
        if source.units != "m":
            session.tell(f"{entry.name} seems to be modelled in {source.units}, and is shown so.")
        open_character(session, source)
    else:
        session.do(replace(session.document, motion=str(entry.path), step=f"Motion {entry.name}"))


HANDLERS: Handlers = {say.OpenFile: _open_file}
