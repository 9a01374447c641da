"""Soft articulated characters: a skeleton that moves by itself and feels what its skin meets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.errors import InputError, SuppleWarning
from supple.motion.pose import Pose
from supple.obstacles.shapes import RigidBody
from supple.settings import ByName, Item, by_name, group, setting
from supple.settings.by_name import DEFAULT
from supple.skins.base import DevicePoints, PullableSkin
from supple.skins.contact import step as stepping
from supple.skins.contact.binding import ContactBinding
from supple.skins.contact.control.cues import read_cues
from supple.skins.contact.control.directing import check_cues
from supple.skins.contact.model.elasticity import TISSUES, Tissue
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.plausible import odd_weight, unused_restitution, unused_tissue
from supple.skins.contact.readings import touched_pairs
from supple.skins.contact.scenes import SCENES, digest, scene_obstacles
from supple.skins.contact.settings import OWN, JointBounds, Layer, Muscles, joint_strengths, with_regions
from supple.skins.contact.state import ContactState
from supple.skins.contact_events import Records, no_records
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED

_LIMP = MappingProxyType(
    {
        "muscles": MappingProxyType({"strength": 0.0, "root_strength": 0.0}),
        "joints": MappingProxyType({"limits": "auto", "joint_damping": 4.0, "joint_friction": 0.1}),
    }
)
_WEAK = MappingProxyType({"strength": 0.3})


def _scene(name: str, **settings: Any) -> Mapping[str, Any]:
    return MappingProxyType({"scene": name, **settings})


@dataclass(frozen=True, kw_only=True)
class ArticulatedContact(PullableSkin[ContactBinding, ContactState]):
    """Let the skeleton follow its motion by muscles, in elastic flesh, so that what meets the skin moves the bones.

    Bones are links with the mass of their flesh, held together by joints. Muscles turn the joints towards the motion,
    from limp (`muscles.strength` 0) to rigid (1). Flesh is elastic, in physical units, and dents where it meets
    obstacles or itself; what pushes the flesh pushes the links, in one implicit step for both [Galoppo2007]:

        x = sum_i w_i (c_i + R_i (p + u - p_i)),   links (c, R) and displacements u of the flesh are unknown together.

    The skin stands on the bones as they are simulated. The changed motion is part of the result (`cache.motion`).

    Limits: flesh is linear, so very soft flesh that turns far against its bones swells. Who is pushed does not step
    aside to keep its balance: the root is drawn to its place in the world (`muscles.root_strength`), or falls.
    Obstacles meet the visible skin, its vertices and its triangles; skin meets skin at the border of the flesh, which
    is coarser. Take a `step` in which what is thrown comes less far than the limb that it hits is thick.
    """

    command_name: ClassVar[str] = "contact"
    cached: ClassVar[bool] = True
    renamed: ClassVar[Mapping[str, str]] = RENAMED["contact"]
    papers: ClassVar[tuple[str, ...]] = (
        "Galoppo, Otaduy, Tekin, Gross and Lin 2007, Soft articulated characters with fast contact handling",
        "Castro, Permenter and Han 2023, An unconstrained convex formulation of compliant contact",
        "Walker and Ni 2011, Anderson acceleration for fixed-point iterations",
        "Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang and Kaufman 2020, Incremental potential contact: "
        "intersection- and inversion-free, large-deformation dynamics",
    )
    simulates_skeleton: ClassVar[bool] = True
    records_contacts: ClassVar[bool] = True
    jumps: ClassVar[bool] = False
    live: ClassVar[frozenset[str]] = frozenset(
        {
            "muscles.strength",
            "muscles.root_strength",
            "muscles.gravity_compensation",
            "joints.limits",
            "joints.joint_damping",
            "joints.joint_stiffness",
            "joints.joint_friction",
            "gravity",
            "friction",
            "self_contact",
            "muscles.cues",
        }
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            **{name: MappingProxyType({"flesh": name}) for name in TISSUES},
            "limp": _LIMP,
            "thrown-ball": _scene("thrown-ball", flesh="fat", muscles=_WEAK, step=1.0 / 120.0),
            "push": _scene("push", muscles=_WEAK),
            "fall": _scene("fall", **_LIMP),
            "squeeze": _scene("squeeze", flesh="fat", muscles=_WEAK),
            "quadruped-ball": _scene(
                "quadruped-ball", flesh="fat", muscles={**_WEAK, "root_strength": 0.6}, step=1.0 / 120.0
            ),
            "tubes": _scene("tubes", muscles=_WEAK),
            "snake-push": _scene("snake-push", muscles={**_WEAK, "root_strength": 0.0}),
        }
    )

    step: float = setting(1.0 / 60.0, "Simulation step", unit="s", low=1e-4, high=0.1)
    elements: int = setting(8000, "Elements that fill the body", low=50, high=2_000_000)
    flesh: ByName[Tissue | str] = by_name(
        "muscle",
        "Tissue, and that of regions: fat, muscle, rubber, own; such as muscle, belly=fat",
        Item(Tissue, {**TISSUES, OWN: TISSUES["muscle"]}),
        names="region",
    )
    own: Tissue = group(Tissue, "The tissue of the name own")
    layer: Layer = group(Layer, "How flesh lies on the bones")
    muscles: Muscles = group(Muscles, "Muscles that follow the motion")
    joints: JointBounds = group(JointBounds, "How joints may turn")
    gravity: float = setting(9.81, "Gravity", unit="m/s²", low=0.0, high=1000.0)
    friction: float = setting(0.3, "Friction of skin on skin", low=0.0, high=10.0)
    self_contact: bool = setting(True, "Skin meets skin")
    scene: str = setting("", f"What it meets: {', '.join(SCENES)}; a scene file or glTF on the command line")
    obstacles: tuple[RigidBody, ...] = ()
    """What it meets, by the time since its first frame; `scene` then says which they are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "obstacles", tuple(self.obstacles))
        strange = [type(body).__name__ for body in self.obstacles if not isinstance(body, RigidBody)]
        if strange:
            raise InputError(
                WHERE,
                f"obstacles has a {strange[0]}",
                "obstacles are needed",
                "use Sphere, Capsule, Box, Plane, MovingMesh or BakedSkin",
            )
        if self.obstacles:
            if self.scene in SCENES:
                raise InputError(
                    WHERE, f"it has obstacles and the scene {self.scene!r}", "one of them is needed", "leave one out"
                )
            object.__setattr__(self, "scene", digest(self.obstacles))

    def tissues(self) -> tuple[Tissue, dict[str, Tissue]]:
        """The tissue of all flesh, and those of regions by name."""
        known = {**TISSUES, OWN: self.own}
        found = {name: known[tissue] if isinstance(tissue, str) else tissue for name, tissue in self.flesh.items()}
        return found.pop(DEFAULT, TISSUES["muscle"]), found

    def scene_for(self, character: Character) -> tuple[RigidBody, ...]:
        """What a character meets: the obstacles, or those of the built-in scene, which fit its size."""
        if self.obstacles or not self.scene:
            return self.obstacles
        if self.scene not in SCENES:
            raise InputError(
                WHERE,
                f"scene is {self.scene!r}",
                f"the built-in scenes are {', '.join(SCENES)}",
                "choose one, or read a file: obstacles=load_scene(FILE).obstacles",
            )
        return scene_obstacles(self.scene, character)

    def check_for(self, character: Character) -> None:
        with_regions(character, self.flesh.named)
        joint_strengths(self.muscles.strength, character.skeleton)
        for name in (*self.joints.limits.named, *self.joints.joint_stiffness.named):
            character.skeleton.index(name)
        self.scene_for(character)
        check_cues(read_cues(self.muscles.cues), character)
        for told in (*unused_tissue(self.own, self.flesh), *unused_restitution(self.obstacles)):
            warnings.warn(told, SuppleWarning, stacklevel=3)
        heavy = odd_weight(character, self.tissues()[0].density)
        if heavy:
            warnings.warn(heavy, SuppleWarning, stacklevel=3)

    def check_given(self, paths: Set[str]) -> None:
        if any(path.startswith("own.") for path in paths):
            for told in unused_tissue(self.own, self.flesh):
                raise InputError(WHERE, told, "flesh has to name it", "say flesh own, or belly=own of a region")

    def region_names(self) -> tuple[str, ...]:
        return tuple(self.flesh.named)

    def bind(self, character: Character, device: str) -> ContactBinding:
        return ContactBinding.from_character(character, self, device)

    def allocate(self, binding: ContactBinding) -> ContactState:
        return ContactState(binding, self)

    def rebind(self, binding: ContactBinding, character: Character, device: str) -> ContactBinding:
        found = binding.reshaped(character, self.flesh.named)
        return self.bind(character, device) if found is None else found

    def reshape(self, binding: ContactBinding, state: ContactState) -> ContactState:
        if binding.flesh is state.binding.flesh:
            state.reshape(binding)
            return state
        fresh = super().reshape(binding, state)
        fresh.memory.body.displacements[...] += fresh.rest_sag - state.rest_sag  # other flesh hangs otherwise
        return fresh

    def start(self, binding: ContactBinding, pose: Pose, incoming: DevicePoints | None) -> ContactState:
        state = self.allocate(binding)
        stepping.start(state, pose)
        return state

    def advance(
        self, binding: ContactBinding, state: ContactState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        if state.skin is not self:
            state.tune(self)
        return stepping.advance(state, pose, dt)

    def hold(self, binding: ContactBinding, state: ContactState, pulls: Sequence[Pull]) -> None:
        state.hold(pulls)

    def place(self, binding: ContactBinding, state: ContactState, name: str, body: RigidBody | None) -> None:
        state.place(name, body)

    def placed(self, binding: ContactBinding, state: ContactState) -> dict[str, tuple[RigidBody, FloatArray]]:
        return state.placed.now() if "placed" in vars(state) else {}

    def forces(self, binding: ContactBinding, state: ContactState) -> DevicePoints:
        return state.readings.forces(state.touched, state.hands.node_impulses())

    def contact_pressure(self, binding: ContactBinding, state: ContactState) -> Any:
        return state.readings.pressure(state.memory.pressed)

    def contact_records(self, binding: ContactBinding, state: ContactState) -> Records:
        return no_records() if state.touched is None else touched_pairs(*state.touched, state.joint_of_point)

    def body_names(self, binding: ContactBinding, state: ContactState) -> tuple[str, ...]:
        return state.body_names()

    def met_bodies(self, character: Character) -> tuple[RigidBody, ...]:
        return self.scene_for(character)

    def body_transforms(self, binding: ContactBinding, state: ContactState) -> FloatArray:
        return state.body_transforms()

    def simulated_joints(self, binding: ContactBinding, state: ContactState) -> FloatArray:
        return state.memory.bones
