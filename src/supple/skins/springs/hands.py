"""Hands on a skin that swings: what each has of it, and the launches with which the skin goes along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.geometry.topology import ring_areas
from supple.skins.pull import Pull, match_hands
from supple.skins.springs.binding import SpringBinding

if TYPE_CHECKING:
    from supple.skins.springs.dynamics_state import SpringMemory
    from supple.skins.springs.state import Springs

_WHERE = "SpringDynamics"
_SMALLEST = 2.5  # edges: a smaller grip would draw single vertices out as spikes
_DETOUR = 1.2  # of the straight way: a way along edges that is this much longer is a straight one
_LONGEST = 0.5  # of the body's longest side: how far skin can be drawn from where the bones carry it
_ROOM = 2.5  # of a hand's offset that skin about it may go: it is held back from half of its room on
_WIDE = 2.0  # times as far as a hand's own skin there is more room
_ALONE = 0.05  # hands whose skin differs less than this share are one hand
_EASE = 0.05  # s: how long a hand takes to where it is told to be at first
_DENSITY = 1000.0  # kg/m^3 of what lies between skin and bone
_HARDEST = 1.0e3  # m/s^2: about a hundred times gravity


@dataclass(frozen=True, eq=False)
class Grip:
    """How firmly (V,) one hand has each vertex, 0 to 1, and how much room (V,) it makes there; by surface distance."""

    falloff: FloatArray
    width: FloatArray

    @classmethod
    def from_pull(cls, binding: SpringBinding, pull: Pull) -> Grip:
        """What a hand takes hold of, by the way over the skin at rest: nothing that only lies close by.

        With d the distance [m] from the place, straight where that way is open, and r the radius, f = (1 - d^2/r^2)^2,
        times what makes it one for the place itself.
        """
        from scipy.sparse.csgraph import dijkstra

        character = binding.attached_skin.character
        edge = binding.attached_skin.surface.edge_length
        radius = max(pull.radius_for(float(character.size.max())), _SMALLEST * edge)
        limit = _DETOUR * (_WIDE * radius + edge)
        path = np.asarray(dijkstra(binding.edge_graph, indices=pull.indices, min_only=True, limit=limit))
        place = pull.barycentric @ character.points[pull.indices]
        straight = np.linalg.norm(character.points - place, axis=1)
        distance = np.where(np.isfinite(path), straight + np.maximum(path - _DETOUR * straight - edge, 0.0), np.inf)
        falloff = np.maximum(1.0 - (distance / radius) ** 2, 0.0) ** 2
        width = np.maximum(1.0 - (distance / (_WIDE * radius)) ** 2, 0.0) ** 2
        return cls(falloff / max(float(pull.barycentric @ falloff[pull.indices]), 1e-6), width)

    def mass(self, binding: SpringBinding) -> float:
        """What a hand that pushes has to move [kg]: about half of what a cylinder between skin and bone would hold."""
        character, hung = binding.attached_skin.character, binding.attached_skin.usual
        volumes = ring_areas(character.points, character.triangles) / 3.0 * hung.rest_lengths / 2.0
        return _DENSITY * max(float(self.falloff @ volumes), 1e-6)


class Hands:
    """Up to eight hands; one that is told to go elsewhere keeps what it has, and gets there when it is told again."""

    def __init__(self, springs: Springs, memory: SpringMemory, rates: Any, parameters: Any, step: float) -> None:
        from supple.skins.springs.kernels import hands as kernels

        wp, most = devices.warp(), kernels.HANDS
        self._kernels, self._springs, self._memory = kernels, springs, memory
        self._rates, self._parameters = rates, parameters
        self._ease = max(round(_EASE / step), 1)
        self._pulls: list[Pull | None] = [None] * most
        self._grips: dict[int, Grip] = {}
        self._since, self._left = np.zeros(most, dtype=int), np.ones(most, dtype=int)
        blank = springs.binding.constants.blank
        self._arrays = kernels.Hands()
        for names, kind in (("kinds fresh", wp.int32), ("fractions progress offsets", wp.float32)):
            for name in names.split():
                setattr(self._arrays, name, blank(most, kind))
        for name in ["goals", "positions", "origins", "velocities", "residuals", "velocity_residuals"]:
            setattr(self._arrays, name, blank(most, wp.vec3f))
        self._arrays.longest = _LONGEST * float(springs.binding.attached_skin.character.size.max())

    def __bool__(self) -> bool:
        return bool(self._grips)

    @property
    def pulls(self) -> list[Pull]:
        """Who holds now."""
        return [pull for pull in self._pulls if pull is not None]

    def hold(self, pulls: Sequence[Pull]) -> bool:
        """Hold these places and no others; says whether any was taken or let go, rather than told to go elsewhere."""
        most = self._kernels.HANDS
        if len(pulls) > most:
            raise InputError(_WHERE, f"{len(pulls)} hands pull", f"there are {most} hands", "let go of some")
        kept, new = match_hands(self._pulls, pulls)
        grips = {hand: grip for hand, grip in self._grips.items() if kept[hand] is not None}
        for hand, pull in enumerate(kept):
            if pull is not None and not np.array_equal(pull.vector, self._told(hand).vector):
                self._left[hand] = max(min(self._since[hand], self._ease), self._left[hand])
                self._since[hand] = 0
        fresh = np.zeros(most, dtype=np.int32)
        for pull in new:
            hand = kept.index(None)
            kept[hand], grips[hand], fresh[hand] = pull, Grip.from_pull(self._springs.binding, pull), 1
            self._left[hand], self._since[hand] = self._ease, 0
        changed = set(grips) != set(self._grips) or bool(fresh.any())
        self._pulls, self._grips = kept, grips
        devices.write(self._arrays.goals, np.array([self._goal(hand) for hand in range(most)]))
        if fresh.any():
            devices.write(self._arrays.fresh, np.maximum(devices.to_host(self._arrays.fresh), fresh))
        if changed and grips:
            self._grasp()
        return changed

    def _told(self, hand: int) -> Pull:
        pull = self._pulls[hand]
        assert pull is not None
        return pull

    def _goal(self, hand: int) -> FloatArray:
        """Where a hand is to be [m], or how it accelerates what it has [m/s^2]."""
        pull = self._pulls[hand]
        if pull is None:
            return np.zeros(3)
        if pull.to is not None:
            return pull.vector
        push = pull.vector / self._grips[hand].mass(self._springs.binding)
        return np.asarray(push * min(1.0, _HARDEST / max(float(np.linalg.norm(push)), 1e-12)))

    def _grasp(self) -> None:
        """Bring to the device what each hand has, and record what happens to it."""
        kernels, wp, springs, arrays = self._kernels, devices.warp(), self._springs, self._arrays
        device, most = springs.device, kernels.HANDS
        falloffs, widths = np.zeros((springs.count, most)), np.zeros((springs.count, most))
        kinds = np.zeros(most, dtype=np.int32)
        for hand, grip in self._grips.items():
            falloffs[:, hand], widths[:, hand] = grip.falloff, _ROOM * grip.width
            kinds[hand] = kernels.HOLDS if self._told(hand).to is not None else kernels.PUSHES
        self._place(falloffs, kinds)
        devices.write(arrays.kinds, kinds)
        held, roomy = np.flatnonzero(falloffs.any(axis=1)), np.flatnonzero(widths.any(axis=1))
        numbers, wide_numbers = (devices.to_device(row.astype(np.int32), wp.int32, device) for row in (held, roomy))
        firm = devices.to_device(falloffs[held].astype(np.float32), kernels.vec8, device)
        wide = devices.to_device(widths[roomy].astype(np.float32), kernels.vec8, device)
        memory, parameters = self._memory, self._parameters
        self._held = numbers, firm
        self._move = devices.Launch(
            kernels.move_hands, most, [springs.all, parameters, springs.points[0], arrays], device
        )
        self._make_room = devices.Launch(
            kernels.make_room, len(roomy), [wide_numbers, wide, arrays, memory.rooms], device
        )
        self._take_along = [self._record(after, numbers, firm) for after in range(2)]

    def _place(self, falloffs: FloatArray, kinds: IntArray) -> None:
        """Bring to the device which places hands have, and what brings all of them to their hands at once."""
        wp, device, most = devices.warp(), self._springs.device, self._kernels.HANDS
        places = [np.empty(0, dtype=np.int32) if pull is None else pull.indices for pull in self._pulls]
        shares = [np.empty(0) if pull is None else pull.barycentric for pull in self._pulls]
        coupling = np.zeros((most, most))
        for hand in np.flatnonzero(kinds == self._kernels.HOLDS):
            coupling[hand] = shares[hand] @ np.where(kinds == self._kernels.HOLDS, falloffs[places[hand]], 0.0)
        starts = np.cumsum([0, *(len(place) for place in places)]).astype(np.int32)
        self._arrays.starts = devices.to_device(starts, wp.int32, device)
        self._arrays.vertices = devices.to_device(np.concatenate(places).astype(np.int32), wp.int32, device)
        self._arrays.shares = devices.to_device(np.concatenate(shares).astype(np.float32), wp.float32, device)
        inverse = np.linalg.pinv(coupling, rcond=_ALONE).astype(np.float32)
        self._arrays.inverse = wp.array(inverse, dtype=wp.float32, device=device)

    def _record(self, after: int, held: Any, falloffs: Any) -> list[Callable[[], object]]:
        """What follows a sweep into buffer `after`."""
        kernels, springs, parameters = self._kernels, self._springs, self._parameters
        points, polars, velocities = springs.points[after], springs.polars[after], self._memory.velocities
        measured = [parameters, points, velocities, self._arrays]
        taken = [springs.all, parameters, held, falloffs, self._arrays, velocities, points, polars]
        return [
            devices.Launch(kernels.measure_residuals, kernels.HANDS, measured, springs.device),
            devices.Launch(kernels.take_along, len(held), taken, springs.device),
        ]

    def begin_step(self) -> None:
        """Move all hands on by a step; the skin was carried along by the bones already."""
        if self._grips:
            devices.write(self._arrays.fractions, 1.0 / self._left)
            self._left, self._since = np.maximum(self._left - 1, 1), self._since + 1
            self._move()
            self._make_room()

    def after_sweep(self, after: int) -> list[Callable[[], object]]:
        """What follows every sweep into buffer `after`, recorded; nothing if nobody holds."""
        return self._take_along[after] if self._grips else []

    def add_forces(self, forces: Any) -> None:
        """Add what hands did in the last sweep to the pulls (V,) of springs."""
        if self._grips:
            inputs = [self._springs.all, self._parameters, *self._held, self._arrays, self._rates, forces]
            devices.Launch(self._kernels.add_hand_forces, len(self._held[0]), inputs, self._springs.device)()
