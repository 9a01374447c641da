"""Dual quaternion skinning: rigid motions are blended as motions, so nothing collapses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array
from supple.character.character import Character
from supple.character.weights import Weights
from supple.skins.kinematic.blend import (
    Blend,
    BlendArrays,
    BlendBinding,
    BlendState,
    Rigid,
    WeightedBlend,
    host_copy,
    plain_input,
)


@dataclass(frozen=True, kw_only=True)
class DualQuaternion(WeightedBlend):
    """Blend the joints' motions as unit dual quaternions, then move the point rigidly [Kavan2008].

    Stretching joints keep their stretch apart: it is blended linearly and applied first.

    Limits: bulges on the outside of a bend, because the blended motion turns about a centre of its own.
    """

    command_name: ClassVar[str] = "dual-quaternion"
    papers: ClassVar[tuple[str, ...]] = (
        "Kavan, Collins, Zara and O'Sullivan 2008, Geometric skinning with approximate dual quaternion blending",
    )

    def bind(self, character: Character, device: str) -> BlendBinding:
        return BlendBinding.from_character(character, device, where="DualQuaternion")

    def allocate(self, binding: BlendBinding) -> BlendState:
        return BlendState(binding, record_blend)


def record_blend(arrays: BlendArrays) -> Blend:
    """The blend of any points that have weights, recorded for one device."""
    from supple.skins.kinematic import kernels

    rigid = Rigid(arrays)
    inputs = [*arrays.inputs, rigid.reals, rigid.motions, rigid.stretches, rigid.flags, arrays.posed]
    return Blend(arrays, (rigid,), devices.Launch(kernels.dual_quaternion, arrays.count, inputs, arrays.device))


def dual_quaternion(points: ArrayLike, weights: Weights, transforms: ArrayLike, *, device: str = "cpu") -> Float32Array:
    """Blend rest `points` (V, 3) by skinning `transforms` (J, 4, 4), rest to posed, as motions; returns (V, 3)."""
    arrays, matrices = plain_input(points, weights, transforms, where="dual_quaternion", device=device)
    return host_copy(record_blend(arrays).run(matrices))
