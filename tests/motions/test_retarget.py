"""Retargeting by its laws: what stays the same, what scales, and who follows whom."""

import warnings

import numpy as np
import pytest
from retarget_scenes import SIDES, body, dance, directions, renamed, unreal, with_rest_frames, worlds

import supple
from supple.character.anatomy.humanoid import Anatomy
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.motion.motion import Motion

QUIET = pytest.mark.filterwarnings("ignore::supple.errors.SuppleWarning")


def test_the_same_skeleton_gives_the_same_motion():
    skeleton = body()
    motion = dance(skeleton)
    again = motion.retarget(body())
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    np.testing.assert_array_equal(again.translations, motion.translations)


def test_the_same_body_under_other_names_gives_the_same_motion():
    motion = dance(with_rest_frames(body(), 3))
    again = motion.retarget(renamed(motion.skeleton, lambda name: f"mixamorig:{name}"))
    np.testing.assert_allclose(worlds(again), worlds(motion), atol=1e-9)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_larger_body_takes_larger_steps_with_the_same_turns(scale):
    motion = dance(body()).replace(loop=True, stride=np.array([0.0, 0.0, 1.2]))
    larger = motion.retarget(body(scale=scale))
    alike = np.abs(np.sum(larger.rotations * motion.rotations, axis=-1))
    np.testing.assert_allclose(alike, 1.0, atol=1e-12)
    np.testing.assert_allclose(worlds(larger)[..., :3, 3], scale * worlds(motion)[..., :3, 3], atol=1e-9)
    np.testing.assert_allclose(larger.stride, [0.0, 0.0, 1.2 * scale])
    assert (larger.loop, larger.fps, larger.name) == (True, 24.0, "dance")


@pytest.mark.parametrize("seed", range(3))
def test_other_joint_axes_show_the_same_places(seed):
    motion = dance(body())
    other = motion.retarget(with_rest_frames(body(), seed))
    np.testing.assert_allclose(worlds(other)[..., :3, 3], worlds(motion)[..., :3, 3], atol=1e-9)
    back = other.retarget(motion.skeleton)
    np.testing.assert_allclose(worlds(back), worlds(motion), atol=1e-9)


