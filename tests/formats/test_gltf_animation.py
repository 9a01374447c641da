"""Clips of glTF against interpolation worked out by hand, and the even rates they are sampled onto."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from gltf_files import GltfFile, arm
from hypothesis import given, settings
from hypothesis import strategies as st

from supple import Motion
from supple.errors import InputError, SuppleWarning
from supple.geometry import quaternions
from supple.io import load, load_motion
from supple.io.gltf.animation import ALONE, HIGHEST_RATE, even_times

HALF = math.sqrt(0.5)


def clip(folder, *channel, file: GltfFile | None = None, repair: bool = False) -> Motion:
    """The motion of an arm with one channel."""
    file = file or arm()
    file.clip(channel, name="clip")
    return load(file.save(folder), repair=repair).motions["clip"]


def local(motion: Motion, time: float, joint: str = "hand") -> np.ndarray:
    """A joint relative to its parent at a time."""
    index = motion.skeleton.index(joint)
    world = motion.sample(time).world_from_joint
    parent = motion.skeleton.parents[index]
    return world[index] if parent < 0 else np.linalg.inv(world[parent]) @ world[index]


# Interpolation


def test_linear_places_go_straight(tmp_path):
    motion = clip(tmp_path, 1, "translation", [0.0, 0.5, 1.5], [[0, 0, 0], [1, 2, 3], [1, 2, 5]])
    np.testing.assert_allclose(local(motion, 0.25)[:3, 3], [0.5, 1.0, 1.5], atol=1e-7)
    np.testing.assert_allclose(local(motion, 1.0)[:3, 3], [1.0, 2.0, 4.0], atol=1e-7)


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["near", "far"])
def test_linear_rotations_turn_evenly_along_the_shorter_arc(tmp_path, sign):
    """A quarter turn about z; the same quaternion with the other sign is the same turn."""
    end = sign * np.array([0.0, 0.0, HALF, HALF])
    motion = clip(tmp_path, 1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], end])
    for time in (0.0, 0.2, 0.5, 1.0):
        angle = time * math.pi / 2
        expected = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        np.testing.assert_allclose(local(motion, time)[:2, :2], expected, atol=1e-6)


def test_steps_hold_their_key_until_the_next(tmp_path):
    motion = clip(tmp_path, 1, "translation", [0.0, 1.0, 2.0], [[0, 0, 0], [5, 0, 0], [7, 0, 0]], "STEP")
    for time, position in ((0.0, 0.0), (0.5, 0.0), (1.0 - 1.5 / motion.fps, 0.0), (1.0, 5.0), (1.9, 5.0), (2.0, 7.0)):
        np.testing.assert_allclose(local(motion, time)[0, 3], position, atol=1e-6)


def hermite(share, long, start, out, end, into):
    """The cubic of the specification, in its own words: p0, m0 out of it, p1, m1 into it."""
    return (
        (2 * share**3 - 3 * share**2 + 1) * start
        + long * (share**3 - 2 * share**2 + share) * out
        + (-2 * share**3 + 3 * share**2) * end
        + long * (share**3 - share**2) * into
    )


def test_cubic_places_follow_their_slopes(tmp_path):
    rows = np.random.default_rng(0).normal(size=(9, 3))  # into, value, out of each of three keys
    motion = clip(tmp_path, 1, "translation", [0.0, 0.5, 1.5], rows, "CUBICSPLINE")
    assert motion.fps >= 60.0
    for frame in range(motion.frames):
        time = frame / motion.fps
        a, start, long = (0, 0.0, 0.5) if time < 0.5 else (1, 0.5, 1.0)
        expected = hermite(
            (time - start) / long, long, rows[3 * a + 1], rows[3 * a + 2], rows[3 * a + 4], rows[3 * a + 3]
        )
        np.testing.assert_allclose(local(motion, time)[:3, 3], expected, atol=1e-5)


def test_cubic_rotations_are_normalised(tmp_path):
    rows = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0.5, 0.2, 0, 0], [0.1, 0, 0.4, 0], [0, HALF, 0, HALF], [0, 0, 0, 0]])
    motion = clip(tmp_path, 1, "rotation", [0.0, 1.0], rows, "CUBICSPLINE")
    for frame in range(motion.frames):
        share = frame / motion.fps
        mixed = hermite(share, 1.0, rows[1], rows[2], rows[4], rows[3])
        expected = quaternions.matrix_from_quat(mixed / np.linalg.norm(mixed))
        np.testing.assert_allclose(local(motion, share)[:3, :3], expected, atol=1e-5)


def test_rotations_stored_as_short_integers(tmp_path):
    file = arm()
    values = file.accessor(
        np.round(32767 * np.array([[0, 0, 0, 1], [0, 0, HALF, HALF]])).astype(int), "h", normalized=True
    )
    file.add(
        "animations",
        name="clip",
        channels=[{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
        samplers=[{"input": file.accessor([0.0, 1.0]), "output": values}],
    )
    motion = load(file.save(tmp_path)).motions["clip"]
    np.testing.assert_allclose(local(motion, 1.0)[:3, 0], [0.0, 1.0, 0.0], atol=1e-4)


def test_scales_are_kept(tmp_path):
    motion = clip(tmp_path, 0, "scale", [0.0, 1.0], [[1, 1, 1], [2, 3, 4]])
    np.testing.assert_allclose(local(motion, 0.5, "shoulder"), np.diag([1.5, 2.0, 2.5, 1.0]), atol=1e-6)


def test_joints_without_keys_stand_as_the_file_opens(tmp_path):
    file = arm()
    file.json["nodes"][1]["translation"] = [0.0, 1.5, 0.0]  # bound at 1
    motion = clip(tmp_path, 0, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]], file=file)
    np.testing.assert_allclose(local(motion, 0.5)[:3, 3], [0.0, 1.5, 0.0], atol=1e-7)


def test_a_clip_starts_with_its_first_key_and_holds_where_a_channel_has_ended(tmp_path):
    file = arm()
    file.clip(
        (0, "translation", [5.0, 6.0], [[0, 0, 0], [1, 0, 0]]),
        (1, "translation", [5.0, 7.0], [[0, 1, 0], [0, 3, 0]]),
        name="late",
    )
    motion = load(file.save(tmp_path)).motions["late"]
    assert motion.duration == pytest.approx(2.0)
    np.testing.assert_allclose(local(motion, 0.0, "shoulder")[:3, 3], [0, 0, 0], atol=1e-7)
    np.testing.assert_allclose(local(motion, 1.5, "shoulder")[:3, 3], [1, 0, 0], atol=1e-7)
    np.testing.assert_allclose(local(motion, 2.0)[:3, 3], [0, 3, 0], atol=1e-7)


def test_fixed_nodes_between_joints_are_folded_without_a_trace(tmp_path):
    """The same arm with a turned, shrunk node in between moves its hand through that node."""
    file = arm()
    between = {"rotation": [HALF, 0.0, 0.0, HALF], "scale": [0.5] * 3, "translation": [1.0, 2.0, 3.0], "children": [1]}
    file.json["nodes"][0]["children"] = [file.add("nodes", name="between", **between)]
    motion = clip(tmp_path, 1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, HALF, HALF]], file=file)
    assert "between" not in motion.skeleton.names
    fixed = quaternions.compose([1.0, 2.0, 3.0], [HALF, 0, 0, HALF], [0.5] * 3)
    inner = quaternions.compose([0.0, 1.0, 0.0], quaternions.quat_from_axis_angle([0, 0, 1], math.pi / 4))
    np.testing.assert_allclose(local(motion, 0.5), fixed @ inner, atol=1e-6)


def test_clips_that_move_nothing_of_the_character_are_no_motions(tmp_path):
    file = arm()
    camera = file.add("nodes", name="camera")
    file.clip((camera, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]), name="pan")
    file.add("animations", name="light", samplers=[{}], channels=[{"sampler": 0, "target": {"path": "pointer"}}])
    assert not load(file.save(tmp_path)).motions


def test_a_motion_may_come_without_a_mesh(tmp_path):
    file = arm()
    file.clip((1, "translation", [0.0, 1.0], [[0, 1, 0], [0, 3, 0]]), name="reach")
    whole = load(file.save(tmp_path))
    del file.json["meshes"], file.json["nodes"][2]["mesh"], file.json["nodes"][2]["skin"]
    motion = load_motion(file.save(tmp_path))
    assert motion.name == "reach"
    motion.check_fits(whole.skeleton)
    np.testing.assert_allclose(motion.skeleton.world_from_joint, whole.skeleton.world_from_joint)
    np.testing.assert_allclose(
        motion.sample(0.5).world_from_joint, whole.motions["reach"].sample(0.5).world_from_joint, atol=1e-7
    )


def test_a_motion_of_nodes_that_are_no_joints_rests_as_the_file_opens(tmp_path):
    file = GltfFile()
    file.add("nodes", name="arm", translation=[1.0, 0.0, 0.0])
    file.clip((0, "translation", [0.0, 1.0], [[0, 1, 0], [0, 3, 0]]))
    motion = load_motion(file.save(tmp_path))
    np.testing.assert_allclose(motion.skeleton.heads, [[1.0, 0.0, 0.0]])
    np.testing.assert_allclose(motion.sample(1.0).world_from_joint[0, :3, 3], [0.0, 3.0, 0.0])


def test_a_file_without_clips_is_no_motion(tmp_path):
    with pytest.raises(InputError, match="no clip moves a node"):
        load_motion(arm().save(tmp_path))


# Rates


@settings(max_examples=100)
@given(st.sampled_from([12, 24, 25, 30, 48, 50, 60, 90, 100, 120]), st.integers(2, 400), st.integers(0, 500))
def test_even_keys_are_hit_exactly(rate, count, start):
    keys = ((start + np.arange(count)) / rate).astype(np.float32).astype(np.float64)
    times, fps = even_times(keys, bends=False, most=10_000)
    np.testing.assert_array_equal(times, keys)
    assert fps == pytest.approx(rate, rel=1e-4)


@settings(max_examples=100)
@given(st.lists(st.floats(0.0, 50.0, width=32), min_size=2, max_size=20, unique=True), st.booleans())
def test_any_keys_give_even_times_within_bounds(raw, bends):
    keys = np.unique(np.array(raw))
    times, fps = even_times(keys, bends=bends, most=5000)
    assert 1 <= len(times) <= 5000
    assert fps <= HIGHEST_RATE * 1.01 or len(times) <= 2
    assert times[0] == keys[0]
    if len(times) > 1:
        assert times[-1] == keys[-1]
        assert (len(times) - 1) / fps == pytest.approx(keys[-1] - keys[0], rel=1e-3)
        step = (times[-1] - times[0]) / (len(times) - 1)
        assert np.abs(np.diff(times) - step).max() < 0.05 * step


def test_a_grid_that_hits_every_key_is_found():
    """Keys of 24 a second whose second half starts 4.8 steps later lie on a grid five times as fine."""
    keys = np.array([*range(17), *np.arange(20.8, 28.0)]) / 24.0
    times, fps = even_times(keys, bends=False, most=10_000)
    assert fps == pytest.approx(120.0)
    assert np.isin(keys, times).all()


@pytest.mark.parametrize("rounded", [False, True])
def test_a_grid_is_found_though_two_keys_lie_closer_than_its_steps(rounded):
    """Keys of one channel in milliseconds beside those of another in full leave gaps that are no step of either."""
    exact = np.array([*range(10), *range(12, 40)]) / 30.0
    keys = np.unique(np.concatenate([exact, np.round(exact[::3], 3)])) if rounded else exact[[0, 3, 8, 10, 17, 27]]
    times, fps = even_times(keys, bends=False, most=10_000)
    assert fps == pytest.approx(30.0, rel=1e-3)
    frames = np.round((keys - keys[0]) * fps).astype(int)
    assert np.abs(times[frames] - keys).max() < 5.1e-4


def test_a_rate_that_is_nearly_whole_is_not_bent():
    """Frame times written as 0.033333 drift by a frame in an hour; rounding the rate would show."""
    keys = (np.arange(400) * 0.033333).astype(np.float32).astype(np.float64)
    _, fps = even_times(keys, bends=False, most=10_000)
    assert abs(399 / fps - keys[-1]) < 1e-6


@pytest.mark.parametrize(
    "keys", [np.arange(30_000) * 5e-5, [0.0, 1e9, 1.7e9 + 0.5], [0.0, 3e38], [0.0, 1e-30], [0.0, 1e-5, 2e-5]]
)
def test_keys_too_close_and_too_far_apart_end_in_few_frames(keys):
    times, fps = even_times(np.array(keys), bends=True, most=1000)
    assert 1 <= len(times) <= 1000
    assert 0.0 < fps < np.inf


def test_one_key_is_one_frame(tmp_path):
    motion = clip(tmp_path, 1, "translation", [3.0], [[0, 2, 0]])
    assert (motion.frames, motion.fps) == (1, ALONE)
    np.testing.assert_allclose(local(motion, 0.0)[:3, 3], [0, 2, 0])


def test_hours_between_close_keys_are_sampled_coarsely_and_told(tmp_path):
    file = arm()
    file.clip((1, "translation", [0.0, 0.01, 3e7], [[0, 1, 0], [0, 2, 0], [0, 3, 0]]), name="long")
    with pytest.warns(SuppleWarning, match="'long'.*frames a second only"):
        motion = load(file.save(tmp_path)).motions["long"]
    assert motion.frames < 1_000_000


def test_constant_steps_do_not_raise_the_rate(tmp_path):
    file = arm()
    file.clip(
        (1, "translation", [0.0, 0.5, 1.0], [[0, 1, 0], [0, 2, 0], [0, 1, 0]]),
        (0, "scale", [0.0, 1.0], [[1, 1, 1], [1, 1, 1 + 1e-7]], "STEP"),
        name="clip",
    )
    assert load(file.save(tmp_path)).motions["clip"].fps == 2.0


# Faults


@pytest.mark.parametrize("times", [[0.0, 0.0, 1.0], [0.0, 0.5, 0.2]])
def test_keys_out_of_order_are_refused_or_dropped(tmp_path, times):
    values = [[0, 1, 0], [0, 2, 0], [0, 3, 0]]
    with pytest.raises(InputError, match=r"times must rise.*repair=True"):
        clip(tmp_path, 1, "translation", times, values)
    with pytest.warns(SuppleWarning, match="dropped"):
        motion = clip(tmp_path, 1, "translation", times, values, repair=True)
    np.testing.assert_allclose(local(motion, 0.0)[:3, 3], [0, 1, 0])


def test_rotations_of_length_zero_are_refused_or_left_unturned(tmp_path):
    keys = [[0, 0, 0, 1], [0, 0, 0, 0]]
    with pytest.raises(InputError, match="rotations are zero"):
        clip(tmp_path, 1, "rotation", [0.0, 1.0], keys)
    with pytest.warns(SuppleWarning, match="not turned"):
        motion = clip(tmp_path, 1, "rotation", [0.0, 1.0], keys, repair=True)
    np.testing.assert_allclose(local(motion, 1.0)[:3, :3], np.eye(3), atol=1e-9)


def test_rotations_that_are_not_unit_are_normalised(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", SuppleWarning)
        motion = clip(tmp_path, 1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 3e-3, 3e-3]])
    np.testing.assert_allclose(local(motion, 1.0)[:3, 0], [0.0, 1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    "channel",
    [
        (1, "translation", [0.0, 1.0], [[0, 0, 0]]),
        (1, "translation", [0.0, 1.0], [[0, 0, 0]] * 2, "CUBICSPLINE"),
        (1, "translation", [0.0, 1.0], [[0, 0, 0]] * 2, "SMOOTH"),
        (1, "translation", [0.0, 1.0], [[0, 0, 0, 0]] * 2),
        (1, "rotation", [0.0, 1.0], [[0, 0, 0]] * 2),
        (1, "translation", [0.0, np.inf], [[0, 0, 0]] * 2),
        (1, "translation", [0.0, 1.0], [[0, 0, np.nan]] * 2),
        (77, "translation", [0.0, 1.0], [[0, 0, 0]] * 2),
        (1, "translation", [[0.0, 1.0]], [[0, 0, 0]]),
    ],
)
def test_broken_channels_are_refused(tmp_path, channel):
    with pytest.raises(InputError):
        clip(tmp_path, *channel)
