"""How much of its volume each limb of a body keeps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.character.limbs.division import find_limbs
from supple.character.limbs.volumes import LimbVolumes
from supple.measure.frames import frames_of
from supple.measure.volume import FLAT


def limb_volume_ratio(points: ArrayLike, character: Character) -> dict[str, FloatArray]:
    """The volume of every limb in every frame (F,) of `points` (F, V, 3), relative to rest, by its joint.

    See `LimbVolumes`. Limbs that enclose nothing at rest are left out.
    """
    frames = frames_of(points, "limb_volume_ratio", vertices=len(character.points))
    meter = LimbVolumes.from_character(character)
    if meter is None:
        return {}
    rest = meter(character.points[None])[0]
    now = meter(frames)
    size = float(np.linalg.norm(np.ptp(character.points, axis=0)))
    solid = rest > FLAT * size**3
    return {name: now[:, limb] / rest[limb] for limb, name in enumerate(meter.names) if solid[limb]}


def limbs_of(character: Character) -> dict[str, IntArray]:
    """The vertices of every limb by the name of the joint it lies around; none without weights.

    The limb of a knee goes from the middle of the thigh to the middle of the shank.
    """
    meter = LimbVolumes.from_character(character)
    limbs = find_limbs(character) if meter is None else meter.limbs
    if limbs is None:
        return {}
    used = np.zeros(len(character.points), dtype=bool)
    used[character.triangles] = True
    return {
        name: np.flatnonzero(used & (limbs.limb_of == limb)).astype(np.int32) for limb, name in enumerate(limbs.names)
    }
