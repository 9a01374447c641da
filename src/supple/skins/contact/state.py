"""Everything that moves of one soft character: what it remembers, and what simulates it on a device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray
from supple.motion.pose import Pose
from supple.obstacles.shapes import RigidBody
from supple.settings.by_name import DEFAULT
from supple.skins.contact.binding import ContactBinding, Sag
from supple.skins.contact.control.controller import PoseController
from supple.skins.contact.control.tracking import Tracking
from supple.skins.contact.detection.collision_pipeline import BodyState, CollisionPipeline, make_detector
from supple.skins.contact.dynamics.solver import CondensedSolver
from supple.skins.contact.hands import Hands
from supple.skins.contact.model.mechanism import Mechanism, MechanismState
from supple.skins.contact.placed_obstacles import GROUND, PlacedObstacles, spare_bodies
from supple.skins.contact.readings import SkinReadings
from supple.skins.contact.response.contact_set import ContactImpulses, ContactSet
from supple.skins.contact.settings import STRENGTH, joint_strengths
from supple.skins.contact.stability_guard import StabilityGuard
from supple.skins.contact.surface import Surface

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_TENSING = 0.5  # [s]: how long a limp muscle takes to become rigid, where it is told to while it plays


@dataclass
class ContactMemory:
    """What the next step depends on.

    `points` is the skin on the device, `bones` (J, 4, 4) where the joints are, `body` the links and the flesh,
    `dynamic_bodies` the free obstacles, `animated` (J, 4, 4) where the motion had the joints in the last step,
    `impulses` (N, 3) [N s] what pressed its nodes then, `energy_balance` what the solver keeps of momentum and energy.
    `strengths` (k,) is how strongly muscles draw each link: what the settings say, or on the way there. `hand_forces`
    [N], on the device, is how hard hands pulled lately. With `gravity` [m/s²] flesh hangs as it was modelled. `time`
    [s] has passed since the first frame.
    """

    points: Any
    bones: FloatArray
    body: MechanismState
    dynamic_bodies: BodyState
    animated: FloatArray
    impulses: FloatArray
    energy_balance: FloatArray
    strengths: FloatArray
    hand_forces: Any
    gravity: float
    time: float = 0.0


class ContactState:
    """A soft character in motion among obstacles. The device holds more than `memory`, and is told of it (`load`)."""

    def __init__(self, binding: ContactBinding, skin: ArticulatedContact) -> None:
        self.binding, self.skin, device = binding, skin, binding.constants.device
        skeleton, gravity = binding.character.skeleton, _gravity(skin)
        self.sag = Sag(binding, gravity)
        mechanism = binding.tuned_mechanism(skin.joints, self.sag.at_rest)
        self.solver = CondensedSolver(replace(binding.solver, mechanism=mechanism), device=device, gravity=gravity)
        nodes, links = self.solver.nodes, self.solver.links
        self._tracking = _tracking(binding, mechanism, skin)
        self.controller = PoseController(self._tracking, links, dt=skin.step, gravity=_borne(skin), device=device)
        self._met = self._obstacles = skin.scene_for(binding.character)
        detector = make_detector(
            binding.flesh, mechanism, self._obstacles, self_collision=True, rest_exclusions=binding.rest, device=device
        )
        self.pipeline = CollisionPipeline(
            detector, nodes, links, self._obstacles, gravity=gravity, friction=skin.friction
        )
        self._tune_pipeline()
        self.guard = StabilityGuard(
            nodes, links, rest_sag=self.rest_sag, max_displacements=binding.max_displacements, device=device
        )
        self.surface = Surface(
            binding.character,
            binding.attachment,
            mechanism,
            packed=binding.packed,
            bodies=(nodes, links),
            controller=self.controller,
            of_joint=binding.links.of_joint,
            rest_sag=self.rest_sag,
            constants=binding.constants,
        )
        self.hands = Hands(binding, self.solver, self.sag, self.surface.points)
        rest = Pose.rest(skeleton).world_from_joint
        self.memory = ContactMemory(
            self.surface.points,
            rest.copy(),
            MechanismState.rest(mechanism),
            self.pipeline.dynamic_bodies.state(),
            rest.copy(),
            np.zeros_like(mechanism.rest),
            np.zeros_like(self.solver.energy_balance),
            self._tracking.per_link.copy(),
            self.hands.forces,
            skin.gravity,
        )
        self.touched: tuple[ContactSet, ContactImpulses] | None = None
        """What it met in the last step, and how that pushed it; not part of what it remembers."""
        self._reached: float | None = None

    # What is put in its way while it plays

    @cached_property
    def placed(self) -> PlacedObstacles:
        """Obstacles that are put in while it plays; room for them is made when they are first asked for."""
        before, device = self.pipeline.dynamic_bodies.state(), self.binding.constants.device
        first, self._obstacles = len(self._obstacles), (*self._obstacles, *spare_bodies())
        detector = make_detector(
            self.binding.flesh,
            self.mechanism,
            self._obstacles,
            self_collision=True,
            rest_exclusions=self.binding.rest,
            device=device,
        )
        self.pipeline = CollisionPipeline(
            detector,
            self.solver.nodes,
            self.solver.links,
            self._obstacles,
            gravity=_gravity(self.skin),
            friction=self.skin.friction,
            ground=GROUND,
        )
        self._tune_pipeline()
        bodies = self.pipeline.dynamic_bodies
        state = bodies.state()
        for name, values in vars(before).items():
            getattr(state, name)[: len(values)] = values
        bodies.load(state)
        return PlacedObstacles(self.pipeline, first)

    def place(self, name: str, body: RigidBody | None) -> None:
        """Put an obstacle in, or take it away; nothing else changes by that."""
        if body is None:
            self.placed.remove(name)
        else:
            self.placed.place(name, body)
        self.memory.dynamic_bodies = self.pipeline.dynamic_bodies.state()

    def body_transforms(self) -> FloatArray:
        """Where the obstacles (B, 4, 4) that it was made with are: on their paths, or where free ones got to."""
        now = [body.world_from_body(self.memory.time) for body in self._met if body.free is None]
        found = np.empty((len(self._met), 4, 4))
        led = np.array([body.free is None for body in self._met], dtype=bool)
        found[led] = np.array(now).reshape(-1, 4, 4)
        found[~led] = self.memory.dynamic_bodies.positions[: len(self._met) - len(now)]
        return found

    @cached_property
    def readings(self) -> SkinReadings:
        """What can be read off its skin; made when it is first asked for."""
        return SkinReadings(self.binding.character, self.binding.attachment, self.solver)

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with what settings say of gravity and joints."""
        return self.solver.mechanism

    @property
    def rest_sag(self) -> FloatArray:
        """How flesh (n, 3) [m] hangs where it was modelled."""
        return self.sag.at_rest

    @property
    def has_contacts(self) -> bool:
        """Whether there is anything to meet: obstacles, limits of joints, or itself."""
        return bool(self._obstacles) or len(self.mechanism.joints.limited) > 0 or self.skin.self_contact

    def recall(self) -> None:
        """What is on the device is not what it remembers any more."""
        self._reached = self.touched = None
        self._set_gains()

    # What changes while it plays

    def reshape(self, binding: ContactBinding) -> None:
        """Go on with the shapes of another binding of the same flesh."""
        self.binding = binding
        self.surface.reshape(binding.character.shapes)

    def tune(self, skin: ArticulatedContact) -> None:
        """Go on with these settings, which differ in some that may change while it plays; nothing moves by that."""
        before, self.skin = self.skin, skin
        if skin.gravity != before.gravity:
            self._set_gravity(_gravity(skin))
        if skin.joints != before.joints or skin.gravity != before.gravity:
            self.solver.set_mechanism(self.binding.tuned_mechanism(skin.joints, self.rest_sag))
        if skin.muscles != before.muscles or skin.gravity != before.gravity:
            self._tracking = _tracking(self.binding, self.mechanism, skin)
            self._set_gains()
        self._tune_pipeline()

    def _set_gravity(self, gravity: FloatArray) -> None:
        self.sag.set_gravity(gravity)
        self.solver.set_gravity(gravity)
        self.guard.set_rest_sag(self.rest_sag)
        self.surface.set_rest_sag(self.rest_sag)
        self._reached = None

    def _hang_otherwise(self) -> None:
        """Flesh was modelled as it hangs: with another gravity it rests elsewhere, and so is displaced otherwise."""
        memory, gravity = self.memory, self.skin.gravity
        if memory.gravity != gravity:
            hung = Sag(self.binding, np.array([0.0, -memory.gravity, 0.0])).at_rest
            memory.body.displacements[...] += self.rest_sag - hung
            memory.gravity = gravity

    def _tune_pipeline(self) -> None:
        skin = self.skin
        self.pipeline.tune(gravity=_gravity(skin), friction=skin.friction, self_collision=skin.self_contact)

    def tense(self, dt: float) -> None:
        """Bring muscles nearer to the strength that they should have: at once where that is less, else by and by."""
        strengths, wanted = self.memory.strengths, self._tracking.per_link
        if not np.array_equal(strengths, wanted):
            strengths[...] = np.minimum(wanted, strengths + dt / _TENSING)
            self._set_gains()

    def _set_gains(self) -> None:
        gains = self._tracking.gains(self.solver.dt, self.memory.strengths)
        self.controller.set_gains(*gains, gravity=_borne(self.skin))

    def load(self) -> None:
        """Bring what it remembers to the device, unless it is there from the last step; now it goes on from there."""
        memory = self.memory
        if not self.is_loaded:
            self._hang_otherwise()
            self.solver.load(memory.body)
            if memory.time > 0.0:
                self.solver.warm_start(memory.impulses, memory.energy_balance)
            self.pipeline.dynamic_bodies.load(memory.dynamic_bodies)
        self._reached = None

    @property
    def is_loaded(self) -> bool:
        """Whether the device has what it remembers."""
        return self._reached == self.memory.time

    def reached(self, time: float) -> None:
        """The device is at this time [s], as is what it remembers."""
        self._reached = time


def _gravity(skin: ArticulatedContact) -> FloatArray:
    return np.array([0.0, -skin.gravity, 0.0])


def _borne(skin: ArticulatedContact) -> FloatArray | None:
    """The gravity that muscles bear, if they do."""
    return _gravity(skin) if skin.muscles.gravity_compensation and skin.muscles.root_strength > 0.0 else None


def _tracking(binding: ContactBinding, mechanism: Mechanism, skin: ArticulatedContact) -> Tracking:
    skeleton, links = binding.character.skeleton, binding.links
    names = skeleton.names
    muscles = skin.muscles
    strengths = joint_strengths(muscles.strength, skeleton)
    held = {names[links.joints[root]]: muscles.root_strength for root in mechanism.roots}
    own = {names[joint]: strengths[names[joint]] for joint in links.joints if names[joint] in strengths}
    everywhere = muscles.strength.get(DEFAULT, STRENGTH)
    return Tracking(mechanism, links, skeleton, strength=everywhere, strengths={**own, **held})
