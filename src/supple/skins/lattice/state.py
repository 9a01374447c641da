"""Everything that moves of one lattice: what it remembers, the arrays it works in, the launches recorded on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.motion.pose import Pose
from supple.skins.kinematic.volume_preservation import VolumePreserver
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.hands import Gripping, Hands
from supple.skins.lattice.layers import BONE
from supple.skins.lattice.pose_filter import Steadied
from supple.skins.lattice.solver import Solver
from supple.skins.lattice.surface import Surface
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice


@dataclass
class LatticeMemory:
    """What the next step depends on; arrays are on the device, one row per node, `points` one per vertex.

    `positions` and `velocities` are those of the nodes, `before` is where bones carried them in the last step, `turns`
    what flesh adds to the turn of the bones, `origins` (copies, 3) [m] where all this is seen from. `time` [s] has
    passed since the first frame. `seen` is the pose as flesh sees it, where it is steadied.
    """

    points: Any
    positions: Any
    velocities: Any
    before: Any
    rotations: Any
    origins: Floats
    seen: Steadied
    time: float = 0.0


class LatticeState:
    """A character's lattice in motion, or that of a crowd."""

    def __init__(self, binding: LatticeBinding, skin: LayeredLattice) -> None:
        self.binding, constants = binding, binding.constants
        self.skeleton, self.device = binding.character.skeleton, constants.device
        self.solver = solver = Solver(binding.arrays, constants)
        self.surface = Surface(binding.character, binding.hung, solver, constants, alone=skin.surface == "trilinear")
        self.keeper = VolumePreserver(binding.volume, self.surface.points, constants)
        self._base = None if skin.steady == 0.0 else skin.driving_skin()
        self._base_state = None if self._base is None else self._base.allocate(binding.base)
        self._hands: Hands | None = None
        self._tuned: tuple[LayeredLattice, float, bool] | None = None
        self._recorded: tuple[Any, tuple[Any, ...], devices.Chain] | None = None
        self.memory = LatticeMemory(
            self.surface.points,
            solver.positions,
            solver.velocities,
            solver.before,
            solver.rotations,
            np.zeros((solver.copies, 3)),
            Steadied.at(self.skeleton, Pose.rest(self.skeleton)),
        )

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def tune(self, skin: LayeredLattice, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        joining = self.memory.time == 0.0
        known = self._tuned
        if known is None or known[0] is not skin or known[1:] != (dt, joining):
            self.solver.tune(skin.knobs(), dt, joining=joining)
            self._tuned = skin, dt, joining

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on."""
        if self._hands is None and pulls:
            body, one = self.binding.body, self.binding.member
            gripping = Gripping(body.anatomy.lattice, body.tie, one.points, body.anatomy.layers > BONE)
            self._hands = Hands(gripping, self.solver, self.surface, float(np.ptp(one.points, axis=0).max()))
        if self._hands is not None:
            self._hands.take(pulls)

    def carry(self, pose: Pose, incoming: Any) -> Any:
        """The kinematic skin below: that of the stage before, or its own in a steadied pose."""
        if self._base is None:
            return incoming
        return self._base.deform(self.binding.base, self._base_state, pose, None)

    def take(self, skin: LayeredLattice, pose: Pose, last: Floats | None) -> Floats:
        """Bring a pose to the device; returns where it is seen from, `last` being where it was seen from before."""
        self.surface.set(pose)
        if keeps_volume(skin):
            self.keeper.set(pose)
        origins = self.solver.pose(pose.skinning(self.skeleton), pose.world_from_joint, last)
        if self._hands is not None:
            self._hands.aim(origins)
        return origins

    def stages(self, skin: LayeredLattice, incoming: Any) -> devices.Chain:
        """The work of one step, recorded for the incoming skin and for the settings that change its order."""
        hands, held = self._hands, skin.stretch > 0.0 or skin.volume > 0.0
        kept = keeps_volume(skin)
        order = (skin.iterations, skin.secondary, held, kept, hands is not None)
        known = self._recorded
        if known is None or known[0] is not incoming or known[1] != order:
            before: list[Callable[[], object]] = [] if hands is None else hands.before()
            drawn = [] if hands is None else hands.after()
            step = self.solver.step(iterations=order[0], secondary=order[1], constraints=order[2], last=drawn)
            keep = self.keeper.keep if kept else None
            last: list[Callable[[], object]] = [] if keep is None else [keep]
            if hands is not None:
                last = hands.at_last(keep)
            calls: list[Callable[[], object]] = [
                *self.solver.carry(),
                *before,
                *step,
                *self.surface.follow(incoming),
                *last,
            ]
            known = self._recorded = incoming, order, devices.Chain(calls, self.device)
        return known[2]


def keeps_volume(skin: LayeredLattice) -> bool:
    """Whether the volume of the whole skin is kept; what only follows the bones is left as they carry it."""
    return skin.keep_volume and skin.secondary
