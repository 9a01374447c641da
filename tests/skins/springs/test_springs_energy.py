"""The problem that springs state: forces are the slope of one energy, and every solver finds the same least of it."""

import numpy as np
import pytest

import supple
from supple import SpringRig
from supple import device as devices
from supple.bench.expressive import limb
from supple.skins.springs.marks import with_static_bones
from supple.skins.springs.newton import NewtonSolver
from supple.skins.springs.step import pose_springs


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1500)


@pytest.fixture(scope="module")
def running(hero):
    return supple.motion("run-and-stop", hero).sample(0.3)


def energy_at(springs, points):
    """The energy of a shape, which is left in the first buffer."""
    devices.write(springs.points[1], points.astype(np.float32))
    springs.begin(springs.points[1])()
    return springs.energy()


@pytest.mark.parametrize("kind", ["edges", "relative_radius", "bend", "radius", "bones", "twist", None])
def test_forces_are_the_slope_of_the_energy(kind, hero, running):
    """By differences, for each kind of spring alone and for all, in a shape that is far from rest."""
    kinds = {"edges": 0.0, "relative_radius": 0.0, "bend": 0.0, "radius": 0.0, "bones": 0.0, "twist": 0.0}
    skin = SpringRig(stiffness={**kinds, kind: 1.0}) if kind else SpringRig()
    springs = skin.allocate(skin.bind(hero, "cpu")).springs
    pose_springs(springs, running)
    random = np.random.default_rng(0)
    posed = springs.attached.posed.numpy().astype(np.float64)
    points = posed + 0.004 * random.normal(size=posed.shape)
    energy_at(springs, points)
    forces = devices.to_host(springs.forces(0)).astype(np.float64)
    away = forces / np.abs(forces).max() + 0.1 * random.normal(size=forces.shape)
    step = 2e-4
    slope = (energy_at(springs, points + step * away) - energy_at(springs, points - step * away)) / (2.0 * step)
    assert slope == pytest.approx(-(forces * away).sum(), rel=0.02)


def test_factored_rounds_and_sweeps_find_the_same_balance(hero, running):
    found = [
        supple.player(hero, SpringRig(solver=solver, iterations=3000)).advance(running)
        for solver in ("factored", "sweeps")
    ]
    apart = np.linalg.norm(found[0] - found[1], axis=1)
    assert np.quantile(apart, 0.99) < 5e-5
    assert apart.max() < 2e-3  # where skin folds, there may be two


