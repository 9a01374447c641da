"""Everything that position based skinning prepares for one character on one device, and one step of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.motion.pose import Pose
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, BlendArrays, Rigid
from supple.skins.position_based.body import body_of
from supple.skins.position_based.contacts import Contacts, ContactState
from supple.skins.position_based.softness import (
    automatic_softness,
    beyond_the_mean,
    depth_factor,
    firmness,
    regional_softness,
    skin_depth,
)
from supple.skins.position_based.solver import Knobs, Solver
from supple.skins.position_based.surface import Surface, VolumeKeeper

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

_SOFT_ENOUGH = 0.02  # softness from which a particle swings; below it the bones drive it
_BLENDS = {"linear": linear_blend.prepared, "dual-quaternion": dual_quaternion.prepared}


@dataclass
class FleshState:
    """What follows from time; all arrays are on the device, one row per particle, `points` one per vertex.

    `corrections` is what settling found, in the frame of the bones at rest; `before` where the flesh settled in the
    last step; `positions` and `velocities` are those of the lively flesh. `time` [s] has passed since the first frame.
    """

    points: Any
    corrections: Any
    before: Any
    positions: Any
    velocities: Any
    contact: ContactState | None = None
    time: float = 0.0


class BoundFlesh:
    """A character's flesh on a device."""

    def __init__(self, character: Character, skin: PositionBased, device: str) -> None:
        from supple.skins.position_based import particle_kernels as kernels

        wp = devices.warp()
        self.character, self.device = character, device
        self.body = body_of(character, count=skin.tetrahedra, weights=skin.weights, smooth=skin.smooth)
        constraints = self.body.constraints
        self.count = len(constraints.points)
        self.solver = Solver(constraints, self.body.bone_distance, device=device)
        whole = self.solver.tables()
        self._some = self.solver.tables()
        self._whole = whole
        self._settling, self._finishing = self.solver.sweeps(whole), self.solver.sweeps(whole)
        self._swinging = self.solver.sweeps(self._some)
        self.arrays = BlendArrays(constraints.points, self.body.weights, len(character.skeleton), device=device)
        self._blend = _BLENDS[skin.base](self.arrays)
        self._affine, self.rigid = Affine(len(character.skeleton), device), Rigid(self.arrays)
        self.knobs = wp.zeros(8, dtype=wp.float32, device=device)
        self.frames = wp.zeros(self.count, dtype=wp.vec4f, device=device)
        self.rested = wp.zeros(self.count, dtype=wp.vec3f, device=device)
        self.offsets = wp.zeros(self.count, dtype=wp.vec3f, device=device)
        self.pace = wp.zeros(self.count, dtype=wp.float32, device=device)
        self.reach = devices.to_device(self.body.flesh.astype(np.float32), wp.float32, device)
        masses = 1.0 - firmness(character, self.body)
        self.masses = devices.to_device(masses.astype(np.float32), wp.float32, device)
        bone = devices.to_device(self.body.joint, wp.int32, device)
        bone_point = devices.to_device(self.body.bone_point.astype(np.float32), wp.vec3f, device)
        self._anchor = devices.Launch(
            kernels.move_anchors, self.count, [bone, bone_point, self._affine.matrices, self.solver.anchors], device
        )
        self.surface = Surface(
            character, self.body.embedding, (self.arrays.posed, self.offsets), size=constraints.size, device=device
        )
        self.keeper = VolumeKeeper(character, skin_depth(character, self.body), self.surface.points, device=device)
        self._contacts = self._find_contacts(skin) if skin.contact != "off" or skin.bodies else None
        self._soft = automatic_softness(character, self.body)
        self._tuned: tuple[PositionBased, float] | None = None
        self._recorded: tuple[FleshState, _Launches] | None = None

    def _find_contacts(self, skin: PositionBased) -> Contacts:
        constraints, character = self.body.constraints, self.character
        solid = Tetrahedra(constraints.points, constraints.corners)
        return Contacts(
            constraints.points, constraints.corners, boundary_faces(solid), joints=self.body.weights.joints[:, 0],
            skeleton=character.skeleton, bodies=skin.bodies, device=self.device,
        )  # fmt: skip

    def start(self, skin: PositionBased, pose: Pose, incoming: Any) -> FleshState:
        """Rest at the shape that the first pose settles to."""
        wp = devices.warp()
        corrections, before, positions, velocities = (
            wp.zeros(self.count, dtype=wp.vec3f, device=self.device) for _ in range(4)
        )
        contact = None if self._contacts is None else self._contacts.start()
        state = FleshState(self.surface.points, corrections, before, positions, velocities, contact)
        self._pose(pose)
        self._tune(skin, skin.step)
        for _ in range(1 + (skin.warm_up if skin.order == "settled" else 0)):
            self._settle(skin, state, pose, 0.0)
        wp.copy(state.before, self.rested)
        wp.copy(state.positions, self.rested)
        self._swing(skin, state)
        state.velocities.zero_()
        self._show(skin, pose, incoming)
        return state

    def advance(self, skin: PositionBased, state: FleshState, pose: Pose, dt: float, incoming: Any) -> Any:
        """One step."""
        self._pose(pose)
        self._tune(skin, dt)
        state.time += dt
        self._settle(skin, state, pose, dt)
        self._swing(skin, state)
        return self._show(skin, pose, incoming)

    def _pose(self, pose: Pose) -> None:
        """Where the bones alone carry the particles, and the points they are bound to."""
        transforms = pose.skinning(self.character.skeleton)
        self._affine.set(transforms)
        self.rigid.set(transforms)
        self._blend.run(transforms)
        self._anchor()

    def _tune(self, skin: PositionBased, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        if self._tuned is not None and skin is self._tuned[0] and dt == self._tuned[1]:
            return
        compliant = skin.form == "compliance"
        self._settling.set(Knobs(skin.volume, skin.bond, skin.stretch, compliant, skin.slack))
        self._finishing.set(Knobs(1.0, 0.0, 0.0, compliant=False))
        self._swinging.set(Knobs(skin.volume, skin.bond, skin.stretch, compliant, skin.slack))
        published = skin.order == "published"
        keep = 0.0 if published or skin.memory == 0.0 else math.exp(-dt / skin.memory)
        drag = math.exp(-skin.drag * dt)
        row = [keep, dt, skin.damping, skin.reach, float(skin.sculpted), float(not published), drag, skin.gravity]
        devices.write(self.knobs, np.array(row))
        if self._contacts is not None:
            self._contacts.choose(
                full=skin.contact == "full", below=skin.contact_angle, stiffness=skin.contact_stiffness
            )
        self._soften(skin, published=published)
        self._tuned = skin, dt

    def _soften(self, skin: PositionBased, *, published: bool) -> None:
        marked, counts = regional_softness(self.character, self.body, skin.regions)
        soft = (1.0 - counts) * skin.jiggle * self._soft + counts * marked
        free = beyond_the_mean(self.body, soft) * soft if published else depth_factor(self.body) * soft
        free = np.clip(free, 0.0, 1.0)
        swings = free > _SOFT_ENOUGH
        pace = np.where(swings, 0.0 if published else 2.0 * np.pi * skin.frequency / np.maximum(free, 1e-6), -1.0)
        devices.write(self.pace, pace)
        if not published:
            self._some.choose(swings)
        ends = self.body.constraints.ends
        touched = np.maximum(free[ends[:, 0]], free[ends[:, 1]])
        self._some.stiffen(1.0 - np.clip(touched, 0.0, 1.0) if published else np.ones(len(ends)))

    def _launches(self, state: FleshState) -> _Launches:
        """The kernels of one step, recorded for the arrays of a state."""
        if self._recorded is None or self._recorded[0] is not state:
            self._recorded = state, _Launches(self, state)
        return self._recorded[1]

    def _settle(self, skin: PositionBased, state: FleshState, pose: Pose, dt: float) -> None:
        """Bring the flesh from where the bones carry it to a shape that keeps its volume."""
        launches = self._launches(state)
        launches.settle_from()
        if self._contacts is not None and state.contact is not None:
            self._contacts.detect(self.solver.particles, pose.world_from_joint, state.contact, time=state.time, dt=dt)
        if skin.order == "settled":
            self._whole.forget() if skin.form == "compliance" else None
            for _ in range(skin.iterations):
                self._settling.round()
                self._part()
            for _ in range(skin.volume_rounds):
                self._finishing.round()
                self._part()
        launches.settled()

    def _part(self) -> None:
        """Part what touches."""
        if self._contacts is not None:
            self._contacts.part(self.solver.particles)

    def _swing(self, skin: PositionBased, state: FleshState) -> None:
        """Let the free flesh swing about where it would settle."""
        launches = self._launches(state)
        launches.swing()
        self._some.forget() if skin.form == "compliance" else None
        for _ in range(skin.iterations if skin.order == "published" else skin.lively_rounds):
            self._swinging.round()
            self._part()
        launches.swung()

    def _show(self, skin: PositionBased, pose: Pose, incoming: Any) -> Any:
        """Take the skin along."""
        self.surface.follow(incoming)
        if skin.keep_volume:
            self.keeper.keep(pose)
        return self.surface.points


class _Launches:
    """The kernels that work on single particles."""

    def __init__(self, flesh: BoundFlesh, state: FleshState) -> None:
        from supple.skins.position_based import particle_kernels as kernels

        def recorded(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, flesh.count, inputs, flesh.device)

        blend, particles = flesh.arrays, flesh.solver.particles
        self.settle_from = recorded(
            kernels.settle_from, blend.blocks, blend.joints, blend.weights, flesh.rigid.reals, blend.posed,
            state.corrections, flesh.masses, flesh.knobs, flesh.frames, particles,
        )  # fmt: skip
        self.settled = recorded(kernels.settled, particles, blend.posed, flesh.frames, state.corrections, flesh.rested)
        self.swing = recorded(
            kernels.swing, flesh.knobs, flesh.pace, flesh.reach, flesh.frames, state.before, flesh.rested,
            state.positions, state.velocities, particles,
        )  # fmt: skip
        self.swung = recorded(
            kernels.swung, flesh.knobs, flesh.rested, state.before, blend.posed, particles, state.positions,
            state.velocities, flesh.offsets,
        )  # fmt: skip
