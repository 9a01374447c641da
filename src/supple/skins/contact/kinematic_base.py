"""The kinematic skin below: what carries the visible skin on the bones, wherever those are simulated to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.device import Launch
from supple.motion.pose import Pose
from supple.skins.base import Skin
from supple.skins.contact.model.flesh import WHERE
from supple.skins.kinematic.blend import Affine, BlendArrays, MorphedRest
from supple.skins.kinematic.delta_mush import DeltaMush, MushBinding
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend, record_blend
from supple.skins.kinematic.rotation_centers import RotationCenters

BASES: dict[str, type[Skin[Any, Any]]] = {
    kind.command_name: kind for kind in (LinearBlend, DualQuaternion, RotationCenters, DeltaMush)
}

_LEAST = 1e-9  # of a weight: who has less of a vertex is not asked where it carries it


@dataclass(frozen=True, eq=False)
class BaseBinding:
    """The base of that `name`, bound: `stages` are the bindings of the skins that it stands on, and last its own."""

    name: str
    stages: tuple[Any, ...]

    @classmethod
    def from_character(cls, name: str, character: Character, device: str) -> BaseBinding:
        """Bind it and what it stands on."""
        return cls(name, tuple(skin.bind(character, device) for skin in _stages(name)))

    def reshaped(self, character: Character, device: str) -> BaseBinding:
        """That of a character with other shapes of the same mesh."""
        pairs = zip(_stages(self.name), self.stages, strict=True)
        return replace(self, stages=tuple(skin.rebind(bound, character, device) for skin, bound in pairs))

    def influences(self, character: Character, link_of_joint: IntArray, count: int) -> Influences:
        """How much each of so many links moves a vertex, and what it carries of it: see `SkinEmbedding`."""
        weights = character.require_weights(WHERE).dense(len(character.skeleton))
        by_link = np.zeros((len(weights), count))
        np.add.at(by_link.T, link_of_joint, weights.T)
        bound, points = self.stages[-1], character.points
        if isinstance(bound, MushBinding):
            return _smooth(bound, by_link, points)
        if self.name == LinearBlend.command_name:
            return Influences(by_link, points[:, None])
        centers = bound.centers
        return Influences(by_link, None if centers is None else centers[:, None].astype(np.float64))


@dataclass(frozen=True, eq=False)
class Influences:
    """How much links move vertices (V, k), and pivots that each carries (V, k, 3), or all (V, 1, 3) [m], at rest."""

    weights: FloatArray
    pivots: FloatArray | None


def _smooth(bound: MushBinding, weights: FloatArray, points: FloatArray) -> Influences:
    """What is smoothed moves by the smoothed weights, and a link carries the mean of what it has of it."""
    settings = DeltaMush()
    strengths = bound.strengths(settings)
    parts = np.concatenate([weights, *(weights * points[:, axis, None] for axis in range(3))], axis=1)
    mean, *moments = np.split(bound.rest.smooth(parts, settings.iterations, strengths), 4, axis=1)
    pivots = np.stack(moments, axis=2) / np.maximum(mean, _LEAST)[:, :, None]
    return Influences(mean, pivots)


def _stages(name: str) -> tuple[Skin[Any, Any], ...]:
    """The skins of a base, each on the one before it."""
    found, skin = list[Skin[Any, Any]](), BASES[name]()
    found.append(skin)
    while isinstance(below := found[0].base_skin(), Skin):
        found.insert(0, below)
    return tuple(found)


class LinearBase:
    """Linear blend, which never leaves the device: its launch belongs behind the one that fills `skinning`."""

    def __init__(self, binding: BaseBinding) -> None:
        (bound,) = binding.stages
        arrays = BlendArrays(bound.packed, bound.constants)
        affine = Affine(arrays.joint_count, arrays.device)
        self._rest, self.skinning, self.posed = MorphedRest(bound.character, arrays), affine.matrices, arrays.posed
        self.launches: tuple[Any, ...] = (record_blend(arrays, affine),)

    def reshape(self, binding: BaseBinding) -> None:
        """Take the shapes of another character of the same mesh from the next step on."""
        self._rest.reshape(binding.stages[0].character)

    def set(self, shapes: Mapping[str, float]) -> None:
        """Take this step's shares of the shapes."""
        self._rest.set(shapes)


class PosedBase:
    """Any other kinematic skin, which is posed as players do it, by the joints (J, 4, 4) as they are simulated."""

    def __init__(self, binding: BaseBinding) -> None:
        self._skins = _stages(binding.name)
        self._bindings = binding.stages
        self._states = [skin.allocate(bound) for skin, bound in zip(self._skins, self._bindings, strict=True)]
        character, constants = self._bindings[0].character, self._bindings[0].constants
        self.skinning = Affine(len(character.skeleton), constants.device).matrices
        self.launches: tuple[Launch, ...] = ()
        self.posed = self._deform(Pose.rest(character.skeleton))

    def reshape(self, binding: BaseBinding) -> None:
        """Take the shapes of another character of the same mesh from the next step on."""
        self._bindings = binding.stages
        self._states = [
            skin.reshape(bound, state)
            for skin, bound, state in zip(self._skins, self._bindings, self._states, strict=True)
        ]

    def pose(self, bones: FloatArray, shapes: Mapping[str, float]) -> None:
        """Bring `posed` to where joints (J, 4, 4) carry it."""
        self._deform(Pose(bones, shapes=shapes))

    def _deform(self, pose: Pose) -> Any:
        points = None
        for skin, bound, state in zip(self._skins, self._bindings, self._states, strict=True):
            points = skin.deform(bound, state, pose, points)
        return points


def allocate_base(binding: BaseBinding) -> LinearBase | PosedBase:
    """What one state changes of a base."""
    return LinearBase(binding) if binding.name == LinearBlend.command_name else PosedBase(binding)
