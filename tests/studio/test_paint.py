"""Painting maps while it plays: the flesh answers at once, a stroke is one step, and what cannot be is refused."""

from __future__ import annotations

import time

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits.painting import Canvas
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.live.painting import Painting, paint_info
from supple.studio.session import Session
from supple.studio.state import state_of

VERTEX = 500


def session_of(skin: str, **settings) -> Session:
    graph = Graph.of(skin_named(skin, settings))
    session = Session(Document(CharacterSource("hero", 1000), skins=(graph,)), print)
    while session.views[0].preparing:
        session.take_over()
    session.advance(1.0 / 60.0, 0)
    return session


@pytest.fixture(scope="module")
def lattice():
    session = session_of("lattice", **{"voxels.resolution": 20})
    yield session
    session.close()


@pytest.fixture
def session(lattice):
    """One session for all, each time with nothing painted."""
    lattice.painting.end()
    while lattice.history.past:
        lattice.undo()
    lattice.draft(None)
    return lattice


def paint(vertex=VERTEX, *, seq=1, name="jiggle", action="subtract", radius=0.15, **more) -> say.Paint:
    return say.Paint(seq, name, action, [say.SkinPlace([vertex], [1.0])], radius, **{"strength": 1.0, **more})


def shown(session: Session) -> np.ndarray:
    """The map as the skin that plays has it."""
    return session.views[0].player.map_values("jiggle")


def test_the_flesh_answers_while_the_stroke_is_made_and_the_document_waits(session):
    before = session.document
    perform(session, paint())
    assert shown(session)[VERTEX] == 0.0
    assert shown(session).max() == 1.0
    assert session.document is before
    perform(session, paint(VERTEX + 40))
    perform(session, say.PaintEnd(3))
    assert session.document.step == "Paint jiggle"
    assert session.document.maps["jiggle"][[VERTEX, VERTEX + 40]].tolist() == [0.0, 0.0]
    session.undo()
    assert "jiggle" not in session.document.maps
    assert shown(session)[VERTEX] == 1.0
    session.redo()
    assert shown(session)[VERTEX] == 0.0


def test_a_stroke_that_is_broken_off_leaves_nothing(session):
    perform(session, paint())
    perform(session, say.PaintEnd(2, keep=False))
    assert shown(session).min() == 1.0
    assert not session.history.past
    perform(session, say.PaintEnd(3))
    assert not session.history.past


def test_another_brush_in_the_middle_of_a_stroke_is_another_step(session):
    perform(session, paint(strength=0.25))
    perform(session, paint(strength=0.5))
    perform(session, say.PaintEnd(3))
    assert len(session.history.past) == 2
    assert session.document.maps["jiggle"][VERTEX] == pytest.approx(0.25)


def test_a_map_is_filled_and_cleared(session):
    perform(session, say.FillMap(1, "jiggle", 0.25))
    assert (shown(session) == 0.25).all()
    perform(session, say.FillMap(2, "jiggle", 7.0))
    assert (shown(session) == 1.0).all()
    perform(session, say.ResetMap(3, "jiggle"))
    assert session.document.step == "Clear jiggle"
    assert "jiggle" not in session.document.maps
    with pytest.raises(InputError, match="not painted"):
        perform(session, say.ResetMap(4, "jiggle"))


def test_erasing_goes_back_to_what_the_skin_finds_itself(session):
    usual = session.views[0].player.usual_map("fatness")
    assert np.ptp(usual) > 0.1
    perform(session, say.FillMap(1, "fatness", 0.0))
    perform(session, paint(seq=2, name="fatness", action="erase"))
    perform(session, say.PaintEnd(3))
    assert session.document.maps["fatness"][VERTEX] == pytest.approx(usual[VERTEX])
    assert usual[VERTEX] > 0.0


def test_both_sides_at_once(session):
    side = int(session.character.points[:, 0].argmax())
    perform(session, paint(side, mirror=True))
    across = session.character.points[:, 0] < 0.0
    assert shown(session)[across].min() < 0.2


def test_two_sides_alike_are_found_beside_what_plays(session):
    painting = Painting(Canvas(session.character))
    assert not paint_info(painting).mirrors
    end = time.monotonic() + 30.0
    while not painting.news():
        assert time.monotonic() < end
        time.sleep(0.002)
    assert paint_info(painting).mirrors
    assert not painting.news()  # told once


def test_panels_know_the_maps(session):
    perform(session, say.FillMap(1, "jiggle", 0.5))
    state = state_of(session, 1)
    rows = {row.name: row for row in state.views[0].maps}
    assert rows.keys() == {"jiggle", "fatness", "flesh", "thickness", "leaf", "rigid"}
    assert (rows["jiggle"].painted, rows["jiggle"].default, rows["jiggle"].high) == (True, 1.0, 1.0)
    assert (rows["fatness"].painted, rows["fatness"].default) == (False, None)
    assert "lattice" in state.paint.skins
    assert "linear" not in state.paint.skins


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (paint(name="colour"), "reads jiggle, fatness"),
        (paint(action="burn"), "burn"),
        (paint(10**6), "vertex 1000000"),
        (paint(view=2), "view 2"),
        (say.FillMap(1, "colour", 1.0), "reads jiggle"),
    ],
)
def test_what_cannot_be_painted_is_refused_and_changes_nothing(session, command, words):
    with pytest.raises(InputError, match=words):
        perform(session, command)
    assert shown(session).min() == 1.0
    perform(session, say.PaintEnd(2))
    assert not session.history.past


def test_a_skin_without_maps_and_one_that_is_being_bound_say_so():
    session = session_of("linear")
    try:
        with pytest.raises(InputError, match="reads no maps"):
            perform(session, paint())
        perform(session, say.ChooseSkin(1, "lattice"))
        with pytest.raises(InputError, match="still being bound"):
            perform(session, paint())
    finally:
        session.close()


def test_painted_flesh_swings_less(session):
    """Firm where it is painted so, and as before elsewhere."""
    player = session.views[0].player
    walk = session.motion

    def swing() -> np.ndarray:
        player.reset()
        frames = np.array([player.play(walk, k / 60.0).copy() for k in range(30)])
        return np.linalg.norm(np.diff(frames, n=2, axis=0), axis=2).mean(axis=0)

    loose = swing()
    belly = int(np.linalg.norm(session.character.points - [0.0, 1.0, 0.14], axis=1).argmin())
    perform(session, paint(belly, radius=0.25, softness=0.2))
    firm = swing()
    assert not np.array_equal(firm, loose)
    assert shown(session)[belly] == 0.0
    player.reset()
