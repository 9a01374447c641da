"""The condensed solver: it is the whole system where it should be, keeps what mechanics keeps, and only pushes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import supple
from oracles import articulated as oracle
from oracles import soft_body
from oracles.soft_body import momentum
from supple.errors import InputError
from supple.geometry import quaternions
from supple.skins.contact.dynamics.factored_system import skin_matrix
from supple.skins.contact.dynamics.solver import condensed_solver
from supple.skins.contact.model.elasticity import Tissue
from supple.skins.contact.model.flesh import flesh_from_character
from supple.skins.contact.model.joints import Joints
from supple.skins.contact.model.links import joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import GRAVITY, Mechanism, MechanismState, mechanism_from_flesh, rotate_by
from supple.skins.contact.model.mechanism import arms as link_arms
from supple.skins.contact.model.ordering import carrier_pairs, coupled_pairs, cut_pieces, skyline_from_mechanism
from supple.skins.contact.response.contact_set import ContactSet
from supple.skins.contact.response.contact_solver import Accuracy

EXACT = Accuracy(rounds=200, few=200, speed=1e-10, tolerance=1e-11, most_turn=np.inf)
SEEDS = st.integers(0, 10_000)
DOWN = (0.0, -1.0, 0.0)
UP = (0.0, 1.0, 0.0)


def branched() -> Mechanism:
    """A bar whose links hang on each other as a tree: one trunk with branches of different lengths."""
    body = oracle.bar(6)
    joints = Joints.balls([0, 1, 3, 4, 5], [2, 2, 2, 3, 2], body.centers[[0, 1, 3, 4, 5]] + 0.03)
    return replace(body, joints=joints, joint_stiffness=np.full(5, 3.0), joint_damping=np.full(5, 0.1))


HINGED = oracle.bar(3, hinges={"link1": (0.0, 0.6, 0.8)}, spring=5.0, damping=0.3)
BRANCHED = branched()
BODIES = {"hinged": HINGED, "branched": BRANCHED, "single": oracle.bar(1, cells=3)}


def any_contacts(mechanism, state, v, seed, *, count=4):
    """Contacts at nodes that move into something that moves, at its border when the step begins."""
    rng = np.random.default_rng(seed)
    nodes = rng.choice(mechanism.node_count, count, replace=False)
    normals = quaternions.normalize(rng.normal(size=(count, 3)))
    motions = 0.1 * rng.normal(size=(count, 3))
    four, shares = np.tile(nodes[:, None], (1, 4)), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    rows = oracle.contact_rows(mechanism, state, four, shares, normals)
    sign = -np.sign(rows @ v - np.sum(normals * motions, axis=1))
    normals, rows = sign[:, None] * normals, sign[:, None] * rows
    return nodes, normals, motions, rows


# The whole system


@pytest.mark.parametrize("name", BODIES)
@effort(max_examples=8)
@given(seed=SEEDS, dt=st.sampled_from([0.002, 0.01, 1.0 / 30.0]))
def test_it_is_the_whole_system_where_the_skin_is_its_block_diagonal(name, seed, dt):
    body = oracle.loose(BODIES[name])
    state, targets = oracle.any_state(body, seed), oracle.any_targets(body, seed)
    solver = condensed_solver(body, dt, accuracy=EXACT)
    solver.load(state)
    solver.set_targets(targets)
    solver.predict()
    v = oracle.packed(solver.state())
    wanted = oracle.free_velocities(body, state, targets, dt, GRAVITY, 0.5)
    np.testing.assert_allclose(v, wanted, atol=1e-9 * np.abs(wanted).max())

    nodes, normals, motions, rows = any_contacts(body, state, v, seed)
    away = np.sum(normals * motions, axis=1)
    gaps = dt * (rows @ v - away)  # all of it inside: they began at the border
    found = solver.solve_contacts(ContactSet.at_nodes(nodes, normals=normals, gaps=gaps, velocities=motions))
    after = oracle.packed(solver.state())
    pushing = found.normal_impulses > 0.0
    direct, normal_impulses = oracle.response(body, state, targets, dt, GRAVITY, v, rows[pushing], away[pushing])
    np.testing.assert_allclose(after, direct, atol=1e-8 * np.abs(direct).max())
    np.testing.assert_allclose(found.normal_impulses[pushing], normal_impulses, rtol=1e-6, atol=1e-9)
    assert (rows @ after - away > -1e-9).all()  # those that do not push part by themselves


@effort(max_examples=8)
@given(SEEDS)
def test_constraints_hold_with_the_real_skin_and_the_answer_is_that_of_the_whole_system(seed):
    """Contacts to rounding; how links and impulses answer as near as the condensed mass is to the whole one's."""
    dt = 0.01
    state, targets = oracle.any_state(HINGED, seed), oracle.any_targets(HINGED, seed)
    solver = condensed_solver(HINGED, dt, accuracy=EXACT)
    solver.load(state)
    solver.set_targets(targets)
    solver.predict()
    v = oracle.packed(solver.state())
    rows, errors = oracle.joint_rows(HINGED, state)
    np.testing.assert_allclose(rows @ v, -0.5 / dt * errors, atol=1e-9)
    nodes, normals, motions, touching = any_contacts(HINGED, state, v, seed)
    away = np.sum(normals * motions, axis=1)
    gaps = dt * (touching @ v - away)
    found = solver.solve_contacts(ContactSet.at_nodes(nodes, normals=normals, gaps=gaps, velocities=motions))
    after, pushing = oracle.packed(solver.state()), found.normal_impulses > 1e-6
    direct, normal_impulses = oracle.response(HINGED, state, targets, dt, GRAVITY, v, touching[pushing], away[pushing])
    system = oracle.system(HINGED, state, targets, dt, GRAVITY).matrix
    assert (after - direct) @ system @ (after - direct) < 0.3**2 * (direct - v) @ system @ (direct - v)
    assert np.linalg.norm(found.normal_impulses[pushing] - normal_impulses) < 0.3 * np.linalg.norm(normal_impulses)
    np.testing.assert_allclose(rows @ after, rows @ v, atol=1e-9)
    np.testing.assert_allclose((touching @ after - away)[pushing], 0.0, atol=1e-6)


