"""All curves of a character in one launch: curves of any number of nodes, driven by weights of examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.errors import InputError
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import Clamps, check_same_columns
from supple.skins.curves.beam.static import StaticBeam

Beam = StaticBeam | DynamicBeam
_WALKS_PER_THREAD = 512  # examples of curves, in one frame; with fewer, waking another thread costs more than it saves


@dataclass(frozen=True, eq=False)
class CurveLoad:
    """What acts on one curve in one example: a force (nodes - 2, 3) and where its ends are held."""

    force: FloatArray
    clamps: Clamps

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", frozen(self.force, np.float64, (-1, 3), "CurveLoad", "force"))
        check_same_columns(self.force, self.clamps, "CurveLoad")


@dataclass(frozen=True, eq=False)
class CurveBatch:
    """Curves one after another, the factors of their beams, and their loads in each example; C curves, n nodes.

    Curve c has the nodes from `starts[c]` to `starts[c + 1]`, belongs to the part `group_of[c]` and finds its factor
    from `factor_rows[c]` on in `factors`: of all steps and, where it moves, of the first. `loads` (examples * n, 3) are
    those of all nodes, `example_counts` (G,) how many of the examples, from the first on, each group has. `mass_terms`
    and `damping_terms` (C,) are what mass and damping add. `grouped`: every part has weights of its own,
    (frames, groups, examples).
    """

    starts: IntArray
    group_of: IntArray
    factor_rows: IntArray
    factors: tuple[FloatArray, ...]
    loads: FloatArray
    example_counts: IntArray
    mass_terms: FloatArray
    damping_terms: FloatArray
    examples: int
    group_by_label: bool

    @classmethod
    def from_beams(
        cls,
        beams: Sequence[Beam],
        examples: Sequence[Sequence[CurveLoad]],
        *,
        groups: Sequence[int] | None = None,
        counts: Sequence[int] | None = None,
        where: str,
    ) -> CurveBatch:
        """`groups` numbers the part that each curve belongs to."""
        _check(beams, examples, where)
        group_of = frozen([0] * len(beams) if groups is None else groups, np.int32, (len(beams),), where, "groups")
        if group_of.min() < 0:
            raise InputError(where, f"a group is {group_of.min()}", "groups count from zero", "number them so")
        group_count = int(group_of.max()) + 1
        given = [len(examples)] * group_count if counts is None else counts
        used = frozen(given, np.int32, (group_count,), where, "counts")
        if used.min() < 1 or used.max() > len(examples):
            wrong = f"groups use {used.min()} to {used.max()} examples"
            raise InputError(where, wrong, f"there are {len(examples)}", "use between one and all of them")
        starts = np.concatenate([[0], np.cumsum([beam.nodes for beam in beams])]).astype(np.int32)
        kinds = list(dict.fromkeys(beams))  # beams that are equal share a factor
        first_rows = dict(zip(kinds, np.cumsum([0, *(kind.nodes - 2 for kind in kinds)]), strict=False))
        bands = [[kind.bands for kind in kinds]]
        moving = [beam for beam in beams if isinstance(beam, DynamicBeam)]
        if moving:
            bands.append([kind.first_bands for kind in kinds if isinstance(kind, DynamicBeam)])
        return cls(
            starts,
            group_of,
            np.array([first_rows[beam] for beam in beams], np.int32),
            tuple(np.concatenate([band.ldlt_rows for band in each]).reshape(-1) for each in bands),
            np.concatenate([_pack_loads(starts, beams, example) for example in examples]),
            used,
            np.array([beam.mass_term for beam in moving], np.float64),
            np.array([beam.damping_term for beam in moving], np.float64),
            len(examples),
            groups is not None,
        )

    @classmethod
    def from_shapes(cls, parts: Sequence[FloatArray]) -> CurveBatch:
        """Curves of parts in balance in their examples, offsets (examples, curves, nodes, 3) each; parts are groups."""
        counts = np.array([len(part) for part in parts], dtype=np.int32)
        nodes = [part.shape[2] for part in parts for _ in range(part.shape[1])]
        starts = np.concatenate([[0], np.cumsum(nodes)]).astype(np.int32)
        kinds = {count: StaticBeam(count) for count in dict.fromkeys(nodes)}
        first_rows = dict(zip(kinds, np.cumsum([0, *(count - 2 for count in kinds)]), strict=False))
        loads, start = np.zeros((int(counts.max()), int(starts[-1]), 3)), 0
        for part in parts:
            beam, shapes = kinds[part.shape[2]], np.moveaxis(part, 2, 0)  # (nodes, examples, curves, 3)
            clamps = Clamps.from_shape(shapes)
            packed = np.empty_like(shapes)
            packed[1:-1] = beam.force(shapes, clamps) - beam.bands.boundary_load(clamps)
            packed[[0, -1]] = clamps.values
            stop = start + part.shape[1] * part.shape[2]
            loads[: len(part), start:stop] = np.moveaxis(packed, 0, 2).reshape(len(part), -1, 3)
            start = stop
        none = np.zeros(0)
        return cls(
            starts,
            np.repeat(np.arange(len(parts), dtype=np.int32), [part.shape[1] for part in parts]),
            np.array([first_rows[count] for count in nodes], np.int32),
            (np.concatenate([beam.bands.ldlt_rows for beam in kinds.values()]).reshape(-1),),
            loads.reshape(-1, 3),
            counts,
            none,
            none,
            int(counts.max()),
            group_by_label=True,
        )

    def with_mass(self, beam: Callable[[int], DynamicBeam]) -> CurveBatch:
        """The same curves under the same loads in motion; `beam` makes that of a curve of so many nodes."""
        nodes = np.diff(self.starts).tolist()
        kinds = {count: beam(count) for count in dict.fromkeys(nodes)}
        bands = [kind.bands for kind in kinds.values()], [kind.first_bands for kind in kinds.values()]
        return replace(
            self,
            factors=tuple(np.concatenate([band.ldlt_rows for band in each]).reshape(-1) for each in bands),
            mass_terms=np.array([kinds[count].mass_term for count in nodes], np.float64),
            damping_terms=np.array([kinds[count].damping_term for count in nodes], np.float64),
        )

    @property
    def curves(self) -> int:
        """How many curves there are."""
        return len(self.starts) - 1

    @property
    def nodes(self) -> int:
        """How many nodes all curves have together."""
        return int(self.starts[-1])

    @property
    def groups(self) -> int:
        """How many parts have weights of their own."""
        return len(self.example_counts)


def _pack_loads(starts: IntArray, beams: Sequence[Beam], example: Sequence[CurveLoad]) -> FloatArray:
    """Loads of the inner nodes, and the values of the ends, (nodes, 3)."""
    packed = np.empty((int(starts[-1]), 3))
    for start, beam, load in zip(starts[:-1], beams, example, strict=True):
        packed[start + 1 : start + beam.nodes - 1] = load.force - beam.bands.boundary_load(load.clamps)
        packed[[start, start + beam.nodes - 1]] = load.clamps.values
    return packed


def _check(beams: Sequence[Beam], examples: Sequence[Sequence[CurveLoad]], where: str) -> None:
    if not beams or not examples:
        given = f"there are {len(beams)} curves and {len(examples)} examples"
        raise InputError(where, given, "at least one of each is needed", "give a beam per curve and its loads")
    for number, example in enumerate(examples):
        if len(example) != len(beams):
            given = f"example {number} has loads for {len(example)} curves"
            raise InputError(where, given, f"there are {len(beams)} curves", "give every curve a load")
        for curve, (beam, load) in enumerate(zip(beams, example, strict=True)):
            if len(load.force) != beam.nodes - 2:
                given = f"the load of curve {curve} in example {number} is for {len(load.force) + 2} nodes"
                raise InputError(where, given, f"its beam has {beam.nodes}", "use one beam per length of curve")


class _Curves:
    """A batch of curves on a device, `frames` at a time."""

    def __init__(self, batch: CurveBatch, constants: devices.Constants, *, frames: int, where: str) -> None:
        from supple.skins.curves.beam import kernels

        if frames < 1:
            raise InputError(where, f"frames is {frames}", "at least one is needed", "use 1 to go frame by frame")
        wp = devices.warp()
        self._batch, self._constants, self._where, self.frames = batch, constants, where, frames
        self._device, self.nodes, self.starts = constants.device, batch.nodes, batch.starts
        self._weights = constants.blank(frames * batch.groups * batch.examples, wp.float64)
        self._curves = kernels.Curves()
        self._curves.count, self._curves.examples, self._curves.groups = batch.curves, batch.examples, batch.groups
        for name in ("starts", "factor_rows", "group_of", "example_counts"):
            setattr(self._curves, name, constants.put(getattr(batch, name), wp.int32))
        self._curves.loads = constants.put(batch.loads, wp.vec3d)

    def _set(self, weights: ArrayLike) -> None:
        batch = self._batch
        wanted = (self.frames, batch.groups, batch.examples) if batch.group_by_label else (self.frames, batch.examples)
        given = frozen(weights, np.float64, wanted, self._where, "weights").reshape(-1)
        devices.write(self._weights, given)


class StaticCurves(_Curves):
    """Shapes of all curves under weighted examples, `frames` frames at a time, on the CPU or a GPU.

    q = K^-1 sum_e w_e load_e for every curve and frame, each its own walk along the curve. Weights are
    (frames, examples), or (frames, groups, examples) where curves are grouped.

    Limits: no beams beyond their first buckling load; `StaticBeam.shape` takes them. Smooth examples are met to 1e-10
    of their height by curves of a hundred nodes, to about 1e-7 by curves of a thousand.
    """

    def __init__(self, batch: CurveBatch, constants: devices.Constants, *, frames: int = 1) -> None:
        from supple.skins.curves.beam import kernels

        super().__init__(batch, constants, frames=frames, where="StaticCurves")
        wp = devices.warp()
        self.shapes = constants.blank(frames * self.nodes, wp.vec3d)
        self._launch = devices.Launch(
            kernels.solve_static,
            frames * batch.curves,
            [self._curves, constants.put(batch.factors[0], wp.float64), self._weights, self.shapes],
            self._device,
            smallest=max(1, _WALKS_PER_THREAD // batch.examples),
            block=32,
        )

    def solve(self, weights: ArrayLike) -> Any:
        """All nodes of all curves and frames on the device, (frames * nodes), for their weights."""
        self._set(weights)
        self._launch()
        return self.shapes


class DynamicCurves(_Curves):
    """All curves in motion under weighted examples, `frames` steps at a time, on the CPU or a GPU.

    Starts at rest in the zero shape; each run goes on from where the last one ended. Weights are as in `StaticCurves`.
    """

    def __init__(self, batch: CurveBatch, constants: devices.Constants, *, frames: int = 1) -> None:
        from supple.skins.curves.beam import kernels

        super().__init__(batch, constants, frames=frames, where="DynamicCurves")
        wp = devices.warp()
        self._x = constants.blank((frames + 2) * self.nodes, wp.vec3d)
        self.shapes = self._x[2 * self.nodes :]
        self._resting = wp.ones(1, dtype=wp.int32, device=self._device)
        dynamics = kernels.Dynamics()
        for name, values in _dynamics(batch).items():
            setattr(dynamics, name, devices.to_device(values, wp.float64, self._device))
        self._dynamics = dynamics
        self._launch = devices.Launch(
            kernels.solve_dynamic,
            batch.curves,
            [frames, self._curves, dynamics, self._weights, self._resting, self._x],
            self._device,
            smallest=max(1, _WALKS_PER_THREAD // (frames * batch.examples)),
            block=32,
        )

    def tune(self, batch: CurveBatch) -> None:
        """Go on with other masses and damping of the same curves from the next step on."""
        for name, values in _dynamics(batch).items():
            devices.write(getattr(self._dynamics, name), values)

    @property
    def memory(self) -> tuple[Any, Any]:
        """All that it remembers, on the device: the shapes before and now (and those of the last run), and a flag.

        The flag is one while it stands still. Writing both back takes it to where it was.
        """
        return self._x, self._resting

    def measure_forces(self, forces: Any) -> devices.Launch:
        """Recorded: what draws all nodes (nodes,) to balance after one step, in units of the bending stiffness."""
        from supple.skins.curves.beam import kernels

        inputs = [self._curves, self._weights, self.shapes, forces]
        smallest = max(1, _WALKS_PER_THREAD // self._batch.examples)
        return devices.Launch(
            kernels.measure_forces, self._batch.curves, inputs, self._device, smallest=smallest, block=32
        )

    def rest(self, shape: ArrayLike | None = None) -> None:
        """Stand still in a shape (nodes, 3) of all curves one after another; in the zero shape without one."""
        if shape is None:
            self._x.zero_()
        else:
            still = frozen(shape, np.float64, (self.nodes, 3), self._where, "shape")
            now = devices.to_device(still, devices.warp().vec3d, self._device)
            devices.warp().copy(self._x, now, dest_offset=self.nodes, count=self.nodes)
        self._resting.fill_(1)

    def solve(self, weights: ArrayLike) -> Any:
        """All nodes of all curves after each of the next steps, (frames * nodes), for their weights."""
        self._set(weights)
        self._launch()
        self._resting.zero_()
        return self.shapes


def _dynamics(batch: CurveBatch) -> dict[str, FloatArray]:
    """What mass and damping make of a batch, by the names that kernels give it."""
    factor, first_factor = batch.factors
    terms = {"mass_terms": batch.mass_terms, "damping_terms": batch.damping_terms}
    return {"factor": factor, "first_factor": first_factor, **terms}


def static_curves(
    beams: Sequence[StaticBeam],
    examples: Sequence[Sequence[CurveLoad]],
    *,
    frames: int = 1,
    groups: Sequence[int] | None = None,
    counts: Sequence[int] | None = None,
    device: str = "cpu",
) -> StaticCurves:
    """Curves of these beams, in balance under loads; `groups` says which go together."""
    check_stable(beams)
    batch = CurveBatch.from_beams(beams, examples, groups=groups, counts=counts, where="StaticCurves")
    return StaticCurves(batch, devices.Constants(device), frames=frames)


def dynamic_curves(
    beams: Sequence[DynamicBeam],
    examples: Sequence[Sequence[CurveLoad]],
    *,
    frames: int = 1,
    groups: Sequence[int] | None = None,
    counts: Sequence[int] | None = None,
    device: str = "cpu",
) -> DynamicCurves:
    """Curves of these beams, in motion under loads; `groups` says which go together."""
    batch = CurveBatch.from_beams(beams, examples, groups=groups, counts=counts, where="DynamicCurves")
    return DynamicCurves(batch, devices.Constants(device), frames=frames)


def check_stable(beams: Sequence[StaticBeam]) -> None:
    """Refuse beams that are pressed so hard that they buckle."""
    for beam in dict.fromkeys(beams):
        if beam.compression > 0.0 and beam.bands.eigenvalues[0] <= 0.0:
            given = f"compression {beam.compression} is beyond the first load at which the curve buckles"
            raise InputError("StaticCurves", given, "the beam must be stable", "use less compression")
