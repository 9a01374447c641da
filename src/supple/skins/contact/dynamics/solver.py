"""One step of a soft character at a cost that grows with nodes, links and contacts, each by itself [Galoppo2007].

1. Free links:  (M^cond, -J^T; -J, 0)(dv_b; mu) = (dt F_b - M~bs (z - u'); J v_b + a g),  z = M~s^-1 (m u' + dt F_s)
2. Free skin:   u' = z - M~s^-1 M~bs^T dv_b
3. Contacts, with friction, and joint limits, as inequalities: links and free bodies by M^cond + Jcond^T M^-1 Jcond,
   then impulses, then the skin. Flesh that still stands inside is lifted out.
4. Places, and the books of momentum and energy.

M~ = M + dt D + dt^2 K (backward Euler, forces made linear). M~s never changes and is factored once. M^cond is
M~b - M~bs D M~bs^T, a sum over nodes, with D a 3x3 stand-in for M~s^-1 at each node. In 1 that is one which is exact
where all flesh is pushed alike, in 3 the inverse of the block on the diagonal, as in the source.

What the step keeps: linear and angular momentum to rounding where no root is drawn; the constraints to rounding in
velocity (J v = -a g); and energy never grows where nothing drives it and nothing is met. What it does not keep: energy
itself (backward Euler damps), and joints in place: a straight step opens them by a term of second order. Of a limp body
they are drawn together again over the next steps; where control drives it, links are moved back onto those they hang
on (of a limp body that would draw it in, and so give energy to its spin).

Limits: a step has one size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Floats, frozen
from supple.errors import InputError
from supple.skins.contact.control.tracking import Targets
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.dynamics.factored_system import SolverArrays
from supple.skins.contact.dynamics.launches import StepLaunches
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import GRAVITY, Mechanism, State
from supple.skins.contact.response.contact_set import Contacts, Loose
from supple.skins.contact.response.contact_solver import Responder

_CARRIED = 10  # numbers of the books that one step hands to the next


@dataclass(frozen=True)
class Answer:
    """What the contacts of a step did, and how many passes it took to find out.

    `impulses` (m,) [N s] along the normals, of which none pulls; `pushes` (m, 3) [N s] with friction. `bodies` (B, 6)
    is how velocity [m/s] and spin [rad/s] of the free bodies changed.
    """

    impulses: Floats
    pushes: Floats
    bodies: Floats
    rounds: int

    @classmethod
    def none(cls, contacts: int, bodies: int) -> Answer:
        """Nothing is pushed."""
        return cls(np.zeros(contacts), np.zeros((contacts, 3)), np.zeros((bodies, 6)), 0)


class CondensedSolver:
    """Moves one mechanism in steps of one size.

    `stabilisation` is the share of a joint's opening that a step closes. `load` brings a state; then, step by step,
    `free`, `answer` where there are contacts, and `finish`. `advance` is all of them. `nodes` and `links` are its
    arrays on the device.
    """

    def __init__(
        self, prepared: SolverArrays, *, device: str = "cpu", gravity: ArrayLike = GRAVITY, stabilisation: float = 0.5
    ) -> None:
        if not 0.0 <= stabilisation <= 1.0:
            raise InputError(WHERE, f"stabilisation is {stabilisation}", "a share is needed", "try 0.5")
        mechanism = prepared.mechanism
        self.mechanism, self.dt, self.device = mechanism, prepared.dt, devices.check_device(device)
        self.gravity = frozen(gravity, np.float64, (3,), WHERE, "gravity")
        self.nodes = NodeArrays(mechanism, prepared.together, prepared.alone, self.device)
        self.links = LinkArrays(mechanism, prepared.skyline, self.device)
        self._responder: Responder | None = None
        self._touched = self._pressed = self._supported = self._driven = False
        self._launches = StepLaunches(
            mechanism,
            self.nodes,
            self.links,
            None if prepared.factor is None else FleshFactor(prepared.factor),
            dt=self.dt,
            gravity=self.gravity,
            stabilization=float(stabilisation),
            device=self.device,
        )
        links, nodes = self.links, self.nodes
        arrays = (links.positions, links.rotations, nodes.displacements, links.velocities, links.spins, nodes.flows)
        self._sides = [devices.HostSide(array) for array in arrays]
        self._now, self._ahead = devices.HostSide(nodes.nodes), devices.HostSide(nodes.ahead)
        self._kept, self._account = devices.HostSide(nodes.kept), devices.HostSide(links.books)
        self.load(State.rest(mechanism))

    # Bringing and taking

    def load(self, state: State) -> None:
        """Go on from a state, without control. What pressed before is forgotten, unless `go_on_with` brings it."""
        given = (state.positions, state.rotations, state.displacements, state.velocities, state.spins, state.flows)
        for side, values in zip(self._sides, given, strict=True):
            if np.shape(values) != side.read().shape:
                raise InputError(
                    WHERE,
                    f"a state of shape {np.shape(values)}",
                    f"{side.read().shape} is needed",
                    "use a state of this mechanism",
                )
            side.write(values)
        self.nodes.kept.zero_()
        self.control(Targets.none(self.mechanism))
        self._launches.prepare()
        self._books(kept=False, guarded=False)

    def go_on_with(self, pushes: Floats, books: Floats) -> None:
        """After `load`: what pressed the nodes (N, 3) [N s] in the step before, and its books, as they were kept.

        Books that are not those of the state, since somebody changed it, are not taken.
        """
        self._kept.write(pushes)
        found, kept = (numbers[:_CARRIED] for numbers in (self._account.read(), books))
        if (np.abs(kept - found) <= 1e-9 * float(np.abs(found).max())).all():
            self._account.write(books)
        self._pressed = True

    @property
    def pushes(self) -> Floats:
        """What pressed the nodes (N, 3) [N s] in the last step; a view."""
        return self._kept.read()

    @property
    def books(self) -> Floats:
        """Momentum and energy as the last step left them; a view."""
        return self._account.read()

    def state(self) -> State:
        """A copy of the state as it is."""
        return State(*(side.read().copy() for side in self._sides))

    def copy_to(self, state: State) -> None:
        """Overwrite the arrays of a state with the state as it is."""
        for name, side in zip(state.__dataclass_fields__, self._sides, strict=True):
            getattr(state, name)[...] = side.read()

    @property
    def node_positions(self) -> Floats:
        """Where all nodes (N, 3) [m] are, those of the core too."""
        return self._now.read().copy()

    @property
    def predicted_positions(self) -> Floats:
        """Where the velocities of `free` would take all nodes (N, 3) [m] in this step."""
        return self._ahead.read().copy()

    # One step

    def control(self, targets: Targets) -> None:
        """Draw joints and roots towards targets from the next step on."""
        links = self.links
        devices.write(links.target_rotations, targets.rotations)
        devices.write(links.target_spins, targets.spins)
        devices.write(links.gains, np.stack([targets.stiffness, targets.damping], axis=1).ravel())
        wanted = np.stack([targets.root_positions, targets.root_velocities, targets.root_spins], axis=1)
        devices.write(links.wanted, wanted.reshape(-1, 3))
        devices.write(links.wanted_rotations, targets.root_rotations)
        devices.write(links.root_gains, targets.root_gains.ravel())
        supported = bool((targets.root_gains > 0.0).any())
        gains = (targets.stiffness, targets.damping)
        self.drive(supported=supported, driven=supported or any(bool((gain > 0.0).any()) for gain in gains))

    def drive(self, *, supported: bool, driven: bool) -> None:
        """Say whether control, which may be written to the arrays of the links, draws roots, and anything at all."""
        self._supported, self._driven = supported, driven

    def free(self) -> None:
        """Velocities at the end of the step if nothing is met."""
        launches = self._launches
        launches.apply_forces()
        launches.solve_flesh()
        launches.solve_links()
        launches.correct_flesh()
        launches.predict()

    def answer(self, contacts: Contacts, loose: Loose | None = None) -> Answer:
        """Velocities that no contact and no joint limit forbids; `loose` are the free bodies that contacts name."""
        free = Loose() if loose is None else loose
        self._check(contacts, free)
        count = len(contacts)
        if count == 0 and not len(self.mechanism.joints.limited):
            return self._unmoved(contacts, free)
        responder = self._responder
        if responder is None or count > responder.room or len(free) != responder.bodies:
            responder = self._made_responder(2 * count, len(free), 0 if responder is None else responder.entries)
        broken = responder.bring(contacts, free)
        if not responder.has_room:  # contacts couple more links than ever before
            responder = self._made_responder(responder.room, len(free), 2 * responder.entries)
            broken = responder.bring(contacts, free)
        if not broken:
            return self._unmoved(contacts, free)
        passes = responder.answer()
        self._touched = self._pressed = True
        pushes = responder.pushes(count)
        along = np.maximum(np.einsum("ma,ma->m", pushes, contacts.normals), 0.0)  # rounding
        return Answer(along, pushes, responder.body_changes(self.links.size), passes)

    def _unmoved(self, contacts: Contacts, loose: Loose) -> Answer:
        """Nothing pushes, so there is nothing to begin with in the next step."""
        if self._pressed:
            self.nodes.kept.zero_()
            self._pressed = False
        return Answer.none(len(contacts), len(loose))

    def _made_responder(self, room: int, bodies: int, entries: int) -> Responder:
        self._responder = Responder(
            self.mechanism,
            self.nodes,
            self.links,
            room=max(room, 64),
            bodies=bodies,
            entries=entries,
            dt=self.dt,
            device=self.device,
        )
        return self._responder

    def finish(self) -> None:
        """Move everything to the end of the step."""
        launches = self._launches
        (launches.integrate_closed[self._supported] if self._driven else launches.integrate)()
        self._launches.prepare()
        self._books(kept=not self._supported, guarded=not self._driven)

    def advance(self, contacts: Contacts | None = None, *, targets: Targets | None = None) -> None:
        """One whole step."""
        if targets is not None:
            self.control(targets)
        self.free()
        limited = len(self.mechanism.joints.limited) > 0
        if contacts is not None or limited:
            self.answer(contacts if contacts is not None else _no_contacts())
        self.finish()

    # Inside

    def _check(self, contacts: Contacts, loose: Loose) -> None:
        if len(contacts) and (contacts.nodes.min() < 0 or contacts.nodes.max() >= len(self.mechanism.rest)):
            given = f"contacts name nodes {contacts.nodes.min()} to {contacts.nodes.max()}"
            there = f"there are 0 to {len(self.mechanism.rest) - 1}"
            raise InputError(WHERE, given, there, "use nodes of this mechanism")
        if len(contacts) and contacts.bodies.max() >= len(loose):
            raise InputError(
                WHERE,
                f"contacts name free body {contacts.bodies.max()}",
                f"there are {len(loose)}",
                "pass them as `loose`",
            )

    def _books(self, *, kept: bool, guarded: bool) -> None:
        self._launches.balance[kept, guarded]()
        if self._touched:
            self.nodes.shifts.zero_()
            self._touched = False


def _no_contacts() -> Contacts:
    return Contacts.at_nodes([], normals=np.zeros((0, 3)), gaps=np.zeros(0))


def condensed_solver(mechanism: Mechanism, dt: float, **options: Any) -> CondensedSolver:
    """The solver of one mechanism in steps of `dt` [s]; see `CondensedSolver` for `options`."""
    return CondensedSolver(SolverArrays.from_mechanism(mechanism, dt), **options)
