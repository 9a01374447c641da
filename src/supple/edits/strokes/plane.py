"""The plane that strokes in space are drawn on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from supple.arrays import FloatArray, frozen
from supple.edits.strokes.view import View
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import Pose

_WHERE = "Plane"


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through `point` (3,) [m], across `normal` (3,); moved and turned by value."""

    point: FloatArray
    normal: FloatArray

    def __post_init__(self) -> None:
        normal = frozen(self.normal, np.float64, (3,), _WHERE, "normal")
        if not np.linalg.norm(normal) > 1e-12:
            raise InputError(_WHERE, "its normal is zero", "a direction is needed", "point it at the viewer")
        object.__setattr__(self, "point", frozen(self.point, np.float64, (3,), _WHERE, "point"))
        object.__setattr__(self, "normal", quaternions.normalize(normal))

    @classmethod
    def facing(cls, view: View, point: ArrayLike) -> Plane:
        """Through a point (3,) [m], facing the viewer."""
        return cls(np.asarray(point, dtype=np.float64), view.axes[2])

    @classmethod
    def through_joint(cls, pose: Pose, joint: int = 0, *, view: View) -> Plane:
        """Through a joint of a pose, the first root without a number, facing the viewer."""
        if not 0 <= joint < len(pose):
            raise InputError(_WHERE, f"joint {joint} was named", f"there are 0 to {len(pose) - 1}", "name one of those")
        return cls.facing(view, pose.world_from_joint[joint, :3, 3])

    def moved(self, by: ArrayLike) -> Plane:
        """The same plane elsewhere, `by` (3,) [m]."""
        return replace(self, point=self.point + frozen(by, np.float64, (3,), _WHERE, "by"))

    def rotated(self, quaternion: ArrayLike) -> Plane:
        """The same plane turned about its point by a quaternion x y z w."""
        return replace(self, normal=quaternions.matrix_from_quat(quaternion) @ self.normal)

    def places(self, view: View, pixels: ArrayLike) -> FloatArray:
        """Where (N, 3) [m] rays through `pixels` (N, 2) meet it; one that misses it is refused."""
        return view.on_plane(pixels, self.point, normal=self.normal)
