"""Everything that moves of one soft character: what it remembers, and what simulates it on a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.motion.pose import Pose
from supple.names import unique
from supple.obstacles.shapes import RigidBody
from supple.settings.by_name import DEFAULT
from supple.skins.contact.binding import ContactBinding, Sag
from supple.skins.contact.control.controller import PoseController
from supple.skins.contact.control.cues import read_cues
from supple.skins.contact.control.directing import Directing, no_strikes
from supple.skins.contact.control.teleports import Teleports
from supple.skins.contact.control.tracking import Tracking
from supple.skins.contact.detection.collision_pipeline import (
    BodyState,
    CollisionPipeline,
    VisibleSkin,
    make_detector,
    skin_detector,
)
from supple.skins.contact.dynamics.solver import CondensedSolver
from supple.skins.contact.hands import STRONGEST, Hands
from supple.skins.contact.model.mechanism import Mechanism, MechanismState
from supple.skins.contact.placed_obstacles import GROUND, PlacedObstacles, spare_bodies
from supple.skins.contact.readings import SkinReadings
from supple.skins.contact.response.contact_set import ContactImpulses, ContactSet
from supple.skins.contact.settings import STRENGTH, joint_strengths
from supple.skins.contact.stability_guard import StabilityGuard
from supple.skins.contact.surface import Surface
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_TENSING = 0.5  # [s]: how long a limp muscle takes to become rigid, where it is told to while it plays


@dataclass
class ContactMemory:
    """What the next step depends on.

    `points` is the skin on the device, `bones` (J, 4, 4) where the joints are, `body` the links and the flesh,
    `dynamic_bodies` the free obstacles, `animated` (J, 4, 4) where the motion had the joints in the last step,
    `impulses` [N s] what pushed its points then (see `NodeArrays.warm_start`), `pressed` (N + V,) [N s] how hard that
    pressed nodes and vertices, `energy_balance` what the solver keeps of momentum and energy. `strengths` (k,) is how
    strongly muscles draw each link: what the settings say, or on the way there. `hand_forces` [N], on the device, is
    how hard hands pulled lately. With `gravity` [m/s²] flesh hangs as it was modelled. `time` [s] has passed since the
    first frame.
    """

    points: Any
    bones: FloatArray
    body: MechanismState
    dynamic_bodies: BodyState
    animated: FloatArray
    impulses: FloatArray
    pressed: FloatArray
    energy_balance: FloatArray
    strengths: FloatArray
    struck_at: FloatArray
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
        prepared = replace(binding.solver, mechanism=mechanism)
        self.solver = CondensedSolver(
            prepared,
            device=device,
            gravity=gravity,
            skin=binding.skin_embedding,
            triangles=len(binding.character.triangles),
        )
        nodes, links = self.solver.nodes, self.solver.links
        self._tracking = _tracking(binding, mechanism, skin)
        self.controller = PoseController(self._tracking, links, dt=skin.step, gravity=_borne(skin), device=device)
        self._teleports = Teleports(mechanism, binding.links)
        self._met = self._obstacles = skin.scene_for(binding.character)
        self.guard = StabilityGuard(
            nodes, links, rest_sag=self.rest_sag, max_displacements=binding.max_displacements, device=device
        )
        self.surface = Surface(
            binding.character,
            binding.attachment,
            mechanism,
            base=binding.base,
            bodies=(nodes, links),
            controller=self.controller,
            of_joint=binding.links.of_joint,
            rest_sag=self.rest_sag,
            constants=binding.constants,
        )
        self.solver.skin_points.follow(self.surface.points, self.surface.rest_sag)
        self.pipeline = self._make_pipeline(None)
        self.hands = Hands(binding, self.solver, self.sag, self.surface.points)
        rest = Pose.rest(skeleton).world_from_joint
        self.memory = ContactMemory(
            self.surface.points,
            rest.copy(),
            MechanismState.rest(mechanism),
            self.pipeline.dynamic_bodies.state(),
            rest.copy(),
            np.zeros_like(self.solver.impulses),
            np.zeros(self.solver.nodes.points),
            np.zeros_like(self.solver.energy_balance),
            self._tracking.per_link.copy(),
            no_strikes(),
            self.hands.forces,
            skin.gravity,
        )
        self.touched: tuple[ContactSet, ContactImpulses] | None = None
        """What it met in the last step, and how that pushed it; not part of what it remembers."""
        self._reached: float | None = None
        self._pulls: tuple[Pull, ...] = ()
        self._held_by_cues = False
        self._direct()

    def _direct(self) -> None:
        """Take up the cues of the settings."""
        joints, mechanism = np.asarray(self.binding.links.joints), self.mechanism
        cues = read_cues(self.skin.muscles.cues)
        self.directing = Directing(cues, self.binding.character, joints=joints, roots=mechanism.roots, met=self._met)
        self.directing.check_hardest(STRONGEST * float(mechanism.link_masses.sum()))

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Be held by these hands from the next step on, beside what cues do."""
        self._pulls = tuple(pulls)
        if not self._held_by_cues:
            self.hands.hold(self._pulls)

    def take_cues(self, dt: float) -> None:
        """What cues ask for in the step of `dt` [s] that comes: strengths of muscles, and pushes."""
        memory, directing = self.memory, self.directing
        time = memory.time + dt
        self._tense(directing.strengths(self._tracking.per_link, time, memory.struck_at), dt)
        directing.feel_blows(time=time, dt=dt, struck_at=memory.struck_at)
        pushed = directing.pulls(time, dt) if directing.pushes else []
        if pushed or self._held_by_cues:
            size = float(self.binding.character.size.max())
            self.hands.hold([*self._pulls, *(pull.sized(size) for pull in pushed)])
            self._held_by_cues = bool(pushed)

    def follow_jumps(self, pose: Pose, dt: float) -> None:
        """Where the motion jumps over the ground in the step of `dt` [s] that comes, go along as it is."""
        memory = self.memory
        led = (memory.strengths[self.mechanism.roots] > 0.0) | (memory.time == 0.0)
        if self._teleports.carry(memory.body, memory.animated, pose, led, dt):
            self._reached = None

    def _make_pipeline(self, ground: RigidBody | None) -> CollisionPipeline:
        """What finds its contacts: its skin among the obstacles, and the border of its flesh with itself."""
        binding, solver, device = self.binding, self.solver, self.binding.constants.device
        border = make_detector(
            binding.flesh, solver.mechanism, (), self_collision=True, rest_exclusions=binding.rest, device=device
        )
        every = len(solver.mechanism.rest)
        visible = VisibleSkin(
            skin_detector(binding.character, binding.skin_embedding, solver.mechanism, self._obstacles, device=device),
            solver.skin_points,
            binding.skin_embedding.cells,
            binding.flesh_depths,
            lambda: solver.impulses[every : solver.nodes.places],
        )
        pipeline = CollisionPipeline(
            border,
            solver.nodes,
            solver.links,
            self._obstacles,
            gravity=_gravity(self.skin),
            friction=self.skin.friction,
            ground=ground,
            visible=visible,
        )
        skin = self.skin
        pipeline.tune(gravity=_gravity(skin), friction=skin.friction, self_collision=skin.self_contact)
        return pipeline

    # What is put in its way while it plays

    @cached_property
    def placed(self) -> PlacedObstacles:
        """Obstacles that are put in while it plays; room for them is made when they are first asked for."""
        before = self.pipeline.dynamic_bodies.state()
        first, self._obstacles = len(self._obstacles), (*self._obstacles, *spare_bodies())
        self.pipeline = self._make_pipeline(GROUND)
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

    def body_names(self) -> tuple[str, ...]:
        """What obstacles are called: those that it was made with, then those that were put in its way."""
        names = [body.name or type(body).__name__.lower() for body in self._met]
        names += [""] * (len(self._obstacles) - len(names))
        for name, index in self.placed.numbers().items() if "placed" in vars(self) else ():
            names[index] = name
        return tuple(unique(name or "obstacle" for name in names))

    @cached_property
    def joint_of_point(self) -> IntArray:
        """The joint (N + V,) whose link carries most of each node and vertex."""
        links = np.concatenate([self.mechanism.links[:, 0], self.binding.skin_embedding.links[:, 0]])
        found: IntArray = np.asarray(self.binding.links.joints, dtype=np.int32)[links]
        return found

    @cached_property
    def readings(self) -> SkinReadings:
        """What can be read off its skin; made when it is first asked for."""
        cells = self.binding.skin_embedding.cells
        return SkinReadings(self.binding.character, self.binding.attachment, cells, self.solver)

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
        if self._held_by_cues:  # what they do is asked again, and pulls as it is remembered
            self.hands.forget()
            self._held_by_cues = False
        self._set_gains()

    # What changes while it plays

    def reshape(self, binding: ContactBinding) -> None:
        """Go on with the shapes of another binding of the same flesh."""
        self.binding = binding
        self.surface.reshape(binding.base)

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
        if skin.muscles.cues != before.muscles.cues:
            self._direct()
            self.memory.struck_at[...] = no_strikes()
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

    def _tense(self, wanted: FloatArray, dt: float) -> None:
        """Bring muscles nearer to the strength that they should have: at once where that is less, else by and by."""
        strengths = self.memory.strengths
        if not np.array_equal(strengths, wanted):
            strengths[...] = np.minimum(wanted, strengths + dt / _TENSING)
            self._set_gains()

    def _set_gains(self) -> None:
        strengths = self.memory.strengths
        led = bool((strengths[self.mechanism.roots] > 0.0).any())
        gains = self._tracking.gains(self.solver.dt, strengths)
        self.controller.set_gains(*gains, gravity=_borne(self.skin) if led else None)

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
