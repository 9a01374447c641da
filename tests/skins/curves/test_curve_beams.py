"""Static and dynamic beams: closed forms, measured rates of convergence, exact modes, laws of linear equations."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import beams as oracle
from supple.device import to_host, use_threads
from supple.errors import InputError
from supple.skins.curves.beam.batch import CurveLoad, dynamic_curves, static_curves
from supple.skins.curves.beam.dynamic import DynamicBeam
from supple.skins.curves.beam.finite_differences import FEWEST_NODES, BandedMatrix, Clamps
from supple.skins.curves.beam.static import StaticBeam

INTERVALS = np.array([16, 32, 64, 128])
FIRST_BUCKLING = 4.0 * np.pi**2


def rate(sizes, errors):
    """The slope of log error over log size, by least squares."""
    return -np.polyfit(np.log(sizes), np.log(errors), 1)[0]


def noise(*shape, seed=3):
    return np.random.default_rng(seed).standard_normal(shape)


# Static


@pytest.mark.parametrize("compression", [0.0, 25.0, -40.0, 90.0])
@pytest.mark.parametrize("case", ["even load", "point load", "ends"])
def test_static_beam_converges_to_the_closed_form_with_second_order(case, compression):
    bending, errors = 1.5, []  # the first buckling loads are near 59 and 121
    for n in INTERVALS:
        v = np.linspace(0.0, 1.0, n + 1)
        beam = StaticBeam(n + 1, bending, compression)
        stuff = {"bending": bending, "compression": compression}
        force, clamps = np.zeros(n - 1), Clamps.zero(())
        if case == "even load":
            force, exact = np.ones(n - 1), oracle.uniform_load(v, **stuff)
        elif case == "point load":
            force[3 * n // 8 - 1] = n  # a load of one spread over one interval
            exact = oracle.point_load(v, 0.375, **stuff)
        else:
            clamps = Clamps([0.4, -0.2], [1.0, 3.0])
            exact = oracle.clamped_ends(v, clamps.values, clamps.slopes, **stuff)
        errors.append(np.abs(beam.shape(force, clamps) - exact).max() / np.abs(exact).max())
    assert errors[-1] < 2e-3
    assert abs(rate(INTERVALS, errors) - 2.0) < 0.1


@pytest.mark.parametrize("compression", [0.0, 30.0, -30.0])
def test_closed_forms_agree_with_each_other(compression):
    """An even load is the sum of point loads, and the oracles obey their own clamps."""
    v = np.linspace(0.0, 1.0, 201)
    stuff = {"bending": 2.0, "compression": compression}
    positions = (np.arange(400) + 0.5) / 400
    total = sum(oracle.point_load(v, at, load=1.0 / 400, **stuff) for at in positions)
    even = oracle.uniform_load(v, **stuff)
    assert np.abs(total - even).max() < 1e-4 * np.abs(even).max()
    held = oracle.clamped_ends(v, (1.0, 2.0), (3.0, -4.0), **stuff)
    assert held[[0, -1]] == pytest.approx([1.0, 2.0])
    assert np.gradient(held, v, edge_order=2)[[0, -1]] == pytest.approx([3.0, -4.0], abs=0.01)


@pytest.mark.parametrize("nodes", [FEWEST_NODES, 6, 9, 34])
def test_static_beam_is_the_dense_system_with_virtual_nodes(nodes):
    force, values, slopes = noise(nodes - 2), noise(2, seed=4), noise(2, seed=5)
    ours = StaticBeam(nodes, 0.7, -3.0).shape(force, Clamps(values, slopes))
    theirs = oracle.static_shape(force, values, slopes, bending=0.7, compression=-3.0)
    assert np.abs(ours - theirs).max() < 1e-11 * np.abs(theirs).max() * nodes**2


@given(
    nodes=st.integers(FEWEST_NODES, 40),
    compression=st.floats(-200.0, 0.9 * FIRST_BUCKLING),
    factor=st.floats(-5.0, 5.0),
    seed=st.integers(0, 99),
)
def test_forces_and_clamps_superpose(nodes, compression, factor, seed):
    beam = StaticBeam(nodes, 1.0, compression)
    random = np.random.default_rng(seed)
    one, two = random.standard_normal((2, nodes - 2, 2, 3))
    held = [Clamps(*random.standard_normal((2, 2, 2, 3))) for _ in range(2)]
    total = beam.shape(one + factor * two, Clamps(*(a + factor * b for a, b in zip(*map(parts, held), strict=True))))
    apart = beam.shape(one, held[0]) + factor * beam.shape(two, held[1])
    assert np.abs(total - apart).max() < 1e-9 * max(1.0, np.abs(apart).max())


def parts(clamps):
    return clamps.values, clamps.slopes


@given(nodes=st.integers(FEWEST_NODES, 110), compression=st.sampled_from([0.0, 30.0, -80.0]), seed=st.integers(0, 99))
def test_a_shape_comes_back_from_its_force(nodes, compression, seed):
    """Smooth shapes, as skin is, of height about one."""
    beam = StaticBeam(nodes, 1.0, compression)
    v = np.linspace(0.0, 1.0, nodes)[:, None]
    waves = np.random.default_rng(seed).standard_normal((6, 3)) / np.arange(1, 7)[:, None]
    shape = sum(wave * np.cos(number * v + number) for number, wave in enumerate(waves))
    assert (
        np.abs(beam.shape(beam.force(shape), Clamps.from_shape(shape)) - shape).max()
        < 1e-11 * np.ptp(shape, axis=0).max()
    )


def test_any_clamps_serve_a_force_as_long_as_they_are_given_back():
    beam, shape = StaticBeam(20), noise(20, 3)
    other = Clamps(noise(2, 3), noise(2, 3, seed=8))
    back = beam.shape(beam.force(shape, other), other)
    assert np.abs(back - shape)[1:-1].max() < 1e-11
    assert np.array_equal(back[[0, -1]], other.values)


def test_clamps_of_a_parabola_are_exact_and_of_other_curves_second_order():
    v = np.linspace(0.0, 1.0, 9)
    assert Clamps.from_shape(3.0 * v**2 - v + 2.0).slopes == pytest.approx([-1.0, 5.0])
    errors = []
    for n in INTERVALS:
        clamps = Clamps.from_shape(np.sin(3.0 * np.linspace(0.0, 1.0, n + 1)))
        errors.append(np.abs(clamps.slopes - [3.0, 3.0 * np.cos(3.0)]).max())
    assert abs(rate(INTERVALS, errors) - 2.0) < 0.1


def test_columns_do_not_see_each_other_and_inputs_stay():
    beam, force = StaticBeam(12, 1.0, 5.0), noise(10, 4, 3)
    clamps = Clamps(noise(2, 4, 3), noise(2, 4, 3, seed=9))
    kept = force.copy()
    together = beam.shape(force, clamps)
    alone = beam.shape(force[:, 2, 1], Clamps(clamps.values[:, 2, 1], clamps.slopes[:, 2, 1]))
    assert np.array_equal(force, kept)
    assert together.shape == (12, 4, 3)
    assert np.abs(together[:, 2, 1] - alone).max() < 1e-13
    assert beam.shape(np.zeros((10, 0)), Clamps.zero((0,))).shape == (12, 0)


def test_pull_makes_a_string_of_the_beam_and_push_makes_it_soft():
    """With a strong pull an even load bends it as it bends a string, -a2 q = v (1 - v) / 2."""
    v = np.linspace(0.0, 1.0, 401)
    middle = [
        StaticBeam(401, 1.0, c).shape(np.ones(399), Clamps.zero(()))[200] for c in (-400.0, -10.0, 0.0, 10.0, 36.0)
    ]
    assert np.all(np.diff(middle) > 0.0)
    string = v * (1.0 - v) / 2.0 / 1e6
    assert np.abs(StaticBeam(401, 1.0, -1e6).shape(np.ones(399), Clamps.zero(())) - string).max() < 0.01 * string.max()


def test_a_buckling_load_is_refused_and_loads_beside_it_are_not():
    nodes = 33
    plain, string = (BandedMatrix(nodes, *weights).diagonals for weights in ((1.0, 0.0), (0.0, 1.0)))
    from scipy.linalg import eigh

    def dense(rows):
        matrix = np.diag(rows[0])
        for position in (1, 2):
            band = rows[position, : nodes - 2 - position]
            matrix += np.diag(band, position) + np.diag(band, -position)
        return matrix

    loads = eigh(dense(plain), -dense(string), eigvals_only=True)
    assert loads[0] == pytest.approx(FIRST_BUCKLING, rel=0.01)
    for load in loads[:3]:
        with pytest.raises(InputError, match="buckles"):
            StaticBeam(nodes, 1.0, float(load))
        for beside in (0.999, 1.001):
            beam = StaticBeam(nodes, 1.0, float(load) * beside)
            shape = np.sin(np.linspace(0.0, 3.0, nodes))
            assert np.abs(beam.shape(beam.force(shape), Clamps.from_shape(shape)) - shape).max() < 1e-9


# Dynamic


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize(("nodes", "steps"), [(5, 1), (6, 2), (21, 7)])
def test_dynamic_beam_is_the_dense_system_step_by_step(nodes, steps, damping):
    force, values, slopes = noise(nodes - 2), noise(2, seed=4), noise(2, seed=5)
    beam = DynamicBeam(nodes, steps, 0.7, 0.2, damping)
    theirs = oracle.dynamic_ramp(force, values, slopes, steps=steps, bending=0.7, mass=0.2, damping=damping)
    assert np.abs(beam.ramp(force, Clamps(values, slopes)) - theirs).max() < 1e-10 * np.abs(theirs).max()


def test_a_ramp_is_a_play_of_growing_forces_and_clamps():
    beam, force = DynamicBeam(15, 8, 1.0, 0.05), noise(13, 3)
    clamps = Clamps(noise(2, 3), noise(2, 3, seed=6))
    fractions = np.arange(1, 9) / 8
    played = beam.play(fractions[:, None, None] * force, [clamps.scale(fraction) for fraction in fractions])
    assert np.abs(played - beam.ramp(force, clamps)).max() < 1e-12
    last = beam.advance(played[6], played[5], fractions[6] * force, clamps=clamps.scale(fractions[6]))
    assert np.abs(last - played[7]).max() < 1e-12


def test_without_mass_every_step_is_static_and_with_little_almost():
    force, clamps = noise(19, 3), Clamps(noise(2, 3), noise(2, 3, seed=6))
    static = StaticBeam(21).shape(force, clamps)
    gaps = []
    for mass in (0.0, 1e-6, 1e-5, 1e-4):
        shapes = DynamicBeam(21, 10, 1.0, mass).ramp(force, clamps)
        gaps.append(np.abs(shapes - np.arange(11)[:, None, None] / 10 * static).max() / np.abs(static).max())
    assert gaps[0] < 1e-11
    assert 0.0 < gaps[1] < gaps[2] < gaps[3] < 0.05
    assert rate([1e6, 1e5, 1e4], gaps[1:]) == pytest.approx(1.0, abs=0.1)


def let_go(nodes, steps, *, bending, mass, sizes, damping=0.0):
    v = np.linspace(0.0, 1.0, nodes)
    start = oracle.plucked(v, [0.0], sizes, bending=bending, mass=mass)[0]
    beam = DynamicBeam(nodes, steps, bending, mass, damping)
    return v, beam.play(np.zeros((steps, nodes - 2)), [Clamps.zero(())] * steps, start=start)


def test_a_plucked_beam_swings_as_its_exact_modes_do_with_first_order_in_time():
    bending, mass, sizes = 1.0, 40.0, (1.0, 0.3)
    errors, counts = [], np.array([250, 500, 1000, 2000])
    for steps in counts:
        v, ours = let_go(129, steps, bending=bending, mass=mass, sizes=sizes)
        exact = oracle.plucked(v, np.linspace(0.0, 1.0, steps + 1), sizes, bending=bending, mass=mass)
        errors.append(np.abs(ours - exact).max())
    assert errors[-1] < 0.02
    assert abs(rate(counts, errors) - 1.0) < 0.1


def test_a_plucked_beam_converges_with_second_order_along_the_curve():
    """Against the modes with the shrinking and the lag that the steps in time are known to have."""
    steps, mass = 200, 40.0
    phase = oracle.FREQUENCIES[0] ** 2 / np.sqrt(mass) / steps
    z = 1.0 / (1.0 - 1j * phase)  # |z| = 1 / sqrt(1 + phase^2), angle atan(phase)
    # q[-1] = q[1] and q[0] = 1 give (z + 1/z') of the recurrence: q[m] = Re(c z^m) with q[1] = 1 / (1 + turn^2 / 2).
    first = 1.0 / (1.0 + 0.5 * phase**2)
    constant = 1.0 + 1j * (z.real - first) / z.imag
    swing = np.real(constant * z ** np.arange(steps + 1))
    sizes, errors = np.array([8, 16, 32, 64]), []
    for n in sizes:
        v, ours = let_go(n + 1, steps, bending=1.0, mass=mass, sizes=(1.0,))
        errors.append(np.abs(ours - swing[:, None] * oracle.mode(v, 0)).max())
    assert errors[-1] < 5e-3
    assert abs(rate(sizes, errors) - 2.0) < 0.1


@pytest.mark.parametrize("phase", [0.05, 1.0, 30.0])
def test_a_mode_shrinks_per_step_as_promised(phase):
    """|z| = 1 / sqrt(1 + (w/M)^2): slow swings live on, fast ones die at once, and none grows."""
    nodes, steps = 24, 12
    band = BandedMatrix(nodes, 1.0)
    mass = band.eigenvalues[0] / (phase * steps) ** 2
    from scipy.linalg import eig_banded

    shape = np.zeros(nodes)
    shape[1:-1] = eig_banded(band.diagonals, lower=True)[1][:, 0]
    beam = DynamicBeam(nodes, steps, 1.0, mass)
    sizes = beam.play(np.zeros((steps, nodes - 2)), [Clamps.zero(())] * steps, start=shape)[:, 1:-1] @ shape[1:-1]
    # a z^m + its conjugate obeys s[m+1] s[m-1] - s[m]^2 = (...) |z|^(2m), so its ratio is |z|^2
    wronskian = sizes[2:] * sizes[:-2] - sizes[1:-1] ** 2
    assert wronskian[1:] / wronskian[:-1] == pytest.approx(np.full(steps - 2, 1.0 / (1.0 + phase**2)), rel=1e-5)
    assert np.abs(sizes).max() <= 1.0 + 1e-12


def test_damping_brings_the_swing_to_rest_in_the_static_shape():
    force, clamps = noise(19), Clamps([0.1, 0.3], [0.0, 1.0])
    static = StaticBeam(21).shape(force, clamps)
    gaps = []
    for damping in (0.0, 20.0):
        beam = DynamicBeam(21, 500, 1.0, 1.0, damping)
        shapes = beam.play(np.tile(force, (1500, 1)), [clamps] * 1500)
        gaps.append(np.abs(shapes[-1] - static).max())
    assert gaps[1] < 1e-8 < 1e-3 < gaps[0]


def test_a_heavy_beam_lags_behind_the_ramp():
    v = np.linspace(0.0, 1.0, 33)
    shape = (v * (1.0 - v)) ** 2
    force = StaticBeam(33).force(shape, Clamps.zero(()))
    middles = [DynamicBeam(33, 40, 1.0, mass).ramp(force, Clamps.zero(()))[20, 16] for mass in (0.0, 500.0, 5000.0)]
    assert middles[0] == pytest.approx(0.5 * shape[16])
    assert 0.0 < middles[2] < middles[1] < middles[0]


@given(
    nodes=st.integers(FEWEST_NODES, 70),
    steps=st.integers(1, 40),
    mass=st.sampled_from([0.0, 1e-5, 1e-2, 1.0, 1e3]),
    damping=st.sampled_from([0.0, 0.1, 50.0]),
)
def test_an_exact_force_ends_its_ramp_in_the_shape(nodes, steps, mass, damping):
    beam = DynamicBeam(nodes, steps, 1.0, mass, damping)
    v = np.linspace(0.0, 1.0, nodes)[:, None]
    shape = np.concatenate([np.cos(3.0 * v), 0.4 + v**3, np.exp(-v)], axis=1)
    assert np.all(beam.modal_responses > 0.0)
    assert np.abs(beam.ramp(beam.force(shape), Clamps.from_shape(shape))[-1] - shape).max() < 1e-10


# What is refused


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StaticBeam(4), "4 nodes"),
        (lambda: StaticBeam(9, 0.0), "bending is 0"),
        (lambda: StaticBeam(9, np.inf), "bending is inf"),
        (lambda: StaticBeam(9, 1.0, np.nan), "compression is nan"),
        (lambda: StaticBeam(9).shape(np.zeros(9), Clamps.zero(())), "force has shape"),
        (lambda: StaticBeam(9).shape([0.0, np.nan, 0.0, 0.0, 0.0, 0.0, 0.0], Clamps.zero(())), "not finite"),
        (lambda: StaticBeam(9).shape(np.zeros((7, 2)), Clamps.zero((3,))), "clamps are for columns"),
        (lambda: StaticBeam(9).force(np.zeros((8, 3))), "shape has shape"),
        (lambda: StaticBeam(9).force(np.zeros((9, 3)), Clamps.zero((2,))), "clamps are for columns"),
        (lambda: Clamps(np.zeros((3, 2)), np.zeros((3, 2))), "values has shape"),
        (lambda: Clamps(np.zeros((2, 2)), np.zeros((2, 3))), "slopes"),
        (lambda: Clamps([[0.0], [0.0, 1.0]], [[0.0], [0.0]]), "ragged"),
        (lambda: Clamps.from_shape(np.zeros((4, 3))), "4 nodes"),
        (lambda: DynamicBeam(4, 3), "4 nodes"),
        (lambda: DynamicBeam(9, 0), "steps is 0"),
        (lambda: DynamicBeam(9, 3, -1.0), "bending is -1"),
        (lambda: DynamicBeam(9, 3, 1.0, -1.0), "mass is -1"),
        (lambda: DynamicBeam(9, 3, 1.0, 1.0, -1.0), "damping is -1"),
        (lambda: DynamicBeam(9, 3).ramp(np.zeros(6), Clamps.zero(())), "force has shape"),
        (lambda: DynamicBeam(9, 3).ramp(np.zeros((7, 2)), Clamps.zero(())), "clamps are for columns"),
        (lambda: DynamicBeam(9, 3).play(np.zeros((3, 9)), [Clamps.zero(())] * 3), "forces are"),
        (lambda: DynamicBeam(9, 3).play(np.zeros((3, 7)), [Clamps.zero(())] * 2), "2 clamps for 3"),
        (lambda: DynamicBeam(9, 3).play(np.zeros((3, 7)), [Clamps.zero((3,))] * 3), "clamps are for columns"),
        (lambda: DynamicBeam(9, 3).play(np.zeros((3, 7)), [Clamps.zero(())] * 3, start=np.zeros((9, 1))), "start is"),
        (lambda: DynamicBeam(9, 3).force(np.zeros((7, 3))), "shape has shape"),
        (
            lambda: DynamicBeam(9, 3).advance(np.zeros(9), np.zeros((9, 1)), np.zeros(7), clamps=Clamps.zero(())),
            "before",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()


# All curves in one launch


def some_curves(make):
    """Beams of several lengths and kinds, and two examples of loads; the second is zero for the third curve."""
    beams = [make(nodes, bending) for nodes, bending in ((5, 1.0), (34, 2.0), (9, 1.0), (34, 2.0), (68, 0.3))]
    examples = [
        [
            CurveLoad(noise(beam.nodes - 2, 3, seed=10 * e + c), Clamps(*noise(2, 2, 3, seed=10 * e + c + 5)))
            for c, beam in enumerate(beams)
        ]
        for e in range(2)
    ]
    examples[1][2] = CurveLoad(np.zeros((7, 3)), Clamps.zero((3,)))
    return beams, examples


def mixed(examples, weights, curve):
    """Force and clamps of a curve under weighted examples."""
    loads = [example[curve] for example in examples]
    force = sum(w * load.force for w, load in zip(weights, loads, strict=True))
    values = sum(w * load.clamps.values for w, load in zip(weights, loads, strict=True))
    return force, Clamps(values, sum(w * load.clamps.slopes for w, load in zip(weights, loads, strict=True)))


WEIGHTS = np.array([[1.0, 0.0], [0.3, 0.7], [-1.0, 3.0], [0.0, 0.0]])


def cut(shapes, starts):
    """Shapes (frames, all nodes, 3) as one array per curve."""
    return [shapes[:, a:b] for a, b in itertools.pairwise(starts)]


@pytest.mark.parametrize("compression", [0.0, 10.0, -60.0])
def test_the_kernel_finds_the_shapes_of_the_host(compression):
    beams, examples = some_curves(lambda nodes, bending: StaticBeam(nodes, bending, compression))
    batch = static_curves(beams, examples, frames=4)
    shapes = to_host(batch.solve(WEIGHTS)).reshape(4, -1, 3)
    for curve, ours in enumerate(cut(shapes, batch.starts)):
        for frame, weights in enumerate(WEIGHTS):
            host = beams[curve].shape(*mixed(examples, weights, curve))
            assert np.abs(ours[frame] - host).max() < 1e-10 * (1.0 + np.abs(host).max())


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_the_kernel_moves_curves_as_the_host_does_and_goes_on_where_it_was(damping):
    beams, examples = some_curves(lambda nodes, bending: DynamicBeam(nodes, 12, bending, 0.3, damping))
    whole, single = dynamic_curves(beams, examples, frames=4), dynamic_curves(beams, examples)
    shapes = to_host(whole.solve(WEIGHTS)).reshape(4, -1, 3).copy()
    again = np.stack([to_host(single.solve(row[None])).copy() for row in WEIGHTS])
    assert np.array_equal(shapes, again)
    for curve, ours in enumerate(cut(shapes, whole.starts)):
        loads = [mixed(examples, weights, curve) for weights in WEIGHTS]
        host = beams[curve].play([force for force, _ in loads], [clamps for _, clamps in loads])[1:]
        assert np.abs(ours - host).max() < 1e-10 * (1.0 + np.abs(host).max())
    start = np.concatenate([np.sin(np.linspace(0.0, 2.0, beam.nodes))[:, None] * [1.0, 2.0, -1.0] for beam in beams])
    whole.rest(start)
    moved = to_host(whole.solve(WEIGHTS)).reshape(4, -1, 3)
    loads = [mixed(examples, weights, 1) for weights in WEIGHTS]
    first = start[whole.starts[1] : whole.starts[2]]
    host = beams[1].play([force for force, _ in loads], [clamps for _, clamps in loads], start=first)[1:]
    assert np.abs(cut(moved, whole.starts)[1] - host).max() < 1e-10 * (1.0 + np.abs(host).max())
    whole.rest()
    assert np.array_equal(to_host(whole.solve(WEIGHTS)).reshape(4, -1, 3), shapes)


def test_threads_change_nothing():
    beams, examples = some_curves(lambda nodes, bending: StaticBeam(nodes, bending))
    results = []
    for count in (1, 3):
        with use_threads(count):
            batch = static_curves(beams * 20, [example * 20 for example in examples], frames=4)
            results.append(to_host(batch.solve(WEIGHTS)).copy())
    assert np.array_equal(*results)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda b, e: static_curves([], e), "0 curves"),
        (lambda b, e: static_curves(b, []), "0 examples"),
        (lambda b, e: static_curves(b, e, frames=0), "frames is 0"),
        (lambda b, e: static_curves([StaticBeam(beam.nodes, 1.0, 60.0) for beam in b], e), "beyond the first load"),
        (lambda b, e: static_curves(b, [e[0], e[1][:-1]]), "example 1 has loads for 4"),
        (lambda b, e: static_curves(b, [e[0], e[1][::-1]]), "curve 0 in example 1"),
        (lambda b, e: static_curves(b, e).solve(np.zeros((1, 3))), "weights has shape"),
        (lambda b, e: static_curves(b, e).solve([[0.0, np.nan]]), "not finite"),
        (lambda b, e: CurveLoad(np.zeros((4, 2)), Clamps.zero((2,))), "force has shape"),
        (lambda b, e: CurveLoad(np.zeros((4, 3)), Clamps.zero((2,))), "clamps are for columns"),
        (
            lambda b, e: dynamic_curves([DynamicBeam(beam.nodes, 2) for beam in b], e).rest(np.zeros((3, 3))),
            "shape has shape",
        ),
    ],
)
def test_batches_refuse_what_does_not_fit(make, words):
    beams, examples = some_curves(lambda nodes, bending: StaticBeam(nodes, bending))
    with pytest.raises(InputError, match=words):
        make(beams, examples)
