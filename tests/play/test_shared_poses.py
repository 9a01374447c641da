"""Poses that several players share are sampled once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import supple
from supple.motion.shared import SharedPoses


class Counted:
    """A source that knows how often it was asked."""

    def __init__(self, source):
        self.source, self.asked = source, []

    @property
    def skeleton(self):
        return self.source.skeleton

    def sample(self, time):
        self.asked.append(time)
        return self.source.sample(time)


def test_every_time_is_sampled_once_until_it_is_forgotten():
    hero = supple.character("hero", vertices=500)
    walk = supple.motion("walk", hero)
    counted = Counted(walk)
    poses = SharedPoses(counted)
    assert poses.skeleton is walk.skeleton
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(poses.sample, [0.1, 0.2] * 20))
    assert sorted(counted.asked) == [0.1, 0.2]
    np.testing.assert_array_equal(found[0].world_from_joint, walk.sample(0.1).world_from_joint)
    poses.forget()
    poses.sample(0.1)
    assert sorted(counted.asked) == [0.1, 0.1, 0.2]


def test_players_that_share_poses_play_as_they_do_alone():
    hero = supple.character("hero", vertices=500)
    walk = supple.motion("walk", hero)
    poses = SharedPoses(walk)
    for skin in (supple.LinearBlend(), supple.LayeredLattice()):
        together, alone = supple.player(hero, skin), supple.player(hero, skin)
        for frame in range(4):
            np.testing.assert_array_equal(together.play(poses, frame / 50.0), alone.play(walk, frame / 50.0))
            poses.forget()
