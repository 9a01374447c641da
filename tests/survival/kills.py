"""Bakes and farms that are killed at any moment: the bytes at the end are those of an undisturbed one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from supple.farm import farm
from supple.farm.hands import hands_of
from survival.rows import TESTS, Attempt, Said, Trial, simple

BATCH = 10  # bakes of one child, which has loaded everything
LIST = """
farm = { folder = "out", pictures = 0, frames_per_task = 4 }
[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = ["bend", "twist"]
end = 0.5
fps = 24
skin = ["dual-quaternion", "spring-dynamics"]
"""


def killed_bakes(kind: str, words: str, bakes: int) -> Trial:
    """Bakes that are killed again and again until one gets through."""

    def attempt(number: int) -> Said:
        with tempfile.TemporaryDirectory() as folder:
            script = str(TESTS / "scenes" / "killed_bakes.py")
            command = [sys.executable, script, kind, folder, str(BATCH), str(number)]
            path = os.pathsep.join([str(TESTS), str(TESTS / "scenes"), os.environ.get("PYTHONPATH", "")])
            done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
        if done.returncode:
            return Said((done.stderr.splitlines()[-1],) * BATCH, BATCH)
        resumed, equal, kills = (int(word) for word in done.stdout.split())
        return Said(("bytes differ",) * (resumed - equal), resumed, {"kills": kills})

    what = f"bakes killed with SIGKILL, a skin {words}: equal bytes"
    return Trial(what, -(-bakes // BATCH), simple(attempt), told=_kills)


def _kills(figures) -> str:
    return f"{sum(figures.get('kills', [0])):.0f} kills"


@contextlib.contextmanager
def _farms() -> Iterator[Attempt]:
    """Farms of four shots on two processes of this machine, one of which is killed three times while it works."""
    with tempfile.TemporaryDirectory() as name:

        def run(number: int, kills: int) -> tuple[dict[str, bytes], int]:
            own, rng, killed = Path(name) / str(number), np.random.default_rng(number), []
            own.mkdir()
            (own / "shots.toml").write_text(LIST)
            stop = threading.Event()
            with hands_of(None, workers=2) as hands:

                def kill() -> None:
                    while len(killed) < kills and not stop.wait(float(rng.uniform(0.05, 0.6))):
                        there = list(hands.processes)  # type: ignore[attr-defined]
                        if there:
                            process = there[int(rng.integers(len(there)))]
                            os.kill(process.pid, signal.SIGKILL)
                            killed.append(process.pid)

                killer = threading.Thread(target=kill)
                killer.start()
                try:
                    outcome = farm(own / "shots.toml", hands=hands)
                finally:
                    stop.set()
                    killer.join()
            if not outcome.good:
                raise RuntimeError(str([dict(shot.errors) for shot in outcome.shots]))
            baked = {str(path.relative_to(own)): path.read_bytes() for path in (own / "out").rglob("*.supple*")}
            return baked, len(set(killed))

        expected, _ = run(10**6, 0)

        def attempt(number: int) -> Said:
            baked, killed = run(number, 4)
            return Said.of("" if baked == expected else "bytes differ", kills=killed)

        yield attempt


def trials(tries: int) -> list[Trial]:
    """Two hundred kills or more of bakes, and of farms a sixth as many farms with four kills each, for 300 tries."""
    return [
        killed_bakes("stateless", "without a memory", tries // 3),
        killed_bakes("history", "with a memory", tries // 3),
        Trial(
            "farms of four shots and twelve tasks or more whose workers are killed: equal bytes",
            max(tries // 6, 1),
            _farms,
            told=_kills,
        ),
    ]
