"""All that moves: the curves of one player, the mesh that goes along with them, and what they remember."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple import device as devices
from supple.arrays import FloatArray
from supple.geometry.quaternions import quat_from_matrix
from supple.motion.pose import Pose
from supple.skins.curves.beam.batch import DynamicCurves
from supple.skins.curves.binding import CurveBinding
from supple.skins.curves.learn.radial_space import joint_rotations
from supple.skins.kinematic.blend import BlendArrays

if TYPE_CHECKING:
    from supple.skins.curves.dynamic_skin import CurveDynamics


class CurveState:
    """Curves that mix their examples in every pose, and the mesh that goes along."""

    def __init__(self, binding: CurveBinding) -> None:
        self.interpolator = binding.interpolator
        self.mesh = CarriedMesh(binding)
        self.curves = MixedCurves(binding, self.mesh.nodes)


class MixedCurves:
    """Nodes as weighted sums of what they are in the examples: sum_e w_e q_e."""

    def __init__(self, binding: CurveBinding, nodes: Any) -> None:
        from supple.skins.curves.network import transfer_kernels

        wp, constants = devices.warp(), binding.constants
        self._weights = constants.blank(len(binding.counts) * int(binding.counts.max()), wp.float32)
        packed = [constants.put(binding.part_of, wp.int32), constants.put(binding.counts, wp.int32)]
        shapes = constants.put(binding.shapes, wp.vec3f)
        inputs = [int(binding.counts.max()), len(nodes), *packed, shapes, self._weights, nodes]
        self._launch = devices.Launch(transfer_kernels.mix_examples, len(nodes), inputs, constants.device)

    def solve(self, weights: FloatArray) -> None:
        """Take the weights of a pose (1, parts, examples)."""
        devices.write(self._weights, weights.reshape(-1).astype("f4"))
        self._launch()


@dataclass
class CurveMemory:
    """The skin as it is, and what the curves remember: their last two shapes, and whether they stand still."""

    points: Any
    shapes: Any
    resting: Any


class DynamicCurveState:
    """Curves with mass, and the mesh that goes along."""

    def __init__(self, binding: CurveBinding, skin: CurveDynamics) -> None:
        self.interpolator, self._batch, self.binding = binding.interpolator, binding.beams, binding
        self._tuned = skin.frequency, skin.damping
        self._constants = binding.constants
        self._forces: tuple[Any, list[devices.Launch]] | None = None
        self.curves = DynamicCurves(binding.beams.with_mass(skin.beam), binding.constants)
        self.mesh = CarriedMesh(binding, self.curves.shapes)
        self.memory = CurveMemory(self.mesh.points, *self.curves.memory)

    def tune(self, skin: CurveDynamics) -> None:
        """Swing as these settings say from now on."""
        wanted = skin.frequency, skin.damping
        if wanted != self._tuned:
            self.curves.tune(self._batch.with_mass(skin.beam))
            self._tuned = wanted

    def forces(self) -> Any:
        """What draws every vertex (V,) to where it would be in balance, in units of the curves' stiffness."""
        if self._forces is None:
            on_nodes = self._constants.blank(self.curves.nodes, devices.warp().vec3d)
            on_skin, carry = self.mesh.carry_vectors(on_nodes)
            self._forces = on_skin, [self.curves.measure_forces(on_nodes), *carry]
        for call in self._forces[1]:
            call()
        return self._forces[0]

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.mesh.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""


class CarriedMesh:
    """The mesh of a character, which goes along with `nodes` on the device, or with those in double precision."""

    def __init__(self, binding: CurveBinding, doubles: Any | None = None) -> None:
        from supple.skins.curves.network import transfer_kernels

        wp, constants = devices.warp(), binding.constants
        self._skeleton, self._device = binding.character.skeleton, constants.device
        self._arrays = BlendArrays(binding.blend_weights, constants)
        self._matrix = [
            constants.put(binding.rows, wp.int32),
            constants.put(binding.columns, wp.vec4i),
            constants.put(binding.values, wp.vec4f),
        ]
        count = binding.model.node_count
        self.nodes = constants.blank(count, wp.vec3f)
        self._to_single = (
            None
            if doubles is None
            else devices.Launch(transfer_kernels.to_single, count, [doubles, self.nodes], self._device)
        )
        self._rotations = constants.blank(len(self._skeleton), wp.quatf)
        self._recorded: tuple[Any, devices.Launch] | None = None

    @property
    def points(self) -> Any:
        """The carried skin on the device."""
        return self._arrays.posed

    def set_pose(self, pose: Pose) -> FloatArray:
        """How the joints are turned in a pose (J, 3, 3); the mesh will be turned with them."""
        rotations = joint_rotations(pose, self._skeleton)
        devices.write(self._rotations, quat_from_matrix(rotations))
        return rotations

    def carry(self, below: Any) -> Any:
        """The skin below with the offsets of the nodes as they are now, turned as in the pose that was set last."""
        if self._recorded is None or self._recorded[0] is not below:
            self._recorded = below, self._launch(below, self.nodes, self.points)
        if self._to_single is not None:
            self._to_single()
        self._recorded[1]()
        return self.points

    def carry_vectors(self, on_nodes: Any) -> tuple[Any, list[devices.Launch]]:
        """Recorded: vectors at nodes, such as forces, as those (V,) of the skin, turned as in the pose set last."""
        from supple.skins.curves.network import transfer_kernels

        wp, blank, count = devices.warp(), self._arrays.constants.blank, len(self.nodes)
        singles, nothing, on_skin = (blank(size, wp.vec3f) for size in (count, self._arrays.count, self._arrays.count))
        to_single = devices.Launch(transfer_kernels.to_single, count, [on_nodes, singles], self._device)
        return on_skin, [to_single, self._launch(nothing, singles, on_skin)]

    def _launch(self, below: Any, nodes: Any, posed: Any) -> devices.Launch:
        from supple.skins.curves.network import transfer_kernels

        arrays = self._arrays
        inputs = [*self._matrix, nodes, arrays.blocks, arrays.joints, arrays.weights, self._rotations, below, posed]
        return devices.Launch(transfer_kernels.carry, arrays.count, inputs, self._device)
