"""Scenarios 1 and 2: the studio is opened, and the hero walks before anything was pressed."""

import numpy as np
import pytest

STUDIO = ("--skin", "lattice", "--vertices", "3000")


def test_the_hero_walks_at_once_and_the_skin_that_was_asked_for_takes_over(serve, open_window):
    studio = open_window(serve("--skin", "lattice"))
    first = studio.state()
    assert first["transport"]["playing"]
    assert first["character"] == "hero"
    before = studio.frame()
    after = studio.frames(20)
    assert after.motion_time > before.motion_time
    studio.until_bound()
    assert studio.skin() == "lattice"
    assert studio.commands() == [one for one in studio.commands() if one["do"] == "look-from"]  # nobody did anything


def test_the_motion_goes_as_the_clock_goes_and_the_body_with_it(studio):
    belly = studio.pick_on("belly")
    studio.watch(belly)
    studio.flesh(2.0)
    seen = studio.seen()
    duration = studio.state()["transport"]["duration"]
    flesh = np.array([one.flesh_time for one in seen])
    motion = np.array([one.motion_time for one in seen])
    assert np.diff(flesh).min() > 0.0  # every frame is a new one, in its order
    made = np.diff([one.number for one in seen])  # since the one before: a slow page is not sent all
    assert (np.diff(flesh) / made).max() < 0.07  # where the engine cannot keep up it is shown slower
    np.testing.assert_allclose(np.diff(motion) % duration, np.diff(flesh), atol=1e-6)
    speed = np.linalg.norm(seen[-1].root - seen[0].root) / (flesh[-1] - flesh[0])
    assert speed == pytest.approx(1.2, abs=0.25)  # [m/s]
