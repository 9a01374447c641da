"""Skins that are touched while they play: how long every touch takes, and how closely flesh follows the hand.

Figures are for the hero with 10 000 vertices walking; those of strokes and rays for 100 000 as well (`live_edits`). The
first row is linear blend on 100 000 vertices, by which figures of one machine are scaled to those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

import supple
from supple import device as devices
from supple.arrays import FloatArray
from supple.bench import live_edits
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.character.character import Character
from supple.errors import InputError
from supple.graph.player import Player
from supple.graph.scrubber import Scrubber
from supple.graph.transport import Transport
from supple.motion.motion import Motion
from supple.skins.base import AnySkin
from supple.skins.pull import Pull
from supple.skins.registry import SKINS

ROOM = "live"
VERTICES = 10_000
MANY = 100_000
SECONDS = 10.0  # of the motion that is scrubbed
FPS = 60.0
OFFSET = (0.0, 0.03, 0.1)  # m: from where the belly would be to where the hand is
_LIVE = {
    "delta-mush": {"strength": 0.4},
    "incremental": {"squash": 0.5},
    "springs": {"stiffness.bend": 2.0},
    "spring-dynamics": {"damping": 0.5},
    "position-based": {"gravity": 5.0},
    "lattice": {"gravity": 5.0},
    "contact": {"gravity": 5.0},
    "curve-dynamics": {"damping": 0.4},
}
_LANDED = 15  # frames: a quarter of a second after which a hand's place has to be there


@dataclass(frozen=True, eq=False)
class Actor:
    """A character that walks, and the place of it that is taken hold of."""

    character: Character
    motion: Motion

    @cached_property
    def belly(self) -> int:
        """The vertex in front, at six tenths of the height."""
        points, height = self.character.points, self.character.height
        low = points[:, 1].min()
        level = np.abs(points[:, 1] - low - 0.6 * height) < 0.05 * height
        return int(np.flatnonzero(level)[np.argmax(points[level, 2])])

    @cached_property
    def speed(self) -> float:
        """How fast the root goes [m/s], in the mean of a second."""
        start, end = (self.motion.sample(time).world_from_joint[0, :3, 3] for time in (0.0, 1.0))
        return float(np.linalg.norm(end - start))


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Every row of what a studio, a game or live capture asks for."""
    devices.check_device(device)
    progress("linear blend, by which all is scaled")
    yield scale(ROOM, device)
    hero = supple.character("hero", vertices=VERTICES)
    actor = Actor(hero, supple.motion("walk", hero))
    for name, kind in SKINS.items():
        progress(name)
        yield from skin_rows(name, kind(), actor, device)
    if device == "cpu":
        yield from live_edits.rows(progress, many=MANY)


def scale(room: str, device: str) -> Row:
    """Linear blend on 100 000 vertices, by which figures of one machine are scaled to those of another."""
    hero = supple.character("hero", vertices=MANY)
    player, motion = supple.player(hero, supple.LinearBlend(), device=device), supple.motion("walk", hero)
    poses = [motion.sample(frame / FPS) for frame in range(60)]
    return Row.of(room, f"hero-{MANY}", "linear blend: frame", timing=timed(_turns(poses, player.advance)))


def skin_rows(name: str, skin: AnySkin, actor: Actor, device: str) -> Iterator[Row]:
    """How long touches of one skin take, and how closely its flesh follows a hand."""
    player = supple.player(actor.character, skin, device=device)
    clock = _Clock(player, actor)
    clock.run(30)
    scene = f"hero-{len(actor.character.points)}"

    def row(what: str, call: Callable[[], object], *, note: str = "", repeats: int = 20) -> Row:
        timing = timed(call, repeats=repeats, warm_up=2, most_seconds=3.0)
        return Row.of(ROOM, scene, f"{name}: {what}", timing=timing, note=note)

    yield row("frame", clock.step)
    values = _LIVE.get(name)
    if values is not None:
        (setting, other), usual = next(iter(values.items())), _value(skin, next(iter(values)))
        yield row("change a setting", _turns([other, usual], lambda one: player.change(**{setting: one})))
    maps = [np.full(len(actor.character.points), value) for value in (0.5, 0.6)]
    yield row("paint a map", _turns(maps, lambda one: player.paint("jiggle", one)))
    shaped = [_bumped(actor, height) for height in (0.01, 0.02)]
    yield row("reshape", _turns(shaped, player.reshape))
    kept = player.snapshot()
    yield row("restore", lambda: player.restore(kept))
    clock.run(2)
    yield row("stretch by vertex", player.stretch)
    for what in ("forces", "contact_pressure"):
        try:
            getattr(player, what)()
        except InputError:
            continue
        yield row(f"{what.replace('_', ' ')} by vertex", getattr(player, what))
    yield from _hand_rows(skin, actor, row)
    if player.graph.step is not None:
        yield _scrub_row(name, skin, actor, scene)


