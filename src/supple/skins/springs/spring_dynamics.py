"""Springs in time: the skin starts from where it was, lags behind the bones, swings and sends waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.arrays import FloatArray
from supple.character.anatomy.softness import body_sizes, skin_softness, usual_flesh
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import group, setting
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.painted_map import ANATOMY, MapInfo
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED
from supple.skins.springs import step as stepping
from supple.skins.springs.binding import FLESH_MAP, JIGGLE_MAP, REACH_MAPS, RIGID_MAP, STIFFNESS_MAPS, SpringBinding
from supple.skins.springs.dynamics_state import DynamicsState
from supple.skins.springs.settings import LIVE, LooseStiffness, SpringSettings


@dataclass(frozen=True, kw_only=True)
class SpringDynamics(SpringSettings, PullableSkin[SpringBinding, DynamicsState]):
    """The springs of `SpringRig` in time: each step starts from the last result, taken along by the joints' change.

    With `frequency` above zero the springs have momentum: flesh that the bones accelerate stays behind by `inertia` and
    swings at that pace until `damping` has eaten it, and waves run over the skin, some distances from the bone far in
    every swing. With `frequency` zero each step only relaxes, as published for frame-dependent rigs. A map `jiggle`, 0
    to 1, says where skin is loose; without it flesh is as soft as in all soft skins, and skull, hands, feet and what
    a map `rigid` marks stay with the bones.

    A step looks at all pulls once, and makes skin heavier where it would outrun the step (`kernels.implicit`). While a
    hand holds it, a step is `iterations` sweeps (`kernels.springs`), so that skin follows the hand sweep by sweep.

    Limits: skin that touches skin is not seen. No vertex goes farther from where it hangs than `max_offset` of its
    distance from the bone, and edges swing by little more than a fifth of that share of their length, except in a hand.
    """

    command_name: ClassVar[str] = "spring-dynamics"
    renamed: ClassVar[Mapping[str, str]] = RENAMED["spring-dynamics"]
    live: ClassVar[frozenset[str]] = LIVE | {"frequency", "inertia", "damping", "max_offset"}
    cached: ClassVar[bool] = True
    maps: ClassVar[Mapping[str, MapInfo]] = MappingProxyType(
        {
            JIGGLE_MAP: MapInfo("How loose skin is: 0 answers at once, 1 swings"),
            FLESH_MAP: MapInfo("How deep flesh lies over what is hard, where no jiggle is painted", high=0.5, unit="m"),
            RIGID_MAP: ANATOMY[RIGID_MAP],
            **STIFFNESS_MAPS,
            **REACH_MAPS,
        }
    )
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "flesh": {},
            "cartoon": {
                "frequency": 3.2, "damping": 0.06, "inertia": 1.0, "max_offset": 0.6,
                "stiffness": {"radius": 0.15, "twist": 0.15, "bones": 0.0},
            },
            # The text's four forces from a rigid start, and each step relaxed from the last; it gives no stiffness.
            "published": {
                "base": "rigid", "frequency": 0.0, "stiffness": {
                    "edges": 7.5, "relative_radius": 7.5, "bend": 7.5, "bones": 7.5, "radius": 0.0, "twist": 0.0,
                },
            },
        }
    )  # fmt: skip

    iterations: int = setting(8, "Sweeps per simulation step, or what stands for them", low=1, high=1000)
    frequency: float = setting(4.5, "Pace at which loose skin swings; 0 for no momentum", unit="Hz", low=0.0, high=60.0)
    damping: float = setting(0.15, "Damping of the swing; at 1 it would not overshoot", low=0.0, high=10.0)
    inertia: float = setting(0.7, "How much skin stays behind when bones speed up", low=0.0, high=1.0)
    max_offset: float = setting(
        0.5, "How far skin may swing, as a share of its distance from the bone", low=0.0, high=2.0
    )
    stiffness: LooseStiffness = group(LooseStiffness, "Stiffness of springs; only ratios count")

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> SpringBinding:
        if JIGGLE_MAP not in character.maps:
            _ = character.body_shape  # states read it: what is found here is kept with the binding
        return self.bind_springs(character, device)

    def rebind(self, binding: SpringBinding, character: Character, device: str) -> SpringBinding:
        return binding.rebind(character)

    def usual_map(self, binding: SpringBinding, character: Character, name: str) -> FloatArray:
        distance = binding.attached_skin.usual.rest_lengths
        if name == JIGGLE_MAP:
            return skin_softness(character, distance)
        if name == FLESH_MAP:
            return usual_flesh(distance, body_sizes(character))
        if name == RIGID_MAP:
            return character.body_shape.rigid
        own = binding.attached_skin.usual_map(name)
        return super().usual_map(binding, character, name) if own is None else own

    def allocate(self, binding: SpringBinding) -> DynamicsState:
        state = DynamicsState(binding, self)
        stepping.measure_rest(state.springs)
        return state

    def reshape(self, binding: SpringBinding, state: DynamicsState) -> DynamicsState:
        if not state.reshape(binding):
            fresh = self.allocate(binding)
            fresh.go_on_from(state)
            state = fresh
        state.tune(self)
        stepping.pose_again(state)
        return state

    def forces(self, binding: SpringBinding, state: DynamicsState) -> DevicePoints:
        forces = state.springs.forces(state.last_buffer)
        state.hands.add_forces(forces)
        return forces

    def hold(self, binding: SpringBinding, state: DynamicsState, pulls: Sequence[Pull]) -> None:
        state.hold(pulls)

    def start(self, binding: SpringBinding, pose: Pose, incoming: DevicePoints | None) -> DynamicsState:
        state = self.allocate(binding)
        stepping.start(self, state, pose, incoming)
        return state

    def advance(
        self, binding: SpringBinding, state: DynamicsState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose, incoming)
