"""What the artist chooses about flesh, by idea: what holds it together, how it swings, what it meets and carries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from supple.settings import Settings, setting
from supple.skins.base import Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend

BASES: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}


@dataclass(frozen=True, kw_only=True)
class Solve(Settings):
    """What holds flesh together, beside one another."""

    volume: float = setting(0.9, "Stiffness of volumes", low=0.0, high=1.0)
    stretch: float = setting(0.4, "Stiffness of edges", low=0.0, high=1.0)
    bone_stiffness: float = setting(0.5, "Stiffness of the distance to the bone", low=0.0, high=1.0)
    one_sided: bool = setting(True, "Flesh may come nearer to the bone than it was at rest")
    correction_time: float = setting(
        1.0, "How slowly settled flesh is drawn back to where the bones carry it", unit="s", low=0.0, high=10.0
    )


@dataclass(frozen=True, kw_only=True)
class Swing(Settings):
    """How flesh that is free swings about where it settled."""

    frequency: float = setting(3.5, "Pace at which the softest flesh swings", unit="Hz", low=0.5, high=30.0)
    damping: float = setting(0.2, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=0.99)
    max_offset: float = setting(0.5, "How far flesh may swing, as a share of its depth", low=0.0, high=2.0)
    dynamic_iterations: int = setting(3, "Rounds for the flesh that swings", low=0, high=1000)
    dynamic_stretch: float = setting(0.03, "Stiffness of edges in those rounds", low=0.0, high=1.0)
    gravity: float = setting(9.81, "Gravity", unit="m/s²", low=0.0, high=100.0)
    rest_includes_gravity: bool = setting(True, "The rest shape already hangs as gravity wants it")
    drag: float = setting(0.0, "Share of its velocity that flesh loses in a second", unit="1/s", low=0.0, high=100.0)


@dataclass(frozen=True, kw_only=True)
class Collision(Settings):
    """Where flesh is parted that meets itself."""

    contact: str = setting("on-demand", "Where skin that meets skin is searched", choices=("on-demand", "full", "off"))
    contact_angle: float = setting(
        2.0 * math.pi / 3.0, "Joints bent below this angle are searched", unit="rad", low=math.pi / 3.0, high=math.pi
    )
    contact_stiffness: float = setting(1.0, "How much of a contact one round parts", low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class Skinning(Settings):
    """How bones carry flesh and skin, and how the skin goes along with the flesh."""

    base: str = setting("linear", "The kinematic skin below", choices=tuple(BASES))
    weights: str = setting("carried", "Weights of the flesh: the skin's own, or by bones", choices=("carried", "bones"))
    smooth: bool = setting(True, "The skin follows the flesh evenly across elements")
    limb_volume: float = setting(
        0.4, "How far limbs may swell around bent joints to keep their volume, of their girth", low=0.0, high=1.0
    )
    keep_volume: bool = setting(True, "Close the last of the volume error on the skin")
