"""Soft control [AbuRumman2016, 4.7]: regions that the artist marks, and a stiffness for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.arrays import BoolArray, FloatArray
from supple.character.character import Character
from supple.character.regions import RegionFinder
from supple.settings import ByName
from supple.skins.position_based.body.tetrahedral_body import FleshBody

WHERE = "PublishedPositionBased"
SOFTEST = 0.05  # factor on stiffness: with none at all free flesh would fall off the body
_MARKED = 0.5  # of the nearest skin: a particle belongs to a region where more is marked
_REGIONS = RegionFinder(WHERE, "regions")


@dataclass(frozen=True)
class SoftControl:
    """Which particles (P,) are `free`, and the factors on stiffness of elements (T,), bonds (P,) and edges (E,)."""

    free: BoolArray
    volumes: FloatArray
    bonds: FloatArray
    edges: FloatArray


def soft_control(character: Character, body: FleshBody, regions: ByName[float]) -> SoftControl:
    """Particles below a marked region are selected, down to the bone; d is their mean distance from it.

    Nearer than d they are driven by the bones, farther they are free, and all constraints of free ones get the
    stiffness of their region, the least of those that meet. Of regions that overlap the later one counts.
    """
    free, stiffness = np.zeros(len(body.joint), dtype=bool), np.ones(len(body.joint))
    for name, value in regions.items():
        selected = body.sample_skin(_REGIONS.marked(character, name)) > _MARKED
        if not selected.any():
            continue
        far = selected & (body.bone_distance > body.bone_distance[selected].mean())
        free = np.where(selected, far, free)
        stiffness = np.where(selected, np.where(far, max(value, SOFTEST), 1.0), stiffness)
    corners, ends = body.constraints.corners, body.constraints.ends
    return SoftControl(free, stiffness[corners].min(axis=1), stiffness, stiffness[ends].min(axis=1))


def check_regions(character: Character, regions: ByName[float]) -> None:
    """Refuse regions that the character does not have."""
    for name in regions:
        _REGIONS.marked(character, name)
