"""Strokes: reduction, curves, frames, posing, picking, and lines that stick to the skin."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple.edits.strokes import (
    Stroke,
    SurfaceStroke,
    View,
    carry_along,
    depth_buffer,
    id_buffer,
    joints_near,
    pick,
    pick_by_rays,
    posed_by_strokes,
    raised,
    resample,
    simplify,
)
from supple.errors import InputError
from supple.geometry.quaternions import matrix_from_quat, quat_from_axis_angle
from supple.render import Camera

TUBE = make_tube(rings=21, sectors=14)
CHAIN = make_tube(rings=9, sectors=8, bones=6)
VIEW = View((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5, (200, 160))
WAVE = np.stack([np.linspace(0, 2, 400), np.sin(np.linspace(0, 6, 400)), 0.3 * np.cos(np.linspace(0, 4, 400))], axis=1)


def distances_to_polyline(points, line):
    """Plain loops: how far points are from a line of segments."""
    best = np.full(len(points), np.inf)
    for start, end in itertools.pairwise(line):
        way = end - start
        for n, point in enumerate(points):
            share = np.clip((point - start) @ way / max(way @ way, 1e-300), 0.0, 1.0)
            best[n] = min(best[n], np.linalg.norm(point - start - share * way))
    return best


# Reduction


@given(st.integers(0, 10_000), st.integers(2, 60), st.floats(0.0, 0.5), st.sampled_from([2, 3]))
def test_reduction_stays_within_its_tolerance_and_keeps_the_ends(seed, count, tolerance, dimension):
    points = np.cumsum(np.random.default_rng(seed).normal(0.0, 0.2, (count, dimension)), axis=0)
    keep = simplify(points, tolerance)
    assert keep[0] == 0
    assert keep[-1] == count - 1
    assert distances_to_polyline(points, points[keep]).max() <= tolerance + 1e-12


def test_reduction_keeps_corners_only():
    corner = np.concatenate([resample([[0, 0], [1, 0]], 0.05), resample([[1, 0], [1, 1]], 0.05)[1:]])
    assert corner[simplify(corner, 1e-6)].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert len(simplify(WAVE, 0.01)) < 40


def test_evenly_leaves_no_gap_and_keeps_all_points():
    positions = resample(WAVE[::50], 0.03)
    assert np.linalg.norm(np.diff(positions, axis=0), axis=1).max() <= 0.03 + 1e-12
    assert all(np.abs(positions - point).sum(axis=1).min() < 1e-12 for point in WAVE[::50])


def test_a_spiral_of_many_samples_is_no_trouble():
    rotations = np.linspace(0, 200, 20_000)
    spiral = np.stack([rotations * np.cos(rotations), rotations * np.sin(rotations)], axis=1)
    assert len(simplify(spiral, 1e-9)) > 10_000


@pytest.mark.parametrize(("points", "tolerance"), [([[0, 0]], -1.0), ([[0, 0]], np.nan), ([], 1.0), ([[1], [2]], 1.0)])
def test_strange_samples_and_tolerances_are_refused(points, tolerance):
    with pytest.raises(InputError):
        simplify(points, tolerance)


def test_strange_spacings_are_refused():
    with pytest.raises(InputError, match="spacing"):
        resample([[0, 0], [1, 1]], 0.0)
    with pytest.raises(InputError, match="at most"):
        resample([[0, 0], [1, 1]], 1e-9)


# Curves


def test_a_stroke_goes_through_its_knots_smoothly():
    stroke = Stroke.from_samples(WAVE, tolerance=0.02)
    t, distance = stroke.nearest(stroke.knots)
    assert distance.max() < 1e-9
    assert (np.diff(t) > 0.0).all()
    control = stroke.bezier
    leave, arrive = control[1:, 1] - control[1:, 0], control[:-1, 3] - control[:-1, 2]
    chord = np.linalg.norm(np.diff(stroke.knots, axis=0), axis=1)
    assert np.abs(leave / chord[1:, None] - arrive / chord[:-1, None]).max() < 1e-12
    bend_in = (control[:-1, 1] - 2 * control[:-1, 2] + control[:-1, 3]) / chord[:-1, None] ** 2
    bend_out = (control[1:, 0] - 2 * control[1:, 1] + control[1:, 2]) / chord[1:, None] ** 2
    assert np.abs(bend_in - bend_out).max() < 1e-9  # curvature matches too


def test_shares_are_shares_of_length():
    stroke = Stroke.from_samples(WAVE, tolerance=0.02)
    positions = stroke.at(np.linspace(0, 1, 5001))
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert steps.sum() == pytest.approx(stroke.length, rel=1e-5)
    assert steps.max() / steps.min() < 1.001
    assert stroke.length == pytest.approx(np.linalg.norm(np.diff(WAVE, axis=0), axis=1).sum(), rel=0.01)


def test_a_straight_stroke_and_a_circle_have_their_lengths():
    line = Stroke([[0, 0, 0], [3, 4, 0]], [0, 1])
    assert line.length == pytest.approx(5.0, rel=1e-12)
    assert np.abs(line.at(0.3) - [0.9, 1.2, 0.0]).max() < 1e-12
    angle = np.linspace(0, 2 * np.pi, 65)
    circle = Stroke(np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), angle)
    assert circle.length == pytest.approx(2 * np.pi, rel=1e-4)


def test_frames_are_rotations_that_do_not_spin():
    stroke = Stroke.from_samples(WAVE, tolerance=0.01)
    t = np.linspace(0, 1, 301)
    frames = stroke.frames(t)
    assert np.abs(np.swapaxes(frames, 1, 2) @ frames - np.eye(3)).max() < 1e-9
    assert np.linalg.det(frames).min() > 0.0
    assert np.abs(frames[:, :, 0] - stroke.tangents(t)).max() < 1e-12
    finer = stroke.frames(np.linspace(0, 1, 3001))
    coarse, fine = (
        np.abs(np.einsum("ni,ni->n", np.diff(f[:, :, 1], axis=0), f[:-1, :, 2])).max() for f in (frames, finer)
    )
    assert fine < 0.02 * coarse  # spin about the curve in a step goes with its square, so none is left in the limit
    assert np.abs(stroke.frames(0.5) - frames[150]).max() < 1e-9


def test_frames_of_a_flat_stroke_keep_the_plane_s_normal():
    flat = Stroke.from_samples(WAVE * [1, 1, 0], tolerance=0.01)
    frames = flat.frames(np.linspace(0, 1, 50), normal=[0, 0, 1])
    assert np.abs(frames[:, :, 1] - [0, 0, 1]).max() < 1e-9
    with pytest.raises(InputError, match="normal"):
        flat.frames(0.5, normal=flat.tangents(0.0))


def test_times_run_along_the_stroke():
    stroke = Stroke.from_samples(WAVE, times=np.linspace(2, 5, len(WAVE)), tolerance=0.01)
    when = stroke.time_at(np.linspace(0, 1, 20))
    assert when[0] == 2.0
    assert when[-1] == 5.0
    assert (np.diff(when) > 0.0).all()


@given(st.integers(0, 10_000))
def test_nearest_is_the_nearest_of_many_places(seed):
    stroke = Stroke.from_samples(WAVE, tolerance=0.05)
    points = np.random.default_rng(seed).normal(0.5, 1.0, (6, 3))
    t, distance = stroke.nearest(points)
    assert np.abs(np.linalg.norm(stroke.at(t) - points, axis=1) - distance).max() < 1e-7
    many = stroke.at(np.linspace(0, 1, 2000))
    least = np.linalg.norm(points[:, None] - many[None], axis=2).min(axis=1)
    assert (distance <= least + 1e-4).all()


@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(1e-4, 1e4))
def test_any_stroke_can_be_walked(seed, knots, size):
    """Wild knots of any size: places, frames and shares are finite, and every place is found again."""
    random = np.random.default_rng(seed)
    stroke = Stroke(size * random.standard_normal((knots, 3)), np.sort(random.uniform(0, 1, knots)))
    t = random.uniform(0, 1, 7)
    positions = stroke.at(t)
    found, distance = stroke.nearest(positions)
    assert distance.max() < 1e-6 * stroke.length
    assert np.abs(stroke.at(found) - positions).max() < 1e-6 * stroke.length
    frames = stroke.frames(t)
    assert np.abs(np.swapaxes(frames, 1, 2) @ frames - np.eye(3)).max() < 1e-9


def test_a_knot_is_dragged_and_the_first_stroke_stays():
    stroke = Stroke.from_samples(WAVE, tolerance=0.05)
    other = stroke.with_knot(2, [0.0, 5.0, 0.0])
    assert other.nearest([[0.0, 5.0, 0.0]])[1][0] < 1e-9
    assert stroke.nearest([[0.0, 5.0, 0.0]])[1][0] > 1.0
    with pytest.raises(InputError, match="knot"):
        stroke.with_knot(99, [0, 0, 0])


@pytest.mark.parametrize(
    ("knots", "times"),
    [
        ([[0, 0, 0]], [0]),
        ([[0, 0, 0], [0, 0, 0]], [0, 1]),
        ([[0, 0, 0], [1, 0, 0]], [1, 0]),
        ([[0, 0], [1, 1]], [0, 1]),
        ([[0, 0, 0], [np.nan, 0, 0]], [0, 1]),
    ],
)
def test_strange_strokes_are_refused(knots, times):
    with pytest.raises(InputError):
        Stroke(knots, times)


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan])
def test_places_outside_a_stroke_are_refused(t):
    with pytest.raises(InputError, match="share"):
        Stroke([[0, 0, 0], [1, 0, 0]], [0, 1]).at(t)


def test_repeated_samples_are_one_and_a_dot_is_no_stroke():
    assert len(Stroke.from_samples([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]]).knots) == 2
    with pytest.raises(InputError, match="knots"):
        Stroke.from_samples([[1, 2, 3]] * 5)
    with pytest.raises(InputError, match="samples"):
        Stroke.from_samples(np.zeros((0, 3)))


# Carrying along


def test_equal_strokes_move_nothing_and_shifted_ones_shift():
    stroke = Stroke.from_samples(WAVE, tolerance=0.02)
    points = WAVE[::40] + np.random.default_rng(1).normal(0, 0.05, WAVE[::40].shape)
    same, rotations = carry_along(stroke, stroke, points)
    assert np.abs(same - points).max() < 1e-9
    assert np.abs(rotations - np.eye(3)).max() < 1e-9
    shifted, _ = carry_along(stroke, Stroke(np.add(stroke.knots, [1, 2, 3]), stroke.times), points)
    assert np.abs(shifted - points - [1, 2, 3]).max() < 1e-9


def test_a_turned_straight_stroke_turns_what_is_beside_it():
    line = Stroke([[0, 0, 0], [1, 0, 0]], [0, 1])
    up = Stroke([[0, 0, 0], [0, 1, 0]], [0, 1])
    moved, rotations = carry_along(line, up, [[0.5, 0.1, 0.0], [0.25, 0.0, 0.2]])
    assert np.abs(moved - [[-0.1, 0.5, 0.0], [0.0, 0.25, 0.2]]).max() < 1e-9
    assert np.abs(rotations @ [1, 0, 0] - [0, 1, 0]).max() < 1e-9


# Posing


def chain_strokes(bend=1.2):
    """Along the tube's bones, and the same length bent into an arc."""
    base = Stroke([[0, 0, 0], [0, 2, 0]], [0, 1])
    angle = np.linspace(0, bend, 40)
    radius = 2.0 / bend
    arc = np.stack([radius * (1 - np.cos(angle)), radius * np.sin(angle), 0 * angle], axis=1)
    return base, Stroke.from_samples(arc, tolerance=1e-4)


