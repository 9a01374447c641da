"""Pose-space deformation: a skin that plays what it has learnt from another one, as a function of the pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.examples import BASE_SKINS, TEACHERS
from supple.skins.pose_space.binding import PoseSpaceBinding
from supple.skins.pose_space.model import PoseSpaceModel
from supple.skins.pose_space.self_training import self_train
from supple.skins.pose_space.state import PoseSpaceState

PAPERS = (
    "Lewis, Cordner and Fong 2000, Pose space deformation: a unified approach to shape interpolation and "
    "skeleton-driven deformation",
    "Kry, James and Pai 2002, EigenSkin: real time large deformation character skinning in hardware",
)


@dataclass(frozen=True, kw_only=True)
class PoseSpaceSettings(Settings):
    """What both skins of pose-space deformation share: a model they were given, or how they teach themselves."""

    base: str = setting("linear", "The kinematic skin below, without a model", choices=tuple(BASE_SKINS))
    teacher: str = setting("delta-mush", "The skin it learns from, without a model", choices=tuple(TEACHERS))
    model: str = setting("", "The trained model: a file of fit-pose-space on the command line, else its digest")
    trained: PoseSpaceModel | None = None
    """What it has learnt; `model` is then its digest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trained is not None:
            object.__setattr__(self, "model", self.trained.digest)
            object.__setattr__(self, "base", self.trained.base)

    def model_for(self, character: Character) -> PoseSpaceModel:
        """The model it was given, or one that it teaches itself now."""
        if self.trained is not None:
            self.trained.check_fits(character)
            return self.trained
        if self.model:
            raise InputError(
                type(self).__name__,
                f"it was saved with the model {self.model}",
                "the model itself is needed",
                "give it again: --model FILE, or trained=load_pose_space(FILE) in Python",
            )
        return self_train(character, base=self.base, teacher=self.teacher)


@dataclass(frozen=True, kw_only=True)
class PoseSpace(PoseSpaceSettings, Skin[PoseSpaceBinding, PoseSpaceState]):
    """Play what another skin does at about the cost of linear blend, from bakes of it   [Lewis2000].

    Offsets are added to the rest pose and carried by a kinematic skin,
        x = skin(v + sum_k a_k(pose) B_k),
    where B_k are principal components of what the other skin did, part by part   [Kry2002], and a_k a regression on
    the rotations of the joints near the part and the direction of gravity, with a Gaussian kernel and a ridge.

    Without a model (`trained`, made by `fit_pose_space`) it teaches itself when it is bound, from the kinematic skin
    `teacher` in poses with joints turned at random.

    Limits: it knows the pose and nothing else, so it does not swing (see `PoseSpaceDynamics`) and meets nothing. Far
    from everything it has learnt it fades into the skin below.
    """

    command_name: ClassVar[str] = "pose-space"
    cached: ClassVar[bool] = True
    stackable: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = PAPERS

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

    def deform(
        self, binding: PoseSpaceBinding, state: PoseSpaceState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.pose(pose)
