"""Ten thousand shots on five hundred workers, on paper: the farm itself, with a cluster that only says that it worked.

The list is read, the tasks go out, wait for each other and are heard of, and the page is written as in every farm; what
workers, scheduler and file system take is drawn from what was measured, in a time of its own. So the client's time and
memory are real, and the rest is a simulation: workers that start, are lost and come back, a scheduler that can do one
thing at a time.
"""

from __future__ import annotations

import heapq
import itertools
import json
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from supple.bench.rows import Row
from supple.farm import running
from supple.farm.running import farm
from supple.farm.shot_file import load_shots
from supple.farm.task import Answer

ROOM = "farm-load"
_LIST = """
farm = {{ folder = "out", pictures = 4, frames_per_task = 240 }}
[[shot]]
name = "show"
character = "hero"
vertices = {vertices}
motion = ["walk", "run-and-stop", "kick", "jump", "wave", "dance"]
skin = ["dual-quaternion", {{ name = "position-based", iterations = {iterations} }}]
outputs = ["usdc"]
"""


@dataclass(frozen=True)
class Load:
    """What tasks take [s]: as measured for 240 frames of position based flesh, 20 000 vertices, on one core.

    `seconds` are medians by kind, spread by a factor of `spread` (lognormal). `dispatch` is what the scheduler does for
    a task, `overhead` what a worker does beside its work, `start` what a worker takes to start and load. A worker is
    lost every `lost_every` seconds on average, and back after `start`. `files` are how often a task makes, renames or
    syncs a file or a folder, `megabytes` what it writes, by kind.
    """

    seconds: dict[str, float] = field(
        default_factory=lambda: {"bake": 8.0, "measure": 5.0, "pictures": 1.0, "export": 0.5}
    )
    spread: float = 2.0
    dispatch: float = 0.001
    overhead: float = 0.01
    start: float = 6.0
    lost_every: float = 24.0 * 3600.0
    files: dict[str, int] = field(default_factory=lambda: {"bake": 9, "measure": 8, "pictures": 12, "export": 12})
    megabytes: dict[str, float] = field(default_factory=lambda: {"bake": 58.0, "export": 58.0})


