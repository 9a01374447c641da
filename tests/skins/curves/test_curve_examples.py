"""Forces from examples: every example is met, the published iteration finds the exact force, poses blend smoothly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.device import to_host
from supple.errors import InputError
from supple.geometry.quaternions import compose, quat_from_axis_angle, quat_multiply
from supple.skins.curves.beam.batch import CurveLoad, dynamic_curves, static_curves
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import Clamps
from supple.skins.curves.beam.static import StaticBeam
from supple.skins.curves.learn.radial_space import RadialSpace
from supple.skins.curves.published import (
    ExampleLine,
    ExampleSpace,
    carry,
    exact_force,
    force_by_iteration,
    force_of_first_step,
    iteration_factors,
    local_deformation,
    rotation_positions,
    sag,
)

BEAMS = [
    StaticBeam(34, 1.0, 12.0),
    StaticBeam(34, 1.0, -12.0),
    DynamicBeam(34, 30, 1.0, 0.02),
    DynamicBeam(34, 7, 2.0, 5.0, 1.0),
]


def shapes_of(count, nodes=34, curves=4, seed=0):
    """Smooth curves in space, (count, nodes, curves, 3), about as high as one."""
    v = np.linspace(0.0, 1.0, nodes)[None, :, None, None]
    random = np.random.default_rng(seed)
    waves = random.standard_normal((5, count, 1, curves, 3)) / np.arange(1, 6).reshape(-1, 1, 1, 1, 1)
    return 0.3 * sum(wave * np.cos(2.0 * k * v + k) for k, wave in enumerate(waves))


# Two shapes


@pytest.mark.parametrize("beam", BEAMS)
def test_the_exact_force_meets_the_example_and_says_so(beam):
    shape = shapes_of(1)[0]
    found = exact_force(beam, shape)
    met = (
        beam.shape(found.force, found.clamps)
        if isinstance(beam, StaticBeam)
        else beam.ramp(found.force, found.clamps)[-1]
    )
    assert np.abs(met - shape).max() < 1e-10 * np.ptp(shape)
    assert found.residual == pytest.approx(np.abs(met - shape).max(), abs=1e-15)


@pytest.mark.parametrize("beam", [StaticBeam(400), StaticBeam(400, 1.0, 20.0), DynamicBeam(400, 12, 1.0, 1000.0)])
def test_long_curves_meet_the_example_although_fourth_differences_cancel(beam):
    shape = shapes_of(1, nodes=400)[0]
    assert exact_force(beam, shape).residual < 1e-10 * np.ptp(shape, axis=0).max()


@pytest.mark.parametrize("mass", [1e-6, 1e-3, 0.05, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("steps", [2, 30])
def test_the_published_iteration_ends_in_the_exact_force_at_the_rate_of_its_modes(mass, steps):
    beam, shape = DynamicBeam(22, steps, 1.0, mass), shapes_of(1, nodes=22)[0]
    factors = np.abs(iteration_factors(beam))
    assert factors.max() < 0.7
    found = force_by_iteration(beam, shape, tolerance=1e-11)
    exact = exact_force(beam, shape)
    assert found.residual <= 1e-11 * np.ptp(shape, axis=0).max()
    assert np.abs(found.force - exact.force).max() < 1e-7 * np.abs(exact.force).max()
    residuals = np.array(found.residuals)
    assert len(residuals) <= 2 + np.log(1e-12) / np.log(factors.max())
    if len(residuals) > 12:  # by then only the slowest mode is left
        assert residuals[-3] / residuals[-4] == pytest.approx(factors.max(), rel=0.02)


def test_the_iteration_stops_when_told_and_reports_what_is_left():
    beam, shape = DynamicBeam(22, 30, 1.0, 100.0), shapes_of(1, nodes=22)[0]
    short = force_by_iteration(beam, shape, rounds=3)
    assert len(short.residuals) == 4
    assert short.residual == pytest.approx(np.abs(beam.ramp(short.force, short.clamps)[-1] - shape).max())
    assert short.residuals[0] > short.residual > force_by_iteration(beam, shape).residual
    assert force_by_iteration(beam, np.zeros((22, 3))).residuals == (0.0,)


def test_the_iteration_takes_ends_that_are_held_elsewhere_as_they_are():
    """A curve joined to another keeps the other's end; the nodes between still meet the example."""
    beam, shape = DynamicBeam(22, 30, 1.0, 1.0), shapes_of(1, nodes=22)[0]
    own = Clamps.from_shape(shape)
    other = Clamps(own.values + 0.01, own.slopes)
    found = force_by_iteration(beam, shape, clamps=other)
    last = beam.ramp(found.force, other)[-1]
    assert found.residual < 1e-10
    assert np.abs(last - shape)[1:-1].max() < 1e-10
    assert np.array_equal(last[[0, -1]], other.values)


