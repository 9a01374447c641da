"""Everything that moves of one soft character: what it remembers, and what simulates it on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import FloatArray
from supple.motion.pose import Pose
from supple.settings.by_name import DEFAULT
from supple.skins.contact.binding import ContactBinding
from supple.skins.contact.control.controller import PoseController
from supple.skins.contact.control.tracking import Tracking
from supple.skins.contact.detection.collision_pipeline import BodyState, CollisionPipeline, make_detector
from supple.skins.contact.dynamics.solver import CondensedSolver
from supple.skins.contact.model.mechanism import MechanismState
from supple.skins.contact.settings import STRENGTH, joint_strengths
from supple.skins.contact.stability_guard import StabilityGuard
from supple.skins.contact.surface import Surface

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact


@dataclass
class ContactMemory:
    """What the next step depends on.

    `points` is the skin on the device, `bones` (J, 4, 4) where the joints are, `body` the links and the flesh,
    `dynamic_bodies` the free obstacles, `animated` (J, 4, 4) where the motion had the joints in the last step,
    `impulses` (N, 3) [N s] what pressed its nodes then, `energy_balance` what the solver keeps of momentum and energy.
    `time` [s] has passed since the first frame.
    """

    points: Any
    bones: FloatArray
    body: MechanismState
    dynamic_bodies: BodyState
    animated: FloatArray
    impulses: FloatArray
    energy_balance: FloatArray
    time: float = 0.0


class ContactState:
    """A soft character in motion among obstacles. The device holds more than `memory`, and is told of it (`load`)."""

    def __init__(self, binding: ContactBinding, skin: ArticulatedContact) -> None:
        self.binding, device = binding, binding.constants.device
        mechanism, skeleton = binding.mechanism, binding.character.skeleton
        self.solver = CondensedSolver(binding.solver, device=device, gravity=binding.gravity)
        nodes, links = self.solver.nodes, self.solver.links
        borne = binding.gravity if skin.muscles.gravity_compensation and skin.muscles.root_strength > 0.0 else None
        self.controller = PoseController(_tracking(binding, skin), links, dt=skin.step, gravity=borne, device=device)
        obstacles = skin.scene_for(binding.character)
        detector = make_detector(
            binding.flesh,
            mechanism,
            obstacles,
            self_collision=skin.self_contact,
            rest_exclusions=binding.rest,
            device=device,
        )
        friction = skin.friction if skin.self_contact else None
        self.pipeline = CollisionPipeline(detector, nodes, links, obstacles, gravity=binding.gravity, friction=friction)
        self.has_contacts = bool(obstacles) or len(mechanism.joints.limited) > 0 or skin.self_contact
        self.guard = StabilityGuard(
            nodes, links, rest_sag=binding.rest_sag, max_displacements=binding.max_displacements, device=device
        )
        self.surface = Surface(
            binding.character,
            binding.attachment,
            mechanism,
            packed=binding.packed,
            bodies=(nodes, links),
            controller=self.controller,
            of_joint=binding.links.of_joint,
            rest_sag=binding.rest_sag,
            constants=binding.constants,
        )
        rest = Pose.rest(skeleton).world_from_joint
        self.memory = ContactMemory(
            self.surface.points,
            rest.copy(),
            MechanismState.rest(mechanism),
            self.pipeline.dynamic_bodies.state(),
            rest.copy(),
            np.zeros_like(mechanism.rest),
            np.zeros_like(self.solver.energy_balance),
        )
        self._reached: float | None = None

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.surface.points

    def recall(self) -> None:
        """What is on the device is not what it remembers any more."""
        self._reached = None

    def load(self) -> None:
        """Bring what it remembers to the device, unless it is there from the last step; now it goes on from there."""
        memory = self.memory
        if not self.is_loaded:
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


def _tracking(binding: ContactBinding, skin: ArticulatedContact) -> Tracking:
    skeleton, links = binding.character.skeleton, binding.links
    names = skeleton.names
    muscles = skin.muscles
    strengths = joint_strengths(muscles.strength, skeleton)
    held = {names[links.joints[root]]: muscles.root_strength for root in binding.mechanism.roots}
    own = {names[joint]: strengths[names[joint]] for joint in links.joints if names[joint] in strengths}
    everywhere = muscles.strength.get(DEFAULT, STRENGTH)
    return Tracking(binding.mechanism, links, skeleton, strength=everywhere, strengths={**own, **held})
