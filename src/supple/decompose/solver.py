"""The alternation: weights for the bones, bones for the weights, until neither helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.decompose.blending import blended, limit_influences
from supple.decompose.clusters import patch, surrounding
from supple.decompose.frames import Frames
from supple.decompose.patches import Surface, drop_strays
from supple.decompose.rest_shape import fit_rest
from supple.decompose.rigid import Moments, fit_bones
from supple.decompose.stretch_axes import stretch_axes

_SWEEPS = 5  # over the bones in every round
_USELESS = 1.0  # a bone whose squared weights sum to less than one vertex's worth is put elsewhere
_ENOUGH = 1e-3  # stop when `_PATIENCE` rounds lower the error by less than this share of it
_PATIENCE = 10
_EXACT = 1e-9  # or when the error is this small, of the body's size
_CUT = 8  # rounds with the influences that are wanted, before tries are compared
_SETTLING = 3  # rounds for the helpers there are before more are put in
# More influences than are wanted, and rounds with them, before those that are: on a galloping horse that leaves 4 %
# less error with 10 bones, and 24 % less with 20.
_ANNEALING = ((10, 8), (8, 4), (7, 4), (6, 4), (5, 4))
_RINGS = (2, 1)  # by which patches may grow in a round, once bones have found their places
_CLOSING = 8  # times that weights are solved again after the last strays went
_GATHERING = 3  # times that strays are dropped and bones settle
_GATHERED = 4  # rounds of settling after each
Tell = Callable[[float], None]


@dataclass
class Alternation:
    """Bones (B, F, 3, 4) and weights (V, B) on their way to fitting the frames.

    Bones that are not `free` (B,) keep their motion; they come first. A vertex follows only bones that are `allowed`
    (V, B). `errors` [m] has the root mean square after every round; it rises only where weights are drawn to be smooth
    or lose what lies off a patch. With `fits_rest` the shape at rest is found too. On a `surface`, each bone keeps to
    one patch of it. Bones that `stretch` do so along `axes` (B, 3, 3) of their own, as soon as there are any.
    """

    frames: Frames
    nearby: Any
    bones: FloatArray
    weights: FloatArray
    free: BoolArray
    allowed: BoolArray
    influences: int
    smoothness: float = 0.0
    fits_rest: bool = False
    surface: Surface | None = None
    stretch: bool = False
    axes: FloatArray | None = None

    def __post_init__(self) -> None:
        self.errors: list[float] = []
        self._given_rest = self.frames.rest
        self._by_vertex = np.full(len(self.frames.rest), np.inf)
        self._may_move = True
        self._rings = 0 if self.surface is None else self.surface.rings

    def run(self, rounds: int, tell: Tell) -> None:
        """Take at most `rounds` rounds, fewer when the error has settled; `tell` hears the error [m] after each."""
        here: list[float] = []
        for _ in range(rounds):
            self._round()
            here.append(self.errors[-1])
            tell(here[-1])
            before = here[-1 - _PATIENCE] if len(here) > _PATIENCE else np.inf
            if before - here[-1] < _ENOUGH * before or here[-1] < _EXACT * self.frames.size:
                break

    def anneal(self) -> None:
        """Let bones find their places with more influences than they may keep, most of which are then taken away."""
        wanted = self.influences
        for influences, rounds in _ANNEALING:
            if wanted < influences <= self.weights.shape[1]:
                self.influences = influences
                for _ in range(rounds):
                    self._round()
                self._loosen()
        self._blend()
        self.influences = wanted
        self.errors.clear()

    def settle(self) -> None:
        """Take the last influences away that are too many, and let bones get used to it."""
        self._loosen()
        self.weights = limit_influences(self.weights, self.influences)
        for _ in range(_CUT):
            self._round()
        self._keep_one_patch()
        self._blend()
        self.errors.clear()

    def _loosen(self) -> None:
        """Give bones that may stretch the directions in which they do, once they have skin of their own."""
        if self.stretch and self.axes is None:
            self.axes = stretch_axes(Moments.from_frames(self.frames, self.weights), self.bones)

    def gather(self, surface: Surface, most: float) -> None:
        """Drop influences off the largest patch of their bone, for a share `most` of the squared error in all."""
        self._may_move = False
        for _ in range(_GATHERING):
            self.weights, self.allowed = drop_strays(
                self.frames, self.bones, self.weights, surface, influences=self.influences, most=most / _GATHERING
            )
            for _ in range(_GATHERED):
                self._round()
        self.errors.clear()

    def run_in_patches(self, rounds: int, tell: Tell) -> None:
        """Take at most `rounds` rounds in which patches grow by ever fewer rings, and end with one patch a bone.

        Wide steps let bones exchange skin; narrow ones leave nothing to drop, which would cost what was won.
        """
        self.run(rounds // (len(_RINGS) + 1), tell)
        for left, self._rings in zip(range(len(_RINGS), 0, -1), _RINGS, strict=True):
            self.run((rounds - len(self.errors)) // left, tell)
        self._rings = 0
        for _ in range(_CLOSING):
            self._keep_one_patch()
            self._blend()
        self._keep_one_patch()

    def _keep_one_patch(self) -> None:
        """Drop all influences off the largest patch of their bone, and let it grow by some rings."""
        if self.surface is None:
            return
        largest = self.surface.largest(self.weights)
        kept = self.surface.without(self.weights, (self.weights > 0.0) & ~largest)
        self.weights = limit_influences(kept, self.influences)
        self.allowed = self.surface.grown(largest | (self.weights > 0.0), self._rings)

    def run_with_helpers(self, helpers: int, rounds: int, tell: Tell) -> None:
        """Add helper bones to those there are, a few at a time where the error is largest, and let them settle."""
        self.run(1, tell)
        missing = helpers
        while missing:
            now = min(missing, max(1, helpers // 4))
            self._add(now)
            missing -= now
            self.run(_SETTLING if missing else max(rounds - len(self.errors), _SETTLING), tell)

    def _round(self) -> None:
        if self.errors and self._may_move:
            self._move_useless()
        self._keep_one_patch()
        self._blend()
        self.errors.append(self.rms)
        moments = Moments.from_frames(self.frames, self.weights)
        self.bones = fit_bones(moments, self.bones, free=self.free, sweeps=_SWEEPS, axes=self.axes)
        if self.fits_rest:
            self.frames = fit_rest(self.frames, self.bones, self.weights, given=self._given_rest)

    def _blend(self) -> None:
        mean = self.nearby @ self.weights
        own = self._solve(self.weights, mean)
        # All bones of a vertex may have to be exchanged at once: it also starts from those of the vertices beside it.
        start = np.where(self.allowed, mean, 0.0)
        total = start.sum(axis=1, keepdims=True)
        start = np.where(total > 0.0, start / np.where(total > 0.0, total, 1.0), self.weights)
        theirs = self._solve(limit_influences(start, self.influences), mean)
        pull = self.smoothness * self.frames.count
        worth = [error + pull * np.sum((weights - mean) ** 2, axis=1) for weights, error in (own, theirs)]
        better = worth[1] < worth[0]
        self.weights = np.where(better[:, None], theirs[0], own[0])
        self._by_vertex = np.where(better, theirs[1], own[1])

    def _solve(self, start: FloatArray, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
        return blended(
            self.frames,
            self.bones,
            start,
            influences=self.influences,
            allowed=self.allowed,
            nearby=mean,
            smoothness=self.smoothness,
        )

    @property
    def rms(self) -> float:
        """The root mean square [m] of what bones and weights leave open."""
        mean = self._by_vertex.sum() / (len(self._by_vertex) * self.frames.count)
        return float(self.frames.size * np.sqrt(mean))

    def _add(self, count: int) -> None:
        room = len(self.bones) + np.arange(count, dtype=np.int32)
        still = np.zeros((len(self.weights), count))
        self.bones = np.concatenate([self.bones, np.zeros((count, *self.bones.shape[1:]))])
        self.weights = np.concatenate([self.weights, still], axis=1)
        self.allowed = np.concatenate([self.allowed, still > 0.0], axis=1)
        self.free = np.concatenate([self.free, np.ones(count, dtype=bool)])
        self._place_bones(room)

    def _place_bones(self, bones: IntArray) -> None:
        """Let bones without weight move as the skin does where the error is largest.

        Beside bones that stay, they serve only vertices that may follow one of those that their own place may follow:
        a helper of the hand has no say at the foot, though the two swing together.
        """
        staying = ~self.free
        for bone, vertex in zip(bones, self._worst(len(bones)), strict=True):
            self.bones[bone] = patch(self.frames, self.nearby, vertex)[0]
            if staying.any():
                near = self.allowed[surrounding(self.nearby, vertex)][:, staying].any(axis=0)
                self.allowed[:, bone] = self.allowed[:, staying][:, near].any(axis=1)
            elif self.surface is not None:
                middle = np.arange(len(self.weights))[:, None] == vertex
                self.allowed[:, bone] = self.surface.grown(middle, self.surface.rings)[:, 0]

    def _move_useless(self) -> None:
        """Move bones that hardly move anything to where the error is largest, and take that back if it did not help."""
        useless = np.flatnonzero(self.free & ((self.weights**2).sum(axis=0) < _USELESS)).astype(np.int32)
        if len(useless) == 0:
            return
        kept = self.bones, self.weights, self.allowed, self._by_vertex
        self.bones, self.weights, self.allowed = self.bones.copy(), self.weights.copy(), self.allowed.copy()
        self._place_bones(useless)
        self.weights[:, useless] = 0.0
        bare = np.flatnonzero(self.weights.sum(axis=1) < 1e-6)  # held by such bones alone
        others = np.setdiff1d(np.arange(len(self.bones)), useless)
        self.weights[bare, others[np.argmax(self.allowed[np.ix_(bare, others)], axis=1)]] = 1.0
        self.weights /= self.weights.sum(axis=1, keepdims=True)
        self._blend()
        if self.rms > self.errors[-1]:
            self.bones, self.weights, self.allowed, self._by_vertex = kept
            self._may_move = False

    def _worst(self, count: int) -> list[int]:
        """Vertices with much error, averaged over those beside them; each hushes those round it for the next choice."""
        error = self.nearby @ self._by_vertex
        chosen: list[int] = []
        for _ in range(count):
            vertex = int(np.argmax(error))
            chosen.append(vertex)
            away = np.sum((self.frames.rest - self.frames.rest[vertex]) ** 2, axis=1)
            reach = len(error) // (4 * count)
            error[np.argsort(away, kind="stable")[: reach + 1]] *= 0.1
            error[vertex] = -1.0
        return chosen
