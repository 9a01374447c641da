"""All curves of a character in one launch: curves of any number of nodes, driven by weights of examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from supple import device as devices
from supple.arrays import Floats, frozen
from supple.errors import InputError
from supple.skins.curves.beams import Bands, Clamps, check_alike
from supple.skins.curves.dynamic import DynamicBeam
from supple.skins.curves.static import StaticBeam

Beam = TypeVar("Beam", bound=StaticBeam | DynamicBeam)

_WALKS_PER_THREAD = 512  # examples of curves, in one frame; with fewer, waking another thread costs more than it saves


@dataclass(frozen=True, eq=False)
class CurveLoad:
    """What acts on one curve in one example: a force (nodes - 2, 3) and where its ends are held."""

    force: Floats
    clamps: Clamps

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", frozen(self.force, np.float64, (-1, 3), "CurveLoad", "force"))
        check_alike(self.force, self.clamps, "CurveLoad")


class _Batch(Generic[Beam]):
    """Curves one after another in one array, the factors of their beams, and their loads in each example.

    `groups` numbers the part that each curve belongs to; every part then has weights of its own, and weights are
    (frames, groups, examples). `counts` says how many of the examples, from the first on, each group has.
    """

    def __init__(
        self,
        beams: Sequence[Beam],
        examples: Sequence[Sequence[CurveLoad]],
        *,
        frames: int,
        groups: Sequence[int] | None,
        counts: Sequence[int] | None,
        device: str,
        where: str,
    ) -> None:
        wp = devices.warp()
        self._where, self._device = where, device
        self._check(beams, examples, frames)
        self._grouped = groups is not None
        group_of = frozen([0] * len(beams) if groups is None else groups, np.int32, (len(beams),), where, "groups")
        if group_of.min() < 0:
            raise InputError(where, f"a group is {group_of.min()}", "groups count from zero", "number them so")
        self.groups = int(group_of.max()) + 1
        self.starts = np.concatenate([[0], np.cumsum([beam.nodes for beam in beams])]).astype(np.int32)
        self.curves, self.frames, self.examples = len(beams), frames, len(examples)
        kinds = list(dict.fromkeys(beams))  # beams that are equal share a factor
        first_rows = dict(zip(kinds, np.cumsum([0, *(kind.nodes - 2 for kind in kinds)]), strict=False))
        self._kinds = kinds
        self._starts = devices.to_device(self.starts, wp.int32, device)
        self._rows = devices.to_device(np.array([first_rows[beam] for beam in beams], np.int32), wp.int32, device)
        sources = np.concatenate([self._source(beams, example) for example in examples])
        self._sources = devices.to_device(sources, wp.vec3d, device)
        used = frozen(
            [len(examples)] * self.groups if counts is None else counts, np.int32, (self.groups,), where, "counts"
        )
        if used.min() < 1 or used.max() > len(examples):
            given = f"groups use {used.min()} to {used.max()} examples"
            raise InputError(where, given, f"there are {len(examples)}", "use between one and all of them")
        self._counts = devices.to_device(used, wp.int32, device)
        self._group_of = devices.to_device(group_of, wp.int32, device)
        self._weights = wp.zeros(frames * self.groups * self.examples, dtype=wp.float64, device=device)

    @property
    def nodes(self) -> int:
        """How many nodes all curves have together."""
        return int(self.starts[-1])

    def _set(self, weights: ArrayLike) -> None:
        wanted = (self.frames, self.groups, self.examples) if self._grouped else (self.frames, self.examples)
        given = frozen(weights, np.float64, wanted, self._where, "weights").reshape(-1)
        devices.write(self._weights, given)

    def _factor(self, bands: Sequence[Bands]) -> Any:
        """The factors of all kinds of beams, one after another, on the device."""
        rows = np.concatenate([band.substitution for band in bands]).reshape(-1)
        return devices.to_device(rows, devices.warp().float64, self._device)

    def _source(self, beams: Sequence[Beam], example: Sequence[CurveLoad]) -> Floats:
        """Loads of the inner nodes, and the values of the ends, (nodes, 3)."""
        source = np.empty((self.nodes, 3))
        for start, beam, load in zip(self.starts[:-1], beams, example, strict=True):
            source[start + 1 : start + beam.nodes - 1] = load.force - beam.bands.clamped(load.clamps)
            source[[start, start + beam.nodes - 1]] = load.clamps.values
        return source

    def _check(
        self,
        beams: Sequence[Beam],
        examples: Sequence[Sequence[CurveLoad]],
        frames: int,
    ) -> None:
        where = self._where
        if not beams or not examples:
            given = f"there are {len(beams)} curves and {len(examples)} examples"
            raise InputError(where, given, "at least one of each is needed", "give a beam per curve and its loads")
        if frames < 1:
            raise InputError(where, f"frames is {frames}", "at least one is needed", "use 1 to go frame by frame")
        for number, example in enumerate(examples):
            if len(example) != len(beams):
                given = f"example {number} has loads for {len(example)} curves"
                raise InputError(where, given, f"there are {len(beams)} curves", "give every curve a load")
            for curve, (beam, load) in enumerate(zip(beams, example, strict=True)):
                if len(load.force) != beam.nodes - 2:
                    given = f"the load of curve {curve} in example {number} is for {len(load.force) + 2} nodes"
                    raise InputError(where, given, f"its beam has {beam.nodes}", "use one beam per length of curve")


class StaticCurves(_Batch[StaticBeam]):
    """Shapes of all curves under weighted examples, `frames` frames at a time, on the CPU or a GPU.

    q = K^-1 sum_e w_e load_e for every curve and frame, each its own walk along the curve. Weights are
    (frames, examples), or (frames, groups, examples) where `groups` says which curves go together.

    Limits: no beams beyond their first buckling load; `StaticBeam.shape` takes them. Smooth examples are met to 1e-10
    of their height by curves of a hundred nodes, to about 1e-7 by curves of a thousand.
    """

    def __init__(
        self,
        beams: Sequence[StaticBeam],
        examples: Sequence[Sequence[CurveLoad]],
        *,
        frames: int = 1,
        groups: Sequence[int] | None = None,
        counts: Sequence[int] | None = None,
        device: str = "cpu",
    ) -> None:
        from supple.skins.curves import kernels

        for beam in dict.fromkeys(beams):
            if beam.compression > 0.0 and beam.bands.eigenvalues[0] <= 0.0:
                given = f"compression {beam.compression} is beyond the first load at which the curve buckles"
                raise InputError("StaticCurves", given, "the beam must be stable", "use less compression")
        super().__init__(
            beams, examples, frames=frames, groups=groups, counts=counts, device=device, where="StaticCurves"
        )
        wp = devices.warp()
        self.shapes = wp.zeros(frames * self.nodes, dtype=wp.vec3d, device=device)
        factor = self._factor([kind.bands for kind in self._kinds])
        inputs = [
            self.curves, self._starts, self._rows, factor, self._sources, self.examples, self.groups, self._group_of,
            self._counts, self._weights, self.shapes,
        ]  # fmt: skip
        count = frames * self.curves
        self._launch = devices.Launch(
            kernels.static_shapes, count, inputs, device, smallest=max(1, _WALKS_PER_THREAD // self.examples), block=32
        )

    def run(self, weights: ArrayLike) -> Any:
        """All nodes of all curves and frames on the device, (frames * nodes), for their weights."""
        self._set(weights)
        self._launch()
        return self.shapes


class DynamicCurves(_Batch[DynamicBeam]):
    """All curves in motion under weighted examples, `frames` steps at a time, on the CPU or a GPU.

    Starts at rest in the zero shape; each run goes on from where the last one ended. Weights are as in `StaticCurves`.
    """

    def __init__(
        self,
        beams: Sequence[DynamicBeam],
        examples: Sequence[Sequence[CurveLoad]],
        *,
        frames: int = 1,
        groups: Sequence[int] | None = None,
        counts: Sequence[int] | None = None,
        device: str = "cpu",
    ) -> None:
        from supple.skins.curves import kernels

        super().__init__(
            beams, examples, frames=frames, groups=groups, counts=counts, device=device, where="DynamicCurves"
        )
        wp = devices.warp()
        self._x = wp.zeros((frames + 2) * self.nodes, dtype=wp.vec3d, device=device)
        self.shapes = self._x[2 * self.nodes :]
        self._resting, self._rests = wp.ones(1, dtype=wp.int32, device=device), True
        factor = self._factor([kind.bands for kind in self._kinds])
        first_factor = self._factor([kind.first_bands for kind in self._kinds])
        pushes, drags = (
            devices.to_device(np.array(values, np.float64), wp.float64, device)
            for values in ([beam.push for beam in beams], [beam.drag for beam in beams])
        )
        inputs = [
            self.curves, frames, self._starts, self._rows, factor, first_factor, pushes, drags, self._sources,
            self.examples, self.groups, self._group_of, self._counts, self._weights, self._resting, self._x,
        ]  # fmt: skip
        self._launch = devices.Launch(
            kernels.dynamic_shapes,
            self.curves,
            inputs,
            device,
            smallest=max(1, _WALKS_PER_THREAD // (frames * self.examples)),
            block=32,
        )

    @property
    def memory(self) -> tuple[Any, Any]:
        """All that it remembers, on the device: the shapes before and now (and those of the last run), and a flag.

        The flag is one while it stands still. Writing both back takes it to where it was.
        """
        return self._x, self._resting

    def rest(self, shape: ArrayLike | None = None) -> None:
        """Stand still in a shape (nodes, 3) of all curves one after another; in the zero shape without one."""
        if shape is None:
            self._x.zero_()
        else:
            still = frozen(shape, np.float64, (self.nodes, 3), self._where, "shape")
            now = devices.to_device(still, devices.warp().vec3d, self._device)
            devices.warp().copy(self._x, now, dest_offset=self.nodes, count=self.nodes)
        if not self._rests:
            self._resting.fill_(1)
        self._rests = True

    def run(self, weights: ArrayLike) -> Any:
        """All nodes of all curves after each of the next steps, (frames * nodes), for their weights."""
        self._set(weights)
        self._launch()
        if self._rests:
            self._resting.zero_()
        self._rests = False
        return self.shapes
