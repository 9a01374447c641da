"""Springs over one skin on one device: what they are at bind, and sweeps that bring a shape to rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.character import Character
from supple.geometry.quaternions import normalize
from supple.geometry.topology import Neighbours, neighbours
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.base import Skin
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.springs.attachment import METHODS
from supple.skins.springs.hanging import PREFIX, Hanging
from supple.skins.springs.incremental_rotation import IncrementalRotation

CHECK = 10  # sweeps between two looks at how far the shape still moves; even, so that buffers are back in place
STIFFNESS_MAP = "stiffness"
KINDS = ("edges", "lengths", "turns", "girth", "bones", "hold")
OWN_BASE = "incremental"
_BASES: dict[str, Callable[[], Skin[Any, Any]]] = {
    OWN_BASE: IncrementalRotation,
    "rigid": partial(IncrementalRotation.preset, "rigid"),
    "linear": LinearBlend,
    "dual-quaternion": DualQuaternion,
    "rotation-centers": RotationCenters,
}
_MEASURED = {"movement": 1, "force": 2}
_ROUNDING = 1e-4  # of an edge: changes this small are not worth a sweep
_ON_SKELETON = 1e-3  # of an edge: a vertex this near to its attachment point has no direction of its own


@dataclass(frozen=True, kw_only=True)
class SpringSettings(Settings):
    """What the artist chooses about springs. Stiffness counts by its ratios; a map `stiffness`, or one named after a
    spring (`stiffness_edges`), multiplies it vertex by vertex."""

    base: str = setting("incremental", "The skin it starts from, where a graph gives it none", choices=tuple(_BASES))
    binding: str = setting("automatic", "How vertices are hung on bones", choices=METHODS)
    iterations: int = setting(50, "Sweeps over the skin", low=1, high=100_000)
    edges: float = setting(1.0, "Stiffness of edges", low=0.0, high=1e12)
    lengths: float = setting(0.5, "Stiffness of lengths beside those of neighbours", low=0.0, high=1e12)
    turns: float = setting(1.0, "Stiffness of angles between neighbours", low=0.0, high=1e12)
    girth: float = setting(4.0, "Stiffness of distances from the bone", low=0.0, high=1e12)
    bones: float = setting(0.1, "Stiffness of angles to the bone", low=0.0, high=1e12)
    hold: float = setting(2.0, "How firmly bones keep their own twist", low=0.0, high=1e12)

    def takes_incoming(self) -> bool:
        """Any shape will do to start from."""
        return True

    def first_stage(self) -> Skin[Any, Any] | None:
        """The skin that comes first; None where that is the skin that springs pose for themselves."""
        return None if self.base == OWN_BASE else _BASES[self.base]()


@dataclass(frozen=True, eq=False)
class SpringBinding:
    """The springs of one character at bind; V vertices, E directed edges.

    The ring of vertex v are `others[starts[v]:starts[v + 1]]`. `rings` and `sites` (V, 3) are stiffnesses along the
    skin and to the bone, `halves` (E, 2) [m] the parts of edges along and across the bone. `edge_size` (V,) [m] is
    the mean edge of a vertex, `firm` (V,) marks vertices that have a direction from the bone, and `fallback` (V, 3) are
    those directions, and stand in where there is none. `answer` (V,) is how fast waves run beside how fast springs act,
    `noise` an energy below which nothing is worth a sweep.
    """

    hanging: Hanging
    starts: Ints
    others: Ints
    rings: Singles
    sites: Singles
    halves: Singles
    edge_size: Floats
    firm: Ints
    fallback: Singles
    answer: Floats
    noise: float

    @classmethod
    def from_character(cls, character: Character, settings: SpringSettings, device: str) -> SpringBinding:
        """Hang a character on its bones and measure it."""
        hanging = IncrementalRotation(binding=settings.binding).bind(character, device)
        around = neighbours(character.triangles, len(hanging))
        bind = _Bind(character.points, around, hanging)
        rings, sites = _stiffness(character, settings, bind)
        total, coupling = rings.sum(axis=1) + sites.sum(axis=1), 0.55 * (rings[:, 0] + rings[:, 2])
        # A ring of springs of stiffness k acts like k edge^2 / 8 times the Laplacian, so waves run at
        # rate edge sqrt(coupling / 8 total); skin pulled along itself feels about half of edges and turns.
        answer = np.sqrt(8.0 * total / np.where(coupling > 0.0, coupling, np.inf))
        noise = float(((rings.sum(axis=1) + sites.sum(axis=1)) * (_ROUNDING * bind.edge_size) ** 2).sum())
        return cls(
            hanging,
            around.starts,
            around.indices,
            rings.astype(np.float32),
            sites.astype(np.float32),
            _halves(character.points, around, hanging),
            bind.edge_size,
            bind.firm.astype(np.int32),
            bind.fallback.astype(np.float32),
            answer,
            noise,
        )

    @property
    def constants(self) -> devices.Constants:
        """What all states share on the device."""
        return self.hanging.constants

    def halves_of(self, points: Floats) -> Singles:
        """The halves of edges between other rest points."""
        return _halves(points, Neighbours(self.starts, self.others), self.hanging)


class Springs:
    """The springs of one character in a pose, with the buffers that sweeps work on."""

    def __init__(self, binding: SpringBinding) -> None:
        wp, put, blank = devices.warp(), binding.constants.put, binding.constants.blank
        self.binding, self.device = binding, binding.constants.device
        self._aimed_at = IncrementalRotation().allocate(binding.hanging)
        self.hanging = hanging = self._aimed_at.hanging
        self.count = count = hanging.count
        self._starts, self._others = put(binding.starts, wp.int32), put(binding.others, wp.int32)
        self._edges, self._rest_edges = (blank(len(binding.others), wp.vec3f) for _ in range(2))
        bone_angles = blank(count, wp.vec2f)
        self._halves = devices.to_device(binding.halves, wp.vec2f, self.device)
        self.aims = blank(count, wp.vec4f)
        self._ratios = wp.ones(len(hanging.segments), dtype=wp.float32, device=self.device)
        self.springs = [
            self._starts,
            self._others,
            self._edges,
            put(binding.rings, wp.vec3f),
            put(binding.sites, wp.vec3f),
            self.aims,
            hanging.segment,
            hanging.directions,
            bone_angles,
        ]
        self.points = [blank(count, wp.vec3f) for _ in range(2)]
        self.polars = [blank(count, wp.vec4f) for _ in range(2)]
        self.moves, self._energy = blank(count, wp.float32), blank(count, wp.float32)
        self._stretched = False
        character = binding.hanging.character
        self._rest, self._rest_shapes = character.skeleton.world_from_joint, dict[str, float]()
        self._targets = {name for name in character.shapes if not name.startswith(PREFIX)}
        self._record(put(binding.fallback, wp.vec3f), put(binding.firm, wp.int32), bone_angles)
        self._measure_rest()

    @property
    def aimed_at(self) -> Any:
        """The skin that springs aim at in a pose, on the device."""
        return self._aimed_at.posed

    def _record(self, fallback: Any, firm: Any, bone_angles: Any) -> None:
        from supple.skins.springs import spring_kernels as kernels

        lengths = [
            self._starts,
            self._others,
            self.hanging.segment,
            self._ratios,
            self.hanging.vectors,
            self.hanging.turned,
            self._halves,
            self._edges,
        ]
        rest = [
            self.points[0],
            self.polars[0],
            self._starts,
            self._others,
            self.hanging.segment,
            self.hanging.directions,
            firm,
            self._edges,
            bone_angles,
        ]
        aimed = [self._aimed_at.posed, self.hanging.attached, fallback, self.aims]
        self._aim = devices.Launch(kernels.aim, self.count, aimed, self.device)
        self._grow = devices.Launch(kernels.edge_lengths, self.count, lengths, self.device)
        self._begin_at_rest = self.starting_from(None)
        self._bind = devices.Launch(kernels.bind, self.count, rest, self.device)
        measured = [*self.springs, self.points[0], self.polars[0], self._energy]
        self._measure = devices.Launch(kernels.energies, self.count, measured, self.device)

    def _measure_rest(self) -> None:
        """Measure lengths and angles in the rest pose."""
        self._aimed_at.run(Pose(self._rest, shapes=self._rest_shapes))
        self._aim()
        self._begin_at_rest()
        self._bind()
        devices.warp().copy(self._rest_edges, self._edges)

    def _set_targets(self, pose: Pose) -> None:
        """Morph targets change the rest that springs know, so that they come out whole; edits are wishes and do not."""
        wanted = {name: share for name, share in pose.shapes.items() if share != 0.0 and name in self._targets}
        if wanted == self._rest_shapes:
            return
        self._rest_shapes = wanted
        self._measure_rest()
        devices.write(self._halves, self.binding.halves_of(self.hanging.shaped_points))

    def launches(self, pace: float, swing: float, *, measured: str = "") -> list[devices.Launch]:
        """The two sweeps that go back and forth between the buffers; they may measure "movement" or "force"."""
        from supple.skins.springs import spring_kernels as kernels

        found = []
        for rotation in range(2):
            buffers = [
                self.points[rotation],
                self.polars[rotation],
                self.points[1 - rotation],
                self.polars[1 - rotation],
                self.moves,
            ]
            inputs = [*self.springs, self.hanging.attached, pace, swing, _MEASURED.get(measured, 0), *buffers]
            found.append(devices.Launch(kernels.sweep, self.count, inputs, self.device))
        return found

    def starting_from(self, start: Any) -> devices.Launch:
        """The launch that puts a shape into the buffers, at rest; without one, that of the skin that springs aim at."""
        from supple.skins.springs import spring_kernels as kernels

        inputs = [
            self.aimed_at if start is None else start,
            self.hanging.attached,
            self.aims,
            *self.points,
            self.polars[0],
        ]
        return devices.Launch(kernels.begin, self.count, inputs, self.device)

    def set(self, pose: Pose) -> None:
        """Take a pose: where attachment points are, and what lengths and directions springs want."""
        self._set_targets(pose)
        self._aimed_at.run(pose)
        self._aim()
        ratios = self.hanging.length_ratios
        stretched = bool(np.abs(ratios - 1.0).max() > 1e-6) or self.hanging.stretched
        if stretched:
            devices.write(self._ratios, ratios)
            self._grow()
        elif self._stretched:  # as measured, so that what was before leaves no trace
            devices.warp().copy(self._edges, self._rest_edges)
        self._stretched = stretched

    def largest_move(self) -> float:
        """How far the vertex that moved most went in the last sweep [m], or was pulled, per unit of stiffness."""
        return float(devices.to_host(self.moves).max(initial=0.0))

    def energy(self) -> float:
        """All springs' energy in the shape of the first buffer."""
        self._measure()
        return float(devices.to_host(self._energy).sum(dtype=np.float64))


