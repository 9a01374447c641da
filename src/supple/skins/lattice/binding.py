"""Everything that the layered lattice prepares for one character on one device, and one step of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.motion.pose import Pose
from supple.skins.kinematic.volume_keeper import VolumeKeeper
from supple.skins.lattice.body import body_of
from supple.skins.lattice.hands import Gripping, Hands
from supple.skins.lattice.layers import BONE
from supple.skins.lattice.solver import Knobs, Solver
from supple.skins.lattice.steadied import Steadied
from supple.skins.lattice.surface import Surface
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice

_CALM = {"damping": 0.99, "kept": 0.5}  # while the first pose settles


@dataclass
class LatticeState:
    """What follows from time; arrays are those of the binding, one row per node, `points` one per vertex.

    `positions` and `velocities` are those of the nodes, `before` is where bones carried them in the last step, `turns`
    what flesh adds to the turn of the bones, `origins` (copies, 3) [m] where all this is seen from. `time` [s] has
    passed since the first frame. `seen` is the pose as flesh sees it, where it is steadied.
    """

    points: Any
    positions: Any
    velocities: Any
    before: Any
    turns: Any
    origins: Floats
    seen: Steadied
    time: float = 0.0


class BoundLattice:
    """A character's lattice on a device, or that of a crowd. It has one state at a time."""

    def __init__(self, character: Character, skin: LayeredLattice, device: str) -> None:
        crowd = character if isinstance(character, Crowd) else None
        one, copies = (character, 1) if crowd is None else (crowd.member, crowd.count)
        self.character, self.device = character, device
        self.body = body_of(one, skin)
        self.solver = Solver(
            self.body.anatomy, len(one.skeleton), device=device, width=skin.width, neighbours=skin.neighbours,
            copies=copies,
        )  # fmt: skip
        self.surface = Surface(character, self.body.tie, self.solver, alone=skin.surface == "trilinear")
        depths = np.tile(self.body.tie.matrix(self.solver.each) @ self.body.thickness, copies)
        self.keeper = VolumeKeeper(character, depths, self.surface.points, device=device)
        self._one = one
        self._base = None if skin.steady == 0.0 else skin.base_skin()
        self._bound_base = None if self._base is None else self._base.bind(character, device)
        self._hands: Hands | None = None
        self._tuned: tuple[LayeredLattice, float, bool] | None = None
        self._recorded: tuple[Any, tuple[Any, ...], devices.Chain] | None = None

    def start(self, skin: LayeredLattice, pose: Pose, incoming: Any) -> LatticeState:
        """Rest at the shape that the first pose settles to."""
        solver = self.solver
        if self._hands is not None:
            self._hands.open()
        incoming = self._carried(pose, incoming)
        origins = self._take(skin, pose, None)
        for launch in solver.carry():
            launch()
        solver.rest()
        state = LatticeState(
            self.surface.points,
            solver.positions,
            solver.velocities,
            solver.before,
            solver.turns,
            origins,
            Steadied.at(self.character.skeleton, pose),
        )
        calm = _calmed(skin.knobs())
        solver.tune(calm, skin.step)
        self._tuned = None
        self._take(skin, pose, origins)
        for _ in range(max(skin.warm_up if skin.secondary else 0, 1)):
            self._stages(skin, incoming)()
        solver.velocities.zero_()
        return state

    def advance(self, skin: LayeredLattice, state: LatticeState, pose: Pose, dt: float, incoming: Any) -> Any:
        """One step."""
        wanted = (skin, dt, state.time == 0.0)
        if self._tuned is None or self._tuned[0] is not skin or self._tuned[1:] != wanted[1:]:
            self.solver.tune(skin.knobs(), dt, joining=state.time == 0.0)
            self._tuned = wanted
        if self._base is not None:
            pose = state.seen.follow(self.character.skeleton, pose, dt, frequency=skin.steady)
        incoming = self._carried(pose, incoming)
        state.origins[...] = self._take(skin, pose, state.origins)
        state.time += dt
        self._stages(skin, incoming)()
        return self.surface.points

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on."""
        if self._hands is None and pulls:
            anatomy = self.body.anatomy
            gripping = Gripping(anatomy.lattice, self.body.tie, self._one.points, anatomy.layers > BONE)
            size = float(np.ptp(self._one.points, axis=0).max())
            self._hands = Hands(gripping, self.solver, self.surface, size)
        if self._hands is not None:
            self._hands.take(pulls)

    def _carried(self, pose: Pose, incoming: Any) -> Any:
        """The kinematic skin below: that of the stage before, or its own in a steadied pose."""
        return incoming if self._base is None else self._base.deform(self._bound_base, pose, None)

    def _take(self, skin: LayeredLattice, pose: Pose, last: Floats | None) -> Floats:
        """Bring a pose to the device; returns where it is seen from."""
        self.surface.set(pose)
        if _keeps_volume(skin):
            self.keeper.set(pose)
        origins = self.solver.pose(pose.skinning(self.character.skeleton), pose.world_from_joint, last)
        if self._hands is not None:
            self._hands.aim(origins)
        return origins

    def _stages(self, skin: LayeredLattice, incoming: Any) -> devices.Chain:
        """The work of one step, recorded for the incoming skin and for the settings that change its order."""
        hands, held = self._hands, skin.stretch > 0.0 or skin.volume > 0.0
        kept = _keeps_volume(skin)
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
                *self.solver.carry(), *before, *step, *self.surface.follow(incoming), *last,
            ]  # fmt: skip
            known = self._recorded = incoming, order, devices.Chain(calls, self.device)
        return known[2]


def _keeps_volume(skin: LayeredLattice) -> bool:
    """Whether the volume of the whole skin is kept; what only follows the bones is left as they carry it."""
    return skin.keep_volume and skin.secondary


def _calmed(knobs: Knobs) -> Knobs:
    """The same flesh, settling rather than swinging."""
    layers = len(knobs.stiffness)
    return replace(knobs, damping=(_CALM["damping"],) * layers, kept=(_CALM["kept"],) * layers)
