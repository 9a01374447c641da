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
from supple.skins.lattice.voxelize.layers import JIGGLE_MAP, FleshDepths, divide_flesh, painted_on_nodes
from supple.skins.lattice.voxelize.path_weights import find_bone_paths, path_weights, weights_from_skin
from supple.skins.lattice.voxelize.voxel_components import voxelize_some

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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

    @property
    def rest_volumes(self) -> FloatArray:
        """What the octants of every node enclose at rest (N,) [m³]; 0 where an axis has no neighbour at all."""
        return self.lattice.rest_volumes


@dataclass(frozen=True, eq=False)
class LatticeBody:
    """What follows from one character and the settings that are fixed when it is bound, for the N nodes of its lattice.

    `weights` are those of joints, `depths` how deep flesh lies, `surfaces` (N,) 1 at the skin to 0 at the node farthest
    from it. `firm` (N,) is the share of a node that belongs to head, hands or feet, `ends` (N,) [voxels] how freely it
    swings on an end that stands off such a part. `embedding` is how the skin hangs on the nodes.
    """

    lattice: Lattice
    weights: Weights
    surfaces: FloatArray
    depths: FleshDepths
    firm: FloatArray
    ends: FloatArray
    embedding: Embedding

    @cached_property
    def interpolation(self) -> csr_array:
        """How the skin hangs on the nodes, as a matrix (V, N)."""
        return self.embedding.matrix(len(self.lattice))

    @cached_property
    def _around(self) -> tuple[IntArray, IntArray, IntArray]:
        """All pairs of neighbours, by owner, and how many each node has."""
        around = self.lattice.neighbors("all")
        counts = np.diff(around.starts)
        return np.repeat(np.arange(len(self.lattice)), counts), around.indices, np.maximum(counts, 1)

    def smooth(self, depths: FloatArray) -> FloatArray:
        """Depths (N,) [m], less where bone is near: single voxels of flesh among bone would stand out as lumps."""
        owners, others, counts = self._around
        smoothed = depths
        for _ in range(_SMOOTHING_ROUNDS):
            mean = np.bincount(owners, smoothed[others], len(depths)) / counts
            smoothed = np.minimum(depths, 0.5 * (smoothed + mean))
        return smoothed


@dataclass(frozen=True, eq=False)
class Division:
    """A body divided into bone, layers of flesh and skin, as settings say that may change while it plays.

    `thickness` (N,) [m] is how deep the flesh of every node lies over the bone; 0 where it is firm, little where it
    stands off.
    """

    anatomy: Anatomy
    thickness: FloatArray


def prepare_body(character: Character, skin: LayeredLattice) -> LatticeBody:
    """Prepare a character: the slow part of binding.

    Only flesh is filled with voxels. Shells that lie on it hang on what they lie on, and hard ones on their bones.
    Where the skin takes nothing from the skin below, all of it hangs on voxels, as published.
    """
    voxels = skin.voxels
    skin_weights = character.require_weights(WHERE)
    shells = character.body_shape.shells
    flesh = np.ones(len(character.points), dtype=bool) if voxels.surface == "trilinear" else shells.is_flesh
    components = voxelize_some(character.points, character.triangles, flesh, voxels.resolution)
    lattice, joints = components.lattice, len(character.skeleton)
    paths = find_bone_paths(components, character.skeleton)
    depths = FleshDepths.of(lattice, paths)
    embedding = embed(lattice, character.points, "smooth" if voxels.surface == "smooth" else "trilinear", flesh)
    if voxels.weights == "carried":
        smooth = embedding if voxels.surface == "smooth" else embed(lattice, character.points, "smooth", flesh)
        weights = weights_from_skin(components, paths, smooth.rows(flesh), skin_weights.dense(joints)[flesh])
    else:
        weights = path_weights(components, paths, joints)
    head = rigid_fraction(character, weights, loose=_LOOSE, parts=_HEAD) > 0.5
    return LatticeBody(
        lattice,
        weights,
        1.0 - depths.skin_depths / max(float(depths.skin_depths.max(initial=0.0)), 1.0),
        depths,
        rigid_fraction(character, weights, loose=_LOOSE),
        appendage_freedom(lattice, head, depths.skin_depths),
        embedding,
    )


def divide(body: LatticeBody, character: Character, skin: LayeredLattice) -> Division:
    """Find the layers of a body, and how far from the bone their nodes are; a few milliseconds."""
    wanted, lattice = skin.anatomy, body.lattice
    layers = divide_flesh(
        character,
        lattice,
        body.depths,
        fractions=tuple(inner_layers(skin.layers).values()),
        skin=wanted.skin_layer,
        bone_width=wanted.bone_width,
        fatness=wanted.fatness,
    )
    flesh = body.depths.reached & ~layers.bone
    depths = body.smooth(lattice.side * np.where(flesh, body.depths.steps, 0.0))
    if wanted.firm_parts:
        depths *= 1.0 - body.firm
    thickness = depths / (1.0 + _THINNER * body.ends)
    if wanted.firm_parts:
        depths = np.maximum(depths, lattice.side * body.ends)
    swing = painted_on_nodes(character, lattice, body.depths, JIGGLE_MAP)
    if swing is not None:
        depths, thickness = swing * depths, swing * thickness
    return Division(Anatomy(lattice, body.weights, layers.numbers, depths, body.surfaces), thickness)
