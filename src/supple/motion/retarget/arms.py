"""Arms and the trunk: how far arms must hang out so that a wide body does not swallow them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.arrays import BoolArray, FloatArray, IntArray
from supple.character.anatomy.humanoid import SIDES, Anatomy, body_axes
from supple.character.character import Character
from supple.geometry import quaternions
from supple.geometry.collision.winding import Windings

_ANGLES = np.radians(np.arange(0.0, 46.0, 3.0))
_MOMENTS = 48  # of a motion that are looked at
_ALONG = np.linspace(0.0, 1.0, 4)  # places between elbow and wrist, and between wrist and fingertip
_TOUCHING = 0.1  # of the moments may leave the arm in the trunk: a hand may well touch the belly
_CLEAR = 0.4  # of the arm's own thickness, by which its middle must be outside the trunk


def held_off(skin: Character, to: Anatomy, rotations: FloatArray, positions: FloatArray) -> FloatArray:
    """Turns (F, J, 3, 3) with both arms spread as far as the trunk of this body asks for, and no farther.

    Each arm is turned outwards about the chest's forward axis by one angle for the whole motion, so that it moves as
    it did. The angle is the least at which the forearm is clear of the trunk in nine of ten moments, 45 degrees at
    most; no angle helps where a motion crosses the arms. Arms that are outside as it is are left as they are.
    """
    trunk = _Trunk(skin, to)
    result = rotations.copy()
    for sign, side in zip((1.0, -1.0), SIDES, strict=True):
        arm = [to.parts.get(f"{side} {part}") for part in ("upper arm", "lower arm", "hand")]
        if None in arm or not trunk.usable:
            continue
        shoulder, elbow, wrist = (int(joint) for joint in arm if joint is not None)
        moments = np.unique(np.linspace(0, len(rotations) - 1, _MOMENTS).astype(int))
        outwards = sign * np.einsum("fij,j->fi", rotations[:, trunk.chest], body_axes(to)[:, 2])
        tip = to.ends[wrist]
        heads = to.skeleton.heads
        rest = np.concatenate([_between(heads[elbow], heads[wrist]), _between(heads[wrist], tip)[1:]])
        owners = np.array([elbow] * len(_ALONG) + [wrist] * (len(_ALONG) - 1))
        there = positions[moments][:, owners] + np.einsum(
            "fsij,sj->fsi", rotations[moments][:, owners], rest - heads[owners]
        )
        enough = _CLEAR * _thickness(skin, elbow, heads[elbow], heads[wrist])
        angle = 0.0
        for angle in _ANGLES:
            spread = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(outwards[moments], angle))
            pivot = positions[moments, shoulder][:, None]
            moved = pivot + np.einsum("fij,fsj->fsi", spread, there - pivot)
            outside = trunk.distance(moved, rotations[moments], positions[moments]).min(axis=1)
            if (outside < (enough if angle > 0.0 else 0.0)).mean() <= _TOUCHING:
                break
        if angle > 0.0:
            below = to.skeleton.descendants(shoulder)
            spread = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(outwards, angle))
            result[:, below] = spread[:, None] @ rotations[:, below]
    return result


def _between(start: FloatArray, end: FloatArray) -> FloatArray:
    return start + _ALONG[:, None] * (end - start)


def _thickness(skin: Character, joint: int, start: FloatArray, end: FloatArray) -> float:
    """The median distance [m] of a bone's skin from the bone."""
    from supple.geometry.segments import distances_to_segments

    weights = skin.weights
    own = np.zeros(0, dtype=int) if weights is None else np.flatnonzero(weights.joints[:, 0] == joint)
    if not len(own):
        return 0.0
    return float(np.median(distances_to_segments(skin.points[own], start[None], end[None])[0]))


class _Trunk:
    """The skin of hips and spine at rest, which every place is brought to by the nearest joint of the trunk."""

    def __init__(self, skin: Character, to: Anatomy) -> None:
        joints = [to.parts["hips"], *to.spine] if "hips" in to.parts else []
        self.joints = np.array(joints, dtype=int)
        self.chest = int(joints[-1]) if joints else 0
        self.heads = to.skeleton.heads
        kept = self._triangles(skin)
        self.usable = len(joints) > 1 and len(kept) > 20
        self._points = skin.points
        self._faces = np.ascontiguousarray(kept, dtype=np.int64)

    @cached_property
    def _windings(self) -> Windings:
        return Windings(self._points, self._faces)

    def _triangles(self, skin: Character) -> IntArray:
        if skin.weights is None:
            return np.zeros((0, 3), dtype=np.int32)
        own: BoolArray = np.isin(skin.weights.joints[:, 0], self.joints)
        return skin.triangles[own[skin.triangles].all(axis=1)]

    def distance(self, points: FloatArray, rotations: FloatArray, positions: FloatArray) -> FloatArray:
        """How far (F, S) [m] places (F, S, 3) are outside the trunk in its pose; negative inside."""
        import igl

        apart = np.linalg.norm(points[:, :, None] - positions[:, None, self.joints], axis=3)
        joint = self.joints[apart.argmin(axis=2)]
        frame = np.arange(len(points))[:, None]
        away = points - positions[frame, joint]
        rest = (self.heads[joint] + np.einsum("fsji,fsj->fsi", rotations[frame, joint], away)).reshape(-1, 3)
        square, _, _ = igl.point_mesh_squared_distance(rest, self._points, self._faces)
        inside = self._windings(rest) > 0.5
        return np.where(inside, -1.0, 1.0).reshape(joint.shape) * np.sqrt(square).reshape(joint.shape)
