"""Skins on bones while they play: settings, shapes and maps that change, hands that pull, forces that are shown."""

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import IncrementalRotation, Pose, Pull, SpringDynamics, SpringRig
from supple.errors import InputError
from supple.geometry import quaternions
from supple.settings import changed, settings_of

FPS = 60.0
_BOUND = {"binding", "base", "aim"}
FIXED = {IncrementalRotation: {"binding"}, SpringRig: _BOUND, SpringDynamics: _BOUND | {"step"}}
OTHERS = {
    IncrementalRotation: {
        "reach": 0.2, "correction": 0.3, "squash": 1.0, "soften": 1.1, "firm_ends": False, "rounds": 3,
    },
    SpringRig: {
        "stiffness.edges": 3.0, "stiffness.relative_radius": 0.0, "stiffness.bend": 0.2, "stiffness.radius": 1.0,
        "stiffness.bones": 2.0, "stiffness.twist": 7.0, "iterations": 17, "step_scale": 0.1, "momentum": 0.2,
        "until": "movement", "threshold": 1e-2, "solver": "sweeps",
    },
    SpringDynamics: {
        "stiffness.radius": 3.0, "iterations": 5, "frequency": 9.0, "inertia": 1.0, "damping": 0.6, "max_offset": 0.1,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def tube():
    return make_tube(rings=31, sectors=16, bones=2)


@pytest.fixture(scope="module")
def place(tube):
    """A vertex on the side of the second bone."""
    return int(np.argmin(np.linalg.norm(tube.points - [0.25, 1.2, 0.0], axis=1)))


def bend(tube, angle=0.9, stretch=1.0):
    rotations = {"bone1": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], angle)}
    pose = Pose.from_rotations(tube.skeleton, rotations)
    return Pose(pose.world_from_joint * np.array([1.0, 1.0, 1.0, stretch]))


def travel(tube, time, speed=1.2):
    world = tube.skeleton.world_from_joint.copy()
    world[:, 2, 3] += speed * time
    return Pose(world)


# Settings


@pytest.mark.parametrize("kind", FIXED)
def test_all_settings_are_live_but_those_that_say_what_is_bound(kind):
    assert {info.name for info in settings_of(kind)} - kind.live == FIXED[kind]


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in (IncrementalRotation, SpringRig) for name in OTHERS[kind]]
)
def test_a_setting_that_changes_equals_a_new_player(kind, name, tube):
    """To the bit, there and back again, also where the new one shares nothing with the old one."""
    poses = [bend(tube, 0.9, 1.3), bend(tube, 0.4, 0.9)]
    of_sweeps = {"step_scale": SpringRig(solver="sweeps"), "momentum": SpringRig(solver="sweeps")}
    skin = {"threshold": SpringRig(until="movement"), **of_sweeps}.get(name, kind())
    other, binding = changed(skin, {name: OTHERS[kind][name]}), skin.bind(tube, "cpu")
    state = skin.allocate(binding)
    new, usual = (one.allocate(one.bind(tube, "cpu")) for one in (other, skin))
    assert not np.array_equal(_shown(skin, state, poses[0]), _shown(other, state, poses[1]))
    assert np.array_equal(_shown(other, state, poses[1]), _shown(other, new, poses[1]))
    assert not np.array_equal(_shown(other, state, poses[1]), _shown(skin, usual, poses[1]))
    assert np.array_equal(_shown(skin, state, poses[0]), _shown(skin, usual, poses[0]))


def _shown(skin, state, pose):
    return skin.deform(None, state, pose, None).numpy().copy()


def test_settings_of_one_player_leave_others_alone(tube):
    """They share a binding, which knows nothing of settings that are live."""
    one, other = supple.player(tube, IncrementalRotation(reach=0.2)), supple.player(tube, IncrementalRotation())
    assert one._nodes[0].binding is other._nodes[0].binding
    before = other.advance(bend(tube)).copy()
    one.change(rounds=2, soften=0.0)
    one.advance(bend(tube))
    assert np.array_equal(other.advance(bend(tube)), before)


