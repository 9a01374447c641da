"""The world a character moves in, in a small file: JSON that people can read and write, refused by name where wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from supple.arrays import FloatArray, frozen
from supple.errors import InputError
from supple.files import atomic
from supple.geometry import quaternions
from supple.obstacles.dynamic_bodies import GRAVITY
from supple.obstacles.paths import Keys, Straight
from supple.obstacles.shapes import Box, Capsule, Free, MovingMesh, Plane, RigidBody, Sphere
from supple.records import RecordReader, short

FORMAT, VERSION = "supple-scene", 1
LARGEST = 64 * 2**20  # bytes
MOST = 10_000  # obstacles
SHAPES: Mapping[str, type[RigidBody]] = {
    "sphere": Sphere,
    "capsule": Capsule,
    "box": Box,
    "plane": Plane,
    "mesh": MovingMesh,
}
_NUMBERS = {"sphere": ("radius",), "capsule": ("radius", "length"), "box": (), "plane": (), "mesh": ()}
_ROWS = {"sphere": (), "capsule": (), "box": ("sides",), "plane": (), "mesh": ("points", "triangles")}
_SHARED = {"name", "shape", "place", "rotation", "keys", "velocity", "spin", "mass", "friction", "restitution"}
_DIGITS = 13  # significant ones
_ADVICE = "correct it there"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Scene:
    """Obstacles, in their order, and `gravity` (3,) [m/s²] for those that are free."""

    obstacles: tuple[RigidBody, ...] = ()
    gravity: FloatArray = GRAVITY  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "obstacles", tuple(self.obstacles))
        object.__setattr__(self, "gravity", frozen(self.gravity, np.float64, (3,), "Scene", "gravity"))
        strange = [type(body).__name__ for body in self.obstacles if not isinstance(body, RigidBody)]
        if strange:
            raise InputError(
                "Scene", f"it holds a {strange[0]}", "obstacles are needed", "use Sphere, Box and the like"
            )
        names = [body.name for body in self.obstacles if body.name]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError("Scene", f"two obstacles are called {twice[0]!r}", "names tell them apart", "rename one")

    def __getitem__(self, name: str) -> RigidBody:
        """The obstacle of a name."""
        for body in self.obstacles:
            if body.name == name and name:
                return body
        known = ", ".join(repr(body.name) for body in self.obstacles if body.name) or "no names"
        raise InputError("Scene", f"{name!r} was asked for", f"it has {known}", "use one of those")


def save_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene as a readable file (JSON); it appears whole or not at all."""
    lines = ",\n".join("    " + json.dumps(_entry(body), allow_nan=False) for body in scene.obstacles)
    listed = f"[\n{lines}\n  ]" if lines else "[]"
    head = f'  "format": "{FORMAT}",\n  "version": {VERSION},\n  "gravity": {json.dumps(scene.gravity.tolist())},\n'
    with atomic(path) as waiting:
        waiting.write_text("{\n" + head + f'  "obstacles": {listed}\n}}\n', encoding="utf-8")


def load_scene(path: str | Path) -> Scene:
    """Read what `save_scene` or a person wrote; what makes no sense ends in a `FormatError` that names the place."""
    reader = _Reader(path, what="a scene file", largest=LARGEST, advice=_ADVICE)
    return reader.scene(reader.loaded())