def test_joints_are_picked_by_radius():
    rest = supple.Pose.rest(CHAIN.skeleton)
    base = Stroke([[0.1, -1, 0], [0.1, 0.8, 0]], [0, 1])
    assert joints_near(rest, base, 0.15).tolist() == [0, 1, 2]
    assert joints_near(rest, base, 0.05).tolist() == []
    with pytest.raises(InputError, match="radius"):
        joints_near(rest, base, -1.0)


def test_a_chain_follows_an_arc_and_keeps_its_lengths():
    skeleton = CHAIN.skeleton
    base, arc = chain_strokes()
    posed = posed_by_strokes(skeleton, supple.Pose.rest(skeleton), base, offset=arc)
    heads = posed.world_from_joint[:, :3, 3]
    wanted = arc.at(skeleton.heads[:, 1] / 2.0)
    assert np.linalg.norm(heads - wanted, axis=1).max() < 0.02  # chords are a little shorter than the arc
    lengths = np.linalg.norm(np.diff(heads, axis=0), axis=1)
    assert np.abs(lengths - 1.0 / 3.0).max() < 1e-9
    rotations = posed.world_from_joint[:, :3, :3]
    assert np.abs(np.swapaxes(rotations, 1, 2) @ rotations - np.eye(3)).max() < 1e-9


