"""The power fails at every write: whatever of it was not yet safe is lost, and the next call gives the same bytes."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import supple
from conftest import make_tube
from supple.farm import farm
from supple.farm.hands import Alone
from supple.graph import bake as baking
from survival.disk import LOSSES, Disk, lay, lying, noted
from survival.rows import Attempt, Said, Trial

WAYS = (*LOSSES, "some of it", "some of it")  # that which hangs on luck is tried three times
WAYS_OF_FARMS = ("contents", "some of it")  # each takes longer
LIST = """
farm = {{ folder = "{folder}", pictures = 0, frames_per_task = 3 }}
[[shot]]
name = "a"
character = "tube"
vertices = 500
motion = "bend"
end = 0.21
fps = 24
skin = ["dual-quaternion", "spring-dynamics"]
outputs = ["npz"]
"""


def bake_tube(skin: object, folder: Path) -> None:
    """Nine frames, with a checkpoint after every third."""
    tube = make_tube(rings=7, sectors=5)
    with mock.patch.object(baking, "CHECKPOINT_EVERY", 3):
        baking.bake(tube, supple.motion("bend", tube), skin, path=folder / "a.supple", fps=24.0, end=0.34)  # type: ignore[arg-type]


def farm_tube(lists: Path, folder: Path) -> None:
    """Two shots, one in ranges that are joined, with measures and exports."""
    lists.joinpath("shots.toml").write_text(LIST.format(folder=folder))
    outcome = farm(lists / "shots.toml", hands=Alone())
    if not outcome.good:
        raise RuntimeError(str([dict(shot.errors) for shot in outcome.shots]))


def told_done(found: dict[str, bytes]) -> dict[str, bytes]:
    """What has to be the same in the end: all but what tells of the run itself."""
    return {name: data for name, data in found.items() if name not in ("farm.json", "index.html")}


def after_cut(
    disk: Disk, work: Callable[[Path], None], expected: dict[str, bytes], count: int, loss: str, luck: int = 0
) -> str:
    """Power fails after `count` writes, and the work is begun again; in words, what was lost."""
    left = disk.after(count, loss, luck=luck)
    for name in expected.keys() & left.keys():
        if left[name] != expected[name]:
            return f"{name} is seen half written"
    if count == len(disk.ops) and not set(expected) <= set(left):
        return "what was said to be done is gone"
    with tempfile.TemporaryDirectory() as folder:
        lay(Path(folder).resolve(), left)
        work(Path(folder).resolve())
        found = told_done(lying(Path(folder)))
    waiting = {name for name in found if "/." in f"/{name}"}  # names of files that were never given theirs
    return "" if {name: found[name] for name in found if name not in waiting} == expected else "bytes differ"


@contextlib.contextmanager
def _ready(
    work: Callable[[Path], None], disk: Disk, expected: dict[str, bytes], ways: tuple[str, ...]
) -> Iterator[Attempt]:
    def attempt(number: int) -> Said:
        count, way = divmod(number, len(ways))
        return Said.of(after_cut(disk, work, expected, count, ways[way], luck=way))

    yield attempt


def recorded(work: Callable[[Path], None], folder: Path) -> tuple[Disk, dict[str, bytes]]:
    """What the work writes, in order; seen to be all that it writes, since playing it again gives what is there."""
    with noted(folder) as disk:
        work(folder)
    if disk.after(len(disk.ops)) != lying(folder):
        raise RuntimeError("something was written that was not noted")
    return disk, told_done(lying(folder))


@contextlib.contextmanager
def trials() -> Iterator[list[Trial]]:
    """Bakes of a skin without and with a memory, and a farm."""
    with tempfile.TemporaryDirectory() as name:
        works = {
            "a bake without a memory": partial(bake_tube, supple.DualQuaternion()),
            "a bake with a memory": partial(bake_tube, supple.SpringDynamics()),
            "a farm": partial(farm_tube, Path(name).resolve()),
        }
        found = []
        for what, work in works.items():
            folder = (Path(name) / what).resolve()
            folder.mkdir()
            disk, expected = recorded(work, folder)
            ways = WAYS_OF_FARMS if "farm" in what else WAYS
            label = f"power cut at each of {len(disk.ops)} writes of {what}, in {len(ways)} ways: equal bytes after"
            count = (len(disk.ops) + 1) * len(ways)
            found.append(Trial(label, count, partial(_ready, work, disk, expected, ways)))
        yield found
