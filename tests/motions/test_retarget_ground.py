"""Retargeting: where the feet are, and arms beside a trunk of another girth."""

import numpy as np
import pytest
from retarget_scenes import SIDES, body, dance, directions, worlds

import supple
from supple.character.anatomy.humanoid import Anatomy
from supple.io.bvh import read_motion
from supple.motion.retarget.ground import Soles, fit_floor, lowest_skin, smooth

QUIET = pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero")


def soles(motion):
    anatomy = Anatomy(motion.skeleton)
    world = worlds(motion)
    rotations = world[..., :3, :3] @ motion.skeleton.joint_from_world[:, :3, :3]
    return Soles(anatomy).lowest(rotations, world[..., :3, 3])


def test_longer_shins_stand_on_the_same_floor():
    target = body()
    heads = target.heads.copy()
    below = np.isin(
        np.arange(len(target)), [Anatomy(target).parts[f"{s} {p}"] for s in SIDES for p in ("foot", "toes")]
    )
    heads[~below, 1] += 0.2  # longer shins
    longer = supple.Skeleton.from_heads(target.names, target.parents, heads)
    ratio = Soles(Anatomy(longer)).leg / Soles(Anatomy(target)).leg
    changed = []
    for seed in range(4):
        pose = dance(body(), size=0.3, frames=1, seed=seed)  # one frame, so nothing is smoothed
        np.testing.assert_allclose(soles(pose.retarget(longer))[0], ratio * soles(pose)[0], atol=1e-9)
        changed.append(soles(pose.retarget(longer, ground=False))[0] - ratio * soles(pose)[0])
    assert np.abs(changed).max() > 1e-3  # the law is not empty


def test_lifts_are_smoothed_and_a_loop_stays_a_loop():
    values = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    once, around = smooth(values, 1.0, loop=False), smooth(values, 1.0, loop=True)
    assert np.abs(np.diff(once)).max() < 0.5
    assert around[0] == around[-1]
    assert around[:-1].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(smooth(np.full(5, 0.3), 2.0, loop=False), 0.3)
    np.testing.assert_array_equal(smooth(np.array([0.3]), 2.0, loop=True), [0.3])


def at(floor, spots):
    return floor[0] + spots[:, [0, 2]] @ floor[1:]


def test_the_floor_of_a_capture_is_found_under_its_steps():
    way = np.linspace(0.0, 4.0, 200)
    spots = np.stack([0.3 * way, 0.0 * way, way], axis=1)
    over = 0.05 + 0.02 * way + np.maximum(0.0, 0.3 * np.sin(way * 9.0) - 0.1)  # a tilted floor, and leaps
    on_floor = over - at(fit_floor(over, spots, 0.9), spots)
    assert np.abs(np.percentile(on_floor, 25.0)) < 0.01
    assert on_floor.max() > 0.15
    stairs = 0.05 + 0.5 * way
    assert np.ptp(stairs - at(fit_floor(stairs, spots, 0.9), spots)) > 1.5  # stairs stay stairs
    np.testing.assert_array_equal(fit_floor(over + 1.0, spots, 0.9), 0.0)  # on a table: left there


@QUIET
@pytest.mark.parametrize("clip", ["cmu_02_01", "cmu_02_04", "cmu_10_01", "cmu_16_01"])
def test_captured_people_keep_their_feet_on_the_floor_of_the_hero(data_file, hero, clip):
    motion = read_motion(data_file(f"bvh/{clip}.bvh"))
    result = motion.retarget(hero)
    over = soles(result)[0][1:]  # the first frame is an added T-pose
    assert over.min() > -0.03
    assert np.percentile(over, 40.0) < 0.02
    np.testing.assert_allclose(directions(motion.retarget(hero, arms=False)), directions(motion), atol=1e-6)


