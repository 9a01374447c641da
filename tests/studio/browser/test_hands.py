"""Hands on the flesh: it comes to where the hand is, keeps up with it, and swings back when it is let go."""

import numpy as np


def test_paused_the_place_is_at_the_hand_a_quarter_of_a_second_after_it_stops(studio):
    studio.pause()
    studio.flesh(1.0)  # the body has come to a stand
    studio.drag("belly", right=30, up=10)
    studio.flesh(0.25)
    hand, place = studio.held()
    assert np.linalg.norm(hand - place) < 1e-3
    studio.let_go()


def test_walking_the_place_stays_within_a_centimetre_of_the_hand(studio):
    studio.flesh(1.0)  # the camera has caught up with the start of the motion
    studio.drag("belly", right=12, up=4)
    studio.flesh(0.5)
    studio.watch_hand()
    before = studio.frame().root
    studio.flesh(1.5)
    off, _ = studio.hand_seen()
    assert studio.commands("hold")[-1]["along"] is not None
    assert np.linalg.norm(studio.frame().root - before) > 1.0  # it walked, and the hand went along
    assert len(off) > 5
    assert np.median(off) < 10e-3
    assert max(off) < 25e-3
    studio.let_go()


def test_let_go_the_flesh_swings_to_the_other_side_and_comes_home_in_half_a_second(studio):
    studio.pause()
    studio.flesh(2.0)
    studio.take("belly")
    home = studio.held()[1]
    x, y = studio.pixel(studio.pick_on("belly"))
    studio.move(x + 40, y)
    studio.flesh(0.5)
    pulled = studio.held()[1] - home
    studio.watch(*studio.held_points())
    shares = np.asarray(studio.commands("hold")[-1]["shares"])
    released = studio.let_go()
    studio.flesh(0.7)
    seen = [(one.flesh_time - released.flesh_time, shares @ one.places - home) for one in studio.seen()]
    way = pulled / np.linalg.norm(pulled)
    swing = min(off @ way for _, off in seen)
    late = [np.linalg.norm(off) for time, off in seen if time >= 0.5]
    assert np.isfinite([off for _, off in seen]).all()
    assert swing < -10e-3
    assert max(late) < 10e-3


def test_of_two_fingers_one_lets_go_and_the_other_goes_on_holding(server, open_window):
    studio = open_window(server, has_touch=True)
    studio.afresh()
    studio.pause()
    studio.flesh(1.5)  # the body stands, and the camera with it: hands go along with a camera that does not
    fingers = studio.touch()
    one, other = (studio.pixel(studio.pick_on(place)) for place in ("left thigh", "chest"))
    fingers.down({1: one, 2: other})
    fingers.move({1: (one[0] + 20, one[1]), 2: (other[0], other[1] - 15)})
    studio.flesh(0.5)
    newest = {one["hand"]: one for one in studio.commands("hold")}
    assert len(newest) == 2
    staying = newest[list(newest)[1]]
    frame = studio.frame()
    before = studio.held_place(staying, frame)
    assert np.linalg.norm(before - studio.hand_of(staying, frame)) < 1e-3
    fingers.up(1)
    gone = studio.commands("let-go")[-1]
    assert gone["hand"] != staying["hand"]
    studio.watch(*studio.held_points(staying))
    studio.flesh(0.5)
    shares = np.asarray(staying["shares"])
    moved = [np.linalg.norm(shares @ one.places - before) for one in studio.seen()]
    assert len(moved) > 3
    assert max(moved) < 1e-3
    fingers.up(2)