def test_equal_strokes_pose_nothing_and_far_ones_are_refused():
    skeleton, rest = CHAIN.skeleton, supple.Pose.rest(CHAIN.skeleton)
    base, arc = chain_strokes()
    same = posed_by_strokes(skeleton, rest, base, offset=base)
    assert np.abs(same.world_from_joint - rest.world_from_joint).max() < 1e-9
    far = Stroke([[9, 0, 0], [9, 1, 0]], [0, 1])
    with pytest.raises(InputError, match="no joint is within"):
        posed_by_strokes(skeleton, rest, far, offset=arc)


@pytest.mark.parametrize("units", [1.0, 100.0])
def test_what_is_near_a_stroke_follows_the_size_of_the_pose(units):
    skeleton = CHAIN.skeleton
    world = np.array(supple.Pose.rest(skeleton).world_from_joint)
    world[:, :3, 3] *= units
    size = np.ptp(world[:, :3, 3], axis=0).max()
    aside = np.array([0.059 * size, 0.0, 0.0])
    line = world[[0, -1], :3, 3]
    assert len(joints_near(supple.Pose(world), Stroke(line + aside, [0, 1]))) == len(skeleton)
    assert len(joints_near(supple.Pose(world), Stroke(line + 1.1 * aside, [0, 1]))) == 0


