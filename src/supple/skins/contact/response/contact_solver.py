"""How a soft character answers what it meets: contacts with obstacles, with itself, and the limits of its joints.

All of them are rows of one system (row_kernels.py), solved together with links and free bodies (push_kernels.py,
response_kernels.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.errors import InputError
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.response.contact_set import CORNERS, Contacts, Loose

_CARRIERS = 4  # links that carry a node
_PASSES = 16  # at most
_RUBBING = 4  # passes along the surface, at most
_ROTATIONS = 3  # how often friction is found, or the limits of balls are seen, anew
_SLACK = 1e-10  # [m/s]: slower than this counts as not going on
_FIRM = 1e-2  # how much a contact yields beside its flesh, as a share of how much its links do
_FIRM_LIMIT = 1e-4  # the same of the limit of a joint
_RUBBED = 1.0  # friction of a joint that is pressed against its limit
_BACK = 0.5  # [rad/s]: how fast a joint beyond its limit comes back
_OUT = 0.05  # [m/s]: how fast bones, and skin, leave what they are in
_LIFTED = 0.5  # share of what is inside that a step parts
_UNSEEN = 2e-4  # of the body's largest side: how deep a point may stand inside something without being lifted
_LOST = 5e-2  # of the body's largest side: how deep skin may begin in skin and still be held
_FARTHEST = 5e-3  # of the body's largest side: how far a step lifts at most


class Responder:
    """Answers up to `room` contacts of one mechanism at a time, with up to `bodies` free ones, and all its limits."""

    def __init__(
        self,
        mechanism: Mechanism,
        nodes: NodeArrays,
        links: LinkArrays,
        *,
        room: int,
        bodies: int,
        entries: int,
        dt: float,
        device: str,
    ) -> None:
        wp = devices.warp()
        if nodes.carriers > _CARRIERS:
            raise InputError(
                WHERE,
                f"nodes have up to {nodes.carriers} links",
                f"{_CARRIERS} can be answered",
                "keep the largest shares of each",
            )

        def made(count: int, kind: Any) -> Any:
            return wp.zeros(max(count, 1), dtype=kind, device=device)

        self.room, self.bodies, self.entries, self._device = room, bodies, max(entries, links.entries), device
        limited = mechanism.joints.limited
        self._limits, self._n = len(limited), mechanism.node_count
        self._counts = made(5, wp.int32)
        self._masses, self._positions = made(bodies, wp.float64), made(bodies, wp.vec3d)
        self._inertia, self._inverses = made(bodies, wp.mat33d), made(bodies, wp.mat33d)
        self._limited = devices.to_device(limited.astype(np.int32), wp.int32, device)
        self._structs(mechanism, nodes, links, made)
        met, effort = self._met, self._effort
        self._sides = _Sides({
            "count": self._counts, "corners": met.corners, "shares": met.shares, "normals": met.normals,
            "motions": met.motions, "gaps": met.gaps, "frictions": met.frictions, "bodies": met.bodies,
            "spots": met.spots, "masses": self._masses, "places": self._positions, "inertia": self._inertia,
            "inverses": self._inverses, "pushes": effort.pushes, "totals": effort.totals,
        })  # fmt: skip
        self._record(mechanism, nodes, links, dt)
        self._record_links(mechanism, nodes, links, dt)

    def _structs(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, made: Any) -> None:
        from supple.skins.contact.response import constraint_kernels as rows
        from supple.skins.contact.response import impulse_kernels as answers

        wp = devices.warp()
        room, count, size = self.room, self.room + self._limits, links.size + 2 * self.bodies

        def filled(kind: Any, **fields: Any) -> Any:
            one = kind()
            for name, value in fields.items():
                setattr(one, name, value)
            return one

        self._flesh = filled(
            rows.Flesh,
            carriers=nodes.carriers,
            free=self._n,
            links=nodes.links,
            weights=nodes.shares,
            arms=nodes.arms,
            masses=nodes.masses,
            blends=nodes.blends,
            alone=nodes.alone,
            positions=nodes.nodes,
            paces=nodes.paces,
            reach=nodes.reach,
            kept=nodes.kept,
        )
        self._met = filled(
            rows.Met,
            corners=made(CORNERS * room, wp.int32),
            shares=made(CORNERS * room, wp.float64),
            normals=made(room, wp.vec3d),
            motions=made(room, wp.vec3d),
            gaps=made(room, wp.float64),
            frictions=made(room, wp.float64),
            bodies=made(room, wp.int32),
            spots=made(room, wp.vec3d),
        )
        hands = int(rows.HANDS) * count
        self._rows = filled(
            rows.Rows,
            skin=made(count, wp.int32),
            normals=made(count, wp.vec3d),
            frictions=made(count, wp.float64),
            soft=made(count, wp.mat33d),
            light=made(count, wp.float64),
            begun=made(count, wp.float64),
            gives=made(CORNERS * count, wp.mat33d),
            counts=made(count, wp.int32),
            hands=made(hands, wp.int32),
            moves=made(hands, wp.mat33d),
            rotations=made(hands, wp.mat33d),
            bends=made(count, wp.vec3d),
            highs=made(count, wp.float64),
        )
        self._effort = filled(
            rows.Effort,
            begins=made(count, wp.vec3d),
            wanted=made(count, wp.float64),
            pushes=made(count, wp.vec3d),
            changes=made(count, wp.vec3d),
            residuals=made(count, wp.vec3d),
            before=made(count, wp.vec3d),
            pushing=made(count, wp.int32),
            barred=made(count, wp.int32),
            sliding=made(count, wp.int32),
            totals=made(size, wp.vec3d),
            forces=made(self._n, wp.vec3d),
        )

        def system(unknowns: int, firsts: Any, ats: Any, entries: int) -> Any:
            return filled(
                answers.System,
                size=unknowns,
                touched=made(unknowns, wp.int32),
                firsts=firsts,
                ats=ats,
                factor=made(entries, wp.mat33d),
                pivots=made(unknowns, wp.mat33d),
                right=made(unknowns, wp.vec3d),
                answer=made(unknowns, wp.vec3d),
            )

        self._values = made(links.entries, wp.mat33d)
        self._base = system(links.size, links.firsts, links.ats, links.entries)
        self._loose = filled(
            answers.Loose, count=self.bodies, masses=self._masses, inertia=self._inertia, inverses=self._inverses
        )
        self._wide = system(size, made(size, wp.int32), made(size + 1, wp.int32), self.entries)

    def _record(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        from supple.skins.contact.response import constraint_kernels as rows
        from supple.skins.contact.response import contact_solver_kernels as answers

        own, counts = self, self._counts
        side = float(np.ptp(mechanism.rest, axis=0).max())
        unseen, lost, farthest = _UNSEEN * side, _LOST * side, _FARTHEST * side

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 2048) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=smallest)

        calls = [
            launch(
                rows.open_rows,
                1,
                counts,
                own._flesh,
                own._met,
                links.starts,
                links.size,
                own._wide.size,
                own._limits,
                links.firsts,
                own._wide.firsts,
                own._wide.ats,
                own._effort,
            ),
            launch(
                rows.build_rows,
                own.room,
                counts,
                own._flesh,
                own._met,
                links.starts,
                links.size,
                links.masses,
                own._masses,
                own._positions,
                _FIRM,
                _OUT,
                unseen,
                lost,
                dt,
                own._rows,
                own._effort,
            ),
            launch(
                rows.build_limits,
                own._limits,
                counts,
                own._limited,
                dt,
                links.children,
                links.parents,
                links.kinds,
                links.axes,
                links.lows,
                links.highs,
                links.starts,
                links.rotations,
                links.spins,
                links.squares,
                _FIRM_LIMIT,
                _RUBBED,
                _BACK,
                own._rows,
                own._effort,
            ),
            launch(
                rows.judge_rows, 1, counts, own._limits, own._n, dt, _SLACK, unseen, own._met, own._rows, own._effort
            ),
        ]
        self._build = devices.Chain(calls, self._device)
        self._respond = launch(
            answers.respond,
            1,
            counts,
            own._limits,
            dt,
            _SLACK,
            unseen,
            farthest,
            _PASSES,
            _RUBBING,
            _ROTATIONS,
            _BACK,
            _LIFTED,
            own._rows,
            own._effort,
            own._met,
            own._flesh,
            own._base,
            own._values,
            own._loose,
            own._wide,
            mechanism.link_count,
            links.starts,
            links.velocities,
            links.spins,
            nodes.shifts,
            links.books,
        )
        self._yield = launch(answers.yield_nodes, own._n, own._flesh, links.starts, own._effort, nodes.flows)

    def _record_links(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        """The links' matrix in which the skin gives way as nodes alone do: that of the free step answers too softly."""
        from supple.skins.contact.dynamics import link_kernels as bodies
        from supple.skins.contact.dynamics import node_kernels

        wide, k, sky = nodes.carriers, mechanism.link_count, links
        wp = devices.warp()
        parts = wp.zeros(4 * nodes.pair_pieces, dtype=wp.mat33d, device=self._device)
        blocks = wp.zeros(4 * nodes.pairs, dtype=wp.mat33d, device=self._device)

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 32) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=smallest)

        calls = [
            launch(
                node_kernels.condense,
                nodes.pair_pieces,
                wide,
                nodes.pair_starts,
                nodes.ones,
                nodes.others,
                nodes.shares,
                nodes.arms,
                nodes.lone_yields,
                parts,
            ),
            launch(node_kernels.total_blocks, nodes.pairs, nodes.pair_groups, parts, blocks, smallest=64),
            launch(
                bodies.assemble_links,
                1,
                k,
                nodes.pairs,
                sky.entries,
                sky.starts,
                sky.firsts,
                sky.ats,
                links.masses,
                links.moments,
                links.squares,
                nodes.pair_links,
                blocks,
                self._values,
            ),
            launch(
                bodies.assemble_joints,
                1,
                len(mechanism.joints),
                dt,
                0.0,
                sky.starts,
                sky.rows,
                sky.firsts,
                sky.ats,
                links.children,
                links.parents,
                links.kinds,
                links.ends,
                links.axes,
                links.springs,
                links.target_rotations,
                links.target_spins,
                links.gains,
                links.positions,
                links.rotations,
                links.velocities,
                links.spins,
                self._values,
                self._wide.right,
            ),
            launch(
                bodies.assemble_roots,
                1,
                len(mechanism.roots),
                dt,
                sky.starts,
                sky.firsts,
                sky.ats,
                links.roots,
                links.wanted,
                links.wanted_rotations,
                links.root_gains,
                links.positions,
                links.rotations,
                links.velocities,
                links.spins,
                self._values,
                self._wide.right,
            ),
        ]
        self._assemble = devices.Chain(calls, self._device)

    def bring(self, contacts: Contacts, loose: Loose) -> bool:
        """Take the contacts of this step; the velocities are those that were foreseen. Whether any goes on too fast.

        Where they couple more links than there is room for, `entries` is what is needed: bring them to another one.
        """
        count = len(contacts)
        self._sides.write("count", [count])
        for name, values in (
            ("corners", contacts.nodes.ravel()),
            ("shares", contacts.shares.ravel()),
            ("normals", contacts.normals),
            ("motions", contacts.velocities),
            ("gaps", contacts.gaps),
            ("frictions", contacts.frictions),
            ("bodies", contacts.bodies),
            ("spots", contacts.spots),
        ):
            self._sides.write(name, values)
        if len(loose):
            for name, values in (
                ("masses", loose.masses),
                ("places", loose.centres),
                ("inertia", loose.inertia),
                ("inverses", loose.inverses),
            ):
                self._sides.write(name, values)
        self._build()
        counts = self._sides.read("count")
        self.entries = max(int(counts[3]), self.entries)
        return bool(counts[1] > 0)

    @property
    def has_room(self) -> bool:
        """Whether there is room for what the last contacts couple."""
        return self.entries <= len(self._wide.factor)

    def answer(self) -> int:
        """Change velocities until no contact and no limit is broken; how many passes that took."""
        self._assemble()
        self._respond()
        self._yield()
        return int(self._sides.read("count")[2])

    def pushes(self, count: int) -> Floats:
        """The impulses (m, 3) [N s] of the first contacts."""
        found: Floats = self._sides.read("pushes")[:count].copy()
        return found

    def body_changes(self, size: int) -> Floats:
        """How velocity and spin (B, 6) of the free bodies have changed; the links' system has this `size`."""
        found: Floats = self._sides.read("totals")[size:].reshape(-1, 6).copy()
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
