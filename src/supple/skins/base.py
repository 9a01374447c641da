"""The doors that every way of moving a skin has in common.

Three kinds of data never mix: the *settings* are the skin object itself (what the artist chose); the *binding* follows
from the character, is computed once, never changes and may be shared by players, threads and a cache on disk; the
*state* follows from time and owns every array that changes, recorded launches included.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from supple.arrays import FloatArray
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.obstacles.shapes import RigidBody
from supple.settings import Settings, setting
from supple.skins.contact_events import Records, no_records
from supple.skins.memory import capture_arrays, restore_arrays
from supple.skins.painted_map import REGION, MapInfo
from supple.skins.pull import Pull

DevicePoints = Any
"""A Warp array of vec3f (V,) on the skin's device."""

Binding = TypeVar("Binding")
State = TypeVar("State")


@dataclass(frozen=True, kw_only=True)
class AnySkin(Settings, ABC):
    """What all skins share: a name on the command line, a stage name for people, the papers to cite."""

    command_name: ClassVar[str]
    papers: ClassVar[tuple[str, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    """Settings by name that go well together; what a preset is silent about keeps its default."""
    live: ClassVar[frozenset[str]] = frozenset()
    """Settings that a player may change while it plays, without binding again."""
    cached: ClassVar[bool] = False
    """Whether binding takes so long that bindings are kept on disk."""
    maps: ClassVar[Mapping[str, MapInfo]] = MappingProxyType({})
    """The painted maps that it reads, by name; `maps_on` adds those that settings name."""

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """This skin with the settings of one of its presets, and some changed."""
        if name not in cls.presets:
            there = f"there are {', '.join(cls.presets)}" if cls.presets else "it has none"
            raise InputError(cls.__name__, f"preset {name!r} was asked for", there, "choose one, or give settings")
        return cls(**{**cls.presets[name], **changes})

    def base_skin(self) -> AnySkin | None:
        """The skin that comes first when a graph gives this one no incoming shape; None if it needs none."""
        return None

    def first_kinematic(self) -> Skin[Any, Any] | None:
        """The first of the skins it stands on, itself included, if that needs only the pose."""
        below = self.base_skin()
        if below is not None:
            return below.first_kinematic()
        return self if isinstance(self, Skin) else None

    def on_top_of(self, first: AnySkin) -> Self:
        """This skin as it is where a graph gives it a shape that began with `first`; most are the same on any."""
        return self

    def takes_incoming(self) -> bool:
        """Whether a graph may give it the shape of another skin to start from."""
        return self.base_skin() is not None

    def needs_incoming(self) -> bool:
        """Whether a graph must give it such a shape."""
        return self.base_skin() is not None

    def extra_identity(self) -> Mapping[str, Any]:
        """What it holds beside its settings, as plain data that tells two apart; most skins hold nothing else."""
        return {}

    def binding_identity(self) -> Mapping[str, Any]:
        """What beside the settings that are not `live` a binding follows from, as plain data."""
        return self.extra_identity()

    def region_names(self) -> tuple[str, ...]:
        """Regions that settings name: parts of the character, painted maps, or numbers of vertices."""
        return ()

    def maps_on(self, character: Character) -> Mapping[str, MapInfo]:
        """The painted maps that it reads on a character, those that settings name as regions among them."""
        named = {name: REGION for name in self.region_names() if name in character.maps}
        return {**named, **type(self).maps}

    def check_given(self, paths: Set[str]) -> None:
        """Refuse settings, by their paths, that somebody gave by name and that change nothing beside the others."""

    def check_for(self, character: Character) -> None:
        """Refuse settings that this character cannot have, such as regions that it does not know."""

    @abstractmethod
    def bind(self, character: Character, device: str) -> Any:
        """Prepare for one character, once; may be slow.

        Nothing in a binding ever changes. It follows from the character, the device and the settings that are not
        `live`, so that one binding serves many players. A frozen dataclass of arrays, numbers, the character itself and
        `device.Constants` can be kept on disk (`cached`).
        """


@dataclass(frozen=True, kw_only=True)
class BoundSkin(AnySkin, Generic[Binding, State]):
    """A skin with its two kinds of data: a binding that is shared, and states that are not."""

    @abstractmethod
    def bind(self, character: Character, device: str) -> Binding:
        """Prepare for one character, once; may be slow."""

    @abstractmethod
    def allocate(self, binding: Binding) -> State:
        """All that one player changes, without any history; quick."""

    stackable: ClassVar[bool] = False
    """Whether the binding of a crowd follows from that of one member, by `stack`."""

    def stack(self, binding: Binding, crowd: Crowd) -> Binding:
        """The binding of a crowd from that of its member; quick. Asked of those that are `stackable`."""
        raise NotImplementedError

    def rebind(self, binding: Binding, character: Character, device: str) -> Binding:
        """The binding of a character that differs from the bound one in shapes and painted maps alone.

        It shares with `binding` whatever those do not change. Here it is bound again; skins that know better are quick.
        """
        return self.bind(character, device)

    def reshape(self, binding: Binding, state: State) -> State:
        """The state, history and all, on a binding that `rebind` made from its own: the same one changed, or another.

        Nothing is refused here any more: what cannot be is refused by `rebind`.
        """
        return self.allocate(binding)

    def usual_map(self, binding: Binding, character: Character, name: str) -> FloatArray:
        """What it takes (V,) for a map where none is painted: the default, or values that it finds itself."""
        default = self.maps_on(character)[name].default
        assert default is not None, f"{type(self).__name__} finds {name} itself and has to say how"
        return np.full(len(character.points), default)

    def forces(self, binding: Binding, state: State) -> DevicePoints | None:
        """The force on every vertex (V,) in the last frame or step, on the device, where there are any.

        Newtons where the skin knows masses, else in units of its stiffness. For display: what holds flesh together and
        what draws it back, hands and contacts included; gravity and inertia are not among them.
        """
        return None

    def contact_pressure(self, binding: Binding, state: State) -> Any | None:
        """How hard every vertex (V,) was pressed in the last step [Pa], on the device, where it meets anything."""
        return None


@dataclass(frozen=True, kw_only=True)
class Skin(BoundSkin[Binding, State]):
    """A skin that needs only the pose, so that it can be scrubbed in any order. Its state is room to work in."""

    @abstractmethod
    def deform(self, binding: Binding, state: State, pose: Pose, incoming: DevicePoints | None) -> DevicePoints:
        """The skin in one pose, on the device; overwritten by the next call with the same state.

        `incoming` is the shape from the stage before, for skins that stand on another one.
        """


class SoftState(Protocol):
    """What follows from time; `points` is the skin as it is now.

    `memory` is a dataclass of arrays and numbers (and of such dataclasses): all that the next step depends on, and what
    a checkpoint keeps. A state that holds nothing else is its own memory.
    """

    @property
    def points(self) -> DevicePoints:
        """The skin (V,) as it is now, on the device."""

    @property
    def memory(self) -> Any:
        """What a checkpoint keeps."""

    def recall(self) -> None:
        """Hear that `memory` was overwritten; what else depends on the past is forgotten."""


Soft = TypeVar("Soft", bound=SoftState)


@dataclass(frozen=True, kw_only=True)
class SoftSkin(BoundSkin[Binding, Soft]):
    """A skin that carries history and is played in order, always in steps of the same length."""

    simulates_skeleton: ClassVar[bool] = False
    """Whether the bones go elsewhere than the motion has them; then `simulated_joints` says where they are."""

    records_contacts: ClassVar[bool] = False
    """Whether it says what it touches (`contact_records`), and how hard it is pressed (`contact_pressure`)."""

    jumps: ClassVar[bool] = True
    """Whether it may be elsewhere at once when live settings or maps change; if not, only its forces change."""

    pushes: ClassVar[frozenset[str]] = frozenset()
    """Live settings that change forces alone, so that nothing is elsewhere at once when they change."""

    step: float = setting(1.0 / 120.0, "Simulation step", unit="s", low=1e-4, high=0.1)

    @property
    def coasts(self) -> bool:
        """Whether one long step may stand for the many of a pause, after which nothing of the past is seen."""
        return False

    def simulated_joints(self, binding: Binding, state: Soft) -> FloatArray | None:
        """Where it has the joints (J, 4, 4) now, if it moves bones."""
        return None

    def met_bodies(self, character: Character) -> tuple[RigidBody, ...]:
        """What it meets as it is set up; what was put in its way later is not among them."""
        return ()

    def body_transforms(self, binding: Binding, state: Soft) -> FloatArray:
        """Where each of `met_bodies` is now, (B, 4, 4)."""
        return np.zeros((0, 4, 4))

    def contact_records(self, binding: Binding, state: Soft) -> Records:
        """What it touched in the last step, one record for every pair."""
        return no_records()

    def body_names(self, binding: Binding, state: Soft) -> tuple[str, ...]:
        """What obstacles are called, by the numbers that records have, those that were put in its way included."""
        return ()

    def reshape(self, binding: Binding, state: Soft) -> Soft:
        fresh = self.allocate(binding)
        restore_arrays(fresh.memory, "", capture_arrays(state.memory, ""))
        fresh.recall()
        return fresh

    def place(self, binding: Binding, state: Soft, name: str, body: RigidBody | None) -> None:
        """Put an obstacle of that name in its way from the next step on, or take it away (None)."""
        given = f"{name!r} was to be put in the way"
        raise InputError(type(self).__name__, given, "it meets nothing", "choose ArticulatedContact")

    def placed(self, binding: Binding, state: Soft) -> dict[str, tuple[RigidBody, FloatArray]]:
        """What was put in its way, and where (4, 4) that is now, by name."""
        return {}

    @abstractmethod
    def start(self, binding: Binding, pose: Pose, incoming: DevicePoints | None) -> Soft:
        """A new state, at rest in a first pose."""

    def begin(
        self, binding: Binding, former: Soft | None, pose: Pose, incoming: DevicePoints | None, *, seen: bool = True
    ) -> Soft:
        """What `start` gives, for a player: arrays of a `former` state, whose history is over, may be used again.

        Where a start is not `seen` at first, as that of somebody who comes near in a crowd, a skin may leave out what
        only makes the first frame the one that it would come to a few steps on.
        """
        return self.start(binding, pose, incoming)

    @abstractmethod
    def advance(
        self, binding: Binding, state: Soft, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        """Move on by `dt` [s] to `pose`, changing `state`, and return the skin there."""


@dataclass(frozen=True, kw_only=True)
class PullableSkin(SoftSkin[Binding, Soft]):
    """A soft skin that a player may take hold of while it plays."""

    @abstractmethod
    def hold(self, binding: Binding, state: Soft, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on, and by no others."""
