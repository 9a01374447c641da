"""Where a body is soft: what all soft skins take for flesh that swings, where nothing is painted."""

from __future__ import annotations

import numpy as np

from supple.arrays import FloatArray
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.character import Character
from supple.geometry.vectors import smoothstep

# Shares of the character's size: how deep flesh is that is firm, and that is fully soft.
TO_BONE = (0.035, 0.075)  # measured to the line of the bone
PAINTED = (0.008, 0.045)  # measured to what is hard, as a painted map does
_LEAST_BODY = 0.5  # of the largest: a tree of joints with less skin than this is no body of its own, but a thing on one


def body_sizes(character: Character) -> FloatArray:
    """The longest side (V,) [m] of the body that every vertex belongs to; characters joined into one are several."""
    skeleton, weights = character.skeleton, character.weights
    whole = np.full(len(character.points), float(np.ptp(character.points, axis=0).max()))
    root = np.arange(len(skeleton))
    for level in skeleton.levels[1:]:
        root[level] = root[skeleton.parents[level]]
    if weights is None or len(np.unique(root)) == 1:
        return whole
    strongest = np.take_along_axis(weights.joints, weights.values.argmax(axis=1)[:, None], axis=1)[:, 0]
    sizes = np.zeros(len(skeleton))
    for one in np.unique(root[strongest]):
        sizes[one] = np.ptp(character.points[root[strongest] == one], axis=0).max()
    return np.maximum(sizes, _LEAST_BODY * sizes.max())[root[strongest]]


def softness(
    depth: FloatArray,
    size: FloatArray | float,
    *,
    firm: FloatArray | float,
    jiggle: FloatArray | None = None,
    flesh: FloatArray | None = None,
) -> FloatArray:
    """How soft places (N,) are, 0 firm to 1 soft, from their `depth` (N,) [m] over the line of the bone.

    `size` [m] is that of the body, `firm` how much of each place is firm whatever its depth. Painted maps that were
    sampled there go first: `jiggle` (N,), 0 to 1, is taken as it is, `flesh` (N,) [m] in place of the depth.
    """
    if jiggle is not None:
        return np.clip(jiggle, 0.0, 1.0)
    soft = smoothstep(depth / size, *TO_BONE) if flesh is None else smoothstep(flesh / size, *PAINTED)
    return np.asarray(soft * (1.0 - firm))


def skin_softness(character: Character, bone_distance: FloatArray) -> FloatArray:
    """How soft every vertex (V,) of the skin is, 0 firm to 1 soft, from its distance (V,) [m] to the bone.

    A painted map "jiggle" (0 to 1) is taken as it is, a map "flesh" [m] in place of the depth found here. Head, hands
    and feet are firm where names tell them, because people see every change in them.
    """
    maps = character.maps
    return softness(
        bone_distance,
        body_sizes(character),
        firm=skin_firmness(character),
        jiggle=maps.get("jiggle"),
        flesh=maps.get("flesh"),
    )


def skin_firmness(character: Character) -> FloatArray | float:
    """How much of every vertex (V,) belongs to head, hands or feet, where names tell them: 0 to 1."""
    weights = character.weights
    return 0.0 if weights is None else rigid_fraction(character, weights)


def usual_flesh(bone_distance: FloatArray, size: FloatArray | float) -> FloatArray:
    """The map "flesh" (V,) [m] that makes the skin of a body of that `size` [m] as soft as where none is painted."""
    (near, far), (least, most) = TO_BONE, PAINTED
    return np.asarray(size * np.clip(np.interp(bone_distance / size, [near, far], [least, most]), 0.0, None))
