"""A week of play: memory stays flat, clocks stay true, and on Sunday the skin does what it did on Monday.

The clock goes through all 10 080 minutes. Of every minute half a second is played, in 15 steps of 1/30 s; then the
memory of the skin is taken out, its clock is set to the next minute, and it is put back, as a checkpoint would be.
"""

from __future__ import annotations

import dataclasses
import gc
import os
from pathlib import Path

import numpy as np

import supple
from supple.skins.base import AnySkin
from survival.flesh import NEAR, TUBE, away, soft_skins
from survival.rows import Said, Trial, simple

MINUTES, EVERY, STEPS, STEP = 7 * 24 * 60, 60.0, 15, 1.0 / 30.0
FLAT = 2.0  # [MB] that memory may grow by from the end of the first day to that of the last


def megabytes() -> float:
    """What this process has in memory; nothing where the system does not say."""
    path = Path("/proc/self/statm")
    return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if path.exists() else 0.0


def played(skin: AnySkin) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """How the second minute and the last one end, and the memory at the end of every day."""
    player, source = supple.player(TUBE, skin), _Repeated(supple.motion("bend", TUBE), EVERY)
    memory: list[float] = []
    second = points = np.zeros(0)
    for minute in range(MINUTES):
        if minute:
            kept = player.snapshot()
            late = {name: np.asarray(minute * EVERY - STEP) for name in kept if name.rpartition(".")[2] == "time"}
            player.restore({**kept, **late, "tick": np.asarray(round(minute * EVERY / STEP) - 1)})
        for step in range(STEPS):
            points = player.play(source, minute * EVERY + step * STEP)
        second = points if minute == 1 else second
        if (minute + 1) % (24 * 60) == 0:
            gc.collect()
            memory.append(megabytes())
    return second, points, memory


class _Repeated:
    """A motion that begins anew in every minute."""

    def __init__(self, motion: supple.Motion, every: float) -> None:
        self._motion, self._every, self.skeleton = motion, every, motion.skeleton

    def sample(self, time: float) -> supple.Pose:
        return self._motion.sample(time % self._every)


def week() -> Trial:
    """Every soft skin as it comes."""
    skins = [(name, skin) for name, skin in soft_skins().items() if "," not in name]

    def attempt(number: int) -> Said:
        name, skin = skins[number]
        second, last, memory = played(dataclasses.replace(skin, step=STEP))
        grown, far = memory[-1] - memory[0], away(last, second)
        if not far < NEAR:
            return Said.of(f"{name}: {far:.2%} of the size off at the end of the week", grown=grown)
        return Said.of("" if grown < FLAT else f"{name}: {grown:.1f} MB more at its end", grown=grown, off=far)

    def told(figures):
        off = max(figures.get("off", [np.nan]))
        return f"memory {max(figures['grown']):+.1f} MB at most, skin off by {100 * off:.2g} % of the size at most"

    what = "a week of play, half a second of each of its 10 080 minutes, every soft skin: flat memory, the same skin"
    return Trial(what, len(skins), simple(attempt), told=told)