def test_limits_hold_and_joints_that_are_not_picked_keep_their_local_pose():
    skeleton, rest = CHAIN.skeleton, supple.Pose.rest(CHAIN.skeleton)
    base, arc = chain_strokes(2.5)
    free = posed_by_strokes(skeleton, rest, base, offset=arc)
    held = posed_by_strokes(skeleton, rest, base, offset=arc, limits={"bone2": 0.1})

    def local_angle(pose, joint):
        rotation = pose.world_from_joint[joint - 1, :3, :3].T @ pose.world_from_joint[joint, :3, :3]
        return np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))

    assert local_angle(free, 2) > 0.2
    assert local_angle(held, 2) == pytest.approx(0.1, abs=1e-6)
    upper = Stroke([[0, 1.2, 0], [0, 2, 0]], [0, 1])
    side = Stroke([[0, 1.2, 0], [0.8, 1.2, 0]], [0, 1])
    some = posed_by_strokes(skeleton, rest, upper, offset=side, radius=0.15)
    assert np.abs(some.world_from_joint[:4] - rest.world_from_joint[:4]).max() < 1e-9
    assert some.world_from_joint[5, 0, 3] > 0.3
    with pytest.raises(InputError, match="limit"):
        posed_by_strokes(skeleton, rest, base, offset=arc, limits={"bone1": 4.0})
    with pytest.raises(InputError, match="joint"):
        posed_by_strokes(skeleton, rest, base, offset=arc, limits={"tail": 1.0})


def test_a_picked_root_moves_unless_it_may_not():
    skeleton, rest = CHAIN.skeleton, supple.Pose.rest(CHAIN.skeleton)
    base, _ = chain_strokes()
    aside = Stroke(np.add(base.knots, [0.5, 0, 0]), base.times)
    moved = posed_by_strokes(skeleton, rest, base, offset=aside)
    assert np.abs(moved.world_from_joint[:, :3, 3] - rest.world_from_joint[:, :3, 3] - [0.5, 0, 0]).max() < 1e-9
    stays = posed_by_strokes(skeleton, rest, base, offset=aside, move_roots=False)
    assert np.abs(stays.world_from_joint[0, :3, 3]).max() < 1e-12


def test_branches_follow_as_well_as_they_can():
    heads = [[0, 0, 0], [0, 1, 0], [-1, 2, 0], [1, 2, 0]]
    skeleton = supple.Skeleton.from_heads(["root", "fork", "left", "right"], [-1, 0, 1, 1], heads)
    rest = supple.Pose.rest(skeleton)
    base = Stroke([[0, 0, 0], [0, 2, 0]], [0, 1])
    rotation = matrix_from_quat(quat_from_axis_angle([0, 0, 1], 0.4))
    tilted = Stroke(base.knots @ rotation.T, base.times)
    posed = posed_by_strokes(skeleton, rest, base, offset=tilted, radius=1.5)
    assert np.abs(posed.world_from_joint[:, :3, 3] - heads @ rotation.T).max() < 1e-6


# Views and picking


