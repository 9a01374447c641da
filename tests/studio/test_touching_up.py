"""Drawn shapes are touched up in the studio: brushed, given knots, timed by a gesture; and a line is walked along."""

import msgspec
import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits.strokes import SurfaceStroke
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import is_quiet, perform
from supple.studio.session import Session
from supple.studio.state import state_of

SHAPE = "Bulge 1"


@pytest.fixture(scope="module")
def opened():
    made = Session(Document(CharacterSource("hero", 1500), skins=(Graph.of(skin_named("linear")),)), print)
    made.take_over()
    made.advance(1 / 60, 0)
    yield made
    made.close()


@pytest.fixture
def session(opened):
    """With a bulge round a place of the belly, and a stroke over it."""
    points, faces = opened.character.points, opened.character.triangles
    middle = belly(opened)
    away = np.linalg.norm(points - points[middle], axis=1)
    offsets = 0.03 * np.clip(1.0 - away / 0.15, 0.0, 1.0)[:, None] * [0.0, 0.0, 1.0]
    front = points[faces].mean(axis=1)[:, 2] > points[middle, 2] - 0.06
    ends = [points[middle] + [x, 0.0, 0.0] for x in (-0.09, 0.09)]
    over = [int(np.argmin(np.linalg.norm(points[faces].mean(axis=1) - end, axis=1) + 9.0 * ~front)) for end in ends]
    stroke = SurfaceStroke(over, np.full((2, 3), 1.0 / 3.0), over)
    edits = opened.document.edits_on(opened.character).with_shape(SHAPE, SurfaceEdit.of(offsets))
    opened.do(opened.document.with_edits(edits.with_stroke(SHAPE, stroke), "Raise"))
    perform(opened, say.AddLayer(1, SHAPE))
    yield opened
    while opened.history.past:
        opened.undo()


def belly(session):
    skeleton = session.character.skeleton
    return int(np.argmin(np.linalg.norm(session.character.points - skeleton.heads[skeleton.index("Spine")], axis=1)))


def offsets_of(session, shown=False):
    edits = session._shown.edits if shown else session.document.edits
    return np.linalg.norm(edits.shapes[SHAPE].dense(len(session.character.points)), axis=1)


def retouch(session, action="erase", **options):
    place = say.SkinPlace([belly(session)], [1.0])
    return say.Retouch(2, SHAPE, action, [place], 0.08, **{"strength": 1.0, **options})


def test_a_brush_takes_a_shape_away_in_one_step(session):
    before = offsets_of(session)
    assert is_quiet(retouch(session))
    perform(session, retouch(session))
    np.testing.assert_array_equal(offsets_of(session), before)  # not yet a step,
    middle = belly(session)
    assert offsets_of(session, shown=True)[middle] < 0.05 * before[middle]  # but seen
    perform(session, say.PaintEnd(3))
    after = offsets_of(session)
    assert after[middle] < 0.05 * before[middle]
    far = np.linalg.norm(session.character.points - session.character.points[middle], axis=1) > 0.1
    np.testing.assert_allclose(after[far], before[far], atol=1e-12)
    assert state_of(session, 1).undo == f"Erase {SHAPE}"
    session.undo()
    np.testing.assert_array_equal(offsets_of(session), before)


def test_a_stroke_that_is_given_up_changes_nothing(session):
    before = offsets_of(session)
    perform(session, retouch(session))
    perform(session, say.PaintEnd(3, keep=False))
    np.testing.assert_array_equal(offsets_of(session, shown=True), before)


def test_a_brush_smooths_a_shape(session):
    before = offsets_of(session)
    perform(session, retouch(session, "smooth", softness=0.2))
    perform(session, say.PaintEnd(3))
    after, middle = offsets_of(session), belly(session)
    assert after[middle] < before[middle]
    assert after.sum() > 0.7 * before.sum()


def test_both_sides_are_touched_up(session):
    points = session.character.points
    side = int(np.argmax(points[:, 0] * (offsets_of(session) > 0.004)))
    image = int(np.argmin(np.linalg.norm(points - points[side] * [-1.0, 1.0, 1.0], axis=1)))
    before = offsets_of(session)
    assert before[image] > 0.002
    place = say.SkinPlace([side], [1.0])
    perform(session, say.Retouch(2, SHAPE, "erase", [place], 0.05, strength=1.0, mirror=True))
    perform(session, say.PaintEnd(3))
    assert offsets_of(session)[image] < 0.5 * before[image]


def test_what_cannot_be_touched_up_is_refused(session):
    with pytest.raises(InputError, match="there are Bulge 1"):
        perform(session, say.Retouch(2, "none", "erase", [say.SkinPlace([0], [1.0])], 0.1))
    with pytest.raises(InputError, match="there are erase, smooth"):
        perform(session, retouch(session, "raise"))


