"""What was set and does nothing, or cannot be meant: said in a sentence instead of ignored."""

from __future__ import annotations

from collections.abc import Sequence

from supple.character.character import Character
from supple.character.units import likely_units
from supple.geometry.topology import signed_volume
from supple.obstacles.shapes import Plane, RigidBody
from supple.settings import ByName
from supple.skins.contact.model.elasticity import Tissue
from supple.skins.contact.settings import OWN

_HEAVIEST = 2e5  # [kg]: more than any animal has


def unused_tissue(own: Tissue, flesh: ByName[Tissue | str]) -> list[str]:
    """That a tissue of one's own was described, and no flesh is of it."""
    if own == Tissue() or OWN in flesh.values():
        return []
    changed = [name for name, value in vars(own).items() if value != getattr(Tissue(), name)]
    return [f"own.{changed[0]} is {getattr(own, changed[0]):g}, and no flesh is own"]


def unused_restitution(obstacles: Sequence[RigidBody]) -> list[str]:
    """That obstacles bounce which nothing but skin will meet, or which are thrown at it."""
    thrown = any(body.free is not None for body in obstacles)
    told = []
    for body in obstacles:
        on_ground = isinstance(body, Plane) and thrown  # what is thrown bounces off it
        if body.restitution > 0.0 and not on_ground:
            name = repr(body.name) if body.name else f"a {type(body).__name__.lower()}"
            told.append(
                f"the restitution of {name}, {body.restitution:g}, is between obstacles: off skin it springs back as "
                "far as flesh throws it"
            )
    return told


def odd_weight(character: Character, density: float) -> str:
    """That a character weighs more than it can, which happens where it was modelled in other units; empty if not."""
    size, units = float(character.size.max()), likely_units(character)
    mass = density * abs(signed_volume(character.points, character.triangles))
    if units is None and mass <= _HEAVIEST:
        return ""
    advice = f"; it seems to be modelled in {units}: read it with units={units!r} (--units {units})" if units else ""
    return f"{character.name} is {size:.3g} m large and weighs {mass / 1000.0:.3g} t here{advice}"
