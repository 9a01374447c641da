"""What a soft character meets in a step: obstacles that are led or free, and itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.geometry.tetrahedra import boundary_faces
from supple.obstacles.contact_impulses import resolve_contacts
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.shapes import RigidBody
from supple.skins.contact.detection.detected_contacts import Touches
from supple.skins.contact.detection.detector import Detection, RestSkin
from supple.skins.contact.dynamics.solver import Answer, CondensedSolver
from supple.skins.contact.model.flesh import FleshLayer
from supple.skins.contact.model.mechanism import Mechanism, rotate_by
from supple.skins.contact.response.contact_set import Contacts, Loose

_ROUNDS = 4  # in which contacts of skin with skin are chosen


@dataclass
class Flights:
    """Where free bodies (B,) are and how they move; what follows from time of them.

    `places` (B, 4, 4), `velocities` (B, 3) [m/s], `angular` (B, 3) [kg m²/s] about their centres.
    """

    positions: Floats
    velocities: Floats
    angular: Floats


class Flyers(DynamicBodies):
    """Free bodies that can be put back to where they were, and that take what a step of a character gives them."""

    def flights(self) -> Flights:
        """Where they are now, in arrays of their own."""
        return Flights(self.world_from_body.copy(), self.velocities.copy(), self.angular_momenta)

    def load(self, flights: Flights) -> None:
        """Go on from there."""
        self.world_from_body, self.earlier = flights.positions.copy(), flights.positions.copy()
        self.velocities, self._angular = flights.velocities.copy(), flights.angular.copy()

    def loose(self) -> Loose:
        """What a solver has to know of them, at the start of the step."""
        turned = np.einsum("bij,bj->bi", self.earlier[:, :3, :3], self._local_centers)
        return Loose(self.masses, turned + self.earlier[:, :3, 3], self.inertia)

    def change(self, changes: Floats, dt: float) -> None:
        """Velocities and spins change by (B, 6) [m/s, rad/s]; it moves in a step of `dt` [s], and turns after it."""
        self._angular = self._angular + np.einsum("bij,bj->bi", self.inertia, changes[:, 3:])
        self.velocities = self.velocities + changes[:, :3]
        self.world_from_body[:, :3, 3] += dt * changes[:, :3]


class Meeting:
    """The flesh of a character among obstacles: its border, and, where that is pressed in, what lies below it.

    Free bodies are solved for together with the flesh that they meet, so that each loses the momentum that the other
    gets, and friction spins them. Skin that meets skin is met on both sides: a node and the triangle that it is in push
    each other apart, the flesh and the bones of both.

    Limits: what free bodies do to each other and to led ones is answered after what they do to flesh, so a ball between
    the floor and a body is pressed into one of them for a moment.
    """

    def __init__(
        self,
        detection: Detection,
        solver: CondensedSolver,
        bodies: Sequence[RigidBody],
        *,
        gravity: ArrayLike,
        friction: float | None = None,
    ) -> None:
        """With a `friction` of skin on skin it meets itself, too."""
        self._solver, self._gravity = solver, np.asarray(gravity, dtype=np.float64)
        self._detection = detection
        self._friction = 0.0 if friction is None else friction
        self.free = Flyers(bodies)
        self._body_of: Ints = np.full(len(bodies) + 1, -1, dtype=np.int32)  # the last one is skin
        self._body_of[self.free.indices] = np.arange(len(self.free))
        links = solver.links
        self._links = [
            devices.HostSide(one) for one in (links.positions, links.rotations, links.velocities, links.spins)
        ]
        self._nodes, self._ahead = devices.HostSide(solver.nodes.nodes), devices.HostSide(solver.nodes.ahead)

    def load(self, flights: Flights) -> None:
        """Put free bodies where they are."""
        self.free.load(flights)

    def flights(self) -> Flights:
        """Where free bodies are."""
        return self.free.flights()

    def step(self, time: float, dt: float) -> Answer:
        """Part everything that would meet in the step of `dt` [s] that ends at `time` [s].

        The solver has foreseen the step; afterwards it is to finish it.
        """
        free, ahead = self.free, self._ahead.read()
        free.advance(dt, gravity=self._gravity)
        found = self._detection.detect(
            ahead, self._foreseen(dt), before=self._nodes.read(), time=time, dt=dt, free=free
        )
        found = _apart(found, len(ahead))
        contacts = Contacts.of(found, friction=self._friction, body_of=self._body_of, positions=self._nodes.read())
        answer = self._solver.answer(contacts, free.loose())
        if len(free):
            free.change(answer.bodies, dt)
            if len(self._detection.bodies) > 1:
                resolve_contacts(free, self._detection.bodies)
        return answer

    def _foreseen(self, dt: float) -> Floats:
        """The transforms (k, 4, 4) of links at the end of a step, by their velocities."""
        positions, rotations, velocities, spins = (side.read() for side in self._links)
        return transforms(positions + dt * velocities, rotate_by(rotations, dt * spins))


def _apart(touches: Touches, nodes: int) -> Touches:
    """Those contacts of skin with skin, of the deeper ones first, that share no node with another contact.

    Skin meets skin in many places at once. Rows that share nodes would answer too little and be answered many times; a
    few, spread over where it meets, stop it as well.
    """
    skin = np.flatnonzero(touches.obstacles < 0)
    if not len(skin):
        return touches
    used = np.concatenate([touches.nodes[skin, None], touches.corners[skin]], axis=1)
    used[:, 1:] = np.where(touches.shares[skin] > 0.0, used[:, 1:], used[:, :1])
    rank = np.empty(len(skin), dtype=np.int64)
    rank[np.argsort(touches.gaps[skin], kind="stable")] = np.arange(len(skin))
    taken, open_ = np.zeros(nodes, dtype=bool), np.ones(len(skin), dtype=bool)
    kept = np.ones(len(touches), dtype=bool)
    kept[skin] = False
    for _ in range(_ROUNDS):
        first = np.full(nodes, len(skin), dtype=np.int64)
        np.minimum.at(first, used[open_].ravel(), np.repeat(rank[open_], used.shape[1]))
        chosen = open_ & (first[used] == rank[:, None]).all(axis=1)
        if not chosen.any():
            break
        kept[skin[chosen]] = True
        taken[used[chosen].ravel()] = True
        open_ &= ~taken[used].any(axis=1)
    return touches.only(kept)


def detection_of(
    flesh: FleshLayer,
    mechanism: Mechanism,
    bodies: Sequence[RigidBody],
    *,
    itself: bool,
    device: str,
    learnt: RestSkin | None = None,
) -> Detection:
    """What finds the contacts of a body's border, as a mechanism numbers its nodes."""
    return Detection(
        flesh.solid.points[flesh.order],
        flesh.positions[boundary_faces(flesh.solid)],
        carriers=mechanism.links[:, 0],
        rest_bones=transforms(mechanism.centres),
        bodies=bodies,
        itself=itself,
        learnt=learnt,
        device=device,
    )


def transforms(positions: Floats, rotations: Floats | None = None) -> Floats:
    """Transforms (k, 4, 4) of links that are there, turned so."""
    matrices = np.tile(np.eye(4), (len(positions), 1, 1))
    matrices[:, :3, 3] = positions
    if rotations is not None:
        matrices[:, :3, :3] = rotations
    return matrices
