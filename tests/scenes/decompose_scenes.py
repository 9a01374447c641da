"""Sequences that the tests of the decomposition take apart."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import supple
from conftest import make_tube
from supple import Cache, Motion, Pose
from supple.decompose import PointSequence
from supple.geometry import quaternions

FPS = 24.0


def rigid(random, count, *, rotation=0.8, move=0.4):
    """Rigid transforms (count, 4, 4)."""
    matrix = np.tile(np.eye(4), (count, 1, 1))
    matrix[:, :3, :3] = Rotation.from_rotvec(rotation * random.normal(size=(count, 3))).as_matrix()
    matrix[:, :3, 3] = move * random.normal(size=(count, 3))
    return matrix


def carried(rest, weights, transforms):
    """Linear blend, written out: (F, V, 3) of weights (V, B) and transforms (F, B, 4, 4)."""
    each = np.einsum("fbij,vj->fbvi", transforms[..., :3, :3], rest) + transforms[..., None, :3, 3]
    return np.einsum("vb,fbvi->fvi", weights, each)


def made_by(bones, *, frames=16, seed=0):
    """A tube moved by known bones, and the weights and transforms that moved it."""
    tube = make_tube(rings=25, sectors=10, bones=bones)
    random = np.random.default_rng(seed)
    transforms = rigid(random, frames * bones, rotation=0.5, move=0.1).reshape(frames, bones, 4, 4)
    weights = tube.weights.dense(bones)
    return tube, weights, carried(tube.points, weights, transforms)


def sequence_of(tube, points, **more):
    return PointSequence(points, rest=tube.points, triangles=tube.triangles, fps=FPS, **more)


def waving_bake() -> Cache:
    """A tube of three bones that bends and twists under dual quaternions, which no linear blend follows by itself."""
    tube = make_tube(rings=21, sectors=10, bones=3).replace(parts={"low": np.arange(60), "high": np.arange(150, 210)})

    def pose(time):
        bend = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 1.2 * np.sin(6.0 * time))
        twist = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 2.0 * np.sin(4.0 * time))
        return Pose.from_rotations(tube.skeleton, {"bone1": bend, "bone2": twist})

    motion = Motion.from_poses(tube.skeleton, pose, seconds=0.8, fps=FPS, name="wave")
    return supple.bake(tube, motion, supple.DualQuaternion())