def test_a_view_projects_as_the_camera_does_and_rays_go_back():
    camera = Camera((1.5, 1.4, 5.0), (0.0, 1.0, 0.0), 0.5)
    view = View.of(camera, (200, 160))
    pixels, depth = view.project(TUBE.points)
    assert np.abs(pixels - camera.project(TUBE.points, size=(200, 160))).max() < 1e-9
    back = view.position + depth[:, None] * view.rays(pixels) / (view.rays(pixels) @ -view.axes[2])[:, None]
    assert np.abs(back - TUBE.points).max() < 1e-9


def test_pixels_on_a_plane_and_beside_it():
    positions = VIEW.on_plane([[20.0, 30.0], [150.0, 100.0]], [0, 1, 0])
    assert np.abs(VIEW.project(positions)[0] - [[20, 30], [150, 100]]).max() < 1e-9
    assert np.abs((positions - [0, 1, 0]) @ VIEW.axes[2]).max() < 1e-9
    floor = VIEW.on_plane([[100.0, 150.0]], [0, 0, 0], normal=[0, 1, 0])
    assert abs(floor[0, 1]) < 1e-9
    with pytest.raises(InputError, match="misses"):
        View((0, 1, 5), (0, 1, 0), 0.5, (100, 100)).on_plane([[50.0, 10.0]], [0, 0, 0], normal=[0, 1, 0])


@pytest.mark.parametrize(
    "strange",
    [{"size": (0, 10)}, {"view_angle": 0.0}, {"position": (0.0, 1.0, 0.0)}, {"target": (np.nan, 0, 0)}, {"size": (5,)}],
)
def test_strange_views_are_refused(strange):
    given = {"position": (0.0, 1.0, 5.0), "target": (0.0, 1.0, 0.0), "view_angle": 0.5, "size": (20, 20), **strange}
    with pytest.raises(InputError):
        View(**given)


def test_the_id_buffer_sees_what_rays_see():
    buffer = id_buffer(TUBE.points, TUBE.triangles, VIEW)
    rows, columns = np.mgrid[0:160:7, 0:200:7]
    middles = np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
    rays = pick_by_rays(TUBE.points, TUBE.triangles, VIEW.position, directions=VIEW.rays(middles))
    seen = buffer[rows.ravel(), columns.ravel()]
    assert (rays.triangles >= 0).sum() > 40
    on_edge = rays.hit & (rays.barycentric.min(axis=1) < 1e-6)
    assert np.array_equal(seen[~on_edge], rays.triangles[~on_edge])


def test_picks_on_a_bent_skin_are_where_the_pixel_is():
    bend = supple.Pose.from_rotations(TUBE.skeleton, {"bone1": quat_from_axis_angle([1, 0, 0.5], 1.0)})
    points = supple.player(TUBE, supple.LinearBlend()).advance(bend).astype(np.float64)
    pixels = np.random.default_rng(3).uniform([60, 10], [140, 150], (300, 2))
    picks = pick(points, TUBE.triangles, VIEW, pixels=pixels)
    rays = pick_by_rays(points, TUBE.triangles, VIEW.position, directions=VIEW.rays(pixels))
    assert np.array_equal(picks.hit, rays.hit)
    assert 50 < picks.hit.sum() < 300
    positions = np.einsum("nc,nci->ni", picks.barycentric, points[TUBE.triangles[picks.triangles]])[picks.hit]
    others = np.einsum("nc,nci->ni", rays.barycentric, points[TUBE.triangles[rays.triangles]])[picks.hit]
    assert np.abs(positions - others).max() < 0.05  # a pixel on an edge may be either side's
    assert np.mean(picks.triangles == rays.triangles) > 0.99
    assert np.abs(VIEW.project(positions)[0] - pixels[picks.hit]).max() < 1e-6
    assert np.abs(picks.barycentric[picks.hit].sum(axis=1) - 1.0).max() < 1e-9


def test_pixels_outside_the_picture_see_nothing():
    assert not pick(TUBE.points, TUBE.triangles, VIEW, pixels=[[-50.0, 10.0], [1e4, 1e4]]).hit.any()


def test_the_depth_buffer_says_how_far_the_skin_is():
    ids, depths = id_buffer(TUBE.points, TUBE.triangles, VIEW), depth_buffer(TUBE.points, TUBE.triangles, VIEW)
    assert np.array_equal(np.isinf(depths), ids == -1)
    row, column = (int(position) for position in np.argwhere(ids >= 0)[500])
    picks = pick(TUBE.points, TUBE.triangles, VIEW, pixels=[[column + 0.5, row + 0.5]])
    position = picks.barycentric[0] @ TUBE.points[TUBE.triangles[picks.triangles[0]]]
    assert depths[row, column] == pytest.approx(VIEW.project(position)[1], rel=1e-9)


