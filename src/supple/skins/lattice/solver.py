"""The lattice on a device: where bones carry its nodes, and one step of the flesh around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.character.crowd import stacked
from supple.character.weights import Weights
from supple.skins.kinematic.blend import Affine, BlendArrays, BlendWeights
from supple.skins.lattice.cells import Lattice
from supple.skins.lattice.matching import Matching, Regions

_SLOWEST = 0.1  # Hz: a slower swing is none at all
_ROUNDS = 2  # Newton steps of every rotation, from where it was: their error is squared each time


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A lattice with all that the solver wants to know of its N nodes.

    `weights` are those of joints, `layers` (N,) 0 for bone, `depths` (N,) [m] how far they are from the bone through
    flesh, `surfaces` (N,) 1 at the skin to 0 at the node farthest from it.
    """

    lattice: Lattice
    weights: Weights
    layers: Ints
    depths: Floats
    surfaces: Floats

    @cached_property
    def rest_volumes(self) -> Floats:
        """What the octants of every node enclose at rest (N,) [m³]; 0 where an axis has no neighbour at all."""
        ends = (self.lattice.chains >= 0).reshape(-1, 3, 2).sum(axis=2)
        return np.asarray((0.5 * self.lattice.side * ends).prod(axis=1))

    def table(self, kind: str) -> Ints:
        """Neighbours (N, K) of a set as 8 n + 2 c + b: the node, how many coordinates differ, 1 for bone; or -1."""
        around = self.lattice.neighbors(kind)
        counts = np.diff(around.starts)
        owners = np.repeat(np.arange(len(counts)), counts)
        positions = np.arange(len(owners)) - around.starts[owners]
        cells = self.lattice.cells
        apart = (cells[owners] != cells[around.indices]).sum(axis=1)
        codes = 8 * around.indices.astype(np.int64) + 2 * apart + (self.layers[around.indices] == 0)
        table = np.full((len(counts), max(int(counts.max(initial=0)), 1)), -1, dtype=np.int32)
        table[owners, positions] = codes
        return table


@dataclass(frozen=True)
class Knobs:
    """What may be changed at any time; the last four have one number for every layer, bone first."""

    gravity: float = 0.0
    sculpted: bool = True
    reach: float = 1.0
    stretch: float = 0.5
    volume: float = 0.5
    secondary: bool = True
    stiffness: Sequence[float] = (0.0, 1.0)
    frequency: Sequence[float] = (0.0, 0.0)
    damping: Sequence[float] = (0.0, 0.0)
    kept: Sequence[float] = (0.0, 1.0)
    follow: Sequence[float] = (0.0, 0.0)

    def row(self, dt: float, *, joining: bool) -> Floats:
        """As the kernels take them, for a step of `dt` [s]."""
        return np.array(
            [dt, self.gravity, self.sculpted, self.reach, joining, self.stretch, self.volume, self.secondary],
            dtype=float,
        )

    def material(self, dt: float) -> Floats:
        """Pace, damping, share of velocity kept in a step, and following, layer by layer (L, 4)."""
        given = np.asarray(self.frequency)
        pace = 2.0 * np.pi * np.where(given < _SLOWEST, 0.0, given)
        kept = np.asarray(self.kept) ** (30.0 * dt)
        return np.stack([pace, np.asarray(self.damping), kept, np.asarray(self.follow)], axis=1)

    def shares(self) -> Floats:
        """Stiffness (L,), all divided by the largest where that is above one: what over-corrects would diverge."""
        given = np.asarray(self.stiffness, dtype=float)
        return np.asarray(given / max(1.0, float(given.max(initial=0.0))))


