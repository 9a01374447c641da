"""Everything that moves of one body of flesh: what it remembers, the arrays it works in, launches recorded there."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.character.morph_targets import MorphTargets
from supple.motion.pose import Pose
from supple.settings import flattened
from supple.skins.kinematic import dual_quaternion, linear_blend
from supple.skins.kinematic.blend import Affine, BlendArrays
from supple.skins.kinematic.swelling.limb_swelling import LimbSweller
from supple.skins.kinematic.volume_preservation import VolumePreserver
from supple.skins.position_based.binding import FleshBinding
from supple.skins.position_based.blocks import packed_corners
from supple.skins.position_based.body.softness import regional_softness
from supple.skins.position_based.contact.collision import FleshCollision
from supple.skins.position_based.contact.memory import ContactMemory
from supple.skins.position_based.handles.handles import HandleMemory, Handles
from supple.skins.position_based.readings import Readings
from supple.skins.position_based.settle_and_swing import SettleAndSwing
from supple.skins.position_based.solve.lbfgs import LbfgsSolver
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased

STILL_AFTER = 0.5  # s for which bones have stood still: contacts and elements inside out stay as they are from then on
DROWSY_AFTER, ASLEEP_AFTER = 1.0, 2.0  # s for which they have: flesh settles less and less, and then not at all
UNMOVED = 1e-5  # of the skeleton's size in a step: bones that move less stand still
YIELDS_WITHIN = 0.02  # s: flesh takes so long to yield to what settling has found, but for 1 / e of it


@dataclass
class FleshMemory:
    """What the next step depends on; all arrays are on the device, one row per particle, `points` one per vertex.

    `corrections` is what settling found, in the frame of the bones at rest, and `yielded` how much of it flesh has
    come to; `previous_settled` where the flesh settled in the last step; `positions` and `velocities` are those of the
    lively flesh. `inverted` is 1 where elements have settled inside out, `pressures` how much more volume than at rest
    flesh wants, `handles` what hands do to the skin. `bones` (J,), 3x4 skinning transforms, are those of the last step,
    and have stood `still` for so long [s]. `asked` tells the settings and maps of the last step from others. `time` [s]
    has passed since the first frame.
    """

    points: Any
    corrections: Any
    yielded: Any
    previous_settled: Any
    positions: Any
    velocities: Any
    inverted: Any
    pressures: Any
    handles: HandleMemory
    contact: ContactMemory
    bones: Any
    still: float = 0.0
    asked: int = 0
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
        blank = constants.blank
        self.binding, self.device, self.count = binding, constants.device, len(binding.inverse_masses)
        joints = len(binding.character.skeleton)
        self._size = float(np.ptp(binding.character.skeleton.heads, axis=0).max()) or 1.0
        self.arrays, self.affine = BlendArrays(binding.packed, constants), Affine(joints, self.device)
        self.joint_rotations = blank(joints, wp.quatf)
        self._linear = skin.skinning.base == "linear"
        self.blend = (
            linear_blend.record_blend(self.arrays, self.affine)
            if self._linear
            else dual_quaternion.record_blend(self.arrays)
        )
        self.params = blank(11, wp.float32)
        self.rotations = blank(self.count, wp.quatf)
        self.found, self.settled, self.offsets = (blank(self.count, wp.vec3f) for _ in range(3))
        self.angular_frequencies = blank(self.count, wp.float32)
        self.depth, self.max_correction, self.inverse_masses = (
            devices.to_device(each, wp.float32, self.device) for each in _painted(binding)
        )
        self.surface = AttachedSkin(binding, smooth=skin.skinning.smooth)
        self.sweller = LimbSweller(binding.swelling, self.surface.points, self.joint_rotations, constants)
        self.volume_keeper = VolumePreserver(binding.volume, self.surface.points, constants)
        if skin.skinning.keep_volume:
            binding.volume.tell("PositionBased")
        # Parted one after another, contacts would depend on the order of particles.
        self.collision = FleshCollision(
            binding.collision, constants, bodies=skin.bodies, copies=binding.copies, jacobi=True
        )
        self.collides = skin.meets_anything
        self.recipe = self._make_recipe()
        self.memory = FleshMemory(
            self.surface.points,
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.vec3f),
            blank(self.count, wp.int32),
            blank(self.count, wp.float32),
            HandleMemory.open(constants),
            self.collision.start(),
            blank(joints, self.affine.matrices.dtype),
        )
        self._moved = blank(1, wp.int32)
        self._notice = self._record_notice()
        self.handles: Handles | None = None
        self._readings: Readings | None = None
        self.recorded: tuple[Any, tuple[Any, ...], Stages] | None = None
        self._tuned: tuple[PositionBased, float] | None = None
        self._params, self._asked = np.zeros(11), 0

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""
        if self.handles is not None or self.memory.handles.vertices.max() >= 0:
            self._handles().recall()

    def forget(self) -> None:
        """Have no history, and be held by nobody, as if it were new."""
        memory = self.memory
        arrays = memory.corrections, memory.yielded, memory.previous_settled, memory.positions, memory.velocities
        for array in (memory.points, *arrays, memory.inverted, memory.pressures, memory.bones):
            array.zero_()
        handles = HandleMemory.open(self.binding.constants) if self.handles is not None else memory.handles
        self.handles, self._tuned = None, None
        self.memory = replace(memory, contact=self.collision.start(), handles=handles, still=0.0, asked=0, time=0.0)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these pulls from the next step on."""
        if pulls or self.handles is not None:
            self._handles().hold(pulls)

    def _handles(self) -> Handles:
        if self.handles is None:
            self.handles, self._tuned = Handles(self, self.memory.handles), None
        return self.handles

    @property
    def readings(self) -> Readings:
        """What can be read off the last step."""
        if self._readings is None or self._readings.particles is not self.surface.particles:
            self._readings = Readings(self)
        return self._readings

    def reshape(self, binding: FleshBinding) -> None:
        """Go on with other shapes and maps of the same body, from the next step on."""
        if binding.energy is not self.binding.energy:
            self.binding, self.recorded = binding, None
            self.recipe = self._make_recipe()
        self.binding, self._tuned = binding, None
        own = self.depth, self.max_correction, self.inverse_masses
        for array, values in zip(own, _painted(binding), strict=True):
            devices.write(array, values)
        self.surface.reshape(binding)
        self.sweller.reshape(binding.swelling)
        self.volume_keeper.reshape(binding.volume)

    def _make_recipe(self) -> SettleAndSwing:
        binding, contacts = self.binding, self.collision.held_off
        return SettleAndSwing(LbfgsSolver(binding.energy, self.arrays.posed, binding.constants, contacts=contacts))

    def set_pose(self, pose: Pose, dt: float) -> None:
        """Bring a pose to the device."""
        if self.handles is not None:
            self.handles.begin_step()
        skeleton = self.binding.character.skeleton
        self.affine.set_pose(pose, skeleton)
        if not self._linear:
            self.blend.set_pose(pose, skeleton)
        self._notice_rest(dt)
        self.surface.set_pose(pose)
        self.sweller.set(pose)
        self.volume_keeper.set(pose)
        if self.collides:
            at_rest = self.memory.still > STILL_AFTER
            contact, time = self.memory.contact, self.memory.time
            self.collision.set_skinning(self.affine.matrices, contact, time=time, dt=dt, at_rest=at_rest)

    def _record_notice(self) -> devices.Launch:
        from supple.skins.position_based.step_kernels import notice_moved

        inputs = [UNMOVED * self._size, self.affine.matrices, self.memory.bones, self._moved]
        return devices.Launch(notice_moved, len(self.memory.bones), inputs, self.device)

    def _notice_rest(self, dt: float) -> None:
        """Once bones have stood still for a while, flesh is left to come to rest: a held pose is still.

        What creeps on for long, as where a contact asks for more than flesh can give, falls asleep; hands and rigid
        bodies, which may move while bones do not, keep flesh awake.
        """
        from supple.skins.position_based.step_kernels import AWAKE, RECOVERS

        memory = self.memory
        self._moved.zero_()
        self._notice()
        moved = bool(devices.to_host(self._moved)[0])
        memory.still = 0.0 if moved or dt <= 0.0 or memory.asked != self._asked else memory.still + dt
        memory.asked = self._asked  # other settings or maps wake it
        self._set_param(RECOVERS, float(memory.still <= STILL_AFTER))
        touched = self.handles is not None or len(self.collision.bodies) > 0
        awake = (ASLEEP_AFTER - memory.still) / (ASLEEP_AFTER - DROWSY_AFTER)
        self._set_param(AWAKE, 1.0 if touched else min(max(awake, 0.0), 1.0))

    def join(self, *, moving: bool) -> None:
        """Let flesh begin with the velocity of the body, or go on with its own."""
        from supple.skins.position_based.step_kernels import JOINING

        self._set_param(JOINING, float(moving))

    def let_yield(self, dt: float) -> None:
        """Let flesh go so far towards where it settles as it does in `dt` [s]."""
        from supple.skins.position_based.step_kernels import YIELD

        self._set_param(YIELD, 1.0 - math.exp(-dt / YIELDS_WITHIN))

    def _set_param(self, which: int, value: float) -> None:
        if self._params[which] != value:
            self._params[which] = value
            devices.write(self.params, self._params)

    def detect_contacts(self) -> None:
        """Find what touches."""
        if self.collides:
            self.collision.find(self.recipe.particles)

    def tune(self, skin: PositionBased, dt: float) -> None:
        """Bring settings that may change at any time to the device."""
        if self._tuned is not None and skin is self._tuned[0] and dt == self._tuned[1]:
            return
        self.recipe.tune(skin)
        self._asked = _number_of(skin, self.binding)
        swing = skin.swing
        drag, sculpted = math.exp(-swing.drag * dt), float(swing.rest_includes_gravity)
        row = [dt, swing.damping, swing.max_offset, sculpted, drag, swing.gravity, 0.0]
        row += [2.0 * math.pi * swing.frequency, 1.0, 1.0, 1.0]
        self._params = np.array(row)
        devices.write(self.params, self._params)
        self._tune_collision(skin)
        self.surface.attach(smooth=skin.skinning.smooth)
        self.sweller.set_most(skin.skinning.limb_volume)
        if self.handles is not None:
            self.handles.tune(skin)
        self._set_softness(skin)
        self._tuned = skin, dt

    def _tune_collision(self, skin: PositionBased) -> None:
        self.collision.set_options(
            itself=skin.collision.contact != "off",
            full=skin.collision.contact == "full",
            below=skin.collision.contact_angle,
            stiffness=skin.collision.contact_stiffness,
        )
        if self.collides and skin.collision.contact == "off":
            self.collision.release(self.memory.contact)
        self.collides = skin.meets_anything

    def _set_softness(self, skin: PositionBased) -> None:
        """Which flesh is free, and how fast it swings."""
        binding = self.binding
        one = binding.character if binding.member is None else binding.member.character
        marked, counts = regional_softness(one, binding.body, skin.regions)
        softness = (1.0 - counts) * skin.jiggle * binding.softness + counts * marked
        frequencies = self.recipe.angular_frequencies(skin, binding.body, softness)
        devices.write(self.angular_frequencies, np.tile(frequencies, binding.copies))


