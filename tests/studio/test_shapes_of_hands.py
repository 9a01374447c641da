"""Shapes as forces, waves that forces drive, two shapes made one, and what a hand makes of the flesh kept."""

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits.surface_edit import SurfaceEdit
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.session import Session
from supple.studio.state import state_of


@pytest.fixture(scope="module")
def opened():
    made = Session(Document(CharacterSource("hero", 1500), skins=(Graph.of(skin_named("linear")),)), print)
    made.take_over()
    made.advance(1 / 60, 0)
    yield made
    made.close()


@pytest.fixture
def session(opened):
    yield opened
    while opened.history.past:
        opened.undo()


def belly(session):
    """Triangles of the belly from left to right."""
    points, faces = session.character.points, session.character.triangles
    middles = points[faces].mean(axis=1)
    spine = session.character.skeleton.heads[session.character.skeleton.index("Spine")]
    front = middles[:, 2] > spine[2]
    return [
        int(np.argmin(np.linalg.norm(middles - spine - [x, 0.0, 0.1], axis=1) + 9.0 * ~front))
        for x in (-0.09, -0.03, 0.03, 0.09)
    ]


def wave(session, **what):
    places = belly(session)
    sizes = {"height": 0.02, "wavelength": 0.2, "speed": 0.5, "width": 0.06}
    perform(session, say.Wave(1, "wave", **sizes, triangles=places, shares=[1 / 3] * 12, **what))


def shape_of(session, name="Bulge"):
    """A shape that lifts the belly, on a layer of its own."""
    offsets = np.zeros_like(session.character.points)
    offsets[session.character.triangles[belly(session)[:2]].ravel()] = [0.0, 0.0, 0.03]
    edits = session.document.edits_on(session.character).with_shape(name, SurfaceEdit.of(offsets))
    session.do(session.document.with_edits(edits, "Raise"))
    perform(session, say.AddLayer(1, name))


def test_a_wave_is_driven_by_forces_and_its_patches_are_not_listed(session):
    wave(session, driven=True, start=0.5, every=2.0)
    edits, told = session.document.edits, state_of(session, 0).edits
    patches = [edit for name, edit in edits.shapes.items() if name.startswith("wave patch ")]
    assert len(patches) > 3
    assert all(edit.handles is not None for edit in patches)
    assert (told.shapes, told.layers, told.strokes) == ([], [], ["wave"])
    first = min(edits.layers, key=lambda layer: layer.keys[0].time)
    assert first.repeat
    assert first.keys[0].time >= 0.5
    wave(session)  # another wave along the same stroke takes its place
    assert state_of(session, 0).edits.shapes == ["wave crest", "wave flank"]
    assert not [name for name in session.document.edits.shapes if "patch" in name]
    wave(session, driven=True)
    assert state_of(session, 0).edits.shapes == []
    assert not any(layer.repeat for layer in session.document.edits.layers)


def test_two_shapes_become_one_as_much_of_each_as_there_is(session):
    shape_of(session, "One")
    shape_of(session, "Two")
    perform(session, say.SetAmount(1, "Two", 0.5))
    before = session.document.edits
    perform(session, say.Merge(2, "One", "Two"))
    edits, count = session.document.edits, len(session.character.points)
    assert list(edits.shapes) == ["One + Two"]
    assert [layer.name for layer in edits.layers] == ["One + Two"]
    wanted = before.shapes["One"].dense(count) + 0.5 * before.shapes["Two"].dense(count)
    np.testing.assert_allclose(edits.shapes["One + Two"].dense(count), wanted, atol=1e-12)
    assert edits.amounts(0.3) == {"One + Two": 1.0}
    perform(session, say.Undo(3))
    assert session.document.edits == before


def test_what_cannot_be_merged_is_refused(session):
    shape_of(session, "One")
    for names in (("One", "One"), ("One", "Nose")):
        with pytest.raises(InputError, match="shapes are One"):
            perform(session, say.Merge(1, *names))
    shape_of(session, "Two")
    for name in ("One", "Two"):
        perform(session, say.SetAmount(1, name, 0.0))
    with pytest.raises(InputError, match="nothing of either"):
        perform(session, say.Merge(2, "One", "Two"))


def test_what_a_hand_makes_of_the_flesh_is_kept_and_is_there_without_it(session):
    perform(session, say.Pause(1))
    with pytest.raises(InputError, match="no hand"):
        perform(session, say.KeepShape(2))
    for _ in range(60):
        session.advance(1 / 60, 0)
    vertex = int(session.character.triangles[belly(session)[1], 0])
    rest = session.seen.newest(0).points.astype(float)
    to = rest[vertex] + [0.0, 0.0, 0.08]
    perform(session, say.Hold(3, "hand", [vertex], [1.0], tuple(to), radius=0.15))
    for _ in range(60):
        session.advance(1 / 60, 0)
    held = session.seen.newest(0).points.astype(float)
    perform(session, say.KeepShape(4))
    kept(session)
    assert session.document.step == "Keep shape"
    assert list(session.document.edits.shapes) == ["Kept shape"]
    perform(session, say.LetGo(5, "hand"))
    for _ in range(120):
        session.advance(1 / 60, 0)
    after = session.seen.newest(0).points.astype(float)
    assert np.linalg.norm(held - rest, axis=1).max() > 0.07
    assert np.linalg.norm(after - held, axis=1).max() < 0.006
    perform(session, say.Undo(6))
    for _ in range(60):
        session.advance(1 / 60, 0)
    assert np.abs(session.seen.newest(0).points - rest).max() < 1e-3
    perform(session, say.Play(7))


