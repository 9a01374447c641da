"""Flesh that meets flesh and the world: what touches what is found before a step, and parted inside its rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.collision.spatial_hash import Boxes, SpatialHash
from supple.motion.motion import Motion
from supple.obstacles import RigidBody
from supple.obstacles.device_bodies import DeviceBodies
from supple.skins.kinematic.blend import Affine
from supple.skins.position_based.contact.binding import WHERE, CollisionBinding
from supple.skins.position_based.contact.device_planes import bones_on_device
from supple.skins.position_based.contact.memory import ContactMemory

BELOW = 2.0 * np.pi / 3.0  # [rad]: joints bent less than this are not searched
LOWEST_BELOW, HIGHEST_BELOW = np.pi / 3.0, np.pi
CLOSING = 1e-6  # [rad] in a step: less is standing still
RELEASE = 0.5  # of a cell: a contact that has opened by this is let go
MAX_DEPTH = 1.0  # cells: what is deeper inside another part is left there
OPENED = 0.2  # [rad] above the angle at which a joint is searched: its contacts are let go
LIKE_AT_REST = 0.05  # [rad]: a joint this near to its rest angle, or beyond, holds nothing
FIRM_AFTER = 0.15  # [s] in which a contact grows firm, or goes
ROOM = 1.5  # cells: how deep a contact that is found anew lets flesh be
SPARE = 1e-3  # of a cell: room for rounding round the boxes that are searched
MOST_RECORDED = 16  # arrays of particles whose launches are kept
LANES = 65536  # threads that go through pairs on a GPU


class FleshCollision:
    """Finds and parts the contacts of a body of tetrahedra with itself and with rigid bodies.

    Particles that have come into an element of another part of the body are held off: by the plane between the two
    bones where the parts meet at a joint, else by the face of the body's boundary that is nearest in the rest shape.
    A contact is held until it has opened by half an edge, slid off its face, or its joint has straightened, because a
    particle that was parted in one step is inside nothing in the next, and would otherwise fall back every other step.
    Once bones have stood still for a while contacts stay as they are, until they move again: a held pose is still.

    On demand, a joint is searched while its two bones close and their angle is below `below`, a limb while it closes on
    the body's midline; also while contacts are held there, or a joint that stops in full bend would lose what the
    flesh does next. At the first step every joint that is bent enough is searched. Only what lies where the two sides'
    boxes meet is searched then. This misses what no angle tells of, such as a stretched arm that touches a leg;
    `full` searches everything in every step.

    Not found: contacts within one part, and between elements that are near each other at rest.
    """

    def __init__(
        self,
        binding: CollisionBinding,
        constants: devices.Constants,
        *,
        bodies: Sequence[RigidBody] = (),
        copies: int = 1,
        jacobi: bool | None = None,
        at_once: bool = False,
        faces: bool = True,
    ) -> None:
        """Allocate for a body, or for the stacked `copies` of a crowd.

        On the CPU contacts are parted one after another, on a GPU all at once with the mean of what they ask for,
        unless `jacobi` says otherwise. With `at_once` a contact is as firm as it gets when it is found. Without `faces`
        only planes through joints and rigid bodies part.
        """
        self.binding, self.planes, self.regions = binding, binding.planes, binding.regions
        self.hash = SpatialHash(binding.mesh, constants, copies=copies)
        self.device, self.copies, self.particles = constants.device, copies, len(binding.rest)
        self.bodies = DeviceBodies(bodies, self.device)
        self._allocate(constants)
        self._posing: dict[int, devices.Launch] = {}
        self._own_pose: Affine | None = None
        self._at_rest = False
        self._detections: dict[tuple[int, bool], list[list[Callable[[], None]]]] = {}
        self._projections: dict[Any, list[Callable[[], None]]] = {}
        self._jacobi = self.device != "cpu" if jacobi is None else jacobi
        self._at_once, self._max_depth = at_once, MAX_DEPTH * self.hash.cell if faces else -1.0
        self.set_options()

    def set_options(
        self, *, itself: bool = True, full: bool = False, below: float = BELOW, stiffness: float = 1.0
    ) -> None:
        """Take what may change between steps: what is searched, the angle [rad], how much one round parts.

        Without `itself` the body passes through itself, and meets rigid bodies only.
        """
        if not LOWEST_BELOW <= below <= HIGHEST_BELOW + 1e-6:
            raise InputError(WHERE, f"below is {below:g} rad", "the range is pi/3 to pi", f"try {BELOW:.3f}")
        if not 0.0 <= stiffness <= 1.0:
            raise InputError(WHERE, f"stiffness is {stiffness:g}", "the range is 0 to 1", "use 1, or 0.93 as published")
        self.itself, self.full = itself, full
        # A joint that is no more bent than at rest touches nothing that it does not touch at rest.
        rest = self.binding.rest_angles
        devices.write(self._searched.below, np.minimum(below, rest))
        most = np.inf if full else below + OPENED
        devices.write(self._searched.holds_below, np.minimum(most, rest[: len(self.planes)] - LIKE_AT_REST))
        devices.write(self._stiffness, np.array([stiffness], dtype=np.float32))

    def _allocate(self, constants: devices.Constants) -> None:
        from supple.skins.position_based.contact import contact_arrays as kernels
        from supple.skins.position_based.contact import plane_kernels

        wp, put, blank, bound = devices.warp(), constants.put, constants.blank, self.binding
        total, planes, regions = self.copies * self.particles, max(len(self.planes), 1), max(len(self.regions), 1)
        parts = len(self.planes.skeleton)
        self._corners, self._faces = put(bound.corners, wp.vec4i), put(bound.faces, wp.vec3i)
        self._rest = put(bound.rest, wp.vec3f)
        self._boundary = constants.derive(
            bound.faces,
            "boundary",
            lambda: wp.Mesh(
                devices.to_device(bound.rest, wp.vec3f, self.device),
                devices.to_device(bound.faces.reshape(-1), wp.int32, self.device),
            ),
        )
        self._parts, self._limb_of_part = put(bound.parts, wp.int32), put(bound.limb_of_part, wp.int32)
        self._groups = put(bound.regions, wp.int32)
        self._members = [put(array, wp.int32) for array in (bound.member_starts, bound.members)]
        self._plane_arrays = devices.fill_struct(
            kernels.PlaneArrays(),
            points=blank((self.copies, planes), wp.vec3f),
            normals=blank((self.copies, planes), wp.vec3f),
            holds=blank((self.copies, planes), wp.int32),
            extents=put(bound.extents, wp.float32),
            sides=put(bound.sides, wp.int32),
        )
        self._held = devices.fill_struct(
            kernels.HeldContacts(),
            plane_of=blank(total, wp.int32),
            face_of=blank(total, wp.int32),
            firmness=blank(total, wp.vec2f),
            rate=blank(1, wp.float32),
            room=ROOM * self.hash.cell,
            on_side=blank((self.copies, 2 * planes), wp.int32),
            were_on_side=blank((self.copies, 2 * planes), wp.int32),
        )
        self._new = devices.fill_struct(
            kernels.NewContacts(), planes=blank(total, wp.int32), elements=blank(total, wp.int64)
        )
        self._contacts, self._body_contacts = (
            devices.fill_struct(kernels.ContactList(), count=blank(1, wp.int32), particles=blank(total, wp.int32))
            for _ in range(2)
        )
        on = self.bodies
        self._rigid = devices.fill_struct(
            kernels.RigidBodies(),
            kinds=on.kinds,
            sizes=on.sizes,
            frictions=on.frictions,
            meshes=on.meshes,
            now=on.now,
            earlier=on.earlier,
            reach=on.reach,
        )
        self._fires, self._held_in_region = (blank((self.copies, regions), wp.int32) for _ in range(2))
        self._searched = devices.fill_struct(
            plane_kernels.Searched(),
            angles=blank((self.copies, len(self.regions)), wp.float32),
            below=blank(len(self.regions), wp.float32),
            fires=self._fires,
            holds_below=blank(len(self.planes), wp.float32),
            closing=CLOSING,
        )
        self._part_boxes = [blank((self.copies, parts), wp.vec3f) for _ in range(2)]
        self._boxes = Boxes(*(blank((self.copies, parts), wp.vec3f) for _ in range(2)))
        self._stiffness = blank(1, wp.float32)
        self._sums, self._counts = blank(3 * total, wp.int64), blank(total, wp.int32)

    def start(self) -> ContactMemory:
        """The state in which nothing touches. Its arrays belong to this object: the last state started is the one."""
        from supple.skins.position_based.contact import detection_kernels as kernels

        held = self._held
        for slots in (held.plane_of, held.face_of):
            slots.fill_(-1)
        self._new.planes.fill_(int(kernels.NONE))
        self._new.elements.fill_(int(kernels.NO_ELEMENT))
        held.firmness.zero_()
        held.on_side.zero_()
        self._contacts.count.zero_()
        self._body_contacts.count.zero_()
        self._searched.angles.fill_(np.inf)
        return ContactMemory(held.plane_of, held.face_of, held.firmness, held.on_side, self._searched.angles)

    def release(self, state: ContactMemory) -> None:
        """Hold nothing off anything any more, and forget how joints were bent."""
        state.angles.fill_(np.inf)
        for slots in (self._held.plane_of, self._held.face_of):
            slots.fill_(-1)
        self._held.firmness.zero_()
        self._contacts.count.zero_()

    # Before the rounds of a step

    def detect(
        self, particles: Any, world_from_joint: FloatArray, state: ContactMemory, *, time: float = 0.0, dt: float = 0.0
    ) -> None:
        """Find what touches at the predicted places of `particles` (C P,) in a pose (J, 4, 4), or (C, J, 4, 4).

        `time` [s] is the end of the step and `dt` its length; rigid bodies are put where they are then.
        """
        self.set_pose(world_from_joint, state, time=time, dt=dt)
        self.find(particles)

    def set_pose(
        self, world_from_joint: FloatArray, state: ContactMemory, *, time: float = 0.0, dt: float = 0.0
    ) -> None:
        """The part of `detect` that needs the pose alone: planes, angles and bodies."""
        joints = len(self.planes.skeleton)
        given = np.asarray(world_from_joint, dtype=np.float64)
        if given.shape not in ((joints, 4, 4), (self.copies, joints, 4, 4)):
            raise InputError(
                WHERE,
                f"the pose has shape {given.shape}",
                f"({self.copies}, {joints}, 4, 4) is needed",
                "pass one pose for each copy",
            )
        skinning = np.broadcast_to(given @ self.planes.skeleton.joint_from_world, (self.copies, joints, 4, 4))
        self._own_pose = self._own_pose or Affine(self.copies * joints, self.device)
        self._own_pose.set(skinning.reshape(-1, 4, 4))
        self.set_skinning(self._own_pose.matrices, state, time=time, dt=dt)

    def set_skinning(
        self, matrices: Any, state: ContactMemory, *, time: float = 0.0, dt: float = 0.0, at_rest: bool = False
    ) -> None:
        """The same for a pose that is on the device already, as skinning transforms (C J,), 3x4.

        While bones are `at_rest`, contacts stay as they are: what would be found anew, or let go of, would tremble.
        """
        if len(self.regions):
            if matrices.ptr not in self._posing:
                self._posing[matrices.ptr] = self._record_posing(matrices)
            self._posing[matrices.ptr]()
        if len(self.bodies):
            self.bodies.move(time, dt)
        self._at_rest = at_rest
        rate = 0.0 if self._at_rest else min(1.0, dt / FIRM_AFTER) if dt > 0.0 and not self._at_once else 1.0
        devices.write(self._held.rate, np.array([rate], dtype=np.float32))
        state.steps += 1

    def _record_posing(self, matrices: Any) -> devices.Launch:
        from supple.skins.position_based.contact.plane_kernels import pose_planes

        inputs = [bones_on_device(self.planes, self.device), matrices, self._searched, self._plane_arrays]
        return devices.Launch(pose_planes, self.copies * len(self.regions), inputs, self.device)

    def find(self, particles: Any) -> None:
        """The part of `detect` on the device. Nothing in it waits for the device, so that a CUDA graph can hold it."""
        before, after, outside = self._recorded(particles)
        self._held_in_region.zero_()
        devices.warp().copy(self._held.were_on_side, self._held.on_side)
        self._held.on_side.zero_()
        if self._at_rest:
            before, after = before[:1], after[-1:]
        for launch in before:
            launch()
        if self._at_rest and self.itself:
            after[0]()
        elif self.itself:
            self.hash.find(particles, within=None if self.full else self._boxes)
            if self._recorded_pairs is not self.hash.pairs:  # it grew
                self._detections.clear()
                _, after, outside = self._recorded(particles)
            for launch in after:
                launch()
        for launch in outside:
            launch()

    def _recorded(self, particles: Any) -> list[list[Callable[[], None]]]:
        key = (self._check_particles(particles).ptr, self.full)
        if key not in self._detections:
            if len(self._detections) >= MOST_RECORDED:
                self._detections.clear()
            self._detections[key] = self._record_detection(particles)
        return self._detections[key]

    def _record_detection(self, particles: Any) -> list[list[Callable[[], None]]]:
        from supple.geometry.collision.spatial_hash.kernels import FoundPairs
        from supple.skins.position_based.contact import detection_kernels as kernels

        count, own, cell = self.copies * self.particles, self.particles, self.hash.cell
        planes, held, contacts = self._plane_arrays, self._held, self._contacts
        keeping = [particles, own, RELEASE * cell, self._parts, self._limb_of_part, planes, self._faces, held]
        keeping += [self._held_in_region, contacts, self._body_contacts]
        before = [self._launch(kernels.update_held_contacts, count, keeping)]
        if not self.full:
            parts = self.copies * len(self.planes.skeleton)
            bounding = [particles, own, *self._members, *self._part_boxes]
            wanted = [SPARE * cell, self._fires, self._held_in_region, self._groups, planes.sides, len(self.planes)]
            searching = [*wanted, *self._part_boxes, self._boxes.lows, self._boxes.highs]
            before += [
                self._launch(kernels.part_bounds, parts, bounding),
                self._launch(kernels.broad_phase_boxes, parts, searching),
            ]
        self._recorded_pairs = pairs = self.hash.pairs
        lanes = 1 if self.device == "cpu" else min(LANES, pairs.capacity)
        found = devices.fill_struct(FoundPairs(), found=pairs.found, particles=pairs.particles, elements=pairs.elements)
        pairing = [lanes, found, particles, own, self._corners, self._parts, planes, self._new]
        assigning = [particles, own, self._corners, self._rest, self._boundary.id, self._max_depth]
        after = [
            self._launch(kernels.narrow_phase, lanes, pairing),
            self._launch(kernels.assign_contacts, count, [*assigning, self._new, held, contacts]),
        ]
        outside = []
        if len(self.bodies):
            inputs = [particles, cell, self._rigid, self._body_contacts]
            outside.append(self._launch(kernels.detect_bodies, count, inputs))
        return [before, after, outside]

    # Inside every round

    @property
    def held_off(self) -> tuple[Any, ...]:
        """On the device: what each particle is held off and how firmly, the planes, the faces, and a list of all."""
        return self._held, self._plane_arrays, self._faces, self._contacts

    @property
    def surfaces(self) -> tuple[Any, ...]:
        """On the device: what every particle is held off, planes, faces and rigid bodies, as kernels take them."""
        return self._held, self._plane_arrays, self._faces, self._rigid

    def project(self, particles: Any, *, before: Any = None, itself: bool = True, settled: Any | None = None) -> None:
        """Part everything that touches, once: positions of `particles` (C P,), as (x, y, z, inverse mass), change.

        Without `itself`, rigid bodies alone part. `before` (C P,) are positions at the beginning of the step; bodies
        with friction need them, else they slide. Where flesh of one side is deeper in the other at its `settled`
        position (C P,) already, it is held off going farther: swinging flesh then comes to rest where it settled.
        """
        origin = particles if before is None else before
        relative = 0 if settled is None else settled.ptr
        key = (self._check_particles(particles).ptr, origin.ptr, origin.dtype, itself, relative, self._jacobi)
        if key not in self._projections:
            if len(self._projections) >= MOST_RECORDED:
                self._projections.clear()
            self._projections[key] = self._record_projection(particles, origin, itself=itself, settled=settled)
        for launch in self._projections[key]:
            launch()

    def _record_projection(
        self, particles: Any, before: Any, *, itself: bool, settled: Any | None
    ) -> list[Callable[[], None]]:
        from supple.skins.position_based.contact import response_kernels as kernels

        count = self.copies * self.particles
        held = [self._contacts, self.particles, self._stiffness, self._held]
        found = []
        if itself and not self._jacobi:
            inputs = [*held, self._plane_arrays, self._faces, particles]
            found = [self._launch(kernels.project_contacts, 1, inputs)]
        elif itself:
            sums = [self._sums, self._counts]
            relative = [int(settled is not None), self._rest if settled is None else settled]
            faces, planes = [self._faces, *relative, particles, *sums], [self._plane_arrays, *relative, particles]
            found = [
                self._launch(kernels.accumulate_face_corrections, count, [*held, *faces]),
                self._launch(kernels.apply_face_corrections, count, [*sums, particles]),
                self._launch(kernels.project_planes, count, [*held, *planes]),
            ]
        if len(self.bodies):
            inputs = [self._body_contacts, self._stiffness, before, self._rigid, particles]
            found.append(self._launch(kernels.project_bodies, count, inputs))
        return found

    def _check_particles(self, particles: Any) -> Any:
        wp = devices.warp()
        if particles.dtype is not wp.vec4f or len(particles) != self.copies * self.particles:
            raise InputError(
                WHERE,
                f"there are {len(particles)} particles of {particles.dtype.__name__}",
                f"{self.copies} x {self.particles} of vec4f are needed",
                "pass place and inverse mass of every particle",
            )
        return particles

    def _launch(self, kernel: Any, count: int, inputs: list[Any]) -> Callable[[], None]:
        """Recorded on one core on the CPU: contacts are few, and atomic steps are not atomic among its threads."""
        command = devices.warp().launch(kernel, dim=count, inputs=[0, *inputs], device=self.device, record_cmd=True)
        launch: Callable[[], None] = command.launch
        return launch

    def held_particles(self) -> tuple[IntArray, IntArray]:
        """For pictures and reports: particles held off a plane and off a face; waits for the device."""
        planes, faces = (np.flatnonzero(slots.numpy() >= 0) for slots in (self._held.plane_of, self._held.face_of))
        return planes.astype(np.int32), faces.astype(np.int32)


def build_collision(
    rest_points: ArrayLike,
    corners: ArrayLike,
    faces: ArrayLike,
    *,
    joints: ArrayLike,
    skeleton: Skeleton,
    motion: Motion | None = None,
    device: str = "cpu",
    **options: Any,
) -> FleshCollision:
    """The contacts of one body on a device; see `CollisionBinding.from_body` and, for `options`, `FleshCollision`."""
    binding = CollisionBinding.from_body(rest_points, corners, faces, joints=joints, skeleton=skeleton, motion=motion)
    return FleshCollision(binding, devices.Constants(devices.check_device(device)), **options)
