"""Hands on the flesh: which of them are closed, and the launches with which they hold or push."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.errors import InputError
from supple.skins.position_based.body.tetrahedral_body import WHERE
from supple.skins.position_based.handles.grip import MOST_VERTICES, Grip, Gripping
from supple.skins.pull import Pull, match_hands

if TYPE_CHECKING:
    from supple.skins.position_based.skin import PositionBased
    from supple.skins.position_based.state import FleshState

HANDLES = 8  # at once
_LONGEST = 0.25  # of the body's longest side: how far a place can be drawn from where it would be
_HARDEST = 1.0e4  # m/s^2: about a thousand times gravity
_FAR = 1.0e9  # m: what no hand has
_NOBODY, _NOTHING = np.empty(0, dtype=np.int32), np.empty(0)


@dataclass
class HandleMemory:
    """What hands remember (H,), on the device: how far each draws flesh, and what it has not caught up with yet.

    `vertices` are the first of those that each holds, or held last, -1 for a hand that never held any; `holding` is 1
    while it does.
    """

    vertices: IntArray
    holding: IntArray
    rotations: Any
    displacements: Any
    velocities: Any
    lags: Any
    lag_velocities: Any
    seen_targets: Any
    seen_places: Any
    wanted: Any

    @classmethod
    def open(cls, constants: devices.Constants) -> HandleMemory:
        """All hands open, and the skin at rest."""
        wp = devices.warp()
        rotations = devices.to_device(np.tile([0.0, 0.0, 0.0, 1.0], (HANDLES, 1)), wp.quatf, constants.device)
        vectors = (constants.blank(HANDLES, wp.vec3f) for _ in range(7))
        vertices = np.full(HANDLES, -1, dtype=np.int32)
        return cls(vertices, np.zeros_like(vertices), rotations, *vectors)

    def forget(self, handles: IntArray) -> None:
        """Let the skin be where it would be without these hands."""
        for array in (self.displacements, self.velocities, self.wanted):
            kept = devices.to_host(array).copy()
            kept[handles] = 0.0
            devices.write(array, kept)


class Handles:
    """Up to eight hands on a body on its device; a hand that is told to go elsewhere keeps its grip."""

    def __init__(self, state: FleshState, memory: HandleMemory) -> None:
        wp, blank = devices.warp(), state.binding.constants.blank
        from supple.skins.position_based.handles import kernels

        self._kernels, self._state, self._memory = kernels, state, memory
        self._gripping = Gripping(state.binding)
        self._longest = _LONGEST * self._gripping.size
        self._pulls: list[Pull | None] = [None] * HANDLES
        self._grips: list[Grip | None] = [None] * HANDLES
        self._opened = [0] * HANDLES
        self._calls = 0
        self._recalled = False
        self._vertex_distances = blank(state.surface.count, kernels.vec8)
        self._particle_distances = blank(state.count, kernels.vec8)
        looseness = np.tile(self._gripping.looseness, state.binding.copies)
        self._looseness = devices.to_device(looseness.astype(np.float32), wp.float32, state.device)
        self._drawn = blank(state.count, wp.vec3f)
        self._fresh = blank(HANDLES, wp.int32)
        self._parameters = blank(2, wp.float32)
        slots = HANDLES * MOST_VERTICES
        self._places = devices.fill_struct(
            kernels.Places(),
            kinds=blank(HANDLES, wp.int32),
            vertex_starts=blank(HANDLES + 1, wp.int32),
            vertices=blank(slots, wp.int32),
            barycentric=blank(slots, wp.float32),
            particle_starts=blank(HANDLES + 1, wp.int32),
            particles=blank(slots, wp.int32),
            weights=blank(slots, wp.float32),
            radii=blank(HANDLES, wp.float32),
            targets=blank(HANDLES, wp.vec3f),
            accelerations=blank(HANDLES, wp.vec3f),
        )
        self._motion = devices.fill_struct(
            kernels.HandleMotion(),
            displacements=memory.displacements,
            velocities=memory.velocities,
            lags=memory.lags,
            lag_velocities=memory.lag_velocities,
            seen_targets=memory.seen_targets,
            seen_places=memory.seen_places,
            rotations=memory.rotations,
            wanted=memory.wanted,
            radii=blank(HANDLES, wp.float32),
            coupling=blank((HANDLES, HANDLES), wp.float32),
        )

    def tune(self, skin: PositionBased) -> None:
        """Take settings that may change at any time."""
        devices.write(self._parameters, np.array([2.0 * np.pi * skin.swing.frequency, skin.swing.damping]))

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Hold these places and no others; a place that was held already stays in the same hand."""
        if len(pulls) > HANDLES:
            raise InputError(WHERE, f"{len(pulls)} hands pull", f"there are {HANDLES} hands", "let go of some")
        grips = {id(pull): self._gripping.grip(pull) for pull in pulls if not self._is_held(pull)}  # may refuse
        self._calls += 1
        fresh = np.zeros(HANDLES, dtype=np.int32)
        kept, new = match_hands(self._pulls, pulls)
        for pull in new:
            handle = self._free_handle(pull, kept)
            kept[handle], self._grips[handle] = pull, grips[id(pull)]
            fresh[handle] = not self._goes_on(handle, pull)
        for handle, (before, after) in enumerate(zip(self._pulls, kept, strict=True)):
            if before is not None and after is None:
                self._opened[handle] = self._calls
        changed = bool(new) or any((a is None) != (b is None) for a, b in zip(self._pulls, kept, strict=True))
        self._pulls = kept
        self._remember([handle for handle in range(HANDLES) if self._grips[handle] is not None])
        if changed:
            self._write_grips()
        self._write_vectors()
        if fresh.any():
            self._close(fresh)

    def recall(self) -> None:
        """Take what the memory says; grips that it does not speak of are lost."""
        lost = [
            handle
            for handle, grip in enumerate(self._grips)
            if grip is not None and grip.vertices[0] != self._memory.vertices[handle]
        ]
        for handle in lost:
            self._pulls[handle] = self._grips[handle] = None
        if lost:
            self._write_grips()
        self._recalled = True

    def begin_step(self) -> None:
        """Hear that a step begins: what a memory knew of and nobody took hold of again is over."""
        if self._recalled:
            self._recalled = False
            lost = [n for n, grip in enumerate(self._grips) if grip is None and self._memory.vertices[n] >= 0]
            if lost:
                self._memory.forget(np.array(lost, dtype=np.int32))
            self._remember(range(HANDLES))

    def couple(self) -> devices.Calls:
        """Recorded: how wide grips are in this step, and how far each of their places goes along with other hands."""
        inputs = [self._gripping.widest, self._vertex_distances, self._places, self._motion]
        return [self._by_handle(self._kernels.couple_handles, *inputs)]

    def draw(self) -> devices.Calls:
        """Recorded: flesh goes along with its hands, until `undraw`."""
        inputs = [self._places, self._particle_distances, self._looseness, self._motion, self._drawn]
        return [self._by_particle(self._kernels.draw_particles, *inputs, self._state.recipe.particles)]

    def undraw(self) -> devices.Calls:
        """Recorded: what hands do to flesh is taken from it, and what it does by itself is left."""
        return [self._by_particle(self._kernels.undraw_particles, self._drawn, self._state.recipe.particles)]

    def finish(self) -> devices.Calls:
        """Recorded: hands see where the skin has come to by itself, and bring it to where they are."""
        kernels, state = self._kernels, self._state
        skin, places, motion = state.surface.points, self._places, self._motion
        swing = [state.params, self._parameters, state.angular_frequencies, state.rotations]
        drawn = [self._vertex_distances, motion, skin]
        return [
            self._by_handle(kernels.move_handles, self._longest, *swing, skin, places, motion),
            devices.Launch(kernels.solve_displacements, 1, [self._longest, state.params, places, motion], state.device),
            devices.Launch(kernels.draw_skin, state.surface.count, drawn, state.device),
        ]

    def read_drawn(self, drawn: Any) -> devices.Launch:
        """Recorded: `drawn` (V,) [m] becomes how far hands draw every vertex."""
        inputs = [self._vertex_distances, self._motion, drawn]
        return devices.Launch(self._kernels.read_drawn, self._state.surface.count, inputs, self._state.device)

    def _by_particle(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, self._state.count, inputs, self._state.device)

    def _by_handle(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, HANDLES, inputs, self._state.device)

    def _is_held(self, pull: Pull) -> bool:
        return any(held is not None and pull.same_place(held) for held in self._pulls)

    def _free_handle(self, pull: Pull, kept: list[Pull | None]) -> int:
        """The open hand that remembers this place, or one that never held anything, or was opened longest ago."""
        free = [handle for handle in range(HANDLES) if kept[handle] is None]
        remembered = [handle for handle in free if self._memory.vertices[handle] == pull.indices[0]]
        return remembered[0] if remembered else min(free, key=lambda handle: self._opened[handle])

    def _close(self, fresh: IntArray) -> None:
        """Find the places of hands that have just closed where they are now."""
        for call in self.couple():
            call()
        devices.write(self._fresh, fresh)
        inputs = [self._fresh, self._state.surface.points, self._places, self._motion]
        self._by_handle(self._kernels.close_handles, *inputs)()

    def _goes_on(self, handle: int, pull: Pull) -> bool:
        """Whether a hand closes that a memory, which was just recalled, knows as closed there."""
        memory = self._memory
        return self._recalled and memory.holding[handle] == 1 and memory.vertices[handle] == pull.indices[0]

    def _remember(self, handles: Iterable[int]) -> None:
        for handle in handles:
            grip = self._grips[handle]
            self._memory.vertices[handle] = -1 if grip is None else grip.vertices[0]
            self._memory.holding[handle] = self._pulls[handle] is not None

    def _write_grips(self) -> None:
        """Bring to the device what is held, and how far all is from there."""
        kernels, places = self._kernels, self._places
        kinds, radii = np.zeros(HANDLES, dtype=np.int32), np.ones(HANDLES)
        vertices = np.full((self._state.surface.count, HANDLES), _FAR, dtype=np.float32)
        particles = np.full((self._state.count, HANDLES), _FAR, dtype=np.float32)
        for handle, (pull, grip) in enumerate(zip(self._pulls, self._grips, strict=True)):
            if pull is not None:
                kinds[handle] = int(kernels.PUSHES if pull.to is None else kernels.HOLDS)
            if grip is not None:
                radii[handle] = grip.radius
                _write_column(vertices, grip.first_vertex, grip.vertex_distances, handle)
                _write_column(particles, grip.first_particle, grip.particle_distances, handle)
        devices.write(places.kinds, kinds)
        devices.write(places.radii, radii)
        devices.write(self._vertex_distances, vertices)
        devices.write(self._particle_distances, particles)
        grips = self._grips
        _write_rows(
            (places.vertex_starts, places.vertices, places.barycentric),
            [(_NOBODY, _NOTHING) if grip is None else (grip.vertices, grip.barycentric) for grip in grips],
        )
        _write_rows(
            (places.particle_starts, places.particles, places.weights),
            [(_NOBODY, _NOTHING) if grip is None else (grip.particles, grip.weights) for grip in grips],
        )

    def _write_vectors(self) -> None:
        """Where hands are wanted [m], and how they accelerate what goes along with them [m/s^2]."""
        targets, accelerations = np.zeros((HANDLES, 3)), np.zeros((HANDLES, 3))
        for handle, (pull, grip) in enumerate(zip(self._pulls, self._grips, strict=True)):
            if pull is not None and grip is not None:
                if pull.to is not None:
                    targets[handle] = pull.vector
                else:
                    push = pull.vector / grip.mass
                    accelerations[handle] = push * min(1.0, _HARDEST / max(float(np.linalg.norm(push)), 1.0e-12))
        devices.write(self._places.targets, targets)
        devices.write(self._places.accelerations, accelerations)


def _write_column(table: Any, first: int, distances: FloatArray, handle: int) -> None:
    table[first : first + len(distances), handle] = np.minimum(distances, _FAR)


def _write_rows(arrays: tuple[Any, Any, Any], rows: list[tuple[IntArray, FloatArray]]) -> None:
    """Write rows of numbers and weights one after another into arrays of fixed length: starts, numbers, weights."""
    starts, numbers, weights = arrays
    flat, values = np.zeros(len(numbers), dtype=np.int32), np.zeros(len(weights))
    ends = np.cumsum([0, *(len(row) for row, _ in rows)])
    flat[: ends[-1]] = np.concatenate([row for row, _ in rows])
    values[: ends[-1]] = np.concatenate([weight for _, weight in rows])
    devices.write(starts, ends.astype(np.int32))
    devices.write(numbers, flat)
    devices.write(weights, values)
