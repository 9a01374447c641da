"""Springs in time: the skin starts from where it was, lags behind the bones, swings and sends waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.painted_map import MapInfo
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED
from supple.skins.springs import step as stepping
from supple.skins.springs.binding import JIGGLE_MAP, REACH_MAPS, STIFFNESS_MAPS, SpringBinding
from supple.skins.springs.dynamics_state import DynamicsState
from supple.skins.springs.settings import LIVE, SpringSettings


@dataclass(frozen=True, kw_only=True)
class SpringDynamics(SpringSettings, PullableSkin[SpringBinding, DynamicsState]):
    """The springs of `SpringRig` in time: each step starts from the last result, taken along by the joints' change.

    With `speed` above zero the springs have momentum: waves run over the skin about that fast (never faster than the
    mesh can carry them, one edge per sweep), and flesh that the bones accelerate stays behind by `inertia` and swings
    until `damping` has eaten it. With `speed` zero each step only relaxes, as published for frame-dependent rigs.
    A map `jiggle`, 0 to 1, says where skin is loose; without it all of it is.

    Limits: skin that touches skin is not seen; a vertex never leaves its place on the bones by more than its distance
    from them.
    """

    command_name: ClassVar[str] = "spring-dynamics"
    renamed: ClassVar[Mapping[str, str]] = RENAMED["spring-dynamics"]
    live: ClassVar[frozenset[str]] = LIVE | {"speed", "inertia", "damping"}
    cached: ClassVar[bool] = True
    maps: ClassVar[Mapping[str, MapInfo]] = MappingProxyType(
        {
            JIGGLE_MAP: MapInfo("How loose skin is: 0 answers at once, 1 swings", default=1.0),
            **STIFFNESS_MAPS,
            **REACH_MAPS,
        }
    )
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    iterations: int = setting(8, "Sweeps per simulation step", low=1, high=1000)
    speed: float = setting(0.5, "How fast waves run over the skin; 0 for no momentum", unit="m/s", low=0.0, high=1e6)
    inertia: float = setting(0.5, "How much skin stays behind when bones speed up", low=0.0, high=1.0)
    damping: float = setting(5.0, "How fast swinging dies away", unit="1/s", low=0.0, high=1e6)

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> SpringBinding:
        return self.bind_springs(character, device)

    def rebind(self, binding: SpringBinding, character: Character, device: str) -> SpringBinding:
        return binding.rebind(character)

    def usual_map(self, binding: SpringBinding, character: Character, name: str) -> FloatArray:
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
        stepping.start(state, pose, incoming)
        return state

    def advance(
        self, binding: SpringBinding, state: DynamicsState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose)
