"""The shape at which flesh settles, as the least of an energy, and the quasi-Newton method that finds it."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Floats, Ints, Singles
from supple.geometry.cholesky import Cholesky, Factor
from supple.geometry.rows import group_by_label
from supple.geometry.tetrahedra.tetrahedra import FACES
from supple.skins.position_based.constraints import Constraints, walks

_HARDEST = 0.99  # stiffness above which nothing grows harder: the method would need many more rounds
_PRESSED = 8.0  # weight of a contact; several times more made rounds restless, and what is left is parted at last
_LONGEST_MOVE = 0.5  # of an element's size, in one round
_ROUNDING = 3e-6  # of an element's size: a round that moves particles by less on the mean has learnt nothing
_LANES = 1, 256  # parts in which products of a body are added up, on a processor and on a GPU
_LANE = 4000  # elements that a thread goes through; waking another for fewer costs more than it saves
_MOST_LANES = 8
_FACTORS = 4  # of different weights that a binding keeps
_TIME = 1.0 / 60.0  # s: in this time the pull to where the bones carry the flesh forgets what `memory` allows


@dataclass(frozen=True)
class EnergyWeights:
    """How much each part of the energy counts, beside one another; see `equilibrium_kernels`."""

    volume: float
    bind: float
    stretch: float
    pull: float
    contact: float
    slack: bool

    @classmethod
    def from_stiffness(
        cls, *, volume: float, bind: float, stretch: float, memory: float, contact: float, slack: bool
    ) -> EnergyWeights:
        """Weights at which a constraint alone, against a particle of unit weight, loses a share k of its error.

        That is k / (1 - k), and half of it for an edge, which has two ends. `memory` [s] is how slowly the pull to
        where the bones carry the flesh would bring it back there.
        """
        pull = 1.0 if memory == 0.0 else 1.0 - math.exp(-_TIME / memory)
        return cls(_weight(volume), _weight(bind), 0.5 * _weight(stretch), pull, _PRESSED * contact, slack)

    def row(self) -> Floats:
        """As the kernels take them."""
        row = [self.volume, self.bind, self.stretch, self.pull, float(self.slack), self.contact]
        return np.array(row, dtype=np.float32)


def _weight(stiffness: float) -> float:
    k = min(stiffness, _HARDEST)
    return k / (1.0 - k)


@dataclass(frozen=True, eq=False)
class EquilibriumBinding:
    """What the energy knows of a body of P particles, of which there may be `copies` alike.

    `one` are the constraints of one of them. `bind_lengths` (C P,) [m] and `holds` (C P,), how firmly heavy particles
    are held where the bones carry them, are those of all; `free` are the particles of one that move at all. Elements
    (`corners`, `sizes`) and edges (`ends`, `lengths`) are in an order in which neighbours share no particle.
    """

    one: Constraints
    copies: int
    bind_lengths: Singles
    heavy: Floats
    holds: Singles
    free: Ints
    corners: Ints
    sizes: Singles
    ends: Ints
    lengths: Singles

    @classmethod
    def from_constraints(
        cls, one: Constraints, bind_lengths: Floats, inverse_masses: Floats, *, copies: int = 1
    ) -> EquilibriumBinding:
        """`inverse_masses` (P,) of one body say how freely its particles move: 0 not at all."""
        heavy = np.where(inverse_masses > 0.0, 1.0 / np.maximum(inverse_masses, 1e-9) - 1.0, 0.0)
        whole = np.zeros(len(one.points), dtype=np.int32)
        (elements, _), (edges, _) = (walks(members, whole) for members in (one.corners, one.ends))
        return cls(
            one,
            copies,
            bind_lengths.astype(np.float32),
            heavy,
            np.tile(heavy, copies).astype(np.float32),
            np.flatnonzero(inverse_masses > 0.0).astype(np.int32),
            one.corners[elements.order],
            _sizes(one)[elements.order].astype(np.float32),
            one.ends[edges.order],
            one.rest_lengths[edges.order].astype(np.float32),
        )

    @cached_property
    def _factors(self) -> OrderedDict[tuple[EnergyWeights, str], Factor]:
        return OrderedDict()

    def factor(self, weights: EnergyWeights, device: str) -> Factor:
        """The factor of the metric for some weights; the last few are kept, as states that differ by them need them."""
        key = weights, device
        known = self._factors.get(key)
        if known is None:
            matrix = _metric(self.one, weights, self.heavy)[self.free][:, self.free]
            known = self._factors[key] = Factor.from_matrix(matrix, rows=self.free, device=device)
            while len(self._factors) > _FACTORS:
                self._factors.popitem(last=False)
        return known


class Equilibrium:
    """The particles of a body on a device, and rounds that bring them to the least of its energy.

    `particles` holds position and inverse mass, `anchors` the points of the bones that particles are bound to.
    `kinematic` is where the bones alone carry the particles. `planes`, if there are any, say which of them each
    particle is held off and how firmly, a point of each and its normal. Of a crowd each body finds its own way.
    """

    def __init__(
        self,
        binding: EquilibriumBinding,
        kinematic: Any,
        constants: devices.Constants,
        *,
        planes: tuple[Any, Any, Any, Any] | None = None,
    ) -> None:
        from supple.skins.position_based import equilibrium_kernels as kernels

        wp, empty, put = devices.warp(), constants.blank, constants.put
        one, copies, device = binding.one, binding.copies, constants.device
        self.count, self.copies, self.device = len(one.points), copies, device
        self._binding, self._kinematic = binding, kinematic
        total = copies * self.count
        self.particles, self.anchors = empty(total, wp.vec4f), empty(total, wp.vec3f)
        self._around = device != "cpu"
        self._elements = constants.derive(binding.corners, "elements", lambda: _elements(binding, device))
        self._mesh = (
            constants.derive(binding.corners, "star", lambda: _star(one, device)) if self._around else self._elements
        )
        self._ties = _Structure(
            kernels.Ties(),
            anchors=self.anchors,
            lengths=put(binding.bind_lengths, wp.float32),
            kinematic=kinematic,
            holds=put(binding.holds, wp.float32),
        )
        of, firmness, points, normals = planes or _no_planes(total, copies, device)
        self._planes = _Structure(kernels.Planes(), of=of, firmness=firmness, points=points, normals=normals)
        self._threads = 1 if self._around else int(np.clip(len(one.corners) // _LANE, 1, _MOST_LANES))
        self._strain = empty(self._threads * total, wp.vec4f)
        self._weights, self._relaxing = empty(6, wp.float32), empty(6, wp.float32)
        self._weighed: EnergyWeights | None = None
        self._factor: Cholesky | None = None
        self._longest = _LONGEST_MOVE * one.size
        self._least = self.count * (_ROUNDING * one.size) ** 2
        self._lanes = _LANES[device != "cpu"]
        self._gradients, self._steps, *self._last = (empty(total, wp.vec3f) for _ in range(5))
        self._changes = [empty(3 * total, wp.vec3f) for _ in range(3)]  # of places, gradients and steps
        self._energies, self._energy = empty(total, wp.float32), empty(copies, wp.float32)
        self._newest, self._known, self._halvings = (empty(copies, wp.int32) for _ in range(3))
        self._products = [empty(copies, wp.mat33f) for _ in range(2)]
        self._shares = [empty(copies, wp.vec3f) for _ in range(2)]
        self._sums = empty(copies * self._lanes * 6, wp.vec3f)

    def weigh(self, weights: EnergyWeights) -> None:
        """Take weights for the rounds to come."""
        if weights == self._weighed:
            return
        self._weighed = weights
        devices.write(self._weights, weights.row())
        if not len(self._binding.free):
            return
        factor = self._binding.factor(weights, self.device)
        if self._factor is None:
            self._factor = Cholesky(factor, stride=self.count, copies=self.copies, device=self.device)
        else:
            self._factor.replace(factor)

    def begin(self) -> None:
        """Forget what earlier rounds have learnt of an energy that has changed since."""
        self._known.fill_(-1)
        self._newest.zero_()
        self._halvings.zero_()

    def round(self) -> list[Callable[[], object]]:
        """Recorded: one step downhill. All have been weighed before."""
        from supple.skins.position_based import equilibrium_kernels as kernels

        if self._factor is None:
            return []
        total = self.copies * self.count
        descent = [self._gradients, self._steps]
        return [
            self._straining(self._weights, None),
            self._launch(
                kernels.gradient,
                total,
                self._threads,
                self._strain,
                self.count,
                self._weights,
                self._ties.made,
                self._planes.made,
                self.particles,
                self._gradients,
                self._energies,
            ),
            self._factor.solving(*descent),
            self._launch(
                kernels.compare,
                self.copies * self._lanes,
                self._lanes,
                self.count,
                self._newest,
                self._energies,
                self.particles,
                *descent,
                *self._last,
                *self._changes,
                self._sums,
            ),
            self._launch(
                kernels.choose_direction,
                self.copies,
                self._lanes,
                self._least,
                self._sums,
                self._newest,
                self._known,
                self._halvings,
                self._energy,
                *self._products,
                *self._shares,
            ),
            self._launch(
                kernels.descend,
                total,
                self.count,
                self._longest,
                self._halvings,
                *self._shares,
                *descent,
                self._changes[0],
                self._changes[2],
                *self._last,
                self.particles,
            ),
        ]

    def relax_towards(self, volume: float, stretch: float) -> None:
        """Take how much volumes and edges, 0 to 1, count in `relaxing`."""
        devices.write(self._relaxing, np.array([volume, 0.0, stretch, 0.0, 0.0, 0.0], dtype=np.float32))

    def relaxing(self, settled: Any) -> list[Callable[[], object]]:
        """Recorded: particles that may move give way to the volumes and lengths that there are at `settled`."""
        from supple.skins.position_based import equilibrium_kernels as kernels

        inputs = [self._threads, self._strain, self.particles]
        return [
            self._straining(self._relaxing, settled),
            self._launch(kernels.give_way, self.copies * self.count, *inputs),
        ]

    def _straining(self, weights: Any, settled: Any) -> devices.Launch:
        """Recorded: what elements and edges do to particles, at rest sizes or at those that there are at `settled`."""
        from supple.skins.position_based import equilibrium_kernels as kernels

        about = [int(settled is not None), self.anchors if settled is None else settled]
        inputs = [self.count, weights, self._mesh.made, *about, self.particles, self._strain]
        if self._around:
            return self._launch(kernels.strain_around, self.copies * self.count, *inputs)
        count = self.copies * self._threads
        return devices.Launch(kernels.strain_through, count, [self._threads, *inputs], self.device, smallest=1)

    def finding_stuck(self, settled: Any, stuck: Any) -> devices.Launch:
        """Recorded: `stuck` (P,) becomes 1 at elements that are inside out at `settled`, and need not be."""
        from supple.skins.position_based import equilibrium_kernels as kernels

        inputs = [self.count, self._elements.made, self._kinematic, settled, stuck]
        return self._launch(kernels.find_stuck, self.copies * len(self._binding.one.corners), *inputs)

    def residual(self) -> float:
        """The longest gradient of the last round, after waiting for the device: how far it is from balance."""
        return float(np.linalg.norm(devices.to_host(self._gradients), axis=1).max(initial=0.0))

    def _launch(self, kernel: Any, count: int, *inputs: Any) -> devices.Launch:
        return devices.Launch(kernel, count, inputs, self.device)


class _Structure:
    """A structure of arrays for kernels, and the arrays, which the structure itself does not keep alive."""

    def __init__(self, made: Any, **arrays: Any) -> None:
        self.made, self._arrays = made, arrays
        for name, array in arrays.items():
            setattr(made, name, array)


def _put(values: Any, kind: Any, device: str) -> Any:
    return devices.to_device(values.astype(np.int32 if values.dtype.kind == "i" else np.float32), kind, device)


def _no_planes(particles: int, copies: int, device: str) -> tuple[Any, Any, Any, Any]:
    wp = devices.warp()
    positions = [wp.zeros((copies, 1), dtype=wp.vec3f, device=device) for _ in range(2)]
    none, firmness = wp.full(particles, -1, dtype=wp.int32, device=device), wp.zeros(1, dtype=wp.vec2f, device=device)
    return none, firmness, positions[0], positions[1]


def _elements(binding: EquilibriumBinding, device: str) -> _Structure:
    """All elements and edges on the device."""
    from supple.skins.position_based.equilibrium_kernels import Elements

    wp = devices.warp()
    return _Structure(
        Elements(),
        corners=_put(binding.corners, wp.vec4i, device),
        sizes=_put(binding.sizes, wp.vec2f, device),
        ends=_put(binding.ends, wp.vec2i, device),
        lengths=_put(binding.lengths, wp.float32, device),
    )


def _star(one: Constraints, device: str) -> _Structure:
    """What surrounds every particle, on the device."""
    from supple.skins.position_based.equilibrium_kernels import Star

    wp = devices.warp()
    count = len(one.points)
    starts, members = group_by_label(one.corners.reshape(-1), count)
    element, corner = members // 4, members % 4
    edge_starts, half = group_by_label(one.ends.reshape(-1), count)
    return _Structure(
        Star(),
        starts=_put(starts, wp.int32, device),
        others=_put(one.corners[element[:, None], FACES[corner]], wp.vec3i, device),
        sizes=_put(_sizes(one)[element], wp.vec2f, device),
        edge_starts=_put(edge_starts, wp.int32, device),
        far_ends=_put(one.ends[half // 2, 1 - half % 2], wp.int32, device),
        lengths=_put(one.rest_lengths[half // 2], wp.float32, device),
    )


def _sizes(one: Constraints) -> Floats:
    """Six times the volume, and one over the slope, of every element."""
    return np.stack([6.0 * one.rest_volumes, 1.0 / _slopes(_gradients(one))], axis=1)


def _gradients(one: Constraints) -> Floats:
    """Gradients (T, 4, 3) of six times the volume of every element at rest."""
    corner = one.points[one.corners]
    b, c, d = np.moveaxis(corner[:, FACES], 2, 0)
    return np.asarray(-np.cross(c - b, d - b))


def _slopes(gradients: Floats) -> Floats:
    """s = sum_j |g_j|^2 of every element."""
    return np.asarray(np.einsum("tki,tki->t", gradients, gradients))


def _metric(one: Constraints, weights: EnergyWeights, holds: Floats) -> Any:
    """A constant matrix (P, P) near the second derivatives of the energy, alike along x, y and z.

    Those of volumes couple the axes, g_i g_j^T; here they count by g_i . g_j, as if elements resisted any change.
    """
    from scipy.sparse import coo_array

    count = len(one.points)
    gradients = _gradients(one)
    pressed = (weights.volume / _slopes(gradients))[:, None, None] * np.einsum("tki,tmi->tkm", gradients, gradients)
    one_end, other_end = one.ends.T
    stretched = np.full(len(one.ends), weights.stretch)
    own = np.arange(count, dtype=np.int32)
    pieces: list[tuple[Ints, Ints, Floats]] = [
        (np.repeat(one.corners, 4, axis=1).ravel(), np.tile(one.corners, 4).ravel(), pressed.ravel()),
        (one_end, one_end, stretched),
        (other_end, other_end, stretched),
        (one_end, other_end, -stretched),
        (other_end, one_end, -stretched),
        (own, own, weights.pull + weights.bind + holds),
    ]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    return coo_array((values, (rows, columns)), shape=(count, count)).tocsr()