def test_one_step_beams_are_met_by_the_first_guess():
    beam, shape = DynamicBeam(22, 1, 1.0, 3.0), shapes_of(1, nodes=22)[0]
    assert np.abs(iteration_factors(beam)).max() < 1e-9
    assert force_by_iteration(beam, shape).residuals[0] < 1e-10


# Many shapes on a line


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("count", [2, 3, 7])
def test_every_example_on_a_line_is_met(beam, count):
    shapes = shapes_of(count)
    positions = np.cumsum(np.arange(1.0, count + 1.0))
    line = ExampleLine(beam, shapes, positions)
    height = np.ptp(shapes)
    for position, shape in zip(positions, shapes, strict=True):
        assert np.abs(line.at(float(position)) - shape).max() < 1e-10 * height
    assert line.residual < 1e-10 * height
    assert np.abs(line.at(positions[0] - 5.0) - shapes[0]).max() < 1e-10 * height
    assert np.abs(line.at(positions[-1] + 5.0) - shapes[-1]).max() < 1e-10 * height
    for position in positions[1:-1]:
        beside = [line.at(float(position) + tiny) for tiny in (-1e-9, 1e-9)]
        assert np.abs(beside[0] - beside[1]).max() < 1e-6 * height


def test_static_passages_follow_the_published_mixture_of_forces():
    beam, shapes = BEAMS[0], shapes_of(2)
    forces, clamps = [beam.force(shape) for shape in shapes], [Clamps.from_shape(shape) for shape in shapes]
    line = ExampleLine(beam, shapes)
    for j in range(6):
        alpha = j / 5
        published = beam.shape(forces[0] + alpha * (forces[1] - forces[0]), clamps[0].lerp(clamps[1], alpha))
        assert np.abs(line.at(alpha) - published).max() < 1e-13


def test_positions_need_not_be_even():
    shapes = shapes_of(3)
    for beam in BEAMS[::2]:
        uneven, even = ExampleLine(beam, shapes, [0.0, 0.3, 2.3]), ExampleLine(beam, shapes)
        assert np.abs(uneven.at(0.3 + 0.2 * 2.0) - even.at(0.5 + 0.2 * 0.5)).max() < 1e-12
        assert np.abs(uneven.at(0.6 * 0.3) - even.at(0.6 * 0.5)).max() < 1e-12


def test_dynamic_passages_are_ramps_that_can_be_scrubbed():
    beam, shapes = DynamicBeam(34, 7, 1.0, 300.0), shapes_of(3)
    line = ExampleLine(beam, shapes)
    found = exact_force(beam, shapes[2] - shapes[1])
    ramp = shapes[1] + beam.ramp(found.force, found.clamps)
    for step in (0, 3, 7):
        assert np.abs(line.at(0.5 + 0.5 * step / 7) - ramp[step]).max() < 1e-12
    assert np.abs(line.at(0.5 + 0.5 * 2.5 / 7) - 0.5 * (ramp[2] + ramp[3])).max() < 1e-12
    straight = 0.5 * (shapes[1] + shapes[2])
    assert np.abs(line.at(0.75) - straight).max() > 0.01  # heavy curves lag behind


# Many shapes in a space of poses


