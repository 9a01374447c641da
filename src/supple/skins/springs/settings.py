"""What both skins with springs let the artist choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from supple.character.character import Character
from supple.settings import Settings, group, setting
from supple.skins.base import AnySkin, Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.springs.attachment.attachment import METHODS
from supple.skins.springs.binding import KINDS, AttachedSkin, SpringBinding
from supple.skins.springs.incremental_rotation import IncrementalRotation

OWN_BASE = "incremental"
FIRST_STAGE = "first-stage"
AIMS = ("automatic", FIRST_STAGE, OWN_BASE)
LIVE = frozenset({"iterations", *(f"stiffness.{kind}" for kind in KINDS)})
_BASES: dict[str, Callable[[], Skin[Any, Any]]] = {
    OWN_BASE: IncrementalRotation,
    "rigid": partial(IncrementalRotation.preset, "rigid"),
    "linear": LinearBlend,
    "dual-quaternion": DualQuaternion,
    "rotation-centers": RotationCenters,
}


@dataclass(frozen=True, kw_only=True)
class Stiffness(Settings):
    """How hard each kind of spring pulls; only ratios count.

    A map `stiffness`, or one named after a spring (`stiffness_edges`), multiplies it vertex by vertex.
    """

    edges: float = setting(1.0, "Lengths of edges", low=0.0, high=1e12)
    relative_radius: float = setting(0.8, "Distances from the bone beside those of neighbours", low=0.0, high=1e12)
    bend: float = setting(1.0, "Angles between neighbours", low=0.0, high=1e12)
    radius: float = setting(2.0, "Distances from the bone", low=0.0, high=1e12)
    bones: float = setting(0.1, "Angles to the bone", low=0.0, high=1e12)
    twist: float = setting(2.0, "How firmly bones keep their own twist", low=0.0, high=1e12)


@dataclass(frozen=True, kw_only=True)
class LooseStiffness(Stiffness):
    """The same, with springs to the bone that let skin swing and pass waves on.

    They are alike outwards and aside: beside each other, skin of two bones, for which outwards is not the same way,
    then swings alike.
    """

    relative_radius: float = setting(0.5, "Distances from the bone beside those of neighbours", low=0.0, high=1e12)
    radius: float = setting(2.0, "Distances from the bone", low=0.0, high=1e12)
    twist: float = setting(2.0, "How firmly bones keep their own twist", low=0.0, high=1e12)


@dataclass(frozen=True, kw_only=True)
class SpringSettings(Settings):
    """What the artist chooses about springs."""

    base: str = setting("incremental", "The skin it starts from, where a graph gives it none", choices=tuple(_BASES))
    aim: str = setting("automatic", "What springs to the bone draw towards", choices=AIMS)
    binding: str = setting("automatic", "How vertices are hung on bones", choices=METHODS)
    iterations: int = setting(50, "Sweeps over the skin, or what stands for them", low=1, high=100_000)
    stiffness: Stiffness = group(Stiffness, "Stiffness of springs; only ratios count")

    def takes_incoming(self) -> bool:
        """Any shape will do to start from."""
        return True

    def on_top_of(self, first: AnySkin) -> Self:
        """Springs aim at a first stage that hangs on bones as they do; any other is a place to start from.

        So is a rigid one, which tears at joints: springs are there to mend it.
        """
        hangs = isinstance(first, IncrementalRotation) and first.reach > 0.0
        return replace(self, aim=FIRST_STAGE) if hangs and self.aim == AIMS[0] else self

    @property
    def aims_at_incoming(self) -> bool:
        """Whether the incoming shape is what springs to the bone draw towards, not only where they start."""
        return self.aim == FIRST_STAGE

    def first_stage(self) -> Skin[Any, Any] | None:
        """The skin that comes first; None where that is the skin that springs pose for themselves."""
        return None if self.base == OWN_BASE else _BASES[self.base]()

    def first_kinematic(self) -> Skin[Any, Any]:
        """The skin that comes first, also where springs pose it for themselves."""
        return self.first_stage() or IncrementalRotation(binding=self.binding)

    def bind_springs(self, character: Character, device: str) -> SpringBinding:
        """Hang a character on its bones and measure it."""
        attached = AttachedSkin.from_character(character, method=self.binding, device=device)
        return SpringBinding.from_attached_skin(attached)
