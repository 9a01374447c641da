"""Motions that were written with z up, stood up with y up."""

from __future__ import annotations

import warnings

import numpy as np

from supple.character.anatomy.humanoid import Anatomy, body_axes
from supple.character.skeleton import Skeleton
from supple.errors import SuppleWarning
from supple.geometry import quaternions
from supple.motion.motion import Motion

_UP_FROM_Z = np.array([-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # z becomes y, y becomes -z


def upright(motion: Motion, where: str) -> Motion:
    """The motion with y up: turned where its body, known by its joint names, stands along z at rest and in its frames.

    A body that stands along y at rest, or that only lies along z in its frames, stays as it is.
    """
    anatomy = Anatomy(motion.skeleton)
    if not anatomy.complete or body_axes(anatomy)[2, 1] < 0.9:
        return motion
    hips = anatomy.parts["hips"]
    middle = np.mean([motion.sample(time).world_from_joint[hips, :3, 2] for time in _some_times(motion)], axis=0)
    if middle[2] < 0.7:
        return motion
    warnings.warn(
        f"{where}: its body stands along z, so z was taken as up and turned to y.", SuppleWarning, stacklevel=4
    )
    rotation = quaternions.matrix_from_quat(_UP_FROM_Z)
    old = motion.skeleton
    tails = None if old.tails is None else old.tails @ rotation.T
    skeleton = Skeleton.from_heads(old.names, old.parents, old.heads @ rotation.T, tails=tails)
    # All frames have the world's axes at rest, so in the new axes each turn is about the turned axis.
    rotations = motion.rotations.copy()
    rotations[..., :3] = rotations[..., :3] @ rotation.T
    return motion.replace(skeleton=skeleton, translations=motion.translations @ rotation.T, rotations=rotations)


def _some_times(motion: Motion) -> list[float]:
    return np.linspace(0.0, motion.duration, min(motion.frames, 20)).tolist()
