"""What is drawn on the skin in the studio: lines on the frames that were seen, bulges, knots, outlines."""

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits.encoding import pose_skin
from supple.edits.strokes import View, id_buffer, pick
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.motion.pose import Pose
from supple.skins.kinematic.linear_blend import LinearBlend
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import is_quiet, perform
from supple.studio.frames import SKIN, unpacked
from supple.studio.seen import FRAMES, Seen, SeenFrames
from supple.studio.session import Session
from supple.studio.state import state_of
from supple.studio.strokes import LinesInHand

SIZE = (900, 700)


@pytest.fixture
def session(request):
    vertices = getattr(request, "param", 3000)
    made = Session(Document(CharacterSource("hero", vertices), skins=(Graph.of(skin_named("linear")),)), print)
    for _ in range(5):
        made.take_over()
        made.advance(1 / 60, 0)
    yield made
    made.close()


class Pen:
    """Draws on what a session shows, from a camera that goes along with the chest."""

    def __init__(self, session, joint="Spine2", off=(0.1, 0.05, 2.5)):
        self.session, self.joint, self.off, self.seq = session, joint, np.array(off), 0
        self.drawn = []

    @property
    def frame(self):
        return max(self.session.seen._frames[0])

    def look(self):
        pose = self.session.seen.newest(0).pose
        at = pose.world_from_joint[self.session.character.skeleton.index(self.joint), :3, 3]
        eye = tuple(float(x) for x in at + self.off)
        return say.Look(self.frame, eye, tuple(float(x) for x in at), (0.0, 1.0, 0.0), 0.5, SIZE)

    def draw(self, samples, line="line"):
        """Samples (N, 3) about the middle of the picture, on the newest frame."""
        look = self.look()
        given = [(float(x) + SIZE[0] / 2, float(y) + SIZE[1] / 2, float(p)) for x, y, p in samples]
        perform(self.session, say.Draw(self.next(), line, [say.Stretch(look, given)]))
        self.drawn.append((np.array(self.session.seen.newest(0).points), look, np.array(given)))

    def next(self):
        self.seq += 1
        return self.seq

    def raise_it(self, line="line", height=0.03, **options):
        perform(self.session, say.Raise(self.next(), line, height, 0.06, **options))


def view_of(look):
    return View(look.position, look.target, look.view_angle, look.size, look.up)


def across(count=40, pressure=(0.5, 0.5), wide=90.0, up=0.0):
    x = np.linspace(-wide, wide, count)
    return np.column_stack([x, up + 8.0 * np.sin(x / 25.0), np.linspace(*pressure, count)])


def show(session, document):
    """The skin of a document by linear blend in the pose that is shown."""
    pose = session.seen.newest(0).pose
    own = pose if document.edits is not None else Pose(pose.world_from_joint)
    return pose_skin(document.on_character(session.character), own, LinearBlend())


def test_a_stroke_raises_the_skin_in_one_step(session):
    session.transport.pause()
    for _ in range(3):
        session.advance(1 / 60, 0)
    before = np.array(session.seen.newest(0).points)
    pen = Pen(session)
    pen.draw(across())
    pen.raise_it()
    session.advance(1 / 60, 0)
    rise = np.linalg.norm(session.seen.newest(0).points - before, axis=1)
    assert rise.max() == pytest.approx(0.015, rel=0.05)
    state = state_of(session, 1)
    assert state.undo == "Raise"
    assert state.edits.shapes == state.edits.strokes == [layer.name for layer in state.edits.layers] == ["Bulge 1"]
    (stroke,) = state.edits.skin_strokes
    assert stroke.height == pytest.approx(0.015, rel=0.1)
    pen.draw(across(up=60), "other")
    pen.raise_it("other", height=-0.02, profile="bell", method="rigid")
    assert list(session.document.edits.shapes) == ["Bulge 1", "Dent 1"]
    session.undo()
    session.undo()
    session.advance(1 / 60, 0)
    np.testing.assert_array_equal(session.seen.newest(0).points, before)
    assert session.document.edits is None


