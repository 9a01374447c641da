"""Light on the skin, worked out at its vertices.

Where triangles are hardly larger than pixels, this looks as if every pixel had been lit, in a small part of the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import Float32Array, FloatArray

Bytes = NDArray[np.uint8]
GAMMA = 2.2
_MIRROR = 0.04  # share of light that skin throws back straight ahead: that of an index of refraction of 1.5
_GRAZING = min(_MIRROR * 50.0, 1.0)  # and at a grazing angle
_LEAST = 1e-5  # of a cosine


@dataclass(frozen=True)
class Light:
    """A light that is far away: the unit vector `toward` it (3,), and its `color` (3,) times its strength."""

    toward: FloatArray
    color: FloatArray


def shade(
    points: FloatArray,
    normals: FloatArray,
    colors: FloatArray,
    *,
    eye: Sequence[float],
    lights: Sequence[Light],
    roughness: float,
) -> Bytes:
    """Colours (V, 3), bytes, of places (V, 3) [m] of a skin of `colors` (V, 3) from 0 to 1, seen from `eye` (3,) [m].

    The renderer's own formula for the same material, so that both look alike: Lambert for what goes into the skin and
    comes out again, and for what the surface throws back, with n the normal, l and v the directions to lamp and eye and
    h half way between,

        D V F,   D = a / (pi ((n.h)^2 (a - 1) + 1)^2),   a = roughness^4,

    V of Smith for both directions, and F of Schlick. Colours are made linear before and put back after.
    """
    facing, view = _columns(normals), _unit(_columns(np.subtract(eye, points)))
    albedo = _columns(colors) ** np.float32(GAMMA)
    wide, narrow = np.float32(roughness**2), np.float32(roughness**4)
    toward_eye = _cosine(facing, view)
    total = np.zeros_like(albedo)
    for lamp in lights:
        toward, color = (vector.astype(np.float32)[:, None] for vector in (lamp.toward, lamp.color))
        half = _unit(view + toward)
        light, middle = _cosine(facing, toward), _cosine(facing, half)
        aside = 1.0 - _cosine(half, toward)
        spread = (middle * narrow - middle) * middle + 1.0
        masked = light * _masking(toward_eye, wide) + toward_eye * _masking(light, wide)
        thrown = _MIRROR + (_GRAZING - _MIRROR) * (aside * aside) ** 2 * aside
        gloss = narrow / (math.pi * spread * spread) * (0.5 / masked) * thrown * light
        total += color * ((1.0 - thrown) / math.pi * light * albedo + gloss)
    seen = np.round(255.0 * np.minimum(total, 1.0) ** np.float32(1.0 / GAMMA))
    return np.ascontiguousarray(seen.T, dtype=np.uint8)


def _columns(vectors: FloatArray) -> Float32Array:
    return np.ascontiguousarray(vectors.T, dtype=np.float32)


def _unit(columns: Float32Array) -> Float32Array:
    x, y, z = columns
    size: Float32Array = np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(_LEAST))
    return columns / size


def _cosine(one: Float32Array, other: Float32Array) -> Float32Array:
    return np.clip(one[0] * other[0] + one[1] * other[1] + one[2] * other[2], _LEAST, 1.0)


def _masking(cosine: Float32Array, wide: np.float32) -> Float32Array:
    """How much of the surface's own unevenness hides it at an angle."""
    return np.sqrt(wide + cosine * (cosine - wide * cosine))