class _Bind:
    """What is measured of the rest shape on the host; `radius` (V,) [m] is the distance from the attachment point."""

    def __init__(self, points: Floats, around: Neighbours, hanging: Hanging) -> None:
        self.edge_size = _ring_mean(np.linalg.norm(_ways(points, around), axis=1), around)
        self.radius = hanging.rest_lengths
        self.firm = hanging.rest_lengths > _ON_SKELETON * np.maximum(self.edge_size, 1e-300)
        self.fallback = np.where(self.firm[:, None], normalize(hanging.rest_vectors), [0.0, 1.0, 0.0])


def _ways(points: Floats, around: Neighbours) -> Floats:
    """From every vertex to its neighbours (E, 3) [m]."""
    ways: Floats = points[around.indices] - np.repeat(points, np.diff(around.starts), axis=0)
    return ways


def _halves(points: Floats, around: Neighbours, hanging: Hanging) -> Singles:
    """The parts (E, 2) [m] of directed edges along and across the bone."""
    ways = _ways(points, around)
    bones = np.repeat(hanging.segments.directions[hanging.owners], np.diff(around.starts), axis=0)
    along = np.abs(np.einsum("ei,ei->e", ways, bones))
    across = np.sqrt(np.maximum(np.einsum("ei,ei->e", ways, ways) - along**2, 0.0))
    return np.stack([along, across], axis=1).astype(np.float32)


