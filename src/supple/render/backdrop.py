"""What is behind the character: paper that grows darker upwards, and the character's shadow on the ground.

Both are smooth, so they are made in the size of the picture, while the character is drawn finer and put in front.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, Float32Array, FloatArray
from supple.render.camera import Camera

Picture = NDArray[np.uint8]
PAPER_LOW, PAPER_HIGH = (241, 242, 243), (205, 213, 221)
_SHADOW_INK = np.array((44, 48, 60), dtype=np.float32)
_SEEN = 1.0 / 255.0  # of darkness: a shadow ends where it is less


class Backdrop:
    """The paper of pictures of one `size` (width, height) [pixels]."""

    def __init__(self, size: tuple[int, int]) -> None:
        wide, high = size
        self._size = size
        down = (np.arange(high)[:, None, None] + 0.5) / high
        paper = PAPER_HIGH + down * np.subtract(PAPER_LOW, PAPER_HIGH)
        self._paper = np.ascontiguousarray(np.broadcast_to(paper, (high, wide, 3)), dtype=np.float32)
        self._plain = np.round(self._paper).astype(np.uint8)

    def behind(
        self, layer: Picture, shadow: tuple[FloatArray, FloatArray, float] | None, *, eye: Camera, ground: float
    ) -> Picture:
        """The whole picture (height, width, 3): what is in `layer` (height, width, 4) put in front.

        `layer` holds colours times how much of the pixel they cover, and that in its last place. `shadow` says how dark
        the ground at the height `ground` [m] is, as `ground_shadow` does.
        """
        paper, image = self._paper, self._plain.copy()
        if shadow is not None:
            first, dark = self._shadow_seen(*shadow, eye=eye, ground=ground)
            rows, columns = _touched(dark > 0.0)
            shaded = slice(first + rows.start, first + rows.stop), columns
            paper = paper.copy()
            paper[shaded] += dark[rows, columns, None] * (_SHADOW_INK - paper[shaded])
            image[shaded] = np.round(paper[shaded])
        where = _touched(layer[..., 3] > 0)
        cover = layer[..., 3:][where].astype(np.float32) * np.float32(1.0 / 255.0)
        front = layer[..., :3][where] + (1.0 - cover) * paper[where]
        image[where] = np.minimum(np.round(front), 255.0)
        return image

    def _shadow_seen(
        self, dark: FloatArray, middle: FloatArray, side: float, *, eye: Camera, ground: float
    ) -> tuple[int, Float32Array]:
        """How dark the ground is in the pixels below the horizon: their first row, and (R, width)."""
        from scipy.ndimage import map_coordinates

        (wide, high), (right, up, back) = self._size, eye.axes
        scale = 2.0 * math.tan(eye.view_angle / 2.0) / high
        across = ((np.arange(wide) + 0.5 - 0.5 * wide) * scale).astype(np.float32)
        rise = (0.5 * high - 0.5 - np.arange(high)) * scale
        # The right of the picture is level, so the way down to the ground is the same all along a row.
        steepness = rise * up[1] - back[1]
        below = np.flatnonzero(steepness < -1e-3) if eye.position[1] > ground else np.zeros(0, dtype=np.int64)
        first = int(below[0]) if len(below) else high
        rows = slice(first, high)
        far = ((ground - eye.position[1]) / steepness[rows])[:, None].astype(np.float32)
        ahead = (rise[rows, None] * up - back).astype(np.float32)
        cell = side / len(dark)
        coordinates = [
            ((eye.position[axis] - middle[number]) + far * (ahead[:, axis, None] + across * np.float32(right[axis])))
            / np.float32(cell)
            + np.float32(0.5 * len(dark) - 0.5)
            for number, axis in enumerate((0, 2))
        ]
        seen = np.zeros((high - first, wide), dtype=np.float32)
        inside = np.ones(seen.shape, dtype=bool)
        for number, coordinate in enumerate(coordinates):
            touched = np.flatnonzero((dark > _SEEN).any(axis=number))
            if not len(touched):
                return first, seen
            inside &= (coordinate > touched[0] - 1.0) & (coordinate < touched[-1] + 1.0)
        spots = np.flatnonzero(inside)
        given = np.stack([coordinate.ravel()[spots] for coordinate in reversed(coordinates)])
        seen.ravel()[spots] = map_coordinates(dark.astype(np.float32), given, order=1, mode="constant")
        return first, seen


def _touched(there: BoolArray) -> tuple[slice, slice]:
    """The rows and columns of a picture in which there is anything."""
    down, across = (np.flatnonzero(there.any(axis=axis)) for axis in (1, 0))
    if not len(down):
        return slice(0, 0), slice(0, 0)
    return slice(int(down[0]), int(down[-1]) + 1), slice(int(across[0]), int(across[-1]) + 1)
