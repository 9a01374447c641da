"""Where a surface passes through itself: pairs of triangles, the vertices that are inside, and how deep they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import BoolArray, Float32Array, FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.collision.self_intersection.patches import GROUP, beside, patches
from supple.geometry.rows import group_by_label
from supple.geometry.topology import census

CHUNK = 8  # frames at once, so that every thread has enough to do
OFF_SKIN = 1e-3  # of the mean side of a triangle: where "just off the skin" is
FARTHEST = 4.0  # of the rest mesh's diagonal: beyond this no depth is looked for
LATTICE = float((1 << 20) - 8)  # steps along the longest side of a frame's box
FEWEST_PAIRS = 1024  # that there is room for at first


@dataclass(frozen=True)
class Crossings:
    """What was found in F frames of one mesh.

    `counts` (F,) pairs of triangles that cross, and for a closed mesh `inside` (F,) vertices that lie inside the body
    and `depths` (F,) [m], the depth of the deepest of them; both are None for an open mesh, which has no inside.
    """

    counts: IntArray
    inside: IntArray | None
    depths: FloatArray | None


class CrossingFinder:
    """Looks for crossings in frame after frame of one mesh; what depends on the mesh alone is prepared once.

    Triangles are sorted into patches that lie together at rest; every frame gives each triangle, patch and group of
    patches a new box, and only where boxes meet are triangles compared. The comparison is in double precision on the
    single-precision points; what rounding leaves open (4e-15 of the lengths) counts as touching. Triangles that share a
    vertex are not compared, so a crease that folds within one ring of triangles is not found; touching without passing
    through is no crossing.
    """

    def __init__(self, rest_points: ArrayLike, triangles: ArrayLike, *, frames_at_once: int = CHUNK) -> None:
        where = "CrossingFinder"
        rest = frozen(rest_points, np.float64, (-1, 3), where, "rest_points")
        faces = frozen(triangles, np.int32, (-1, 3), where, "triangles")
        if len(faces) == 0 or faces.min() < 0 or faces.max() >= len(rest):
            raise InputError(
                where,
                f"{len(faces)} triangles name points up to {faces.max(initial=-1)}",
                f"there are {len(rest)} points",
                "pass the triangles of this mesh",
            )
        self._vertices, self._faces = len(rest), faces
        self._sorted = patches(rest, faces)
        self._chunk = max(1, frames_at_once)
        sides = np.linalg.norm(np.roll(rest[faces], -1, axis=1) - rest[faces], axis=2)
        side = float(sides.mean())
        self._lengths = (OFF_SKIN * side, side, FARTHEST * float(np.linalg.norm(np.ptp(rest, axis=0))))
        self._is_closed: bool | None = None
        self._allocate()
        self._room_for(FEWEST_PAIRS, np.zeros(0, dtype=np.int64))

    @property
    def is_closed(self) -> bool:
        """Whether the mesh has an inside."""
        if self._is_closed is None:
            self._is_closed = census(self._faces).is_closed
        return self._is_closed

    def _allocate(self) -> None:
        from supple.geometry.collision.self_intersection import kernels

        wp = devices.warp()
        patch_count, group_count = len(self._sorted.starts) - 1, len(self._sorted.group_starts) - 1
        ordered = np.ascontiguousarray(self._faces[self._sorted.order])

        def boxes(count: int) -> Any:
            return wp.zeros(self._chunk * count, dtype=kernels.Box, device="cpu")

        def codes(count: int) -> Any:
            return wp.zeros(self._chunk * count, dtype=kernels.Code, device="cpu")

        def whole(values: NDArray[Any]) -> Any:
            return devices.to_device(values, wp.int32, "cpu")

        self._points = wp.zeros((self._chunk, self._vertices), dtype=wp.vec3f, device="cpu")
        mesh, frame_boxes, adjacency = kernels.Patches(), kernels.FrameBoxes(), kernels.Adjacency()
        mesh.triangles = devices.to_device(ordered, wp.vec3i, "cpu")
        mesh.starts, mesh.group_starts = whole(self._sorted.starts), whole(self._sorted.group_starts)
        mesh.group_of = whole(np.arange(patch_count) // GROUP)
        corner_starts, corners = group_by_label(ordered.reshape(-1), self._vertices)
        mesh.corner_starts, mesh.corners = whole(corner_starts), whole(corners // 3)
        frame_boxes.triangles, frame_boxes.patches = boxes(len(ordered)), boxes(patch_count)
        frame_boxes.groups = boxes(group_count)
        frame_boxes.triangle_codes, frame_boxes.patch_codes = codes(len(ordered)), codes(patch_count)
        touching = beside(ordered, self._sorted)
        adjacency.starts, adjacency.patches = whole(touching.starts), whole(touching.others)
        adjacency.masks = devices.to_device(touching.masks.reshape(-1), wp.uint32, "cpu")
        self._mesh, self._boxes, self._beside = mesh, frame_boxes, adjacency
        self._marks = wp.zeros((self._chunk, self._vertices), dtype=wp.int32, device="cpu")
        self._counts = wp.zeros((self._chunk, patch_count), dtype=wp.int32, device="cpu")
        self._found = wp.zeros(self._chunk, dtype=wp.int32, device="cpu")
        self._depths = wp.zeros((self._chunk, self._vertices), dtype=wp.float32, device="cpu")
        self._changed = wp.zeros(1, dtype=wp.int32, device="cpu")
        patch_members = [mesh.starts, len(ordered), frame_boxes.triangles, frame_boxes.patches]
        group_members = [mesh.group_starts, patch_count, frame_boxes.patches, frame_boxes.groups]
        self._boxing = [
            self._launch(kernels.triangle_boxes, len(ordered), [self._points, mesh.triangles, frame_boxes.triangles]),
            self._launch(kernels.merge_boxes, patch_count, patch_members),
            self._launch(kernels.merge_boxes, group_count, group_members),
        ]
        self._lattices = wp.zeros(self._chunk, dtype=wp.vec4f, device="cpu")
        for count, boxed, coded in (
            (len(ordered), frame_boxes.triangles, frame_boxes.triangle_codes),
            (patch_count, frame_boxes.patches, frame_boxes.patch_codes),
        ):
            self._boxing.append(self._launch(kernels.coded_boxes, count, [count, self._lattices, boxed, coded]))
        tree = [self._points, mesh, frame_boxes]
        off_skin, nearby, widest = (wp.float64(length) for length in self._lengths)
        self._looking = self._launch(kernels.look_inside, self._vertices, [off_skin, *tree, self._marks, self._changed])
        depths = [nearby, widest, *tree, self._marks, self._depths]
        self._measuring = self._launch(kernels.measure_depths, self._vertices, depths)

    def _launch(self, kernel: Any, count: int, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self._chunk * count, inputs, "cpu")

    def _room_for(self, pairs: int, known: NDArray[np.int64]) -> None:
        """Record the search again with room for more pairs, or with pairs to pass over."""
        from supple.geometry.collision.self_intersection import kernels

        wp = devices.warp()
        self._known = known
        self._keys = wp.zeros((self._chunk, pairs), dtype=wp.int64, device="cpu")
        inputs = [
            self._points,
            self._mesh,
            self._boxes,
            self._beside,
            devices.to_device(known, wp.int64, "cpu"),
            self._marks,
            self._keys,
            self._found,
            self._counts,
        ]
        self._searching = self._launch(kernels.count_crossings, len(self._sorted.starts) - 1, inputs)

    def pass_over(self, pairs: ArrayLike) -> None:
        """Leave pairs (N, 2) of triangles out from now on, such as those that cross in the rest pose already."""
        given = frozen(pairs, np.int32, (-1, 2), "CrossingFinder", "pairs")
        position = np.empty(len(self._faces), dtype=np.int64)
        position[self._sorted.order] = np.arange(len(position))
        ends = position[given]
        known = np.unique(ends.min(axis=1) * len(position) + ends.max(axis=1))
        self._room_for(self._keys.shape[1], known)

    def pairs(self, points: ArrayLike) -> IntArray:
        """The pairs (N, 2) of triangles that cross in one frame (V, 3), lower number first, sorted."""
        frame = frozen(points, np.float32, (self._vertices, 3), "CrossingFinder", "points")
        self._search(frame[None])
        if self._found.numpy()[0] > self._keys.shape[1]:
            self._room_for(int(self._found.numpy()[0]), self._known)
            self._search(frame[None])
        keys = self._keys.numpy()[0, : self._found.numpy()[0]]
        both = np.stack([keys // len(self._faces), keys % len(self._faces)], axis=1)
        numbers = np.sort(self._sorted.order[both], axis=1)
        return np.unique(numbers, axis=0).astype(np.int32).reshape(-1, 2)

    def search(self, points: Float32Array, *, depth: bool = True) -> Crossings:
        """Crossings in every frame of `points` (F, V, 3) [m]."""
        frames = len(points)
        counts, inside, depths = np.zeros(frames, np.int32), np.zeros(frames, np.int32), np.zeros(frames)
        deep = depth and self.is_closed
        for rows in self._chunks(frames):
            self._search(points[rows])
            used = rows.stop - rows.start
            counts[rows] = self._counts.numpy()[:used].sum(axis=1)
            if deep and counts[rows].any():
                self._find_depths()
                inside[rows] = self._inside()[:used].sum(axis=1)
                depths[rows] = self._depths.numpy()[:used].max(axis=1)
        return Crossings(counts, inside if deep else None, depths if deep else None)

    def vertex_depths(self, points: ArrayLike) -> tuple[BoolArray, Float32Array]:
        """Which vertices (V,) of one frame (V, 3) lie inside the body, and how deep (V,) [m]; for pictures."""
        frame = frozen(points, np.float32, (self._vertices, 3), "CrossingFinder", "points")
        if not self.is_closed:
            raise InputError("CrossingFinder", "the mesh is open", "depth needs an inside", "close its holes")
        self._search(frame[None])
        self._find_depths()
        return self._inside()[0], self._depths.numpy()[0].copy()

    def _inside(self) -> BoolArray:
        """Which vertices of the last frames were found inside, (chunk, V)."""
        from supple.geometry.collision.self_intersection import kernels

        return np.asarray(self._marks.numpy() == kernels.INSIDE)

    def _chunks(self, frames: int) -> Iterator[slice]:
        for begin in range(0, frames, self._chunk):
            yield slice(begin, min(begin + self._chunk, frames))

    def _search(self, points: Float32Array) -> None:
        """Count the crossings of up to a chunk of frames; the last one fills the places that are left."""
        held = self._points.numpy()
        held[: len(points)] = points
        held[len(points) :] = held[len(points) - 1]
        low, high = held.min(axis=1), held.max(axis=1)
        steps = LATTICE / np.maximum((high - low).max(axis=1), np.finfo(np.float32).tiny * LATTICE)
        # Two steps of room on either side, for the rounding outward.
        devices.write(self._lattices, np.concatenate([low - 2.0 / steps[:, None], steps[:, None]], axis=1))
        self._marks.zero_()
        self._found.zero_()
        for stage in self._boxing:
            stage()
        self._searching()

    def _find_depths(self) -> None:
        self._changed.fill_(1)
        while self._changed.numpy()[0]:
            self._changed.zero_()
            self._looking()
        self._measuring()


def crossing_pairs(points: ArrayLike, triangles: ArrayLike) -> IntArray:
    """The pairs (N, 2) of triangles of a mesh that pass through each other and share no vertex."""
    return CrossingFinder(points, triangles, frames_at_once=1).pairs(points)
