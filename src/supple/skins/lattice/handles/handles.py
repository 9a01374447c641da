"""Hands on the lattice: which nodes each grips, and the launches with which they hold or push."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray, digest_of
from supple.character.weighting.tissue import STAIRS
from supple.errors import InputError
from supple.skins.lattice.handles.memory import HANDLES, HandleMemory
from supple.skins.lattice.voxelize.cells import WHERE, Lattice
from supple.skins.lattice.voxelize.embedding import Embedding
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.lattice.shape_matching.solver import Solver
    from supple.skins.lattice.surface import Surface

_VERTICES = 64  # among which the place of one hand may lie
_LONGEST = 0.5  # of the body's longest side: how far flesh can be drawn from where the bones carry it
_HALF_BONE = 0.5  # where less of a place hangs on flesh than this, it comes only a part of the way
_ALONE = 0.05  # hands whose places differ less than this share are one hand
_ROOM = 1.25  # flesh round a place may go this much farther than the place: it does not move as one
_SMALLEST = 1.5  # voxels: a smaller grip would tear at single nodes
_HARDEST = 1.0e4  # m/s^2: about a thousand times gravity
_NOBODY, _NOTHING = np.empty(0, dtype=np.int32), np.empty(0)


@dataclass(frozen=True, eq=False)
class Grip:
    """One hand's grip: the nodes on which its place hangs with their weights, and how firmly (0 to 1) it has others.

    `nodes` and `held` count through all copies of a crowd, `copy` is the one. `flesh` is the share of the place that
    hangs on flesh; the rest is bone, and stays. `pushes` says that it pushes rather than holds.
    """

    nodes: IntArray
    weights: FloatArray
    held: IntArray
    falloff: FloatArray
    flesh: float
    copy: int
    pushes: bool


class HandleBinding:
    """Where hands can grip one body.

    `embedding` is how its skin hangs on the lattice, `soft` (N,) which nodes can move.
    """

    def __init__(self, lattice: Lattice, embedding: Embedding, points: FloatArray, soft: Any) -> None:
        self._lattice, self._embedding, self._points, self._soft = lattice, embedding, points, soft
        self.size = float(np.ptp(points, axis=0).max())

    def grip(self, pull: Pull) -> Grip:
        """What a hand takes hold of, by the way through flesh at rest: nothing that only lies close by.

        With d the distance [m] from the place, straight where that way is open, and r the radius, a node is held by
        (1 - d^2 / r^2)^2, times what makes it one for the place itself; bone is not held.
        """
        from scipy.sparse.csgraph import dijkstra

        lattice, count = self._lattice, len(self._points)
        if len(pull.indices) > _VERTICES:
            raise InputError(
                WHERE,
                f"a pull names {len(pull.indices)} vertices",
                f"it can hold {_VERTICES} at once",
                "name a few, and let the radius do the rest",
            )
        copies, vertices = np.divmod(pull.indices, count)
        if len(set(copies.tolist())) > 1:
            raise InputError(
                WHERE, "a pull names vertices of several characters", "a hand holds one of a crowd", "use more hands"
            )
        spread = pull.barycentric[:, None] * self._embedding.weights[vertices]
        nodes, index = np.unique(self._embedding.nodes[vertices], return_inverse=True)
        weights: FloatArray = np.bincount(index.ravel(), spread.ravel(), len(nodes)).astype(np.float64)
        nodes, weights = nodes[weights > 0.0], weights[weights > 0.0]
        radius = max(pull.radius_for(self.size), _SMALLEST * lattice.side)
        straight = np.linalg.norm(lattice.points - pull.barycentric @ self._points[vertices], axis=1)
        limit = STAIRS * radius / lattice.side + 2.0
        path = lattice.side * np.asarray(dijkstra(lattice.graph, indices=nodes, min_only=True, limit=limit))
        away = straight + np.maximum(path - STAIRS * straight - lattice.side, 0.0)
        bump = np.maximum(1.0 - (away / radius) ** 2, 0.0) ** 2
        bump /= weights @ bump[nodes]
        falloff = np.where(self._soft, bump, 0.0)
        held, first = np.flatnonzero(falloff > 0.0), int(copies[0]) * len(lattice)
        return Grip(
            (nodes + first).astype(np.int32),
            weights,
            (held + first).astype(np.int32),
            falloff[held],
            float(weights @ falloff[nodes]),
            int(copies[0]),
            pull.to is None,
        )


class Handles:
    """Up to eight hands on a lattice on its device; a hand that is told to go elsewhere keeps its grip."""

    def __init__(self, binding: HandleBinding, solver: Solver, surface: Surface, memory: HandleMemory) -> None:
        from supple.skins.lattice.handles import kernels

        wp, device, most = devices.warp(), solver.device, HANDLES
        self._kernels = kernels
        self._binding, self._solver, self._surface, self._memory = binding, solver, surface, memory
        self._longest = _LONGEST * binding.size
        self._pulls: dict[int, Pull] = {}
        self._grips: dict[int, Grip] = {}
        self._known: dict[int, Grip] = {}
        self._copy_of = np.zeros(most, dtype=np.int32)
        self._falloffs = wp.zeros(solver.count, dtype=kernels.vec8, device=device)
        self._inverse = wp.zeros((most, most), dtype=wp.float32, device=device)
        self._uncorrected = wp.zeros_like(surface.points)
        self._arrays = self._allocate(surface.embedding_width)

    def _allocate(self, width: int) -> Any:
        """All hands as kernels take them, on `width` nodes for every vertex."""
        wp, device, most = devices.warp(), self._solver.device, HANDLES
        nodes, vertices = most * _VERTICES * width, most * _VERTICES
        layout = (
            ("kinds events copies", wp.int32, most),
            ("starts vertex_starts", wp.int32, most + 1),
            ("nodes", wp.int32, nodes),
            ("weights", wp.float32, nodes),
            ("vertices", wp.int32, vertices),
            ("barycentric", wp.float32, vertices),
            ("targets moves forces positions residuals", wp.vec3f, most),
            ("reach_factors max_offsets", wp.float32, most),
        )
        arrays = self._kernels.HandleArrays()
        for names, kind, length in layout:
            for name in names.split():
                setattr(arrays, name, wp.zeros(length, dtype=kind, device=device))
        for name in ("lags", "velocities", "offsets", "homes", "carried"):
            setattr(arrays, name, getattr(self._memory, name))
        return arrays

    def hold(self, pulls: Sequence[Pull], origins: FloatArray) -> None:
        """Hold these places and no others, as seen from the origins (copies, 3) [m] of the last step.

        A place that was held in the last step stays in the same hand.
        """
        from supple.skins import hand_kernels as events

        if len(pulls) > HANDLES:
            raise InputError(WHERE, f"{len(pulls)} hands pull", f"there are {HANDLES} hands", "let go of some")
        memory, keys = self._memory, [_key_of(pull) for pull in pulls]
        hands = _assign_hands(keys, memory.keys)
        known = {hand for hand, key in zip(hands, keys, strict=True) if memory.keys[hand] == key}
        gripped = {key: self._known.get(key) or self._binding.grip(pull) for key, pull in zip(keys, pulls, strict=True)}
        grips = {hand: gripped[key] for hand, key in zip(hands, keys, strict=True)}
        changed = grips != self._grips
        self._pulls, self._grips, self._known = dict(zip(hands, pulls, strict=True)), grips, gripped
        fresh = np.array([hand in grips and hand not in known for hand in range(HANDLES)], dtype=np.int32)
        for hand, pull, key in zip(hands, pulls, keys, strict=True):
            move = pull.vector - memory.goals[hand]
            if fresh[hand]:
                memory.keys[hand], memory.events[hand], memory.moves[hand] = key, events.CLOSED, 0.0
            elif move.any():
                memory.events[hand] = memory.events[hand] or events.MOVED
                memory.moves[hand] += move
            memory.goals[hand] = pull.vector
        if changed:
            self._write_grips()
        self._write_forces()
        if fresh.any():
            self._close(fresh, origins)

    def _close(self, fresh: IntArray, origins: FloatArray) -> None:
        """Let hands (H,) that are `fresh` be where their places are."""
        flesh, wp = self._solver, devices.warp()
        devices.write(self._arrays.targets, self._memory.goals - origins[self._copy_of])
        closing = devices.to_device(fresh, wp.int32, flesh.device)
        seen = [flesh.origins, flesh.positions, flesh.kinematic, self._surface.points]
        self._by_handle(self._kernels.close_handles, closing, *seen, self._arrays)()

    def forget(self) -> None:
        """Hold nothing for the moment; whoever holds a place that the memory knows goes on holding it."""
        self._pulls, self._grips = {}, {}
        self._write_grips()

    def grip_again(self, binding: HandleBinding) -> None:
        """Hold the same places on a body that was divided anew."""
        self._binding = binding
        self._grips = {handle: binding.grip(pull) for handle, pull in self._pulls.items()}
        self._known = {_key_of(self._pulls[handle]): grip for handle, grip in self._grips.items()}
        self._write_grips()
        self._write_forces()

    def set_origins(self, origins: FloatArray) -> None:
        """Tell the hands where they are wanted, as seen from the origins (copies, 3) [m] of this step."""
        from supple.skins.hand_kernels import UNCHANGED

        memory = self._memory
        memory.keys[[hand for hand in range(HANDLES) if hand not in self._grips]] = 0
        if self._grips:
            devices.write(self._arrays.targets, memory.goals - origins[self._copy_of])
            devices.write(self._arrays.moves, memory.moves)
            devices.write(self._arrays.events, memory.events)
        memory.moves[...], memory.events[...] = 0.0, UNCHANGED

    def move(self) -> list[Callable[[], object]]:
        """Recorded: hands move, and nodes learn what they do to them."""
        kernels, flesh, arrays = self._kernels, self._solver, self._arrays
        return [
            self._by_handle(
                kernels.move_handles, flesh.parameters, self._longest, flesh.shifts, flesh.kinematic, arrays
            ),
            self._by_node(kernels.apply_handle_forces, flesh.parameters, arrays, self._falloffs, flesh.external),
        ]

    def project(self) -> list[Callable[[], object]]:
        """Recorded: held places are brought to their hands."""
        kernels, flesh, arrays = self._kernels, self._solver, self._arrays
        nodes = [self._inverse, flesh.layers, self._falloffs, arrays, flesh.positions]
        return [
            self._by_handle(kernels.compute_handle_residuals, flesh.positions, arrays),
            self._by_node(kernels.project_handles, *nodes),
        ]

    def add_forces(self, mass: float, forces: Any) -> devices.Launch:
        """Recorded: the forces of hands on nodes of some `mass` [kg] are added to `forces` (N,) on the device."""
        flesh = self._solver
        held = [self._inverse, flesh.layers, self._falloffs, self._arrays]
        return self._by_node(self._kernels.add_handle_forces, mass, flesh.parameters, *held, forces)

    def finish(self, keep_volume: Callable[[], object] | None) -> list[Callable[[], object]]:
        """Recorded: hands see where the skin has come to, whose volume is kept only while nobody draws flesh out."""
        if keep_volume is None:
            return [self._update_offsets()]
        wp, kernels, flesh, skin = devices.warp(), self._kernels, self._solver, self._surface.points
        blend = [flesh.parameters, self._arrays, self._memory.volume_blend]
        blended = [self._memory.volume_blend, self._uncorrected, skin]
        return [
            devices.Launch(kernels.update_volume_blend, 1, blend, flesh.device),
            lambda: wp.copy(self._uncorrected, skin),
            keep_volume,
            devices.Launch(kernels.blend_volume, len(skin), blended, flesh.device),
            self._update_offsets(),
        ]

    def _update_offsets(self) -> devices.Launch:
        flesh = self._solver
        seen = [flesh.origins, flesh.positions, self._surface.points]
        return self._by_handle(self._kernels.update_handle_offsets, *seen, self._arrays)

    def _by_node(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, self._solver.count, inputs, self._solver.device)

    def _by_handle(self, kernel: Any, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, HANDLES, inputs, self._solver.device)

    def _write_grips(self) -> None:
        """Bring to the device which nodes are held, and what brings all held places to their hands at once."""
        most, holds, pushes = HANDLES, self._kernels.HOLDS, self._kernels.PUSHES
        kinds = np.zeros(most, dtype=np.int32)
        self._copy_of = np.zeros(most, dtype=np.int32)
        falloff = np.zeros((self._solver.count, most), dtype=np.float32)
        coupling, reach_factors = np.zeros((most, most)), np.zeros(most)
        for handle, grip in self._grips.items():
            kinds[handle] = pushes if grip.pushes else holds
            self._copy_of[handle] = grip.copy
            falloff[grip.held, handle] = grip.falloff
        for handle, grip in self._grips.items():
            if grip.pushes:
                continue
            stretch = grip.flesh / max(grip.flesh, _HALF_BONE) ** 2
            reach_factors[handle] = _ROOM * stretch
            if stretch > 0.0:
                coupling[handle] = (
                    grip.weights @ np.where(kinds == holds, falloff[grip.nodes], 0.0) / (grip.flesh * stretch)
                )
        devices.write(self._inverse, np.linalg.pinv(coupling, rcond=_ALONE))
        devices.write(self._arrays.reach_factors, reach_factors)
        devices.write(self._arrays.kinds, kinds)
        devices.write(self._arrays.copies, self._copy_of)
        devices.write(self._falloffs, falloff)
        nodes = [self._grips[handle].nodes if handle in self._grips else _NOBODY for handle in range(most)]
        weights = [self._grips[handle].weights if handle in self._grips else _NOTHING for handle in range(most)]
        vertices = [self._pulls[handle].indices if handle in self._pulls else _NOBODY for handle in range(most)]
        barycentric = [self._pulls[handle].barycentric if handle in self._pulls else _NOTHING for handle in range(most)]
        _write_rows(self._arrays.starts, self._arrays.nodes, self._arrays.weights, nodes, weights)
        _write_rows(self._arrays.vertex_starts, self._arrays.vertices, self._arrays.barycentric, vertices, barycentric)

    def _write_forces(self) -> None:
        """What a force does to a node that is held fully [m/s^2]: it is shared by the mass of all that is held.

        Bone takes its share of a force that pushes at it: flesh a hand's breadth off does not feel a pushed elbow.
        """
        forces = np.zeros((HANDLES, 3))
        for handle, grip in self._grips.items():
            if grip.pushes:
                mass = self._solver.node_mass * max(float(grip.falloff.sum()), 1.0)
                push = grip.flesh * self._memory.goals[handle] / mass
                forces[handle] = push * min(1.0, _HARDEST / max(float(np.linalg.norm(push)), 1.0e-12))
        devices.write(self._arrays.forces, forces)


def _key_of(pull: Pull) -> int:
    """Tells places apart: not zero, and the same for a pull with another target or force."""
    kind = np.array([pull.to is None, pull.radius or 0.0])
    digest = digest_of([("kind", kind), ("vertices", pull.indices), ("shares", pull.barycentric)])
    return int.from_bytes(digest[:8], "little", signed=True) or 1


def _assign_hands(keys: Sequence[int], known: NDArray[np.int64]) -> list[int]:
    """Which hand takes which place: the one that holds it already, else one that holds none of them."""
    free = list(range(len(known)))
    hands: list[int | None] = []
    for key in keys:
        hands.append(next((hand for hand in free if known[hand] == key), None))
        if hands[-1] is not None:
            free.remove(hands[-1])
    free.sort(key=lambda hand: bool(known[hand]))
    return [free.pop(0) if hand is None else hand for hand in hands]


def _write_rows(starts: Any, numbers: Any, weights: Any, rows: list[IntArray], row_weights: list[FloatArray]) -> None:
    """Write rows of numbers and weights one after another into arrays of fixed length."""
    flat, values = np.zeros(len(numbers), dtype=np.int32), np.zeros(len(weights))
    ends = np.cumsum([0, *(len(row) for row in rows)])
    flat[: ends[-1]], values[: ends[-1]] = np.concatenate(rows), np.concatenate(row_weights)
    devices.write(starts, ends.astype(np.int32))
    devices.write(numbers, flat)
    devices.write(weights, values)
