"""Hands on the skin: what a pull is, and how a player takes hold and lets go."""

import numpy as np
import pytest
from soft_skins import Gripped

import supple
from supple import Graph, Pose, Pull
from supple.errors import InputError

PLACE = (0.3, -0.2, 0.5)


def _rest(tube):
    return Pose.rest(tube.skeleton)


def test_a_place_is_held_until_the_hand_opens(tube):
    player = supple.player(tube, Gripped(rate=1000.0, step=1 / 60), fps=60)
    rest = player.advance(_rest(tube))
    player.pull(Pull(7, to=PLACE))
    held = player.advance(_rest(tube))
    np.testing.assert_allclose(held[7], PLACE, atol=1e-6)
    np.testing.assert_array_equal(np.delete(held, 7, axis=0), np.delete(rest, 7, axis=0))
    player.let_go()
    np.testing.assert_allclose(player.advance(_rest(tube)), rest, atol=1e-6)


def test_hands_have_names_and_each_holds_one_place(tube):
    player = supple.player(tube, Gripped(rate=1000.0, step=1 / 60), fps=60)
    rest = player.advance(_rest(tube))
    player.pull(Pull(3, to=PLACE), hand="left")
    player.pull(Pull(9, to=PLACE), hand="right")
    player.pull(Pull(5, to=PLACE), hand="left")
    moved = np.flatnonzero(np.linalg.norm(player.advance(_rest(tube)) - rest, axis=1) > 1e-6)
    assert moved.tolist() == [5, 9]
    player.let_go("left")
    player.let_go("nobody")
    moved = np.flatnonzero(np.linalg.norm(player.advance(_rest(tube)) - rest, axis=1) > 1e-6)
    assert moved.tolist() == [9]


def test_a_reset_lets_go(tube):
    player = supple.player(tube, Gripped(rate=1000.0, step=1 / 60), fps=60)
    rest = player.advance(_rest(tube))
    player.pull(Pull(3, force=(1.0, 0.0, 0.0)))
    assert player.advance(_rest(tube))[3, 0] > rest[3, 0] + 0.5
    player.reset()
    player.advance(_rest(tube))
    np.testing.assert_allclose(player.advance(_rest(tube)), rest, atol=1e-6)


def test_a_pull_before_the_first_frame_counts(tube):
    player = supple.player(tube, Gripped(step=1 / 60), fps=60)
    player.pull(Pull(3, to=PLACE))
    player.advance(_rest(tube))
    np.testing.assert_allclose(player.advance(_rest(tube))[3], PLACE, atol=1e-6)


def test_hands_go_on_holding_a_character_that_takes_over(tube):
    player = supple.player(tube, Gripped(step=1 / 60), fps=60)
    player.advance(_rest(tube))
    player.pull(Pull(3, to=PLACE))
    player.advance(_rest(tube))
    player.reshape(tube.replace(shapes={"bump": np.zeros_like(tube.points)}))
    np.testing.assert_allclose(player.advance(_rest(tube))[3], PLACE, atol=1e-6)
    np.testing.assert_allclose(player.advance(_rest(tube))[3], PLACE, atol=1e-6)


def test_a_stage_is_pulled_by_its_name(tube):
    graph = Graph.of(Gripped(step=1 / 60))
    name = graph.stages[-1].name
    player = supple.player(tube, graph, fps=60)
    player.advance(_rest(tube))
    player.pull(Pull(3, to=PLACE), stage=name)
    np.testing.assert_allclose(player.advance(_rest(tube))[3], PLACE, atol=1e-6)
    with pytest.raises(InputError, match="stage 'nose'"):
        player.pull(Pull(3, to=PLACE), stage="nose")


def test_the_place_lies_among_its_vertices():
    pull = Pull((4, 8), to=PLACE)
    assert pull.indices.tolist() == [4, 8]
    assert pull.barycentric.tolist() == [0.5, 0.5]
    assert Pull((4, 8, 9), shares=(0.5, 0.25, 0.25), to=PLACE).barycentric.tolist() == [0.5, 0.25, 0.25]
    assert Pull(4, force=(1, 2, 3)).vector.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("units", [1.0, 100.0])
def test_without_a_radius_a_hand_is_as_large_as_the_character_is(tube, units):
    large = tube.replace(points=units * tube.points)
    player = supple.player(large, Gripped())
    player.pull(Pull(3, to=PLACE))
    (node,) = [node for node in player._nodes if node.pulls]
    assert node.pulls["hand"].radius == pytest.approx(0.09 * units * np.ptp(tube.points, axis=0).max())
    assert Pull(3, to=PLACE).radius_for(1.75) == pytest.approx(0.1575)
    assert Pull(3, to=PLACE, radius=0.3).radius_for(1.75) == 0.3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vertices": 3}, "neither"),
        ({"vertices": 3, "to": PLACE, "force": PLACE}, "both"),
        ({"vertices": -1, "to": PLACE}, "vertices"),
        ({"vertices": 1.5, "to": PLACE}, "vertices"),
        ({"vertices": [], "to": PLACE}, "vertices"),
        ({"vertices": 3, "to": (0.0, np.nan, 0.0)}, "finite"),
        ({"vertices": 3, "to": (0.0, 1.0)}, "shape"),
        ({"vertices": 3, "force": (np.inf, 0.0, 0.0)}, "finite"),
        ({"vertices": 3, "to": PLACE, "radius": 0.0}, "radius"),
        ({"vertices": 3, "to": PLACE, "radius": np.nan}, "radius"),
        ({"vertices": (3, 4), "to": PLACE, "shares": (1.0,)}, "shares"),
        ({"vertices": (3, 4), "to": PLACE, "shares": (0.7, 0.7)}, "shares"),
        ({"vertices": (3, 4), "to": PLACE, "shares": (1.5, -0.5)}, "shares"),
    ],
)
def test_bad_pulls_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        Pull(**given)


def test_vertices_must_be_the_characters(tube):
    count = len(tube.points)
    player = supple.player(tube, Gripped())
    player.pull(Pull(count - 1, to=PLACE))
    with pytest.raises(InputError, match=f"vertex {count}"):
        player.pull(Pull(count, to=PLACE))
