"""Rounds of Newton's method over skin that is still pulled, ever less of it.

Where skin folds, springs give way, and one matrix for all poses comes near to balance slowly. Here the matrix is made
of the shape that skin is in (`kernels.newton`). Its linear problem is solved by a few of Jacobi's rounds with
Chebyshev's weights, since what is smooth over many edges has been taken care of before; then vertices that are at rest
drop out, and the others, with those beside them, go on. Who has dropped out comes back when those beside it have moved
and it is pulled again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices

if TYPE_CHECKING:
    from supple.arrays import IntArray
    from supple.skins.springs.state import Springs

_AT_REST = 1.0e-5  # of the distance from the bone: a vertex that is pulled by less, per stiffness, is at rest
_JACOBI = 6  # rounds for one linear problem
_LOWEST, _HIGHEST = 0.2, 2.0  # of H_ii^-1 H: what these rounds take care of; more than two it is never
_SMALLEST, _GROWTH = 128, 1.4  # vertices that recorded lists have room for, and how many times more the next one
_GROWN = 3.0  # times the largest pull: more than skin that snaps over from one fold into another has on its way
_WORTH = 512  # vertices for which another thread is woken


class NewtonSolver:
    """Rounds over the first buffer of some springs, on a processor."""

    def __init__(self, springs: Springs) -> None:
        from supple.skins.springs.kernels import newton

        wp, count, binding = devices.warp(), springs.count, springs.binding
        far = np.maximum(binding.attached_skin.usual.rest_lengths, binding.edge_size)

        def blank(size: int, dtype: Any) -> Any:
            return wp.zeros(size, dtype=dtype, device="cpu")

        self.springs, self._every = springs, np.arange(count, dtype=np.int32)
        self._is_touched = np.zeros(count, dtype=bool)
        self.tolerances = devices.to_device((_AT_REST * far).astype(np.float32), wp.float32, "cpu")
        self.levers, self.moves = blank(count, wp.float32), [blank(count, wp.vec3f) for _ in range(2)]
        self.matrix = [blank(count, wp.vec3f), blank(3 * count, wp.vec3f), blank(3 * len(binding.owners), wp.vec3f)]
        self.residuals, self.found = blank(count, wp.float32), blank(count, wp.int32)
        self._residuals, self._found = self.residuals.numpy(), self.found.numpy()
        measured = [springs.all, springs.polars[0], self.levers]
        self._measure_levers = devices.Launch(newton.measure_levers, count, measured, "cpu")
        self._rounds: dict[int, _NewtonRound] = {}

    def run(self, rounds: int, *, whole: int) -> bool:
        """So many rounds, the first `whole` of them over all vertices; says whether pulls have become smaller."""
        self._measure_levers()
        some, first = self._every, 0.0
        current = self._round_over(some)
        for done in range(rounds + 1):
            if done >= whole:
                touched = some if len(some) == len(self._every) else self._with_rings(some)
                self._round_over(touched).find()
                left = float(self._residuals[touched].max(initial=0.0))
                first = first or left
                if done == rounds:
                    return bool(left <= _GROWN * first)
                some = touched[self._found[touched] != 0]
                if not len(some):
                    return bool(np.isfinite(left))
                current = self._round_over(some)
            current.solve()
        return True

    def _with_rings(self, some: IntArray) -> IntArray:
        """These vertices and those beside them: all whose pulls the last round has changed."""
        around, is_touched = self.springs.binding.around, self._is_touched
        is_touched[:] = False
        is_touched[some] = True
        lengths = around.starts[some + 1] - around.starts[some]
        first = np.repeat(around.starts[some] - np.cumsum(lengths) + lengths, lengths)
        is_touched[around.indices[first + np.arange(len(first))]] = True
        return np.flatnonzero(is_touched).astype(np.int32)

    def _round_over(self, some: IntArray) -> _NewtonRound:
        size = min(_SMALLEST, len(self._every))
        while size < len(some):
            size = min(int(_GROWTH * size) + 1, len(self._every))
        if size not in self._rounds:
            self._rounds[size] = _NewtonRound(self, size)
        self._rounds[size].write(some)
        return self._rounds[size]


class _NewtonRound:
    """The launches of one round over a list of vertices that has room for `size`."""

    def __init__(self, solver: NewtonSolver, size: int) -> None:
        from supple.skins.springs.kernels import newton

        wp, springs = devices.warp(), solver.springs
        some, shape = wp.zeros(size, dtype=wp.int32, device="cpu"), [springs.points[0], springs.polars[0]]
        self._some = some.numpy()

        def launch(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, size, [some, springs.all, *inputs], "cpu", smallest=_WORTH)

        finding = [
            launch(newton.measure_residuals, solver.tolerances, *shape, solver.residuals),
            launch(newton.find_unbalanced, solver.residuals, solver.found),
        ]
        self.find = devices.Chain(finding, "cpu")
        calls = [launch(newton.linearize, *shape, solver.levers, *solver.matrix)]
        scale, radius = 2.0 / (_HIGHEST + _LOWEST), (_HIGHEST - _LOWEST) / (_HIGHEST + _LOWEST)
        weight, (one, other) = 1.0, solver.moves
        for done in range(_JACOBI):
            weight = {0: 1.0, 1: 2.0 / (2.0 - radius**2)}.get(done, 4.0 / (4.0 - radius**2 * weight))
            calls.append(launch(newton.respond, scale, weight, *solver.matrix, one, other))
            one, other = other, one
        calls.append(launch(newton.take_moves, one, other, *shape, solver.levers))
        self.solve = devices.Chain(calls, "cpu")

    def write(self, some: IntArray) -> None:
        """Take these vertices."""
        self._some[: len(some)] = some
        self._some[len(some) :] = -1
