"""The layered lattice changed while it plays: its layers, its anatomy, its shapes, and what it sees of the pose."""

import numpy as np
import pytest

import supple
from supple import LayeredLattice, Pose
from supple.errors import InputError

RESOLUTION = 24


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=2000)


@pytest.fixture(scope="module")
def walk(hero):
    return supple.motion("walk", hero)


def settled(player, pose, seconds=4.0):
    for _ in range(round(60.0 * seconds)):
        points = player.advance(pose)
    return points


ANATOMIES = [
    {"skin_layer": False},
    {"bone_width": "0.2"},
    {"fatness": "0.1"},
    {"firm_parts": False},
    {"layers": "deep=1, middle=1, outer=2", "stiffness": "0.5, deep=0.9"},
]


@pytest.mark.parametrize("changes", ANATOMIES)
def test_a_body_divided_anew_is_a_body_made_so(hero, walk, changes):
    pose = walk.sample(0.3)
    usual, other = (LayeredLattice(resolution=RESOLUTION, **more) for more in ({}, changes))
    player, so = supple.player(hero, usual), supple.player(hero, other)
    for frame in range(20):
        player.play(walk, frame / 60.0)
    player.change(**changes)
    player.advance(pose)
    for one in (player, so):
        settled(one, pose)
    mine, made = (one._nodes[-1].state for one in (player, so))
    np.testing.assert_array_equal(mine.anatomy.layers, made.anatomy.layers)
    np.testing.assert_array_equal(mine.solver._table.numpy(), made.solver._table.numpy())
    assert np.abs(player.advance(pose) - so.advance(pose)).max() < 1e-4
    usual_layers = usual.allocate(player._nodes[-1].binding).anatomy
    assert not (
        np.array_equal(usual_layers.layers, mine.anatomy.layers)
        and np.array_equal(usual_layers.depths, mine.anatomy.depths)
    )


def test_a_map_that_an_anatomy_names_is_painted(hero, walk):
    """Fat where the map says so; a map that no setting names changes nothing, to the bit."""
    pose = walk.sample(0.3)
    ones, high = np.ones(len(hero.points)), (hero.points[:, 1] > 1.0) * 1.0
    skin = LayeredLattice(resolution=RESOLUTION, fatness="0.1, soft=0.9")
    player, other = (supple.player(hero.replace(maps={**hero.maps, "soft": ones}), skin) for _ in range(2))
    so = supple.player(hero.replace(maps={**hero.maps, "soft": high}), skin)
    for one in (player, other):
        for frame in range(20):
            one.play(walk, frame / 60.0)
    player.paint("hair", high)
    np.testing.assert_array_equal(player.advance(pose), other.advance(pose))
    player.paint("soft", high)
    assert np.abs(settled(player, pose) - settled(so, pose)).max() < 1e-4
    np.testing.assert_array_equal(player._nodes[-1].state.anatomy.layers, so._nodes[-1].state.anatomy.layers)


@pytest.mark.parametrize("surface", ["smooth", "trilinear"])
@pytest.mark.parametrize("steady", [0.0, 4.0])
def test_other_shapes_are_those_of_a_new_player(hero, walk, surface, steady):
    raised = {"raised": np.outer(hero.points[:, 1] > 1.0, [0.0, 0.0, 0.05])}
    pose = Pose(walk.sample(0.3).world_from_joint, shapes={"raised": 0.7})
    skin = LayeredLattice(resolution=RESOLUTION, surface=surface, steady=steady)
    player, so = supple.player(hero, skin), supple.player(hero.replace(shapes=raised), skin)
    before = settled(player, pose)
    player.reshape(hero.replace(shapes=raised))
    assert np.abs(settled(player, pose) - settled(so, pose)).max() < 1e-5
    assert np.abs(player.advance(pose) - before).max() > 0.03


