"""Spring rig: a skin that is let go and comes to rest between springs along its surface and springs to its bones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from supple.character.character import Character
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.base import DevicePoints, Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.springs.attachment.attachment import METHODS
from supple.skins.springs.binding import SpringBinding
from supple.skins.springs.incremental_rotation import IncrementalRotation
from supple.skins.springs.state import RigState
from supple.skins.springs.step import measure_rest, relax

OWN_BASE = "incremental"
_BASES: dict[str, Callable[[], Skin[Any, Any]]] = {
    OWN_BASE: IncrementalRotation,
    "rigid": partial(IncrementalRotation.preset, "rigid"),
    "linear": LinearBlend,
    "dual-quaternion": DualQuaternion,
    "rotation-centers": RotationCenters,
}


@dataclass(frozen=True, kw_only=True)
class SpringSettings(Settings):
    """What the artist chooses about springs. Stiffness counts by its ratios; a map `stiffness`, or one named after a
    spring (`stiffness_edges`), multiplies it vertex by vertex."""

    base: str = setting("incremental", "The skin it starts from, where a graph gives it none", choices=tuple(_BASES))
    binding: str = setting("automatic", "How vertices are hung on bones", choices=METHODS)
    iterations: int = setting(50, "Sweeps over the skin", low=1, high=100_000)
    edges: float = setting(1.0, "Stiffness of edges", low=0.0, high=1e12)
    lengths: float = setting(0.5, "Stiffness of lengths beside those of neighbours", low=0.0, high=1e12)
    turns: float = setting(1.0, "Stiffness of angles between neighbours", low=0.0, high=1e12)
    girth: float = setting(4.0, "Stiffness of distances from the bone", low=0.0, high=1e12)
    bones: float = setting(0.1, "Stiffness of angles to the bone", low=0.0, high=1e12)
    hold: float = setting(2.0, "How firmly bones keep their own twist", low=0.0, high=1e12)

    def takes_incoming(self) -> bool:
        """Any shape will do to start from."""
        return True

    def first_stage(self) -> Skin[Any, Any] | None:
        """The skin that comes first; None where that is the skin that springs pose for themselves."""
        return None if self.base == OWN_BASE else _BASES[self.base]()

    def bind_springs(self, character: Character, device: str) -> SpringBinding:
        """Hang a character on its bones and measure it."""
        attached = IncrementalRotation(binding=self.binding).bind(character, device)
        return SpringBinding.from_attached_skin(attached, self)


@dataclass(frozen=True, kw_only=True)
class SpringRig(SpringSettings, Skin[SpringBinding, RigState]):
    """Start from a kinematic skin and let springs pull every vertex to where they balance [Toothman2020, Sec. 4.2].

    Four springs from the paper (edge lengths, scale vector lengths beside their neighbours', angles between
    neighbouring scale vectors, angles to the bone) and two that make the balance unique: `girth`, the distance from
    the bone itself, without which a whole ring may shrink together, and `hold`, the twist about the bone, without
    which a twisted limb unwinds for ever.

    A sweep moves each vertex by `pace` times the pull on it, at most to the mean of where its springs want it, and on
    by `swing` of its last move while that helps. So no stiffness and no pace makes it diverge, and fifty sweeps do the
    work of several hundred. It stops after `iterations` sweeps, or earlier when `until` says so: by the largest
    `movement` (against `threshold` times the smallest side of the rest shape), by the largest `force` likewise, or at
    the least `energy`; it looks every ten sweeps. Stopping early saves time and costs a little of the promise that a
    pose carried elsewhere gives the same skin there: rounding may decide about ten sweeps more or less.

    Morph targets change what the springs know as rest, so they come out whole; edits are wishes, and springs weigh in.

    Limits: skin that touches skin is not seen; sweeps reach as many edges far as there are sweeps, so very fine meshes
    should start from a smooth skin; where fifty sweeps do not bring a deep fold to rest, rounding shows there, by up to
    0.3 mm on a body of two metres, when a pose is carried elsewhere. For motion after the motion see `SpringDynamics`.
    """

    command_name: ClassVar[str] = "springs"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Toothman and Neff 2019, Spring rigs for skinning",
        "Toothman 2020, Expressive skinning methods for 3D character animation",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            # Rigid start, the four forces of the text, 1/30 of the force in each of at most 50 sweeps. It gives no
            # stiffness; 7.5 each puts their sum at the edge of what is stable.
            "published": {
                "base": "rigid", "pace": 1.0 / 30.0, "swing": 0.0, "edges": 7.5, "lengths": 7.5, "turns": 7.5,
                "bones": 7.5, "girth": 0.0, "hold": 0.0, "until": "movement",
            },
        }
    )  # fmt: skip

    pace: float = setting(1e3, "Move per pull; more than the safe step is cut", unit="1/stiffness", low=0.0, high=1e12)
    swing: float = setting(0.9, "Share of the last move that is kept", low=0.0, high=0.98)
    until: str = setting("sweeps", "When to stop early", choices=("sweeps", "movement", "force", "energy"))
    threshold: float = setting(1e-4, "Movement or force, of the smallest side, that is rest", low=0.0, high=1.0)

    def base_skin(self) -> Skin[Any, Any] | None:
        return self.first_stage()

    def bind(self, character: Character, device: str) -> SpringBinding:
        return self.bind_springs(character, device)

    def allocate(self, binding: SpringBinding) -> RigState:
        state = RigState(binding, self)
        measure_rest(state.springs)
        return state

    def deform(
        self, binding: SpringBinding, state: RigState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return relax(self, state, pose, incoming)
