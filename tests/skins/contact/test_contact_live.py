"""A soft character that is changed while it plays: muscles, gravity, limits, and what it meets."""

import numpy as np
import pytest

import supple
from supple import ArticulatedContact, Pose, Pull
from supple.errors import InputError
from supple.obstacles import Free, Sphere

HERO = supple.character("hero", vertices=1500)
WALK = supple.motion("walk", HERO)
REST = Pose.rest(HERO.skeleton)
SOFT = {"elements": 2500, "self_contact": False}
FRAME = 1.0 / 60.0
BELLY = int(np.argmin(3.0 * np.abs(HERO.points[:, 0]) + 2.0 * np.abs(HERO.points[:, 1] - 1.05) - HERO.points[:, 2]))


@pytest.fixture(scope="module")
def first():
    return supple.player(HERO, ArticulatedContact(**SOFT))


def settled(player, seconds=0.5):
    for _ in range(round(seconds / FRAME)):
        points = player.advance(REST, FRAME)
    return points


def test_an_arm_goes_limp_and_gets_stiff_again(first):
    player = first.copy()
    still = settled(player)
    hand = np.flatnonzero(HERO.weights.dense(len(HERO.skeleton))[:, HERO.skeleton.index("LeftHand")] > 0.9)
    player.change(strength={"default": 0.7, "LeftArm": 0.0}, gravity_compensation=False)
    hanging = settled(player, 1.0)
    assert hanging[hand, 1].mean() < still[hand, 1].mean() - 0.1
    player.change(strength=0.7, gravity_compensation=True)
    assert np.abs(settled(player, 3.0) - still).max() < 1e-4


def test_a_body_that_fell_is_drawn_up_by_and_by(first):
    player = first.copy()
    still = settled(player)
    player.change(strength=0.0, root_strength=0.0)
    fallen = settled(player, 0.6)
    assert fallen[:, 1].min() < still[:, 1].min() - 1.0
    player.change(strength=0.7, root_strength=0.9)
    before, fastest = fallen, 0.0
    for _ in range(180):
        points = player.advance(REST, FRAME)
        fastest, before = max(fastest, float(np.linalg.norm(points - before, axis=1).max())), points
    assert fastest < 0.5
    assert np.abs(points - still).max() < 1e-3


@pytest.mark.parametrize("settings", [{"gravity": 2.0}, {"limits": "auto"}, {"joint_damping": 20.0}, {"strength": 0.4}])
def test_a_change_equals_having_had_it_from_the_first_frame_on_once_settled(first, settings):
    player = first.copy()
    for frame in range(20):
        player.play(WALK, frame * FRAME)
    player.change(**settings)
    from_the_first = supple.player(HERO, ArticulatedContact(**settings, **SOFT))
    assert np.abs(settled(player, 3.0) - settled(from_the_first, 3.0)).max() < 1e-4


@pytest.mark.parametrize(
    "settings",
    [
        {"gravity": 0.0},
        {"gravity": 20.0},
        {"limits": "auto"},
        {"joint_damping": 0.0},
        {"strength": 0.2},
        {"root_strength": 0.2},
        {"gravity_compensation": False},
        {"friction": 0.0},
        {"self_contact": True},
    ],
)
def test_nothing_jumps_when_a_setting_changes(first, settings):
    player, other = first.copy(), first.copy()
    for one in (player, other):
        settled(one)
    player.change(**settings)
    assert np.linalg.norm(player.advance(REST, FRAME) - other.advance(REST, FRAME), axis=1).max() < 5e-3


def test_gravity_that_changes_moves_no_node_by_itself(first):
    player = first.copy()
    settled(player)
    state = player._nodes[-1].state
    before = state.mechanism.rest[: state.mechanism.node_count] + state.memory.body.displacements
    player.change(gravity=3.0)
    state.tune(player.graph.stages[-1].work)
    state.load()
    after = state.mechanism.rest[: state.mechanism.node_count] + state.memory.body.displacements
    np.testing.assert_allclose(after, before, atol=1e-15)


