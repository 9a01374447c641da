"""The motion's clock and the flesh's: one stops, loops, jumps and runs back, the other goes on."""

import numpy as np
import pytest

import supple
from supple.errors import InputError
from supple.graph.transport import Transport

TUBE = supple.character("tube", vertices=500, bones=3)
BEND = supple.motion("bend", TUBE, seconds=1.0)
TWIST = supple.motion("twist", TUBE, seconds=1.0)
SOFT = supple.SpringDynamics(iterations=4)


def played(skin=None, **settings):
    return Transport(supple.player(TUBE, skin or supple.LinearBlend()), BEND, **settings)


def still(transport, seconds):
    """The skin every hundredth of a second."""
    return np.array([transport.advance(0.01) for _ in range(round(seconds * 100))])


@pytest.mark.parametrize("skin", [supple.LinearBlend(), SOFT], ids=lambda skin: type(skin).__name__)
def test_left_alone_it_is_the_player(skin):
    transport, player = played(skin), supple.player(TUBE, skin)
    for frame in range(1, 20):
        np.testing.assert_array_equal(transport.advance(1 / 30), player.play(BEND, transport.flesh_time))
        assert transport.time == transport.flesh_time == pytest.approx(frame / 30)


def test_a_pause_stops_the_motion_and_lets_the_flesh_come_to_rest():
    transport = played(SOFT)
    for _ in range(15):
        transport.advance(1 / 30)
    transport.pause()
    here = transport.time
    moved = np.abs(np.diff(still(transport, 3.0), axis=0)).max(axis=(1, 2))
    assert transport.time == here
    assert transport.flesh_time == pytest.approx(here + 3.0)
    assert moved[:20].max() > 1e-4  # it swings on
    assert moved[-20:].max() < 0.02 * moved[:20].max()  # and comes to rest
    transport.play()
    transport.advance(0.1)
    assert transport.time == pytest.approx(here + 0.1)


def test_it_runs_back_and_at_any_pace():
    transport = played(time=0.8)
    transport.run(-2.0)
    transport.advance(0.1)
    assert transport.time == pytest.approx(0.6)
    np.testing.assert_allclose(transport.advance(0.0), supple.player(TUBE, supple.LinearBlend()).play(BEND, 0.6))
    soft = played(SOFT, time=0.8)
    soft.advance(0.0)
    soft.run(-1.0)
    assert np.isfinite(still(soft, 0.5)).all()


def test_a_part_is_played_round_and_round():
    transport = played(ease=0.0)
    transport.loop(0.2, 0.5)
    seen = []
    for _ in range(40):
        transport.advance(0.05)
        seen.append(transport.time)
    assert 0.2 <= min(seen) < max(seen) < 0.5
    transport.loop()  # all of it
    transport.advance(2.3)
    assert 0.0 <= transport.time < 1.0
    transport.unloop()
    at = transport.time
    transport.advance(2.0)
    assert transport.time == pytest.approx(at + 2.0)


@pytest.mark.parametrize(
    "step",
    [
        lambda transport: transport.advance(1.0 / 60.0),
        lambda transport: transport.player.play(transport, transport.pass_time(1.0 / 60.0)),
    ],
)
@pytest.mark.parametrize("rate", [1.0, -1.0])
def test_a_part_starts_over_without_a_jump(rate, step):
    """From one frame to the next the skin never moves by much more than ordinary play and easing do."""
    steps = {}
    for ease in (0.0, 0.25):
        transport = played(ease=ease, time=0.3)
        transport.loop(0.1, 0.5)
        transport.run(rate)
        frames = np.stack([step(transport) for _ in range(90)])
        steps[ease] = np.linalg.norm(np.diff(frames, axis=0), axis=-1).max()
    assert steps[0.25] < 0.4 * steps[0.0], steps


