"""A character that is being opened beside what plays: read or made, with a motion that it can make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from threading import Thread

from supple.character.character import Character
from supple.document.document import Document
from supple.document.skin_files import graph_with_files
from supple.document.sources import motions_for, names_file
from supple.edits.painting import Canvas
from supple.errors import InputError
from supple.motion.motion import Motion
from supple.skins.springs.attachment.attachment import Attachment, attach
from supple.studio.files.library import Library
from supple.studio.frames import FramePacker


@dataclass(frozen=True, eq=False)
class Opened:
    """A document with its character as the source gives it, its motion, the names of all motions, packer and canvas.

    Where the character cannot make the motion that the document asked for, the document has another one.
    """

    document: Document
    character: Character
    motion: Motion
    motions: list[str]
    packer: FramePacker
    canvas: Canvas

    @cached_property
    def attachment(self) -> Attachment:
        """Where on the bones the vertices hang."""
        return attach(self.character)


def open_document(document: Document, library: Library) -> Opened:
    """Open the character and the motion of a document, all of whose parts must fit; the library reads files."""
    character = library.character(document.character)
    document.on_character(character)
    for graph in document.skins:
        graph_with_files(graph)
    motions = motions_for(character)
    if document.motion not in document.takes and not names_file(document.motion):
        wanted = document.motion.lower()
        found = next((name for name in motions if name.lower() == wanted), next(iter(motions), document.motion))
        document = replace(document, motion=found)
    try:
        motion = document.take_on(character) or library.motion(document.motion, character)
    except InputError:
        if not motions:
            raise
        document = replace(document, motion=motions[0])
        motion = library.motion(motions[0], character)
    if document.motion not in motions and document.motion not in document.takes:
        motions = [document.motion, *motions]
    return Opened(document, character, motion, motions, FramePacker(character), Canvas(character))


class Opening:
    """Opens a document on a thread of its own."""

    def __init__(self, document: Document, library: Library) -> None:
        self.document, self._library = document, library
        self._opened: Opened | None = None
        self._problem: BaseException | None = None
        self._thread = Thread(target=self._open, name="supple opening", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether it is open, or has failed, which `result` then says."""
        return not self._thread.is_alive()

    def result(self) -> Opened:
        """What was opened."""
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        assert self._opened is not None
        return self._opened

    def _open(self) -> None:
        try:
            self._opened = open_document(self.document, self._library)
        except BaseException as problem:  # told to whoever asks for the result
            self._problem = problem
