"""Flesh that meets flesh and the world: what touches what is found before a step, and parted inside its rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Floats, Ints, Singles, frozen
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.geometry.collision.spatial_hash import Boxes, HashedMesh, SpatialHash
from supple.geometry.rows import group_by_label
from supple.motion.motion import Motion
from supple.obstacles import RigidBody
from supple.obstacles.device_bodies import DeviceBodies
from supple.skins.position_based.joint_planes import JointPlanes

BELOW = 2.0 * np.pi / 3.0  # [rad]: joints bent less than this are not searched
LOWEST_BELOW, HIGHEST_BELOW = np.pi / 3.0, np.pi
CLOSING = 1e-6  # [rad] in a step: less is standing still
RELEASE = 0.5  # of a cell: a contact that has opened by this is let go
DEEPEST = 1.0  # cells: what is deeper inside another part is left there
OPENED = 0.2  # [rad] above the angle at which a joint is searched: its contacts are let go
LIKE_AT_REST = 0.05  # [rad]: a joint this near to its rest angle, or beyond, holds nothing
FIRM_AFTER = 0.1  # [s] in which a contact grows firm, or goes
SPARE = 1e-3  # of a cell: room for rounding round the boxes that are searched
MOST_RECORDED = 16  # arrays of particles whose launches are kept
LANES = 65536  # threads that go through pairs on a GPU
_WHERE = "Contacts"


@dataclass
class ContactState:
    """What contacts remember from step to step.

    `plane_of` and `face_of` (C P,) on the device say which joint's plane and which face each particle is held off,
    -1 for none, and `firmness` (C P,) how firmly, 0 to 1 for either. `angles` (C, R) [rad] are those of the last step,
    and `steps` counts the steps so far.
    """

    plane_of: Any
    face_of: Any
    firmness: Any
    angles: Floats
    steps: int = 0


@dataclass(frozen=True, eq=False)
class ContactBinding:
    """What contacts know of one body of P particles: its shape at rest, its parts, and where they fold.

    `rest` (P, 3) [m], `corners` (T, 4), `faces` (F, 3) of the boundary, anticlockwise seen from outside. `parts` (P,)
    are those that joints carry; region r sets the parts of side 1 and 2 in `regions[r]` apart, joints first, then
    limbs. `sides` and `limb_of_part` say the same by planes and limbs; the particles of all elements that reach into a
    part are `members[member_starts[part]:member_starts[part + 1]]`. `rest_angles` (R,) [rad].
    """

    rest: Floats
    corners: Ints
    faces: Ints
    planes: JointPlanes
    parts: Ints
    mesh: HashedMesh
    regions: Ints
    sides: Ints
    limb_of_part: Ints
    member_starts: Ints
    members: Ints
    extents: Singles
    rest_angles: Floats

    @classmethod
    def from_body(
        cls,
        rest_points: ArrayLike,
        corners: ArrayLike,
        faces: ArrayLike,
        *,
        joints: ArrayLike,
        skeleton: Skeleton,
        motion: Motion | None = None,
    ) -> ContactBinding:
        """`joints` (P,) are the joints that carry each particle most; `motion` shows the axes of the joints."""
        rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        elements = frozen(corners, np.int32, (-1, 4), _WHERE, "corners")
        boundary = frozen(faces, np.int32, (-1, 3), _WHERE, "faces")
        carriers = frozen(joints, np.int32, (len(rest),), _WHERE, "joints")
        _check_numbers("faces", boundary, len(rest), "particles")
        _check_numbers("joints", carriers, len(skeleton), "joints")
        planes = JointPlanes.of(skeleton, motion=motion)
        parts = planes.part_of_joint[carriers]
        angles = planes.posed(skeleton.world_from_joint).flexion
        return cls(
            rest,
            elements,
            boundary,
            planes,
            parts,
            HashedMesh.from_rest(rest, elements, labels=parts),
            _groups(planes),
            planes.sides(),
            _limb_of_part(planes),
            *_reaching(elements, parts, len(skeleton)),
            planes.extents.astype(np.float32),
            np.concatenate([angles, np.full(len(planes.limb_joints), np.inf)]),
        )


class Contacts:
    """Finds and parts the contacts of a body of tetrahedra with itself and with rigid bodies.

    Particles that have come into an element of another part of the body are held off: by the plane between the two
    bones where the parts meet at a joint, else by the face of the body's boundary that is nearest in the rest shape.
    A contact is held until it has opened by half an edge, slid off its face, or its joint has straightened, because a
    particle that was parted in one step is inside nothing in the next, and would otherwise fall back every other step.

    On demand, a joint is searched while its two bones close and their angle is below `below`, a limb while it closes on
    the body's midline; also while contacts are held there, or a joint that stops in full bend would lose what the
    flesh does next. At the first step every joint that is bent enough is searched. Only what lies where the two sides'
    boxes meet is searched then. This misses what no angle tells of, such as a stretched arm that touches a leg;
    `full` searches everything in every step.

    Not found: contacts within one part, and between elements that are near each other at rest.
    """

    def __init__(
        self,
        binding: ContactBinding,
        constants: devices.Constants,
        *,
        bodies: Sequence[RigidBody] = (),
        copies: int = 1,
        at_once: bool | None = None,
    ) -> None:
        """Allocate for a body, or for the stacked `copies` of a crowd.

        On the CPU contacts are parted one after another, on a GPU all at once with the mean of what they ask for,
        unless `at_once` says otherwise.
        """
        self.binding, self.planes, self.regions = binding, binding.planes, binding.regions
        self.hash = SpatialHash(binding.mesh, constants, copies=copies)
        self.device, self.copies, self.particles = constants.device, copies, len(binding.rest)
        self._at_once = self.device != "cpu" if at_once is None else at_once
        self.bodies = DeviceBodies(bodies, self.device)
        self._allocate(constants)
        self._detections: dict[tuple[int, bool], list[list[Callable[[], None]]]] = {}
        self._partings: dict[Any, list[Callable[[], None]]] = {}
        self.choose()

    def choose(self, *, itself: bool = True, full: bool = False, below: float = BELOW, stiffness: float = 1.0) -> None:
        """Take knobs that may change between steps: what is searched, the angle [rad], how much one parting parts.

        Without `itself` the body passes through itself, and meets rigid bodies only.
        """
        if not LOWEST_BELOW <= below <= HIGHEST_BELOW + 1e-6:
            raise InputError(_WHERE, f"below is {below:g} rad", "the range is pi/3 to pi", f"try {BELOW:.3f}")
        if not 0.0 <= stiffness <= 1.0:
            raise InputError(
                _WHERE, f"stiffness is {stiffness:g}", "the range is 0 to 1", "use 1, or 0.93 as published"
            )
        self.itself, self.full = itself, full
        # A joint that is no more bent than at rest touches nothing that it does not touch at rest.
        self._below = np.minimum(below, self.binding.rest_angles)
        planes = len(self.planes)
        most = np.inf if full else below + OPENED
        self._holds_below = np.minimum(most, self.binding.rest_angles[:planes] - LIKE_AT_REST)
        devices.write(self._stiffness, np.array([stiffness], dtype=np.float32))

    def _allocate(self, constants: devices.Constants) -> None:
        wp, put, blank, bound = devices.warp(), constants.put, constants.blank, self.binding
        stacked, planes, regions = self.copies * self.particles, len(self.planes), len(self.regions)
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
        self._parts = put(bound.parts, wp.int32)
        self._sides, self._groups = put(bound.sides, wp.int32), put(bound.regions, wp.int32)
        self._limb_of_part, self._extents = put(bound.limb_of_part, wp.int32), put(bound.extents, wp.float32)
        self._plane_points, self._plane_normals = (blank((self.copies, max(planes, 1)), wp.vec3f) for _ in range(2))
        self._holds = blank((self.copies, max(planes, 1)), wp.int32)
        self._fires, self._held = (blank((self.copies, max(regions, 1)), wp.int32) for _ in range(2))
        self._members = [put(array, wp.int32) for array in (bound.member_starts, bound.members)]
        self._part_boxes = [blank((self.copies, parts), wp.vec3f) for _ in range(2)]
        self._boxes = Boxes(*(blank((self.copies, parts), wp.vec3f) for _ in range(2)))
        self._plane_of, self._face_of = blank(stacked, wp.int32), blank(stacked, wp.int32)
        self._new_plane, self._new_element = blank(stacked, wp.int32), blank(stacked, wp.int64)
        self._touched, self._near = blank(1, wp.int32), blank(1, wp.int32)
        self._touching, self._near_bodies = blank(stacked, wp.int32), blank(stacked, wp.int32)
        self._stiffness, self._pace = blank(1, wp.float32), blank(1, wp.float32)
        self._firmness = blank(stacked, wp.vec2f)
        summed = stacked if self._at_once else 0
        self._sums, self._counts = blank(3 * summed, wp.int64), blank(summed, wp.int32)

    def start(self) -> ContactState:
        """The state in which nothing touches. Its arrays belong to this object: the last state started is the one."""
        from supple.skins.position_based import contact_kernels

        for held in (self._plane_of, self._face_of):
            held.fill_(-1)
        self._new_plane.fill_(int(contact_kernels.NONE))
        self._new_element.fill_(int(contact_kernels.NO_ELEMENT))
        self._firmness.zero_()
        self._touched.zero_()
        self._near.zero_()
        angles = np.full((self.copies, len(self.regions)), np.inf)
        return ContactState(self._plane_of, self._face_of, self._firmness, angles)

    # Before the rounds of a step

    def detect(
        self, particles: Any, world_from_joint: Floats, state: ContactState, *, time: float = 0.0, dt: float = 0.0
    ) -> None:
        """Find what touches at the predicted places of `particles` (C P,) in a pose (J, 4, 4), or (C, J, 4, 4).

        `time` [s] is the end of the step and `dt` its length; rigid bodies are put where they are then.
        """
        self.pose(world_from_joint, state, time=time, dt=dt)
        self.find(particles)

    def pose(self, world_from_joint: Floats, state: ContactState, *, time: float = 0.0, dt: float = 0.0) -> None:
        """The part of `detect` on the host: planes, angles and bodies of a pose go to the device."""
        joints = len(self.planes.skeleton)
        given = np.asarray(world_from_joint, dtype=np.float64)
        if given.shape not in ((joints, 4, 4), (self.copies, joints, 4, 4)):
            raise InputError(
                _WHERE,
                f"the pose has shape {given.shape}",
                f"({self.copies}, {joints}, 4, 4) is needed",
                "pass one pose for each copy",
            )
        world = np.broadcast_to(given, (self.copies, joints, 4, 4))
        posed = self.planes.posed(world)
        if len(self.planes):
            devices.write(self._plane_points, posed.points)
            devices.write(self._plane_normals, posed.normals)
            devices.write(self._holds, posed.flexion < self._holds_below)
        if len(self.regions):
            angles = np.concatenate([posed.flexion, posed.adduction], axis=1)
            devices.write(self._fires, (angles < self._below) & (angles < state.angles - CLOSING))
            state.angles[...] = angles
        if len(self.bodies):
            self.bodies.move(time, dt)
        devices.write(self._pace, np.array([min(1.0, dt / FIRM_AFTER) if dt > 0.0 else 1.0], dtype=np.float32))
        state.steps += 1

    def find(self, particles: Any) -> None:
        """The part of `detect` on the device. Nothing in it waits for the device, so that a CUDA graph can hold it."""
        before, after, outside = self._recorded(particles)
        self._held.zero_()
        for launch in before:
            launch()
        if self.itself:
            self.hash.find(particles, within=None if self.full else self._boxes)
            if self._sorted_room is not self.hash.pairs:  # it grew
                self._detections.clear()
                _, after, outside = self._recorded(particles)
            for launch in after:
                launch()
        for launch in outside:
            launch()

    def _recorded(self, particles: Any) -> list[list[Callable[[], None]]]:
        key = (self._checked(particles).ptr, self.full)
        if key not in self._detections:
            if len(self._detections) >= MOST_RECORDED:
                self._detections.clear()
            self._detections[key] = self._record_detection(particles)
        return self._detections[key]

    def _record_detection(self, particles: Any) -> list[list[Callable[[], None]]]:
        from supple.skins.position_based import body_kernels
        from supple.skins.position_based import contact_kernels as kernels

        count, own = self.copies * self.particles, self.particles
        planes = [self._plane_points, self._plane_normals]
        slots = [self._plane_of, self._face_of]
        margin = SPARE * self.hash.cell
        keeping = [
            particles,
            own,
            RELEASE * self.hash.cell,
            self._parts,
            *planes,
            self._holds,
            self._extents,
            self._faces,
            self._limb_of_part,
            self._pace,
            *slots,
            self._firmness,
            self._held,
            self._touched,
            self._near,
        ]
        before = [self._launch(kernels.keep_held, count, keeping)]
        if not self.full:
            parts = self.copies * len(self.planes.skeleton)
            boxing = [particles, own, *self._members, *self._part_boxes]
            wanted = [margin, self._fires, self._held, self._groups, self._sides, len(self.planes)]
            searching = [*wanted, *self._part_boxes, self._boxes.lows, self._boxes.highs]
            before += [
                self._launch(kernels.part_boxes, parts, boxing),
                self._launch(kernels.search_boxes, parts, searching),
            ]
        self._sorted_room = pairs = self.hash.pairs
        lanes = 1 if self.device == "cpu" else min(LANES, pairs.room)
        new = [self._new_plane, self._new_element]
        sorting = [
            lanes,
            pairs.found,
            pairs.particles,
            pairs.elements,
            particles,
            own,
            self._corners,
            self._parts,
            self._sides,
            self._plane_points,
            self._extents,
            *new,
        ]
        settling = [
            particles,
            own,
            self._corners,
            self._rest,
            self._boundary.id,
            DEEPEST * self.hash.cell,
            self._pace,
            *new,
            *slots,
            self._firmness,
            self._touched,
            self._touching,
        ]
        after = [
            self._launch(kernels.sort_pairs, lanes, sorting),
            self._launch(kernels.settle_contacts, count, settling),
        ]
        outside = []
        if len(self.bodies):
            on = self.bodies
            inputs = [particles, self.hash.cell, on.kinds, on.sizes, on.meshes, on.now, on.reach]
            outside.append(self._launch(body_kernels.find_near_bodies, count, [*inputs, self._near, self._near_bodies]))
        return [before, after, outside]

    # Inside every round

    @property
    def held_off_planes(self) -> tuple[Any, Any, Any, Any]:
        """On the device: the plane of each particle (C P,), how firmly it holds; points, normals (C, K) of planes."""
        return self._plane_of, self._firmness, self._plane_points, self._plane_normals

    def part(self, particles: Any, *, before: Any = None, planes: bool = True) -> None:
        """Part everything that touches, once: places of `particles` (C P,), as (x, y, z, inverse mass), change.

        Without `planes`, what those through the joints hold off is left to others. `before` (C P,) are places at the
        beginning of the step; bodies with friction need them, else they slide.
        """
        origin = particles if before is None else before
        key = (self._checked(particles).ptr, origin.ptr, origin.dtype, planes)
        if key not in self._partings:
            if len(self._partings) >= MOST_RECORDED:
                self._partings.clear()
            self._partings[key] = self._record_parting(particles, origin, planes=planes)
        for launch in self._partings[key]:
            launch()

    def _record_parting(self, particles: Any, before: Any, *, planes: bool) -> list[Callable[[], None]]:
        from supple.skins.position_based import body_kernels
        from supple.skins.position_based import contact_kernels as kernels

        count = self.copies * self.particles
        listed = [self._touched, self._touching, self.particles, self._stiffness, self._firmness]
        ways = [self._plane_of, self._plane_points, self._plane_normals]
        faces = [self._face_of, self._faces]
        if not self._at_once:
            found = [self._launch(kernels.part_contacts, 1, [*listed, *ways, *faces, particles])]
        else:
            sums = [self._sums, self._counts]
            found = [
                self._launch(kernels.gather_faces, count, [*listed, *faces, particles, *sums]),
                self._launch(kernels.part_faces, count, [*sums, particles]),
                *([self._launch(kernels.part_planes, count, [*listed, *ways, particles])] if planes else []),
            ]
        if len(self.bodies):
            on = self.bodies
            inputs = [
                self._near,
                self._near_bodies,
                self._stiffness,
                before,
                on.kinds,
                on.sizes,
                on.frictions,
                on.meshes,
                on.now,
                on.earlier,
                on.reach,
                particles,
            ]
            found.append(self._launch(body_kernels.part_bodies, count, inputs))
        return found

    def _checked(self, particles: Any) -> Any:
        wp = devices.warp()
        if particles.dtype is not wp.vec4f or len(particles) != self.copies * self.particles:
            raise InputError(
                _WHERE,
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

    def touching(self) -> tuple[Ints, Ints]:
        """For pictures and reports: particles held off a plane and off a face; waits for the device."""
        held = [np.flatnonzero(slots.numpy() >= 0).astype(np.int32) for slots in (self._plane_of, self._face_of)]
        return held[0], held[1]


def contacts_of(
    rest_points: ArrayLike,
    corners: ArrayLike,
    faces: ArrayLike,
    *,
    joints: ArrayLike,
    skeleton: Skeleton,
    motion: Motion | None = None,
    device: str = "cpu",
    **options: Any,
) -> Contacts:
    """The contacts of one body on a device; see `ContactBinding.from_body` and, for `options`, `Contacts`."""
    binding = ContactBinding.from_body(rest_points, corners, faces, joints=joints, skeleton=skeleton, motion=motion)
    return Contacts(binding, devices.Constants(devices.check_device(device)), **options)


def _groups(planes: JointPlanes) -> Ints:
    """The two sides (R, J) of every region, 1 and 2, and 0 for parts that it leaves alone: joints first, then limbs."""
    skeleton, merged = planes.skeleton, planes.part_of_joint
    rows = np.zeros((len(planes) + len(planes.limb_joints), len(skeleton)), dtype=np.int32)
    for row, joint in zip(rows, planes.joints.tolist(), strict=False):
        row[merged[skeleton.descendants(joint)]] = 1
        row[merged[skeleton.parents[joint]]] = 2
    for row, joint in zip(rows[len(planes) :], planes.limb_joints.tolist(), strict=True):
        row[merged] = 2
        row[merged[skeleton.descendants(joint)]] = 1
        row[merged[skeleton.parents[joint]]] = 2
    return rows


def _limb_of_part(planes: JointPlanes) -> Ints:
    """The limb (J,) that a part belongs to, -1 for the trunk."""
    limb_of = np.full(len(planes.skeleton), -1, dtype=np.int32)
    for limb, joint in enumerate(planes.limb_joints.tolist()):
        limb_of[planes.skeleton.descendants(joint)] = limb
    return limb_of


def _reaching(corners: Ints, parts: Ints, count: int) -> tuple[Ints, Ints]:
    """The particles of all elements that have a corner in each part, as compressed rows."""
    touching = parts[corners]  # (T, 4)
    both = np.stack([np.repeat(touching, 4, axis=1).reshape(-1), np.tile(corners, (1, 4)).reshape(-1)], axis=1)
    unique = np.unique(both, axis=0)
    starts, order = group_by_label(unique[:, 0], count)
    return starts, unique[order, 1].astype(np.int32)


def _check_numbers(what: str, numbers: Ints, count: int, of: str) -> None:
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        worst = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise InputError(_WHERE, f"{what} name number {worst}", f"there are {count} {of}", "pass those of this body")
