"""Rigid things that a character's flesh meets: balls, capsules, floors and walls, and closed meshes that move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Floats, Ints, frozen
from supple.errors import InputError
from supple.geometry import rotations
from supple.geometry.topology import census, signed_volume

Path = Callable[[float], ArrayLike]
"""Where a body is at a time [s]: a place (3,) [m] or a transform (4, 4) without scale."""


@dataclass(frozen=True, eq=False)
class Keys:
    """A path through keys: `places` (K, 3) [m] at `times` (K,) [s], and `rotations` (K, 4) as x y z w if it turns.

    Between keys, places are blended and rotations turn evenly; before the first and after the last it stands still.
    """

    times: Floats
    places: Floats
    rotations: Floats | None = None

    def __post_init__(self) -> None:
        times = frozen(self.times, np.float64, (-1,), "Keys", "times")
        if len(times) == 0 or (np.diff(times) <= 0.0).any():
            given = "there are no times" if len(times) == 0 else "times do not rise"
            raise InputError("Keys", given, "one rising time for each key is needed", "sort the keys by time")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "places", frozen(self.places, np.float64, (len(times), 3), "Keys", "places"))
        if self.rotations is not None:
            turns = frozen(self.rotations, np.float64, (len(times), 4), "Keys", "rotations")
            if not turns.any(axis=1).all():
                raise InputError("Keys", "a rotation is zero", "quaternions x y z w are needed", "use 0 0 0 1 for none")
            object.__setattr__(self, "rotations", turns)

    def __call__(self, time: float) -> Floats:
        """The transform (4, 4) at a time [s]."""
        after = int(np.clip(np.searchsorted(self.times, time, side="right"), 1, max(len(self.times) - 1, 1)))
        one, two = min(after - 1, len(self.times) - 1), min(after, len(self.times) - 1)
        span = self.times[two] - self.times[one]
        share = float(np.clip((time - self.times[one]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
        place = (1.0 - share) * self.places[one] + share * self.places[two]
        turn: Floats = np.array([0.0, 0.0, 0.0, 1.0])
        if self.rotations is not None:
            turn_one, turn_two = (rotations.normalised(self.rotations[key]) for key in (one, two))
            turn = rotations.slerp(turn_one, turn_two, np.array(share))
        return rotations.compose(place, turn)


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidBody:
    """What all bodies share: where they are over time, and how they hold on to skin.

    `at` is a place (3,) [m], a transform (4, 4), or a path that gives one for every time, such as `Keys`. `friction`
    is the coefficient of Coulomb's law: 0 slides freely.
    """

    at: ArrayLike | Path = (0.0, 0.0, 0.0)
    friction: float = 0.0

    kind: ClassVar[int]

    def __post_init__(self) -> None:
        _check_number(type(self).__name__, "friction", self.friction, zero=True)
        if not callable(self.at):
            self.world_from_body(0.0)

    def world_from_body(self, time: float) -> Floats:
        """The body's transform (4, 4) at a time [s]."""
        where = type(self).__name__
        given = np.asarray(self.at(time) if callable(self.at) else self.at, dtype=np.float64)
        if given.shape == (3,):
            given = rotations.compose(given, np.array([0.0, 0.0, 0.0, 1.0]))
        matrix = frozen(given, np.float64, (4, 4), where, f"its transform at {time:g} s")
        turn = matrix[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-4) or np.linalg.det(turn) < 0.0:
            raise InputError(where, f"its transform at {time:g} s is no rotation and translation",
                             "bodies are rigid", "take scale and shear out, and scale the body itself")  # fmt: skip
        return matrix

    @property
    def size(self) -> tuple[float, float]:
        """The two numbers that say how large it is [m]; what they mean depends on the kind."""
        return (0.0, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sphere(RigidBody):
    """A ball round its origin."""

    radius: float

    kind: ClassVar[int] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_number("Sphere", "radius", self.radius)

    @property
    def size(self) -> tuple[float, float]:
        """Its radius."""
        return (self.radius, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Capsule(RigidBody):
    """A rod with round ends along its y axis: `length` [m] between the centres of the ends, which may be zero."""

    radius: float
    length: float

    kind: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_number("Capsule", "radius", self.radius)
        _check_number("Capsule", "length", self.length, zero=True)

    @property
    def size(self) -> tuple[float, float]:
        """Its radius and half its length."""
        return (self.radius, 0.5 * self.length)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plane(RigidBody):
    """A floor, or a wall: solid below its own x-z plane, free above it (y > 0)."""

    kind: ClassVar[int] = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class MovingMesh(RigidBody):
    """A closed mesh of `points` (V, 3) [m] in its own frame and `triangles` (T, 3), anticlockwise from outside.

    It moves as a whole, so particles are taken into its frame and the mesh itself is never touched again.
    """

    points: Floats = field(repr=False)
    triangles: Ints = field(repr=False)

    kind: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        points = frozen(self.points, np.float64, (-1, 3), "MovingMesh", "points")
        triangles = frozen(self.triangles, np.int32, (-1, 3), "MovingMesh", "triangles")
        if len(triangles) == 0 or triangles.min() < 0 or triangles.max() >= len(points):
            raise InputError("MovingMesh", f"triangles name points up to {triangles.max(initial=-1)}",
                             f"there are {len(points)} points", "pass the triangles of this mesh")  # fmt: skip
        found = census(triangles)
        if not found.is_closed:
            raise InputError("MovingMesh", f"it has {found.border_edges} open edges and {found.flipped_edges} flipped",
                             "only a closed mesh has an inside", "close its holes and unify its normals")  # fmt: skip
        if signed_volume(points, triangles) <= 0.0:
            raise InputError("MovingMesh", "its triangles face inward", "they must face outward", "flip them")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)


class DeviceBodies:
    """Rigid bodies on the device, at two moments: the end of a step, and its beginning."""

    def __init__(self, bodies: Sequence[RigidBody], device: str) -> None:
        wp = devices.warp()
        self.bodies = tuple(bodies)
        count = len(self.bodies)
        self._meshes = [_mesh(body, device) if isinstance(body, MovingMesh) else None for body in self.bodies]
        identifiers = [0 if mesh is None else mesh.id for mesh in self._meshes]
        sizes = np.array([body.size for body in self.bodies]).reshape(count, 2)
        self.kinds = devices.to_device(np.array([body.kind for body in self.bodies], dtype=np.int32), wp.int32, device)
        self.sizes = devices.to_device(sizes, wp.vec2f, device)
        frictions = np.array([body.friction for body in self.bodies], dtype=np.float32)
        self.frictions = devices.to_device(frictions, wp.float32, device)
        self.meshes = devices.to_device(np.array(identifiers, dtype=np.uint64), wp.uint64, device)
        self.now = wp.zeros(count, dtype=wp.transformf, device=device)
        self.earlier = wp.zeros(count, dtype=wp.transformf, device=device)
        spans = [np.linalg.norm(np.ptp(body.points, axis=0)) for body in self.bodies if isinstance(body, MovingMesh)]
        self.reach = float(max(spans, default=1.0))

    def __len__(self) -> int:
        return len(self.bodies)

    def move(self, time: float, dt: float) -> None:
        """Put every body where it is at `time` [s], having come from where it was `dt` before."""
        for array, moment in ((self.now, time), (self.earlier, time - dt)):
            matrices = np.stack([body.world_from_body(moment) for body in self.bodies])
            turns = rotations.quaternion_from_matrix(matrices[:, :3, :3])
            devices.write(array, np.concatenate([matrices[:, :3, 3], turns], axis=1))


def _mesh(body: MovingMesh, device: str) -> Any:
    wp = devices.warp()
    points = devices.to_device(body.points, wp.vec3f, device)
    return wp.Mesh(points, devices.to_device(body.triangles.reshape(-1), wp.int32, device))


def _check_number(where: str, what: str, value: float, *, zero: bool = False) -> None:
    if np.isfinite(value) and (value > 0.0 or (zero and value == 0.0)):
        return
    raise InputError(where, f"{what} is {value}", f"a number {'of zero or more' if zero else 'above zero'} is needed",
                     f"give its {what}")  # fmt: skip