def test_a_stroke_lies_under_the_line_on_the_frames_that_were_seen(session):
    """The body walks while it is drawn on; each sample is laid on the frame and in the view that it was drawn in."""
    pen = Pen(session)
    for part in np.array_split(across(60, wide=110.0), 30):
        pen.draw(part)
        session.advance(1 / 60, 0)
    moved = np.linalg.norm(pen.drawn[0][0] - pen.drawn[-1][0], axis=1)
    assert moved.max() > 0.2  # it has walked on
    pen.raise_it()
    (stroke,) = session.document.edits.surface_strokes.values()
    triangles = session.character.triangles
    samples = np.concatenate([given[:, :2] for _, _, given in pen.drawn])
    off = np.full(len(stroke.triangles), np.inf)
    for points, look, _ in pen.drawn:
        knots = view_of(look).project(stroke.positions(points, triangles))[0]
        off = np.minimum(off, _distance(knots, samples))
    assert off.max() < 1.0
    assert len(off) >= 5


def _distance(pixels, line):
    along = np.diff(line, axis=0)
    off = pixels[:, None] - line[:-1]
    t = np.clip(np.einsum("nmi,mi->nm", off, along) / np.maximum(np.einsum("mi,mi->m", along, along), 1e-9), 0.0, 1.0)
    return np.linalg.norm(off - t[..., None] * along, axis=2).min(axis=1)


@pytest.mark.parametrize("session", [10_000], indirect=True)
def test_the_bulge_is_as_high_as_the_pen_was_pressed(session):
    session.transport.pause()
    for _ in range(60):
        session.advance(1 / 60, 0)
    before = np.array(session.seen.newest(0).points, dtype=np.float64)
    pen = Pen(session)
    pen.draw(across(pressure=(0.2, 0.8)))
    pen.raise_it(height=0.04)
    session.advance(1 / 60, 0)
    _, look, given = pen.drawn[0]
    there = pick(before, session.character.triangles, view_of(look), pixels=given[2:-2, :2])
    moves = session.seen.newest(0).points - before
    corners = session.character.triangles[there.triangles]
    rise = np.linalg.norm(np.einsum("kc,kci->ki", there.barycentric, moves[corners]), axis=1)
    np.testing.assert_allclose(rise, 0.04 * given[2:-2, 2], rtol=0.05)


def bulge(session, **options):
    pen = Pen(session)
    pen.draw(across(pressure=(1.0, 1.0)))
    pen.raise_it(**options)
    session.advance(1 / 60, 0)
    return pen


def knot(session, number):
    stroke = session.document.edits.surface_strokes["Bulge 1"]
    return stroke.positions(session.seen.newest(0).points, session.character.triangles)[number]


@pytest.mark.parametrize("paused", [True, False])
def test_a_knot_goes_with_the_hand_and_is_one_step_when_it_is_let_go(session, paused):
    if paused:
        session.transport.pause()
        for _ in range(60):
            session.advance(1 / 60, 0)
    pen = bulge(session)
    by = np.array([0.01, 0.02, 0.01])
    steps = len(session.history.past)
    for part in (0.25, 0.5, 0.75, 1.0):
        command = say.MoveKnot(pen.next(), "Bulge 1", 2, tuple(part * by), done=False)
        assert is_quiet(command)
        before = knot(session, 2)
        perform(session, command)
        session.advance(1e-6, 0)
    assert len(session.history.past) == steps
    shown, plain = (show(session, one) for one in (session._shown, session.document))
    stroke = session.document.edits.surface_strokes["Bulge 1"]
    off = [stroke.positions(one, session.character.triangles)[2] for one in (shown, plain)]
    assert np.linalg.norm(off[0] - off[1] - by) < 5e-4
    assert np.linalg.norm(knot(session, 2) - before) > 0.002
    perform(session, say.MoveKnot(pen.next(), "Bulge 1", 2, tuple(by)))
    assert len(session.history.past) == steps + 1
    assert state_of(session, 1).undo == "Move knot"
    session.undo()
    session.advance(1e-6, 0)
    np.testing.assert_allclose(show(session, session._shown), plain, atol=1e-5)