@QUIET
def test_the_skin_of_the_feet_stays_above_the_floor(hero):
    """In thick shoes, which the joints know nothing of, the hero stands higher by their soles."""
    points = hero.points.copy()
    points[points[:, 1] < 0.03, 1] -= 0.05
    shod, anatomy = hero.replace(points=points), Anatomy(hero.skeleton)
    feet = np.flatnonzero(points[:, 1] < 0.1)
    gaps = []
    for seed in range(6):
        pose = dance(body(), size=0.4, frames=1, seed=seed)
        result, barefoot = pose.retarget(shod), pose.retarget(hero.skeleton)
        allowed = min(0.0, soles(pose)[0][0] * Soles(anatomy).leg / Soles(Anatomy(pose.skeleton)).leg)
        skin = supple.player(shod, supple.LinearBlend()).play(result, 0.0)[feet, 1].min()
        assert skin > allowed - 0.01
        world = worlds(result)
        rotations = world[..., :3, :3] @ hero.skeleton.joint_from_world[:, :3, :3]
        assert lowest_skin(shod, anatomy, rotations, world[..., :3, 3])[0] == pytest.approx(skin, abs=0.01)
        gaps.append(result.translations[0, 0, 1] - barefoot.translations[0, 0, 1])
    assert min(gaps) >= 0.0
    assert max(gaps) > 0.03
    assert lowest_skin(hero.replace(weights=None), anatomy, rotations, world[..., :3, 3]) is None


@QUIET
def test_the_hero_walks_the_same_after_a_visit_to_another_body(data_file, hero):
    walk = supple.motion("walk", hero)
    other = read_motion(data_file("bvh/cmu_02_01.bvh")).skeleton
    back = walk.retarget(other).retarget(hero)
    assert (back.loop, back.fps, back.name) == (walk.loop, walk.fps, walk.name)
    np.testing.assert_allclose(back.stride, walk.stride, atol=1e-9)
    np.testing.assert_allclose(directions(back), directions(walk), atol=1e-6)
    gap = np.linalg.norm(worlds(back)[..., :3, 3] - worlds(walk)[..., :3, 3], axis=-1)
    assert gap.max() < 0.03


def test_a_wide_body_holds_its_arms_out_and_a_slim_one_does_not():
    """One angle for the whole motion: arms move as they did, and come out of a trunk that swallowed them."""
    from supple.motion.retarget.arms import _Trunk

    slim = supple.character("hero")
    walk = supple.motion("walk", slim)
    trunk = np.isin(slim.weights.joints[:, 0], [slim.skeleton.names.index(n) for n in ("Hips", "Spine", "Spine1")])
    points = slim.points.copy()
    points[trunk] *= [2.4, 1.0, 1.6]
    wide = slim.replace(points=points, motions={})
    renamed = supple.Skeleton(
        tuple(f"mixamorig:{name}" for name in slim.skeleton.names),
        slim.skeleton.parents,
        slim.skeleton.world_from_joint,
        tails=slim.skeleton.tails,
    )
    source = walk.replace(skeleton=renamed)

    def swallowed(body, motion):
        anatomy = Anatomy(body.skeleton)
        hand = anatomy.parts["left hand"]
        poses = [motion.sample(time) for time in np.linspace(0.0, motion.duration, 12)]
        positions = np.array([pose.world_from_joint[:, :3, 3] for pose in poses])
        rotations = np.array([pose.skinning(body.skeleton)[:, :3, :3] for pose in poses])
        return (_Trunk(body, anatomy).distance(positions[:, [hand]], rotations, positions) < 0.0).mean()

    def spread(body):
        plain, held = source.retarget(body, arms=False), source.retarget(body)
        shoulder = Anatomy(body.skeleton).parts["left upper arm"]
        rotations = [
            (
                plain.sample(time).world_from_joint[shoulder, :3, :3],
                held.sample(time).world_from_joint[shoulder, :3, :3],
            )
            for time in np.linspace(0.0, walk.duration, 7)
        ]
        return np.array([np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0)) for a, b in rotations])

    assert swallowed(wide, source.retarget(wide, arms=False)) > 0.3
    assert swallowed(wide, source.retarget(wide)) <= 0.1
    assert np.ptp(spread(wide)) < 1e-5
    assert spread(slim).max() < 1e-6
