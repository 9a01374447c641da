"""A motion sent over a bad line: late, lost, doubled and out of order, the same way each time."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

import numpy as np

from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.pose import Pose, PoseSource
from supple.settings import Settings, setting


@dataclass(frozen=True, eq=False)
class Arrival:
    """A pose that arrives at `time` [s] and was taken at `sent` [s]."""

    time: float
    sent: float
    pose: Pose


@dataclass(frozen=True, eq=False)
class NoisyReplay(Settings):
    """Send another source of poses over a line as bad as you like, to test what listens to it.

    Poses are taken at the times k / `rate`. Each is lost with probability `loss` and sent twice with probability
    `doubled`. What is sent arrives after a time that is exponentially distributed with mean `jitter`, and `lateness`
    later still with probability `late`; so poses overtake each other. What happens to a pose follows from k and seed
    alone. Noise on the poses themselves is `NoisyMotion`, which can be the source.
    """

    source: PoseSource
    _: KW_ONLY
    rate: float = setting(30.0, "Poses sent", unit="1/s", low=1e-3, high=1e4)
    jitter: float = setting(0.0, "Mean time on the way", unit="s", low=0.0, high=10.0)
    loss: float = setting(0.0, "Share of poses lost", low=0.0, high=1.0)
    doubled: float = setting(0.0, "Share of poses sent twice", low=0.0, high=1.0)
    late: float = setting(0.0, "Share of poses that are late", low=0.0, high=1.0)
    lateness: float = setting(0.3, "How late they are", unit="s", low=0.0, high=60.0)
    seed: int = setting(0, "Which line of many", low=0)

    @property
    def skeleton(self) -> Skeleton:
        """The joints that the poses are for."""
        return self.source.skeleton

    def arrivals(self, seconds: float) -> Iterator[Arrival]:
        """All that arrives of the poses taken from 0 to `seconds`, in the order in which it arrives."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise InputError(
                "NoisyReplay", f"seconds is {seconds}", "zero or more are needed", "pass how long it lasts"
            )
        under_way: list[tuple[float, int, int]] = []
        for tick in range(math.floor(seconds * self.rate + 1e-9) + 1):
            yield from self._landed(under_way, tick / self.rate)
            for copy, delay in enumerate(self._delays(tick)):
                heapq.heappush(under_way, (tick / self.rate + delay, tick, copy))
        yield from self._landed(under_way, math.inf)

    def _landed(self, under_way: list[tuple[float, int, int]], until: float) -> Iterator[Arrival]:
        """What arrives before `until`: nothing that is sent then or later can overtake it."""
        while under_way and under_way[0][0] < until:
            time, tick, _ = heapq.heappop(under_way)
            yield Arrival(time, tick / self.rate, self.source.sample(tick / self.rate))

    def _delays(self, tick: int) -> list[float]:
        """How long every copy of one pose is on its way [s]; nothing for one that is lost."""
        chance = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(tick,)))
        lost, twice = chance.random(2) < [self.loss, self.doubled]
        delays = self.jitter * chance.standard_exponential(2) + self.lateness * (chance.random(2) < self.late)
        return [] if lost else delays[: 2 if twice else 1].tolist()
