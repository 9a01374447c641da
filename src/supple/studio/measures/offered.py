"""Which measures can be shown as colours, and their values on a skin that plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import Float32Array, FloatArray
from supple.errors import InputError
from supple.graph.player import Player
from supple.measure.speed import vertex_speed
from supple.skins.base import BoundSkin
from supple.skins.painted_map import MapInfo

MAP, WEIGHT, SHAPE = "map:", "weight:", "shape:"
_SHAPES = 16  # that are listed
_PERCENT, _MILLIMETRES = 100.0, 1000.0


@dataclass(frozen=True)
class Measure:
    """A number for every vertex. `signed` ones lie on both sides of zero; `whole` is a range that is known before."""

    name: str
    label: str
    unit: str = ""
    signed: bool = False
    whole: tuple[float, float] | None = None


@dataclass(frozen=True)
class Moment:
    """What every view shows: players, points (V, 3) [m], and those of the frame before, `dt` [s] ago, if any."""

    players: Sequence[Player]
    points: Sequence[Float32Array]
    before: Sequence[Float32Array] | None
    dt: float


def offered(players: Sequence[Player]) -> list[Measure]:
    """Those that at least one of the players has. Weights of joints are not listed, there is one for every joint."""
    found = [Measure("stretch", "Stretch", "%", signed=True), Measure("speed", "Speed", "m/s")]
    if len(players) > 1:
        found.append(Measure("difference", "Difference to the first view", "mm"))
    if any(stage_with("forces", player) for player in players):
        found.append(Measure("force", "Force"))
    if any(stage_with("contact_pressure", player) for player in players):
        found.append(Measure("pressure", "Contact pressure", "Pa"))
    shapes = list(players[0].character.shapes)[:_SHAPES]
    found += [Measure(f"{SHAPE}{name}", f"What {name} moves", "mm") for name in shapes]
    read = {name: info for player in players for name, info in player.maps().items() if info.smooth}
    names = dict.fromkeys([*players[0].character.maps, *read])
    return [*found, *(_map_measure(name, read.get(name)) for name in names)]


def _map_measure(name: str, info: MapInfo | None) -> Measure:
    """A painted map; in the range that it has by the skin that reads it."""
    if info is None:
        return Measure(f"{MAP}{name}", f"Map {name}")
    return Measure(f"{MAP}{name}", f"Map {name}", info.unit, whole=(info.low, info.high))


def measure_named(name: str, players: Sequence[Player]) -> Measure:
    """The measure of that name; one that no player has is refused."""
    known = offered(players)
    found = next((measure for measure in known if measure.name == name), None)
    if found is None and name.startswith(WEIGHT):
        character, joint = players[0].character, name.removeprefix(WEIGHT)
        character.require_weights("studio")
        character.skeleton.index(joint)
        return Measure(name, f"Weight of {joint}", whole=(0.0, 1.0))
    if found is None:
        there = f"there are {', '.join(measure.name for measure in known)}, and {WEIGHT} with a joint"
        raise InputError("studio", f"measure {name!r} was to be shown", there, "choose one of those")
    return found


def values_of(measure: Measure, moment: Moment) -> list[FloatArray | Float32Array | None]:
    """The values (V,) of every view; None where it has none."""
    if measure.name.startswith(MAP):
        return [_map(player, measure.name.removeprefix(MAP)) for player in moment.players]
    if measure.name.startswith(SHAPE):
        return [_shape(player, measure.name.removeprefix(SHAPE)) for player in moment.players]
    if measure.name.startswith(WEIGHT):
        return [_weight(player, measure.name.removeprefix(WEIGHT)) for player in moment.players]
    return [_READ[measure.name](moment, view) for view in range(len(moment.players))]


def _map(player: Player, name: str) -> FloatArray | None:
    """A map as it is painted, or what the skin takes where it is not."""
    painted = player.character.maps.get(name)
    return player.usual_map(name) if painted is None and name in player.maps() else painted


def _shape(player: Player, name: str) -> FloatArray | None:
    """How far a shape moves every vertex at rest; None where there is no such shape any more."""
    offsets = player.character.shapes.get(name)
    return None if offsets is None else _MILLIMETRES * np.linalg.norm(offsets, axis=1)


def _stretch(moment: Moment, view: int) -> Float32Array:
    return np.float32(_PERCENT) * moment.players[view].stretch()


def vertex_speeds(moment: Moment, view: int) -> Float32Array | None:
    """The speed [m/s] of every vertex (V,) of a view; None before there are two frames of it."""
    points, before = moment.points[view], moment.before
    if before is None or view >= len(before) or before[view].shape != points.shape or moment.dt <= 0.0:
        return None
    return vertex_speed(points, before[view], moment.dt)


def _difference(moment: Moment, view: int) -> Float32Array | None:
    if view == 0:
        return None
    away: Float32Array = np.linalg.norm(moment.points[view] - moment.points[0], axis=1)
    return np.float32(_MILLIMETRES) * away


def _force(moment: Moment, view: int) -> Float32Array | None:
    stage = stage_with("forces", moment.players[view])
    if stage is None:
        return None
    size: Float32Array = np.linalg.norm(moment.players[view].forces(stage=stage), axis=1)
    return size


def _pressure(moment: Moment, view: int) -> Float32Array | None:
    stage = stage_with("contact_pressure", moment.players[view])
    return None if stage is None else moment.players[view].contact_pressure(stage=stage)


_READ: dict[str, Callable[[Moment, int], Float32Array | None]] = {
    "stretch": _stretch,
    "speed": vertex_speeds,
    "difference": _difference,
    "force": _force,
    "pressure": _pressure,
}


def _weight(player: Player, joint: str) -> FloatArray:
    weights = player.character.require_weights("studio")
    return np.sum(weights.values * (weights.joints == player.character.skeleton.index(joint)), axis=1)


def stage_with(reading: str, player: Player) -> str | None:
    """The last stage whose skin knows forces or pressure."""
    for stage in reversed(player.graph.stages):
        known = getattr(type(stage.work), reading, None)
        if known is not None and known is not getattr(BoundSkin, reading):
            return stage.name
    return None
