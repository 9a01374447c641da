"""From a character to its lattice: voxels of its flesh, their layers and weights, and how the skin hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.character import Character
from supple.character.weights import Weights
from supple.skins.lattice.settings import inner_layers
from supple.skins.lattice.voxelize.appendages import appendage_freedom
from supple.skins.lattice.voxelize.cells import WHERE, Lattice
from supple.skins.lattice.voxelize.embedding import Embedding, embed
from supple.skins.lattice.voxelize.layers import assign_layers
from supple.skins.lattice.voxelize.path_weights import find_bone_paths, path_weights, weights_from_skin
from supple.skins.lattice.voxelize.voxel_components import voxelize

if TYPE_CHECKING:
    from supple.skins.lattice.skin import LayeredLattice

_HEAD = frozenset({"head"})  # fingers and toes stand off too, and are firm
_SMOOTHING_ROUNDS = 2  # of depths
_THINNER = 4.0  # a voxel of freedom makes an end count so much less as flesh
_LOOSE = ("ear", "hair", "tail", "trunk", "antenna")  # what hangs on a head and still swings


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A lattice with all that the solver wants to know of its N nodes.

    `weights` are those of joints, `layers` (N,) 0 for bone, `depths` (N,) [m] how far they are from the bone through
    flesh, `surfaces` (N,) 1 at the skin to 0 at the node farthest from it.
    """

    lattice: Lattice
    weights: Weights
    layers: IntArray
    depths: FloatArray
    surfaces: FloatArray

    @cached_property
    def rest_volumes(self) -> FloatArray:
        """What the octants of every node enclose at rest (N,) [m³]; 0 where an axis has no neighbour at all."""
        ends = (self.lattice.chains >= 0).reshape(-1, 3, 2).sum(axis=2)
        return np.asarray((0.5 * self.lattice.side * ends).prod(axis=1))

    def table(self, kind: str) -> IntArray:
        """Neighbours (N, K) of a set as 8 n + 2 c + b: the node, how many coordinates differ, 1 for bone; or -1."""
        around = self.lattice.neighbors(kind)
        counts = np.diff(around.starts)
        owners = np.repeat(np.arange(len(counts)), counts)
        slots = np.arange(len(owners)) - around.starts[owners]
        cells = self.lattice.cells
        apart = (cells[owners] != cells[around.indices]).sum(axis=1)
        codes = 8 * around.indices.astype(np.int64) + 2 * apart + (self.layers[around.indices] == 0)
        table = np.full((len(counts), max(int(counts.max(initial=0)), 1)), -1, dtype=np.int32)
        table[owners, slots] = codes
        return table


@dataclass(frozen=True, eq=False)
class LatticeBody:
    """What follows from one character and the settings that are fixed when it is bound."""

    anatomy: Anatomy
    embedding: Embedding
    thickness: FloatArray
    """How deep the flesh of every node lies over the bone (N,) [m]; 0 where it is firm, little where it stands off."""


def prepare_body(character: Character, skin: LayeredLattice) -> LatticeBody:
    """Prepare a character: the slow part of binding."""
    voxels, wanted = skin.voxels, skin.anatomy
    skin_weights = character.require_weights(WHERE)
    components = voxelize(character.points, character.triangles, voxels.resolution)
    lattice, joints = components.lattice, len(character.skeleton)
    paths = find_bone_paths(components, character.skeleton)
    layers = assign_layers(
        character,
        lattice,
        paths,
        fractions=tuple(inner_layers(skin.layers).values()),
        skin=wanted.skin_layer,
        bone_width=wanted.bone_width,
        fatness=wanted.fatness,
    )
    embedding = embed(lattice, character.points, "smooth" if voxels.surface == "smooth" else "trilinear")
    if voxels.weights == "carried":
        smooth = embedding if voxels.surface == "smooth" else embed(lattice, character.points, "smooth")
        weights = weights_from_skin(components, paths, smooth, skin_weights.dense(joints))
    else:
        weights = path_weights(components, paths, joints)
    depths = _smooth_depths(lattice, lattice.side * np.where(paths.reached & ~layers.bone, paths.steps, 0.0))
    head = rigid_fraction(character, weights, loose=_LOOSE, parts=_HEAD) > 0.5
    ends = appendage_freedom(lattice, head, layers.skin_depths)
    if wanted.firm_parts:
        depths *= 1.0 - rigid_fraction(character, weights, loose=_LOOSE)
    thickness = depths / (1.0 + _THINNER * ends)
    if wanted.firm_parts:
        depths = np.maximum(depths, lattice.side * ends)
    surfaces = 1.0 - layers.skin_depths / max(float(layers.skin_depths.max(initial=0.0)), 1.0)
    return LatticeBody(Anatomy(lattice, weights, layers.numbers, depths, surfaces), embedding, thickness)


def _smooth_depths(lattice: Lattice, depths: FloatArray) -> FloatArray:
    """Depths (N,) [m], less where bone is near: single voxels of flesh among bone would stand out as lumps."""
    around = lattice.neighbors("all")
    counts = np.maximum(np.diff(around.starts), 1)
    owners = np.repeat(np.arange(len(lattice)), np.diff(around.starts))
    smoothed = depths
    for _ in range(_SMOOTHING_ROUNDS):
        mean = np.bincount(owners, smoothed[around.indices], len(lattice)) / counts
        smoothed = np.minimum(depths, 0.5 * (smoothed + mean))
    return smoothed
