"""Built-in scenes: things that a character meets, placed and sized for the character as it stands at rest.

Characters face along z and stand on y = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, digest_of
from supple.character.character import Character
from supple.geometry import quaternions
from supple.obstacles.paths import Keys
from supple.obstacles.shapes import Box, Capsule, Free, Plane, RigidBody, Sphere

_PATH = np.linspace(0.0, 60.0, 601)  # [s]: where the path of a body is looked at to tell it from others
_TURNED_X = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0)  # a capsule along x instead of y
_TURNED_Z = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.pi / 2.0)  # and along z
_CLEAR = 0.01  # [m]: how far soles are above the floor, so that who stands still is not pushed
_G = 9.81  # [m/s²]


def scene_obstacles(name: str, character: Character) -> tuple[RigidBody, ...]:
    """The obstacles of a built-in scene, for one character."""
    return tuple(SCENES[name](character))


def digest(bodies: Sequence[RigidBody]) -> str:
    """Tells some obstacles from others, by their kind, their size, what they are like, and their first minute."""
    rows: list[tuple[str, FloatArray]] = []
    for body in bodies:
        free = body.free
        numbers = [*body.size, body.friction, body.restitution]
        numbers += [] if free is None else [free.mass, *free.velocity, *free.spin]
        rows.append((type(body).__name__, np.array(numbers)))
        rows.append(("path", np.array([body.world_from_body(time) for time in _PATH])))
        rows += [(key, value) for key, value in sorted(vars(body).items()) if isinstance(value, np.ndarray)]
    return digest_of(rows).hex()


def _thrown_ball(character: Character) -> list[RigidBody]:
    """Two balls from the front: one at the belly, then one at the arm; and the floor they land on."""
    low, _, height = _box(character)
    radius = 0.055 * height
    belly = _front(character, np.array([0.5 * (low[0] + _box(character)[1][0]), low[1] + 0.6 * height]))
    arm = _arm(character)
    return [
        _floor(low),
        _thrown(belly, radius, mass=4.0, speed=6.0, arrives=0.4, name="ball at the belly"),
        _thrown(arm, radius, mass=2.0, speed=5.0, arrives=0.6, name="ball at the arm"),
    ]


def _push(character: Character) -> list[RigidBody]:
    """A padded rod that comes from the side, pushes the upper body, and goes back."""
    low, _, height = _box(character)
    side = _flank(character, low[1] + 0.78 * height)
    radius = 0.05 * height
    away, touching, deep = (side[0] + radius + shift * height for shift in (0.2, 0.01, -0.12))
    times = [0.0, 0.3, 0.8, 1.1, 1.6]
    positions = [[x, side[1], side[2]] for x in (away, touching, deep, deep, away)]
    rotations = np.tile(_TURNED_Z, (len(times), 1))
    return [
        Capsule(name="rod", radius=radius, length=0.2 * height, at=_keys(times, positions, rotations), friction=0.4)
    ]


def _fall(character: Character) -> list[RigidBody]:
    """A floor, some way below."""
    low, _, height = _box(character)
    return [Plane(name="floor", at=(0.0, low[1] - 0.15 * height, 0.0), friction=0.6)]


def _squeeze(character: Character) -> list[RigidBody]:
    """Two walls that close on the body from both sides, hold it, and open again."""
    low, high, height = _box(character)
    thick = 0.1 * height
    walls = []
    for way, name in ((-1.0, "left"), (1.0, "right")):
        edge = _flank(character, low[1] + 0.6 * height, way=way)[0]
        middle = 0.5 * (low[0] + high[0])
        closed = middle + 0.75 * (edge - middle)
        far = (high if way > 0.0 else low)[0] + way * 0.02 * height
        reach = 0.5 * thick * way
        ends = [[x + reach, low[1] + 0.5 * height, 0.5 * (low[2] + high[2])] for x in (far, closed, closed, far)]
        sides = np.array((thick, 1.5 * height, 0.6 * height))
        walls.append(Box(name=name, sides=sides, at=_keys([0.3, 1.5, 2.2, 3.0], ends), friction=0.3))
    return list(walls)


def _quadruped_ball(character: Character) -> list[RigidBody]:
    """A heavy ball dropped on the back, in the middle."""
    low, high, _ = _box(character)
    length = float((high - low).max())
    radius = 0.07 * length
    back = _top(character, 0.5 * (low + high)[[0, 2]], reach=0.3 * radius)
    start = back + np.array([0.0, radius + 0.5 * length, 0.0])
    return [_floor(low), Sphere(name="ball", radius=radius, at=start, friction=0.3, free=Free(mass=20.0))]


def _tubes(character: Character) -> list[RigidBody]:
    """A second tube, led, that lies across this one, sinks into it, turns, and lifts off again."""
    low, high, _ = _box(character)
    middle, size = 0.5 * (low + high), float((high - low).max())
    radius = 0.25 * float(np.sort(high - low)[1])
    top = _top(character, middle[[0, 2]], reach=0.05 * size)
    heights = [0.3 * size, 0.0, -0.12 * size, -0.12 * size, 0.3 * size]
    positions = [[middle[0], top[1] + radius + rise, middle[2]] for rise in heights]
    angles = np.radians([90.0, 90.0, 90.0, 60.0, 60.0])
    rotations = [_flat(angle) for angle in angles]
    return [
        Capsule(
            name="tube",
            radius=radius,
            length=size,
            at=_keys([0.0, 0.4, 1.0, 1.8, 2.4], positions, rotations),
            friction=0.5,
        )
    ]


def _snake_push(character: Character) -> list[RigidBody]:
    """A floor, and a ball that rolls into the body from the side and through where it lay."""
    low, high, _ = _box(character)
    length = float((high - low).max())
    middle = 0.5 * (low + high)
    radius = 0.05 * length
    across = 0 if high[2] - low[2] >= high[0] - low[0] else 2
    start, end = middle.copy(), middle.copy()
    start[across], end[across] = high[across] + 3.0 * radius, middle[across] - 2.0 * radius
    start[1] = end[1] = low[1] + radius
    return [_floor(low), Sphere(name="ball", radius=radius, at=_keys([0.2, 1.4], [start, end]), friction=0.3)]


SCENES: Mapping[str, Callable[[Character], list[RigidBody]]] = MappingProxyType(
    {
        "thrown-ball": _thrown_ball,
        "push": _push,
        "fall": _fall,
        "squeeze": _squeeze,
        "quadruped-ball": _quadruped_ball,
        "tubes": _tubes,
        "snake-push": _snake_push,
    }
)
"""Built-in scenes by name; each makes its obstacles for a character."""


def _keys(times: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None = None) -> Keys:
    return Keys(np.array(times), np.array(positions), None if rotations is None else np.array(rotations))


def _box(character: Character) -> tuple[FloatArray, FloatArray, float]:
    low, high = character.points.min(axis=0), character.points.max(axis=0)
    return low, high, float(high[1] - low[1])


def _floor(low: FloatArray) -> Plane:
    return Plane(name="floor", at=(0.0, float(low[1]) - _CLEAR, 0.0), friction=0.6, restitution=0.3)


def _front(character: Character, at: FloatArray) -> FloatArray:
    """The foremost place (3,) of the skin near a place (x, y)."""
    points = character.points
    near = np.linalg.norm(points[:, :2] - at, axis=1)
    around = points[near <= max(0.03 * np.ptp(points[:, 1]), float(near.min()))]
    return np.array([at[0], at[1], around[:, 2].max()])


def _top(character: Character, at: FloatArray, *, reach: float) -> FloatArray:
    """The highest place (3,) of the skin near a place (x, z)."""
    points = character.points
    near = np.linalg.norm(points[:, [0, 2]] - at, axis=1)
    around = points[near <= max(reach, float(near.min()))]
    return np.array([at[0], around[:, 1].max(), at[1]])


def _flank(character: Character, height: float, *, way: float = 1.0) -> FloatArray:
    """The outermost place (3,) of the trunk along x at a height; arms that stand off are not the trunk."""
    points = character.points
    low, high, tall = _box(character)
    near = points[np.abs(points[:, 1] - height) < 0.03 * tall]
    middle = 0.5 * (low[0] + high[0])
    off = np.sort(np.abs((near if len(near) else points)[:, 0] - middle))
    steps = np.flatnonzero(np.diff(off) > 0.03 * tall)
    edge = off[steps[0]] if len(steps) else off[-1]
    return np.array([middle + way * min(float(edge), 0.16 * tall), height, 0.5 * (near[:, 2].min() + near[:, 2].max())])


def _arm(character: Character) -> FloatArray:
    """The front of what stands off to one side in the upper half, some way out: an arm, where there is one."""
    points = character.points
    low, high, height = _box(character)
    middle = 0.5 * (low[0] + high[0])
    out = (points[:, 0] - middle) / (high[0] - middle)
    chosen = points[(np.abs(out - 0.33) < 0.04) & (points[:, 1] > low[1] + 0.4 * height)]
    if not len(chosen):
        return _front(character, np.array([middle, low[1] + 0.7 * height]))
    center = chosen.mean(axis=0)
    return np.array([center[0], center[1], chosen[:, 2].max()])


def _thrown(target: FloatArray, radius: float, *, mass: float, speed: float, arrives: float, name: str) -> Sphere:
    """A ball that flies freely along z and touches the target at a time."""
    end = target + np.array([0.0, 0.0, radius])
    velocity = np.array([0.0, 0.5 * _G * arrives, -speed])
    start = end - arrives * velocity + np.array([0.0, 0.5 * _G * arrives**2, 0.0])
    return Sphere(name=name, radius=radius, at=start, friction=0.3, free=Free(mass=mass, velocity=velocity))


def _flat(angle: float) -> FloatArray:
    """A capsule that lies flat, turned about y from along x."""
    return quaternions.quat_multiply(quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], angle), _TURNED_X)
