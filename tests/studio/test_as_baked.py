"""While the motion stands, the flesh is shown as a bake has it: to the bit, whatever order times are looked at in."""

import numpy as np
import pytest

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.session import Session
from supple.studio.state import state_of

DT = 1.0 / 60.0


@pytest.fixture(scope="module")
def session():
    skins = tuple(Graph.of(skin_named(name)) for name in ("position-based", "linear"))
    made = Session(Document(CharacterSource("hero", 800), skins=skins), print)
    while any(view.preparing for view in made.views):
        made.take_over()
        made.advance(DT, 0)
    yield made
    made.close()


def advance(session, until, most=2000):
    for _ in range(most):
        session.take_over()
        session.advance(DT, 0)
        if until():
            return
    raise AssertionError("it never came")


def shown(session, view=0):
    return np.array(session.seen.newest(view).points)


def test_times_in_any_order_are_those_of_a_bake(session):
    hero = session.character
    player = supple.player(hero, skin_named("position-based"))
    baked = {frame: player.play(session.motion, frame * DT) for frame in range(31)}
    perform(session, say.Pause(1))
    perform(session, say.AsBaked(2, on=True))
    assert state_of(session, 0).transport.as_baked == "working"
    for frame in (30, 6, 18, 6):
        perform(session, say.Seek(3, frame * DT))
        advance(session, lambda frame=frame: session.as_baked.state == "there" and session.transport.time == frame * DT)
        assert np.array_equal(shown(session), baked[frame])
        before = shown(session)
        session.advance(DT, 0)
        assert np.array_equal(shown(session), before)  # it stands
    linear = supple.player(hero, supple.LinearBlend()).play(session.motion, 6 * DT)
    np.testing.assert_allclose(shown(session, 1), linear, atol=1e-6)


def test_it_plays_on_from_there_as_the_bake_would(session):
    perform(session, say.AsBaked(1, on=True))
    perform(session, say.Pause(2))
    perform(session, say.Seek(3, 0.2))
    advance(session, lambda: session.as_baked.state == "there" and session.transport.time == 0.2)
    perform(session, say.Play(4))
    for _ in range(6):
        session.advance(DT, 0)
    player = supple.player(session.character, skin_named("position-based"))
    for frame in range(18):
        wanted = player.play(session.motion, frame * DT + 0.0)
    wanted = player.play(session.motion, session.transport.time)
    np.testing.assert_allclose(shown(session), wanted, atol=1e-5)


def test_under_a_hand_the_flesh_lives_on_and_then_comes_back(session):
    perform(session, say.AsBaked(1, on=True))
    perform(session, say.Pause(2))
    perform(session, say.Seek(3, 0.2))
    advance(session, lambda: session.as_baked.state == "there")
    stood = shown(session)
    at = stood[100].astype(float)
    perform(session, say.Hold(4, "hand", [100], [1.0], tuple(np.add(at, (0.0, 0.0, 0.1)))))
    for _ in range(20):
        session.advance(DT, 0)
    assert np.linalg.norm(shown(session)[100] - stood[100]) > 0.05
    assert session.as_baked.state == "working"
    perform(session, say.LetGo(5, "hand"))
    advance(session, lambda: session.as_baked.state == "there")
    assert np.array_equal(shown(session), stood)
    perform(session, say.AsBaked(6, on=False))
    assert session.as_baked.state == "off"


def test_another_setting_is_baked_anew(session):
    perform(session, say.Pause(1))
    perform(session, say.AsBaked(2, on=True))
    perform(session, say.Seek(3, 0.3))
    advance(session, lambda: session.as_baked.state == "there" and session.transport.time == 0.3)
    before = shown(session)
    perform(session, say.Change(4, "gravity", 0.0))
    session.advance(DT, 0)
    advance(session, lambda: session.as_baked.state == "there")
    work = session.document.skins[0].stages[-1].work
    player = supple.player(session.character, work)
    for frame in range(18):
        player.play(session.motion, frame * DT)
    assert np.array_equal(shown(session), player.play(session.motion, 0.3))
    assert np.abs(shown(session) - before).max() > 1e-4
    perform(session, say.Undo(5))
    perform(session, say.AsBaked(6, on=False))