def condensed_inertia(solver) -> np.ndarray:
    """M^cond (6 k, 6 k) as the solver keeps it."""
    kept = solver.links
    firsts, ats, values = kept.first_columns.numpy(), kept.row_offsets.numpy(), kept.values.numpy()
    lower = np.zeros((3 * kept.size, 3 * kept.size))
    for i in range(kept.size):
        for j in range(firsts[i], i + 1):
            lower[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = values[ats[i] + j - firsts[i]]
    unknowns = (3 * kept.link_rows.numpy()[:, None] + np.arange(6)).ravel()
    return (lower + np.tril(lower, -1).T)[np.ix_(unknowns, unknowns)]


@pytest.mark.parametrize("tissue", ["fat", "muscle", "rubber"])
def test_the_condensed_inertia_of_a_character_is_within_a_tenth_and_positive(tissue):
    """Against M~b - M~bs M~s^-1 M~bs^T, in the spectral norm."""
    snake = supple.character("snake", vertices=1500)
    flesh = flesh_from_character(snake, count=3000, tissue=tissue)
    links = links_from_flesh(snake.skeleton, flesh)
    body = mechanism_from_flesh(flesh, links, joints_from_links(snake.skeleton, links))
    k, n = body.link_count, body.node_count
    solver = condensed_solver(body, 0.01)
    solver.predict()
    found = condensed_inertia(solver)
    arms, coupling = link_arms(body, MechanismState.rest(body)), np.zeros((6 * k, n, 3))
    for slot in range(body.links.shape[1]):
        link, share = body.free_links[:, slot], body.free_weights[:, slot] * body.masses
        node = np.arange(n)
        for axis in range(3):
            coupling[6 * link + axis, node, axis] += share
            for other in range(3):
                coupling[6 * link + 3 + axis, node, other] += share * np.cross(arms[:, slot], np.eye(3)[other])[:, axis]
    coupling = coupling.reshape(6 * k, 3 * n)
    inertia = np.zeros((6 * k, 6 * k))
    for i in range(k):
        at = slice(6 * i, 6 * i + 6)
        own = np.flatnonzero(body.free_links.ravel() == i)
        share = (body.masses[:, None] * body.free_weights).ravel()[own]
        arm = arms.reshape(-1, 3)[own]
        first = body.core_first_moments[i] + share @ arm
        second = body.core_second_moments[i] + (share[:, None] * arm).T @ arm
        inertia[at, at][:3, :3] = body.link_masses[i] * np.eye(3)
        inertia[at, at][:3, 3:], inertia[at, at][3:, :3] = -oracle.cross(first), oracle.cross(first)
        inertia[at, at][3:, 3:] = np.trace(second) * np.eye(3) - second
    exact = inertia - coupling @ np.linalg.solve(skin_matrix(body, 0.01).toarray(), coupling.T)
    assert np.linalg.norm(found - exact, 2) < 0.1 * np.linalg.norm(exact, 2)
    assert np.linalg.eigvalsh(found)[0] > 0.0


# The order of solution


@given(SEEDS, st.integers(1, 12))
def test_links_come_before_what_they_hang_on_and_every_coupling_has_its_place(seed, count):
    rng = np.random.default_rng(seed)
    body = oracle.bar(1)
    parents = np.array([-1, *(int(rng.integers(0, i)) for i in range(1, count))])
    children = np.flatnonzero(parents >= 0)
    kinds = rng.integers(0, 2, len(children))
    joints = Joints(
        children,
        parents[children],
        np.zeros((len(children), 3)),
        kinds,
        np.ones((len(children), 3)),
        np.full(len(children), -1.0),
        np.where(rng.random(len(children)) < 0.5, 1.0, 1e9),
    )
    tree = replace(body, centers=np.zeros((count, 3)), joints=joints)
    pairs = rng.integers(0, count, (count, 2))
    sky = skyline_from_mechanism(tree, pairs)
    used = np.zeros(sky.size, dtype=int)
    for start in sky.link_rows:
        used[start : start + 2] += 1
    for joint, row in enumerate(sky.joint_rows):
        height = (1, 2)[kinds[joint]]
        used[row : row + height] += 1
        child, parent = sky.link_rows[children[joint]], sky.link_rows[parents[children[joint]]]
        assert child < row < parent
        assert (sky.first_columns[row : row + height] <= child).all()
        assert (sky.first_columns[parent : parent + 2] <= child).all()
    np.testing.assert_array_equal(used, 1)
    for one, other in pairs:
        low, high = sorted((sky.link_rows[one], sky.link_rows[other]))
        assert (sky.first_columns[high : high + 2] <= low).all()
    np.testing.assert_array_equal(np.diff(sky.row_offsets), np.arange(sky.size) - sky.first_columns + 1)


def test_the_system_of_links_grows_with_their_number_only():
    """Chains and stars: the entries for each link stay the same however many there are."""
    for parent_of in (lambda i: i - 1, lambda i: 0, lambda i: (i - 1) // 2):
        each = []
        for count in (63, 255, 1023):
            children = np.arange(1, count)
            parents = np.array([parent_of(i) for i in children])
            joints = Joints.balls(children, parents, np.zeros((count - 1, 3)))
            tree = replace(oracle.bar(1), centers=np.zeros((count, 3)), joints=joints)
            each.append(skyline_from_mechanism(tree, np.zeros((0, 2), np.int32)).row_offsets[-1] / count)
        assert each[2] < 1.6 * each[0]


def test_sums_are_cut_into_pieces_that_hold_every_entry_once():
    labels = np.repeat(np.arange(5), [0, 1, 48, 49, 500]).astype(np.int32)
    cut = cut_pieces(labels, 5)
    np.testing.assert_array_equal(np.sort(cut.entries), np.arange(len(labels)))
    for group in range(5):
        members = cut.entries[cut.starts[cut.groups[group]] : cut.starts[cut.groups[group + 1]]]
        np.testing.assert_array_equal(labels[members], group)
    assert np.diff(cut.starts).max() <= 48
    shared = carrier_pairs(HINGED)
    for one, other in zip(shared.ones, shared.others, strict=True):
        assert one // HINGED.links.shape[1] == other // HINGED.links.shape[1]
    assert {tuple(pair) for pair in shared.pairs} <= {tuple(pair) for pair in coupled_pairs(HINGED)}


# What mechanics keeps


def spun(mechanism, seed, speed):
    """Turning as a whole, and some links against the others, with joints that hold."""
    rng = np.random.default_rng(seed)
    state = MechanismState.rest(mechanism)
    rotation = quaternions.normalize(rng.normal(size=3)) * speed
    state.angular_velocities[:] = rotation
    state.angular_velocities[-1] += rng.normal(size=3) * speed
    joints = mechanism.joints
    state.velocities[:] = rng.normal(size=3) + np.cross(rotation, state.positions)
    for child, parent, pivot in zip(joints.children, joints.parents, joints.pivots, strict=True):
        at_parent = state.velocities[parent] + np.cross(
            state.angular_velocities[parent], pivot - state.positions[parent]
        )
        state.velocities[child] = at_parent - np.cross(state.angular_velocities[child], pivot - state.positions[child])
    state.node_velocities = 0.1 * speed * rng.normal(size=state.node_velocities.shape)
    return state


@pytest.mark.parametrize("young", [3e3, 1e6])
@pytest.mark.parametrize("dt", [0.01, 1.0 / 30.0])
def test_in_free_flight_momentum_stays_and_energy_never_grows(young, dt):
    body = oracle.bar(4, tissue=Tissue(youngs_modulus=young), spring=1.0)
    solver = condensed_solver(body, dt, gravity=(0.0, 0.0, 0.0))
    state = spun(body, 3, 6.0)
    solver.load(state)
    linear, angular = momentum(body, state)
    before = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
    first = before
    for _ in range(round(3.0 / dt)):
        solver.advance()
        now = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
        assert now <= before * (1.0 + 1e-12)
        before = now
    after = solver.state()
    one, two = momentum(body, after)
    np.testing.assert_allclose(one, linear, atol=1e-9)
    np.testing.assert_allclose(two, angular, atol=1e-9)
    assert 0.05 * first < before < first
    assert np.abs(soft_body.joint_gaps(body, after)).max() < 0.02
    np.testing.assert_allclose(
        after.rotations @ np.swapaxes(after.rotations, 1, 2), np.tile(np.eye(3), (4, 1, 1)), atol=1e-12
    )


@pytest.mark.parametrize("strength", [1.0, 10.0])
@pytest.mark.parametrize("dt", [0.01, 1.0 / 30.0])
def test_energy_never_grows_under_gravity_from_one_to_ten_g(strength, dt):
    body = oracle.bar(3, tissue="fat")
    gravity = strength * np.array(GRAVITY)
    solver = condensed_solver(body, dt, gravity=gravity)
    solver.load(spun(body, 1, 3.0))
    size = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).kinetic
    before = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
    fallen = 0.0
    for _ in range(60):
        solver.advance()
        now = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity)
        fallen = max(fallen, now.kinetic)
        assert now.total <= before + 1e-12 * (size + fallen)
        before = now.total
    matter = momentum(body, solver.state())[0] / body.link_masses.sum()
    start = momentum(body, spun(body, 1, 3.0))[0] / body.link_masses.sum()
    np.testing.assert_allclose(matter, start + 60 * dt * gravity, atol=1e-9)