def blocks_of(solver, vertices, edges):
    """H_ii (V, 3, 3) and H_ij (E, 3, 3), out of groups of eight."""
    rounds = solver.all
    sides = rounds.sides.numpy().astype(np.float64).reshape(-1, 9, 8).transpose(0, 2, 1).reshape(-1, 9)[:vertices]
    own = np.linalg.inv(sides[:, [3, 4, 5, 4, 6, 7, 5, 7, 8]].reshape(-1, 3, 3))
    slots, blocks = rounds.slots.numpy(), rounds.blocks.numpy().reshape(-1, 9, 8)
    rings = np.diff(solver._springs.binding.around.starts)
    vertex = np.repeat(np.arange(vertices), rings)
    nth = np.arange(edges) - np.repeat(solver._springs.binding.around.starts[:-1], rings)
    return own, -blocks[slots[vertex // 8] + nth, :, vertex % 8].astype(np.float64).reshape(-1, 3, 3)


def test_eight_at_a_time_pull_as_one_by_one(hero, running):
    """Rings of all sizes, and vertices that are no whole group; in a shape where springs give way."""
    springs = SpringRig().allocate(SpringRig().bind(hero, "cpu")).springs
    pose_springs(springs, running)
    random = np.random.default_rng(0)
    posed = springs.attached.posed.numpy().astype(np.float64)
    assert len(posed) % 8 != 0
    assert len(set(np.diff(springs.binding.around.starts))) > 3
    for size in (0.0, 1e-3, 0.03):
        energy_at(springs, posed + size * random.normal(size=posed.shape))
        solver = NewtonSolver(springs)
        solver.begin(springs.points[1])
        by_eight, one_by_one = (devices.to_host(found) for found in (solver.forces, springs.forces(0)))
        scale = np.linalg.norm(one_by_one, axis=1).max()
        assert np.abs(by_eight - one_by_one).max() < 1e-5 * scale + 1e-6


@pytest.mark.parametrize("kind", ["edges", "relative_radius", "bend", "radius", "bones", "twist", None])
def test_the_matrix_of_a_shape_is_symmetric_and_no_softer_than_springs(kind, hero, running):
    """y H y against how pulls fall along y, by differences, of each kind of spring beside little of the others."""
    kinds = ("edges", "relative_radius", "bend", "radius", "bones", "twist")
    skin = SpringRig(stiffness={**dict.fromkeys(kinds, 0.1), kind: 1.0}) if kind else SpringRig()
    springs = skin.allocate(skin.bind(hero, "cpu")).springs
    pose_springs(springs, running)
    solver, random = NewtonSolver(springs), np.random.default_rng(0)
    posed = springs.attached.posed.numpy().astype(np.float64)
    points, starts, others = posed + 1e-3 * random.normal(size=posed.shape), springs.binding.owners, springs.all.others

    def pulls(at):
        energy_at(springs, at)
        return devices.to_host(springs.forces(0)).astype(np.float64)

    energy_at(springs, points)
    solver.begin(springs.points[1])
    solver._solve_all._calls[0]()
    own, edges = blocks_of(solver, len(points), len(starts))

    def multiply(y):
        found = np.einsum("nij,nj->ni", own, y)
        np.add.at(found, starts, np.einsum("eij,ej->ei", edges, y[others.numpy()]))
        return found

    one, two = random.normal(size=(2, *posed.shape))
    assert (one * multiply(two)).sum() == pytest.approx((two * multiply(one)).sum(), rel=1e-3, abs=1e-3)
    step = 1e-5
    for y in (one, two):
        true = (y * (pulls(points - step * y) - pulls(points + step * y))).sum() / (2.0 * step)
        assert 0.98 * true < (y * multiply(y)).sum() < 2.5 * max(true, 0.0) + 1e-9


def left_over(character, skin, poses):
    """What is left of pulls per stiffness (F, V) [m]."""
    binding = skin.bind(character, "cpu")
    state, found = skin.allocate(binding), []
    for pose in poses:
        skin.deform(binding, state, pose, None)
        forces = devices.to_host(skin.forces(binding, state))
        found.append(np.linalg.norm(forces, axis=1) / np.maximum(state.springs.tuned.total, 1e-12))
    return np.array(found)


def test_fifty_iterations_leave_no_more_than_fifty_sweeps(hero):
    """On a waving tube no more, or hardly anything; on a body that folds as it runs, less, also at most."""
    tube, waving = limb(3000, 24)
    motion = supple.motion("run-and-stop", hero)
    running = [motion.sample(time) for time in (0.1, 0.5, 0.9)]
    for character, poses in ((tube, waving[3:5]), (hero, running)):
        rounds, sweeps = (left_over(character, SpringRig(solver=solver), poses) for solver in ("factored", "sweeps"))
        assert np.sqrt((rounds**2).mean()) < max(np.sqrt((sweeps**2).mean()), 3e-7)
        assert rounds.max() < max(sweeps.max(), 3e-6)


def test_more_iterations_leave_less(hero):
    """In folds too: who has come to rest goes on when those beside it have moved."""
    motion = supple.motion("run-and-stop", hero)
    running = [motion.sample(time) for time in (0.1, 0.5, 0.9)]
    left = [np.sqrt((left_over(hero, SpringRig(iterations=count), running) ** 2).mean()) for count in (17, 50, 100)]
    assert left[2] < left[1] < left[0]


def test_a_few_rounds_take_nearly_all_of_the_energy(hero, running):
    skin = SpringRig()
    state = skin.allocate(skin.bind(hero, "cpu"))
    first = {}
    for iterations in (1, 50, 2000):
        pose_springs(state.springs, running)
        state.begin(None)
        first.setdefault("start", state.springs.energy())
        assert state.balance.run(state.springs.attached.posed, -(-iterations // 12))
        first[iterations] = state.springs.energy()
    taken = {name: first["start"] - left for name, left in first.items()}
    assert taken[1] > 0.75 * taken[2000]
    assert taken[50] > 0.95 * taken[2000]


def test_static_skin_stays_with_the_first_stage_by_the_factor_too(hero, running):
    held = with_static_bones(hero, ["Hips"])
    static = held.maps["static"] == 1.0
    first = supple.player(hero, supple.IncrementalRotation()).advance(running)
    found = supple.player(held, SpringRig()).advance(running)
    assert static.any()
    assert np.abs(found - first)[static].max() < 1e-6
    assert np.abs(found - first)[~static].max() > 1e-3
