"""Hands on flesh: what is held is where the hand is, what is let go swings back, and nothing is left of it."""

import numpy as np
import pytest

import supple
from supple import Pose, PositionBased, Pull
from supple.character.crowd import Crowd
from supple.device import use_threads
from supple.errors import InputError
from supple.obstacles import Sphere

FEW = 2000
OUT = np.array([0.0, 0.0, 0.1])


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


@pytest.fixture(scope="module")
def walk(hero):
    return supple.motion("walk", hero)


@pytest.fixture(scope="module")
def belly(hero):
    return _nearest(hero, (0.0, 1.04, 0.3))


def _nearest(character, place):
    return int(np.linalg.norm(character.points - np.array(place), axis=1).argmin())


def _player(hero, **settings):
    return supple.player(hero, PositionBased(**{"tetrahedra": FEW, **settings}), fps=60.0)


def _stand(player, seconds=0.5):
    for _ in range(round(seconds * 60.0)):
        points = player.advance(Pose.rest(player.character.skeleton), 1.0 / 60.0)
    return points


def _state(player):
    return player._nodes[-1].state


def _gap(point, other):
    return float(np.linalg.norm(np.asarray(point) - other))


@pytest.mark.parametrize("contact", ["on-demand", "off"])
def test_a_held_place_is_at_its_hand(hero, belly, contact):
    player = _player(hero, contact=contact)
    goal = _stand(player, 0.1)[belly] + 1.5 * OUT
    player.pull(Pull(belly, to=goal))
    assert _gap(_stand(player, 0.25)[belly], goal) < 1e-3
    assert _gap(_stand(player, 0.5)[belly], goal) < 2e-4


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_a_hand_that_walks_along_is_followed(hero, belly, walk, fps):
    free, held = (_player(hero) for _ in range(2))
    gaps = []
    for frame in range(round(1.5 * fps)):
        goal = free.play(walk, frame / fps)[belly] + OUT
        held.pull(Pull(belly, to=goal))
        gaps.append(_gap(held.play(walk, frame / fps)[belly], goal))
    assert max(gaps[round(0.5 * fps) :]) < 5e-3


def test_a_hand_that_stays_where_it_is_holds_while_the_body_walks(hero, belly, walk):
    player = _player(hero)
    goal = player.play(walk, 0.5)[belly]
    player.pull(Pull(belly, to=goal))
    gaps = [_gap(player.play(walk, 0.5 + frame / 60.0)[belly], goal) for frame in range(1, 11)]
    assert max(gaps) < 1e-3


def test_let_go_it_overshoots_and_comes_to_rest_as_if_never_held(hero, belly):
    player, other = _player(hero), _player(hero)
    rest = _stand(player, 0.1)[belly]
    player.pull(Pull(belly, to=rest + OUT))
    _stand(player, 0.5)
    player.let_go()
    path = []
    for _ in range(180):
        points = _stand(player, 1.0 / 60.0)
        path.append(points[belly, 2] - rest[2])
    assert min(path) < -0.02
    assert max(np.abs(np.diff([0.1, *path]))) < 0.06
    assert np.abs(points - _stand(other, 3.6)).max() < 1e-5


def test_what_the_bones_drive_comes_back_without_a_swing(hero, belly):
    player = _player(hero, jiggle=0.0)
    rest = _stand(player, 0.1)[belly]
    player.pull(Pull(belly, to=rest + OUT))
    _stand(player, 0.5)
    player.let_go()
    path = [_stand(player, 1.0 / 60.0)[belly, 2] - rest[2] for _ in range(60)]
    assert min(path) > -2e-3
    assert abs(path[-1]) < 1e-5


def test_two_hands_hold_two_places_near_and_far(hero, belly, walk):
    for other in (_nearest(hero, (0.0, 1.04, -0.3)), _nearest(hero, (0.05, 1.1, 0.3))):
        player = _player(hero)
        points = _stand(player, 0.1)
        goals = {belly: points[belly] + OUT, other: points[other] + [0.0, 0.03, 0.02]}
        for vertex, goal in goals.items():
            player.pull(Pull(vertex, to=goal), hand=str(vertex))
        points = _stand(player, 0.5)
        assert max(_gap(points[vertex], goal) for vertex, goal in goals.items()) < 1e-3
        player.let_go(str(other))
        assert _gap(_stand(player, 1.0)[belly], goals[belly]) < 1e-3


def test_flesh_goes_along_less_the_farther_it_is(hero, belly):
    player = _player(hero)
    before = _stand(player, 0.1)
    player.pull(Pull(belly, to=before[belly] + OUT))
    moved = np.linalg.norm(_stand(player, 0.5) - before, axis=1)
    away = np.linalg.norm(hero.points - hero.points[belly], axis=1)
    rings = [moved[(away >= low) & (away < low + 0.03)].max() for low in (0.0, 0.05, 0.1, 0.2)]
    assert rings == sorted(rings, reverse=True)
    assert moved.max() < 1.02 * np.linalg.norm(OUT)
    assert moved[away > 0.4].max() < 2e-3
    hands = np.abs(hero.points[:, 0]) > 0.5
    assert moved[hands].max() < 1e-3