def test_a_hand_that_pushes_moves_the_flesh_by_a_force(session):
    perform(session, say.Pause(1))
    for _ in range(60):
        session.advance(1 / 60, 0)
    vertex = int(session.character.triangles[belly(session)[1], 0])
    rest = session.seen.newest(0).points[vertex].astype(float)
    moved = []
    for force in (20.0, 40.0):
        perform(session, say.Hold(2, "hand", [vertex], [1.0], (0.0, 0.0, 0.0), radius=0.15, force=(0.0, 0.0, force)))
        for _ in range(40):
            session.advance(1 / 60, 0)
        moved.append(session.seen.newest(0).points[vertex].astype(float) - rest)
    assert moved[0][2] > 0.005
    assert moved[1][2] == pytest.approx(2.0 * moved[0][2], rel=0.05)
    perform(session, say.LetGo(3, "hand"))
    perform(session, say.Play(4))


def test_a_hand_that_does_nothing_makes_no_shape(session):
    said = []
    session.tell = said.append
    perform(session, say.Pause(1))
    for _ in range(60):
        session.advance(1 / 60, 0)
    vertex = int(session.character.triangles[belly(session)[1], 0])
    perform(session, say.Hold(2, "hand", [vertex], [1.0], tuple(session.seen.newest(0).points[vertex].astype(float))))
    session.advance(1 / 60, 0)
    perform(session, say.KeepShape(3))
    kept(session)
    assert "nothing is drawn out" in str(said[0])
    assert not session.history.past
    perform(session, say.LetGo(4, "hand"))
    perform(session, say.Play(5))


def kept(session):
    while session._keeping is not None:
        session.take_over()
        session.advance(1 / 60, 0)


def test_a_bulge_can_be_a_force_and_stays_one_when_it_is_changed(session):
    from test_lines_on_skin import Pen

    pen = Pen(session, off=(0.0, 0.0, 2.5))
    session.advance(1 / 60, 0)
    pen.draw([(x, 10.0, 1.0) for x in range(-60, 60, 6)])
    perform(session, say.Raise(1, "line", 0.03, 0.06, force=20.0))
    ((name, shape),) = session.document.edits.shapes.items()
    stroke = session.document.edits.surface_strokes[name]
    assert shape.stiffness == 20.0
    assert set(shape.handles) <= set(stroke.handles(session.character.triangles))
    perform(session, say.ChangeHeight(2, name, 0.05))
    higher = session.document.edits.shapes[name]
    assert (higher.stiffness, list(higher.handles)) == (20.0, list(shape.handles))
    assert np.abs(higher.offsets).max() > np.abs(shape.offsets).max()


def test_held_flesh_stays_at_the_hand_while_its_shape_is_kept():
    """Flesh that is drawn out, and the shape of it on top, would be twice as far for some frames."""
    session = Session(Document(CharacterSource("hero", 1500), skins=(Graph.of(skin_named("lattice")),)), print)

    def frames(count):
        for _ in range(count):
            session.take_over()
            session.advance(1 / 60, 0)

    try:
        while any(view.preparing for view in session.views):
            frames(1)
        session.transport.pause()
        frames(60)
        corners = session.character.triangles[belly(session)[1]]
        off = np.array([0.05, -0.05, 0.06])
        to = np.asarray(session.seen.newest(0).points, dtype=np.float64)[corners].mean(axis=0) + off
        hold = {"vertices": corners.tolist(), "shares": [1 / 3] * 3, "radius": 0.15}
        perform(session, say.Hold(1, "hand", to=tuple(to.tolist()), **hold))
        frames(40)
        perform(session, say.KeepShape(2))
        while session.document.edits is None:
            frames(1)
        far = []
        for _ in range(60):
            frames(1)
            far.append(np.linalg.norm(session.seen.newest(0).points[corners].mean(axis=0) - to))
        assert max(far) < 0.2 * np.linalg.norm(off)
        assert session.transport.source.amounts(0.0)["Kept shape"] == 1.0
        perform(session, say.LetGo(3, "hand"))
        frames(60)
        assert np.linalg.norm(session.seen.newest(0).points[corners].mean(axis=0) - to) < 0.05 * np.linalg.norm(off)
    finally:
        session.close()
