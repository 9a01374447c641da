"""Another skin in several poses, to learn from: frames of bakes, meshes with their poses, or shapes drawn by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import FloatArray, IntArray, frozen
from supple.character.character import Character
from supple.character.weights import Weights
from supple.errors import InputError
from supple.geometry.quaternions import matrix_from_quat, nearest_rotation, normalize, quat_from_matrix
from supple.motion.pose import Pose
from supple.skins.base import AnySkin, Skin
from supple.skins.kinematic.delta_mush import DeltaMush
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters

BASE_SKINS: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}
TEACHERS: dict[str, type[Skin[Any, Any]]] = {
    kind.command_name: kind for kind in (DeltaMush, RotationCenters, DualQuaternion, LinearBlend)
}
_WHERE = "SkinExamples"


class HostSkin:
    """A kinematic skin, with whatever it stands on, ready to pose one character."""

    def __init__(self, skin: AnySkin, character: Character) -> None:
        self._stages: list[tuple[Skin[Any, Any], Any, Any]] = []
        stage: AnySkin | None = skin
        while isinstance(stage, Skin):
            binding = stage.bind(character, "cpu")
            self._stages.insert(0, (stage, binding, stage.allocate(binding)))
            stage = stage.base_skin()

    def __call__(self, pose: Pose) -> FloatArray:
        """The skin (V, 3) [m] in a pose."""
        points = None
        for skin, binding, state in self._stages:
            points = skin.deform(binding, state, pose, points)
        return devices.to_host(points).astype(np.float64)


class Baked(Protocol):
    """A bake, as far as training looks at it: points (F, V, 3) [m], the pose of every frame, and frames a second."""

    @property
    def points(self) -> NDArray[np.float32]: ...

    @property
    def fps(self) -> float: ...

    def pose(self, frame: int) -> Pose: ...


@dataclass(frozen=True, eq=False)
class SkinExamples:
    """A skin in several poses: `points` (F, V, 3) [m] of the same mesh, and the pose of each.

    `lengths` are how many frames each motion has, one motion after another; without them all frames are one motion.
    `interval` [s] is the time between two frames of a motion, and 0 where frames do not follow one another: then
    nothing is known of how fast anything moves.
    """

    poses: tuple[Pose, ...]
    points: NDArray[np.floating]
    lengths: tuple[int, ...] = ()
    interval: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "poses", tuple(self.poses))
        shape = np.shape(self.points)
        if len(shape) != 3 or shape[2] != 3 or shape[0] != len(self.poses) or not shape[0]:
            given = f"there are {len(self.poses)} poses and points {shape}"
            raise InputError(_WHERE, given, "(poses, vertices, 3) is needed", "give one mesh for every pose")
        if not np.isfinite(self.points).all():
            raise InputError(_WHERE, "points are not finite", "finite numbers are needed", "remove those frames")
        lengths = tuple(int(count) for count in self.lengths) or (len(self.poses),)
        object.__setattr__(self, "lengths", lengths)
        if min(lengths) < 1 or sum(lengths) != len(self.poses):
            given = f"motions have {', '.join(map(str, lengths))} frames"
            raise InputError(_WHERE, given, f"there are {len(self.poses)} in all", "count the frames of each motion")
        if not 0.0 <= self.interval < 10.0:
            given = f"interval is {self.interval:g} s"
            raise InputError(_WHERE, given, "0 to 10 is needed", "use 1 / fps, or 0 for frames that do not follow")

    @classmethod
    def of(cls, *bakes: Baked) -> Self:
        """All frames of bakes of one character, each bake a motion."""
        if not bakes:
            raise InputError(_WHERE, "no bake was given", "at least one is needed", "bake a skin first")
        sizes = {bake.points.shape[1] for bake in bakes}
        if len(sizes) != 1:
            given = f"the bakes have {', '.join(str(size) for size in sorted(sizes))} vertices"
            raise InputError(_WHERE, given, "all are of one character", "train them apart")
        rates = {float(bake.fps) for bake in bakes}
        if max(rates) > 1.01 * min(rates):
            given = f"the bakes have {', '.join(f'{rate:g}' for rate in sorted(rates))} frames a second"
            raise InputError(_WHERE, given, "all have the same", "bake them at one rate")
        poses = tuple(bake.pose(frame) for bake in bakes for frame in range(len(bake.points)))
        points = np.concatenate([bake.points for bake in bakes])
        return cls(poses, points, tuple(len(bake.points) for bake in bakes), 1.0 / max(rates))

    @classmethod
    def sculpted(
        cls, character: Character, poses: Sequence[Pose], offsets: ArrayLike, *, below: str = "dual-quaternion"
    ) -> Self:
        """Shapes drawn for some poses: `offsets` (F, V, 3) [m] as seen at rest, such as `SurfaceEdit.dense`.

        They turn with the bones and are added to the kinematic skin `below`; train with the same one.
        """
        drawn = frozen(offsets, np.float64, (len(poses), len(character.points), 3), _WHERE, "offsets")
        under = HostSkin(BASE_SKINS[check_base(below, _WHERE)](), character)
        weights = character.require_weights(_WHERE)
        shapes = [
            under(pose)
            + np.einsum("vij,vj->vi", blend_rotations(pose.skinning(character.skeleton), weights), drawn_one)
            for pose, drawn_one in zip(poses, drawn, strict=True)
        ]
        return cls(tuple(poses), np.array(shapes).reshape(drawn.shape))

    def __len__(self) -> int:
        return len(self.poses)

    @property
    def motions(self) -> IntArray:
        """Which motion every frame (F,) belongs to."""
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)

    def check_for(self, character: Character, where: str) -> None:
        """Refuse examples of another character."""
        if self.points.shape[1] != len(character.points):
            given = f"the examples have {self.points.shape[1]} vertices"
            needed = f"{character.name} has {len(character.points)}"
            raise InputError(where, given, needed, "use meshes of the character's own topology")
        if any(len(pose) != len(character.skeleton) for pose in self.poses):
            given = "a pose has another number of joints"
            needed = f"{character.name} has {len(character.skeleton)}"
            raise InputError(where, given, needed, "use poses of this character")


@dataclass(frozen=True)
class MotionErrors:
    """One motion against the skin that taught it: distances of its vertices [m].

    `rms`, their root mean square over all frames, and `worst_frame`, the same in the worst one; `below`, what the
    kinematic skin alone has over all frames; `worse_frames`, in how many frames the learnt skin is farther off than
    that one. `mean` is the plain mean over vertices and frames (zero in models that were saved before it was kept).
    """

    frames: int
    rms: float
    worst_frame: float
    below: float
    worse_frames: int
    mean: float = 0.0

    def __str__(self) -> str:
        worse = f", worse than it in {self.worse_frames} frames" if self.worse_frames else ""
        mean = f"{1000 * self.mean:.2f} mm on average, " if self.mean > 0.0 else ""
        return (
            f"{mean}{1000 * self.rms:.2f} mm RMS "
            f"({1000 * self.worst_frame:.2f} in the worst of {self.frames} frames), "
            f"the skin below {1000 * self.below:.2f} mm{worse}"
        )


def errors_by_motion(
    examples: SkinExamples, mine: FloatArray, below: FloatArray, means: FloatArray
) -> tuple[MotionErrors, ...]:
    """Errors of every motion from mean squared distances (F,) [m^2] of the learnt skin and of the one below it.

    `means` (F,) [m] are the mean distances of the learnt skin.
    """
    found = []
    for motion, frames in enumerate(examples.lengths):
        own = examples.motions == motion
        found.append(
            MotionErrors(
                frames,
                float(np.sqrt(mine[own].mean())),
                float(np.sqrt(mine[own].max())),
                float(np.sqrt(below[own].mean())),
                int((mine[own] > below[own]).sum()),
                float(means[own].mean()),
            )
        )
    return tuple(found)


def check_base(base: str, where: str) -> str:
    """The name of a kinematic skin that learnt shapes can stand on."""
    if base not in BASE_SKINS:
        raise InputError(where, f"the skin below is {base!r}", f"it is one of {', '.join(BASE_SKINS)}", "choose one")
    return base


def blend_rotations(skinning: FloatArray, weights: Weights) -> FloatArray:
    """Rotations (P, 3, 3) blended from those of skinning transforms (J, 4, 4): normalised sums of quaternions.

    Every quaternion is turned to the side of the heaviest one first, so that q and -q do not cancel.
    """
    quaternions = quat_from_matrix(nearest_rotation(skinning[:, :3, :3]))[weights.joints]
    side = np.where(np.einsum("pki,pi->pk", quaternions, quaternions[:, 0]) < 0.0, -1.0, 1.0)
    total = np.einsum("pk,pki->pi", weights.values * side, quaternions)
    return np.asarray(matrix_from_quat(normalize(total)))
