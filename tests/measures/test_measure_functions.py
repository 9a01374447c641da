"""Every measure on a case with a known answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from solids import sphere, together

from conftest import make_tube
from supple import linear_blend
from supple.errors import InputError
from supple.geometry import quaternions
from supple.measure import (
    Tetrahedra,
    VolumeMeter,
    area_stretch,
    distance,
    edge_stretch,
    inverted,
    part_volume_ratio,
    penetration,
    section_radius,
    sequence_error,
    settling,
    vibration,
    volume_ratio,
)
from supple.measure.speed import vertex_speed


def rigidly(points: np.ndarray, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    rotation = quaternions.matrix_from_quat(quaternions.normalize(random.normal(size=4)))
    return points @ rotation.T + random.normal(size=3)


# Volume


def test_a_scaled_sphere_has_the_cube_of_its_volume_and_the_square_of_its_area():
    points, triangles = sphere()
    scales = np.linspace(0.5, 1.5, 11)
    frames = scales[:, None, None] * points
    assert volume_ratio(frames, points, triangles) == pytest.approx(scales**3, rel=1e-5)
    area, edge = area_stretch(frames, points, triangles), edge_stretch(frames, points, triangles)
    for found, ratio in ((area, scales**2), (edge, scales)):
        for values in (found.mean, found.high, found.worst):
            assert values == pytest.approx(np.abs(ratio - 1.0), abs=2e-6)


def test_volume_far_from_the_origin_keeps_its_digits():
    points, triangles = sphere()
    assert volume_ratio(points[None] + 100.0, points, triangles) == pytest.approx([1.0], abs=1e-4)


def test_the_part_of_a_tube_that_swells_is_named(tube):
    """The upper half grows by two in x and z: a cut tube's volume with flat caps goes with the square."""
    upper = np.flatnonzero(tube.points[:, 1] > 1.2)
    lower = np.flatnonzero(tube.points[:, 1] < 0.8)
    frame = tube.points.copy()
    frame[tube.points[:, 1] > 1.0, 0] *= 2.0
    frame[tube.points[:, 1] > 1.0, 2] *= 2.0
    found = part_volume_ratio(
        frame[None], tube.points, tube.triangles, parts={"upper": upper, "lower": lower, "point": [3]}
    )
    assert set(found) == {"upper", "lower"}  # one vertex has no volume
    assert found["upper"] == pytest.approx([4.0], rel=1e-5)
    assert found["lower"] == pytest.approx([1.0], rel=1e-5)


def test_parts_that_share_a_flat_cut_add_up_to_the_whole(tube):
    half = tube.points[:, 1] <= 1.0
    both = {"low": np.flatnonzero(half), "high": np.flatnonzero(~half)}
    scaled = tube.points * np.array([1.0, 1.3, 1.0])
    found = part_volume_ratio(scaled[None], tube.points, tube.triangles, parts=both)
    assert found["low"] == pytest.approx([1.3], rel=1e-5)
    assert found["high"] == pytest.approx([1.3], rel=1e-5)


def test_an_open_tube_is_closed_by_fans():
    open_tube, closed = make_tube(closed=False), make_tube(closed=True)
    frames = np.array([0.7, 1.2])[:, None, None] * open_tube.points
    assert volume_ratio(frames, open_tube.points, open_tube.triangles) == pytest.approx(
        volume_ratio(np.array([0.7, 1.2])[:, None, None] * closed.points, closed.points, closed.triangles), rel=1e-5
    )


def test_a_flat_sheet_has_no_volume_to_compare_with():
    with pytest.raises(InputError, match="no volume at rest"):
        volume_ratio(np.zeros((1, 3, 3)), [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


# Stretch


def test_stretch_of_one_edge_is_found_at_its_rank():
    """One triangle of three edges, of which one grows by half: mean, percentile and worst by hand."""
    rest = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    frame = rest.copy()
    frame[1, 0] = 1.5
    found = edge_stretch(frame[None], rest, [[0, 1, 2]])
    ratios = np.array([0.5, abs(np.hypot(1.5, 1.0) / math.sqrt(2.0) - 1.0), 0.0])
    assert found.mean == pytest.approx([ratios.mean()], abs=1e-6)
    assert found.worst == pytest.approx([0.5], abs=1e-6)
    assert found.high == pytest.approx([np.percentile(ratios, 95)], abs=1e-6)
    assert area_stretch(frame[None], rest, [[0, 1, 2]]).worst == pytest.approx([0.5], abs=1e-6)


def test_the_percentile_is_that_of_numpy():
    points, triangles = sphere()
    frame = points + 0.1 * np.random.default_rng(1).normal(size=points.shape)
    corners, now = points[triangles], frame[triangles]
    sides = [np.linalg.norm(np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]), axis=1) for c in (corners, now)]
    found = area_stretch(frame[None], points, triangles)
    assert found.high == pytest.approx([np.percentile(np.abs(sides[1] / sides[0] - 1.0), 95)], rel=1e-4)


