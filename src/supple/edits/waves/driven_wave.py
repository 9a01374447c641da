"""A wave that forces drive along a stroke: skin with springs passes it on to its neighbours, and swings in its wake."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.edits.edits import Edits
from supple.edits.layers import Key, Layer
from supple.edits.strokes.surface_stroke import SurfaceStroke
from supple.edits.surface_edit import KINEMATIC, SurfaceEdit
from supple.edits.waves.shape_wave import near_stroke
from supple.errors import InputError

_WHERE = "drive_wave"
_PER_CREST = 6  # patches of skin that a crest covers at a time
_MOST = 200  # patches along a stroke


def drive_wave(
    edits: Edits,
    character: Character,
    stroke: SurfaceStroke,
    *,
    name: str,
    height: float,
    length: float,
    speed: float,
    width: float,
    stiffness: float = 1.0,
    start: float = 0.0,
    every: float | None = None,
) -> Edits:
    """Edits with a crest of `height` and `length` [m] that runs along a stroke at `speed` [m/s], from `start` [s] on.

    Patches of skin, one after the other and each `width` [m] to both sides, are drawn out and let go by forces
    F_e = k (target - x) of `stiffness` times that of their own springs. `SpringDynamics` takes their neighbours along,
    and skin that was let go swings on: a wake. The crest runs once, or again `every` so many seconds, for ever. Each
    patch is a shape and a layer, `name 1` and so on; skins without springs show the crest alone.
    """
    sizes = {"length": length, "speed": speed, "width": width}
    wrong = [what for what, size in sizes.items() if not (np.isfinite(size) and size > 0.0)]
    if wrong or not np.isfinite([height, start]).all():
        what = wrong[0] if wrong else "height or start"
        raise InputError(
            _WHERE,
            f"{what} is {sizes.get(what, (height, start))}",
            "finite sizes are needed, those of the crest above zero",
            "try a height of 0.02, a length of 0.1, a speed of 0.5 and a width of 0.05",
        )
    lasts = length / speed
    if every is not None and not (np.isfinite(every) and every > lasts):
        given, need = f"every is {every}", f"a crest takes {lasts:g} s to pass, so more than that is needed"
        raise InputError(_WHERE, given, need, f"try {2.0 * lasts:g}")
    vertices, along, direction = near_stroke(character, stroke, width)
    whole = stroke.stroke(character.points, character.triangles).length
    count = int(np.clip(round(_PER_CREST * whole / length), 1, _MOST))
    patch = np.minimum((along * count).astype(np.int32), count - 1)
    for number in range(count):
        own = (patch == number) & (np.linalg.norm(direction, axis=1) > 0.0)
        if own.any():
            label, delay = f"{name} {number + 1}", (number + 0.5) / count * whole / speed
            shape = _patch(vertices[own], height * direction[own], stiffness)
            layer = _passing(label, start + delay, lasts, every)
            edits = edits.with_shape(label, shape).with_layer(layer)
    return edits


def _patch(vertices: IntArray, offsets: FloatArray, stiffness: float) -> SurfaceEdit:
    order = np.argsort(vertices, kind="stable")
    held = vertices[order].astype(np.int32)
    return SurfaceEdit(held, offsets[order], held, min(stiffness, KINEMATIC))


def _passing(label: str, begins: float, lasts: float, every: float | None) -> Layer:
    """Nothing, all of it in the middle, and nothing again."""
    keys = [Key(time=begins), Key(time=begins + 0.5 * lasts, use=label), Key(time=begins + lasts)]
    if every is not None:
        keys.append(Key(time=begins + every))
    return Layer(name=label, keys=tuple(keys), repeat=every is not None)
