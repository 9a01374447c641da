"""What touches what: nodes of the skin against obstacles, against other parts of their own body, and other bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import Floats, Ints, frozen
from supple.errors import InputError
from supple.geometry.rows import grouped
from supple.geometry.topology import unique_edges
from supple.obstacles.free import FreeBodies
from supple.obstacles.on_device import DeviceBodies
from supple.obstacles.shapes import RigidBody
from supple.skins.contact.buried import buried_contacts
from supple.skins.contact.hierarchy import ROOM, Hierarchy
from supple.skins.contact.nearby import settled_clusters, together_at_rest
from supple.skins.contact.proxies import Proxies
from supple.skins.contact.touches import Touches

DEEPEST = 2.0  # mean edges: who is deeper in skin than this has lost its way out, and is left alone
APART = 4.0  # mean edges over the surface: what is nearer than this at rest is one piece of skin
CLEARANCE = 0.5  # of the distance at rest: parts that are near at rest touch when they come nearer than this
SMALLEST_BATCH = 512  # pairs
_WHERE = "Detection"


@dataclass(frozen=True)
class _Batch:
    """Pairs of a node and an obstacle that the proxies could not tell apart, and what is found out about them."""

    room: int
    count: Any
    nodes: Any
    obstacles: Any
    gaps: Any
    normals: Any
    velocities: Any


class Detection:
    """Finds the contacts of a skin of nodes, which move freely, on bones.

    Every bone has a proxy: slabs round its nodes, grown by how far the flesh has left the bone. Only patches whose
    proxies may meet are looked at node by node. Who went through an obstacle in the step, or into it from one side and
    nearest to another, is found on the way that it took, and counts from where it came in.

    Skin meets the triangles of other patches. What is near over the surface at rest, or across thin flesh, does not
    count; parts that are near at rest count when they come nearer than half of that, and parts that overlap at rest
    when they overlap more.

    Limits: obstacles are met by nodes, so one smaller than a triangle can slip between them until it is inside the
    flesh. Skin deeper inside other skin than `deepest` is not found. Skin that meets itself is not followed on its way.
    """

    def __init__(
        self,
        rest_points: ArrayLike,
        triangles: ArrayLike,
        *,
        carriers: ArrayLike,
        rest_bones: ArrayLike,
        bodies: Sequence[RigidBody] = (),
        itself: bool = True,
        margin: float = 0.0,
        deepest: float | None = None,
        apart: float | None = None,
        device: str = "cpu",
    ) -> None:
        """Prepare for nodes at `rest_points` (N, 3) [m] and `triangles` (T, 3), anticlockwise seen from outside.

        `carriers` (N,) names the bone of `rest_bones` (B, 4, 4) that carries each node most. Contacts are told from a
        gap of `margin` [m] on. Without `itself` skin passes through skin. `deepest` and `apart` [m] are 2 and 4 mean
        edges unless given.
        """
        self.device = devices.check_device(device)
        self._rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        self.triangles: Ints = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self.proxies = Proxies(self._rest, self.triangles, carriers=carriers, rest_bones=rest_bones, device=self.device)
        ends = self._rest[unique_edges(self.triangles)]
        edge = float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean()) if len(ends) else 1.0
        self.margin = _length("margin", margin, zero=True)
        self.deepest = _length("deepest", DEEPEST * edge if deepest is None else deepest)
        self.apart = _length("apart", APART * edge if apart is None else apart)
        self.bodies = DeviceBodies(bodies, self.device)
        self.itself = itself and len(self.triangles) > 0
        self._allocate()
        if self.itself:
            self._learn_rest(np.asarray(rest_bones, dtype=np.float64))

    def __len__(self) -> int:
        return len(self._rest)

    def _allocate(self) -> None:
        wp, count, patches = devices.warp(), len(self), len(self.proxies)

        def put(values: NDArray[Any], dtype: Any) -> Any:
            return devices.to_device(values, dtype, self.device)

        def empty(shape: int | tuple[int, int], dtype: Any) -> Any:
            return wp.zeros(shape, dtype=dtype, device=self.device)

        self.points, self._before = put(self._rest, wp.vec3f), put(self._rest, wp.vec3f)
        starts, corners = grouped(self.triangles.reshape(-1), count)
        self.device_triangles = put(self.triangles, wp.vec3i)
        self._around = [put(starts, wp.int32), put((corners // 3).astype(np.int32), wp.int32), self.device_triangles]
        self._batch: _Batch | None = None
        self._exact: devices.Launch | None = None
        self._per_time = empty(1, wp.float32)
        on, proxies = self.bodies, self.proxies
        self._near_flags = empty((max(len(on), 1), patches), wp.int32)
        extents = np.array([body.extent for body in on.bodies]).reshape(len(on), 2, 3)
        finite = np.where(np.isfinite(extents), extents, 0.0)
        boxes = [put(finite[:, side], wp.vec3f) for side in range(2)]
        self._slabs = [proxies.axes, proxies.device_lows, proxies.device_highs]
        inputs = [
            self.margin, *self._slabs, proxies.frames, proxies.growths, proxies.start_growths, on.kinds, on.sizes,
            *boxes, on.now, on.earlier, self._near_flags,
        ]  # fmt: skip
        from supple.skins.contact import detection_kernels as kernels

        self._grow = proxies.growing(self.points, proxies.growths)
        self._grow_start = proxies.growing(self._before, proxies.start_growths)
        self._near_obstacles = devices.Launch(kernels.near_obstacles, len(on) * patches, inputs, self.device)
        self._results = [empty(count, kind) for kind in (wp.float32, wp.vec3f, wp.int32, wp.vec3f)]
        self._partners: dict[int, _Meeting] = {}
        self._settled: list[Any] = []

    # The surface as something to be met

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """Its triangles, sorted for search; made when they are first searched."""
        return Hierarchy(self._rest, self.triangles, self.proxies.patch_of, self.points, device=self.device)

    def refit(self) -> None:
        """Bring the hierarchy to where the nodes are now."""
        self.hierarchy.refit()

    def _learn_rest(self, rest_bones: Floats) -> None:
        """What belongs together at rest, and how near the rest is."""
        wp = devices.warp()
        self.place(self._rest, rest_bones)
        self.refit()
        normals = devices.to_host(self.hierarchy.normals).astype(np.float64)
        together = together_at_rest(self._rest, normals, self.triangles, self.apart)

        def put(values: NDArray[Any], dtype: Any) -> Any:
            return devices.to_device(values, dtype, self.device)

        self._limits, self._eases = (put(np.full(len(self), fill, np.float32), wp.float32) for fill in (np.inf, 0.0))
        self._together = [put(rows, wp.int32) for rows in together]
        resting = _Meeting(self, self, margin=self.deepest)
        resting.find()
        gaps = devices.to_host(self._results[0])
        close = gaps < self.deepest
        limits = np.where(gaps > 0.0, CLEARANCE * gaps, -1e-3 * self.deepest)
        devices.write(self._limits, np.where(close, limits, np.inf).astype(np.float32))
        devices.write(self._eases, np.where(close, np.minimum(gaps, 0.0), 0.0).astype(np.float32))
        counts, found = (devices.to_host(array) for array in (resting.counts, resting.found))
        one, place = np.nonzero(np.arange(ROOM) < np.where(counts <= ROOM, counts, 0)[:, None])
        pairs = (one.astype(np.int32), found[one, place])
        rows = (self.hierarchy.node_rows, self.hierarchy.rows)
        settled = settled_clusters(pairs, rows, together, triangles=self.triangles, patch_of=self.proxies.patch_of)
        order = np.lexsort((pairs[1][settled], pairs[0][settled]))
        starts = np.searchsorted(pairs[0][settled][order], np.arange(len(counts) + 1)).astype(np.int32)
        self._settled = [put(starts, wp.int32), put(np.append(pairs[1][settled][order], 0), wp.int32)]

    # Every step

    def place(self, points: ArrayLike, world_from_bone: ArrayLike, *, before: ArrayLike | None = None) -> None:
        """Put the nodes (N, 3) [m] and the bones (B, 4, 4) where they are; `before` is where nodes began the step."""
        given = np.asarray(points)
        began = given if before is None else np.asarray(before)
        for name, value in (("points", given), ("before", began)):
            if value.shape != (len(self), 3) or value.dtype.kind not in "fiu":
                raise InputError(_WHERE, f"{name} has shape {value.shape}", f"({len(self)}, 3) is needed",
                                 "pass a place for every node")  # fmt: skip
        if not np.isfinite(given).all():
            raise InputError(_WHERE, "points are not finite", "every node needs a place", "take a smaller step")
        devices.write(self.points, given)
        devices.write(self._before, began)
        self.proxies.pose(world_from_bone)
        self._grow()

    def detect(
        self,
        points: ArrayLike,
        world_from_bone: ArrayLike,
        *,
        before: ArrayLike | None = None,
        time: float = 0.0,
        dt: float = 0.0,
        free: FreeBodies | None = None,
    ) -> Touches:
        """All contacts at the end of a step of `dt` [s] that ends at `time` [s]: obstacles first, then skin with skin.

        Nodes are at `points` (N, 3) [m] and began the step at `before`; without it they stood still.
        Obstacles are put where they are; `free` knows where the free ones among them are. The order is by obstacle and
        node, the same every time.
        """
        self.place(points, world_from_bone, before=before)
        found = []
        if len(self.bodies):
            self.bodies.move(time, dt, free=free)
            devices.write(self._per_time, np.array([1.0 / dt if dt > 0.0 else 0.0], dtype=np.float32))
            found.append(self._with_obstacles(moving=before is not None))
        if self.itself:
            self.refit()
            found.append(self.with_skin(self))
        return Touches.joined(found)

    def with_skin(self, other: Detection) -> Touches:
        """Contacts of these nodes with the triangles of another skin, or of this one, where both were placed last.

        The other one's hierarchy is as `refit` left it; its nodes are named in `corners`.
        """
        if id(other) not in self._partners:
            self._partners[id(other)] = _Meeting(self, other, margin=self.margin)
        self._partners[id(other)].find()
        gaps, normals, faces, shares = (devices.to_host(array) for array in self._results)
        nodes = np.flatnonzero(gaps < self.margin).astype(np.int32)
        corners = other.triangles[faces[nodes]]
        return Touches.with_skin(nodes, normals[nodes], gaps[nodes], corners, shares[nodes])

    def _with_obstacles(self, *, moving: bool) -> Touches:
        on, proxies = self.bodies, self.proxies
        if moving:
            self._grow_start()
        else:
            devices.warp().copy(proxies.start_growths, proxies.growths)
        self._near_obstacles()
        obstacles, patches = np.nonzero(devices.to_host(self._near_flags)[: len(on)])
        sizes = np.diff(proxies.starts)[patches]
        total = int(sizes.sum())
        nodes = obstacle_of = np.zeros(0, dtype=np.int32)
        contacts = Touches.joined([])
        if total:
            ends = np.cumsum(sizes)
            rows = np.repeat(proxies.starts[patches] - (ends - sizes), sizes) + np.arange(total)
            nodes, obstacle_of = proxies.members[rows], np.repeat(obstacles, sizes).astype(np.int32)
            batch, launch = self._room_for(total)
            devices.write(batch.count, np.array([total], dtype=np.int32))
            _fill(batch.nodes, nodes)
            _fill(batch.obstacles, obstacle_of)
            launch()
            gaps = devices.to_host(batch.gaps)[:total]
            hit = np.flatnonzero(gaps < self.margin)
            hit = hit[np.lexsort((nodes[hit], obstacle_of[hit]))]
            contacts = Touches.with_obstacles(
                nodes[hit], devices.to_host(batch.normals)[hit], gaps[hit], obstacle_of[hit],
                devices.to_host(batch.velocities)[hit], on.bodies,
            )  # fmt: skip
        unmet = np.setdiff1d(obstacles, contacts.obstacles)
        if not len(unmet) or not len(self.triangles):
            return contacts
        return Touches.joined([contacts, buried_contacts(self, unmet)]).by_obstacle()

    def _room_for(self, total: int) -> tuple[_Batch, devices.Launch]:
        if self._batch is None or self._batch.room < total or self._exact is None:
            from supple.skins.contact import detection_kernels as kernels

            wp, on = devices.warp(), self.bodies
            room = max(SMALLEST_BATCH, 1 << (total - 1).bit_length())
            kinds = (wp.int32, wp.int32, wp.float32, wp.vec3f, wp.vec3f)
            arrays = [wp.zeros(room, dtype=kind, device=self.device) for kind in kinds]
            batch = _Batch(room, wp.zeros(1, dtype=wp.int32, device=self.device), *arrays)
            inputs = [
                batch.count, batch.nodes, batch.obstacles, self.margin, self._per_time, *self._around, self.points,
                self._before, on.kinds, on.sizes, on.meshes, on.now, on.earlier, on.reach, batch.gaps, batch.normals,
                batch.velocities,
            ]  # fmt: skip
            self._exact = devices.Launch(kernels.meet_obstacles, room, inputs, self.device)
            self._batch = batch
        return self._batch, self._exact


class _Meeting:
    """The launches that find the contacts of one skin's nodes with the triangles of another, or with its own."""

    def __init__(self, one: Detection, other: Detection, *, margin: float) -> None:
        from supple.skins.contact import skin_kernels as kernels

        wp, device, own, reach = devices.warp(), one.device, one is other, one.deepest
        mine, theirs, nodes, faces = one.proxies, other.proxies, one.hierarchy, other.hierarchy
        self._kept = one, other  # so that no other skin takes their names
        self._flags = wp.zeros((len(mine), len(theirs)), dtype=wp.int32, device=device)
        sizes = (len(mine) + 1, max(len(mine) * len(theirs), 1), nodes.node_clusters)
        self._starts, self._pairs, self.counts = (wp.zeros(size, dtype=wp.int32, device=device) for size in sizes)
        self.found = wp.zeros((nodes.node_clusters, ROOM), dtype=wp.int32, device=device)
        self._has_triangles = (devices.to_host(faces.roots) >= 0).astype(np.int32)
        nearing = [
            reach, int(own), *one._slabs, mine.frames, mine.growths, theirs.device_lows, theirs.device_highs,
            theirs.frames, theirs.growths, self._flags,
        ]  # fmt: skip
        self._near = devices.Launch(kernels.near_patches, len(mine) * len(theirs), nearing, device, smallest=256)
        nobody = wp.zeros(nodes.node_clusters + 1, dtype=wp.int32, device=device)
        settled = one._settled if own and one._settled else [nobody, nobody]
        gathering = [
            reach, *nodes.node_boxes, self._starts, self._pairs, *other._slabs, theirs.frames, theirs.growths,
            faces.tree.id, faces.roots, faces.boxes[2], *settled, self.counts, self.found,
        ]  # fmt: skip
        self._gather = devices.Launch(kernels.gather_clusters, nodes.node_clusters, gathering, device, smallest=64)
        nothing = [wp.zeros(1, dtype=kind, device=device) for kind in (wp.float32, wp.int32)]
        known = [one._limits, one._eases, *one._together] if own else [array for array in nothing for _ in range(2)]
        meeting = [
            int(own), margin, reach, one.points, mine.device_patch_of, nodes.cluster_of, nodes.normals,
            *known, self._starts, self._pairs, self.counts, self.found, *faces.inputs, *faces.boxes, faces.areas,
            faces.triangles, other.points, theirs.device_patch_of, *one._results,
        ]  # fmt: skip
        self._meet = devices.Launch(kernels.meet_skin, len(one), meeting, device, smallest=512)

    def find(self) -> None:
        """Leave what is found in the arrays of results."""
        self._near()
        flags = devices.to_host(self._flags) & self._has_triangles
        rows, others = np.nonzero(flags)
        starts = np.zeros(len(flags) + 1, dtype=np.int32)
        np.cumsum(np.bincount(rows, minlength=len(flags)), out=starts[1:])
        devices.write(self._starts, starts)
        _fill(self._pairs, others.astype(np.int32))
        self._gather()
        self._meet()


def _fill(array: Any, values: Ints) -> None:
    """Write the beginning of an array on the device."""
    if array.device.is_cpu:
        array.numpy()[: len(values)] = values
    elif len(values):
        array[: len(values)].assign(values)


def _length(name: str, value: float, *, zero: bool = False) -> float:
    if np.isfinite(value) and (value > 0.0 or (zero and value == 0.0)):
        return float(value)
    needed = f"a length {'of zero or more' if zero else 'above zero'} is needed"
    raise InputError(_WHERE, f"{name} is {value}", needed, "pass metres")
