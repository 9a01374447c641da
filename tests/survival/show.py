"""The show: 60 shots on a Dask cluster of two workers, one of which is killed every 20 seconds.

All are done, with the bytes that `supple bake` gives. `python -m survival.show [--shots 60] [--every 20]` in the folder
of the tests, with a Python that has Dask; as a row of the scorecard with the one that SUPPLE_FARM_PYTHON names.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from survival.rows import TESTS, Said, Trial, simple

SHOTS, EVERY = 60, 20.0  # [s]
MOTIONS = ("walk", "kick", "wave", "jump", "dance")
SKINS = ("dual-quaternion", "spring-dynamics", "position-based", "lattice")
VERTICES = (600, 900, 1200)
LIST = """
farm = {{ folder = "{folder}", pictures = 0, frames_per_task = 16 }}
[[shot]]
name = "show"
character = "hero"
motion = {motions}
skin = {skins}
vertices = {vertices}
fps = 24
end = {end}
"""


def show(shots: int, every: float, end: float) -> dict[str, object]:
    """Farm them while workers are killed, bake them again one by one, and say what came of both."""
    from supple.cli.main import main
    from supple.farm import farm
    from supple.farm.hands import hands_of

    vertices = VERTICES[: max(shots // (len(MOTIONS) * len(SKINS)), 1)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "shots.toml"
        lists = {"motions": MOTIONS, "skins": SKINS, "vertices": vertices}
        path.write_text(LIST.format(folder="out", end=end, **{key: json.dumps(each) for key, each in lists.items()}))
        stop, killed = threading.Event(), []
        with hands_of("local", workers=2) as hands:

            def kill() -> None:
                while not stop.wait(every):
                    nanny = hands.cluster.workers[len(killed) % 2]  # type: ignore[attr-defined]
                    if nanny.pid is not None:
                        os.kill(nanny.pid, signal.SIGKILL)
                        killed.append(nanny.pid)

            killer = threading.Thread(target=kill)
            began = time.perf_counter()
            killer.start()
            try:
                outcome = farm(path, hands=hands)
            finally:
                stop.set()
                killer.join()
            seconds = time.perf_counter() - began
        differ = [f"{shot.shot.name}: {dict(shot.errors)}" for shot in outcome.shots if shot.errors]
        for shot in outcome.shots:
            if shot.errors:
                continue
            own = Path(name) / "own.supple"
            one = shot.shot
            words = ["--vertices", str(one.vertices), "--motion", str(one.motion), "--fps", "24", "--end", str(end)]
            skin = one.graph["stages"][-1]["name"] if one.graph else ""
            if main(["bake", "hero", *words, "--skin", skin, "-o", str(own), "--json"]):
                raise RuntimeError(f"{one.name}: supple bake did not make it")
            if own.read_bytes() != (Path(name) / "out" / one.name / f"{one.name}.supple").read_bytes():
                differ.append(one.name)
            own.unlink()
    return {
        "shots": len(outcome.shots), "tasks": outcome.tasks, "kills": len(killed), "begun again": outcome.begun_again,
        "seconds": seconds, "differ": differ,
    }  # fmt: skip


def attempt(_: int) -> Said:
    """In a process of its own, with a Python that has Dask; no try where there is none."""
    python = os.environ.get("SUPPLE_FARM_PYTHON", sys.executable)
    if python == sys.executable and importlib.util.find_spec("distributed") is None:
        return Said(tries=0)
    path = os.pathsep.join([str(TESTS), str(TESTS / "scenes"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [python, "-m", "survival.show"], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        return Said((done.stderr.splitlines()[-1],), 1)
    said = json.loads(done.stdout.splitlines()[-1])
    return Said(tuple(map(str, said["differ"])), said["shots"], {"kills": said["kills"], "seconds": said["seconds"]})


def trials(tries: int) -> list[Trial]:
    """The one row of this file."""

    def told(figures) -> str:
        return f"{sum(figures['kills']):.0f} kills in {sum(figures['seconds']):.0f} s" if "kills" in figures else ""

    what = (
        f"{SHOTS} shots on a Dask cluster of two workers, one killed every {EVERY:g} s: all done, bytes of supple bake"
    )
    return [Trial(what, 1, simple(attempt), told=told)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m survival.show")
    parser.add_argument("--shots", type=int, default=SHOTS)
    parser.add_argument("--every", type=float, default=EVERY, help="seconds between kills")
    parser.add_argument("--end", type=float, default=1.0, help="seconds of every shot")
    given = parser.parse_args()
    sys.stdout.write(json.dumps(show(given.shots, given.every, given.end)) + "\n")
