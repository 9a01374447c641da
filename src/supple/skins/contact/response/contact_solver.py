"""How a soft character answers what it meets: contacts with obstacles, with itself, and the limits of its joints.

All of them are constraints of one convex problem (constraint_kernels.py), which a Newton method solves together with
links and dynamic bodies (newton_kernels.py), and with flesh as a whole in a few rounds (flesh_response_kernels.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays, fill_struct
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.joints import FRICTION, SPEED
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.response.contact_set import CORNERS, BodyInertia, ContactSet
from supple.skins.contact.response.skin_points import SkinPoints

_CARRIERS = 4  # links that carry a node
MAX_ITERATIONS = 40  # of Newton's method in a round
_MOST_LOADED = 12  # more of them, each time that friction is made a load
_FRICTION_TOLERANCE = 1e-2  # of the same: by how much bounds of friction may still change
_SHARE = 1.5  # of a point's own compliance: what rounds take for all of it (more converge slower, fewer swing)
_CROWDED_SHARE = 0.6  # the same, for each of those that touch the same flesh: half of all is the least that converges
_FIRM = 1e-3  # compliance of what has no flesh, as a share of how much its links yield
_FLAT = 2e-2  # the same of what carries flesh that is pressed flat
_STICTION = 2e-3  # the same along the surface, and the least of flesh: who sticks creeps at so much of g dt, 0.1 mm/s
_FIRM_LIMIT = 1e-3  # the same of the limit of a joint
_LIMIT_RECOVERY_SPEED = 0.5  # [rad/s]: how fast a joint beyond its limit comes back
_RECOVERY = 0.2  # share of what is inside that a step moves out
_RECOVERY_SPEED = 0.05  # of the body's largest side [1/s]: how fast at most
_SLOP = 2e-4  # of the body's largest side: how deep a point may stand inside something


@dataclass(frozen=True)
class Accuracy:
    """How well contacts are answered.

    A step takes at most so many `rounds` in which flesh as a whole is asked how it yields, until no contact goes on
    or slips faster than `speed` [m/s], or the last `few` rounds did not make that less by `progress`.
    Newton's method ends where a link's velocity is asked to change by no more than `tolerance` of how fast things
    close, or of what is left to be done. Contacts turn no joint by more than `most_turn` [rad] in the step, unless it
    does so by itself: asked for ten times that, as a finger between the floor and a heavy arm is, it would go round
    where velocities lead straight on.
    """

    rounds: int = 20
    few: int = 6
    progress: float = 0.2
    speed: float = 1e-3
    tolerance: float = 1e-3
    most_turn: float = 0.4


class ContactSolver:
    """Answers up to `capacity` contacts of one mechanism at a time, with `bodies` free ones, and its limits.

    Its largest body has a largest `side` [m].
    """

    def __init__(
        self,
        mechanism: Mechanism,
        nodes: NodeArrays,
        links: LinkArrays,
        skin: SkinPoints,
        factor: FleshFactor | None,
        *,
        side: float,
        capacity: int,
        bodies: int,
        entries: int,
        dt: float,
        accuracy: Accuracy,
        device: str,
    ) -> None:
        from supple.skins.contact.response import constraint_kernels

        wp = devices.warp()
        if nodes.carriers > _CARRIERS:
            raise InputError(
                WHERE,
                f"nodes have up to {nodes.carriers} links",
                f"{_CARRIERS} can be answered",
                "keep the largest shares of each",
            )

        def allocate(count: int, kind: Any) -> Any:
            return wp.zeros(max(count, 1), dtype=kind, device=device)

        self.capacity, self.bodies, self.entries, self._device = capacity, bodies, max(entries, links.entries), device
        self._accuracy = accuracy
        self._nodes, self._links, self._skin, self._factor = nodes, links, skin, factor
        joints, kinds = _joint_rows(mechanism)
        self._limits, self._n = len(joints), mechanism.node_count
        self._counts, self._residuals = allocate(6, wp.int32), allocate(6, wp.float64)
        self._masses, self._positions = allocate(bodies, wp.float64), allocate(bodies, wp.vec3d)
        self._inertia, self._inverses = allocate(bodies, wp.mat33d), allocate(bodies, wp.mat33d)
        self._limited = devices.to_device(joints, wp.int32, device)
        self._limit_kinds = devices.to_device(kinds, wp.int32, device)
        self._islands = allocate(mechanism.link_count, wp.int32)
        self._structs(side, dt, allocate)
        given: Any = constraint_kernels.Contacts
        sides = {name: getattr(self._contacts, name) for name in given.vars}
        sides |= {"masses": self._masses, "centers": self._positions, "inertia": self._inertia}
        sides |= {"inverses": self._inverses, "count": self._counts, "residuals": self._residuals}
        sides |= {"islands": self._islands}
        state = self._state
        self._sides = _Sides({**sides, "impulses": state.held_impulses, "held_changes": state.held_changes})
        self._record(dt)

    def _structs(self, side: float, dt: float, allocate: Any) -> None:
        from supple.skins.contact.dynamics.link_kernels import JointLimits
        from supple.skins.contact.response import acceleration_kernels as acceleration
        from supple.skins.contact.response import constraint_kernels as constraints
        from supple.skins.contact.response import newton_kernels as newton

        wp, nodes, links = devices.warp(), self._nodes, self._links
        capacity, count, size = self.capacity, self.capacity + self._limits, links.size + 2 * self.bodies

        def fill(kind: Any, **fields: Any) -> Any:
            one = kind()
            for name, value in fields.items():
                setattr(one, name, value)
            return one

        self._settings = fill(
            constraints.Solve,
            dt=dt,
            limits=self._limits,
            share=_SHARE,
            crowded_share=_CROWDED_SHARE,
            firmness=_FIRM,
            flat_firmness=_FLAT,
            stiction=_STICTION,
            limit_firmness=_FIRM_LIMIT,
            slop=_SLOP * side,
            recovery=_RECOVERY,
            recovery_speed=_RECOVERY_SPEED * side,
            limit_speed=_LIMIT_RECOVERY_SPEED,
            most_turn=self._accuracy.most_turn,
            tolerance=self._accuracy.tolerance,
            friction_tolerance=_FRICTION_TOLERANCE,
            speed=self._accuracy.speed,
            most=MAX_ITERATIONS,
            most_loaded=_MOST_LOADED,
        )
        self._flesh = fill_struct(constraints.Flesh, nodes)
        limited: Any = JointLimits
        held = {name: getattr(links, name) for name in limited.vars if name not in ("limited", "limit_kinds")}
        self._joint_limits = fill(JointLimits, limited=self._limited, limit_kinds=self._limit_kinds, **held)
        self._contacts = fill(
            constraints.Contacts,
            corners=allocate(CORNERS * capacity, wp.int32),
            keys=allocate(capacity, wp.int32),
            weights=allocate(CORNERS * capacity, wp.float64),
            normals=allocate(capacity, wp.vec3d),
            velocities=allocate(capacity, wp.vec3d),
            gaps=allocate(capacity, wp.float64),
            frictions=allocate(capacity, wp.float64),
            bodies=allocate(capacity, wp.int32),
            points=allocate(capacity, wp.vec3d),
        )
        coupled = int(constraints.COUPLED_LINKS) * count
        scalars = (
            "frictions",
            "compliances",
            "tangent_compliances",
            "gaps",
            "target_velocities",
            "radii",
            "bounds",
            "inverse_masses",
        )
        self._constraints = fill(
            constraints.Constraints,
            **{name: allocate(count, wp.float64) for name in scalars},
            normals=allocate(count, wp.vec3d),
            initial_velocities=allocate(count, wp.vec3d),
            offsets=allocate(count, wp.vec3d),
            bends=allocate(count, wp.vec3d),
            counts=allocate(count, wp.int32),
            coupled_links=allocate(coupled, wp.int32),
            linear_blocks=allocate(coupled, wp.mat33d),
            angular_blocks=allocate(coupled, wp.mat33d),
        )
        self._state = fill(
            constraints.SolverState,
            velocity_changes=wp.zeros(size, dtype=wp.vec3d, device=self._device),
            momenta=allocate(size, wp.vec3d),
            impulses=allocate(count, wp.vec3d),
            loads=allocate(count, wp.vec3d),
            applied=allocate(count, wp.vec3d),
            velocities=allocate(count, wp.vec3d),
            directions=allocate(count, wp.vec3d),
            friction_bounds=allocate(count, wp.float64),
            stiffness=allocate(count, wp.mat33d),
            active=allocate(count, wp.int32),
            held_impulses=allocate(count, wp.vec3d),
            held_velocities=allocate(count, wp.vec3d),
            held_changes=wp.zeros(size, dtype=wp.vec3d, device=self._device),
        )

        depth = int(acceleration.DEPTH)
        self._rounds = fill(
            acceleration.Rounds,
            book=allocate(3, wp.int32),
            mixture=allocate(depth, wp.float64),
            products=allocate(depth * depth, wp.float64),
            system=allocate(depth * depth, wp.float64),
            steps=allocate(depth * count, wp.vec3d),
            impulses=allocate(depth * count, wp.vec3d),
            velocities=allocate(depth * count, wp.vec3d),
            changes=allocate(depth * size, wp.vec3d),
            best_impulses=allocate(count, wp.vec3d),
            best_velocities=allocate(count, wp.vec3d),
            best_changes=allocate(size, wp.vec3d),
        )

        def system(unknowns: int, first_columns: Any, row_offsets: Any, factor: Any, pivots: Any) -> Any:
            return fill(
                newton.System,
                size=unknowns,
                touched=allocate(unknowns, wp.int32),
                first_columns=first_columns,
                row_offsets=row_offsets,
                factor=factor,
                pivots=pivots,
                rhs=allocate(unknowns, wp.vec3d),
                solution=allocate(unknowns, wp.vec3d),
            )

        # The free step has put together and factored A already.
        self._base = system(links.size, links.first_columns, links.row_offsets, links.factor, links.pivots)
        self._bodies = fill(
            newton.Bodies, count=self.bodies, masses=self._masses, inertia=self._inertia, inverses=self._inverses
        )
        columns, offsets = allocate(size, wp.int32), allocate(size + 1, wp.int32)
        room = allocate(self.entries, wp.mat33d), allocate(size, wp.mat33d)
        self._wide = system(size, columns, offsets, *room)

    def _record(self, dt: float) -> None:
        from supple.skins.contact.response import acceleration_kernels as acceleration
        from supple.skins.contact.response import constraint_kernels as constraints
        from supple.skins.contact.response import flesh_response_kernels as flesh
        from supple.skins.contact.response import limit_kernels as limits
        from supple.skins.contact.response import newton_kernels as newton
        from supple.skins.contact.response import outcome_kernels as outcome

        own, nodes, links, skin = self, self._nodes, self._links, self._skin.struct
        start = (own._settings, own._counts)
        points = (nodes.struct, skin, own._flesh)
        system = (own._base, links.values, own._bodies, own._wide)
        wide = (own._wide.first_columns, own._wide.row_offsets)

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 2048) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=smallest)

        joints = (own._joint_limits, links.joint_struct, links.struct, links.link_rows, own._constraints, own._islands)
        opening = (links.link_rows, links.size, links.first_columns, *wide, own._state)
        bodies = (links.struct, links.link_rows, links.size, own._masses, own._positions, own._constraints)
        self._build = devices.Chain(
            [
                launch(constraints.open_constraints, 1, *start, *points, own._contacts, *opening),
                launch(constraints.build_contacts, own.capacity, *start, *points, own._contacts, *bodies, smallest=128),
                launch(limits.build_limits, own._limits, *start, *joints, own._flesh, own._state),
                launch(constraints.find_violations, 1, *start, own._constraints),
            ],
            self._device,
        )
        solved = (own._constraints, own._state)
        bones = (links.link_rows, links.struct)
        coupling = launch(
            flesh.couple_nodes, own._n, nodes.struct, own._flesh, links.link_rows, own._state, smallest=512
        )
        solving = (*start, *solved, *system)
        self._follow = launch(newton.follow_warm_start, 1, *solving)
        self._solve = launch(newton.solve_contacts, 1, *solving, *bones, own._residuals)
        touching = (own._counts, *points, own._contacts)
        self._spread = launch(flesh.spread_impulses, 1, *touching, own._state)
        measure = launch(
            flesh.measure_velocities,
            own.capacity + own._limits,
            own._settings,
            *touching,
            links.struct,
            links.link_rows,
            *solved,
            smallest=256,
        )
        keep = launch(acceleration.accept_responses, own._n, own._flesh, own._rounds, smallest=2048)

        def accepting(*, is_round: bool) -> devices.Chain:
            accept = launch(acceleration.accept_round, 1, *start, *solved, own._rounds, int(is_round), own._residuals)
            return devices.Chain([measure, accept, keep], self._device)

        self._accept_warm, self._accept = accepting(is_round=False), accepting(is_round=True)

        self._begin = devices.Chain(
            [
                launch(constraints.hold_nothing, own.capacity + own._limits, *start, *solved),
                launch(acceleration.forget_rounds, 1, own._rounds, own._residuals),
            ],
            self._device,
        )
        touched = (own._contacts, own._joint_limits)
        self._apply = devices.Chain(
            [
                launch(acceleration.take_best, 1, *start, *solved, own._rounds),
                launch(outcome.apply_impulses, 1, *start, *solved, *touched, *points, *bones, links.energy_balance),
                launch(flesh.add_responses, own._n, 1.0, nodes.held_responses, nodes.node_velocities),
            ],
            self._device,
        )
        self._couple = coupling
        self._respond = _nothing if self._factor is None else self._factor.between(nodes.rhs, nodes.responses)

    def set_contacts(
        self, contacts: ContactSet, dynamic_bodies: BodyInertia, *, islands: IntArray, island: int
    ) -> bool:
        """Take the contacts of one island; velocities are those that were predicted. Whether any is violated.

        `islands` (k,) say which of them each link belongs to. Where contacts couple more links than there is room for,
        `entries` is what is needed: bring them to another one.
        """
        count = len(contacts)
        self._sides.write("count", [count, 0, 0, 0, 0, island])
        self._sides.write("islands", islands)
        for name, values in (
            ("corners", contacts.nodes.ravel()),
            ("keys", contacts.keys),
            ("weights", contacts.weights.ravel()),
            ("normals", contacts.normals),
            ("velocities", contacts.velocities),
            ("gaps", contacts.gaps),
            ("frictions", contacts.frictions),
            ("bodies", contacts.bodies),
            ("points", contacts.points),
        ):
            self._sides.write(name, values)
        if len(dynamic_bodies):
            for name, values in (
                ("masses", dynamic_bodies.masses),
                ("centers", dynamic_bodies.centers),
                ("inertia", dynamic_bodies.inertia),
                ("inverses", dynamic_bodies.inverses),
            ):
                self._sides.write(name, values)
        self._build()
        counts = self._sides.read("count")
        self.entries = max(int(counts[3]), self.entries)
        return bool(counts[1] > 0)

    @property
    def fits(self) -> bool:
        """Whether there is room for what the last contacts couple."""
        return self.entries <= len(self._wide.factor)

    def solve(self) -> tuple[int, FloatArray]:
        """Change velocities so that no contact and no limit is violated: how many iterations that took, and residuals.

        The residuals (3,) [m/s] are those of velocities, of the bounds of friction, and of how flesh yields.
        """
        self._begin()
        if self._sides.read("count")[4]:
            self._follow()
            self._respond_to_impulses()
            self._accept_warm()
        accuracy, least = self._accuracy, []
        for done in range(accuracy.rounds):
            self._solve()
            self._respond_to_impulses()
            self._accept()
            least.append(float(self._sides.read("residuals")[3]))
            if least[-1] <= accuracy.speed:
                break
            if done >= accuracy.few and least[-1] > (1.0 - accuracy.progress) * least[-1 - accuracy.few]:
                break
        self._apply()
        counts, residuals = self._sides.read("count"), self._sides.read("residuals")
        return int(counts[2]), np.array([residuals[0], *residuals[4:6]])

    def _respond_to_impulses(self) -> None:
        """Put the impulses that were found on the whole flesh."""
        self._spread()
        self._couple()
        self._respond()

    def impulses(self, count: int) -> FloatArray:
        """The impulses (m, 3) [N s] of the first contacts."""
        found: FloatArray = self._sides.read("impulses")[:count].copy()
        return found

    def body_changes(self, size: int) -> FloatArray:
        """How velocity and spin (B, 6) of the free bodies have changed; the links' system has this `size`."""
        found: FloatArray = self._sides.read("held_changes")[size:].reshape(-1, 6).copy()
        return found


def _joint_rows(mechanism: Mechanism) -> tuple[IntArray, IntArray]:
    """The joints of all limits, of those that friction holds, and of all once more; and what each row bounds."""
    joints, kinds = mechanism.joints.limits
    every = np.arange(len(mechanism.joints), dtype=np.int32)
    held = every[:0] if mechanism.joint_friction is None else every[mechanism.joint_friction > 0.0]
    rows = (kinds, np.full(len(held), FRICTION, dtype=np.int32), np.full(len(every), SPEED, dtype=np.int32))
    return np.concatenate([joints, held, every]), np.concatenate(rows)


class _Sides:
    """The host's sides of several arrays, by name; of those that are written, only the beginning is."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self._arrays = arrays
        self._sides = {name: devices.HostSide(array) for name, array in arrays.items()}

    def write(self, name: str, values: Any) -> None:
        array = self._arrays[name]
        if array.device.is_cpu:
            self._sides[name].read()[: len(values)] = values
        elif len(values):
            devices.write(array[: len(values)], np.asarray(values))

    def read(self, name: str) -> Any:
        return self._sides[name].read()


def _nothing() -> None:
    """What a body without free flesh has to solve."""
