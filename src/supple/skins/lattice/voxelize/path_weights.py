"""Which bones carry which voxels: by the way through the flesh, or as they carry the skin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.skeleton import Bones, Skeleton
from supple.character.weight_transfer import transfer_weights
from supple.character.weighting.bones import owning_bones
from supple.character.weighting.tissue import STAIRS
from supple.character.weights import Weights
from supple.geometry.segments import distances_to_segments
from supple.skins.lattice.voxelize.cells import Lattice
from supple.skins.lattice.voxelize.embedding import Embedding
from supple.skins.lattice.voxelize.voxel_components import VoxelComponents

INFLUENCES = 8  # joints that carry one voxel
_FALLOFF = 0.5  # alpha: share of the quadratic term
_BLUR = 0.5  # epsilon, voxels: the middle of a voxel says no more about where its flesh is
_REACH = 6.0  # bones this many times farther than the nearest have about a thousandth of its weight

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BonePaths:
    """How far every node is from the bones, on ways through the flesh, in voxels.

    `joints` (B,) are those that have bones in the flesh, `distances` (N, B) how far each node is from their bones,
    infinite where no way leads there or it is very long. `steps` (N,) is the length of the shortest way over links to a
    node through which a bone runs, 0 for those themselves, and `reached` (N,) says that there is one.
    """

    joints: IntArray
    distances: FloatArray
    steps: FloatArray

    @property
    def reached(self) -> BoolArray:
        return np.isfinite(self.steps)


def find_bone_paths(components: VoxelComponents, skeleton: Skeleton) -> BonePaths:
    """Walk from every bone through the lattice.

    A bone starts in the nodes whose flesh it runs through or sees; one that lies outside, or in a limb too thin to
    hold any place, starts in the node nearest to it. A walk over 26 neighbours is jagged, up to 13 % longer than a
    straight line. Where it shows that the straight line d_e is open, d_e itself is the distance:
    d = d_e + max(0, d_path - 1.13 d_e - 1) [voxels].
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    bones = owning_bones(skeleton, components.tissue.flesh)
    lattice = components.lattice
    joints = np.unique(bones.joints).astype(np.int32)
    bone, node = _seeds(components, bones)
    rank = np.searchsorted(joints, bones.joints[bone])
    count = len(lattice)
    steps = np.asarray(dijkstra(lattice.graph, indices=np.unique(node), min_only=True))
    # One more node per joint, with ways into the flesh but none back. Zero would mean no way, so a hair is added.
    edges = lattice.graph.tocoo()
    ends = np.concatenate([edges.coords[0], rank + count]), np.concatenate([edges.coords[1], node])
    lengths = np.concatenate([edges.data, np.full(len(node), 1e-9)])
    every = coo_array((lengths, ends), shape=(count + len(joints), count + len(joints))).tocsr()
    limit = _REACH * (float(np.max(steps[np.isfinite(steps)])) + 1.0)
    path = dijkstra(every, indices=count + np.arange(len(joints)), limit=limit)[:, :count].T
    to_bone, _ = distances_to_segments(lattice.points, bones.starts, bones.ends)
    straight = np.stack([to_bone[:, bones.joints == joint].min(axis=1) for joint in joints], axis=1) / lattice.side
    return BonePaths(joints, straight + np.maximum(path - STAIRS * straight - 1.0, 0.0), steps)


def _seeds(components: VoxelComponents, bones: Bones) -> tuple[Indices, Indices]:
    """Pairs (bone, node) of where the walks of every bone begin: of what it sees, the nodes of the cells it passes."""
    bone, position, viewpoint = components.tissue.seen_from(bones)
    grid, node = components.lattice.grid, components.node_at_position[position].astype(np.int64)
    passed = grid.flat_indices(components.lattice.cells[node]) == grid.flat_indices(grid.cells_of(viewpoint))
    passed |= ~np.isin(bone, bone[passed])
    pairs = np.unique(np.stack([bone[passed], node[passed]], axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def path_weights(components: VoxelComponents, paths: BonePaths, joint_count: int) -> Weights:
    """Weights (N, 8) of the nodes by how far the bones are, d in voxels [Iwamoto2015, after Dionne2013]:

        w = [1 / ((1 - a)(d + e) + a (d + e)^2)]^2,  a = 1/2, e = 1/2, rows of sum one.

    Pieces that no bone reaches take the weights of the nearest node that one does.
    """
    d = paths.distances + _BLUR
    weight = np.where(np.isfinite(d), 1.0 / ((1.0 - _FALLOFF) * d + _FALLOFF * d * d) ** 2, 0.0)
    full = np.zeros((len(d), joint_count))
    full[:, paths.joints] = weight[_nearest_reached(components.lattice, paths.reached)]
    return Weights.from_dense(full / full.sum(axis=1, keepdims=True), influences=INFLUENCES)


def weights_from_skin(
    components: VoxelComponents, paths: BonePaths, embedding: Embedding, skin_weights: FloatArray
) -> Weights:
    """Weights (N, 8) of the nodes that carry the skin as its own weights (V, J) do, taken inwards over faces.

    `embedding` says on which nodes the skin hangs here: by the smooth one, also where another one moves the skin.
    """
    nearest = paths.joints[np.argmin(paths.distances, axis=1)]
    lost = nearest[_nearest_reached(components.lattice, paths.reached)]
    onto, links = embedding.matrix(len(components.lattice)), _face_links(components.lattice)
    return transfer_weights(skin_weights, onto, links, lost=lost, influences=INFLUENCES)


def _face_links(lattice: Lattice) -> IntArray:
    """The links over faces, and all those of nodes that have none."""
    low, high = lattice.links.T
    straight = (lattice.cells[low] != lattice.cells[high]).sum(axis=1) == 1
    has = np.zeros(len(lattice), dtype=bool)
    has[lattice.links[straight]] = True
    return lattice.links[straight | ~has[low] | ~has[high]]


def _nearest_reached(lattice: Lattice, reached: BoolArray) -> Indices:
    """For every node (N,) itself, or the nearest one in space that a bone reaches."""
    from scipy.spatial import cKDTree

    nodes = np.arange(len(reached))
    if not reached.all():
        found = np.flatnonzero(reached)
        nodes[~reached] = found[cKDTree(lattice.points[found]).query(lattice.points[~reached])[1]]
    return nodes
