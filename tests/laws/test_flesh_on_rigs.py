"""Flesh leaves thin, firm and hard parts of real rigs whole, and shells on what they lie on."""

import itertools

import numpy as np
import pytest

import supple
from supple.character.anatomy.enclosure import enclosing_triangles
from supple.geometry import topology
from supple.geometry.collision.winding import Windings
from supple.measure import limb_volume_ratio
from supple.measure.volume import volume_ratio
from supple.skins.position_based.body.tetrahedral_body import build_body, moving_bones

RATE = 30.0


def played(character, motion, skin, seconds):
    player = supple.player(character, skin, fps=RATE)
    return [np.array(player.advance(motion.sample(k / RATE)), dtype=float) for k in range(int(seconds * RATE) + 1)]


def torn_edges(character, frames, linear):
    """The most edges of a frame that are drawn out by more than three where linear blend draws them out by less."""
    i, j = topology.unique_edges(character.triangles).T
    rest = np.linalg.norm(character.points[i] - character.points[j], axis=1)
    there = rest > 1e-4 * character.size.max()

    def stretch(points):
        return np.linalg.norm(points[i] - points[j], axis=1)[there] / rest[there]

    return max(int(((stretch(x) > 3.0) & (stretch(y) <= 3.0)).sum()) for x, y in zip(frames, linear, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "clip", "seconds"),
    [
        ("human-m2m-12clips.glb", "Backflip", 1.5),
        ("snake-animations.glb", "Bite", 1.0),
        ("Knight.glb", "1H_Melee_Attack_Chop", 1.0),
        ("bird-animations.glb", "Flap", 1.0),
    ],
)
def test_no_edge_is_drawn_out_that_bones_leave_alone(data_file, file, clip, seconds):
    character = supple.load(data_file(f"gltf/{file}"))
    motion = character.motions[clip]
    linear = played(character, motion, supple.LinearBlend(), seconds)
    for skin in (supple.PositionBased(), supple.LayeredLattice()):
        assert torn_edges(character, played(character, motion, skin, seconds), linear) == 0


@pytest.mark.slow
def test_thin_legs_go_with_their_bones(data_file):
    spider = supple.load(data_file("gltf/spider-animations.glb"))
    motion = spider.motions["Attack"]
    legs = spider.anatomy.firmness > 0.95
    assert legs.mean() > 0.5
    linear = played(spider, motion, supple.LinearBlend(), 1.0)
    for skin in (supple.PositionBased(), supple.LayeredLattice()):
        flesh = played(spider, motion, skin, 1.0)
        far = max(np.linalg.norm(x - y, axis=1)[legs].max() for x, y in zip(flesh, linear, strict=True))
        assert far < 0.005


@pytest.mark.slow
def test_hard_shells_stay_on_what_they_lie_on(data_file):
    knight = supple.load(data_file("gltf/Knight.glb"))
    motion, shells = knight.motions["1H_Melee_Attack_Chop"], knight.anatomy.shells
    hung = shells.host_weights.any(axis=1)
    assert hung.any()
    linear = played(knight, motion, supple.LinearBlend(), 0.7)
    for skin in (supple.PositionBased(), supple.LayeredLattice()):
        for x, y in zip(played(knight, motion, skin, 0.7), linear, strict=True):
            moved = x - y
            below = np.einsum("vk,vki->vi", shells.host_weights, moved[shells.hosts])
            assert np.linalg.norm(moved - below, axis=1)[hung].max() < 0.003


@pytest.mark.slow
def test_the_skin_of_a_lean_person_slides_little(data_file):
    human = supple.load(data_file("gltf/human_cmu_8clips.glb"))
    motion = human.motions["02_04_jump_balance"]
    loose, still = (played(human, motion, supple.PositionBased(jiggle=jiggle), 2.0) for jiggle in (1.0, 0.0))
    assert max(np.linalg.norm(x - y, axis=1).max() for x, y in zip(loose, still, strict=True)) < 0.015
    swinging, firm = (
        played(human, motion, supple.LayeredLattice(secondary=on, limb_volume=0.0), 2.0) for on in (True, False)
    )
    assert max(np.linalg.norm(x - y, axis=1).max() for x, y in zip(swinging, firm, strict=True)) < 0.015


