"""A spatial hash of a moving tetrahedral mesh: which particles have come to lie inside which elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.geometry.rows import group_by_label
from supple.geometry.tetrahedra.tetrahedra import element_edges

CELL = 1.1  # of the mean edge
FEWEST_PAIRS = 4096  # that there is room for at first
MOST_RECORDED = 16  # arrays of points whose launches are kept
_WHERE = "SpatialHash"


@dataclass(frozen=True)
class Boxes:
    """Boxes to look in, on the device: one for every copy and label, from `lows` to `highs` (C, L) of vec3f [m].

    A particle is looked for where it lies in the box of its label; an element looks where its own box meets that of
    the label of one of its corners. A box whose low end is above its high end is empty.
    """

    lows: Any
    highs: Any


@dataclass(frozen=True)
class Pairs:
    """Particles inside elements, on the device: pair n is `particles[n]` in `elements[n]`, for n below `found[0]`.

    Numbers count through all copies. `found` may be more than there is room for; then the rest was left out.
    """

    particles: Any
    elements: Any
    found: Any

    @property
    def capacity(self) -> int:
        """How many pairs fit."""
        return len(self.particles)

    @property
    def overflow(self) -> int:
        """How many pairs were left out; waits for the device."""
        return max(0, int(self.found.numpy()[0]) - self.capacity)

    def to_host(self) -> IntArray:
        """The pairs (N, 2), particle then element, sorted; waits for the device."""
        count = min(int(self.found.numpy()[0]), self.capacity)
        both = np.stack([self.particles.numpy()[:count], self.elements.numpy()[:count]], axis=1)
        return both[np.lexsort((both[:, 1], both[:, 0]))]


@dataclass(frozen=True, eq=False)
class HashedMesh:
    """What follows from the rest shape of P particles and T elements.

    `corners` (T, 4), `cell` [m] the side of a cell; `labels` (P,) tell particles apart and `element_labels` (T, 4) are
    those of an element's corners, each once. What is near at rest is left out of searches: the particles around p are
    `ring_members[ring_starts[p]:ring_starts[p + 1]]`, and `overlap_elements` likewise the elements that hold it then.
    """

    corners: IntArray
    cell: float
    labels: IntArray
    element_labels: IntArray
    ring_starts: IntArray
    ring_members: IntArray
    overlap_starts: IntArray
    overlap_elements: IntArray

    @classmethod
    def from_rest(
        cls,
        rest_points: ArrayLike,
        corners: ArrayLike,
        *,
        rings: int = 2,
        labels: ArrayLike | None = None,
        keep_rest_overlaps: bool = False,
    ) -> HashedMesh:
        """Prepare points (P, 3) [m] and elements (T, 4); left out is what is `rings` away at rest, or overlaps then."""
        rest = frozen(rest_points, np.float64, (-1, 3), _WHERE, "rest_points")
        elements = frozen(corners, np.int32, (-1, 4), _WHERE, "corners")
        _check(rest, elements, rings)
        named = frozen(np.zeros(len(rest)) if labels is None else labels, np.int32, (len(rest),), _WHERE, "labels")
        edges = element_edges(elements, len(rest))
        lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
        overlapping = (
            np.zeros((0, 2), dtype=np.int32) if keep_rest_overlaps else _overlaps_at_rest(rest, elements, rings)
        )
        overlap_starts, order = group_by_label(overlapping[:, 0], len(rest))
        of_corners = np.sort(named[elements], axis=1)
        of_corners[:, 1:][np.diff(of_corners, axis=1) == 0] = -1
        return cls(
            elements,
            CELL * float(lengths.mean()) if lengths.any() else 1.0,
            named,
            of_corners,
            *_rings(edges, len(rest), rings - 1),
            overlap_starts,
            overlapping[order, 1],
        )


class SpatialHash:
    """Finds particles inside elements step after step; what follows from the rest shape is prepared once.

    Space is cut into cells a little larger than the mean edge, and cells are hashed into a table whose entries carry
    the time of their last use, so that it is never cleared. All particles are entered, then every element looks
    through the cells of its box. Left out are elements that are near the particle at rest: those it belongs to, those
    that touch its ring (`rings` 2; each further ring adds one), and those that hold it at rest already, because the
    rest shape overlaps itself, with their neighbours.

    `copies` of one character may be searched at once; points are then stacked copy by copy, and a particle is never
    held against another copy. Not found: particles in elements without volume, and anything in an element torn over
    more than 4096 cells.
    """

    def __init__(
        self, mesh: HashedMesh, constants: devices.Constants, *, copies: int = 1, capacity: int | None = None
    ) -> None:
        if copies < 1:
            raise InputError(_WHERE, f"copies is {copies}", "at least one is needed", "use 1 for one character")
        wp, put, blank = devices.warp(), constants.put, constants.blank
        self.device, self.cell, self.copies = constants.device, mesh.cell, copies
        self.particles, self.elements = len(mesh.labels), len(mesh.corners)
        self._searches: dict[Any, list[Any]] = {}
        stacked = copies * self.particles
        size = 1 << max(10, int(np.ceil(np.log2(2 * stacked))))
        self._mask = wp.uint32(size - 1)
        self._corners = put(mesh.corners, wp.vec4i)
        self._slots, self._now, self._next_particle = (
            blank(size, wp.int64),
            blank(1, wp.int64),
            blank(stacked, wp.int32),
        )
        near = {
            "ring_starts": mesh.ring_starts,
            "ring": mesh.ring_members,
            "overlap_starts": mesh.overlap_starts,
            "overlaps": mesh.overlap_elements,
        }
        self._exclusions = {name: put(array, wp.int32) for name, array in near.items()}
        self._no_boxes = Boxes(*(blank((1, 1), wp.vec3f) for _ in range(2)))
        self._particle_labels, self._element_labels = put(mesh.labels, wp.int32), put(mesh.element_labels, wp.vec4i)
        self._allocate_pairs(max(FEWEST_PAIRS, stacked) if capacity is None else capacity)

    def _allocate_pairs(self, pairs: int) -> None:
        wp = devices.warp()
        counts = [wp.zeros(size, dtype=wp.int32, device=self.device) for size in (pairs, pairs, 1)]
        self.pairs = Pairs(*counts)
        self._last_found = wp.zeros(1, dtype=wp.int32, device="cpu", pinned=self.device != "cpu")
        self._searches.clear()

    @property
    def overflowed(self) -> bool:
        """Whether the last search that has ended found more than there is room for; the next `find` makes room."""
        return int(self._last_found.numpy()[0]) > self.pairs.capacity

    def find(self, points: Any, *, within: Boxes | None = None) -> Pairs:
        """The pairs for `points` (C P,) of vec3f or vec4f on the device; `within` looks only in boxes.

        The answer is overwritten by the next call. On the CPU there is always room for all pairs: a search that finds
        too many is repeated. On CUDA, where waiting would cost more, the next search has the room.
        """
        if self.overflowed:
            self._allocate_pairs(2 * int(self._last_found.numpy()[0]))
        self._search(points, within)
        if self.device == "cpu" and self.overflowed:
            return self.find(points, within=within)
        return self.pairs

    def _search(self, points: Any, within: Boxes | None) -> None:
        for launch in self._recorded(points, within):
            launch()
        devices.warp().copy(self._last_found, self.pairs.found)

    def _recorded(self, points: Any, within: Boxes | None) -> list[Any]:
        """Launches for these arrays. On the CPU they run on one core: its atomic steps are not atomic among threads."""
        key = (points.ptr, points.dtype, len(points), None if within is None else (within.lows.ptr, within.highs.ptr))
        if key not in self._searches:
            if len(self._searches) >= MOST_RECORDED:
                self._searches.clear()
            from supple.geometry.collision.spatial_hash import kernels

            wp = devices.warp()
            if points.dtype not in (wp.vec3f, wp.vec4f) or len(points) != self.copies * self.particles:
                raise InputError(
                    _WHERE,
                    f"there are {len(points)} points of {points.dtype.__name__}",
                    f"{self.copies} x {self.particles} of vec3f or vec4f are needed",
                    "stack the points of all copies",
                )
            boxes = self._no_boxes if within is None else within
            found = devices.fill_struct(
                kernels.FoundPairs(),
                found=self.pairs.found,
                particles=self.pairs.particles,
                elements=self.pairs.elements,
            )
            searched = [
                devices.fill_struct(
                    kernels.LabelBoxes(), everywhere=int(within is None), lows=boxes.lows, highs=boxes.highs
                ),
                devices.fill_struct(
                    kernels.HashTable(),
                    now=self._now,
                    slots=self._slots,
                    next_particle=self._next_particle,
                    mask=self._mask,
                    per_length=float(1.0 / self.cell),
                ),
            ]
            exclusions = devices.fill_struct(kernels.RestExclusions(), **self._exclusions)
            entering = [0, points, self.particles, self._particle_labels, *searched]
            labels = [self._corners, self.particles, self._element_labels]
            finding = [0, points, *labels, *searched, exclusions, found]
            self._searches[key] = [
                wp.launch(kernel, dim=count, inputs=inputs, device=self.device, record_cmd=True).launch
                for kernel, count, inputs in (
                    (kernels.begin_search, 1, [0, self._now, self.pairs.found]),
                    (kernels.enter_particles, self.copies * self.particles, entering),
                    (kernels.find_pairs, self.copies * self.elements, finding),
                )
            ]
        return self._searches[key]


def spatial_hash(
    rest_points: ArrayLike,
    corners: ArrayLike,
    *,
    copies: int = 1,
    device: str = "cpu",
    rings: int = 2,
    labels: ArrayLike | None = None,
    capacity: int | None = None,
    keep_rest_overlaps: bool = False,
) -> SpatialHash:
    """The hash of points (P, 3) [m] and elements (T, 4) on a device; see `HashedMesh.from_rest`."""
    constants = devices.Constants(devices.check_device(device))
    mesh = HashedMesh.from_rest(rest_points, corners, rings=rings, labels=labels, keep_rest_overlaps=keep_rest_overlaps)
    return SpatialHash(mesh, constants, copies=copies, capacity=capacity)


def _rings(edges: IntArray, particles: int, rings: int) -> tuple[IntArray, IntArray]:
    """The particles at most `rings` edges away from each, as compressed rows; itself among them where rings > 0."""
    from scipy.sparse import csr_array

    if rings == 0:
        return np.zeros(particles + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    ends = np.concatenate([edges, edges[:, ::-1], np.repeat(np.arange(particles, dtype=np.int32)[:, None], 2, 1)])
    step: Any = csr_array((np.ones(len(ends), dtype=np.int32), (ends[:, 0], ends[:, 1])), (particles, particles))
    reach = step
    for _ in range(rings - 1):
        reach = reach @ step
        reach.data[:] = 1
    return reach.indptr.astype(np.int32), reach.indices.astype(np.int32)


def _overlaps_at_rest(rest: FloatArray, corners: IntArray, rings: int) -> IntArray:
    """Pairs (N, 2) of particles and the elements that hold them at rest, or touch one that does."""
    from scipy.sparse import csr_array

    wp = devices.warp()
    overlaps = spatial_hash(rest, corners, rings=rings, keep_rest_overlaps=True)
    inside = overlaps.find(devices.to_device(rest, wp.vec3f, "cpu")).to_host()
    if len(inside) == 0:
        return inside
    ones = np.ones(corners.size, dtype=np.int32)
    owner = np.repeat(np.arange(len(corners)), 4)
    belongs = csr_array((ones, (owner, corners.reshape(-1))), (len(corners), len(rest)))
    inside_of = csr_array(
        (np.ones(len(inside), dtype=np.int32), (inside[:, 0], inside[:, 1])), (len(rest), len(corners))
    )
    near: Any = ((inside_of @ belongs) @ belongs.T).tocoo()
    return np.stack(near.coords, axis=1).astype(np.int32)


def _check(rest: FloatArray, corners: IntArray, rings: int) -> None:
    if len(corners) == 0 or corners.min() < 0 or corners.max() >= len(rest):
        raise InputError(
            _WHERE,
            f"{len(corners)} elements name particles up to {corners.max(initial=-1)}",
            f"there are {len(rest)} particles",
            "pass the elements of this mesh",
        )
    if rings < 1:
        raise InputError(
            _WHERE,
            f"rings is {rings}",
            "at least one is needed, the elements a particle belongs to",
            "use 2 to leave its neighbours' elements out too",
        )
