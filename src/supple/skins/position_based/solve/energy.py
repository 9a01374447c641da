"""The energy whose least is the shape at which flesh settles: its weights, its elements, and its preconditioner."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple import device as devices
from supple.arrays import Float32Array, FloatArray, IntArray
from supple.geometry.cholesky import Factor
from supple.geometry.rows import group_by_label
from supple.geometry.tetrahedra.tetrahedra import FACES
from supple.skins.position_based.body.constraints import Constraints
from supple.skins.position_based.solve.schedule import slab_schedules
from supple.skins.position_based.solve.strips import Strips

_HARDEST = 0.99  # stiffness above which nothing grows harder: the method would need many more rounds
_PRESSED = 8.0  # weight of a contact; several times more made rounds restless, and what is left is parted at last
_FACTORS = 4  # of different weights that a binding keeps
_ELEMENTS = 5000  # up to which the weights of single particles count as they are
_TIME = 1.0 / 60.0  # s: in this time the pull to where the bones carry the flesh forgets what `correction_time` allows


@dataclass(frozen=True)
class EnergyWeights:
    """How much each part of the energy counts, beside one another; see `energy_kernels`."""

    volume: float
    bind: float
    stretch: float
    pull: float
    contact: float
    one_sided: bool

    @classmethod
    def from_stiffness(
        cls, *, volume: float, bind: float, stretch: float, correction_time: float, contact: float, one_sided: bool
    ) -> EnergyWeights:
        """Weights at which a constraint alone, against a particle of unit weight, loses a share k of its error.

        That is k / (1 - k), and half of it for an edge, which has two ends. `correction_time` [s] is how slowly the
        pull to where the bones carry the flesh would bring it back there.
        """
        pull = 1.0 if correction_time == 0.0 else 1.0 - math.exp(-_TIME / correction_time)
        return cls(_weight(volume), _weight(bind), 0.5 * _weight(stretch), pull, _PRESSED * contact, one_sided)

    def for_elements(self, count: int) -> EnergyWeights:
        """Those of a body of so many elements: a finer one is as soft.

        With elements of size h, what volumes and edges store for a strain grows as 1 / h, what single particles store
        for a distance as 1 / h³: these count by h². Coarser ones stay as they are, for more would hold them stiff.
        """
        share = min(_ELEMENTS / max(count, 1), 1.0) ** (2.0 / 3.0)
        return replace(self, bind=self.bind * share, pull=self.pull * share)

    def row(self) -> FloatArray:
        """As the kernels take them."""
        row = [self.volume, self.bind, self.stretch, self.pull, float(self.one_sided), self.contact]
        return np.array(row, dtype=np.float32)


def _weight(stiffness: float) -> float:
    k = min(stiffness, _HARDEST)
    return k / (1.0 - k)


@dataclass(frozen=True, eq=False)
class EnergyBinding:
    """What the energy knows of a body of P particles, of which there may be `copies` alike.

    `one` are the constraints of one of them. `bind_lengths` (C P,) [m] and `hold_stiffness` (C P,), how firmly heavy
    particles are held where the bones carry them, are those of all; `free` are the particles of one that move at all.
    Elements (`corners`, `sizes`) and edges (`ends`, `lengths`) are in an order in which neighbours share no particle.
    """

    one: Constraints
    copies: int
    bind_lengths: Float32Array
    heavy: FloatArray
    hold_stiffness: Float32Array
    free: IntArray
    corners: IntArray
    sizes: Float32Array
    ends: IntArray
    lengths: Float32Array

    @classmethod
    def from_constraints(
        cls, one: Constraints, bind_lengths: FloatArray, inverse_masses: Float32Array
    ) -> EnergyBinding:
        """`inverse_masses` (P,) say how freely particles move: 0 not at all."""
        inverse = inverse_masses.astype(np.float64)
        heavy = np.where(inverse > 0.0, 1.0 / np.maximum(inverse, 1e-9) - 1.0, 0.0)
        whole = np.zeros(len(one.points), dtype=np.int32)
        (elements, _), (edges, _) = (slab_schedules(members, whole) for members in (one.corners, one.ends))
        return cls(
            one,
            1,
            bind_lengths.astype(np.float32),
            heavy,
            heavy.astype(np.float32),
            np.flatnonzero(inverse_masses > 0.0).astype(np.int32),
            one.corners[elements.order],
            _sizes(one)[elements.order].astype(np.float32),
            one.ends[edges.order],
            one.rest_lengths[edges.order].astype(np.float32),
        )

    def stack(self, count: int) -> EnergyBinding:
        """That of `count` bodies like this one."""
        lengths, holds = (np.tile(values, count) for values in (self.bind_lengths, self.hold_stiffness))
        return replace(self, copies=count, bind_lengths=lengths, hold_stiffness=holds)

    @cached_property
    def _factors(self) -> OrderedDict[tuple[EnergyWeights, str], Factor]:
        return OrderedDict()

    def factor(self, weights: EnergyWeights, device: str) -> Factor:
        """The factor of the preconditioner for some weights; the last few are kept, for states that differ by them."""
        key = weights, device
        known = self._factors.get(key)
        if known is None:
            matrix = _preconditioner(self.one, weights, self.heavy)[self.free][:, self.free]
            known = self._factors[key] = Factor.from_matrix(matrix, rows=self.free, device=device)
            while len(self._factors) > _FACTORS:
                self._factors.popitem(last=False)
        return known


def _put(values: Any, kind: Any, device: str) -> Any:
    return devices.to_device(values.astype(np.int32 if values.dtype.kind == "i" else np.float32), kind, device)


def element_arrays(binding: EnergyBinding, device: str) -> Any:
    """All elements and edges on the device."""
    from supple.skins.position_based.solve.energy_kernels import Elements

    wp = devices.warp()
    return devices.fill_struct(
        Elements(),
        corners=_put(binding.corners, wp.vec4i, device),
        sizes=_put(binding.sizes, wp.vec2f, device),
        ends=_put(binding.ends, wp.vec2i, device),
        lengths=_put(binding.lengths, wp.float32, device),
    )


def star_arrays(binding: EnergyBinding, device: str) -> Any:
    """What surrounds every particle, on the device."""
    from supple.skins.position_based.solve.energy_kernels import Star

    wp, one, corners = devices.warp(), binding.one, binding.corners
    count = len(one.points)
    starts, members = group_by_label(corners.reshape(-1), count)
    element, corner = members // 4, members % 4
    edge_starts, half = group_by_label(one.ends.reshape(-1), count)
    return devices.fill_struct(
        Star(),
        starts=_put(starts, wp.int32, device),
        others=_put(np.column_stack([corners[element[:, None], FACES[corner]], element]), wp.vec4i, device),
        slopes=_put(binding.sizes[element, 1], wp.float32, device),
        edge_starts=_put(edge_starts, wp.int32, device),
        far_ends=_put(one.ends[half // 2, 1 - half % 2], wp.int32, device),
        lengths=_put(one.rest_lengths[half // 2], wp.float32, device),
    )


def strip_arrays(binding: EnergyBinding, device: str) -> Any:
    """The same as strips of triangles around every particle; of fewer than 65536 particles."""
    from supple.skins.position_based.solve.strip_kernels import StripArrays

    wp, one = devices.warp(), binding.one
    strips = Strips.from_body(len(one.points), binding.corners, one.ends, one.rest_lengths.astype(np.float32))
    steps = np.zeros((len(strips.codes), 4), dtype=np.float32)
    there = strips.elements >= 0
    steps[there, :2] = binding.sizes[strips.elements[there]]
    steps[:, 2], steps.view(np.int32)[:, 3] = strips.lengths, strips.codes
    return devices.fill_struct(
        StripArrays(),
        particles=_put(strips.particles, wp.int32, device),
        starts=_put(strips.starts, wp.int32, device),
        steps=_put(steps, wp.vec4f, device),
    )


def _sizes(one: Constraints) -> FloatArray:
    """Six times the volume, and one over the slope, of every element."""
    return np.stack([6.0 * one.rest_volumes, 1.0 / _slopes(_gradients(one))], axis=1)


def _gradients(one: Constraints) -> FloatArray:
    """Gradients (T, 4, 3) of six times the volume of every element at rest."""
    corner = one.points[one.corners]
    b, c, d = np.moveaxis(corner[:, FACES], 2, 0)
    return np.asarray(-np.cross(c - b, d - b))


def _slopes(gradients: FloatArray) -> FloatArray:
    """s = sum_j |g_j|^2 of every element."""
    return np.asarray(np.einsum("tki,tki->t", gradients, gradients))


def _preconditioner(one: Constraints, weights: EnergyWeights, hold_stiffness: FloatArray) -> Any:
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
    pieces: list[tuple[IntArray, IntArray, FloatArray]] = [
        (np.repeat(one.corners, 4, axis=1).ravel(), np.tile(one.corners, 4).ravel(), pressed.ravel()),
        (one_end, one_end, stretched),
        (other_end, other_end, stretched),
        (one_end, other_end, -stretched),
        (other_end, one_end, -stretched),
        (own, own, weights.pull + weights.bind + hold_stiffness),
    ]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    return coo_array((values, (rows, columns)), shape=(count, count)).tocsr()
