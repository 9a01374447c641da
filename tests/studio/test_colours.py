"""Measures as colours: what the page reads off is what the skin has, in a range that does not flicker."""

import numpy as np
import pytest
from test_engine import Ear, document

import supple
from supple.errors import InputError
from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.frames import COLOURS, SKIN, FramePacker, Head, kind_and_view, unpacked, unpacked_colours
from supple.studio.measures.colours import Colours, round_above
from supple.studio.measures.offered import Moment, measure_named, offered

HEAD = Head(view=0, mesh=1, frame=1, command=0, motion_time=0.0, flesh_time=0.0, engine=1)


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=800)


@pytest.fixture
def played():
    engine, ear = Engine(document("linear")), Ear()
    engine.start()
    engine.listen(ear)
    ear.until(lambda: ear.frames and ear.state.views[0].preparing is None)
    yield engine, ear
    engine.stop()


def moment(*players, dt=0.0, before=None):
    poses = [supple.motion("walk", player.character).sample(0.3) for player in players]
    points = [player.advance(pose) for player, pose in zip(players, poses, strict=True)]
    return Moment(players, points, before, dt)


def shown(name, players, seen, hero):
    """What the page sees of a measure, by view."""
    colours = Colours(measure_named(name, players))
    heads = [Head(**{**vars(HEAD), "view": number}) for number in range(len(players))]
    found = colours.frames(heads, seen, np.arange(len(hero.points)))
    return {view: unpacked_colours(frame)[1] for view, frame in found.items()}, colours.range


def test_stretch_is_that_of_the_skin(hero):
    player = supple.player(hero, supple.LinearBlend())
    seen = moment(player)
    values, (low, high) = shown("stretch", [player], seen, hero)
    assert low == -high
    wanted = np.clip(100.0 * player.stretch(), low, high)
    np.testing.assert_allclose(values[0], wanted, atol=(high - low) / 500)
    assert np.ptp(values[0]) > 1.0


def test_speed_is_the_way_gone_in_the_time(hero):
    player = supple.player(hero, supple.LinearBlend())
    seen = moment(player)
    before = [seen.points[0] - np.float32([0.0, 0.0, 0.02])]
    values, (_, high) = shown("speed", [player], Moment([player], seen.points, before, 0.1), hero)
    np.testing.assert_allclose(values[0], 0.2, atol=high / 250)
    assert shown("speed", [player], seen, hero)[0] == {}  # nothing came before


def test_difference_is_the_distance_to_the_first_view_in_millimetres(hero):
    players = [supple.player(hero, supple.LinearBlend()), supple.player(hero, supple.DualQuaternion())]
    seen = moment(*players)
    values, (_, high) = shown("difference", players, seen, hero)
    wanted = 1000.0 * np.linalg.norm(seen.points[1] - seen.points[0], axis=1)
    assert set(values) == {1}
    np.testing.assert_allclose(values[1], np.minimum(wanted, high), atol=high / 250)
    assert wanted.max() > 1.0


def test_weights_and_maps_are_those_of_the_character(hero):
    player = supple.player(hero, supple.LinearBlend())
    seen = moment(player)
    values, ends = shown("weight:LeftForeArm", [player], seen, hero)
    joint = hero.skeleton.index("LeftForeArm")
    assert ends == (0.0, 1.0)
    np.testing.assert_allclose(values[0], hero.weights.dense(len(hero.skeleton))[:, joint], atol=3e-3)
    values, (_, high) = shown("map:flesh", [player], seen, hero)
    np.testing.assert_allclose(values[0], np.minimum(hero.maps["flesh"], high), atol=high / 250)


def test_a_shape_shows_what_it_moves(hero):
    offsets = np.zeros_like(hero.points)
    offsets[5:9] = [0.0, 0.03, 0.04]
    drawn = hero.replace(shapes={"bump": offsets})
    player = supple.player(drawn, supple.LinearBlend())
    values, (_, high) = shown("shape:bump", [player], moment(player), drawn)
    assert high == 50.0
    np.testing.assert_allclose(values[0], 1000.0 * np.linalg.norm(offsets, axis=1), atol=high / 250)


def test_forces_are_offered_by_skins_that_know_them_alone(hero):
    plain, springs = supple.player(hero, supple.LinearBlend()), supple.player(hero, supple.SpringDynamics())
    names = [[measure.name for measure in offered(players)] for players in ([plain], [springs], [plain, springs])]
    assert ["force" in one for one in names] == [False, True, True]
    assert ["difference" in one for one in names] == [False, False, True]
    seen = moment(plain, springs)
    values, _ = shown("force", [plain, springs], seen, hero)
    assert set(values) == {1}
    with pytest.raises(InputError, match="force"):
        measure_named("force", [plain])


@pytest.mark.parametrize("name", ["beauty", "weight:Tail", "map:nowhere"])
def test_what_is_no_measure_is_refused(hero, name):
    with pytest.raises(InputError):
        measure_named(name, [supple.player(hero, supple.LinearBlend())])


def test_the_range_grows_in_round_steps_and_never_shrinks(hero):
    player = supple.player(hero, supple.LinearBlend())
    colours = Colours(measure_named("speed", [player]))
    seen = moment(player)
    ends = []
    for speed in (0.3, 0.31, 0.1, 0.7, 0.2):
        before = [seen.points[0] - np.float32([speed, 0.0, 0.0])]
        colours.frames([HEAD], Moment([player], seen.points, before, 1.0), np.arange(800))
        ends.append(colours.range)
    assert ends == [(0.0, 0.5), (0.0, 0.5), (0.0, 0.5), (0.0, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize(("value", "above"), [(1.0, 1.0), (1.2, 2.0), (0.03, 0.05), (70.0, 100.0), (100.0, 100.0)])
def test_round_numbers(value, above):
    assert round_above(value) == pytest.approx(above)


def test_colours_come_with_their_frame_while_they_are_wanted(played, hero):
    engine, ear = played
    assert ear.state.shown.measure is None
    engine.tell(say.Show(1, measure="stretch"))
    ear.until(lambda: [kind_and_view(frame)[0] for frame in ear.frames[-2:]] == [COLOURS, SKIN])
    assert (ear.state.shown.measure.name, ear.state.shown.measure.unit) == ("stretch", "%")
    frames = list(ear.frames)
    at = next(i for i, frame in enumerate(frames) if kind_and_view(frame)[0] == COLOURS)
    head, values = unpacked_colours(frames[at])
    assert head.frame == unpacked(frames[at + 1])[0].frame
    assert len(values) == len(FramePacker(hero).creases)
    engine.tell(say.Show(2, measure="beauty"), ear)
    ear.until(lambda: any(isinstance(event, say.Refused) for event in ear.events))
    assert ear.state.shown.measure.name == "stretch"
    engine.tell(say.Show(3, measure=""))
    ear.until(lambda: ear.state.shown.measure is None)
    ear.frames.clear()
    ear.until(lambda: len(ear.frames) > 3)
    assert {kind_and_view(frame)[0] for frame in ear.frames} == {SKIN}
