"""Where the bones start: patches of the skin that move nearly rigidly."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import Floats, Ints
from supple.decompose.blending import Distances
from supple.decompose.frames import Frames
from supple.decompose.rigid import STILL, Moments, fitted

_SWAPS = 5  # rounds of choosing a bone and fitting bones after every split
_SMALLEST = 3  # vertices; fewer do not say how a bone turns


def clustered(frames: Frames, nearby: Any, *, bones: int, seed: int) -> tuple[Floats, Floats]:
    """Bones (B, F, 3, 4) and weights (V, B) that tie every vertex to the bone it follows best.

    It starts with one patch. Every round splits the patches that move least rigidly, as many as there are or as are
    still missing: a vertex drawn by its error times its distance from the middle of the patch founds a new one. Then
    vertices choose the bone with the least error, averaged over the vertices beside them so that patches hang together,
    and bones are fitted to their vertices, a few times over.
    """
    random = np.random.default_rng(seed)
    labels = np.zeros(len(frames.rest), dtype=np.int32)
    found = _fit(frames, labels, np.tile(STILL, (1, frames.count, 1, 1)))
    while True:
        for _ in range(_SWAPS):
            alone = Distances.of(frames, found).alone()
            labels = np.argmin(nearby @ alone, axis=1).astype(np.int32)
            found = _fit(frames, labels, found)
        found, labels = _without_small(found, labels, Distances.of(frames, found).alone())
        missing = bones - len(found)
        if missing == 0:
            return found, np.eye(bones)[labels]
        error = Distances.of(frames, found).alone()[np.arange(len(labels)), labels]
        for founder in _founders(frames.rest, labels, error, random)[:missing]:
            found = np.concatenate([found, patch(frames, nearby, founder)])


def patch(frames: Frames, nearby: Any, vertex: int) -> Floats:
    """A bone (1, F, 3, 4) that moves as the vertices round a vertex do."""
    members = np.zeros((len(frames.rest), 1))
    members[surrounding(nearby, vertex)] = 1.0
    start = np.tile(STILL, (1, frames.count, 1, 1))
    return fitted(Moments.of(frames, members), start, free=np.ones(1, dtype=bool), sweeps=1)


def surrounding(nearby: Any, vertex: int) -> Ints:
    """The vertices within two rings of a vertex."""
    near = nearby[[vertex]].indices
    return np.unique(nearby[near].indices).astype(np.int32)


def _founders(rest: Floats, labels: Ints, error: Floats, random: np.random.Generator) -> list[int]:
    """One vertex of every patch, the patch with the largest error first."""
    count = int(labels.max()) + 1
    total = np.bincount(labels, weights=error, minlength=count)
    founders = []
    for label in np.argsort(-total, kind="stable"):
        members = np.flatnonzero(labels == label)
        if len(members) < 2 * _SMALLEST:
            continue
        away = np.linalg.norm(rest[members] - rest[members].mean(axis=0), axis=1)
        chance = error[members] * away
        if chance.sum() <= 0.0:
            chance = away + 1.0
        founders.append(int(random.choice(members, p=chance / chance.sum())))
    return founders


def _fit(frames: Frames, labels: Ints, bones: Floats) -> Floats:
    weights = np.zeros((len(labels), len(bones)))
    weights[np.arange(len(labels)), labels] = 1.0
    return fitted(Moments.of(frames, weights), bones, free=np.ones(len(bones), dtype=bool), sweeps=1)


def _without_small(bones: Floats, labels: Ints, alone: Floats) -> tuple[Floats, Ints]:
    """Leave out bones that too few vertices chose; these go to the next best."""
    keep = np.bincount(labels, minlength=len(bones)) >= min(_SMALLEST, len(labels))
    if keep.all():
        return bones, labels
    return bones[keep], np.argmin(alone[:, keep], axis=1).astype(np.int32)