def _ring_mean(values: Floats, around: Neighbours) -> Floats:
    count = np.diff(around.starts)
    owner = np.repeat(np.arange(len(count)), count)
    return np.asarray(np.bincount(owner, values, len(count)) / np.maximum(count, 1))


def _stiffness(character: Character, settings: SpringSettings, bind: _Bind) -> tuple[Floats, Floats]:
    """(edges, lengths, turns) and (girth, bones, hold) of every vertex (V, 3) each.

    Springs to the bone are scaled by (edge / distance from the bone)^2: a ring of springs acts on a skin like
    edge^2 times its curvature, so that the shape at rest does not depend on how fine the mesh is.
    """
    count = len(character.points)
    every = character.maps.get(STIFFNESS_MAP, np.ones(count))
    found = {}
    for kind in KINDS:
        painted = character.maps.get(f"{STIFFNESS_MAP}_{kind}", np.ones(count))
        found[kind] = getattr(settings, kind) * np.maximum(every, 0.0) * np.maximum(painted, 0.0)
    radius = np.maximum(bind.radius, 1e-300)
    fine = np.minimum(bind.edge_size / radius, 1.0) ** 2 * bind.firm
    has_ring = bind.edge_size > 0.0
    rings = np.stack([found["edges"] * has_ring, found["lengths"] * bind.firm, found["turns"] * bind.firm], axis=1)
    sites = np.stack([found["girth"] * fine, found["bones"] * fine, found["hold"] * fine], axis=1)
    most = np.maximum(np.concatenate([rings, sites], axis=1).sum(axis=1), 1e-300)
    scale = np.where(most > 1e6, 1e6 / most, 1.0)[:, None]  # only ratios count; large numbers would overflow
    return rings * scale, sites * scale
