"""What comes out: bones, weights and rigid motion in place of a sequence, and how far off they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from supple.arrays import Float32Array, FloatArray
from supple.character.character import Character
from supple.character.skeleton import Skeleton
from supple.character.weights import Weights
from supple.decompose.sequence import PointSequence
from supple.motion.motion import Motion
from supple.motion.pose import Pose


@dataclass(frozen=True)
class DecompositionError:
    """How far the bones leave the skin from the sequence.

    With E the sum of all squared distances over F frames of V vertices: `rms` = sqrt(E / (V F)) [m], `thousandths` =
    1000 sqrt(E / (3 V F)) / r as papers print it, for a body that fits a sphere of radius one: r is half the diagonal
    of the box around its rest shape. `worst` [m] is the largest distance of all. `by_frame` (F,), `by_vertex`
    (V,) and `by_part` (by the name of each part of the character) are root mean squares [m] of what they name.
    """

    rms: float
    thousandths: float
    worst: float
    by_frame: FloatArray
    by_vertex: FloatArray
    by_part: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Plain data, without the values of every vertex."""
        return {
            "rms": self.rms,
            "thousandths": self.thousandths,
            "worst": self.worst,
            "by_frame": self.by_frame.tolist(),
            "by_part": dict(self.by_part),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """A sequence as a rig: `skeleton`, `weights`, and `world_from_joint` (F, J, 4, 4) in every frame.

    `helpers` of the joints, the last ones, are bones that were found; the others came with the character and move as
    they did, or are the one on which bones hang that stretch. `history` [m] is the error (RMS) after every round of
    the work; it rises only where influences off the patch of their bone are dropped.
    """

    sequence: PointSequence
    skeleton: Skeleton
    weights: Weights
    world_from_joint: FloatArray
    helpers: int
    history: tuple[float, ...]

    def __repr__(self) -> str:
        kept = len(self.skeleton) - self.helpers
        own = "joint" if kept == 1 else "joints"
        bones = f"{self.helpers} bones" if kept == 0 else f"{self.helpers} bones on {kept} {own}"
        off = f"off by {self.error.rms:.3g} m RMS"
        return f"Decomposition({self.sequence.name!r}: {bones}, {self.weights.influences} influences, {off})"

    def frames(self) -> Iterator[FloatArray]:
        """The points (V, 3) [m] of one frame after another, as the bones move them by linear blend."""
        rest = self.sequence.rest_points
        joints, values = self.weights.joints, self.weights.values
        inverse = self.skeleton.joint_from_world
        for pose in self.world_from_joint:
            transforms = (pose @ inverse)[:, :3]
            points = np.zeros_like(rest)
            for one, weight in zip(joints.T, values.T, strict=True):
                rigid_motion = np.einsum("vij,vj->vi", transforms[one, :, :3], rest) + transforms[one, :, 3]
                points += weight[:, None] * rigid_motion
            yield points

    @cached_property
    def points(self) -> Float32Array:
        """The points (F, V, 3) [m] of all frames, as the bones move them."""
        return np.stack([points.astype(np.float32) for points in self.frames()])

    @cached_property
    def error(self) -> DecompositionError:
        """How far this is from the sequence it stands for."""
        given = self.sequence.points
        by_frame, by_vertex, worst = np.empty(len(given)), np.zeros(given.shape[1]), 0.0
        for frame, points in enumerate(self.frames()):
            square = np.sum((points - given[frame]) ** 2, axis=1)
            by_frame[frame] = np.sqrt(square.mean())
            by_vertex += square
            worst = max(worst, float(square.max()))
        by_vertex /= len(given)
        rms = float(np.sqrt(by_vertex.mean()))
        parts = self.sequence.character.parts if self.sequence.character is not None else {}
        by_part = {name: float(np.sqrt(by_vertex[rows].mean())) for name, rows in parts.items() if len(rows)}
        radius = 0.5 * float(np.linalg.norm(np.ptp(self.sequence.rest_points, axis=0))) or 1.0
        thousandths = 1000.0 * rms / float(np.sqrt(3.0)) / radius
        return DecompositionError(rms, thousandths, float(np.sqrt(worst)), by_frame, np.sqrt(by_vertex), by_part)

    @cached_property
    def strays(self) -> float:
        """The share of all influences that lie off the largest connected patch of their bone."""
        from supple.decompose.frames import Frames, surroundings
        from supple.decompose.patches import Surface, stray_share

        rest = self.sequence.rest_points
        frames = Frames.from_points(rest, rest[None])
        surface = Surface.from_frames(frames, surroundings(frames.rest, self.sequence.triangles))
        return stray_share(self.weights.dense(len(self.skeleton)), surface)

    def motion(self) -> Motion:
        """The movement of the skeleton, one key a frame."""
        fps = self.sequence.fps
        return Motion.from_poses(
            self.skeleton,
            lambda at: Pose(self.world_from_joint[round(at * fps)]),
            seconds=(len(self.sequence) - 1) / fps,
            fps=fps,
            name=self.sequence.name,
        )

    def character(self) -> Character:
        """The same mesh on the new skeleton, with its motion: what can be saved as a character can be saved of this.

        Parts, maps, seams and materials of the baked character come along; its shapes do not, since the bones do what
        they did.
        """
        motion = self.motion()
        given = self.sequence
        if given.character is not None:
            return given.character.replace(
                points=given.rest_points,
                skeleton=self.skeleton,
                weights=self.weights,
                motions={motion.name: motion},
                shapes={},
            )
        return Character(
            given.rest_points,
            given.require_triangles(),
            self.skeleton,
            self.weights,
            name=given.name,
            motions={motion.name: motion},
            polygons=given.polygons,
        )
