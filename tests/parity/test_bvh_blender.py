"""BVH joints against Blender's own import, where some Python here has Blender's module."""

import warnings

import numpy as np
import pytest
from blender import ask_blender

from supple.errors import SuppleWarning
from supple.io.bvh.reader import read_motion

CLIPS = ["bvh_test1", "cmu_02_01", "cmu_02_04", "cmu_10_01", "cmu_16_01", "rotation_first_root"]


def error_against_blender(path) -> float:
    """Largest distance of a joint at ten frames and more, relative to the height of the skeleton."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        motion = read_motion(path, metres_per_unit=1.0)
    frames = list(range(0, motion.frames, max(1, motion.frames // 10)))
    theirs = ask_blender({"do": "joints", "key": "bvh", "file": str(path), "frames": frames})
    order = [motion.skeleton.index(name) for name in theirs["bvh names"].tolist()]
    assert len(order) == len(motion.skeleton)
    ours = np.stack([motion.sample(frame / motion.fps).world_from_joint[order, :3, 3] for frame in frames])
    if path.stem == "bvh_test1":  # z is up in that file, and ours was stood up
        ours = np.stack([ours[..., 0], -ours[..., 2], ours[..., 1]], axis=-1)
    apart = np.linalg.norm(ours - theirs["bvh heads"], axis=-1).max()
    return float(apart / np.ptp(motion.skeleton.heads, axis=0).max())


@pytest.mark.parametrize("name", CLIPS)
def test_blender_puts_the_joints_in_the_same_places(data_file, name):
    assert error_against_blender(data_file(f"bvh/{name}.bvh")) <= 1e-3