@pytest.mark.parametrize(
    "skin", [supple.LinearBlend(), supple.ArticulatedContact()], ids=lambda skin: type(skin).__name__
)
def test_a_root_that_walked_far_is_back_at_once_and_its_limbs_follow(skin):
    """Over seventeen metres a body would be flung; what is nearer than it is large is eased."""
    hero = supple.character("hero", vertices=500)
    transport = Transport(supple.player(hero, skin), supple.motion("walk", hero), time=14.03)
    shown = []
    for step in range(60):
        if step == 12:
            before = transport.sample(transport.flesh_time).world_from_joint
            transport.seek(0.0)
            after = transport.sample(transport.flesh_time).world_from_joint
        points = transport.advance(1.0 / 60.0)
        root = transport.sample(transport.flesh_time).world_from_joint[0, :3, 3]
        shown.append(np.linalg.norm(points - root, axis=1).max())
    start = transport.source.sample(0.0).world_from_joint
    assert np.linalg.norm(before[0, :3, 3] - start[0, :3, 3]) > 15.0
    np.testing.assert_allclose(after[0, :3, 3], start[0, :3, 3], atol=1e-6)
    relative = [np.linalg.inv(joints[0]) @ joints for joints in (before, after)]
    np.testing.assert_allclose(*relative, atol=1e-5)  # nothing else has changed yet
    assert max(shown) < 0.8 * hero.height  # no limb is left behind
    transport.seek(transport.time + 0.5)  # less than a metre from there
    near = transport.sample(transport.flesh_time).world_from_joint[0, :3, 3]
    np.testing.assert_allclose(near, root, atol=1e-6)


def test_a_jump_is_eased_and_ends_where_it_should():
    transport = played(ease=0.2)
    transport.advance(0.1)
    before = transport.advance(0.0)
    transport.pause()
    transport.seek(0.5)
    np.testing.assert_allclose(transport.advance(0.0), before, atol=1e-6)  # nothing has jumped
    way = still(transport, 2.0)
    wanted = supple.player(TUBE, supple.LinearBlend()).play(BEND, 0.5)
    left = np.abs(way - wanted).max(axis=(1, 2))
    assert left[19] < 0.1 * left[0]
    assert (np.diff(left) < 1e-6).all()  # it goes there without detours
    np.testing.assert_allclose(way[-1], wanted, atol=1e-6)


def test_a_cut_is_a_new_start():
    transport = played(SOFT)
    still(transport, 0.3)
    transport.seek(0.7, cut=True)
    other = Transport(supple.player(TUBE, SOFT), BEND, time=0.7)
    for _ in range(5):
        np.testing.assert_array_equal(transport.advance(1 / 60), other.advance(1 / 60))


def test_another_motion_takes_over_without_a_jump():
    transport = played(SOFT)
    here = still(transport, 0.5)[-1]
    there = Transport(supple.player(TUBE, SOFT), TWIST, time=0.5).advance(0.0)
    transport.change_source(TWIST, time=0.5)
    assert transport.source is TWIST
    way = still(transport, 1.0)
    steps = np.abs(np.diff([here, *way], axis=0)).max(axis=(1, 2))
    assert steps[0] < 0.2 * np.abs(there - here).max()  # at once it would be all of that
    assert steps.argmax() > 0
    assert transport.time == pytest.approx(1.5)


def test_what_makes_no_sense_is_refused_and_it_plays_on():
    transport = played(SOFT)
    transport.advance(0.1)
    other = supple.character("arm", vertices=500)
    refused = [
        (lambda: transport.advance(-0.1), "dt is -0.1"),
        (lambda: transport.advance(float("nan")), "dt is nan"),
        (lambda: transport.seek(float("inf")), "time is inf"),
        (lambda: transport.run(float("nan")), "rate is nan"),
        (lambda: transport.loop(0.5, 0.2), "the part is from 0.5 to 0.2 s"),
        (lambda: transport.loop(0.5, float("nan")), "end is nan"),
        (lambda: transport.change_source(supple.motion("bend", other)), "joint"),
        (lambda: played(ease=-1.0), "ease is -1"),
    ]
    for call, said in refused:
        with pytest.raises(InputError, match=said):
            call()
    assert transport.flesh_time == 0.1
    assert np.isfinite(transport.advance(0.1)).all()
