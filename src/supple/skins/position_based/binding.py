"""Everything that position based skinning prepares for one character on one device, and one step of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces
from supple.motion.pose import Pose
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, BlendArrays
from supple.skins.kinematic.volume_keeper import VolumeKeeper
from supple.skins.position_based.body import body_of
from supple.skins.position_based.contacts import Contacts, ContactState
from supple.skins.position_based.published import Published
from supple.skins.position_based.settled import Settled
from supple.skins.position_based.softness import automatic_softness, firmness, regional_softness, skin_depth
from supple.skins.position_based.surface import Surface

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

_ALL_FIRM = 0.8  # firmness from which a particle is not moved: equally heavy neighbours would move each other freely
_HEAVIEST = 0.02  # inverse mass below which a particle is not moved either
_FARTHEST = 0.6  # of the depth of flesh and an element: settling never moved flesh farther on real characters


@dataclass
class FleshState:
    """What follows from time; all arrays are on the device, one row per particle, `points` one per vertex.

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


class BoundFlesh:
    """A character's flesh on a device, or that of a crowd."""

    def __init__(self, character: Character, skin: PositionBased, device: str) -> None:
        wp = devices.warp()
        self.character, self.device = character, device
        self.body = body_of(character, count=skin.tetrahedra, weights=skin.weights, smooth=skin.smooth)
        constraints = self.body.constraints
        self.count = len(constraints.points)
        self.arrays = BlendArrays(constraints.points, self.body.weights, len(character.skeleton), device=device)
        self.affine = Affine(len(character.skeleton), device)
        self.turns = wp.zeros(len(character.skeleton), dtype=wp.vec4f, device=device)
        self._linear = skin.base == "linear"
        self.blend = (
            linear_blend.prepared(self.arrays, self.affine) if self._linear else dual_quaternion.prepared(self.arrays)
        )
        self.knobs = wp.zeros(9, dtype=wp.float32, device=device)
        self.frames = wp.zeros(self.count, dtype=wp.vec4f, device=device)
        self.rested = wp.zeros(self.count, dtype=wp.vec3f, device=device)
        self.offsets = wp.zeros(self.count, dtype=wp.vec3f, device=device)
        self.pace = wp.zeros(self.count, dtype=wp.float32, device=device)
        self.reach = devices.to_device(self.body.flesh.astype(np.float32), wp.float32, device)
        farthest = _FARTHEST * (self.body.flesh + constraints.size)
        self.farthest = devices.to_device(farthest.astype(np.float32), wp.float32, device)
        self.copies = character.count if isinstance(character, Crowd) else 1
        masses = 1.0 - np.clip(firmness(character, self.body) / _ALL_FIRM, 0.0, 1.0)
        masses = np.where(masses < _HEAVIEST, 0.0, masses)
        self.masses = devices.to_device(masses.astype(np.float32), wp.float32, device)
        self.surface = Surface(character, self.body, (self.arrays.posed, self.offsets), device=device)
        self.keeper = VolumeKeeper(character, skin_depth(character, self.body), self.surface.points, device=device)
        self.contacts = self._find_contacts(skin) if skin.contact != "off" or skin.bodies else None
        planes = None if self.contacts is None else self.contacts.held_off_planes
        self.recipe: Settled | Published = (
            Published(self.body, device=device)
            if skin.order == "published"
            else Settled(self.body, masses, self.arrays.posed, planes=planes, copies=self.copies, device=device)
        )
        self._soft = automatic_softness(character, self.body)
        self._tuned: tuple[PositionBased, float] | None = None
        self._row = np.zeros(9)
        self._recorded: tuple[FleshState, Any, tuple[Any, ...], _Stages] | None = None

    def _find_contacts(self, skin: PositionBased) -> Contacts:
        one = self.character.member if isinstance(self.character, Crowd) else self.character
        member = self.body.constraints.member(self.copies)
        faces = boundary_faces(Tetrahedra(member.points, member.corners))
        # Parted one after another, contacts would depend on the order of particles.
        at_once = True if skin.order == "settled" else None
        return Contacts(
            member.points, member.corners, faces, joints=self.body.weights.joints[: len(member.points), 0],
            skeleton=one.skeleton, bodies=skin.bodies, copies=self.copies, device=self.device, at_once=at_once,
        )  # fmt: skip

    def start(self, skin: PositionBased, pose: Pose, incoming: Any) -> FleshState:
        """Rest at the shape that the first pose settles to."""
        wp = devices.warp()
        corrections, before, positions, velocities = (
            wp.zeros(self.count, dtype=wp.vec3f, device=self.device) for _ in range(4)
        )
        contact = None if self.contacts is None else self.contacts.start()
        stuck = wp.zeros(self.count, dtype=wp.int32, device=self.device)
        state = FleshState(self.surface.points, corrections, before, positions, velocities, stuck, contact)
        self._tune(skin, skin.step)
        stages = self._stages(skin, state, incoming)
        for _ in range(1 + (skin.warm_up if skin.order == "settled" else 0)):
            self._take(pose, state, 0.0)
            stages.begin()
            self._touch()
            stages.settle()
        wp.copy(state.before, self.rested)
        wp.copy(state.positions, self.rested)
        stages.swing()
        state.velocities.zero_()
        return state

    def advance(self, skin: PositionBased, state: FleshState, pose: Pose, dt: float, incoming: Any) -> Any:
        """One step."""
        self._tune(skin, dt)
        self._join(moving=state.time == 0.0)
        state.time += dt
        self._take(pose, state, dt)
        stages = self._stages(skin, state, incoming)
        stages.begin()
        self._touch()
        stages.settle()
        stages.swing()
        return self.surface.points

    def _take(self, pose: Pose, state: FleshState, dt: float) -> None:
        """Bring a pose to the device."""
        transforms = pose.skinning(self.character.skeleton)
        self.blend.set(transforms)
        if not self._linear:
            self.affine.set(transforms)
        self.surface.set(pose)
        self.keeper.set(pose)
        if self.contacts is not None and state.contact is not None:
            world = pose.world_from_joint.reshape(self.contacts.copies, -1, 4, 4)
            self.contacts.pose(world, state.contact, time=state.time, dt=dt)

    def _join(self, *, moving: bool) -> None:
        """Let flesh begin with the velocity of the body, or go on with its own."""
        from supple.skins.position_based.particle_kernels import JOINING

        if self._row[JOINING] != moving:
            self._row[JOINING] = moving
            devices.write(self.knobs, self._row)

    def _touch(self) -> None:
        """Find what touches."""
        if self.contacts is not None:
            self.contacts.find(self.recipe.particles)

    def _tune(self, skin: PositionBased, dt: float) -> None:
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
        marked, counts = regional_softness(self.character, self.body, skin.regions)
        soft = (1.0 - counts) * skin.jiggle * self._soft + counts * marked
        devices.write(self.pace, self.recipe.paces(skin, self.body, soft))

    def _stages(self, skin: PositionBased, state: FleshState, incoming: Any) -> _Stages:
        """The work of one step, recorded for the arrays of a state and for the settings that change its order."""
        order = (skin.form, skin.iterations, skin.lively_rounds, skin.keep_volume)
        known = self._recorded
        if known is None or known[0] is not state or known[1] is not incoming or known[2] != order:
            known = self._recorded = state, incoming, order, self._record(skin, state, incoming)
        return known[3]

    def _record(self, skin: PositionBased, state: FleshState, incoming: Any) -> _Stages:
        single = _Launches(self, state)
        part = (
            None if self.contacts is None else partial(self.contacts.part, self.recipe.particles, before=state.before)
        )
        begin: list[Callable[[], object]] = [self.blend, single.turn_joints, single.move_anchors, single.settle_from]
        settle: list[Callable[[], object]] = [
            *self.recipe.settling(skin, part),
            single.settled,
            *self.recipe.checking(self.rested, state.stuck),
        ]
        swing: list[Callable[[], object]] = [single.swing, *self.recipe.swinging(skin, self.rested, part), single.swung]
        swing += [partial(self.surface.follow, incoming), *([self.keeper.keep] if skin.keep_volume else [])]
        return _Stages(*(devices.Chain(calls, self.device) for calls in (begin, settle, swing)))