@given(
    count=st.integers(1, 12),
    dimensions=st.integers(1, 6),
    blend=st.sampled_from(["smooth", "straight"]),
    beyond=st.sampled_from(["hold", "extend"]),
    seed=st.integers(0, 200),
)
def test_weights_are_exact_add_up_and_keep_lines_straight(count, dimensions, blend, beyond, seed):
    random = np.random.default_rng(seed)
    positions = random.uniform(-2.0, 2.0, (count, dimensions))
    space = RadialSpace(positions, blend, beyond)
    assert np.abs(space.weights(positions) - np.eye(count)).max() < 1e-12
    inside = random.dirichlet(np.ones(count), 20) @ positions
    weights = space.weights(inside)
    assert np.abs(weights.sum(axis=-1) - 1.0).max() < 1e-8
    assert np.abs(weights @ positions - inside).max() < 1e-8
    anywhere = space.weights(random.uniform(-9.0, 9.0, (20, dimensions)))
    assert np.abs(anywhere.sum(axis=-1) - 1.0).max() < 1e-7


def test_two_examples_are_blended_evenly_and_three_by_areas():
    two = RadialSpace([[0.0, 1.0], [2.0, 1.0]])
    assert two.weights([0.5, 1.0]) == pytest.approx([0.75, 0.25])
    assert two.weights([0.5, 40.0]) == pytest.approx([0.75, 0.25])  # examples do not differ that way
    three = RadialSpace([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert three.weights([0.2, 0.3]) == pytest.approx([0.5, 0.2, 0.3])


def test_on_a_line_smooth_is_the_natural_spline_and_straight_the_broken_line():
    from scipy.interpolate import CubicSpline

    positions = np.array([0.0, 0.4, 1.1, 2.5, 3.0])
    x = np.linspace(0.0, 3.0, 61)
    spline = CubicSpline(positions, np.eye(5), bc_type="natural")(x)
    assert np.abs(RadialSpace(positions[:, None]).weights(x[:, None]) - spline).max() < 1e-10
    broken = np.stack([np.interp(x, positions, row) for row in np.eye(5)], axis=1)
    assert np.abs(RadialSpace(positions[:, None], "straight").weights(x[:, None]) - broken).max() < 1e-10


def test_smooth_weights_have_no_edges_and_straight_ones_do():
    positions = np.random.default_rng(5).uniform(-1.0, 1.0, (8, 3))
    direction = np.array([0.3, -0.5, 0.2])

    def jump(blend, size):
        """How much the direction changes across an example, per unit."""
        space = RadialSpace(positions, blend, "extend")
        low, here, high = (space.weights(positions[3] + side * size * direction) for side in (-1.0, 0.0, 1.0))
        return np.abs(high - 2.0 * here + low).max() / size

    assert jump("smooth", 1e-5) < 1e-3
    assert jump("straight", 1e-5) > 0.05


def test_hold_stays_at_the_border_and_extend_goes_on_evenly():
    positions = np.array([[0.0], [1.0], [3.0]])
    assert RadialSpace(positions).weights([9.0]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    onward = RadialSpace(positions, beyond="extend").weights(np.array([[4.0], [5.0], [6.0]]))
    assert np.abs(np.diff(onward, 2, axis=0)).max() < 1e-10
    assert np.abs(np.diff(onward, axis=0)).max() > 0.1


def poses_of_an_arm():
    """Elbow bends and forearm twists: a grid of examples and their places by joint turns."""
    rest = np.array([quat_from_axis_angle([0.0, 1.0, 0.0], 0.3), quat_from_axis_angle([1.0, 0.0, 0.0], -0.2)])
    angles = [(bend, twist) for bend in (0.0, 1.1, 2.3) for twist in (-1.2, 0.0, 1.4)]
    rotations = np.array([[rotate_joints(rest, bend, twist)] for bend, twist in angles])[:, 0]
    return rest, angles, RadialSpace(rotation_positions(rotations, rest))


def rotate_joints(rest, bend, twist):
    away = np.array([quat_from_axis_angle([0.0, 0.0, 1.0], bend), quat_from_axis_angle([1.0, 0.0, 0.0], twist)])
    return quat_multiply(rest, away)


@pytest.mark.parametrize("curves", [1, 5])
def test_bend_and_twist_at_once_meet_every_example_on_host_and_device(curves):
    rest, angles, space = poses_of_an_arm()
    shapes = shapes_of(len(angles), curves=curves, seed=2)
    examples = ExampleSpace(StaticBeam(34, 1.0, 8.0), shapes, space)
    for (bend, twist), shape in zip(angles, shapes, strict=True):
        position = rotation_positions(rotate_joints(rest, bend, twist), rest)
        assert np.abs(examples.at(position) - shape).max() < 1e-10 * np.ptp(shapes)
    between = np.stack([rotation_positions(rotate_joints(rest, bend, 0.4), rest) for bend in (0.3, 0.9, 1.7)])
    batch = static_curves([examples.beam] * curves, examples.loads(), frames=3)
    ours = to_host(batch.solve(space.weights(between))).reshape(3, curves, 34, 3)
    for frame, position in enumerate(between):
        assert np.abs(np.swapaxes(ours[frame], 0, 1) - examples.at(position)).max() < 1e-10


@pytest.mark.parametrize("nodes", [21, 68, 104])
def test_the_device_meets_examples_of_the_published_lengths(nodes):
    shapes = shapes_of(2, nodes=nodes, curves=3)
    height = np.ptp(shapes)
    examples = ExampleSpace(StaticBeam(nodes, 1.0, 15.0), shapes, RadialSpace([[0.0], [1.0]]))
    still = static_curves([examples.beam] * 3, examples.loads(), frames=2)
    met = to_host(still.solve(np.eye(2))).reshape(2, 3, nodes, 3)
    assert np.abs(np.swapaxes(met, 1, 2) - shapes).max() < 1e-10 * height
    beam = DynamicBeam(nodes, 30, 1.0, 10.0)
    found = [exact_force(beam, shapes[1, :, curve]) for curve in range(3)]
    moving = dynamic_curves([beam] * 3, [[CurveLoad(one.force, one.clamps) for one in found]], frames=30)
    last = to_host(moving.solve(np.arange(1.0, 31.0)[:, None] / 30.0)).reshape(30, 3, nodes, 3)[-1]
    assert np.abs(np.swapaxes(last, 0, 1) - shapes[1]).max() < 1e-10 * height


def test_a_damped_batch_comes_to_rest_in_the_example():
    _, angles, space = poses_of_an_arm()
    shapes = shapes_of(len(angles), nodes=12, curves=2, seed=2)
    examples = ExampleSpace(StaticBeam(12), shapes, space)
    batch = dynamic_curves([DynamicBeam(12, 300, 1.0, 0.05, 3.0)] * 2, examples.loads(), frames=200)
    played = to_host(batch.solve(np.tile(space.weights(space.positions[4]), (200, 1)))).reshape(200, 2, 12, 3)
    wanted = np.swapaxes(shapes[4], 0, 1)
    assert np.abs(played[2] - wanted).max() > 0.01
    assert np.abs(played[-1] - wanted).max() < 1e-9


def test_rotation_positions_are_axes_times_angles_from_rest():
    rest = quat_from_axis_angle([0.3, 0.2, 0.9], 0.7)[None]
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    for angle in (0.0, 1e-14, 1e-8, 0.4, 3.1):
        position = rotation_positions(quat_multiply(rest, quat_from_axis_angle(axis, angle)), rest)
        assert position == pytest.approx(angle * axis, rel=1e-9, abs=1e-15)
    other = -quat_multiply(rest, quat_from_axis_angle(axis, 0.4))  # the same turn, other sign
    assert rotation_positions(other, rest) == pytest.approx(0.4 * axis)
    many = rotation_positions(np.broadcast_to(rest, (5, 1, 4)), rest)
    assert np.abs(many).max() < 1e-15
    assert many.shape == (5, 3)


# Turns taken out first


@given(seed=st.integers(0, 99))
def test_a_rigid_motion_leaves_no_deformation_and_carrying_undoes_taking_out(seed):
    random = np.random.default_rng(seed)
    rest, bent = random.standard_normal((2, 9, 4, 3))
    one = compose(random.standard_normal(3), random.standard_normal(4))
    assert np.abs(local_deformation(rest @ one[:3, :3].T + one[:3, 3], rest, one)).max() < 1e-13
    each = compose(random.standard_normal((9, 4, 3)), random.standard_normal((9, 4, 4)))
    assert np.abs(carry(local_deformation(bent, rest, each), rest, each) - bent).max() < 1e-13
    row = each[:, :1]
    assert np.abs(carry(local_deformation(bent, rest, row), rest, row) - bent).max() < 1e-13


def twisted_arm(angle, fractions):
    """Transforms of the nodes of an arm along x whose hand is turned by an angle, each node by its share."""
    rotations = quat_from_axis_angle([1.0, 0.0, 0.0], angle * fractions)[:, None]
    return compose(np.zeros((len(fractions), 1, 3)), rotations)


@pytest.mark.parametrize("carrier", ["two bones", "twist bones"])
def test_a_small_twist_scaled_up_does_not_collapse(carrier):
    """Half a turn of the hand from one example of a sixteenth; linear blending has no arm left in the middle."""
    nodes, steps, total = 34, 8, np.pi
    v = np.linspace(0.0, 1.0, nodes)
    around = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.stack([np.zeros(12), np.cos(around), np.sin(around)], axis=1)
    rest = v[:, None, None] * [3.0, 0.0, 0.0] + 0.4 * ring
    real = v**2 * (3.0 - 2.0 * v)  # how skin shares the turn
    fractions = (v > 0.5).astype(float) if carrier == "two bones" else v
    example = carry(np.zeros_like(rest), rest, twisted_arm(total / steps, real))
    deformation = local_deformation(example, rest, twisted_arm(total / steps, fractions))
    beam = DynamicBeam(nodes, steps, 1.0, 1e-6)
    force, clamps = force_of_first_step(beam, deformation)
    played = beam.ramp(force, clamps)
    assert np.abs(played[1] - deformation).max() < 1e-10
    for step in range(steps + 1):
        shown = carry(played[step], rest, twisted_arm(total * step / steps, fractions))
        radius = np.linalg.norm(shown[..., 1:], axis=-1) / 0.4
        assert radius.min() > 0.97
        assert radius.max() < (1.9 if carrier == "two bones" else 1.1)
    blend = 0.5 * (rest + carry(np.zeros_like(rest), rest, twisted_arm(total, np.ones(nodes))))
    assert np.linalg.norm(blend[..., 1:], axis=-1).max() < 1e-10


# What is refused

STATIC, DYNAMIC = StaticBeam(9), DynamicBeam(9, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: exact_force(STATIC, np.zeros((8, 3))), "deformation has shape"),
        (lambda: exact_force(STATIC, np.full((9, 3), np.inf)), "not finite"),
        (lambda: exact_force(STATIC, np.zeros((9, 3)), clamps=Clamps.zero((2,))), "clamps are for columns"),
        (lambda: force_by_iteration(DYNAMIC, np.zeros((8, 3))), "deformation has shape"),
        (lambda: force_by_iteration(DYNAMIC, np.zeros((9, 3)), clamps=Clamps.zero((2,))), "clamps are for columns"),
        (lambda: force_by_iteration(DYNAMIC, np.zeros((9, 3)), tolerance=0.0), "tolerance is 0"),
        (lambda: force_by_iteration(DYNAMIC, np.zeros((9, 3)), rounds=-1), "rounds is -1"),
        (lambda: force_of_first_step(DYNAMIC, np.zeros((8, 3))), "deformation has shape"),
        (lambda: force_of_first_step(DYNAMIC, np.zeros((9, 3)), clamps=Clamps.zero((2,))), "clamps are for columns"),
        (lambda: ExampleLine(STATIC, np.zeros((2, 8, 3))), "shapes are"),
        (lambda: ExampleLine(STATIC, np.zeros((1, 9, 3))), "two examples"),
        (lambda: ExampleLine(STATIC, np.zeros((2, 9, 3)), [0.0, 0.0]), "do not increase"),
        (lambda: ExampleLine(STATIC, np.zeros((2, 9, 3)), [0.0, 1.0, 2.0]), "positions has shape"),
        (lambda: ExampleLine(STATIC, np.zeros((2, 9, 3))).at(np.nan), "position is nan"),
        (lambda: ExampleSpace(STATIC, np.zeros((3, 9, 3)), RadialSpace([[0.0], [1.0]])), "shapes has shape"),
        (lambda: ExampleSpace(STATIC, np.zeros((2, 8, 3)), RadialSpace([[0.0], [1.0]])), "shapes are"),
        (lambda: ExampleSpace(STATIC, np.zeros((2, 9, 3)), RadialSpace([[0.0], [1.0]])).at([[0.5]]), "2 axes"),
        (lambda: ExampleSpace(STATIC, np.zeros((2, 9, 2)), RadialSpace([[0.0], [1.0]])).loads(), "curves in space"),
        (lambda: RadialSpace(np.zeros((0, 2))), "no positions"),
        (lambda: RadialSpace([0.0, 1.0]), "positions has shape"),
        (lambda: RadialSpace([[0.0], [np.nan]]), "not finite"),
        (lambda: RadialSpace([[0.0], [1.0], [0.0]]), "examples 0 and 2"),
        (lambda: RadialSpace([[0.0], [1.0]], "round"), "blend is 'round'"),
        (lambda: RadialSpace([[0.0], [1.0]], beyond="stop"), "beyond is 'stop'"),
        (lambda: RadialSpace([[0.0], [1.0]]).weights([0.0, 1.0]), "position is"),
        (lambda: RadialSpace([[0.0], [1.0]]).weights([np.inf]), "not finite"),
        (lambda: rotation_positions(np.ones((2, 4)), np.ones((3, 4))), "rotations are"),
        (lambda: rotation_positions(np.zeros((2, 4)), np.ones((2, 4))), "quaternion is zero"),
        (lambda: local_deformation(np.zeros((5, 3)), np.zeros((5, 3)), np.zeros((4, 4))), "flat"),
        (lambda: local_deformation(np.zeros((5, 3)), np.zeros((5, 3)), np.ones((4, 4, 4))), "transforms"),
        (lambda: carry(np.zeros((5, 2)), np.zeros((5, 2)), np.eye(4)), "shape is"),
        (lambda: carry(np.zeros((5, 3)), np.zeros((4, 3)), np.eye(4)), "shape has shape"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("beam", [StaticBeam(34), StaticBeam(34, 5.0, -40.0), StaticBeam(34, 100.0, 3.0)])
def test_blended_forces_of_examples_are_blended_examples_whatever_the_beam(beam):
    """K^-1 sum w K q = sum w q: why the skin solves no beams."""
    shapes = shapes_of(3, curves=2, seed=4)
    space = RadialSpace([[0.0], [1.0], [2.5]])
    weights = space.weights([1.7])
    bent = ExampleSpace(beam, shapes, space).at([1.7])
    np.testing.assert_allclose(bent, np.tensordot(weights, shapes, 1), atol=1e-9 * np.ptp(shapes))


def test_a_load_that_is_no_example_bends_a_curve_as_the_textbook_says():
    """A clamped beam of length one under an even load: 1/384 in its middle, and twice that when it swings freely."""
    load = np.array([0.0, -9.81, 0.0])
    still = sag(StaticBeam(201), load)
    np.testing.assert_allclose(still[100], load / 384.0, rtol=1e-3)
    light, heavy = (sag(DynamicBeam(101, 400, mass=mass), load)[50, 1] for mass in (1e-6, 1e6))
    assert light == pytest.approx(-9.81 / 384.0, rel=2e-3)
    assert abs(heavy) < 1e-3 * abs(light)
    with pytest.raises(InputError, match="load has shape"):
        sag(StaticBeam(9), [1.0, 2.0])
