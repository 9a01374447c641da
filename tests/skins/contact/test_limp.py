"""Muscles are let go of by the bone while it plays: a limp arm falls, and the rest holds."""

import numpy as np
import pytest

import supple
from supple.geometry import quaternions
from supple.motion.motion import Motion
from supple.motion.pose import Pose
from supple.settings import changed
from supple.settings.by_name import ByName
from supple.skins.contact.control.limp import is_limp, toggle_all_limp, toggle_limp
from supple.skins.registry import skin_named

SIDES = {"Left": 0.9, "Right": -0.9}  # rad by which arms are raised


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=800)


def strengths(**named):
    return ByName({"default": 0.7, **named})


def test_a_limb_goes_limp_with_all_that_hangs_on_it_and_is_strong_again(hero):
    skeleton = hero.skeleton
    limp = toggle_limp(strengths(), skeleton, "LeftArm")
    assert str(limp) == "0.7, LeftArm=0"
    assert is_limp(limp, skeleton, "LeftHand")
    assert not is_limp(limp, skeleton, "RightHand")
    for joint in ("LeftArm", "LeftForeArm", "LeftHand"):
        assert str(toggle_limp(limp, skeleton, joint)) == "0.7"
    assert str(toggle_limp(strengths(LeftForeArm=0.3), skeleton, "LeftArm")) == "0.7, LeftArm=0"
    both = toggle_limp(limp, skeleton, "RightArm")
    assert str(toggle_limp(both, skeleton, "LeftArm")) == "0.7, RightArm=0"


def test_the_whole_body_goes_limp_and_is_strong_again(hero):
    limp = toggle_all_limp(strengths(LeftArm=0.2))
    assert str(limp) == "0"
    assert is_limp(limp, hero.skeleton, "Head")
    assert str(toggle_all_limp(limp)) == "0.7"
    assert str(toggle_limp(limp, hero.skeleton, "Head")) == "0, Head=0.7"


def test_a_limp_arm_falls_while_it_plays_and_the_rest_holds(hero):
    skeleton = hero.skeleton
    turns = {f"{side}Arm": quaternions.quat_from_axis_angle([0, 0, 1], up) for side, up in SIDES.items()}
    raised = Pose.from_rotations(skeleton, turns)
    still = Motion.from_poses(skeleton, lambda time: raised, seconds=3.0)
    player = supple.player(hero, changed(skin_named("contact"), {"elements": 400}))
    hands = [skeleton.index(name) for name in ("LeftHand", "RightHand", "Head")]

    def heights(start, count):
        for frame in range(start, start + count):
            player.play(still, frame / 60.0)
        return player.simulated_pose.world_from_joint[hands, 1, 3]

    before = heights(0, 20)
    player.change(**{"muscles.strength": toggle_limp(strengths(), skeleton, "LeftArm")})
    after = heights(20, 60)
    assert before[0] - after[0] > 0.2
    np.testing.assert_allclose(after[1:], before[1:], atol=0.03)
    player.change(**{"muscles.strength": strengths()})
    np.testing.assert_allclose(heights(80, 60), before, atol=0.03)
