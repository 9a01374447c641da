"""The player: runs a graph of skins frame by frame, and is the only thing with a memory."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.character.fingerprint import differing_arrays
from supple.character.morph_targets import MorphTargets
from supple.character.shading import creases_of
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.normals import Creases, NormalsOnDevice
from supple.geometry.stretch import StretchOnDevice
from supple.graph.graph import Graph
from supple.graph.mask import Mask
from supple.graph.stage_node import StageNode
from supple.motion.pose import Pose, PoseSource, between
from supple.obstacles.shapes import RigidBody
from supple.settings import flattened, is_setting, path_of
from supple.skins.base import AnySkin, BoundSkin, DevicePoints, SoftSkin
from supple.skins.contact_events import ContactEvent, Records, merge_records, name_events
from supple.skins.memory import Arrays
from supple.skins.painted_map import MapInfo
from supple.skins.pull import Pull

_SAME_TIME = 1e-9  # of a step: times closer than this are one time
_PAUSE = 4.0  # s between two frames from which soft skins that can take all but the end of it in one step
_AFTER_PAUSE = 1.0  # s


class Player:
    """Moves one character's skin through time.

    `play(source, time)` goes to a time of a motion; `advance(pose)` takes poses one by one as they come. Skins that
    need only the pose may be scrubbed. Soft skins run on their own fixed step: the source is sampled at the steps, and
    what is shown between two steps is blended from them, so a motion gives the same skin whatever the frame rate.
    """

    def __init__(
        self,
        character: Character,
        skin: AnySkin | Graph,
        *,
        device: str = "cpu",
        fps: float = 60.0,
        beside: Player | None = None,
    ) -> None:
        if not (math.isfinite(fps) and fps > 0.0):
            raise InputError("player", f"fps is {fps}", "a rate above zero is needed", "use 24, 30 or 60")
        self.character = character
        self.graph = Graph.of(skin).played
        self.device = devices.check_device(device)
        self.fps = fps
        self._nodes = [
            StageNode(stage, character, self.device, None if beside is None else beside._named(stage.name).binding)
            for stage in self.graph.stages
        ]
        self._step = self.graph.step
        self._crease_angle = math.nan
        self._creases: Creases | None = None
        self._normals: NormalsOnDevice | None = None
        self._stretch: tuple[StretchOnDevice, MorphTargets] | None = None
        self._frames = devices.PinnedFrames(self.device)
        self._known_source: PoseSource | None = None
        self._stepped: Pose | None = None
        self.stage_seconds: dict[str, float] = {}
        """How long every stage took in the last frame [s], its simulation steps included."""
        self.reset()

    def reset(self, *, seen: bool = True) -> None:
        """Forget all history and let go of the skin; the next frame is the first one.

        Where that is not `seen`, because it fades in, soft skins may start sooner and settle on the way.
        """
        self.time: float | None = None
        self._start_is_seen = seen
        self._tick = 0
        self._pose: Pose | None = None
        self._step_pose: Pose | None = None
        self._bones: Pose | None = None
        self._shown: DevicePoints | None = None
        for node in self._nodes:
            node.forget()

    @overload
    def advance(self, pose: Pose, dt: float | None = None, *, on_device: Literal[False] = False) -> Float32Array: ...
    @overload
    def advance(self, pose: Pose, dt: float | None = None, *, on_device: bool) -> DevicePoints: ...
    def advance(self, pose: Pose, dt: float | None = None, *, on_device: bool = False) -> DevicePoints:
        """The skin (V, 3) [m] one frame on, `dt` [s] later (1 / fps if not given), now that the pose is `pose`.

        Between the last pose and this one, soft skins see joints turn evenly. `on_device` is as in `play`.
        """
        gap = 1.0 / self.fps if dt is None else dt
        if not (math.isfinite(gap) and gap >= 0.0):
            raise InputError("player", f"dt is {gap}", "time goes on by zero or more", "pass seconds since last frame")
        before, start = (pose, 0.0) if self._pose is None or self.time is None else (self._pose, self.time)
        now = start if self._pose is None else start + gap
        return self.play(_TwoPoses(self.character, before, pose, start, now), now, on_device=on_device)

    @overload
    def play(self, source: PoseSource, time: float, *, on_device: Literal[False] = False) -> Float32Array: ...
    @overload
    def play(self, source: PoseSource, time: float, *, on_device: bool) -> DevicePoints: ...
    def play(self, source: PoseSource, time: float, *, on_device: bool = False) -> DevicePoints:
        """The skin (V, 3) [m] at `time` [s] of a motion or another source of poses.

        It is an array of one's own on the host, or with `on_device` the player's own on its device: a Warp array of
        vec3f (V,), which PyTorch, JAX and CuPy take without a copy (`__cuda_array_interface__`, DLPack). The next frame
        overwrites that, and on a GPU the work may still be under way on Warp's stream; DLPack waits for it.
        """
        if not math.isfinite(time):
            raise InputError("player", f"time is {time}", "a finite time is needed", "pass seconds")
        if source is not self._known_source:
            self.character.skeleton.check_same(source.skeleton, "player")
            self._known_source = source
        self.stage_seconds = dict.fromkeys((node.stage.name for node in self._nodes), 0.0)
        self._stepped = None
        for node in self._nodes:
            node.touched = []
        if self._step is not None:
            self._simulate(source, time, self._step)
        pose, points = self._step_as_frame(time) or self._frame(source.sample(time), time)
        self.time, self._pose, self._shown = time, pose, points
        self._bones = self._simulated(pose, time)
        return points if on_device else self._fetch(points)

    def _fetch(self, points: DevicePoints) -> Float32Array:
        """Points as an array of one's own."""
        return devices.to_host(points).copy() if self.device == "cpu" else self._frames.fetch(points)

    @property
    def simulated_pose(self) -> Pose:
        """Where the bones were in the frame just made: as the motion has them, unless a skin moved them."""
        if self._bones is None:
            raise InputError("player", "the pose was asked for", "no frame was made yet", "call play or advance first")
        return self._bones

    @property
    def body_transforms(self) -> FloatArray:
        """Where the bodies (B, 4, 4) were in the frame just made that the last skin which meets any was made with."""
        for node in reversed(self._nodes):
            if node.bodies is not None and self.time is not None:
                return quaternions.transforms_between(*node.bodies, self._share(self.time))
        return np.zeros((0, 4, 4))

    def _share(self, time: float) -> float:
        """How far a frame at `time` [s] is from the last simulation step but one to the last, 0 to 1."""
        return 1.0 if self._step is None else min(max(1.0 - (self._tick - time / self._step), 0.0), 1.0)

    def _simulated(self, pose: Pose, time: float) -> Pose:
        """The pose that the last of the skins which move bones shows, between its last two steps."""
        for node in reversed(self._nodes):
            if node.bones is not None and self._step is not None:
                one, two = (Pose(bones, shapes=pose.shapes) for bones in node.bones)
                return between(self.character.skeleton, one, two, self._share(time))
        return pose

    def change(self, *, stage: str | None = None, **settings: Any) -> None:
        """Change settings of a skin from the next frame on, without binding again and without losing its history.

        What is shown does not jump: it goes over to what the new settings make of it in a quarter of a second, or
        slower where that is far. `stage` names the stage, where there are several; else it is the last one. Only
        settings that the skin calls live can be changed; others need another player. All that the mask of a blend is
        made of can be changed.
        """
        node = self._named(stage)
        name, work = node.stage.name, node.stage.work
        if isinstance(work, Mask):
            self._change_mask(node, work, settings)
            return
        paths = {key: path_of(type(work), key) for key in settings}
        strange = [key for key, path in paths.items() if path is None or not is_setting(type(work), path.split(".")[0])]
        changed = work if strange else dataclasses.replace(work, **settings)
        before, after = flattened(work), flattened(changed)
        others = {path for path in after if after[path] != before[path]}
        fixed = [*strange, *(path for path in after if path in others - work.live)]
        if fixed:
            can = f"while playing, {name} can change {', '.join(sorted(work.live)) or 'nothing'}"
            raise InputError("player", f"{', '.join(fixed)} was to change", can, "make another player")
        changed.check_for(self.character)
        chosen = dataclasses.replace(node.stage, work=changed)
        self.graph = Graph(tuple(chosen if one is node else one.stage for one in self._nodes))
        if isinstance(work, SoftSkin) and others <= work.pushes:
            node.stage = chosen
        else:
            self._change_gently({name: partial(setattr, node, "stage", chosen)})

    def _change_mask(self, node: StageNode, mask: Mask, settings: Mapping[str, Any]) -> None:
        known = [field.name for field in dataclasses.fields(mask)]
        strange = [name for name in settings if name not in known]
        if strange:
            there = f"a mask has {', '.join(known)}"
            raise InputError("player", f"{', '.join(strange)} was to change", there, "name one of those")
        chosen = dataclasses.replace(node.stage, work=dataclasses.replace(mask, **settings))
        assert isinstance(chosen.work, Mask)
        weights = chosen.work.weights(self.character).astype(np.float32)
        self.graph = Graph(tuple(chosen if one is node else one.stage for one in self._nodes))

        def exchange() -> None:
            node.stage = chosen
            node.reshape(weights)

        self._change_gently({node.stage.name: exchange})

    def _change_gently(self, changes: Mapping[str, Callable[[], None]]) -> None:
        """Change stages by name, so that nothing that is shown jumps."""
        pose = self._step_pose
        if self._step is None:
            pose = None if self._shown is None else self._pose
        results: dict[str, DevicePoints] = {}
        for node in self._nodes:
            name, inputs = node.stage.name, [results.get(name) for name in node.stage.inputs]
            if pose is None:
                changes.get(name, lambda: None)()
            elif name in changes:
                results[name] = node.change_gently(changes[name], pose, inputs, self._step)
            else:
                results[name] = node.output(pose, inputs, self._step)

    def reshape(self, character: Character) -> None:
        """Go on with a character of which only shapes, edits and painted maps differ, without losing any history.

        Shapes that are on are seen at once.
        """
        prepared = self._rebind(character)
        self.character, self._stretch = character, None
        for node in self._nodes:
            node.reshape(prepared[node.stage.name])

    def _rebind(self, character: Character) -> dict[str, Any]:
        """What all stages need for a character that differs in shapes and maps alone, by their names."""
        others = differing_arrays(self.character, character)
        if others:
            raise InputError(
                "player",
                f"it was to go on with a character of other {others[0]}",
                "only shapes, edits and painted maps may differ",
                "make another player",
            )
        return {node.stage.name: node.rebind(character) for node in self._nodes}

    def paint(self, name: str, values: ArrayLike) -> None:
        """Give a painted map, such as "jiggle" or "stiffness", the values (V,) from the next frame on.

        What is shown does not jump, as in `change`. All copies of a crowd are painted alike, with the values of one.
        """
        character = self.character
        one = character.member if isinstance(character, Crowd) else character
        painted = one.replace(maps={**one.maps, name: values})
        painted = Crowd.of(painted, character.count) if isinstance(character, Crowd) else painted
        prepared = self._rebind(painted)
        self.character = painted
        self._change_gently({node.stage.name: partial(node.reshape, prepared[node.stage.name]) for node in self._nodes})

    def maps(self) -> dict[str, MapInfo]:
        """The painted maps that its stages read, by name."""
        works = [node.stage.work for node in self._nodes if not isinstance(node.stage.work, Mask)]
        return {name: info for work in works for name, info in work.maps_on(self.character).items()}

    def map_values(self, name: str) -> FloatArray:
        """A map (V,) that its stages read: as it is painted, or what they take where it is not."""
        painted = self.character.maps.get(name)
        return self.usual_map(name) if painted is None else painted

    def usual_map(self, name: str) -> FloatArray:
        """What its stages take (V,) for a map where it is not painted."""
        for node in self._nodes:
            work = node.stage.work
            if isinstance(work, BoundSkin) and name in work.maps_on(self.character):
                return work.usual_map(node.binding, self.character, name)
        there = f"it reads {', '.join(self.maps())}" if self.maps() else "it reads none"
        raise InputError("player", f"map {name!r} was asked for", there, "choose a skin that reads it")

    def pull(self, pull: Pull, *, hand: str = "hand", stage: str | None = None) -> None:
        """Take hold of the skin from the next step on; the same `hand` lets go of what it held before.

        A hand that moves is a new pull of the same place with another `to`. Skins with flesh give way by themselves;
        any other is held by springs on top of its shape. `stage` names a stage, where there are several; else it is the
        last one.
        """
        pull.check_for(len(self.character.points))
        node = self._named(stage)
        node.take_hold({**node.pulls, hand: pull.sized(float(self.character.size.max()))})

    def let_go(self, hand: str = "hand", *, stage: str | None = None) -> None:
        """Open a hand; one that holds nothing changes nothing."""
        node = self._named(stage)
        node.take_hold({name: pull for name, pull in node.pulls.items() if name != hand})

    def place(self, name: str, body: RigidBody | None) -> None:
        """Put an obstacle in the way of the last stage from the next step on, or take the one of that name away (None).

        It starts where its `at` says, as fast as it is `free` to go. The skin has to be one that meets obstacles.
        """
        self._nodes[-1].place(name, body)

    def placed(self) -> dict[str, tuple[RigidBody, FloatArray]]:
        """What was put in the way, and where (4, 4) that is now, by name."""
        return self._nodes[-1].placed()

    def _named(self, stage: str | None) -> StageNode:
        """The node of a stage by name, the last one if there is no name."""
        name = self.graph.stages[-1].name if stage is None else stage
        for node in self._nodes:
            if node.stage.name == name:
                return node
        there = ", ".join(node.stage.name for node in self._nodes)
        raise InputError("player", f"stage {name!r} was named", f"there are {there}", "name one of those")

    def normals(self, *, crease: float = math.pi / 3.0) -> tuple[Float32Array, Creases]:
        """Unit normals (N, 3) of the frame just made, and which corner is drawn with which.

        `crease` [rad] is the angle between triangles at rest from which an edge stays sharp.
        """
        if self._shown is None:
            raise InputError("player", "normals were asked for", "no frame was made yet", "call play or advance first")
        if self._creases is None or self._crease_angle != crease:
            self._crease_angle, self._normals = crease, None
            self._creases = creases_of(self.character, angle=crease)
        if self._normals is None or self._normals.points is not self._shown:  # what is on top of a skin comes and goes
            self._normals = NormalsOnDevice(self._creases, self._shown, self.device)
        return self._normals(), self._creases

    def stretch(self) -> Float32Array:
        """How much the skin is stretched (V,) in the frame just made: the mean of l / l0 - 1 over a vertex's edges.

        Shapes (morph targets) that are on count as rest.
        """
        if self._shown is None or self._pose is None:
            raise InputError("player", "stretch was asked for", "no frame was made yet", "call play or advance first")
        if self._stretch is None or self._stretch[0].points is not self._shown:
            made = StretchOnDevice(self.character.triangles, self._shown, self.device)
            self._stretch = made, MorphTargets.from_character(self.character)
            made.set_rest(self.character.points)
        measure, morph_targets = self._stretch
        rest = morph_targets.update(self._pose.shapes)
        if rest is not None:
            measure.set_rest(rest)
        return measure()

    def forces(self, *, stage: str | None = None) -> Float32Array:
        """The force on every vertex (V, 3) in the last frame: what holds flesh together, contacts and hands.

        In newtons where the skin knows masses, else in units of its stiffness. Skins that only follow the bones have
        none.
        """
        return self._reading("forces", stage)

    def contact_pressure(self, *, stage: str | None = None) -> Float32Array:
        """How hard every vertex (V,) was pressed in the last step [Pa], by skins that meet anything."""
        return self._reading("contact_pressure", stage)

    def contact_events(self) -> tuple[ContactEvent, ...]:
        """What the skin touched in the last frame: place, impulse and time of every pair; see `ContactEvent`.

        `began` compares with nothing here: it is true of all. A bake knows (`cache.events`).
        """
        for node in self._touching():
            work = node.stage.work
            if isinstance(work, SoftSkin) and node.state is not None:
                names = work.body_names(node.binding, node.state)
                return name_events([self.contact_records()], self.character.skeleton.names, names)
        return ()

    def contact_records(self) -> Records:
        """The same as numbers, as a bake keeps them."""
        return merge_records([one for node in self._touching() for one in node.touched])

    def felt_pressure(self) -> Float32Array | None:
        """How hard every vertex (V,) was pressed in the last step [Pa]; None where no skin says what it touches."""
        return next((self._reading("contact_pressure", node.stage.name) for node in self._touching()), None)

    def _touching(self) -> list[StageNode]:
        """The node of the last skin that says what it touches, if there is one."""
        said = [one for one in self._nodes if isinstance(one.stage.work, SoftSkin) and one.stage.work.records_contacts]
        return said[-1:]

    def _reading(self, what: str, stage: str | None) -> Float32Array:
        node, said = self._named(stage), what.replace("_", " ")
        if self._shown is None:
            raise InputError("player", f"{said} was asked for", "no frame was made yet", "call play or advance first")
        found = node.reading(what)
        if found is None:
            given, advice = f"{said} of {node.stage.name} was asked for", "name a stage of another skin"
            raise InputError("player", given, "it knows none", advice)
        return np.array(devices.to_host(found))

    def snapshot(self) -> Arrays:
        """All that it remembers, as plain arrays; `restore` gives it back to a player of the same kind."""
        if self.time is None or self._pose is None:
            return {}
        kept: Arrays = {
            "time": np.array(self.time),
            "tick": np.array(self._tick),
            "pose": np.array(self._pose.world_from_joint),
        }
        if self._step_pose is not None:
            kept["step pose"] = np.array(self._step_pose.world_from_joint)
        for number, node in enumerate(self._nodes):
            kept.update(node.snapshot(f"stage{number}"))
        return kept

    def restore(self, kept: Arrays) -> None:
        """Remember again what `snapshot` kept; the next frame is the one that would have followed."""
        if not kept:
            self.reset()
            return
        self._pose, self._bones, self._shown = Pose(kept["pose"]), None, None
        self._step_pose = Pose(kept["step pose"]) if "step pose" in kept else None
        for number, node in enumerate(self._nodes):
            node.restore(f"stage{number}", kept)
        self.time, self._tick = float(kept["time"]), int(kept["tick"])

    def begin(self, pose: Pose, time: float) -> None:
        """Start anew at a time [s], at rest in a pose."""
        self.reset()
        self.play(_TwoPoses(self.character, pose, pose, time, time), time)
        self._known_source = None

    def succeed(self, other: Player, *, begun: bool = False) -> None:
        """Go on from where another player of the same character is, shown at first as it is shown there.

        With `begun` it is a little before there already, and only goes on to it. What the other one shows is not gone
        over from where it is no place at all, as when its skin has failed.
        """
        time, pose, shown = other.time, other._pose, other._shown
        if time is None or pose is None or shown is None:
            return
        if begun and self.time is not None and self.time <= time:
            self.advance(pose, time - self.time)
        else:
            self.begin(pose, time)
        assert self._shown is not None
        if np.isfinite(devices.to_host(shown)).all():
            self._nodes[-1].continue_from(shown, self._shown)

    def take_in(self, copy: int, source: PoseSource, alone: Player, *, seen: bool = True) -> None:
        """Let one copy of a crowd start anew, where `source` has it, with flesh that goes along with its body.

        It is started by `alone`, a player of the member itself, one step before the last one made here; `seen` is as in
        `reset`.
        """
        if self.time is None or self._step is None or not isinstance(self.character, Crowd):
            return
        alone.reset(seen=seen)
        for tick in (self._tick - 1, self._tick):
            alone.play(source, tick * self._step)
        for mine, other in zip(self._nodes, alone._nodes, strict=True):
            mine.take_in(copy, self.character.count, other)

    def copy(self) -> Player:
        """Another player that goes on from here by itself: a branch of the simulation. Bindings are shared."""
        twin = Player(self.character, self.graph, device=self.device, fps=self.fps, beside=self)
        twin.restore(self.snapshot())
        for mine, other in zip(self._nodes, twin._nodes, strict=True):
            other.take_after(mine)
        return twin

    def _simulate(self, source: PoseSource, time: float, step: float) -> None:
        """Run soft skins up to the first step that is not before `time`."""
        if self.time is None:
            self._tick = math.floor(time / step + _SAME_TIME)
            self._run(source.sample(self._tick * step), None)
        elif time < self.time - _SAME_TIME * step:
            raise InputError(
                "player",
                f"time goes back from {self.time:g} s to {time:g} s",
                "soft skins are played in order",
                "call reset() and play from the start",
            )
        works = [node.stage.work for node in self._nodes]
        if time - self._tick * step > _PAUSE and all(work.coasts for work in works if isinstance(work, SoftSkin)):
            before, self._tick = self._tick, math.floor((time - _AFTER_PAUSE) / step)
            self._run(source.sample(self._tick * step), (self._tick - before) * step)
        while self._tick * step < time - _SAME_TIME * step:
            self._tick += 1
            self._run(source.sample(self._tick * step), step)

    def _run(self, pose: Pose, step: float | None) -> None:
        """One simulation step of the whole graph; `step` None starts it."""
        results: dict[str, DevicePoints] = {}
        for node in self._nodes:
            with self._timed(node):
                inputs = [results[name] for name in node.stage.inputs]
                results[node.stage.name] = node.simulate(pose, inputs, step, seen=self._start_is_seen)
            if node.touched and step is not None:
                node.touched[-1]["time"] = self._tick * step
        self._stepped = self._step_pose = pose

    @contextlib.contextmanager
    def _timed(self, node: StageNode) -> Iterator[None]:
        """Add the time of a block to its stage; on a GPU that is the time to hand the work over."""
        start = perf_counter()
        yield
        name = node.stage.name
        self.stage_seconds[name] = self.stage_seconds.get(name, 0.0) + perf_counter() - start

    def _step_as_frame(self, time: float) -> tuple[Pose, DevicePoints] | None:
        """The step just made, where the frame falls on it and ends in a soft skin: nothing else has to run again."""
        last = self._nodes[-1]
        if self._stepped is None or self._step is None or not isinstance(last.stage.work, SoftSkin):
            return None
        if abs(self._tick * self._step - time) > _SAME_TIME * self._step:  # i / 24 is not always i * (1 / 24)
            return None
        with self._timed(last):
            return self._stepped, last.show(self._stepped, [], 1.0, 0.0)

    def _frame(self, pose: Pose, time: float) -> tuple[Pose, DevicePoints]:
        """The graph at the time shown: soft stages between their last two steps, all others in the pose itself."""
        alpha = 1.0 if self._step is None else 1.0 - (self._tick - time / self._step)
        gone = 0.0 if self._step is not None or self.time is None else max(time - self.time, 0.0)
        results: dict[str, DevicePoints] = {}
        for node in self._nodes:
            inputs = [results[name] for name in node.stage.inputs]
            with self._timed(node):
                results[node.stage.name] = node.show(pose, inputs, min(max(alpha, 0.0), 1.0), gone)
        return pose, results[self._nodes[-1].stage.name]


@dataclass(frozen=True)
class _TwoPoses:
    """A source that knows two poses and what lies between them."""

    character: Character
    before: Pose
    after: Pose
    start: float
    end: float

    @property
    def skeleton(self) -> Skeleton:
        return self.character.skeleton

    def sample(self, time: float) -> Pose:
        if time >= self.end or self.start == self.end:
            return self.after
        return between(self.skeleton, self.before, self.after, (time - self.start) / (self.end - self.start))


def player(character: Character, skin: AnySkin | Graph, *, device: str = "cpu", fps: float = 60.0) -> Player:
    """A player for one character and a skin or graph of skins: `player.advance(pose) -> points`, `player.reset()`."""
    return Player(character, skin, device=device, fps=fps)