def test_a_whole_stroke_goes_with_the_hand_also_where_bones_are_bent(session):
    session.transport.pause()
    for _ in range(60):
        session.advance(1 / 60, 0)
    pen = bulge(session)
    by = np.array([0.01, 0.02, 0.015])
    steps = len(session.history.past)
    triangles = session.character.triangles
    stroke = session.document.edits.surface_strokes["Bulge 1"]
    command = say.MoveStroke(pen.next(), "Bulge 1", tuple(by), done=False)
    assert is_quiet(command)
    perform(session, command)
    shown, plain = (show(session, one) for one in (session.drafted, session.document))
    moved = stroke.positions(shown, triangles) - stroke.positions(plain, triangles)
    np.testing.assert_allclose(moved, np.tile(by, (len(moved), 1)), atol=5e-4)
    assert len(session.history.past) == steps
    perform(session, say.MoveStroke(pen.next(), "Bulge 1", tuple(by)))
    assert state_of(session, 1).undo == "Move stroke"
    session.undo()
    np.testing.assert_allclose(show(session, session.document), plain, atol=1e-9)


def test_which_skin_follows_a_stroke_is_told_and_changed(session):
    pen = bulge(session)
    assert state_of(session, 1).edits.region is None
    perform(session, say.Show(pen.next(), region="Bulge 1"))
    told = state_of(session, 1).edits.region
    assert told.stroke == "Bulge 1"
    assert 0.03 < told.reach < 0.075  # at rest; 0.06 in the pose that it was drawn in
    stroke = session.document.edits.surface_strokes["Bulge 1"]
    assert told.held == stroke.handles(session.character.triangles).tolist()
    parts = [*told.held, *told.following, *told.staying]
    assert len(set(parts)) == len(parts)
    assert set(session.document.edits.shapes["Bulge 1"].vertices) <= {*told.held, *told.following}
    wider = say.ChangeReach(pen.next(), "Bulge 1", 0.12, done=False)
    assert not is_quiet(wider)  # how far it goes is seen meanwhile
    perform(session, wider)
    drafted = state_of(session, 1).edits.region
    assert set(drafted.following) > set(told.following)
    assert 0.08 < drafted.reach <= 0.12
    assert session.document.edits.shapes["Bulge 1"].vertices.size <= len(told.held) + len(told.following)
    perform(session, say.ChangeReach(pen.next(), "Bulge 1", 0.12))
    assert state_of(session, 1).undo == "Width"
    assert state_of(session, 1).edits.region == drafted
    session.undo()
    assert state_of(session, 1).edits.region == told
    perform(session, say.DeleteStroke(pen.next(), "Bulge 1"))
    assert state_of(session, 1).edits.region is None


