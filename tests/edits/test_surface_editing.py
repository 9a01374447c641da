"""Lines drawn on a skin that moves, bulges under them, and their knots in the hand."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import supple
from supple.edits import (
    PROFILES,
    SurfaceEdit,
    SurfaceEditing,
    bulge,
    encoded_moves,
    outline,
    redrawn_outline,
    rest_from_posed,
)
from supple.edits.encoding import pose_skin
from supple.edits.strokes import SkinLine, SurfaceStroke, View, id_buffer, pick
from supple.edits.strokes.reduction import resample
from supple.errors import InputError

HERO = supple.character("hero", vertices=3000)
FINE = supple.character("hero", vertices=10_000)
WALK = supple.motion("walk", HERO)
FACES = HERO.triangles
SKIN = supple.LinearBlend()


def chest(time, joint="Spine2", off=(0.1, 0.05, 2.5)):
    """The hero's skin in his walk, a view that goes along with him, and where the middle of his chest is in it."""
    pose = WALK.sample(time)
    at = pose.world_from_joint[HERO.skeleton.index(joint), :3, 3]
    view = View(tuple(np.add(at, off)), tuple(at), 0.5, (900, 700))
    return pose, pose_skin(HERO, pose, SKIN), view, view.project(at)[0]


def stroke_on_chest(*, pressures=(0.5, 0.5), time=0.4, wide=90.0):
    pose, points, view, middle = chest(time)
    line = SkinLine(FACES)
    x = np.linspace(-wide, wide, 40)
    pixels = middle + np.column_stack([x, 10.0 * np.sin(x / 25.0)])
    line.add(points, view, pixels=pixels, pressures=np.linspace(*pressures, 40))
    return line.stroke(), pose, points, view, pixels


def test_a_line_on_a_moving_skin_lies_under_the_pen_in_every_frame():
    """Each sample is on the skin where it was drawn, on the frame that was seen then; the skin has moved since."""
    line, drawn = SkinLine(FACES), []
    for number in range(30):
        _, points, view, middle = chest(0.3 + number / 60.0)
        x = 5.0 * number - 80.0
        pixels = np.add(middle, [[x, 8.0 * np.sin(number)], [x + 2.5, 8.0 * np.cos(number)]])
        line.add(points, view, pixels=pixels)
        drawn.append((points, view, pixels))
    stroke = line.stroke(tolerance=0.0)
    assert len(stroke.triangles) > 60
    for points, view, pixels in drawn:
        knots = view.project(stroke.positions(points, FACES))[0]
        assert np.linalg.norm(knots[:, None] - pixels, axis=2).min(axis=0).max() < 0.5
    lengths = np.linalg.norm(np.diff(stroke.positions(drawn[-1][0], FACES), axis=0), axis=1)
    assert lengths.max() < 0.02  # no stretch is missing


def test_on_a_skin_that_stands_it_is_the_stroke_that_is_drawn_at_once():
    _, points, view, middle = chest(0.0)
    pixels = middle + np.column_stack([np.linspace(-90, 90, 25), np.linspace(0, 20, 25)])
    line = SkinLine(FACES)
    for part in np.array_split(pixels, 6):
        line.add(points, view, pixels=part)
    whole = SurfaceStroke.drawn(points, FACES, view, pixels=pixels)
    np.testing.assert_array_equal(line.stroke().crossed, whole.crossed)
    assert len(line.stroke().triangles) >= 5  # also a straight one has knots to take hold of
    along = np.linalg.norm(np.diff(line.stroke().positions(points, FACES), axis=0), axis=1)
    assert along.max() < 0.3 * along.sum()


def test_what_is_drawn_beside_the_skin_is_left_out():
    _, points, view, middle = chest(0.0)
    line = SkinLine(FACES)
    line.add(points, view, pixels=[[5.0, 5.0], [8.0, 8.0]])
    assert len(line) == 0
    with pytest.raises(InputError, match="does not touch"):
        line.stroke()
    line.add(points, view, pixels=[middle])
    last = view.project(line.stroke().positions(points, FACES))[0][-1]
    np.testing.assert_allclose(last, middle, atol=1e-6)
    line.add(points, view, pixels=np.zeros((0, 2)))


