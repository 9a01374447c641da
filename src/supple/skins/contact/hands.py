"""Hands on a soft character: its flesh is drawn out or dented, and its bones are led, by the forces that this takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple import device as devices
from supple.arrays import FloatArray, IntArray
from supple.character.character import Character
from supple.errors import InputError
from supple.geometry.segments import distances_to_segments
from supple.skins.contact.dynamics.device_arrays import fill_struct
from supple.skins.contact.dynamics.factor import FleshFactor
from supple.skins.contact.model.flesh import WHERE
from supple.skins.contact.model.mechanism import Mechanism
from supple.skins.contact.surface import SkinAttachment
from supple.skins.pull import Pull

if TYPE_CHECKING:
    from supple.skins.contact.binding import ContactBinding, Sag
    from supple.skins.contact.dynamics.solver import CondensedSolver

MOST = 16  # hands
Row = tuple[IntArray, FloatArray, FloatArray]
"""Nodes that a hand is felt by, with weights, and with those of their flesh."""
_FASTEST = 3.0  # sizes of the character in a second: how fast a hand draws a place to it that it does not have yet
STRONGEST = 60.0  # [m/s²]: times the mass of the character, how hard a hand pulls at most
_REACH = 0.8  # of the way to the nearest bone: how far a hand draws flesh out,
_WITHIN = 0.9  # and at most this share of how far flesh may go anywhere
_TINY = 1e-300
_SHORTEST = 1e-6  # [m]: what flesh goes anyhow
_PASSES = 2  # in which places are measured and answered
_LEAST = 1e-4  # of the largest weight: nodes with less are not held


@dataclass(frozen=True, eq=False)
class Grip:
    """Where a hand holds: the place among vertices by shares, and nodes that feel it.

    `patch` and `place` are `nodes` with `weights`, which sum to one, and with `flesh_weights`. `compliance` (3, 3)
    [m/N] is how the flesh of the place gives way to a lasting force over the patch, `reach` [m] how far it goes, where
    a thumb in the patch that is softer goes no farther than flesh there may. `bone` is the link under the place, and
    `bone_point` (3,) [m] where its bone is next to it, at rest.
    """

    pull: Pull
    patch: Row
    place: Row
    compliance: FloatArray
    reach: float
    bone: int
    bone_point: FloatArray

    @classmethod
    def from_pull(cls, pull: Pull, binding: ContactBinding, stiffness: FleshFactor | None) -> Grip:
        """Spread a hand over the skin within its radius, less towards the rim, as far as that hangs together."""
        character, attachment = binding.character, binding.attachment
        weights = np.zeros(len(character.points))
        np.add.at(weights, pull.indices, pull.barycentric)
        patch = _on_nodes(np.maximum(_falloff(pull, character), weights), attachment)
        place = _on_nodes(weights, attachment)
        nodes, _, soft = place
        free, deepest = nodes < len(binding.max_displacements), binding.max_displacements
        given = _response(patch, len(deepest), stiffness)
        compliance = np.einsum("k,kab->ab", soft[free], given[nodes[free]])
        at = pull.barycentric @ character.points[pull.indices]
        bone_point = _nearest_on_bone(at, character)
        reach = min(_REACH * float(np.linalg.norm(at - bone_point)), _WITHIN * float(soft[free] @ deepest[nodes[free]]))
        farther = np.linalg.norm(given, axis=(1, 2)).max(initial=0.0) / max(float(np.linalg.norm(compliance)), _TINY)
        links, carried = binding.mechanism.links[nodes], binding.mechanism.weights[nodes] * place[1][:, None]
        bone = int(np.bincount(links.ravel(), carried.ravel()).argmax())
        return cls(pull, patch, place, compliance, max(reach / max(farther, 1.0), _SHORTEST), bone, bone_point)

    def holds_like(self, pull: Pull) -> bool:
        """Whether a pull is this one with another target or force."""
        return (
            self.pull.radius == pull.radius
            and np.array_equal(self.pull.indices, pull.indices)
            and np.array_equal(self.pull.barycentric, pull.barycentric)
        )


def _nearest_on_bone(place: FloatArray, character: Character) -> FloatArray:
    """The point (3,) [m] of any bone that is nearest to a place."""
    bones = character.skeleton.bones
    distances, along = distances_to_segments(place[None], bones.starts, bones.ends)
    nearest = int(distances[0].argmin())
    way = float(np.clip(along[0, nearest], 0.0, 1.0))
    found: FloatArray = bones.starts[nearest] + way * (bones.ends[nearest] - bones.starts[nearest])
    return found


def _falloff(pull: Pull, character: Character) -> FloatArray:
    """How much every vertex (V,) is held: (1 - d² / r²)² of those that hang together with the place."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    points, triangles, count = character.points, character.triangles, len(character.points)
    place = pull.barycentric @ points[pull.indices]
    near = np.sum((points - place) ** 2, axis=1) / pull.radius_for(float(character.size.max())) ** 2
    within = triangles[(near[triangles] < 1.0).all(axis=1)]
    edges = (np.ones(2 * len(within)), (within[:, :2].T.ravel(), within[:, 1:].T.ravel()))
    pieces = connected_components(coo_array(edges, shape=(count, count)), directed=False)[1]
    held = np.isin(pieces, pieces[pull.indices])
    return np.where(held, np.maximum(1.0 - near, 0.0) ** 2, 0.0)


