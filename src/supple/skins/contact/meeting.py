"""What a soft character meets in a step: obstacles that are led or free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import Floats, Ints
from supple.geometry.tetrahedra import boundary_faces
from supple.obstacles.bounces import bounce
from supple.obstacles.free import FreeBodies
from supple.obstacles.shapes import RigidBody
from supple.skins.contact.condensed import CondensedSolver
from supple.skins.contact.contacts import Contacts
from supple.skins.contact.detection import Detection
from supple.skins.contact.dynamics import State, turned_by
from supple.skins.contact.flesh import FleshLayer
from supple.skins.contact.parting import transforms
from supple.skins.contact.touches import Touches

EVERYTHING, FLESH, NOBODY = range(3)


@dataclass
class Flights:
    """Where free bodies (B,) are and how they move; what follows from time of them.

    `places` (B, 4, 4), `velocities` (B, 3) [m/s], `angular` (B, 3) [kg m²/s] about their centres.
    """

    places: Floats
    velocities: Floats
    angular: Floats


class Flyers(FreeBodies):
    """Free bodies that can be put back to where they were."""

    def flights(self) -> Flights:
        """Where they are now, in arrays of their own."""
        return Flights(self.world_from_body.copy(), self.velocities.copy(), self.angular_momenta)

    def load(self, flights: Flights) -> None:
        """Go on from there."""
        self.world_from_body, self.earlier = flights.places.copy(), flights.places.copy()
        self.velocities, self._angular = flights.velocities.copy(), flights.angular.copy()


class Meeting:
    """The flesh of a character among obstacles: its border, and, where that is pressed in, what lies below it.

    A free body and the flesh that it meets are answered as two masses. How heavy the flesh is that it moves along is
    measured by a first, gentle push; then both get the velocity that they have in common, and the body loses the
    momentum that the flesh gets.

    Limits: friction of the skin does not spin free bodies.
    """

    def __init__(
        self,
        flesh: FleshLayer,
        solver: CondensedSolver,
        bodies: Sequence[RigidBody],
        *,
        gravity: ArrayLike,
    ) -> None:
        mechanism = solver.mechanism
        self._solver, self._gravity = solver, np.asarray(gravity, dtype=np.float64)
        self._detection = Detection(
            flesh.solid.points[flesh.order], flesh.places[boundary_faces(flesh.solid)],
            carriers=mechanism.links[:, 0], rest_bones=transforms(mechanism.centres), bodies=bodies, itself=False,
            device=solver.device,
        )  # fmt: skip
        self._mass = float(mechanism.link_masses.sum())
        self.free = Flyers(bodies)
        self._body_of = np.full(max(len(bodies), 1), -1, dtype=np.int64)
        self._body_of[self.free.numbers] = np.arange(len(self.free))

    def load(self, flights: Flights) -> None:
        """Put free bodies where they are."""
        self.free.load(flights)

    def flights(self) -> Flights:
        """Where free bodies are."""
        return self.free.flights()

    def step(self, time: float, dt: float, *, meets: int = EVERYTHING) -> int:
        """Part everything that would meet in the step of `dt` [s] that ends at `time` [s]; how many contacts there are.

        The solver has foreseen the step; afterwards it is to finish it. `meets` says who is met: all, only flesh that
        can give way, or nobody.
        """
        self.free.advance(dt, gravity=self._gravity)
        solver = self._solver
        now, ahead = solver.node_places, solver.foreseen_places
        touches = self._detection.detect(
            ahead, _foreseen(solver.state(), dt), before=now, time=time, dt=dt, free=self.free
        )
        if meets != EVERYTHING:
            giving = solver.mechanism.node_count if meets == FLESH else 0
            touches = _only(touches, np.flatnonzero(touches.nodes < giving))
        impacts = self._impacts(touches, (ahead - now) / dt, dt)
        velocities, gaps = touches.velocities.copy(), touches.gaps.copy()
        for impact in impacts:
            impact.measure(self._probed(touches, impact, dt), dt)
            velocities[impact.rows], gaps[impact.rows] = impact.second(dt)
        answer = solver.answer(_contacts(touches, slice(None), velocities, gaps))
        for impact in impacts:
            self._push(impact, answer.impulses[impact.rows], ahead[touches.nodes[impact.rows]], dt)
        if len(self.free) and len(self._detection.bodies) > 1:
            bounce(self.free, self._detection.bodies)
        return len(touches)

    def _impacts(self, touches: Touches, paces: Floats, dt: float) -> list[_Impact]:
        """What each free body meets."""
        body = self._body_of[touches.obstacles]
        found = []
        for number in np.unique(body[body >= 0]).tolist():
            rows = np.flatnonzero(body == number).astype(np.int32)
            one = _Impact(
                number, rows, float(self.free.masses[number]), paces[touches.nodes[rows]], touches.velocities[rows],
                touches.normals[rows], touches.gaps[rows],
            )  # fmt: skip
            one.arrive(dt, self._mass)
            found.append(one)
        return found

    def _probed(self, touches: Touches, impact: _Impact, dt: float) -> Floats:
        """The impulses of a first push, as of a body that is stopped by the whole character."""
        velocities, gaps = impact.moved(impact.share, dt)
        return self._solver.answer(_contacts(touches, impact.rows, velocities, gaps)).impulses

    def _push(self, impact: _Impact, impulses: Floats, places: Floats, dt: float) -> None:
        """A free body loses what the flesh got, and ends the step where that leaves it."""
        given = (impact.probed + impulses)[:, None] * impact.normals
        size = float(np.linalg.norm(given.sum(axis=0)))
        most = impact.mass * impact.closing  # in one step it is stopped at most; what throws it back is the flesh
        keep = min(1.0, most / size) if size > 0.0 else 0.0
        number = impact.number
        self.free.push(np.full(len(given), number), places, -keep * given)
        self.free.shift(number, dt * impact.delay())


@dataclass
class _Impact:
    """One free body that meets nodes: its contacts are `rows` (m,); `paces` (m, 3) [m/s] are those of the nodes,
    `velocities` (m, 3) [m/s] its own there.
    """

    number: int
    rows: Ints
    mass: float
    paces: Floats
    velocities: Floats
    normals: Floats
    gaps: Floats
    share: float = 0.0
    after: float = 1.0
    closing: float = 0.0
    first: float = 0.0
    probed: Floats = field(default_factory=lambda: np.zeros(0))

    def arrive(self, dt: float, mass: float) -> None:
        """Which share of the step is left `after` it arrives, how fast it does, and a gentle `share` for a start."""
        nearing = self._along(self.velocities - self.paces)
        began = np.maximum(self.gaps + dt * nearing, 0.0)
        coming = nearing > 0.0
        first = float((began[coming] / nearing[coming]).min(initial=dt)) if coming.any() else 0.0
        self.after = 1.0 - min(first / dt, 1.0)
        self.closing = float(max(nearing.max(), 0.0))
        self.share = self.mass / (self.mass + mass)

    def moved(self, share: float, dt: float) -> tuple[Floats, Floats]:
        """Velocities and gaps of a body that goes on, once it has arrived, with this share of its speed."""
        velocities = self.velocities - (1.0 - share) * self.after * (self.velocities - self.paces)
        return velocities, self.gaps + dt * self._along(self.velocities - velocities)

    def measure(self, impulses: Floats, dt: float) -> None:
        """Take the impulses of the first push: now its `share` is what is left when both go on together."""
        self.probed, self.first = impulses, self.share
        pushed = self._speeds(self.share, dt) - self._along(self.paces)
        total = float(impulses.sum())
        moved = float(impulses @ np.maximum(pushed, 0.0)) / total if total > 0.0 else 0.0
        load = total / moved if moved > 1e-9 else 0.0
        self.share = self.mass / (self.mass + load)

    def second(self, dt: float) -> tuple[Floats, Floats]:
        """Velocities and gaps of the second push, which adds to the first; the solver still sees the paces before."""
        velocities, gaps = self.moved(self.share, dt)
        pace = self._along(self.paces)
        more = self._speeds(self.share, dt) - np.maximum(self._speeds(self.first, dt), pace)
        away = self._along(velocities)
        begun = gaps - dt * (pace - away)
        wanted = pace + np.where(more > 0.0, more, -1.0)  # as the solver has it: away - max(begun, 0) / dt
        velocities = velocities + (wanted + np.maximum(begun, 0.0) / dt - away)[:, None] * self.normals
        return velocities, begun + dt * (pace - self._along(velocities))

    def delay(self) -> Floats:
        """By how much slower (3,) [m/s] the body has come along in the step."""
        slower: Floats = -(1.0 - self.share) * self.after * (self.velocities - self.paces)
        along = self._along(slower)
        deepest = int(np.argmax(along))
        result: Floats = max(float(along[deepest]), 0.0) * self.normals[deepest]
        return result

    def _speeds(self, share: float, dt: float) -> Floats:
        """How fast (m,) [m/s] the nodes have to go, at least, when it goes on with this share."""
        velocities, gaps = self.moved(share, dt)
        away = self._along(velocities)
        begun = gaps - dt * (self._along(self.paces) - away)
        result: Floats = away - np.maximum(begun, 0.0) / dt
        return result

    def _along(self, ways: Floats) -> Floats:
        result: Floats = np.einsum("ma,ma->m", ways, self.normals)
        return result


def _only(touches: Touches, rows: Any) -> Touches:
    return Touches(*(getattr(touches, column.name)[rows] for column in fields(Touches)))


def _contacts(touches: Touches, rows: Any, velocities: Floats, gaps: Floats) -> Contacts:
    return Contacts.at_nodes(
        touches.nodes[rows], normals=touches.normals[rows], gaps=gaps, velocities=velocities,
        frictions=touches.frictions[rows],
    )  # fmt: skip


def _foreseen(state: State, dt: float) -> Floats:
    """The transforms (k, 4, 4) of links at the end of a step, by their velocities."""
    return transforms(state.places + dt * state.velocities, turned_by(state.turns, dt * state.spins))
