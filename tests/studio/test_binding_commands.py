"""How skin hangs on bones in the studio: how far joints reach, and planes that are moved by hand."""

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.skins.springs.attachment.attachment import attach
from supple.skins.springs.attachment.dividers import dividers_of
from supple.skins.springs.attachment.weights import with_reaches
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.session import Session
from supple.studio.state import state_of


@pytest.fixture(scope="module")
def opened():
    made = Session(Document(CharacterSource("hero", 1500), skins=(Graph.of(skin_named("incremental")),)), print)
    while made.views[0].preparing:
        made.take_over()
        made.advance(1 / 60, 0)
    yield made
    made.close()


@pytest.fixture
def session(opened):
    yield opened
    while opened.history.past:
        opened.undo()


def test_a_joints_reach_is_painted_as_the_engine_would(session):
    joint = session.character.skeleton.index("LeftForeArm")
    perform(session, say.SetReach(1, joint, 0.2, done=False))
    assert not session.history.past
    perform(session, say.SetReach(2, joint, 0.1))
    wanted = with_reaches(session.character, {"LeftForeArm": 0.1}).maps
    for name in ("reach_start", "reach_end"):
        painted, usual = session.document.maps[name], session.views[0].player.usual_map(name)
        assert (painted == 0.1).any()
        np.testing.assert_array_equal(painted == 0.1, wanted[name] == 0.1)
        np.testing.assert_array_equal(painted[painted != 0.1], usual[painted != 0.1])
    assert session.document.step == "Reach of left fore arm"
    perform(session, say.SetReach(3, session.character.skeleton.index("LeftHand"), 0.9))
    assert {0.1, 0.9} <= set(session.document.maps["reach_end"])


def test_a_plane_is_moved_and_skin_hangs_by_it(session):
    perform(session, say.Show(1, dividers=True))
    told = state_of(session, 0).dividers
    planes = dividers_of(session.character)
    assert len(told) == len(planes)
    skeleton = session.character.skeleton
    number = next(i for i, one in enumerate(told) if skeleton.names[one.joint] == "LeftForeArm")
    own = skeleton.world_from_joint[told[number].joint]
    np.testing.assert_allclose(own[:3, :3] @ told[number].point + own[:3, 3], planes[number].point, atol=1e-5)
    by, turn = (0.03, 0.0, 0.01), (0.0, 0.2, 0.0)
    perform(session, say.MoveDivider(2, number, by, turn))
    axis = own[:3, :3] @ np.array(turn)
    half = np.sin(0.1) * axis / np.linalg.norm(axis)
    moved = planes[number].rotated([*half, np.cos(0.1)]).moved(own[:3, :3] @ np.array(by))
    wanted = attach(
        session.character, method="planar", dividers=[moved if i == number else p for i, p in enumerate(planes)]
    )
    np.testing.assert_array_equal(session.document.maps["attachment_bone"], wanted.segment)
    np.testing.assert_allclose(session.document.maps["attachment_along"], wanted.along)
    again = state_of(session, 0).dividers[number]
    assert (again.by, again.turn) == (by, turn)
    np.testing.assert_allclose(own[:3, :3] @ again.point + own[:3, 3], moved.point, atol=1e-5)
    perform(session, say.Undo(3))
    assert state_of(session, 0).dividers[number] == told[number]
    perform(session, say.Redo(4))
    assert state_of(session, 0).dividers[number] == again
    perform(session, say.ResetDividers(5))
    assert not session.document.maps
    perform(session, say.Show(6, dividers=False))
    assert state_of(session, 0).dividers == []


def test_what_cannot_be_bound_is_refused(session):
    for command in (say.MoveDivider(1, 10_000), say.ResetDividers(2), say.SetReach(3, 60_000, 0.5)):
        with pytest.raises(InputError):
            perform(session, command)
    session.do(session.document.with_skin(0, Graph.of(skin_named("linear")), "Skin linear"))
    while session.views[0].preparing:
        session.take_over()
        session.advance(1 / 60, 0)
    with pytest.raises(InputError, match="none of the skins"):
        perform(session, say.SetReach(4, 5, 0.5))
