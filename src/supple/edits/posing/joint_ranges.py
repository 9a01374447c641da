"""How far joints may turn while they are posed: elbows and knees fold about one axis, and not backwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from supple.arrays import FloatArray, IntArray, frozen
from supple.character.anatomy.joint_limits import HINGE, find_joint_limits
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.edits.strokes.posing import Hinge
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose
from supple.motion.relative import rotation_vectors, rotations_from_vectors
from supple.skins.contact.model.joints import named_hinges
from supple.skins.contact.settings import fold_range

_WHERE = "JointRanges"
_KEPT = "joint_ranges"  # among the extras of a character


@dataclass(frozen=True, eq=False)
class JointRanges:
    """By the names of joints: `axes` (3,) at rest of those that turn about one line, and `spans` (low, high) [rad].

    Angles are measured from rest. Of a joint without an axis the span's upper end is how far it turns, whichever way.
    A joint that is out of its range already may stay as far out.
    """

    axes: Mapping[str, FloatArray] = field(default_factory=dict)
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        axes = {}
        for name, axis in self.axes.items():
            given = frozen(axis, np.float64, (3,), _WHERE, f"the axis of {name!r}")
            if not np.linalg.norm(given) > 1e-9:
                raise InputError(_WHERE, f"the axis of {name!r} is zero", "a direction is needed", "give it one")
            axes[name] = quaternions.normalize(given)
        for name, (low, high) in self.spans.items():
            if not low <= 0.0 <= high:
                given_span = f"{name!r} turns from {low:g} to {high:g} rad"
                raise InputError(_WHERE, given_span, "rest must lie between them", "use low <= 0 <= high")
        object.__setattr__(self, "axes", MappingProxyType(axes))
        object.__setattr__(self, "spans", MappingProxyType(dict(self.spans)))

    @classmethod
    def from_names(cls, skeleton: Skeleton, poses: Sequence[Pose] = ()) -> JointRanges:
        """Those of elbows and knees, by what rigs call them, where rest tells their axis or else `poses` do."""
        axes = named_hinges(skeleton, poses)
        return cls(axes, {name: fold_range(skeleton, skeleton.index(name)) for name in axes})

    @classmethod
    def of(cls, character: Character, poses: Sequence[Pose] = ()) -> JointRanges:
        """Those that are kept in a character, or else those of its elbows, knees, hocks and fingers, by its anatomy.

        They go as far as its motions do, and as far as `poses`, if there are any.
        """
        kept = character.extras.get(_KEPT)
        if kept is None:
            limits = character.joint_limits
            if poses:
                limits = find_joint_limits(character.skeleton, [np.stack([pose.world_from_joint for pose in poses])])
            hinges = {name: limit for name, limit in limits.items() if limit.kind == HINGE}
            return cls(
                {name: limit.axis for name, limit in hinges.items()},
                {name: (min(limit.low, 0.0), max(limit.high, 0.0)) for name, limit in hinges.items()},
            )
        return cls(
            {name: np.asarray(axis) for name, axis in kept["axes"].items()},
            {name: (float(low), float(high)) for name, (low, high) in kept["spans"].items()},
        )

    def kept_in(self, character: Character) -> Character:
        """The character with these ranges kept in it, for whoever poses it."""
        for name in {**self.axes, **self.spans}:
            character.skeleton.index(name)
        kept = {
            "axes": {name: axis.tolist() for name, axis in self.axes.items()},
            "spans": {name: [float(end) for end in span] for name, span in self.spans.items()},
        }
        return character.replace(extras={**character.extras, _KEPT: kept})

    @property
    def limits(self) -> dict[str, float]:
        """The largest angle [rad] from rest by joint, whichever way, as `posed_by_strokes` knows them; no hinges."""
        free = {name: span for name, span in self.spans.items() if name not in self.axes}
        return {name: min(max(-low, high), np.pi) for name, (low, high) in free.items()}

    @property
    def hinges(self) -> dict[str, Hinge]:
        """Joints that turn about one line, as `posed_by_strokes` knows them."""
        spans = {name: self.spans.get(name, (-np.pi, np.pi)) for name in self.axes}
        return {name: Hinge(axis, *spans[name]) for name, axis in self.axes.items()}

    def on(self, skeleton: Skeleton, rotations: FloatArray) -> RangesInPose:
        """For joints that are turned (J, 3, 3) away from rest when the posing begins."""
        return RangesInPose(self, skeleton, rotations)


class RangesInPose:
    """Ranges as arrays over joints, for a solver; `rotations` (J, 3, 3) are those away from rest, in the world."""

    def __init__(self, ranges: JointRanges, skeleton: Skeleton, rotations: FloatArray) -> None:
        count = len(skeleton)
        self._axes, self._hinged = np.zeros((count, 3)), np.zeros(count, dtype=bool)
        self._low, self._high = np.full(count, -np.inf), np.full(count, np.inf)
        for name, axis in ranges.axes.items():
            joint = skeleton.index(name)
            self._axes[joint], self._hinged[joint] = axis, True
        for name, span in ranges.spans.items():
            self._low[skeleton.index(name)], self._high[skeleton.index(name)] = span
        self._parents = skeleton.parents
        every = np.arange(count, dtype=np.int32)
        angles = self._angles(every, self._vectors(every, rotations))
        self._low, self._high = np.minimum(self._low, angles), np.maximum(self._high, angles)

    def freedom(self, joints: IntArray, rotations: FloatArray) -> FloatArray:
        """What of a turn (P, 3) in the world joints can make, as matrices (P, 3, 3)."""
        axes = np.einsum("pij,pj->pi", self._above(joints, rotations), self._axes[joints])
        along = np.einsum("pi,pj->pij", axes, axes)
        return np.where(self._hinged[joints, None, None], along, np.eye(3))

    def fold_axes(self, joints: IntArray, rotations: FloatArray, others: FloatArray) -> FloatArray:
        """The axes (P, 3) in the world about which joints fold; of joints that tell none, the `others`."""
        axes = np.einsum("pij,pj->pi", self._above(joints, rotations), self._axes[joints])
        return np.where(self._hinged[joints, None], axes, others)

    def corrections(self, joints: IntArray, rotations: FloatArray) -> tuple[IntArray, FloatArray]:
        """The joints that are out of their range, and what turns (P, 3, 3) in the world bring them to its border."""
        vectors = self._vectors(joints, rotations)
        angles = self._angles(joints, vectors)
        allowed = np.clip(angles, self._low[joints], self._high[joints])
        out = np.flatnonzero(np.abs(allowed - angles) > 1e-9)
        if not len(out):
            return joints[:0], np.zeros((0, 3, 3))
        hinged = self._hinged[joints[out], None]
        along = self._axes[joints[out]]
        change = np.where(hinged, along, quaternions.normalize(vectors[out])) * (allowed - angles)[out, None]
        above = self._above(joints[out], rotations)
        turned = quaternions.matrix_from_quat(rotations_from_vectors(vectors[out] + change))
        return joints[out], above @ turned @ np.swapaxes(rotations[joints[out]], 1, 2)

    def _above(self, joints: IntArray, rotations: FloatArray) -> FloatArray:
        """How the parents of joints are turned (P, 3, 3); of roots, not at all."""
        parents = self._parents[joints]
        return np.where((parents >= 0)[:, None, None], rotations[np.maximum(parents, 0)], np.eye(3))

    def _vectors(self, joints: IntArray, rotations: FloatArray) -> FloatArray:
        """How joints are turned away from rest on their parents: axis times angle (P, 3) [rad], in the axes of rest."""
        relative = np.swapaxes(self._above(joints, rotations), 1, 2) @ rotations[joints]
        return rotation_vectors(quaternions.quat_from_matrix(relative))

    def _angles(self, joints: IntArray, vectors: FloatArray) -> FloatArray:
        """How far (P,) [rad] joints are turned: about their axis, or whichever way."""
        about = np.einsum("pi,pi->p", vectors, self._axes[joints])
        return np.where(self._hinged[joints], about, np.linalg.norm(vectors, axis=1))