def test_pulling_far_tears_no_edge(hero, belly):
    player = _player(hero)
    before = _stand(player, 0.1)
    player.pull(Pull(belly, to=before[belly] + 1.5 * OUT))
    after = _stand(player, 0.5)
    ends = np.concatenate([hero.triangles[:, :2], hero.triangles[:, 1:]])
    lengths = [np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1) for points in (before, after)]
    assert (lengths[1] / lengths[0]).max() < 2.5
    assert (lengths[1] / lengths[0]).min() > 0.4


@pytest.mark.parametrize("where", ["finger", "nose", "foot"])
@pytest.mark.parametrize("pull", ["to", "force"])
def test_no_skin_ignores_a_hand(hero, where, pull):
    places = {"finger": (1.0, 0.9, 0.0), "nose": (0.0, 1.7, 0.5), "foot": (0.1, 0.0, 0.5)}
    vertex = _nearest(hero, places[where])
    player = _player(hero)
    before = _stand(player, 0.1)[vertex]
    way = np.array([0.02, 0.02, 0.02])
    player.pull(Pull(vertex, to=before + way) if pull == "to" else Pull(vertex, force=1000.0 * way))
    after = _stand(player, 0.5)[vertex]
    if pull == "to":
        assert _gap(after, before + way) < 1e-3
    else:
        assert (after - before) @ way / np.linalg.norm(way) > 1e-3


def test_a_force_moves_soft_flesh_more_than_firm_and_about_twice_as_far_if_it_is_doubled(hero, belly):
    shin = _nearest(hero, (0.1, 0.35, 0.2))

    def way(vertex, force):
        player = _player(hero)
        before = _stand(player, 0.1)[vertex]
        player.pull(Pull(vertex, force=(0.0, 0.0, force)))
        return float((_stand(player, 3.0)[vertex] - before)[2])

    assert way(belly, 10.0) > 2.0 * way(shin, 10.0) > 0.0
    assert way(belly, 20.0) == pytest.approx(2.0 * way(belly, 10.0), rel=0.25)


@pytest.mark.parametrize(
    "pull", [{"to": (1.0e4, -1.0e4, 1.0e4)}, {"force": (1.0e9, 0.0, -1.0e9)}, {"to": (0.0, 0.0, 0.0), "radius": 50.0}]
)
def test_absurd_pulls_are_survived(hero, belly, walk, pull):
    player, other = _player(hero, jiggle=0.2), _player(hero, jiggle=0.2)
    player.play(walk, 0.1)
    player.pull(Pull(belly, **pull))
    for frame in range(10, 40):
        points = player.play(walk, frame / 60.0)
        assert np.isfinite(points).all()
        assert np.abs(points).max() < 10.0
    player.let_go()
    for frame in range(40, 340):
        points = player.play(walk, frame / 60.0)
        free = other.play(walk, frame / 60.0)
    assert np.abs(points - free).max() < 5e-3


def test_two_hands_at_one_place_that_disagree_stay_finite(hero, belly):
    player = _player(hero)
    points = _stand(player, 0.1)
    player.pull(Pull(belly, to=points[belly] + OUT), hand="one")
    player.pull(Pull(belly, to=points[belly] - OUT, radius=0.11), hand="other")
    assert np.abs(_stand(player, 0.5) - points).max() < 0.2


def test_a_rigid_body_in_the_flesh_and_a_hand_live_together(hero, belly):
    ball = Sphere(radius=0.1, at=tuple(hero.points[belly] + [0.0, -0.1, 0.07]))
    player = _player(hero, bodies=(ball,))
    goal = _stand(player, 0.2)[belly] + OUT
    player.pull(Pull(belly, to=goal))
    assert _gap(_stand(player, 0.5)[belly], goal) < 1e-3


def test_bad_pulls_are_refused_and_it_plays_on(hero, belly, walk):
    player, other = _player(hero), _player(hero)
    for one in (player, other):
        one.play(walk, 0.1)
    with pytest.raises(InputError, match="65 vertices"):
        player.pull(Pull(list(range(65)), to=hero.points[0]))
    assert np.array_equal(player.play(walk, 0.2), other.play(walk, 0.2))


def test_nine_hands_are_too_many(hero, belly):
    player = _player(hero)
    points = _stand(player, 0.1)
    for hand in range(8):
        player.pull(Pull(belly + hand, to=points[belly + hand]), hand=str(hand))
    with pytest.raises(InputError, match="9 hands"):
        player.pull(Pull(belly + 8, to=points[belly + 8]), hand="8")
    assert np.isfinite(_stand(player, 0.1)).all()


