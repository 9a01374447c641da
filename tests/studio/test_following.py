"""How cameras, and hands with them, go along with the body: evenly beside it, and to where it stops, no farther."""

import numpy as np
import pytest

from supple.studio.live.following import Following

SIZE, SPEED, FRAME = 1.8, np.array([0.0, 0.0, 1.3]), 1.0 / 60.0


def walked(seconds, then=0.0, frames=1):
    """A follower of a body that walked so long, and how far behind (N,) [m] it is in all frames after that stood."""
    following, body, number = Following(SIZE), np.zeros(3), 0
    for _ in range(round(seconds / FRAME)):
        number += 1
        body = body + SPEED * FRAME
        following.advance(body, FRAME, number)
    behind = [(body - following.place)[2]]
    for _ in range(round(then / FRAME / frames)):
        number += 1
        following.advance(body, frames * FRAME, number, stopped=True)
        behind.append((body - following.place)[2])
    return following, np.array(behind)


def test_it_does_not_lag_behind_a_steady_walk():
    assert abs(walked(6.0)[1][0]) < 1.01 * np.linalg.norm(SPEED) * FRAME  # less than from one frame to the next


@pytest.mark.parametrize("seconds", [0.1, 0.5, 1.0, 3.0])
def test_it_comes_to_a_body_that_was_stopped_and_never_passes_it(seconds):
    _, behind = walked(seconds, then=1.0)
    assert (behind / behind[0] >= 0.0).all()
    assert (np.diff(np.abs(behind)) <= 0.0).all()
    assert abs(behind[-1]) < 1e-3 * abs(behind[0])


def test_how_often_it_is_seen_makes_no_difference():
    assert walked(0.5, then=0.5)[1][-1] == pytest.approx(walked(0.5, then=0.5, frames=5)[1][-1], rel=1e-9)


def test_it_is_led_no_farther_ahead_once_the_body_stands():
    following, _ = walked(3.0, then=0.5)
    before = following.place.copy()
    assert np.array_equal(following.since(10**9, ahead=0.1), np.zeros(3))
    assert np.array_equal(following.place, before)