def _entry(body: RigidBody) -> dict[str, Any]:
    """One obstacle as plain data."""
    shape = next((name for name, kind in SHAPES.items() if type(body) is kind), None)
    where = f"obstacle {body.name!r}" if body.name else f"a {type(body).__name__}"
    if shape is None:
        raise InputError(
            "save_scene", f"{where} is no shape of the file", f"the file holds {', '.join(SHAPES)}", "add it in Python"
        )
    entry: dict[str, Any] = {"name": body.name} if body.name else {}
    entry["shape"] = shape
    for name in _NUMBERS[shape]:
        entry[name] = float(getattr(body, name))
    for name in _ROWS[shape]:
        entry[name] = getattr(body, name).tolist()
    path = body.at
    if isinstance(path, Keys):
        entry["keys"] = {"times": path.times.tolist(), "places": path.places.tolist()}
        if path.rotations is not None:
            entry["keys"]["rotations"] = path.rotations.tolist()
    elif callable(path) and not isinstance(path, Straight):
        raise InputError(
            "save_scene",
            f"{where} follows a function",
            "the file holds places, keys and velocities",
            "sample it into Keys",
        )
    else:
        matrix = body.world_from_body(0.0)
        entry["place"] = _round(matrix[:3, 3])
        rotation = quaternions.quat_from_matrix(matrix[:3, :3])
        if not np.array_equal(rotation, [0.0, 0.0, 0.0, 1.0]):
            entry["rotation"] = _round(rotation)
    moves = body.free or (path if isinstance(path, Straight) else None)
    if moves is not None:
        entry["velocity"], entry["spin"] = moves.velocity.tolist(), moves.spin.tolist()
    if body.free is not None:
        entry["mass"] = float(body.free.mass)
    for name in ("friction", "restitution"):
        if getattr(body, name):
            entry[name] = float(getattr(body, name))
    return entry


def _round(values: FloatArray) -> list[float]:
    """Without the last digits, which change whenever a quaternion becomes a matrix and back."""
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


class _Reader(RecordReader):
    """Reads a scene file."""

    def scene(self, data: Any) -> Scene:
        """All of it."""
        root = self.root(data, FORMAT, VERSION, known={"gravity", "obstacles"})
        listed = self.listed(root, "obstacles", "", most=MOST)
        gravity = self.array(root, "gravity", "", shape=(3,)) if "gravity" in root else np.array(GRAVITY)
        bodies = tuple(self._obstacle(entry, f"obstacles[{place}]") for place, entry in enumerate(listed))
        return self.made("obstacles", lambda: Scene(bodies, gravity))

    def _obstacle(self, data: Any, where: str) -> RigidBody:
        fields = self.fields(data, where, None)
        shape = fields.get("shape")
        if not isinstance(shape, str) or shape not in SHAPES:
            raise self.fault(f"{where}.shape", f"it is {short(shape)}", f"one of {', '.join(SHAPES)} is needed")
        self.fields(data, where, _SHARED | set(_NUMBERS[shape]) | set(_ROWS[shape]))
        name = self.word(fields, "name", where, default="")
        size: dict[str, Any] = {key: self.number(fields, key, where) for key in _NUMBERS[shape]}
        size |= {key: self.array(fields, key, where) for key in _ROWS[shape]}
        size |= {key: self.number(fields, key, where) for key in ("friction", "restitution") if key in fields}
        at, free = self._movement(fields, where)
        return self.made(where, lambda: SHAPES[shape](at=at, free=free, name=name, **size))

    def _movement(self, fields: Mapping[str, Any], where: str) -> tuple[Any, Free | None]:
        """Where it goes: along keys, straight on, or, with a mass, as it is pushed."""
        velocity, spin = (
            self.array(fields, key, where, shape=(3,)) if key in fields else np.zeros(3) for key in ("velocity", "spin")
        )
        if "keys" in fields:
            others = [key for key in ("place", "rotation", "velocity", "spin", "mass") if key in fields]
            if others:
                raise self.fault(where, f"it has keys and {others[0]}", "one of them says where it goes")
            keys = self.fields(fields["keys"], f"{where}.keys", {"times", "places", "rotations"})
            times, places = (self.array(keys, key, f"{where}.keys") for key in ("times", "places"))
            rotations = self.array(keys, "rotations", f"{where}.keys") if "rotations" in keys else None
            return self.made(f"{where}.keys", lambda: Keys(times, places, rotations)), None
        place = self.array(fields, "place", where, shape=(3,)) if "place" in fields else np.zeros(3)
        rotation = (
            self.array(fields, "rotation", where, shape=(4,)) if "rotation" in fields else np.array([0, 0, 0, 1.0])
        )
        if not rotation.any():
            raise self.fault(f"{where}.rotation", "it is zero", "a quaternion x y z w is needed")
        start = quaternions.compose(place, rotation)
        if "mass" in fields:
            mass = self.number(fields, "mass", where)
            return start, self.made(where, lambda: Free(mass=mass, velocity=velocity, spin=spin))
        if velocity.any() or spin.any():
            return Straight(start, velocity, spin), None
        return start, None
