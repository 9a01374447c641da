"""Hands on the layered lattice: held places are where the hands are, and the rest of the body hardly knows."""

from functools import cache

import numpy as np
import pytest

import supple
from supple import LayeredLattice, Pose, Pull
from supple.character.crowd import Crowd
from supple.device import use_threads
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.voxels import VoxelGrid
from supple.skins.lattice.handles import handles
from supple.skins.lattice.handles.kernels import HANDLES
from supple.skins.lattice.voxelize.cells import Lattice
from supple.skins.lattice.voxelize.embedding import Embedding

RESOLUTION = 40
OUT = np.array([0.0, 0.02, 0.12])  # m


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=3000)


@pytest.fixture(scope="module")
def belly(hero):
    points = hero.points
    return int(np.argmax(points[:, 2] * (np.abs(points[:, 1] - 1.05) < 0.1) * (np.abs(points[:, 0]) < 0.1)))


@pytest.fixture(scope="module")
def player_of(hero):
    """Players that have forgotten all, hands too (see `test_a_reset_forgets_the_hands`); each skin is bound once."""
    bound = {}

    def of(skin, fps):
        if (skin, fps) not in bound:
            bound[skin, fps] = supple.player(hero, skin, fps=fps)
        bound[skin, fps].reset()
        return bound[skin, fps]

    return of


@pytest.fixture(scope="module")
def standing(hero, player_of):
    """A player of a hero that stands still, and its pose."""

    def of(**settings):
        player = player_of(LayeredLattice(resolution=RESOLUTION, **settings), 60.0)
        pose = Pose.rest(hero.skeleton)
        player.advance(pose)
        return player, pose

    return of


def after(player, pose, frames):
    for _ in range(frames):
        points = player.advance(pose)
    return points


# Holding


