"""A window of the studio as a test sees it: what it shows, in numbers, and what a person does in it.

Nothing here waits for a time that has gone by; everything waits for frames, commands in frames, or the state.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from studio_fingers import Fingers

import supple

PATIENCE = 240_000  # [ms] after which what never came is said not to come; other work on the machine may be in the way
PLACES = {
    "belly": ("Spine", (0.0, 0.0, 1.0)),
    "chest": ("Spine2", (0.0, 0.0, 1.0)),
    "left thigh": ("LeftUpLeg", (0.0, 0.0, 1.0)),
    "right thigh": ("RightUpLeg", (0.0, 0.0, 1.0)),
    "head": ("Head", (0.0, 0.0, 1.0)),
}
"""Of the hero: the joint that lies behind a place, and the way from there to the skin."""

# A browser that was here before is shown no first steps.
WELCOMED = 'try { localStorage.setItem("supple-welcomed", "1"); } catch {}'
# Keeps all commands but acknowledgements, and every frame that arrives once a test asks for it.
WATCH = """
globalThis.watched = {commands: [], frames: null, points: [], arrived: 0, drawn: 0, mostOut: 0, hand: []};
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const command = JSON.parse(text);
  if (command.do === "drawn") watched.drawn++;
  else watched.commands.push(command);
  send.call(this, text);
};
globalThis.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("open", () => Object.assign(watched, {arrived: 0, drawn: 0}));
    this.addEventListener("message", ({data}) => {
      if (typeof data === "string") return;
      watched.mostOut = Math.max(watched.mostOut, ++watched.arrived - watched.drawn);
    });
  }
};
globalThis.watchFrames = (points) => {
  watched.points = points;
  const first = watched.frames === null;
  watched.frames = [];
  if (!first) return;
  const newest = supple.stage.newest.bind(supple.stage);
  supple.stage.newest = (frame) => {
    const scale = frame.side / 65535;
    const at = (i) => [0, 1, 2].map((axis) => frame.low[axis] + scale * frame.packed[4 * i + axis]);
    const {packed, ...head} = frame;
    watched.frames.push({...head, arrived: performance.now(), places: watched.points.map(at)});
    newest(frame);
  };
};
// How far the place that a pointer holds is from the pointer in every picture, on the plane that it moves on [m].
globalThis.watchHand = ({pixel: [x, y], points, shares}) => {
  const {skin, viewer: {camera}, canvas, options} = supple.stage;
  const place = () => {
    const at = camera.position.clone().set(0, 0, 0);
    points.forEach((p, i) => at.addScaledVector(skin.point(p, camera.position.clone()), shares[i]));
    return at;
  };
  const forward = () => camera.getWorldDirection(camera.position.clone());
  const ray = () => {
    const box = canvas.getBoundingClientRect();
    const seen = [2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height, 0.5];
    return camera.position.clone().set(...seen).unproject(camera).sub(camera.position).normalize();
  };
  const depth = place().sub(camera.position).dot(forward());
  const after = options.afterPicture;
  options.afterPicture = (...given) => {
    const way = ray();
    const hand = camera.position.clone().addScaledVector(way, depth / way.dot(forward()));
    watched.hand.push({frame: skin.frame.frame, off: hand.distanceTo(place()), at: hand.toArray()});
    after(...given);
  };
};
"""


@dataclass(frozen=True)
class Frame:
    """A frame that was drawn: its number, the last command in it, its two times [s], root and display points [m]."""

    number: int
    command: int
    motion_time: float
    flesh_time: float
    root: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Seen:
    """A frame that arrived while `watch` was on, and where the watched points were in it (N, 3) [m]."""

    number: int
    command: int
    motion_time: float
    flesh_time: float
    arrived: float  # [s] by the page's clock
    root: np.ndarray
    places: np.ndarray


class Window:
    """The studio's page in one tab.

    `page` is Playwright's, for all that has no word here. `errors` is what the console and the page complained of; the
    fixture that made the window fails the test where there is any. `requests` is every address that was asked for.
    """

    def __init__(self, page: Any, address: str, script: str = WELCOMED, ready: str = "stage.skin?.frame") -> None:
        """`script` runs before the page's own; the window is open when `supple.READY` is true."""
        self.page = page
        self.mouse: tuple[float, float] = (0.0, 0.0)  # where it is [CSS pixels]
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(f"page: {error}"))
        page.on("console", lambda said: self.errors.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.add_init_script(WATCH + script)
        page.goto(address)
        self.until(f"globalThis.supple?.{ready}")

    # Asking the page

    def js(self, expression: str, argument: Any = None) -> Any:
        """The value of an expression in the page; `it` is the argument."""
        return self.page.evaluate(f"it => {expression}", argument)

    def until(self, expression: str, argument: Any = None) -> None:
        """Wait until an expression in the page is true, asked before every picture; `it` is the argument."""
        self.page.wait_for_function(f"it => Boolean({expression})", arg=argument)

    def state(self) -> dict[str, Any]:
        """The last state that the engine told, as `messages.State` has it."""
        return self.js("supple.session.state.value")

    def skin(self, view: int = 0) -> str:
        """The skin that is wanted: the last stage of a view's graph."""
        return str(self.state()["views"][view]["stages"][-1]["skin"])

    def setting(self, name: str, view: int = 0) -> dict[str, Any]:
        """A setting of that skin, as `messages.SettingRow` has it."""
        return next(row for row in self.state()["views"][view]["stages"][-1]["settings"] if row["name"] == name)

    def until_state(self, expression: str, argument: Any = None) -> dict[str, Any]:
        """Wait until an expression of `state` is true, and return the state: `until_state("state.undo")`.

        `preparing` is what is being opened or bound, or null.
        """
        preparing = "state.opening ?? state.views.map((view) => view.preparing).find(Boolean) ?? null"
        given = f"(state) => {{ if (!state) return false; const preparing = {preparing}; return {expression}; }}"
        self.until(f"({given})(supple.session.state.value)", argument)
        return self.state()

    def until_bound(self) -> dict[str, Any]:
        """Wait until nothing is being opened or bound, and a frame of it was drawn."""
        state = self.until_state("preparing === null")
        self.frames(2)
        return state

    # Frames

    def frame(self) -> Frame:
        """The frame that is shown now, or the first one of a mesh that has just come."""
        self.until("supple.stage.skin?.frame")
        found = self.js(
            """(() => {
              const {packed, ...head} = supple.stage.skin.frame;
              const bytes = new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength);
              let text = "";
              for (let i = 0; i < bytes.length; i += 8192)
                text += String.fromCharCode(...bytes.subarray(i, i + 8192));
              return {...head, packed: btoa(text)};
            })()"""
        )
        packed = np.frombuffer(base64.b64decode(found["packed"]), "<u2").reshape(-1, 4)[:, :3]
        low, side = np.array(found["low"]), found["side"]
        head = (found["frame"], found["lastCommand"], found["motionTime"], found["fleshTime"])
        return Frame(*head, root=low + side / 2.0, points=low + packed * (side / 65535.0))

    def frame_with(self, seq: int) -> Frame:
        """Wait until a frame with a command in it was drawn; that frame or a later one."""
        self.until("supple.stage.skin?.frame?.lastCommand >= it", seq)
        return self.frame()

    def frames(self, count: int) -> Frame:
        """Wait until that many more frames are made by the engine and one of them is drawn."""
        number = self.js("supple.session.shownFrame.value")
        self.until("supple.session.shownFrame.value >= it", number + count)
        return self.frame()

    def flesh(self, seconds: float) -> Frame:
        """Wait until the flesh has lived that much longer [s], however long that takes here."""
        time = self.js("supple.stage.skin.frame.fleshTime")
        self.until("supple.stage.skin?.frame?.fleshTime >= it", time + seconds)
        return self.frame()

    def points(self) -> np.ndarray:
        """Where the vertices are in the frame that is shown (V, 3) [m]."""
        points = self.frame().points
        made = np.zeros((self.state()["mesh"]["vertices"], 3))
        made[self.vertex_of_point()] = points
        return made

    def vertex_of_point(self) -> np.ndarray:
        """The vertex of each display point: normals part at creases, and so do these."""
        return np.array(self.js("Array.from(supple.stage.skin.data.vertexOfPoint)"))

    def watch(self, *points: int) -> None:
        """Keep every frame that arrives from now on, with the places of a few display points in it (`seen`)."""
        self.js("watchFrames(it)", [int(point) for point in points])

    def seen(self) -> list[Seen]:
        """The frames that arrived since `watch`, in their order."""
        return [
            Seen(one["frame"], one["lastCommand"], one["motionTime"], one["fleshTime"], one["arrived"] / 1000.0,
                 np.array(one["low"]) + one["side"] / 2.0, np.array(one["places"]).reshape(-1, 3))
            for one in self.js("watched.frames")
        ]  # fmt: skip

    # Commands

    def ask(self, do: str, **what: Any) -> int:
        """Send a command as the page would; its number, for `frame_with`."""
        seq = self.js("supple.session.ask(it)", {"do": do, **what})
        assert seq is not None, "the page has no engine to ask"
        return int(seq)

    def commands(self, do: str | None = None) -> list[dict[str, Any]]:
        """All commands that this page has sent, in their order; of one kind, if it is named."""
        return [one for one in self.js("watched.commands") if do in (None, one["do"])]

    def pause(self) -> Frame:
        """Stop the motion, and wait for it; the flesh goes on."""
        return self.frame_with(self.ask("pause"))

    def choose_skin(self, name: str) -> None:
        """Another skin, and wait until it plays."""
        self.frame_with(self.ask("choose-skin", skin=name))
        self.until_bound()

    def afresh(self) -> None:
        """Bring the studio to where it opened: every step undone, the motion playing from its start."""
        while self.state()["undo"] is not None:
            before = self.state()["revision"]
            self.ask("undo")
            self.until_state("state.revision > it", before)
        for do, what in (("run", {"rate": 1.0}), ("seek", {"time": 0.0}), ("play", {})):
            seq = self.ask(do, **what)
        self.frame_with(seq)
        self.until_bound()

    # Hands

    def pick_on(self, place: str) -> int:
        """A display point by the name of its place on the hero (`PLACES`)."""
        vertex = _vertex_at(place, self.state()["mesh"]["vertices"])
        return int(np.flatnonzero(self.vertex_of_point() == vertex)[0])

    def pixel(self, point: int) -> tuple[float, float]:
        """Where a display point is seen in the page [CSS pixels]."""
        x, y = self.js(
            """(() => {
              const {skin, viewer, canvas, pane} = supple.stage;
              const {left, top} = canvas.getBoundingClientRect();
              const box = supple.stage.boxOf(pane);
              const seen = skin.point(it, viewer.camera.position.clone()).project(viewer.camera);
              return [left + box.left + box.width * (1 + seen.x) / 2, top + box.top + box.height * (1 - seen.y) / 2];
            })()""",
            point,
        )
        return float(x), float(y)

    def place_of(self, point: int) -> np.ndarray:
        """Where a display point is now [m]."""
        return np.array(self.js("supple.stage.skin.point(it, supple.stage.viewer.camera.position.clone()).toArray()",
                                point))  # fmt: skip

    def take(self, place: str) -> tuple[float, float]:
        """Press the mouse on a place of the hero; where that is in the page. The flesh is held from then on."""
        x, y = self.mouse = self.pixel(self.pick_on(place))
        self.page.mouse.move(x, y)
        count = len(self.commands("hold"))
        self.page.mouse.down()
        self.until("watched.commands.filter(({do: what}) => what === 'hold').length > it", count)
        return x, y

    def move(self, x: float, y: float, steps: int = 5) -> Frame:
        """Move the mouse there, and wait for a frame with the last of the hand's commands in it."""
        before = len(self.commands())
        self.mouse = x, y
        self.page.mouse.move(x, y, steps=steps)
        self.until("watched.commands.length > it", before)
        self.frames(2)  # the hand says where it is at most once a picture: let it say the last
        return self.frame_with(self.commands()[-1]["seq"])

    def let_go(self) -> Frame:
        """Lift the mouse, and wait for a frame in which the flesh is let go."""
        count = len(self.commands("let-go"))
        self.page.mouse.up()
        self.until("watched.commands.filter(({do: what}) => what === 'let-go').length > it", count)
        return self.frame_with(self.commands("let-go")[-1]["seq"])

    def swing(self, pixels: Sequence[tuple[float, float]], times: Sequence[float]) -> None:
        """Move the mouse, which is down, through pixels at those times [s], and lift it at the last.

        The times are those of the hand, which events tell the page however late it hears of them.
        """
        devtools = self.page.context.new_cdp_session(self.page)
        start = time.time() + 0.2  # it rested before
        for i, ((x, y), at) in enumerate(zip(pixels, times, strict=True)):
            last = i + 1 == len(times)
            time.sleep(max(0.0, start + at - time.time()))
            kind = "mouseReleased" if last else "mouseMoved"
            mouse = {"x": x, "y": y, "button": "left", "buttons": 0 if last else 1, "clickCount": 1}
            devtools.send("Input.dispatchMouseEvent", {"type": kind, "timestamp": start + at, **mouse})
        self.mouse = pixels[-1]
        self.page.mouse.up()  # for Playwright, which knows nothing of it

    def drag(self, place: str, right: float, up: float, steps: int = 5) -> Frame:
        """Take hold of a place of the hero and move it by so many pixels; the mouse stays down."""
        x, y = self.take(place)
        return self.move(x + right, y - up, steps)

    def held(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the last hand is, and where the place that it holds is in the frame that is shown [m]."""
        last = self.commands("hold")[-1]
        frame = self.frame()
        return self.hand_of(last, frame), self.held_place(last, frame)

    def hand_of(self, hold: dict[str, Any], frame: Frame) -> np.ndarray:
        """Where the hand of a hold command is in a frame [m] of a body that stands; it may be said from the root."""
        return np.array(hold["to"]) + (0.0 if hold["along"] is None else frame.root)

    def held_place(self, hold: dict[str, Any], frame: Frame) -> np.ndarray:
        """Where the place that a hold command names is in a frame [m]."""
        return np.asarray(hold["shares"]) @ frame.points[self.held_points(hold)] / sum(hold["shares"])

    def held_points(self, hold: dict[str, Any] | None = None) -> list[int]:
        """The display points that a hold command names, the last one if none is given; `watch` takes them."""
        of_vertex = {int(vertex): point for point, vertex in enumerate(self.vertex_of_point())}
        return [of_vertex[vertex] for vertex in (hold or self.commands("hold")[-1])["vertices"]]

    def touch(self) -> Fingers:
        """Fingers for this window, which has to be opened with `has_touch=True`."""
        return Fingers(self)

    def watch_hand(self) -> None:
        """From now on, keep how far the held place is from the mouse in every picture (`hand_seen`).

        The hand is taken to move on the plane on which its place is now.
        """
        hold = self.commands("hold")[-1]
        self.js("watchHand(it)", {"pixel": self.mouse, "points": self.held_points(hold), "shares": hold["shares"]})

    def hand_seen(self) -> tuple[np.ndarray, np.ndarray]:
        """For every picture since `watch_hand`: from hand to place [m] (N,), and where the hand is [m] (N, 3)."""
        found = self.js("watched.hand")
        return np.array([one["off"] for one in found]), np.array([one["at"] for one in found])

    # What is said

    def notices(self) -> str:
        """What stands over the stage: that something is prepared, or the engine lost."""
        return str(self.page.locator(".notices").inner_text()).strip()

    def messages(self) -> str:
        """What was refused or told lately, as a person reads it."""
        return str(self.page.locator(".toasts").inner_text()).strip()


@lru_cache
def _vertex_at(place: str, vertices: int) -> int:
    """The vertex that lies farthest out from a joint, seen along one way."""
    joint, way = PLACES[place]
    hero = supple.character("hero", vertices=vertices)
    off = hero.points - hero.skeleton.heads[hero.skeleton.index(joint)]
    along = off @ np.array(way)
    aside = np.linalg.norm(off - np.outer(along, way), axis=1)
    return int(np.argmax(np.where(aside < 0.03 * hero.height, along, -np.inf)))