def test_a_mesh_without_size_is_refused():
    with pytest.raises(InputError, match="nothing has a size"):
        edge_stretch(np.zeros((1, 3, 3)), np.zeros((3, 3)), [[0, 1, 2]])


# Jitter


def waving(frequency: float, *, fps: float = 60.0, seconds: float = 4.0, amplitude: float = 0.01) -> np.ndarray:
    time = np.arange(round(seconds * fps)) / fps
    wave = np.zeros((len(time), 5, 3))
    wave[:, :, 1] = amplitude * np.sin(2.0 * np.pi * frequency * time)[:, None]
    return wave


def middle(values: np.ndarray) -> float:
    """Root mean square over time, away from the ends."""
    return float(np.sqrt(np.mean(values[60:-60] ** 2)))


@pytest.mark.parametrize(("frequency", "fast", "slow"), [(3.0, 0.0, 1.0), (20.0, 1.0, 0.0), (25.0, 1.0, 0.0)])
def test_a_sine_is_jiggle_below_the_cut_off_and_jitter_above(frequency, fast, slow):
    found = vibration(waving(frequency), fps=60.0)
    whole = 0.01 / math.sqrt(2.0)
    assert middle(found.jitter) == pytest.approx(fast * whole, abs=0.01 * whole)
    assert middle(found.jiggle) == pytest.approx(slow * whole, abs=0.02 * whole)


def test_the_cut_off_can_be_moved():
    found = vibration(waving(6.0), fps=60.0, cutoff=3.0)
    assert middle(found.jitter) == pytest.approx(0.01 / math.sqrt(2.0), rel=0.01)


@pytest.mark.parametrize("frames", [1, 2, 5, 200])
def test_an_offset_or_a_steady_drift_is_no_vibration(frames):
    drift = np.arange(frames)[:, None, None] * 1e-3 + np.full((1, 4, 3), 0.05)
    found = vibration(drift, fps=60.0)
    assert found.jitter == pytest.approx(np.zeros(frames), abs=1e-6)
    assert found.jiggle == pytest.approx(np.zeros(frames), abs=1e-6)


@pytest.mark.parametrize(("fps", "cutoff"), [(60.0, 30.0), (60.0, 0.5), (0.0, 10.0), (math.nan, 10.0)])
def test_a_cut_off_that_frames_cannot_show_is_refused(fps, cutoff):
    with pytest.raises(InputError, match="vibration"):
        vibration(waving(3.0), fps=fps, cutoff=cutoff)


# Settling


def stopping(decay: float, *, frequency: float = 3.0, fps: float = 60.0, moving: int = 30, hold: int = 240):
    """Joints that move for a while and stop; the skin swings on as a damped oscillation about where it will be."""
    poses = np.tile(np.eye(4), (moving + hold + 1, 1, 1, 1))
    poses[: moving + 1, 0, 0, 3] = np.linspace(0.0, 1.0, moving + 1)
    poses[moving:, 0, 0, 3] = 1.0
    after = np.arange(hold + 1) / fps
    swing = np.concatenate([np.zeros(moving), 0.1 * np.exp(-decay * after) * np.cos(2.0 * np.pi * frequency * after)])
    points = poses[:, :, :3, 3] + np.random.default_rng(0).random((6, 3))
    points[..., 1] += swing[:, None]
    return points, poses


@pytest.mark.parametrize("decay", [3.0, 5.0, 9.0])
def test_a_damped_oscillation_settles_when_its_envelope_says(decay):
    """The last swing above 1 % lies within half a period before the envelope's ln(100) / decay."""
    points, poses = stopping(decay)
    found = settling(points, poses, fps=60.0)
    assert found.stop == pytest.approx(0.5)
    assert found.peak == pytest.approx(0.1, rel=1e-3)
    envelope = math.log(100.0) / decay
    assert envelope - 0.5 / 3.0 - 1.0 / 60.0 <= found.seconds <= envelope + 1.0 / 60.0


