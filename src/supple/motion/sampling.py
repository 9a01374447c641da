"""The motions of a crowd on a device, where their poses are made without the host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.motion.motion import Motion


class DeviceMotions:
    """Keys of motions for one skeleton on a device, and the copies that follow them.

    Copy c follows `motions[which[c]]`, is `delays[c]` seconds ahead, and stands where `placements[c]` (4, 4) puts it.
    """

    def __init__(
        self,
        motions: Sequence[Motion],
        which: IntArray,
        delays: FloatArray,
        skeleton: Skeleton,
        device: str,
        *,
        placements: FloatArray | None = None,
    ) -> None:
        from supple.motion import sampling_kernels as kernels

        wp = devices.warp()
        self.device, self._joints, self._count = device, len(skeleton), len(which) * len(skeleton)
        counts = np.array([motion.frames for motion in motions])

        def put(values: Any, kind: Any) -> Any:
            return devices.to_device(np.asarray(values), kind, device)

        def keys(values: list[FloatArray], kind: Any) -> Any:
            stacked = np.concatenate(values)
            return put(stacked.reshape(-1, stacked.shape[-1]).astype(np.float32), kind)

        self._clips = devices.fill_struct(
            kernels.Clips(),
            moves=keys([motion.translations for motion in motions], wp.vec3f),
            rotations=keys([motion.rotations for motion in motions], wp.quatf),
            scales=keys([_scales(motion) for motion in motions], wp.vec3f),
            firsts=put((np.cumsum(counts) - counts).astype(np.int32), wp.int32),
            counts=put(counts.astype(np.int32), wp.int32),
            rates=put([float(motion.fps) for motion in motions], wp.float64),
            laps=put([motion.duration if motion.loop else 0.0 for motion in motions], wp.float64),
            strides=put(np.array([motion.stride for motion in motions], dtype=np.float32), wp.vec3f),
        )
        self._time = wp.zeros(1, dtype=wp.float64, device=device)
        self._cast = devices.fill_struct(
            kernels.Cast(),
            clips=put(which.astype(np.int32), wp.int32),
            delays=put(delays.astype(np.float64), wp.float64),
            time=self._time,
            parents=put(skeleton.parents.astype(np.int32), wp.int32),
            joint_from_world=put(skeleton.joint_from_world[:, :3, :].astype(np.float32), kernels.mat34),
        )
        self._placements: Any = None
        if placements is not None:
            self._placements = put(placements[:, :3, :].astype(np.float32), kernels.mat34)

    def write_skinning(self, time: float, matrices: Any) -> None:
        """Fill `matrices` (C J,), 3x4 on the device, with the skinning transforms at a time [s]."""
        from supple.motion import placing_kernels, sampling_kernels

        self._write(sampling_kernels.sample_skinning, placing_kernels.place_skinning, time, matrices)

    def write_heads(self, time: float, heads: Any) -> None:
        """Fill `heads` (C J,), vec3f on the device, with where the joints are at a time [s]."""
        from supple.motion import placing_kernels, sampling_kernels

        self._write(sampling_kernels.sample_heads, placing_kernels.place_heads, time, heads)

    def write_positions(self, time: float, positions: Any) -> None:
        """The same to `positions` (C J,), vec3d; they are as exact as the keys are, which is single precision."""
        from supple.motion.placing_kernels import widen_heads

        self.write_heads(time, self._heads)
        inputs = [0, self._heads, positions]
        devices.warp().launch(widen_heads, dim=self._count, inputs=inputs, device=self.device)

    def centers(self, time: float) -> FloatArray:
        """The middle of every copy's joints (C, 3) [m] at a time [s], on the host."""
        from supple.motion.placing_kernels import average_heads

        self.write_heads(time, self._heads)
        inputs = [0, self._joints, self._heads, self._centers]
        devices.warp().launch(average_heads, dim=len(self._centers), inputs=inputs, device=self.device)
        return devices.to_host(self._centers).astype(np.float64)

    @cached_property
    def _heads(self) -> Any:
        """Room for where the joints are."""
        return devices.warp().empty(self._count, dtype=devices.warp().vec3f, device=self.device)

    @cached_property
    def _centers(self) -> Any:
        return devices.warp().empty(self._count // self._joints, dtype=devices.warp().vec3f, device=self.device)

    def _write(self, sample: Any, place: Any, time: float, target: Any) -> None:
        devices.write(self._time, np.array([time]))
        wp = devices.warp()
        wp.launch(sample, dim=self._count, inputs=[0, self._clips, self._cast, target], device=self.device)
        if self._placements is not None:
            inputs = [0, self._joints, self._placements, target]
            wp.launch(place, dim=self._count, inputs=inputs, device=self.device)


def _scales(motion: Motion) -> FloatArray:
    return np.ones(motion.translations.shape) if motion.scales is None else motion.scales
