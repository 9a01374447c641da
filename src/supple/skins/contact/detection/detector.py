"""What touches what: nodes of the skin against obstacles, against other parts of their own body, and other bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray, frozen
from supple.device import HostSide
from supple.errors import InputError
from supple.geometry.collision.bvh import ROOM, Bvh
from supple.geometry.collision.kdops import KDops
from supple.geometry.collision.rest_exclusions import excluded_pairs, rest_exclusions
from supple.geometry.rows import group_by_label
from supple.geometry.topology import unique_edges
from supple.obstacles.device_bodies import DeviceBodies
from supple.obstacles.dynamic_bodies import DynamicBodies
from supple.obstacles.shapes import RigidBody
from supple.skins.contact.detection.detected_contacts import DetectedContacts
from supple.skins.contact.detection.enclosed_obstacles import EnclosedObstacles
from supple.skins.contact.detection.touched_triangles import TouchedTriangles

MAX_DEPTH = 2.0  # mean edges: who is deeper in skin than this has lost its way out, and is left alone
EXCLUSION_DISTANCE = 4.0  # mean edges over the surface: what is nearer than this at rest is one piece of skin
CLEARANCE = 0.5  # of the distance at rest: parts that are near at rest touch when they come nearer than this
MOST = 1 << 20  # nodes, counted for each obstacle, that are looked at together
SMALLEST = 4096  # nodes that are worth waking another thread for where all obstacles are simple
SMALLEST_BY_MESH = 256  # and where some are meshes
_WHERE = "Detection"


@dataclass(frozen=True, eq=False)
class RestExclusions:
    """What a skin is at rest: which clusters of nodes and of triangles belong together, and how near the rest is.

    `starts`, `clusters` and `bits` are as `excluded_pairs` has them; `contact_distances` and `rest_overlaps` (S,) [m]
    are the gaps from which nodes touch, and by how much they overlap at rest.
    """

    starts: IntArray
    clusters: IntArray
    bits: NDArray[np.uint8]
    contact_distances: Float32Array
    rest_overlaps: Float32Array


class CollisionDetector:
    """Finds the contacts of a skin of nodes, which move freely, on bones.

    Every bone has a proxy: slabs round its nodes, grown by how far the flesh has left the bone. Only patches whose
    proxies may meet are looked at node by node. Who went through an obstacle in the step, or into it from one side and
    nearest to another, is found on the way that it took, and counts from where it came in.

    Skin meets the triangles of other patches. What is near over the surface at rest, or across thin flesh, does not
    count; parts that are near at rest count when they come nearer than half of that, and parts that overlap at rest
    when they overlap more.

    Limits: a thin obstacle that goes through a triangle within one step is not met on its way, if no node is. Skin
    deeper inside other skin than `max_depth` is not found. Skin that meets itself is not followed on its way.
    """

    def __init__(
        self,
        rest_points: ArrayLike,
        triangles: ArrayLike,
        *,
        carriers: ArrayLike,
        rest_bones: ArrayLike,
        bodies: Sequence[RigidBody] = (),
        self_collision: bool = True,
        margin: float = 0.0,
        side: float | None = None,
        max_depth: float | None = None,
        exclusion_distance: float | None = None,
        rest_exclusions: RestExclusions | None = None,
        device: str = "cpu",
    ) -> None:
        """Prepare for nodes at `rest_points` (N, 3) [m] and `triangles` (T, 3), anticlockwise seen from outside.

        `carriers` (N,) names the bone of `rest_bones` (B, 4, 4) that carries each node most. Contacts are told from a
        gap of `margin` [m] on. The largest body has a largest `side` [m], that of all nodes unless given. Without
        `self_collision` skin passes through skin. `max_depth` and `exclusion_distance` [m] are 2 and 4 mean edges
        unless given. `rest_exclusions` is what another one of the same skin learnt of its rest.
        """
        self.device = devices.check_device(device)
        self._rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        self.triangles: IntArray = frozen(triangles, np.int32, (-1, 3), _WHERE, "triangles")
        self.kdops = KDops(self._rest, self.triangles, carriers=carriers, rest_bones=rest_bones, device=self.device)
        ends = self._rest[unique_edges(self.triangles)]
        edge = float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean()) if len(ends) else 1.0
        self.side = float(np.ptp(self._rest, axis=0).max()) if side is None else side
        self.margin = _length("margin", margin, zero=True)
        self.max_depth = _length("max_depth", MAX_DEPTH * edge if max_depth is None else max_depth)
        self.exclusion_distance = _length(
            "exclusion_distance", EXCLUSION_DISTANCE * edge if exclusion_distance is None else exclusion_distance
        )
        self.bodies = DeviceBodies(bodies, self.device)
        self.frictions: FloatArray = np.array([body.friction for body in self.bodies.bodies])
        self.self_collision = self_collision and len(self.triangles) > 0
        self._allocate()
        self.rest_exclusions = rest_exclusions
        if self.self_collision:
            self.rest_exclusions = (
                self._find_rest_exclusions(np.asarray(rest_bones, dtype=np.float64))
                if rest_exclusions is None
                else rest_exclusions
            )
            self._load_rest_exclusions(self.rest_exclusions)

    def __len__(self) -> int:
        return len(self._rest)

    @property
    def rest_points(self) -> FloatArray:
        """Where the nodes (N, 3) [m] are at rest."""
        return self._rest

    def _allocate(self) -> None:
        wp, count, patches = devices.warp(), len(self), len(self.kdops)

        def put(values: NDArray[Any], dtype: Any) -> Any:
            return devices.to_device(values, dtype, self.device)

        def empty(shape: int | tuple[int, int], dtype: Any) -> Any:
            return wp.zeros(shape, dtype=dtype, device=self.device)

        self.points, self.before = put(self._rest, wp.vec3f), put(self._rest, wp.vec3f)
        self._positions, self._starts = HostSide(self.points), HostSide(self.before)
        self._fitted = False
        starts, corners = group_by_label(self.triangles.reshape(-1), count)
        self._around = [put(starts, wp.int32), put((corners // 3).astype(np.int32), wp.int32)]
        self.device_triangles = put(self.triangles, wp.vec3i)
        self._around.append(self.device_triangles)
        self.per_time = empty(1, wp.float32)
        self._elapsed = 0.0
        on, kdops = self.bodies, self.kdops
        self.near_flags = empty((max(len(on), 1), patches), wp.int32)
        self._flags = HostSide(self.near_flags)
        extents = np.array([body.extent for body in on.bodies]).reshape(len(on), 2, 3)
        finite = np.where(np.isfinite(extents), extents, 0.0)
        self._boxes = boxes = [put(finite[:, side], wp.vec3f) for side in range(2)]
        self._kdop_arrays = [kdops.axes, kdops.device_lows, kdops.device_highs]
        from supple.skins.contact.detection import obstacle_kernels as kernels

        def broad_phase(start_growths: Any) -> devices.Launch:
            inputs = [
                self.margin,
                *self._kdop_arrays,
                kdops.frames,
                kdops.growths,
                start_growths,
                on.kinds,
                on.sizes,
                *boxes,
                on.now,
                on.earlier,
                self.near_flags,
            ]
            return devices.Launch(kernels.broad_phase_obstacles, len(on) * patches, inputs, self.device)

        self._grow_kdops = kdops.growing(self.points, kdops.growths)
        self._grow_start = kdops.growing(self.before, kdops.start_growths)
        self._broad_phase_still, self._broad_phase_moving = broad_phase(kdops.growths), broad_phase(kdops.start_growths)
        self._obstacle_collision: _ObstacleCollision | None = None
        self._enclosed: EnclosedObstacles | None = None
        self._skin_collisions: dict[int, _SkinCollision] = {}

    # The surface as something to be met

    @cached_property
    def bvh(self) -> Bvh:
        """Its triangles, sorted for search; made when they are first searched."""
        return Bvh(self._rest, self.triangles, self.kdops.patch_of, self.points, device=self.device)

    def refit(self) -> None:
        """Bring the hierarchy to where the nodes are now."""
        self.bvh.refit()
        self._fitted = True

    def refit_once(self) -> None:
        """The same, unless it is there already."""
        if not self._fitted:
            self.refit()

    def _find_rest_exclusions(self, rest_bones: FloatArray) -> RestExclusions:
        """What belongs together at rest, and how near the rest is."""
        skin = self.bvh
        self.set_positions(self._rest, rest_bones)
        self.refit()
        normals = np.zeros((len(self), 3))
        normals[skin.nodes] = devices.to_host(skin.normals)
        together = rest_exclusions(self._rest, normals, self.triangles, self.exclusion_distance)
        starts, clusters, bits = excluded_pairs(together, skin, self.triangles, self.kdops.patch_of)
        far, none = (np.full(len(skin.nodes), fill, np.float32) for fill in (np.inf, 0.0))
        known = RestExclusions(starts, np.append(clusters, -2).astype(np.int32), bits, far, none)
        self._load_rest_exclusions(known)
        resting = _SkinCollision(self, self, margin=self.max_depth)
        resting.find()
        gaps = resting.gaps.read()
        close = gaps < self.max_depth
        contact_distances = np.where(gaps > 0.0, CLEARANCE * gaps, -1e-3 * self.max_depth)
        return replace(
            known,
            contact_distances=np.where(close, contact_distances, np.inf).astype(np.float32),
            rest_overlaps=np.where(close, np.minimum(gaps, 0.0), 0.0).astype(np.float32),
        )

    def _load_rest_exclusions(self, known: RestExclusions) -> None:
        wp = devices.warp()
        kinds = ((known.starts, wp.int32), (known.clusters, wp.int32), (known.bits, wp.uint8))
        self.excluded = [devices.to_device(values, kind, self.device) for values, kind in kinds]
        self.contact_distances, self.rest_overlaps = (
            devices.to_device(values, wp.float32, self.device)
            for values in (known.contact_distances, known.rest_overlaps)
        )

    # Every step

    def set_positions(self, points: ArrayLike, world_from_bone: ArrayLike, *, before: ArrayLike | None = None) -> None:
        """Put the nodes (N, 3) [m] and the bones (B, 4, 4) where they are; `before` is where nodes began the step."""
        given = np.asarray(points)
        began = given if before is None else np.asarray(before)
        for name, value in (("points", given), ("before", began)):
            if value.shape != (len(self), 3) or value.dtype.kind not in "fiu":
                raise InputError(
                    _WHERE,
                    f"{name} has shape {value.shape}",
                    f"({len(self)}, 3) is needed",
                    "pass a place for every node",
                )
        if not np.isfinite(given).all():
            raise InputError(_WHERE, "points are not finite", "every node needs a place", "take a smaller step")
        self._positions.write(given)
        self._fitted = False
        if len(self.bodies):
            self._starts.write(began)
        self.kdops.pose(world_from_bone)
        self._grow_kdops()

    def exchange(self, index: int, body: RigidBody) -> None:
        """Let another ball, capsule or box take the place of a free one, from the next time on."""
        self.bodies.exchange(index, body)
        self.frictions[index] = body.friction
        extents = np.array([one.extent for one in self.bodies.bodies])
        finite = np.where(np.isfinite(extents), extents, 0.0)
        for side, box in enumerate(self._boxes):
            devices.write(box, finite[:, side])
        self._enclosed = self._obstacle_collision = None

    def detect(
        self,
        points: ArrayLike,
        world_from_bone: ArrayLike,
        *,
        before: ArrayLike | None = None,
        time: float = 0.0,
        dt: float = 0.0,
        free: DynamicBodies | None = None,
    ) -> DetectedContacts:
        """All contacts at the end of a step of `dt` [s] that ends at `time` [s]: obstacles first, then skin with skin.

        Nodes are at `points` (N, 3) [m] and began the step at `before`; without it they stood still.
        Obstacles are put where they are; `free` knows where the free ones among them are. The order is by obstacle and
        node, the same every time.
        """
        self.set_positions(points, world_from_bone, before=before)
        found = []
        if len(self.bodies):
            self.bodies.move(time, dt, dynamic=free)
            if dt != self._elapsed:
                devices.write(self.per_time, np.array([1.0 / dt if dt > 0.0 else 0.0], dtype=np.float32))
                self._elapsed = dt
            found.append(self._collide_obstacles(moving=before is not None))
        if self.self_collision:
            found.append(self._collide_skin(self, self.refit_once))
        return DetectedContacts.concatenate(found)

    def collide_skin(self, other: CollisionDetector) -> DetectedContacts:
        """Contacts of these nodes with the triangles of another skin, or of this one, where both were placed last.

        Both hierarchies are as `refit` left them; the other one's nodes are named in `corners`.
        """
        return self._collide_skin(other)

    def _collide_skin(self, other: CollisionDetector, prepare: Callable[[], None] | None = None) -> DetectedContacts:
        """Contacts with a skin; `prepare` is called before its triangles are searched, if they are."""
        pair = self._skin_collisions.get(id(other))
        if pair is None:
            pair = self._skin_collisions[id(other)] = _SkinCollision(self, other, margin=self.margin)
        return pair.contacts() if pair.find(prepare) else DetectedContacts.none()

    def _collide_obstacles(self, *, moving: bool) -> DetectedContacts:
        if moving:
            self._grow_start()
            self._broad_phase_moving()
        else:
            self._broad_phase_still()
        near = np.flatnonzero(self._flags.read()[: len(self.bodies)].any(axis=1))
        if not len(near):
            return DetectedContacts.none()
        room = min(1 << (len(near) - 1).bit_length(), max(MOST // len(self), 1))
        if self._obstacle_collision is None or self._obstacle_collision.room < room:
            self._obstacle_collision = _ObstacleCollision(self, room)
        each = self._obstacle_collision.room
        contacts = DetectedContacts.concatenate(
            [self._obstacle_collision.meet(near[k : k + each]) for k in range(0, len(near), each)]
        )
        untouched = near[np.bincount(contacts.obstacles, minlength=len(self.bodies))[near] == 0]
        if not len(untouched) or not len(self.triangles):
            return contacts
        if self._enclosed is None:
            self._enclosed = EnclosedObstacles(self)
        return DetectedContacts.concatenate([contacts, self._enclosed.contacts(untouched)]).sort_by_obstacle()


class _ObstacleCollision:
    """The launch that looks at all nodes for each of a few obstacles that some of them are near to."""

    def __init__(self, skin: CollisionDetector, room: int) -> None:
        from supple.skins.contact.detection import obstacle_kernels as kernels

        wp, on, device, self.room, self._nodes = devices.warp(), skin.bodies, skin.device, room, len(skin)
        self._frictions, self._margin = skin.frictions, skin.margin
        chosen = wp.zeros(room, dtype=wp.int32, device=device)
        results = [wp.zeros(room * len(skin), dtype=kind, device=device) for kind in (wp.float32, wp.vec3f, wp.vec3f)]
        inputs = [
            chosen,
            skin.near_flags,
            skin.kdops.device_patch_of,
            skin.margin,
            skin.per_time,
            *skin._around,
            skin.points,
            skin.before,
            on.kinds,
            on.sizes,
            on.meshes,
            on.now,
            on.earlier,
            on.reach,
            *results,
        ]
        smallest = SMALLEST_BY_MESH if on.has_meshes else SMALLEST
        self._launch = devices.Launch(
            kernels.narrow_phase_obstacles, room * len(skin), inputs, device, smallest=smallest
        )
        self._chosen = HostSide(chosen)
        self._gaps, self._normals, self._velocities = (HostSide(array) for array in results)
        self._triangles = None
        if len(skin.triangles):
            self._triangles = TouchedTriangles(skin, room=room, chosen=chosen, node_gaps=results[0])

    def meet(self, near: NDArray[Any]) -> DetectedContacts:
        """Contacts with these obstacles, of which there are no more than `room`."""
        chosen = np.full(self.room, -1, dtype=np.int32)
        chosen[: len(near)] = near
        self._chosen.write(chosen)
        self._launch()
        gaps = self._gaps.read()
        hit = np.flatnonzero(gaps[: len(near) * self._nodes] < self._margin)
        node, obstacles = hit, np.full(len(hit), near[0], dtype=np.int32)
        if len(near) > 1:
            row, node = np.divmod(hit, self._nodes)
            obstacles = chosen[row]
        of_nodes = DetectedContacts.with_obstacles(
            node.astype(np.int32),
            self._normals.read()[hit],
            gaps[hit],
            obstacles,
            self._velocities.read()[hit],
            self._frictions[obstacles],
        )
        if self._triangles is None:
            return of_nodes
        between = self._triangles.contacts(near)
        return DetectedContacts.concatenate([of_nodes, between]).sort_by_obstacle() if len(between) else of_nodes


class _SkinCollision:
    """The launches that find the contacts of one skin's nodes with the triangles of another, or with its own."""

    def __init__(self, one: CollisionDetector, other: CollisionDetector, *, margin: float) -> None:
        from supple.skins.contact.detection import skin_kernels as kernels

        wp, device, own, reach = devices.warp(), one.device, one is other, one.max_depth
        mine, theirs, nodes, faces = one.kdops, other.kdops, one.bvh, other.bvh
        self._one, self._other = one, other  # kept, so that no other skin takes their names
        self._nodes, self._margin = nodes.nodes, margin

        def empty(shape: int | tuple[int, int], dtype: Any) -> Any:
            return wp.zeros(shape, dtype=dtype, device=device)

        near = [empty(len(mine), wp.int32), empty((len(mine), len(theirs)), wp.int32)]
        found = [empty(nodes.clusters, wp.int32), *(empty((nodes.clusters, ROOM), wp.int32) for _ in range(2))]
        results = [empty(len(nodes.nodes), kind) for kind in (wp.float32, wp.vec3f, wp.int32, wp.vec3f)]
        self._near_counts = HostSide(near[0])
        self.gaps, *self._rest = (HostSide(array) for array in results)
        broad_phase = [
            reach,
            int(own),
            *one._kdop_arrays,
            mine.frames,
            mine.growths,
            theirs.device_lows,
            theirs.device_highs,
            theirs.frames,
            theirs.growths,
            faces.roots,
            *near,
        ]
        self._broad_phase = devices.Launch(kernels.broad_phase_patches, len(mine), broad_phase, device, smallest=256)
        excluded = one.excluded if own else [empty(nodes.clusters + 1, wp.int32), near[0], empty((1, 1), wp.uint8)]
        gathering = [reach, *nodes.node_boxes, *near, faces.tree.id, faces.roots, *faces.boxes, *excluded, *found]
        self._gather = devices.Launch(kernels.gather_clusters, nodes.clusters, gathering, device, smallest=128)
        known = [one.contact_distances, one.rest_overlaps] if own else [results[0], results[0]]  # which are not read
        narrow_phase_inputs = [
            int(own),
            margin,
            reach,
            one.points,
            *nodes.seats,
            *known,
            *excluded,
            *near,
            *found,
            *faces.surface,
            other.points,
            *results,
        ]
        self._narrow_phase = devices.Launch(
            kernels.narrow_phase_skin, len(nodes.nodes), narrow_phase_inputs, device, smallest=768
        )

    def find(self, prepare: Callable[[], None] | None = None) -> bool:
        """Look for contacts; whether any patches were near enough for that. `prepare` is called if they are."""
        self._broad_phase()
        if not self._near_counts.read().any():
            return False
        if prepare is not None:
            prepare()
        self._gather()
        self._narrow_phase()
        return True

    def contacts(self) -> DetectedContacts:
        """The contacts that were found, by node."""
        gaps = self.gaps.read()
        hit = np.flatnonzero(gaps < self._margin)
        if not len(hit):
            return DetectedContacts.none()
        hit = hit[np.argsort(self._nodes[hit], kind="stable")]
        normals, faces, barycentric = (side.read()[hit] for side in self._rest)
        return DetectedContacts.with_skin(
            self._nodes[hit], normals, gaps[hit], self._other.triangles[faces], barycentric
        )


def _length(name: str, value: float, *, zero: bool = False) -> float:
    if np.isfinite(value) and (value > 0.0 or (zero and value == 0.0)):
        return float(value)
    needed = f"a length {'of zero or more' if zero else 'above zero'} is needed"
    raise InputError(_WHERE, f"{name} is {value}", needed, "pass metres")
