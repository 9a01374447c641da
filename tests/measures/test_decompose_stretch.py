"""Bones that stretch: known ones come back, fitting them never raises an error, and they make a rig like any other."""

from __future__ import annotations

import numpy as np
import pytest
from decompose_scenes import FPS, carried, rigid, sequence_of, waving_bake

import supple
from conftest import make_tube
from supple import LinearBlend, decompose
from supple.cli.main import main as run
from supple.decompose.frames import Frames
from supple.decompose.rigid import STILL, Moments, fit_bones
from supple.decompose.stretch_axes import stretch_axes
from supple.errors import InputError


@pytest.fixture(scope="module")
def bake():
    return waving_bake()


@pytest.fixture(scope="module")
def found(bake):
    return decompose(bake, bones=5, stretch=True, tries=2)


def stretched(random, frames):
    """Transforms (F, 4, 4) that turn, and stretch along three directions which stay as they are, and those (3, 3)."""
    axes = rigid(random, 1)[0, :3, :3]
    transforms = rigid(random, frames, rotation=0.6)
    scales = random.uniform(0.6, 1.8, (frames, 3))
    transforms[:, :3, :3] = transforms[:, :3, :3] @ (axes * scales[:, None]) @ axes.T
    return transforms, axes


def errors(frames, bones, weights):
    there = np.einsum("vb,bfij,vj->fvi", weights, bones, frames.rest)
    goal = frames.rest[:, :3] + frames.moved.reshape(len(frames.rest), frames.count, 3).swapaxes(0, 1)
    return np.sum((there - goal) ** 2, axis=(1, 2))


def test_a_body_that_stretches_is_one_bone_without_error():
    tube = make_tube(rings=13, sectors=9)
    transforms, _ = stretched(np.random.default_rng(1), 8)
    points = carried(tube.points, np.ones((len(tube.points), 1)), transforms[:, None])
    sequence = sequence_of(tube, points)
    assert decompose(sequence, bones=1, stretch=False).error.rms > 0.05
    assert decompose(sequence, bones=1, stretch=True).error.rms < 1e-3


def test_the_directions_of_a_stretch_are_found():
    random = np.random.default_rng(2)
    rest = random.normal(size=(60, 3))
    transforms, axes = stretched(random, 20)
    frames = Frames.from_points(rest, carried(rest, np.ones((60, 1)), transforms[:, None]))
    moments = Moments.from_frames(frames, np.ones((60, 1)))
    start = fit_bones(moments, np.tile(STILL, (1, 20, 1, 1)), free=np.ones(1, dtype=bool), sweeps=1)
    own = stretch_axes(moments, start)
    assert np.linalg.det(own[0]) == pytest.approx(1.0)
    assert np.abs(own[0].T @ axes).max(axis=0) == pytest.approx(1.0, abs=0.02)
    bones = fit_bones(moments, start, free=np.ones(1, dtype=bool), sweeps=20, axes=own)
    assert errors(frames, bones, np.ones((60, 1))).max() < 1e-2 * errors(frames, start, np.ones((60, 1))).min()


@pytest.mark.parametrize("seed", range(4))
def test_fitting_bones_that_stretch_never_raises_the_error_of_a_frame(seed):
    random = np.random.default_rng(seed)
    rest = random.normal(size=(40, 3)) * np.array([1.0, 1.0, 0.0 if seed == 3 else 0.5])
    frames = Frames.from_points(rest, rest + 0.4 * random.normal(size=(5, 40, 3)))
    weights = random.dirichlet(np.ones(3), size=40)
    bones = np.tile(STILL, (3, 5, 1, 1))
    moments = Moments.from_frames(frames, weights)
    axes = stretch_axes(moments, bones)
    before = errors(frames, bones, weights)
    for _ in range(5):
        bones = fit_bones(moments, bones, free=np.ones(3, dtype=bool), sweeps=1, axes=axes)
        after = errors(frames, bones, weights)
        assert (after <= before * (1.0 + 1e-9)).all()
        before = after
    gram = np.swapaxes(bones[..., :3] @ axes[:, None], -1, -2) @ (bones[..., :3] @ axes[:, None])
    lengths = np.sqrt(np.einsum("bfii->bfi", gram))
    assert (lengths >= 0.5 - 1e-9).all()
    assert (lengths <= 2.0 + 1e-9).all()
    assert np.abs(gram - np.einsum("bfi,ij->bfij", lengths**2, np.eye(3))).max() < 1e-9


def test_bones_that_stretch_leave_less_error(bake, found):
    assert found.error.rms < 0.95 * decompose(bake, bones=5, stretch=False, tries=2).error.rms
    assert "5 bones on 1 joint" in repr(found)
    assert found.skeleton.names[0] == "body"
    assert found.skeleton.parents.tolist() == [-1, 0, 0, 0, 0, 0]
    assert not found.weights.dense(6)[:, 0].any()


@pytest.mark.parametrize("name", ["body.glb", "body.usda"])
def test_they_are_written_and_read_back(found, name, tmp_path):
    if name.endswith("usda"):
        pytest.importorskip("pxr")
    supple.save(found.character(), tmp_path / name)
    body = supple.load(tmp_path / name)
    shown = supple.bake(body, next(iter(body.motions.values())), LinearBlend(), fps=FPS)
    assert np.abs(shown.points - found.points).max() < (1e-4 if name.endswith("glb") else 1e-3)  # halves in USD


def test_the_command_knows_them_and_joints_that_stay_do_not(bake, tmp_path, capsys):
    path = tmp_path / "wave.supple"
    path.write_bytes(bake.path.read_bytes())
    words = ["decompose", str(path), "--bones", "3", "--stretch", "--rounds", "4", "--tries", "1"]
    assert run([*words, "-o", str(tmp_path / "wave.glb")]) == 0
    assert "4 joints (3 found)" in capsys.readouterr().out
    assert run([*words, "--keep-skeleton", "-o", str(tmp_path / "kept.glb")]) == 2
    with pytest.raises(InputError, match="stretch and keep_skeleton"):
        decompose(bake, bones=2, stretch=True, keep_skeleton=True)
