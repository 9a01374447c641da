"""Lines from the skin: forces as arrows, and what every vertex hangs on."""

import numpy as np
import pytest

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.errors import InputError
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.skins.springs.attachment.attachment import attach
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.frames import LINES, kind_and_view, unpacked_lines
from supple.studio.session import Session
from supple.studio.state import state_of


@pytest.fixture(scope="module")
def opened():
    skins = tuple(Graph.of(skin_named(name)) for name in ("linear", "position-based"))
    made = Session(Document(CharacterSource("hero", 2000), skins=skins), print)
    while any(view.preparing for view in made.views):
        made.take_over()
        made.advance(1 / 60, 0)
    yield made
    made.close()


@pytest.fixture
def session(opened):
    yield opened
    perform(opened, say.Show(0, lines=""))


def lines(session):
    frames = session.advance(1 / 60, 0)
    return {kind_and_view(frame)[1]: unpacked_lines(frame) for frame in frames if kind_and_view(frame)[0] == LINES}


def test_forces_are_arrows_on_skins_that_know_them(session):
    assert state_of(session, 0).shown.lines_offered == ["forces", "attachment"]
    perform(session, say.Show(1, lines="forces"))
    perform(
        session, say.Hold(2, "hand", [700], [1.0], tuple(session.seen.newest(1).points[700] + [0.0, 0.0, 0.2]), view=1)
    )
    for _ in range(10):
        session.advance(1 / 60, 0)
    found = lines(session)
    assert list(found) == [1]  # linear blend has none
    drawn, longest = found[1]
    assert 500 < len(drawn) <= 1500
    player, points = session.views[1].player, session.seen.newest(1).points
    forces = player.forces()
    vertices = np.argmin(np.linalg.norm(points[None] - drawn[:, None, 0], axis=2), axis=1)
    np.testing.assert_allclose(drawn[:, 0], points[vertices], atol=1e-5)
    size, length = np.linalg.norm(forces[vertices], axis=1), np.linalg.norm(drawn[:, 1] - drawn[:, 0], axis=1)
    full = 0.12 * session.character.size.max()
    np.testing.assert_allclose(length, full * np.minimum(size / longest, 1.0), atol=1e-4)
    ways = np.einsum("ni,ni->n", drawn[:, 1] - drawn[:, 0], forces[vertices])
    assert (ways >= -1e-9).all()
    perform(session, say.LetGo(3, "hand"))


def test_every_vertex_is_tied_to_its_place_on_a_bone(session):
    perform(session, say.Show(1, lines="attachment"))
    drawn, _ = lines(session)[0]
    hung, pose = attach(session.character), session.views[0].player.simulated_pose
    points = session.seen.newest(0).points
    vertices = np.argmin(np.linalg.norm(points[None] - drawn[:, None, 1], axis=2), axis=1)
    skinning = pose.skinning(session.character.skeleton)[hung.segments.joints[hung.segment[vertices]]]
    wanted = np.einsum("nij,nj->ni", skinning[:, :3, :3], hung.points[vertices]) + skinning[:, :3, 3]
    np.testing.assert_allclose(drawn[:, 0], wanted, atol=1e-5)


def test_lines_that_there_are_not_are_refused(session):
    with pytest.raises(InputError, match="forces, attachment"):
        perform(session, say.Show(1, lines="hair"))
    assert session.shown.arrows is None
    assert lines(session) == {}