def _hand_rows(skin: AnySkin, actor: Actor, row: Callable[..., Row]) -> Iterator[Row]:
    """Take hold, walk along, stand still: what a hand costs, and how far the held place is from it."""
    free, held = supple.player(actor.character, skin), supple.player(actor.character, skin)
    behind = 0.0
    place: FloatArray = np.zeros(3)
    for frame in range(90):
        pose = actor.motion.sample(frame / FPS)
        place = free.advance(pose)[actor.belly] + OFFSET
        if frame >= 20:
            held.pull(Pull(actor.belly, to=place))
        points = held.advance(pose)
        if frame >= 20 + _LANDED:
            behind = max(behind, float(np.linalg.norm(points[actor.belly] - place)))
    note = f"{1e3 * behind:.2f} mm behind a hand that walks along at {actor.speed:.2f} m/s"
    yield row("move a hand and step", _turns([0.0, 0.001], lambda by: _move(held, actor, place, by)), note=note)
    transport = Transport(supple.player(actor.character, skin), actor.motion)
    transport.advance(0.3)
    transport.pause()
    for _ in range(60):
        points = transport.advance(1.0 / FPS)
    place = points[actor.belly] + np.array(OFFSET)
    transport.player.pull(Pull(actor.belly, to=place))
    for _ in range(_LANDED):
        points = transport.advance(1.0 / FPS)
    left = float(np.linalg.norm(points[actor.belly] - place))
    note = f"{1e3 * left:.3f} mm from the hand a quarter of a second after it took hold, paused"
    hand = [Pull(actor.belly, to=place), Pull(actor.belly + 1, to=place)]
    yield row("take hold", _turns(hand, lambda pull: transport.player.pull(pull)), note=note)


def _scrub_row(name: str, skin: AnySkin, actor: Actor, scene: str) -> Row:
    """Times in any order over ten seconds, once they have been prepared."""
    motion = actor.motion
    scrubber = Scrubber(supple.player(actor.character, skin), motion)
    scrubber.fill(SECONDS, seconds=600.0)
    taken = []
    for time in np.random.default_rng(5).uniform(0.0, SECONDS, 60):
        taken.append(once(partial(scrubber.play, float(time))).seconds)
    low, middle, high = np.percentile(taken, [25.0, 50.0, 75.0])
    timing, note = Timing(float(middle), float(low), float(high)), f"{1e3 * max(taken):.1f} ms at worst"
    return Row.of(ROOM, scene, f"{name}: scrub to any time of {SECONDS:g} s", timing=timing, note=note)


class _Clock:
    """Goes on frame by frame."""

    def __init__(self, player: Player, actor: Actor) -> None:
        self._player, self._actor, self._frame = player, actor, 0

    def step(self) -> None:
        self._frame += 1
        self._player.advance(self._actor.motion.sample(self._frame / FPS))

    def run(self, frames: int) -> None:
        for _ in range(frames):
            self.step()


def _move(player: Player, actor: Actor, place: FloatArray, by: float) -> None:
    player.pull(Pull(actor.belly, to=place + by))
    player.advance(actor.motion.sample(89.0 / FPS))


def _turns(values: Sequence[Any], call: Callable[[Any], object]) -> Callable[[], object]:
    """A call with one value after another."""
    turn = 0

    def once() -> object:
        nonlocal turn
        turn += 1
        return call(values[turn % len(values)])

    return once


def _value(skin: AnySkin, name: str) -> object:
    from supple.settings import path_of, value_of

    return value_of(skin, path_of(type(skin), name) or name)


def _bumped(actor: Actor, height: float) -> Character:
    """The character with a bump on its belly among its shapes."""
    character = actor.character
    away = np.linalg.norm(character.points - character.points[actor.belly], axis=1)
    bump = height * np.exp(-((away / 0.1) ** 2))[:, None] * np.array([0.0, 0.0, 1.0])
    return character.replace(shapes={**character.shapes, "bump": bump})