def test_a_dot_and_a_pen_that_stands_still():
    _, points, view, middle = chest(0.0)
    line = SkinLine(FACES)
    line.add(points, view, pixels=[middle, middle, middle], pressures=[0.4, 0.5, 0.6])
    dot = line.stroke()
    assert len(dot.triangles) == 1
    swollen = bulge(points, FACES, dot, height=0.03, reach=0.08, profile="bell")
    assert np.linalg.norm(swollen - points, axis=1).max() == pytest.approx(0.03 * dot.pressures[0], rel=1e-6)


@pytest.mark.parametrize(
    "strange", [{"pixels": [[0.0, np.nan]]}, {"pixels": [[0.0, 0.0]], "pressures": [1.5]}, {"pixels": [[0.0]]}]
)
def test_strange_lines_are_refused(strange):
    _, points, view, _ = chest(0.0)
    with pytest.raises(InputError):
        SkinLine(FACES).add(points, view, **strange)


def test_a_line_without_end_is_refused():
    _, points, view, _ = chest(0.0)
    with pytest.raises(InputError, match="lift the pen"):
        SkinLine(FACES).add(points, view, pixels=[[0.0, 0.0], [120_000.0, 0.0]])


def test_the_bulge_is_as_high_as_the_pen_was_pressed():
    stroke, _, points, view, pixels = stroke_on_chest(pressures=(0.2, 0.8))
    swollen = bulge(points, FACES, stroke, height=0.04, reach=0.05)
    there = pick(points, FACES, view, pixels=pixels[3:-3])
    rise = np.einsum("kc,kci->ki", there.barycentric, (swollen - points)[FACES[there.triangles]])
    np.testing.assert_allclose(np.linalg.norm(rise, axis=1), 0.04 * np.linspace(0.2, 0.8, 40)[3:-3], rtol=0.05)


@pytest.mark.parametrize("method", ["smooth", "rigid", "laplacian"])
def test_a_dent_is_a_negative_height_and_the_rest_stays(method):
    stroke, _, points, _, _ = stroke_on_chest()
    swollen = bulge(points, FACES, stroke, height=-0.02, reach=0.05, profile="bell", method=method)
    moved = np.linalg.norm(swollen - points, axis=1)
    handles = stroke.handles(FACES)
    assert moved.max() < 0.0115
    assert moved[handles].max() == pytest.approx(0.01, rel=0.05)
    far = np.linalg.norm(points[:, None] - points[handles], axis=2).min(axis=1) > 0.12
    assert moved[far].max() == 0.0


@pytest.mark.parametrize("strange", [{"height": np.nan}, {"reach": -1.0}, {"profile": "mountain"}, {"method": "magic"}])
def test_strange_bulges_are_refused(strange):
    stroke, _, points, _, _ = stroke_on_chest()
    with pytest.raises(InputError):
        bulge(points, FACES, stroke, **{"height": 0.02, "reach": 0.05, **strange})
    assert "even" in PROFILES


@pytest.mark.parametrize("soft", [supple.LinearBlend(), supple.DualQuaternion(), supple.PositionBased()])
def test_moves_in_a_pose_are_encoded_whatever_the_skin_remembers(soft):
    pose = WALK.sample(0.3)
    moves = np.zeros_like(HERO.points)
    moves[100:140] = [0.01, 0.02, -0.005]
    edit = encoded_moves(HERO, pose, moves, skin=soft)
    assert set(edit.vertices) == set(range(100, 140))
    first = soft.first_kinematic()
    edited = HERO.replace(shapes={**HERO.shapes, "moved": edit.dense(len(HERO.points))})
    shown = pose_skin(edited, supple.Pose(pose.world_from_joint, shapes={"moved": 1.0}), first)
    np.testing.assert_allclose(shown - pose_skin(HERO, pose, first), moves, atol=1e-5)
    matrices = rest_from_posed(HERO, pose, np.arange(100, 140), skin=soft)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", matrices, moves[100:140]), edit.offsets, atol=2e-4)


def editing():
    stroke, pose, points, _, _ = stroke_on_chest(pressures=(0.5, 1.0))
    swollen = bulge(points, FACES, stroke, height=0.03, reach=0.06)
    return SurfaceEditing(HERO, stroke, encoded_moves(HERO, pose, swollen - points, skin=SKIN))


