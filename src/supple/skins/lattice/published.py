"""The lattice as it was published, step by step in NumPy, to be read beside the paper [Iwamoto2015].

`LayeredLattice` is what to use: this one is slow, is left behind by fast bones, and knows nothing of anatomy. It shares
no setting with it. Where the text cannot be taken as it stands, a comment says what is done instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.geometry.vectors import cross, lengths
from supple.motion.pose import Pose
from supple.settings import ByName
from supple.skins.lattice.shape_matching.regions import window
from supple.skins.lattice.voxelize.cells import WHERE
from supple.skins.lattice.voxelize.embedding import embed
from supple.skins.lattice.voxelize.layers import BONE, Regional, assign_layers
from supple.skins.lattice.voxelize.path_weights import find_bone_paths, path_weights
from supple.skins.lattice.voxelize.voxel_components import voxelize

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FARTHEST = 0.25  # voxels that a volume may move a node: a flat voxel has no gradient, and Eq. 13 divides by it


@dataclass(frozen=True)
class PublishedModel:
    """A row of Table 1: `stiffness` (k_s) and `damping` (k_d) of muscle, fat and skin, its voxels and its time [s]."""

    resolution: int
    width: int
    stiffness: tuple[float, float, float]
    damping: tuple[float, float, float]
    voxels: int
    seconds: float


TABLE_1: Mapping[str, PublishedModel] = MappingProxyType(
    {
        "bunny": PublishedModel(32, 3, (1.8, 0.5, 1.7), (0.6, 0.5, 0.4), 3671, 19.47e-3),
        "smurf": PublishedModel(64, 3, (3.2, 1.2, 2.8), (0.4, 0.5, 0.7), 4312, 36.36e-3),
        "bloat": PublishedModel(32, 3, (3.3, 0.7, 3.0), (0.7, 0.5, 0.6), 4798, 32.45e-3),
        "bloat-low": PublishedModel(16, 2, (1.9, 0.9, 1.3), (0.6, 0.4, 0.3), 922, 5.47e-3),
    }
)


class PublishedLattice:
    """One character by the published method. N voxels at rest are X, now they are x, with velocities v."""

    def __init__(
        self, character: Character, model: PublishedModel, *, bone_width: float = 1.0, fatness: float = 0.4
    ) -> None:
        # Section 4: voxels that the skin touches or encloses, in layers by their way to the bones and to the skin.
        components = voxelize(character.points, character.triangles, model.resolution)
        lattice, self.skeleton = components.lattice, character.skeleton
        paths = find_bone_paths(components, character.skeleton)
        widths: Regional = ByName({"default": bone_width})
        shares: Regional = ByName({"default": fatness})
        layers = assign_layers(character, lattice, paths, bone_width=widths, fatness=shares)
        self.rest, self.side, self.bone = lattice.points, lattice.side, layers.numbers == BONE
        # k_s above one takes a voxel beyond its goal, and diverges at once: all are divided by the largest.
        stiffness = np.array([0.0, *model.stiffness]) / max(1.0, *model.stiffness)
        self.stiffness, self.damping = stiffness[layers.numbers], np.array([0.0, *model.damping])[layers.numbers]
        # Eq. 1 and 2: weights of bones by the way through the flesh.
        weights = path_weights(components, paths, len(character.skeleton))
        self.weights = weights.dense(len(character.skeleton))
        # Eq. 7: the text asks for 20 neighbours, which are those over edges and corners.
        around = lattice.neighbors("edges-corners")
        self.pairs = np.repeat(np.arange(len(lattice)), np.diff(around.starts)), around.indices.astype(np.int64)
        self.lengths = lengths(self.rest[self.pairs[0]] - self.rest[self.pairs[1]])
        self.chains, self.volumes = lattice.chains, lattice.rest_volumes
        # Eq. 10: the nearer to the skin, the more a volume counts.
        self.near_skin = 1.0 - layers.skin_depths / max(float(layers.skin_depths.max(initial=0.0)), 1.0)
        # Eq. 4: regions of `width` voxels along every axis, through flesh.
        self.regions = _regions(lattice.chains, model.width)
        self.count = np.asarray(self.regions.sum(axis=0)).ravel()  # of regions that hold a voxel
        self.embedding = embed(lattice, character.points, "trilinear").matrix(len(lattice))
        self.skin = character.points
        character.require_weights(WHERE)
        self.x, self.v, self.rotations = (
            self.rest.copy(),
            np.zeros_like(self.rest),
            np.tile(np.eye(3), (len(lattice), 1, 1)),
        )

    def start(self, pose: Pose) -> FloatArray:
        """Put all voxels where the bones carry them, at peace; returns the skin (V, 3) [m]."""
        self.x, self.v = self.carried(pose), np.zeros_like(self.rest)
        self.rotations = self.match()[1]
        return self.surface()

    def advance(self, pose: Pose, dt: float) -> FloatArray:
        """Algorithm 1: one step of `dt` [s]; returns the skin (V, 3) [m]."""
        before = self.x
        self.x = np.where(self.bone[:, None], self.carried(pose), before + dt * self.v)  # bones, and a prediction
        self.x = self.x + self.stretch()
        self.x = self.x + self.volume()
        goals, self.rotations = self.match()
        self.x = self.x + self.stiffness[:, None] * (goals - self.x)  # Eq. 5; bone has no stiffness and stays
        self.v = self.damping[:, None] * (self.x - before) / dt  # Eq. 6
        return self.surface()

    def carried(self, pose: Pose) -> FloatArray:
        """Eq. 3: where linear blending puts voxels (N, 3); it is used for those of bone."""
        blended = np.einsum("nj,jab->nab", self.weights, pose.skinning(self.skeleton)[:, :3])
        return np.asarray(np.einsum("nab,nb->na", blended[:, :, :3], self.rest) + blended[:, :, 3])

    def stretch(self) -> FloatArray:
        """Eq. 7 to 9: moves (N, 3) that bring neighbours to their distance, averaged; bone does not give way."""
        i, j = self.pairs
        away = self.x[i] - self.x[j]
        now = np.maximum(lengths(away), 1e-12)
        share = np.where(self.bone[j], 1.0, 0.5)
        move = -(share * (now - self.lengths) / now)[:, None] * away
        total = np.stack([np.bincount(i, move[:, axis], len(self.x)) for axis in range(3)], axis=1)
        counts = np.maximum(np.bincount(i, minlength=len(self.x)), 1)
        return np.where(self.bone[:, None], 0.0, total / counts[:, None])

    def volume(self) -> FloatArray:
        """Eq. 10 to 13: moves (N, 3) of neighbours that bring every voxel to the volume it had.

        Eq. 11 repeats some octants. Here the volume is that of the eight between a voxel and the six points half way to
        its neighbours, X . (Y x Z) with X, Y, Z half of the way from the neighbour below to the one above.
        """
        moves, counts = np.zeros_like(self.x), np.zeros(len(self.x))
        inner = np.flatnonzero((self.chains >= 0).all(axis=1) & (self.volumes > 0.0))
        ends = self.chains[inner]
        x, y, z = (0.5 * (self.x[ends[:, 2 * a + 1]] - self.x[ends[:, 2 * a]]) for a in range(3))
        gradients = cross(y, z), cross(z, x), cross(x, y)
        change = np.einsum("ni,ni->n", x, gradients[0]) - self.volumes[inner]
        slope = sum(0.5 * np.einsum("ni,ni->n", g, g) for g in gradients)
        push = -self.near_skin[inner] * change / np.maximum(slope, 1e-12 * self.side**4)
        for axis, gradient in enumerate(gradients):
            for end, sign in ((0, -0.5), (1, 0.5)):
                np.add.at(moves, ends[:, 2 * axis + end], sign * push[:, None] * gradient)
                np.add.at(counts, ends[:, 2 * axis + end], 1.0)
        moves = np.where(self.bone[:, None], 0.0, moves / np.maximum(counts, 1.0)[:, None])
        far = lengths(moves)
        return moves * np.minimum(1.0, _FARTHEST * self.side / np.maximum(far, 1e-300))[:, None]

    def match(self) -> tuple[FloatArray, FloatArray]:
        """Eq. 4: goals (N, 3) of lattice shape matching, and the rotations (N, 3, 3) of the regions named after voxels.

        With c, C the middles of a region now and at rest, R is the rotation nearest to sum m (x - c)(X - C)^T, where m
        is one over how many regions hold a voxel; a goal is the mean of R (X - C) + c over the regions of a voxel.
        """
        mass = 1.0 / self.count
        total = self.regions @ mass
        now, rest = (self.regions @ (mass[:, None] * p) / total[:, None] for p in (self.x, self.rest))
        spread = (mass[:, None, None] * self.x[:, :, None] * self.rest[:, None, :]).reshape(-1, 9)
        moment = (self.regions @ spread).reshape(-1, 3, 3) - total[:, None, None] * now[:, :, None] * rest[:, None, :]
        u, _, vt = np.linalg.svd(moment)
        u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]  # a rotation, not a mirror
        rotations = u @ vt
        offsets = now - np.einsum("nab,nb->na", rotations, rest)
        mean = (self.regions.T @ rotations.reshape(-1, 9)).reshape(-1, 3, 3), self.regions.T @ offsets
        goals = (np.einsum("nab,nb->na", mean[0], self.rest) + mean[1]) / self.count[:, None]
        return goals, rotations

    def surface(self) -> FloatArray:
        """The skin (V, 3) [m] by trilinear weights of the voxels around it, each with the rotation of its region."""
        offsets = self.x - np.einsum("nab,nb->na", self.rotations, self.rest)
        turned = (self.embedding @ self.rotations.reshape(-1, 9)).reshape(-1, 3, 3)
        return np.asarray(np.einsum("vab,vb->va", turned, self.skin) + self.embedding @ offsets)


def _regions(chains: IntArray, width: int) -> csr_array:
    """Which voxels (columns) every region (rows) holds, the region of voxel i being named after it."""
    from scipy.sparse import csr_array, eye_array

    count = len(chains)
    whole = csr_array(eye_array(count))
    for axis in (2, 1, 0):
        low, high = window(width)
        along = csr_array(eye_array(count))
        for side, steps in ((0, low), (1, high)):
            following, at = np.append(chains[:, 2 * axis + side], -1), np.arange(count)
            for _ in range(steps):
                at = following[at]
                there = np.flatnonzero(at >= 0)
                along = along + csr_array((np.ones(len(there)), (there, at[there])), shape=(count, count))
        whole = along @ whole
    return csr_array(whole)
