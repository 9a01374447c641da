"""The energy at whose least flesh settles: its gradient, both ways to add it up, and the way down."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.geometry.tetrahedra import fill
from supple.skins.position_based.body.constraints import build_constraints
from supple.skins.position_based.solve.energy import EnergyBinding, EnergyWeights
from supple.skins.position_based.solve.lbfgs import LbfgsSolver

WEIGHTS = EnergyWeights(volume=9.0, bind=1.0, stretch=0.3, pull=0.02, contact=8.0, one_sided=True)


@pytest.fixture(scope="module")
def body():
    tube = supple.character("tube", vertices=1500)
    return build_constraints(fill(tube.points, tube.triangles, count=800))


def lbfgs_solver(body, *, one_sided=True, held=True, masses=None, contacts=None, copies=1, device="cpu", by_body=None):
    """Bound a little nearer than they are to points on the axis, drawn to where they are at rest."""
    wp = devices.warp()
    count = len(body.points)
    drawn_to = np.tile(1.02 * body.points, (copies, 1)).astype(np.float32)
    kinematic = wp.array(drawn_to, dtype=wp.vec3f, device=device)
    axis = body.points * [1.0, 0.0, 0.0]
    lengths = 0.9 * np.linalg.norm(body.points - axis, axis=1)
    if masses is None:
        masses = np.where(np.arange(count) % 7 == 0, 0.5, 1.0) * (np.arange(count) % 11 != 0 if held else 1.0)
    binding = EnergyBinding.from_constraints(body, lengths, masses).stack(copies)
    made = LbfgsSolver(binding, kinematic, devices.Constants(device), contacts=contacts, by_body=by_body)
    made.anchors.assign(np.tile(axis, (copies, 1)).astype(np.float32))
    made.set_weights(EnergyWeights(**{**vars(WEIGHTS), "one_sided": one_sided}))
    return made, masses


def put(made, points, masses):
    made.particles.assign(np.column_stack([points, masses]).astype(np.float32))


def evaluated(made):
    """Energy and gradient where the particles are."""
    for launch in made.iteration()[: 3 if made._contacts else 2]:
        launch()
    return float(made._energies.numpy().astype(np.float64).sum()), made._gradients.numpy().astype(np.float64)


def energy(body, points, kinematic, axis, lengths, holds, one_sided):
    """The energy in plain words, double precision, all particles free."""
    a, b, c, d = (points[body.corners[:, k]] for k in range(4))
    six = np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a)
    ra, rb, rc, rd = (body.points[body.corners[:, k]] for k in range(4))
    faces = [
        np.cross(rc - rb, rd - rb),
        np.cross(rd - ra, rc - ra),
        np.cross(rb - ra, rd - ra),
        np.cross(rc - ra, rb - ra),
    ]
    slopes = sum(np.einsum("ti,ti->t", face, face) for face in faces)
    total = 0.5 * WEIGHTS.volume * ((six - 6.0 * body.rest_volumes) ** 2 / slopes).sum()
    edges = np.linalg.norm(points[body.ends[:, 0]] - points[body.ends[:, 1]], axis=1)
    total += 0.5 * WEIGHTS.stretch * ((edges - body.rest_lengths) ** 2).sum()
    off = np.linalg.norm(points - axis, axis=1) - lengths
    total += 0.5 * WEIGHTS.bind * ((np.maximum(off, 0.0) if one_sided else off) ** 2).sum()
    return total + 0.5 * ((WEIGHTS.pull + holds) * ((points - kinematic) ** 2).sum(axis=1)).sum()


@pytest.mark.parametrize("one_sided", [True, False])
def test_the_gradient_is_that_of_the_energy(body, one_sided):
    made, masses = lbfgs_solver(body, one_sided=one_sided, held=False)
    points = body.points + 0.01 * np.random.default_rng(1).standard_normal(body.points.shape)
    put(made, points, masses)
    _, gradient = evaluated(made)
    axis = body.points * [1.0, 0.0, 0.0]
    lengths, holds = 0.9 * np.linalg.norm(body.points - axis, axis=1), 1.0 / masses - 1.0

    def at(moved):
        return energy(body, moved, 1.02 * body.points, axis, lengths, holds, one_sided)

    step, random = 1e-6, np.random.default_rng(2)
    for particle in random.choice(len(points), 12, replace=False):
        for k in range(3):
            ways = np.zeros_like(points)
            ways[particle, k] = step
            wanted = (at(points + ways) - at(points - ways)) / (2.0 * step)
            assert gradient[particle, k] == pytest.approx(wanted, abs=2e-4 * np.abs(gradient).max())


def test_what_cannot_move_feels_nothing_and_stays(body):
    made, masses = lbfgs_solver(body)
    fixed = masses == 0.0
    points = body.points + 0.01 * np.random.default_rng(3).standard_normal(body.points.shape)
    put(made, points, masses)
    _, gradient = evaluated(made)
    assert fixed.any()
    assert (gradient[fixed] == 0.0).all()
    made.reset_history()
    for _ in range(5):
        for launch in made.iteration():
            launch()
    after = made.particles.numpy()
    np.testing.assert_array_equal(after[fixed, :3], points[fixed].astype(np.float32))
    assert np.abs(after[~fixed, :3] - points[~fixed]).max() > 1e-3


def test_round_a_particle_and_through_all_elements_add_up_alike(body):
    from supple.skins.position_based.solve import energy as module

    made, masses = lbfgs_solver(body)
    points = body.points + 0.01 * np.random.default_rng(4).standard_normal(body.points.shape)
    put(made, points, masses)
    _, through = evaluated(made)
    made._by_particle, made._star, made._element_lanes = True, module.star_arrays(made._binding, "cpu"), 1
    _, around = evaluated(made)
    np.testing.assert_allclose(around, through, atol=1e-5 * np.abs(through).max())


def test_body_by_body_and_through_all_elements_add_up_alike(body):
    """As a GPU does for a crowd, whose blocks of threads are one thread each on a processor; the last has one body."""
    wp, random, copies = devices.warp(), np.random.default_rng(4), 3
    shaken = 0.01 * random.standard_normal((copies, *body.points.shape))
    start, at_rest = (body.points + shaken).reshape(-1, 3), np.tile(1.02 * body.points, (copies, 1))
    settled = devices.to_device((at_rest + shaken[::-1].reshape(-1, 3)).astype(np.float32), wp.vec3f, "cpu")
    pressures = devices.to_device(random.uniform(-0.1, 0.1, len(start)).astype(np.float32), wp.float32, "cpu")
    found = []
    for by_body in (False, True):
        made, masses = lbfgs_solver(body, copies=copies, by_body=by_body)
        put(made, start, np.tile(masses, copies))
        made.pressure.apply(pressures)()
        energy_there, gradients = evaluated(made)
        made.set_relaxation(0.9, 0.5)
        for launch in made.relax(settled):
            launch()
        found.append((energy_there, gradients, made.particles.numpy().copy()))
    (one_energy, one_gradients, one_relaxed), (energy_there, gradients, relaxed) = found
    assert energy_there == pytest.approx(one_energy, rel=1e-5)
    np.testing.assert_allclose(gradients, one_gradients, atol=1e-5 * np.abs(one_gradients).max())
    np.testing.assert_allclose(relaxed, one_relaxed, atol=1e-6)


@pytest.mark.cuda
@pytest.mark.parametrize("copies", [1, 3, 70])
def test_a_gpu_finds_the_gradient_and_the_way_down_for_one_body_and_for_a_crowd(body, copies):
    """As one body on a processor, each from its own start; few and many are multiplied by the inverse in other ways."""
    random = np.random.default_rng(4)
    starts = body.points + 0.01 * random.standard_normal((copies, *body.points.shape))
    crowd, masses = lbfgs_solver(body, copies=copies, device="cuda:0")
    put(crowd, starts.reshape(-1, 3), np.tile(masses, copies))
    _, gradients = evaluated(crowd)
    crowd.reset_history()
    for _ in range(12):
        for launch in crowd.iteration():
            launch()
    settled = crowd.particles.numpy()[:, :3].reshape(copies, -1, 3)
    for number in {0, copies // 2, copies - 1}:
        one, _ = lbfgs_solver(body)
        put(one, starts[number], masses)
        _, wanted = evaluated(one)
        found = gradients.reshape(copies, -1, 3)[number]
        np.testing.assert_allclose(found, wanted, atol=1e-5 * np.abs(wanted).max())
        one.reset_history()
        for _ in range(12):
            for launch in one.iteration():
                launch()
        np.testing.assert_allclose(settled[number], one.particles.numpy()[:, :3], atol=2e-5)


@pytest.mark.parametrize("shake", [0.002, 0.02])
def test_rounds_go_down_to_balance(body, shake):
    made, masses = lbfgs_solver(body)
    put(made, body.points + shake * np.random.default_rng(5).standard_normal(body.points.shape), masses)
    first, gradient = evaluated(made)
    made.reset_history()
    seen = []
    for _ in range(60):
        for launch in made.iteration():
            launch()
        seen.append(float(made._search.energy.numpy()[0]))
    last, _ = evaluated(made)
    assert last < 0.9 * first
    assert last <= min(seen) * (1.0 + 1e-4)
    assert made.residual() < 2e-3 * np.linalg.norm(gradient, axis=1).max()


def test_balance_is_the_same_from_another_start(body):
    ends = []
    for seed in (6, 7):
        made, masses = lbfgs_solver(body)
        put(made, body.points + 0.01 * np.random.default_rng(seed).standard_normal(body.points.shape), masses)
        made.particles.assign(
            np.where((masses == 0.0)[:, None], np.column_stack([body.points, masses]), made.particles.numpy())
        )
        for _ in range(10):
            made.reset_history()
            for _ in range(20):
                for launch in made.iteration():
                    launch()
        ends.append(made.particles.numpy()[:, :3])
    assert np.abs(ends[0] - ends[1]).max() < 1e-4


def test_a_plane_pushes_what_is_behind_it_and_nothing_else(body):
    from supple.skins.position_based.contact.contact_arrays import ContactList, HeldContacts, PlaneArrays

    wp = devices.warp()
    count = len(body.points)
    code = np.where(np.arange(count) % 2 == 0, 0, -1)
    held = devices.fill_struct(
        HeldContacts(),
        plane_of=wp.array(code.astype(np.int32), dtype=wp.int32, device="cpu"),
        face_of=wp.full(count, -1, dtype=wp.int32, device="cpu"),
        firmness=wp.array(np.ones((count, 2), dtype=np.float32), dtype=wp.vec2f, device="cpu"),
    )
    planes = devices.fill_struct(
        PlaneArrays(),
        points=wp.array(np.zeros((1, 1, 3), dtype=np.float32), dtype=wp.vec3f, device="cpu"),
        normals=wp.array(np.array([[[0.0, 1.0, 0.0]]], dtype=np.float32), dtype=wp.vec3f, device="cpu"),
    )
    gradients = []
    faces, none = wp.zeros(1, dtype=wp.vec3i, device="cpu"), wp.zeros(1, dtype=wp.int32, device="cpu")
    found = devices.fill_struct(ContactList(), count=none, particles=wp.zeros(count, dtype=wp.int32, device="cpu"))
    for given in (None, (held, planes, faces, found)):
        made, masses = lbfgs_solver(body, held=False, contacts=given)
        put(made, body.points, masses)
        gradients.append(evaluated(made)[1])
    pushed = gradients[1] - gradients[0]
    behind = (code == 0) & (body.points[:, 1] < 0.0)
    np.testing.assert_allclose(pushed[behind, 1], WEIGHTS.contact * body.points[behind, 1], rtol=1e-3, atol=1e-5)
    assert (pushed[~behind] == 0.0).all()
    assert behind.any()


def test_finer_elements_leave_a_strain_as_much_to_fight_with():
    """Eight times as many elements, half as large: what is stored for a stretch and for a distance keep their ratio."""
    few, many = WEIGHTS.for_elements(5000), WEIGHTS.for_elements(40000)
    assert few == WEIGHTS
    assert many.bind == pytest.approx(few.bind / 4.0)
    assert many.pull == pytest.approx(few.pull / 4.0)
    assert (many.volume, many.stretch) == (few.volume, few.stretch)
