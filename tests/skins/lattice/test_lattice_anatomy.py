"""The lattice reads the anatomy of a body: it swings alike at every resolution and in every unit."""

import numpy as np
import pytest

import supple
from supple.character.skeleton import Skeleton
from supple.errors import InputError
from supple.motion.pose import Pose
from supple.skins.lattice.voxelize.anatomy import bone_distances, prepare_body, usual_resolution


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


def jiggle(character, motion, skin, frames=18):
    """How far every vertex is from where the bones carry it, frame by frame [m]."""
    ways = []
    for one in (skin, supple.LinearBlend()):
        player = supple.player(character, one, fps=30.0)
        ways.append([np.array(player.advance(motion.sample(k / 30.0)), dtype=float) for k in range(frames)])
    return np.linalg.norm(np.array(ways[0]) - np.array(ways[1]), axis=2)


def scaled(character, by):
    """The same body in another unit."""
    world = np.array(character.skeleton.world_from_joint)
    world[:, :3, 3] *= by
    bones = character.skeleton
    skeleton = Skeleton(bones.names, bones.parents, world)
    maps = {name: by * values for name, values in character.maps.items() if name == "flesh"}
    return character.replace(points=by * character.points, skeleton=skeleton, motions={}, shapes={}, maps=maps)


class Scaled:
    """A motion in another unit."""

    def __init__(self, motion, by):
        self.motion, self.by = motion, by

    def sample(self, time):
        world = np.array(self.motion.sample(time).world_from_joint)
        world[:, :3, 3] *= self.by
        return Pose(world)


def test_flesh_swings_as_far_at_every_resolution(hero):
    jump = supple.motion("jump", hero)
    skins = [supple.LayeredLattice(resolution=n, keep_volume=False) for n in (20, 32, 64)]
    mean = [jiggle(hero, jump, skin).mean() for skin in skins]
    assert min(mean) > 1e-3
    assert max(mean) < 1.15 * min(mean)


def test_the_unit_of_a_body_does_not_matter(hero):
    """Without gravity, which is known in metres alone."""
    large = scaled(hero, 100.0)
    skin = supple.LayeredLattice(resolution=24, gravity=0.0)
    jump = supple.motion("jump", hero)
    spans = [jiggle(hero, jump, skin), jiggle(large, Scaled(jump, 100.0), skin)]
    assert spans[0].max() > 0.01
    np.testing.assert_allclose(spans[1] / 100.0, spans[0], atol=2e-4)


def test_voxels_follow_the_trunk_and_not_the_span(hero):
    usual = usual_resolution(hero)
    assert 40 <= usual <= 128
    side = float(np.ptp(hero.points, axis=0).max()) / usual
    assert 8.0 < hero.body_shape.trunk.max() / side < 12.0
    winged = hero.points.copy()
    winged[np.argmax(winged[:, 0])] += [1.5, 0.0, 0.0]
    assert usual_resolution(hero.replace(points=winged)) > 1.4 * usual


def test_thin_and_firm_skin_stays_with_its_bones(hero):
    held = hero.anatomy.firmness > 0.95
    assert 0.1 < held.mean() < 0.9
    moved = jiggle(hero, supple.motion("jump", hero), supple.LayeredLattice(resolution=32))
    assert moved[:, held].max() < 1e-3
    assert moved.max() > 0.01


def test_what_is_painted_rigid_does_not_swing(hero):
    jump = supple.motion("jump", hero)
    stiff = hero.replace(maps={"rigid": np.ones(len(hero.points))})
    skin = supple.LayeredLattice(resolution=24, keep_volume=False)
    assert jiggle(hero, jump, skin).max() > 0.01
    assert jiggle(stiff, jump, skin).max() < 1e-4


def test_every_node_knows_the_skin_above_it(hero):
    body = prepare_body(hero, supple.LayeredLattice(resolution=32))
    above, lattice = body.above, body.lattice
    np.testing.assert_allclose(above.sample(np.ones(len(hero.points))), 1.0)
    heights = above.sample(hero.points[:, 1])
    on_skin = lattice.on_surface
    assert np.abs(heights - lattice.points[:, 1])[on_skin].max() < 2.0 * lattice.side
    assert above.depths[~on_skin].min() > 0.3 * lattice.side
    assert above.depths[on_skin].max() < 1.01 * np.sqrt(3.0) * lattice.side


def test_no_flesh_goes_farther_than_half_the_way_to_a_bone(hero):
    skin = supple.LayeredLattice(resolution=32, keep_volume=False)
    moved = jiggle(hero, supple.motion("jump", hero), skin).max(axis=0)
    flesh = moved > 2e-3
    assert (moved[flesh] < bone_distances(hero)[flesh]).all()


def test_a_resolution_that_is_none_is_refused():
    with pytest.raises(InputError, match="resolution is 3"):
        supple.LayeredLattice(resolution=3)


def test_flesh_of_a_small_body_that_gravity_draws_to_its_limit_comes_to_rest(hero):
    """A hand of 20 cm trembled for ever: what gravity wanted lay beyond what flesh may give way, and pushed at it."""
    small = scaled(hero, 0.1)
    turned = np.diag([1.0, -1.0, -1.0, 1.0])  # upside down
    pose = supple.Pose(turned @ supple.Pose.rest(small.skeleton).world_from_joint)
    player = supple.player(small, supple.LayeredLattice(resolution=24))
    for _ in range(90):
        before = player.advance(pose)
    moved = [np.abs(player.advance(pose) - before).max() for _ in range(6)]
    assert max(moved) < 2e-5 * float(small.size.max())
