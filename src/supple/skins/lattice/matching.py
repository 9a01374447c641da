"""Lattice shape matching: overlapping regions of voxels that each want to keep their shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Floats, Ints

_WIDEST_WALK = 17  # voxels: on a CPU wider regions are summed by running sums; a GPU walks faster at any width


def window(width: int) -> tuple[int, int]:
    """How many steps a region goes down and up from its node: centred where the width is odd."""
    return (width - 1) // 2, width // 2


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a lattice, one named after each node, and what of them never changes.

    `chains` (N, 6) are neighbours along -x, +x, -y, +y, -z, +z, or -1. `masses` (N,) are one over the number of regions
    that contain a node. `middles` (N, 3) are the middles of the regions at rest, in voxels from their nodes, and
    `weights` (N,) the masses of the regions.
    """

    chains: Ints
    width: int
    masses: Floats
    middles: Floats
    weights: Floats

    @classmethod
    def of(cls, chains: Ints, width: int) -> Regions:
        """Regions of `width` voxels along every axis, where flesh reaches that far."""
        low, high = window(width)
        count = np.ones(len(chains))
        for axis in range(3):  # the regions that contain a node: windows the other way round
            count = _windowed(count, chains, axis, high, low)[0]
        masses = 1.0 / count
        total = masses
        moments: list[Floats] = []
        for axis in (2, 1, 0):
            sums = [_windowed(moment, chains, axis, low, high)[0] for moment in moments]
            total, moment = _windowed(total, chains, axis, low, high)
            moments = [*sums, moment]
        return cls(chains, width, masses, np.stack(moments[::-1], axis=1) / total[:, None], total)


def _windowed(values: Floats, chains: Ints, axis: int, low: int, high: int) -> tuple[Floats, Floats]:
    """Sums of values (N,) over `low` steps down and `high` steps up one axis, and their moments."""
    total, moment = values.copy(), np.zeros(len(values))
    padded = np.append(values, 0.0)
    for side, steps, sign in ((0, low, -1.0), (1, high, 1.0)):
        following = np.append(chains[:, 2 * axis + side], -1)  # what lies beyond the end stays there
        at = np.arange(len(values))
        for step in range(1, steps + 1):
            at = following[at]
            total += padded[at]
            moment += sign * step * padded[at]
    return total, moment


