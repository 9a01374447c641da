"""All that moves: inputs of the frame, amounts of the components, and the skin that goes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from supple import device as devices
from supple.character.morph_targets import MorphTargets
from supple.motion.pose import Pose
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, Blend, BlendArrays
from supple.skins.pose_space.binding import PoseSpaceBinding
from supple.skins.pose_space.inputs import History, InputReader


class PoseSpaceState:
    """The skin of one player: offsets are found from the joints, added at rest, and carried by the skin below."""

    def __init__(self, binding: PoseSpaceBinding) -> None:
        wp, constants = devices.warp(), binding.constants
        self._skeleton, device = binding.character.skeleton, constants.device
        self._arrays = BlendArrays(binding.blend_weights, constants)
        self._rest = devices.to_device(binding.blend_weights.points, wp.vec3f, device)
        self._morphs = MorphTargets(binding.character.points, binding.character.shapes)
        affine = Affine(len(self._skeleton), device)
        self._reader = InputReader(binding.frame, affine, device)
        self._below: Blend = (
            linear_blend.record_blend(self._arrays, affine)
            if binding.base == "linear"
            else dual_quaternion.record_blend(self._arrays)
        )
        self._shares_transforms = binding.base == "linear"
        self._stages = devices.Chain([self._reader.launch, *self._launches(binding), self._below], device)
        self.memory = PoseSpaceMemory(self.points, self._reader.history)

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self._arrays.posed

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def exchange(self, binding: PoseSpaceBinding) -> None:
        """Go on with the shapes of another binding of the same mesh."""
        self._morphs.exchange(binding.character.shapes)

    def forget(self) -> None:
        """Be at rest in the next pose."""
        self._reader.forget()

    def pose(self, pose: Pose, interval: float = 0.0) -> Any:
        """The skin in a pose, `interval` [s] after the last one; 0 where it is seen as if it were held."""
        rest = self._morphs.update(pose.shapes)
        if rest is not None:
            devices.write(self._rest, rest)
        skinning = pose.skinning(self._skeleton)
        self._reader.set(pose, skinning, interval)
        if not self._shares_transforms:
            self._below.set(skinning)
        self._stages()
        return self.points

    def _launches(self, binding: PoseSpaceBinding) -> list[devices.Launch]:
        """From inputs to rest points with their offsets."""
        from supple.skins.kinematic.kernels import mat34
        from supple.skins.pose_space import kernels

        wp, constants = devices.warp(), binding.constants
        put, blank, device = constants.put, constants.blank, constants.device
        parts, count = binding.centers.shape[:2]
        size = binding.entries.shape[1]
        scaled = blank(parts * size // 4, wp.vec4f)
        weights = blank(parts * count, wp.float32)
        mixed = blank(max(len(binding.part_of), 1), wp.vec4f)
        numbers = wp.array(ptr=scaled.ptr, dtype=wp.float32, shape=parts * size, device=device)
        centers, coefficients = (put(each, wp.vec4f).flatten() for each in (binding.centers, binding.coefficients))
        entries, scales = put(binding.entries, wp.int32).flatten(), put(binding.scales, wp.float32).flatten()
        shapes, rest = put(binding.shapes, mat34), self._arrays.rest
        return [
            devices.Launch(kernels.scale_inputs, parts * size, [self._reader.inputs, entries, scales, numbers], device),
            devices.Launch(
                kernels.weigh_centers,
                parts * count,
                [size // 4, count, put(binding.used, wp.int32), scaled, centers, weights],
                device,
            ),
            devices.Launch(
                kernels.mix_centers,
                len(binding.part_of),
                [count, put(binding.part_of, wp.int32), coefficients, weights, mixed],
                device,
            ),
            devices.Launch(
                kernels.displace,
                len(binding.rows) - 1,
                [put(binding.rows, wp.int32), put(binding.blocks, wp.int32), shapes, mixed, self._rest, rest],
                device,
            ),
        ]


@dataclass
class PoseSpaceMemory:
    """The skin as it is, and what the joints did in the frames before."""

    points: Any
    history: History
