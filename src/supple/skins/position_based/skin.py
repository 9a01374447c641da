"""Position based skinning: flesh of tetrahedra over a kinematic skin, which keeps its volume and swings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.position_based.binding import BoundFlesh, FleshState
from supple.skins.position_based.softness import parsed_regions
from supple.skins.skin import DevicePoints, Skin, SoftSkin

_BASES: dict[str, type[Skin]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}


@dataclass(frozen=True, kw_only=True)
class PositionBased(SoftSkin):
    """Flesh that keeps its volume and swings."""

    command_name: ClassVar[str] = "position-based"

    tetrahedra: int = setting(5000, "Elements that fill the body", low=50, high=2_000_000)
    iterations: int = setting(12, "Rounds of all constraints in a step", low=0, high=1000)
    volume_rounds: int = setting(4, "Rounds of volumes alone, after them", low=0, high=1000)
    lively_rounds: int = setting(3, "Rounds for flesh that swings", low=0, high=1000)
    warm_up: int = setting(10, "Steps in which the first pose settles", low=0, high=1000)
    volume: float = setting(1.0, "Stiffness of volumes", low=0.0, high=1.0)
    stretch: float = setting(0.2, "Stiffness of edges", low=0.0, high=1.0)
    bond: float = setting(0.2, "Stiffness of the distance to the bone", low=0.0, high=1.0)
    slack: bool = setting(True, "Flesh may come nearer to the bone than it was at rest")
    memory: float = setting(0.2, "How long a correction is remembered", unit="s", low=0.0, high=10.0)
    frequency: float = setting(3.5, "Pace at which the softest flesh swings", unit="Hz", low=0.5, high=30.0)
    damping: float = setting(0.2, "Damping of the swing, 1 is none at all", low=0.0, high=0.99)
    reach: float = setting(0.5, "How far flesh may swing, as a share of its depth", low=0.0, high=2.0)
    jiggle: float = setting(1.0, "How much of the automatic softness there is", low=0.0, high=1.0)
    regions: str = setting("", "Soft regions, such as belly=0.2")
    gravity: float = setting(9.81, "Gravity", unit="m/s^2", low=0.0, high=100.0)
    sculpted: bool = setting(True, "The rest shape already hangs as gravity wants it")
    drag: float = setting(0.0, "Velocity lost per second", low=0.0, high=100.0)
    keep_volume: bool = setting(True, "Close the last of the volume error on the skin")
    smooth: bool = setting(True, "Follow the flesh smoothly across elements")
    base: str = setting("linear", "The kinematic skin below", choices=tuple(_BASES))
    weights: str = setting("carried", "weights", choices=("carried", "bones"))
    form: str = setting("stiffness", "form", choices=("stiffness", "compliance"))
    order: str = setting("settled", "order", choices=("settled", "published"))

    def __post_init__(self) -> None:
        super().__post_init__()
        parsed_regions(self.regions)

    def stands_on(self) -> Skin:
        return _BASES[self.base]()

    def bind(self, character: Character, device: str) -> BoundFlesh:
        return BoundFlesh(character, self, device)

    def start(self, binding: BoundFlesh, pose: Pose, incoming: DevicePoints | None) -> FleshState:
        return binding.start(self, pose, incoming)

    def advance(
        self, binding: BoundFlesh, state: FleshState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return binding.advance(self, state, pose, dt, incoming)
