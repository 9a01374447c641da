"""Hands on a soft character: they draw flesh out and lead bones, by forces that the laws of motion know of."""

import numpy as np
import pytest

import supple
from oracles import soft_body
from supple import ArticulatedContact, Pose, Pull
from supple.errors import InputError
from supple.obstacles import Box

HERO = supple.character("hero", vertices=1500)
WALK = supple.motion("walk", HERO)
REST = Pose.rest(HERO.skeleton)
SOFT = {"elements": 2500, "self_contact": False}
BELLY = int(np.argmin(3.0 * np.abs(HERO.points[:, 0]) + 2.0 * np.abs(HERO.points[:, 1] - 1.05) - HERO.points[:, 2]))
FOREARM = HERO.skeleton.index("LeftForeArm")
WRIST = int(
    np.argmax(np.where(HERO.weights.dense(len(HERO.skeleton))[:, FOREARM] > 0.9, np.abs(HERO.points[:, 0]), 0.0))
)
FORWARD = np.array([0.0, 0.0, 0.05])
LED = np.array([0.0, 0.12, 0.16])  # 20 cm
FRAME = 1.0 / 60.0


@pytest.fixture(scope="module")
def first():
    return supple.player(HERO, ArticulatedContact(**SOFT))


def settled(player, seconds=0.3):
    for _ in range(round(seconds / FRAME)):
        points = player.advance(REST, FRAME)
    return points


@pytest.mark.parametrize(("vertex", "offset"), [(BELLY, FORWARD), (BELLY, -0.6 * FORWARD), (WRIST, LED)])
def test_a_hand_has_its_place_within_a_millimetre_in_a_quarter_of_a_second(first, vertex, offset):
    player = first.copy()
    to = settled(player)[vertex] + offset
    player.pull(Pull(vertex, to=to))
    assert np.linalg.norm(settled(player, 0.25)[vertex] - to) < 1e-3
    assert np.linalg.norm(settled(player, 1.0)[vertex] - to) < 5e-4


def test_the_forearm_is_led_by_its_bones_and_the_belly_gives_way_as_flesh(first):
    resting = settled(first.copy())
    moved = {}
    for vertex, offset in ((BELLY, FORWARD), (WRIST, LED)):
        player = first.copy()
        settled(player)
        player.pull(Pull(vertex, to=resting[vertex] + offset))
        settled(player, 0.5)
        heads = player.simulated_pose.world_from_joint[:, :3, 3] - REST.world_from_joint[:, :3, 3]
        moved[vertex] = np.linalg.norm(heads, axis=1).max()
    assert moved[BELLY] < 0.1 * np.linalg.norm(FORWARD)
    assert moved[WRIST] > 0.5 * np.linalg.norm(LED)


@pytest.mark.parametrize("vertex", [BELLY, WRIST])
def test_a_hand_that_walks_along_is_followed(first, vertex):
    held, free = first.copy(), first.copy()
    for frame in range(60):
        to = free.play(WALK, frame * FRAME)[vertex] + FORWARD
        if frame > 5:
            held.pull(Pull(vertex, to=to))
        points = held.play(WALK, frame * FRAME)
        if frame > 12:
            assert np.linalg.norm(points[vertex] - to) < 5e-3


def test_let_go_it_comes_back_and_keeps_no_trace(first):
    player, other = first.copy(), first.copy()
    for vertex, offset in ((BELLY, FORWARD), (WRIST, LED)):
        player.pull(Pull(vertex, to=settled(player)[vertex] + offset), hand=str(vertex))
    settled(player)
    player.let_go(str(BELLY))
    player.let_go(str(WRIST))
    assert np.abs(settled(player, 3.0) - settled(other, 1.0)).max() < 1e-4


def test_two_hands_do_not_disturb_each_other(first):
    alone, both = first.copy(), first.copy()
    at = settled(alone)
    settled(both)
    for player in (alone, both):
        player.pull(Pull(BELLY, to=at[BELLY] + FORWARD), hand="one")
    both.pull(Pull(WRIST, to=at[WRIST] + LED), hand="other")
    one, two = settled(alone), settled(both)
    assert np.linalg.norm(one[BELLY] - two[BELLY]) < 1e-3
    assert np.linalg.norm(two[WRIST] - at[WRIST] - LED) < 1e-3


