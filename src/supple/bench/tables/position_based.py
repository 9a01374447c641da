"""The tables of the publication [AbuRumman2016]: 4.1 and 4.2 (projections, volume), 5.1 and 5.2 (contacts).

Each row runs the published method alone. Built-in characters stand in for models that cannot be had; where the
environment variable `SUPPLE_CHARACTERS` names a folder with a real person, bunny and horse, these are used as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import supple
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.bench.position_based_scenes import Scene, actors
from supple.bench.rows import Row
from supple.bench.timing import Timing
from supple.character.character import Character
from supple.motion.motion import Motion
from supple.obstacles import Box
from supple.skins.position_based.published.projection import Stiffness
from supple.skins.position_based.published.skin import PlaneContacts, Projection, PublishedPositionBased

ROOM = "position-based"
SECONDS = 1.0  # of a motion that is simulated, as published
CHARACTERS = "SUPPLE_CHARACTERS"


@dataclass(frozen=True)
class Model:
    """A row of Table 4.1 or 4.2: how stiff edges are, how many rounds, the published time [s] and loss of volume."""

    scene: Scene
    stretch: float
    iterations: int
    frame: float
    loss: float | None = None


@dataclass(frozen=True)
class Meeting:
    """A row of Table 5.1 or 5.2: rounds, and published times [s] of a frame without contacts, of finding, of parting.

    `full` [s] is finding with everything entered in every step.
    """

    scene: Scene
    iterations: int
    frame: float
    found: float
    full: float | None = None
    parted: float | None = None
    box: bool = False


def _scene(name: str, stand_in: str, motion: str, vertices: int, tetrahedra: int, bones: int) -> Scene:
    return Scene(name, stand_in, motion, vertices, tetrahedra, bones, 0.0)


_MAN = ("hero", "walk", 9528)
TABLE_4_1 = (
    Model(_scene("Man", *_MAN, 4998, 25), 0.9, 24, 11.05e-3),
    Model(_scene("ManHQ", *_MAN, 10516, 25), 0.9, 24, 14.064e-3),
    Model(_scene("bunny", "hero", "walk", 8111, 7827, 29), 0.6, 24, 13.02e-3),
    Model(_scene("bunnyHQ", "hero", "walk", 8111, 14022, 29), 0.6, 24, 15.196e-3),
    Model(_scene("Lady", *_MAN, 6032, 25), 0.7, 24, 12.579e-3),
)
TABLE_4_2 = (
    Model(_scene("HUMAN", *_MAN, 4998, 25), 0.9, 12, 6.807e-3, 0.09),
    Model(_scene("HUMANHQ", *_MAN, 10516, 25), 0.9, 12, 10.17e-3, 0.12),
    Model(_scene("BIGBUNNY", "hero", "walk", 8111, 7827, 29), 0.6, 12, 7.98e-3, 0.27),
    Model(_scene("BIGBUNNYHQ", "hero", "walk", 8111, 14022, 29), 0.6, 12, 13.92e-3, 0.39),
    Model(_scene("OCTOPUS", "octopus", "swim", 4000, 4339, 63), 0.6, 12, 6.867e-3, 0.45),
    Model(_scene("HORSE", "quadruped", "walk", 3833, 6126, 43), 0.8, 12, 7.69e-3, 0.17),
    Model(_scene("TORSO", "hero", "walk", 4345, 4280, 25), 0.6, 12, 6.709e-3, 0.15),
)
_ARM, _LEG = ("arm", "bend", 4211, 4400, 3), ("leg", "bend", 3990, 4339, 3)
TABLE_5_1 = (
    Meeting(_scene("HUMAN", *_MAN, 4998, 25), 12, 6.807e-3, 3.93e-3, 5.593e-3),
    Meeting(_scene("ARM", *_ARM), 8, 4.112e-3, 1.702e-3, 2.53e-3),
    Meeting(_scene("ARM+RIGID", *_ARM), 8, 3.792e-3, 2.52e-3, 3.10e-3, box=True),
    Meeting(_scene("LEG", *_LEG), 8, 4.108e-3, 1.7e-3, 2.47e-3),
    Meeting(_scene("HORSE", "quadruped", "walk", 3833, 6126, 43), 12, 7.69e-3, 2.1e-3, 3.35e-3),
)
TABLE_5_2 = (
    Meeting(_scene("ARM", *_ARM), 22, 6.01e-3, 3.501e-3, parted=4.9e-3),
    Meeting(_scene("LEG", *_LEG), 22, 6.09e-3, 3.69e-3, parted=4.53e-3),
)
_PERSON = ("human_cmu_8clips.glb", "human_cmu_8clips.glb", "02_01_walk")
_BUNNY = ("human-bunny.glb", "human-m2m-12clips.glb", "Dance Charleston")
REAL = {
    **dict.fromkeys(("Man", "ManHQ", "HUMAN", "HUMANHQ"), _PERSON),
    **dict.fromkeys(("bunny", "bunnyHQ", "BIGBUNNY", "BIGBUNNYHQ"), _BUNNY),
    "HORSE": ("horse-animations.glb", "horse-animations.glb", "Walk"),
}
"""Files of real characters by the model that they are, a file with motions, and one of those."""

Actors = tuple[str, Character, Motion]


def rows(progress: Callable[[str], None]) -> Iterator[Row]:
    """All four tables."""
    for table, models in (("4.1", TABLE_4_1), ("4.2", TABLE_4_2)):
        for model in models:
            for actor in _all_actors(model.scene):
                progress(f"table {table}: {actor[0]}")
                yield _skinning(table, model, actor)
    for table, meetings in (("5.1", TABLE_5_1), ("5.2", TABLE_5_2)):
        for meeting in meetings:
            for actor in _all_actors(meeting.scene):
                progress(f"table {table}: {actor[0]}")
                yield _meeting(table, meeting, actor)


def _all_actors(scene: Scene) -> Iterator[Actors]:
    yield scene.name, *actors(scene)
    folder = os.environ.get(CHARACTERS)
    if folder and scene.name in REAL:
        name, moves, clip = REAL[scene.name]
        character, mover = (supple.load(Path(folder) / file) for file in (name, moves))
        motion = mover.motions[clip]
        motion = motion if name == moves else motion.retarget(character.skeleton)
        yield f"{scene.name} ({Path(name).stem})", character, motion


class _Stopwatch:
    """Seconds spent in some calls."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, call: Callable[..., object]) -> Callable[..., object]:
        def measured(*given: Any) -> object:
            start = time.perf_counter()
            answer = call(*given)
            self.seconds += time.perf_counter() - start
            return answer

        return measured


