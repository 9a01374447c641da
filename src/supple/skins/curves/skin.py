"""Curve network: a skin that plays what it has learnt from another one, by curves along its limbs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.curves.binding import CurveBinding
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.radial_space import BEYOND, POWERS
from supple.skins.curves.learn.self_training import self_train
from supple.skins.curves.state import CurveState
from supple.skins.curves.step import step
from supple.skins.examples import BASE_SKINS, TEACHERS

PAPERS = (
    "Chaudhry 2015, Skin deformation and animation of character models based on static and dynamic ordinary "
    "differential equations",
    "Lewis, Cordner and Fong 2000, Pose space deformation: a unified approach to shape interpolation and "
    "skeleton-driven deformation",
)


@dataclass(frozen=True, kw_only=True)
class CurveSettings(Settings):
    """What both skins of curves share: a model they were given, or how they teach themselves without one."""

    base: str = setting("dual-quaternion", "The kinematic skin below, without a model", choices=tuple(BASE_SKINS))
    teacher: str = setting("delta-mush", "The skin it learns from, without a model", choices=tuple(TEACHERS))
    detail: float = setting(0.25, "Nodes of curves per vertex, without a model", low=0.01, high=4.0)
    blend: str = setting("smooth", "How it goes from example to example, without a model", choices=tuple(POWERS))
    beyond: str = setting("ease", "What it does past the last example, without a model", choices=BEYOND)
    model: str = setting("", "The trained model: a file of fit-curves on the command line, else its digest")
    trained: CurveModel | None = None
    """What it has learnt; `model` is then its digest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trained is not None:
            object.__setattr__(self, "model", self.trained.digest)

    def first_stage(self) -> Skin[Any, Any]:
        """The kinematic skin that the curves correct."""
        return BASE_SKINS[self.base if self.trained is None else self.trained.base]()

    def model_for(self, character: Character) -> CurveModel:
        """The model it was given, or one that it teaches itself now."""
        if self.trained is not None:
            self.trained.check_fits(character)
            return self.trained
        if self.model:
            raise InputError(
                type(self).__name__,
                f"it was saved with the model {self.model}",
                "the model itself is needed",
                "give it again: --model FILE, or trained=load_curves(FILE) in Python",
            )
        return self_train(
            character, base=self.base, teacher=self.teacher, detail=self.detail, blend=self.blend, beyond=self.beyond
        )


@dataclass(frozen=True, kw_only=True)
class CurveNetwork(CurveSettings, Skin[CurveBinding, CurveState]):
    """Play what another skin does at a fraction of its cost, from a few of its frames.

    Curves run along every limb, and in each example they are where the other skin has them. This is pose-space
    deformation [Lewis2000] with curves to hold the shapes: the turns of the joints say how much of each example there
    is, by radial basis functions, and the mesh goes along:
        q = sum_e w_e(pose) q_e,   x = base + R (T q)   [Chaudhry2015, Eq. 5.1 and 5.14]
    q are offsets from a kinematic skin, turned back to rest, so that limbs turn and twist as that skin does. The beams
    of the source, a1 q'''' = sum_e w_e F_e with F_e = a1 q_e'''', have this q as their solution, so none is solved.

    Without a model (`trained`, made by `fit_curves`) it teaches itself when it is bound, from the kinematic skin
    `teacher` with every joint turned by itself.

    Limits: it knows the pose and nothing else, so it does not swing (see `CurveDynamics`) and meets nothing; poses far
    from all examples get about what the nearest border of the learnt poses has. Detail finer than the curves are apart
    comes from the skin below. `PoseSpace` holds the same shapes closer, and in a smaller model.
    """

    command_name: ClassVar[str] = "curves"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = PAPERS

    def base_skin(self) -> Skin[Any, Any]:
        return self.first_stage()

    def check_for(self, character: Character) -> None:
        if self.trained is not None:
            self.trained.check_fits(character)

    def bind(self, character: Character, device: str) -> CurveBinding:
        return CurveBinding.from_model(self.model_for(character), character, device)

    def allocate(self, binding: CurveBinding) -> CurveState:
        return CurveState(binding)

    def rebind(self, binding: CurveBinding, character: Character, device: str) -> CurveBinding:
        return binding.reshaped(character)

    def reshape(self, binding: CurveBinding, state: CurveState) -> CurveState:
        return state  # what shapes do comes with the skin below

    def deform(
        self, binding: CurveBinding, state: CurveState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return step(state, pose, incoming)
