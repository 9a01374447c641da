"""The report: what a skin did to a character, frame by frame and in a few numbers."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from supple.arrays import FloatArray, IntArray
from supple.measure.errors import Distance, SequenceError
from supple.measure.flesh.keeper import VolumeByItself
from supple.measure.jitter import Vibration
from supple.measure.penetration import Penetration
from supple.measure.sections import SectionRadius
from supple.measure.settling import Settling
from supple.measure.stretch import Stretch

Better = Literal["lower", "higher", "near 1"]


@dataclass(frozen=True)
class Row:
    """One number of a table; `better` says which way is good."""

    name: str
    value: float
    unit: str
    better: Better


@dataclass(frozen=True, eq=False)
class Report:
    """What every measure found in F frames; what could not be measured is None, empty or NaN.

    Per frame (F,): `volume_ratio`, by part `part_volume_ratio` and by limb `limb_volume_ratio`; `edge_stretch` and
    `area_stretch`; in `crossing` the self-penetration, of which `penetrations` and `penetration_depth` [m] are the
    short names; `distance_from_kinematic` [m] and `vibration` [m] relative to linear blend of the same poses;
    `inverted` tetrahedra; `seconds` by stage. `sections` are radii along bones by joint (F, K), `settling` is for the
    whole sequence, `error` against a reference. `fell_back` lists frames in which the skin failed and linear blend
    stands in. `volume_by_itself` is what a skin that closes its last volume error keeps without that.
    """

    character: str
    motion: str
    skin: str
    fps: float
    times: FloatArray
    volume_ratio: FloatArray
    part_volume_ratio: Mapping[str, FloatArray]
    edge_stretch: Stretch
    area_stretch: Stretch
    crossing: Penetration
    sections: Mapping[str, SectionRadius]
    settling: Settling
    distance_from_kinematic: Distance | None = None
    vibration: Vibration | None = None
    error: SequenceError | None = None
    inverted: IntArray | None = None
    seconds: Mapping[str, FloatArray] = field(default_factory=dict)
    fell_back: tuple[int, ...] = ()
    limb_volume_ratio: Mapping[str, FloatArray] = field(default_factory=dict)
    volume_by_itself: VolumeByItself | None = None

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"Report({self.skin} on {self.character}, {self.motion}: {len(self)} frames)"

    @property
    def penetrations(self) -> IntArray:
        """Pairs of triangles that pass through each other in every frame (F,)."""
        return self.crossing.pairs

    @property
    def penetration_depth(self) -> FloatArray:
        """How deep the deepest vertex lies inside the body in every frame (F,) [m]; NaN for an open mesh."""
        return self.crossing.depth

    @property
    def jitter(self) -> FloatArray:
        """Motion above the cut-off frequency in every frame (F,) [m]; NaN without weights."""
        return np.full(len(self), np.nan) if self.vibration is None else self.vibration.jitter

    @property
    def jiggle(self) -> FloatArray:
        """Motion from 1 Hz up to the cut-off frequency in every frame (F,) [m]; NaN without weights."""
        return np.full(len(self), np.nan) if self.vibration is None else self.vibration.jiggle

    @property
    def settling_time(self) -> float:
        """Seconds until the skin rests after a stop; NaN without a stop, infinite if it does not settle."""
        return self.settling.seconds

    @property
    def section_radius(self) -> Mapping[str, FloatArray]:
        """Mean radius along every bone relative to rest, (F, K) by joint."""
        return {name: section.mean for name, section in self.sections.items()}

    def curves(self) -> dict[str, tuple[FloatArray, str]]:
        """Every measure that goes over time: name to values (F,) and unit."""
        found: dict[str, tuple[FloatArray, str]] = {
            "volume": (self.volume_ratio, "of rest"),
            "edge stretch, mean": (self.edge_stretch.mean, ""),
            "edge stretch, worst": (self.edge_stretch.worst, ""),
            "area stretch, mean": (self.area_stretch.mean, ""),
            "self-penetrations": (self.penetrations.astype(np.float64), "pairs"),
            "penetration depth": (self.penetration_depth, "m"),
        }
        if self.limb_volume_ratio:
            ratios = np.array(list(self.limb_volume_ratio.values()))
            found["volume of the limb that lost most"] = (ratios.min(axis=0), "of rest")
        if self.sections:
            found["thinnest section"] = (_least(self.sections, lambda section: section.mean), "of rest")
        if self.distance_from_kinematic is not None:
            found["distance from linear blend"] = (self.distance_from_kinematic.rms, "m")
        if self.vibration is not None:
            found["jiggle"], found["jitter"] = (self.jiggle, "m"), (self.jitter, "m")
        if self.error is not None:
            found["distance from reference"] = (self.error.by_frame.rms, "m")
        if self.inverted is not None:
            found["inverted tetrahedra"] = (self.inverted.astype(np.float64), "")
        found.update({f"seconds, {stage}": (values, "s") for stage, values in self.seconds.items()})
        return found

    def rows(self) -> list[Row]:
        """The sequence in single numbers, for tables that compare skins; values that are not known are NaN."""
        return list(self._rows())

    def _rows(self) -> Iterator[Row]:
        yield Row("least volume", float(self.volume_ratio.min()), "of rest", "near 1")
        yield Row("greatest volume", float(self.volume_ratio.max()), "of rest", "near 1")
        if self.part_volume_ratio:
            worst = max((float(np.abs(v - 1.0).max()) for v in self.part_volume_ratio.values()), default=math.nan)
            yield Row("worst change of a part's volume", worst, "of rest", "lower")
        if self.limb_volume_ratio:
            least = min(float(ratio.min()) for ratio in self.limb_volume_ratio.values())
            greatest = max(float(ratio.max()) for ratio in self.limb_volume_ratio.values())
            yield Row("least volume of a limb", least, "of rest", "near 1")
            yield Row("greatest volume of a limb", greatest, "of rest", "near 1")
        if self.volume_by_itself is not None:
            whole, limbs = self.volume_by_itself.whole, self.volume_by_itself.limbs.values()
            yield Row("least volume before the keeper", float(whole.min()), "of rest", "near 1")
            yield Row("greatest volume before the keeper", float(whole.max()), "of rest", "near 1")
            least = min((float(ratio.min()) for ratio in limbs), default=math.nan)
            yield Row("least volume of a limb before the keeper", least, "of rest", "near 1")
        yield Row("mean edge stretch", float(self.edge_stretch.mean.mean()), "", "lower")
        yield Row("worst edge stretch", float(self.edge_stretch.worst.max()), "", "lower")
        yield Row("mean area stretch", float(self.area_stretch.mean.mean()), "", "lower")
        yield Row("self-penetrations, mean", float(self.penetrations.mean()), "pairs", "lower")
        yield Row("deepest penetration", float(self.penetration_depth.max()), "m", "lower")
        if self.sections:
            yield Row("thinnest section", float(_least(self.sections, lambda s: s.mean).min()), "of rest", "near 1")
            yield Row("thickest section", -float(_least(self.sections, lambda s: -s.mean).min()), "of rest", "near 1")
        if self.vibration is not None:
            yield Row("jitter", _rms(self.jitter), "m", "lower")
        yield Row("settling time", self.settling_time, "s", "lower")
        if self.error is not None:
            yield Row("error against the reference", self.error.rms, "m", "lower")
        if self.inverted is not None:
            yield Row("inverted tetrahedra, most", float(self.inverted.max()), "", "lower")
        for stage, values in self.seconds.items():
            yield Row(f"median seconds, {stage}", float(np.median(values)), "s", "lower")
        yield Row("frames that fell back", float(len(self.fell_back)), "", "lower")

    def summary(self) -> str:
        """A few lines for people."""
        lines = [f"{self.skin} on {self.character}, {self.motion}: {len(self)} frames at {self.fps:g} fps"]
        lines += [f"  {row.name:<32} {_written(row.value)} {row.unit}".rstrip() for row in self.rows()]
        if self.crossing.at_rest:
            lines.append(f"  {self.crossing.at_rest} pairs of triangles cross in the rest pose already")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain lists and numbers; what is not a finite number is None."""
        plain = {entry.name: _plain(getattr(self, entry.name)) for entry in dataclasses.fields(self)}
        plain["rows"] = [_plain(row) for row in self.rows()]
        return plain

    def to_json(self) -> str:
        """All of it as JSON; what is not a finite number is null."""
        return json.dumps(self.to_dict(), allow_nan=False)


def _least(sections: Mapping[str, SectionRadius], of: Callable[[SectionRadius], FloatArray]) -> FloatArray:
    return np.min([of(section).min(axis=1) for section in sections.values()], axis=0)


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _written(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "not in this time" if math.isinf(value) else f"{value:.4g}"


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(inner) for inner in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
