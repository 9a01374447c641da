"""Everything that moves: a posed skeleton as attached skin sees it, springs in a pose, and what springs remember.

Each state owns the arrays that change, and the launches that are recorded over them; `step` says in which order they
run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.character.morph_targets import MorphTargets
from supple.skins.springs.attachment.weights import control_positions
from supple.skins.springs.binding import EDIT_PREFIX, AttachedSkin, DynamicsBinding, SpringBinding

if TYPE_CHECKING:
    from supple.skins.springs.spring_dynamics import SpringDynamics
    from supple.skins.springs.spring_rig import SpringRig

_MEASURED = {"movement": 1, "force": 2}
_AIM_CORRECTION = 1.0  # springs aim at incremental rotation with all of its correction
_MOMENTUM = 0.9  # of relaxing sweeps in time


class AttachedState:
    """The posed skeleton as attached vertices see it, and the skin `posed` (V,) that incremental rotation makes of it.

    `attachment_points` (V,) and `scale_vectors` (V,) are posed, `control_positions` are the posed ends of all segments,
    `directions` the posed unit vectors along them.
    """

    def __init__(self, binding: AttachedSkin, *, correction: float) -> None:
        wp, put, blank = devices.warp(), binding.constants.put, binding.constants.blank
        self.binding, self.segments, self.device = binding, binding.segments, binding.constants.device
        self.count, size = len(binding), len(binding.segments)

        def own(array: Any, dtype: Any) -> Any:
            return devices.to_device(array.astype(np.float32), dtype, self.device)

        self.shapes = MorphTargets(binding.rest_vectors, binding.character.shapes)
        self.rest_points, self.rest_vectors = binding.character.points, own(binding.rest_vectors, wp.vec3f)
        self.owners = put(binding.owners, wp.int32)
        self.control_positions = own(control_positions(self.segments.starts, self.segments.ends), wp.vec3f)
        self.directions = own(self.segments.directions, wp.vec3f)
        self.rotations, self.stretches = (own(np.tile(np.eye(3), (size, 1, 1)), wp.mat33f) for _ in range(2))
        self.flags = blank(1, wp.int32)
        self.pairs = self._make_pairs()
        self.attachment_points, self.scale_vectors, self.posed = (blank(self.count, wp.vec3f) for _ in range(3))
        self.length_ratios, self.is_stretched = np.ones(size), False
        self._rest, self._distances = own(self.rest_points, wp.vec3f), blank(self.count, wp.float32)
        self._record(correction)
        self.measure_distances()

    def _make_pairs(self) -> Any:
        from supple.skins.springs.kernels import incremental as kernels

        wp, binding = devices.warp(), self.binding
        put, blank, count = binding.constants.put, binding.constants.blank, len(binding.one)
        pairs = kernels.Pairs()
        pairs.blocks = len(binding.pairs) // max(self.count, 1)
        pairs.indices, pairs.weights = put(binding.pairs, wp.vec4i), put(binding.pair_weights, wp.vec4f)
        pairs.rotations, pairs.insides = blank(count, wp.vec3f), blank(count, wp.vec3f)
        pairs.stretches = blank(count, wp.mat33f)
        return pairs

    def _record(self, correction: float) -> None:
        from supple.skins.springs.kernels import incremental as kernels

        wp, put, size = devices.warp(), self.binding.constants.put, len(self.segments)
        blended = [
            len(self.binding.control_points) // max(self.count, 1),
            put(self.binding.control_points, wp.vec4i),
            put(self.binding.control_weights, wp.vec4f),
            self.control_positions,
            self.attachment_points,
        ]
        rotated = [
            self.rest_vectors,
            self.owners,
            self.pairs,
            self.rotations,
            self.stretches,
            self.flags,
            self.scale_vectors,
        ]
        measured = [self._rest, self.owners, size, wp.clone(self.control_positions), self._distances]
        restored = [
            self.attachment_points,
            self.scale_vectors,
            self.rest_vectors,
            self.owners,
            self.pairs,
            size,
            self.control_positions,
            self._distances,
            correction,
            self.posed,
        ]
        self.move_attachment_points = self._launch(kernels.move_attachment_points, blended)
        self.rotate_scale_vectors = self._launch(kernels.rotate_scale_vectors, rotated)
        self._measure_distances = self._launch(kernels.measure_distances, measured)
        self.restore_distances = self._launch(kernels.restore_distances, restored)

    def _launch(self, kernel: Any, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self.count, inputs, self.device)

    def measure_distances(self) -> None:
        """Measure how far the rest points are from their segments; what `restore_distances` restores."""
        devices.write(self._rest, self.rest_points)
        self._measure_distances()


class Sweeps:
    """Two launches by turns, back and forth between two buffers; on a GPU a whole run of them is one graph."""

    def __init__(self, launches: list[devices.Launch], device: str) -> None:
        self._launches, self._device = launches, device
        self._runs: dict[int, devices.Chain] = {}

    def run(self, count: int) -> None:
        """Run `count` sweeps, the first one out of the first buffer."""
        if count not in self._runs:
            launches = [self._launches[done % 2] for done in range(count)]
            self._runs[count] = devices.Chain(launches, self._device)
        self._runs[count]()


class Springs:
    """The springs of one character in a pose, with the two buffers `points` and `polars` that sweeps work on."""

    def __init__(self, binding: SpringBinding) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.binding, self.device = binding, binding.constants.device
        self.attached = attached = AttachedState(binding.attached_skin, correction=_AIM_CORRECTION)
        self.count = count = attached.count
        self.points = [blank(count, wp.vec3f) for _ in range(2)]
        self.polars = [blank(count, wp.vec4f) for _ in range(2)]
        self.residuals, self._energies = blank(count, wp.float32), blank(count, wp.float32)
        self.aims, self.edges = blank(count, wp.vec4f), blank(len(binding.others), wp.vec3f)
        self.rest_edges = blank(len(binding.others), wp.vec3f)
        self.edge_components = devices.to_device(binding.edge_components, wp.vec2f, self.device)
        self.length_ratios = wp.ones(len(attached.segments), dtype=wp.float32, device=self.device)
        self.is_stretched = False
        character = binding.attached_skin.character
        self.morph_targets = {name for name in character.shapes if not name.startswith(EDIT_PREFIX)}
        self.rest_shapes: dict[str, float] = {}
        self.all = self._gather()
        self._record()

    def _gather(self) -> Any:
        """All that pulls at a vertex, as kernels take it."""
        from supple.skins.springs.kernels import springs as kernels

        wp, put, binding = devices.warp(), self.binding.constants.put, self.binding
        springs = kernels.Springs()
        springs.starts, springs.others = put(binding.starts, wp.int32), put(binding.others, wp.int32)
        springs.edges, springs.aims = self.edges, self.aims
        springs.ring_stiffness = put(binding.ring_stiffness, wp.vec3f)
        springs.bone_stiffness = put(binding.bone_stiffness, wp.vec3f)
        springs.attachment_points, springs.segments = self.attached.attachment_points, self.attached.owners
        springs.bone_directions = self.attached.directions
        springs.bone_angles = binding.constants.blank(self.count, wp.vec2f)
        return springs

    def _record(self) -> None:
        from supple.skins.springs.kernels import springs as kernels

        wp, put, attached = devices.warp(), self.binding.constants.put, self.attached
        fallback, firm = put(self.binding.fallback, wp.vec3f), put(self.binding.firm, wp.int32)
        stretched = [self.length_ratios, attached.rest_vectors, attached.scale_vectors, self.edge_components, self.all]
        self.aim = self._launch(kernels.aim, [attached.posed, attached.attachment_points, fallback, self.aims])
        self.stretch_edges = self._launch(kernels.stretch_edges, stretched)
        self.measure_rest = self._launch(kernels.measure_rest, [self.points[0], self.polars[0], firm, self.all])
        measured = [self.all, self.points[0], self.polars[0], self._energies]
        self._measure_energies = self._launch(kernels.measure_energies, measured)
        self.begin_at_aim = self.begin(None)

    def _launch(self, kernel: Any, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self.count, inputs, self.device)

    def begin(self, start: Any) -> devices.Launch:
        """The launch that puts a shape into the buffers, at rest; without one, that of the skin that springs aim at."""
        from supple.skins.springs.kernels import springs as kernels

        shape = self.attached.posed if start is None else start
        return self._launch(kernels.begin, [shape, self.all, *self.points, self.polars[0]])

    def sweeps(self, step_scale: float, momentum: float, *, measured: str = "") -> Sweeps:
        """Sweeps that bring the shape in the buffers to rest; they may measure "movement" or "force"."""
        from supple.skins.springs.kernels import springs as kernels

        what = _MEASURED.get(measured, 0)
        rows = [[self.all, step_scale, momentum, what, *self.buffers(source), self.residuals] for source in range(2)]
        return Sweeps([self._launch(kernels.sweep, row) for row in rows], self.device)

    def buffers(self, source: int) -> list[Any]:
        """Points and polars to sweep from, and those to sweep to."""
        return [self.points[source], self.polars[source], self.points[1 - source], self.polars[1 - source]]

    def max_residual(self) -> float:
        """How far the vertex that moved most went in the last sweep [m], or was pulled, per unit of stiffness."""
        return float(devices.to_host(self.residuals).max(initial=0.0))

    def energy(self) -> float:
        """All springs' energy in the shape of the first buffer."""
        self._measure_energies()
        return float(devices.to_host(self._energies).sum(dtype=np.float64))


