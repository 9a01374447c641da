"""Which frames a part learns, and what it keeps of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.skins.curves.learn.radial_space import RadialSpace

_SPREAD = 0.1  # of the widest direction: poses spread less than this in a direction are not told apart by it
_NEAR = 0.08  # of the size of the examples' box: frames nearer to an example than this are not learnt beside it
_TWINS = 1e-3  # the same where there are so few frames that all are learnt
_STILL = 1e-4  # rad: joints that turn less than this do not move
_REGULARIZATION = 0.03  # how much an example keeps to its own frame when all frames are followed, against one frame
_HELPS = 0.95  # of the error before: an example that leaves more is not worth its cost


def principal_axes(rotations: FloatArray, most: int) -> FloatArray:
    """The directions (3 K, d) in which the joints of a part move, widest first; narrow ones are left out.

    Rest counts as a pose. There are never more than half as many directions as examples: with as many, a straight
    function would go through all of them, and poses off the way would send it anywhere.
    """
    if not rotations.size or np.abs(rotations).max() < _STILL:
        return np.zeros((rotations.shape[1], 1))
    every = np.concatenate([np.zeros((1, rotations.shape[1])), rotations])
    _, extents, directions = np.linalg.svd(every - every.mean(axis=0), full_matrices=False)
    wide = int((extents > _SPREAD * extents[0]).sum())
    return np.asarray(directions[: max(1, min(wide, max(most, 2) // 2))].T)


@dataclass(frozen=True, eq=False)
class SampleSelection:
    """The frames of one part: poses `positions` (F, d) and shapes `nodes` (F, 3 n_p) [m].

    With `exact` an example is its frame as it was. Else the shapes of all examples are such that all frames
    together are met best: a skin that swings is different on the way there and back, and the curves go between.
    """

    positions: FloatArray
    nodes: FloatArray
    blend: str
    beyond: str
    exact: bool

    def select(self, most: int) -> IntArray:
        """Frames to learn: half of them far apart, the others where it is worst, as long as that helps."""
        rest = np.zeros((1, self.positions.shape[1]))
        size = float(np.linalg.norm(np.ptp(np.concatenate([rest, self.positions]), axis=0)))
        chosen: list[int] = []
        if size <= 0.0:
            return np.array(chosen, dtype=np.int32)
        few = len(self.positions) <= most
        near = size * (_TWINS if few else _NEAR)
        apart = np.linalg.norm(self.positions, axis=1)
        best, best_error = 0, math.inf
        while len(chosen) < most and (apart > near).any():
            spreading = few or len(chosen) < max(1, most // 2)
            measure = apart if spreading else self._residuals(chosen)
            frame = int(np.argmax(np.where(apart > near, measure, -1.0)))
            chosen.append(frame)
            apart = np.minimum(apart, np.linalg.norm(self.positions - self.positions[frame], axis=1))
            if few:
                best = len(chosen)
                continue
            scored = np.ones(len(self.positions), dtype=bool)
            scored[chosen] = not self.exact
            error = float(np.mean(self._residuals(chosen)[scored] ** 2))
            if error < _HELPS * best_error:
                best, best_error = len(chosen), error
        return np.array(chosen[:best], dtype=np.int32)

    def fit_shapes(self, chosen: Sequence[int] | IntArray) -> FloatArray:
        """What the examples keep (E, 3 n_p) [m].

        min_S |W S - N|^2 + k |S - N_chosen|^2, with W the weights of the examples in all frames N.
        """
        own = self.nodes[list(chosen)]
        if self.exact or not len(chosen):
            return own
        weights = self._weights(chosen)
        normal = weights.T @ weights + _REGULARIZATION * np.eye(len(own))
        return np.asarray(np.linalg.solve(normal, weights.T @ self.nodes + _REGULARIZATION * own))

    def _weights(self, chosen: Sequence[int] | IntArray) -> FloatArray:
        known = np.concatenate([np.zeros((1, self.positions.shape[1])), self.positions[list(chosen)]])
        return RadialSpace(known, self.blend, self.beyond).weights(self.positions)[:, 1:]

    def _residuals(self, chosen: Sequence[int]) -> FloatArray:
        """How far (F,) the part is off in every frame when these are learnt, as a length over all its nodes."""
        return np.asarray(np.linalg.norm(self._weights(chosen) @ self.fit_shapes(chosen) - self.nodes, axis=1))
