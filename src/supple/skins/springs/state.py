"""Everything that moves: a posed skeleton as attached skin sees it, and springs in a pose.

Each state owns the arrays that change, and the launches that are recorded over them; `step` says in which order they
run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray
from supple.character.morph_targets import MorphTargets
from supple.skins.springs.attachment.packed import USUAL, AttachmentOptions, PackedAttachment
from supple.skins.springs.attachment.weights import control_positions
from supple.skins.springs.balance import BalanceSolver
from supple.skins.springs.binding import EDIT_PREFIX, AttachedSkin, SpringBinding, is_held
from supple.skins.springs.edit_pulls import EditPulls
from supple.skins.springs.groups import record_posing

if TYPE_CHECKING:
    from supple.skins.springs.incremental_rotation import IncrementalRotation
    from supple.skins.springs.settings import Stiffness
    from supple.skins.springs.spring_rig import SpringRig

_MEASURED = {"movement": 1, "force": 2}
_MOST_RUNS = 8  # lengths of runs that are kept


def as_rows(vectors: FloatArray) -> FloatArray:
    """Vectors (N, 3) with a fourth number (N, 4), which is nothing: so they are read at once."""
    return np.pad(vectors, ((0, 0), (0, 1)))


class AttachedState:
    """The posed skeleton as attached vertices see it, and the skin `posed` (V,) that incremental rotation makes of it.

    `attachment_points` (V,) and `scale_vectors` (V,) are posed, `control_positions` are the posed ends of all segments,
    `directions` the posed unit vectors along them. Without `tune` it has the usual options, all of the correction and
    no squash, which is what springs aim at.
    """

    def __init__(self, binding: AttachedSkin, *, options: AttachmentOptions = USUAL, edits_hold: bool = False) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.binding, self.segments, self.device = binding, binding.segments, binding.constants.device
        self.count, size = len(binding), len(binding.segments)
        ends = control_positions(self.segments.starts, self.segments.ends)
        self.control_positions = self._own(as_rows(ends), wp.vec4f)
        self._rest_positions = wp.clone(self.control_positions)
        self.directions = self._own(self.segments.directions, wp.vec3f)
        self.rotations = self._own(np.tile([0.0, 0.0, 0.0, 1.0], (size, 1)), wp.quatf)
        self.stretches = self._own(np.tile(np.eye(3), (size, 1, 1)), wp.mat33f)
        self.flags = blank(1, wp.int32)
        self.attachment_points, self.scale_vectors, self.posed = (blank(self.count, wp.vec3f) for _ in range(3))
        self.rest_vectors, self._rest = blank(self.count, wp.vec3f), blank(self.count, wp.vec3f)
        self.edit_offsets, self.posed_edit_offsets = blank(self.count, wp.vec3f), blank(self.count, wp.vec3f)
        self._parameters = self._own(np.ones(1), wp.float32)
        self.length_ratios, self.is_stretched = np.ones(size), False
        self.squash = 0.0
        self._tuned_for: IncrementalRotation | None = None
        self._edits_hold = edits_hold
        self.shapes: MorphTargets
        self._attach(binding.pack(options))

    def tune(self, skin: IncrementalRotation) -> None:
        """Take the settings that may change at any time."""
        if skin is self._tuned_for:
            return
        self._tuned_for = skin
        self.squash = skin.squash
        devices.write(self._parameters, np.array([skin.correction]))
        packed = self.binding.pack(skin.options, self.packed)
        if packed.options != self.packed.options:
            self._attach(packed)

    def reshape(self, binding: AttachedSkin) -> None:
        """Go on with a binding whose character has other shapes or maps."""
        known, self.binding = self.binding, binding
        if binding.usual is known.usual:
            self.exchange_shapes()
        elif self.packed is known.usual:
            self._attach(binding.usual)
        else:
            self._attach(binding.pack(self.packed.options))

    def exchange_shapes(self) -> None:
        """Take the shapes of the binding's character, which may have been exchanged."""
        if self.is_morphed:
            self.shapes.exchange(self.own_shapes)
        else:
            self.shapes = MorphTargets(self.packed.rest_vectors, self.own_shapes)

    @property
    def own_shapes(self) -> Mapping[str, FloatArray]:
        """Shapes that change scale vectors: all of them, or those of edits that hold nothing."""
        character = self.binding.character
        if not self._edits_hold:
            return character.shapes
        return {name: offsets for name, offsets in character.shapes.items() if not is_held(character, name)}

    def _attach(self, packed: PackedAttachment) -> None:
        """Hang vertices where `packed` has them."""
        self.packed, self.is_morphed = packed, False
        self.shapes = MorphTargets(packed.rest_vectors, self.own_shapes)
        self.rest_points = self.binding.character.points
        devices.write(self.rest_vectors, packed.rest_vectors)
        self.owners = packed.constants.put(packed.owners, devices.warp().int32)
        self.pairs = self._make_pairs()
        self._record()
        self.measure_distances()

    def _own(self, array: Any, dtype: Any) -> Any:
        return devices.to_device(array.astype(np.float32), dtype, self.device)

    def _make_pairs(self) -> Any:
        from supple.skins.springs.kernels import incremental as kernels

        wp, packed = devices.warp(), self.packed
        put, blank, count = packed.constants.put, packed.constants.blank, len(packed.one)
        pairs = kernels.Pairs()
        pairs.blocks = len(packed.pairs) // max(self.count, 1)
        pairs.indices, pairs.weights = put(packed.pairs, wp.vec4i), put(packed.pair_weights, wp.vec4f)
        pairs.others = put(packed.other, wp.int32)
        pairs.rotations, pairs.insides = blank(count, wp.vec4f), blank(count, wp.vec4f)
        pairs.stretches = blank(count, wp.mat33f)
        pairs.chained, pairs.distances = put(packed.chained, wp.float32), blank(len(packed.pairs), wp.vec4f)
        return pairs

    def _record(self) -> None:
        from supple.skins.springs.kernels import incremental as kernels

        wp, packed, size = devices.warp(), self.packed, len(self.segments)
        put = packed.constants.put
        self.posing = posing = devices.fill_struct(
            kernels.Posing(),
            control_blocks=len(packed.control_points) // max(self.count, 1),
            control_points=put(packed.control_points, wp.vec4i),
            control_weights=put(packed.control_weights, wp.vec4f),
            size=size,
            positions=self.control_positions,
            rest_vectors=self.rest_vectors,
            segments=self.owners,
            pairs=self.pairs,
            rotations=self.rotations,
            stretches=self.stretches,
            flags=self.flags,
            parameters=self._parameters,
            attachment_points=self.attachment_points,
            scale_vectors=self.scale_vectors,
            posed=self.posed,
        )
        self.pose_skin = record_posing(posing, self.count, self.device)
        carried = [self.edit_offsets, posing, self.posed_edit_offsets]
        self.rotate_edit_offsets = self._launch(kernels.rotate_vectors, carried)
        measured = [self._rest, self._rest_positions, posing]
        self._measure_distances = self._launch(kernels.measure_distances, measured)

    def _launch(self, kernel: Any, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self.count, inputs, self.device)

    def measure_distances(self) -> None:
        """Measure how far the rest points are from their segments; what `restore_distances` restores."""
        devices.write(self._rest, self.rest_points)
        self._measure_distances()


