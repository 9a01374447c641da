"""A pose that was drawn by two lines: both are kept with it, so that one can be drawn again or pulled by its knots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple.character.skeleton import Skeleton
from supple.edits.edits import Edits
from supple.edits.posing.inverse_kinematics import hold
from supple.edits.posing.joint_ranges import JointRanges
from supple.edits.strokes.posing import posed_by_strokes
from supple.edits.strokes.stroke import Stroke
from supple.motion.pose import Pose

_NAMES = ("{} baseline", "{} offset")


@dataclass(frozen=True)
class DrawnPose:
    """The `baseline`, over joints as they were at `time` [s] of the motion, and the `offset` that they go over to."""

    baseline: Stroke
    offset: Stroke

    @property
    def time(self) -> float:
        """When in the motion the baseline was drawn [s]: the motion stood still meanwhile."""
        return float(self.baseline.times[0])

    @classmethod
    def from_lines(cls, baseline: object, offset: object, time: float) -> DrawnPose:
        """From places (N, 3) [m] along both lines."""
        return cls(*(_stroke(np.asarray(line, dtype=np.float64), time) for line in (baseline, offset)))

    def on(
        self,
        skeleton: Skeleton,
        pose: Pose,
        *,
        radius: float,
        joints: list[str] | None = None,
        pins: list[str] | None = None,
        ranges: JointRanges | None = None,
        stretch: float | Mapping[str, float] = 1.0,
        twist: bool = False,
    ) -> Pose:
        """A pose with joints within `radius` [m] of the baseline taken over to the offset; pinned ones stay.

        Where feet or hands are pinned that the lines carry along, their limbs bend for them. `joints`, `stretch` and
        `twist` are those of `posed_by_strokes`.
        """
        posed = posed_by_strokes(
            skeleton,
            pose,
            self.baseline,
            offset=self.offset,
            radius=radius,
            joints=joints,
            limits=None if ranges is None else ranges.limits,
            hinges=None if ranges is None else ranges.hinges,
            stretch=stretch,
            twist=twist,
        )
        return hold(skeleton, pose, posed, pins=pins, ranges=ranges) if pins else posed

    def kept_in(self, edits: Edits, pose: str) -> Edits:
        """Edits with both lines under the name of the pose that they drew."""
        for name, stroke in zip(_NAMES, (self.baseline, self.offset), strict=True):
            edits = edits.with_stroke(name.format(pose), stroke)
        return edits


def drawn_lines(edits: Edits, pose: str) -> DrawnPose | None:
    """The lines that a pose was drawn by; None for one that was not."""
    names = [name.format(pose) for name in _NAMES]
    if pose not in edits.poses or not all(name in edits.strokes for name in names):
        return None
    return DrawnPose(*(edits.strokes[name] for name in names))


def _stroke(places: np.ndarray, time: float) -> Stroke:
    return Stroke.from_samples(places, times=np.full(len(places), time))
