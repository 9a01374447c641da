"""A drawn shape is touched up: put on the other side, taken away or smoothed where a brush goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from supple.arrays import FloatArray
from supple.edits.painting.brush import Brush
from supple.edits.painting.canvas import Canvas, Place
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError

_WHERE = "retouching"
_ROUNDS = 12  # of averaging with neighbours


def mirror_edit(canvas: Canvas, edit: SurfaceEdit, *, both: bool = False) -> SurfaceEdit:
    """An edit as in a mirror, on the other side of the body; with `both`, there and here.

    Where both images meet, in the middle, the larger one counts and not their sum.
    """
    offsets = edit.dense(len(canvas))
    image = canvas.mirrored_vectors(offsets)
    if image is None:
        given = "an edit was to be mirrored"
        raise InputError(_WHERE, given, "the body at rest is not its own mirror image", "draw it there by hand")
    if not both:
        return SurfaceEdit.of(image)
    larger = np.linalg.norm(image, axis=1) > np.linalg.norm(offsets, axis=1)
    return SurfaceEdit.of(np.where(larger[:, None], image, offsets))


def erase_edit(canvas: Canvas, edit: SurfaceEdit, brush: Brush, places: Sequence[Place]) -> SurfaceEdit:
    """An edit without what lies under a brush that went over `places`; the rest of it stays as it is."""
    return retouch(canvas, edit, "erase", brush.strength * canvas.coverage(brush, places))


def smooth_edit(canvas: Canvas, edit: SurfaceEdit, brush: Brush, places: Sequence[Place]) -> SurfaceEdit:
    """An edit averaged with what is round about under a brush that went over `places`."""
    return retouch(canvas, edit, "smooth", brush.strength * canvas.coverage(brush, places))


def retouch(canvas: Canvas, edit: SurfaceEdit, action: str, share: FloatArray) -> SurfaceEdit:
    """An edit that goes by a share (V,) of the way to what an action makes of it."""
    offsets = edit.dense(len(canvas))
    return SurfaceEdit.of(offsets + share[:, None] * (RETOUCHING[action](canvas, offsets) - offsets))


def _smooth(canvas: Canvas, offsets: FloatArray) -> FloatArray:
    return np.stack([canvas.smoothed(offsets[:, axis], rounds=_ROUNDS) for axis in range(3)], axis=1)


RETOUCHING: Mapping[str, Callable[[Canvas, FloatArray], FloatArray]] = {
    "erase": lambda canvas, offsets: np.zeros_like(offsets),
    "smooth": _smooth,
}
"""What a full brush makes of offsets (V, 3), by name."""
