"""Position based skinning: flesh of tetrahedra that keeps its volume, swings and meets itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from supple.arrays import FloatArray, digest_of
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.obstacles import RigidBody
from supple.settings import ByName, Number, by_name, group, setting, settings_of
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.painted_map import ANATOMY, MapInfo, maps_of
from supple.skins.position_based import step as stepping
from supple.skins.position_based.binding import FleshBinding
from supple.skins.position_based.body.softness import check_regions, usual_flesh, usual_softness
from supple.skins.position_based.body.tetrahedral_body import WHERE
from supple.skins.position_based.settings import BASES, Collision, Skinning, Solve, Swing
from supple.skins.position_based.state import FleshState
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED

_PATH = np.linspace(0.0, 60.0, 601)  # s: where the path of a body is looked at to tell it from others
_FIXED = frozenset({"tetrahedra", "step", "skinning.base", "skinning.weights"})


@dataclass(frozen=True, kw_only=True)
class PositionBased(PullableSkin[FleshBinding, FleshState]):
    """Fill the body with tetrahedra that keep their volume, let deep flesh swing, and part skin that meets skin.

    Every step the bones carry the flesh as a kinematic skin would. From there it *settles* to the least of an energy:
    elements want their volume, edges their length and flesh its distance from the bone [AbuRumman2016], and L-BFGS
    over a factor made once finds where they agree [LiuBouazizKavan2017]. Then free flesh *swings* about where it
    settled, the softer the slower, and the skin goes along with all of it.

    The published method projects constraints one after another, momentum and all, and its answer depends on their
    order; it is the preset "published" (`scheme="published"`), with the published stiffnesses. What is free is found
    from the depth of flesh over the bone; regions by name make parts softer or firmer, also while it plays.

    While it plays everything may change but four settings: `tetrahedra` and `weights`, from which the elements, their
    masses and their parts follow; `base`, which is another stage; and `step`, which is the player's clock.

    Limits: fingers and other parts thinner than an element only follow the bones; bones that stretch are fought; skin
    meets skin by elements, not by its own triangles, so that it may touch a few millimetres early or late.
    """

    command_name: ClassVar[str] = "position-based"
    renamed: ClassVar[Mapping[str, str]] = RENAMED["position-based"]
    cached: ClassVar[bool] = True
    stackable: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Abu Rumman 2016, Position-based skin deformations for interactive character animation",
        "Mueller, Heidelberger, Hennix and Ratcliff 2007, Position based dynamics",
        "Macklin, Mueller and Chentanez 2016, XPBD: position-based simulation of compliant constrained dynamics",
        "Liu, Bouaziz and Kavan 2017, Quasi-Newton methods for real-time simulation of hyperelastic materials",
    )
    maps: ClassVar[Mapping[str, MapInfo]] = maps_of(
        jiggle=MapInfo("How softly the skin swings: 0 goes with the bones, 1 is loose"),
        flesh=MapInfo("How deep flesh lies over what is hard, where no jiggle is painted", high=0.5, unit="m"),
        **ANATOMY,
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "firm": MappingProxyType({"jiggle": 0.5, "frequency": 5.0, "damping": 0.35}),
            "soft": MappingProxyType({"frequency": 2.2, "damping": 0.12, "max_offset": 0.8}),
            "published": MappingProxyType(
                {
                    "scheme": "published", "step": 0.01, "iterations": 12, "volume": 1.0, "bone_stiffness": 0.9,
                    "stretch": 0.9, "one_sided": False, "weights": "bones", "rest_includes_gravity": False, "drag": 1.0,
                    "keep_volume": False, "smooth": False, "contact_stiffness": 0.93,
                }
            ),
        }
    )  # fmt: skip

    step: float = setting(1.0 / 60.0, "Simulation step", unit="s", low=1e-4, high=0.1)
    tetrahedra: int = setting(5000, "Elements that fill the body", low=50, high=2_000_000)
    iterations: int = setting(8, "Rounds in which a step settles", low=0, high=1000)
    warm_up: int = setting(10, "Steps in which the first pose settles", low=0, high=1000)
    jiggle: float = setting(1.0, "How much of the automatic softness there is", low=0.0, high=1.0)
    regions: ByName[float] = by_name(
        {}, "Regions with a stiffness from 0 (soft) to 1 (firm), such as belly=0.2,ears=0.7", Number(), names="region"
    )
    scheme: str = setting("settled", "Settle and then swing, or both at once", choices=("settled", "published"))
    solve: Solve = group(Solve, "What holds flesh together")
    swing: Swing = group(Swing, "How loose flesh swings")
    collision: Collision = group(Collision, "Skin that meets skin")
    skinning: Skinning = group(Skinning, "How bones carry flesh, and flesh the skin")
    bodies: tuple[RigidBody, ...] = ()
    """Rigid bodies that it meets, by the time since its first frame."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.regions.default is not None:
            given = f"regions has {self.regions.default:g} without a name"
            raise InputError(WHERE, given, "every stiffness belongs to a region", "write for example belly=0.2")
        object.__setattr__(self, "bodies", tuple(self.bodies))
        strange = [type(body).__name__ for body in self.bodies if not isinstance(body, RigidBody)]
        if strange:
            raise InputError(
                WHERE,
                f"bodies has a {strange[0]}",
                "rigid bodies are needed",
                "use Sphere, Capsule, Box, Plane or MovingMesh",
            )

    def extra_identity(self) -> Mapping[str, Any]:
        return {"bodies": [_digest(body) for body in self.bodies]} if self.bodies else {}

    def region_names(self) -> tuple[str, ...]:
        return tuple(self.regions)

    def usual_map(self, binding: FleshBinding, character: Character, name: str) -> FloatArray:
        if name == "jiggle":
            return usual_softness(character)
        if name == "flesh":
            return usual_flesh(character)
        if name in ANATOMY:
            return np.asarray(getattr(character.body_shape, name))
        return super().usual_map(binding, character, name)

    def check_for(self, character: Character) -> None:
        check_regions(character, self.regions)

    @property
    def coasts(self) -> bool:
        """Flesh that settles swings exactly, however long a step is."""
        return self.scheme == "settled"

    def base_skin(self) -> Skin[Any, Any]:
        return BASES[self.skinning.base]()

    def binding_identity(self) -> Mapping[str, Any]:
        return {}  # bodies belong to states

    @property
    def meets_anything(self) -> bool:
        """Whether it meets itself or rigid bodies."""
        return self.collision.contact != "off" or bool(self.bodies)

    def bind(self, character: Character, device: str) -> FleshBinding:
        return FleshBinding.from_character(character, self, device)

    def stack(self, binding: FleshBinding, crowd: Crowd) -> FleshBinding:
        return binding.stack(crowd)

    def allocate(self, binding: FleshBinding) -> FleshState:
        return FleshState(binding, self)

    def rebind(self, binding: FleshBinding, character: Character, device: str) -> FleshBinding:
        return binding.reshaped(character)

    def reshape(self, binding: FleshBinding, state: FleshState) -> FleshState:
        state.reshape(binding)
        return state

    def start(self, binding: FleshBinding, pose: Pose, incoming: DevicePoints | None) -> FleshState:
        state = self.allocate(binding)
        stepping.start(self, state, pose, incoming)
        return state

    def advance(
        self, binding: FleshBinding, state: FleshState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose, dt, incoming)

    def forces(self, binding: FleshBinding, state: FleshState) -> DevicePoints | None:
        """What draws every vertex (V,) [N] back to where its flesh settles, and what presses it.

        The published scheme has no such place: there is none then.
        """
        return None if self.scheme == "published" else state.readings.forces()

    def contact_pressure(self, binding: FleshBinding, state: FleshState) -> Any | None:
        return state.readings.pressures() if self.meets_anything else None

    def met_bodies(self, character: Character) -> tuple[RigidBody, ...]:
        return self.bodies

    def body_transforms(self, binding: FleshBinding, state: FleshState) -> FloatArray:
        places = [body.world_from_body(state.memory.time) for body in self.bodies]
        return np.array(places).reshape(-1, 4, 4)

    def hold(self, binding: FleshBinding, state: FleshState, pulls: Sequence[Pull]) -> None:
        state.hold(pulls)


PositionBased.pushes = frozenset(f"swing.{what}" for what in ("gravity", "damping", "drag"))
PositionBased.live = frozenset(info.name for info in settings_of(PositionBased)) - _FIXED


def _digest(body: RigidBody) -> str:
    """Tells one body from another, by its kind, its size and where it goes in the first minute."""
    arrays = [(name, value) for name, value in vars(body).items() if isinstance(value, np.ndarray)]
    path = np.array([body.world_from_body(time) for time in _PATH])
    numbers = np.array([*body.size, body.friction])
    return digest_of([(type(body).__name__, numbers), ("path", path), *arrays]).hex()
