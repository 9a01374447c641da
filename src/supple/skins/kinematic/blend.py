"""What all weighted blends share: rest points and weights on the device, and the joints' transforms of the frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.character.crowd import Crowd, stacked
from supple.character.morph_targets import MorphTargets
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.skins.base import DevicePoints, Skin

_ONE = np.eye(3)
BLOCK = 4  # influences a kernel takes at once
RIGID_TOLERANCE = 1e-6  # of a transform's Gram matrix against one; float32 rounding is 1e-7


@dataclass(frozen=True, eq=False)
class BlendWeights:
    """Rest points and the joints that carry them, packed as kernels take them; V points, influences in blocks of four.

    `points` (V, 3) [m], `joints` and `weights` (V * blocks, 4): block b of point v stands at v * blocks + b, and empty
    places name the first joint of their point, so that a kernel may read them without asking. `companions` (P, 2) are
    pairs of joints that some point blends: its largest influence, and another.
    """

    points: Float32Array
    joints: IntArray
    weights: Float32Array
    joint_count: int
    companions: IntArray

    @classmethod
    def from_weights(cls, points: FloatArray, weights: Weights, joint_count: int) -> BlendWeights:
        """Pack weights, leaving out influences that no point has."""
        used = weights.influences
        joints, values = pack_blocks(weights.joints[:, :used], weights.values[:, :used])
        return cls(points.astype(np.float32), joints, values, joint_count, _companions(weights, joint_count))

    @classmethod
    def from_character(cls, character: Character, where: str) -> BlendWeights:
        """Those of a character's skin; of a crowd, those of one member, for all."""
        if isinstance(character, Crowd):
            return cls.from_character(character.member, where).stack(character.count)
        return cls.from_weights(character.points, character.require_weights(where), len(character.skeleton))

    def stack(self, count: int) -> BlendWeights:
        """Those of `count` copies, each with joints of its own, one after another."""
        joints, companions = (stacked(numbers, count, self.joint_count) for numbers in (self.joints, self.companions))
        points, weights = (np.tile(values, (count, 1)) for values in (self.points, self.weights))
        return BlendWeights(points, joints, weights, count * self.joint_count, companions)

    @property
    def blocks(self) -> int:
        """How many blocks every point has."""
        return len(self.joints) // max(len(self.points), 1)


class BlendArrays:
    """Rest points, weights in blocks of four, and the output of one blend, on one device.

    Weights are shared; the rest points, which shapes may change, and the posed ones belong to one state.
    """

    def __init__(self, packed: BlendWeights, constants: devices.Constants) -> None:
        wp = devices.warp()
        self.constants, self.device = constants, constants.device
        self.count, self.joint_count, self.blocks = len(packed.points), packed.joint_count, packed.blocks
        self.joints = constants.put(packed.joints, wp.vec4i)
        self.weights = constants.put(packed.weights, wp.vec4f)
        self.rest = devices.to_device(packed.points, wp.vec3f, self.device)
        self.posed = wp.empty(self.count, dtype=wp.vec3f, device=self.device)
        self.companions = packed.companions

    @property
    def inputs(self) -> list[Any]:
        """The first arguments of every blending kernel."""
        return [self.blocks, self.rest, self.joints, self.weights]


