"""Rigid things that a character's flesh meets: balls, capsules, boxes, floors and walls, and closed meshes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.topology import census, signed_volume
from supple.obstacles.paths import Path, rigid_transform


@dataclass(frozen=True, kw_only=True, eq=False)
class Free:
    """Nobody leads it: it falls, flies and is pushed, with a `mass` [kg], from a `velocity` [m/s] and `spin` [rad/s].

    Its matter is spread evenly through its volume. `velocity` is that of its centre of mass, `spin` about the world's
    axes.
    """

    mass: float
    velocity: FloatArray = (0.0, 0.0, 0.0)  # type: ignore[assignment]
    spin: FloatArray = (0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_number("Free", "mass", self.mass)
        for name in ("velocity", "spin"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, (3,), "Free", name))


@dataclass(frozen=True, kw_only=True, eq=False)
class RigidBody:
    """What all bodies share: where they are over time, and how they meet skin and each other.

    `at` is a place (3,) [m], a transform (4, 4), or a path that gives one for every time, such as `Keys`. `friction`
    is the coefficient of Coulomb's law: 0 slides freely. `restitution` is the share of its speed that it bounces back
    with, 0 to 1. With `free` it starts at `at` and is then left to what pushes it, where the skin simulates that.
    """

    at: ArrayLike | Path = (0.0, 0.0, 0.0)
    friction: float = 0.0
    restitution: float = 0.0
    free: Free | None = None
    name: str = ""

    kind: ClassVar[int]

    def __post_init__(self) -> None:
        where = type(self).__name__
        check_number(where, "friction", self.friction, zero=True)
        if not 0.0 <= self.restitution <= 1.0:
            raise InputError(
                where,
                f"restitution is {self.restitution}",
                "it is a share from 0 to 1",
                "use 0 for clay, 0.8 for a rubber ball",
            )
        if not callable(self.at):
            self.world_from_body(0.0)

    def world_from_body(self, time: float) -> FloatArray:
        """The body's transform (4, 4) at a time [s]; of a free one, where its path would take it."""
        given = self.at(time) if callable(self.at) else self.at
        return rigid_transform(given, type(self).__name__, f"its transform at {time:g} s")

    @property
    def size(self) -> tuple[float, float, float]:
        """The three numbers that say how large it is [m]; what they mean depends on the kind."""
        return (0.0, 0.0, 0.0)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest corner (3,) [m] of its box in its own frame; infinite for what has no end."""
        return np.full(3, -np.inf), np.full(3, np.inf)

    def bounds(self, time: float) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest corner (3,) [m] of a box in the world that holds it at a time [s]."""
        low, high = self.extent
        matrix = self.world_from_body(time)
        if not np.isfinite(low).all():
            return low, high
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        center = matrix[:3, :3] @ middle + matrix[:3, 3]
        reach = np.abs(matrix[:3, :3]) @ half
        return center - reach, center + reach

    def surface(self, points: ArrayLike, time: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """How far (P,) [m] points (P, 3) are from its skin, negative inside, and the way out (P, 3) of unit length."""
        from supple.obstacles.device_bodies import DeviceBodies

        alone = DeviceBodies([self], "cpu")
        alone.move(time, 0.0)
        return alone.surface(0, frozen(points, np.float64, (-1, 3), type(self).__name__, "points"))

    def velocities(self, points: ArrayLike, time: float = 0.0, *, dt: float = 1e-4) -> FloatArray:
        """How fast (P, 3) [m/s] its matter at points (P, 3) moves: mean over the time `dt` [s] that ends at `time`."""
        positions = frozen(points, np.float64, (-1, 3), type(self).__name__, "points")
        now, before = self.world_from_body(time), self.world_from_body(time - dt)
        local = (positions - now[:3, 3]) @ now[:3, :3]
        result: FloatArray = (positions - (local @ before[:3, :3].T + before[:3, 3])) / dt
        return result


@dataclass(frozen=True, kw_only=True, eq=False)
class Sphere(RigidBody):
    """A ball round its origin."""

    radius: float

    kind: ClassVar[int] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("Sphere", "radius", self.radius)

    @property
    def size(self) -> tuple[float, float, float]:
        """Its radius."""
        return (self.radius, 0.0, 0.0)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """The cube round it."""
        return np.full(3, -self.radius), np.full(3, self.radius)


@dataclass(frozen=True, kw_only=True, eq=False)
class Capsule(RigidBody):
    """A rod with round ends along its y axis: `length` [m] between the centres of the ends, which may be zero."""

    radius: float
    length: float

    kind: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("Capsule", "radius", self.radius)
        check_number("Capsule", "length", self.length, zero=True)

    @property
    def size(self) -> tuple[float, float, float]:
        """Its radius and half its length."""
        return (self.radius, 0.5 * self.length, 0.0)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """The box round it."""
        high = np.array([self.radius, 0.5 * self.length + self.radius, self.radius])
        return -high, high


@dataclass(frozen=True, kw_only=True, eq=False)
class Plane(RigidBody):
    """A floor, or a wall: solid below its own x-z plane, free above it (y > 0). It cannot be `free`."""

    kind: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.free is not None:
            raise InputError("Plane", "it is free", "it has no end and so no mass", "use a Box")


@dataclass(frozen=True, kw_only=True, eq=False)
class MovingMesh(RigidBody):
    """A closed mesh of `points` (V, 3) [m] in its own frame and `triangles` (T, 3), anticlockwise from outside.

    It moves as a whole, so particles are taken into its frame and the mesh itself is never touched again.
    """

    points: FloatArray = field(repr=False)
    triangles: IntArray = field(repr=False)

    kind: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        points = frozen(self.points, np.float64, (-1, 3), "MovingMesh", "points")
        triangles = check_closed(self.triangles, points, "MovingMesh")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "triangles", triangles)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """The box round its points."""
        used = self.points[np.unique(self.triangles)]
        return used.min(axis=0), used.max(axis=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Box(RigidBody):
    """A box round its origin with `sides` (3,) [m] along its x, y and z axes, sharp at its edges."""

    sides: FloatArray

    kind: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        sides = frozen(self.sides, np.float64, (3,), "Box", "sides")
        check_number("Box", "its shortest side", float(sides.min()))
        object.__setattr__(self, "sides", sides)

    @property
    def size(self) -> tuple[float, float, float]:
        """Half its sides."""
        x, y, z = (0.5 * self.sides).tolist()
        return (x, y, z)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """Itself."""
        return -0.5 * self.sides, 0.5 * self.sides


def check_closed(given: ArrayLike, points: FloatArray, where: str) -> IntArray:
    """Triangles (T, 3) that enclose an inside and face away from it; anything else is refused."""
    triangles: IntArray = frozen(given, np.int32, (-1, 3), where, "triangles")
    if len(triangles) == 0 or triangles.min() < 0 or triangles.max() >= len(points):
        raise InputError(
            where,
            f"triangles name points up to {triangles.max(initial=-1)}",
            f"there are {len(points)} points",
            "pass the triangles of this mesh",
        )
    found = census(triangles)
    if not found.is_closed:
        raise InputError(
            where,
            f"it has {found.border_edges} open edges and {found.flipped_edges} flipped",
            "only a closed mesh has an inside",
            "close its holes and unify its normals",
        )
    if signed_volume(points, triangles) <= 0.0:
        raise InputError(where, "its triangles face inward", "they must face outward", "flip them")
    return triangles


def check_number(where: str, what: str, value: float, *, zero: bool = False) -> None:
    """Refuse what is no number above zero, or, with `zero`, of zero or more."""
    if np.isfinite(value) and (value > 0.0 or (zero and value == 0.0)):
        return
    raise InputError(
        where,
        f"{what} is {value}",
        f"a number {'of zero or more' if zero else 'above zero'} is needed",
        f"give its {what}",
    )