@dataclass(frozen=True)
class _Stages:
    """A step in three: from the bones, to the settled shape, to the lively one and the skin."""

    begin: devices.Chain
    settle: devices.Chain
    swing: devices.Chain


class _Launches:
    """The kernels that work on single particles."""

    def __init__(self, flesh: BoundFlesh, state: FleshState) -> None:
        from supple.skins.kinematic.turn_kernels import turn_joints
        from supple.skins.position_based import particle_kernels as kernels

        def recorded(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, flesh.count, inputs, flesh.device)

        wp = devices.warp()
        blend, particles, body = flesh.arrays, flesh.recipe.particles, flesh.body
        bonds = [
            devices.to_device(body.bonds.joints, wp.vec4i, flesh.device),
            devices.to_device(body.bonds.points.reshape(-1, 3).astype(np.float32), wp.vec3f, flesh.device),
            devices.to_device(body.bonds.shares.astype(np.float32), wp.vec4f, flesh.device),
        ]
        inputs = [flesh.affine.matrices, flesh.turns]
        self.turn_joints = devices.Launch(turn_joints, len(flesh.turns), inputs, flesh.device)
        self.move_anchors = recorded(kernels.move_anchors, *bonds, flesh.affine.matrices, flesh.recipe.anchors)
        self.settle_from = recorded(
            kernels.settle_from, blend.blocks, blend.joints, blend.weights, flesh.turns, blend.posed,
            state.corrections, flesh.farthest, flesh.masses, state.stuck, flesh.knobs, flesh.frames, particles,
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
