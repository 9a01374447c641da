"""The solver of the layered lattice on plain boxes: laws, oracles, and what it survives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lattice_boxes import SIDE, Playing, beam, parameters, rigid

from oracles.lattice import octants
from supple.device import use_threads
from supple.geometry import quaternions
from supple.geometry.voxels import VoxelGrid
from supple.skins.lattice.voxelize.anatomy import Anatomy
from supple.skins.lattice.voxelize.cells import SETS, Lattice

HERE = rigid()
BENT = rigid(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.8), (0.1, -0.1, 0.0))


def swinging(**changes):
    return parameters(**{"frequency": (7.0, 3.0, 4.0), "stiffness": (0.9, 0.3, 0.7), "max_offset": 0.5, **changes})


# Laws


@pytest.mark.parametrize("settings", [parameters(), swinging(), swinging(gravity=9.81), parameters(secondary=False)])
def test_rest_in_rest_out(settings):
    anatomy = beam()
    played = Playing(anatomy, settings)
    for _ in range(20):
        points = played.step(HERE)
    assert np.abs(points - anatomy.lattice.points).max() < 2e-6


@pytest.mark.parametrize("far", [0.0, 1000.0])
def test_a_rigid_motion_of_the_bones_moves_everything_rigidly(far):
    """With all stiffness one and flesh that follows; also far away, where single precision is coarse."""
    anatomy = beam()
    played = Playing(anatomy, parameters(follow=1.0))
    for frame in range(40):
        carry = rigid(
            quaternions.quat_from_axis_angle([1.0, 2.0, 0.5], 0.1 * frame), (far + 0.1 * frame, 0.05 * frame, 0.0)
        )
        played.step(carry)
        wanted = anatomy.lattice.points @ carry[:3, :3].T + carry[:3, 3]
        assert np.abs(played.points - wanted).max() < 1e-5


def test_where_the_pose_is_and_how_it_is_turned_changes_nothing():
    """A bent pose that settles, and the same pose elsewhere: the same flesh, there."""
    carry = rigid(quaternions.quat_from_axis_angle([0.3, 1.0, 0.2], 1.1), (3.0, -2.0, 5.0))
    here, there = (Playing(beam(), swinging(), iterations=2) for _ in range(2))
    for _ in range(60):
        one, other = here.step(HERE, BENT), there.step(carry, carry @ BENT)
    assert np.abs(one - here.carried).max() > 0.002
    assert np.abs(one @ carry[:3, :3].T + carry[:3, 3] - other).max() < 1e-5


def test_without_secondary_motion_all_nodes_are_where_bones_carry_them():
    played = Playing(beam(), swinging(secondary=False))
    played.step(HERE)
    points = played.step(HERE, BENT)
    np.testing.assert_array_equal(points, played.carried)
    assert np.abs(points - played.anatomy.lattice.points).max() > 0.1


def test_bone_goes_with_the_skeleton_and_flesh_is_left_behind():
    played = Playing(beam(), parameters())
    played.step(HERE)
    points = played.step(rigid(move=(0.0, 0.2, 0.0)))
    bone = played.anatomy.layers == 0
    np.testing.assert_array_equal(points[bone], played.carried[bone])
    late = (played.carried - points)[:, 1]
    assert late[played.anatomy.layers == 3].min() > 0.05
    for _ in range(200):
        points = played.step(rigid(move=(0.0, 0.2, 0.0)))
    played.tune(parameters(velocity_retention=0.0))
    for _ in range(400):
        points = played.step(rigid(move=(0.0, 0.2, 0.0)))
    assert np.abs(points - played.carried).max() < 1e-3


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_flesh_that_follows_starts_from_a_share_of_the_motion_of_its_bones(share):
    played = Playing(beam(), parameters(follow=share, stiffness=0.0, stretch=0.0, volume=0.0))
    played.step(HERE)
    moved = played.step(rigid(move=(0.0, 0.2, 0.0))) - played.anatomy.lattice.points
    np.testing.assert_allclose(moved[played.anatomy.layers > 0][:, 1], 0.2 * share, atol=1e-6)


@pytest.mark.parametrize("dt", [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0])
def test_free_flesh_swings_by_the_law_of_a_spring_whatever_the_step(dt):
    """Held by nothing but its spring, a layer pulled aside is at A exp(-n w t) (cos + n w / w_d sin)."""
    anatomy = beam((6, 4, 4))
    played = Playing(anatomy, parameters(stretch=0.0, volume=0.0, stiffness=0.0))
    played.step(HERE)
    free = anatomy.layers > 0
    aside = anatomy.lattice.points + np.array([0.0, 0.01, 0.0])
    played.put(np.where(free[:, None], aside, anatomy.lattice.points))
    played.tune(parameters(frequency=3.0, damping=0.2, stretch=0.0, volume=0.0, stiffness=0.0), dt)
    pace, n = 2.0 * np.pi * 3.0, 0.2
    own = pace * np.sqrt(1.0 - n**2)
    for frame in range(1, round(0.5 / dt) + 1):
        away = (played.step(HERE) - anatomy.lattice.points)[free, 1]
        t = frame * dt
        wanted = 0.01 * np.exp(-n * pace * t) * (np.cos(own * t) + n * pace / own * np.sin(own * t))
        np.testing.assert_allclose(away, wanted, atol=2e-6)


def test_the_share_of_velocity_kept_does_not_depend_on_the_step():
    ways = []
    for dt in (1.0 / 30.0, 1.0 / 120.0):
        anatomy = beam((6, 4, 4))
        played = Playing(anatomy, parameters(stretch=0.0, volume=0.0, stiffness=0.0))
        played.step(HERE)
        played.solver.velocities.numpy()[:, 1] = 1.0
        played.tune(parameters(stretch=0.0, volume=0.0, stiffness=0.0, velocity_retention=0.5), dt)
        for _ in range(round(0.2 / dt)):
            played.step(HERE)
        ways.append(played.solver.velocities.numpy()[anatomy.layers > 0, 1])
        np.testing.assert_allclose(ways[-1], 0.5**6, rtol=1e-4)


def test_gravity_pulls_only_by_what_the_sculpted_shape_does_not_know():
    over = rigid(quaternions.quat_from_axis_angle([1.0, 0.0, 0.0], np.pi), (0.0, 0.3, 0.3))
    settings = swinging(gravity=9.81, velocity_retention=0.5)
    hanging, plain = (
        Playing(beam(), settings),
        Playing(beam(), swinging(gravity=9.81, velocity_retention=0.5, rest_includes_gravity=False)),
    )
    for _ in range(120):
        turned, sagging = hanging.step(over), plain.step(HERE)
    free = hanging.anatomy.layers > 0
    assert ((turned - hanging.carried)[free, 1].mean()) < -0.002  # turned over, the belly hangs the other way
    assert ((sagging - plain.carried)[free, 1].mean()) < -0.001


def test_stiffness_above_one_is_read_as_a_ratio():
    shares = parameters(stiffness=(1.8, 0.5, 1.7)).normalized_stiffness()
    np.testing.assert_allclose(shares, [0.0, 1.0, 0.5 / 1.8, 1.7 / 1.8])
    np.testing.assert_allclose(parameters(stiffness=(0.8, 0.5, 0.7)).normalized_stiffness(), [0.0, 0.8, 0.5, 0.7])


# What holds voxels together


def test_volumes_push_along_their_gradient_until_they_are_right():
    """One voxel of a bent 3 x 3 x 3 box keeps its volume; its push is the one of its constraint, by differences."""
    shape = (3, 3, 3)
    anatomy = beam(shape)
    middle = 13
    only = Anatomy(
        anatomy.lattice, anatomy.weights, np.ones(27, dtype=np.int32), np.ones(27), (np.arange(27) == middle) * 1.0
    )
    played = Playing(only, parameters(stretch=0.0, volume=1.0, stiffness=0.0))
    played.step(HERE)
    rng = np.random.default_rng(0)
    points = anatomy.lattice.points + 0.1 * SIDE * rng.normal(size=(27, 3))
    played.put(points)
    change = played.step(HERE) - points
    chains = anatomy.lattice.chains[middle]
    moved = np.append(chains, middle)
    assert np.abs(np.delete(change, moved, axis=0)).max() < 1e-7

    def volume(flat):
        return octants(flat.reshape(27, 3), chains, middle)

    tiny = 1e-6
    gradient = np.array(
        [(volume(points.ravel() + tiny * one) - volume(points.ravel() - tiny * one)) / (2 * tiny) for one in np.eye(81)]
    ).reshape(27, 3)
    wrong = volume(points.ravel()) - SIDE**3
    assert abs(wrong) > 1e-6
    wanted = -wrong / (gradient**2).sum() * gradient
    for node in chains:  # each is averaged over the voxels that may push it
        around = anatomy.lattice.chains[node]
        count = 1 + sum(only.rest_volumes[n] > 0 for n in around if n >= 0)
        np.testing.assert_allclose(change[node] * count, wanted[node], atol=2e-7)


def test_the_volume_at_rest_is_that_of_the_octants():
    anatomy = beam((4, 3, 3))
    found = [
        octants(anatomy.lattice.points, anatomy.lattice.chains[node], node) for node in range(len(anatomy.lattice))
    ]
    np.testing.assert_allclose(anatomy.rest_volumes, found, rtol=1e-9)


def squashed_volume(settings):
    anatomy = beam((8, 8, 8))
    played = Playing(anatomy, settings)
    played.step(HERE)
    points = anatomy.lattice.points * [1.0, 0.8, 1.0]
    played.put(points)
    for _ in range(10):
        points = played.step(HERE)
    volumes = [octants(points, anatomy.lattice.chains[node], node) for node in range(len(anatomy.lattice))]
    return np.abs(np.array(volumes) / anatomy.rest_volumes - 1.0)[anatomy.layers == 2].mean()


def test_volume_and_distances_come_back_faster_when_they_are_held():
    alone = squashed_volume(parameters(stiffness=0.05, velocity_retention=0.0, stretch=0.0, volume=0.0))
    assert squashed_volume(parameters(stiffness=0.05, velocity_retention=0.0, stretch=0.0, volume=1.0)) < 0.8 * alone
    assert squashed_volume(parameters(stiffness=0.05, velocity_retention=0.0, stretch=1.0, volume=0.0)) < 0.8 * alone


@pytest.mark.parametrize("kind", SETS)
def test_distances_are_restored_for_every_set_of_neighbours(kind):
    """Neighbours of one another find their distance again; what they have no neighbour for they cannot."""
    anatomy = beam((6, 4, 4))
    loose = Anatomy(anatomy.lattice, anatomy.weights, np.ones(96, dtype=np.int32), np.ones(96), np.ones(96))
    played = Playing(loose, parameters(stretch=1.0, volume=0.0, stiffness=0.0, velocity_retention=0.0), neighbors=kind)
    played.step(HERE)
    rng = np.random.default_rng(1)
    played.put(anatomy.lattice.points + 0.15 * SIDE * rng.normal(size=(96, 3)))
    around = anatomy.lattice.neighbors(kind)
    owners = np.repeat(np.arange(96), np.diff(around.starts))
    rest = np.linalg.norm(anatomy.lattice.points[owners] - anatomy.lattice.points[around.indices], axis=1)

    def error():
        away = played.points[owners] - played.points[around.indices]
        return np.abs(np.linalg.norm(away, axis=1) / rest - 1.0).max()

    before = error()
    middle = played.points.mean(axis=0)
    for _ in range(300):
        played.step(HERE)
    assert error() < 0.02 * before
    if kind == "all":  # all nodes of a set pull alike only where all have the same number of neighbours
        assert np.abs(played.points.mean(axis=0) - middle).max() < 0.2 * SIDE


def arms():
    """Two beams, one voxel apart; one lattice."""
    filled = np.ones((12, 9, 4), dtype=bool)
    filled[:, 4] = False
    return beam((12, 9, 4), filled)


def test_arms_that_no_link_joins_do_not_pull_each_other():
    """Bit for bit: what one arm does is nothing to the other, however near it comes."""
    anatomy = arms()
    lower = anatomy.lattice.cells[:, 1] < 4
    assert not (lower[anatomy.lattice.links[:, 0]] != lower[anatomy.lattice.links[:, 1]]).any()
    ends = []
    for kick in (0.0, 0.1):
        played = Playing(anatomy, swinging(), width=5)
        played.step(HERE)
        pushed = anatomy.lattice.points + np.where(lower[:, None], [0.0, kick, 0.0], 0.0)
        played.put(pushed)
        for _ in range(20):
            points = played.step(HERE, BENT)
        ends.append(points)
    np.testing.assert_array_equal(ends[0][~lower], ends[1][~lower])
    assert np.abs(ends[0][lower] - ends[1][lower]).max() > 1e-4


# What it survives


def shaken(settings, seed, *, iterations=1, width=3, steps=12):
    """Nodes anywhere, bones that jump by noise of a tenth of the body and then by three bodies."""
    anatomy = beam((8, 4, 4))
    played = Playing(anatomy, settings, iterations=iterations, width=width)
    played.step(HERE)
    rng = np.random.default_rng(seed)
    body = 8 * SIDE
    played.put(anatomy.lattice.points + body * rng.normal(size=anatomy.lattice.points.shape))
    for step in range(steps):
        rotation = quaternions.quat_from_axis_angle(rng.normal(size=3), rng.normal())
        far = 3.0 * body if step == steps // 2 else 0.0
        noise = [rigid(rotation, 0.1 * body * rng.normal(size=3) + far) for _ in range(2)]
        points = played.step(*noise)
        assert np.isfinite(points).all()
    return played


share = st.floats(0.0, 1.0, width=32)


@settings(max_examples=60)
@given(
    stiffness=st.tuples(*[st.floats(0.0, 100.0, width=32)] * 3),
    frequency=st.tuples(*[st.floats(0.0, 30.0, width=32)] * 3),
    damping=st.tuples(*[st.floats(0.0, 0.99)] * 3),
    shares=st.tuples(*[share] * 4),
    reach=st.floats(0.0, 1000.0, width=32),
    gravity=st.floats(0.0, 100.0, width=32),
    work=st.tuples(st.integers(1, 4), st.integers(1, 9)),
    seed=st.integers(0, 1000),
)
def test_no_setting_makes_it_diverge(stiffness, frequency, damping, shares, reach, gravity, work, seed):
    kept, follow, stretch, volume = shares
    chosen = parameters(
        stiffness=stiffness,
        frequency=frequency,
        damping=damping,
        velocity_retention=kept,
        follow=follow,
        stretch=stretch,
        volume=volume,
        max_offset=reach,
        gravity=gravity,
    )
    played = shaken(chosen, seed, iterations=work[0], width=work[1])
    away = np.linalg.norm(played.points - played.carried, axis=1)
    assert (away <= reach * played.anatomy.depths + 1e-4).all()


def test_flesh_comes_back_from_anywhere():
    """Published, with nothing but the lattice; and swinging: after a while all is where it was."""
    for chosen, steps in (
        (parameters(stiffness=(1.8, 0.5, 1.7), velocity_retention=(0.6, 0.5, 0.4)), 2000),
        (swinging(), 600),
    ):
        played = shaken(chosen, 3, iterations=2)
        for _ in range(steps):
            points = played.step(HERE)
        assert np.abs(points - played.carried).max() < 0.02 * SIDE


def test_the_number_of_threads_changes_nothing():
    ends = []
    for threads in (1, 2, 3):
        with use_threads(threads):
            played = Playing(beam((40, 13, 13)), swinging(), iterations=2)
            for frame in range(4):
                points = played.step(HERE, rigid(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.2 * frame)))
        ends.append(points)
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


def test_copies_of_a_crowd_are_each_as_they_are_alone():
    anatomy = beam((8, 4, 4))
    alone, many = Playing(anatomy, swinging()), Playing(anatomy, swinging(), copies=3)
    for frame in range(5):
        bent = rigid(quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.2 * frame))
        one, all_of_them = alone.step(HERE, bent), many.step(HERE, bent)
    np.testing.assert_array_equal(np.tile(one, (3, 1)), all_of_them)


def test_a_single_voxel_and_a_thread_of_voxels_are_lattices_too():
    for shape in ((1, 1, 1), (1, 1, 9), (1, 5, 5)):
        lattice = Lattice.from_cells(VoxelGrid(np.zeros(3), SIDE, shape), np.argwhere(np.ones(shape)).astype(np.int32))
        base = beam(shape)
        layers = np.ones(len(lattice), dtype=np.int32)
        layers[0] = 0
        anatomy = Anatomy(lattice, base.weights, layers, np.ones(len(lattice)), np.ones(len(lattice)))
        played = Playing(anatomy, swinging())
        for _ in range(10):
            points = played.step(HERE, BENT)
        assert np.isfinite(points).all()