class Matching:
    """Regions on a device, and the launches that bring nodes nearer to the shape they have at rest.

    `frames` is how the bones alone turn every node, `turns` what flesh adds to that (kept from step to step),
    `layers` the layer of every node, `stiffness` one number for each layer, 0 to 1; all on the device.
    """

    def __init__(
        self,
        regions: Regions,
        side: float,
        nodes: tuple[Any, Any, Any, Any],
        *,
        constants: devices.Constants,
        rounds: int = 2,
        running: bool | None = None,
    ) -> None:
        wp, device = devices.warp(), constants.device
        self._device, self._count, self._side, self._rounds = device, len(regions.masses), side, rounds
        self._regions, self._constants = regions, constants
        self._frames, self._rotations, self._layers, self._stiffness = nodes

        def middles() -> Any:
            rows = np.concatenate([regions.middles * side, 1.0 / regions.weights[:, None]], axis=1)
            return devices.to_device(rows.astype(np.float32), wp.vec4f, device)

        self._masses = constants.derive(
            regions.masses, "masses", lambda: devices.to_device(regions.masses.astype(np.float32), wp.float32, device)
        )
        self._middles = constants.derive(regions.middles, ("middles", side), middles)
        self._chains = constants.derive(
            regions.chains, "columns", lambda: [devices.to_device(each, wp.int32, device) for each in regions.chains.T]
        )
        wide = (device == "cpu" and regions.width > _WIDEST_WALK) if running is None else running
        self._arrange = self._running if wide else self._walking
        self._space = self._running_space() if wide else self._walking_space()

    def launches(self, points: Any, moved: Any) -> list[devices.Launch]:
        """Recorded: once from `points` to `moved`, which may be the same arrays (N,) on the device."""
        return self._arrange(points, moved)

    def _recorded(self, kernel: Any, inputs: Sequence[Any], count: int | None = None) -> devices.Launch:
        return devices.Launch(kernel, self._count if count is None else count, inputs, self._device)

    def _walking_space(self) -> list[Any]:
        from supple.skins.lattice import matching_kernels as kernels

        wp = devices.warp()
        kinds = (kernels.vec6, kernels.vec9, kernels.vec12)
        return [wp.zeros(self._count, dtype=kind, device=self._device) for kind in kinds]

    def _walking(self, points: Any, moved: Any) -> list[devices.Launch]:
        from supple.skins.lattice import matching_kernels as kernels

        low, high = window(self._regions.width)
        six, nine, twelve = self._space
        along_x, along_y, along_z = ([low, high, *self._chains[2 * axis : 2 * axis + 2]] for axis in range(3))
        fit = [self._side, self._rounds, self._middles, self._frames, self._rotations]
        end = [self._masses, self._layers, self._stiffness, points, moved]
        return [
            self._recorded(kernels.sum_along_z, [*along_z, self._masses, points, six]),
            self._recorded(kernels.sum_along_y, [*along_y, six, nine]),
            self._recorded(kernels.match_along_x, [*along_x, nine, *fit, twelve]),
            self._recorded(kernels.spread_along_x, [*along_x, twelve, nine]),
            self._recorded(kernels.spread_along_y, [*along_y, nine, six]),
            self._recorded(kernels.approach_along_z, [*along_z, six, *end]),
        ]

    def _running_space(self) -> list[Any]:
        from supple.skins.lattice import matching_kernels as kernels

        wp = devices.warp()
        kinds = (kernels.vec12, kernels.vec12, kernels.vec12, wp.vec3f, wp.vec3f)
        return [wp.zeros(self._count, dtype=kind, device=self._device) for kind in kinds]

    def _blocks(self) -> tuple[list[Any], list[Any], list[Any]]:
        """On the device, by axis: where blocks start, and the windows of nodes there and back."""
        wp, device = devices.warp(), self._device
        blocks = [Blocks.of(self._regions.chains, axis, self._regions.width) for axis in range(3)]
        starts = [devices.to_device(each.starts, wp.int32, device) for each in blocks]
        low, high = window(self._regions.width)
        ahead, back = (
            [devices.to_device(each.windows(*reach), wp.vec4i, device) for each in blocks]
            for reach in ((low, high), (high, low))
        )
        return starts, ahead, back

    def _running(self, points: Any, moved: Any) -> list[devices.Launch]:
        from supple.skins.lattice import matching_kernels as kernels

        sums, forward, backward, forward_moment, backward_moment = self._space
        run = [forward, forward_moment, backward, backward_moment]
        width = self._regions.width
        starts, ahead, back = self._constants.derive(self._regions.chains, ("blocks", width), self._blocks)

        def passed(axis: int, windows: Any, slots: tuple[int, int, float]) -> list[devices.Launch]:
            slot, into, sign = slots
            chain = self._chains[2 * axis : 2 * axis + 2]
            runs = [width, slot, starts[axis], *chain, sums, *run]
            return [
                self._recorded(kernels.run_along, runs, len(starts[axis])),
                self._recorded(kernels.windows_along, [slot, into, sign, windows, *run, sums]),
            ]

        forth = [launch for axis in (2, 1, 0) for launch in passed(axis, ahead[axis], (0, 1 + axis, 1.0))]
        home = [launch for axis in (0, 1, 2) for launch in passed(axis, back[axis], (1 + axis, 0, -1.0))]
        fit = [self._side, self._rounds, sums, self._middles, self._frames, self._rotations, sums]
        end = [sums, self._masses, self._layers, self._stiffness, points, moved]
        return [
            self._recorded(kernels.first_sums, [self._masses, points, sums]),
            *forth,
            self._recorded(kernels.match, fit),
            *home,
            self._recorded(kernels.approach, end),
        ]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The chains along one axis, cut into blocks of `width` nodes from their lower ends.

    `places` (N,) are where nodes stand in their chain, `starts` (B,) the first nodes of blocks, `order` (N,) all nodes
    chain by chain, `ranks` (N,) where each stands in that order, `lengths` (N,) how long the chain of each is.
    """

    width: int
    starts: Ints
    order: Ints
    ranks: Ints
    positions: Ints
    lengths: Ints

    @classmethod
    def of(cls, chains: Ints, axis: int, width: int) -> Blocks:
        """Blocks along an axis: 0 for x, 1 for y, 2 for z."""
        down, up = chains[:, 2 * axis], chains[:, 2 * axis + 1]
        count = len(chains)
        positions, heads = np.zeros(count, dtype=np.int32), np.arange(count, dtype=np.int32)
        at: Ints = np.flatnonzero(down < 0).astype(np.int32)
        position = 0
        while len(at):  # all chains at once, one step further each time
            positions[at] = position
            ahead = up[at]
            heads[ahead[ahead >= 0]] = heads[at[ahead >= 0]]
            at, position = ahead[ahead >= 0], position + 1
        order = np.lexsort((positions, heads)).astype(np.int32)
        ranks = np.empty(count, dtype=np.int32)
        ranks[order] = np.arange(count, dtype=np.int32)
        lengths = np.bincount(heads, minlength=count)[heads].astype(np.int32)
        starts = np.flatnonzero(positions % width == 0).astype(np.int32)
        return cls(width, starts, order, ranks, positions, lengths)

    def windows(self, low: int, high: int) -> NDArray[np.int32]:
        """For every node the first and last node of its window and how far off they are (N, 4).

        A node is -1 where the running sum at the other end covers the whole window.
        """
        below = np.minimum(low, self.positions)
        above = np.minimum(high, self.lengths - 1 - self.positions)
        first, last = self.positions - below, self.positions + above
        same = first // self.width == last // self.width
        begins = first % self.width == 0
        lower, upper = self.order[self.ranks - below], self.order[self.ranks + above]
        lower, upper = np.where(same & begins, -1, lower), np.where(same & ~begins, -1, upper)
        return np.stack([lower, upper, below, above], axis=1).astype(np.int32)