def _play(player: supple.Player, motion: Motion) -> Iterator[tuple[float, Float32Array]]:
    """The seconds and the skin of every step of one second, after a first frame."""
    player.play(motion, 0.0)
    for frame in range(1, round(SECONDS / 0.01) + 1):
        start = time.perf_counter()
        points = player.play(motion, 0.01 * frame)
        yield time.perf_counter() - start, points


def _skinning(table: str, model: Model, actor: Actors) -> Row:
    """A frame without contacts, its three kinds of constraints, and the volume of the skin."""
    name, character, motion = actor
    skin = PublishedPositionBased(
        tetrahedra=model.scene.tetrahedra,
        iterations=model.iterations,
        solve=Projection(stretch=model.stretch),
        collision=PlaneContacts(contact="off"),
    )
    player = supple.player(character, skin)
    taken, volumes, inside = [], [], []
    for seconds, points in _play(player, motion):
        taken.append(seconds)
        volumes.append(_volume(points, character.triangles))
        inside.append(_elements(player))
    change = np.array(volumes) / _volume(character.points, character.triangles) - 1.0
    linear = supple.player(character, supple.LinearBlend())
    plain = [_volume(linear.play(motion, 0.01 * frame), character.triangles) for frame in range(1, len(taken) + 1)]
    lost = 100.0 * (np.array(plain) / _volume(character.points, character.triangles) - 1.0)
    body = _state(player).binding.body.constraints
    parts = ", ".join(f"{what} {1e3 * each:.2f} ms" for what, each in _parts(player, skin).items())
    told = "" if model.loss is None else f" (published {model.loss:.2f} %)"
    note = (
        f"{len(body.corners)} tetrahedra, {len(body.ends)} edges, {len(body.points)} particles; {parts}; "
        f"volume {100.0 * change.mean():+.2f} % on the mean, {100.0 * change[np.abs(change).argmax()]:+.2f} % at worst"
        f"{told}, all elements together {100.0 * np.mean(inside):+.2f} %, "
        f"linear blend {lost.mean():+.2f} and {lost[np.abs(lost).argmax()]:+.2f} %"
    )
    timing = _median(taken)
    return Row.of(ROOM, name, f"table {table}: frame", timing=timing, published_seconds=model.frame, note=note)


