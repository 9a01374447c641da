"""Soft articulated characters at the published sizes, how their cost grows, and against a direct solve.

A whole frame is the control of the joints, the free step, what is met and the answer to that, and the skin that
follows. How the cost of a step grows is measured on bars of flesh that rest on contacts: with more nodes, more links,
more contacts, and more of all three; a cost of their product would show in the last. The direct solve is of links,
flesh, joints and contacts in one system; only factoring and solving that is timed, against a whole step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from supple.bench.contact_direct import full_system
from supple.bench.contact_scenes import SCENES, Frames, Resting, Scene
from supple.bench.rows import Row
from supple.bench.timing import once, timed
from supple.skins.contact.model.mechanism import MechanismState

ROOM = "contact"
DT = 1.0 / 60.0  # s
CELLS = (20, 60, 200, 600, 1_900)  # along a bar: 336 to 30 416 free nodes
LINKS = (4, 8, 16, 32, 64, 128)
CONTACTS = (30, 100, 300, 1_000, 3_000)
PLAIN = 600, 16, 100  # cells, links and contacts where they do not grow
DIRECT = 190, 16, 100  # the same of a bar of 3 056 nodes


def rows(progress: Callable[[str], None], *, device: str = "cpu") -> Iterator[Row]:
    """Whole frames, growth in nodes, links and contacts, and the direct solve."""
    for scene in SCENES:
        yield from _frames(scene, progress, device)
    yield from _growth(progress, device)
    yield _direct(progress, device)


def _frames(scene: Scene, progress: Callable[[str], None], device: str) -> Iterator[Row]:
    """Bind, and steady frames without and with contacts."""
    for what, contacts, published in (("without contacts", False, scene.alone), ("with contacts", True, scene.met)):
        progress(f"{scene.name}: {what}")
        frames = Frames(scene, contacts=contacts, device=device)
        yield Row.of(ROOM, scene.name, f"{what}: bind", timing=frames.bound)
        timing = timed(frames.frame, repeats=200, warm_up=20)
        size = f"{frames.nodes} nodes, {frames.bones} bones"
        note = f"{size}, {frames.count()} contacts" if contacts else size
        yield Row.of(ROOM, scene.name, f"{what}: frame", timing=timing, published_seconds=published, note=note)


def _growth(progress: Callable[[str], None], device: str) -> Iterator[Row]:
    """How a step grows with each of the three, the others being fixed, and with all."""
    cells, links, contacts = PLAIN
    kinds = {
        "nodes": (CELLS, [(size, links, contacts) for size in CELLS]),
        "links": (LINKS, [(cells, size, contacts) for size in LINKS]),
        "contacts": (CONTACTS, [(cells, links, size) for size in CONTACTS]),
        "all": (CELLS, [(size, max(size // 15, 1), size) for size in CELLS]),
    }
    for name, (sizes, bars) in kinds.items():
        taken = []
        for size in bars:
            progress("growth in {}: a bar of {} cells, {} links, {} contacts".format(name, *size))
            resting = Resting(*size, dt=DT, device=device)
            taken.append(timed(resting.step, repeats=40, most_seconds=2.0))
        note = f"cost grows as {name}^{growth(sizes, [timing.seconds for timing in taken]):.2f}"
        what = "a step of {} nodes, {} links, {} contacts".format(resting.mechanism.node_count, *bars[-1][1:])
        yield Row.of(ROOM, "bar", what, timing=taken[-1], note=note)


def growth(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The exponent p for which seconds ~ size^p comes nearest, in proportion."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _direct(progress: Callable[[str], None], device: str) -> Row:
    """One step against one direct solve of the same step."""
    from scipy.sparse.linalg import splu

    progress("a direct solve")
    resting = Resting(*DIRECT, dt=DT, device=device)
    mechanism = resting.mechanism
    system, _ = full_system(mechanism, MechanismState.rest(mechanism), resting.contacts(), DT)
    sides = np.ones(system.shape[0])
    direct = once(lambda: splu(system, permc_spec="MMD_AT_PLUS_A").solve(sides))
    what = "a step of {} nodes, {} links, {} contacts".format(mechanism.node_count, *DIRECT[1:])
    timing = timed(resting.step)
    return Row.of(ROOM, "bar", what, timing=timing, peer="SciPy, all in one", peer_seconds=direct.seconds)
