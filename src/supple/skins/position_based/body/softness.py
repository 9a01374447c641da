"""Where a body is soft: an automatic map of flesh, and regions that the artist marks."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.skin_anatomy import FLESH, JIGGLE
from supple.character.character import Character
from supple.character.regions import RegionFinder
from supple.geometry.vectors import smoothstep
from supple.settings import ByName
from supple.skins.position_based.body.tetrahedral_body import WHERE, FleshBody

_DEEP, _SHALLOW = 0.2, 0.75  # of the way from the middle of the flesh to the skin: deeper is driven, shallower is free
SOFT_ENOUGH = 0.02  # softness from which a particle swings; below it the bones drive it
_REGIONS = RegionFinder(WHERE, "regions")


def automatic_softness(character: Character, body: FleshBody) -> FloatArray:
    """How soft the skin is at every particle (P,), 0 firm to 1 soft: as its anatomy says, or painted maps."""
    return np.clip(body.sample_skin(character.anatomy.softness), 0.0, 1.0)


def usual_softness(character: Character) -> FloatArray:
    """How soft every vertex (V,) of the skin is where no jiggle is painted, 0 firm to 1 soft."""
    return _without(character, JIGGLE).anatomy.softness


def usual_flesh(character: Character) -> FloatArray:
    """The map "flesh" (V,) [m] that makes the skin as soft as it is where none is painted."""
    return _without(character, JIGGLE, FLESH).anatomy.flesh_map(character)


def _without(character: Character, *names: str) -> Character:
    if not character.maps.keys() & set(names):
        return character
    return character.replace(maps={name: values for name, values in character.maps.items() if name not in names})


def firmness(character: Character, body: FleshBody) -> FloatArray:
    """How much of every particle (P,) only follows the bones, 0 to 1: in leaves, rigid parts and whatever is thin.

    What is painted soft swings about where its bones carry it, and does not settle elsewhere for that.
    """
    return np.clip(body.sample_skin(_without(character, JIGGLE, FLESH).anatomy.firmness), 0.0, 1.0)


def regional_softness(character: Character, body: FleshBody, regions: ByName[float]) -> tuple[FloatArray, FloatArray]:
    """How soft (P,) the artist wants the skin at every particle, and how much that counts there (P,).

    A region is the name of a part or of a painted map, or numbers of vertices such as "12+30-45"; its value is a
    stiffness from 0 (soft) to 1 (driven by the bones). Later ones win.
    """
    soft, counts = np.zeros(len(body.joint)), np.zeros(len(body.joint))
    for name, stiffness in regions.items():
        fraction = np.clip(body.sample_skin(_REGIONS.marked(character, name)), 0.0, 1.0)
        soft += fraction * (1.0 - stiffness - soft)
        counts = np.maximum(counts, fraction)
    return soft, counts


def check_regions(character: Character, regions: ByName[float]) -> None:
    """Refuse regions that the character does not have."""
    for name in regions:
        _REGIONS.marked(character, name)


def depth_factor(body: FleshBody) -> FloatArray:
    """How free a particle is by where it lies in the flesh (P,): 0 in the middle of it, 1 at the skin."""
    return smoothstep(body.rise, _DEEP, _SHALLOW)
