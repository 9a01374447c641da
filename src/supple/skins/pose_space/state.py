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
        self._morphs = MorphTargets.from_character(binding.character)
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
        self._morphs.reshape(binding.character)

    def forget(self) -> None:
        """Be at rest in the next pose."""
        self._reader.forget()

    def pose(self, pose: Pose, interval: float = 0.0) -> Any:
        """The skin in a pose, `interval` [s] after the last one; 0 where it is seen as if it were held."""
        rest = self._morphs.update(pose.shapes)
        if rest is not None:
            devices.write(self._rest, rest)
        self._reader.set_pose(pose, self._skeleton, interval)
        if not self._shares_transforms:
            self._below.set_pose(pose, self._skeleton)
        self._stages()
        return self.points

    def _launches(self, binding: PoseSpaceBinding) -> list[devices.Launch]:
        """From inputs to rest points with their offsets."""
        from supple.skins.kinematic.kernels import mat34
        from supple.skins.pose_space import kernels

        wp, constants, copies = devices.warp(), binding.constants, binding.copies
        put, blank, device = constants.put, constants.blank, constants.device
        parts, count = binding.centers.shape[:2]
        size = binding.entries.shape[1]
        scaled = blank(copies * parts * size // 4, wp.vec4f)
        weights = blank(copies * parts * count, wp.float32)
        mixed = blank(max(copies * len(binding.part_of), 1), wp.vec4f)
        numbers = wp.array(ptr=scaled.ptr, dtype=wp.float32, shape=copies * parts * size, device=device)
        centers, coefficients = (put(each, wp.vec4f).flatten() for each in (binding.centers, binding.coefficients))
        entries, scales = put(binding.entries, wp.int32).flatten(), put(binding.scales, wp.float32).flatten()
        used, part_of = put(binding.used, wp.int32), put(binding.part_of, wp.int32)
        looked_at, shapes = len(self._reader.inputs) // copies, put(binding.shapes, mat34)
        rows, blocks, rest = put(binding.rows, wp.int32), put(binding.blocks, wp.int32), self._arrays.rest

        def recorded(kernel: Any, items: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, copies * items, inputs, device)

        amounts = len(binding.part_of)
        return [
            recorded(kernels.scale_inputs, parts * size, looked_at, self._reader.inputs, entries, scales, numbers),
            recorded(kernels.weigh_centers, parts * count, size // 4, count, used, scaled, centers, weights),
            recorded(kernels.mix_centers, amounts, parts, count, part_of, coefficients, weights, mixed),
            recorded(kernels.displace, len(binding.rows) - 1, amounts, rows, blocks, shapes, mixed, self._rest, rest),
        ]


@dataclass
class PoseSpaceMemory:
    """The skin as it is, and what the joints did in the frames before."""

    points: Any
    history: History
