"""Nodes and triangles of a skin in clusters, and the clusters of triangles in a hierarchy of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints
from supple.geometry.rows import grouped

CLUSTER = 8  # nodes or triangles at most
ROOM = 64  # clusters of triangles that a cluster of nodes may touch; more are searched anew for every node


class Hierarchy:
    """Clusters of nodes and of triangles that lie together at rest, each with a box and a cone of normals.

    Boxes and cones follow the skin. Two clusters whose cones look the same way cannot touch; on smooth skin that rules
    out almost all that is near. Cluster c holds members[starts[c]:starts[c + 1]]; the clusters of one patch stand
    together in the `tree`, from its entry in `roots` (P,) on, which is -1 for a patch without triangles.
    """

    def __init__(self, rest: Floats, triangles: Ints, patch_of: Ints, points: Any, *, device: str) -> None:
        """Sort nodes by their patch and `triangles` (T, 3) by that of their first corner.

        `points` (N,) on the device are followed.
        """
        from supple.skins.contact import skin_kernels as kernels

        wp = devices.warp()

        def put(values: Ints) -> Any:
            return devices.to_device(values, wp.int32, device)

        owner = patch_of[triangles[:, 0]]
        starts, members = _clusters(rest[triangles].mean(axis=1), owner)
        node_starts, node_members = _clusters(rest, patch_of)
        cluster_of = np.empty(len(rest), dtype=np.int32)
        cluster_of[node_members] = np.repeat(np.arange(len(node_starts) - 1), np.diff(node_starts))
        count, node_count, patches = len(starts) - 1, len(node_starts) - 1, int(patch_of.max()) + 1
        self.triangles = devices.to_device(triangles, wp.vec3i, device)
        self.starts, self.members = put(starts), put(members)
        self.areas = wp.zeros(len(triangles), dtype=wp.vec3f, device=device)
        kinds = (wp.vec3f, wp.vec3f, wp.vec4f)
        self.boxes = [wp.zeros(count, dtype=kind, device=device) for kind in kinds]
        inputs = [points, self.triangles, self.starts, self.members, self.areas, *self.boxes]
        self._follow = devices.Launch(kernels.follow_clusters, count, inputs, device, smallest=128)
        self._follow()
        self.tree = wp.Bvh(*self.boxes[:2], groups=put(owner[members[starts[:-1]]]))
        self.roots = wp.zeros(patches, dtype=wp.int32, device=device)
        devices.Launch(kernels.find_roots, patches, [self.tree.id, self.roots], device)()

        corner_starts, corners = grouped(triangles.reshape(-1), len(rest))
        self.normals = wp.zeros(len(rest), dtype=wp.vec3f, device=device)
        node_boxes = [wp.zeros(node_count, dtype=kind, device=device) for kind in kinds]
        around = [put(corner_starts), put((corners // 3).astype(np.int32))]
        inputs = [points, *around, self.areas, put(node_starts), put(node_members), self.normals, *node_boxes]
        self._follow_nodes = devices.Launch(kernels.follow_nodes, node_count, inputs, device, smallest=64)
        self.cluster_of, self.node_clusters = put(cluster_of), node_count
        self.rows, self.node_rows = (starts, members), (node_starts, node_members)
        self.node_boxes = [*node_boxes, put(patch_of[node_members[node_starts[:-1]]])]

    def refit(self) -> None:
        """Bring boxes, cones and normals to where the nodes are now."""
        self._follow()
        self._follow_nodes()
        self.tree.refit()

    @property
    def inputs(self) -> list[Any]:
        """What kernels need to search its triangles."""
        return [self.tree.id, self.roots, self.starts, self.members]


def _clusters(places: Floats, labels: Ints) -> tuple[Ints, Ints]:
    """Halve the places of each label along the longest side of their box until no heap is large, as compressed rows."""
    heaps = [np.flatnonzero(labels == label).astype(np.int32) for label in np.unique(labels)]
    while max(len(heap) for heap in heaps) > CLUSTER:
        heaps = [part for heap in heaps for part in _parted(heap, places)]
    starts = np.concatenate([[0], np.cumsum([len(heap) for heap in heaps])]).astype(np.int32)
    return starts, np.concatenate(heaps)


def _parted(heap: Ints, places: Floats) -> list[Ints]:
    if len(heap) <= CLUSTER:
        return [heap]
    side = int(np.argmax(np.ptp(places[heap], axis=0)))
    ordered = heap[np.argsort(places[heap, side], kind="stable")]
    return [ordered[: len(heap) // 2], ordered[len(heap) // 2 :]]