def test_an_overdamped_skin_settles_at_its_analytic_time():
    points, poses = stopping(6.0, frequency=0.0)
    assert settling(points, poses, fps=60.0).seconds == pytest.approx(math.log(100.0) / 6.0, abs=1.01 / 60.0)


def test_no_stop_no_settling_and_a_dead_stop():
    points, poses = stopping(0.0)
    assert settling(points, poses, fps=60.0).seconds == math.inf
    assert math.isnan(settling(points[:20], poses[:20], fps=60.0).seconds)  # still moving
    assert math.isnan(settling(points[40:], poses[40:], fps=60.0).seconds)  # never moved
    kinematic = poses[:, :, :3, 3] + np.zeros((6, 3)) + np.arange(6)[:, None]
    assert settling(kinematic, poses, fps=60.0).seconds == 0.0
    with pytest.raises(InputError, match="poses"):
        settling(points, poses[:-1], fps=60.0)
    with pytest.raises(InputError, match="fps"):
        settling(points, poses, fps=0.0)


# Sections


def test_a_tube_twisted_by_half_a_turn_collapses_in_the_middle(tube):
    """Linear blend averages opposite points there; dividing the twist leaves both ends round."""
    rotation = np.tile(np.eye(4), (2, 1, 1))
    rotation[1, :3, :3] = quaternions.matrix_from_quat([0.0, 1.0, 0.0, 0.0])
    twisted = linear_blend(tube.points, tube.weights, rotation)
    axis = {"tube": ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0])}
    found = section_radius(twisted[None], tube.points, tube.triangles, bones=axis, sections=21)["tube"]
    assert found.positions[10] == pytest.approx(0.5)
    assert found.mean[0, 10] == pytest.approx(0.0, abs=1e-3)
    assert found.mean[0, [0, -1]] == pytest.approx([1.0, 1.0], abs=0.02)
    assert (found.narrowest <= found.mean + 1e-6).all()
    assert (found.widest >= found.mean - 1e-6).all()


def test_a_bulge_is_as_wide_as_it_was_made(tube):
    frame = tube.points.copy()
    frame[:, 0] *= 1.5
    axis = {"tube": ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0])}
    found = section_radius(frame[None], tube.points, tube.triangles, bones=axis, sections=3)["tube"]
    assert found.widest == pytest.approx(np.full((1, 3), 1.5), rel=1e-5)
    assert found.narrowest == pytest.approx(np.full((1, 3), 1.0), rel=1e-5)


def test_the_limb_round_the_bone_is_measured_and_not_its_neighbour(tube):
    other = tube.points + np.array([2.0, 0.0, 0.0])
    points, triangles = together((tube.points, tube.triangles), (other, tube.triangles))
    frame = points.copy()
    frame[len(other) :, 2] *= 3.0
    bones = {
        "first": ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0]),
        "second": ([2.0, 0.0, 0.0], [2.0, 2.0, 0.0]),
        "nowhere": ([9.0, 0.0, 0.0], [9.0, 2.0, 0.0]),
        "point": ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]),
    }
    found = section_radius(frame[None], points, triangles, bones=bones)
    assert set(found) == {"first", "second"}
    assert found["first"].mean == pytest.approx(np.ones((1, 8)), rel=1e-5)
    assert (found["second"].mean > 1.5).all()


def test_no_sections_are_refused(tube):
    with pytest.raises(InputError, match="sections"):
        section_radius(tube.points[None], tube.points, tube.triangles, bones={}, sections=0)


# Errors


def test_errors_by_hand():
    reference = np.zeros((2, 2, 3))
    points = reference.copy()
    points[0, 0] = [3.0, 4.0, 0.0]  # E = 25 over 2 frames of 2 vertices
    found = sequence_error(points, reference)
    assert found.rms == pytest.approx(2.5)
    assert found.thousandths == pytest.approx(1000.0 * math.sqrt(25.0 / 12.0))
    assert found.worst == pytest.approx(5.0)
    assert found.by_frame.rms == pytest.approx([math.sqrt(12.5), 0.0])
    assert distance(points, reference).worst == pytest.approx([5.0, 0.0])


def test_sequences_that_do_not_match_are_refused():
    with pytest.raises(InputError, match="frames"):
        distance(np.zeros((2, 4, 3)), np.zeros((3, 4, 3)))
    with pytest.raises(InputError, match="shape"):
        distance(np.zeros((2, 4, 3)), np.zeros((2, 5, 3)))


