"""One step of springs in time with one look at all pulls, however stiff they are (`kernels.implicit`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray
from supple.skins.springs.balance import couplings
from supple.skins.springs.groups import record_limits, record_pulls
from supple.skins.springs.state import Springs

if TYPE_CHECKING:
    from supple.skins.springs.dynamics_state import SpringMemory

_LIGHTER = 3.0  # see `shares`
_MOST = 0.99  # of all vertices: how many answer their pulls in all rounds as they should
_PATIENCE = 1.8 / 8.0  # rounds for every sweep asked for, of those that leave a third
_STIFF = 4.0  # rate h, from which on skin is made heavier still
_HEAVIER = 1.5


def shares(rates: Float32Array, step: float) -> FloatArray:
    """How much (V,) of its springs' stiffness a vertex is made heavier by; none where it is loose.

    Springs are at most half as stiff as `total`, and K at least half as stiff as they are, so that 1/2 - 4 / (rate h)^2
    would do for small moves; a quarter less is taken off. Where edges are so short beside the limb that skin would
    swing many times in a step, as on buckles and laces, a move is many edges long, and springs that it turns and
    presses are stiffer than at rest: there it is made heavier by up to four times that.
    """
    x = np.maximum(rates.astype(np.float64) * step, 1e-6)
    enough = np.clip(0.5 - _LIGHTER / x**2, 0.0, 0.5)
    return np.asarray(enough + _HEAVIER * np.clip(1.0 - (_STIFF / x) ** 2, 0.0, 1.0))


class ImplicitStep:
    """The launches of one step over the first buffer of some springs."""

    def __init__(
        self, springs: Springs, memory: SpringMemory, *, looseness: Any, fadings: Any, max_offsets: Any, parameters: Any
    ) -> None:
        from supple.skins.springs.kernels import implicit as kernels

        wp, blank, count = devices.warp(), springs.binding.constants.blank, springs.count
        self._springs = springs
        self._couplings, self._along = blank(len(springs.edges), wp.float32), blank(count, wp.float32)
        self._forces, self._inverses = blank(count, wp.vec3f), blank(count, wp.float32)
        self._answers = [blank(count, wp.vec3f) for _ in range(2)]
        self._shares, self.rates = blank(count, wp.float32), blank(count, wp.float32)
        self._rounds, self._radius = 1, 0.0
        matrix = [self._shares, self._along, self._forces, self._inverses, self._answers[0]]
        responding = [springs.all, self.rates, parameters, *matrix]
        self._responding = [*record_pulls(springs, self._forces), self._launch(kernels.respond, responding)]
        limited = blank(count, wp.vec3f)
        self._limiting = record_limits(springs, memory, looseness=looseness, parameters=parameters, limited=limited)
        self._stepping = [springs.all, self.rates, max_offsets, memory.rooms, parameters, limited, memory.velocities]
        self._parameters, self._fadings, self._velocities = parameters, fadings, memory.velocities
        self._runs: devices.Chain | None = None

    def tune(self, rates: Float32Array, step: float, iterations: int) -> None:
        """Take the stiffness that springs have, how fast (V,) [1/s] skin answers them, and the step [s].

        More `iterations` are more rounds.
        """
        binding, own = self._springs.binding, shares(rates, step)
        both = np.maximum(own[binding.owners], own[binding.around.indices])
        edges, rows = couplings(binding, self._springs.tuned)
        devices.write(self._couplings, both * edges)
        devices.write(self._along, np.bincount(binding.owners, both * rows, len(own)))
        devices.write(self._shares, own)
        tuned = self._springs.tuned
        mass = tuned.total / np.maximum(rates.astype(np.float64) * step, 1e-6) ** 2
        ring, diagonal = (np.bincount(binding.owners, both * each, len(own)) for each in (edges, rows))
        spread = ring / np.maximum(diagonal + mass + 0.5 * own * tuned.bone.sum(axis=1), 1e-12)
        self._radius = float(np.clip(np.quantile(spread, _MOST) if len(spread) else 0.0, 0.5, 0.999))
        self._rounds = math.ceil(_PATIENCE * iterations / math.sqrt(2.0 * (1.0 - self._radius)))
        self._runs = None

    def run(self) -> None:
        """One step on."""
        if self._runs is None:
            self._runs = self._record(self._rounds)
        self._runs()

    def _record(self, rounds: int) -> devices.Chain:
        from supple.skins.springs.kernels import implicit as kernels

        springs, (one, other) = self._springs, self._answers
        launches = list(self._responding)
        ring, weight = [springs.all.starts, springs.all.others, self._couplings], 1.0
        for done in range(rounds):
            weight = {0: 1.0, 1: 2.0 / (2.0 - self._radius**2)}.get(done, 4.0 / (4.0 - self._radius**2 * weight))
            inputs = [*ring, weight, self._forces, self._inverses, one, other]
            launches.append(self._launch(kernels.spread, inputs))
            one, other = other, one
        launches += [
            self._launch(kernels.accelerate, [self._parameters, self._fadings, one, self._velocities]),
            *self._limiting,
            self._launch(kernels.step, [*self._stepping, springs.points[0], springs.polars[0]]),
        ]
        return devices.Chain(launches, springs.device)

    def _launch(self, kernel: Any, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self._springs.count, inputs, self._springs.device)
