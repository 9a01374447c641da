"""Poses of a crowd: those of its members, each at its own time, looked up together."""

import numpy as np
import pytest

import supple
from supple.character import Crowd
from supple.errors import InputError
from supple.motion import CrowdMotion
from supple.motion.live.noise import NoisyMotion

COUNT = 7


@pytest.fixture(scope="module")
def tube():
    return supple.character("tube", vertices=500)


@pytest.fixture(scope="module")
def crowd(tube):
    return Crowd.of(tube, COUNT)


def one_by_one(sources, times):
    return np.concatenate([source.sample(time).world_from_joint for source, time in zip(sources, times, strict=True)])


def test_a_crowd_is_where_its_members_are_each_at_its_own_time(tube, crowd):
    bend, twist = supple.motion("bend", tube), supple.motion("twist", tube)
    noisy = NoisyMotion(bend)  # no motion of keys: it is asked one time after another
    sources = [bend, twist, bend, noisy, twist, noisy, bend]
    delays = np.linspace(-1.0, 2.5 * bend.duration, COUNT)
    source = CrowdMotion(crowd, sources, delays)
    for time in (0.0, 0.37, 5.0):
        np.testing.assert_array_equal(source.sample(time).world_from_joint, one_by_one(sources, time + delays))


def test_a_crowd_that_walks_on_has_gone_as_far_as_its_members():
    hero = supple.character("hero", vertices=1000)
    walk = supple.motion("walk", hero)
    assert np.linalg.norm(walk.stride) > 0.1
    delays = [0.0, 0.4 * walk.duration, 3.2 * walk.duration]
    source = CrowdMotion(Crowd.of(hero, 3), [walk] * 3, delays)
    np.testing.assert_array_equal(source.sample(0.1).world_from_joint, one_by_one([walk] * 3, 0.1 + np.array(delays)))


def test_times_that_are_none_are_refused(tube, crowd):
    source = CrowdMotion(crowd, [supple.motion("bend", tube)] * COUNT)
    with pytest.raises(InputError, match="finite time"):
        source.sample(float("nan"))


def test_every_copy_has_shapes_of_its_own():
    """Under a blend, shares of shapes in the motions of single copies change those alone; plain names change all."""
    hero = supple.character("hero", vertices=700)
    rng = np.random.default_rng(0)
    shaped = hero.replace(shapes={name: rng.normal(0.0, 0.01, hero.points.shape) for name in ("smile", "a/b")})
    walk = supple.motion("walk", shaped)
    smiling = walk.replace(shapes={"smile": np.linspace(0.0, 1.0, walk.frames), "a/b": np.full(walk.frames, 0.3)})
    live, delays = NoisyMotion(smiling), [0.0, 0.2, 0.4]
    for sources in ([walk, smiling, smiling], [smiling, walk, live]):
        crowd = Crowd.of(shaped, 3)
        motion, player = CrowdMotion(crowd, sources, delays), supple.player(crowd, supple.LinearBlend())
        for time in (0.1, 0.3, 0.35):
            found = crowd.apart(player.play(motion, time))
            for copy, source in enumerate(sources):
                wanted = supple.player(shaped, supple.LinearBlend()).play(source, time + delays[copy])
                np.testing.assert_allclose(found[copy], wanted, atol=1e-6)
    both = supple.Pose(crowd.skeleton.world_from_joint, shapes={"smile": 0.5, "1/a/b": 1.0, "9/smile": 1.0, "1/x": 1.0})
    rest = crowd.apart(player.advance(both))
    np.testing.assert_allclose(rest[0], shaped.points + 0.5 * shaped.shapes["smile"], atol=1e-6)
    np.testing.assert_allclose(rest[1], rest[0] + shaped.shapes["a/b"], atol=1e-6)
