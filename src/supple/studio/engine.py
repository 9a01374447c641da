"""The engine: one thread that owns the document and all that plays, takes commands and makes frames."""

from __future__ import annotations

from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Thread
from time import perf_counter

import supple
from supple.character.builtin import CHARACTERS
from supple.character.character import Character
from supple.compiling import told_of_compiling
from supple.edits.history import History
from supple.errors import InputError, SuppleError
from supple.graph.binding_process import BindingProcess
from supple.graph.player import Player
from supple.graph.successor import Successor
from supple.graph.transport import Transport
from supple.motion.builtin import MOTIONS, recipe
from supple.motion.motion import Motion
from supple.settings import value_of
from supple.skins.pull import Pull
from supple.skins.registry import SKINS
from supple.studio import messages as say
from supple.studio.document import Document
from supple.studio.frames import FramePacker, Head
from supple.studio.panels import rows_of, setting_from_panel

RATE = 60.0  # frames a second
SLOWEST = 1.0 / 15.0  # s of the motion in one frame at most: what takes longer to make is shown slower
_WHERE = "studio"
_PLAIN = ("bend", "twist")  # motions of single joints, which a character has others than


class Listener:
    """Somebody who is told of frames, which may be skipped, and of events, which may not."""

    def frame(self, frame: bytes) -> None:
        """The newest frame."""

    def event(self, event: say.Event) -> None:
        """What has changed, or was refused."""