def test_a_knot_goes_where_it_is_pulled_and_its_neighbours_stay():
    held = editing()
    by = np.array([0.004, 0.01, 0.012])
    pulled = SurfaceEditing(HERO, held.stroke, held.pull_knot(2, by))
    moved = pulled.knot_offsets - held.knot_offsets
    assert np.linalg.norm(moved[2] - by) < 1e-3 * np.linalg.norm(by)
    assert np.linalg.norm(moved[[0, 4]], axis=1).max() < 0.1 * np.linalg.norm(by)
    change = np.linalg.norm(pulled.shape.dense(3000) - held.shape.dense(3000), axis=1)
    assert change.max() < 2.0 * np.linalg.norm(by)  # no vertex runs away


@pytest.mark.parametrize("method", ["smooth", "rigid", "laplacian"])
def test_a_pull_of_nothing_changes_nothing(method):
    held = editing()
    same = SurfaceEditing(HERO, held.stroke, held.shape, method=method).pull_knot(1, [0.0, 0.0, 0.0])
    np.testing.assert_allclose(same.dense(3000), held.shape.dense(3000), atol=1e-12)


def test_a_whole_line_goes_where_it_is_pulled_and_what_stays_stays():
    held = editing()
    by = np.array([0.004, 0.01, 0.012])
    pulled = SurfaceEditing(HERO, held.stroke, held.pull_line(by))
    np.testing.assert_allclose(pulled.knot_offsets - held.knot_offsets, np.tile(by, (len(held.heights), 1)), atol=1e-9)
    change = pulled.shape.dense(3000) - held.shape.dense(3000)
    np.testing.assert_allclose(change[held.region.handles], np.tile(by, (len(held.region.handles), 1)), atol=1e-9)
    outside = np.setdiff1d(np.arange(3000), np.union1d(held.region.handles, held.region.passive))
    assert np.abs(change[outside]).max() == 0.0
    assert np.linalg.norm(change, axis=1).max() < 1.2 * np.linalg.norm(by)
    each = np.outer(np.linspace(0.0, 1.0, len(held.region.handles)), by)  # every vertex by its own
    moved = held.pull_line(each).dense(3000) - held.shape.dense(3000)
    np.testing.assert_allclose(moved[held.region.handles], each, atol=1e-9)
    np.testing.assert_allclose(held.pull_line(np.zeros(3)).dense(3000), held.shape.dense(3000), atol=1e-12)


def test_skin_farther_off_or_nearer_follows_and_the_line_stays_as_it_is():
    stroke = editing().stroke
    rest = HERO.points
    shapes = {
        reach: SurfaceEditing(HERO, stroke, SurfaceEdit.of(bulge(rest, FACES, stroke, height=0.02, reach=reach) - rest))
        for reach in (0.05, 0.09)
    }
    near, far = shapes.values()
    for reach, held in shapes.items():
        assert 0.6 * reach < held.reach <= reach
        np.testing.assert_allclose(held.with_reach(held.reach).dense(3000), held.shape.dense(3000), atol=1e-9)
    wider = SurfaceEditing(HERO, stroke, near.with_reach(0.09))
    np.testing.assert_allclose(wider.shape.dense(3000), far.shape.dense(3000), atol=1e-9)
    np.testing.assert_array_equal(wider.region.passive, far.region.passive)
    assert set(near.region.passive) < set(far.region.passive)
    handles = near.region.handles
    np.testing.assert_allclose(wider.shape.dense(3000)[handles], near.shape.dense(3000)[handles], atol=1e-12)
    alone = near.with_reach(0.0)
    assert set(alone.vertices) <= set(handles)
    with pytest.raises(InputError, match="reach is"):
        near.with_reach(-0.1)


def test_heights_are_those_of_the_stroke_and_can_be_changed():
    held = editing()
    assert held.heights[-1] / held.heights[0] == pytest.approx(2.0, rel=0.1)
    assert held.height == pytest.approx(0.03, rel=0.1)
    lower = SurfaceEditing(HERO, held.stroke, held.with_height(-0.01))
    assert lower.height == pytest.approx(-0.01, rel=1e-6)
    np.testing.assert_allclose(lower.heights / held.heights, -0.01 / held.height, rtol=1e-6)
    with pytest.raises(InputError, match="finite"):
        held.with_height(np.inf)
    with pytest.raises(InputError, match="flat"):
        SurfaceEditing(HERO, held.stroke, SurfaceEdit.of(np.zeros((3000, 3)))).with_height(0.01)


