"""Rounds of Newton's method over skin that is still pulled, ever less of it.

Where skin folds, springs give way, and one matrix for all poses comes near to balance slowly. Here the matrix is made
of the shape that skin is in (`kernels.lanes`). Its linear problem is solved by a few of Jacobi's rounds with
Chebyshev's weights, since what is smooth over many edges has been taken care of before; then vertices that are at rest
drop out, and the others, with those beside them, go on. Who has dropped out comes back when those beside it have moved
and it is pulled again. Once they are few, one thread does all rounds that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.skins.springs.groups import LANES, group_count

if TYPE_CHECKING:
    from supple.skins.springs.state import Springs

_AT_REST = 1.0e-5  # of the distance from the bone: a vertex that is pulled by less, per stiffness, is at rest
_JACOBI = 6  # rounds for one linear problem; even, so that moves end where they began
_LOWEST, _HIGHEST = 0.2, 2.0  # of H_ii^-1 H: what these rounds take care of; more than two it is never
_REACH = 1.25  # times the move that H says, of rounds over few: a run of 1 to 1.5 on a body that folds chose it
_SMALLEST, _GROWTH = 64, 1.2  # groups that recorded launches have room for, and how many times more the next ones
_FEW = 1000  # vertices below which waking another thread costs more than it helps
_GROWN = 3.0  # times the largest pull: more than skin that snaps over from one fold into another has on its way
_WORTH = 64  # groups for which another thread is woken


class NewtonSolver:
    """Rounds over the first buffer of some springs, on a processor."""

    def __init__(self, springs: Springs) -> None:
        from supple.skins.springs.kernels import lanes, newton

        wp, count = devices.warp(), springs.count
        binding = springs.binding
        far = np.maximum(binding.attached_skin.usual.rest_lengths, binding.edge_size)
        rings = np.sort(np.diff(binding.around.starts), kind="stable")[::-1]
        groups = group_count(count)
        slots = int(rings[:groups].sum())  # more no list can need: one vertex of each group has as many neighbors

        def blank(size: int, dtype: Any = wp.float32) -> Any:
            return wp.zeros(size, dtype=dtype, device="cpu")

        self._springs, self._groups = springs, groups
        self.rounds = rounds = newton.Rounds()
        rounds.pulled, rounds.touched = (blank(count + LANES, wp.int32) for _ in range(2))
        rounds.slots, rounds.marks = blank(groups + 1, wp.int32), blank(count, wp.int32)
        rounds.counts = blank(3, wp.int32)
        rounds.states, rounds.residuals = blank(8 * count), blank(count)
        rounds.tolerances = devices.to_device((_AT_REST * far).astype(np.float32), wp.float32, "cpu")
        rounds.forces = blank(count, wp.vec3f)
        rounds.neighbors, rounds.blocks = blank(LANES * slots, wp.int32), blank(9 * LANES * slots)
        rounds.sides, rounds.moves, rounds.others = blank(9 * LANES * groups), blank(4 * count), blank(4 * count)
        rounds.lowest, rounds.highest, rounds.jacobi, rounds.reach = _LOWEST, _HIGHEST, _JACOBI, _REACH
        self._counts, self._most, self._largest = rounds.counts.numpy(), blank(1, wp.int32), blank(1)
        self._left, self._asked = self._largest.numpy(), self._most.numpy()
        both, shape = [springs.all, rounds], [springs.points[0], springs.polars[0]]
        self._take_states = devices.Launch(lanes.take_states, count, [springs.all, *shape, rounds.states], "cpu")
        self._list_all = devices.Launch(newton.list_all, 1, both, "cpu")
        self._touch = devices.Launch(newton.touch, 1, both, "cpu")
        self._drop_out = devices.Launch(newton.drop_out, 1, [*both, self._largest], "cpu")
        self._settle = devices.Launch(newton.settle, 1, [self._most, *both, *shape, self._largest], "cpu")
        self._recorded: dict[tuple[str, int], devices.Chain] = {}

    @property
    def forces(self) -> Any:
        """Pulls (V,) as they were measured last."""
        return self.rounds.forces

    def begin(self) -> None:
        """Take the shape that is in the first buffer, and measure all pulls."""
        self._list_all()
        self._take_states()
        self._measure(self._groups * LANES)

    def run(self, rounds: int, *, whole: int) -> bool:
        """So many rounds, the first `whole` of them over all vertices; says whether pulls have become smaller."""
        self._take_states()
        for _ in range(whole):
            self._run("solve all", self._groups * LANES)
        self._measure(self._groups * LANES)
        self._drop_out()
        first, left = float(self._left[0]), rounds - whole
        while left > 0 and self._counts[0] > _FEW:
            self._run("solve", int(self._counts[0]))
            self._touch()
            self._measure(int(self._counts[1]))
            self._drop_out()
            left -= 1
        if left > 0 and self._counts[0]:
            self._asked[0] = left
            self._settle()
        last = float(self._left[0])
        return bool(np.isfinite(last) and (last <= 1.0 or last <= _GROWN * first))

    def _measure(self, count: int) -> None:
        """Pulls on a list of so many."""
        self._run("measure", count)

    def _run(self, what: str, count: int) -> None:
        """Launches recorded for a list of so many, or for somewhat more."""
        groups, size = group_count(count), min(_SMALLEST, self._groups)
        while size < groups:
            size = min(int(_GROWTH * size) + 1, self._groups)
        if (what, size) not in self._recorded:
            self._recorded[what, size] = self._record(what, size)
        self._recorded[what, size]()

    def _record(self, what: str, size: int) -> devices.Chain:
        from supple.skins.springs.kernels import newton

        rounds, springs = self.rounds, self._springs

        def launch(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, size, list(inputs), "cpu", smallest=_WORTH)

        if what == "measure":
            return devices.Chain([launch(newton.measure_pulls, springs.all, rounds)], "cpu")
        calls = [launch(newton.linearize, springs.all, rounds)]
        radius, weight = (_HIGHEST - _LOWEST) / (_HIGHEST + _LOWEST), 1.0
        one, other = rounds.others, rounds.moves
        for done in range(1, _JACOBI):
            weight = 2.0 / (2.0 - radius**2) if done == 1 else 4.0 / (4.0 - radius**2 * weight)
            calls.append(launch(newton.respond, weight, one, other, rounds))
            one, other = other, one
        reach = 1.0 if what == "solve all" else _REACH
        calls.append(launch(newton.take_moves, reach, springs.all, rounds, springs.points[0], springs.polars[0]))
        return devices.Chain(calls, "cpu")
