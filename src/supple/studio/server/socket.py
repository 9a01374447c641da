"""One window: its socket, through which commands come and frames and events go."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from supple.studio import messages as say
from supple.studio.engine import Engine, Listener
from supple.studio.frames import SKIN, kind_and_view
from supple.studio.server.serving import LONGEST

OUT = 2  # frames that may be on their way, not yet drawn
BUSIEST = 240  # commands in a second
TRY_LATER = 1013
_TOO_MUCH, _OTHER_PROTOCOL = 1008, 1002


async def turn_away(socket: WebSocket, code: int, reason: str) -> None:
    """Close a socket that was never let in, so that its page is told why.

    A browser tells its page nothing of a socket that takes up none of the protocols that were asked for.
    """
    asked = socket.scope.get("subprotocols", [])
    await socket.accept(subprotocol=asked[0] if asked else None)
    await socket.close(code, reason)


class Window(Listener):
    """Carries bytes between one page and the engine.

    Frames that the page has not drawn are never more than two for each view; in between, the newest takes the place of
    the one that waits. Events all arrive, in their order.
    """

    def __init__(self, socket: WebSocket, engine: Engine) -> None:
        self._socket, self._engine, self._loop = socket, engine, asyncio.get_running_loop()
        self._events: deque[bytes] = deque()
        self._coming: dict[int, dict[int, bytes]] = {}  # of the frame that is not yet complete, by view and kind
        self._newest: dict[int, dict[int, bytes]] = {}  # of the last complete one
        self._out: Counter[int] = Counter()  # frames on their way, by view
        self._hands: set[str] = set()
        self._things: dict[str, say.MoveThing] = {}  # that are held in the air, and where
        self._something = asyncio.Event()

    def frame(self, frame: bytes) -> None:
        """Keep the newest frame until there is room; from the engine's thread."""
        self._on_loop(self._keep, frame)

    def event(self, event: say.Event) -> None:
        """Send an event; from the engine's thread."""
        self._events.append(say.write_event(event))
        self._on_loop(self._something.set)

    def _on_loop(self, act: Callable[..., None], *given: bytes) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act, *given)

    def _keep(self, frame: bytes) -> None:
        kind, view = kind_and_view(frame)
        coming = self._coming.setdefault(view, {})
        coming[kind] = frame
        if kind == SKIN:  # which comes last, so that all else is of the same frame
            self._newest[view] = self._coming.pop(view)
            self._something.set()

    async def serve(self) -> None:
        """Until the page goes away."""
        if say.PROTOCOL not in self._socket.scope.get("subprotocols", []):
            await turn_away(self._socket, _OTHER_PROTOCOL, "This page is of another version: reload it.")
            return
        await self._socket.accept(subprotocol=say.PROTOCOL)
        self._engine.listen(self)
        sending = asyncio.create_task(self._send())
        try:
            await self._receive()
        except WebSocketDisconnect:
            pass
        finally:
            for hand in self._hands:
                self._engine.tell(say.LetGo(0, hand))
            for held in self._things.values():
                self._engine.tell(msgspec.structs.replace(held, seq=0, velocity=(0.0, 0.0, 0.0)))
            self._engine.leave(self)
            sending.cancel()

    async def _send(self) -> None:
        while True:
            await self._something.wait()
            self._something.clear()
            await self._send_events()
            for view in [view for view in self._newest if self._out[view] < OUT]:
                await self._send_events()  # what came while another view's was sent, before a frame that shows it
                frames = self._newest.pop(view)
                self._out[view] += 1
                for kind in sorted(frames, reverse=True):  # the skin, which is drawn, comes last
                    await self._socket.send_bytes(frames[kind])

    async def _send_events(self) -> None:
        while self._events:
            await self._socket.send_text(self._events.popleft().decode())

    async def _receive(self) -> None:
        second, count = 0, 0
        while True:
            text = await self._socket.receive_text()
            now = int(self._loop.time())
            second, count = (second, count + 1) if now == second else (now, 1)
            if count > BUSIEST or len(text) > LONGEST:
                await self._socket.close(_TOO_MUCH, "Too much at once.")
                return
            try:
                command = say.read_command(text)
            except (msgspec.ValidationError, msgspec.DecodeError) as error:
                refused = say.Refused(0, "studio", "a command was not understood", str(error)[:300], "reload the page")
                self.event(refused)
                continue
            if isinstance(command, say.Drawn):
                if self._out[command.view] > 0:
                    self._out[command.view] -= 1
                    count -= 1  # one for every frame that was sent is never too much
                self._something.set()
            else:
                self._note_thing(command)
                self._engine.tell(self._with_own_hand(command), self)

    def _note_thing(self, command: say.AnyCommand) -> None:
        """What is held falls when its window goes away."""
        if isinstance(command, say.MoveThing) and command.velocity is None:
            self._things[command.name] = command
        elif isinstance(command, say.MoveThing | say.RemoveThing):
            self._things.pop(command.name, None)

    def _with_own_hand(self, command: say.AnyCommand) -> say.AnyCommand:
        """Hands of two windows are two, whatever they are called, and open when their window goes away."""
        if not isinstance(command, say.Hold | say.LetGo):
            return command
        hand = f"{id(self)} {command.hand}"
        if isinstance(command, say.Hold):
            self._hands.add(hand)
        else:
            self._hands.discard(hand)
        return msgspec.structs.replace(command, hand=hand)
