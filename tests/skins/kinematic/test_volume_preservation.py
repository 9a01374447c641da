"""What is missing of a volume is shared out, and no vertex is moved farther than the flesh below it allows."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.geometry.topology import signed_volume
from supple.motion.pose import Pose
from supple.skins.kinematic.volume_preservation import RestVolume, VolumePreserver

DEVICES = ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)]


def limited_offset(missing, gains, farthest, longest=10.0, device="cpu"):
    """The offset that is found for one body."""
    from supple.skins.kinematic import volume_kernels as kernels

    wp, count = devices.warp(), len(gains)
    on_cpu = device == "cpu"
    kernel, lanes = (kernels.find_offset, 1) if on_cpu else (kernels.find_offset_in_blocks, int(kernels.SEARCHERS))
    arrays = [
        devices.to_device(np.asarray(each, dtype=np.float32), wp.float32, device)
        for each in ([longest], np.zeros(count), gains, np.ones(count), farthest, [missing, 0.0])
    ]
    devices.Launch(kernel, lanes, [count, *arrays], device, block=lanes)()
    return float(arrays[-1].numpy()[1])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("share", [0.1, 0.6, 0.95, -0.6])
def test_what_some_cannot_take_goes_to_the_others(share, device):
    draw = np.random.default_rng(1)
    gains, farthest = draw.uniform(0.1, 1.0, 300), draw.uniform(0.0, 2.0, 300)
    missing = share * float((gains * farthest).sum())
    offset = limited_offset(missing, gains, farthest, device=device)
    assert np.sign(offset) == np.sign(missing)
    assert (gains * np.minimum(abs(offset), farthest)).sum() == pytest.approx(abs(missing), rel=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_more_than_all_can_take_is_not_hidden(device):
    gains, farthest = np.ones(10), np.linspace(0.1, 1.0, 10)
    assert limited_offset(100.0, gains, farthest, device=device) >= 1.0
    assert limited_offset(0.0, gains, farthest, device=device) == 0.0
    assert limited_offset(1.0, np.zeros(10), farthest) == 0.0
    gains[3], farthest[3] = 1e-38, 1e30  # folded so that it has no normal: it gives nothing, however far it goes
    assert limited_offset(100.0, gains, farthest, longest=1.0) == 1.0


def kept(character, points, depth):
    """A skin that was brought back to its volume."""
    wp, constants = devices.warp(), devices.Constants("cpu")
    skin = devices.to_device(points.astype(np.float32), wp.vec3f, "cpu")
    keeper = VolumePreserver(RestVolume.from_character(character, depth), skin, constants)
    keeper.set(Pose.rest(character.skeleton))
    keeper.keep()
    return np.array(skin.numpy(), dtype=float)


@pytest.mark.parametrize("squeezed", [0.99, 0.9])
def test_a_squeezed_body_is_blown_up_by_a_fiftieth_of_its_thickness_at_most(squeezed):
    hero = supple.character("hero", vertices=3000)
    rest = signed_volume(hero.points, hero.triangles)
    points = hero.points * np.array([squeezed, 1.0, 1.0])
    depth = 0.05 + 0.3 * np.random.default_rng(2).random(len(points))
    after = kept(hero, points, depth)
    moved = np.linalg.norm(after - points, axis=1)
    assert (moved <= 0.02 * hero.anatomy.thickness + 1e-6).all()
    left = abs(signed_volume(after, hero.triangles) / rest - 1.0)
    assert left < (1e-3 if squeezed == 0.99 else 1.0 - squeezed)


def with_a_hole(character):
    """Without the triangles at its upper end."""
    y = character.points[character.triangles].mean(axis=1)[:, 1]
    return character.replace(triangles=character.triangles[y < np.quantile(y, 0.97)])


def test_a_body_with_a_hole_and_one_turned_inside_out_are_kept_as_well():
    hero = supple.character("hero", vertices=2000)
    points = hero.points * np.array([0.99, 1.0, 1.0])
    depth = np.ones(len(points))
    whole = kept(hero, points, depth)
    opened = kept(with_a_hole(hero), points, depth)
    inside_out = kept(hero.replace(triangles=hero.triangles[:, ::-1]), points, depth)
    np.testing.assert_allclose(inside_out, whole, atol=1e-5)
    low = hero.points[:, 1] < np.quantile(hero.points[:, 1], 0.9)
    assert np.abs(opened - whole)[low].max() < 0.2 * np.abs(whole - points).max()
    assert np.abs(opened - points)[low].max() > 1e-4


def test_volume_comes_back_where_it_was_lost():
    hero = supple.character("hero", vertices=3000)
    arm = np.isin(hero.weights.joints[:, 0], [i for i, name in enumerate(hero.skeleton.names) if "LeftArm" in name])
    points = hero.points.copy()
    points[arm] += 0.04 * (np.median(points[arm], axis=0) - points[arm]) * np.array([0.0, 1.0, 1.0])
    moved = np.linalg.norm(kept(hero, points, np.ones(len(points))) - points, axis=1)
    other = np.isin(
        hero.weights.joints[:, 0], [i for i, name in enumerate(hero.skeleton.names) if "RightUpLeg" in name]
    )
    assert moved[arm].mean() > 4.0 * moved[other].mean()


def test_a_skin_that_encloses_nothing_is_left_alone_and_says_so():
    hero = supple.character("hero", vertices=2000)
    front = hero.replace(triangles=hero.triangles[:1])
    volume = RestVolume.from_character(front, np.ones(len(hero.points)))
    assert not volume.closed
    with pytest.warns(supple.errors.SuppleWarning, match="encloses no volume"):
        volume.tell("here")
    np.testing.assert_array_equal(kept(front, hero.points, np.ones(len(hero.points))), hero.points.astype(np.float32))
