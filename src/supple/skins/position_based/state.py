"""Everything that moves of one body of flesh: what it remembers, the arrays it works in, launches recorded there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.motion.pose import Pose
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, BlendArrays
from supple.skins.kinematic.volume_preservation import VolumePreserver
from supple.skins.position_based.binding import FleshBinding
from supple.skins.position_based.contacts import Contacts, ContactState
from supple.skins.position_based.equilibrium import Equilibrium
from supple.skins.position_based.published import Published
from supple.skins.position_based.settled import Settled
from supple.skins.position_based.softness import regional_softness
from supple.skins.position_based.surface import Surface

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased


@dataclass
class FleshMemory:
    """What the next step depends on; all arrays are on the device, one row per particle, `points` one per vertex.

    `corrections` is what settling found, in the frame of the bones at rest; `before` where the flesh settled in the
    last step; `positions` and `velocities` are those of the lively flesh. `stuck` is 1 where elements have settled
    inside out. `time` [s] has passed since the first frame.
    """

    points: Any
    corrections: Any
    before: Any
    positions: Any
    velocities: Any
    stuck: Any
    contact: ContactState | None = None
    time: float = 0.0


@dataclass(frozen=True)
class Stages:
    """A step in three: from the bones, to the settled shape, to the lively one and the skin."""

    begin: devices.Chain
    settle: devices.Chain
    swing: devices.Chain


class FleshState:
    """A character's flesh in motion, or that of a crowd."""

    def __init__(self, binding: FleshBinding, skin: PositionBased) -> None:
        wp, constants = devices.warp(), binding.constants
        put, blank = constants.put, constants.blank
        self.binding, self.device, self.count = binding, constants.device, len(binding.masses)
        joints = len(binding.character.skeleton)
        self.arrays, self.affine = BlendArrays(binding.packed, constants), Affine(joints, self.device)
        self.rotations = blank(joints, wp.vec4f)
        self._linear = skin.base == "linear"
        self.blend = (
            linear_blend.record_blend(self.arrays, self.affine)
            if self._linear
            else dual_quaternion.record_blend(self.arrays)
        )
        self.knobs = blank(9, wp.float32)
        self.frames = blank(self.count, wp.vec4f)
        self.rested, self.offsets = blank(self.count, wp.vec3f), blank(self.count, wp.vec3f)
        self.pace = blank(self.count, wp.float32)
        self.reach, self.farthest, self.masses = (
            put(each, wp.float32) for each in (binding.reach, binding.farthest, binding.masses)
        )
        self.surface = Surface(binding.character, binding.hung, (self.arrays.posed, self.offsets), constants)
        self.keeper = VolumePreserver(binding.volume, self.surface.points, constants)
        self.contacts = self._contacts(skin)
        self.recipe = self._recipe()
        self.memory = FleshMemory(
            self.surface.points,
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.int32),
            None if self.contacts is None else self.contacts.start(),
        )
        self._tuned: tuple[PositionBased, float] | None = None
        self._row = np.zeros(9)
        self._recorded: tuple[Any, tuple[Any, ...], Stages] | None = None

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def _contacts(self, skin: PositionBased) -> Contacts | None:
        if self.binding.contacts is None:
            return None
        # Parted one after another, contacts would depend on the order of particles.
        at_once = True if skin.order == "settled" else None
        return Contacts(
            self.binding.contacts,
            self.binding.constants,
            bodies=skin.bodies,
            copies=self.binding.copies,
            at_once=at_once,
        )

    def _recipe(self) -> Settled | Published:
        binding = self.binding
        if binding.equilibrium is None:
            return Published(binding.body, binding.constants)
        planes = None if self.contacts is None else self.contacts.held_off_planes
        return Settled(Equilibrium(binding.equilibrium, self.arrays.posed, binding.constants, planes=planes))

    def take(self, pose: Pose, dt: float) -> None:
        """Bring a pose to the device."""
        transforms = pose.skinning(self.binding.character.skeleton)
        self.blend.set(transforms)
        if not self._linear:
            self.affine.set(transforms)
        self.surface.set(pose)
        self.keeper.set(pose)
        if self.contacts is not None and self.memory.contact is not None:
            world = pose.world_from_joint.reshape(self.contacts.copies, -1, 4, 4)
            self.contacts.pose(world, self.memory.contact, time=self.memory.time, dt=dt)

    def join(self, *, moving: bool) -> None:
        """Let flesh begin with the velocity of the body, or go on with its own."""
        from supple.skins.position_based.particle_kernels import JOINING

        if self._row[JOINING] != moving:
            self._row[JOINING] = moving
            devices.write(self.knobs, self._row)

    def touch(self) -> None:
        """Find what touches."""
        if self.contacts is not None:
            self.contacts.find(self.recipe.particles)

    def tune(self, skin: PositionBased, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        if self._tuned is not None and skin is self._tuned[0] and dt == self._tuned[1]:
            return
        self.recipe.tune(skin)
        published = skin.order == "published"
        keep = float(not published)
        drag = math.exp(-skin.drag * dt)
        row = [keep, dt, skin.damping, skin.reach, float(skin.sculpted), float(not published), drag, skin.gravity, 0.0]
        self._row = np.array(row)
        devices.write(self.knobs, self._row)
        if self.contacts is not None:
            self.contacts.choose(
                itself=skin.contact != "off",
                full=skin.contact == "full",
                below=skin.contact_angle,
                stiffness=skin.contact_stiffness,
            )
        self._soften(skin)
        self._tuned = skin, dt

    def _soften(self, skin: PositionBased) -> None:
        """Which flesh is free, and how fast it swings."""
        binding = self.binding
        marked, counts = regional_softness(binding.character, binding.body, skin.regions)
        soft = (1.0 - counts) * skin.jiggle * binding.soft + counts * marked
        devices.write(self.pace, self.recipe.paces(skin, binding.body, soft))

    def stages(self, skin: PositionBased, incoming: Any) -> Stages:
        """The work of one step, recorded for the incoming skin and for the settings that change its order."""
        order = (skin.form, skin.iterations, skin.lively_rounds, skin.keep_volume)
        known = self._recorded
        if known is None or known[0] is not incoming or known[1] != order:
            known = self._recorded = incoming, order, self._record(skin, incoming)
        return known[2]

    def _record(self, skin: PositionBased, incoming: Any) -> Stages:
        single, memory = _Launches(self), self.memory
        part = (
            None if self.contacts is None else partial(self.contacts.part, self.recipe.particles, before=memory.before)
        )
        begin: list[Callable[[], object]] = [self.blend, single.rotate_joints, single.move_anchors, single.settle_from]
        settle: list[Callable[[], object]] = [
            *self.recipe.settling(skin, part),
            single.settled,
            *self.recipe.checking(self.rested, memory.stuck),
        ]
        swing: list[Callable[[], object]] = [single.swing, *self.recipe.swinging(skin, self.rested, part), single.swung]
        swing += [partial(self.surface.follow, incoming), *([self.keeper.keep] if skin.keep_volume else [])]
        return Stages(*(devices.Chain(calls, self.device) for calls in (begin, settle, swing)))


class _Launches:
    """The kernels that work on single particles."""

    def __init__(self, flesh: FleshState) -> None:
        from supple.skins.kinematic.rotation_kernels import rotate_joints
        from supple.skins.position_based import particle_kernels as kernels

        def recorded(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, flesh.count, inputs, flesh.device)

        wp, binding, memory = devices.warp(), flesh.binding, flesh.memory
        put, blend, particles = binding.constants.put, flesh.arrays, flesh.recipe.particles
        bonds = [
            put(binding.body.bonds.joints, wp.vec4i),
            put(binding.bond_points, wp.vec3f),
            put(binding.bond_shares, wp.vec4f),
        ]
        inputs = [flesh.affine.matrices, flesh.rotations]
        self.rotate_joints = devices.Launch(rotate_joints, len(flesh.rotations), inputs, flesh.device)
        self.move_anchors = recorded(kernels.move_anchors, *bonds, flesh.affine.matrices, flesh.recipe.anchors)
        self.settle_from = recorded(
            kernels.settle_from,
            blend.blocks,
            blend.joints,
            blend.weights,
            flesh.rotations,
            blend.posed,
            memory.corrections,
            flesh.farthest,
            flesh.masses,
            memory.stuck,
            flesh.knobs,
            flesh.frames,
            particles,
        )
        self.settled = recorded(kernels.settled, particles, blend.posed, flesh.frames, memory.corrections, flesh.rested)
        self.swing = recorded(
            kernels.swing,
            flesh.knobs,
            flesh.pace,
            flesh.reach,
            flesh.frames,
            memory.before,
            flesh.rested,
            memory.positions,
            memory.velocities,
            particles,
        )
        self.swung = recorded(
            kernels.swung,
            flesh.knobs,
            flesh.rested,
            memory.before,
            blend.posed,
            particles,
            memory.positions,
            memory.velocities,
            flesh.offsets,
        )
