"""What training is told: a skin in several poses, and the same as curves see it, over a kinematic skin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple import device as devices
from supple.arrays import FloatArray, frozen
from supple.character.character import Character
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.skins.base import AnySkin, Skin
from supple.skins.curves.learn.model import BASES
from supple.skins.curves.learn.pose_space import Drivers, joint_rotations
from supple.skins.curves.network.curve_network import blend_rotations
from supple.skins.curves.network.transfer import Transfer
from supple.skins.kinematic.delta_mush import DeltaMush
from supple.skins.kinematic.dual_quaternion import DualQuaternion
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.kinematic.rotation_centers import RotationCenters

BASE_SKINS: dict[str, type[Skin[Any, Any]]] = {kind.command_name: kind for kind in (LinearBlend, DualQuaternion)}
TEACHERS: dict[str, type[Skin[Any, Any]]] = {
    kind.command_name: kind for kind in (DeltaMush, RotationCenters, DualQuaternion, LinearBlend)
}


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
    """A bake, as far as training looks at it: points (F, V, 3) [m] and the pose of every frame."""

    @property
    def points(self) -> NDArray[np.float32]: ...

    def pose(self, frame: int) -> Pose: ...


@dataclass(frozen=True, eq=False)
class CurveExamples:
    """A skin in several poses: `points` (F, V, 3) [m] of the same mesh, and the pose of each."""

    poses: tuple[Pose, ...]
    points: NDArray[np.floating]

    def __post_init__(self) -> None:
        object.__setattr__(self, "poses", tuple(self.poses))
        shape = np.shape(self.points)
        if len(shape) != 3 or shape[2] != 3 or shape[0] != len(self.poses) or not shape[0]:
            given = f"there are {len(self.poses)} poses and points {shape}"
            raise InputError("CurveExamples", given, "(poses, vertices, 3) is needed", "give one mesh for every pose")
        if not np.isfinite(self.points).all():
            raise InputError(
                "CurveExamples", "points are not finite", "finite numbers are needed", "remove those frames"
            )

    @classmethod
    def of(cls, *bakes: Baked) -> Self:
        """All frames of bakes of one character."""
        if not bakes:
            raise InputError("CurveExamples", "no bake was given", "at least one is needed", "bake a skin first")
        sizes = {bake.points.shape[1] for bake in bakes}
        if len(sizes) != 1:
            given = f"the bakes have {', '.join(str(size) for size in sorted(sizes))} vertices"
            raise InputError("CurveExamples", given, "all are of one character", "train them apart")
        poses = tuple(bake.pose(frame) for bake in bakes for frame in range(len(bake.points)))
        return cls(poses, np.concatenate([bake.points for bake in bakes]))

    @classmethod
    def sculpted(
        cls, character: Character, poses: Sequence[Pose], offsets: ArrayLike, *, base: str = "dual-quaternion"
    ) -> Self:
        """Shapes drawn for some poses: `offsets` (F, V, 3) [m] as seen at rest, such as `SurfaceEdit.dense`.

        They turn with the bones and are added to the kinematic skin `base`; train with the same one.
        """
        drawn = frozen(offsets, np.float64, (len(poses), len(character.points), 3), "CurveExamples", "offsets")
        below = HostSkin(BASE_SKINS[check_base(base)](), character)
        weights = character.require_weights("CurveExamples")
        shapes = [
            below(pose)
            + np.einsum("vij,vj->vi", blend_rotations(pose.skinning(character.skeleton), weights), drawn_one)
            for pose, drawn_one in zip(poses, drawn, strict=True)
        ]
        return cls(tuple(poses), np.array(shapes).reshape(drawn.shape))

    def __len__(self) -> int:
        return len(self.poses)


@dataclass(frozen=True, eq=False)
class CurveDataset:
    """The frames as the curves see them: offsets from the base at rest, of vertices and of nodes, and joints' turns."""

    offsets: FloatArray  # (F, V, 3)
    nodes: FloatArray  # (F, n, 3)
    rotations: FloatArray  # (F, K, 3)

    @classmethod
    def from_examples(
        cls,
        character: Character,
        examples: CurveExamples,
        transfer: Transfer,
        drivers: Drivers,
        *,
        base: str,
        watch: Callable[[int], None] | None = None,
    ) -> Self:
        below, weights = HostSkin(BASE_SKINS[base](), character), character.require_weights("fit_curves")
        offsets, nodes, rotations = [], [], []
        for frame, (pose, points) in enumerate(zip(examples.poses, examples.points, strict=True)):
            if watch is not None:
                watch(frame)
            back = blend_rotations(pose.skinning(character.skeleton), weights)
            offset = np.einsum("vji,vj->vi", back, points.astype(np.float64) - below(pose))
            offsets.append(offset)
            nodes.append(transfer.fit(offset))
            rotations.append(drivers.rotation_vectors(joint_rotations(pose, character.skeleton)))
        return cls(np.stack(offsets), np.stack(nodes), np.stack(rotations))


def check_base(base: str) -> str:
    """The name of a kinematic skin that curves can stand on."""
    if base not in BASES:
        raise InputError("fit_curves", f"base is {base!r}", f"it is one of {', '.join(BASES)}", "choose one")
    return base
