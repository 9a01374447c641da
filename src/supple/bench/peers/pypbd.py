"""The same constraints in PositionBasedDynamics, the C++ library of the method's authors, through its Python module."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from supple.arrays import FloatArray
from supple.bench.timing import Timing
from supple.skins.position_based.body.constraints import Constraints

_INSTANT = 1e-8  # s; in so short a step gravity, which cannot be switched off from Python, moves nothing
_SIXTHS = 6.0
_PROJECTION = "position constraints projection"  # the library's own clock around its solve


def installed() -> bool:
    """Whether the library's module can be imported here."""
    from importlib.util import find_spec

    return find_spec("pypbd") is not None


def name() -> str:
    """What to call it in a table."""
    from importlib.metadata import version

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"pypbd {version('pypbd')}, {os.environ.get('OMP_NUM_THREADS', cores)} threads"


class ReferenceSolver:
    """Volumes and edges of a body, all masses equal, projected in the library's own order and in double precision.

    It sorts constraints into groups that share no particle and runs each group on all cores. Volumes are added first,
    so that they come first in every iteration where the groups allow it. Its volume projection divides the volume by
    six but not its gradient, and so takes away a sixth of the error; six times the stiffness makes it the same move.

    Limits: there is one simulation in a process, so a new solver ends the one before.
    """

    def __init__(self, constraints: Constraints, *, volume: float, stretch: float, iterations: int) -> None:
        import pypbd

        simulation = pypbd.Simulation.getCurrent()
        if simulation.getModel() is None:
            simulation.initDefault()
        simulation.getModel().cleanup()
        pypbd.TimeManager.getCurrent().setTimeStepSize(_INSTANT)
        self._model, self._stepper = simulation.getModel(), simulation.getTimeStep()
        for option, value in (("MAX_ITERATIONS", iterations), ("MAX_ITERATIONS_V", 0), ("NUM_SUB_STEPS", 1)):
            self._stepper.setValueUInt(getattr(pypbd.TimeStepController, option), value)
        corners = constraints.corners.astype(np.uint32)
        self._model.addTetModel(constraints.points, corners.reshape(-1))
        for element in corners.tolist():
            self._model.addVolumeConstraint(*element, _SIXTHS * volume)
        for edge in constraints.ends.tolist():
            self._model.addDistanceConstraint(*edge, stretch)
        self._model.initConstraintGroups()
        self._particles = self._model.getParticles()

    def solve(self, start: FloatArray) -> FloatArray:
        """Where the particles (P, 3) are after all iterations from `start`, at rest before."""
        self._solve(start)
        return np.array(self._particles.getVertices(), dtype=np.float64).reshape(-1, 3)

    def frame(self, start: FloatArray, *, repeats: int = 40, most_seconds: float = 5.0) -> Timing:
        """Seconds of the projection alone, by the library's own clock; placing the particles is not counted."""
        self._solve(start)
        taken: list[float] = []
        while len(taken) < repeats and (len(taken) < 3 or sum(taken) < most_seconds):
            taken.append(self._solve(start))
        low, middle, high = np.percentile(taken, [25.0, 50.0, 75.0])
        return Timing(float(middle), float(low), float(high))

    def _solve(self, start: FloatArray) -> float:
        still = np.zeros(3)
        for number, position in enumerate(start):
            self._particles.setPosition(number, position)
            self._particles.setVelocity(number, still)
        before = self._clock()
        self._stepper.step(self._model)
        return self._clock() - before

    @staticmethod
    def _clock() -> float:
        """Seconds the library has spent in projections so far."""
        import pypbd

        clocks: list[Any] = list(pypbd.Timing.m_averageTimes.values())
        return 1e-3 * sum(clock.totalTime for clock in clocks if clock.name == _PROJECTION)
