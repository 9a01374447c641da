"""Hands on the lattice: which nodes each grips, and the launches with which they hold or push."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.character.weighting.tissue import STAIRS
from supple.errors import InputError
from supple.skins.lattice.cells import WHERE, Lattice
from supple.skins.lattice.embedding import Tie
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.solver import Solver
    from supple.skins.lattice.surface import Surface

_VERTICES = 64  # among which the place of one hand may lie
_LONGEST = 0.5  # of the body's longest side: how far flesh can be drawn from where the bones carry it
_HALF_BONE = 0.5  # where less of a place hangs on flesh than this, it comes only a part of the way
_ALONE = 0.05  # hands whose places differ less than this share are one hand
_ROOM = 1.25  # flesh round a place may go this much farther than the place: it does not move as one
_SMALLEST = 1.5  # voxels: a smaller grip would tear at single nodes
_DENSITY = 1000.0  # kg/m^3
_HARDEST = 1.0e4  # m/s^2: about a thousand times gravity
_NOBODY, _NOTHING = np.empty(0, dtype=np.int32), np.empty(0)


@dataclass(frozen=True, eq=False)
class Grip:
    """One hand's grip: the nodes on which its place hangs with their shares, and how firmly (0 to 1) it has others.

    `nodes` and `held` count through all copies of a crowd, `copy` is the one. `flesh` is the share of the place that
    hangs on flesh; the rest is bone, and stays. `pushes` says that it pushes rather than holds.
    """

    nodes: Ints
    shares: Floats
    held: Ints
    firmness: Floats
    flesh: float
    copy: int
    pushes: bool


class Gripping:
    """Where hands can grip one body; `tie` is how its skin hangs on the lattice, `soft` (N,) which nodes can move."""

    def __init__(self, lattice: Lattice, tie: Tie, points: Floats, soft: Any) -> None:
        self._lattice, self._tie, self._points, self._soft = lattice, tie, points, soft

    def grip(self, pull: Pull) -> Grip:
        """What a hand takes hold of, by the way through flesh at rest: nothing that only lies close by.

        With d the distance [m] from the place, straight where that way is open, and r the radius, a node is held by
        (1 - d^2 / r^2)^2, times what makes it one for the place itself; bone is not held.
        """
        from scipy.sparse.csgraph import dijkstra

        lattice, count = self._lattice, len(self._points)
        if len(pull.positions) > _VERTICES:
            raise InputError(
                WHERE,
                f"a pull names {len(pull.positions)} vertices",
                f"it can hold {_VERTICES} at once",
                "name a few, and let the radius do the rest",
            )
        copies, vertices = np.divmod(pull.positions, count)
        if len(set(copies.tolist())) > 1:
            raise InputError(
                WHERE, "a pull names vertices of several characters", "a hand holds one of a crowd", "use more hands"
            )
        spread = pull.portions[:, None] * self._tie.shares[vertices]
        nodes, position = np.unique(self._tie.corners[vertices], return_inverse=True)
        shares: Floats = np.bincount(position.ravel(), spread.ravel(), len(nodes)).astype(np.float64)
        nodes, shares = nodes[shares > 0.0], shares[shares > 0.0]
        radius = max(pull.radius, _SMALLEST * lattice.side)
        straight = np.linalg.norm(lattice.points - pull.portions @ self._points[vertices], axis=1)
        limit = STAIRS * radius / lattice.side + 2.0
        path = lattice.side * np.asarray(dijkstra(lattice.graph, indices=nodes, min_only=True, limit=limit))
        away = straight + np.maximum(path - STAIRS * straight - lattice.side, 0.0)
        bell = np.maximum(1.0 - (away / radius) ** 2, 0.0) ** 2
        bell /= shares @ bell[nodes]
        firmness = np.where(self._soft, bell, 0.0)
        held, first = np.flatnonzero(firmness > 0.0), int(copies[0]) * len(lattice)
        return Grip(
            (nodes + first).astype(np.int32),
            shares,
            (held + first).astype(np.int32),
            firmness[held],
            float(shares @ firmness[nodes]),
            int(copies[0]),
            pull.to is None,
        )


class Hands:
    """Up to eight hands on a lattice on its device; a hand that is told to go elsewhere keeps its grip."""

    def __init__(self, gripping: Gripping, solver: Solver, surface: Surface, size: float) -> None:
        from supple.skins.lattice import hand_kernels

        wp, device, most = devices.warp(), solver.device, hand_kernels.HANDS
        self._kernels = hand_kernels
        self._gripping, self._solver, self._surface = gripping, solver, surface
        self._longest = _LONGEST * size
        self._pulls: list[Pull | None] = [None] * most
        self._grips: dict[int, Grip] = {}
        self._ways = np.zeros((most, 3))
        self._mine = np.zeros(most, dtype=np.int32)
        nodes, width = solver.count, surface.tie_width
        self._firmness = wp.zeros(nodes, dtype=hand_kernels.vec8, device=device)
        self._inverse = wp.zeros((most, most), dtype=wp.float32, device=device)
        self._kinds, self._fresh, self._copies = (wp.zeros(most, dtype=wp.int32, device=device) for _ in range(3))
        self._starts, self._vertex_starts = (wp.zeros(most + 1, dtype=wp.int32, device=device) for _ in range(2))
        self._stretches, self._reaches = (wp.zeros(most, dtype=wp.float32, device=device) for _ in range(2))
        self._nodes, self._vertices = (
            wp.zeros(most * _VERTICES * each, dtype=wp.int32, device=device) for each in (width, 1)
        )
        self._shares, self._portions = (
            wp.zeros(most * _VERTICES * each, dtype=wp.float32, device=device) for each in (width, 1)
        )
        self._trust = wp.ones(1, dtype=wp.float32, device=device)
        self._loose = wp.zeros_like(surface.points)
        self._wanted, self._forces, self._missing, self._ties, self._positions, self._speeds = (
            wp.zeros(most, dtype=wp.vec3f, device=device) for _ in range(6)
        )

    def take(self, pulls: Sequence[Pull]) -> None:
        """Hold these places and no others; a place that was held already stays in the same hand."""
        most = self._kernels.HANDS
        if len(pulls) > most:
            raise InputError(WHERE, f"{len(pulls)} hands pull", f"there are {most} hands", "let go of some")
        new = list(pulls)
        kept: list[Pull | None] = []
        for old in self._pulls:
            kept.append(next((pull for pull in new if old is not None and _same_position(pull, old)), None))
            if kept[-1] is not None:
                new.remove(kept[-1])
        grips = {hand: grip for hand, grip in self._grips.items() if kept[hand] is not None}
        fresh = np.zeros(most, dtype=np.int32)
        for pull in new:
            hand = kept.index(None)
            kept[hand], grips[hand], fresh[hand] = pull, self._gripping.grip(pull), 1
        changed = set(grips) != set(self._grips) or bool(fresh.any())
        self._pulls, self._grips = kept, grips
        self._ways = np.array([np.zeros(3) if pull is None else pull.way for pull in self._pulls])
        if changed:
            self._write_grips()
        self._write_forces()
        if fresh.any():
            devices.write(self._fresh, fresh)
            self._see()()

    def aim(self, origins: Floats) -> None:
        """Tell the hands where they are wanted, as seen from the origins (copies, 3) [m] of this step."""
        if self._grips:
            devices.write(self._wanted, self._ways - origins[self._mine])

    def open(self) -> None:
        """Let go of everything at once, and forget it."""
        self.take(())
        self._solver.helps.zero_()
        self._trust.fill_(1.0)

    def before(self) -> list[Callable[[], object]]:
        """Recorded: hands move, and nodes learn what they do to them."""
        kernels, flesh = self._kernels, self._solver
        tied = [self._starts, self._nodes, self._shares]
        hands = [self._kinds, self._copies, flesh.shifts, self._wanted, *tied, flesh.kinematic, self._ties]
        moved = [self._stretches, self._positions, self._speeds, self._reaches]
        nodes = [flesh.knobs, self._kinds, self._forces, self._reaches, self._firmness, flesh.helps]
        return [
            self._by_hand(kernels.move_hands, flesh.knobs, self._longest, *hands, *moved),
            devices.Launch(kernels.help_nodes, flesh.count, nodes, flesh.device),
        ]

    def after(self) -> list[Callable[[], object]]:
        """Recorded: held places are brought to their hands."""
        kernels, flesh = self._kernels, self._solver
        tied = [self._starts, self._nodes, self._shares, flesh.positions]
        drawn = [self._inverse, self._missing, flesh.layers, self._firmness, flesh.positions]
        return [
            self._by_hand(kernels.feel_places, self._kinds, *tied, self._ties, self._positions, self._missing),
            devices.Launch(kernels.draw_nodes, flesh.count, drawn, flesh.device),
        ]

    def at_last(self, keep_volume: Callable[[], object] | None) -> list[Callable[[], object]]:
        """Recorded: hands see where the skin has come to, whose volume is kept only while nobody draws flesh out."""
        if keep_volume is None:
            return [self._see()]
        wp, kernels, flesh, skin = devices.warp(), self._kernels, self._solver, self._surface.points
        trust = [flesh.knobs, self._kinds, self._trust]
        return [
            devices.Launch(kernels.trust_volume, 1, trust, flesh.device),
            lambda: wp.copy(self._loose, skin),
            keep_volume,
            devices.Launch(kernels.mix_volume, len(skin), [self._trust, self._loose, skin], flesh.device),
            self._see(),
        ]

    def _see(self) -> devices.Launch:
        kernels, flesh = self._kernels, self._solver
        tied = [self._starts, self._nodes, self._shares, flesh.positions]
        seen = [self._vertex_starts, self._vertices, self._portions, self._surface.points]
        who = [self._kinds, self._fresh, self._copies, flesh.origins]
        return self._by_hand(kernels.see_places, *who, *tied, *seen, self._ties, self._positions, self._speeds)

    def _by_hand(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, self._kernels.HANDS, inputs, self._solver.device)

    def _write_grips(self) -> None:
        """Bring to the device which nodes are held, and what brings all held places to their hands at once."""
        most, holds, pushes = self._kernels.HANDS, self._kernels.HOLDS, self._kernels.PUSHES
        kinds = np.zeros(most, dtype=np.int32)
        self._mine = np.zeros(most, dtype=np.int32)
        firmness = np.zeros((self._solver.count, most), dtype=np.float32)
        among, stretches = np.zeros((most, most)), np.zeros(most)
        for hand, grip in self._grips.items():
            kinds[hand] = pushes if grip.pushes else holds
            self._mine[hand] = grip.copy
            firmness[grip.held, hand] = grip.firmness
        for hand, grip in self._grips.items():
            if grip.pushes:
                continue
            stretch = grip.flesh / max(grip.flesh, _HALF_BONE) ** 2
            stretches[hand] = _ROOM * stretch
            if stretch > 0.0:
                among[hand] = grip.shares @ np.where(kinds == holds, firmness[grip.nodes], 0.0) / (grip.flesh * stretch)
        devices.write(self._inverse, np.linalg.pinv(among, rcond=_ALONE))
        devices.write(self._stretches, stretches)
        devices.write(self._kinds, kinds)
        devices.write(self._copies, self._mine)
        devices.write(self._firmness, firmness)
        nodes = [self._grips[hand].nodes if hand in self._grips else _NOBODY for hand in range(most)]
        shares = [self._grips[hand].shares if hand in self._grips else _NOTHING for hand in range(most)]
        vertices = [_NOBODY if pull is None else pull.positions for pull in self._pulls]
        portions = [_NOTHING if pull is None else pull.portions for pull in self._pulls]
        _write_rows(self._starts, self._nodes, self._shares, nodes, shares)
        _write_rows(self._vertex_starts, self._vertices, self._portions, vertices, portions)

    def _write_forces(self) -> None:
        """What a force does to a node that is held fully [m/s^2]: it is shared by the mass of all that is held."""
        forces = np.zeros((self._kernels.HANDS, 3))
        for hand, grip in self._grips.items():
            if grip.pushes:
                mass = _DENSITY * self._solver.side**3 * max(float(grip.firmness.sum()), 1.0)
                push = self._ways[hand] / mass
                forces[hand] = push * min(1.0, _HARDEST / max(float(np.linalg.norm(push)), 1.0e-12))
        devices.write(self._forces, forces)


def _same_position(one: Pull, other: Pull) -> bool:
    """Whether one is the other with another target or force."""
    return (
        (one.to is None) == (other.to is None)
        and one.radius == other.radius
        and np.array_equal(one.positions, other.positions)
        and np.array_equal(one.portions, other.portions)
    )


def _write_rows(starts: Any, numbers: Any, shares: Any, rows: list[Ints], parts: list[Floats]) -> None:
    """Write rows of numbers and shares one after another into arrays of fixed length."""
    flat, values = np.zeros(len(numbers), dtype=np.int32), np.zeros(len(shares))
    ends = np.cumsum([0, *(len(row) for row in rows)])
    flat[: ends[-1]], values[: ends[-1]] = np.concatenate(rows), np.concatenate(parts)
    devices.write(starts, ends.astype(np.int32))
    devices.write(numbers, flat)
    devices.write(shares, values)
