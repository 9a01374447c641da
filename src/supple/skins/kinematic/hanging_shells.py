"""Shells that lie on other skin go along with whatever it does; hard ones move as one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, IntArray
from supple.character.anatomy.shells import HOSTS, Shells
from supple.character.crowd import stacked


@dataclass(frozen=True, eq=False)
class HangingShells:
    """The H vertices of a skin that are no flesh, and what they hang on.

    `vertices` (H,) go along with `hosts` (H * 12,) by `weights` (H * 12,); where all weights are zero, the bones alone
    carry them. The vertices of hard shell s are `members[starts[s]:starts[s + 1]]`.
    """

    vertices: IntArray
    hosts: IntArray
    weights: Float32Array
    starts: IntArray
    members: IntArray

    @classmethod
    def from_shells(cls, shells: Shells) -> HangingShells:
        """Every shell hangs over its whole area; what lies on something hard moves as the bones move it."""
        flesh = shells.is_flesh
        vertices = np.flatnonzero(~flesh).astype(np.int32)
        weights = np.where(flesh[shells.hosts[vertices]], shells.host_weights[vertices], 0.0)
        rigid = shells.hard[shells.number[vertices]] & weights.any(axis=1)
        members = vertices[rigid][np.argsort(shells.number[vertices[rigid]], kind="stable")]
        number = shells.number[members]
        starts = np.concatenate([np.flatnonzero(np.diff(number, prepend=-1)), [len(members)]])
        return cls(
            vertices,
            shells.hosts[vertices].ravel(),
            weights.astype(np.float32).ravel(),
            starts.astype(np.int32),
            members.astype(np.int32),
        )

    def stack(self, count: int, vertices: int) -> HangingShells:
        """Those of `count` copies of a skin with so many vertices, one after another."""
        starts = np.append(stacked(self.starts[:-1], count, len(self.members)), count * len(self.members))
        return HangingShells(
            stacked(self.vertices, count, vertices),
            stacked(self.hosts, count, vertices),
            np.tile(self.weights, count),
            starts.astype(np.int32),
            stacked(self.members, count, vertices),
        )

    def record(self, incoming: Any, skin: Any, constants: devices.Constants) -> list[devices.Launch]:
        """Recorded: move these shells from where the bones alone carry them (`incoming`), with the rest of the skin."""
        from supple.skins.kinematic import hanging_kernels as kernels

        wp, put = devices.warp(), constants.put
        launches = []
        if len(self.vertices):
            places = [put(self.vertices, wp.int32), put(self.hosts, wp.int32), put(self.weights, wp.float32)]
            inputs = [HOSTS, *places, incoming, skin]
            launches.append(devices.Launch(kernels.hang, len(self.vertices), inputs, constants.device))
        if len(self.members):
            inputs = [put(self.starts, wp.int32), put(self.members, wp.int32), incoming, skin]
            launches.append(devices.Launch(kernels.move_rigidly, len(self.starts) - 1, inputs, constants.device))
        return launches
