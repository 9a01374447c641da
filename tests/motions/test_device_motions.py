"""Poses of a crowd made by kernels, against those that the host makes."""

import numpy as np
import pytest

import supple
from supple import Motion, Pose
from supple import device as devices
from supple.character import Crowd
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion import CrowdMotion
from supple.motion.sampling import DeviceMotions

DEVICES = ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)]
COPIES = 7


def clips(character):
    """A loop that strides on, a clip that ends, one pose alone, and one with stretching joints."""
    walk = supple.motion("walk", character).replace(stride=np.array([0.0, 0.1, 1.3]))
    once = walk.replace(loop=False)
    still = Motion.from_poses(character.skeleton, lambda _: Pose.rest(character.skeleton), seconds=0.0)
    scales = 1.0 + 0.3 * np.random.default_rng(1).random(walk.translations.shape)
    return [walk, once, still, walk.replace(scales=scales)]


@pytest.fixture(scope="module")
def cast():
    hero = supple.character("hero", vertices=500)
    motions = clips(hero)
    return hero, [motions[c % len(motions)] for c in range(COPIES)], np.linspace(-2.0, 3.0, COPIES)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("time", [0.0, 0.37, 61.3])
def test_kernels_pose_a_crowd_as_the_host_does(cast, device, time):
    hero, sources, delays = cast
    crowd = Crowd.of(hero, COPIES)
    motion = CrowdMotion(crowd, sources, delays)
    different = list(dict.fromkeys(sources))
    which = np.array([different.index(source) for source in sources], dtype=np.int32)
    on_device = DeviceMotions(different, which, delays, hero.skeleton, device)
    wp = devices.warp()
    joints = len(crowd.skeleton)
    matrices = wp.zeros(joints, dtype=wp.types.matrix(shape=(3, 4), dtype=wp.float32), device=device)
    heads = wp.zeros(joints, dtype=wp.vec3f, device=device)
    on_device.write_skinning(time, matrices)
    on_device.write_heads(time, heads)
    pose = motion.sample(time)
    far = max(1.0, np.abs(pose.world_from_joint).max())
    np.testing.assert_allclose(matrices.numpy(), pose.skinning(crowd.skeleton)[:, :3], atol=3e-6 * far)
    np.testing.assert_allclose(heads.numpy(), pose.world_from_joint[:, :3, 3], atol=3e-6 * far)


def test_a_crowds_pose_is_made_when_it_is_looked_at(cast, monkeypatch):
    hero, sources, delays = cast
    crowd = Crowd.of(hero, COPIES)
    motion = CrowdMotion(crowd, sources, delays)
    pose = motion.sample(0.4)
    assert "world_from_joint" not in vars(pose)
    assert len(pose) == len(crowd.skeleton)
    assert pose.world_from_joint.shape == (len(pose), 4, 4)
    assert pose.world_from_joint is pose.world_from_joint
    with pytest.raises(ValueError, match="read-only"):
        pose.world_from_joint[0, 0, 0] = 1.0
    each = [source.sample(0.4 + delay) for source, delay in zip(sources, delays, strict=True)]
    np.testing.assert_allclose(pose.world_from_joint, np.concatenate([one.world_from_joint for one in each]), atol=1e-9)
    with pytest.raises(InputError, match="finite time"):
        motion.sample(float("nan"))


class Live:
    """A source that is no motion: it has one pose, which changes."""

    def __init__(self, skeleton):
        self.skeleton, self.turn = skeleton, 0.0

    def sample(self, time):
        turn = quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], self.turn)
        return Pose.from_rotations(self.skeleton, {self.skeleton.names[0]: turn})


def test_what_is_live_is_looked_at_at_once(cast):
    hero, *_ = cast
    live = Live(hero.skeleton)
    motion = CrowdMotion(Crowd.of(hero, 2), [live, supple.motion("walk", hero)])
    pose = motion.sample(0.0)
    live.turn = 1.0
    np.testing.assert_allclose(pose.world_from_joint[0], Pose.rest(hero.skeleton).world_from_joint[0], atol=1e-12)
    assert motion.on_device("cuda:0") is None
