"""The multi-layer lattice: voxels of bone, muscle, fat and skin that hold together and lag behind the bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.skin_anatomy import usual_flesh
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.settings import group, setting, settings_of, table_of
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.lattice import step as stepping
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.parameters import LatticeParameters
from supple.skins.lattice.settings import (
    LAYERS,
    SKIN,
    AnatomySettings,
    Dynamics,
    Layer,
    Solve,
    Voxels,
    by_layer,
    inner_layers,
)
from supple.skins.lattice.shape_matching.solver import MOST_LAYERS
from supple.skins.lattice.state import LatticeState
from supple.skins.lattice.voxelize.cells import COARSEST, WHERE
from supple.skins.lattice.voxelize.layers import check_layers, usual_fatness
from supple.skins.painted_map import ANATOMY, MapInfo, maps_of
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED

_KINEMATIC = (LinearBlend, DualQuaternion, RotationCenters)
_BASES: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in _KINEMATIC}
_BY_LAYER = ("stiffness", "frequency", "damping", "velocity_retention", "follow")
_FIXED = {
    "step", "base", "voxels.resolution", "voxels.width", "voxels.neighbors", "voxels.weights", "voxels.surface",
}  # fmt: skip
_PUBLISHED = MappingProxyType(
    {
        "frequency": "0", "follow": "0.85", "max_offset": 1000.0, "gravity": 0.0, "iterations": 1, "step": 1.0 / 30.0,
        "neighbors": "edges-corners", "stretch": 1.0, "volume": 1.0, "weights": "bones", "surface": "trilinear",
        "firm_parts": False, "limb_volume": 0.0, "keep_volume": False,
    }
)  # fmt: skip


def _published(resolution: int, width: int, stiffness: str, velocity_retention: str) -> Mapping[str, Any]:
    own = {"resolution": resolution, "width": width, "stiffness": stiffness, "velocity_retention": velocity_retention}
    return MappingProxyType({**_PUBLISHED, **own})


@dataclass(frozen=True, kw_only=True)
class LayeredLattice(PullableSkin[LatticeBinding, LatticeState]):
    """Fill the body with voxels in layers: bone follows the skeleton, muscle, fat and skin lag, swing and keep shape.

    Every step the bones carry the voxels as a kinematic skin would. Free layers swing about that place, each at its own
    `frequency`. Then neighbours hold each other at their distance, voxels keep their volume, and overlapping regions of
    `width` voxels fit their rest shape to where their voxels are and pull them towards it: by `stiffness`, layer by
    layer [Iwamoto2015]. The skin goes along with the voxels around it.

    The published method knows no swing: bones pull the flesh through the lattice alone (`frequency="0"`). One pass
    moves a pull by one region, so that what is far from a bone is left behind (`follow="0"`, as published); `follow`
    lets such layers start from a share of the motion of their bones. The presets named after the published characters
    have their numbers, and follow by 0.85. Stiffness above one is read as a ratio: as written it diverges.

    Numbers by layer are rows, `layers={"fat": Layer(stiffness=0.2)}`, or columns, `stiffness="0.5, muscle=0.9"`: a
    number for all, then numbers by name.

    Limits: one-way, the skeleton does not feel the flesh; skin that meets skin is not parted; details smaller than a
    voxel move as their voxel does.
    """

    command_name: ClassVar[str] = "lattice"
    cached: ClassVar[bool] = True
    renamed: ClassVar[Mapping[str, str]] = RENAMED["lattice"]
    papers: ClassVar[tuple[str, ...]] = (
        "Iwamoto, Shum, Yang and Morishima 2015, Multi-layer lattice model for real-time dynamic character deformation",
        "Rivers and James 2007, FastLSM: fast lattice shape matching for robust real-time deformation",
        "Dionne and de Lasa 2013, Geodesic voxel binding for production character meshes",
        "Mueller, Bender, Chentanez and Macklin 2016, A robust method to extract the rotational part of deformations",
    )
    maps: ClassVar[Mapping[str, MapInfo]] = maps_of(
        jiggle=MapInfo("How far flesh may swing: 0 goes with the bones, 1 swings as it is", default=1.0),
        fatness=MapInfo("Share of the flesh that is the outermost inner layer, which is fat"),
        flesh=MapInfo("How deep flesh lies over what is hard", high=0.5, unit="m"),
        **ANATOMY,
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "soft": MappingProxyType(
                {"frequency": "4, muscle=5, fat=2.2, skin=3", "damping": "0.12", "max_offset": 0.8}
            ),
            "firm": MappingProxyType(
                {"frequency": "8, muscle=10, fat=5, skin=6", "damping": "0.35", "max_offset": 0.3}
            ),
            "live": MappingProxyType({"steady": 3.0}),
            "bunny": _published(32, 3, "muscle=1.8, fat=0.5, skin=1.7", "muscle=0.6, fat=0.5, skin=0.4"),
            "smurf": _published(64, 3, "muscle=3.2, fat=1.2, skin=2.8", "muscle=0.4, fat=0.5, skin=0.7"),
            "bloat": _published(32, 3, "muscle=3.3, fat=0.7, skin=3.0", "muscle=0.7, fat=0.5, skin=0.6"),
            "bloat-low": _published(16, 2, "muscle=1.9, fat=0.9, skin=1.3", "muscle=0.6, fat=0.4, skin=0.3"),
        }
    )

    step: float = setting(1.0 / 60.0, "Simulation step", unit="s", low=1e-4, high=0.1)
    base: str = setting("linear", "The kinematic skin below", choices=tuple(_BASES))
    secondary: bool = setting(True, "Flesh lags and swings; else all of it follows the bones")
    steady: float = setting(
        0.0,
        "Let only slower motion of the bones through; 0 lets all; else no stage before it counts",
        unit="Hz",
        low=0.0,
        high=30.0,
    )
    layers: Mapping[str, Layer] = table_of(Layer, LAYERS, "Layers of flesh, from inside out", names="layer")
    voxels: Voxels = group(Voxels, "The voxels, and how the skin hangs on them")
    anatomy: AnatomySettings = group(AnatomySettings, "What of the body is bone, fat and skin")
    dynamics: Dynamics = group(Dynamics, "What pulls at the flesh, and how far it may go")
    solve: Solve = group(Solve, "How much the lattice repairs in a step")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.parameters()
        if 0 < self.voxels.resolution < COARSEST:
            raise InputError(
                WHERE,
                f"resolution is {self.voxels.resolution}",
                f"{COARSEST} voxels or more are needed, or 0 for as many as the trunk needs",
                "leave it out",
            )
        if len(self.layer_names()) >= MOST_LAYERS:
            raise InputError(
                WHERE,
                f"there are {len(self.layer_names())} layers",
                f"{MOST_LAYERS - 1} at most, the skin among them, are needed",
                "give some of them no thickness",
            )

    def layer_names(self) -> tuple[str, ...]:
        """The layers that are not bone, from inside out."""
        return (*inner_layers(self.layers), *((SKIN,) if self.anatomy.skin_layer else ()))

    def parameters(self) -> LatticeParameters:
        """What may change while it plays, as the solver takes it; bone comes first and never moves by itself."""
        names = self.layer_names()
        return LatticeParameters(
            gravity=self.dynamics.gravity,
            rest_includes_gravity=self.dynamics.rest_includes_gravity,
            max_offset=self.dynamics.max_offset,
            stretch=self.solve.stretch,
            volume=self.solve.volume,
            secondary=self.secondary,
            **{what: (0.0, *by_layer(self.layers, what, names)) for what in _BY_LAYER},
        )

    def check_for(self, character: Character) -> None:
        check_layers(character, self.anatomy.bone_width, self.anatomy.fatness)

    def region_names(self) -> tuple[str, ...]:
        return (*self.anatomy.bone_width.named, *self.anatomy.fatness.named)

    def usual_map(self, binding: LatticeBinding, character: Character, name: str) -> FloatArray:
        if name == "flesh":
            return usual_flesh(character)
        if name in ANATOMY:
            return np.asarray(getattr(character.body_shape, name))
        if name != "fatness":
            return super().usual_map(binding, character, name)
        body = binding.body
        return usual_fatness(character, body.lattice, body.depths, self.anatomy.fatness)[body.lattice.vertex_nodes]

    def base_skin(self) -> Skin[Any, Any] | None:
        return None if self.voxels.surface == "trilinear" or self.steady > 0.0 else self.driving_skin()

    @property
    def coasts(self) -> bool:
        """After a pause flesh settles anew where the bones are."""
        return True

    def takes_incoming(self) -> bool:
        return self.voxels.surface != "trilinear"

    def needs_incoming(self) -> bool:
        return False  # it poses the skin below itself where no stage does

    def driving_skin(self) -> Skin[Any, Any]:
        """The kinematic skin below."""
        return _BASES[self.base]()

    def bind(self, character: Character, device: str) -> LatticeBinding:
        return LatticeBinding.from_character(character, self, device)

    def allocate(self, binding: LatticeBinding) -> LatticeState:
        return LatticeState(binding, self)

    def rebind(self, binding: LatticeBinding, character: Character, device: str) -> LatticeBinding:
        return binding.reshaped(character)

    def reshape(self, binding: LatticeBinding, state: LatticeState) -> LatticeState:
        state.reshape(binding, self)
        return state

    def start(self, binding: LatticeBinding, pose: Pose, incoming: DevicePoints | None) -> LatticeState:
        state = self.allocate(binding)
        stepping.start(self, state, pose, incoming)
        return state

    def advance(
        self, binding: LatticeBinding, state: LatticeState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose, dt, incoming)

    def forces(self, binding: LatticeBinding, state: LatticeState) -> DevicePoints:
        return state.forces(self)

    def hold(self, binding: LatticeBinding, state: LatticeState, pulls: Sequence[Pull]) -> None:
        state.hold(pulls)


LayeredLattice.pushes = frozenset({"dynamics.gravity", "layers.damping"})
LayeredLattice.live = frozenset(info.name for info in settings_of(LayeredLattice)) - _FIXED
