"""The sequence as the solver sees it: still, centred, of size one, and small numbers only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.arrays import FloatArray, IntArray
from supple.geometry import quaternions

_FEW = 12  # neighbours of a vertex where there are no triangles


@dataclass(frozen=True, eq=False)
class Frames:
    """A sequence without the movement of the body as a whole, in units of the body's own size.

    `rest` (V, 4) are the rest points about their middle, with a one behind each; `moved` (V, 3F) is how far every
    vertex is from rest in every frame, frame after frame. `world_from_body` (F, 4, 4) carries the body back to where it
    was, and `size` [m] and `middle` (3,) [m] its rest points. What is solved for is then the same wherever the
    character stands, and differences of nearly equal numbers keep their digits.
    """

    rest: FloatArray
    moved: FloatArray
    size: float
    middle: FloatArray
    world_from_body: FloatArray

    @classmethod
    def from_points(cls, rest_points: FloatArray, points: NDArray[Any]) -> Frames:
        """Take the rigid motion that fits the whole body best out of every frame (F, V, 3)."""
        middle = rest_points.mean(axis=0)
        centered = rest_points - middle
        size = float(np.sqrt(np.mean(np.sum(centered**2, axis=1)))) or 1.0
        count, vertices = len(points), len(rest_points)
        world = np.tile(np.eye(4), (count, 1, 1))
        moved = np.empty((vertices, count, 3))
        for frame, given in enumerate(points):
            here = np.asarray(given, dtype=np.float64)
            center = here.mean(axis=0)
            rotation = quaternions.nearest_rotation((here - center).T @ centered)
            world[frame, :3, :3], world[frame, :3, 3] = rotation, center
            moved[:, frame] = ((here - center) @ rotation - centered) / size
        still = np.concatenate([centered / size, np.ones((vertices, 1))], axis=1)
        return cls(still, moved.reshape(vertices, 3 * count), size, middle, world)

    @property
    def count(self) -> int:
        """How many frames there are."""
        return len(self.world_from_body)

    @property
    def rest_points(self) -> FloatArray:
        """The rest points (V, 3) [m], where the body stands."""
        return self.size * self.rest[:, :3] + self.middle

    def body_transforms(self) -> FloatArray:
        """The transforms (F, 4, 4) that carry rest points [m] as the body as a whole moves."""
        still = np.eye(4)
        still[:3, 3] = -self.middle
        return np.asarray(self.world_from_body @ still)

    def transforms(self, bones: FloatArray) -> FloatArray:
        """Bones (B, F, 3, 4) of the solver as transforms (F, B, 4, 4) that carry rest points [m] into the world."""
        body = np.zeros((self.count, len(bones), 4, 4))
        body[..., :3, :] = np.swapaxes(bones, 0, 1)
        body[..., 3, 3] = 1.0
        body[..., :3, 3] = self.size * body[..., :3, 3] - body[..., :3, :3] @ self.middle
        return self.world_from_body[:, None] @ body

    def bones(self, transforms: FloatArray) -> FloatArray:
        """The other way round: transforms (F, B, 4, 4) in the world as bones (B, F, 3, 4) of the solver."""
        body = quaternions.rigid_inverse(self.world_from_body)[:, None] @ transforms
        body[..., :3, 3] = (body[..., :3, 3] + body[..., :3, :3] @ self.middle) / self.size
        return np.ascontiguousarray(np.swapaxes(body[..., :3, :], 0, 1))


def sample(frames: Frames, count: int) -> tuple[Frames, IntArray]:
    """So many vertices, drawn at random and always the same, and for every vertex (V,) the nearest of them at rest."""
    from scipy.spatial import KDTree

    rows = np.sort(np.random.default_rng(0).permutation(len(frames.rest))[:count])
    nearest = KDTree(frames.rest[rows, :3]).query(frames.rest[:, :3])[1]
    return replace(frames, rest=frames.rest[rows], moved=frames.moved[rows]), np.asarray(nearest, dtype=np.int32)


def surroundings(rest: FloatArray, triangles: IntArray | None) -> Any:
    """A sparse matrix (V, V) whose rows take the mean over a vertex and those beside it.

    Beside means joined by an edge; without triangles, the nearest at rest.
    """
    from scipy.sparse import coo_array, diags_array, eye_array
    from scipy.spatial import KDTree

    from supple.geometry.topology import unique_edges

    count = len(rest)
    if triangles is not None:
        edges = unique_edges(triangles)
    else:
        few = min(_FEW, count - 1)
        near = KDTree(rest[:, :3]).query(rest[:, :3], k=few + 1)[1].reshape(count, few + 1)
        edges = np.stack([np.repeat(np.arange(count), few + 1), near.reshape(-1)], axis=1)
    rows, columns = np.concatenate([edges, edges[:, ::-1]]).T
    adjacency = coo_array((np.ones(len(rows)), (rows, columns)), shape=(count, count)).tocsr()
    adjacency = adjacency + eye_array(count, format="csr")
    adjacency.data[:] = 1.0
    return (diags_array(1.0 / adjacency.sum(axis=1)) @ adjacency).tocsr()
