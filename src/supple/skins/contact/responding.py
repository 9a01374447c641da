"""How a soft character answers contacts and the limits of its joints: both push, neither pulls.

Which of them push is found in a few passes: all that go on too fast are answered as if they could not part; those that
would then pull are let go, those that go on too fast now join, until nothing changes. Where that would go on for long,
none may join any more, and some are left that go on a little too fast; they are lifted out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.skins.contact.bound import LinkArrays, NodeArrays, write_doubles
from supple.skins.contact.contacts import CORNERS, Contacts
from supple.skins.contact.dynamics import Mechanism

_PASSES = 6  # after these none may join any more
_SLACK = 1e-12  # [m/s]: slower than this counts as not going on
_PULLED = 0.2  # share of a broken limit that a step puts right
_UNSEEN = 1e-4  # of the body's largest side: how deep a point may stand inside something without being lifted
_RIGID = 1e-9  # over the lightest mass: how much a contact on the core itself yields


class Responder:
    """Answers up to `room` contacts of one mechanism at a time."""

    def __init__(
        self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, *, room: int, dt: float, device: str
    ) -> None:
        wp = devices.warp()
        c = len(mechanism.joints)

        def made(count: int, kind: Any) -> Any:
            return wp.zeros(count, dtype=kind, device=device)

        self.room, self._device, self._assembled = room, device, False
        self._counts = made(3, wp.int32)
        self._corners, self._shares = made(CORNERS * room, wp.int32), made(CORNERS * room, wp.float64)
        self._normals, self._motions = made(room, wp.vec3d), made(room, wp.vec3d)
        self._skins, self._pushes = made(CORNERS * room, wp.vec3d), made(CORNERS * room, wp.vec3d)
        self._gaps, self._frictions, self._yields, self._wanted, self._begun, self._excess, self._impulses = (
            made(room, wp.float64) for _ in range(7)
        )
        self.gathered = made(room, wp.float64)
        self._active, self._limit_active = made(room, wp.int32), made(c, wp.int32)
        self._limits = made(c, wp.vec3d)
        self._limit_excess, self._limit_impulses = made(c, wp.float64), made(c, wp.float64)
        self._base, self._values, self._factor = (made(links.entries, wp.float64) for _ in range(3))
        self._parts, self._blocks = made(4 * nodes.pair_pieces, wp.mat33d), made(4 * nodes.pairs, wp.mat33d)
        self._pivots, self._right, self._solution = (made(links.size, wp.float64) for _ in range(3))
        self._record(mechanism, nodes, links, dt)
        self._record_links(mechanism, nodes, links, dt)

    def _record(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        from supple.skins.contact import body_kernels as bodies
        from supple.skins.contact import contact_kernels as contacts
        from supple.skins.contact import kernels

        n, k, c, wide = mechanism.node_count, mechanism.link_count, len(mechanism.joints), nodes.carriers
        floor = _RIGID / float(mechanism.link_masses.min())
        slack = _UNSEEN * float(np.ptp(mechanism.rest, axis=0).max())
        sky, own = links, self

        def launch(kernel: Any, count: int, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=512)

        def chain(*calls: Any) -> devices.Chain:
            return devices.Chain(calls, self._device)

        self._prepare = launch(
            contacts.prepare_contacts, 1, own._counts, n, floor, dt, own._corners, own._shares, own._normals,
            own._motions, own._gaps, nodes.masses, nodes.blends, nodes.alone, nodes.paces, nodes.reach, own._skins,
            own._pushes, own._yields, own._wanted, own._begun, own.gathered,
        )  # fmt: skip
        self._find = launch(
            contacts.find_excess, 1, own._counts, c, dt, _PULLED, own._corners, own._shares, own._normals,
            nodes.paces, own._wanted, _SLACK, links.children, links.parents, links.kinds, links.axes, links.lows,
            links.highs, sky.limit_rows, links.turns, links.spins, own._excess, own._active, own._limits,
            own._limit_excess, own._limit_active,
        )  # fmt: skip
        self._try = chain(
            launch(contacts.assemble_contacts, 1, own._counts, c, sky.size, sky.entries, wide, sky.starts, sky.firsts,
                   sky.ats, nodes.links, nodes.shares, nodes.arms, own._corners, own._shares, own._pushes,
                   own._yields, own._excess, own._active, links.children, links.parents, own._limits,
                   own._limit_excess, own._limit_active, sky.limit_rows, own._base, own._values, own._right),
            launch(bodies.factorise, 1, sky.size, sky.entries, sky.firsts, sky.ats, own._values, own._factor,
                   own._pivots),
            launch(bodies.substitute, 1, sky.size, sky.firsts, sky.ats, own._factor, own._pivots, own._right,
                   own._solution),
            launch(contacts.judge_contacts, 1, own._counts, c, wide, _SLACK, sky.starts, nodes.links, nodes.shares,
                   nodes.arms, own._corners, own._shares, own._pushes, own._yields, own._excess, links.children,
                   links.parents, own._limits, own._limit_excess, sky.limit_rows, own._solution, own._active,
                   own._limit_active, own._impulses, own._limit_impulses),
        )  # fmt: skip
        self._apply = chain(
            launch(bodies.take, k, sky.starts, own._solution, links.velocities, links.spins, links.jumps,
                   links.twists),
            launch(kernels.follow, n, wide, nodes.links, nodes.shares, nodes.masses, nodes.arms, nodes.blends,
                   links.jumps, links.twists, nodes.sides),
            launch(contacts.press_skin, 1, own._counts, n, own._corners, own._shares, own._normals, own._motions,
                   own._skins, nodes.nodes, own._impulses, nodes.sides, own.gathered, links.books),
            launch(kernels.give_way, n, nodes.alone, nodes.sides, nodes.flows),
        )  # fmt: skip
        self.rub_and_lift = launch(
            contacts.rub_and_lift, 1, own._counts, n, wide, dt, slack, nodes.links, nodes.shares, nodes.arms,
            nodes.blends, nodes.masses, nodes.nodes, links.velocities, links.spins, own._corners, own._shares,
            own._normals,
            own._motions, own._gaps, own._frictions, own.gathered, own._begun, nodes.flows, nodes.shifts, links.books,
        )  # fmt: skip

    def _record_links(self, mechanism: Mechanism, nodes: NodeArrays, links: LinkArrays, dt: float) -> None:
        """The links' matrix in which the skin gives way as nodes alone do: that of the free step answers too softly."""
        from supple.skins.contact import body_kernels as bodies
        from supple.skins.contact import kernels

        wide, k, sky, own = nodes.carriers, mechanism.link_count, links, self

        def launch(kernel: Any, count: int, *inputs: Any, smallest: int = 32) -> devices.Launch:
            return devices.Launch(kernel, count, inputs, self._device, smallest=smallest)

        calls = [
            launch(kernels.condense, nodes.pair_pieces, wide, nodes.pair_starts, nodes.ones, nodes.others,
                   nodes.shares, nodes.arms, nodes.lone_yields, own._parts),
            launch(kernels.total_blocks, nodes.pairs, nodes.pair_groups, own._parts, own._blocks, smallest=64),
            launch(bodies.assemble_links, 1, k, nodes.pairs, sky.entries, sky.starts, sky.firsts, sky.ats,
                   links.masses, links.moments, links.squares, nodes.pair_links, own._blocks, own._base),
            launch(bodies.assemble_joints, 1, len(mechanism.joints), dt, 0.0, sky.starts, sky.rows, sky.limit_rows,
                   sky.firsts, sky.ats, links.children, links.parents, links.kinds, links.ends, links.axes,
                   links.springs, links.target_turns, links.target_spins, links.gains, links.places, links.turns,
                   links.velocities, links.spins, own._base, own._right),
            launch(bodies.assemble_roots, 1, len(mechanism.roots), dt, sky.starts, sky.firsts, sky.ats, links.roots,
                   links.wanted, links.wanted_turns, links.root_gains, links.places, links.turns, links.velocities,
                   links.spins, own._base, own._right),
        ]  # fmt: skip
        self._assemble = devices.Chain(calls, self._device)

    def bring(self, contacts: Contacts) -> None:
        """Take the contacts of this step; the velocities are those that were foreseen."""
        count = len(contacts)
        shares, normals, motions = (np.zeros((self.room, width)) for width in (CORNERS, 3, 3))
        corners, gaps, frictions = np.zeros((self.room, CORNERS), np.int32), np.zeros(self.room), np.zeros(self.room)
        corners[:count], shares[:count], normals[:count] = contacts.nodes, contacts.shares, contacts.normals
        motions[:count], gaps[:count], frictions[:count] = contacts.velocities, contacts.gaps, contacts.frictions
        self._corners.assign(corners.ravel())
        self._counts.assign(np.array([count, 0, 0], dtype=np.int32))
        for array, values in (
            (self._shares, shares.ravel()), (self._normals, normals), (self._motions, motions), (self._gaps, gaps),
            (self._frictions, frictions),
        ):  # fmt: skip
            write_doubles(array, values)
        self._prepare()
        self._assembled = False

    def answer(self) -> int:
        """Change velocities until no contact and no limit is broken; how many passes that took, 0 if none was."""
        self._find()
        if not self._counts.numpy()[1]:
            return 0
        if not self._assembled:
            self._assemble()
            self._assembled = True
        passes = 0
        while self._counts.numpy()[1]:
            if passes == _PASSES:
                self._counts.assign(np.array([self._counts.numpy()[0], 1, 1], dtype=np.int32))
            self._try()
            passes += 1
        self._apply()
        return passes