class RigState:
    """Springs, the sweeps recorded over them, and the skin `posed` that they leave; `sweeps_done` in the last frame."""

    def __init__(self, binding: SpringBinding, settings: SpringRig) -> None:
        self.springs = Springs(binding)
        self.sweeps = self.springs.sweeps(settings.step_scale, settings.momentum, measured=settings.until)
        self.posed = binding.constants.blank(self.springs.count, devices.warp().vec3f)
        self.sweeps_done = 0
        self._begin: tuple[Any, devices.Launch] | None = None

    def begin(self, incoming: Any) -> None:
        """Put the incoming shape into the buffers."""
        if self._begin is None or self._begin[0] is not incoming:
            self._begin = incoming, self.springs.begin(incoming)
        self._begin[1]()


@dataclass
class SpringMemory:
    """The skin as it is, its velocity as seen from the bones, and where the bones were and went."""

    points: Any
    velocities: Any
    attached: Any
    aims: Any
    drifts: Any


class DynamicsState:
    """Springs in time: what they remember, and the launches of one step."""

    def __init__(self, binding: DynamicsBinding, settings: SpringDynamics) -> None:
        wp, blank = devices.warp(), binding.springs.constants.blank
        self.springs, self._binding, self._settings = Springs(binding.springs), binding, settings
        count = self.springs.count
        points, velocities, attached, drifts = (blank(count, wp.vec3f) for _ in range(4))
        self.memory = SpringMemory(points, velocities, attached, blank(count, wp.vec4f), drifts)
        self.carry = self._record_carry()
        self.sweeps = self.relaxing_sweeps() if settings.speed == 0.0 else self._record_integration()

    @property
    def points(self) -> Any:
        """The skin as it is, on the device."""
        return self.memory.points

    def recall(self) -> None:
        """Nothing but its memory depends on the past."""

    def relaxing_sweeps(self) -> Sweeps:
        """Sweeps without any velocity."""
        return self.springs.sweeps(math.inf, _MOMENTUM)

    def _record_carry(self) -> devices.Launch:
        from supple.skins.springs.kernels import springs as kernels

        springs, settings = self.springs, self._settings
        memory = kernels.Memory()
        for name, array in vars(self.memory).items():
            setattr(memory, name, array)
        looseness = springs.binding.constants.put(self._binding.looseness, devices.warp().float32)
        inertia = settings.inertia if settings.speed > 0.0 else 0.0
        inputs = [springs.all, looseness, settings.step, inertia, memory, *springs.points, springs.polars[0]]
        return devices.Launch(kernels.carry, springs.count, inputs, springs.device)

    def _record_integration(self) -> Sweeps:
        from supple.skins.springs.kernels import springs as kernels

        springs, settings, wp = self.springs, self._settings, devices.warp()
        dt = settings.step / settings.iterations
        put = springs.binding.constants.put
        rates, max_offsets = put(self._binding.rates, wp.float32), put(self._binding.max_offsets, wp.float32)
        fixed = [springs.all, rates, max_offsets, dt, math.exp(-settings.damping * dt), self.memory.velocities]
        rows = [[*fixed, *springs.buffers(source)] for source in range(2)]
        launches = [devices.Launch(kernels.integrate, springs.count, row, springs.device) for row in rows]
        return Sweeps(launches, springs.device)