def _number_of(skin: PositionBased, binding: FleshBinding) -> int:
    """A number that tells settings and painted maps from others."""
    number = zlib.crc32(repr(sorted(flattened(skin).items())).encode())
    for values in (*_painted(binding), binding.softness):
        number = zlib.crc32(np.ascontiguousarray(values).tobytes(), number)
    return number


def _painted(binding: FleshBinding) -> tuple[Float32Array, ...]:
    """What painted maps change of the particles."""
    return binding.depth, binding.max_correction, binding.inverse_masses


class AttachedSkin:
    """A character's skin on a device, which goes along with the flesh that it is embedded in."""

    def __init__(self, binding: FleshBinding, *, smooth: bool) -> None:
        wp, constants, character = devices.warp(), binding.constants, binding.character
        self.count, self._binding = len(character.points), binding
        self._morph_targets = MorphTargets(character.points, character.shapes)
        self._rest = character.points
        self.follow = devices.to_device(binding.attachment.follow, wp.float32, constants.device)
        self.leeway = binding.attachment.leeway
        self.rest_distance = constants.blank(self.count, wp.float32)
        self.points = constants.blank(self.count, wp.vec3f)
        self._smooth: bool | None = None
        self.attach(smooth=smooth)

    def attach(self, *, smooth: bool) -> None:
        """Follow the flesh evenly across elements, or each element by itself; launches are recorded anew then."""
        if smooth == self._smooth:
            return
        wp, put = devices.warp(), self._binding.constants.put
        attachment = self._binding.attachment if smooth else self._binding.plain_attachment
        self._smooth, self._attached = smooth, attachment.attached
        self.blocks = len(attachment.particles) // max(self.count, 1)
        self.particles = put(attachment.particles, wp.vec4i)
        self.barycentric = put(attachment.barycentric, wp.vec4f)
        devices.write(self.rest_distance, self._distance(self._rest))

    def corners_of_one(self) -> Any:
        """The particles of one body of a crowd that carry its vertices, packed for blocks of threads."""
        binding, constants = self._binding, self._binding.constants
        attachment = binding.attachment if self._smooth else binding.plain_attachment
        vertices = self.count // binding.copies
        rows = slice(vertices * self.blocks)
        corners, shares = attachment.particles, attachment.barycentric

        def pack() -> Any:
            return packed_corners(corners[rows], shares[rows], vertices, constants.device)

        return constants.derive(corners, "packed", pack)

    def reshape(self, binding: FleshBinding) -> None:
        """Take other shapes and maps of the same mesh."""
        self._binding = binding
        self._morph_targets.exchange(binding.character.shapes)
        devices.write(self.follow, binding.attachment.follow)

    def set_pose(self, pose: Pose) -> None:
        """Take the shapes (morph targets) of a pose, which carry the skin away from its flesh."""
        rest = self._morph_targets.update(pose.shapes)
        if rest is not None:
            self._rest = rest
            devices.write(self.rest_distance, self._distance(rest))

    def _distance(self, rest: FloatArray) -> Float32Array:
        """How far (V,) [m] rest points are from where their flesh holds them."""
        return np.linalg.norm(rest - self._attached, axis=1).astype(np.float32)
