"""Dragging handles of a region: as-rigid-as-possible beside libigl's, on the same region in the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.bench.expressive import limb
from supple.bench.rows import Row
from supple.bench.timing import timed
from supple.geometry.arap import Arap

ROOM = "expressive"
ITERATIONS = 10
SIZES = (500, 2_000, 10_000, 50_000)  # vertices of the region


def rows(progress: Callable[[str], None]) -> Iterator[Row]:
    """Preparing a region once, and each time its handles move, beside libigl where it is installed."""
    peer = _libigl()
    for vertices in SIZES:
        progress(f"as rigid as possible: {vertices} vertices")
        points, triangles, fixed, targets = _region(vertices)
        scene = f"region-{len(points)}"
        ours = Arap(points, triangles, fixed)
        make = timed(lambda p=points, t=triangles, f=fixed: Arap(p, t, f), repeats=7, warm_up=1)  # type: ignore[misc]
        drag = timed(lambda a=ours, t=targets: a.solve(t, iterations=ITERATIONS), repeats=20, warm_up=2)  # type: ignore[misc]
        name = None if peer is None else f"libigl {peer[1]}"
        made, dragged, note = None, None, ""
        if peer is not None:
            other = _Peer(peer[0], points, triangles, fixed=fixed)
            made = timed(other.prepare, repeats=7, warm_up=1).seconds
            dragged = timed(lambda o=other, t=targets: o.solve(t), repeats=20, warm_up=2).seconds  # type: ignore[misc]
            apart = np.abs(ours.solve(targets, iterations=ITERATIONS) - other.solve(targets)).max()
            note = f"both shapes are within {apart:.1e} m of each other"
        yield Row.of(ROOM, scene, "as rigid as possible: prepare", timing=make, peer=name, peer_seconds=made)
        what = f"as rigid as possible, {ITERATIONS} rounds: handles move"
        yield Row.of(ROOM, scene, what, timing=drag, peer=name, peer_seconds=dragged, note=note)


class _Peer:
    """libigl's solver with the energy that is ours too."""

    def __init__(self, igl: Any, points: FloatArray, triangles: IntArray, *, fixed: IntArray) -> None:
        self._igl, self._points, self._fixed = igl, np.array(points), fixed
        self._triangles = triangles.astype(np.int64)
        self.prepare()

    def prepare(self) -> None:
        """Factor once."""
        self._data = self._igl.ARAPData()
        self._data.max_iter, self._data.energy = ITERATIONS, self._igl.ARAP_ENERGY_TYPE_SPOKES
        self._igl.arap_precomputation(self._points, self._triangles, 3, self._fixed, self._data)

    def solve(self, targets: FloatArray) -> FloatArray:
        """The shape for these handles."""
        found: FloatArray = self._igl.arap_solve(targets, self._data, self._points)
        return found


def _libigl() -> tuple[Any, str] | None:
    from importlib import import_module
    from importlib.metadata import version

    try:
        return import_module("igl"), version("libigl")
    except ImportError:
        return None


def _region(vertices: int) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
    """A limb whose ends are held; the upper one is pulled aside and turned."""
    character, _ = limb(vertices, 4)
    points, height = character.points, character.points[:, 1]
    fixed = np.flatnonzero((height < 0.1) | (height > 0.9)).astype(np.int32)
    targets = np.array(points[fixed])
    targets[targets[:, 1] > 0.5] += [0.25, 0.05, 0.0]
    return points, character.triangles, fixed, targets