def test_triangles_behind_the_eye_are_not_seen():
    behind = View((0.0, 1.0, 5.0), (0.0, 1.0, 10.0), 0.5, (50, 40))
    assert (id_buffer(TUBE.points, TUBE.triangles, behind) == -1).all()


# Strokes on the skin


LINE = np.stack([np.linspace(85, 110, 12), np.linspace(40, 110, 12)], axis=1)


def test_a_stroke_on_the_skin_lies_on_it_and_is_carried_along():
    stroke = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=LINE, tolerance=2.0)
    positions = stroke.positions(TUBE.points, TUBE.triangles)
    assert np.abs(VIEW.project(positions[[0, -1]])[0] - LINE[[0, -1]]).max() < 1e-6
    rotation = matrix_from_quat(quat_from_axis_angle([1, 2, 3], 0.8))
    carried = stroke.positions(TUBE.points @ rotation.T + [1, 0, 2], TUBE.triangles)
    assert np.abs(carried - positions @ rotation.T - [1, 0, 2]).max() < 1e-9
    assert (
        np.abs(
            stroke.normals(TUBE.points @ rotation.T, TUBE.triangles)
            - stroke.normals(TUBE.points, TUBE.triangles) @ rotation.T
        ).max()
        < 1e-9
    )
    assert (
        np.linalg.norm(np.cross(stroke.normals(TUBE.points, TUBE.triangles), positions * [1, 0, 1]), axis=1).max()
        < 0.08
    )
    curve = stroke.stroke(TUBE.points, TUBE.triangles)
    assert np.abs(curve.at([0.0, 1.0]) - positions[[0, -1]]).max() < 1e-9


def test_crossed_triangles_are_those_under_the_line():
    stroke = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=LINE)
    fine = resample(LINE, 0.05)
    rays = pick_by_rays(TUBE.points, TUBE.triangles, VIEW.position, directions=VIEW.rays(fine))
    assert set(stroke.crossed) <= set(rays.triangles)
    assert len(stroke.crossed) >= 0.8 * len(np.unique(rays.triangles))
    assert np.array_equal(stroke.handles(TUBE.triangles), np.unique(TUBE.triangles[stroke.crossed]))


def test_lines_beside_the_skin_are_refused_and_partly_beside_are_cut():
    with pytest.raises(InputError, match="touch"):
        SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=[[2.0, 2.0], [5.0, 5.0]])
    across = SurfaceStroke.drawn(TUBE.points, TUBE.triangles, VIEW, pixels=[[2.0, 80.0], [198.0, 80.0]])
    assert np.abs(VIEW.project(across.positions(TUBE.points, TUBE.triangles))[0][:, 1] - 80.0).max() < 1e-6


@pytest.mark.parametrize(
    ("triangles", "barycentric", "crossed"),
    [
        ([], np.zeros((0, 3)), [0]),
        ([0], [[1, 0, 0]], []),
        ([-1], [[1, 0, 0]], [0]),
        ([0], [[2, 0, 0]], [0]),
        ([0], [[1.5, -0.5, 0]], [0]),
        ([0], [[1, 0]], [0]),
    ],
)
def test_strange_surface_strokes_are_refused(triangles, barycentric, crossed):
    with pytest.raises(InputError):
        SurfaceStroke(triangles, barycentric, crossed)


def test_a_surface_stroke_of_a_larger_mesh_is_refused():
    stroke = SurfaceStroke([5000], [[1, 0, 0]], [5000])
    with pytest.raises(InputError, match="triangle 5000"):
        stroke.check_fits(TUBE.triangles)


def test_raised_vertices_go_along_the_normals():
    side = np.flatnonzero(np.abs(TUBE.points[:, 1] - 1.0) < 0.5)
    heights = np.linspace(-0.1, 0.1, len(side))
    found = raised(TUBE.points, TUBE.triangles, side, heights=heights)
    outward = TUBE.points[side] * [1, 0, 1] / 0.25
    assert np.abs(found - TUBE.points[side] - heights[:, None] * outward).max() < 1e-3 + 0.05 * 0.1
    assert np.abs(np.linalg.norm(found - TUBE.points[side], axis=1) - np.abs(heights)).max() < 1e-12
