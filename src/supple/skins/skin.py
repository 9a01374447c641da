"""The doors that every way of moving a skin has in common.

Three kinds of data never mix: the *settings* are the skin object itself (what the artist chose), the *binding* follows
from the character and is computed once, the *state* follows from time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self

from supple.arrays import Floats
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.pull import Pull

DevicePoints = Any
"""A Warp array of vec3f (V,) on the skin's device."""


@dataclass(frozen=True, kw_only=True)
class AnySkin(Settings, ABC):
    """What all skins share: a name on the command line, a stage name for people, the papers to cite."""

    command_name: ClassVar[str]
    papers: ClassVar[tuple[str, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    """Settings by name that go well together; what a preset is silent about keeps its default."""
    live: ClassVar[frozenset[str]] = frozenset()
    """Settings that a player may change while it plays, without binding again."""

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """This skin with the settings of one of its presets, and some changed."""
        if name not in cls.presets:
            there = f"there are {', '.join(cls.presets)}" if cls.presets else "it has none"
            raise InputError(cls.__name__, f"preset {name!r} was asked for", there, "choose one, or give settings")
        return cls(**{**cls.presets[name], **changes})

    def stands_on(self) -> AnySkin | None:
        """The skin that comes first when a graph gives this one no incoming shape; None if it needs none."""
        return None

    def beside_settings(self) -> Mapping[str, Any]:
        """What it holds beside its settings, as plain data that tells two apart; most skins hold nothing else."""
        return {}

    def check_for(self, character: Character) -> None:
        """Refuse settings that this character cannot have, such as regions that it does not know."""

    @abstractmethod
    def bind(self, character: Character, device: str) -> Any:
        """Prepare for one character, once; may be slow. The binding belongs to one player."""


@dataclass(frozen=True, kw_only=True)
class Skin(AnySkin):
    """A skin that needs only the pose, so that it can be scrubbed in any order."""

    @abstractmethod
    def deform(self, binding: Any, pose: Pose, incoming: DevicePoints | None) -> DevicePoints:
        """The skin in one pose, on the device; overwritten by the next call with the same binding.

        `incoming` is the shape from the stage before, for skins that stand on another one.
        """


class SoftState(Protocol):
    """What follows from time. Its arrays are what a checkpoint keeps; `points` is the skin as it is now."""

    points: DevicePoints


@dataclass(frozen=True, kw_only=True)
class SoftSkin(AnySkin):
    """A skin that carries history and is played in order, always in steps of the same length."""

    moves_bones: ClassVar[bool] = False
    """Whether the bones go elsewhere than the motion has them; then `moved_bones` says where they are."""

    step: float = setting(1.0 / 120.0, "Simulation step", unit="s", low=1e-4, high=0.1)

    def moved_bones(self, binding: Any, state: Any) -> Floats | None:
        """Where it has the joints (J, 4, 4) now, if it moves bones."""
        return None

    @abstractmethod
    def start(self, binding: Any, pose: Pose, incoming: DevicePoints | None) -> SoftState:
        """The state at rest in a first pose."""

    @abstractmethod
    def advance(
        self, binding: Any, state: Any, pose: Pose, dt: float, *, incoming: DevicePoints | None
    ) -> DevicePoints:
        """Move on by `dt` [s] to `pose`, changing `state`, and return the skin there."""


@dataclass(frozen=True, kw_only=True)
class PullableSkin(SoftSkin):
    """A soft skin that a player may take hold of while it plays."""

    @abstractmethod
    def hold(self, binding: Any, state: Any, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on, and by no others."""