@dataclass(frozen=True, eq=False)
class LatticeArrays:
    """What never changes of a lattice, for all `copies` of a character together; N nodes, L layers.

    `packed` are rest positions and joints, `layers` (N,), `depths`, `volumes` and `surfaces` (N,) as `Anatomy` has
    them, `table` (N, K) the neighbours that keep their distance, `regions` those that keep their shape.
    """

    copies: int
    joints: int
    side: float
    packed: BlendWeights
    layers: Ints
    depths: Singles
    volumes: Singles
    surfaces: Singles
    table: Ints
    regions: Regions

    @classmethod
    def from_anatomy(
        cls, anatomy: Anatomy, joints: int, *, width: int = 3, neighbors: str = "all", copies: int = 1
    ) -> LatticeArrays:
        """The lattice of one character as often as there are copies, which have `joints` joints each."""
        lattice, count = anatomy.lattice, len(anatomy.lattice)
        whole = Weights(stacked(anatomy.weights.joints, copies, joints), np.tile(anatomy.weights.values, (copies, 1)))
        depths, volumes, surfaces = (
            np.tile(values, copies).astype(np.float32)
            for values in (anatomy.depths, anatomy.rest_volumes, anatomy.surfaces)
        )
        return cls(
            copies,
            joints,
            lattice.side,
            BlendWeights.from_weights(np.tile(lattice.points, (copies, 1)), whole, copies * joints),
            np.tile(anatomy.layers, copies),
            depths,
            volumes,
            surfaces,
            _raised(anatomy.table(neighbors), copies, 8 * count),
            _repeated(Regions.of(lattice.chains, width), copies),
        )

    def __len__(self) -> int:
        return len(self.layers)

    @property
    def layer_count(self) -> int:
        """How many layers there are, bone among them."""
        return int(self.layers.max(initial=0)) + 1


