"""The engine: one thread that owns the session, takes commands and makes frames."""

from __future__ import annotations

import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Flag
from threading import Thread
from time import perf_counter

from supple.compiling import told_of_compiling
from supple.document.document import Document
from supple.errors import SuppleError
from supple.memory import leave_alone_what_is_there
from supple.studio import messages as say
from supple.studio.commands import is_quiet, perform
from supple.studio.files.library import Library
from supple.studio.frames import stamped
from supple.studio.newest import newest_of_each
from supple.studio.session import Session
from supple.studio.state import state_of

RATE = 60.0  # frames a second
SLOWEST = 1.0 / 15.0  # s of the motion in one frame at most: what takes longer to make is shown slower
_SWITCH = 1e-3  # s that the engine waits for another thread of Python's before that gives way
_LEARNING = 0.1  # of what is usual, by every frame
_PATIENCE = 1.3  # frames
_LATE = 2.0  # frames that are made up for: what is later was too slow, and nothing is hurried for it


class Listener:
    """Somebody who is told of frames, which may be skipped, and of events, which may not."""

    def frame(self, frame: bytes) -> None:
        """The newest frame."""

    def event(self, event: say.Event) -> None:
        """What has changed, or was refused."""


class Engine:
    """Plays one session for any number of listeners; commands are done in their order, between frames."""

    def __init__(self, document: Document, library: Library | None = None, *, file: Path | None = None) -> None:
        """`library` has the files that can be opened besides; `file` is where the document is kept, if it has one."""
        self._commands: SimpleQueue[tuple[say.AnyCommand, Listener | None]] = SimpleQueue()
        self._wake, self._stop = Flag(), Flag()
        self._listeners: list[Listener] = []
        self._revision = self._last_command = 0
        self._done: dict[Listener, int] = {}  # the last command of each, whose numbers are its own
        self._something_done = Flag()
        self._usual = 1.0 / RATE  # s between frames
        self._session = Session(document, self._say, library, file=file, wake=self._done_beside)
        self._state = state_of(self._session, 0)
        self._thread = Thread(target=self._run, name="supple engine", daemon=True)

    def start(self) -> None:
        """Begin to play."""
        leave_alone_what_is_there()
        sys.setswitchinterval(_SWITCH)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self._stop.set()
        self._wake.set()
        self._thread.join()
        self._session.close()

    def tell(self, command: say.AnyCommand, listener: Listener | None = None) -> None:
        """Do a command before the next frame; `listener` hears if it is refused. From any thread."""
        self._commands.put((command, listener))
        self._wake.set()

    def listen(self, listener: Listener) -> None:
        """Tell a listener all from now on, the state first. From any thread."""
        self._listeners = [*self._listeners, listener]
        listener.event(self._state)
        self._wake.set()

    def leave(self, listener: Listener) -> None:
        """Tell a listener nothing any more. From any thread."""
        self._listeners = [one for one in self._listeners if one is not listener]
        self._done.pop(listener, None)

    def mesh(self, number: int) -> bytes | None:
        """The mesh of that number, where it is known. From any thread."""
        return self._session.meshes.get(number)

    def result(self, number: int) -> Path | None:
        """The file that a job of that number made, where there is one. From any thread."""
        return self._session.jobs.result(number)

    @property
    def library(self) -> Library:
        """The files that can be opened."""
        return self._session.library

    @property
    def document(self) -> Document:
        """What is being made, as it is now."""
        return self._session.document

    # The thread

    def _run(self) -> None:
        last = due = perf_counter()
        with told_of_compiling(lambda name: self._say(f"Compiling {name} for this machine, only this first time")):
            while not self._stop.is_set():
                self._wake.wait(None if not self._listeners else max(0.0, due - perf_counter()))
                self._wake.clear()
                with self._session.turns:
                    now = self._turn(last)
                last, due = now, _next(due, now)

    def _turn(self, last: float) -> float:
        """Do what was asked, and make a frame for the time since the `last` one [s]; when that was."""
        self._obey()
        self._session.keeper.follow(self._session.document)
        if self._session.take_over() or self._something_done.is_set():
            self._something_done.clear()
            self._changed()
        now = perf_counter()
        if self._listeners:
            self._make_frames(now - last)
        return now

    def _make_frames(self, gone: float) -> None:
        """Let as much time [s] go by as has, but not so much more than usual that the next frame is late for it."""
        self._usual += _LEARNING * (min(gone, SLOWEST) - self._usual)
        for frame in self._session.advance(min(gone, 2.0 * max(self._usual, 1.0 / RATE), SLOWEST), self._last_command):
            for listener in self._listeners:
                listener.frame(stamped(frame, self._done.get(listener, self._last_command)))
        self._tell_curves()

    def _tell_curves(self) -> None:
        if self._session.curves is not None:
            for listener in self._listeners:
                listener.event(self._session.curves)

    def _obey(self) -> None:
        """Do the commands that have come, and tell once what they changed; what comes meanwhile has its turn."""
        changed = False
        come = [self._commands.get() for _ in range(self._commands.qsize())]
        for command, listener in newest_of_each(come):
            try:
                perform(self._session, command)
            except SuppleError as error:
                if listener is not None:
                    listener.event(_refused(command.seq, error))
            self._last_command = command.seq
            if listener is not None:
                self._done[listener] = command.seq
            changed |= not is_quiet(command)
        if changed:
            self._changed()

    def _done_beside(self) -> None:
        """Something beside is done, which panels show; from any thread."""
        self._something_done.set()
        self._wake.set()

    def _say(self, what: str | SuppleError) -> None:
        event = say.Told(what) if isinstance(what, str) else _refused(0, what)
        for listener in self._listeners:
            listener.event(event)

    def _changed(self) -> None:
        self._session.keeper.follow(self._session.document)  # so that nobody is told that this is saved already
        self._revision += 1
        self._state = state_of(self._session, self._revision)
        for listener in self._listeners:
            listener.event(self._state)


def _next(due: float, now: float) -> float:
    """When the frame after one that was due, and is made now, is due [s].

    A little lateness is made up for. After a frame that a command called for before its time, the next command is
    waited for a little: commands come once a picture, and a frame just before each would only be in its way.
    """
    if now < due:
        return now + _PATIENCE / RATE
    return due + 1.0 / RATE if now - due < _LATE / RATE else now + 1.0 / RATE


def _refused(seq: int, error: SuppleError) -> say.Refused:
    return say.Refused(seq, error.where, error.given, error.needed, error.advice)
