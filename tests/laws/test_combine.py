"""Several characters joined to one: each moves as it does alone, wherever it stands, and nothing of it is lost."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple import Character, LinearBlend, Motion, Pose, Skeleton, Weights
from supple.character import Display, Material
from supple.character.combine import members_of
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.topology import shells, triangulate
from supple.motion import combine_motions

TUBE, LONG = make_tube(9, 8, 2), make_tube(17, 10, 6)
TURN = quaternions.compose([1.0, 0.2, -0.5], quaternions.quat_from_axis_angle([1.0, 2.0, 0.5], 1.1))
MOVES = [np.array([0.0, 0.0, 3.0]), TURN]
PAIR = supple.combine([TUBE, LONG], names=["left", "right"], moves=MOVES)


def turned(character: Character, seed: int, *, fps: float = 30.0, frames: int = 7, **fields) -> Motion:
    """A motion of joints turned anyhow, on roots that go anywhere."""
    draw = np.random.default_rng(seed)
    joints = len(character.skeleton)
    rest = character.skeleton.parent_from_joint
    moves = np.tile(rest[:, :3, 3], (frames, 1, 1))
    moves[:, character.skeleton.parents < 0] += draw.normal(size=(frames, 1, 3))
    rotations = quaternions.normalize(draw.normal(size=(frames, joints, 4)))
    return Motion(character.skeleton, fps, moves, rotations, name=f"clip{seed}", **fields)


def looped(motion: Motion, stride) -> Motion:
    """The motion with its first key again at the end, moved on."""
    moves, rotations = motion.translations.copy(), motion.rotations.copy()
    moves[-1], rotations[-1] = moves[0], rotations[0]
    moves[-1, motion.skeleton.parents < 0] += stride
    return motion.replace(translations=moves, rotations=rotations, loop=True, stride=np.asarray(stride))


def carried(move, points):
    carry = move if np.ndim(move) == 2 else quaternions.compose(move, [0.0, 0.0, 0.0, 1.0])
    return points @ carry[:3, :3].T + carry[:3, 3]


def blend(character: Character, pose: Pose):
    return supple.linear_blend(character.points, character.weights, pose.skinning(character.skeleton))


def painted(tube: Character, seed: int, *, look: str, seamed: bool) -> Character:
    """The tube with one of everything that a character may have."""
    draw = np.random.default_rng(seed)
    count = len(tube.points)
    display = None
    if seamed:  # every corner of every triangle is drawn apart
        corners = np.arange(tube.triangles.size).reshape(-1, 3)
        display = Display(tube.triangles.ravel(), corners, draw.random((tube.triangles.size, 2)))
    return tube.replace(
        name=look,
        maps={"flesh": draw.random(count), f"only {look}": draw.random(count)},
        parts={"end": np.array([0, 3, count - 1])},
        shapes={"smile": draw.normal(size=(count, 3))},
        extras={"file": {"from": look}},
        materials=(Material(look, color=(draw.random(), 0.0, 0.0, 1.0)),),
        material_of_triangle=draw.integers(-1, 1, len(tube.triangles)),
        display=display,
    )


# What comes out


def test_everybody_stands_where_the_moves_say_on_bones_of_its_own():
    assert PAIR.skeleton.names == tuple([f"left.bone{b}" for b in range(2)] + [f"right.bone{b}" for b in range(6)])
    assert PAIR.skeleton.parents.tolist() == [-1, 0, -1, 2, 3, 4, 5, 6]
    for name, member, move in zip(("left", "right"), (TUBE, LONG), MOVES, strict=True):
        own = PAIR.parts[name]
        np.testing.assert_allclose(PAIR.points[own], carried(move, member.points), atol=1e-14)
        joints = members_of(PAIR.skeleton)[name]
        np.testing.assert_allclose(PAIR.skeleton.heads[joints], carried(move, member.skeleton.heads), atol=1e-14)
        np.testing.assert_allclose(PAIR.skeleton.tails[joints], carried(move, member.skeleton.tails), atol=1e-14)
        dense = PAIR.weights.dense(8)[own]
        np.testing.assert_allclose(dense[:, joints], member.weights.dense(len(member.skeleton)), atol=1e-14)
        np.testing.assert_allclose(dense[:, joints].sum(axis=1), 1.0, atol=1e-14)  # and none on the others' bones
    assert len(set(shells(PAIR.triangles, len(PAIR.points)))) == 2


@given(seed=st.integers(0, 1000))
def test_a_pose_of_all_moves_each_as_it_moves_alone(seed):
    motions = [turned(TUBE, seed), turned(LONG, seed + 1)]
    pose = combine_motions(motions, PAIR).sample(0.1)
    points = blend(PAIR, pose)
    for name, member, motion, move in zip(("left", "right"), (TUBE, LONG), motions, MOVES, strict=True):
        alone = carried(move, blend(member, motion.sample(0.1)))
        np.testing.assert_allclose(points[PAIR.parts[name]], alone, atol=5e-6)  # in single precision, at 10 m


def test_a_bake_of_all_is_the_bakes_of_each():
    motions = [turned(TUBE, 1), turned(LONG, 2)]
    cache = supple.bake(PAIR, combine_motions(motions, PAIR), LinearBlend())
    for name, member, motion, move in zip(("left", "right"), (TUBE, LONG), motions, MOVES, strict=True):
        alone = supple.bake(member, motion, LinearBlend())
        np.testing.assert_allclose(cache.points[:, PAIR.parts[name]], carried(move, alone.points), atol=1e-5)


@pytest.mark.parametrize("seamed", [(True, True), (True, False), (False, False)])
def test_all_that_a_character_holds_is_kept_under_its_name(seamed):
    members = [painted(TUBE, 1, look="red", seamed=seamed[0]), painted(LONG, 2, look="blue", seamed=seamed[1])]
    both = supple.combine(members, moves=MOVES)
    assert both.name == "red and blue"  # their own names differ
    firsts = [0, len(TUBE.triangles)]
    for member, move, first in zip(members, MOVES, firsts, strict=True):
        name, own = member.name, both.parts[member.name]
        np.testing.assert_array_equal(both.parts[f"{name}.end"], own[member.parts["end"]])
        for which in member.maps:
            np.testing.assert_array_equal(both.maps[f"{name}.{which}"][own], member.maps[which])
            assert not np.delete(both.maps[f"{name}.{which}"], own).any()
        np.testing.assert_array_equal(both.maps["flesh"][own], member.maps["flesh"])
        rotation = move[:3, :3] if np.ndim(move) == 2 else np.eye(3)
        smile = both.shapes[f"{name}.smile"]
        np.testing.assert_allclose(smile[own], member.shapes["smile"] @ rotation.T, atol=1e-14)
        assert not np.delete(smile, own, axis=0).any()
        assert both.extras[name] == {"file": {"from": name}}
        worn = both.material_of_triangle[first : first + len(member.triangles)]
        np.testing.assert_array_equal(worn >= 0, member.material_of_triangle >= 0)
        looks = {(both.materials[k].name, both.materials[k].color) for k in worn if k >= 0}
        assert looks == {(f"{name}.{name}", member.materials[0].color)}
    assert "only red" not in both.maps  # the other one has none
    assert (both.display is not None) == any(seamed)
    if both.display is not None:
        uvs = np.concatenate([m.display.uvs if m.display else np.zeros((len(m.points), 2)) for m in members])
        np.testing.assert_array_equal(both.display.uvs, uvs)


def test_maps_that_number_bones_are_not_taken_for_those_of_all():
    maps = {"attachment_bone": np.ones(len(TUBE.points)), "attachment_along": np.full(len(TUBE.points), 0.5)}
    both = supple.combine([TUBE.replace(maps=maps)] * 2)
    assert "attachment_bone" not in both.maps
    np.testing.assert_array_equal(both.maps["two.attachment_bone"][both.parts["two"]], 1.0)


def test_quads_stay_quads_beside_triangles():
    quads = supple.character("tube", vertices=500, quads=True)
    both = supple.combine([quads, TUBE])
    np.testing.assert_array_equal(triangulate(both.polygons), both.triangles)
    assert (both.polygons[:, 3] >= 0).sum() == (quads.polygons[:, 3] >= 0).sum()
    assert supple.combine([TUBE, TUBE]).polygons is None


def test_tails_are_kept_where_all_have_them():
    skeleton = Skeleton(TUBE.skeleton.names, TUBE.skeleton.parents, TUBE.skeleton.world_from_joint)
    bare = TUBE.replace(skeleton=skeleton)
    assert supple.combine([bare, TUBE]).skeleton.tails is None
    np.testing.assert_allclose(supple.combine([bare, bare]).skeleton.bones.ends[:2], skeleton.bones.ends)


def test_without_moves_they_stand_side_by_side_and_the_first_stays():
    row = supple.combine([TUBE, LONG, TUBE])
    boxes = [row.points[row.parts[name]] for name in ("one", "two", "three")]  # all are called tube
    np.testing.assert_array_equal(boxes[0], TUBE.points)
    for before, after in pairwise(boxes):
        gap = after[:, 0].min() - before[:, 0].max()
        assert 0.01 < gap < 0.2
    np.testing.assert_array_equal(boxes[1][:, 1:], LONG.points[:, 1:])


def test_names_are_the_characters_own_where_those_can_be_used():
    def names(*own, **options):
        return list(members_of(supple.combine([TUBE.replace(name=name) for name in own], **options).skeleton))

    assert names("hero", "snake") == ["hero", "snake"]
    assert names("hero", "hero") == ["one", "two"]
    assert names("hero.001", "snake") == ["one", "two"]
    assert names("hero", "snake", names=["big", "small"]) == ["big", "small"]
    assert names(*["hero"] * 11)[-2:] == ["ten", "11"]


def test_the_names_from_before_remain():
    assert supple.combine is supple.combine
    assert combine_motions is combine_motions


def test_joined_ones_can_be_joined():
    trio = supple.combine([PAIR, TUBE], names=["pair", "third"])
    assert list(members_of(trio.skeleton)) == ["pair", "third"]
    assert trio.skeleton.names[0] == "pair.left.bone0"
    np.testing.assert_array_equal(trio.parts["pair.right"], PAIR.parts["right"])


def test_what_is_joined_survives_a_file(tmp_path):
    motion = combine_motions([turned(TUBE, 1), None], PAIR)
    supple.save(PAIR.replace(motions={"both": motion}), tmp_path / "pair.glb")
    back = supple.load(tmp_path / "pair.glb")
    clip = back.motions["both"]
    for time in (0.0, 0.1, 0.2):
        np.testing.assert_allclose(blend(back, clip.sample(time)), blend(PAIR, motion.sample(time)), atol=1e-5)


@pytest.mark.parametrize(
    ("characters", "options", "words"),
    [
        ([], {}, "no characters"),
        ([TUBE, "tube"], {}, "a str was given"),
        ([TUBE, LONG.replace(weights=None)], {}, "no skin weights"),
        ([TUBE, LONG], {"names": ["one"]}, "1 names"),
        ([TUBE, LONG], {"names": "ab"}, "1 names"),
        ([TUBE, LONG], {"names": ["a", "a"]}, "stands twice"),
        ([TUBE, LONG], {"names": ["a", "b.c"]}, "'b.c'"),
        ([TUBE, LONG], {"names": ["a", ""]}, "''"),
        ([TUBE, LONG], {"moves": [np.zeros(3)]}, "1 moves"),
        ([TUBE, LONG], {"moves": [np.zeros(3), np.zeros(2)]}, "move 1 has shape"),
        ([TUBE, LONG], {"moves": [np.zeros(3), [0.0, np.nan, 0.0]]}, "not finite"),
        ([TUBE, LONG], {"moves": [np.diag([2.0, 2.0, 2.0, 1.0]), np.eye(4)]}, "move 0 is no rigid transform"),
        ([TUBE, LONG], {"moves": [np.diag([-1.0, 1.0, 1.0, 1.0]), np.eye(4)]}, "move 0 is no rigid transform"),
        ([TUBE, LONG], {"moves": [np.eye(4), TURN.T]}, "move 1 is no rigid transform"),
    ],
)
def test_what_cannot_be_joined_is_refused(characters, options, words):
    with pytest.raises(InputError, match=words):
        supple.combine(characters, **options)


# Motions


@given(
    seed=st.integers(0, 1000),
    frames=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    loops=st.tuples(st.booleans(), st.booleans()),
    time=st.floats(0.0, 2.0),
)
def test_at_every_key_each_is_where_its_own_motion_has_it(seed, frames, loops, time):
    motions = [turned(TUBE, seed, frames=frames[0]), turned(LONG, seed + 1, frames=frames[1])]
    motions = [looped(motion, [1.0, 0.0, 2.0]) if loop else motion for motion, loop in zip(motions, loops, strict=True)]
    both = combine_motions(motions, PAIR, seconds=time)
    assert both.fps == 30.0
    assert time <= both.duration + 1e-6 < time + 1.0 / 30.0 + 1e-6
    for key in both.times:
        wanted = np.concatenate(
            [
                motion.sample(key).moved(carry).world_from_joint
                for motion, carry in zip(motions, [quaternions.compose(MOVES[0], [0, 0, 0, 1]), TURN], strict=True)
            ]
        )
        np.testing.assert_allclose(both.sample(key).world_from_joint, wanted, atol=1e-6)


def test_it_is_as_long_as_the_longest_and_as_fast_as_the_fastest():
    slow, quick = turned(TUBE, 1, fps=24.0, frames=25), turned(LONG, 2, fps=60.0, frames=31)
    both = combine_motions([slow, quick], PAIR)
    assert (both.fps, both.duration, both.loop) == (60.0, 1.0, False)
    np.testing.assert_allclose(both.translations[:31, 3:], quick.translations[:, 1:], atol=1e-14)
    np.testing.assert_array_equal(both.translations[31:, 2:], np.broadcast_to(both.translations[30, 2:], (30, 6, 3)))
    for time in np.arange(61) / 60.0:
        alone = slow.sample(time).world_from_joint[:, :3, 3] + MOVES[0]
        np.testing.assert_allclose(both.sample(time).world_from_joint[:2, :3, 3], alone, atol=1e-9)


def test_nothing_of_the_end_is_cut_off_where_rates_differ():
    long, short = turned(TUBE, 1, fps=7.0, frames=8), turned(LONG, 2, fps=30.0, frames=2)
    short = short.replace(fps=29.0)
    both = combine_motions([long.replace(fps=6.9), short], PAIR)
    assert both.duration >= 7.0 / 6.9 > both.duration - 1.0 / 29.0


@pytest.mark.parametrize(
    ("frames", "strides", "loops"),
    [((7, 7), (1.0, 1.0), True), ((7, 5), (1.0, 1.0), False), ((7, 7), (1.0, 0.5), False), ((7, 7), (0.0, 0.0), True)],
)
def test_it_loops_where_all_loop_together(frames, strides, loops):
    moves = [np.zeros(3), np.array([2.0, 0.0, 0.0])]
    pair = supple.combine([TUBE, LONG], moves=moves)
    one, two = (
        looped(turned(body, seed, frames=count), [stride, 0.0, 0.0])
        for body, seed, count, stride in zip((TUBE, LONG), (1, 2), frames, strides, strict=True)
    )
    both = combine_motions([one, two], pair)
    assert both.loop is loops
    assert combine_motions([one, two], pair, seconds=0.2).loop is False
    assert combine_motions([one, None], pair).loop is (strides[0] == 0.0)  # else who rests would go along
    assert combine_motions([one, two.replace(loop=False)], pair).loop is False
    if loops:
        for time in (-0.3, 0.05, 0.5, 1.7):
            got = both.sample(time).world_from_joint
            np.testing.assert_allclose(got[:2], one.sample(time).moved(np.eye(4)).world_from_joint, atol=1e-9)


def test_who_has_no_motion_stays_at_rest():
    both = combine_motions([None, turned(LONG, 3)], PAIR)
    for time in both.times:
        np.testing.assert_allclose(
            both.sample(time).world_from_joint[:2], PAIR.skeleton.world_from_joint[:2], atol=1e-12
        )
    still = combine_motions([None, None], PAIR, seconds=0.5)
    assert still.duration == 0.5
    np.testing.assert_allclose(still.sample(0.3).world_from_joint, PAIR.skeleton.world_from_joint, atol=1e-12)


def test_moves_say_where_motions_are_played():
    one, two = turned(TUBE, 1), turned(LONG, 2)
    captured = combine_motions([one, two], PAIR, moves=[TURN, np.zeros(3)])
    pose = captured.sample(0.1)
    np.testing.assert_allclose(pose.world_from_joint[:2], one.sample(0.1).moved(TURN).world_from_joint, atol=1e-9)
    np.testing.assert_allclose(pose.world_from_joint[2:], two.sample(0.1).world_from_joint, atol=1e-9)
    played = combine_motions([other_rest(), None], PAIR, moves=np.zeros((2, 3)))  # no rest pose is asked
    np.testing.assert_allclose(played.translations[:, :2], other_rest().translations, atol=1e-12)


def test_scales_and_shares_of_shapes_are_played():
    smile = TUBE.replace(shapes={"smile": np.ones((len(TUBE.points), 3))})
    pair = supple.combine([smile, smile])
    shares = np.linspace(0.0, 1.0, 7)
    scales = np.full((7, 2, 3), 2.0)
    one = turned(smile, 1, shapes={"smile": shares}, scales=scales)
    two = turned(smile, 2, fps=15.0, frames=4, shapes={"smile": np.array([1.0, 0.0, 1.0, 0.0])})
    both = combine_motions([one, two], pair)
    pose = both.sample(0.1)
    assert set(both.shapes) <= set(pair.shapes)
    assert pose.shapes["one.smile"] == pytest.approx(one.sample(0.1).shapes["smile"])
    assert pose.shapes["two.smile"] == pytest.approx(two.sample(0.1).shapes["smile"])
    np.testing.assert_allclose(pose.world_from_joint[:2], one.sample(0.1).world_from_joint, atol=1e-9)
    lengths = np.linalg.norm(pose.world_from_joint[2:, :3, :3], axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)


def other_rest() -> Motion:
    skeleton = TUBE.skeleton
    world = skeleton.world_from_joint.copy()
    world[1, 0, 3] += 0.1
    return turned(TUBE, 1).replace(skeleton=Skeleton(skeleton.names, skeleton.parents, world))


@pytest.mark.parametrize(
    ("motions", "character", "options", "words"),
    [
        ([turned(TUBE, 1)], PAIR, {}, "1 motions"),
        ([turned(LONG, 1), turned(TUBE, 1)], PAIR, {}, "skeleton of 6 joints"),
        ([turned(TUBE, 1)], TUBE, {}, "joint 'bone0'"),
        ([other_rest(), None], PAIR, {}, "another rest pose than left"),
        ([None, None], PAIR, {"moves": [np.zeros(3)]}, "1 moves"),
        ([turned(TUBE, 1), None], PAIR, {"moves": [2.0 * np.eye(4), np.zeros(3)]}, "move 0 is no rigid"),
        ([None, None], PAIR, {"seconds": -1.0}, "seconds is -1.0"),
        ([None, None], PAIR, {"seconds": np.nan}, "seconds is nan"),
    ],
)
def test_motions_that_do_not_fit_are_refused(motions, character, options, words):
    with pytest.raises(InputError, match=words):
        combine_motions(motions, character, **options)


def test_members_must_not_be_mixed():
    names = ("a.root", "b.root", "a.tip")
    with pytest.raises(InputError, match=r"a\.tip"):
        members_of(Skeleton.from_heads(names, [-1, -1, 0], np.zeros((3, 3))))
    weights = Weights(np.zeros((len(TUBE.points), 1)), np.ones((len(TUBE.points), 1)))
    one_bone = TUBE.replace(skeleton=Skeleton.from_heads(["a.root"], [-1], np.zeros((1, 3))), weights=weights)
    assert members_of(one_bone.skeleton) == {"a": slice(0, 1)}


@pytest.mark.parametrize(
    "skin", ["dual-quaternion", "rotation-centers", "delta-mush", "incremental", "springs", "spring-dynamics"]
)
def test_every_skin_moves_each_as_it_moves_it_alone(skin):
    """Smoothing, springs and centres of rotation look at neighbours, who are of the same character."""
    tubes = make_tube(13, 8, 2), make_tube(17, 10, 3)
    pair = supple.combine(tubes, names=["left", "right"], moves=[np.zeros(3), np.array([3.0, 0.0, 1.0])])
    bends = [
        Motion.from_poses(
            body.skeleton,
            lambda time, body=body: Pose.from_rotations(
                body.skeleton, {"bone1": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 6.0 * time)}
            ),
            seconds=0.2,
            fps=30.0,
        )
        for body in tubes
    ]
    cache = supple.bake(pair, combine_motions(bends, pair), supple.SKINS[skin]())
    for name, body, bend, move in zip(("left", "right"), tubes, bends, ([0.0] * 3, [3.0, 0.0, 1.0]), strict=True):
        alone = supple.bake(body, bend, supple.SKINS[skin]())
        np.testing.assert_allclose(cache.points[:, pair.parts[name]], alone.points + np.array(move), atol=2e-5)