def test_a_knot_is_put_between_two(session):
    stroke, shape = session.document.edits.surface_strokes[SHAPE], session.document.edits.shapes[SHAPE]
    points, faces = session.character.points, session.character.triangles
    middle = stroke.positions(points, faces).mean(axis=0)
    triangle = int(np.argmin(np.linalg.norm(points[faces].mean(axis=1) - middle, axis=1)))
    perform(session, say.InsertKnot(2, SHAPE, triangle, (0.2, 0.3, 0.5)))
    now = session.document.edits.surface_strokes[SHAPE]
    assert list(now.triangles) == [stroke.triangles[0], triangle, stroke.triangles[1]]
    np.testing.assert_allclose(now.barycentric[1], [0.2, 0.3, 0.5])
    assert triangle in now.crossed
    assert session.document.edits.shapes[SHAPE] is shape
    with pytest.raises(InputError, match="pick on the skin"):
        perform(session, say.InsertKnot(3, SHAPE, len(faces), (1.0, 0.0, 0.0)))


def test_a_shape_comes_and_goes_as_the_hand_went(session):
    times = np.linspace(5.0, 7.0, 60)
    up = 100.0 * np.sin(np.pi * (times - 5.0) / 2.0)
    samples = [(float(t), float(3.0 * t), float(y)) for t, y in zip(times, up, strict=True)]
    perform(session, say.TimeByGesture(2, SHAPE, 0.5, samples))
    edits = session.document.edits
    assert [layer.name for layer in edits.layers] == [SHAPE]  # the layer that played it alone
    for time, amount in [(0.5, 0.0), (1.0, np.sin(np.pi / 4)), (1.5, 1.0), (2.0, np.sin(np.pi / 4)), (2.5, 0.0)]:
        assert edits.amounts(time).get(SHAPE, 0.0) == pytest.approx(amount, abs=0.05)
    assert state_of(session, 1).undo == f"Time {SHAPE}"
    with pytest.raises(InputError, match="draw one"):
        perform(session, say.TimeByGesture(3, "none", 0.0, samples))


def test_a_line_on_the_floor_is_walked_along_at_the_walks_own_pace(session):
    walk, angle = session.motion, np.linspace(0.0, np.pi, 50)
    samples = [(0.01 * i, float(2.0 - 2.0 * np.cos(a)), float(2.0 * np.sin(a))) for i, a in enumerate(angle)]
    perform(session, say.TravelAlong(2, samples))
    went = session.motion
    assert session.document.motion == went.name == f"{walk.name} along a line"
    assert went.name in session.motions
    pace = np.hypot(*walk.stride[[0, 2]]) / walk.duration
    assert went.duration == pytest.approx(2.0 * np.pi / pace, rel=0.02)
    ends = [went.sample(time).world_from_joint[0, :3, 3] for time in (0.0, went.duration)]
    np.testing.assert_allclose((ends[1] - ends[0])[[0, 2]], [4.0, 0.0], atol=0.1)
    with pytest.raises(InputError, match="shorter line"):
        perform(session, say.TravelAlong(3, [(0.0, 0.0, 0.0), (1.0, 1e4, 0.0)]))
    session.undo()
    assert session.motion.name == walk.name


def test_a_line_is_gone_along_as_fast_as_it_was_drawn_if_that_is_asked(session):
    perform(session, say.TravelAlong(2, [(0.0, 0.0, 0.0), (1.5, 1.0, 0.5), (4.0, 2.0, 2.0)], as_drawn=True))
    assert session.motion.duration == pytest.approx(4.0)


def test_the_region_of_a_shape_grows_and_is_cut_back(session):
    before = offsets_of(session)
    perform(session, msgspec.structs.replace(retouch(session, "follow"), radius=0.2))
    perform(session, say.PaintEnd(3, keep=True))
    grown = offsets_of(session)
    assert (grown > 0.0).sum() > (before > 0.0).sum()
    perform(session, msgspec.structs.replace(retouch(session, "stay"), radius=0.05))
    perform(session, say.PaintEnd(3, keep=True))
    assert offsets_of(session)[belly(session)] == 0.0
    assert state_of(session, 0).past[-2:] == [f"Follow {SHAPE}", f"Stay {SHAPE}"]


def test_a_shape_is_copied_to_another_bone_with_a_layer_of_its_own(session):
    perform(session, say.Radial(1, name="biceps", joint="LeftArm", swell=0.3))
    perform(session, say.CopyShape(2, shape="biceps", joint="RightUpLeg"))
    edits = session.document.edits
    assert [layer.name for layer in edits.layers][-1] == "biceps on RightUpLeg"
    moved = session.character.points[edits.shapes["biceps on RightUpLeg"].vertices]
    hip = session.character.skeleton.heads[session.character.skeleton.index("RightUpLeg")]
    assert (np.abs(moved[:, 0] - hip[0]) < 0.2).all()
    assert state_of(session, 0).undo == "Copy biceps to RightUpLeg"
    with pytest.raises(InputError, match="was to be copied"):
        perform(session, say.CopyShape(3, shape="triceps", joint="RightUpLeg"))
