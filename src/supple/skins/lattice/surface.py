"""The skin over the lattice: it goes along with the voxels it hangs on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Ints, Singles
from supple.character.character import Character
from supple.character.crowd import stacked
from supple.character.morph_targets import MorphTargets
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import pack_blocks
from supple.skins.lattice.embedding import Tie
from supple.skins.lattice.solver import LatticeArrays, Solver


@dataclass(frozen=True, eq=False)
class Hung:
    """How the skin of all copies hangs on their nodes, in blocks of four: (V * blocks, 4) nodes and shares."""

    nodes: Ints
    shares: Singles
    width: int

    @classmethod
    def from_tie(cls, tie: Tie, lattice: LatticeArrays) -> Hung:
        """`tie` is how the vertices of one copy hang on its nodes."""
        nodes = stacked(tie.corners, lattice.copies, len(lattice) // lattice.copies)
        return cls(*pack_blocks(nodes, np.tile(tie.shares, (lattice.copies, 1))), tie.corners.shape[1])


class Surface:
    """A character's skin on a device.

    `alone`: the skin follows from the lattice alone, and takes nothing from the kinematic skin below.
    """

    def __init__(
        self, character: Character, hung: Hung, solver: Solver, constants: devices.Constants, *, alone: bool
    ) -> None:
        from supple.skins.kinematic.kernels import mat34

        wp = devices.warp()
        self._solver, self._count, self._each = solver, len(character.points), len(character.points) // solver.copies
        self.tie_width, blocks = hung.width, len(hung.nodes) // len(character.points)
        self._tied = [blocks, constants.put(hung.nodes, wp.vec4i), constants.put(hung.shares, wp.vec4f)]
        self._rest = _Rest(character, constants.device) if alone else None
        self._moves = constants.blank(solver.count, mat34)
        self.points = constants.blank(self._count, wp.vec3f)

    def set(self, pose: Pose) -> None:
        """Take the shapes (morph targets) of a pose; a kinematic skin below knows them already."""
        if self._rest is not None:
            self._rest.set(pose)

    def follow(self, incoming: Any) -> list[devices.Launch]:
        """Recorded: the skin of the step, from where the bones alone carry it."""
        from supple.skins.lattice import kernels

        flesh, device = self._solver, self._solver.device
        tied = [self._each, *self._tied, flesh.origins, self._moves]
        if self._rest is not None:
            nodes = [flesh.blend.rest, flesh.frames, flesh.rotations, flesh.positions, self._moves]
            return [
                devices.Launch(kernels.settle_skin, flesh.count, nodes, device),
                devices.Launch(kernels.place_skin, self._count, [*tied, self._rest.points, self.points], device),
            ]
        nodes = [flesh.side, flesh.chains, flesh.kinematic, flesh.frames, flesh.positions, self._moves]
        return [
            devices.Launch(kernels.lean, flesh.count, nodes, device),
            devices.Launch(kernels.carry_skin, self._count, [*tied, incoming, self.points], device),
        ]


class _Rest:
    """The skin at rest in the shapes (morph targets) of a pose, on a device."""

    def __init__(self, character: Character, device: str) -> None:
        self._morph_targets = MorphTargets(character.points, character.shapes)
        self.points = devices.to_device(character.points.astype(np.float32), devices.warp().vec3f, device)

    def set(self, pose: Pose) -> None:
        rest = self._morph_targets.update(pose.shapes)
        if rest is not None:
            devices.write(self.points, rest)
