"""The skin over the lattice: it goes along with the voxels it hangs on."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.character.crowd import stacked
from supple.character.shapes import Shaped
from supple.motion.pose import Pose
from supple.skins.kinematic.blend import blocks_of
from supple.skins.lattice.solver import Solver
from supple.skins.lattice.tie import Tie


class Surface:
    """A character's skin on a device; `tie` is how the vertices of one copy hang on its nodes.

    `alone`: the skin follows from the lattice alone, and takes nothing from the kinematic skin below.
    """

    def __init__(self, character: Character, tie: Tie, solver: Solver, *, alone: bool) -> None:
        from supple.skins.kinematic.kernels import mat34

        wp = devices.warp()
        self._solver, self._count, self._each = solver, len(character.points), len(tie.corners)
        self.tie_width, device = tie.corners.shape[1], solver.device
        nodes, shares = stacked(tie.corners, solver.copies, solver.each), np.tile(tie.shares, (solver.copies, 1))
        self._tied = blocks_of(nodes, shares, device=device)
        self._rest = _Rest(character, device) if alone else None
        self._moves = wp.zeros(solver.count, dtype=mat34, device=device)
        self.points = wp.zeros(self._count, dtype=wp.vec3f, device=device)

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
            nodes = [flesh.blend.rest, flesh.frames, flesh.turns, flesh.positions, self._moves]
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
        self._shaped = Shaped(character.points, character.shapes)
        self.points = devices.to_device(character.points.astype(np.float32), devices.warp().vec3f, device)

    def set(self, pose: Pose) -> None:
        rest = self._shaped.changed(pose.shapes)
        if rest is not None:
            devices.write(self.points, rest)
