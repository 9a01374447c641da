"""Where a body is soft: an automatic map of flesh, and regions that the artist marks."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.anatomy.softness import PAINTED, TO_BONE
from supple.character.character import Character
from supple.character.regions import RegionFinder
from supple.geometry.vectors import smoothstep
from supple.settings import ByName
from supple.skins.position_based.body.tetrahedral_body import WHERE, FleshBody

_DEEP, _SHALLOW = 0.35, 0.9  # of the way from bone to skin: nearer to the bone is driven, farther is free
SOFT_ENOUGH = 0.02  # softness from which a particle swings; below it the bones drive it
_REGIONS = RegionFinder(WHERE, "regions")


def automatic_softness(character: Character, body: FleshBody) -> FloatArray:
    """How soft the skin is at every particle (P,), 0 firm to 1 soft, from the depth of flesh over the bone.

    A painted map "jiggle" (0 to 1) is taken as it is; a map "flesh" [m] in place of the depth found here. Head, hands
    and feet are firm where names tell them.
    """
    if "jiggle" in character.maps:
        return np.clip(body.sample_skin(character.maps["jiggle"]), 0.0, 1.0)
    size = float(np.ptp(character.points, axis=0).max())
    if "flesh" in character.maps:
        soft = smoothstep(body.sample_skin(character.maps["flesh"]) / size, *PAINTED)
    else:
        soft = smoothstep(body.flesh / size, *TO_BONE)
    return np.asarray(soft * (1.0 - firmness(character, body)))


def usual_softness(character: Character, body: FleshBody) -> FloatArray:
    """How soft every vertex (V,) of the skin is where no jiggle is painted, 0 firm to 1 soft."""
    size = float(np.ptp(character.points, axis=0).max())
    flesh = character.maps.get("flesh", usual_flesh(character, body))
    weights = character.weights
    firm = 0.0 if weights is None else rigid_fraction(character, weights)
    return np.asarray(smoothstep(flesh / size, *PAINTED) * (1.0 - firm))


def usual_flesh(character: Character, body: FleshBody) -> FloatArray:
    """The map "flesh" (V,) [m] that makes the skin as soft as it is where none is painted."""
    size = float(np.ptp(character.points, axis=0).max())
    (near, far), (least, most) = TO_BONE, PAINTED
    return np.asarray(size * np.clip(np.interp(body.skin_distance / size, [near, far], [least, most]), 0.0, None))


def firmness(character: Character, body: FleshBody) -> FloatArray:
    """How much of every particle (P,) belongs to head, hands or feet, where names tell them: 0 to 1.

    Faces and hands are kept as the bones carry them, because people see every change in them.
    """
    return rigid_fraction(character, body.weights)


def skin_depth(character: Character, body: FleshBody) -> FloatArray:
    """How much flesh (V,) [m] there is below every vertex of the skin; none on head, hands and feet."""
    weights = character.weights
    firm = 0.0 if weights is None else rigid_fraction(character, weights)
    return np.asarray(body.skin_distance * (1.0 - firm))


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
    """How free a particle is by where it lies between bone and skin (P,): 0 at the bone, 1 at the skin."""
    return smoothstep(body.bone_distance / np.maximum(body.flesh, 1e-9), _DEEP, _SHALLOW)


def beyond_the_mean(body: FleshBody, soft: FloatArray) -> FloatArray:
    """The published choice (P,): of all soft particles, those farther from the bone than the mean of them are free."""
    chosen = soft > 0.0
    if not chosen.any():
        return np.zeros(len(soft))
    return (chosen & (body.bone_distance > body.bone_distance[chosen].mean())).astype(np.float64)
