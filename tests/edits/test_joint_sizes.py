"""Joints that are made larger: with all that hangs on them, in poses and over time, and taken back to what was."""

from functools import cache

import numpy as np
import pytest

import supple
from supple.edits.edits import Edits
from supple.edits.file import load_edits, save_edits, to_dict
from supple.edits.layers import Key, Layer
from supple.edits.pose_edit import PoseEdit
from supple.edits.posing import PoseSlot, joint_size, new_slot, scale_joint
from supple.errors import InputError


@cache
def walking():
    hero = supple.character("hero", vertices=1000)
    return hero, supple.motion("walk", hero)


def pose_of(motion):
    return motion.sample(0.3)


def below(skeleton, name):
    """A joint and all that hangs on it."""
    found = [skeleton.index(name)]
    for joint in found:
        found.extend(skeleton.children(joint).tolist())
    return np.array(found)


@pytest.mark.parametrize("name", ["Head", "LeftForeArm", "Hips"])
def test_a_joint_grows_about_itself_with_all_that_hangs_on_it_and_nothing_else_does(name):
    hero, motion = walking()
    before = pose_of(motion)
    after = scale_joint(hero.skeleton, before, name, 1.7)
    own = below(hero.skeleton, name)
    rest = np.setdiff1d(np.arange(len(hero.skeleton)), own)
    assert np.allclose(after.world_from_joint[rest], before.world_from_joint[rest], atol=1e-12)
    center = before.world_from_joint[own[0], :3, 3]
    moved = center + 1.7 * (before.world_from_joint[own, :3, 3] - center)
    assert np.allclose(after.world_from_joint[own, :3, 3], moved, atol=1e-9)
    assert np.allclose(after.world_from_joint[own, :3, :3], 1.7 * before.world_from_joint[own, :3, :3], atol=1e-9)
    assert joint_size(hero.skeleton, after, name) == pytest.approx(1.7)
    back = scale_joint(hero.skeleton, after, name, 1.0)
    assert np.allclose(back.world_from_joint, before.world_from_joint, atol=1e-9)


def test_what_takes_one_pose_to_another_has_sizes_and_half_of_it_twice_is_all_of_it():
    hero, motion = walking()
    before = pose_of(motion)
    after = scale_joint(hero.skeleton, scale_joint(hero.skeleton, before, "Head", 1.5), "LeftHand", 0.6)
    edit = PoseEdit.between(hero.skeleton, before, after)
    assert edit.sizes == pytest.approx({"Head": 1.5, "LeftHand": 0.6})
    assert np.allclose(edit.on(hero.skeleton, before).world_from_joint, after.world_from_joint, atol=1e-9)
    half = edit.scaled(0.5)
    twice = half.on(hero.skeleton, half.on(hero.skeleton, before))
    assert np.allclose(twice.world_from_joint, after.world_from_joint, atol=1e-9)
    undone = edit.on(hero.skeleton, after, amount=-1.0)
    assert np.allclose(undone.world_from_joint, before.world_from_joint, atol=1e-9)
    turned = PoseEdit({"Head": [0.0, 0.0, 0.3, 1.0]}).on(hero.skeleton, before)
    assert not PoseEdit.between(hero.skeleton, before, turned).sizes  # a turn makes nothing larger


def test_a_layer_lets_a_head_grow_over_time_alike_in_a_motion_and_while_it_plays():
    hero, motion = walking()
    edits = Edits(len(hero.points)).with_pose("big", PoseEdit({}, {}, {"Head": 2.0}))
    layer = Layer(name="big", keys=(Key(time=0.0, use="big", amount=0.0), Key(time=0.6, use="big", amount=1.0)))
    edits = edits.with_layer(layer)
    played = edits.on_motion(motion)
    head = hero.skeleton.index("Head")
    for frame in (0, 7, 18):
        time = float(motion.times[frame])
        amount = edits.amounts(time, period=motion.duration)["big"]
        sampled = edits.on_source(motion).sample(time)
        assert np.allclose(played.sample(time).world_from_joint, sampled.world_from_joint, atol=1e-6)
        size = np.linalg.norm(sampled.world_from_joint[head, :3, 0])
        assert size == pytest.approx(2.0**amount, rel=1e-6)


def test_the_skin_of_a_head_that_grew_is_as_much_larger():
    hero, motion = walking()
    player = supple.player(hero, supple.LinearBlend())
    pose = pose_of(motion)
    before = np.array(player.advance(pose))
    after = np.array(player.advance(scale_joint(hero.skeleton, pose, "Head", 1.5)))
    firm = hero.weights.dense(len(hero.skeleton))[:, hero.skeleton.index("Head")] > 0.999
    assert firm.sum() > 10
    center = pose.world_from_joint[hero.skeleton.index("Head"), :3, 3]
    assert np.allclose(after[firm] - center, 1.5 * (before[firm] - center), atol=2e-3)


def test_a_slot_keeps_sizes_beside_other_layers():
    hero, motion = walking()
    plain = pose_of(motion)
    edits = Edits(len(hero.points)).with_pose("later", PoseEdit({}, {}, {"Spine": 1.2}))
    slot = new_slot(edits, "Pose")
    edits = slot.edits.with_layer(Layer.still("later", "later"))
    posed = scale_joint(hero.skeleton, edits.on_pose(hero.skeleton, plain, 0.3), "Head", 1.4)
    made = PoseSlot(edits, slot.layer, slot.use).posed(hero.skeleton, plain, posed, 0.3)
    assert np.allclose(made.on_pose(hero.skeleton, plain, 0.3).world_from_joint, posed.world_from_joint, atol=1e-9)
    assert made.poses[slot.use].sizes == pytest.approx({"Head": 1.4})
    assert made.poses[slot.use].without("Head").joints == []


def test_sizes_are_saved_and_files_without_any_are_as_they_were(tmp_path):
    edits = Edits(12).with_pose("big", PoseEdit({}, {"Hips": [0.0, 0.1, 0.0]}, {"Head": 1.25}))
    save_edits(edits, tmp_path / "one.edits.json")
    again = load_edits(tmp_path / "one.edits.json")
    assert dict(again.poses["big"].sizes) == {"Head": 1.25}
    assert "sizes" not in to_dict(Edits(12).with_pose("plain", PoseEdit({})))["poses"]["plain"]


@pytest.mark.parametrize("size", [0.0, -1.0, np.inf, np.nan])
def test_what_is_no_size_is_refused(size):
    with pytest.raises(InputError, match="size"):
        PoseEdit({}, {}, {"Head": size})
    hero, motion = walking()
    with pytest.raises(InputError):
        scale_joint(hero.skeleton, pose_of(motion), "Head", size)
