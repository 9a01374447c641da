"""Where a body is soft: an automatic map of flesh, and regions that the artist marks."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.anatomy.softness import skin_firmness, softness
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
    painted = {name: body.sample_skin(character.maps[name]) for name in ("jiggle", "flesh") if name in character.maps}
    return softness(body.flesh, whole_size(character), firm=firmness(character, body), **painted)


def usual_softness(character: Character, body: FleshBody) -> FloatArray:
    """How soft every vertex (V,) of the skin is where no jiggle is painted, 0 firm to 1 soft."""
    firm, flesh = skin_firmness(character), character.maps.get("flesh")
    return softness(body.skin_distance, whole_size(character), firm=firm, flesh=flesh)


def whole_size(character: Character) -> float:
    """The longest side [m] of all that is simulated together, be it one body or several."""
    return float(np.ptp(character.points, axis=0).max())


def firmness(character: Character, body: FleshBody) -> FloatArray:
    """How much of every particle (P,) belongs to head, hands or feet, where names tell them: 0 to 1.

    Faces and hands are kept as the bones carry them, because people see every change in them.
    """
    return rigid_fraction(character, body.weights)


def skin_depth(character: Character, body: FleshBody) -> FloatArray:
    """How much flesh (V,) [m] there is below every vertex of the skin; none on head, hands and feet."""
    return np.asarray(body.skin_distance * (1.0 - skin_firmness(character)))


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