@pytest.mark.parametrize("name", OTHERS[SpringDynamics])
def test_swinging_skin_takes_a_setting_without_a_jump(name, tube):
    """Firm in part: iterations say how soon firm skin answers, and how well, while no hand holds it."""
    tube = tube.replace(maps={"jiggle": np.linspace(0.1, 1.0, len(tube.points))})
    changed_one, steady = (supple.player(tube, SpringDynamics()) for _ in range(2))
    for player in (changed_one, steady):
        player.advance(bend(tube, 0.0))
        for frame in range(20):
            last = player.advance(bend(tube, 0.05 * frame))
    changed_one.change(**{name.rpartition(".")[2]: OTHERS[SpringDynamics][name]})
    one, other = changed_one.advance(bend(tube, 1.0)), steady.advance(bend(tube, 1.0))
    assert 0.0 < np.abs(one - other).max() < 0.005 + np.abs(other - last).max()


def test_momentum_comes_and_goes_without_a_kick(tube):
    player = supple.player(tube, SpringDynamics())
    player.advance(bend(tube, 0.0))
    player.advance(bend(tube, 0.5))
    player.change(frequency=0.0)
    for _ in range(120):
        still = player.advance(bend(tube, 0.5))
    player.change(frequency=4.5)
    assert np.abs(player.advance(bend(tube, 0.5)) - still).max() < 1e-4


# Shapes and maps


@pytest.mark.parametrize("kind", [IncrementalRotation, SpringRig])
@pytest.mark.parametrize("painted", ["reach_start", "reach_end", "stiffness", "stiffness_twist"])
def test_a_painted_map_equals_a_new_binding_to_the_bit(kind, painted, tube):
    painted_one = tube.replace(maps={painted: np.linspace(0.1, 0.9, len(tube.points))})
    skin, (before, pose) = kind(), (bend(tube, 0.3, 1.2), bend(tube, 0.9, 1.1))
    binding = skin.bind(tube, "cpu")
    state = skin.allocate(binding)
    usual = _shown(skin, state, pose)
    _shown(skin, state, before)
    state = skin.reshape(skin.rebind(binding, painted_one, "cpu"), state)
    new = skin.allocate(skin.bind(painted_one, "cpu"))
    assert np.array_equal(_shown(skin, state, pose), _shown(skin, new, pose))
    assert np.array_equal(_shown(skin, state, pose), usual) == (kind is IncrementalRotation and "stiff" in painted)


@pytest.mark.parametrize("name", ["bump", "edit bump"])
@pytest.mark.parametrize("kind", [IncrementalRotation, SpringRig])
def test_a_shape_that_is_on_can_be_exchanged(kind, name, tube):
    offsets = [size * np.sin(7.0 * tube.points) for size in (0.02, 0.03)]
    one, other = (tube.replace(shapes={name: offset}) for offset in offsets)
    pose, skin = Pose(bend(tube, 0.9, 1.1).world_from_joint, shapes={name: 0.7}), kind()
    binding = skin.bind(one, "cpu")
    state = skin.allocate(binding)
    _shown(skin, state, pose)
    state = skin.reshape(skin.rebind(binding, other, "cpu"), state)
    new = skin.allocate(skin.bind(other, "cpu"))
    assert np.array_equal(_shown(skin, state, pose), _shown(skin, new, pose))


def test_a_map_painted_on_swinging_skin_is_no_blow(tube):
    """Where bones carry the skin changes with the reach of turns; skin goes there by its springs."""
    player = supple.player(tube, SpringDynamics())
    for _ in range(60):
        before = player.advance(bend(tube))
    player.paint("reach_start", np.full(len(tube.points), 0.1))
    moves = np.diff([before, *(player.advance(bend(tube)) for _ in range(120))], axis=0)
    assert 1e-6 < np.abs(moves[0]).max() < 0.01
    assert np.abs(moves[-1]).max() < 1e-4


# Hands


