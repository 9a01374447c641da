"""Commands that make another document: its character, motion and skins with their settings; and undo."""

from __future__ import annotations

from dataclasses import replace

from supple.character.builtin import CHARACTERS
from supple.document.document import Document
from supple.document.skin_files import files_named
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.settings import changed
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands.table import Handlers
from supple.studio.panels import mask_from_panel, setting_from_panel
from supple.studio.session import Session


def _change(session: Session, command: say.Change) -> None:
    """While a slider moves, the skin follows and the document waits; when it is let go, that is one step."""
    session.view(command.view)
    graph = session.document.skins[command.view]
    stage = graph.named(command.stage) if command.stage else graph.stages[-1]
    if isinstance(stage.work, Mask):
        _change_mask(session, command, graph, stage.name, stage.work)
        return
    value = setting_from_panel(stage.work, command.name, command.value)
    work = changed(stage.work, {command.name: value})
    if not set(files_named(work)) <= set(files_named(stage.work)):
        given = f"{command.name} was to be {str(value)[:60]!r}"
        needed = "a file is named on the command line or in a document, never by a page"
        raise InputError("studio", given, needed, "open the studio with a document that names it")
    work.check_for(session.character)
    wanted = session.document.with_skin(command.view, graph.with_work(stage.name, work), f"{command.name} {value}")
    if command.done:
        session.do(wanted)
    elif command.name in work.live and session.view(command.view).preparing is None:
        session.draft(wanted)


def _change_mask(session: Session, command: say.Change, graph: Graph, stage: str, mask: Mask) -> None:
    other = mask_from_panel(mask, command.name, command.value)
    other.weights(session.view(command.view).player.character)  # refuses parts and maps that there are not
    step = f"{stage} {command.name} {command.value}"
    wanted = session.document.with_skin(command.view, graph.with_work(stage, other), step)
    if command.done:
        session.do(wanted)
    elif session.view(command.view).preparing is None:
        session.draft(wanted)


def _choose_skin(session: Session, command: say.ChooseSkin) -> None:
    session.view(command.view)
    graph = Graph.of(skin_named(command.skin))
    graph.check_for(session.character)
    session.do(session.document.with_skin(command.view, graph, f"Skin {command.skin}"))


def _choose_motion(session: Session, command: say.ChooseMotion) -> None:
    named = {session.library.label(name): name for name in session.motions}
    if command.motion not in named:
        there = f"there are {', '.join(named)}"
        raise InputError("studio", f"motion {command.motion!r} was chosen", there, "choose one of those")
    session.do(replace(session.document, motion=named[command.motion], step=f"Motion {command.motion}"))


def _choose_character(session: Session, command: say.ChooseCharacter) -> None:
    if command.character not in CHARACTERS:
        there = f"there are {', '.join(CHARACTERS)}"
        raise InputError("studio", f"character {command.character!r} was chosen", there, "choose one of those")
    open_character(session, CharacterSource(command.character, command.vertices))


def open_character(session: Session, source: CharacterSource) -> None:
    """Open another character; what was drawn on the one before stays with that one.

    One from a file makes its own first motion, where it has any.
    """
    before = session.document
    motion = before.motion if source.is_built_in else ""
    session.do(Document(source, motion, before.skins, step=f"Character {session.library.label(source.name)}"))


def _undo(session: Session, command: say.Undo) -> None:
    session.undo()


def _redo(session: Session, command: say.Redo) -> None:
    session.redo()


def _travel(session: Session, command: say.Travel) -> None:
    session.travel(command.steps)


HANDLERS: Handlers = {
    say.Change: _change,
    say.ChooseSkin: _choose_skin,
    say.ChooseMotion: _choose_motion,
    say.ChooseCharacter: _choose_character,
    say.Undo: _undo,
    say.Redo: _redo,
    say.Travel: _travel,
}