def _on_nodes(weights: FloatArray, attachment: SkinAttachment) -> Row:
    """Weights of vertices (V,) as nodes with weights, and with those by which the skin follows their flesh."""
    held = np.flatnonzero(weights)
    shares = (weights[held] / weights.sum())[:, None] * attachment.weights[held]
    corners, follow = attachment.nodes[held], attachment.follow_weights[held][:, None]
    whole = np.bincount(corners.ravel(), shares.ravel())
    soft = np.bincount(corners.ravel(), (follow * shares).ravel())
    nodes = np.flatnonzero(np.abs(whole) > _LEAST * np.abs(whole).max()).astype(np.int32)
    scale = 1.0 / whole[nodes].sum()
    return nodes, scale * whole[nodes], scale * soft[nodes]


class Hands:
    """Hands on one character, between the free step of its solver and its contacts.

    What holds a place moves it there by the end of every step, with whatever impulse that takes of flesh, bones, joints
    and muscles together, up to a largest; a force is an impulse in every step. Contacts come after: nobody is pulled
    through a wall.
    """

    def __init__(self, binding: ContactBinding, solver: CondensedSolver, sag: Sag, skin: Any) -> None:
        """`skin` are the points of the skin (V,) on the device, as the last step left them."""
        self._binding, self._solver, self._sag, self._skin = binding, solver, sag, skin
        self.forces = devices.warp().zeros(MOST, dtype=devices.warp().vec3d, device=solver.device)
        """How hard every hand pulled lately [N]; part of what the next step depends on."""
        self._grips: list[Grip] = []
        self._on_device: _HandLaunches | None = None

    def __len__(self) -> int:
        return len(self._grips)

    def hold(self, pulls: Sequence[Pull]) -> None:
        """Hold these from the next step on, and nothing else; a hand that only moves is quick."""
        if len(pulls) > MOST:
            raise InputError(WHERE, f"{len(pulls)} hands hold it", f"{MOST} can", "let go with some")
        same = len(pulls) == len(self._grips) and all(
            grip.holds_like(pull) for grip, pull in zip(self._grips, pulls, strict=True)
        )
        if not same:
            self._exchange([self._known(pull) for pull in pulls])
        if self._on_device is not None:
            self._on_device.set(pulls)

    def _known(self, pull: Pull) -> Grip:
        for grip in self._grips:
            if grip.holds_like(pull):
                return grip
        return Grip.from_pull(pull, self._binding, self._sag.factor)

    def _exchange(self, grips: list[Grip]) -> None:
        """Hold these places; hands that go on pull as they did. One that nobody knows of pulls as it is remembered."""
        if self._grips:
            old, forces = devices.to_host(self.forces).copy(), np.zeros((MOST, 3))
            for hand, grip in enumerate(grips):
                if grip in self._grips:
                    forces[hand] = old[self._grips.index(grip)]
            devices.write(self.forces, forces)
        self._grips, self._on_device = grips, None
        if grips:
            size = float(self._binding.character.size.max())
            self._on_device = _HandLaunches(grips, self._solver, self._skin, self.forces, size)

    def forget(self) -> None:
        """Hold nothing; how hard hands pulled lately stays as it is remembered, for those that hold next."""
        self._grips, self._on_device = [], None

    def apply(self) -> None:
        """After the free step was predicted: change it by what hands do."""
        if self._on_device is not None:
            self._on_device()

    @property
    def impulses(self) -> FloatArray:
        """What every hand (H, 3) [N s] gave in the last step."""
        return np.zeros((0, 3)) if self._on_device is None else self._on_device.impulses.numpy().copy()

    def node_impulses(self) -> FloatArray:
        """The same on all nodes (N, 3) [N s]."""
        found = np.zeros((len(self._binding.mechanism.rest), 3))
        for grip, impulse in zip(self._grips, self.impulses, strict=True):
            nodes, weights, _ = grip.patch
            found[nodes] += weights[:, None] * impulse
        return found