class Engine:
    """Plays one character for any number of listeners; commands are done in their order, between frames.

    Until the skin is bound, and whenever another one binds, the one before plays on: linear blend at first.
    """

    def __init__(self, document: Document) -> None:
        self._commands: SimpleQueue[tuple[say.AnyCommand, Listener | None]] = SimpleQueue()
        self._wake, self._stop = Flag(), Flag()
        self._listeners: list[Listener] = []
        self._revision = self._frame = self._mesh = self._last_command = 0
        self._preparing: str | None = None
        self._successor: tuple[Document, Successor] | None = None
        self._meshes: dict[int, bytes] = {}
        self._beside = BindingProcess()
        self._history = History(self._open(document))
        self._thread = Thread(target=self._run, name="supple engine", daemon=True)

    def start(self) -> None:
        """Begin to play."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self._stop.set()
        self._wake.set()
        self._thread.join()
        self._beside.close()

    def tell(self, command: say.AnyCommand, listener: Listener | None = None) -> None:
        """Do a command before the next frame; `listener` hears if it is refused. From any thread."""
        self._commands.put((command, listener))
        self._wake.set()

    def listen(self, listener: Listener) -> None:
        """Tell a listener all from now on, the state first. From any thread."""
        self._listeners = [*self._listeners, listener]
        listener.event(self.state())
        self._wake.set()

    def leave(self, listener: Listener) -> None:
        """Tell a listener nothing any more. From any thread."""
        self._listeners = [one for one in self._listeners if one is not listener]

    def mesh(self, number: int) -> bytes | None:
        """The mesh of that number, where it is known. From any thread."""
        return self._meshes.get(number)

    @property
    def document(self) -> Document:
        """What is being made, as it is now."""
        return self._history.present

    def state(self) -> say.State:
        """All that a panel shows."""
        document, history = self.document, self._history
        character, motion = self._player.character, self._transport.source
        return say.State(
            revision=self._revision,
            character=document.character,
            mesh=say.MeshInfo(
                self._mesh,
                len(character.points),
                len(self._packer.creases),
                len(character.triangles),
                float(character.size.max()),
            ),
            transport=say.TransportInfo(
                document.motion,
                self._transport.playing,
                self._transport.rate,
                motion.duration if isinstance(motion, Motion) else None,
            ),
            skin=document.skin,
            settings=rows_of(document.made_skin()),
            skins=list(SKINS),
            motions=self._motions,
            characters=list(CHARACTERS),
            preparing=self._preparing,
            undo=document.step if history.past else None,
            redo=history.future[0].step if history.future else None,
        )

    # The thread

    def _run(self) -> None:
        last = perf_counter()
        with told_of_compiling(self._compiling):
            while not self._stop.is_set():
                self._wake.wait(None if not self._listeners else max(0.0, last + 1.0 / RATE - perf_counter()))
                self._wake.clear()
                self._obey()
                self._take_over()
                if not self._listeners:
                    last = perf_counter()
                    continue
                now = perf_counter()
                self._make_frame(min(now - last, SLOWEST))
                last = now

    def _obey(self) -> None:
        while True:
            try:
                command, listener = self._commands.get_nowait()
            except Empty:
                return
            try:
                self._do(command)
            except SuppleError as error:
                if listener is not None:
                    parts = (error.where, error.given, error.needed, error.advice)
                    listener.event(say.Refused(command.seq, *parts))
            self._last_command = command.seq

    def _make_frame(self, dt: float) -> None:
        begun = perf_counter()
        points = self._transport.advance(dt)
        normals, _ = self._player.normals()
        root = self._player.simulated_pose.world_from_joint[0, :3, 3]
        self._frame += 1
        head = Head(
            view=0,
            mesh=self._mesh,
            frame=self._frame % 2**32,
            command=self._last_command,
            motion_time=self._transport.time,
            flesh_time=self._transport.flesh_time,
            engine=int(1e6 * (perf_counter() - begun)),
        )
        frame = self._packer.frame(head, points, normals, root)
        for listener in self._listeners:
            listener.frame(frame)

    # Commands

    def _do(self, command: say.AnyCommand) -> None:
        match command:
            case say.Drawn():
                return
            case say.Hold():
                self._hold(command)
            case say.LetGo():
                self._player.let_go(command.hand)
            case say.Play():
                self._transport.play()
            case say.Pause():
                self._transport.pause()
            case say.Seek():
                self._transport.seek(command.time)
            case say.Run():
                self._transport.run(command.rate)
            case say.Change():
                self._change(command)
            case say.ChooseSkin():
                self._choose_skin(command)
            case say.ChooseMotion():
                self._choose_motion(command)
            case say.ChooseCharacter():
                self._choose_character(command)
            case say.Undo():
                self._go_to(self._history.undo())
            case say.Redo():
                self._go_to(self._history.redo())
        if not isinstance(command, say.Hold | say.LetGo):
            self._changed()

    def _hold(self, command: say.Hold) -> None:
        total = sum(command.shares)
        if len(command.shares) != len(command.vertices) or total <= 0.0:
            raise InputError(_WHERE, f"shares are {command.shares}", "one for each vertex is needed", "pick again")
        shares = [share / total for share in command.shares]
        self._player.pull(
            Pull(command.vertices, to=command.to, shares=shares, radius=command.radius), hand=command.hand
        )

    def _change(self, command: say.Change) -> None:
        """While a slider moves, the skin follows and the document waits; when it is let go, that is one step."""
        before = self.document
        value = setting_from_panel(before.made_skin(), command.name, command.value)
        wanted = before.with_setting(command.name, value, f"{command.name} {value}")
        skin = wanted.made_skin()  # refuses what cannot be
        if command.name in type(skin).live and self._successor is None:
            self._player.change(**{command.name: value})
        elif command.done:
            self._bind(wanted)
        if command.done:
            self._history = self._history.do(wanted)

    def _choose_skin(self, command: say.ChooseSkin) -> None:
        wanted = self.document.with_skin(command.skin)
        wanted.made_skin()
        self._bind(wanted)
        self._history = self._history.do(wanted)

    def _choose_motion(self, command: say.ChooseMotion) -> None:
        motion = supple.motion(command.motion, self._player.character)
        self._transport.change_source(motion)
        self._history = self._history.do(replace(self.document, motion=command.motion, step=f"Motion {command.motion}"))

    def _choose_character(self, command: say.ChooseCharacter) -> None:
        wanted = replace(
            self.document, character=command.character, vertices=command.vertices, step=f"Character {command.character}"
        )
        self._history = self._history.do(self._open(wanted))

    def _go_to(self, history: History[Document]) -> None:
        """Bring all that plays to where the document of another history is."""
        before, after = self.document, history.present
        if (before.character, before.vertices) != (after.character, after.vertices):
            self._open(after)
        else:
            if before.motion != after.motion:
                self._transport.change_source(supple.motion(after.motion, self._player.character))
            if before.skin != after.skin or dict(before.settings) != dict(after.settings):
                self._go_to_skin(before, after)
        self._history = history

    def _go_to_skin(self, before: Document, after: Document) -> None:
        one, other = ({row.name: row.value for row in rows_of(made.made_skin())} for made in (before, after))
        differing = {name for name in {**one, **other} if one.get(name) != other.get(name)}
        skin = after.made_skin()
        if before.skin != after.skin or not differing <= type(skin).live or self._successor is not None:
            self._bind(after)
            return
        self._player.change(**{name: value_of(skin, name) for name in differing})

    # Characters and skins

    def _open(self, document: Document) -> Document:
        """Show a character at once by linear blend, and bind its skin beside that.

        Returns the document with a motion that the character can make.
        """
        character = supple.character(document.character, vertices=document.vertices)
        others = sorted(MOTIONS, key=lambda name: name in _PLAIN)
        self._motions = [name for name in MOTIONS if _can_move(name, character)]
        name = next(name for name in (document.motion, *others) if name in self._motions)
        opened = replace(document, motion=name)
        self._player: Player = supple.player(character, supple.LinearBlend())
        self._transport = Transport(self._player, supple.motion(name, character))
        self._packer = FramePacker(character)
        self._mesh += 1
        self._meshes = {self._mesh: self._packer.mesh(len(character.points))}
        self._bind(opened)
        return opened

    def _bind(self, document: Document) -> None:
        """Let the skin of a document take over when it is bound."""
        self._preparing = document.skin
        self._successor = document, Successor(self._player, document.made_skin(), beside=self._beside)

    def _take_over(self) -> None:
        if self._successor is None or not self._successor[1].ready:
            return
        document, successor = self._successor
        self._successor, self._preparing = None, None
        try:
            self._player = successor.take_over()
            self._transport.change_player(self._player)
        except SuppleError as error:
            for listener in self._listeners:
                listener.event(say.Told(f"{document.skin}: {error}"))
        self._changed()

    def _compiling(self, name: str) -> None:
        for listener in self._listeners:
            listener.event(say.Told(f"Compiling {name} for this machine, once"))

    def _changed(self) -> None:
        self._revision += 1
        state = self.state()
        for listener in self._listeners:
            listener.event(state)


def _can_move(name: str, character: Character) -> bool:
    """Whether a built-in motion is one for this character."""
    try:
        recipe(name, character)
    except SuppleError:
        return False
    return True
