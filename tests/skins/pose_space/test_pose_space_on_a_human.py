"""Pose space on a captured human: motions that were kept out as a whole, taught by position based flesh."""

from pathlib import Path

import pytest

import supple
from supple.skins.pose_space import SkinExamples, fit_pose_space, save_pose_space

HUMAN = Path(__file__).parents[3].parent / "shared" / "data" / "gltf" / "human_cmu_8clips.glb"
KEPT_OUT = ("walk", "jump_balance", "side_flip")


@pytest.mark.slow
@pytest.mark.skipif(not HUMAN.is_file(), reason="the human is not there")
def test_motions_that_were_never_shown_are_within_three_millimetres(tmp_path):
    """And in no frame worse than the skin below, by a model that is a small file."""
    human = supple.load(HUMAN)
    kept_out = [name for name in human.motions if any(word in name.lower() for word in KEPT_OUT)]
    assert len(kept_out) == 3
    bakes = {
        name: supple.bake(human, motion, supple.PositionBased(), fps=30.0) for name, motion in human.motions.items()
    }
    model = fit_pose_space(
        human,
        SkinExamples.of(*(bake for name, bake in bakes.items() if name not in kept_out)),
        test=SkinExamples.of(*(bakes[name] for name in kept_out)),
    )
    for tested in model.errors.tested:
        assert tested.mean < 3e-3
        assert tested.rms < tested.below
        assert tested.worse_frames == 0
    save_pose_space(model, tmp_path / "human.npz")
    (saved,) = tmp_path.iterdir()
    assert saved.stat().st_size < 1.5e6
