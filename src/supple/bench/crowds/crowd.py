"""Crowds through the front door: copies in their own phases, levels of detail, a million vertices on a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count as numbers
from pathlib import Path

import numpy as np

import supple
from supple import device as devices
from supple.bench.position_based_scenes import SCENES, actors
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.character.character import Character
from supple.character.crowd import Crowd
from supple.graph.crowds.crowd import Group, Level
from supple.graph.crowds.player import CrowdPlayer
from supple.graph.crowds.pool import Pool
from supple.graph.graph import Graph
from supple.memory import give_back
from supple.motion.cast import Cast
from supple.motion.crowd import CrowdMotion
from supple.motion.pose import PoseSource
from supple.skins.base import AnySkin

ITERATIONS = 12
COPIES = {"cpu": (1, 8), "cuda": (1, 200, 1000)}
MEMBERS = {"cpu": 200, "cuda": 1000}
NEAR, MIDDLE, PLACES = 6.0, 14.0, 8  # m, m, and how many of the nearest have flesh
MORE = 16  # members for which memory is measured
MILLION = 1_000_000


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """One, some and many copies of HUMAN; a crowd with levels of detail, and what a member takes of the memory in each.

    On a GPU then a million vertices.
    """
    kind = "cpu" if device == "cpu" else "cuda"
    for copies in COPIES[kind]:
        yield from _crowd_rows(progress, copies, device)
    yield from _level_rows(progress, MEMBERS[kind], device)
    if device != "cpu":
        yield from _million_rows(progress, device)


def _crowd_rows(progress: Callable[[str], None], copies: int, device: str) -> Iterator[Row]:
    human, motion = actors(SCENES[0])
    scene = f"{copies} x HUMAN, {len(human.points)} vertices, {SCENES[0].tetrahedra} elements, {ITERATIONS} iterations"
    progress(scene)
    skin = supple.PositionBased(tetrahedra=SCENES[0].tetrahedra, iterations=ITERATIONS)
    before = _taken_memory(device)
    made: list[tuple[supple.Player, PoseSource]] = []

    def bind() -> None:
        if copies == 1:
            made.append((supple.player(human, skin, device=device), motion))
            return
        crowd = Crowd.of(human, copies)
        delays = np.linspace(0.0, motion.duration, copies, endpoint=False)
        made.append((supple.player(crowd, skin, device=device), CrowdMotion(crowd, [motion] * copies, delays.tolist())))

    yield Row.of("crowd", scene, "making and binding", timing=once(bind))
    player, source = made[0]
    for on_device in (False, True):
        where = "device" if on_device else "host"
        timing = _played(player, source, device, on_device=on_device)
        taken = (_taken_memory(device) - before) / copies / 2**20
        note = f"{taken:.1f} MiB for each" if on_device else ""
        yield Row.of("crowd", scene, f"frame, results on the {where}", timing=timing, note=note)


def _level_rows(progress: Callable[[str], None], members: int, device: str) -> Iterator[Row]:
    """Members of HUMAN on a square, an eye that goes through them, and what one more member takes of the memory."""
    human, motion = actors(SCENES[0])
    skins: dict[str, AnySkin] = {
        "position-based": supple.PositionBased(tetrahedra=SCENES[0].tetrahedra),
        "pose-space": supple.PoseSpace(),
        "dual-quaternion": supple.DualQuaternion(),
    }
    near, middle, far = skins.values()
    scene = f"{members} x HUMAN, {len(human.points)} vertices, three levels, flesh for {PLACES}"
    progress(scene)
    levels = [Level(near, within=NEAR, most=PLACES), Level(middle, within=MIDDLE), Level(far)]
    made: list[CrowdPlayer] = []
    crowd = supple.Crowd({"all": Group(human, members, levels)})
    yield Row.of("crowd", scene, "making and binding", timing=once(lambda: made.append(crowd.player(device=device))))
    cast, frames, seen = _on_a_square(human, motion, members), numbers(), []

    def frame() -> None:
        number = next(frames)
        eye = (0.0, 1.7, 6.0 - number / 60.0)
        seen.append(made[0].play({"all": cast}, number / 60.0, eye=eye).levels["all"])
        if device != "cpu":
            devices.warp().synchronize_device(device)

    timing = timed(frame, repeats=40, warm_up=10)
    counts = " + ".join(str(count) for count in np.bincount(seen[-1], minlength=len(levels)))
    yield Row.of("crowd", scene, "frame, results on the host", timing=timing, note=f"{counts} members from near to far")
    for name, skin in skins.items():
        pool = Pool(human, Graph.of(skin), 4 * MORE, device, 60.0)
        _more_members(pool, cast, 0)
        before = _taken_memory(device)
        timing = once(partial(_more_members, pool, cast, MORE))
        taken = (_taken_memory(device) - before) / MORE / 2**20
        note = f"{taken:.1f} MiB for each"
        yield Row.of("crowd", f"HUMAN, {name}", f"first frame of {MORE} more members", timing=timing, note=note)


def _on_a_square(human: Character, motion: supple.Motion, members: int) -> Cast:
    side = int(np.ceil(np.sqrt(members)))
    across, back = np.divmod(np.arange(members), side)
    placements = np.tile(np.eye(4), (members, 1, 1))
    placements[:, 0, 3], placements[:, 2, 3] = 1.5 * (across - side / 2.0), -1.5 * back
    return Cast([motion] * members, np.linspace(0.0, motion.duration, members, endpoint=False), placements)


def _more_members(pool: Pool, cast: Cast, first: int) -> None:
    for member in range(first, first + MORE):
        pool.enter(member)
    pool.play(cast, 0.0)


def _million_rows(progress: Callable[[str], None], device: str) -> Iterator[Row]:
    tube = supple.character("tube", vertices=MILLION)
    motion = supple.motion("bend", tube)
    skins: dict[str, AnySkin] = {
        "linear blend": supple.LinearBlend(),
        "dual quaternion": supple.DualQuaternion(),
        "delta mush": supple.DeltaMush(base="linear"),
        "spring rig": supple.SpringRig(),
    }
    for name, skin in skins.items():
        progress(f"a million vertices: {name}")
        player = supple.player(tube, skin, device=device)
        timing = _played(player, motion, device, on_device=True)
        yield Row.of("crowd", f"tube, {len(tube.points)} vertices", f"{name}, results on the device", timing=timing)


def _played(player: supple.Player, source: PoseSource, device: str, *, on_device: bool) -> Timing:
    """A frame of motion that goes on, sixty a second, waited for."""
    player.reset()
    frames = numbers()

    def frame() -> None:
        player.play(source, next(frames) / 60.0, on_device=on_device)
        if device != "cpu":
            devices.warp().synchronize_device(device)

    return timed(frame, repeats=40, warm_up=10)


def _taken_memory(device: str) -> int:
    """Bytes of the GPU that are taken; on a processor those of this process, 0 where that is not told."""
    if device == "cpu":
        give_back()
        told = Path("/proc/self/statm")
        return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if told.exists() else 0
    found = devices.warp().get_device(device)
    return int(found.total_memory - found.free_memory)
