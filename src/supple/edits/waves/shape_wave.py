"""A wave that runs along a stroke on the skin, as two shapes that take turns."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.edits.edits import Edits
from supple.edits.layers import Key, Layer
from supple.edits.radial import PROFILES
from supple.edits.region import region_round
from supple.edits.strokes.surface_stroke import SurfaceStroke, vertex_normals
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError

_WHERE = "with_wave"


def with_wave(
    edits: Edits,
    character: Character,
    stroke: SurfaceStroke,
    *,
    name: str,
    height: float,
    wavelength: float,
    speed: float,
    width: float,
) -> Edits:
    """Edits with a wave along `stroke`: the skin rises and falls by `height` [m], crests run at `speed` [m/s].

        d = height f cos(2 pi (l - speed time) / wavelength) n

    with l [m] the way along the stroke, n the skin's normal at rest, and f fading to nothing at the stroke's ends and
    `width` [m] beside it. cos(a - b) = cos a cos b + sin a sin b, so two shapes and two layers, `name crest` and
    `name flank`, say all of it; their amounts go over by the easing `sine`, which makes them exact.
    """
    sizes = {"wavelength": wavelength, "speed": speed, "width": width}
    wrong = [what for what, size in sizes.items() if not (np.isfinite(size) and size > 0.0)]
    if wrong or not np.isfinite(height):
        what = wrong[0] if wrong else "height"
        raise InputError(
            _WHERE,
            f"{what} is {sizes.get(what, height)}",
            "a finite size above zero is needed",
            "try a height of 0.01, a wavelength of 0.2, a speed of 0.5 and a width of 0.05",
        )
    vertices, fraction, direction = near_stroke(character, stroke, width)
    curve = stroke.stroke(character.points, character.triangles)
    phase = 2.0 * np.pi * curve.length * fraction / wavelength
    period = wavelength / speed
    for kind, shape, start in (("crest", np.cos(phase), 0.0), ("flank", np.sin(phase), 0.25 * period)):
        offsets = np.zeros_like(character.points)
        offsets[vertices] = height * shape[:, None] * direction
        label = f"{name} {kind}"
        keys = [
            Key(time=start + 0.5 * half * period, use=label, amount=1.0 - 2.0 * (half % 2), ease="sine")
            for half in range(3)
        ]
        edits = edits.with_shape(label, SurfaceEdit.of(offsets))
        edits = edits.with_layer(Layer(name=label, keys=tuple(keys), repeat=True))
    return edits


def near_stroke(character: Character, stroke: SurfaceStroke, width: float) -> tuple[IntArray, FloatArray, FloatArray]:
    """Vertices (N,) near a stroke, their shares of its length, and their normals times how much they take part."""
    stroke.check_fits(character.triangles)
    points, triangles = character.points, character.triangles
    region = region_round(triangles, stroke.handles(triangles), points=points, reach=2.0 * width)
    vertices = region.vertices
    fraction, distance = stroke.stroke(points, triangles).nearest(points[vertices])
    beside = PROFILES["smooth"](np.clip(1.0 - distance / width, 0.0, 1.0))
    fade = PROFILES["bell"](fraction) * beside
    return vertices, fraction, fade[:, None] * vertex_normals(points, triangles)[vertices]
