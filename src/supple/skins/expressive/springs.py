"""Springs over one skin on one device: what they are at bind, and sweeps that bring a shape to rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats
from supple.character.character import Character
from supple.geometry.rotations import normalised
from supple.geometry.topology import Neighbours, neighbours
from supple.motion.pose import Pose
from supple.settings import Settings, setting
from supple.skins.expressive.attachment import METHODS
from supple.skins.expressive.hanging import PREFIX, Hanging
from supple.skins.expressive.incremental_rotation import IncrementalRotation, Increments
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters
from supple.skins.skin import Skin

CHECK = 10  # sweeps between two looks at how far the shape still moves; even, so that buffers are back in place
STIFFNESS_MAP = "stiffness"
KINDS = ("edges", "lengths", "turns", "girth", "bones", "hold")
_BASES: dict[str, Callable[[], Skin]] = {
    "incremental": IncrementalRotation,
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

    def first_stage(self) -> Skin:
        """The skin that comes first."""
        return _BASES[self.base]()


class Springs:
    """The springs of one character at bind, with the buffers that sweeps work on."""

    def __init__(self, character: Character, settings: SpringSettings, *, device: str) -> None:
        wp = devices.warp()
        self._aimed_at = Increments(character, IncrementalRotation(binding=settings.binding), device=device)
        self.hanging = hanging = self._aimed_at.hanging
        self.device, self.count = device, hanging.count
        around = neighbours(character.triangles, self.count)
        bind = _Bind(character.points, around, hanging)
        rings, sites = _stiffness(character, settings, bind)

        def put(array: Any, dtype: Any) -> Any:
            return devices.to_device(np.asarray(array), dtype, device)

        def empty(dtype: Any) -> Any:
            return wp.zeros(self.count, dtype=dtype, device=device)

        total, coupling = rings.sum(axis=1) + sites.sum(axis=1), 0.55 * (rings[:, 0] + rings[:, 2])
        # A ring of springs of stiffness k acts like k edge^2 / 8 times the Laplacian, so waves run at
        # rate edge sqrt(coupling / 8 total); skin pulled along itself feels about half of edges and turns.
        self.answer = np.sqrt(8.0 * total / np.where(coupling > 0.0, coupling, np.inf))
        self.edge_size, self.rest_lengths = bind.edge_size, hanging.rest_lengths
        self.noise = float(((rings.sum(axis=1) + sites.sum(axis=1)) * (_ROUNDING * bind.edge_size) ** 2).sum())
        self._starts, self._others = put(around.starts, wp.int32), put(around.indices, wp.int32)
        self._edges = wp.zeros(len(around.indices), dtype=wp.vec3f, device=device)
        bone_angles = empty(wp.vec2f)
        self._halves, self._halves_of = put(bind.halves(character.points).astype(np.float32), wp.vec2f), bind.halves
        self.aims = empty(wp.vec4f)
        self._ratios = wp.ones(len(hanging.segments), dtype=wp.float32, device=device)
        self.springs = [
            self._starts, self._others, self._edges, put(rings.astype(np.float32), wp.vec3f),
            put(sites.astype(np.float32), wp.vec3f), self.aims, hanging.segment, hanging.directions,
            bone_angles,
        ]  # fmt: skip
        self.points = [empty(wp.vec3f) for _ in range(2)]
        self.polars = [empty(wp.vec4f) for _ in range(2)]
        self.moves, self._energy = empty(wp.float32), empty(wp.float32)
        self._stretched = False
        self._rest, self._rest_shapes = character.skeleton.world_from_joint, dict[str, float]()
        self._targets = {name for name in character.shapes if not name.startswith(PREFIX)}
        self._record(put(bind.fallback.astype(np.float32), wp.vec3f), put(bind.firm.astype(np.int32), wp.int32),
                     bone_angles)  # fmt: skip
        self._measure_rest()

    def _record(self, fallback: Any, firm: Any, bone_angles: Any) -> None:
        from supple.skins.expressive import spring_kernels as kernels

        lengths = [
            self._starts, self._others, self.hanging.segment, self._ratios, self.hanging.vectors, self.hanging.turned,
            self._halves, self._edges,
        ]  # fmt: skip
        rest = [
            self.points[0], self.polars[0], self._starts, self._others, self.hanging.segment, self.hanging.directions,
            firm, self._edges, bone_angles,
        ]  # fmt: skip
        aimed = [self._aimed_at.posed, self.hanging.attached, fallback, self.aims]
        self._aim = devices.Launch(kernels.aim, self.count, aimed, self.device)
        self._grow = devices.Launch(kernels.edge_lengths, self.count, lengths, self.device)
        self._begin_at_rest = self.starting_from(self._aimed_at.posed)
        self._bind = devices.Launch(kernels.bind, self.count, rest, self.device)
        measured = [*self.springs, self.points[0], self.polars[0], self._energy]
        self._measure = devices.Launch(kernels.energies, self.count, measured, self.device)

    def _measure_rest(self) -> None:
        """Measure lengths and angles in the rest pose."""
        self._aimed_at.run(Pose(self._rest, shapes=self._rest_shapes))
        self._aim()
        self._begin_at_rest()
        self._bind()

    def _set_targets(self, pose: Pose) -> None:
        """Morph targets change the rest that springs know, so that they come out whole; edits are wishes and do not."""
        wanted = {name: share for name, share in pose.shapes.items() if share != 0.0 and name in self._targets}
        if wanted == self._rest_shapes:
            return
        self._rest_shapes = wanted
        self._measure_rest()
        devices.write(self._halves, self._halves_of(self.hanging.shaped_points))

    def launches(self, pace: float, swing: float, *, measured: str = "") -> list[devices.Launch]:
        """The two sweeps that go back and forth between the buffers; they may measure "movement" or "force"."""
        from supple.skins.expressive import spring_kernels as kernels

        found = []
        for turn in range(2):
            buffers = [self.points[turn], self.polars[turn], self.points[1 - turn], self.polars[1 - turn], self.moves]
            inputs = [*self.springs, self.hanging.attached, pace, swing, _MEASURED.get(measured, 0), *buffers]
            found.append(devices.Launch(kernels.sweep, self.count, inputs, self.device))
        return found

    def starting_from(self, start: Any) -> devices.Launch:
        """The launch that puts a shape into the buffers, at rest."""
        from supple.skins.expressive import spring_kernels as kernels

        inputs = [start, self.hanging.attached, self.aims, *self.points, self.polars[0]]
        return devices.Launch(kernels.begin, self.count, inputs, self.device)

    def set(self, pose: Pose) -> None:
        """Take a pose: where attachment points are, and what lengths and directions springs want."""
        self._set_targets(pose)
        self._aimed_at.run(pose)
        self._aim()
        ratios = self.hanging.length_ratios
        stretched = bool(np.abs(ratios - 1.0).max() > 1e-6) or self.hanging.stretched
        if stretched or self._stretched:
            devices.write(self._ratios, ratios)
            self._grow()
        self._stretched = stretched

    def largest_move(self) -> float:
        """How far the vertex that moved most went in the last sweep [m], or was pulled, per unit of stiffness."""
        return float(devices.to_host(self.moves).max(initial=0.0))

    def energy(self) -> float:
        """All springs' energy in the shape of the first buffer."""
        self._measure()
        return float(devices.to_host(self._energy).sum(dtype=np.float64))


