"""Everything that a soft articulated character prepares for one device, and one step of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.arrays import Floats
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.errors import InputError, UnfinishedError
from supple.geometry import rotations
from supple.motion.pose import Pose
from supple.skins.contact import dynamics
from supple.skins.contact.bearing import Bearing
from supple.skins.contact.choices import limits_for, strengths_in, tissues_in, with_regions
from supple.skins.contact.condensed import CondensedSolver, factored
from supple.skins.contact.dynamics import Mechanism, State, mechanism_of
from supple.skins.contact.flesh import WHERE, flesh_of
from supple.skins.contact.joints import named_hinges, rotation_vectors
from supple.skins.contact.links import joints_of, links_of
from supple.skins.contact.meeting import EVERYTHING, FLESH, NOBODY, Flights, Meeting
from supple.skins.contact.parting import Parting, transforms
from supple.skins.contact.surface import Surface
from supple.skins.contact.tracking import Targets, Tracking, carried_inertia

if TYPE_CHECKING:
    from supple.skins.contact.skin import ArticulatedContact

_SUDDEN = 4.0  # times as fast as before: no sound contact makes links faster than this in one step
_FAST, _NARROW = 10.0, 0.05  # [m/s], [m]: what is slower than that, and the spin of that in so narrow a limb, is sound


@dataclass
class ContactState:
    """What follows from time.

    `points` is the skin on the device, `bones` (J, 4, 4) where the joints are, `body` the links and the flesh,
    `flights` the free obstacles, `animated` (J, 4, 4) where the motion had the joints in the last step. `time` [s] has
    passed since the first frame.
    """

    points: Any
    bones: Floats
    body: State
    flights: Flights
    animated: Floats
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
        self._sag = _Sag(made, self.gravity)
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
        self.bearing = Bearing(self.mechanism, self.gravity) if skin.bears_weight and skin.root > 0.0 else None
        self.meeting = Meeting(flesh, self.solver, obstacles, gravity=self.gravity)
        self.parting = (
            Parting(flesh, self.mechanism, friction=skin.friction, device=device) if skin.self_contact else None
        )
        self._farthest = _depths(self.mechanism)
        self.surface = Surface(character, flesh, self.mechanism, device=device)
        self._first_flights = self.meeting.flights()
        self._loaded: float | None = None

    def start(self, pose: Pose) -> ContactState:
        """Bones in the first pose, flesh hanging from them at rest."""
        body = State.rest(self.mechanism)
        body.places, body.turns = self.links.placed(self.skeleton, pose)
        body.displacements = self._sag.at(body)
        first = self._first_flights
        flights = Flights(first.places.copy(), first.velocities.copy(), first.angular.copy())
        state = ContactState(self.surface.points, pose.world_from_joint.copy(), body, flights,
                             pose.world_from_joint.copy())  # fmt: skip
        self._loaded = None
        self.surface.follow(pose, body, self.sculpted)
        return state

    def advance(self, state: ContactState, pose: Pose, dt: float) -> Any:
        """One step."""
        before = Pose(state.animated)
        if state.time == 0.0:
            self._join(state.body, before, pose, dt)
        targets = self.tracking.towards(before, pose, dt)
        targets = targets if self.bearing is None else self.bearing.added(targets, state.body)
        for meets in (EVERYTHING, FLESH, NOBODY):
            if self._loaded is None or self._loaded != state.time or meets != EVERYTHING:
                self.solver.load(state.body)
                self.meeting.load(state.flights)
            foreseen = self._foreseen(state.body, targets)
            self.meeting.step(state.time + dt, dt, meets=meets)
            if _sane(foreseen, self.solver.state()):
                break
        self.solver.finish()
        found = self.solver.state()
        parted = self.parting is not None and self.parting.part(found, self.solver.node_places)
        if self._contained(found) or parted:
            self.solver.load(found)
        if not _finite(found):
            self._loaded = None
            raise UnfinishedError(WHERE, "the simulation left all numbers", "it must stay finite",
                                  "take a smaller step or firmer flesh")  # fmt: skip
        _copy(state.body, found)
        _copy(state.flights, self.meeting.flights())
        state.time += dt
        self._loaded = state.time
        state.animated[...] = pose.world_from_joint
        state.bones[...] = self._bones(found, pose)
        return self.surface.follow(Pose(state.bones, shapes=pose.shapes), found, self.sculpted)

    def _foreseen(self, body: State, targets: Targets) -> State:
        """Where the step leads if nothing is met; a body that was crushed beyond all numbers starts anew, at rest."""
        self.solver.control(targets)
        self.solver.free()
        found = self.solver.state()
        if _finite(found) and np.isfinite(self.solver.foreseen_places).all():
            return found
        for moving in (body.velocities, body.spins, body.flows):
            moving[...] = 0.0
        body.displacements[...] = self.sculpted
        self.solver.load(body)
        self.solver.control(targets)
        self.solver.free()
        found = self.solver.state()
        if not (_finite(found) and np.isfinite(self.solver.foreseen_places).all()):
            self._loaded = None
            raise UnfinishedError(WHERE, "the simulation left all numbers", "it must stay finite",
                                  "take a smaller step or firmer flesh")  # fmt: skip
        return found

    def _join(self, body: State, before: Pose, after: Pose, dt: float) -> None:
        """The first step: what the motion moves is moving already."""
        (was, turned), (will, turns) = (self.links.placed(self.skeleton, pose) for pose in (before, after))
        body.velocities = (will - was) / dt
        body.spins = rotation_vectors(turns @ np.swapaxes(turned, 1, 2)) / dt

    def _contained(self, body: State) -> bool:
        """Bring back flesh that went farther than it is deep, and stop it there; whether any did.

        Crushed between hard things, or lifted out of them where bones fold it flat, linear flesh knows no end.
        """
        moved = body.displacements - self.sculpted
        length = np.linalg.norm(moved, axis=1)
        over = length > self._farthest
        if over.any():
            body.displacements[over] = self.sculpted[over] + moved[over] * (self._farthest / length)[over, None]
            body.flows[over] = 0.0
        return bool(over.any())

    def _bones(self, body: State, pose: Pose) -> Floats:
        """Where all joints (J, 4, 4) are: each as the motion has it, seen from its link, wherever that is now."""
        now = transforms(body.places, rotations.nearest_rotation(body.turns))  # steps leave a little scale
        animated = transforms(*self.links.placed(self.skeleton, pose))
        moved = now @ np.linalg.inv(animated)
        result: Floats = moved[self.links.of_joint] @ pose.world_from_joint
        return result


class _Sag:
    """How flesh hangs when nothing moves: K u = R_W^T m g."""

    def __init__(self, mechanism: Mechanism, gravity: Floats) -> None:
        self._mechanism, self._gravity = mechanism, gravity
        self._factor = factored(mechanism.stiffness.tocsc())

    def at(self, state: State) -> Floats:
        """Displacements (n, 3) [m] with the links as they are in a state."""
        if self._factor is None:
            return np.zeros((0, 3))
        turns = dynamics.blended_turns(self._mechanism, state)
        weight = self._mechanism.masses[:, None] * np.einsum("nba,b->na", turns, self._gravity)
        return np.asarray(self._factor.solve(weight.ravel())).reshape(-1, 3)


def _finite(state: State) -> bool:
    return all(np.isfinite(values).all() for values in vars(state).values())


def _sane(before: State, after: State) -> bool:
    """Whether contacts left the links at speeds that they may have.

    What cannot be, such as a bone between walls that close, is answered by impulses without end; then the step is made
    again, and only flesh is met.
    """
    fast, spinning = (float(np.abs(values).max()) for values in (before.velocities, before.spins))
    return bool(
        np.abs(after.velocities).max() < _SUDDEN * (fast + _FAST)
        and np.abs(after.spins).max() < _SUDDEN * (spinning + _FAST / _NARROW)
    )


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
