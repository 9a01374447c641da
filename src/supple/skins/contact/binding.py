"""Everything that a soft articulated character prepares for one device, and one step of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError, UnfinishedError
from supple.motion.pose import Pose
from supple.skins.contact import dynamics
from supple.skins.contact.choices import limits_for, strengths_in, tissues_in, with_regions
from supple.skins.contact.condensed import CondensedSolver, factored
from supple.skins.contact.control import Control
from supple.skins.contact.dynamics import Mechanism, State, mechanism_of
from supple.skins.contact.flesh import WHERE, flesh_of
from supple.skins.contact.joints import named_hinges, rotation_vectors
from supple.skins.contact.links import joints_of, links_of
from supple.skins.contact.meeting import Flights, Meeting
from supple.skins.contact.surface import Surface
from supple.skins.contact.tracking import Tracking, carried_inertia
from supple.skins.contact.watch import Watch

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_HANGS = 0.25  # of how deep flesh is: how far it may be modelled to hang


@dataclass
class ContactState:
    """What follows from time.

    `points` is the skin on the device, `bones` (J, 4, 4) where the joints are, `body` the links and the flesh,
    `flights` the free obstacles, `animated` (J, 4, 4) where the motion had the joints in the last step, `pushes` (N, 3)
    [N s] what pressed its nodes then, `books` what the solver keeps of momentum and energy. `time` [s] has passed since
    the first frame.
    """

    points: Any
    bones: Floats
    body: State
    flights: Flights
    animated: Floats
    pushes: Floats
    books: Floats
    time: float = 0.0


class BoundContact:
    """A character with a dynamic skeleton and elastic flesh, among obstacles. It has one state at a time."""

    def __init__(self, character: Character, skin: ArticulatedContact, device: str) -> None:
        if isinstance(character, Crowd):
            raise InputError(WHERE, f"a crowd of {character.count} was given", "it moves one character at a time",
                             "make a player for each")  # fmt: skip
        character.require_weights(WHERE)
        self.skeleton = character.skeleton
        tissue, parts = tissues_in(skin.flesh, skin.own_tissue())
        marked = with_regions(character, list(parts))
        flesh = flesh_of(marked, count=skin.elements, core=skin.core, depth=skin.depth, tissue=tissue, parts=parts)
        self.links = links_of(self.skeleton, flesh)
        axes = named_hinges(self.skeleton) if skin.hinges == "names" else {}
        limits = limits_for(skin.limits, self.skeleton, axes)
        joints = joints_of(self.skeleton, self.links, hinges=axes, limits=limits)
        made = mechanism_of(flesh, self.links, joints)
        swings = skin.joint_damping * carried_inertia(made)[0][joints.children]
        made = replace(made, joint_damping=swings)
        obstacles = skin.scene_for(character)
        self.gravity = np.array([0.0, -skin.gravity, 0.0])
        self._farthest = _depths(made)
        self._sag = _Sag(made, self.gravity, self._farthest)
        self.sculpted = self._sag.at(State.rest(made))
        rest = made.rest.copy()
        rest[: made.node_count] -= self.sculpted
        self.mechanism = replace(made, rest=rest)
        self.solver = CondensedSolver(self.mechanism, skin.step, device=device, gravity=self.gravity)
        strength, strengths = strengths_in(skin.strength, self.skeleton)
        held = {self.skeleton.names[self.links.joints[root]]: skin.root for root in self.mechanism.roots}
        names = self.skeleton.names
        own = {names[joint]: strengths[names[joint]] for joint in self.links.joints if names[joint] in strengths}
        self.tracking = Tracking(
            self.mechanism, self.links, self.skeleton, strength=strength, strengths={**own, **held}
        )
        nodes, links = self.solver.nodes, self.solver.links
        borne = self.gravity if skin.bears_weight and skin.root > 0.0 else None
        self.control = Control(self.tracking, links, dt=skin.step, gravity=borne, device=device)
        rubs = skin.friction if skin.self_contact else None
        self.meeting = Meeting(flesh, self.solver, obstacles, gravity=self.gravity, friction=rubs)
        self._meets = bool(obstacles) or len(joints.limited) > 0 or skin.self_contact
        self._watch = Watch(nodes, links, sculpted=self.sculpted, farthest=self._farthest, device=device)
        self.surface = Surface(
            character, flesh, self.mechanism, bodies=(nodes, links), led=self.control, of_joint=self.links.of_joint,
            sculpted=self.sculpted, device=device,
        )  # fmt: skip
        self._first_flights = self.meeting.flights()
        self._loaded: ContactState | None = None
        self._reached = 0.0

    def start(self, pose: Pose) -> ContactState:
        """Bones in the first pose, flesh hanging from them at rest."""
        body = State.rest(self.mechanism)
        body.places[...], body.turns[...] = self.links.placed(self.skeleton, pose)
        body.displacements[...] = self._sag.at(body)
        first = self._first_flights
        flights = Flights(first.places.copy(), first.velocities.copy(), first.angular.copy())
        state = ContactState(self.surface.points, pose.world_from_joint.copy(), body, flights,
                             pose.world_from_joint.copy(), np.zeros_like(self.mechanism.rest),
                             np.zeros_like(self.solver.books))  # fmt: skip
        self._loaded = None
        self.solver.load(body)
        state.books[...] = self.solver.books
        self.control.lead(pose)
        self.surface.follow(pose.shapes)
        return state

    def advance(self, state: ContactState, pose: Pose, dt: float) -> Any:
        """One step."""
        goes_on, self._loaded = self._loaded is state and self._reached == state.time, None
        if not goes_on:
            self.control.begin(state.animated)
        self.control.lead(pose)
        if state.time == 0.0:
            self._join(state.body, dt)
        if not goes_on:
            self.solver.load(state.body)
            if state.time > 0.0:
                self.solver.go_on_with(state.pushes, state.books)
            self.meeting.load(state.flights)
        self._foresee(state.body)
        if self._meets:
            self.meeting.step(state.time + dt, dt)
        self.solver.finish()
        state.pushes[...] = self.solver.pushes
        if self._watch.contain():
            self.solver.load(self.solver.state())
            self.solver.go_on_with(state.pushes, self.solver.books.copy())
        if not self._watch.is_sound():
            raise _unfinished()
        self.solver.copy_to(state.body)
        if len(self.meeting.free):
            _copy(state.flights, self.meeting.flights())
        state.time += dt
        self._loaded, self._reached = state, state.time
        state.books[...] = self.solver.books
        state.animated[...] = pose.world_from_joint
        points = self.surface.follow(pose.shapes)
        state.bones[...] = self.surface.bones
        return points

    def _foresee(self, body: State) -> None:
        """Where the step leads if nothing is met; a body that was crushed beyond all numbers starts anew, at rest."""
        self._drive()
        if self._watch.is_sound_ahead():
            return
        for moving in (body.velocities, body.spins, body.flows):
            moving[...] = 0.0
        body.displacements[...] = self.sculpted
        self.solver.load(body)
        self._drive()
        if not self._watch.is_sound_ahead():
            raise _unfinished()

    def _drive(self) -> None:
        self.control.ask()
        self.solver.drive(supported=self.control.supported, driven=self.control.driven)
        self.solver.free()

    def _join(self, body: State, dt: float) -> None:
        """The first step: what the motion moves is moving already."""
        led = self.control
        was, turned, will, turns = map(devices.to_host, (led.was_places, led.was_turns, led.places, led.turns))
        body.velocities[...] = (will - was) / dt
        body.spins[...] = rotation_vectors(turns @ np.swapaxes(turned, 1, 2)) / dt


class _Sag:
    """How flesh hangs when nothing moves: K u = R_W^T m g.

    Very soft flesh would hang farther than it is deep (`depths` (n,) [m]); it is taken to be modelled as hanging only
    as far as leaves it its shape.
    """

    def __init__(self, mechanism: Mechanism, gravity: Floats, depths: Floats) -> None:
        self._mechanism, self._gravity, self._share = mechanism, gravity, 1.0
        self._factor = factored(mechanism.stiffness.tocsc())
        hangs = np.linalg.norm(self.at(State.rest(mechanism)), axis=1)
        if (hangs > _HANGS * depths).any():
            self._share = float((_HANGS * depths[hangs > 0.0] / hangs[hangs > 0.0]).min())

    def at(self, state: State) -> Floats:
        """Displacements (n, 3) [m] with the links as they are in a state."""
        if self._factor is None:
            return np.zeros((0, 3))
        turns = dynamics.blended_turns(self._mechanism, state)
        weight = self._mechanism.masses[:, None] * np.einsum("nba,b->na", turns, self._share * self._gravity)
        return np.asarray(self._factor.solve(weight.ravel())).reshape(-1, 3)


def _unfinished() -> UnfinishedError:
    return UnfinishedError(WHERE, "the simulation left all numbers", "it must stay finite",
                           "take a smaller step or firmer flesh")  # fmt: skip


def _depths(mechanism: Mechanism) -> Floats:
    """How far (n,) [m] free nodes may go: as far as the core is, and the length of an edge."""
    from scipy.spatial import cKDTree

    n = mechanism.node_count
    if n in (0, len(mechanism.rest)):
        return np.full(n, np.inf)
    deep = np.asarray(cKDTree(mechanism.rest[n:]).query(mechanism.rest[:n])[0])
    ends = mechanism.rest[mechanism.elements]
    return deep + float(np.linalg.norm(ends[:, 1:] - ends[:, :1], axis=2).mean())


def _copy(to: Any, values: Any) -> None:
    """Overwrite the arrays of one dataclass with those of another; their owner keeps them."""
    for name, value in vars(values).items():
        getattr(to, name)[...] = value