@pytest.mark.parametrize("vertex", [BELLY, WRIST])
@pytest.mark.parametrize("way", [-2.0, 2.0])
def test_a_hand_that_is_far_too_far_away_keeps_the_body_whole(first, vertex, way):
    player, other = first.copy(), first.copy()
    at = settled(player)
    player.pull(Pull(vertex, to=at[vertex] + [0.0, 0.0, way]))
    points = settled(player, 1.0)
    assert np.isfinite(points).all()
    assert np.abs(points - at).max() < 1.5
    state, most = player._nodes[-1].state, player._nodes[-1].binding.max_displacements
    out = np.linalg.norm(state.memory.body.displacements - state.rest_sag, axis=1)
    assert (out <= most * (1.0 + 1e-9)).all()
    player.let_go()
    assert np.abs(settled(player, 3.0) - settled(other, 1.0)).max() < 1e-3


def test_stronger_muscles_take_more_force(first):
    found = []
    for strength in (0.3, 0.7):
        player = first.copy()
        player.change(strength=strength)
        player.pull(Pull(WRIST, to=settled(player, 1.0)[WRIST] + LED))
        settled(player, 1.0)
        found.append(np.linalg.norm(player._nodes[-1].state.hands.impulses))
    assert found[1] > 2.0 * found[0]


def test_a_copy_goes_on_holding_to_the_bit(first):
    player = first.copy()
    player.pull(Pull(WRIST, to=settled(player)[WRIST] + LED))
    settled(player)
    twin = player.copy()
    for _ in range(5):
        assert np.array_equal(player.advance(REST, FRAME), twin.advance(REST, FRAME))


def test_the_momentum_that_a_free_body_gains_is_what_the_hand_gave():
    skin = ArticulatedContact(strength=0.0, root_strength=0.0, gravity=0.0, **SOFT)
    player = supple.player(HERO, skin)
    player.advance(REST, FRAME)
    player.pull(Pull(WRIST, force=(3.0, 20.0, -5.0)))
    for _ in range(30):
        player.advance(REST, FRAME)
    state = player._nodes[-1].state
    linear, _ = soft_body.momentum(state.mechanism, state.memory.body)
    np.testing.assert_allclose(linear, 30.0 * FRAME * np.array([3.0, 20.0, -5.0]), atol=1e-9)


def test_angular_momentum_is_what_the_hand_gave_about_where_it_held():
    skin = ArticulatedContact(strength=0.0, root_strength=0.0, gravity=0.0, **SOFT)
    player = supple.player(HERO, skin)
    player.advance(REST, FRAME)
    player.advance(REST, FRAME)
    state = player._nodes[-1].state
    before = soft_body.momentum(state.mechanism, state.memory.body)[1]
    force = np.array([3.0, 20.0, -5.0])
    player.pull(Pull(WRIST, force=force, radius=1e-3))
    player.advance(REST, FRAME)
    after = soft_body.momentum(state.mechanism, state.memory.body)[1]
    arm = HERO.points[WRIST]
    np.testing.assert_allclose(after - before, FRAME * np.cross(arm, force), atol=0.02 * FRAME * 20.0)


def test_nobody_is_pulled_through_a_wall():
    front = float(HERO.points[BELLY, 2]) + 0.01
    wall = Box(sides=(2.0, 2.0, 0.4), at=(0.0, 1.0, front + 0.2))
    player = supple.player(HERO, ArticulatedContact(obstacles=(wall,), **SOFT))
    at = settled(player)
    player.pull(Pull(BELLY, to=at[BELLY] + [0.0, 0.0, 0.1]))
    assert settled(player, 0.5)[BELLY, 2] < front + 0.02


def test_too_many_hands_are_refused(first):
    player = first.copy()
    settled(player)
    for hand in range(16):
        player.pull(Pull(hand, force=(0.0, 0.0, 1.0)), hand=str(hand))
    with pytest.raises(InputError, match="17 hands"):
        player.pull(Pull(16, force=(0.0, 0.0, 1.0)), hand="one more")
    assert np.isfinite(player.advance(REST, FRAME)).all()
