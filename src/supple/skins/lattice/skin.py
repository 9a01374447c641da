"""The multi-layer lattice: voxels of bone, muscle, fat and skin that hold together and lag behind the bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import setting, settings_of
from supple.skins.base import DevicePoints, PullableSkin, Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.lattice import step as stepping
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.parameters import LatticeParameters, by_layer, inner_layers
from supple.skins.lattice.state import LatticeState
from supple.skins.lattice.voxelize.cells import SETS
from supple.skins.lattice.voxelize.layers import check_layers
from supple.skins.pull import Pull
from supple.skins.renamed import RENAMED

_BASES: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}
_RANGES = {
    "stiffness": (0.0, 100.0),
    "frequency": (0.0, 30.0),
    "damping": (0.0, 0.99),
    "kept": (0.0, 1.0),
    "follow": (0.0, 1.0),
}  # of the settings that have a number for every layer
_FIXED = {
    "step", "resolution", "width", "neighbors", "bone_width", "fatness", "firm_parts", "layers", "skin_layer",
    "weights", "surface",
    "base", "steady",
}  # fmt: skip
_PUBLISHED = MappingProxyType(
    {
        "frequency": "0", "follow": "0.85", "reach": 1000.0, "gravity": 0.0, "iterations": 1, "step": 1.0 / 30.0,
        "neighbors": "edges-corners", "stretch": 1.0, "volume": 1.0, "weights": "bones", "surface": "trilinear",
        "firm_parts": False, "keep_volume": False,
    }
)  # fmt: skip


def _published(resolution: int, width: int, stiffness: str, kept: str) -> Mapping[str, Any]:
    own = {"resolution": resolution, "width": width, "stiffness": stiffness, "kept": kept}
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

    Settings by layer are written "0.5, muscle=0.9, fat=0.3": a number for all, then numbers by name.

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
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "soft": MappingProxyType({"frequency": "4, muscle=5, fat=2.2, skin=3", "damping": "0.12", "reach": 0.8}),
            "firm": MappingProxyType({"frequency": "8, muscle=10, fat=5, skin=6", "damping": "0.35", "reach": 0.3}),
            "live": MappingProxyType({"steady": 3.0}),
            "bunny": _published(32, 3, "muscle=1.8, fat=0.5, skin=1.7", "muscle=0.6, fat=0.5, skin=0.4"),
            "smurf": _published(64, 3, "muscle=3.2, fat=1.2, skin=2.8", "muscle=0.4, fat=0.5, skin=0.7"),
            "bloat": _published(32, 3, "muscle=3.3, fat=0.7, skin=3.0", "muscle=0.7, fat=0.5, skin=0.6"),
            "bloat-low": _published(16, 2, "muscle=1.9, fat=0.9, skin=1.3", "muscle=0.6, fat=0.4, skin=0.3"),
        }
    )

    step: float = setting(1.0 / 60.0, "Simulation step", unit="s", low=1e-4, high=0.1)
    resolution: int = setting(64, "Voxels along the longest side of the body", low=4, high=512)
    width: int = setting(3, "Voxels along the side of a region", low=1, high=64)
    iterations: int = setting(1, "Passes over the lattice in a step", low=0, high=100)
    warm_up: int = setting(30, "Steps in which the first pose settles", low=0, high=1000)
    layers: str = setting("muscle=0.6, fat=0.4", "Layers between bone and skin, from inside out, with their shares")
    skin_layer: bool = setting(True, "The outermost voxels are a layer of their own")
    bone_width: str = setting("auto", "How many voxels around the bones are bone, such as auto, belly=1")
    firm_parts: bool = setting(True, "Head, hands and feet stay as the bones carry them, where names tell them")
    fatness: str = setting("auto", "Share of the outermost inner layer, such as auto, belly=0.8")
    stiffness: str = setting("0.6, muscle=0.9, fat=0.3, skin=0.7", "How much shape one pass restores, by layer")
    frequency: str = setting("5, muscle=7, fat=3, skin=4", "Pace of the swing [Hz], by layer; 0 for none")
    damping: str = setting("0.2", "Damping of the swing, by layer; at 1 it would not overshoot")
    kept: str = setting("1", "Share of its velocity that flesh keeps in 1/30 s, by layer")
    follow: str = setting("0.85", "Share of the bones' motion that layers without a swing start from")
    reach: float = setting(0.5, "How far flesh may go, as a share of its distance to the bone", low=0.0, high=1000.0)
    stretch: float = setting(0.5, "How much of a wrong distance one pass repairs", low=0.0, high=1.0)
    volume: float = setting(0.5, "How much of a wrong volume one pass repairs", low=0.0, high=1.0)
    neighbors: str = setting("all", "Neighbours that keep their distance", choices=tuple(SETS))
    gravity: float = setting(9.81, "Gravity", unit="m/s²", low=0.0, high=100.0)
    sculpted: bool = setting(True, "The rest shape already hangs as gravity wants it")
    keep_volume: bool = setting(True, "Close the volume error of the whole skin, along its normals")
    secondary: bool = setting(True, "Flesh lags and swings; else all of it follows the bones")
    weights: str = setting("carried", "Weights of voxels: the skin's own, or by bones", choices=("carried", "bones"))
    surface: str = setting(
        "smooth",
        "How the skin hangs on voxels; trilinear takes nothing from the skin below",
        choices=("smooth", "linear", "trilinear"),
    )
    base: str = setting("linear", "The kinematic skin below", choices=tuple(_BASES))
    steady: float = setting(
        0.0,
        "Let only slower motion of the bones through; 0 lets all; else no stage before it counts",
        unit="Hz",
        low=0.0,
        high=30.0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.parameters()

    def layer_names(self) -> tuple[str, ...]:
        """The layers that are not bone, from inside out."""
        return (*inner_layers(self.layers), *(("skin",) if self.skin_layer else ()))

    def parameters(self) -> LatticeParameters:
        """What may change while it plays, as the solver takes it; bone comes first and never moves by itself."""
        names = self.layer_names()
        layered = {
            what: (0.0, *by_layer(what, getattr(self, what), names, low=low, high=high))
            for what, (low, high) in _RANGES.items()
        }
        return LatticeParameters(
            gravity=self.gravity,
            rest_includes_gravity=self.sculpted,
            max_offset=self.reach,
            stretch=self.stretch,
            volume=self.volume,
            secondary=self.secondary,
            velocity_retention=layered.pop("kept"),
            **layered,
        )

    def check_for(self, character: Character) -> None:
        check_layers(character, self.bone_width, self.fatness)

    def base_skin(self) -> Skin[Any, Any] | None:
        return None if self.surface == "trilinear" or self.steady > 0.0 else self.driving_skin()

    def driving_skin(self) -> Skin[Any, Any]:
        """The kinematic skin below."""
        return _BASES[self.base]()

    def bind(self, character: Character, device: str) -> LatticeBinding:
        return LatticeBinding.from_character(character, self, device)

    def allocate(self, binding: LatticeBinding) -> LatticeState:
        return LatticeState(binding, self)

    def start(self, binding: LatticeBinding, pose: Pose, incoming: DevicePoints | None) -> LatticeState:
        state = self.allocate(binding)
        stepping.start(self, state, pose, incoming)
        return state

    def advance(
        self, binding: LatticeBinding, state: LatticeState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        return stepping.advance(self, state, pose, dt, incoming)

    def hold(self, binding: LatticeBinding, state: LatticeState, pulls: Sequence[Pull]) -> None:
        state.hold(pulls)


LayeredLattice.live = frozenset(info.name for info in settings_of(LayeredLattice)) - _FIXED
