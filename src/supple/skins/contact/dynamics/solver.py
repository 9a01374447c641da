"""One step of a soft character at a cost that grows with nodes, links and contacts, each by itself [Galoppo2007].

1. Free links:  (M^cond, -J^T; -J, 0)(dv_b; mu) = (dt F_b - M~bs (z - u'); J v_b + a g),  z = M~s^-1 (m u' + dt F_s)
2. Free skin:   u' = z - M~s^-1 M~bs^T dv_b
3. Contacts, with friction, and joint limits: one convex problem in the velocities of links and free bodies, with the
   flesh as its compliance (newton_kernels.py), then the skin. What stands inside something comes out, slowly.
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

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.skins.contact.control.tracking import Targets
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.dynamics.factored_system import SolverArrays
from supple.skins.contact.dynamics.launches import StepLaunches
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import GRAVITY, Mechanism, MechanismState
from supple.skins.contact.response.contact_set import BodyInertia, ContactImpulses, ContactSet
from supple.skins.contact.response.contact_solver import Accuracy, ContactSolver
from supple.skins.contact.response.islands import Islands, bodies_of_links, largest_side
from supple.skins.contact.response.skin_points import SkinEmbedding, SkinPoints

_CARRIED = 10  # numbers of the books that one step hands to the next


class CondensedSolver:
    """Moves one mechanism in steps of one size.

    `stabilization` is the share of a joint's opening that a step closes. `load` brings a state; then, step by step,
    `predict`, `solve_contacts` where there are contacts, and `integrate`. `advance` is all of them. `nodes` and `links`
    are its arrays on the device.
    """

    def __init__(
        self,
        prepared: SolverArrays,
        *,
        device: str = "cpu",
        gravity: ArrayLike = GRAVITY,
        stabilization: float = 0.5,
        skin: SkinEmbedding | None = None,
        triangles: int = 0,
        accuracy: Accuracy | None = None,
    ) -> None:
        if not 0.0 <= stabilization <= 1.0:
            raise InputError(WHERE, f"stabilization is {stabilization}", "a share is needed", "try 0.5")
        mechanism = prepared.mechanism
        self.mechanism, self.dt, self.device = mechanism, prepared.dt, devices.check_device(device)
        self._gravities = devices.warp().zeros(2, dtype=devices.warp().vec3d, device=self.device)
        self.set_gravity(gravity)
        embedding = SkinEmbedding.none() if skin is None else skin
        near = prepared.near_inverse
        core = np.zeros((len(mechanism.rest) - mechanism.node_count, 3, 3))
        points = (near.at_nodes(), core, near.at_points(embedding.starts, embedding.nodes, embedding.shares))
        self.nodes = NodeArrays(
            mechanism, prepared.lumped_inverses, np.concatenate(points), self.device, triangles=triangles
        )
        self.links = LinkArrays(mechanism, prepared.skyline, self.device)
        links, carriers = bodies_of_links(mechanism), (mechanism.links[:, 0], embedding.links[:, 0])
        self._body_of_link, self._body_of_point = links, np.concatenate([links[first] for first in carriers])
        self._side = largest_side(mechanism.rest, self._body_of_point[: len(mechanism.rest)])
        self.skin_points = SkinPoints(
            embedding, self.nodes, self.links, first_vertex=len(mechanism.rest), dt=self.dt, device=self.device
        )
        self.flesh_factor = None if prepared.factor is None else FleshFactor(prepared.factor)
        self._contact_solver: ContactSolver | None = None
        self._accuracy = Accuracy() if accuracy is None else accuracy
        self._pressed = self._supported = self._driven = False
        self._launches = StepLaunches(
            mechanism,
            self.nodes,
            self.links,
            self.flesh_factor,
            dt=self.dt,
            gravities=self._gravities,
            stabilization=float(stabilization),
            device=self.device,
        )
        from supple.skins.contact.response.outcome_kernels import turn_over

        nodes, moving = self.nodes, self.links
        arrays = (
            moving.positions,
            moving.rotations,
            nodes.displacements,
            moving.velocities,
            moving.angular_velocities,
            nodes.node_velocities,
        )
        kept = [nodes.warm_start, nodes.next_warm_start]
        self._turn_over = devices.Launch(turn_over, len(nodes.warm_start), kept, self.device, smallest=1 << 16)
        self._sides = [devices.HostSide(array) for array in arrays]
        self._positions, self._predicted = (
            devices.HostSide(nodes.positions),
            devices.HostSide(nodes.predicted_positions),
        )
        self._warm_start, self._energy_balance = (
            devices.HostSide(nodes.warm_start),
            devices.HostSide(moving.energy_balance),
        )
        self.load(MechanismState.rest(mechanism))

    # Changing what it is

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Fall with another gravity (3,) [m/s²] from the next step on; `load` then brings the books up to it."""
        self.gravity = frozen(gravity, np.float64, (3,), WHERE, "gravity")
        devices.write(self._gravities, np.stack([self.gravity, self.dt * self.gravity]))

    def set_mechanism(self, mechanism: Mechanism) -> None:
        """Go on as a mechanism that differs in where nodes rest, and in limits and damping of its joints, alone."""
        self.mechanism = mechanism
        devices.write(self.nodes.rest, mechanism.rest)
        self.links.set_joints(mechanism)
        self._contact_solver = None

    # Bringing and taking

    def load(self, state: MechanismState) -> None:
        """Go on from a state, without control. What pressed before is forgotten, unless `warm_start` brings it."""
        given = (
            state.positions,
            state.rotations,
            state.displacements,
            state.velocities,
            state.angular_velocities,
            state.node_velocities,
        )
        for side, values in zip(self._sides, given, strict=True):
            if np.shape(values) != side.read().shape:
                raise InputError(
                    WHERE,
                    f"a state of shape {np.shape(values)}",
                    f"{side.read().shape} is needed",
                    "use a state of this mechanism",
                )
            side.write(values)
        self.nodes.warm_start.zero_()
        self.set_targets(Targets.none(self.mechanism))
        self._launches.prepare()
        self._balance_energy(kept=False, guarded=False)

    def warm_start(self, impulses: FloatArray, energy_balance: FloatArray) -> None:
        """After `load`: what pressed the nodes (N, 3) [N s] in the step before, and its books, as they were kept.

        Books that are not those of the state, since somebody changed it, are not taken.
        """
        self._warm_start.write(impulses)
        found, kept = (numbers[:_CARRIED] for numbers in (self._energy_balance.read(), energy_balance))
        if (np.abs(kept - found) <= 1e-9 * float(np.abs(found).max())).all():
            self._energy_balance.write(energy_balance)
        self._pressed = True

    @property
    def impulses(self) -> FloatArray:
        """What pressed the nodes (N, 3) [N s] in the last step; a view."""
        return self._warm_start.read()

    @property
    def energy_balance(self) -> FloatArray:
        """Momentum and energy as the last step left them; a view."""
        return self._energy_balance.read()

    def state(self) -> MechanismState:
        """A copy of the state as it is."""
        return MechanismState(*(side.read().copy() for side in self._sides))

    def copy_to(self, state: MechanismState) -> None:
        """Overwrite the arrays of a state with the state as it is."""
        for name, side in zip(state.__dataclass_fields__, self._sides, strict=True):
            getattr(state, name)[...] = side.read()

    @property
    def node_positions(self) -> FloatArray:
        """Where all nodes (N, 3) [m] are, those of the core too."""
        return self._positions.read().copy()

    @property
    def predicted_positions(self) -> FloatArray:
        """Where the velocities of `predict` would take all nodes (N, 3) [m] in this step."""
        return self._predicted.read().copy()

    # One step

    def set_targets(self, targets: Targets) -> None:
        """Draw joints and roots towards targets from the next step on."""
        links = self.links
        devices.write(links.target_rotations, targets.rotations)
        devices.write(links.target_angular_velocities, targets.angular_velocities)
        devices.write(links.gains, np.stack([targets.stiffness, targets.damping], axis=1).ravel())
        root_targets = np.stack(
            [targets.root_positions, targets.root_velocities, targets.root_angular_velocities], axis=1
        )
        devices.write(links.root_targets, root_targets.reshape(-1, 3))
        devices.write(links.root_target_rotations, targets.root_rotations)
        devices.write(links.root_gains, targets.root_gains.ravel())
        supported = bool((targets.root_gains > 0.0).any())
        gains = (targets.stiffness, targets.damping)
        self.set_driven(supported=supported, driven=supported or any(bool((gain > 0.0).any()) for gain in gains))

    def set_driven(self, *, supported: bool, driven: bool) -> None:
        """Say whether control, which may be written to the arrays of the links, draws roots, and anything at all."""
        self._supported, self._driven = supported, driven

    def predict(self) -> None:
        """Velocities at the end of the step if nothing is met."""
        launches = self._launches
        launches.apply_forces()
        launches.solve_flesh()
        launches.solve_links()
        launches.correct_flesh()
        launches.predict()

    def push(self) -> None:
        """After `predict`: take in impulses on the flesh, which stand in `nodes.rhs`; links have theirs already."""
        self._launches.push_flesh()
        self._launches.predict()

    def solve_contacts(self, contacts: ContactSet, dynamic_bodies: BodyInertia | None = None) -> ContactImpulses:
        """Velocities that no contact and no joint limit forbids; `dynamic_bodies` are those that contacts name."""
        bodies = BodyInertia() if dynamic_bodies is None else dynamic_bodies
        self._check(contacts, bodies)
        islands = Islands.from_contacts(contacts, self._body_of_point, len(bodies))
        found = ContactImpulses.none(len(contacts), len(bodies))
        before, self._pressed = self._pressed, False
        for island in range(len(islands)):
            rows = None if len(islands) == 1 else np.flatnonzero(islands.of_contact == island)
            found = found.joined(self._solve_island(contacts.only(rows), bodies, islands, island), rows)
        if before or self._pressed:
            self._turn_over()
        return found

    def _solve_island(
        self, contacts: ContactSet, bodies: BodyInertia, islands: Islands, island: int
    ) -> ContactImpulses:
        """The same for the contacts of one island."""
        count, solver = len(contacts), self._contact_solver
        if count == 0 and not len(self.mechanism.joints.limited):
            return ContactImpulses.none(0, len(bodies))
        if solver is None or count > solver.capacity or len(bodies) != solver.bodies:
            solver = self._make_contact_solver(2 * count, len(bodies), 0 if solver is None else solver.entries)
        of_link: IntArray = islands.of_body[self._body_of_link]
        violated = solver.set_contacts(contacts, bodies, islands=of_link, island=island)
        if not solver.fits:  # contacts couple more links than ever before
            solver = self._make_contact_solver(solver.capacity, len(bodies), 2 * solver.entries)
            violated = solver.set_contacts(contacts, bodies, islands=of_link, island=island)
        if not violated:
            return ContactImpulses.none(count, len(bodies))
        iterations, residuals = solver.solve()
        self._pressed = True
        impulses, bodies_moved = solver.impulses(count), solver.body_changes(self.links.size)
        along = np.maximum(np.einsum("ma,ma->m", impulses, contacts.normals), 0.0)  # rounding
        return ContactImpulses(along, impulses, bodies_moved, iterations, *map(float, residuals))

    def _make_contact_solver(self, capacity: int, bodies: int, entries: int) -> ContactSolver:
        self._contact_solver = ContactSolver(
            self.mechanism,
            self.nodes,
            self.links,
            self.skin_points,
            self.flesh_factor,
            side=self._side,
            capacity=max(capacity, 64),
            bodies=bodies,
            entries=entries,
            dt=self.dt,
            accuracy=self._accuracy,
            device=self.device,
        )
        return self._contact_solver

    def integrate(self) -> None:
        """Move everything to the end of the step."""
        launches = self._launches
        (launches.integrate_closed[self._supported] if self._driven else launches.integrate)()
        self._launches.prepare()
        self._balance_energy(kept=not self._supported, guarded=not self._driven)

    def advance(self, contacts: ContactSet | None = None, *, targets: Targets | None = None) -> None:
        """One whole step."""
        if targets is not None:
            self.set_targets(targets)
        self.predict()
        limited = len(self.mechanism.joints.limited) > 0
        if contacts is not None or limited:
            self.solve_contacts(contacts if contacts is not None else _no_contacts())
        self.integrate()

    # Inside

    def _check(self, contacts: ContactSet, dynamic_bodies: BodyInertia) -> None:
        points = 2 * self.nodes.points if self.skin_points.count else self.nodes.points
        if len(contacts) and (contacts.nodes.min() < 0 or contacts.nodes.max() >= points):
            given = f"contacts name nodes {contacts.nodes.min()} to {contacts.nodes.max()}"
            there = f"there are 0 to {points - 1}"
            raise InputError(WHERE, given, there, "use nodes of this mechanism")
        if len(contacts) and contacts.bodies.max() >= len(dynamic_bodies):
            raise InputError(
                WHERE,
                f"contacts name free body {contacts.bodies.max()}",
                f"there are {len(dynamic_bodies)}",
                "pass them as `dynamic_bodies`",
            )

    def _balance_energy(self, *, kept: bool, guarded: bool) -> None:
        self._launches.balance[kept, guarded]()


def _no_contacts() -> ContactSet:
    return ContactSet.at_nodes([], normals=np.zeros((0, 3)), gaps=np.zeros(0))


def condensed_solver(mechanism: Mechanism, dt: float, **options: Any) -> CondensedSolver:
    """The solver of one mechanism in steps of `dt` [s]; see `CondensedSolver` for `options`."""
    return CondensedSolver(SolverArrays.from_mechanism(mechanism, dt), **options)