@pytest.mark.parametrize("settings", [{}, {"frequency": 0.0}, {"iterations": 1}, {"damping": 0.0}])
def test_a_hand_that_walks_along_is_followed(settings, tube, place):
    free, held = (supple.player(tube, SpringDynamics(**settings), fps=FPS) for _ in range(2))
    offset = np.array([0.12, 0.05, 0.0])
    for frame in range(60):
        shown = free.advance(travel(tube, frame / FPS))
        if frame > 5:
            held.pull(Pull(place, to=shown[place] + offset))
        now = held.advance(travel(tube, frame / FPS))
        if frame > 15:
            assert np.linalg.norm(now[place] - shown[place] - offset) < 0.005
    for _ in range(15):
        now = held.advance(travel(tube, 59 / FPS))
    assert np.linalg.norm(now[place] - shown[place] - offset) < 0.001


def test_skin_about_a_hand_goes_along_smoothly_and_the_far_side_does_not(tube, place):
    player = supple.player(tube, SpringDynamics())
    player.advance(Pose.rest(tube.skeleton))
    player.pull(Pull(place, to=tube.points[place] + [0.1, 0.0, 0.0], radius=0.2))
    for _ in range(60):
        moved = np.linalg.norm(player.advance(Pose.rest(tube.skeleton)) - tube.points, axis=1)
    away = np.linalg.norm(tube.points - tube.points[place], axis=1)
    assert moved[place] == pytest.approx(0.1, abs=1e-4)
    ring = (away > 0.0) & (away < 0.07)
    assert 0.04 < moved[ring].min() < moved[ring].max() < 0.1001  # no spike
    assert moved[tube.points[:, 0] < -0.2].max() < 0.02
    assert moved[away > 0.8].max() < 1e-3


def test_let_go_it_swings_back_past_where_it_was_and_leaves_no_trace(tube, place):
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    player.pull(Pull(place, to=tube.points[place] + [0.1, 0.0, 0.0]))
    for _ in range(30):
        player.advance(rest)
    player.let_go()
    frames = [player.advance(rest) for _ in range(360)]
    way = [float(frame[place, 0] - tube.points[place, 0]) for frame in frames]
    assert way[0] > 0.03  # not at once
    assert -0.09 < min(way) < -1e-3
    assert np.abs(frames[-1] - tube.points).max() < 1e-5


@pytest.mark.parametrize("far", [2.0, 1e3])
@pytest.mark.parametrize("settings", [{}, {"frequency": 0.0}, {"frequency": 60.0, "iterations": 1}])
def test_a_hand_too_far_away_is_followed_as_far_as_skin_reaches(settings, far, tube, place):
    player, rest = supple.player(tube, SpringDynamics(**settings)), Pose.rest(tube.skeleton)
    player.advance(rest)
    player.pull(Pull(place, to=tube.points[place] + [far, 0.0, 0.0]))
    for _ in range(60):
        shown = player.advance(rest)
        assert np.isfinite(shown).all()
        assert np.abs(shown - tube.points).max() < 1.01  # half of its length
    assert shown[place, 0] - tube.points[place, 0] > 0.9
    player.let_go()
    for _ in range(480):
        shown = player.advance(rest)
    assert np.abs(shown - tube.points).max() < 1e-4


def test_two_hands_hold_their_own_places(tube, place):
    other = int(np.argmin(np.linalg.norm(tube.points - [-0.25, 0.4, 0.0], axis=1)))
    player, alone, rest = (*(supple.player(tube, SpringDynamics()) for _ in range(2)), Pose.rest(tube.skeleton))
    goals = {place: tube.points[place] + [0.08, 0.0, 0.0], other: tube.points[other] - [0.08, 0.0, 0.0]}
    for one in (player, alone):
        one.advance(rest)
        one.pull(Pull(place, to=goals[place]), hand="left")
    player.pull(Pull(other, to=goals[other]), hand="right")
    for _ in range(60):
        both, single = player.advance(rest), alone.advance(rest)
    for vertex, goal in goals.items():
        assert np.linalg.norm(both[vertex] - goal) < 1e-4
    near = np.linalg.norm(tube.points - tube.points[place], axis=1) < 0.15
    assert np.abs(both - single)[near].max() < 0.001


