"""Linear blend skinning: every joint carries the point along, and the results are averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array
from supple.character.character import Character
from supple.character.weights import Weights
from supple.skins.kinematic.blend import (
    Affine,
    Blend,
    BlendArrays,
    BlendBinding,
    BlendState,
    WeightedBlend,
    host_copy,
    plain_input,
)


@dataclass(frozen=True, kw_only=True)
class LinearBlend(WeightedBlend):
    """Average where each joint alone would carry the point: x = sum_j w_j M_j v.

    The plainest and fastest skin, and what game engines play.

    Limits: collapses where joints twist (the candy wrapper) and loses volume where they bend.
    """

    command_name: ClassVar[str] = "linear"
    papers: ClassVar[tuple[str, ...]] = (
        "Magnenat-Thalmann, Laperriere and Thalmann 1988, Joint-dependent local deformations for hand animation and "
        "object grasping",
    )

    def bind(self, character: Character, device: str) -> BlendBinding:
        return BlendBinding.from_character(character, device, where="LinearBlend")

    def allocate(self, binding: BlendBinding) -> BlendState:
        return BlendState(binding, record_blend)


def record_blend(arrays: BlendArrays, affine: Affine | None = None) -> Blend:
    """The blend of any points that have weights, recorded for one device; `affine` where others use it too."""
    from supple.skins.kinematic import kernels

    affine = affine or Affine(arrays.joint_count, arrays.device)
    inputs = [*arrays.inputs, affine.matrices, arrays.posed]
    return Blend(arrays, (affine,), devices.Launch(kernels.linear_blend, arrays.count, inputs, arrays.device))


def linear_blend(points: ArrayLike, weights: Weights, transforms: ArrayLike, *, device: str = "cpu") -> Float32Array:
    """Blend rest `points` (V, 3) by skinning `transforms` (J, 4, 4), rest to posed; returns (V, 3)."""
    arrays, matrices = plain_input(points, weights, transforms, where="linear_blend", device=device)
    return host_copy(record_blend(arrays).run(matrices))
