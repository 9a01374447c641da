"""Crowds through the front door, every copy in its own phase, and skins of a million vertices on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count as numbers

import numpy as np

import supple
from supple import device as devices
from supple.bench.position_based_scenes import SCENES, actors
from supple.bench.rows import Row
from supple.bench.timing import Timing, once, timed
from supple.character.crowd import Crowd
from supple.motion.crowd import CrowdMotion
from supple.motion.pose import PoseSource
from supple.skins.base import AnySkin

ITERATIONS = 12
COPIES = {"cpu": (1, 8), "cuda": (1, 200, 1000)}
MILLION = 1_000_000


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """One, some and many copies of HUMAN, with results on the host and on the device; then a million vertices.

    The last only on a GPU.
    """
    for copies in COPIES["cpu" if device == "cpu" else "cuda"]:
        yield from _crowd_rows(progress, copies, device)
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
        note = f"{taken:.1f} MiB of the GPU for each" if on_device and device != "cpu" else ""
        yield Row.of("crowd", scene, f"frame, results on the {where}", timing=timing, note=note)


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
    """Bytes of the GPU that are taken."""
    if device == "cpu":
        return 0
    found = devices.warp().get_device(device)
    return int(found.total_memory - found.free_memory)
