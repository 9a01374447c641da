"""How a soft character answers what it meets: contacts with obstacles, with itself, and the limits of its joints.

All of them are rows of one system (constraint_kernels.py), solved together with links and free bodies
(impulse_kernels.py, contact_solver_kernels.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.errors import InputError
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.dynamics.launches import assemble_system, condense_onto_links
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.response.contact_set import CORNERS, BodyInertia, ContactSet

_CARRIERS = 4  # links that carry a node
_MAX_PASSES = 16  # at most
_FRICTION_PASSES = 4  # passes along the surface, at most
_FRICTION_ROUNDS = 3  # how often friction is found, or the limits of balls are seen, anew
_TOLERANCE = 1e-10  # [m/s]: slower than this counts as not going on
_FIRM = 1e-2  # how much a contact yields beside its flesh, as a share of how much its links do
_FIRM_LIMIT = 1e-4  # the same of the limit of a joint
_LIMIT_FRICTION = 1.0  # friction of a joint that is pressed against its limit
_LIMIT_RECOVERY_SPEED = 0.5  # [rad/s]: how fast a joint beyond its limit comes back
_RECOVERY_SPEED = 0.05  # [m/s]: how fast bones, and skin, leave what they are in
_PROJECTED = 0.5  # share of what is inside that a step parts
_SLOP = 2e-4  # of the body's largest side: how deep a point may stand inside something without being lifted
_MAX_DEPTH = 5e-2  # of the body's largest side: how deep skin may begin in skin and still be held
_MAX_CORRECTION = 5e-3  # of the body's largest side: how far a step lifts at most


class ContactSolver:
    """Answers up to `capacity` contacts of one mechanism at a time, with `bodies` free ones, and all its limits."""

    def __init__(
        self,
        mechanism: Mechanism,
        nodes: NodeArrays,
        links: LinkArrays,
        *,
        capacity: int,
        bodies: int,
        entries: int,
        dt: float,
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
        limited, kinds = mechanism.joints.limits
        self._limits, self._n = len(limited), mechanism.node_count
        self._counts = allocate(5, wp.int32)
        self._masses, self._positions = allocate(bodies, wp.float64), allocate(bodies, wp.vec3d)
        self._inertia, self._inverses = allocate(bodies, wp.mat33d), allocate(bodies, wp.mat33d)
        self._limited, self._limit_kinds = (devices.to_device(one, wp.int32, device) for one in (limited, kinds))
        self._structs(mechanism, nodes, links, allocate)
        contacts, state = self._contacts, self._state
        given: Any = constraint_kernels.Contacts
        sides = {name: getattr(contacts, name) for name in given.vars}
        sides |= {"masses": self._masses, "centers": self._positions, "inertia": self._inertia}
        sides |= {"inverses": self._inverses, "count": self._counts}
        self._sides = _Sides({**sides, "impulses": state.impulses, "velocity_changes": state.velocity_changes})
        self._record(mechanism, nodes, links, dt)
        self._record_links(mechanism, nodes, links, dt)

    def _structs(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, allocate: Any) -> None:
        from supple.skins.contact.dynamics.link_kernels import JointLimits
        from supple.skins.contact.response import constraint_kernels as constraints
        from supple.skins.contact.response import impulse_kernels as impulses

        wp = devices.warp()
        capacity, count, size = self.capacity, self.capacity + self._limits, links.size + 2 * self.bodies

        def fill(kind: Any, **fields: Any) -> Any:
            one = kind()
            for name, value in fields.items():
                setattr(one, name, value)
            return one

        self._flesh = fill(
            constraints.Flesh,
            carriers=nodes.carriers,
            free=self._n,
            links=nodes.links,
            weights=nodes.weights,
            arms=nodes.arms,
            masses=nodes.masses,
            blended_rotations=nodes.blended_rotations,
            block_inverses=nodes.block_inverses,
            positions=nodes.positions,
            world_velocities=nodes.world_velocities,
            touch_weights=nodes.touch_weights,
            warm_start=nodes.warm_start,
        )
        bounds: Any = JointLimits
        held = {name: getattr(links, name) for name in bounds.vars if name not in ("limited", "limit_kinds")}
        self._joint_limits = fill(JointLimits, limited=self._limited, limit_kinds=self._limit_kinds, **held)
        self._contacts = fill(
            constraints.Contacts,
            corners=allocate(CORNERS * capacity, wp.int32),
            weights=allocate(CORNERS * capacity, wp.float64),
            normals=allocate(capacity, wp.vec3d),
            velocities=allocate(capacity, wp.vec3d),
            gaps=allocate(capacity, wp.float64),
            frictions=allocate(capacity, wp.float64),
            bodies=allocate(capacity, wp.int32),
            points=allocate(capacity, wp.vec3d),
        )
        coupled = int(constraints.COUPLED_LINKS) * count
        self._constraints = fill(
            constraints.Constraints,
            skin=allocate(count, wp.int32),
            normals=allocate(count, wp.vec3d),
            frictions=allocate(count, wp.float64),
            compliance=allocate(count, wp.mat33d),
            inverse_mass=allocate(count, wp.float64),
            initial_gaps=allocate(count, wp.float64),
            node_compliances=allocate(CORNERS * count, wp.mat33d),
            counts=allocate(count, wp.int32),
            coupled_links=allocate(coupled, wp.int32),
            linear_blocks=allocate(coupled, wp.mat33d),
            angular_blocks=allocate(coupled, wp.mat33d),
            bends=allocate(count, wp.vec3d),
            highs=allocate(count, wp.float64),
        )
        self._state = fill(
            constraints.SolverState,
            initial_velocities=allocate(count, wp.vec3d),
            target_velocities=allocate(count, wp.float64),
            impulses=allocate(count, wp.vec3d),
            impulse_changes=allocate(count, wp.vec3d),
            residuals=allocate(count, wp.vec3d),
            previous_residuals=allocate(count, wp.vec3d),
            active=allocate(count, wp.int32),
            inactive=allocate(count, wp.int32),
            sliding=allocate(count, wp.int32),
            velocity_changes=allocate(size, wp.vec3d),
            node_impulses=allocate(self._n, wp.vec3d),
        )

        def system(unknowns: int, first_columns: Any, row_offsets: Any, entries: int) -> Any:
            return fill(
                impulses.System,
                size=unknowns,
                touched=allocate(unknowns, wp.int32),
                first_columns=first_columns,
                row_offsets=row_offsets,
                factor=allocate(entries, wp.mat33d),
                pivots=allocate(unknowns, wp.mat33d),
                rhs=allocate(unknowns, wp.vec3d),
                solution=allocate(unknowns, wp.vec3d),
            )

        self._values = allocate(links.entries, wp.mat33d)
        self._base = system(links.size, links.first_columns, links.row_offsets, links.entries)
        self._dynamic_bodies = fill(
            impulses.DynamicBodies,
            count=self.bodies,
            masses=self._masses,
            inertia=self._inertia,
            inverses=self._inverses,
        )
        self._wide = system(size, allocate(size, wp.int32), allocate(size + 1, wp.int32), self.entries)

    def _record(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        from supple.skins.contact.response import constraint_kernels as constraints
        from supple.skins.contact.response import contact_solver_kernels as kernels

        own, counts = self, self._counts
        side = float(np.ptp(mechanism.rest, axis=0).max())
        slop, max_depth, max_correction = _SLOP * side, _MAX_DEPTH * side, _MAX_CORRECTION * side

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 2048) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=smallest)

        calls = [
            launch(
                constraints.open_constraints,
                1,
                counts,
                own._flesh,
                own._contacts,
                links.link_rows,
                links.size,
                own._wide.size,
                own._limits,
                links.first_columns,
                own._wide.first_columns,
                own._wide.row_offsets,
                own._state,
            ),
            launch(
                constraints.build_contacts,
                own.capacity,
                counts,
                own._flesh,
                own._contacts,
                links.link_rows,
                links.size,
                links.masses,
                own._masses,
                own._positions,
                _FIRM,
                _RECOVERY_SPEED,
                slop,
                max_depth,
                dt,
                own._constraints,
                own._state,
            ),
            launch(
                constraints.build_limits,
                own._limits,
                counts,
                own._joint_limits,
                dt,
                links.joint_struct,
                links.struct,
                links.link_rows,
                _FIRM_LIMIT,
                _LIMIT_FRICTION,
                _LIMIT_RECOVERY_SPEED,
                own._constraints,
                own._state,
            ),
            launch(
                constraints.find_violations,
                1,
                counts,
                own._limits,
                own._n,
                dt,
                _TOLERANCE,
                slop,
                own._contacts,
                own._constraints,
                own._state,
            ),
        ]
        self._build = devices.Chain(calls, self._device)
        self._solve = launch(
            kernels.solve_contacts,
            1,
            counts,
            own._limits,
            dt,
            _TOLERANCE,
            slop,
            max_correction,
            _MAX_PASSES,
            _FRICTION_PASSES,
            _FRICTION_ROUNDS,
            _LIMIT_RECOVERY_SPEED,
            _PROJECTED,
            own._constraints,
            own._state,
            own._contacts,
            own._flesh,
            own._base,
            own._values,
            own._dynamic_bodies,
            own._wide,
            mechanism.link_count,
            links.link_rows,
            links.velocities,
            links.angular_velocities,
            nodes.corrections,
            links.energy_balance,
        )
        self._update_nodes = launch(
            kernels.update_nodes, own._n, own._flesh, links.link_rows, own._state, nodes.node_velocities
        )

    def _record_links(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        """The links' matrix in which the skin gives way as nodes alone do: that of the free step answers too softly."""
        wp = devices.warp()
        parts = wp.zeros(4 * nodes.pair_pieces, dtype=wp.mat33d, device=self._device)
        blocks = wp.zeros(4 * nodes.pairs, dtype=wp.mat33d, device=self._device)
        condensed = condense_onto_links(nodes, nodes.lone_compliances, parts, blocks, self._device)
        system = self._values, self._wide.rhs
        assembled = assemble_system(mechanism, nodes, links, blocks, system, dt, 0.0, self._device)
        self._assemble = devices.Chain([*condensed, *assembled], self._device)

    def set_contacts(self, contacts: ContactSet, dynamic_bodies: BodyInertia) -> bool:
        """Take the contacts of this step; the velocities are those that were foreseen. Whether any goes on too fast.

        Where they couple more links than there is room for, `entries` is what is needed: bring them to another one.
        """
        count = len(contacts)
        self._sides.write("count", [count])
        for name, values in (
            ("corners", contacts.nodes.ravel()),
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

    def solve(self) -> int:
        """Change velocities until no contact and no limit is broken; how many passes that took."""
        self._assemble()
        self._solve()
        self._update_nodes()
        return int(self._sides.read("count")[2])

    def impulses(self, count: int) -> FloatArray:
        """The impulses (m, 3) [N s] of the first contacts."""
        found: FloatArray = self._sides.read("impulses")[:count].copy()
        return found

    def body_changes(self, size: int) -> FloatArray:
        """How velocity and spin (B, 6) of the free bodies have changed; the links' system has this `size`."""
        found: FloatArray = self._sides.read("velocity_changes")[size:].reshape(-1, 6).copy()
        return found


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
