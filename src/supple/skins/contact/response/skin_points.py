"""Vertices of the visible skin as points that meet things: the links that carry each, and the flesh that it is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.skins.contact.dynamics.device_arrays import LinkArrays, NodeArrays

_INFLUENCES = 4  # links that carry a vertex as a contact; the largest of them
_SOFT = 0.05  # share of a node from which on it carries a vertex
_CELL = 0.012  # of the body's largest side: how large cells are where bones alone carry the skin
_SOFT_CELL = 1.4  # edges of elements: the same where flesh does; the sole of a foot is larger, and may be one node's
_LEAST = 1e-3  # of a share: what is less does not count


@dataclass(frozen=True, eq=False)
class SkinEmbedding:
    """V vertices: `links` and `weights` (V, 4), and free `nodes` with `shares`, those of v from `starts[v]` on.

    Where the skin stands on it is x_v = (where the bones carry it) + sum_j a_j R_Wj u_j, so its velocity is
    sum_i w_i (c_i' + o_i x r_i) + sum_j a_j R_Wj u_j'. Skins that turn a vertex as a whole (dual quaternions) have the
    arms r_i = x_v - c_i. Linear blend is the mean of what each link alone does to a pivot q, R_i (q - p_i), which is
    the vertex at rest; so is what rotation centers do to the center that they turn it about, and delta mush to the
    mean of what it smooths. Either way the mean of c_i + r_i is x_v: forces have the moment that they have in space.
    """

    links: IntArray
    weights: FloatArray
    starts: IntArray
    nodes: IntArray
    shares: FloatArray
    pivots: FloatArray | None
    """Of each vertex for each of its links (V, 4, 3) [m] at rest, or None where there are none."""
    cells: IntArray
    """By vertex (V,): those of a cell are carried most by one node, or one bone, and lie close together."""

    def __len__(self) -> int:
        return len(self.links)

    def carried_values(self, values: FloatArray) -> FloatArray:
        """What nodes have (N,), as vertices (V,) have it by their shares."""
        at = np.repeat(np.arange(len(self)), np.diff(self.starts))
        found: FloatArray = np.bincount(at, self.shares * values[self.nodes], minlength=len(self)).astype(np.float64)
        return found

    @classmethod
    def none(cls) -> SkinEmbedding:
        """No vertices."""
        few = np.zeros(0, dtype=np.int32)
        return cls(few.reshape(0, 1), np.zeros((0, 1)), np.zeros(1, dtype=np.int32), few, np.zeros(0), None, few)

    @classmethod
    def from_weights(
        cls,
        points: FloatArray,
        carried: FloatArray,
        nodes: IntArray,
        shares: FloatArray,
        *,
        free: int,
        edge: float,
        pivots: FloatArray | None = None,
    ) -> SkinEmbedding:
        """From vertices (V, 3) [m] at rest, how much each link carries (V, k), and the nodes (V, K) with their shares.

        Nodes from `free` on are core; elements have edges about so long [m]. `pivots` are those for each link
        (V, k, 3) [m], or one for all (V, 1, 3).
        """
        order = np.argsort(-carried, axis=1, kind="stable")[:, : min(_INFLUENCES, carried.shape[1])]
        weights = np.take_along_axis(carried, order, axis=1)
        weights = weights / weights.sum(axis=1, keepdims=True)
        used = (nodes < free) & (np.abs(shares) > _LEAST)
        starts = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
        held = shares[used].astype(np.float64)
        if pivots is not None:
            chosen = order if pivots.shape[1] > 1 else np.zeros_like(order)
            pivots = np.take_along_axis(pivots, chosen[:, :, None], axis=1)
        cells = _cells(points, order[:, 0].astype(np.int32), np.where(used, shares, 0.0), nodes, free, edge)
        return cls(order.astype(np.int32), weights, starts, nodes[used].astype(np.int32), held, pivots, cells)


def _cells(
    points: FloatArray, links: IntArray, shares: FloatArray, nodes: IntArray, free: int, edge: float
) -> IntArray:
    """See `SkinEmbedding.cells`."""
    most = np.take_along_axis(nodes, shares.argmax(axis=1)[:, None], axis=1)[:, 0]
    soft = shares.max(axis=1) > _SOFT
    side = float(np.ptp(points, axis=0).max()) if len(points) else 1.0
    size = np.where(soft, _SOFT_CELL * edge, _CELL * side)
    corner = np.floor((points - points.min(axis=0)) / size[:, None]).astype(np.int64)
    key = np.concatenate([np.where(soft, -1 - most, links)[:, None].astype(np.int64), corner], axis=1)
    return np.unique(key, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


class SkinPoints:
    """The vertices of one character on a device. `predict` says how fast they are, and where that takes them."""

    def __init__(
        self,
        embedding: SkinEmbedding,
        nodes: NodeArrays,
        links: LinkArrays,
        *,
        first_vertex: int,
        dt: float,
        device: str,
    ) -> None:
        from supple.skins.contact.response import skin_point_kernels as kernels
        from supple.skins.contact.response.constraint_kernels import SkinPoints as Struct

        wp = devices.warp()

        def put(values: Any, kind: Any) -> Any:
            return devices.to_device(np.asarray(values), kind, device)

        count = len(embedding)
        self.count, struct = count, Struct()
        struct.first_vertex, struct.skin_carriers = first_vertex, embedding.links.shape[1]
        struct.first_carried = first_vertex + count
        struct.flesh_offsets = wp.zeros(first_vertex + count, dtype=wp.vec3d, device=device)
        struct.skin_links = put(embedding.links.ravel(), wp.int32)
        struct.skin_weights = put(embedding.weights.ravel(), wp.float64)
        struct.skin_starts = put(embedding.starts, wp.int32)
        struct.skin_nodes = put(embedding.nodes, wp.int32)
        struct.skin_shares = put(embedding.shares, wp.float64)
        pivots = np.zeros((1, 3)) if embedding.pivots is None else embedding.pivots
        struct.pivoted = int(embedding.pivots is not None)
        struct.skin_pivots = put(pivots.reshape(-1, 3), wp.vec3d)
        struct.skin_arms = wp.zeros(embedding.links.size, dtype=wp.vec3d, device=device)
        struct.skin_positions = wp.zeros(count, dtype=wp.vec3d, device=device)
        struct.skin_velocities = wp.zeros(count, dtype=wp.vec3d, device=device)
        self.struct = struct
        self._device, self._dt, self._bodies = device, dt, (nodes.struct, links.struct)
        self._kernels = kernels
        self._launch: Any = None

    def follow(self, points: Any, rest_sag: Any) -> None:
        """Read where the skin (V,) stands at the start of a step from `points`, in singles.

        `rest_sag` (n,) are displacements of the flesh that it rests with.
        """
        wp = devices.warp()
        arrays = [wp.zeros(self.count, dtype=wp.vec3f, device=self._device) for _ in range(2)]
        self._before, self._predicted = (devices.HostSide(array) for array in arrays)
        self._offsets = devices.HostSide(self.struct.flesh_offsets)
        nodes = self._bodies[0]
        inputs = [self._dt, *self._bodies, self.struct, points, *arrays]
        offsets = [self._dt, nodes, rest_sag, self.struct.flesh_offsets]
        self._launch = devices.Chain(
            [
                devices.Launch(self._kernels.predict_offsets, nodes.free, offsets, self._device, smallest=2048),
                devices.Launch(self._kernels.predict_skin, self.count, inputs, self._device, smallest=2048),
            ],
            self._device,
        )

    def predict(self) -> tuple[Any, Any]:
        """Where the skin (V, 3) [m] stands, and where it is predicted to be at the end of the step; views."""
        self._launch()
        return self._before.read(), self._predicted.read()

    @property
    def flesh_offsets(self) -> FloatArray:
        """By how much (N + V, 3) [m] flesh is predicted to stand off where bones carry nodes and vertices; a view."""
        return self._offsets.read()