def outline_beside(session, pen):
    """Rows of the picture, and where the skin begins in them to the left of its middle."""
    seen = id_buffer(session.seen.newest(0).points, session.character.triangles, view_of(pen.look())) >= 0
    rows = np.arange(SIZE[1] // 2 - 50, SIZE[1] // 2 + 50, 2)
    return rows, np.array([np.flatnonzero(~seen[row, : SIZE[0] // 2]).max() + 1.0 for row in rows])


@pytest.mark.parametrize("session", [10_000], indirect=True)
def test_the_outline_is_drawn_anew(session):
    session.transport.pause()
    for _ in range(60):
        session.advance(1 / 60, 0)
    pen = Pen(session, joint="Head", off=(2.5, 0.05, 0.2))
    rows, edge = outline_beside(session, pen)
    line = np.column_stack([edge - 12.0 * np.sin(np.linspace(0.0, np.pi, len(rows))), rows + 0.5])
    perform(session, say.RedrawOutline(1, pen.look(), [(float(x), float(y)) for x, y in line], 0.05))
    session.advance(1e-6, 0)
    (stroke,) = session.document.edits.surface_strokes.values()
    handles = np.unique(session.document.edits.shapes["Outline 1"].vertices)
    assert len(handles) > 20
    knots = stroke.positions(session.seen.newest(0).points, session.character.triangles)
    assert _distance(view_of(pen.look()).project(knots)[0], line).max() < 2.0
    _, after = outline_beside(session, pen)
    assert np.mean(np.abs(after - line[:, 0]) <= 2.0) >= 0.98
    assert np.abs(edge - line[:, 0]).max() > 10.0
    assert state_of(session, 1).undo == "Redraw outline"
    session.undo()
    session.advance(1e-6, 0)
    np.testing.assert_array_equal(outline_beside(session, pen)[1], edge)


def test_an_outline_that_goes_nowhere_is_refused(session):
    with pytest.raises(InputError, match="longer"):
        perform(session, say.RedrawOutline(1, Pen(session).look(), [(10.0, 10.0), (10.0, 10.5)], 0.05))
    assert session.document.edits is None


def test_a_stroke_is_changed_hidden_and_deleted(session):
    pen = bulge(session)
    edits = session.document.edits
    perform(session, say.ChangeHeight(pen.next(), "Bulge 1", 0.05, done=False))
    assert session.document.edits is edits
    perform(session, say.ChangeHeight(pen.next(), "Bulge 1", 0.05))
    assert state_of(session, 1).edits.skin_strokes[0].height == pytest.approx(0.05)
    count = len(session.document.edits.surface_strokes["Bulge 1"].triangles)
    perform(session, say.DeleteKnot(pen.next(), "Bulge 1", 1))
    assert len(session.document.edits.surface_strokes["Bulge 1"].triangles) == count - 1
    perform(session, say.ChangeLayer(pen.next(), "Bulge 1", mute=True))
    with pytest.raises(InputError, match="cannot be pulled"):
        perform(session, say.MoveKnot(pen.next(), "Bulge 1", 1, (0.0, 0.0, 0.1)))
    perform(session, say.ChangeLayer(pen.next(), "Bulge 1", mute=False))
    perform(session, say.RenameEdit(pen.next(), "Bulge 1", "Pocket"))
    assert [stroke.name for stroke in state_of(session, 1).edits.skin_strokes] == ["Pocket"]
    perform(session, say.DeleteStroke(pen.next(), "Pocket"))
    edits = session.document.edits
    assert (list(edits.shapes), list(edits.layers), list(edits.surface_strokes)) == ([], [], [])
    for _ in range(7):
        session.undo()
    assert session.document.edits is None


def test_a_stroke_is_mirrored_in_one_step(session):
    """What was raised on one side is on both, and a step back takes the image away."""
    pen = bulge(session)
    character, before = session.character, session.document.edits.shapes["Bulge 1"]
    offsets = before.dense(len(character.points))
    perform(session, say.MirrorStroke(pen.next(), "Bulge 1"))
    both = session.document.edits.shapes["Bulge 1"].dense(len(character.points))
    image = character.points[np.argmax(np.linalg.norm(offsets, axis=1))] * [-1.0, 1.0, 1.0]
    there = int(np.argmin(np.linalg.norm(character.points - image, axis=1)))
    largest = np.linalg.norm(offsets, axis=1).max()
    assert np.linalg.norm(both[there]) > 0.7 * largest
    strong = np.linalg.norm(offsets, axis=1) > 0.9 * largest
    assert (np.linalg.norm(both, axis=1)[strong] >= np.linalg.norm(offsets, axis=1)[strong] - 1e-12).all()
    assert state_of(session, 1).undo == "Mirror Bulge 1"
    session.undo()
    assert session.document.edits.shapes["Bulge 1"] is before
    with pytest.raises(InputError, match="there are Bulge 1"):
        perform(session, say.MirrorStroke(pen.next(), "none"))


def test_the_outline_can_be_taken_the_other_way_round(session):
    """A line beside the head goes along it; the other way would be round the whole figure, and is refused."""
    session.transport.pause()
    for _ in range(30):
        session.advance(1 / 60, 0)
    pen = Pen(session, joint="Head", off=(2.5, 0.05, 0.2))
    rows, edge = outline_beside(session, pen)
    line = [(float(x), float(y)) for x, y in zip(edge - 4.0, rows + 0.5, strict=True)]
    with pytest.raises(InputError, match="pixels long"):
        perform(session, say.RedrawOutline(1, pen.look(), line, 0.05, other_way=True))
    assert session.document.edits is None
    perform(session, say.RedrawOutline(2, pen.look(), line, 0.05, creases=True))
    assert list(session.document.edits.shapes) == ["Outline 1"]


def test_what_cannot_be_done_is_refused_and_changes_nothing(session):
    pen = bulge(session)
    document = session.document
    for command, words in (
        (say.Raise(9, "nobody's", 0.02, 0.05), "nobody drew it"),
        (say.MoveKnot(9, "Bulge 7", 0, (0.0, 0.0, 0.0)), "there are Bulge 1"),
        (say.MoveKnot(9, "Bulge 1", 99, (0.0, 0.0, 0.0)), "knot 99"),
        (say.MoveStroke(9, "Bulge 7", (0.0, 0.0, 0.0)), "there are Bulge 1"),
        (say.ChangeReach(9, "Bulge 7", 0.05), "there are Bulge 1"),
        (say.DeleteStroke(9, "none"), "there are Bulge 1"),
        (say.DeleteKnot(9, "Bulge 1", 99), "knot 99"),
    ):
        with pytest.raises(InputError, match=words):
            perform(session, command)
    pen.draw([(-440.0, -340.0, 0.5), (-430.0, -340.0, 0.5)], "beside")
    with pytest.raises(InputError, match="does not touch"):
        pen.raise_it("beside")
    pen.draw(across(), "dropped")
    perform(session, say.DropLine(9, "dropped"))
    with pytest.raises(InputError, match="nobody drew it"):
        pen.raise_it("dropped")
    pen.draw(across(), "strange")
    with pytest.raises(InputError, match="mountain"):
        pen.raise_it("strange", profile="mountain")
    assert session.document is document


def test_a_line_has_no_more_samples_than_is_said(session):
    pen = Pen(session)
    for _ in range(10):
        pen.draw(np.tile([[0.0, 0.0, 0.5]], (1000, 1)))
    with pytest.raises(InputError, match="10001 samples"):
        pen.draw([[0.0, 0.0, 0.5]])


def test_few_lines_are_drawn_at_once(session):
    lines = LinesInHand()
    for number in range(20):
        lines.open(str(number), session.character)
    assert len(lines._lines) == 8
    assert lines.open("19", session.character) is lines.open("19", session.character)


def test_frames_are_remembered_for_two_seconds_and_in_bounds(monkeypatch):
    pose = Pose(np.eye(4)[None])
    frames = SeenFrames()
    with pytest.raises(InputError, match="wait"):
        frames.at(0, 3)
    for number in range(300):
        frames.keep(0, number, Seen(np.full((4, 3), number, dtype=np.float32), pose))
    assert frames.at(0, 250).points[0, 0] == 250
    assert frames.at(0, 3).points[0, 0] == 300 - FRAMES  # forgotten: the oldest that is left
    assert frames.newest(0).points[0, 0] == 299
    monkeypatch.setattr("supple.studio.seen.MOST_BYTES", 10 * 48)
    frames.keep(0, 300, Seen(np.zeros((4, 3), dtype=np.float32), pose))
    assert frames.at(0, 0) is frames.at(0, 291)
    frames.forget()
    with pytest.raises(InputError):
        frames.newest(0)


def test_frames_are_remembered_as_they_were_sent(session):
    frame = next(one for one in session.advance(1 / 60, 0) if one[5] == SKIN)
    head, points, _ = unpacked(frame)
    seen = session.seen.at(0, head.frame).points[session.packer.creases.vertex_of_normal]
    assert np.abs(seen - points).max() < 1e-4