def test_a_body_that_only_falls_does_not_notice():
    body = oracle.bar(3)
    solver = condensed_solver(body, 0.01)
    for _ in range(20):
        solver.advance()
    state = solver.state()
    np.testing.assert_allclose(state.displacements, 0.0, atol=1e-12)
    np.testing.assert_allclose(
        state.positions - body.centers, np.tile([0.0, -9.81 * 1e-4 * 210, 0.0], (3, 1)), atol=1e-12
    )


def test_flesh_of_a_spinning_body_is_flung_outwards_and_balances():
    """Centripetal force m o^2 r against K u: the steady state of the skin alone."""
    body = oracle.bar(1, cells=3, tissue=Tissue(youngs_modulus=2e4, mass_damping=20.0))
    solver = condensed_solver(body, 0.005, gravity=(0.0, 0.0, 0.0))
    state = MechanismState.rest(body)
    arm = body.rest[: body.node_count] - body.centers[0]
    second = body.core_second_moments[0] + (body.masses[:, None] * arm).T @ arm
    state.angular_velocities[:] = 5.0 * np.linalg.eigh(second)[1][:, 0]  # about its shortest axis it does not tumble
    solver.load(state)
    for _ in range(400):
        solver.advance()
    after = solver.state()
    spin = after.rotations[0].T @ after.angular_velocities[0]
    arm = body.rest[: body.node_count] - body.centers[0] + after.displacements
    out = -body.masses[:, None] * np.cross(spin, np.cross(spin, arm))
    pull = (body.stiffness @ after.displacements.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(pull, out, atol=0.02 * np.abs(out).max())
    assert np.sum(after.displacements * out) > 0.0


# Bad input


def test_what_does_not_fit_is_refused():
    body = oracle.bar(2)
    for dt in (0.0, -1.0, np.nan):
        with pytest.raises(InputError, match="step is"):
            condensed_solver(body, dt)
    with pytest.raises(InputError, match="stabilization is 2"):
        condensed_solver(body, 0.01, stabilization=2.0)
    with pytest.raises(InputError, match="gravity"):
        condensed_solver(body, 0.01, gravity=(0.0, 1.0))
    solver = condensed_solver(body, 0.01)
    with pytest.raises(InputError, match="a state of shape"):
        solver.load(MechanismState.rest(oracle.bar(3)))
    solver.predict()
    with pytest.raises(InputError, match="contacts name nodes"):
        solver.solve_contacts(ContactSet.at_nodes([len(body.rest)], normals=[UP], gaps=[0.0]))
    with pytest.raises(InputError, match="free body 0"):
        solver.solve_contacts(
            ContactSet(
                np.zeros((1, 4), int),
                np.array([[1.0, 0.0, 0.0, 0.0]]),
                np.array([UP]),
                np.zeros((1, 3)),
                np.zeros(1),
                bodies=np.array([0]),
            )
        )
    with pytest.raises(InputError, match=r"sum to 0\.5"):
        ContactSet(
            np.zeros((1, 4), int), np.array([[0.5, 0.0, 0.0, 0.0]]), np.array([UP]), np.zeros((1, 3)), np.zeros(1)
        )
    with pytest.raises(InputError, match="has no normal"):
        ContactSet.at_nodes([0], normals=[(0.0, 0.0, 0.0)], gaps=[0.0])
    with pytest.raises(InputError, match="friction"):
        ContactSet.at_nodes([0], normals=[UP], gaps=[0.0], frictions=[-1.0])
    with pytest.raises(InputError, match="gaps"):
        ContactSet.at_nodes([0], normals=[UP], gaps=[0.0, 1.0])


def test_a_body_all_of_core_is_a_rigid_one():
    """No free node at all: links alone, which still fall, turn and hang together."""
    body = oracle.bar(2)
    firm = replace(
        body,
        masses=np.zeros(0),
        stiffness=body.stiffness[:0, :0],
        damping=body.damping[:0, :0],
        core_masses=body.link_masses,
        core_first_moments=np.zeros((2, 3)),
        core_second_moments=np.tile(0.01 * np.eye(3), (2, 1, 1)),
    )
    solver = condensed_solver(firm, 0.01)
    solver.load(spun(firm, 2, 4.0))
    before = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
    for _ in range(100):
        solver.advance()
        assert soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total <= before + 1e-9
        before = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
    assert np.abs(soft_body.joint_gaps(firm, solver.state())).max() < 0.01


def test_the_same_step_gives_the_same_result_and_turning_the_world_turns_it():
    body = HINGED
    state = oracle.any_state(body, 9)
    rotation = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle([1.0, 2.0, 3.0], 1.0))
    results = []
    for world in (np.eye(3), np.eye(3), rotation):
        solver = condensed_solver(body, 0.01, gravity=world @ np.array(GRAVITY))
        moved = state.copy()
        moved.positions, moved.velocities, moved.angular_velocities = (
            v @ world.T for v in (state.positions, state.velocities, state.angular_velocities)
        )
        moved.rotations = world @ state.rotations
        solver.load(moved)
        for _ in range(10):
            solver.advance()
        results.append(solver.state())
    np.testing.assert_array_equal(results[0].positions, results[1].positions)
    np.testing.assert_array_equal(results[0].displacements, results[1].displacements)
    np.testing.assert_allclose(results[2].positions, results[0].positions @ rotation.T, atol=1e-9)
    np.testing.assert_allclose(results[2].displacements, results[0].displacements, atol=1e-9)
    unturned = rotate_by(results[0].rotations, np.zeros((3, 3)))
    np.testing.assert_array_equal(unturned, results[0].rotations)