class Sweeps:
    """Two turns, each of a few launches, back and forth between two buffers; on a GPU a whole run is one graph."""

    def __init__(self, turns: Sequence[Sequence[Callable[[], object]]], device: str) -> None:
        self._turns, self._device = turns, device
        self._runs: dict[int, devices.Chain] = {}

    def run(self, count: int) -> None:
        """Run `count` sweeps, the first one out of the first buffer."""
        if count not in self._runs:
            if len(self._runs) >= _MOST_RUNS:
                self._runs.clear()
            launches = [launch for done in range(count) for launch in self._turns[done % 2]]
            self._runs[count] = devices.Chain(launches, self._device)
        self._runs[count]()


class Springs:
    """The springs of one character in a pose, with the two buffers `points` and `polars` that sweeps work on."""

    def __init__(self, binding: SpringBinding) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.binding, self.device = binding, binding.constants.device
        self.attached = attached = AttachedState(binding.attached_skin, edits_hold=True)
        self.count = count = attached.count
        self.points = [blank(count, wp.vec3f) for _ in range(2)]
        self.polars = [blank(count, wp.vec4f) for _ in range(2)]
        self.residuals, self._energies = blank(count, wp.float32), blank(count, wp.float32)
        self.aims, self.edges = blank(count, wp.vec4f), blank(len(binding.around.indices), wp.vec3f)
        self.rest_edges, self.edge_components = wp.zeros_like(self.edges), blank(len(self.edges), wp.vec2f)
        self.length_ratios = wp.ones(len(attached.segments), dtype=wp.float32, device=self.device)
        self.ring_stiffness, self.bone_stiffness = blank(count, wp.vec3f), blank(count, wp.vec3f)
        self.edge_stiffness = wp.zeros_like(self.edges)
        self.is_stretched = False
        self.rest_shapes: dict[str, float] | None = {}
        self._components_of: Any = None
        self.morphed_points = attached.rest_points
        self._forces: tuple[Any, list[devices.Launch]] | None = None
        self.all = self._gather()
        self._record()

    @property
    def morph_targets(self) -> set[str]:
        """Shapes that change the rest which springs know; edits do not."""
        return {name for name in self.attached.binding.character.shapes if not name.startswith(EDIT_PREFIX)}

    def tune(self, stiffness: Stiffness) -> None:
        """Make the springs this stiff."""
        self.tuned = self.binding.tune(stiffness)
        lengths = self.binding.attached_skin.usual.rest_lengths
        shorter = np.minimum(lengths[self.binding.owners], lengths[self.binding.around.indices])
        scale = np.stack([np.ones_like(shorter), np.ones_like(shorter), shorter**2], axis=1)
        devices.write(self.edge_stiffness, self.tuned.edges * scale)
        devices.write(self.ring_stiffness, self.tuned.ring)
        devices.write(self.bone_stiffness, self.tuned.bone)
        devices.write(self.all.freedom, self.binding.freedom)
        self.edit_pulls = EditPulls(self)

    def reshape(self, binding: SpringBinding) -> bool:
        """Go on with a binding of other shapes and maps; says whether it can, which other attachments do not let it."""
        if binding.attached_skin.usual is not self.binding.attached_skin.usual:
            return False
        self.binding = binding
        self.attached.reshape(binding.attached_skin)
        self.edit_pulls = EditPulls(self)
        if self.rest_shapes:
            self.rest_shapes = None  # measured anew in the next pose
        return True

    def measure_components(self) -> None:
        """Know the parts of edges along and across bones, with the morph targets that are on."""
        if self._components_of is not self.morphed_points:
            self._components_of = self.morphed_points
            devices.write(self.edge_components, self.binding.edge_components_of(self._components_of))

    def _gather(self) -> Any:
        """All that pulls at a vertex, as kernels take it."""
        from supple.skins.springs.kernels import energy

        wp, put, around = devices.warp(), self.binding.constants.put, self.binding.around
        springs = energy.Springs()
        springs.starts, springs.others = put(around.starts, wp.int32), put(around.indices, wp.int32)
        springs.edges, springs.aims = self.edges, self.aims
        springs.ring_stiffness, springs.bone_stiffness = self.ring_stiffness, self.bone_stiffness
        springs.edge_stiffness = self.edge_stiffness
        lengths = self.binding.attached_skin.usual.rest_lengths
        springs.rest_lengths = self.binding.constants.derive(
            lengths, wp.float32, lambda: devices.to_device(lengths.astype(np.float32), wp.float32, self.device)
        )
        springs.attachment_points, springs.segments = self.attached.attachment_points, self.attached.owners
        springs.bone_directions = self.attached.directions
        blank = self.binding.constants.blank
        springs.bone_angles, springs.targets = blank(self.count, wp.vec2f), blank(self.count, wp.vec3f)
        springs.holds, springs.edit_rooms = blank(self.count, wp.float32), blank(self.count, wp.float32)
        springs.anchors = wp.ones(self.count, dtype=wp.float32, device=self.device)
        springs.freedom = wp.ones(self.count, dtype=wp.float32, device=self.device)
        return springs

    def _record(self) -> None:
        from supple.skins.springs.kernels import energy
        from supple.skins.springs.kernels import springs as kernels

        wp, put, attached = devices.warp(), self.binding.constants.put, self.attached
        fallback, firm = put(self.binding.fallback, wp.vec3f), put(self.binding.firm, wp.int32)
        grown = [attached.rest_vectors, attached.scale_vectors, attached.posed]
        stretched = [self.length_ratios, *grown, self.edge_components, self.all]
        self._aim: tuple[Any, devices.Launch] | None = None
        self.stretch_edges = self._launch(kernels.stretch_edges, stretched)
        self._fallback = fallback
        self.measure_rest = self._launch(kernels.measure_rest, [self.points[0], self.polars[0], firm, self.all])
        measured = [self.all, self.points[0], self.polars[0], self._energies]
        self._measure_energies = self._launch(energy.measure_energies, measured)
        self.begin_at_aim = self.begin(None)
        self.set_targets = self._launch(kernels.set_targets, [self.all, attached.posed_edit_offsets])

    def _launch(self, kernel: Any, inputs: list[Any]) -> devices.Launch:
        return devices.Launch(kernel, self.count, inputs, self.device)

    def aim_at(self, shape: Any) -> None:
        """Let springs to the bone draw towards a shape; without one, towards that of the usual incremental rotation."""
        from supple.skins.springs.kernels import springs as kernels

        wanted = self.attached.posed if shape is None else shape
        if self._aim is None or self._aim[0] is not wanted:
            inputs = [wanted, self.attached.attachment_points, self._fallback, self.aims]
            self._aim = wanted, self._launch(kernels.aim, inputs)
        self._aim[1]()

    def begin(self, start: Any) -> devices.Launch:
        """The launch that puts a shape into the buffers, at rest; without one, that of the skin that springs aim at."""
        from supple.skins.springs.kernels import springs as kernels

        shape = self.attached.posed if start is None else start
        return self._launch(kernels.begin, [shape, self.all, *self.points, self.polars[0]])

    def sweeps(self, parameters: Any) -> list[devices.Launch]:
        """Sweeps that bring the shape in the buffers to rest: out of the first one, and out of the second."""
        from supple.skins.springs.kernels import springs as kernels

        rows = [[self.all, parameters, *self.buffers(source), self.residuals] for source in range(2)]
        return [self._launch(kernels.sweep, row) for row in rows]

    def buffers(self, source: int) -> list[Any]:
        """Points and polars to sweep from, and those to sweep to."""
        return [self.points[source], self.polars[source], self.points[1 - source], self.polars[1 - source]]

    def max_residual(self) -> float:
        """How far the vertex that moved most went in the last sweep [m], or was pulled, per unit of stiffness."""
        return float(devices.to_host(self.residuals).max(initial=0.0))

    def forces(self, source: int) -> Any:
        """The sum of all pulls (V,) in the shape of a buffer, on the device, in units of stiffness times metres."""
        from supple.skins.springs.kernels import energy

        if self._forces is None:
            found = self.binding.constants.blank(self.count, devices.warp().vec3f)
            rows = [[self.all, self.points[one], self.polars[one], found] for one in range(2)]
            self._forces = found, [self._launch(energy.measure_forces, row) for row in rows]
        self._forces[1][source]()
        return self._forces[0]

    def energy(self) -> float:
        """All springs' energy in the shape of the first buffer."""
        self._measure_energies()
        return float(devices.to_host(self._energies).sum(dtype=np.float64))


