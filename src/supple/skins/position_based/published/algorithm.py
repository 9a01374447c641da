"""The published step, line by line: Algorithm 5 with the contacts of Algorithm 8 [AbuRumman2016]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.character.morph_targets import MorphTargets
from supple.motion.pose import Pose
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, BlendArrays
from supple.skins.position_based.contact.collision import FleshCollision
from supple.skins.position_based.contact.memory import ContactMemory
from supple.skins.position_based.published.binding import PublishedBinding
from supple.skins.position_based.published.projection import ProjectionSolver, Stiffness
from supple.skins.position_based.published.soft_control import soft_control

if TYPE_CHECKING:
    from supple.skins.position_based.published.skin import PublishedPositionBased


@dataclass
class PublishedMemory:
    """What the next step depends on: the skin (V,) [m], x and v of particles (P,), contacts, and the time [s]."""

    points: Any
    positions: Any
    velocities: Any
    contact: ContactMemory
    time: float = 0.0


class PublishedState:
    """A character's flesh in motion, or that of a crowd."""

    def __init__(self, binding: PublishedBinding, skin: PublishedPositionBased) -> None:
        wp, constants, copies = devices.warp(), binding.constants, binding.copies
        blank, count = constants.blank, copies * len(binding.body.joint)
        self.binding, self.device = binding, constants.device
        constraints = binding.body.constraints if copies == 1 else binding.body.constraints.stack(copies)
        self.solver = ProjectionSolver(constraints, np.tile(binding.body.bonds.lengths, copies), constants)
        self.tables = self.solver.tables()
        self.sweeps = self.solver.sweeps(self.tables)
        self.collision = FleshCollision(
            binding.collision, constants, bodies=skin.bodies, copies=copies, at_once=True, faces=False
        )
        self.free, self.params = blank(count, wp.int32), blank(4, wp.float32)
        self.offsets = devices.to_device(binding.offsets, wp.vec3f, self.device)
        self.shapes = MorphTargets(binding.character.points, binding.character.shapes)
        self.memory = PublishedMemory(
            blank(len(binding.offsets), wp.vec3f),
            blank(count, wp.vec3f),
            blank(count, wp.vec3f),
            self.collision.start(),
        )
        self._record(skin, count)
        self._guarded: tuple[Any, devices.Chain] | None = None
        self._tuned: tuple[PublishedPositionBased, float, bool] | None = None

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.memory.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def advance(self, skin: PublishedPositionBased, pose: Pose, dt: float, incoming: Any, *, starting: bool) -> None:
        """One frame, lines 16 to 46; when `starting`, at rest where the bones carry it.

        `incoming` (V,) is the skin as its bones alone carry it: edges are held to that where elements tear them.
        """
        self.tune(skin, dt, starting=starting)
        self.set_pose(skin, pose, dt)
        self.blend()  # 17-21: linear blending carries the tetrahedra
        self.move_bonds()  # 4.3.1.3: the nearest points of the bones go along with them
        self.predict()  # 23-33: momentum and gravity
        for _ in range(skin.iterations):  # 34
            self.detect_contacts(skin)  # Alg. 8: before the first round, and after each but the last
            self.sweeps.sweep()  # 35-37: volumes, bonds, edges
            self.project_contacts(skin)  # Alg. 8
        self.update_velocities()  # 39-43
        self.blend_frames()
        self.update_surface()  # 45
        self.guard_edges(incoming)

    def detect_contacts(self, skin: PublishedPositionBased) -> None:
        """5.3: particles inside elements of another part, at joints that close, and near rigid bodies."""
        if skin.meets_anything:
            self.collision.find(self.solver.particles)

    def project_contacts(self, skin: PublishedPositionBased) -> None:
        """5.4: back to their side of the plane through the joint, and out of rigid bodies."""
        if skin.meets_anything:
            self.collision.project(self.solver.particles, before=self.memory.positions)

    def guard_edges(self, incoming: Any) -> None:
        """Not published: edges of the skin are not torn."""
        if self._guarded is None or self._guarded[0] is not incoming:
            guard = self.binding.guard.record(incoming, self.memory.points, self.binding.constants)
            self._guarded = incoming, devices.Chain(guard, self.device)
        self._guarded[1]()

    def set_pose(self, skin: PublishedPositionBased, pose: Pose, dt: float) -> None:
        """Bring a pose to the device."""
        transforms = pose.skinning(self.binding.character.skeleton)
        self.blend.set(transforms)
        if skin.base != "linear":
            self.affine.set(transforms)
        rest = self.shapes.update(pose.shapes)
        if rest is not None:  # shapes (morph targets) move vertices away from their elements
            devices.write(self.offsets, self.binding.offsets + (rest - self.binding.character.points))
        if skin.meets_anything:
            world = pose.world_from_joint.reshape(self.binding.copies, -1, 4, 4)
            self.collision.set_pose(world, self.memory.contact, time=self.memory.time, dt=dt)

    def tune(self, skin: PublishedPositionBased, dt: float, *, starting: bool) -> None:
        """Bring settings that may change at any time to the device."""
        if self._tuned == (skin, dt, starting):
            return
        row = [dt, skin.gravity, math.exp(-skin.drag * dt), float(starting)]
        devices.write(self.params, np.array(row, dtype=np.float32))
        if self._tuned is None or self._tuned[0] is not skin:
            solve, collision = skin.solve, skin.collision
            self.sweeps.set_stiffness(Stiffness(solve.volume, solve.bone_stiffness, solve.stretch))
            self._soften(skin)
            self.collision.set_options(
                itself=collision.contact != "off",
                full=collision.contact == "full",
                below=collision.contact_angle,
                stiffness=collision.contact_stiffness,
            )
            if collision.contact == "off":
                self.collision.release(self.memory.contact)
        self._tuned = skin, dt, starting

    def _soften(self, skin: PublishedPositionBased) -> None:
        """4.7: what is free, and how stiff its constraints are."""
        binding, copies = self.binding, self.binding.copies
        one = binding.character if binding.member is None else binding.member.character
        control = soft_control(one, binding.body, skin.regions)
        devices.write(self.free, np.tile(control.free, copies).astype(np.int32))
        volumes, bonds, edges = (np.tile(each, copies) for each in (control.volumes, control.bonds, control.edges))
        self.tables.stiffen(volumes=volumes, bonds=bonds, edges=edges)

    def _record(self, skin: PublishedPositionBased, count: int) -> None:
        from supple.skins.position_based.published import kernels
        from supple.skins.position_based.step_kernels import move_anchors

        wp, binding, memory, particles = devices.warp(), self.binding, self.memory, self.solver.particles
        put = binding.constants.put
        arrays = BlendArrays(binding.packed, binding.constants)
        self.affine = Affine(len(binding.character.skeleton), self.device)
        self.blend = (
            linear_blend.record_blend(arrays, self.affine)
            if skin.base == "linear"
            else dual_quaternion.record_blend(arrays)
        )
        bonds = [put(binding.bond_joints, wp.vec4i), put(binding.bond_points, wp.vec3f)]
        bonds += [put(binding.bond_weights, wp.vec4f), self.affine.matrices, self.solver.anchors]
        self.move_bonds = devices.Launch(move_anchors, count, bonds, self.device)
        moving = [memory.positions, memory.velocities]
        predicted = [self.params, self.free, arrays.posed, *moving, particles]
        self.predict = devices.Launch(kernels.predict, count, predicted, self.device)
        self.update_velocities = devices.Launch(
            kernels.update_velocities, count, [self.params, particles, *moving], self.device
        )
        frames = binding.constants.blank(count, wp.mat33f)
        blending = [arrays.blocks, arrays.joints, arrays.weights, self.affine.matrices, frames]
        self.blend_frames = devices.Launch(kernels.blend_frames, count, blending, self.device)
        surface = [put(binding.corners, wp.vec4i), put(binding.barycentric, wp.vec4f), self.offsets, frames]
        surface += [memory.positions, memory.points]
        self.update_surface = devices.Launch(kernels.update_surface, len(binding.corners), surface, self.device)
