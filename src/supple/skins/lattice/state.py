"""Everything that moves of one lattice: what it remembers, the arrays it works in, the launches recorded on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.motion.pose import Pose
from supple.skins.kinematic.volume_preservation import VolumePreserver
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.handles.handles import HandleBinding, Handles
from supple.skins.lattice.pose_filter import LowPassPose
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.surface import Surface
from supple.skins.lattice.voxelize.layers import BONE
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice


@dataclass
class LatticeMemory:
    """What the next step depends on; arrays are on the device, one row per node, `points` one per vertex.

    `positions` and `velocities` are those of the nodes, `before` is where bones carried them in the last step,
    `rotations` what flesh adds to the turn of the bones, `origins` (copies, 3) [m] where all this is seen from. `time`
    [s] has passed since the first frame. `seen` is the pose as flesh sees it, where it is steadied.
    """

    points: Any
    positions: Any
    velocities: Any
    before: Any
    rotations: Any
    origins: FloatArray
    seen: LowPassPose
    time: float = 0.0


class LatticeState:
    """A character's lattice in motion, or that of a crowd."""

    def __init__(self, binding: LatticeBinding, skin: LayeredLattice) -> None:
        self.binding, constants = binding, binding.constants
        self.skeleton, self.device = binding.character.skeleton, constants.device
        self.solver = solver = Solver(binding.arrays, constants)
        self.surface = Surface(binding, solver, alone=skin.voxels.surface == "trilinear")
        self.keeper = VolumePreserver(binding.volume, self.surface.points, constants)
        self.handles: Handles | None = None
        self.recorded: tuple[Any, tuple[Any, ...], devices.Chain] | None = None
        """The incoming skin and the settings for which a step was recorded, and the step."""
        self._base = None if skin.steady == 0.0 else skin.driving_skin()
        self._base_state = None if self._base is None else self._base.allocate(binding.base)
        self._tuned: tuple[LayeredLattice, float, bool] | None = None
        self.memory = LatticeMemory(
            self.surface.points,
            solver.positions,
            solver.velocities,
            solver.before,
            solver.rotations,
            np.zeros((solver.copies, 3)),
            LowPassPose.from_pose(self.skeleton, Pose.rest(self.skeleton)),
        )

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def set_parameters(self, skin: LayeredLattice, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        starting = self.memory.time == 0.0
        known = self._tuned
        if known is None or known[0] is not skin or known[1:] != (dt, starting):
            self.solver.set_parameters(skin.parameters(), dt, starting=starting)
            self._tuned = skin, dt, starting

    def set_pose(self, pose: Pose, last: FloatArray | None, *, keep_volume: bool) -> FloatArray:
        """Bring a pose to the device; returns where it is seen from, `last` being where it was seen from before."""
        self.surface.set(pose)
        if keep_volume:
            self.keeper.set(pose)
        origins = self.solver.set_pose(pose.skinning(self.skeleton), pose.world_from_joint, last)
        if self.handles is not None:
            self.handles.set_origins(origins)
        return origins

    def kinematic_skin(self, pose: Pose, incoming: Any) -> Any:
        """The kinematic skin below: that of the stage before, or its own in a steadied pose."""
        if self._base is None:
            return incoming
        return self._base.deform(self.binding.base, self._base_state, pose, None)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on."""
        if self.handles is None and pulls:
            body, one = self.binding.body, self.binding.member
            binding = HandleBinding(body.anatomy.lattice, body.embedding, one.points, body.anatomy.layers > BONE)
            self.handles = Handles(binding, self.solver, self.surface, float(np.ptp(one.points, axis=0).max()))
        if self.handles is not None:
            self.handles.hold(pulls)