class RigState:
    """Springs, the sweeps recorded over them, and the skin `posed` that they leave; `sweeps_done` in the last frame."""

    def __init__(self, binding: SpringBinding, settings: SpringRig) -> None:
        wp, blank = devices.warp(), binding.constants.blank
        self.springs = Springs(binding)
        self._parameters = blank(3, wp.float32)
        self.sweeps = Sweeps([[sweep] for sweep in self.springs.sweeps(self._parameters)], self.springs.device)
        self.posed = blank(self.springs.count, wp.vec3f)
        self.sweeps_done = 0
        self._balance: BalanceSolver | None = None
        self._begin: tuple[Any, devices.Launch] | None = None
        self._tuned_for: SpringRig | None = None
        self.tune(settings)

    def tune(self, skin: SpringRig) -> None:
        """Take the settings that may change at any time."""
        if skin is self._tuned_for:
            return
        if self._tuned_for is None or skin.stiffness != self._tuned_for.stiffness:
            self._balance = None
            self.springs.tune(skin.stiffness)
        self._tuned_for = skin
        devices.write(self._parameters, np.array([skin.step_scale, skin.momentum, _MEASURED.get(skin.until, 0)]))

    def reshape(self, binding: SpringBinding) -> bool:
        """Go on with a binding of other shapes and maps; says whether it can."""
        if not binding.is_painted_like(self.springs.binding):
            self._tuned_for = None
        return self.springs.reshape(binding)

    @property
    def balance(self) -> BalanceSolver:
        """What finds the balance of the springs as they are tuned."""
        if self._balance is None:
            self._balance = BalanceSolver(self.springs)
        return self._balance

    def begin(self, incoming: Any) -> None:
        """Put the incoming shape into the buffers."""
        if self._begin is None or self._begin[0] is not incoming:
            self._begin = incoming, self.springs.begin(incoming)
        self._begin[1]()
