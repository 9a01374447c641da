"""Limbs swell until each has its volume again: by the measure of limbs, on one body, on crowds and on real rigs."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.character.crowd import Crowd
from supple.character.weights import Weights
from supple.geometry import quaternions, topology
from supple.measure import LimbVolumes, limb_volume_ratio
from supple.motion.pose import Pose
from supple.skins.kinematic.swelling.limb_swelling import LimbSweller, LimbSwelling
from supple.skins.kinematic.swelling.spans import spans_along_limbs

RIGS = Path(__file__).parents[4] / "shared" / "data" / "gltf"


def swollen(character, points, reals=None, device="cpu", heads=None):
    """A skin whose limbs were brought to their volume, with joints at `heads` (J, 3), turned as `reals` (J, 4) say."""
    wp, constants = devices.warp(), devices.Constants(device)
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(character.skeleton), 1)) if reals is None else reals
    skin = devices.to_device(points.astype(np.float32), wp.vec3f, device)
    joints = devices.to_device(turns.astype(np.float32), wp.quatf, device)
    sweller = LimbSweller(LimbSwelling.from_character(character), skin, joints, constants)
    places = np.array(Pose.rest(character.skeleton).world_from_joint)
    places[:, :3, 3] = character.skeleton.heads if heads is None else heads
    sweller.set(Pose(places))
    sweller.keep()
    return np.array(skin.numpy(), dtype=float)


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=2500)


@pytest.mark.parametrize("squeezed", [0.9, 1.05])
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_every_limb_that_has_flesh_comes_back_to_its_volume(hero, squeezed, device):
    points, heads = (each * np.array([squeezed, 1.0, 1.0]) for each in (hero.points, hero.skeleton.heads))
    before = limb_volume_ratio(points[None], hero)
    after = limb_volume_ratio(swollen(hero, points, device=device, heads=heads)[None], hero)
    assert len(after) >= 6
    for limb in after:
        assert abs(before[limb][0] - squeezed) < 0.03
    worst = {limb: abs(ratio[0] - 1.0) for limb, ratio in after.items()}
    assert sorted(worst.values())[-3] < 0.005  # head and hands are rigid
    assert np.mean(list(worst.values())) < 0.02


def test_a_body_at_rest_and_one_that_is_turned_are_left_alone(hero):
    assert np.abs(swollen(hero, hero.points) - hero.points).max() < 2e-6
    half = np.sqrt(0.5)
    turned, heads = (
        each[:, [2, 1, 0]] * (1.0, 1.0, -1.0) + (20.0, 0.0, 0.0)  # by a right angle about y, far away
        for each in (hero.points, hero.skeleton.heads)
    )
    after = swollen(hero, turned, np.tile([0.0, half, 0.0, half], (len(hero.skeleton), 1)), heads=heads)
    assert np.abs(after - turned).max() < 2e-4


def test_a_limb_swells_outwards_and_by_no_more_than_it_may(hero):
    points, heads = (each * np.array([0.3, 1.0, 0.3]) for each in (hero.points, hero.skeleton.heads))
    moved = np.linalg.norm(swollen(hero, points, heads=heads) - points, axis=1)
    assert (moved <= 0.5 * hero.anatomy.thickness.max() + 1e-6).all()
    assert moved.max() > 0.02
    shared = LimbVolumes.from_character(hero).limbs.shared(hero.weights)
    firm = (np.maximum(hero.anatomy.leaf, hero.anatomy.rigid) == 1.0) & (shared < 0.05)
    assert firm.any()
    assert moved[firm].max() < 1e-6


@pytest.mark.parametrize("painted", [False, True])
def test_what_looks_rigid_swells_where_two_limbs_move_it_unless_it_is_painted(hero, painted):
    """Of a body in armour, so to speak: its joints bend all the same, and lose as much."""
    everywhere = np.ones(len(hero.points))
    hard = hero.replace(maps={"rigid": everywhere} if painted else {})
    hard.__dict__["anatomy"] = dataclasses.replace(hero.anatomy, leaf=0.0 * everywhere, rigid=everywhere)
    shared = LimbVolumes.from_character(hard).limbs.shared(hard.weights)
    points, heads = (each * np.array([0.8, 1.0, 0.8]) for each in (hard.points, hard.skeleton.heads))
    moved = np.linalg.norm(swollen(hard, points, heads=heads) - points, axis=1)
    assert moved[shared <= 0.05].max() < 1e-6
    assert (moved[shared > 0.3].max() < 1e-6) if painted else (moved[shared > 0.3].max() > 0.01)


def test_skin_is_shared_by_limbs_and_not_by_the_joints_of_one(hero):
    limbs = LimbVolumes.from_character(hero).limbs
    dense = hero.weights.dense(len(hero.skeleton))
    by_limb = np.stack([dense[:, limbs.moved_by == limb].sum(axis=1) for limb in range(-1, len(limbs.names))])
    np.testing.assert_allclose(limbs.shared(hero.weights), 1.0 - by_limb.max(axis=0), atol=1e-12)
    index = hero.skeleton.index
    assert limbs.names[limbs.moved_by[index("LeftForeArm")]] == "LeftForeArm"
    assert limbs.names[limbs.moved_by[index("LeftHand")]] in ("LeftHand", "LeftForeArm")


@pytest.mark.parametrize("hard", [False, True])
def test_skin_swells_under_clothes_that_go_along_and_not_under_what_is_hard(hero, hard):
    meter = LimbVolumes.from_character(hero)
    thigh = meter.limbs.limb_of == meter.names.index("LeftLeg")
    worn = hero.triangles[thigh[hero.triangles].all(axis=1)]
    used = np.unique(worn)
    normals = np.zeros_like(hero.points)
    for corner in range(3):
        np.add.at(normals, hero.triangles[:, corner], topology.area_vectors(hero.points, hero.triangles))
    layer = hero.points[used] + 0.004 * normals[used] / np.linalg.norm(normals[used], axis=1, keepdims=True)
    number = np.full(len(hero.points), -1)
    number[used] = len(hero.points) + np.arange(len(used))
    bones = hero.weights.dense(len(hero.skeleton))
    own = np.tile(bones[used].mean(axis=0), (len(used), 1)) if hard else bones[used]
    dressed = supple.Character(
        np.concatenate([hero.points, layer]),
        np.concatenate([hero.triangles, number[worn]]),
        hero.skeleton,
        Weights.from_dense(np.concatenate([bones, own])),
    )
    shells = dressed.anatomy.shells
    assert shells.lying[shells.number[-1]]
    assert shells.hard[shells.number[-1]] == hard
    points, heads = (each * np.array([0.9, 1.0, 1.0]) for each in (dressed.points, hero.skeleton.heads))
    moved = np.linalg.norm(swollen(dressed, points, heads=heads) - points, axis=1)
    alone = np.linalg.norm(swollen(hero, points[: len(hero.points)], heads=heads) - points[: len(hero.points)], axis=1)
    middle = used[alone[used] > 0.5 * alone[used].max()]
    assert alone[middle].min() > 0.001
    share = moved[middle] / alone[middle]
    assert (share.max() < 0.3) if hard else (share.min() > 0.7)


def test_skin_that_is_farther_from_its_bone_than_at_rest_is_not_pushed_on(hero):
    """Half of a body is drawn in and half of it stands out: only the first half goes outwards."""
    out = hero.points[:, 2] > np.median(hero.points[:, 2])
    girths = LimbSwelling.from_character(hero).girths
    start, end = (hero.skeleton.heads[girths.bones[:, k]] for k in range(2))
    on_bone = start + girths.along[:, None] * (end - start)
    way = hero.points - on_bone
    points = on_bone + np.where(out, 1.0, 0.4)[:, None] * way
    points[out] += 1.01 * girths.halves[out, None] * way[out] / np.linalg.norm(way[out], axis=1, keepdims=True)
    moved = np.linalg.norm(swollen(hero, points) - points, axis=1)
    assert moved[out].max() < 1e-6
    assert moved[~out].max() > 0.005


def test_every_copy_of_a_crowd_swells_as_if_it_were_alone(hero):
    crowd = Crowd.of(hero, 2)
    squeezed, heads = (
        [each * (0.9, 1.0, 1.0), each * (1.0, 1.0, 0.95) + (5.0, 0.0, 0.0)]
        for each in (hero.points, hero.skeleton.heads)
    )
    together = swollen(crowd, np.concatenate(squeezed), heads=np.concatenate(heads)).reshape(2, -1, 3)
    for copy, points, places in zip(together, squeezed, heads, strict=True):
        assert np.abs(copy - swollen(hero, points, heads=places)).max() < 1e-5


def test_a_character_without_weights_or_without_a_body_is_left_alone(hero):
    bare = hero.replace(weights=None)
    assert LimbSwelling.from_character(bare).meter is None
    flat = hero.replace(triangles=hero.triangles[:1])
    assert LimbVolumes.from_character(flat) is None


def _worst(character, skin, motion, start, count):
    player = supple.player(character, skin, fps=30.0)
    frames = np.array([player.advance(motion.sample(start + frame / 30.0)) for frame in range(count)])
    ratios = limb_volume_ratio(frames, character)
    meter = LimbVolumes.from_character(character)
    whole = meter(frames).sum(axis=1) / meter(character.points[None]).sum()
    return max(float(np.abs(ratio - 1.0).max()) for ratio in ratios.values()), float(np.abs(whole - 1.0).max())


@pytest.mark.skipif(not RIGS.is_dir(), reason="no files of real rigs")
@pytest.mark.parametrize(
    ("name", "clip", "start", "count"),
    [("horse-animations.glb", "Run", 0.0, 8), ("CesiumMan.glb", "animation0", 0.4, 8)],
)
def test_flesh_on_real_rigs_keeps_the_volume_of_every_limb_before_the_skin_is_helped(name, clip, start, count):
    rig = supple.load(RIGS / name)
    motion = rig.motions[clip]
    limb, whole = _worst(rig, supple.LayeredLattice(limb_volume=1.0, keep_volume=False), motion, start, count)
    assert limb < 0.1
    assert whole < 0.01
    plain = _worst(rig, supple.LinearBlend(), motion, start, count)[0]
    assert plain > 0.15
    less = _worst(rig, supple.LayeredLattice(limb_volume=0.2, keep_volume=False), motion, start, count)[0]
    assert limb < less < 0.8 * plain


def test_spans_lie_along_the_bone_of_their_vertex(hero):
    meter = LimbVolumes.from_character(hero)
    ends, lengths = spans_along_limbs(hero, meter)
    bone = meter.limbs.bone_of
    found = (bone >= 0) & (lengths > 0.0)
    assert found.mean() > 0.5
    assert (lengths[bone < 0] == 0.0).all()
    along = meter.limbs.along[bone[found]]
    ways = hero.points[ends[found, 1]] - hero.points[ends[found, 0]]
    straight = np.einsum("vi,vi->v", ways, along) / np.linalg.norm(along, axis=1) / lengths[found]
    assert np.median(straight) > 0.9
    assert straight.min() > 0.0


def test_skin_in_a_crease_stays_where_it_is():
    """An elbow that is bent so far that its inside is folded: it swells outside, and the crease is not filled."""
    arm = supple.character("arm")
    bend = supple.motion("bend", arm, angle=np.radians(130.0), hold=True)
    pose = bend.sample(bend.duration)
    linear = supple.player(arm, supple.LinearBlend()).advance(pose).astype(float)
    turns = quaternions.quat_from_matrix(pose.skinning(arm.skeleton)[:, :3, :3])
    moved = np.linalg.norm(swollen(arm, linear, turns, heads=pose.world_from_joint[:, :3, 3]) - linear, axis=1)
    ends, lengths = spans_along_limbs(arm, LimbVolumes.from_character(arm))
    left = np.linalg.norm(linear[ends[:, 1]] - linear[ends[:, 0]], axis=1) / np.maximum(lengths, 1e-9)
    folded = (lengths > 0.0) & (left < 0.3)
    assert folded.any()
    assert moved[folded].max() == 0.0
    assert moved.max() > 0.002


def test_no_vertex_swells_away_from_those_beside_it_in_a_crease():
    """Ends of edges that an elbow of 160 degrees has folded together go nearly the same way."""
    arm = supple.character("arm")
    bend = supple.motion("bend", arm, angle=np.radians(160.0), hold=True)
    pose = bend.sample(bend.duration)
    linear = supple.player(arm, supple.LinearBlend()).advance(pose).astype(float)
    turns = quaternions.quat_from_matrix(pose.skinning(arm.skeleton)[:, :3, :3])
    moved = swollen(arm, linear, turns, heads=pose.world_from_joint[:, :3, 3]) - linear
    i, j = topology.unique_edges(arm.triangles).T
    apart = np.linalg.norm(moved[i] - moved[j], axis=1)
    assert np.linalg.norm(moved, axis=1).max() > 0.002
    assert (apart / np.linalg.norm(linear[i] - linear[j], axis=1)).max() < 0.9  # 1.35 where each goes its own way


def test_a_limb_that_is_folded_up_is_left_as_it_is(hero):
    """What little of its skin does not lie in a crease would stand out, and bring next to nothing back."""
    meter = LimbVolumes.from_character(hero)
    spine = meter.limbs.limb_of == meter.names.index("Spine1")

    def moved(share):
        points, heads = (each * np.array([1.0, share, 1.0]) for each in (hero.points, hero.skeleton.heads))
        return np.linalg.norm(swollen(hero, points, heads=heads) - points, axis=1)[spine].max()

    assert moved(0.5) > 0.03
    assert moved(0.36) < 0.003
