"""Blender plays a decomposition: the GLB of the found bones, read by its own importer, is as far off as we say."""

import numpy as np
import pytest
from blender import ask_blender, blender_python
from scipy.spatial import KDTree

import supple
from conftest import make_tube
from supple import Motion, Pose, decompose
from supple.decompose import PointSequence
from supple.geometry import quaternions

FPS = 24.0


@pytest.fixture(autouse=True)
def needs_blender():
    """Nothing is worked out where nobody can look at it."""
    if blender_python() is None:
        pytest.skip("no Python here has bpy (`make peers` installs one)")


def shown_by_blender(found, path):
    """The points (F, V, 3) that Blender shows, in our order.

    Blender may split vertices, so each of ours is taken from the nearest of Blender's over some frames at once.
    """
    supple.save(found.character(), path)
    count = len(found.points)
    seen = ask_blender({"do": "shown", "key": "it", "file": str(path), "fps": found.sequence.fps, "frames": count})
    shown = seen["it points"]
    few = np.unique(np.linspace(0, count - 1, 5).astype(int))
    where = np.moveaxis(shown[few], 0, 1).reshape(shown.shape[1], -1)
    ours = np.moveaxis(found.points[few], 0, 1).reshape(found.points.shape[1], -1)
    return shown[:, KDTree(where).query(ours)[1]]


def off(points, reference):
    return float(np.sqrt(np.mean(np.sum((points.astype(np.float64) - reference) ** 2, axis=2))))


@pytest.mark.parametrize("keep", [False, True])
def test_blender_shows_the_bones_we_found(keep, tmp_path):
    tube = make_tube(rings=17, sectors=8, bones=3)

    def pose(time):
        bend = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 1.2 * np.sin(6.0 * time))
        return Pose.from_rotations(tube.skeleton, {"bone1": bend, "bone2": bend})

    motion = Motion.from_poses(tube.skeleton, pose, seconds=0.5, fps=FPS, name="bend")
    bake = supple.bake(tube, motion, supple.DualQuaternion())
    found = decompose(bake, bones=3, keep_skeleton=keep, stretch=False, rounds=10)
    shown = shown_by_blender(found, tmp_path / "tube.glb")
    assert np.abs(shown - found.points).max() < 1e-5
    assert off(shown, bake.points) == pytest.approx(found.error.rms, rel=1e-3)


def test_blender_shows_captured_frames_as_near_as_we_say(data_file, tmp_path):
    with np.load(data_file("sequences/dembones_bone_anim.npz")) as file:
        sequence = PointSequence(file["V"], polygons=file["quads"], fps=FPS)
    found = decompose(sequence, bones=20, stretch=False, rounds=12)
    shown = shown_by_blender(found, tmp_path / "captured.glb")
    assert off(shown, sequence.points) == pytest.approx(found.error.rms, rel=1e-3)
    assert off(shown, sequence.points) < 0.012
