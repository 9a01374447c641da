"""Poses and motions: sampling, looping, recording, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from supple import Motion, Pose, Skeleton
from supple.errors import InputError
from supple.geometry import quaternions
from supple.motion.pose import between

TIGHT = {"rtol": 0.0, "atol": 1e-12}
seeds = st.integers(0, 2**32 - 1)

# A trunk with two limbs, children before parents now and then, and a rest pose that is turned and shifted.
NAMES = ("hand", "trunk", "arm", "head", "prop")
PARENTS = (2, -1, 1, 1, -1)


def make_skeleton(seed: int = 3) -> Skeleton:
    source = np.random.default_rng(seed)
    return Skeleton(
        NAMES,
        np.array(PARENTS),
        quaternions.compose(source.standard_normal((5, 3)), quaternions.normalize(source.standard_normal((5, 4)))),
    )


SKELETON = make_skeleton()
ROOTS = np.array(PARENTS) < 0


def make_motion(seed: int = 0, frames: int = 5, **options) -> Motion:
    source = np.random.default_rng(seed)
    moves = source.standard_normal((frames, 5, 3))
    rotations = quaternions.normalize(source.standard_normal((frames, 5, 4)))
    scales = source.uniform(0.5, 2.0, (frames, 5, 3)) if options.pop("scaled", False) else None
    return Motion(SKELETON, options.pop("fps", 10.0), moves, rotations, scales, **options)


def make_walk() -> Motion:
    """Keys whose last is the first again, moved on by the stride."""
    motion = make_motion(frames=7)
    stride = np.array([0.5, 0.0, 2.0])
    moves, rotations = motion.translations.copy(), motion.rotations.copy()
    moves[-1], rotations[-1] = moves[0], rotations[0]
    moves[-1, ROOTS] += stride
    return Motion(SKELETON, 10.0, moves, rotations, loop=True, stride=stride)


def world(skeleton: Skeleton, moves, rotations, scales=None):
    """Forward kinematics, joint by joint."""
    local = quaternions.compose(moves, rotations, scales)

    def position(joint: int):
        above = skeleton.parents[joint]
        return local[joint] if above < 0 else position(above) @ local[joint]

    return np.stack([position(joint) for joint in range(len(skeleton))])


def random_pose(seed: int) -> Pose:
    """Joints turned anyhow, bones as long as at rest, roots anywhere."""
    source = np.random.default_rng(seed)
    rest, _, _ = quaternions.decompose(SKELETON.parent_from_joint)
    rest[ROOTS] = source.standard_normal((2, 3))
    return Pose(world(SKELETON, rest, quaternions.normalize(source.standard_normal((5, 4)))))


# Sampling


@pytest.mark.parametrize("scaled", [False, True])
def test_at_its_keys_a_motion_is_its_keys(scaled):
    motion = make_motion(scaled=scaled)
    for frame, time in enumerate(motion.times):
        scales = motion.scales[frame] if scaled else None
        known = world(SKELETON, motion.translations[frame], motion.rotations[frame], scales)
        np.testing.assert_allclose(motion.sample(time).world_from_joint, known, **TIGHT)


@settings(deadline=None)
@given(seed=seeds, position=st.floats(0.0, 4.0))
def test_between_keys_places_are_blended_and_turns_are_even(seed, position):
    motion = make_motion(seed, scaled=True)
    first = min(int(position), 3)
    share = position - first
    rotations = np.stack(
        [Slerp([0, 1], Rotation.from_quat(motion.rotations[first : first + 2, j]))(share).as_quat() for j in range(5)]
    )
    moves = (1 - share) * motion.translations[first] + share * motion.translations[first + 1]
    scales = (1 - share) * motion.scales[first] + share * motion.scales[first + 1]
    sampled = motion.sample(position / motion.fps).world_from_joint
    np.testing.assert_allclose(sampled, world(SKELETON, moves, rotations, scales), rtol=0.0, atol=1e-9)


def test_a_motion_that_does_not_loop_holds_its_ends():
    motion = make_motion(stride=[1.0, 2.0, 3.0])
    for time in (-1e-9, -3.0, -1e9):
        np.testing.assert_array_equal(motion.sample(time).world_from_joint, motion.sample(0.0).world_from_joint)
    for time in (motion.duration + 1e-9, 77.0, 1e9):
        np.testing.assert_allclose(
            motion.sample(time).world_from_joint, motion.sample(motion.duration).world_from_joint, **TIGHT
        )


@settings(deadline=None)
@given(time=st.floats(-5.0, 5.0), laps=st.integers(-4, 4))
def test_a_loop_comes_round_moved_on_by_its_stride(time, laps):
    walk = make_walk()
    away = np.eye(4)
    away[:3, 3] = laps * walk.stride
    np.testing.assert_allclose(
        walk.sample(time + laps * walk.duration).world_from_joint,
        walk.sample(time).moved(away).world_from_joint,
        rtol=0.0,
        atol=1e-9,
    )


@pytest.mark.parametrize("lap", [-2, -1, 0, 1, 3])
def test_a_loop_does_not_jump_where_it_closes(lap):
    walk = make_walk()
    seam, step = lap * walk.duration, 1e-7
    before, after = walk.sample(seam - step).world_from_joint, walk.sample(seam + step).world_from_joint
    assert np.abs(after - before).max() < 1e-4  # it moves by less than 500 a second, and would jump by 2


def test_a_loop_without_stride_repeats_in_place():
    motion = make_motion(loop=True)
    np.testing.assert_array_equal(motion.stride, np.zeros(3))
    np.testing.assert_allclose(
        motion.sample(0.13 + 3 * motion.duration).world_from_joint, motion.sample(0.13).world_from_joint, atol=1e-9
    )


def test_one_key_is_a_motion_that_stands_still():
    for loop in (False, True):
        still = make_motion(frames=1, loop=loop)
        assert still.duration == 0.0
        for time in (-1.0, 0.0, 2.0):
            np.testing.assert_array_equal(still.sample(time).world_from_joint, still.sample(0.0).world_from_joint)
        assert still.resampled(24.0).frames == 1


def test_a_motion_tells_its_times():
    motion = make_motion(frames=31, fps=30.0, name="nod")
    assert (motion.frames, motion.duration, len(motion.times)) == (31, 1.0, 31)
    assert motion.times[-1] == motion.duration
    assert repr(motion) == "Motion('nod': 1.00 s, 31 frames at 30 fps, 5 joints, once)"
    assert "loops" in repr(motion.replace(loop=True))


# Other rates, recordings


@pytest.mark.parametrize("times", [1, 2, 3, 7])
def test_more_keys_say_the_same_and_taking_them_away_gives_the_first_back(times):
    motion = make_motion(scaled=True)
    fine = motion.resampled(times * motion.fps)
    assert fine.frames == times * (motion.frames - 1) + 1
    for time in np.linspace(-0.1, motion.duration + 0.1, 23):
        np.testing.assert_allclose(
            fine.sample(time).world_from_joint, motion.sample(time).world_from_joint, rtol=0.0, atol=1e-9
        )
    back = fine.resampled(motion.fps)
    np.testing.assert_allclose(back.translations, motion.translations, **TIGHT)
    np.testing.assert_allclose(np.abs(np.sum(back.rotations * motion.rotations, axis=-1)), 1.0, **TIGHT)
    np.testing.assert_allclose(back.scales, motion.scales, **TIGHT)


@settings(deadline=None)
@given(fps=st.floats(0.5, 200.0))
def test_any_rate_keeps_the_ends_and_comes_near(fps):
    motion = make_walk()
    other = motion.resampled(fps)
    assert abs(other.duration - motion.duration) < 1e-12
    assert abs(other.fps - fps) <= 0.5 / motion.duration + 1e-9 or other.frames == 2
    for key in (0, -1):
        np.testing.assert_allclose(other.translations[key], motion.translations[key], **TIGHT)
    assert other.loop
    np.testing.assert_array_equal(other.stride, motion.stride)


@pytest.mark.parametrize("scaled", [False, True])
def test_recording_a_motion_gives_it_back(scaled):
    motion = make_motion(scaled=scaled)
    taken = Motion.from_poses(SKELETON, motion.sample, seconds=motion.duration, fps=motion.fps, name="taken", loop=True)
    assert (taken.frames, taken.fps, taken.name, taken.loop) == (motion.frames, motion.fps, "taken", True)
    assert (taken.scales is not None) is scaled
    for time in np.linspace(0.0, motion.duration - 1e-6, 17):
        np.testing.assert_allclose(
            taken.sample(time).world_from_joint, motion.sample(time).world_from_joint, rtol=0.0, atol=1e-9
        )


# Poses


@settings(deadline=None)
@given(seed=seeds, joint=st.sampled_from(NAMES))
def test_a_turn_is_about_the_joint_in_world_axes_and_carries_what_hangs_below(seed, joint):
    rotation = quaternions.normalize(np.random.default_rng(seed).standard_normal(4))
    pose = Pose.from_rotations(SKELETON, {joint: rotation})
    number = SKELETON.index(joint)
    about = np.eye(4)
    about[:3, :3] = Rotation.from_quat(rotation).as_matrix()
    about[:3, 3] = SKELETON.heads[number] - about[:3, :3] @ SKELETON.heads[number]
    below = np.isin(np.arange(5), SKELETON.descendants(number))
    known = np.where(below[:, None, None], about @ SKELETON.world_from_joint, SKELETON.world_from_joint)
    np.testing.assert_allclose(pose.world_from_joint, known, **TIGHT)


def test_turns_of_parent_and_child_add_up_and_roots_move():
    first, second = Rotation.from_euler("xyz", [0.3, 1.0, -0.4]), Rotation.from_euler("xyz", [-0.9, 0.2, 0.6])
    pose = Pose.from_rotations(SKELETON, {"hand": second.as_quat(), "arm": first.as_quat()}, move=[1.0, 2.0, 3.0])
    hand = SKELETON.index("hand")
    rest = SKELETON.world_from_joint[hand, :3, :3]
    np.testing.assert_allclose(pose.world_from_joint[hand, :3, :3], (first * second).as_matrix() @ rest, **TIGHT)
    moved = pose.world_from_joint[ROOTS, :3, 3] - SKELETON.heads[ROOTS]
    np.testing.assert_allclose(moved, [[1.0, 2.0, 3.0]] * 2, **TIGHT)


def test_at_rest_nothing_is_moved():
    rest = Pose.rest(SKELETON)
    np.testing.assert_allclose(rest.skinning(SKELETON), np.tile(np.eye(4), (5, 1, 1)), **TIGHT)
    np.testing.assert_allclose(Pose.from_rotations(SKELETON, {}).world_from_joint, SKELETON.world_from_joint, **TIGHT)


@settings(deadline=None)
@given(seed=seeds)
def test_a_pose_carried_elsewhere_carries_its_skinning(seed):
    source = np.random.default_rng(seed)
    away = quaternions.compose(source.standard_normal(3), quaternions.normalize(source.standard_normal(4)))
    pose = random_pose(seed)
    np.testing.assert_allclose(pose.moved(away).skinning(SKELETON), away @ pose.skinning(SKELETON), **TIGHT)


@settings(deadline=None)
@given(seed=seeds, share=st.floats(0.0, 1.0))
def test_between_two_poses_bones_keep_their_length(seed, share):
    a, b = random_pose(seed), random_pose(seed + 1)
    middle = between(SKELETON, a, b, share)
    hanging = ~ROOTS
    heads = middle.world_from_joint[:, :3, 3]
    rest = SKELETON.heads
    above = SKELETON.parents[hanging]
    np.testing.assert_allclose(
        np.linalg.norm(heads[hanging] - heads[above], axis=1),
        np.linalg.norm(rest[hanging] - rest[above], axis=1),
        rtol=1e-9,
    )
    roots = (1 - share) * a.world_from_joint[ROOTS, :3, 3] + share * b.world_from_joint[ROOTS, :3, 3]
    np.testing.assert_allclose(heads[ROOTS], roots, rtol=0.0, atol=1e-9)
    turned = Rotation.from_matrix(middle.world_from_joint[ROOTS, :3, :3])
    start, end = (Rotation.from_matrix(pose.world_from_joint[ROOTS, :3, :3]) for pose in (a, b))
    np.testing.assert_allclose(
        (turned * start.inv()).magnitude(), share * (end * start.inv()).magnitude(), rtol=0.0, atol=1e-7
    )


def test_between_reaches_both_poses_and_goes_no_further():
    a, b = random_pose(1), random_pose(2)
    assert between(SKELETON, a, b, 0.0) is a
    assert between(SKELETON, a, b, -1.0) is a
    assert between(SKELETON, a, b, 1.0) is b
    assert between(SKELETON, a, b, 2.0) is b
    for share, end in ((1e-9, a), (1.0 - 1e-9, b)):
        np.testing.assert_allclose(
            between(SKELETON, a, b, share).world_from_joint, end.world_from_joint, rtol=0.0, atol=1e-7
        )


def test_between_blends_sizes():
    small, large = (
        Pose(quaternions.compose(np.zeros((5, 3)), [[0, 0, 0, 1.0]] * 5, np.full((5, 3), s))) for s in (1.0, 3.0)
    )
    prop = SKELETON.index("prop")
    np.testing.assert_allclose(
        between(SKELETON, small, large, 0.25).world_from_joint[prop, :3, :3], 1.5 * np.eye(3), **TIGHT
    )


# What is refused, each beside its valid twin

MOVES, TURNS = np.zeros((2, 5, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (2, 5, 1))


def edited(keys, value):
    """The keys with one value changed, at frame 1, joint 2."""
    changed = keys.copy()
    changed[1, 2, 0] = value
    return changed


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fps": 0.0}, "fps is 0.0, but a rate above zero"),
        ({"fps": -30.0}, "fps is -30.0, but a rate above zero"),
        ({"fps": float("nan")}, "fps is nan, but a rate above zero"),
        ({"fps": float("inf")}, "fps is inf, but a rate above zero"),
        ({"translations": edited(MOVES, np.nan)}, r"translations has 1 values that are not finite .*\(1, 2, 0\)"),
        ({"rotations": edited(TURNS, np.inf)}, r"rotations has 1 values that are not finite"),
        ({"scales": edited(np.ones((2, 5, 3)), np.nan)}, "scales has 1 values that are not finite"),
        ({"translations": MOVES[:, :4]}, r"translations has shape \(2, 4, 3\), but \(N, 5, 3\)"),
        ({"rotations": TURNS[:1]}, r"rotations has shape \(1, 5, 4\), but \(2, 5, 4\)"),
        ({"rotations": TURNS[..., :3]}, r"rotations has shape \(2, 5, 3\)"),
        ({"scales": np.ones((2, 5))}, r"scales has shape \(2, 5\)"),
        ({"rotations": edited(TURNS, 0.5)}, "'arm' at frame 1 has length 1.11803, but quaternions must have length"),
        ({"rotations": 0.0 * TURNS}, "'hand' at frame 0 has length 0, but"),
        ({"translations": MOVES[:0], "rotations": TURNS[:0]}, "there are no frames, but at least one"),
        ({"stride": [0.0, 1.0]}, r"stride has shape \(2,\)"),
        ({"stride": [0.0, np.nan, 1.0]}, "stride has 1 values that are not finite"),
    ],
)
def test_a_motion_refuses(changes, says):
    valid = {"fps": 30.0, "translations": MOVES, "rotations": TURNS, "scales": np.ones((2, 5, 3)), "stride": [0, 0, 1]}
    assert Motion(SKELETON, **valid).frames == 2
    with pytest.raises(InputError, match=says):
        Motion(SKELETON, **{**valid, **changes})


def test_quaternions_that_were_rounded_are_taken():
    motion = Motion(SKELETON, 30.0, MOVES, TURNS * 1.0005)
    np.testing.assert_allclose(np.linalg.det(motion.sample(0.01).world_from_joint), 1.0, **TIGHT)


@pytest.mark.parametrize("time", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("loop", [False, True])
def test_a_motion_has_no_pose_at_no_time(time, loop):
    motion = make_motion(loop=loop)
    assert len(motion.sample(0.0)) == 5
    with pytest.raises(InputError, match="a finite time is needed"):
        motion.sample(time)


@pytest.mark.parametrize("fps", [0.0, -1.0, np.nan, np.inf])
def test_no_motion_is_resampled_or_recorded_at_no_rate(fps):
    motion = make_motion()
    with pytest.raises(InputError, match="a rate above zero is needed"):
        motion.resampled(fps)
    with pytest.raises(InputError, match="a rate above zero is needed"):
        Motion.from_poses(SKELETON, motion.sample, seconds=1.0, fps=fps)


@pytest.mark.parametrize("seconds", [-1.0, np.nan, np.inf])
def test_no_motion_is_recorded_for_no_time(seconds):
    assert Motion.from_poses(SKELETON, make_motion().sample, seconds=0.0).frames == 1
    with pytest.raises(InputError, match="seconds is"):
        Motion.from_poses(SKELETON, make_motion().sample, seconds=seconds)


def test_poses_of_another_skeleton_are_not_recorded():
    lone = Skeleton.from_heads(["only"], [-1], [[0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="the poses have 5 joints, but the skeleton has 1"):
        Motion.from_poses(lone, make_motion().sample, seconds=1.0)
    assert Motion.from_poses(lone, lambda _: Pose.rest(lone), seconds=1.0, fps=2.0).frames == 3


def test_a_motion_fits_only_the_skeleton_it_was_made_for():
    motion = make_motion(name="wave")
    motion.check_fits(SKELETON)
    motion.check_fits(make_skeleton(seed=9))  # the same joints, other proportions
    renamed = Skeleton(("hand", "trunk", "arm", "skull", "prop"), SKELETON.parents, SKELETON.world_from_joint)
    with pytest.raises(InputError, match=r"Motion 'wave': .*5 joints that lacks skull"):
        motion.check_fits(renamed)
    rehung = Skeleton(NAMES, np.array([1, -1, 1, 1, -1]), SKELETON.world_from_joint)
    with pytest.raises(InputError, match="orders or hangs its joints differently"):
        motion.check_fits(rehung)


@pytest.mark.parametrize(
    ("world_from_joint", "says"),
    [
        (np.eye(4), r"world_from_joint has shape \(4, 4\), but \(N, 4, 4\)"),
        (np.full((5, 4, 4), np.nan), "world_from_joint has 80 values that are not finite"),
        (np.full((5, 4, 4), "x"), "numbers are needed"),
    ],
)
def test_a_pose_refuses(world_from_joint, says):
    assert len(Pose(np.tile(np.eye(4), (5, 1, 1)))) == 5
    with pytest.raises(InputError, match=says):
        Pose(world_from_joint)


@pytest.mark.parametrize(
    ("rotations", "move", "says"),
    [
        ({"tail": [0, 0, 0, 1]}, None, "joint 'tail' was asked for, but it has hand, trunk"),
        ({"hand": [0, 0, 1]}, None, r"the turn of 'hand' has shape \(3,\), but \(4,\)"),
        ({"hand": [0, 0, np.nan, 1]}, None, "the turn of 'hand' has 1 values that are not finite"),
        ({"hand": [0, 0, 0, 0]}, None, "the turn of 'hand' is zero, but a quaternion"),
        ({}, 1.0, r"move has shape \(\), but \(3,\)"),
        ({}, [np.inf, 0, 0], "move has 1 values that are not finite"),
    ],
)
def test_turns_are_checked(rotations, move, says):
    assert len(Pose.from_rotations(SKELETON, {"hand": [0, 0, 0, 2]}, move=[0, 0, 1])) == 5
    with pytest.raises(InputError, match=says):
        Pose.from_rotations(SKELETON, rotations, move=move)


def test_a_pose_is_moved_by_a_transform_and_skins_its_own_skeleton():
    rest = Pose.rest(SKELETON)
    with pytest.raises(InputError, match=r"world_from_world has shape \(3, 3\)"):
        rest.moved(np.eye(3))
    with pytest.raises(InputError, match="it has 4 joints, but the skeleton has 5"):
        Pose(rest.world_from_joint[:4]).skinning(SKELETON)


# What is given stays as it is


def test_inputs_are_not_changed_and_what_is_kept_cannot_be():
    moves, rotations, scales, stride = MOVES.copy(), TURNS.copy(), np.ones((2, 5, 3)), np.zeros(3)
    motion = Motion(SKELETON, 30.0, moves, rotations, scales, stride=stride, loop=True)
    motion.sample(5.01)
    motion.resampled(7.0)
    np.testing.assert_array_equal(moves, MOVES)
    np.testing.assert_array_equal(rotations, TURNS)
    moves[:], rotations[:], scales[:], stride[:] = 9.0, 9.0, 9.0, 9.0  # the caller's own arrays stay free
    np.testing.assert_array_equal(motion.translations, MOVES)
    np.testing.assert_array_equal(motion.rotations, TURNS)
    kept = (motion.translations, motion.rotations, motion.scales, motion.stride, motion.sample(0.0).world_from_joint)
    for array in kept:
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0
    assert motion.sample(0.0).world_from_joint is not motion.sample(0.0).world_from_joint


def test_posing_changes_neither_the_skeleton_nor_the_turns():
    before = SKELETON.world_from_joint.copy()
    locals_before = SKELETON.parent_from_joint.copy()
    rotation, away = np.array([0.0, 3.0, 0.0, 4.0]), 2.0 * np.eye(4)
    Pose.from_rotations(SKELETON, {"trunk": rotation}, move=np.ones(3)).moved(away)
    a, b = random_pose(1), random_pose(2)
    a_before = a.world_from_joint.copy()
    between(SKELETON, a, b, 0.5)
    np.testing.assert_array_equal(SKELETON.world_from_joint, before)
    np.testing.assert_array_equal(SKELETON.parent_from_joint, locals_before)
    np.testing.assert_array_equal(rotation, [0.0, 3.0, 0.0, 4.0])
    np.testing.assert_array_equal(away, 2.0 * np.eye(4))
    np.testing.assert_array_equal(a.world_from_joint, a_before)