# Inverted tetrahedra


def test_a_tetrahedron_pushed_through_itself_is_inverted_whichever_way_it_was_numbered():
    rest = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    through = rest.copy()
    through[3, 2] = -0.5
    frames = np.stack([rest, through, 2.0 * rest])
    assert inverted(Tetrahedra(frames, rest, [[0, 1, 2, 3], [1, 0, 2, 3]])).tolist() == [0, 2, 0]
    with pytest.raises(InputError, match="point 4"):
        inverted(Tetrahedra(frames, rest, [[0, 1, 2, 4]]))


# All of them


@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_motion_changes_no_measure(tube, seed):
    frames = np.stack([rigidly(tube.points, seed), rigidly(tube.points, seed + 10)])
    rest, triangles = tube.points, tube.triangles
    parts = {"upper": np.flatnonzero(rest[:, 1] > 1.1)}
    assert volume_ratio(frames, rest, triangles) == pytest.approx([1.0, 1.0], abs=1e-5)
    assert part_volume_ratio(frames, rest, triangles, parts=parts)["upper"] == pytest.approx([1.0, 1.0], abs=1e-5)
    assert edge_stretch(frames, rest, triangles).worst == pytest.approx([0.0, 0.0], abs=1e-4)
    assert area_stretch(frames, rest, triangles).worst == pytest.approx([0.0, 0.0], abs=1e-4)
    assert penetration(frames, rest, triangles).pairs.tolist() == [0, 0]
    axis = {"tube": ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0])}
    assert section_radius(frames, rest, triangles, bones=axis)["tube"].mean == pytest.approx(np.ones((2, 8)), abs=1e-5)


def test_a_rigid_motion_of_everything_changes_no_difference():
    wave, reference = waving(3.0) + waving(20.0), np.zeros((240, 5, 3))
    before = vibration(wave, fps=60.0)
    moved, base = rigidly(wave, 3), rigidly(reference, 3)
    after = vibration(moved - base, fps=60.0)
    assert after.jitter == pytest.approx(before.jitter, abs=1e-7)
    assert after.jiggle == pytest.approx(before.jiggle, abs=1e-7)
    assert distance(moved, base).rms == pytest.approx(distance(wave, reference).rms, abs=1e-6)


BAD = [
    (np.full((1, 3, 3), np.nan), "not finite"),
    (np.zeros((0, 3, 3)), "at least one frame"),
    (np.zeros((3, 3)), "shape"),
    (np.zeros((1, 4, 3)), "shape"),
    (np.full((1, 3, 3), "x"), "is needed"),
]


@pytest.mark.parametrize(("frames", "match"), BAD)
@pytest.mark.parametrize("take", [volume_ratio, edge_stretch, area_stretch, penetration])
def test_frames_that_do_not_fit_are_refused(take, frames, match):
    with pytest.raises(InputError, match=match):
        take(frames, np.eye(3), [[0, 1, 2]])


def test_parts_that_name_no_points_are_refused(tube):
    with pytest.raises(InputError, match="part 'x'"):
        part_volume_ratio(tube.points[None], tube.points, tube.triangles, parts={"x": [10**6]})


def test_speed_is_the_way_over_the_time():
    before = np.zeros((3, 3))
    points = np.array([[0.3, 0.0, 0.4], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    np.testing.assert_allclose(vertex_speed(points, before, 0.5), [1.0, 0.0, 2.0], rtol=1e-6)
    with pytest.raises(InputError, match="dt is 0"):
        vertex_speed(points, before, 0.0)
    with pytest.raises(InputError, match="points has shape"):
        vertex_speed(points, before[:2], 0.5)


def test_a_meter_of_volume_says_frame_by_frame_what_the_function_says_of_all():
    points, triangles = sphere(2)
    frames = np.stack([points, 0.9 * points, points * [1.0, 2.0, 1.0]])
    meter = VolumeMeter(points, triangles)
    wanted = volume_ratio(frames, points, triangles)
    np.testing.assert_allclose([meter(frame) for frame in frames], wanted, rtol=1e-6)
    assert wanted[1] == pytest.approx(0.729, rel=1e-3)
    with pytest.raises(InputError, match="no volume"):
        VolumeMeter(points * [1.0, 0.0, 1.0], triangles)
    with pytest.raises(InputError, match="shape"):
        meter(points[:-1])
