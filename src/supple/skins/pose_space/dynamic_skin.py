"""Pose-space deformation in time: the skin also knows how fast its joints turn and how they speed up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.motion.pose import Pose
from supple.settings import setting
from supple.skins.base import DevicePoints, SoftSkin
from supple.skins.pose_space.binding import PoseSpaceBinding
from supple.skins.pose_space.skin import PAPERS, PoseSpaceSettings
from supple.skins.pose_space.state import PoseSpaceState

_STEP = 1.0 / 30.0


@dataclass(frozen=True, kw_only=True)
class PoseSpaceDynamics(PoseSpaceSettings, SoftSkin[PoseSpaceBinding, PoseSpaceState]):
    """`PoseSpace` with the motion of the joints as inputs: flesh that lags behind is learnt as it lags.

    Angular velocity and acceleration of every joint are differences of the last two frames and this one, seen from the
    joint; how the skin answers them is learnt from bakes like everything else. `step` is the time between two frames of
    what it learnt from unless another one is given.

    Limits: it remembers two frames, so nothing swings on after the bones have come to rest for that long.
    """

    command_name: ClassVar[str] = "pose-space-dynamics"
    cached: ClassVar[bool] = True
    stackable: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = PAPERS

    step: float = setting(_STEP, "Simulation step", unit="s", low=1e-4, high=0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trained is not None and self.trained.interval > 0.0 and self.step == _STEP:
            object.__setattr__(self, "step", min(self.trained.interval, 0.1))

    @property
    def coasts(self) -> bool:
        return True

    def check_for(self, character: Character) -> None:
        if self.trained is not None:
            self.trained.check_fits(character.member if isinstance(character, Crowd) else character)

    def bind(self, character: Character, device: str) -> PoseSpaceBinding:
        return PoseSpaceBinding.from_model(self.model_for(character), character, device)

    def stack(self, binding: PoseSpaceBinding, crowd: Crowd) -> PoseSpaceBinding:
        return binding.stack(crowd)

    def allocate(self, binding: PoseSpaceBinding) -> PoseSpaceState:
        return PoseSpaceState(binding)

    def rebind(self, binding: PoseSpaceBinding, character: Character, device: str) -> PoseSpaceBinding:
        return binding.reshaped(character)

    def reshape(self, binding: PoseSpaceBinding, state: PoseSpaceState) -> PoseSpaceState:
        state.exchange(binding)
        return state

    def start(self, binding: PoseSpaceBinding, pose: Pose, incoming: DevicePoints | None) -> PoseSpaceState:
        state = self.allocate(binding)
        state.pose(pose, self.step)
        return state

    def advance(
        self, binding: PoseSpaceBinding, state: PoseSpaceState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.pose(pose, dt)
