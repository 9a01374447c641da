"""What skins of flesh ask of the rigid bodies and regions that they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from supple.arrays import digest_of
from supple.errors import InputError
from supple.obstacles import RigidBody
from supple.settings import ByName

_PATH = np.linspace(0.0, 60.0, 601)  # s: where the path of a body is looked at to tell it from others


def check_bodies(where: str, bodies: Iterable[RigidBody]) -> tuple[RigidBody, ...]:
    """All of them, or an error that says which is none."""
    given = tuple(bodies)
    strange = [type(body).__name__ for body in given if not isinstance(body, RigidBody)]
    if strange:
        what = f"bodies has a {strange[0]}"
        raise InputError(where, what, "rigid bodies are needed", "use Sphere, Capsule, Box, Plane or MovingMesh")
    return given


def check_region_values(where: str, regions: ByName[float]) -> None:
    """Refuse a stiffness that belongs to no region."""
    if regions.default is not None:
        given = f"regions has {regions.default:g} without a name"
        raise InputError(where, given, "every stiffness belongs to a region", "write for example belly=0.2")


def bodies_identity(bodies: tuple[RigidBody, ...]) -> Mapping[str, Any]:
    """Tells bodies from others, as plain data."""
    return {"bodies": [_digest(body) for body in bodies]} if bodies else {}


def _digest(body: RigidBody) -> str:
    """Tells one body from another, by its kind, its size and where it goes in the first minute."""
    arrays = [(name, value) for name, value in vars(body).items() if isinstance(value, np.ndarray)]
    path = np.array([body.world_from_body(time) for time in _PATH])
    numbers = np.array([*body.size, body.friction])
    return digest_of([(type(body).__name__, numbers), ("path", path), *arrays]).hex()
