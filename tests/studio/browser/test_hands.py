"""Hands on the flesh: it comes to where the hand is, keeps up with it, and swings back when it is let go."""

import numpy as np


def test_paused_the_place_is_at_the_hand_a_quarter_of_a_second_after_it_stops(studio):
    studio.pause()
    studio.drag("belly", right=30, up=10)
    studio.flesh(0.25)
    hand, place = studio.held()
    assert np.linalg.norm(hand - place) < 1e-3
    studio.let_go()
