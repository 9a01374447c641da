"""Things that are put in the way of a character, held and thrown while it plays."""

from __future__ import annotations

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import frames
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.session import Session
from supple.studio.state import state_of

FRAME = 1.0 / 60.0


@pytest.fixture(scope="module")
def played():
    graph = Graph.of(skin_named("contact", {"elements": 2000, "self_contact": False}))
    session = Session(Document(CharacterSource("hero", 800), skins=(graph,)), print)
    while session.views[0].preparing:
        session.take_over()
    session.transport.pause()
    session.advance(FRAME, 0)
    yield session
    session.close()


@pytest.fixture
def session(played):
    """One session for all, each time with nothing in the way."""
    for row in state_of(played, 0).things.rows:
        perform(played, say.RemoveThing(1, row.name))
    return played


def things_in(made):
    """The transforms (N, 3, 4) of a frame of things, if there is one."""
    found = [frame for frame in made if frames.kind_and_view(frame)[0] == frames.THINGS]
    return None if not found else np.frombuffer(found[0], "<f4", offset=64).reshape(-1, 3, 4)


def run(session, count):
    return [things_in(session.advance(FRAME, 0)) for _ in range(count)]


def test_a_ball_is_put_in_falls_and_is_taken_away(session):
    assert things_in(session.advance(FRAME, 0)) is None
    perform(session, say.AddThing(1, "ball", (1.5, 1.0, 0.0), 0.2))
    row = state_of(session, 1).things.rows[0]
    assert (row.name, row.kind, row.size[0], row.free) == ("Ball 1", "ball", 0.1, True)
    heights = [places[0, 1, 3] for places in run(session, 60)]
    assert heights[0] == pytest.approx(1.0, abs=0.01)
    assert heights[-1] < 0.5
    assert session.history.past == ()
    perform(session, say.RemoveThing(2, "Ball 1"))
    assert things_in(session.advance(FRAME, 0)) is None
    assert state_of(session, 2).things.rows == []


def test_a_thing_is_held_where_the_hand_is_and_thrown_with_its_speed(session):
    perform(session, say.AddThing(1, "box", (1.5, 1.0, 0.0), 0.2))
    perform(session, say.MoveThing(2, "Box 1", (1.6, 1.2, 0.0)))
    for places in run(session, 10):
        np.testing.assert_allclose(places[0, :, 3], [1.6, 1.2, 0.0], atol=1e-5)
    perform(session, say.MoveThing(3, "Box 1", (1.6, 1.2, 0.0), (2.0, 3.0, 0.0)))
    places = run(session, 6)
    way = (places[-1] - places[0])[0, :, 3] / (5 * FRAME)
    assert way[0] == pytest.approx(2.0, abs=0.1)
    assert 1.5 < way[1] < 3.0


def test_what_is_not_free_stands_even_when_it_is_let_go(session):
    perform(session, say.AddThing(1, "capsule", (1.5, 1.0, 0.0), 0.3, None))
    perform(session, say.MoveThing(2, "Capsule 1", (1.5, 1.1, 0.0)))
    perform(session, say.MoveThing(3, "Capsule 1", (1.5, 1.1, 0.0), (5.0, 0.0, 0.0)))
    places = run(session, 10)[-1]
    np.testing.assert_allclose(places[0, :, 3], [1.5, 1.1, 0.0], atol=1e-4)


def test_a_thrown_ball_dents_the_character(session):
    run(session, 60)  # to rest
    root = session.views[0].player.simulated_pose.world_from_joint[0, :3, 3]
    start = (float(root[0]), 1.15, float(root[2]) + 0.40)
    perform(session, say.AddThing(1, "ball", start, 0.2, 8.0))
    perform(session, say.MoveThing(2, "Ball 1", start, (0.0, 0.5, -2.0)))
    shown = [frames.unpacked(session.advance(FRAME, 0)[-1])[1] for _ in range(20)]
    moved = [np.linalg.norm(points - shown[0], axis=1).max() for points in shown]
    assert moved[1] < 0.001  # it is on its way
    assert max(moved) > 0.002


def test_names_count_up_and_all_have_their_frames(session):
    for number in range(3):
        perform(session, say.AddThing(number, "ball", (2.0 + number, 1.0, 0.0), 0.2))
    assert [row.name for row in state_of(session, 1).things.rows] == ["Ball 1", "Ball 2", "Ball 3"]
    perform(session, say.RemoveThing(4, "Ball 2"))
    perform(session, say.AddThing(5, "ball", (5.0, 1.0, 0.0), 0.2))
    assert {row.name for row in state_of(session, 1).things.rows} == {"Ball 1", "Ball 2", "Ball 3"}
    assert run(session, 1)[0].shape == (3, 3, 4)


def test_what_makes_no_sense_is_refused(session):
    with pytest.raises(InputError, match="cone"):
        perform(session, say.AddThing(1, "cone", (0.0, 1.0, 0.0), 0.2))
    with pytest.raises(InputError, match="Ball 7"):
        perform(session, say.MoveThing(2, "Ball 7", (0.0, 1.0, 0.0)))
    with pytest.raises(InputError, match="there is none"):
        perform(session, say.RemoveThing(3, "Ball 7"))
    assert state_of(session, 1).things.rows == []


def test_a_skin_that_meets_nothing_says_so_and_contact_takes_things_over():
    session = Session(Document(CharacterSource("hero", 600), skins=(Graph.of(skin_named("linear")),)), print)
    try:
        while session.views[0].preparing:
            session.take_over()
        session.advance(FRAME, 0)
        assert not state_of(session, 0).things.met
        with pytest.raises(InputError, match="meets nothing"):
            perform(session, say.AddThing(1, "ball", (1.5, 1.0, 0.0), 0.2))
        assert state_of(session, 0).things.rows == []
        graph = Graph.of(skin_named("contact", {"elements": 400, "self_contact": False}))
        session.do(session.document.with_skin(0, graph, "Skin contact"))
        with pytest.raises(InputError, match="still being bound"):
            perform(session, say.AddThing(1, "ball", (1.5, 1.0, 0.0), 0.2))
        while session.views[0].preparing:
            session.take_over()
        session.advance(FRAME, 0)
        perform(session, say.AddThing(2, "ball", (1.5, 2.0, 0.0), 0.2))
        session.advance(FRAME, 0)
        other = Graph.of(skin_named("contact", {"elements": 500, "self_contact": False}))
        session.do(session.document.with_skin(0, other, "elements 500"))
        while session.views[0].preparing:
            session.take_over()
            session.advance(FRAME, 0)
        session.advance(FRAME, 0)
        assert session.views[0].player.placed().keys() == {"Ball 1"}
    finally:
        session.close()