@pytest.mark.slow
def test_a_held_pose_is_still(data_file):
    horse = supple.load(data_file("gltf/horse-animations.glb"))
    player = supple.player(horse, supple.LayeredLattice(), fps=RATE)
    motion = next(iter(horse.motions.values()))
    for frame in range(15):
        player.advance(motion.sample(frame / RATE))
    held = [np.array(player.advance(motion.sample(0.5)), dtype=float) for _ in range(75)]
    assert max(np.linalg.norm(b - a, axis=1).max() for a, b in itertools.pairwise(held[60:])) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "clip"),
    [("CesiumMan.glb", "animation0"), ("spider-animations.glb", "Attack"), ("bird-animations.glb", "Walk")],
)
def test_a_held_pose_is_still_with_contacts_on(data_file, file, clip):
    character = supple.load(data_file(f"gltf/{file}"))
    motion = character.motions[clip]
    player = supple.player(character, supple.PositionBased(), fps=RATE)
    end = min(motion.duration, 1.0)
    for time in np.arange(0.0, end, 1.0 / RATE):
        player.advance(motion.sample(time))
    frames = [np.array(player.advance(motion.sample(end)), dtype=float) for _ in range(75)]
    assert np.linalg.norm(np.diff(frames[-15:], axis=0), axis=2).max() < 1e-4


@pytest.mark.slow
def test_the_volume_of_an_open_mesh_is_closed(data_file):
    human = supple.load(data_file("gltf/human-m2m-12clips.glb"))
    motion, skin = human.motions["Meditate"], human.anatomy.shells.flesh_triangles(human.triangles)
    frames = np.array(played(human, motion, supple.PositionBased(), 0.7))
    assert np.abs(volume_ratio(frames, human.points, skin) - 1.0).max() < 3e-3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "clip", "seconds"),
    [
        ("human-m2m-12clips.glb", "Backflip", 1.0),
        ("horse-animations.glb", "Run", 0.4),
        ("fox-animations.glb", "Sit", 1.0),
        ("CesiumMan.glb", "animation0", 1.0),
    ],
)
def test_every_limb_keeps_its_volume(data_file, file, clip, seconds):
    character = supple.load(data_file(f"gltf/{file}"))
    frames = played(character, character.motions[clip], supple.PositionBased(keep_volume=False), seconds)
    limbs = limb_volume_ratio(np.array(frames), character)
    assert max(np.abs(ratio - 1.0).max() for ratio in limbs.values()) < 0.1
    body = character.anatomy.shells.flesh_triangles(character.triangles)
    enclosing, _ = enclosing_triangles(character.points, body)
    assert np.abs(volume_ratio(frames, character.points, enclosing) - 1.0).max() < 0.01


@pytest.mark.slow
def test_skin_stays_on_its_side_of_the_bone_below(data_file):
    horse = supple.load(data_file("gltf/horse-animations.glb"))
    motion = horse.motions["Run"]
    linear = played(horse, motion, supple.LinearBlend(), 0.4)
    skin = supple.PositionBased(jiggle=0.0, limb_volume=0.0, keep_volume=False)
    below = build_body(horse, count=skin.tetrahedra, weights="carried").skin_bonds
    own = (horse.weights.joints[:, :, None] == below.joints[:, None, :]).any(axis=2)
    held = (horse.weights.values * own).sum(axis=1) > 0.9
    assert held.mean() > 0.3
    away = horse.points - np.einsum("vk,vki->vi", below.weights, below.points)
    for frame, (x, s) in enumerate(zip(played(horse, motion, skin, 0.4), linear, strict=True)):
        moved = motion.sample(frame / RATE).skinning(horse.skeleton)[below.joints]
        points = np.einsum("vkij,vkj->vki", moved[..., :3, :3], below.points) + moved[..., :3, 3]
        bone = np.einsum("vk,vki->vi", below.weights, points)
        out = np.einsum("vk,vkij,vj->vi", below.weights, moved[..., :3, :3], away)
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        least = np.minimum(np.einsum("vi,vi->v", s - bone, out), 0.5 * below.lengths)
        assert (np.einsum("vi,vi->v", x - bone, out) > least - 1e-5)[held].all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "clip", "seconds"),
    [
        ("spider-animations.glb", "Attack", 1.0),
        ("bird-animations.glb", "Flap", 0.5),
        ("Fox.glb", "Run", 1.0),
        ("horse-animations.glb", "Run", 0.4),
    ],
)
def test_no_bone_comes_out_that_is_inside_where_bones_alone_carry_the_skin(data_file, file, clip, seconds):
    character = supple.load(data_file(f"gltf/{file}"))
    motion, skin = character.motions[clip], character.anatomy.shells.flesh_triangles(character.triangles)
    bones = moving_bones(character, character.skeleton.bones)
    along = np.linspace(0.0, 1.0, 9)[:, None]
    places = (bones.starts[:, None] + along * (bones.ends - bones.starts)[:, None]).reshape(-1, 3)
    linear = played(character, motion, supple.LinearBlend(), seconds)
    for frame, (x, s) in enumerate(
        zip(played(character, motion, supple.PositionBased(), seconds), linear, strict=True)
    ):
        moved = motion.sample(frame / RATE).skinning(character.skeleton)[bones.joints.repeat(9)]
        posed = np.einsum("nij,nj->ni", moved[:, :3, :3], places) + moved[:, :3, 3]
        inside = [Windings(points, skin)(posed) > 0.5 for points in (s, x)]
        assert not (inside[0] & ~inside[1]).any()