def pack_blocks(indices: IntArray, weights: FloatArray) -> tuple[IntArray, Float32Array]:
    """Rows of numbers (V, K) and their shares (V, K) in blocks of four, (V * blocks, 4) each, as kernels take them."""
    blocks = -(-indices.shape[1] // BLOCK)
    packed_weights = np.zeros((len(indices), blocks * BLOCK), dtype=np.float32)
    packed_weights[:, : indices.shape[1]] = weights
    packed_indices = np.zeros(packed_weights.shape, dtype=np.int32)
    packed_indices[:, : indices.shape[1]] = indices
    packed_indices = np.where(packed_weights != 0.0, packed_indices, packed_indices[:, :1])
    return packed_indices.reshape(-1, BLOCK), packed_weights.reshape(-1, BLOCK)


def _companions(weights: Weights, joint_count: int) -> IntArray:
    """Pairs (P, 2) of joints that some vertex blends: its largest influence, and another."""
    codes = weights.joints[:, :1].astype(np.int64) * joint_count + weights.joints
    pairs = np.unique(codes[:, 1:][weights.values[:, 1:] > 0.0])
    return np.stack([pairs // joint_count, pairs % joint_count], axis=1).astype(np.int32)


class Affine:
    """Skinning transforms of one frame as 3x4 matrices."""

    def __init__(self, joint_count: int, device: str) -> None:
        from supple.skins.kinematic import kernels

        self.matrices = devices.warp().zeros(joint_count, dtype=kernels.mat34, device=device)

    def set(self, transforms: FloatArray) -> None:
        """Take this frame's skinning transforms (J, 4, 4)."""
        devices.write(self.matrices, transforms[:, :3, :])

    def set_pose(self, pose: Pose, skeleton: Skeleton) -> None:
        """Take those of a pose."""
        pose.write_skinning(skeleton, self.matrices)


class Rigid:
    """Skinning transforms of one frame as unit dual quaternions, their stretch kept apart: M = T R S."""

    def __init__(self, arrays: BlendArrays) -> None:
        from supple.skins.kinematic import kernels

        wp = devices.warp()
        count, device = arrays.joint_count, arrays.device
        self.reals = wp.zeros(count, dtype=wp.quatf, device=device)
        self.motions = wp.zeros(count, dtype=kernels.vec8, device=device)
        self.stretches = wp.zeros(count, dtype=wp.mat33f, device=device)
        self.flags = wp.zeros(2, dtype=wp.int32, device=device)
        self._companions = arrays.companions
        self._affine = Affine(count, device) if device != "cpu" else None
        self._convert = None if self._affine is None else self._record_conversion(self._affine)

    def _record_conversion(self, affine: Affine) -> devices.Launch:
        from supple.skins.kinematic.rotation_kernels import rigid_from_affine

        inputs = [affine.matrices, self.reals, self.motions, self.stretches, self.flags]
        return devices.Launch(rigid_from_affine, len(self.reals), inputs, str(affine.matrices.device))

    def set_pose(self, pose: Pose, skeleton: Skeleton) -> None:
        """Take the skinning transforms of a pose; a GPU takes them apart itself, and looks at every vertex's signs."""
        if self._affine is None or self._convert is None:
            self.set(pose.skinning(skeleton))
            return
        self._affine.set_pose(pose, skeleton)
        self.flags.zero_()
        self._convert()

    def set(self, transforms: FloatArray) -> None:
        """Take this frame's skinning transforms (J, 4, 4).

        q and -q are the same rotation and must not cancel in a sum. One sign per joint is enough in nearly every frame:
        it is carried over from companion to companion. Where that leaves two companions pointing apart, the kernel is
        told to look at every vertex.
        """
        linear = transforms[:, :3, :3]
        gram = np.swapaxes(linear, 1, 2) @ linear - _ONE
        rigid = bool(np.abs(gram).max() < RIGID_TOLERANCE and np.linalg.det(linear).min() > 0.0)
        rotation = linear if rigid else quaternions.nearest_rotation(linear)
        real = quaternions.quat_from_matrix(rotation)
        one, other = self._companions[:, 0], self._companions[:, 1]
        opposed = np.sum(real[one] * real[other], axis=1) < 0.0
        for a, b in self._companions[opposed]:
            if real[a] @ real[b] < 0.0:
                real[b] = -real[b]
        if opposed.any():
            opposed = np.sum(real[one] * real[other], axis=1) < 0.0
        move = np.zeros_like(real)
        move[:, :3] = transforms[:, :3, 3]
        devices.write(self.reals, real)
        devices.write(self.motions, np.concatenate([real, 0.5 * quaternions.quat_multiply(move, real)], axis=1))
        if not rigid:
            devices.write(self.stretches, np.swapaxes(rotation, 1, 2) @ linear)
        devices.write(self.flags, np.array([not rigid, opposed.any()], dtype=np.int32))


class Blend:
    """Arrays, this frame's transforms in the forms that the kernel wants, and the recorded launch."""

    def __init__(self, arrays: BlendArrays, forms: tuple[Affine | Rigid, ...], launch: devices.Launch) -> None:
        self._arrays, self._forms, self._launch = arrays, forms, launch

    def set(self, transforms: FloatArray) -> None:
        """Take skinning transforms (J, 4, 4) to the device."""
        for form in self._forms:
            form.set(transforms)

    def set_pose(self, pose: Pose, skeleton: Skeleton) -> None:
        """Take the skinning transforms of a pose to the device."""
        for form in self._forms:
            form.set_pose(pose, skeleton)

    def __call__(self) -> None:
        """Blend with the transforms as they are."""
        self._launch()

    def run(self, transforms: FloatArray) -> Any:
        """Blend with skinning transforms (J, 4, 4) and return the posed points on the device."""
        self.set(transforms)
        self._launch()
        return self._arrays.posed

    def pose(self, pose: Pose, skeleton: Skeleton) -> Any:
        """Blend in a pose and return the posed points on the device."""
        self.set_pose(pose, skeleton)
        self._launch()
        return self._arrays.posed


class MorphedRest:
    """Rest points of a frame before any joint moves them: v + sum_k share_k offset_k, for shapes (morph targets) k."""

    def __init__(self, character: Character, arrays: BlendArrays) -> None:
        self._morph_targets, self._arrays = MorphTargets.from_character(character), arrays

    def reshape(self, character: Character) -> None:
        """Take the shapes of another character of the same mesh from the next frame on."""
        self._morph_targets.reshape(character)

    def set(self, weights: Mapping[str, float]) -> None:
        """Take this frame's shares by name; shapes that the character does not have change nothing."""
        rest = self._morph_targets.update(weights)
        if rest is not None:
            devices.write(self._arrays.rest, rest)


@dataclass(frozen=True, eq=False)
class BlendBinding:
    """The binding of a weighted blend: the character, and its weights as kernels take them.

    `centers` (V, 3) [m] are the centres of rotation of those blends that have them.
    """

    character: Character
    packed: BlendWeights
    constants: devices.Constants
    centers: Float32Array | None = None

    @classmethod
    def from_character(cls, character: Character, device: str, *, where: str) -> BlendBinding:
        """Pack a character's rest points and weights."""
        return cls(character, BlendWeights.from_character(character, where), devices.Constants(device))

    def stack(self, crowd: Crowd) -> BlendBinding:
        """That of a crowd, of which this is one member's."""
        centers = None if self.centers is None else np.tile(self.centers, (crowd.count, 1))
        return replace(self, character=crowd, packed=self.packed.stack(crowd.count), centers=centers)

    def reshaped(self, character: Character) -> BlendBinding:
        """That of a character with other shapes and maps: neither weights nor centres follow from them."""
        return replace(self, character=character)


class BlendState:
    """What one player changes of a weighted blend: the rest points of its shapes, its transforms and its points."""

    def __init__(self, binding: BlendBinding, blend: Callable[[BlendArrays], Blend]) -> None:
        self._skeleton = binding.character.skeleton
        arrays = BlendArrays(binding.packed, binding.constants)
        self._rest, self._blend = MorphedRest(binding.character, arrays), blend(arrays)

    def reshape(self, binding: BlendBinding) -> None:
        """Go on with the shapes of another binding of the same mesh."""
        self._rest.reshape(binding.character)

    def pose(self, pose: Pose) -> Any:
        """The skin in a pose, on the device."""
        self._rest.set(pose.shapes)
        return self._blend.pose(pose, self._skeleton)


@dataclass(frozen=True, kw_only=True)
class WeightedBlend(Skin[BlendBinding, BlendState]):
    """What the weighted blends share: the pose is all that they need, and shapes are all that can change."""

    stackable: ClassVar[bool] = True

    def stack(self, binding: BlendBinding, crowd: Crowd) -> BlendBinding:
        return binding.stack(crowd)

    def rebind(self, binding: BlendBinding, character: Character, device: str) -> BlendBinding:
        return binding.reshaped(character)

    def reshape(self, binding: BlendBinding, state: BlendState) -> BlendState:
        state.reshape(binding)
        return state

    def deform(
        self, binding: BlendBinding, state: BlendState, pose: Pose, incoming: DevicePoints | None
    ) -> DevicePoints:
        return state.pose(pose)


def plain_input(
    points: ArrayLike, weights: Weights, transforms: ArrayLike, *, where: str, device: str
) -> tuple[BlendArrays, FloatArray]:
    """Check points (V, 3), a row of weights each, and transforms (J, 4, 4), and put them on the device."""
    rest = frozen(points, np.float64, (-1, 3), where, "points")
    matrices = frozen(transforms, np.float64, (-1, 4, 4), where, "transforms")
    if len(weights) != len(rest):
        given, needed = f"there are {len(weights)} rows of weights", f"there are {len(rest)} points"
        raise InputError(where, given, needed, "pass one row per point")
    used = int(weights.joints[weights.values > 0.0].max(initial=0))
    if used >= len(matrices):
        needed = f"there are transforms for joints 0 to {len(matrices) - 1}"
        raise InputError(where, f"weights name joint {used}", needed, "pass one transform per joint")
    packed = BlendWeights.from_weights(rest, weights, len(matrices))
    return BlendArrays(packed, devices.Constants(devices.check_device(device))), matrices


def host_copy(points: Any) -> Float32Array:
    """The posed points as an array of one's own."""
    return devices.to_host(points).copy()