@pytest.mark.parametrize("radius", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("surface", ["smooth", "trilinear"])
def test_a_held_place_comes_to_its_hand(hero, belly, radius, surface, standing):
    player, pose = standing(surface=surface)
    goal = hero.points[belly] + OUT
    player.pull(Pull(belly, to=goal, radius=radius))
    assert np.linalg.norm(after(player, pose, 60)[belly] - goal) < 1e-3


def test_a_place_among_vertices_comes_to_its_hand(hero, belly, standing):
    around = np.argsort(np.linalg.norm(hero.points - hero.points[belly], axis=1))[:3].tolist()
    shares = (0.5, 0.3, 0.2)
    goal = shares @ hero.points[around] + OUT
    player, pose = standing()
    player.pull(Pull(around, shares=shares, to=goal))
    assert np.linalg.norm(shares @ after(player, pose, 60)[around] - goal) < 1e-3


@pytest.mark.parametrize("apart", [0.1, 0.3])
def test_two_hands_hold_two_places_near_and_far(hero, belly, apart, standing):
    other = int(np.argmin(np.linalg.norm(hero.points - (hero.points[belly] + (0.0, apart, 0.0)), axis=1)))
    player, pose = standing()
    ways = {belly: OUT, other: np.add(OUT, (0.03, 0.0, 0.0))}
    for vertex, way in ways.items():
        player.pull(Pull(vertex, to=hero.points[vertex] + way), hand=str(vertex))
    points = after(player, pose, 90)
    for vertex, way in ways.items():
        assert np.linalg.norm(points[vertex] - hero.points[vertex] - way) < 1e-3


def test_the_place_stays_in_the_hand_while_the_body_moves(hero, belly, standing):
    player, pose = standing()
    goal = hero.points[belly] + OUT
    player.pull(Pull(belly, to=goal))
    after(player, pose, 30)
    for frame in range(90):  # the body sways and turns
        sway = quaternions.quat_from_axis_angle([0.0, 1.0, 0.2], 0.2 * np.sin(0.1 * frame))
        carry = quaternions.compose(np.array([0.05 * np.sin(0.1 * frame), 0.0, 0.0]), sway)
        assert np.linalg.norm(player.advance(pose.moved(carry))[belly] - goal) < 2e-3


def test_a_place_is_a_little_behind_a_hand_that_moves(hero, belly, standing):
    player, pose = standing()
    speed, late = np.array([0.0, 0.0, 0.2]), []
    for frame in range(60):
        goal = hero.points[belly] + speed * frame / 60.0
        player.pull(Pull(belly, to=goal))
        late.append((goal - player.advance(pose)[belly]) @ speed / (speed @ speed))
    assert late[-1] == pytest.approx(2.0 / 40.0 - 0.5 / 60.0, abs=0.005)  # of a critically damped spring, in steps


def test_a_hand_may_be_at_the_end_of_the_world(hero, belly):
    """Far from the origin a place is held as well as near it, as far as single precision goes."""
    far = quaternions.compose(np.array([2000.0, 0.0, -1000.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    player = supple.player(hero, LayeredLattice(resolution=RESOLUTION), fps=60)
    pose = Pose.rest(hero.skeleton).moved(far)
    player.advance(pose)
    goal = hero.points[belly] + far[:3, 3] + OUT
    player.pull(Pull(belly, to=goal))
    assert np.linalg.norm(after(player, pose, 60)[belly] - goal) < 1e-3


def test_far_flesh_does_not_know_of_it(hero, belly, standing):
    player, pose = standing()
    rest = after(player, pose, 60)
    player.pull(Pull(belly, to=hero.points[belly] + OUT, radius=0.1))
    moved = np.linalg.norm(after(player, pose, 60) - rest, axis=1)
    from_place = np.linalg.norm(hero.points - hero.points[belly], axis=1)
    assert moved[from_place < 0.05].min() > 0.02
    assert moved[from_place > 0.4].max() < 1e-4


def test_flesh_that_only_lies_close_by_is_not_taken_along():
    """A thick U: a hand at the end of one leg, wide enough for both, does not reach over the gap."""
    filled = np.ones((7, 12, 3), dtype=bool)
    filled[3, 3:, :] = False
    cells = np.argwhere(filled).astype(np.int32)
    lattice = Lattice.from_cells(VoxelGrid(np.zeros(3), 0.1, filled.shape), cells)
    embedding = Embedding(np.arange(len(cells), dtype=np.int32)[:, None], np.ones((len(cells), 1)))
    position = int(np.flatnonzero((cells == [2, 11, 1]).all(axis=1))[0])
    gripping = handles.HandleBinding(lattice, embedding, lattice.points, np.ones(len(cells), dtype=bool))
    grip = gripping.grip(Pull(position, to=(0.0, 0.0, 0.0), radius=0.6))
    falloff = np.zeros(len(cells))
    falloff[grip.held] = grip.falloff
    straight = np.linalg.norm(lattice.points - lattice.points[position], axis=1)
    here = cells[:, 0] < 3
    np.testing.assert_allclose(falloff[here], np.maximum(1.0 - (straight[here] / 0.6) ** 2, 0.0) ** 2, atol=1e-12)
    assert falloff[~here].max() == 0.0
    assert straight[~here].min() < 0.25
    assert grip.flesh == pytest.approx(1.0)


def test_nothing_pops_when_a_hand_closes_and_when_it_opens(hero, belly, standing):
    player, pose = standing()
    before = after(player, pose, 5)
    player.pull(Pull(belly, to=hero.points[belly]))
    np.testing.assert_allclose(player.advance(pose), before, atol=1e-6)  # a hand that closes and does not move
    player.pull(Pull(belly, to=hero.points[belly] + OUT))
    steps = []
    last = before
    for frame in range(150):
        if frame == 60:
            player.let_go()
        points = player.advance(pose)
        steps.append(np.linalg.norm(points - last, axis=1).max())
        last = points
    assert steps[0] < 0.3 * np.linalg.norm(OUT)
    assert max(steps) < 0.5 * np.linalg.norm(OUT)
    assert max(steps[50:60]) < 1e-4  # held, it is quiet
    assert max(steps[-10:]) < 1e-3  # and let go, it comes to rest


def test_firm_parts_that_were_drawn_come_back_smoothly(hero, standing):
    """A cheek has no reach of its own, so what a hand lent it must not be taken away at once."""
    head = hero.skeleton.world_from_joint[hero.skeleton.names.index("Head"), :3, 3]
    cheek = int(
        np.argmax(
            hero.points[:, 0] * (np.abs(hero.points[:, 1] - head[1] - 0.06) < 0.03) * (np.abs(hero.points[:, 0]) < 0.15)
        )
    )
    player, pose = standing()
    rest = after(player, pose, 2)
    player.pull(Pull(cheek, to=hero.points[cheek] + [0.05, 0.0, 0.0], radius=0.08))
    drawn = np.linalg.norm(after(player, pose, 60)[cheek] - rest[cheek])
    assert drawn > 0.01
    player.let_go()
    back = [np.linalg.norm(player.advance(pose)[cheek] - rest[cheek]) for _ in range(90)]
    assert back[0] > 0.2 * drawn
    assert back[-1] < 1e-4


@pytest.mark.parametrize("preset", [None, "soft", "bunny"])
def test_let_go_it_moves_again_as_if_nobody_had_pulled(hero, belly, preset):
    walk = supple.motion("walk", hero)
    changes = {"resolution": RESOLUTION}
    skin = LayeredLattice(**changes) if preset is None else LayeredLattice.preset(preset, **changes)
    pulled, free = (supple.player(hero, skin, fps=30) for _ in range(2))
    gaps = []
    for frame in range(150):
        if frame == 5:
            pulled.pull(Pull(belly, to=pulled.play(walk, (frame - 1) / 30.0)[belly] + OUT))
        if frame == 20:
            pulled.let_go()
        gaps.append(np.abs(pulled.play(walk, frame / 30.0) - free.play(walk, frame / 30.0)).max())
    assert max(gaps[:5]) == 0.0
    assert gaps[15] > 0.05
    assert gaps[-1] < 1e-3


def test_bone_is_not_moved(hero, standing):
    """A place over bone stays; the flesh there is of it gives way, and no farther than the hand."""
    elbow = hero.skeleton.world_from_joint[hero.skeleton.names.index("LeftForeArm"), :3, 3]
    position = int(np.argmin(np.linalg.norm(hero.points - elbow, axis=1)))
    player, pose = standing()
    rest = after(player, pose, 2)
    bound = player._nodes[-1].state
    way = np.array([0.0, 0.0, -0.2])
    player.pull(Pull(position, to=hero.points[position] + way))
    moved = np.linalg.norm(after(player, pose, 60) - rest, axis=1)
    flesh = bound.handles._grips[0].flesh
    assert flesh < 0.5
    assert moved[position] < (4.0 * flesh**2 * 1.25 + 0.1) * np.linalg.norm(way)
    assert moved.max() < 1.3 * np.linalg.norm(way)
    layers, solver = bound.anatomy.layers, bound.solver
    np.testing.assert_array_equal(solver.positions.numpy()[layers == 0], solver.kinematic.numpy()[layers == 0])


# Pushing


def test_a_force_moves_flesh_its_way_and_more_of_it_farther(hero, belly, standing):
    ways = []
    for force in (5.0, 20.0, 80.0):
        player, pose = standing()
        player.pull(Pull(belly, force=(0.0, 0.0, force), radius=0.1))
        ways.append(after(player, pose, 90)[belly] - hero.points[belly])
    lengths = np.linalg.norm(ways, axis=1)
    assert (np.diff(lengths) > 0.005).all()
    assert (np.array(ways)[:, 2] > 0.99 * lengths).all()
    assert lengths[1] == pytest.approx(4.0 * lengths[0], rel=0.1)  # small ones add up


def test_what_a_force_pushes_moves_most(hero, standing):
    """Bone takes what is pushed at it: at places that hardly move, nothing else does either."""
    for vertex in np.random.default_rng(1).choice(len(hero.points), 12, replace=False):
        player, pose = standing()
        player.pull(Pull(int(vertex), force=(0.0, 18.0, 24.0)))
        moved = np.linalg.norm(after(player, pose, 40) - hero.points, axis=1)
        assert moved.max() < 3.0 * moved[vertex] + 0.003


def test_no_force_is_no_hand(hero, belly, standing):
    free = after(*standing(), 10)
    pushed, pose = standing()
    pushed.pull(Pull(belly, force=(0.0, 0.0, 0.0)))
    np.testing.assert_allclose(after(pushed, pose, 10), free, atol=1e-6)


# Whatever is asked


def coarse(preset):
    changes = {"resolution": 24}
    return LayeredLattice(**changes) if preset is None else LayeredLattice.preset(preset, **changes)


@pytest.fixture(scope="module")
def jump(hero):
    return supple.motion("jump", hero)


@pytest.fixture(scope="module")
def unpulled(hero, jump):
    """Where the skin of a preset is after five seconds in which nobody pulled; the same for every pull."""

    @cache
    def of(preset):
        free = supple.player(hero, coarse(preset), fps=30)
        return [free.play(jump, frame / 30.0) for frame in range(30, 150)][-1]

    return of


@pytest.mark.parametrize("preset", [None, *LayeredLattice.presets])
@pytest.mark.parametrize(
    "pull", [{"to": (1.0e4, -1.0e4, 1.0e4)}, {"force": (1.0e9, 0.0, -1.0e9)}, {"to": (0.0, 0.0, 0.0), "radius": 50.0}]
)
def test_absurd_pulls_are_survived(belly, preset, pull, jump, player_of, unpulled):
    skin = coarse(preset)
    player = player_of(skin, 30.0)
    player.play(jump, 0.0)
    player.pull(Pull(belly, **pull))
    for frame in range(1, 30):
        points = player.play(jump, frame / 30.0)
        assert np.isfinite(points).all()
    player.let_go()
    for frame in range(30, 150):
        points = player.play(jump, frame / 30.0)
        assert np.isfinite(points).all()
    assert np.abs(points - unpulled(preset)).max() < 5e-3


def test_flesh_is_drawn_half_a_body_at_most(hero, belly, standing):
    player, pose = standing()
    player.pull(Pull(belly, to=hero.points[belly] + [0.0, 0.0, 1.0e4]))
    most = np.linalg.norm(after(player, pose, 90) - hero.points, axis=1).max()
    size = np.ptp(hero.points, axis=0).max()
    assert 0.3 * size < most < 1.3 * 0.5 * size


def test_there_are_eight_hands(hero, belly, standing):
    assert HANDLES == 8
    player, pose = standing()
    for hand in range(HANDLES):
        player.pull(Pull(belly + hand, to=hero.points[belly + hand]), hand=str(hand))
    after(player, pose, 2)
    with pytest.raises(InputError, match="9 hands"):
        player.pull(Pull(0, to=hero.points[0]), hand="ninth")
    with pytest.raises(InputError, match="65 vertices"):
        player.pull(Pull(list(range(65)), to=hero.points[0]), hand="0")
    assert np.isfinite(after(player, pose, 2)).all()


def test_the_number_of_threads_changes_nothing(hero, belly):
    ends = []
    for threads in (1, 2, 3):
        with use_threads(threads):
            player = supple.player(hero, LayeredLattice(resolution=64), fps=60)
            pose = Pose.rest(hero.skeleton)
            player.advance(pose)
            player.pull(Pull(belly, to=hero.points[belly] + OUT))
            player.pull(Pull(belly + 40, force=(0.0, 30.0, 0.0)), hand="other")
            ends.append(after(player, pose, 10))
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


def test_one_of_a_crowd_is_held_and_the_others_are_not(hero, belly):
    crowd = Crowd.of(hero, 2)
    player = supple.player(crowd, LayeredLattice(resolution=24), fps=60)
    pose = Pose.rest(crowd.skeleton)
    rest = player.advance(pose)
    count = len(hero.points)
    goal = rest[count + belly] + OUT
    player.pull(Pull(count + belly, to=goal))
    points = after(player, pose, 60)
    assert np.linalg.norm(points[count + belly] - goal) < 1e-3
    np.testing.assert_allclose(points[:count], rest[:count], atol=1e-6)
    with pytest.raises(InputError, match="several characters"):
        player.pull(Pull((belly, count + belly), to=goal))
    assert np.linalg.norm(player.advance(pose)[count + belly] - goal) < 1e-3


def test_a_reset_forgets_the_hands(hero, belly, standing):
    player, pose = standing()
    player.pull(Pull(belly, to=hero.points[belly] + OUT))
    after(player, pose, 30)
    player.reset()
    np.testing.assert_allclose(after(player, pose, 3), hero.points, atol=5e-6)


def test_without_secondary_motion_there_is_nothing_to_hold(hero, belly, standing):
    player, pose = standing(secondary=False)
    player.pull(Pull(belly, to=hero.points[belly] + OUT))
    np.testing.assert_allclose(after(player, pose, 10), hero.points, atol=1e-6)


# A body that walks


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_a_hand_that_walks_along_is_followed(hero, belly, fps):
    """The body goes at 1.2 m/s: a hand smoothed in the world would be 6 cm ahead of what it holds."""
    walk, skin = supple.motion("walk", hero), LayeredLattice(resolution=RESOLUTION)
    held, free = (supple.player(hero, skin, fps=fps) for _ in range(2))
    held.play(walk, 0.0)
    late = []
    for frame in range(1, round(2.0 * fps)):
        goal = free.play(walk, frame / fps)[belly] + OUT
        held.pull(Pull(belly, to=goal))
        late.append(np.linalg.norm(held.play(walk, frame / fps)[belly] - goal))
    assert max(late[round(0.5 * fps) :]) < 5e-3


def test_a_hand_that_stays_while_the_body_walks_is_not_left(hero, belly):
    walk = supple.motion("walk", hero)
    player = supple.player(hero, LayeredLattice(resolution=RESOLUTION))
    goal = player.play(walk, 0.0)[belly] + 2.0 * OUT
    player.pull(Pull(belly, to=goal))
    late = [np.linalg.norm(player.play(walk, frame / 60.0)[belly] - goal) for frame in range(1, 25)]
    assert max(late[12:]) < 5e-3


def test_a_copy_goes_on_as_the_original_does(hero, belly):
    """To the bit, whenever it was copied: with hands that were told something just now, that move, and that opened."""
    walk, player = supple.motion("walk", hero), supple.player(hero, LayeredLattice(resolution=RESOLUTION))
    place = player.play(walk, 0.0)[belly]
    for frame in range(1, 40):
        if frame == 5:
            player.pull(Pull(belly + 30, force=(0.0, 20.0, 0.0)), hand="left")
        if 8 <= frame < 25:
            player.pull(Pull(belly, to=place + frame * OUT / 10.0), hand="right")
        if frame == 15:
            player.let_go("left")
        if frame == 25:
            player.let_go("right")
        twin = player.copy() if frame in (5, 8, 9, 15, 16, 25, 26) else None
        points = player.play(walk, frame / 60.0)
        if twin is not None:
            np.testing.assert_array_equal(twin.play(walk, frame / 60.0), points)


def test_a_copy_holds_what_the_original_holds(hero, belly, standing):
    player, pose = standing()
    player.pull(Pull(belly, to=hero.points[belly] + OUT))
    after(player, pose, 3)
    twin = player.copy()
    for _ in range(20):
        np.testing.assert_array_equal(player.advance(pose), twin.advance(pose))


def test_what_is_held_stays_so_while_settings_change(hero, belly, standing):
    """Also where the body is divided anew under the hand."""
    player, pose = standing()
    goal = hero.points[belly] + OUT
    player.pull(Pull(belly, to=goal))
    after(player, pose, 60)
    for changes in ({"gravity": 5.0}, {"fatness": "0.2"}, {"bone_width": "0.5"}, {"iterations": 2}):
        player.change(**changes)
        assert np.linalg.norm(after(player, pose, 30)[belly] - goal) < 1e-3