class SimulatedCluster:
    """Hands whose work takes no time; `look`, which a farm calls when it hears nothing, lets the next thing happen."""

    link, refusals = "", []  # type: ignore[var-annotated]

    def __init__(self, workers: int, load: Load, seed: int = 0) -> None:
        self.size, self.words = workers, f"{workers} simulated workers"
        self._load, self._rng = load, np.random.default_rng(seed)
        self.now = self.scheduler_busy = self.worked = self._scheduler_free = 0.0
        self.lost = 0
        self.longest_queue = 0
        self.writes: dict[int, float] = {}  # files by minute
        self.megabytes = 0.0
        self._free = [load.start] * workers  # when each worker can begin, as a heap
        heapq.heapify(self._free)
        self._waiting: list[tuple[float, str, Callable[[Future[str]], None]]] = []  # since when they can go out
        self._coming: list[tuple[float, int, str, Callable[[Future[str]], None]]] = []
        self._numbers = itertools.count()

    def refuse(self, worker: str) -> None:
        raise AssertionError(worker)

    def begin(self, name: str, order: str, heard: Callable[[Future[str]], None]) -> None:
        """An order reaches the scheduler, which deals with one after another."""
        self._scheduler_free = max(self._scheduler_free, self.now) + self._load.dispatch
        self.scheduler_busy += self._load.dispatch
        kind = json.loads(order)["task"]["kind"]
        self._waiting.append((self._scheduler_free, kind, heard))

    def look(self) -> str:
        """Give out what waits, and let the next task end."""
        for since, kind, heard in self._waiting:
            began = max(heapq.heappop(self._free), since)
            ended = self._done_at(began, kind)
            heapq.heappush(self._free, ended)
            self.worked += ended - began
            heapq.heappush(self._coming, (ended, next(self._numbers), kind, heard))
        self._waiting.clear()
        self.longest_queue = max(self.longest_queue, len(self._coming))
        self.now, _, kind, heard = heapq.heappop(self._coming)
        minute = int(self.now // 60.0)
        self.writes[minute] = self.writes.get(minute, 0.0) + self._load.files.get(kind, 2)
        self.megabytes += self._load.megabytes.get(kind, 0.0)
        future: Future[str] = Future()
        facts = {"frames": 240, "vertices": 20000, "made_on": "simulated"} if kind == "bake" else {"rows": []}
        future.set_result(Answer(state="done", files=("a",), facts=facts).to_json())
        heard(future)
        return ""

    def _done_at(self, began: float, kind: str) -> float:
        """When a task ends that begins now; the work of a worker that is lost is gone on with by the next."""
        spread = float(np.exp(self._rng.normal() * np.log(self._load.spread)))
        takes = self._load.seconds.get(kind, 5.0) * spread + self._load.overhead
        while self._rng.random() < takes / self._load.lost_every:
            self.lost += 1
            began += self._load.start + 0.5 * takes  # half of it was done, and a checkpoint may be old
        return began + takes


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """10 000 shots on 500 workers, and on fewer and more."""
    measured = dispatch_measured(progress)
    light = Load(dispatch=measured)
    heavy = Load(dispatch=measured, seconds={kind: 20.0 * taken for kind, taken in light.seconds.items()})
    for words, load in (("as measured", light), ("each twenty times as long", heavy)):
        for shots, workers in ((1_000, 500), (10_000, 50), (10_000, 500), (10_000, 2_000)):
            progress(f"{shots} shots on {workers} workers, tasks {words}")
            yield simulated(shots, workers, load, words)


def simulated(shots: int, workers: int, load: Load, words: str = "") -> Row:
    """A farm from its list to its page on a simulated cluster."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cluster = SimulatedCluster(workers, load)
    every = running.LOOK_EVERY
    with TemporaryDirectory() as folder:
        path = Path(folder) / "shots.toml"
        vertices = [1000 + number for number in range(-(-shots // 66))]  # six motions and eleven skins of each
        path.write_text(_LIST.format(vertices=vertices, iterations=list(range(4, 14))), encoding="utf-8")
        began = time.process_time()
        listed = load_shots(path)
        listed = type(listed)(**{**vars(listed), "shots": listed.shots[:shots]})
        running.LOOK_EVERY = 0.0
        try:
            outcome = farm(listed, hands=cluster)
        finally:
            running.LOOK_EVERY = every
        client = time.process_time() - began
        page = (Path(folder) / "out" / "index.html").stat().st_size
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024.0
    busiest = max(cluster.writes.values()) / 60.0
    ideal = cluster.worked / workers
    told = (
        f"{outcome.tasks} tasks, {cluster.lost} workers lost",
        f"workers at work {100.0 * ideal / cluster.now:.0f} %",
        f"scheduler {100.0 * cluster.scheduler_busy / cluster.now:.1f} %, at most {cluster.longest_queue} tasks in it",
        f"{cluster.megabytes / 1e6:.2f} TB, {busiest:.0f} changes of names and syncs a second in the busiest minute",
        f"client {client:.0f} s of one core, {grown:.0f} MB more, page {page / 1e6:.1f} MB",
    )
    note = "; ".join(told)
    scene = f"{len(outcome.shots)} shots, simulated, tasks {words}"
    return Row(ROOM, scene, f"{workers} workers", cluster.now, note=note)


def dispatch_measured(progress: Callable[[str], None], *, workers: int = 100, tasks: int = 3000) -> float:
    """What Dask's scheduler, its client and its workers together do for a task that is none [s of one core].

    All in this process: what the scheduler alone does is less. As in docs/farm.md where Dask is not installed.
    """
    try:
        import distributed
    except ImportError:
        progress("Dask is not installed: its scheduler is taken as measured in docs/farm.md")
        return Load().dispatch
    progress(f"Dask's scheduler with {workers} workers in this process")
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
    ) as cluster, distributed.Client(cluster, set_as_default=False) as client:  # fmt: skip
        began = time.process_time()
        order = "x" * 2000
        client.gather([client.submit(len, order, key=f"bake-{number}", pure=False) for number in range(tasks)])
        taken = (time.process_time() - began) / tasks
    progress(f"  {1e3 * taken:.2f} ms a task")
    return taken
