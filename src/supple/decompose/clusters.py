"""Where the bones start: patches of the skin that move nearly rigidly."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.decompose.blending import Distances
from supple.decompose.frames import Frames
from supple.decompose.rigid import STILL, Moments, fit_bones

_SWAPS = 5  # rounds of choosing a bone and fitting bones after every split
_MOST_SPLITS = 24  # rounds of splitting; doubling makes any number of bones in far fewer
_SMALLEST = 3  # vertices; fewer do not say how a bone turns


def cluster(frames: Frames, nearby: Any, *, bones: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Bones (B, F, 3, 4) and weights (V, B) that tie every vertex to the bone it follows best.

    It starts with one patch. Every round splits the patches that move least rigidly, as many as there are or as are
    still missing: a vertex drawn by its error times its distance from the middle of the patch founds a new one. Then
    vertices choose the bone with the least error, averaged over the vertices beside them so that patches hang together,
    and bones are fitted to their vertices, a few times over. Where there are no more patches worth splitting, the
    bones that are still missing are left without vertices, each moving as the skin does at some vertex.
    """
    random = np.random.default_rng(seed)
    labels = np.zeros(len(frames.rest), dtype=np.int32)
    found = _fit(frames, labels, np.tile(STILL, (1, frames.count, 1, 1)))
    for _ in range(_MOST_SPLITS):
        error = Distances.from_frames(frames, found).alone()[np.arange(len(labels)), labels]
        founders = _founders(frames.rest, labels, error, random)[: bones - len(found)]
        if not founders:
            break
        found = np.concatenate([found, *(patch(frames, nearby, founder) for founder in founders)])
        for _ in range(_SWAPS):
            labels = np.argmin(nearby @ Distances.from_frames(frames, found).alone(), axis=1).astype(np.int32)
            found = _fit(frames, labels, found)
        found, labels = _without_small(found, labels, Distances.from_frames(frames, found).alone())
    idle = random.choice(len(labels), size=bones - len(found), replace=False)
    found = np.concatenate([found, *(patch(frames, nearby, int(vertex)) for vertex in idle)])
    return found, np.eye(bones)[labels]


def patch(frames: Frames, nearby: Any, vertex: int) -> FloatArray:
    """A bone (1, F, 3, 4) that moves as the vertices round a vertex do."""
    members = np.zeros((len(frames.rest), 1))
    members[surrounding(nearby, vertex)] = 1.0
    start = np.tile(STILL, (1, frames.count, 1, 1))
    return fit_bones(Moments.from_frames(frames, members), start, free=np.ones(1, dtype=bool), sweeps=1)


def surrounding(nearby: Any, vertex: int) -> IntArray:
    """The vertices within two rings of a vertex."""
    near = nearby[[vertex]].indices
    return np.unique(nearby[near].indices).astype(np.int32)


def _founders(rest: FloatArray, labels: IntArray, error: FloatArray, random: np.random.Generator) -> list[int]:
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


def _fit(frames: Frames, labels: IntArray, bones: FloatArray) -> FloatArray:
    weights = np.zeros((len(labels), len(bones)))
    weights[np.arange(len(labels)), labels] = 1.0
    return fit_bones(Moments.from_frames(frames, weights), bones, free=np.ones(len(bones), dtype=bool), sweeps=1)


def _without_small(bones: FloatArray, labels: IntArray, alone: FloatArray) -> tuple[FloatArray, IntArray]:
    """Leave out bones that too few vertices chose; these go to the next best."""
    keep = np.bincount(labels, minlength=len(bones)) >= min(_SMALLEST, len(labels))
    if keep.all():
        return bones, labels
    return bones[keep], np.argmin(alone[:, keep], axis=1).astype(np.int32)