def test_a_knot_that_goes_takes_its_pull_along():
    held = editing()
    pulled = SurfaceEditing(HERO, held.stroke, held.pull_knot(2, [0.0, 0.0, 0.02]))
    stroke, shape = pulled.delete_knot(2)
    assert len(stroke.triangles) == len(held.stroke.triangles) - 1
    after = np.linalg.norm(shape.dense(3000) - held.shape.dense(3000), axis=1)
    assert after.max() < 0.25 * 0.02
    for number in (-1, 99):
        with pytest.raises(InputError, match="name one"):
            held.delete_knot(number)
        with pytest.raises(InputError, match="name one"):
            held.pull_knot(number, [0.0, 0.0, 0.0])
    dot = SurfaceStroke(stroke.triangles[:1], stroke.barycentric[:1], stroke.crossed)
    alone = SurfaceEditing(HERO, dot, shape)
    with pytest.raises(InputError, match="delete the stroke"):
        alone.delete_knot(0)
    assert np.linalg.norm(alone.pull_knot(0, [0, 0, 0.01]).dense(3000) - shape.dense(3000), axis=1).max() > 0.009


@pytest.mark.parametrize("method", ["smooth", "rigid"])
def test_an_outline_is_laid_on_the_line_and_has_knots_to_pull_it_by(method):
    _, points, view, middle = chest(0.0, "Head", (2.5, 0.05, 0.2))
    seen = id_buffer(points, FACES, view) >= 0
    rows = np.arange(int(middle[1]) - 40, int(middle[1]) + 60, 4)
    edge = np.array([np.flatnonzero(seen[row, : int(middle[0])] == 0).max() + 1.0 for row in rows])
    line = np.column_stack([edge - 14.0 * np.sin(np.linspace(0.0, np.pi, len(rows))), rows])
    moved, stroke = redrawn_outline(points, FACES, view, pixels=line, reach=0.08, method=method)
    changed = np.linalg.norm(moved - points, axis=1)
    assert 0.01 < changed.max() < 0.2
    knots = view.project(stroke.positions(moved, FACES))[0]
    assert all(np.linalg.norm(line - knot, axis=1).min() < 3.0 for knot in knots)
    assert (np.diff(knots[:, 1]) > 0.0).all()  # in the order in which they were drawn
    held = SurfaceEditing(HERO, stroke, encoded_moves(HERO, WALK.sample(0.0), moved - points, skin=SKIN))
    pulled = SurfaceEditing(HERO, stroke, held.pull_knot(2, [0.0, 0.0, 0.01]))
    np.testing.assert_allclose((pulled.knot_offsets - held.knot_offsets)[2], [0.0, 0.0, 0.01], atol=1e-4)


@pytest.mark.parametrize("time", np.linspace(0.0, 1.2, 13).round(2).tolist())
def test_what_becomes_outline_beside_a_line_lies_on_it_too(time):
    """The back of the head goes to the line in every pose, and skin that follows does not bulge past it."""
    points = pose_skin(FINE, WALK.sample(time), SKIN)
    skull = points[FINE.points[:, 1] > FINE.skeleton.heads[FINE.skeleton.index("Head")][1]]
    at = 0.5 * (skull.min(axis=0) + skull.max(axis=0))
    view = View(np.add(at, [0.42, 0.02, 0.0]), at, 0.56, (1100, 640))
    x, rows = 550.0, np.linspace(230.0, 350.0, 61)
    seen = id_buffer(points, FINE.triangles, view) >= 0
    edge = np.array([x + np.flatnonzero(~seen[int(row), int(x) :])[0] for row in rows])
    line = np.column_stack([edge + 25.0 * np.sin(np.linspace(0.0, np.pi, len(rows))) ** 2, rows])
    moved, _ = redrawn_outline(points, FINE.triangles, view, pixels=line, reach=0.06)
    now = view.project(moved[np.unique(outline(moved, FINE.triangles, view))])[0]
    beside = now[(now[:, 0] > x + 100.0) & (now[:, 1] > rows[2]) & (now[:, 1] < rows[-3])]
    assert len(beside) >= 3
    assert cKDTree(resample(line, 0.25)).query(beside)[0].max() < 1.5


def test_a_line_that_leaves_its_outline_is_refused():
    """From one side of the body to the other, or far beside it: the skin would be torn along."""
    _, points, view, middle = chest(0.0)
    across = np.add(middle, [[-260.0, 0.0], [260.0, 40.0]])
    far = np.add(middle, [[-430.0, -30.0], [-430.0, 0.0], [-430.0, 30.0]])
    for line in (across, far):
        with pytest.raises(InputError, match="one piece of the outline"):
            redrawn_outline(points, FACES, view, pixels=line, reach=0.05)
