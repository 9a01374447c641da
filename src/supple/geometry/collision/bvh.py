"""Nodes and triangles of a skin in clusters, and the clusters of triangles in a hierarchy of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.geometry.rows import group_by_label

CLUSTER = 8  # nodes or triangles at most: one bit of a byte for each
SMALLEST = 1024  # clusters that are worth waking another thread for
ROOM = 64  # clusters of triangles that a cluster of nodes may touch; more are searched anew for every node


class Bvh:
    """Clusters of nodes and of triangles that lie together at rest, each with a box and a cone of normals.

    Boxes and cones follow the skin. Two clusters whose cones look the same way cannot touch; on smooth skin that rules
    out almost all that is near. Nodes that no triangle joins are in no cluster. Cluster c of triangles holds
    members[starts[c]:starts[c + 1]] and stands in `tree` with the others of its patch, from the entry of that in
    `roots` (P,) on, which is -1 for a patch without triangles. Likewise with `nodes` and `node_starts`.
    """

    def __init__(self, rest: FloatArray, triangles: IntArray, patch_of: IntArray, points: Any, *, device: str) -> None:
        """Sort nodes by their patch and `triangles` (T, 3) by that of their first corner.

        `points` (N,) on the device are followed.
        """
        from supple.geometry.collision import bvh_kernels as kernels

        wp = devices.warp()

        def put(values: NDArray[Any]) -> Any:
            return devices.to_device(values.astype(np.int32), wp.int32, device)

        def empty(count: int, *kinds: Any) -> list[Any]:
            return [wp.zeros(count, dtype=kind, device=device) for kind in kinds]

        owner, border = patch_of[triangles[:, 0]], np.unique(triangles)
        self.starts, self.members = _clusters(rest[triangles].mean(axis=1), owner)
        self.node_starts, seated = _clusters(rest[border], patch_of[border])
        self.nodes: IntArray = border[seated]
        self.patches: IntArray = patch_of[self.nodes[self.node_starts[:-1]]]  # of the clusters of nodes
        count, patches = len(self.starts) - 1, int(patch_of.max()) + 1
        corners = devices.to_device(triangles[self.members], wp.vec3i, device)
        (areas,) = empty(len(triangles), wp.vec3f)
        boxes = empty(count, wp.vec3f, wp.vec3f, wp.vec4f)
        starts = put(self.starts)
        inputs = [points, corners, starts, areas, *boxes]
        self._follow = devices.Launch(kernels.follow_clusters, count, inputs, device, smallest=SMALLEST)
        self._follow()
        self.tree = wp.Bvh(*boxes[:2], groups=put(owner[self.members[self.starts[:-1]]]))
        self.roots = wp.zeros(patches, dtype=wp.int32, device=device)
        devices.Launch(kernels.find_roots, patches, [self.tree.id, self.roots], device)()
        self.boxes = boxes
        self.search = [self.tree.id, starts, corners]
        self.surface = [self.tree.id, self.roots, starts, put(self.members), corners, areas, *boxes]

        around_starts, around = _around(triangles[self.members], self.nodes, len(rest))
        (self.normals,) = empty(len(self.nodes), wp.vec3f)
        node_boxes = empty(self.clusters, wp.vec3f, wp.vec3f, wp.vec4f)
        nodes, node_starts, patch = put(self.nodes), put(self.node_starts), put(self.patches)
        inputs = [points, nodes, put(around_starts), put(around), areas, node_starts, self.normals, *node_boxes]
        self._follow_nodes = devices.Launch(kernels.follow_nodes, self.clusters, inputs, device, smallest=SMALLEST)
        self.node_boxes = [*node_boxes, patch]
        cluster_of = np.repeat(np.arange(self.clusters), np.diff(self.node_starts))
        self.seats = [nodes, node_starts, put(cluster_of), patch, self.normals]

    @property
    def clusters(self) -> int:
        """How many clusters of nodes there are."""
        return len(self.node_starts) - 1

    def refit(self) -> None:
        """Bring boxes, cones and normals to where the nodes are now."""
        self._follow()
        self._follow_nodes()
        self.tree.refit()


def _around(triangles: IntArray, nodes: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """The triangles that meet in each of some nodes, as compressed rows."""
    starts, corners = group_by_label(triangles.reshape(-1), count)
    sizes = np.diff(starts)[nodes]
    ends = np.cumsum(sizes)
    rows = np.repeat(starts[nodes] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    return np.concatenate([[0], ends]), corners[rows] // 3


def _clusters(positions: FloatArray, labels: IntArray) -> tuple[IntArray, IntArray]:
    """Halve the places of each label along the longest side of their box until no heap is large, as compressed rows."""
    heaps = [np.flatnonzero(labels == label).astype(np.int32) for label in np.unique(labels)]
    while max(len(heap) for heap in heaps) > CLUSTER:
        heaps = [part for heap in heaps for part in _parted(heap, positions)]
    starts = np.concatenate([[0], np.cumsum([len(heap) for heap in heaps])]).astype(np.int32)
    return starts, np.concatenate(heaps)


def _parted(heap: IntArray, positions: FloatArray) -> list[IntArray]:
    if len(heap) <= CLUSTER:
        return [heap]
    side = int(np.argmax(np.ptp(positions[heap], axis=0)))
    ordered = heap[np.argsort(positions[heap, side], kind="stable")]
    return [ordered[: len(heap) // 2], ordered[len(heap) // 2 :]]