class Solver:
    """The nodes of one character, or of copies of it, on a device.

    `kinematic` and `frames` are where bones carry and turn nodes; `positions`, `velocities`, `before` (where bones
    carried them in the last step) and `turns` (what flesh adds to `frames`, by region) are its memory. All positions
    are seen from `origins` (copies,), which go along with the joints. `helps` is what hands do to nodes: an
    acceleration [m/s^2] and how much farther [m] than their reach they may go; zeros, unless hands write there.
    """

    def __init__(self, lattice: LatticeArrays, constants: devices.Constants) -> None:
        wp, put, blank = devices.warp(), constants.put, constants.blank
        self.device, self.copies, self.side = constants.device, lattice.copies, lattice.side
        self.count, self.each = len(lattice), len(lattice) // lattice.copies
        self._joints = lattice.joints
        self.blend = BlendArrays(lattice.packed, constants)
        self.affine = Affine(lattice.copies * lattice.joints, self.device)
        self._reals = blank(lattice.copies * lattice.joints, wp.vec4f)
        self.kinematic = self.blend.posed
        self.frames, self.rotations = (blank(self.count, wp.vec4f) for _ in range(2))
        self.positions, self.velocities, self.before, self._predicted, self._between = (
            blank(self.count, wp.vec3f) for _ in range(5)
        )
        self.origins, self.shifts = (blank(lattice.copies, wp.vec3f) for _ in range(2))
        layers = lattice.layer_count
        self.knobs = blank(8, wp.float32)
        self._material = blank((layers, 4), wp.float32)
        self._stiffness, self._swings = blank(layers, wp.float32), blank(layers, wp.vec4f)
        self.layers = put(lattice.layers, wp.int32)
        self._depths, self._volumes, self._surfaces = (
            put(values, wp.float32) for values in (lattice.depths, lattice.volumes, lattice.surfaces)
        )
        self.helps, self._pushes = blank(self.count, wp.vec4f), blank(self.count, wp.mat33f)
        self.chains, self._table = (_by_column(each, constants) for each in (lattice.regions.chains, lattice.table))
        nodes = (self.frames, self.rotations, self.layers, self._stiffness)
        self._matching = Matching(lattice.regions, lattice.side, nodes, constants=constants, rounds=_ROUNDS)
        self._swing_layers = self._layer_launch(layers)

    def _layer_launch(self, layers: int) -> devices.Launch:
        from supple.skins.lattice import kernels

        return devices.Launch(kernels.swing_layers, layers, [self.knobs, self._material, self._swings], self.device)

    def tune(self, knobs: Knobs, dt: float, *, joining: bool = False) -> None:
        """Bring knobs to the device."""
        devices.write(self.knobs, knobs.row(dt, joining=joining))
        layers = len(self._stiffness)
        devices.write(self._material, knobs.material(dt)[:layers])
        devices.write(self._stiffness, knobs.shares()[:layers])
        self._swing_layers()

    def pose(self, transforms: Floats, world_from_joint: Floats, last: Floats | None) -> Floats:
        """Take skinning transforms and joints of a pose; returns the origins (copies, 3), `last` being those before."""
        where = world_from_joint[:, :3, 3].reshape(self.copies, self._joints, 3).mean(axis=1)
        origins = where.astype(np.float32).astype(np.float64)
        seen = transforms.copy()
        seen[:, :3, 3] -= np.repeat(origins, self._joints, axis=0)
        self.affine.set(seen)
        devices.write(self.origins, origins)
        devices.write(self.shifts, np.zeros_like(origins) if last is None else origins - last)
        return origins

    def carry(self) -> list[devices.Launch]:
        """Recorded: where bones carry the nodes."""
        from supple.skins.kinematic.rotation_kernels import rotate_joints
        from supple.skins.lattice import kernels

        joints = [self.affine.matrices, self._reals]
        nodes = [*self.blend.inputs, *joints, self.kinematic, self.frames]
        return [
            devices.Launch(rotate_joints, self.copies * self._joints, joints, self.device),
            devices.Launch(kernels.carry_nodes, self.count, nodes, self.device),
        ]

    def step(
        self, *, iterations: int, secondary: bool, constraints: bool, last: Sequence[Callable[[], object]] = ()
    ) -> list[Callable[[], object]]:
        """Recorded: one step from where bones carried the nodes before to where they carry them now.

        Without `secondary` nodes only follow the bones; without `constraints` neither distances nor volumes are kept.
        `last` is done when the lattice has had its say, before it is kept.
        """
        from supple.skins.lattice import kernels

        def recorded(kernel: Any, *inputs: Any) -> devices.Launch:
            return devices.Launch(kernel, self.count, inputs, self.device)

        calls: list[Callable[[], object]] = [
            recorded(
                kernels.predict,
                self.each,
                self.knobs,
                self.shifts,
                self.layers,
                self._material,
                self._swings,
                self._depths,
                self.kinematic,
                self.frames,
                self.before,
                self.positions,
                self.velocities,
                self.helps,
                self._predicted,
            )
        ]
        if secondary:
            measure = recorded(
                kernels.measure_volumes,
                self.chains,
                self._volumes,
                self._surfaces,
                self.knobs,
                self.positions,
                self._pushes,
            )
            hold = recorded(
                kernels.hold_together,
                self.side,
                self._table.shape[0],
                self._table,
                self.chains,
                self._volumes,
                self.layers,
                self.knobs,
                self._pushes,
                self.positions,
                self._between,
            )
            held = self._between if constraints else self.positions
            matching = self._matching.launches(held, self.positions)
            calls += [*([measure, hold] if constraints else []), *matching] * iterations
            calls += last
            calls.append(
                recorded(
                    kernels.conclude,
                    self.knobs,
                    self.layers,
                    self._material,
                    self._depths,
                    self.helps,
                    self.kinematic,
                    self._predicted,
                    self.positions,
                    self.velocities,
                )
            )
        return calls

    def rest(self) -> None:
        """Put all nodes where bones carry them, at peace."""
        wp = devices.warp()
        wp.copy(self.positions, self.kinematic)
        wp.copy(self.before, self.kinematic)
        self.velocities.zero_()
        devices.write(self.rotations, np.tile([0.0, 0.0, 0.0, 1.0], (self.count, 1)))


def _repeated(regions: Regions, copies: int) -> Regions:
    return Regions(
        _raised(regions.chains, copies, len(regions.chains)),
        regions.width,
        np.tile(regions.masses, copies),
        np.tile(regions.middles, (copies, 1)),
        np.tile(regions.weights, copies),
    )


def _raised(numbers: Ints, copies: int, span: int) -> Ints:
    """Numbers of `copies` copies, those of copy c raised by c `span`; -1 stays what it is."""
    return np.where(np.tile(numbers, (copies, 1)) < 0, -1, stacked(numbers, copies, span)).astype(np.int32)


def _by_column(table: NDArray[np.int32], constants: devices.Constants) -> Any:
    """A table (N, K) as (K, N): neighbouring threads of a GPU read neighbouring numbers, those of a CPU one row."""

    def make() -> Any:
        wp = devices.warp()
        if constants.device != "cpu":
            return devices.to_device(table.T, wp.int32, constants.device)
        return devices.to_device(table, wp.int32, "cpu").transpose((1, 0))

    return constants.derive(table, "by column", make)
