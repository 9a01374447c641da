"""Launches over all vertices of some springs, eight at a time on a processor and one by one on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices

if TYPE_CHECKING:
    from supple.skins.springs.dynamics_state import SpringMemory
    from supple.skins.springs.state import Springs

LANES = 8  # vertices of a group
_WORTH = 64  # groups for which another thread is woken


def group_count(vertices: int) -> int:
    """How many groups that many vertices are."""
    return -(-vertices // LANES)


def record_posing(posing: Any, count: int, device: str) -> devices.Launch:
    """Incremental rotation of so many vertices."""
    from supple.skins.springs.kernels import incremental, incremental_lanes

    if device != "cpu":
        return devices.Launch(incremental.pose, count, [posing], device)
    return devices.Launch(incremental_lanes.pose, group_count(count), [posing], "cpu", smallest=_WORTH)


def record_pulls(springs: Springs, forces: Any) -> list[devices.Launch]:
    """All pulls (V,) in the shape of the first buffer."""
    from supple.skins.springs.kernels import energy, lanes, placing

    wp, blank, count = devices.warp(), springs.binding.constants.blank, springs.count
    shape = [springs.points[0], springs.polars[0]]
    if springs.device != "cpu":
        return [devices.Launch(energy.measure_forces, count, [springs.all, *shape, forces], springs.device)]
    states, residuals = blank(8 * count, wp.float32), blank(count, wp.float32)
    whole = wp.ones(count, dtype=wp.float32, device="cpu")
    every, groups = every_vertex(springs), group_count(count)
    started = [every, springs.points[0], springs.all, *shape, states]
    measured = [every, springs.all, states, whole, forces, residuals]
    return [
        devices.Launch(placing.start, groups, started, "cpu", smallest=_WORTH),
        devices.Launch(lanes.measure_pulls, groups, measured, "cpu", smallest=_WORTH),
    ]


def record_limits(
    springs: Springs, memory: SpringMemory, *, looseness: Any, parameters: Any, limited: Any
) -> list[devices.Launch]:
    """What is left (V,) of velocities where edges would become too long or too short."""
    from supple.skins.springs.kernels import lanes_in_time
    from supple.skins.springs.kernels import springs as kernels

    wp, blank, count = devices.warp(), springs.binding.constants.blank, springs.count
    now = [springs.points[0], memory.velocities]
    if springs.device != "cpu":
        inputs = [springs.all, looseness, memory.rooms, parameters, *now, limited]
        return [devices.Launch(kernels.limit_stretch, count, inputs, springs.device)]
    packed = [blank(8 * count, wp.float32), blank(4 * count, wp.float32)]
    taken = [springs.all, looseness, memory.rooms, *now, *packed]
    limits = [every_vertex(springs), springs.all, parameters, *packed, limited]
    return [
        devices.Launch(lanes_in_time.take_swings, count, taken, "cpu"),
        devices.Launch(lanes_in_time.limit_stretch, group_count(count), limits, "cpu", smallest=_WORTH),
    ]


def every_vertex(springs: Springs) -> Any:
    """All vertices as a list of whole groups."""

    def listed() -> Any:
        every = np.full(LANES * group_count(springs.count), -1, dtype=np.int32)
        every[: springs.count] = np.arange(springs.count)
        return devices.to_device(every, devices.warp().int32, springs.device)

    return springs.binding.constants.derive(springs.binding.around.starts, "every vertex", listed)