def _parts(player: supple.Player, skin: PublishedPositionBased) -> dict[str, float]:
    """Seconds of all rounds over volumes alone, edges alone and bonds alone."""
    sweeps, found = _state(player).sweeps, {}
    for name, stiffness in {
        "volumes": Stiffness(skin.solve.volume, 0.0, 0.0),
        "edges": Stiffness(0.0, 0.0, skin.solve.stretch),
        "bonds": Stiffness(0.0, skin.solve.bone_stiffness, 0.0),
    }.items():
        sweeps.set_stiffness(stiffness)
        taken = []
        for _ in range(10):
            start = time.perf_counter()
            for _ in range(skin.iterations):
                sweeps.sweep()
            taken.append(time.perf_counter() - start)
        found[name] = float(np.median(taken))
    return found


def _meeting(table: str, meeting: Meeting, actor: Actors) -> Row:
    """Finding contacts on demand, in every round, beside entering everything; and parting them."""
    name, character, motion = actor
    size = float(np.ptp(character.points, axis=0).max())
    place = character.points.mean(axis=0) + np.array([0.0, 0.1 * size, 0.0])
    bodies = (Box(sides=np.full(3, 0.1 * size), at=place),) if meeting.box else ()
    found: dict[str, float] = {}
    frames: list[float] = []
    parted = 0.0
    for contact in ("full", "on-demand"):
        skin = PublishedPositionBased(
            tetrahedra=meeting.scene.tetrahedra,
            iterations=meeting.iterations,
            collision=PlaneContacts(contact=contact),
            bodies=bodies,
        )
        player = supple.player(character, skin)
        player.play(motion, 0.0)
        state, finding, parting = _state(player), _Stopwatch(), _Stopwatch()
        state.detect_contacts = finding.around(state.detect_contacts)
        state.project_contacts = parting.around(state.project_contacts)
        frames = [seconds for seconds, _ in _play(player, motion)]
        found[contact], parted = finding.seconds / len(frames), parting.seconds / len(frames)
    told = "" if meeting.parted is None else f" (published {1e3 * meeting.parted:.2f} ms)"
    note = (
        f"in all {meeting.iterations} rounds of a frame of {1e3 * float(np.mean(frames)):.2f} ms "
        f"(published {1e3 * (meeting.frame + meeting.found + (meeting.parted or 0.0)):.2f} ms), "
        f"of which parting {1e3 * parted:.2f} ms{told}"
        + ("" if meeting.full is None else f"; full hash published {1e3 * meeting.full:.2f} ms")
    )
    return Row.of(
        ROOM,
        name,
        f"table {table}: contacts found on demand",
        timing=Timing(found["on-demand"], found["on-demand"], found["on-demand"]),
        peer="full hash",
        peer_seconds=found["full"],
        published_seconds=meeting.found,
        note=note,
    )


def _state(player: supple.Player) -> Any:
    return player._nodes[-1].state


def _elements(player: supple.Player) -> float:
    """By how much of their volume at rest the elements of a body have changed, all together."""
    state = _state(player)
    body = state.binding.body.constraints
    a, b, c, d = np.moveaxis(state.memory.positions.numpy().astype(np.float64)[body.corners], 1, 0)
    return float(np.einsum("ti,ti->", np.cross(b - a, c - a), d - a) / 6.0 / body.rest_volumes.sum()) - 1.0


def _volume(points: FloatArray | Float32Array, triangles: IntArray) -> float:
    """What a skin encloses [m³], holes covered by fans from the origin."""
    a, b, c = np.moveaxis(np.asarray(points, dtype=np.float64)[triangles], 1, 0)
    return float(np.einsum("ti,ti->", a, np.cross(b, c))) / 6.0


def _median(taken: list[float]) -> Timing:
    low, middle, high = np.percentile(taken, [25.0, 50.0, 75.0])
    return Timing(float(middle), float(low), float(high))
