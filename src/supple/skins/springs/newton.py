"""Rounds of Newton's method over skin that is still pulled, ever less of it.

Where skin folds, springs give way, and one matrix for all poses comes near to balance slowly. Here the matrix is made
of the shape that skin is in (`kernels.lanes`). Its linear problem is solved by a few of Jacobi's rounds with
Chebyshev's weights, since what is smooth over many edges has been taken care of before; then vertices that are at rest
drop out, and the others, with those beside them, go on. Who has dropped out comes back when those beside it have moved
and it is pulled again. Once they are few, one thread does all rounds that are left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.skins.springs.groups import LANES, every_vertex, group_count

if TYPE_CHECKING:
    from supple.skins.springs.state import Springs

_AT_REST = 7.0e-6  # of the distance from the bone: a vertex that is pulled by less, per stiffness, is at rest
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
        from supple.skins.springs.kernels import newton, placing

        wp = devices.warp()
        self._springs, self._groups = springs, group_count(springs.count)
        self._some = self._make_rounds()
        self.all = self._of_all(self._some)
        self._counts, self._most, self._largest = self._some.counts.numpy(), _blank(1, wp.int32), _blank(1)
        self._left, self._asked = self._largest.numpy(), self._most.numpy()
        self._shape = [springs.points[0], springs.polars[0]]
        first = devices.fill_struct(self._copy(self._some), touched=self.all.touched)
        self._list_pulled = devices.Launch(newton.drop_out, 1, [springs.all, first, self._largest], "cpu")
        both = [springs.all, self._some]
        self._touch = devices.Launch(newton.touch, 1, both, "cpu")
        self._drop_out = devices.Launch(newton.drop_out, 1, [*both, self._largest], "cpu")
        self._settle = devices.Launch(newton.settle, 1, [self._most, *both, *self._shape, self._largest], "cpu")
        self._measure_all = self._launch(newton.measure_pulls, springs.all, self.all)
        self._solve_all = self._record_round(self.all, self._groups, reach=1.0)
        placed = [springs.all, *self._shape, self._some.states]
        self.moves = _blank(springs.count, wp.vec3f)
        self._shift = self._launch(placing.shift, self.all.pulled, self.moves, *placed)
        self._placed = placed
        self._start: tuple[Any, devices.Launch] | None = None
        self._recorded: dict[tuple[str, int], Callable[[], object]] = {}

    @property
    def forces(self) -> Any:
        """Pulls (V,) as they were measured last."""
        return self._some.forces

    def begin(self, shape: Any) -> None:
        """Take a shape, and measure all pulls."""
        from supple.skins.springs.kernels import placing

        if self._start is None or self._start[0] is not shape:
            self._start = shape, self._launch(placing.start, self.all.pulled, shape, *self._placed)
        self._start[1]()
        self._measure_all()

    def run(self, rounds: int, *, whole: int) -> bool:
        """Take `moves`, then so many rounds, the first `whole` of them over all; whether pulls have become smaller."""
        self._shift()
        for _ in range(whole):
            self._solve_all()
        self._measure_all()
        self._counts[1] = self._springs.count
        self._list_pulled()
        first, left = float(self._left[0]), rounds - whole
        while left > 0 and self._counts[0] > _FEW:
            self._run("solve", int(self._counts[0]))
            self._touch()
            self._run("measure", int(self._counts[1]))
            self._drop_out()
            left -= 1
        if left > 0 and self._counts[0]:
            self._asked[0] = left
            self._settle()
        last = float(self._left[0])
        return bool(np.isfinite(last) and (last <= 1.0 or last <= _GROWN * first))

    def _run(self, what: str, count: int) -> None:
        """Launches recorded for a list of so many, or for somewhat more."""
        from supple.skins.springs.kernels import newton

        groups, size = group_count(count), min(_SMALLEST, self._groups)
        while size < groups:
            size = min(int(_GROWTH * size) + 1, self._groups)
        if (what, size) not in self._recorded:
            self._recorded[what, size] = (
                self._launch(newton.measure_pulls, self._springs.all, self._some, groups=size)
                if what == "measure"
                else self._record_round(self._some, size, reach=_REACH)
            )
        self._recorded[what, size]()

    def _record_round(self, rounds: Any, size: int, *, reach: float) -> devices.Chain:
        """One round over so many groups of those who are pulled."""
        from supple.skins.springs.kernels import newton

        calls = [self._launch(newton.linearize, self._springs.all, rounds, groups=size)]
        radius, weight = (_HIGHEST - _LOWEST) / (_HIGHEST + _LOWEST), 1.0
        one, other = rounds.others, rounds.moves
        for done in range(1, _JACOBI):
            weight = 2.0 / (2.0 - radius**2) if done == 1 else 4.0 / (4.0 - radius**2 * weight)
            calls.append(self._launch(newton.respond, weight, one, other, rounds, groups=size))
            one, other = other, one
        calls.append(self._launch(newton.take_moves, reach, self._springs.all, rounds, *self._shape, groups=size))
        return devices.Chain(calls, "cpu")

    def _launch(self, kernel: Any, *inputs: Any, groups: int | None = None) -> devices.Launch:
        count = self._groups if groups is None else groups
        return devices.Launch(kernel, count, list(inputs), "cpu", smallest=_WORTH)

    def _make_rounds(self) -> Any:
        """Room for lists of any length."""
        from supple.skins.springs.kernels import rounds as kernels

        wp, binding, count, groups = devices.warp(), self._springs.binding, self._springs.count, self._groups
        far = np.maximum(binding.attached_skin.usual.rest_lengths, binding.edge_size)
        rings = np.sort(np.diff(binding.around.starts), kind="stable")[::-1]
        slots = int(rings[:groups].sum())  # more no list can need: one vertex of each group has as many neighbors
        rounds = kernels.Rounds()
        rounds.pulled, rounds.touched = (_blank(count + LANES, wp.int32) for _ in range(2))
        rounds.slots, rounds.marks = _blank(groups + 1, wp.int32), _blank(count, wp.int32)
        rounds.counts = _blank(3, wp.int32)
        rounds.states, rounds.residuals = _blank(8 * count), _blank(count)
        rounds.tolerances = devices.to_device((_AT_REST * far).astype(np.float32), wp.float32, "cpu")
        rounds.forces = _blank(count, wp.vec3f)
        rounds.neighbors, rounds.blocks = _blank(LANES * slots, wp.int32), _blank(9 * LANES * slots)
        rounds.sides, rounds.moves, rounds.others = _blank(9 * LANES * groups), _blank(4 * count), _blank(4 * count)
        rounds.lowest, rounds.highest, rounds.jacobi, rounds.reach = _LOWEST, _HIGHEST, _JACOBI, _REACH
        return rounds

    def _of_all(self, rounds: Any) -> Any:
        """The same for a list of every vertex, which never changes."""
        wp, count = devices.warp(), self._springs.count
        rings = np.zeros(LANES * self._groups, dtype=np.int32)
        rings[:count] = np.diff(self._springs.binding.around.starts)
        every = every_vertex(self._springs)
        return devices.fill_struct(
            self._copy(rounds),
            pulled=every,
            touched=every,
            slots=wp.array(np.cumsum([0, *rings.reshape(-1, LANES).max(axis=1)]), dtype=wp.int32, device="cpu"),
            counts=wp.array([count, count, 0], dtype=wp.int32, device="cpu"),
        )

    def _copy(self, rounds: Any) -> Any:
        from supple.skins.springs.kernels import rounds as kernels

        return devices.fill_struct(kernels.Rounds(), **{name: getattr(rounds, name) for name in kernels.FIELDS})


def _blank(size: int, dtype: Any = None) -> Any:
    wp = devices.warp()
    return wp.zeros(size, dtype=wp.float32 if dtype is None else dtype, device="cpu")
