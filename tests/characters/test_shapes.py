"""Shapes (morph targets) over time: in poses and motions, under every plain skin, and in a bake."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import Motion, Pose
from supple.character.fingerprint import fingerprint
from supple.errors import InputError
from supple.motion.pose import between

BLENDS = [supple.LinearBlend(), supple.DualQuaternion(), supple.RotationCenters(), supple.DeltaMush()]


@pytest.fixture(scope="module")
def shaped():
    tube = make_tube(bones=3)
    wide, long = np.zeros_like(tube.points), np.zeros_like(tube.points)
    wide[:, [0, 2]] = 0.3 * tube.points[:, [0, 2]]
    long[:, 1] = 0.1 * tube.points[:, 1]
    return tube.replace(shapes={"wide": wide, "long": long})


def bent(character, **shares):
    rotation = {"bone1": (0.0, 0.0, np.sin(0.4), np.cos(0.4))}
    return Pose(Pose.from_rotations(character.skeleton, rotation).world_from_joint, shapes=shares)


@pytest.mark.parametrize("skin", BLENDS, ids=lambda s: s.command_name)
def test_shapes_are_added_at_rest_and_then_carried_by_the_joints(shaped, skin):
    player = supple.player(shaped, skin)
    rest = player.advance(Pose(shaped.skeleton.world_from_joint, shapes={"wide": 0.5, "long": -1.0}))
    expected = shaped.points + 0.5 * shaped.shapes["wide"] - shaped.shapes["long"]
    assert np.abs(rest - expected).max() < 1e-6
    plain = player.advance(bent(shaped))
    again = supple.player(shaped.replace(shapes={}), skin).advance(bent(shaped))
    assert np.array_equal(plain, again)  # no share: nothing changes, and what was set before is forgotten


def test_linear_blend_of_a_shape_is_linear_blend_of_the_shaped_rest(shaped):
    pose = bent(shaped, wide=0.7, long=0.2)
    rest = shaped.points + 0.7 * shaped.shapes["wide"] + 0.2 * shaped.shapes["long"]
    expected = supple.linear_blend(rest, shaped.weights, pose.skinning(shaped.skeleton))
    assert np.abs(supple.player(shaped, supple.LinearBlend()).advance(pose) - expected).max() < 1e-6


def test_shares_of_shapes_nobody_has_change_nothing(shaped):
    player = supple.player(shaped, supple.LinearBlend())
    assert np.array_equal(player.advance(bent(shaped, tail=1.0)), player.advance(bent(shaped)))


def test_motions_blend_shares_between_keys(shaped):
    motion = Motion.from_poses(shaped.skeleton, lambda t: bent(shaped, wide=t), seconds=1.0, fps=4.0)
    assert motion.sample(0.3).shapes["wide"] == pytest.approx(0.3)
    assert motion.sample(9.0).shapes["wide"] == pytest.approx(1.0)
    finer = motion.resampled(10.0)
    assert finer.sample(0.55).shapes["wide"] == pytest.approx(0.55)
    half = between(shaped.skeleton, bent(shaped, wide=1.0), bent(shaped, long=1.0), 0.25)
    assert half.shapes == {"wide": 0.75, "long": 0.25}


def test_a_bake_keeps_shapes_and_measures_know_them(shaped):
    motion = Motion.from_poses(shaped.skeleton, lambda t: bent(shaped, wide=t), seconds=1.0, fps=4.0)
    cache = supple.bake(shaped, motion, supple.LinearBlend())
    assert fingerprint(cache.character) == fingerprint(shaped)
    assert cache.pose(2).shapes["wide"] == pytest.approx(0.5)
    report = supple.measure(shaped, cache)
    assert report.distance_from_kinematic.worst.max() == 0.0  # linear blend has not left linear blend
    assert report.volume_ratio[-1] > 1.3


def test_another_share_is_another_motion(shaped, tmp_path):
    def clip(amount):
        return Motion.from_poses(shaped.skeleton, lambda t: bent(shaped, wide=amount), seconds=0.5, fps=4.0)

    supple.bake(shaped, clip(0.5), supple.LinearBlend(), path=tmp_path / "a.supple")
    with pytest.raises(InputError, match="the motion differs"):
        supple.bake(shaped, clip(0.6), supple.LinearBlend(), path=tmp_path / "a.supple")


def test_bad_shares_are_refused(shaped):
    with pytest.raises(InputError, match="finite share"):
        bent(shaped, wide=float("nan"))
    motion = Motion.from_poses(shaped.skeleton, lambda t: bent(shaped), seconds=1.0, fps=4.0)
    with pytest.raises(InputError, match="shape 'wide' has shape"):
        motion.replace(shapes={"wide": np.zeros(3)})
    assert motion.replace(shapes={"wide": np.zeros(5)}).sample(0.0).shapes == {"wide": 0.0}