def test_hands_that_overlap_both_get_their_place(tube, place):
    other = place + 1
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    goals = {place: tube.points[place] + [0.05, 0.03, 0.0], other: tube.points[other] + [0.08, 0.0, 0.0]}
    for vertex, goal in goals.items():
        player.pull(Pull(vertex, to=goal, radius=0.2), hand=str(vertex))
    for _ in range(60):
        shown = player.advance(rest)
    assert max(np.linalg.norm(shown[vertex] - goal) for vertex, goal in goals.items()) < 1e-3


def test_a_place_among_vertices_is_held(tube):
    corners = tube.triangles[400]
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    goal = (0.2, 0.3, 0.5) @ tube.points[corners] * [1.3, 1.0, 1.3]
    player.pull(Pull(corners, shares=(0.2, 0.3, 0.5), to=goal))
    for _ in range(30):
        shown = player.advance(rest)
    assert np.linalg.norm((0.2, 0.3, 0.5) @ shown[corners] - goal) < 1e-4


def test_a_force_draws_skin_out_and_twice_the_force_farther(tube, place):
    ways = []
    for force in (10.0, 20.0):
        player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
        player.advance(rest)
        player.pull(Pull(place, force=(force, 0.0, 0.0)))
        for _ in range(180):
            shown = player.advance(rest)
        ways.append(shown[place, 0] - tube.points[place, 0])
    assert 1e-4 < ways[0] < ways[1]
    assert ways[1] == pytest.approx(2.0 * ways[0], rel=0.3)


def test_a_player_that_is_held_can_be_stopped_and_go_on(tube, place):
    """A copy holds the same places; what was restored without hands goes on as if they had just let go."""
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    player.pull(Pull(place, to=tube.points[place] + [0.15, 0.0, 0.0]))
    for _ in range(20):
        player.advance(rest)
    twin, kept = player.copy(), player.snapshot()
    assert np.abs(twin.advance(rest) - player.advance(rest)).max() < 1e-4
    twin.restore(kept)
    player.restore(kept)
    assert np.array_equal(twin.advance(rest), player.advance(rest))


def test_a_ninth_hand_is_refused(tube):
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    for vertex in range(8):
        player.pull(Pull(vertex, to=tube.points[vertex]), hand=str(vertex))
    with pytest.raises(InputError, match="there are 8 hands"):
        player.pull(Pull(9, to=tube.points[9]), hand="ninth")
    assert np.isfinite(player.advance(rest)).all()


# Forces


def _forces(player):
    node = player._nodes[-1]
    return node.stage.work.forces(node.binding, node.state).numpy().copy()


def test_forces_are_what_the_next_sweep_moves_by(tube):
    pose = bend(tube)
    one, two = (
        supple.player(tube, SpringRig(base="linear", solver="sweeps", iterations=count, momentum=0.0, step_scale=0.05))
        for count in (1, 2)
    )
    here = one.advance(pose)
    assert np.abs(two.advance(pose) - here - 0.05 * _forces(one)).max() < 1e-6
    assert np.linalg.norm(_forces(one), axis=1).max() > 0.01


@pytest.mark.parametrize("kind", [SpringRig, SpringDynamics])
def test_at_rest_there_are_no_forces(kind, tube):
    player = supple.player(tube, kind())
    player.advance(Pose.rest(tube.skeleton))
    assert np.abs(_forces(player)).max() < 1e-6


def test_a_hand_holds_against_what_springs_pull(tube, place):
    player, rest = supple.player(tube, SpringDynamics()), Pose.rest(tube.skeleton)
    player.advance(rest)
    player.pull(Pull(place, to=tube.points[place] + [0.05, 0.0, 0.0]))
    for _ in range(240):
        player.advance(rest)
    state = player._nodes[-1].state
    springs = state.springs.forces(state.last_buffer).numpy().copy()
    assert springs[place, 0] < -0.005
    assert np.linalg.norm(_forces(player)[place]) < 0.1 * np.linalg.norm(springs[place])
