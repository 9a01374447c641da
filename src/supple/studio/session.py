"""The session: the document and its history, and all that plays it. What plays follows the document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.document.document import Document
from supple.document.sources import names_file
from supple.edits.arranging import free_name
from supple.edits.edits import EditedSource
from supple.edits.history import History
from supple.edits.layers import Layer
from supple.errors import InputError, SuppleError
from supple.graph.binding_process import BindingProcess
from supple.graph.graph import Graph
from supple.graph.transport import Transport
from supple.io.confined.reader import What
from supple.memory import give_back_beside
from supple.motion.motion import Motion
from supple.motion.pose import PoseSource
from supple.skins.base import Skin
from supple.skins.springs.attachment.attachment import Attachment
from supple.studio import messages as say
from supple.studio.fetching import Fetching
from supple.studio.files.library import FileEntry, Library
from supple.studio.frame_maker import FrameMaker
from supple.studio.frames import FramePacker, Head, amounts_frame, things_frame
from supple.studio.ghosts.maker import GhostMaker, GhostSettings
from supple.studio.jobs.jobs import Jobs
from supple.studio.keeping.keeper import Keeper
from supple.studio.live.as_baked import AsBaked
from supple.studio.live.capture import Capture
from supple.studio.live.dividing import Dividing
from supple.studio.live.following import Following
from supple.studio.live.kept_shape import ArrivingShape, KeptShape
from supple.studio.live.outlet import Outlet
from supple.studio.live.painting import Painting
from supple.studio.live.rehearsal import Rehearsal
from supple.studio.live.things import Things
from supple.studio.measures.shown import Shown
from supple.studio.opening import Opened, Opening, open_document
from supple.studio.seen import SeenFrames
from supple.studio.strokes import LinesInHand, listed_shapes
from supple.studio.view import View
from supple.turns import Turns

_WHERE = "studio"


def _same(one: Mapping[str, FloatArray], other: Mapping[str, FloatArray]) -> bool:
    return one.keys() == other.keys() and all(one[name] is other[name] for name in one)


def _dressed_alike(one: Document, other: Document) -> bool:
    """Whether the edits of two documents are the same to look at on a character at rest: only layers may differ."""
    if one.edits is None:
        return other.edits is None or other.edits.dresses_as(None)
    return one.edits.dresses_as(other.edits)


class Session:
    """Owned by one thread, which alone may call it.

    Commands make another document and give it to `do`, which is a step that can be undone, or to `draft` while it is
    still being changed. Either compares it with what is played and changes only what differs.
    """

    def __init__(
        self,
        document: Document,
        tell: Callable[[str | SuppleError], None],
        library: Library | None = None,
        *,
        file: Path | None = None,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`tell` is given sentences worth knowing, and why something could not be opened; `library` has the files.

        `file` is where the document is kept. `wake` is called, from any thread, when something beside is done.
        """
        self.tell = tell
        self.library = Library() if library is None else library
        self._fetching: tuple[Fetching, Callable[[Character | Motion], None]] | None = None
        self._motion_files: list[str] = []
        self._opening: Opening | None = None
        self._maker = FrameMaker(tell)
        self._mesh = 0
        self.meshes: dict[int, bytes] = {}
        self.lines = LinesInHand()
        self.shown = Shown()
        self.capture, self.outlet = Capture(), Outlet(tell)
        self.ghosts = GhostSettings()
        self.things = Things()
        self.as_baked = AsBaked()
        self._keeping: KeptShape | None = None
        self._arriving: ArrivingShape | None = None
        opened = open_document(document, self.library)
        self.turns = Turns()
        self._beside = BindingProcess()  # which starts beside, when there is something to see
        self._install(opened)
        self.history = History(self._shown)
        self.keeper = Keeper(
            self.document, file, self.library.folder, tell=tell, written=wake, settled=self.library.settled
        )
        self.jobs = Jobs(self.library.folder, wake)
        self._before: tuple[History[Document], Path | None] | None = None

    def close(self) -> None:
        """Let go of what runs beside, and write what waits to be."""
        self.jobs.close()
        self.keeper.follow(self.document)
        self.keeper.close()
        self._beside.close()
        self._maker.close()
        self.library.close()
        self.capture.stop()
        self.outlet.close()

    # What is being made

    @property
    def document(self) -> Document:
        """What is being made, as it is now, without what is still being changed."""
        return self.history.present

    @property
    def opening(self) -> str | None:
        """What is being opened, if anything, as a person calls it."""
        if self._opening is not None:
            return self.library.label(self._opening.document.character.name)
        return None if self._fetching is None else self._fetching[0].entry.name

    def fetch(self, entry: FileEntry, what: What, then: Callable[[Character | Motion], None]) -> None:
        """Read a file beside what plays, and do `then` with what it holds; another one that was fetched is let be."""
        self._fetching = Fetching(self.library, entry, what, self.character), then

    def do(self, document: Document) -> None:
        """Go on to another document; `undo` takes it back."""
        self._go_to(document)
        self.history = self.history.do(document)

    def open(self, document: Document, file: Path | None) -> None:
        """Go over to another document, with a history of its own, which is kept in that file."""
        self.keeper.follow(self.document)
        before = (self.history, self.keeper.file)
        self._go_to(document)
        self._before = before if self._opening is not None else None
        self.history = History(document)
        self.keeper.take(document, file)

    def draft(self, document: Document | None) -> None:
        """Show a document that is still being changed; None shows the one before again."""
        self._go_to(self.document if document is None else document, at_once=True)

    @property
    def drafted(self) -> Document:
        """The document, or what it is on the way to while something is dragged."""
        return self._shown

    def undo(self) -> None:
        """Take the last step back."""
        self._go_to(self.history.undo().present)
        self.history = self.history.undo()

    def redo(self) -> None:
        """Take the step that was undone again."""
        self._go_to(self.history.redo().present)
        self.history = self.history.redo()

    def travel(self, steps: int) -> None:
        """Take several steps back, below zero, or again; as many as there are."""
        history = self.history
        for _ in range(abs(steps)):
            history = history.undo() if steps < 0 else history.redo()
        self._go_to(history.present)
        self.history = history

    # What plays

    @property
    def character(self) -> Character:
        """As its source gives it, without edits and painted maps."""
        return self._opened.character

    @property
    def attachment(self) -> Attachment:
        """Where on the bones the vertices of the character hang."""
        return self._opened.attachment

    @property
    def motion(self) -> Motion:
        """What is played, without edits."""
        return self._motion

    @property
    def motions(self) -> list[str]:
        """Names of all motions that the character can make."""
        known = [*self._motion_files, *self._opened.motions, *self._shown.takes]
        return list(dict.fromkeys(known if self._shown.motion in known else [self._shown.motion, *known]))

    @property
    def mesh(self) -> int:
        """The number of the mesh that frames are of."""
        return self._mesh

    @property
    def packer(self) -> FramePacker:
        """What makes frames of this character."""
        return self._opened.packer

    def view(self, number: int) -> View:
        """One of the characters that are shown."""
        if number >= len(self.views):
            raise InputError(_WHERE, f"view {number} was named", f"there are {len(self.views)}", "name one of those")
        return self.views[number]

    @property
    def following(self) -> Following:
        """How pages go along with the body."""
        return self._maker.following

    @property
    def seen(self) -> SeenFrames:
        """The last frames of every view."""
        return self._maker.seen

    def advance(self, dt: float, command: int) -> list[bytes]:
        """Let `dt` [s] go by; frames of every view, which have a command of that number in them."""
        self._bring_kept_in()
        self.capture.advance(self.transport.time + dt, playing=self.transport.playing)
        dt = self.as_baked.time_to_pass(self.views, self.transport, dt)
        frames = self._maker.frames(
            self.views,
            self.transport,
            dt,
            packer=self.packer,
            mesh=self._mesh,
            command=command,
            shown=self.shown,
            beside=self._beside_skin,
        )
        idle = self.opening is None and not any(view.preparing for view in self.views)
        self._rehearsal.frame(self.views, idle=idle)
        self.outlet.send(self.views[0].player.simulated_pose, self.transport.flesh_time)
        if self.things:
            self.things.carry_over(self.views)
            frames.insert(0, things_frame(frames[-1], self.things.places(self.views)))
        return frames

    def _beside_skin(self, head: Head) -> list[bytes]:
        """Amounts of what was drawn, and ghosts, at the time of a frame."""
        source, edits = self.transport.source, self._shown.edits
        found = []
        if isinstance(source, EditedSource) and edits is not None and edits.layers:
            amounts = source.amounts(head.motion_time)
            found.append(amounts_frame(head, [amounts.get(use, 0.0) for use in (*listed_shapes(edits), *edits.poses)]))
        if isinstance(source.source if isinstance(source, EditedSource) else source, Motion):  # not a live one
            character = self.views[0].player.character
            found += self._ghost_maker.frames(self.ghosts, character, source, head, self.motion.fps)
        return found

    @property
    def curves(self) -> say.CurvesInfo | None:
        """Measures of the frames just made, where it is time for them."""
        return self._maker.curves

    def take_over(self) -> bool:
        """Go over to what was opened or bound beside, where it is ready; whether anything changed."""
        changed = (
            self._take_over_fetched()
            | self._take_over_opened()
            | self._take_over_kept()
            | self.capture.news()
            | self.painting.news()
        )
        for view in self.views:
            try:
                if view.take_over(self.transport, self.transport.flesh_time):
                    changed = True
                    give_back_beside()  # what the skin before it leaves
            except SuppleError as error:
                self.tell(f"{view.graph.stages[-1].name}: {error}")
                changed = True
        self.transport.change_player(self.views[0].player)
        return self.as_baked.news() or changed

    def _take_over_fetched(self) -> bool:
        if self._fetching is None or not self._fetching[0].ready:
            return False
        (fetching, then), self._fetching = self._fetching, None
        try:
            made, notes = fetching.result()
            then(made)
        except SuppleError as error:
            self.tell(error)
            return True
        for note in notes:
            self.tell(note)
        return True

    def keep_shape(self, view: int, skin: Skin[Any, Any]) -> None:
        """Make a shape, beside what plays, of what hands have made of a view; `skin` is what edits are made on."""
        held = self.view(view)
        if not held.held:
            raise InputError(_WHERE, "a shape was to be kept", "no hand holds the flesh", "drag it, and keep it then")
        seen = self.seen.newest(view)
        points = np.asarray(seen.points, dtype=np.float64)
        self._keeping = KeptShape(self.character, skin, held.without_hands(), seen.pose, points)

    def _take_over_kept(self) -> bool:
        if self._keeping is None or not self._keeping.ready:
            return False
        kept, self._keeping = self._keeping, None
        edits = self.document.edits_on(self.character)
        name = free_name("Kept shape", [*edits.shapes, *edits.poses, *(layer.name for layer in edits.layers)])
        try:
            layer = Layer.still(name, name)
            edits = edits.with_shape(name, kept.result()).with_layer(layer)
            self.do(self.document.with_edits(edits, "Keep shape"))
            self._arriving = ArrivingShape(edits, layer, self.transport.flesh_time)
        except SuppleError as error:
            self.tell(error)
        return True

    def _bring_kept_in(self) -> None:
        """As much of a shape that was just kept as there is by now, unless something else was done meanwhile."""
        if self._arriving is None:
            return
        edits = self._arriving.edits_at(self.transport.flesh_time)
        if self._shown.edits is not self._arriving.edits:
            self._arriving = None
            return
        if edits is self._arriving.edits:
            self._arriving = None
        self.transport.edit_source(self._source(self._shown.with_edits(edits, self._shown.step)), at_once=True)

    def _take_over_opened(self) -> bool:
        if self._opening is None or not self._opening.ready:
            return False
        opening, self._opening = self._opening, None
        try:
            opened = opening.result()
        except SuppleError as error:
            self.tell(error)
            self._return()
            return True
        wanted, self._before = self.document, None
        self._install(opened)
        if opened.document.motion != wanted.motion:
            wanted = replace(wanted, motion=opened.document.motion)
            self.history = replace(self.history, present=wanted)
        self._go_to(wanted)
        return True

    def _return(self) -> None:
        """Back to the last step with the character that is shown; what came after it is forgotten."""
        if self._before is not None:
            (self.history, file), self._before = self._before, None
            self.keeper.take(self.document, file)
            self._go_to(self.document)
            return
        past = list(self.history.past)
        while past and past[-1].character != self._shown.character:
            past.pop()
        self.history = History(past.pop() if past else self._shown, tuple(past))
        self._go_to(self.document)

    def _install(self, opened: Opened) -> None:
        """Play what was opened, by linear blend until its skins are bound."""
        self.capture.stop()  # what it hears is meant for other joints
        self.outlet.close()
        self.things.forget()
        self.as_baked.forget()
        self._keeping = None
        self.shown = replace(self.shown, arrows=None)  # they are of the character before
        self._opened, self._shown, self._motion = opened, opened.document, opened.motion
        dressed = self._shown.on_character(opened.character)
        self.views = [View(dressed, graph, self._beside, self.turns) for graph in self._shown.skins]
        self.transport = Transport(self.views[0].player, self._source(self._shown))
        self._ghost_maker = GhostMaker(opened.packer)
        self.painting = Painting(opened.canvas)
        self.dividing = Dividing(opened.character)
        self._rehearsal = Rehearsal(opened.character)
        self._mesh += 1
        self.seen.forget()
        self.meshes = {self._mesh: opened.packer.mesh(len(opened.character.points))}

    def _source(self, document: Document) -> PoseSource:
        """The motion with the layers of a document."""
        played = self._motion if self.capture.source is None else self.capture.source
        return played if document.edits is None else document.edits.on_source(played)

    def follow_capture(self) -> None:
        """Play what the capture gives, or the motion again where it is off."""
        self.transport.change_source(self._source(self._shown))

    # From one document to another

    def _go_to(self, document: Document, *, at_once: bool = False) -> None:
        """Bring all that plays to another document; what cannot be raises and leaves it as it was."""
        if document.character != self._shown.character:
            if self._opening is None or self._opening.document.character != document.character:
                self._opening = Opening(document, self.library)
            return
        self._opening = None
        before = self._shown
        motion = self._motion_of(document)
        if not (_dressed_alike(document, before) and _same(document.maps, before.maps)):
            self._dress(before, document)
        self._shown = document
        if document.motion != before.motion:
            self._motion = motion
            self.transport.change_source(self._source(document))
        elif document.edits is not before.edits:
            self.transport.edit_source(self._source(document), at_once=at_once)
        self._go_to_skins(document)

    def _motion_of(self, document: Document) -> Motion:
        """The motion of a document with the character that is shown; those from files stay in the list of motions."""
        if document.motion == self._shown.motion:
            return self._motion
        motion = document.take_on(self.character) or self.library.motion(document.motion, self.character)
        if names_file(document.motion) and document.motion not in self._motion_files:
            self._motion_files.append(document.motion)
        return motion

    def _dress(self, before: Document, after: Document) -> None:
        """Put painted maps and drawn shapes on what plays; maps that only change go over gently."""
        painted = {name: values for name, values in after.maps.items() if before.maps.get(name) is not values}
        if _dressed_alike(after, before) and before.maps.keys() <= after.maps.keys():
            for view in self.views:
                for name, values in painted.items():
                    view.player.paint(name, values)
            return
        dressed = after.on_character(self.character)
        for view in self.views:
            view.player.reshape(dressed)

    def _go_to_skins(self, document: Document) -> None:
        """A view for every skin of the document; one that plays it already stays as it is, wherever it stood."""
        before, skins = self.views, document.skins
        stay = {i: before[i] for i in range(min(len(before), len(skins))) if before[i].graph == skins[i]}
        for i, graph in enumerate(skins):
            twin = next((view for view in before if view not in stay.values() and view.graph == graph), None)
            if i not in stay and twin is not None:
                stay[i] = twin
        free = [view for view in before if view not in stay.values()]
        for i, graph in enumerate(skins):
            if i not in stay:
                stay[i] = self._turned(free.pop(0), graph) if free else self._added(graph)
        self.views = [stay[i] for i in range(len(skins))]
        self.transport.change_player(self.views[0].player)

    def _turned(self, view: View, graph: Graph) -> View:
        view.go_to(graph)
        return view

    def _added(self, graph: Graph) -> View:
        added = View(self.views[0].player.character, graph, self._beside, self.turns)
        added.player.play(self.transport, self.transport.flesh_time)
        return added
