"""The flesh of a character: tetrahedra between its skin and a core around its bones, what carries them, what they are.

Nodes of the core are where the bones alone carry them (u = 0). All others are free to move against the bones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.character import Character
from supple.character.skeleton import Bones
from supple.character.weighting.bones import owning_bones
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry.embedding import Embedding, embed
from supple.geometry.flesh import Flesh
from supple.geometry.segments import distances_to_segments
from supple.geometry.tetrahedra import Tetrahedra, boundary_faces, edges_of, fill
from supple.skins.contact.model.elasticity import (
    Tissue,
    assemble,
    element_stiffness,
    lumped_masses,
    named_tissue,
    stiffness,
)

WHERE = "ArticulatedContact"
_INFLUENCES = 4  # joints that carry one node
_GROWTH = 4.0  # times as long as it is: how far a bone may reach on to the tip of its flesh
_SHORT_OF_SKIN = 0.9
_APPENDAGE = 1.8  # times as deep as flesh is there: what gives way more than that is held
_ROUNDS = 6
_AROUND = 24  # nodes about the middle of a bone among which one beside it is looked for
_BESIDE = 0.3  # share of an edge from which on a node lies beside a bone and not on it
_ASIDE = np.array([0.014, 0.027, 0.02])  # shares of an edge: so that of nodes equally near always the same are taken


@dataclass(frozen=True, eq=False)
class FleshLayer:
    """What a character is made of, as plain arrays; P nodes, of which n are free.

    `solid` are its tetrahedra at rest and `weights` (P, K) say which joints carry each node. `masses` (P,) [kg].
    `free` (n,) are the numbers of the free nodes; `stiffness` and `damping` (3 n, 3 n) [N/m, N s/m] act on their
    displacements.
    """

    solid: Tetrahedra
    weights: Weights
    masses: FloatArray
    free: IntArray
    stiffness: Any
    damping: Any

    @cached_property
    def order(self) -> IntArray:
        """All nodes (P,) as a mechanism numbers them: free ones first, then those of the core."""
        core = np.setdiff1d(np.arange(len(self.masses)), self.free)
        return np.concatenate([self.free, core]).astype(np.int32)

    @cached_property
    def node_index(self) -> IntArray:
        """The number (P,) of every node in a mechanism."""
        index = np.empty(len(self.order), dtype=np.int32)
        index[self.order] = np.arange(len(self.order))
        return index

    def embedding(self, points: FloatArray) -> Embedding:
        """Which nodes carry points (V, 3) [m] of the skin at rest, numbered as in a mechanism."""
        found = embed(points, self.solid)
        return Embedding(self.node_index[found.corners], found.barycentric, found.distance)


def layer(
    solid: Tetrahedra,
    weights: Weights,
    core: BoolArray,
    *,
    tissues: Sequence[Tissue | str] = ("muscle",),
    tissue_of_element: IntArray | None = None,
) -> FleshLayer:
    """Flesh from its parts: tetrahedra, the joints that carry the nodes, which nodes (P,) are core, and what it is.

    `tissue_of_element` (T,) numbers the `tissues`; not given, all is of the first. What hangs together and has no node
    in the core would float away; it goes with the bones as a whole.
    """
    which = np.zeros(len(solid.corners), np.int32) if tissue_of_element is None else tissue_of_element
    kinds = [named_tissue(one, WHERE) for one in tissues]
    youngs_modulus, poissons_ratio, density, mass_damping, stiffness_damping = (
        np.array([getattr(kind, what) for kind in kinds])[which]
        for what in ("youngs_modulus", "poissons_ratio", "density", "mass_damping", "stiffness_damping")
    )
    if len(core) != len(solid.points) or len(weights) != len(solid.points):
        raise InputError(
            WHERE,
            f"there are weights for {len(weights)} nodes and a core of {len(core)}",
            f"the flesh has {len(solid.points)} nodes",
            "pass one of each for every node",
        )
    masses = lumped_masses(solid, density)
    held = core | ~_anchored(solid, core)
    free = np.flatnonzero(~held & (masses > 0.0)).astype(np.int32)
    blocks = element_stiffness(solid, youngs_modulus, poissons_ratio)
    mass_damped = lumped_masses(solid, np.maximum(density * mass_damping, 1e-300))
    unknowns = (3 * free[:, None] + np.arange(3)).ravel()
    stiff = assemble(solid, blocks)[unknowns][:, unknowns].tocsr()
    stiffness_damped = assemble(solid, stiffness_damping[:, None, None, None, None] * blocks)[unknowns][
        :, unknowns
    ].tocsr()
    from scipy.sparse import diags_array

    damping = (stiffness_damped + diags_array(np.repeat(mass_damped[free], 3))).tocsr()
    return FleshLayer(solid, weights, masses, free, stiff, damping)


def flesh_from_character(
    character: Character,
    *,
    count: int = 8000,
    core: float = 0.4,
    depth: float = 0.03,
    tissue: Tissue | str = "muscle",
    parts: Mapping[str, Tissue | str] | None = None,
) -> FleshLayer:
    """Fill a character with about `count` tetrahedra of flesh that hangs on its bones.

    `core` is the share of the way from a bone to the skin that belongs to the bone: 0 leaves only the bone itself, 1
    leaves no flesh. What lies deeper under the skin than `depth`, a share of the character's largest side, belongs to
    the bones too, as behind ribs: flesh is then a layer, which is quick to solve for. `parts` gives named parts of the
    character a tissue of their own.
    """
    if not 0.0 <= core < 1.0:
        raise InputError(WHERE, f"core is {core}", "a share from 0 up to, but not, 1 is needed", "try 0.4")
    if not depth > 0.0:
        raise InputError(WHERE, f"depth is {depth}", "a share above zero is needed", "try 0.03")
    solid = fill(character.points, character.triangles, count=count)
    body = Flesh(character.points, character.triangles)
    bones = _extend_bones(owning_bones(character.skeleton, body), body)
    corners, barycentric, below = _nearest_skin(solid.points, character)
    named = {name: named_tissue(own, WHERE) for name, own in (parts or {}).items()}
    which = np.zeros(len(character.points), dtype=np.int32)
    for number, name in enumerate(named, start=1):
        which[character.vertices_of(name)] = number
    nearest = np.take_along_axis(corners, barycentric.argmax(axis=1)[:, None], axis=1)[:, 0]
    own = np.sort(which[nearest][solid.corners], axis=1)[:, 2]  # a part has an element when half of its nodes see it
    weights = _interpolate_weights(solid, character, corners, barycentric)
    deepest = depth * float(character.size.max())
    near = distances_to_segments(solid.points, bones.starts, bones.ends)[0].min(axis=1)
    held = _nodes_along(bones, solid) | (near < core * (near + below)) | (below > deepest)
    held = _hold_appendages(solid, held, _thickness(solid, below, deepest))
    return layer(solid, weights, held, tissues=(tissue, *named.values()), tissue_of_element=own)


def _nearest_skin(points: FloatArray, character: Character) -> tuple[IntArray, FloatArray, FloatArray]:
    """The corners of the nearest triangle of the skin, the shares of the nearest place in it, and how far it is."""
    import igl

    faces = np.ascontiguousarray(character.triangles, dtype=np.int64)
    squared, triangle, position = igl.point_mesh_squared_distance(points, character.points, faces)
    corners = character.triangles[triangle]
    a, b, c = np.moveaxis(character.points[corners], 1, 0)
    barycentric = np.clip(np.nan_to_num(igl.barycentric_coordinates(position, a, b, c)), 0.0, 1.0)
    sums = barycentric.sum(axis=1, keepdims=True)
    barycentric = np.where(sums > 0.0, barycentric / np.where(sums > 0.0, sums, 1.0), 1.0 / 3.0)
    return corners, barycentric, np.sqrt(np.asarray(squared))


def _extend_bones(bones: Bones, flesh: Flesh) -> Bones:
    """Bones that go on straight at their loose ends until just under the skin: to the tips of tails, toes and noses.

    Flesh beyond a bone would else hang on its end alone.
    """
    ends = np.stack([bones.starts, bones.ends], axis=1)
    directions = bones.ends - bones.starts
    long = np.linalg.norm(directions, axis=1) > 0.0
    near = 1e-6 * flesh.span
    for side, direction in ((0, -directions), (1, directions)):
        here = ends[:, side]
        apart = np.linalg.norm(here[:, None, None] - np.stack([bones.starts, bones.ends], axis=1)[None], axis=3)
        loose = long & ((apart < near).sum(axis=(1, 2)) == 1)
        loose[loose] = flesh.inside(here[loose])
        face, fraction = flesh.first_crossing(here[loose], direction[loose], _GROWTH)
        ends[loose, side] += _SHORT_OF_SKIN * np.where(face >= 0, fraction, 0.0)[:, None] * direction[loose]
    return Bones(bones.joints, ends[:, 0], ends[:, 1])


def _nodes_along(bones: Bones, solid: Tetrahedra) -> BoolArray:
    """The nodes nearest to places on a bone. They keep thin limbs on their bones, where every node is at the skin."""
    from scipy.spatial import cKDTree

    held = np.zeros(len(solid.points), dtype=bool)
    tree, spacing = cKDTree(solid.points), _spacing(solid)
    for start, end in zip(bones.starts, bones.ends, strict=True):
        count = 2 + int(np.linalg.norm(end - start) / spacing)
        held[tree.query(start + np.linspace(0.0, 1.0, count)[:, None] * (end - start))[1]] = True
        # Flesh held along one line only could spin about it, which costs linear flesh nothing. Where the nearest nodes
        # all lie on the bone, as in a straight tube, that takes one beside it.
        middle = 0.5 * (start + end) + _ASIDE * spacing
        near = np.atleast_1d(tree.query(middle, k=min(_AROUND, len(held)))[1])
        held[near[:3]] = True
        beside = distances_to_segments(solid.points[near], start[None], end[None])[0][:, 0] > _BESIDE * spacing
        held[near[beside][:3]] = True
    return held


def _spacing(solid: Tetrahedra) -> float:
    """Mean length [m] of the edges."""
    one, other = edges_of(solid).T
    return float(np.linalg.norm(solid.points[one] - solid.points[other], axis=1).mean())


def _thickness(solid: Tetrahedra, below: FloatArray, deepest: float) -> FloatArray:
    """How deep (P,) [m] flesh goes under the skin around each node, at most `deepest`: hardly at all in an ear."""
    one, other = edges_of(solid).T
    depth = np.minimum(below, deepest)
    for _ in range(1 + int(np.ceil(deepest / _spacing(solid)))):
        wider = depth.copy()
        np.maximum.at(wider, one, depth[other])
        np.maximum.at(wider, other, depth[one])
        depth = wider
    return depth


def _hold_appendages(solid: Tetrahedra, core: BoolArray, depths: FloatArray) -> BoolArray:
    """The core, and what sticks out of it so far that it would dangle: ears, fingertips, thumbs without a bone.

    Flesh that lies t deep on a bone gives way under its own weight by about d g t^2 / Y. So t = sqrt(u Y / (d g)), from
    how far a node gives way in flesh of one kind, says how deep flesh is there as far as hanging goes, whatever its
    shape; for an ear it is many times its length. Where it is far more than how deep flesh is there by its `depths`
    (P,) [m], there is gristle.
    """
    from scipy.sparse.linalg import splu

    stiff, masses = stiffness(solid, 1.0, 0.4), lumped_masses(solid, 1.0)
    most = _APPENDAGE * (depths + 0.5 * _spacing(solid))
    held = core.copy()
    for _ in range(_ROUNDS):
        free = np.flatnonzero(~held & _anchored(solid, held) & (masses > 0.0))
        if not len(free):
            break
        unknowns = (3 * free[:, None] + np.arange(3)).ravel()
        weight = np.repeat(masses[free], 3)[:, None] * np.tile(np.eye(3), (len(free), 1))
        matrix = stiff[unknowns][:, unknowns].tocsc()
        factor = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        moved = np.abs(np.asarray(factor.solve(weight))).reshape(len(free), 9).max(axis=1)
        loose = np.sqrt(moved) > most[free]
        if not loose.any():
            break
        held[free[loose]] = True
    return held


def _interpolate_weights(
    solid: Tetrahedra, character: Character, corners: IntArray, barycentric: FloatArray
) -> Weights:
    """The skin's weights, taken inwards: those of the nearest place at the border, and smooth (harmonic) inside.

    Inside, every node has the mean of its neighbours, so that weights stay above zero and sum to one.
    """
    from scipy.sparse import coo_array, diags_array, eye_array
    from scipy.sparse.linalg import splu

    dense = character.require_weights(WHERE).dense(len(character.skeleton))
    values = np.einsum("pk,pkj->pj", barycentric, dense[corners])
    border = np.zeros(len(solid.points), dtype=bool)
    border[np.unique(boundary_faces(solid))] = True
    inner = np.flatnonzero(~border)
    if len(inner):
        one, other = edges_of(solid).T
        ends = np.concatenate([one, other]), np.concatenate([other, one])
        links = coo_array((np.ones(len(ends[0])), ends), shape=(len(border), len(border))).tocsr()
        laplacian: Any = (diags_array(links.sum(axis=1)) - links).tocsr()
        system = (laplacian[inner][:, inner] + 1e-12 * eye_array(len(inner))).tocsc()
        used = np.flatnonzero(dense.any(axis=0))
        outer = np.flatnonzero(border)
        pull = links[inner][:, outer] @ values[np.ix_(outer, used)]
        factor = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        values[np.ix_(inner, used)] = np.maximum(factor.solve(np.ascontiguousarray(pull)), 0.0)
    return Weights.from_dense(values / values.sum(axis=1, keepdims=True), influences=_INFLUENCES)


def _anchored(solid: Tetrahedra, core: BoolArray) -> BoolArray:
    """Which nodes hang together with one of the core."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(solid.points)
    one, other = edges_of(solid).T
    piece = connected_components(coo_array((np.ones(len(one)), (one, other)), shape=(count, count)), directed=False)[1]
    has = np.zeros(count, dtype=bool)
    has[piece[core]] = True
    return has[piece]
