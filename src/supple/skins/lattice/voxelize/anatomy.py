"""From a character to its lattice: voxels of its flesh, their layers and weights, and how the skin hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.anatomy.rigid_parts import rigid_fraction
from supple.character.anatomy.shells import shell_volumes
from supple.character.anatomy.skin_anatomy import JIGGLE, without_maps
from supple.character.character import Character
from supple.character.weights import Weights
from supple.geometry.segments import distances_to_segments
from supple.geometry.topology import area_vectors
from supple.geometry.vectors import smoothstep
from supple.skins.lattice.settings import inner_layers
from supple.skins.lattice.voxelize.appendages import appendage_freedom
from supple.skins.lattice.voxelize.cells import WHERE, Lattice
from supple.skins.lattice.voxelize.embedding import Embedding, embed
from supple.skins.lattice.voxelize.layers import JIGGLE_MAP, FleshDepths, divide_flesh, painted_on_nodes
from supple.skins.lattice.voxelize.path_weights import find_bone_paths, path_weights, weights_from_skin
from supple.skins.lattice.voxelize.skin_above import SkinAbove, find_skin_above
from supple.skins.lattice.voxelize.voxel_components import voxelize_some

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from supple.skins.lattice.skin import LayeredLattice

_HEAD = frozenset({"head"})  # fingers and toes stand off too, and are firm
_SMOOTHING_ROUNDS = 2  # of depths
_DEEP, _SHALLOW = 0.2, 0.75  # of the way from the middle of the flesh to the skin: deeper is bone, shallower is free
_HELD = (0.6, 1.0)  # firmness from which skin begins to stay with its bones though flesh beside it swings
_COVERED = (0.0, 0.15)  # of half the thickness of flesh: a bone nearer to the skin than this holds it
_FIRM = 0.15  # how much flesh a node holds, below which it is bone
_ACROSS = 10.0  # voxels across the trunk of a body, where no resolution is asked for, but
_MOST_VOXELS = 20_000  # where no resolution is asked for
_POWER = 1.5  # of how much larger voxels are than those
_COARSEST, _FINEST = 40, 128  # of them along its longest side
_THINNER = 4.0  # a voxel of freedom makes an end count so much less as flesh
_LOOSE = ("ear", "hair", "tail", "trunk", "antenna")  # what hangs on a head and still swings


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A lattice with all that the solver wants to know of its N nodes.

    `weights` are those of joints, `layers` (N,) 0 for bone, `depths` (N,) [m] how far they are from the bone through
    flesh, `surfaces` (N,) 1 at the skin to 0 at the node farthest from it, `softness` (N,) how much of the motion of
    their bones they feel as inertia, 0 to 1; all of it where there is none.
    """

    lattice: Lattice
    weights: Weights
    layers: IntArray
    depths: FloatArray
    surfaces: FloatArray
    softness: FloatArray | None = None

    @property
    def rest_volumes(self) -> FloatArray:
        """What the octants of every node enclose at rest (N,) [m³]; 0 where an axis has no neighbour at all."""
        return self.lattice.rest_volumes


