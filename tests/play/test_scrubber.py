"""Any time of a motion, in any order, as a bake has it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_skins import Trailing, swinging

import supple
from supple import LinearBlend
from supple.errors import InputError
from supple.graph import Scrubber, Transport


@pytest.fixture(scope="module")
def scene(tube):
    """A motion, and the frames of a player that goes through it in order, by their times."""
    motion = swinging(tube)
    player = supple.player(tube, Trailing(step=1 / 60))
    return motion, {frame / 30.0: player.play(motion, frame / 30.0) for frame in range(60)}


@given(order=st.lists(st.integers(0, 59), min_size=1, max_size=12))
@settings(max_examples=15)
def test_times_in_any_order_are_those_of_a_player_that_goes_through_all(tube, scene, order):
    motion, frames = scene
    scrubber = Scrubber(supple.player(tube, Trailing(step=1 / 60)), motion)
    for frame in order:
        assert np.array_equal(scrubber.play(frame / 30.0), frames[frame / 30.0])


def test_little_room_changes_nothing_but_the_time_it_takes(tube, scene):
    motion, frames = scene
    scrubber = Scrubber(supple.player(tube, Trailing(step=1 / 60)), motion, limit=100_000)
    scrubber._wait = 0.0
    for frame in (59, 3, 40, 0, 58):
        assert np.array_equal(scrubber.play(frame / 30.0), frames[frame / 30.0])
    assert 1 < len(scrubber._kept) < 20


def test_it_is_prepared_ahead_piece_by_piece(tube, scene):
    motion, frames = scene
    scrubber = Scrubber(supple.player(tube, Trailing(step=1 / 60)), motion)
    assert scrubber.prepared == 0.0
    while not scrubber.fill(1.5, seconds=0.001):
        pass
    assert scrubber.prepared == pytest.approx(1.5)
    assert np.array_equal(scrubber.play(0.5), frames[0.5])
    assert len(scrubber._kept) < 90  # what is quick to play needs few snapshots
    assert Scrubber(supple.player(tube, LinearBlend()), motion).fill(100.0, seconds=0.0)


def test_the_player_it_was_made_from_is_left_alone_until_it_takes_over(tube, scene):
    motion, frames = scene
    player = supple.player(tube, Trailing(step=1 / 60))
    player.play(motion, 0.1)
    scrubber = Scrubber(player, motion)
    scrubber.play(1.0)
    assert player.time == 0.1
    scrubber.hand_over(player, 30 / 30.0)
    assert np.array_equal(player.play(motion, 31 / 30.0), frames[31 / 30.0])


def test_a_transport_goes_on_from_there(tube, scene):
    motion, frames = scene
    player = supple.player(tube, Trailing(step=1 / 60))
    transport = Transport(player, motion)
    for _ in range(5):
        transport.advance(0.1)
    transport.seek(1.0, as_baked=Scrubber(player, motion))
    assert transport.time == 1.0
    assert np.abs(transport.advance(1 / 30.0) - frames[31 / 30.0]).max() < 1e-6


def test_times_that_are_not_there_are_refused_and_it_plays_on(tube, scene):
    motion, frames = scene
    scrubber = Scrubber(supple.player(tube, Trailing(step=1 / 60)), motion)
    for time in (-0.1, np.nan, np.inf):
        with pytest.raises(InputError, match="time is"):
            scrubber.play(time)
    with pytest.raises(InputError, match="start is"):
        Scrubber(supple.player(tube, LinearBlend()), motion, start=np.nan)
    assert np.array_equal(scrubber.play(0.5), frames[0.5])
