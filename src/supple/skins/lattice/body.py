"""From a character to its lattice: voxels of its flesh, their layers and weights, and how the skin hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import Floats
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.character import Character
from supple.skins.lattice.appendages import free_ends
from supple.skins.lattice.by_layer import inner_layers
from supple.skins.lattice.cells import WHERE, Lattice
from supple.skins.lattice.embedding import Tie, tie_of
from supple.skins.lattice.layers import layers_of
from supple.skins.lattice.path_weights import bone_paths, carried_in, path_weights
from supple.skins.lattice.solver import Anatomy
from supple.skins.lattice.voxel_components import pieces_of

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice

_HEAD = frozenset({"head"})  # fingers and toes stand off too, and are firm
_EVENINGS = 2  # rounds
_THINNER = 4.0  # a voxel of freedom makes an end count so much less as flesh
_LOOSE = ("ear", "hair", "tail", "trunk", "antenna")  # what hangs on a head and still swings


@dataclass(frozen=True, eq=False)
class Body:
    """What follows from one character and the settings that are fixed when it is bound."""

    anatomy: Anatomy
    tie: Tie
    thickness: Floats
    """How deep the flesh of every node lies over the bone (N,) [m]; 0 where it is firm, little where it stands off."""


def body_of(character: Character, skin: LayeredLattice) -> Body:
    """Prepare a character: the slow part of binding."""
    skin_weights = character.require_weights(WHERE)
    pieces = pieces_of(character.points, character.triangles, skin.resolution)
    lattice, joints = pieces.lattice, len(character.skeleton)
    paths = bone_paths(pieces, character.skeleton)
    layers = layers_of(
        character,
        lattice,
        paths,
        shares=tuple(inner_layers(skin.layers).values()),
        skin=skin.skin_layer,
        bone_width=skin.bone_width,
        fatness=skin.fatness,
    )
    tie = tie_of(lattice, character.points, "smooth" if skin.surface == "smooth" else "trilinear")
    if skin.weights == "carried":
        smooth = tie if skin.surface == "smooth" else tie_of(lattice, character.points, "smooth")
        weights = carried_in(pieces, paths, smooth, skin_weights.dense(joints))
    else:
        weights = path_weights(pieces, paths, joints)
    depths = _evened(lattice, lattice.side * np.where(paths.reached & ~layers.bone, paths.steps, 0.0))
    head = rigid_fraction(character, weights, loose=_LOOSE, parts=_HEAD) > 0.5
    ends = free_ends(lattice, head, layers.skin_depths)
    if skin.firm_parts:
        depths *= 1.0 - rigid_fraction(character, weights, loose=_LOOSE)
    thickness = depths / (1.0 + _THINNER * ends)
    if skin.firm_parts:
        depths = np.maximum(depths, lattice.side * ends)
    surfaces = 1.0 - layers.skin_depths / max(float(layers.skin_depths.max(initial=0.0)), 1.0)
    return Body(Anatomy(lattice, weights, layers.numbers, depths, surfaces), tie, thickness)


def _evened(lattice: Lattice, depths: Floats) -> Floats:
    """Depths (N,) [m], less where bone is near: single voxels of flesh among bone would stand out as lumps."""
    around = lattice.neighbors("all")
    counts = np.maximum(np.diff(around.starts), 1)
    owners = np.repeat(np.arange(len(lattice)), np.diff(around.starts))
    evened = depths
    for _ in range(_EVENINGS):
        mean = np.bincount(owners, evened[around.indices], len(lattice)) / counts
        evened = np.minimum(depths, 0.5 * (evened + mean))
    return evened