def test_what_swings_back_is_not_disturbed_by_a_setting(hero, belly):
    """Settings that change nothing that is seen here: a memory was asked what it would do, and recalled."""
    players = [_player(hero, jiggle=0.5) for _ in range(2)]
    for player in players:
        goal = _stand(player, 0.1)[belly] + OUT
        player.pull(Pull(belly, to=goal))
        _stand(player, 0.3)
        player.let_go()
        _stand(player, 0.05)
    players[0].change(warm_up=3)
    assert np.array_equal(*(_stand(player, 0.1) for player in players))


def test_a_place_that_swings_back_is_caught_again(hero, belly):
    player = _player(hero)
    goal = _stand(player, 0.1)[belly] + OUT
    player.pull(Pull(belly, to=goal))
    _stand(player, 0.3)
    player.let_go()
    before = _stand(player, 0.1)[belly]
    player.pull(Pull(belly, to=before))
    assert _gap(_stand(player, 1.0 / 60.0)[belly], before) < 1e-3
    player.pull(Pull(belly, to=goal))
    assert _gap(_stand(player, 0.3)[belly], goal) < 1e-3


def test_one_of_a_crowd_is_held_and_the_others_do_not_feel_it(hero, belly):
    crowd = Crowd.of(hero, 2)
    player, other = _player(crowd), _player(crowd)
    count = len(hero.points)
    goal = _stand(player, 0.1)[count + belly] + OUT
    player.pull(Pull(count + belly, to=goal))
    points = _stand(player, 0.5)
    assert _gap(points[count + belly], goal) < 1e-3
    assert np.array_equal(points[:count], _stand(other, 0.6)[:count])


def test_a_copy_goes_on_with_its_hands_to_the_bit(hero, belly, walk):
    player = _player(hero)
    goal = player.play(walk, 0.1)[belly] + OUT
    player.pull(Pull(belly + 30, force=(0.0, 20.0, 0.0)), hand="first")
    player.play(walk, 0.2)
    player.pull(Pull(belly, to=goal), hand="second")
    player.play(walk, 0.25)
    twin = player.copy()
    for frame in range(16, 25):
        assert np.array_equal(player.play(walk, frame / 60.0), twin.play(walk, frame / 60.0))


def test_what_was_restored_is_held_by_nobody(hero, belly, walk):
    player, other = _player(hero), _player(hero)
    for one in (player, other):
        one.play(walk, 0.1)
    kept = player.snapshot()
    player.pull(Pull(belly, to=hero.points[belly] + 2.0 * OUT))
    player.play(walk, 0.4)
    player.restore(kept)
    assert np.array_equal(player.play(walk, 0.4), other.play(walk, 0.4))


def test_the_number_of_threads_changes_nothing(hero, belly, walk):
    ends = []
    for threads in (1, 2):
        with use_threads(threads):
            player = _player(hero)
            goal = player.play(walk, 0.1)[belly] + OUT
            player.pull(Pull(belly, to=goal))
            player.pull(Pull(belly + 40, force=(0.0, 30.0, 0.0)), hand="other")
            ends.append([player.play(walk, 0.1 + frame / 60.0) for frame in range(20)])
    assert np.array_equal(*ends)


def test_a_force_on_a_fingertip_moves_that_finger_alone(data_file):
    """30 N for half a second on a real hand, whose next finger went along by 99 mm once."""
    person = supple.load(data_file("gltf/human-m2m-12clips.glb"))
    names, weights = person.skeleton.names, person.weights
    strongest = weights.joints[np.arange(len(person.points)), weights.values.argmax(axis=1)]
    of_finger = {
        finger: np.flatnonzero([names[joint].startswith(finger) and names[joint].endswith("_l") for joint in strongest])
        for finger in ("index", "middle", "ring", "pinky", "thumb")
    }
    finger = of_finger["index"]
    tip = int(finger[np.linalg.norm(person.points[finger] - person.points.mean(axis=0), axis=1).argmax()])
    player = supple.player(person, PositionBased(tetrahedra=FEW), fps=60.0)
    before = np.array(_stand(player, 0.1))
    player.pull(Pull(tip, force=(0.0, 30.0, 0.0)))
    moved = np.linalg.norm(_stand(player, 0.5) - before, axis=1)
    assert moved[tip] > 0.005
    assert moved[finger].max() < 0.15
    for other in ("middle", "ring", "pinky", "thumb"):
        assert moved[of_finger[other]].max() < 0.25 * moved[tip], other


@pytest.mark.cuda
def test_cuda_holds_as_the_cpu_does(hero, belly):
    ends = []
    for device in ("cpu", "cuda:0"):
        player = supple.player(hero, PositionBased(tetrahedra=FEW), device=device, fps=60.0)
        goal = _stand(player, 0.1)[belly] + OUT
        player.pull(Pull(belly, to=goal))
        points = _stand(player, 0.5)
        assert _gap(points[belly], goal) < 1e-3
        ends.append(points)
    assert np.abs(ends[0] - ends[1]).max() < 1e-3