def test_the_pose_is_steadied_more_or_less(hero, walk):
    """From where flesh is: no jump beyond what it moves by itself, and the same end; off again it is as it was."""
    player, free = (supple.player(hero, LayeredLattice(resolution=RESOLUTION)) for _ in range(2))
    steps, usual, last = [], [], None
    for frame in range(600):
        if frame == 30:
            player.change(steady=5.0)
        if frame == 60:
            player.change(steady=2.0)
        if frame == 120:
            player.change(steady=0.0)
        points, unsteadied = player.play(walk, frame / 60.0), free.play(walk, frame / 60.0)
        if last is not None:
            steps.append(np.linalg.norm(points - last[0], axis=1).max())
            usual.append(np.linalg.norm(unsteadied - last[1], axis=1).max())
        last = points, unsteadied
        if frame == 119:
            assert np.abs(points - unsteadied).max() > 0.01
    assert max(steps[:118]) < 1.2 * max(usual)
    assert np.abs(points - unsteadied).max() < 1e-3


def test_what_was_steadied_goes_on_from_a_copy(hero, walk):
    """Also where it was not for a while, so that what it last saw is old."""
    player = supple.player(hero, LayeredLattice(resolution=RESOLUTION, steady=3.0))
    for frame in range(30):
        if frame == 10:
            player.change(steady=0.0)
        player.play(walk, frame / 60.0)
    twin = player.copy()
    for one in (player, twin):
        one.play(walk, 30 / 60.0)
        one.change(steady=3.0)
    for frame in range(31, 40):
        np.testing.assert_array_equal(player.play(walk, frame / 60.0), twin.play(walk, frame / 60.0))


def test_layers_have_an_end():
    with pytest.raises(InputError, match="40 layers"):
        LayeredLattice(layers=", ".join(f"layer{number}=1" for number in range(39)))


# Forces


def _forces(player):
    node = player._nodes[-1]
    return node.stage.work.forces(node.binding, node.state).numpy().copy()


def test_forces_are_those_of_springs_and_hands(hero):
    """None at rest; held still, what a hand does is what draws flesh back; let go, only that is left."""
    points, pose = hero.points, Pose.rest(hero.skeleton)
    belly = int(np.argmax(points[:, 2] * (np.abs(points[:, 1] - 1.05) < 0.1) * (np.abs(points[:, 0]) < 0.1)))
    player = supple.player(
        hero, LayeredLattice(resolution=RESOLUTION, frequency="3", stiffness="0", stretch=0.0, volume=0.0)
    )
    settled(player, pose, 0.5)
    assert np.abs(_forces(player)).max() < 1e-4
    player.pull(supple.Pull(belly, to=points[belly] + [0.0, 0.0, 0.05]))
    settled(player, pose, 1.0)
    held = _forces(player)
    player.let_go()
    away = (player.advance(pose)[belly] - points[belly])[2]
    free = _forces(player)
    mass = 1000.0 * player._nodes[-1].state.solver.side ** 3
    assert free[belly, 2] == pytest.approx(
        -mass * (2.0 * np.pi * 3.0) ** 2 * away, rel=0.2
    )  # skin turns with its flesh
    assert away > 0.03
    assert np.linalg.norm(held[belly]) < 0.2 * np.linalg.norm(free[belly])
    far = np.linalg.norm(points - points[belly], axis=1) > 0.5
    assert np.abs(free[far]).max() < 1e-3


def test_a_push_is_a_force(hero):
    points, pose = hero.points, Pose.rest(hero.skeleton)
    belly = int(np.argmax(points[:, 2] * (np.abs(points[:, 1] - 1.05) < 0.1) * (np.abs(points[:, 0]) < 0.1)))
    player = supple.player(hero, LayeredLattice(resolution=RESOLUTION))
    player.advance(pose)
    player.pull(supple.Pull(belly, force=(0.0, 0.0, 30.0)))
    player.advance(pose)
    assert _forces(player)[belly, 2] > 0.5