class _Bind:
    """What is measured of the rest shape on the host.

    `edge_size` and `radius` (V,) [m] are the mean edge of a vertex and its distance from its attachment point, `firm`
    (V,) marks vertices that have a direction from the bone, `fallback` (V, 3) are directions, and stand in where there
    is none.
    """

    def __init__(self, points: Floats, around: Neighbours, hanging: Hanging) -> None:
        self._owner = np.repeat(np.arange(len(points)), np.diff(around.starts)).astype(np.int32)
        self._other = around.indices
        self._bone = hanging.segments.directions[hanging.owners]
        self.edge_size = _ring_mean(np.linalg.norm(self._ways(points), axis=1), around)
        self.radius = hanging.rest_lengths
        self.firm = hanging.rest_lengths > _ON_SKELETON * np.maximum(self.edge_size, 1e-300)
        self.fallback = np.where(self.firm[:, None], normalised(hanging.rest_vectors), [0.0, 1.0, 0.0])

    def _ways(self, points: Floats) -> Floats:
        ways: Floats = points[self._other] - points[self._owner]
        return ways

    def halves(self, points: Floats) -> Floats:
        """The parts (E, 2) [m] of directed edges along and across the bone."""
        ways = self._ways(points)
        along = np.abs(np.einsum("ei,ei->e", ways, self._bone[self._owner]))
        return np.stack([along, np.sqrt(np.maximum(np.einsum("ei,ei->e", ways, ways) - along**2, 0.0))], axis=1)


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