@pytest.mark.parametrize("rotation", [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
def test_which_way_the_source_looks_at_rest_does_not_matter(rotation):
    """A rest turned as a whole, to another facing or to z up, leaves what one sees in the world as it was."""
    angle = np.radians(120.0 if rotation == [1.0, 1.0, 1.0] else 90.0)
    whole = quaternions.compose(np.zeros(3), quaternions.quat_from_axis_angle(rotation, angle))
    motion = dance(body())
    old = motion.skeleton
    # Keys are relative to parents, so on the turned rest they show the same places.
    turned = motion.replace(skeleton=supple.Skeleton(old.names, old.parents, whole @ old.world_from_joint))
    np.testing.assert_array_equal(worlds(turned), worlds(motion))
    np.testing.assert_allclose(worlds(turned.retarget(body()))[..., :3, 3], worlds(motion)[..., :3, 3], atol=1e-9)


@pytest.mark.parametrize("shoulders", [True, False])
def test_t_pose_to_a_pose_keeps_what_one_sees(shoulders):
    motion = dance(body())
    target = body(arms=0.8, spine=2, neck=2, scale=1.3, shoulders=shoulders)
    result = motion.retarget(target) if shoulders else warned(motion, target)
    np.testing.assert_allclose(directions(result), directions(motion), atol=1e-9)
    back = result.retarget(motion.skeleton) if shoulders else warned(result, motion.skeleton)
    np.testing.assert_allclose(directions(back), directions(motion), atol=1e-9)


def warned(motion, target, match="follow nothing|move nothing", **options):
    with pytest.warns(SuppleWarning, match=match):
        return motion.retarget(target, **options)


def test_a_rest_that_differs_is_not_copied_onto_the_hands_and_feet():
    """At the source's rest the hands go on from the forearms and the soles stay flat, whatever the target's rest is."""
    source, target = body(), body(arms=0.8)
    moves, rotations, _ = quaternions.decompose(source.parent_from_joint)
    result = Motion(source, 24.0, moves[None], rotations[None]).retarget(target)
    away = worlds(result)[0, :, :3, :3] @ target.joint_from_world[:, :3, :3]
    anatomy = Anatomy(target)
    for side in SIDES:
        np.testing.assert_allclose(
            away[anatomy.parts[f"{side} hand"]], away[anatomy.parts[f"{side} lower arm"]], atol=1e-12
        )
        np.testing.assert_allclose(away[anatomy.parts[f"{side} foot"]], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(away[anatomy.parts["head"]], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(("spine", "neck"), [(1, 0), (2, 1), (5, 3)])
def test_bones_keep_the_length_of_the_target(spine, neck):
    source = with_rest_frames(body(spine=3, neck=1), 1)
    target = with_rest_frames(body(spine=spine, neck=neck, arms=0.5, scale=0.7), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        result = dance(source).retarget(target)
    hanging = np.flatnonzero(target.parents >= 0)
    rest = np.linalg.norm(target.heads[hanging] - target.heads[target.parents[hanging]], axis=-1)
    positions = worlds(result)[..., :3, 3]
    lengths = np.linalg.norm(positions[:, hanging] - positions[:, target.parents[hanging]], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(rest, lengths.shape), atol=1e-9)


def test_a_bend_of_the_back_is_shared_along_longer_and_shorter_spines():
    source = body(spine=3)
    moves, rest, _ = quaternions.decompose(source.parent_from_joint)
    rotations = rest.copy()
    for index in range(3):
        rotations[source.index(f"Spine{index or ''}")] = quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], 0.2)
    motion = Motion(source, 24.0, moves[None], rotations[None])
    for count in (1, 2, 3, 6):
        target = body(spine=count)
        away = worlds(warned(motion, target) if count < 2 else motion.retarget(target))[0, :, :3, :3]
        angles = [np.arctan2(away[joint, 2, 1], away[joint, 1, 1]) for joint in Anatomy(target).spine]
        np.testing.assert_allclose(angles, 0.6 * np.arange(1, count + 1) / count, atol=1e-9)
        head = away[Anatomy(target).parts["head"]]
        np.testing.assert_allclose(np.arctan2(head[2, 1], head[1, 1]), 0.6, atol=1e-9)


# By table and by equal names


def snake(prefix, count=5, scale=1.0):
    heads = np.zeros((count, 3))
    heads[:, 2] = scale * np.arange(count)
    return supple.Skeleton.from_heads([f"{prefix}{i}" for i in range(count)], np.arange(count) - 1, heads)


def test_a_table_says_who_follows_whom():
    motion = dance(snake("a"))
    table = {f"b{i}": f"a{i}" for i in range(5)}
    result = motion.retarget(with_rest_frames(snake("b", scale=2.0), 0), table=table)
    np.testing.assert_allclose(worlds(result)[..., :3, 3], 2.0 * worlds(motion)[..., :3, 3], atol=1e-9)


def test_a_table_may_swap_sides_and_leave_the_rest():
    source, target = body(), body(names=unreal)
    motion = dance(source)
    result = warned(
        motion, target, "20 joints of the target follow nothing", table={"pelvis": "Hips", "upperarm_l": "RightArm"}
    )
    still = [j for j, name in enumerate(target.names) if name not in ("pelvis", "upperarm_l")]
    np.testing.assert_allclose(np.abs(result.rotations[:, still, 3]), 1.0, atol=1e-9)


def test_equal_names_are_enough_for_bodies_that_are_not_human():
    motion = dance(snake("bone."))
    result = motion.retarget(snake("Rig:Bone_", scale=0.5))
    np.testing.assert_allclose(worlds(result)[..., :3, 3], 0.5 * worlds(motion)[..., :3, 3], atol=1e-9)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, "empty"),
        ([("b0", "a0")], "no mapping"),
        ({"a0": "a0"}, "'a0' stands for a joint of the target"),
        ({"b0": "b0"}, "'b0' stands for a joint of the source"),
        ({"b0": 3}, "joint of the source"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table, words):
    with pytest.raises(InputError, match=words):
        dance(snake("a")).retarget(snake("b"), table=table)


def test_bodies_with_nothing_in_common_are_refused():
    with pytest.raises(InputError, match="pass table"):
        dance(snake("a")).retarget(snake("b"))
    with pytest.raises(InputError, match="a character or skeleton"):
        dance(snake("a")).retarget("hero")


def test_joints_without_a_partner_are_named_once():
    target = body()
    extra = supple.Skeleton.from_heads(
        [*target.names, "Tail"], [*target.parents, 0], np.vstack([target.heads, [[0.0, 0.9, -0.3]]])
    )
    with pytest.warns(SuppleWarning) as said:
        dance(body()).retarget(extra)
    assert len(said) == 1
    assert "Tail" in str(said[0].message)
    with pytest.warns(SuppleWarning, match=r"source move nothing \(Tail\)"):
        dance(extra).retarget(target)
