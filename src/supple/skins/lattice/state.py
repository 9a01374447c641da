"""Everything that moves of one lattice: what it remembers, the arrays it works in, the launches recorded on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.character.anatomy.skin_anatomy import FLESH
from supple.motion.pose import Pose
from supple.skins.base import Skin
from supple.skins.kinematic.swelling.limb_swelling import LimbSweller
from supple.skins.kinematic.volume_preservation import VolumePreserver
from supple.skins.lattice.binding import LatticeBinding
from supple.skins.lattice.handles.handles import HandleBinding, Handles
from supple.skins.lattice.handles.memory import HandleMemory
from supple.skins.lattice.parameters import LatticeParameters
from supple.skins.lattice.pose_filter import LowPassPose
from supple.skins.lattice.settings import inner_layers
from supple.skins.lattice.shape_matching.solver import Solver
from supple.skins.lattice.surface import Surface
from supple.skins.lattice.voxelize.anatomy import divide
from supple.skins.lattice.voxelize.layers import BONE, FATNESS_MAP, JIGGLE_MAP
from supple.skins.painted_map import ANATOMY
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice


@dataclass
class LatticeMemory:
    """What the next step depends on; arrays are on the device, one row per node, `points` one per vertex.

    `positions` and `velocities` are those of the nodes, `before` is where bones carried them in the last step,
    `rotations` what flesh adds to the turn of the bones, `origins` (copies, 3) [m] where all this is seen from. `time`
    [s] has passed since the first frame, or since a pause. `seen` is the pose as flesh saw it when it was last
    `steadied`. `handles` is what hands remember, `external` what they do to nodes.
    """

    points: Any
    positions: Any
    velocities: Any
    before: Any
    rotations: Any
    origins: FloatArray
    seen: LowPassPose
    time: float = 0.0
    steadied: bool = True
    handles: HandleMemory | None = None
    external: Any = None


class LatticeState:
    """A character's lattice in motion, or that of a crowd."""

    def __init__(self, binding: LatticeBinding, skin: LayeredLattice) -> None:
        self.binding, constants = binding, binding.constants
        self.skeleton, self.device = binding.character.skeleton, constants.device
        self.solver = solver = Solver(binding.arrays, constants)
        self.surface = Surface(binding, solver, alone=skin.voxels.surface == "trilinear")
        self.sweller = LimbSweller(binding.swelling, self.surface.points, solver.reals, constants)
        self.keeper = VolumePreserver(binding.volume, self.surface.points, constants)
        self.handles: Handles | None = None
        self.recorded: tuple[Any, tuple[Any, ...], devices.Chain] | None = None
        """The incoming skin and the settings for which a step was recorded, and the step."""
        self._base: _Base | None = None
        self._tuned: tuple[LayeredLattice, float, bool] | None = None
        self._divided: tuple[Any, ...] | None = None
        self._forces: tuple[Handles | None, Any, list[devices.Launch]] | None = None
        self._hands = HandleMemory.blank(constants)
        self.divide(skin)
        self.memory = LatticeMemory(
            self.surface.points,
            solver.positions,
            solver.velocities,
            solver.before,
            solver.rotations,
            np.zeros((solver.copies, 3)),
            LowPassPose.from_pose(self.skeleton, Pose.rest(self.skeleton)),
            handles=self._hands,
            external=solver.external,
        )

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """Let go of all, until somebody says who holds it now; nothing but its memory depends on the past."""
        if self.handles is None and not self._hands.is_blank:
            self.handles = self._make_handles()
        if self.handles is not None:
            self.handles.forget()

    def forces(self, skin: LayeredLattice) -> Any:
        """The force on every vertex (V,) [N], on the device: on as much flesh as a voxel holds."""
        solver, held = self.solver, self.handles if skin.secondary else None
        if self._forces is None or self._forces[0] is not held:
            blank, wp = self.binding.constants.blank, devices.warp()
            on_nodes, on_skin = blank(solver.count, wp.vec3f), blank(len(self.points), wp.vec3f)
            hands = [] if held is None else [held.add_forces(solver.node_mass, on_nodes)]
            calls = [solver.measure_forces(on_nodes), *hands, self.surface.interpolate(on_nodes, on_skin)]
            self._forces = held, on_skin, calls
        for call in self._forces[2]:
            call()
        return self._forces[1]

    def reshape(self, binding: LatticeBinding, skin: LayeredLattice) -> None:
        """Go on with the shapes and maps of another binding of the same body."""
        self.binding = binding
        self.surface.exchange(binding.character.shapes)
        self.sweller.reshape(binding.swelling)
        self.keeper.reshape(binding.volume)
        if self._base is not None:
            self._base.reshape(binding)
        self.divide(skin)

    def divide(self, skin: LayeredLattice) -> None:
        """Divide the body into layers as these settings and the maps that they name say."""
        character, wanted = self.binding.member, skin.anatomy
        named = {JIGGLE_MAP, FATNESS_MAP, FLESH, *ANATOMY, *wanted.bone_width.named, *wanted.fatness.named}
        maps = {name: character.maps[name].tobytes() for name in sorted(named) if name in character.maps}
        divided = tuple(inner_layers(skin.layers).items()), wanted, tuple(maps.items())
        if divided == self._divided:
            return
        body = self.binding.body
        division = divide(body, character, skin)
        self.anatomy, self._divided = division.anatomy, divided
        self.solver.divide(self.anatomy.layers, self.anatomy.depths, self.anatomy.softness)
        self.surface.loosen(np.tile(division.looseness, self.solver.copies))
        self.keeper.spread(np.tile(body.interpolation @ division.thickness, self.solver.copies))
        if self.handles is not None:
            self.handles.grip_again(self._handle_binding())

    def set_parameters(self, skin: LayeredLattice, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        starting = self.memory.time == 0.0
        known = self._tuned
        if known is None or known[0] is not skin or known[1:] != (dt, starting):
            self.divide(skin)
            self.solver.set_parameters(self.parameters(skin), dt, starting=starting)
            self._tuned = skin, dt, starting

    def override_parameters(self, parameters: LatticeParameters, dt: float) -> None:
        """Bring others than those of the settings to the device, until the next step."""
        self.solver.set_parameters(parameters, dt)
        self._tuned = None

    def parameters(self, skin: LayeredLattice) -> LatticeParameters:
        """What may change at any time, as this body takes it."""
        return skin.parameters().loosened(self.binding.body.coupling)

    def set_pose(self, pose: Pose, last: FloatArray | None, *, keep_volume: bool) -> FloatArray:
        """Bring a pose to the device; returns where it is seen from, `last` being where it was seen from before."""
        self.surface.set(pose)
        if keep_volume:
            self.sweller.set(pose)
            self.keeper.set(pose)
        origins = self.solver.set_pose(pose.skinning(self.skeleton), pose.world_from_joint, last)
        if self.handles is not None:
            self.handles.set_origins(origins)
        return origins

    def kinematic_skin(self, skin: LayeredLattice, pose: Pose, incoming: Any) -> Any:
        """The kinematic skin below: that of the stage before; or its own, in a steadied pose or without a stage."""
        if skin.voxels.surface == "trilinear" or (skin.steady == 0.0 and incoming is not None):
            return incoming
        if self._base is None:
            self._base = _Base(skin.driving_skin(), self.binding)
        return self._base.deform(pose)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on."""
        if self.handles is None and pulls:
            self.handles = self._make_handles()
        if self.handles is not None:
            self.handles.hold(pulls, self.memory.origins)

    def _make_handles(self) -> Handles:
        return Handles(self._handle_binding(), self.solver, self.surface, self._hands)

    def _handle_binding(self) -> HandleBinding:
        body = self.binding.body
        return HandleBinding(body.lattice, body.embedding, self.binding.member.points, self.anatomy.layers > BONE)


class _Base:
    """The kinematic skin below, posed by the flesh itself."""

    def __init__(self, skin: Skin[Any, Any], binding: LatticeBinding) -> None:
        self._skin, self._device = skin, binding.constants.device
        self._binding = skin.bind(binding.character, self._device)
        self._state = skin.allocate(self._binding)

    def reshape(self, binding: LatticeBinding) -> None:
        self._binding = self._skin.rebind(self._binding, binding.character, self._device)
        self._state = self._skin.reshape(self._binding, self._state)

    def deform(self, pose: Pose) -> Any:
        return self._skin.deform(self._binding, self._state, pose, None)