@dataclass(frozen=True, eq=False)
class LatticeBody:
    """What follows from one character and the settings that are fixed when it is bound, for the N nodes of its lattice.

    `weights` are those of joints, `depths` how deep flesh lies, `surfaces` (N,) 1 at the skin to 0 at the node farthest
    from it. `above` is the skin over every node and `cover` (V,) [m] how far every vertex is from the nearest bone;
    None where layers follow from bones alone, as published. `firm` (N,) is the share of a node that belongs to head,
    hands or feet, `ends` (N,) [voxels] how freely it swings on an end that stands off such a part. `embedding` is how
    the skin hangs on the nodes. `coupling` is how much of what neighbours want of each other counts, 1 or less.
    """

    lattice: Lattice
    weights: Weights
    surfaces: FloatArray
    depths: FleshDepths
    above: SkinAbove | None
    cover: FloatArray | None
    firm: FloatArray
    ends: FloatArray
    embedding: Embedding
    coupling: float

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
    stands off. `looseness` (V,) is how much every vertex goes along with the flesh around it, 0 where it is firm.
    """

    anatomy: Anatomy
    thickness: FloatArray
    looseness: FloatArray


def prepare_body(character: Character, skin: LayeredLattice) -> LatticeBody:
    """Prepare a character: the slow part of binding.

    Only flesh is filled with voxels. Shells that lie on it hang on what they lie on, and hard ones on their bones.
    Where the skin takes nothing from the skin below, all of it hangs on voxels, as published.
    """
    voxels = skin.voxels
    skin_weights = character.require_weights(WHERE)
    shells = character.body_shape.shells
    flesh = np.ones(len(character.points), dtype=bool) if voxels.surface == "trilinear" else shells.is_flesh
    resolution = voxels.resolution or usual_resolution(character)
    components = voxelize_some(character.points, character.triangles, flesh, resolution)
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
    above = None
    if voxels.surface != "trilinear":
        filled = character.triangles[flesh[character.triangles].all(axis=1)]
        above = find_skin_above(components, character.points, filled)
    return LatticeBody(
        lattice,
        weights,
        1.0 - depths.skin_depths / max(float(depths.skin_depths.max(initial=0.0)), 1.0),
        depths,
        above,
        None if above is None else bone_distances(character),
        rigid_fraction(character, weights, loose=_LOOSE),
        appendage_freedom(lattice, head, depths.skin_depths),
        embedding,
        1.0 if above is None else _coupling(character, lattice.side),
    )


def _coupling(character: Character, side: float) -> float:
    """How much of what neighbours want of each other counts between voxels of some `side` [m].

    In one pass a pull goes as far as a region is wide. Between voxels that are larger than usual it counts less, so
    that flesh holds together over the same length at every resolution (this power was measured).
    """
    usual = float(character.body_shape.trunk.max(initial=0.0)) / _ACROSS
    return float(min(1.0, usual / side) ** _POWER)


def usual_resolution(character: Character) -> int:
    """Voxels along the longest side of a body, so that its trunk has the same number of them whatever its span is.

    Fewer where that would be too many voxels: a crowd in one file has a wide span.
    """
    shape = character.body_shape
    trunk, longest = float(shape.trunk.max(initial=0.0)), float(np.ptp(character.points, axis=0).max())
    wanted = int(np.clip(np.ceil(_ACROSS * longest / max(trunk, longest / _FINEST)), _COARSEST, _FINEST))
    skin = shape.shells.flesh_triangles(character.triangles)
    area = 0.5 * float(np.linalg.norm(area_vectors(character.points, skin), axis=1).sum()) / longest**2
    volume = float(shell_volumes(character.points, skin, shape.shells.number).sum()) / longest**3
    while wanted > _COARSEST and volume * wanted**3 + area * wanted**2 > _MOST_VOXELS:
        wanted -= 1
    return wanted


def divide(body: LatticeBody, character: Character, skin: LayeredLattice) -> Division:
    """Find the layers of a body, how soft its nodes are and how far they may go; a few milliseconds."""
    wanted, lattice = skin.anatomy, body.lattice
    freedom = _freedom(body, character, firm_parts=wanted.firm_parts)
    layers = divide_flesh(
        character,
        lattice,
        body.depths,
        fractions=tuple(inner_layers(skin.layers).values()),
        skin=wanted.skin_layer,
        bone_width=wanted.bone_width,
        fatness=wanted.fatness,
        firm=None if freedom is None else (freedom.flesh < _FIRM) & ~(wanted.firm_parts & (body.ends > 0.0)),
    )
    flesh = body.depths.reached & ~layers.bone
    if freedom is None:
        softness = None
        depths = body.smooth(lattice.side * np.where(flesh, body.depths.steps, 0.0))
        if wanted.firm_parts:
            depths *= 1.0 - body.firm
    else:
        softness = np.where(body.ends > 0.0, 1.0, freedom.softness) if wanted.firm_parts else freedom.softness
        depths = np.where(flesh, freedom.depths, 0.0)
    thickness = depths / (1.0 + _THINNER * body.ends)
    if wanted.firm_parts:
        depths = np.maximum(depths, lattice.side * body.ends)
    swing = painted_on_nodes(character, lattice, body.depths, JIGGLE_MAP)
    if swing is not None:
        depths, thickness = swing * depths, swing * thickness
    return Division(
        Anatomy(lattice, body.weights, layers.numbers, depths, body.surfaces, softness),
        thickness,
        _looseness(body, character, firm_parts=wanted.firm_parts),
    )


def bone_distances(character: Character) -> FloatArray:
    """How far every vertex (V,) [m] is from the nearest bone that moves skin."""
    weights, bones = character.require_weights(WHERE), character.skeleton.bones
    moving = np.isin(bones.joints, weights.joints[weights.values > 0.0])
    if not moving.any():
        return np.full(len(character.points), np.inf)
    return distances_to_segments(character.points, bones.starts[moving], bones.ends[moving])[0].min(axis=1)


def _looseness(body: LatticeBody, character: Character, *, firm_parts: bool) -> FloatArray:
    """How much every vertex (V,) goes along with the flesh.

    Firm skin beside soft flesh does not, nor skin that lies on a bone; free ends do.
    """
    if not firm_parts or body.cover is None:
        return np.ones(len(character.points))
    anatomy = without_maps(character, JIGGLE).anatomy
    on_bone = 1.0 - smoothstep(body.cover / np.maximum(0.5 * anatomy.thickness, 1e-300), *_COVERED)
    held = np.maximum(smoothstep(anatomy.firmness, *_HELD), on_bone)
    return np.maximum(1.0 - held, np.minimum(body.interpolation @ (body.ends > 0.0), 1.0))


@dataclass(frozen=True, eq=False)
class _Freedom:
    """How soft nodes (N,) are, 0 to 1, and how deep (N,) [m] the flesh that swings there is.

    `flesh` (N,) is how much of a node is flesh, 0 to 1, though it may be part of a head and firm: a hand can draw it.
    """

    softness: FloatArray
    flesh: FloatArray
    depths: FloatArray


def _freedom(body: LatticeBody, character: Character, *, firm_parts: bool) -> _Freedom | None:
    """What the anatomy of the skin above says of every node: soft at the skin, firm in the middle of the flesh.

    All lengths are those of the body, not of voxels, so that flesh swings as far at any resolution. It goes no farther
    than it is thick over a bone, so that no bone comes out.
    """
    above = body.above
    if above is None or body.cover is None:
        return None
    anatomy = without_maps(character, JIGGLE).anatomy  # here that map is a factor
    half = 0.5 * above.sample(anatomy.thickness)
    rise = 1.0 - above.depths / np.maximum(half, 1e-300)
    soft = anatomy.softness if firm_parts else np.maximum(anatomy.softness, character.body_shape.plumpness)
    shallow = smoothstep(rise, _DEEP, _SHALLOW)
    softness = above.sample(soft) * shallow
    return _Freedom(
        softness,
        above.sample(np.maximum(anatomy.fleshiness, soft)) * shallow,
        np.minimum(softness * np.minimum(half, above.sample(body.cover)), shallow * above.sample(anatomy.swing_depth)),
    )
