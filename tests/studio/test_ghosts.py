"""Ghosts before and after the character, the way of a joint, and the amounts that come with frames."""

import numpy as np
import pytest

import supple
from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.edits import Edits, Key, Layer, PoseEdit, radial
from supple.errors import InputError
from supple.geometry.quaternions import quat_from_axis_angle
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.commands import perform
from supple.studio.frames import AMOUNTS, SKIN, TRAIL, kind_and_view, unpacked, unpacked_amounts, unpacked_trail
from supple.studio.ghosts.maker import FIRST_VIEW, places
from supple.studio.session import Session
from supple.studio.state import state_of

HERO = supple.character("hero", vertices=600)
NOD = PoseEdit({"Head": quat_from_axis_angle([1.0, 0.0, 0.0], 0.4)}, {})
EDITS = (
    Edits.of(HERO)
    .with_shape("unused", radial(HERO, "LeftArm", swell=0.2))
    .with_shape("bulge", radial(HERO, "LeftArm", swell=0.5))
    .with_pose("nod", NOD)
    .with_layer(Layer(name="bulge", keys=(Key(time=0.0, use="bulge", amount=0.0), Key(time=1.0, use="bulge"))))
    .with_layer(Layer.breathing("nod", "nod", seconds=0.7))
)


@pytest.fixture
def session():
    document = Document(CharacterSource("hero", 600), skins=(Graph.of(skin_named("linear")),), edits=EDITS)
    made = Session(document, lambda text: None)
    while made.views[0].preparing:
        made.take_over()
    yield made
    made.close()


def do(session, kind, **what):
    perform(session, kind(seq=1, **what))


def heard(session, frames, dt=1.0 / 60.0):
    """Frames by kind and view; later ones take the place of earlier ones."""
    found = {}
    for _ in range(frames):
        for frame in session.advance(dt, 0):
            found[kind_and_view(frame)] = frame
    return found


def ghosts(found):
    return [unpacked(frame) for (kind, view), frame in found.items() if kind == SKIN and view >= FIRST_VIEW]


def test_ghosts_are_the_edited_motion_a_little_earlier_and_later(session):
    assert ghosts(heard(session, 10)) == []
    do(session, say.Pause)
    do(session, say.Seek, time=0.52)
    do(session, say.ShowGhosts, on=True, before=2, after=3, spacing=3)
    found = ghosts(heard(session, 20))
    step = 3 / session.motion.fps
    wanted = [place * step for place in places(0.52 / step, 2, 3)]
    assert sorted(head.motion_time for head, *_ in found) == pytest.approx(wanted)
    assert sum(head.motion_time < 0.52 for head, *_ in found) == 2
    player = supple.player(EDITS.on_character(HERO), supple.LinearBlend())
    vertices = session.packer.creases.vertex_of_normal
    for head, points, _ in found:
        there = player.play(EDITS.on_source(session.motion), head.motion_time)[vertices]
        np.testing.assert_allclose(points, there, atol=2e-4)


def test_no_more_than_one_is_made_for_a_frame_and_few_while_it_plays(session):
    do(session, say.ShowGhosts, on=True, before=2, after=2, spacing=6)
    heard(session, 30)
    made = 0
    for _ in range(60):
        frames = session.advance(1.0 / 60.0, 0)
        now = sum(kind_and_view(frame)[1] >= FIRST_VIEW for frame in frames)
        assert now <= 1
        made += now
    assert 5 <= made <= 14  # ten a second at 60 frames a second of the motion, and one again now and then


def test_ghosts_follow_what_is_drawn(session):
    do(session, say.Pause)
    do(session, say.Seek, time=0.7)
    do(session, say.ShowGhosts, on=True)
    before = ghosts(heard(session, 20))
    do(session, say.ChangeLayer, layer="bulge", amount=3.0)
    after = ghosts(heard(session, 20))
    assert len(before) == len(after) == 6
    by_time = {head.motion_time: points for head, points, _ in before}
    assert all(np.abs(points - by_time[head.motion_time]).max() > 0.005 for head, points, _ in after)
    do(session, say.ShowGhosts, on=False)
    assert ghosts(heard(session, 20)) == []


def test_the_trail_is_the_way_of_a_joint(session):
    do(session, say.Pause)
    do(session, say.Seek, time=0.5)
    do(session, say.ShowGhosts, on=True, before=1, after=2, spacing=4, trail="LeftHand")
    _, places_ = unpacked_trail(heard(session, 20)[TRAIL, 0])
    fps, hand = session.motion.fps, HERO.skeleton.index("LeftHand")
    source = EDITS.on_source(session.motion)
    first = int(np.floor(0.5 * fps / 4)) * 4 - 4
    wanted = [source.sample((first + n) / fps).world_from_joint[hand, :3, 3] for n in range(4 * 4 + 1)]
    np.testing.assert_allclose(places_, wanted, atol=1e-6)
    with pytest.raises(InputError, match="Tail"):
        do(session, say.ShowGhosts, trail="Tail")
    assert state_of(session, 0).ghosts.trail == "LeftHand"
    assert all(kind != TRAIL for kind, _ in heard_after_trail_is_off(session))


def heard_after_trail_is_off(session):
    do(session, say.ShowGhosts, trail="")
    return heard(session, 40)


def test_amounts_come_with_every_frame(session):
    for _ in range(80):
        frames = session.advance(1.0 / 60.0, 0)
        amounts = next(frame for frame in frames if kind_and_view(frame) == (AMOUNTS, 0))
        head, found = unpacked_amounts(amounts)
        assert head.frame == unpacked(frames[-1])[0].frame
        wanted = EDITS.amounts(head.motion_time, period=session.motion.duration)
        np.testing.assert_allclose(found, [0.0, wanted["bulge"], wanted["nod"]], atol=1e-6)


@pytest.mark.parametrize("now", [0.0, 0.2, 0.5, 0.99, -3.4, 7.0])
def test_places_are_as_many_as_asked_for_and_not_too_near(now):
    found = places(now, 3, 2)
    assert sum(place < now for place in found) == 3
    assert sum(place > now for place in found) == 2
    assert min(abs(place - now) for place in found) >= 0.3 - 1e-12
    assert found == sorted(set(found))


def test_the_way_of_a_vertex_is_that_of_linear_blend(session):
    perform(session, say.ShowGhosts(1, on=True, before=2, after=2, spacing=4, trail="vertex:123"))
    trails = []
    for _ in range(30):
        trails += [one for one in session.advance(1 / 60, 0) if kind_and_view(one)[0] == TRAIL]
    _, way = unpacked_trail(trails[-1])
    motion, player = session.transport.source, supple.player(session.character, supple.LinearBlend())
    times = [frame / session.motion.fps for frame in range(60)]
    there = np.array([player.advance(motion.sample(time))[123] for time in times])
    away = np.linalg.norm(way[:, None] - there[None], axis=2).min(axis=1)
    assert away.max() < 1e-5
    with pytest.raises(InputError, match="there are 600"):
        perform(session, say.ShowGhosts(2, trail="vertex:600"))
