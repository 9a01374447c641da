"""Position based skinning as it was published: its settings, with the published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.motion.pose import Pose
from supple.obstacles import RigidBody
from supple.settings import ByName, Number, Settings, by_name, group, setting, settings_of
from supple.skins.base import DevicePoints, Skin, SoftSkin
from supple.skins.position_based.bodies import bodies_identity, check_bodies, check_region_values
from supple.skins.position_based.published.algorithm import PublishedState
from supple.skins.position_based.published.binding import PublishedBinding
from supple.skins.position_based.published.soft_control import WHERE, check_regions
from supple.skins.position_based.settings import BASES, Collision

_FIXED = frozenset({"tetrahedra", "step", "base", "weights"})
_PAUSE = 0.5  # s: after a longer step nothing is left of the momentum before it


@dataclass(frozen=True, kw_only=True)
class Projection(Settings):
    """How stiff the constraints are: what each loses of its error when it is projected."""

    volume: float = setting(1.0, "Stiffness of volumes", low=0.0, high=1.0)
    bone_stiffness: float = setting(0.9, "Stiffness of the distance to the bone", low=0.0, high=1.0)
    stretch: float = setting(0.9, "Stiffness of edges", low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class PlaneContacts(Collision):
    """Where flesh is parted that meets itself at a joint."""

    contact_stiffness: float = setting(0.93, "How much of a contact one round parts", low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True)
class PublishedPositionBased(SoftSkin[PublishedBinding, PublishedState]):
    """The published method [AbuRumman2016, Alg. 5 and 8], to compare with; `PositionBased` is what to use.

    Linear blending carries a body of tetrahedra; then every round projects volumes, distances to the nearest bone, edge
    lengths and contacts with planes through joints, one after another. Flesh swings in `regions` only, which the artist
    marks: there particles farther from the bone than the mean go by their momentum alone.

    Where it differs: the body is filled by this package's mesher, whose boundary is not the skin, so that skin outside
    is carried along and its edges are kept from tearing; a contact is kept until it has opened by half an edge; no
    corner of a flat element moves by more than half of its size at once; and on a GPU small clusters of elements with
    their edges are projected together, and bonds after them. How velocities are damped the text does not say.

    Limits: the answer depends on the order of constraints and on how many rounds there are. Parts thinner than an
    element move as their element does. Contact is looked for at joints alone. Hands do not pull at it.
    """

    command_name: ClassVar[str] = "position-based-published"
    cached: ClassVar[bool] = True
    stackable: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Abu Rumman 2016, Position-based skin deformations for interactive character animation",
        "Mueller, Heidelberger, Hennix and Ratcliff 2007, Position based dynamics",
    )

    step: float = setting(0.01, "Simulation step", unit="s", low=1e-4, high=0.1)
    tetrahedra: int = setting(5000, "Elements that fill the body", low=50, high=2_000_000)
    iterations: int = setting(12, "Rounds of projections in a step", low=0, high=1000)
    base: str = setting("linear", "The kinematic skin of the elements", choices=tuple(BASES))
    weights: str = setting("bones", "Weights of the elements: by bones (Eq. 4.1), or the skin's own",
                           choices=("bones", "carried"))  # fmt: skip
    regions: ByName[float] = by_name(
        {}, "Regions that swing, with a stiffness from 0 (soft) to 1 (firm), such as belly=0.2", Number(),
        names="region",
    )  # fmt: skip
    gravity: float = setting(9.81, "Gravity", unit="m/s²", low=0.0, high=100.0)
    drag: float = setting(1.0, "Share of its velocity that flesh loses in a second", unit="1/s", low=0.0, high=100.0)
    solve: Projection = group(Projection, "What holds flesh together")
    collision: PlaneContacts = group(PlaneContacts, "Skin that meets skin at joints")
    bodies: tuple[RigidBody, ...] = ()
    """Rigid bodies that it meets, by the time since its first frame."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_region_values(WHERE, self.regions)
        object.__setattr__(self, "bodies", check_bodies(WHERE, self.bodies))

    @property
    def coasts(self) -> bool:
        """After a pause it begins anew."""
        return True

    @property
    def meets_anything(self) -> bool:
        """Whether it meets itself or rigid bodies."""
        return self.collision.contact != "off" or bool(self.bodies)

    def extra_identity(self) -> Mapping[str, Any]:
        return bodies_identity(self.bodies)

    def binding_identity(self) -> Mapping[str, Any]:
        return {}  # bodies belong to states

    def region_names(self) -> tuple[str, ...]:
        return tuple(self.regions)

    def check_for(self, character: Character) -> None:
        check_regions(character, self.regions)

    def base_skin(self) -> Skin[Any, Any]:
        return BASES[self.base]()

    def bind(self, character: Character, device: str) -> PublishedBinding:
        return PublishedBinding.from_character(character, self, device)

    def stack(self, binding: PublishedBinding, crowd: Crowd) -> PublishedBinding:
        return binding.stack(crowd)

    def allocate(self, binding: PublishedBinding) -> PublishedState:
        return PublishedState(binding, self)

    def start(self, binding: PublishedBinding, pose: Pose, incoming: DevicePoints | None) -> PublishedState:
        state = self.allocate(binding)
        state.advance(self, pose, self.step, incoming, starting=True)
        return state

    def advance(
        self, binding: PublishedBinding, state: PublishedState, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        state.memory.time += dt
        state.advance(self, pose, dt, incoming, starting=dt > _PAUSE)
        return state.points

    def met_bodies(self, character: Character) -> tuple[RigidBody, ...]:
        return self.bodies

    def body_transforms(self, binding: PublishedBinding, state: PublishedState) -> FloatArray:
        return np.array([body.world_from_body(state.memory.time) for body in self.bodies]).reshape(-1, 4, 4)


PublishedPositionBased.pushes = frozenset({"gravity", "drag"})
PublishedPositionBased.live = frozenset(info.name for info in settings_of(PublishedPositionBased)) - _FIXED
