"""Skinning with optimised centres of rotation: blended rotations, about a centre found for every vertex."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, frozen
from supple.character.character import Character
from supple.character.weights import Weights
from supple.settings import setting
from supple.skins.kinematic.blend import (
    Affine,
    Blend,
    BlendArrays,
    BlendBinding,
    BlendState,
    Rigid,
    WeightedBlend,
    host_copy,
    plain_input,
)
from supple.skins.kinematic.centers import centers_of_rotation


@dataclass(frozen=True, kw_only=True)
class RotationCenters(WeightedBlend):
    """Turn every vertex by the blended rotation about its own centre: x = R (v - p) + sum_j w_j M_j p [LeHodgins2016].

    The centre p is the middle of all skin that is weighted alike, so a ring around a limb turns about the limb's
    axis: it neither collapses in a twist nor bulges in a bend.

    Limits: centres depend on the weights being smooth; binding takes a second or two for 100 000 vertices.
    """

    command_name: ClassVar[str] = "rotation-centers"
    cached: ClassVar[bool] = True
    papers: ClassVar[tuple[str, ...]] = (
        "Le and Hodgins 2016, Real-time skeletal skinning with optimized centers of rotation",
    )

    width: float = setting(0.1, "How alike weights must be to share a centre", low=0.01, high=1.0)

    def bind(self, character: Character, device: str) -> BlendBinding:
        where = "RotationCenters"
        weights = character.require_weights(where)
        centers = centers_of_rotation(character.points, character.triangles, weights, width=self.width, device=device)
        return replace(BlendBinding.from_character(character, device, where=where), centers=centers.astype(np.float32))

    def allocate(self, binding: BlendBinding) -> BlendState:
        return BlendState(binding, lambda arrays: _blend(arrays, binding.centers))


def _blend(arrays: BlendArrays, centers: Float32Array | None) -> Blend:
    from supple.skins.kinematic import kernels

    affine, rigid = Affine(arrays.joint_count, arrays.device), Rigid(arrays)
    assert centers is not None
    middle = arrays.constants.put(centers, devices.warp().vec3f)
    frame = [rigid.reals, rigid.stretches, rigid.flags, affine.matrices, arrays.posed]
    inputs = [*arrays.inputs, middle, *frame]
    launch = devices.Launch(kernels.rotation_centers, arrays.count, inputs, arrays.device)
    return Blend(arrays, (affine, rigid), launch)


def rotation_centers(
    points: ArrayLike, weights: Weights, transforms: ArrayLike, *, centers: ArrayLike, device: str = "cpu"
) -> Float32Array:
    """Blend rest `points` (V, 3) by `transforms` (J, 4, 4) about `centers` (V, 3) from `centers_of_rotation`."""
    where = "rotation_centers"
    arrays, matrices = plain_input(points, weights, transforms, where=where, device=device)
    middle = frozen(centers, np.float64, (arrays.count, 3), where, "centers")
    return host_copy(_blend(arrays, middle.astype(np.float32)).run(matrices))
