"""What is missing of a volume is shared out, and no vertex is moved farther than the flesh below it allows."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.geometry.topology import signed_volume
from supple.motion.pose import Pose
from supple.skins.kinematic.volume_preservation import RestVolume, VolumePreserver, limited_offset


@pytest.mark.parametrize("share", [0.1, 0.6, 0.95, -0.6])
def test_what_some_cannot_take_goes_to_the_others(share):
    draw = np.random.default_rng(1)
    gains, farthest = draw.uniform(0.1, 1.0, 300), draw.uniform(0.0, 2.0, 300)
    missing = share * float((gains * farthest).sum())
    offset = limited_offset(missing, gains, farthest)
    assert np.sign(offset) == np.sign(missing)
    assert (gains * np.minimum(abs(offset), farthest)).sum() == pytest.approx(abs(missing), rel=1e-9)


def test_more_than_all_can_take_is_not_hidden():
    gains, farthest = np.ones(10), np.linspace(0.1, 1.0, 10)
    assert limited_offset(100.0, gains, farthest) >= 1.0
    assert limited_offset(0.0, gains, farthest) == 0.0
    assert limited_offset(1.0, np.zeros(10), farthest) == 0.0


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
