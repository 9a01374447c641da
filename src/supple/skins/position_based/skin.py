"""Position based skinning: flesh of tetrahedra that keeps its volume, swings and meets itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.motion.pose import Pose
from supple.obstacles import RigidBody
from supple.settings import ByName, Number, by_name, group, setting, settings_of
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.painted_map import ANATOMY, MapInfo, maps_of
from supple.skins.position_based import step as stepping
from supple.skins.position_based.binding import FleshBinding
from supple.skins.position_based.bodies import bodies_identity, check_bodies, check_region_values
from supple.skins.position_based.body.softness import check_regions, usual_flesh, usual_softness
from supple.skins.position_based.body.tetrahedral_body import WHERE
from supple.skins.position_based.published.skin import PublishedPositionBased
from supple.skins.position_based.settings import BASES, Collision, Skinning, Solve, Swing
from supple.skins.position_based.state import FleshState
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED

_FIXED = frozenset({"tetrahedra", "step", "skinning.base", "skinning.weights"})
_PUBLISHED = "published"
# Steps in which flesh settles that is not seen at first: steps that follow go on with it. With ten or two, flesh that
# fades in over half a second is as far from flesh that was always there (walk 0.8, jump 0.6, dance 0.8 mm at most).
_UNSEEN = 2


@dataclass(frozen=True, kw_only=True)
class PositionBased(PullableSkin[FleshBinding, FleshState]):
    """Fill the body with tetrahedra that keep their volume, let deep flesh swing, and part skin that meets skin.

    Every step the bones carry the flesh as a kinematic skin would. From there it *settles* to the least of an energy:
    elements want their volume, edges their length and flesh its distance from the bone [AbuRumman2016], and L-BFGS
    over a factor made once finds where they agree [LiuBouazizKavan2017]. Then free flesh *swings* about where it
    settled, the softer the slower, and the skin goes along with all of it.

    The published method projects constraints one after another, momentum and all, and its answer depends on their
    order; it is a skin of its own, `PublishedPositionBased`, which the preset "published" gives. What is free is found
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
            _PUBLISHED: MappingProxyType({}),  # another skin
        }
    )

    step: float = setting(1.0 / 60.0, "Simulation step", unit="s", low=1e-4, high=0.1)
    tetrahedra: int = setting(5000, "Elements that fill the body", low=50, high=2_000_000)
    iterations: int = setting(8, "Rounds in which a step settles", low=0, high=1000)
    warm_up: int = setting(10, "Steps in which the first pose settles", low=0, high=1000)
    jiggle: float = setting(1.0, "How much of the automatic softness there is", low=0.0, high=1.0)
    regions: ByName[float] = by_name(
        {}, "Regions with a stiffness from 0 (soft) to 1 (firm), such as belly=0.2,ears=0.7", Number(), names="region"
    )
    solve: Solve = group(Solve, "What holds flesh together")
    swing: Swing = group(Swing, "How loose flesh swings")
    collision: Collision = group(Collision, "Skin that meets skin")
    skinning: Skinning = group(Skinning, "How bones carry flesh, and flesh the skin")
    bodies: tuple[RigidBody, ...] = ()
    """Rigid bodies that it meets, by the time since its first frame."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_region_values(WHERE, self.regions)
        object.__setattr__(self, "bodies", check_bodies(WHERE, self.bodies))

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Any:
        """This skin with the settings of a preset, and some changed; "published" is a `PublishedPositionBased`."""
        return PublishedPositionBased(**changes) if name == _PUBLISHED else super().preset(name, **changes)

    def extra_identity(self) -> Mapping[str, Any]:
        return bodies_identity(self.bodies)

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
        return True

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
        return self.begin(binding, None, pose, incoming)

    def begin(
        self,
        binding: FleshBinding,
        former: FleshState | None,
        pose: Pose,
        incoming: DevicePoints | None,
        *,
        seen: bool = True,
    ) -> FleshState:
        if former is not None:
            former.forget()
        state = self.allocate(binding) if former is None else former
        stepping.start(self, state, pose, incoming, rounds=self.warm_up if seen else min(self.warm_up, _UNSEEN))
        return state

    def advance(
        self, binding: FleshBinding, state: FleshState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose, dt, incoming)

    def forces(self, binding: FleshBinding, state: FleshState) -> DevicePoints | None:
        """What draws every vertex (V,) [N] back to where its flesh settles, and what presses it."""
        return state.readings.forces()

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