def test_a_copy_on_the_way_to_other_settings_goes_on_to_the_bit(first):
    player = first.copy()
    player.change(strength=0.0, root_strength=0.0, gravity=5.0, limits="auto")
    settled(player, 0.2)
    player.change(strength=0.8, root_strength=0.9)
    settled(player, 0.1)
    twin = player.copy()
    for _ in range(10):
        assert np.array_equal(player.advance(REST, FRAME), twin.advance(REST, FRAME))


def test_bindings_are_shared_by_skins_that_differ_in_what_may_change():
    one, other = ArticulatedContact(**SOFT), ArticulatedContact(gravity=0.0, strength=0.1, limits="auto", **SOFT)
    players = [supple.player(HERO, skin) for skin in (one, other)]
    assert players[0]._nodes[-1].binding is players[1]._nodes[-1].binding


@pytest.mark.parametrize("settings", [{"elements": 3000}, {"flesh": "fat"}, {"hinges": "names"}, {"core": 0.5}])
def test_what_flesh_and_joints_are_stays(first, settings):
    with pytest.raises(InputError, match="while playing"):
        first.copy().change(**settings)


def test_a_map_that_says_where_fat_is_changes_it_and_another_does_not():
    belly = (np.abs(HERO.points[:, 1] - 1.05) < 0.1).astype(float)
    character = HERO.replace(maps={"belly": belly, "other": belly})
    player = supple.player(character, ArticulatedContact(flesh="muscle, belly=fat", **SOFT))
    still = settled(player)
    node = player._nodes[-1]
    flesh = node.binding.flesh
    player.paint("other", 1.0 - belly)
    assert node.binding.flesh is flesh
    player.paint("belly", np.ones(len(belly)))
    assert node.binding.flesh is not flesh
    assert np.linalg.norm(player.advance(REST, FRAME) - still, axis=1).max() < 5e-3


def test_a_ball_that_lies_on_the_back_presses_with_its_weight():
    """The pressure over the skin, and the forces of contact, sum to the weight of what lies there."""
    table = supple.character("tube", vertices=1500)
    flat = Pose.rest(table.skeleton)
    top = table.points[:, 1].max()
    ball = Sphere(radius=0.3, at=(0.0, float(top) + 0.31, 0.0), friction=0.5, free=Free(mass=3.0))
    skin = ArticulatedContact(elements=1500, strength=1.0, root_strength=1.0, obstacles=(ball,), self_contact=False)
    player = supple.player(table, skin)
    player.advance(flat, FRAME)
    assert player.contact_pressure().max() == 0.0
    corners = table.points[table.triangles]
    each = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 6.0
    areas = np.bincount(table.triangles.ravel(), np.repeat(each, 3), len(table.points))
    weights = []
    for frame in range(50):  # on a round back it rolls off by and by
        player.advance(flat, FRAME)
        if frame >= 20:
            weights.append(player.contact_pressure() @ areas)
    pressure = player.contact_pressure()
    assert np.mean(weights) == pytest.approx(3.0 * 9.81, rel=0.1)
    assert np.linalg.norm(table.points[pressure.argmax(), [0, 2]]) < 0.15


def test_a_force_of_a_hand_is_seen_where_it_pulls(first):
    player, other = first.copy(), first.copy()
    for one in (player, other):
        settled(one)
    vertex = BELLY
    player.pull(Pull(vertex, force=(0.0, 0.0, 30.0)))
    player.advance(REST, FRAME)
    other.advance(REST, FRAME)
    change = player.forces() - other.forces()
    far = np.linalg.norm(HERO.points - HERO.points[vertex], axis=1) > 0.3
    assert player.forces().shape == HERO.points.shape
    assert change[:, 2].max() > 0.0
    assert np.linalg.norm(change[far], axis=1).max() < 0.1 * np.linalg.norm(change, axis=1).max()


def test_flesh_that_is_drawn_out_draws_back(first):
    """At rest, the force of a hand and that of the flesh under it cancel but for what bones take."""
    player = first.copy()
    at = settled(player)
    vertex = BELLY
    resting = player.forces()
    player.pull(Pull(vertex, to=at[vertex] + [0.0, 0.0, 0.03]))
    settled(player)
    player.let_go()
    change = player.forces() - resting
    assert change[vertex, 2] < 0.0
