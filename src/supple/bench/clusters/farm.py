"""A farm: what a task costs beside its work, and how much sooner two workers are done than one.

Light shots show the overhead: the same bakes, measures and exports are made by plain calls in this process, and by a
worker that is warm. Shots of some seconds show the speed-up, from the call to the page, with the start of all workers.
Every worker has one thread.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from supple.bench.rows import Row
from supple.device import use_threads
from supple.farm import Outcome, farm, load_shots
from supple.farm.hands import Hands, hands_of
from supple.farm.opening import opened
from supple.graph.bake import bake
from supple.measure.measuring import measure

ROOM = "farm"
_LIGHT = """
farm = {{ folder = "{folder}", pictures = 0 }}
[[shot]]
name = "light"
character = "tube"
vertices = 500
motion = ["bend", "twist"]
end = 0.2
fps = [24, 25, 30, 48, 50]
skin = ["linear", "dual-quaternion"]
outputs = ["npz"]
"""
_SHOTS = """
farm = {{ folder = "{folder}", pictures = 0 }}
[[shot]]
name = "shot"
character = "hero"
vertices = {vertices}
motion = ["walk", "kick", "wave"]
end = {end}
fps = [24, 25, 30, 48, 50]
skin = ["dual-quaternion", "spring-dynamics", "position-based", "lattice"]
outputs = ["npz"]
"""


def rows(
    progress: Callable[[str], None], *, device: str = "cpu", vertices: int = 3000, end: float = 2.0
) -> Iterator[Row]:
    """Overhead and speed-up on the cores of this machine, and on Dask where it is installed."""
    clusters: dict[str, str | None] = {"processes of this machine": None}
    if importlib.util.find_spec("distributed") is not None:
        clusters["Dask on this machine"] = "local"
    else:
        progress("Dask is not installed (pip install 'supple[farm]'), so only processes of this machine are timed")
    for name, cluster in clusters.items():
        yield from _overhead(progress, name, cluster)
    yield _bare(progress)
    for name, cluster in clusters.items():
        yield from _speed_up(progress, name, cluster, vertices=vertices, end=end)


def _overhead(progress: Callable[[str], None], name: str, cluster: str | None) -> Iterator[Row]:
    """What a task takes, beside the same work by plain calls."""
    progress(f"what a task costs: {name}")
    with TemporaryDirectory() as folder, hands_of(cluster, workers=1) as hands:
        _plain(folder, "first")
        _farmed(folder, "warm", hands)
        plain = _plain(folder, "plain")
        began = time.perf_counter()
        outcome = _farmed(folder, "farm", hands)
        farmed = time.perf_counter() - began
        began = time.perf_counter()
        _farmed(folder, "farm", hands)
        found = time.perf_counter() - began
    scene = f"{len(outcome.shots)} light shots, {outcome.tasks} tasks, one worker, {name}"
    more = (farmed - plain) / outcome.tasks
    note = f"{1e3 * more:.0f} ms more than the same work by plain calls"
    yield Row(ROOM, scene, "a task, its share of the page in it", farmed / outcome.tasks, note=note)
    yield Row(ROOM, scene, "a task that is there already", found / outcome.tasks)


def _bare(progress: Callable[[str], None]) -> Row:
    """Two programs that share nothing, beside one: no farm is better than that, and where others work it is below 2."""
    progress("two programs that share nothing")
    command = [sys.executable, "-c", "sum(number * number for number in range(20_000_000))"]
    taken = {}
    for count in (1, 2):
        began = time.perf_counter()
        for process in [subprocess.Popen(command) for _ in range(count)]:
            process.wait()
        taken[count] = time.perf_counter() - began
    note = f"{2.0 * taken[1] / taken[2]:.2f} times the work of one in the same time: what this machine has to give"
    return Row(ROOM, "two programs that share nothing", "both at once", taken[2], note=note)


def _speed_up(
    progress: Callable[[str], None], name: str, cluster: str | None, *, vertices: int, end: float
) -> Iterator[Row]:
    """From the call to the page, by one worker and by two."""
    taken = {}
    for workers in (1, 2):
        progress(f"{workers} of {name}")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "shots.toml"
            path.write_text(_SHOTS.format(folder="out", vertices=vertices, end=end), encoding="utf-8")
            began = time.perf_counter()
            outcome = _good(farm(path, cluster=cluster, workers=workers))
            taken[workers] = time.perf_counter() - began
        scene = f"{len(outcome.shots)} shots of hero-{vertices}, {outcome.tasks} tasks, {name}"
        note = "" if workers == 1 else f"{taken[1] / taken[2]:.2f} times as fast as one"
        yield Row(ROOM, scene, f"{workers} worker{'s' if workers > 1 else ''}, start and page in it", taken[workers],
                  note=note)  # fmt: skip


def _farmed(folder: str, out: str, hands: Hands) -> Outcome:
    path = Path(folder) / "shots.toml"
    path.write_text(_LIGHT.format(folder=out), encoding="utf-8")
    return _good(farm(path, hands=hands))


def _plain(folder: str, out: str) -> float:
    """The work of the light shots without a farm [s]."""
    path = Path(folder) / "shots.toml"
    path.write_text(_LIGHT.format(folder=out), encoding="utf-8")
    began = time.perf_counter()
    with use_threads(1):
        for shot in load_shots(path).shots:
            character, motion, graph = opened(shot)
            own = Path(folder) / out / shot.name
            own.mkdir(parents=True)
            cache = bake(character, motion, graph, path=own / "a.supple", fps=shot.fps, start=shot.start, end=shot.end)
            (own / "measures.json").write_text(measure(cache.character, cache).to_json(), encoding="utf-8")
            cache.save(own / "a.npz")
    return time.perf_counter() - began


def _good(outcome: Outcome) -> Outcome:
    if not outcome.good:
        raise RuntimeError(str([dict(shot.errors) for shot in outcome.shots]))
    return outcome
