"""The shape at rest that bones and weights carry best to all frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.arrays import FloatArray
from supple.decompose.frames import Frames

_HOLD = 1e-3  # of a frame: how much the given shape counts, which decides where the frames say nothing


def fit_rest(frames: Frames, bones: FloatArray, weights: FloatArray, *, given: FloatArray) -> Frames:
    """Frames with the rest points u (V, 3) for which sum_f |M_f u + m_f - p_f|^2 is least, vertex by vertex.

    M_f and m_f are what weights (V, B) make of bones (B, F, 3, 4) in frame f; `given` (V, 4) is the first shape.
    """
    vertices, count = len(weights), frames.count
    goals = frames.moved.reshape(vertices, count, 3) + frames.rest[:, None, :3]
    hold = _HOLD * count
    normal = np.tile(hold * np.eye(3), (vertices, 1, 1))
    right = hold * given[:, :3]
    for frame in range(count):
        blend = np.tensordot(weights, bones[:, frame], axes=1)
        linear, move = blend[..., :3], blend[..., 3]
        normal += np.einsum("vki,vkj->vij", linear, linear)
        right += np.einsum("vki,vk->vi", linear, goals[:, frame] - move)
    points = np.linalg.solve(normal, right[..., None])[..., 0]
    rest = np.concatenate([points, np.ones((vertices, 1))], axis=1)
    return replace(frames, rest=rest, moved=(goals - points[:, None]).reshape(vertices, 3 * count))