class _HandLaunches:
    """Hands that hold fixed places, on the device."""

    def __init__(self, grips: Sequence[Grip], solver: CondensedSolver, skin: Any, forces: Any, size: float) -> None:
        from supple.skins.contact import hand_kernels as kernels
        from supple.skins.contact.dynamics import node_kernels as on_nodes

        mechanism, nodes, links, device = solver.mechanism, solver.nodes, solver.links, solver.device
        count, k, pieces = len(grips), mechanism.link_count, nodes.link_pieces
        self._factor = solver.flesh_factor
        held = self._grips(grips, mechanism, device)
        system = self._system(count, k, pieces, device)
        self.impulses = system.impulses
        base = fill_struct(kernels.LinkSystem, links)
        strongest = solver.dt * STRONGEST * float(mechanism.link_masses.sum())

        def launch(kernel: Any, items: int, *inputs: Any, smallest: int = 64) -> devices.Launch:
            return devices.Launch(kernel, items, inputs, device, smallest=smallest)

        flesh, bodies = nodes.struct, links.struct
        by_link = (pieces, nodes.piece_starts, nodes.entries)
        changes = (links.velocity_changes, links.angular_velocity_changes)
        self._prepare = devices.Chain(
            [
                launch(kernels.open_grips, count, held, flesh, forces, system),
                launch(kernels.condense_grips, 2 * count * pieces, *by_link, flesh, held, system),
                launch(kernels.join_grips, 2 * count, pieces, nodes.link_groups, k, flesh, bodies, held, system),
                launch(kernels.couple_grips, 1, k, held, flesh, base, system),
            ],
            device,
        )
        self._close = launch(kernels.close_grips, count, solver.dt, system, forces)
        bounds, books = (solver.dt, strongest), links.energy_balance
        self._solve = devices.Chain(
            [
                launch(kernels.measure_grips, count, solver.dt, _FASTEST * size, held, flesh, bodies, skin, system),
                launch(kernels.solve_grips, 1, k, *bounds, held, flesh, bodies, *changes, books, system),
                launch(on_nodes.couple_flesh, nodes.free, flesh, *changes, nodes.rhs, smallest=512),
                launch(kernels.push_flesh, 1, held, system, flesh, nodes.rhs),
            ],
            device,
        )
        self._push = solver.push

    def _grips(self, grips: Sequence[Grip], mechanism: Mechanism, device: str) -> Any:
        from supple.skins.contact import hand_kernels as kernels

        wp, n = devices.warp(), mechanism.node_count

        def put(values: Any, kind: Any) -> Any:
            return devices.to_device(np.concatenate([np.asarray(one) for one in values]), kind, device)

        rows = [row for grip in grips for row in (grip.patch, grip.place)]
        held = kernels.Grips()
        held.count = len(grips)
        self._kinds = held.kinds = wp.zeros(len(grips), dtype=wp.int32, device=device)
        self._vectors = held.vectors = wp.zeros(len(grips), dtype=wp.vec3d, device=device)
        held.vertex_starts = put([_starts([grip.pull.indices for grip in grips])], wp.int32)
        held.vertices = put([grip.pull.indices for grip in grips], wp.int32)
        held.shares = put([grip.pull.barycentric for grip in grips], wp.float64)
        held.starts, held.nodes = (
            put([_starts([row[0] for row in rows])], wp.int32),
            put([r[0] for r in rows], wp.int32),
        )
        held.weights, held.flesh_weights = (put([row[side] for row in rows], wp.float64) for side in (1, 2))
        responses = [_response(row, n, self._factor) for row in rows]
        held.responses = put(responses, wp.mat33d)
        held.compliances = put([grip.compliance[None] for grip in grips], wp.mat33d)
        held.reaches = put([[grip.reach for grip in grips]], wp.float64)
        held.bones = put([[grip.bone for grip in grips]], wp.int32)
        held.bone_points = put([grip.bone_point[None] for grip in grips], wp.vec3d)
        return held

    def _system(self, count: int, links: int, pieces: int, device: str) -> Any:
        from supple.skins.contact import hand_kernels as kernels

        wp = devices.warp()
        system = kernels.GripSystem()
        for name, size, kind in (
            ("rotations", 2 * count, wp.mat33d),
            ("flesh_shares", 2 * count, wp.float64),
            ("partial_blocks", 4 * count * pieces, wp.mat33d),
            ("blocks", 4 * count * links, wp.mat33d),
            ("changes", 2 * count * links, wp.mat33d),
            ("couplings", count * count, wp.mat33d),
            ("velocities", count, wp.vec3d),
            ("residuals", count, wp.vec3d),
            ("impulses", count, wp.vec3d),
            ("increments", count, wp.vec3d),
        ):
            setattr(system, name, wp.zeros(size, dtype=kind, device=device))
        return system

    def set(self, pulls: Sequence[Pull]) -> None:
        """Where hands are now, or how hard they push."""
        devices.write(self._kinds, np.array([int(pull.to is None) for pull in pulls], dtype=np.int32))
        devices.write(self._vectors, np.array([pull.vector for pull in pulls]))

    def __call__(self) -> None:
        self._prepare()
        for _ in range(_PASSES):
            self._solve()
            self._push()
        self._close()


def _starts(rows: Sequence[IntArray]) -> IntArray:
    return np.cumsum([0, *(len(row) for row in rows)]).astype(np.int32)


def _response(row: Row, count: int, factor: FleshFactor | None) -> FloatArray:
    """Z = M~s^-1 s (n, 3, 3) [1/kg]: how flesh gives way to a force over a row, along each axis."""
    nodes, _, soft = row
    free = nodes < count
    if factor is None or not (soft[free] > 0.0).any():
        return np.zeros((count, 3, 3))
    pushed = np.zeros((count, 3, 3))
    pushed[nodes[free]] = soft[free, None, None] * np.eye(3)
    found: FloatArray = factor.solve(pushed.reshape(3 * count, 3)).reshape(count, 3, 3)
    return found
