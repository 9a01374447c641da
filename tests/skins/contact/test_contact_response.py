"""How a soft character answers contacts, the limits of its joints and its control: all push, none pulls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from oracles import articulated as oracle
from oracles import soft_body
from oracles.soft_body import momentum
from oracles.tracking import towards
from supple import Pose, Skeleton
from supple.geometry import quaternions
from supple.skins.contact.control.tracking import Targets, Tracking
from supple.skins.contact.dynamics.solver import condensed_solver
from supple.skins.contact.model.elasticity import Tissue
from supple.skins.contact.model.joints import HINGE, rotation_vectors
from supple.skins.contact.model.links import Links
from supple.skins.contact.model.mechanism import MechanismState, rotate_by
from supple.skins.contact.response.contact_set import ContactSet
from supple.skins.contact.response.contact_solver import Accuracy

DOWN = (0.0, -1.0, 0.0)
UP = (0.0, 1.0, 0.0)
EXACT = Accuracy(rounds=200, few=200, speed=1e-10, tolerance=1e-11, most_turn=np.inf)


# Contacts


def test_contacts_push_and_never_pull():
    """A block pressed from below and from the side: what parts is left alone, what pushes stops exactly."""
    body = oracle.bar(2, tissue="fat")
    solver = condensed_solver(body, 0.01, accuracy=EXACT)
    state = MechanismState.rest(body)
    state.velocities[:] = [0.5, -1.0, 0.0]
    solver.load(state)
    solver.predict()
    low = np.flatnonzero(body.rest[: body.node_count, 1] < -0.09)
    v = oracle.packed(solver.state())
    rows = oracle.contact_rows(
        body, state, np.tile(low[:, None], (1, 4)), np.tile([1.0, 0, 0, 0], (len(low), 1)), np.tile(UP, (len(low), 1))
    )
    began = np.where(np.arange(len(low)) % 2, 0.0, 0.004)  # every other one has a little way to go
    contacts = ContactSet.at_nodes(low, normals=np.tile(UP, (len(low), 1)), gaps=began + 0.01 * rows @ v)
    found = solver.solve_contacts(contacts)
    after = rows @ oracle.packed(solver.state())
    wanted = -began / 0.01
    assert (found.normal_impulses >= 0.0).all()
    assert (found.normal_impulses > 0.0).any()
    assert (after >= wanted - 1e-9).all()
    np.testing.assert_allclose(found.normal_impulses * (after - wanted), 0.0, atol=1e-9)
    solver.integrate()
    assert (solver.node_positions[low, 1] > -0.1 - began - 5e-5).all()  # a step is straight, links turn a little in it


@pytest.mark.parametrize("count", [5, 40])
@effort(max_examples=12)
@given(seed=st.integers(0, 10_000))
def test_any_contacts_and_limits_are_answered_by_pushes_that_take_energy(count, seed):
    """Against the whole system, flesh and all; also where rounds are too few to settle which of them push."""
    body = oracle.bar(5, hinges={"link2": (0.0, 0.0, 1.0)}, limits={"link2": (-0.1, 0.1), "link3": (0.0, 0.2)})
    rng = np.random.default_rng(seed)
    state = oracle.any_state(body, seed)
    solver = condensed_solver(body, 0.01, stabilization=0.0)  # joints that pull themselves together give energy
    solver.load(state)
    solver.predict()
    nodes = rng.choice(body.node_count, count, replace=False)
    normals = quaternions.normalize(rng.normal(size=(count, 3)))
    before = oracle.packed(solver.state())
    rows = oracle.contact_rows(
        body, state, np.tile(nodes[:, None], (1, 4)), np.tile([1.0, 0, 0, 0], (count, 1)), normals
    )
    found = solver.solve_contacts(ContactSet.at_nodes(nodes, normals=normals, gaps=0.01 * rows @ before))
    after = oracle.packed(solver.state())
    assert (found.normal_impulses >= 0.0).all()
    assert (rows @ after).min() > -found.flesh_residual - 1e-9  # it says how well it did
    system = oracle.system(body, state, Targets.none(body), 0.01, (0.0, 0.0, 0.0))
    matrix, links = system.matrix, 6 * body.link_count
    np.testing.assert_allclose(system.rows @ after, system.rows @ before, atol=1e-8)
    if not (soft_body.bend(body.joints, state.rotations)[1:3] ** 2).sum(axis=1).max() > 0.01:  # no limit is broken
        assert after @ matrix @ after <= before @ matrix @ before * (1.0 + 1e-9)
    change = after - before
    pulled = matrix @ change - rows.T @ found.normal_impulses
    np.testing.assert_allclose(
        pulled[links:], 0.0, atol=1e-8 * np.abs(matrix @ change).max()
    )  # nothing else on the skin


@pytest.mark.parametrize("seed", [1, 4, 7])
def test_every_round_pushes_and_takes_energy_until_all_contacts_are_answered(seed):
    """However many rounds there are: none pulls, and each leaves less energy, in the norm of the whole system."""
    body = oracle.bar(5)
    state = oracle.any_state(body, seed)
    rng = np.random.default_rng(seed)
    nodes = rng.choice(body.node_count, 60, replace=False)
    normals = quaternions.normalize(rng.normal(size=(60, 3)))
    rows = oracle.contact_rows(body, state, np.tile(nodes[:, None], (1, 4)), np.tile([1.0, 0, 0, 0], (60, 1)), normals)
    system = oracle.system(body, state, Targets.none(body), 0.01, (0.0, 0.0, 0.0))
    energies, worst, said = [], [], []
    for rounds in (1, 2, 3, 4, 60):
        accuracy = replace(EXACT, rounds=rounds, few=rounds)
        solver = condensed_solver(body, 0.01, stabilization=0.0, accuracy=accuracy)
        solver.load(state)
        solver.predict()
        before = oracle.packed(solver.state())
        found = solver.solve_contacts(ContactSet.at_nodes(nodes, normals=normals, gaps=0.01 * rows @ before))
        after = oracle.packed(solver.state())
        assert (found.normal_impulses >= 0.0).all()
        np.testing.assert_allclose(system.rows @ after, system.rows @ before, atol=1e-8)
        energies.append(after @ system.matrix @ after)
        worst.append((rows @ after).min())
        said.append(found.flesh_residual)
    assert energies[0] <= before @ system.matrix @ before * (1.0 + 1e-12)
    assert (np.diff(energies) <= 1e-3 * (before @ system.matrix @ before - energies[-1])).all()
    assert worst[0] < -1e-3  # one round was not enough
    assert (np.array(worst) >= -np.array(said) - 1e-9).all()
    assert worst[-1] > -1e-7
    pushing = found.normal_impulses > 1e-6
    np.testing.assert_allclose((rows @ after)[pushing], 0.0, atol=1e-6)


def test_what_parts_or_does_not_reach_is_left_alone():
    body = oracle.bar(2)
    solver = condensed_solver(body, 0.01)
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, 2.0, 0.0]
    solver.load(state)
    solver.predict()
    before = oracle.packed(solver.state())
    found = solver.solve_contacts(ContactSet.at_nodes([0, 1], normals=[UP, UP], gaps=[-0.01 + 0.0192, 0.5]))
    assert found.iterations == 0
    np.testing.assert_array_equal(oracle.packed(solver.state()), before)


def test_points_between_nodes_are_stopped_too_though_they_share_nodes():
    body = oracle.bar(3, tissue="fat")
    solver = condensed_solver(body, 0.01, accuracy=EXACT)
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, -1.0, 0.0]
    solver.load(state)
    solver.predict()
    rng = np.random.default_rng(2)
    low = body.elements[(body.rest[body.elements][:, :, 1] < -0.09).sum(axis=1) == 3][:12]
    shares = np.where(body.rest[low][:, :, 1] < -0.09, rng.uniform(0.1, 1.0, low.shape), 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    normals = np.tile(UP, (len(low), 1))
    rows = oracle.contact_rows(body, state, low, shares, normals)
    pace = rows @ oracle.packed(solver.state())
    found = solver.solve_contacts(ContactSet(low, shares, normals, np.zeros((len(low), 3)), 0.01 * pace))
    after = rows @ oracle.packed(solver.state())
    assert (found.normal_impulses >= 0.0).all()
    assert after.min() > -1e-6
    solver.integrate()
    assert (np.einsum("ck,ck->c", shares, solver.node_positions[low][:, :, 1]) > -0.1 - 3e-4).all()  # and lifted out


def test_contacts_on_the_core_stop_the_links():
    body = oracle.bar(2)
    core = body.node_count + 1
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, -1.0, 0.0]
    solver = condensed_solver(body, 0.01, accuracy=EXACT)
    solver.load(state)
    solver.predict()
    row = oracle.velocity_rows(body, state, core)[1]
    pace = row @ oracle.packed(solver.state())
    solver.solve_contacts(ContactSet.at_nodes([core], normals=[UP], gaps=[0.01 * pace]))
    assert abs(row @ oracle.packed(solver.state())) < 1e-4 * abs(pace)  # bones yield a little, and are answered again


def test_contacts_turn_no_joint_farther_in_a_step_than_can_be_followed():
    """A finger that a floor would fold at once: the arm behind it is stopped instead."""
    body = oracle.bar(3)
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, -40.0, 0.0]
    tip = int(np.argmax(body.rest[: body.node_count, 0]))

    def turns(most: float) -> float:
        solver = condensed_solver(body, 0.02, gravity=(0.0, 0.0, 0.0), accuracy=replace(EXACT, most_turn=most))
        solver.load(state)
        solver.predict()
        v = oracle.packed(solver.state())
        row = oracle.velocity_rows(body, state, tip)[1]
        found = solver.solve_contacts(ContactSet.at_nodes([tip], normals=[UP], gaps=[0.02 * row @ v]))
        after = solver.state()
        np.testing.assert_allclose(row @ oracle.packed(after), 0.0, atol=1e-6)  # it is stopped all the same
        assert found.normal_impulses[0] > 0.0
        spins = after.angular_velocities[body.joints.children] - after.angular_velocities[body.joints.parents]
        return 0.02 * float(np.linalg.norm(spins, axis=1).max())

    free = turns(np.inf)
    assert free > 0.2
    assert turns(0.1) == pytest.approx(0.1, rel=1e-2)
    assert turns(2.0 * free) == pytest.approx(free, rel=1e-6)


def floor_of(solver, height, friction=0.0):
    """Contacts of all nodes that a floor would stop."""
    ahead = solver.predicted_positions
    low = np.flatnonzero(ahead[:, 1] < height)
    return ContactSet.at_nodes(
        low, normals=np.tile(UP, (len(low), 1)), gaps=ahead[low, 1] - height, frictions=np.full(len(low), friction)
    )


@pytest.mark.parametrize("tissue", ["fat", "rubber"])
@pytest.mark.parametrize("loose", [True, False])
def test_a_body_dropped_on_the_floor_comes_to_rest_on_it(tissue, loose):
    body = oracle.bar(3, tissue=tissue, spring=2.0, damping=0.5)
    body = oracle.loose(body) if loose else body
    growth = 1e-7 if loose else 2e-3  # the skin's answer to contacts leaves out how neighbours pull; here none do
    solver = condensed_solver(body, 0.01)
    before = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity).total
    drop = 0.1 * 9.81 * body.link_masses.sum()
    for _ in range(150):
        solver.predict()
        solver.solve_contacts(floor_of(solver, -0.2))
        solver.integrate()
        now = soft_body.energy(solver.mechanism, solver.state(), gravity=solver.gravity)
        assert now.total <= before + growth * drop
        before = now.total
        assert solver.node_positions[:, 1].min() > -0.2 - 2e-3
    assert now.kinetic < 1e-3
    assert solver.node_positions[:, 1].min() < -0.19


def test_friction_holds_on_to_what_slides():
    ways = []
    for friction in (0.0, 0.8):
        body = oracle.bar(2, tissue="rubber", spring=50.0, damping=1.0)
        state = MechanismState.rest(body)
        state.velocities[:] = [1.0, 0.0, 0.0]
        solver = condensed_solver(body, 0.01)
        solver.load(state)
        for _ in range(40):
            solver.predict()
            solver.solve_contacts(floor_of(solver, -0.1, friction))
            solver.integrate()
        ways.append(momentum(body, solver.state())[0][0] / body.link_masses.sum())
    assert ways[0] == pytest.approx(1.0, abs=0.02)
    assert ways[1] < 0.5


def limb(tissue):
    """A bar held in the air by its first link and struck on its last: where its end is, and how deep it is dented."""
    body = oracle.bar(3, tissue=tissue, spring=4.0, damping=1.5)
    hold = Targets.none(body)
    hold = replace(hold, root_positions=body.centers[:1], root_gains=np.full((1, 4), 1e7))
    solver = condensed_solver(body, 0.005, gravity=(0.0, 0.0, 0.0))
    hit = np.flatnonzero(
        (body.rest[: body.node_count, 1] > 0.09) & (np.abs(body.rest[: body.node_count, 0] - 0.5) < 0.06)
    )
    positions, dents = [], []
    for step in range(1200):
        solver.set_targets(hold)
        solver.predict()
        top = 0.1 - 0.04 * np.sin(np.pi * min(step / 40.0, 1.0))  # comes down by 4 cm and goes up again
        if step < 40:
            ahead = solver.predicted_positions[hit]
            speed = -0.04 * np.pi / 40.0 / 0.005 * np.cos(np.pi * step / 40.0)
            touching = ahead[:, 1] > top
            count = int(touching.sum())
            normals, motions = np.tile(DOWN, (count, 1)), np.tile([0.0, speed, 0.0], (count, 1))
            gaps = (top - ahead[:, 1])[touching]
            solver.solve_contacts(ContactSet.at_nodes(hit[touching], normals=normals, gaps=gaps, velocities=motions))
        solver.integrate()
        state = solver.state()
        positions.append(state.positions[2, 1] - body.centers[2, 1])
        dents.append(-state.displacements[hit, 1].min())
    return np.array(positions), np.array(dents)


def test_a_struck_limb_is_dented_and_moves_and_both_come_back():
    positions, dents = limb("fat")
    assert dents[:40].max() > 0.005
    assert positions[:60].min() < -0.005
    assert abs(dents[-1]) < 1e-3
    assert abs(positions[-1]) < 2e-3
    firm, hardly = limb(Tissue(youngs_modulus=1e8))
    assert firm[:60].min() < -0.02  # without soft skin the limb still moves
    assert hardly[:40].max() < 1e-3


# Limits of joints, and control


@pytest.mark.parametrize("hinge", [True, False])
def test_limits_hold_and_let_go(hinge):
    body = oracle.bar(2, hinges={"link1": (0.0, 0.0, 1.0)} if hinge else {}, limits={"link1": (-0.4, 0.3)})
    assert bool(body.joints.kinds[0] == HINGE) is hinge
    solver = condensed_solver(body, 0.01, gravity=(0.0, 0.0, 0.0))
    state = MechanismState.rest(body)
    state.angular_velocities[1] = [0.0, 0.0, 6.0]
    pivot = body.joints.pivots[0]
    state.velocities[1] = -np.cross(state.angular_velocities[1], pivot - state.positions[1])
    solver.load(state)
    highest, lowest = 0.0, 0.0
    for step in range(60):
        if step == 30:  # strike it back
            state = solver.state()
            state.angular_velocities[1] += [0.0, 0.0, -8.0]
            state.velocities[1] += np.cross([0.0, 0.0, 8.0], state.rotations[1] @ (pivot - body.centers[1]))
            solver.load(state)
        solver.advance()
        angle = soft_body.bend(body.joints, solver.state().rotations)[0, 2]
        highest, lowest = max(highest, angle), min(lowest, angle)
    # A ball also turns across its bend, which adds a term of second order to its angle in every step.
    assert 0.25 < highest < (0.31 if hinge else 0.33)
    assert -0.41 < lowest < (-0.3 if hinge else -0.25)
    free = condensed_solver(
        replace(body, joints=replace(body.joints, lows=[-1e9], highs=[1e9])), 0.01, gravity=(0, 0, 0)
    )
    free.load(spun_child(body))
    for _ in range(20):
        free.advance()
    assert soft_body.bend(body.joints, free.state().rotations)[0, 2] > 0.5


def spun_child(body):
    state = MechanismState.rest(body)
    state.angular_velocities[1] = [0.0, 0.0, 6.0]
    state.velocities[1] = -np.cross(state.angular_velocities[1], body.joints.pivots[0] - state.positions[1])
    return state


@pytest.mark.parametrize("dt", [0.001, 0.01, 1.0 / 30.0, 0.1])
@pytest.mark.parametrize("strength", [0.05, 0.5, 0.97, 1.0])
def test_control_is_stable_at_any_strength_and_step(strength, dt):
    skeleton, body, links = posed_bar()
    goal = Pose.from_rotations(
        skeleton, {"b": quaternions.quat_from_axis_angle([0.0, 1.0, 1.0], 1.2)}, move=(0.1, 0.2, 0.0)
    )
    targets = towards(Tracking(body, links, skeleton, strength=strength), goal, goal, dt)
    solver = condensed_solver(body, dt, gravity=(0.0, 0.0, 0.0))
    solver.set_targets(targets)
    fastest = 0.0
    for _ in range(60):
        solver.advance()
        fastest = max(fastest, np.abs(solver.state().angular_velocities).max())
    state = solver.state()
    assert np.isfinite(state.positions).all()
    np.testing.assert_allclose(soft_body.joint_gaps(body, state), 0.0, atol=1e-12)
    assert fastest < 1.3 * 1.2 / min(dt, 1.0) + 10.0
    if strength == 1.0:
        positions, rotations = links.pose(skeleton, goal)
        np.testing.assert_allclose(state.positions, positions, atol=1e-2)
        assert np.abs(rotation_vectors(np.swapaxes(rotations, 1, 2) @ state.rotations)).max() < 1e-2


def posed_bar():
    heads = [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0]]
    skeleton = Skeleton.from_heads(["a", "b"], [-1, 0], heads, tails=[[0.2, 0.0, 0.0], [0.4, 0.0, 0.0]])
    body = oracle.bar(2)
    return skeleton, body, Links(np.array([0, 1]), np.array([0, 1]), np.array([-1, 0]), body.centers)


def test_joints_of_a_driven_body_are_closed_without_moving_its_centre():
    """Control of the joints alone pushes against nothing: matter as a whole goes on as it was."""
    body = oracle.bar(4)
    none = Targets.none(body)
    twist = rotate_by(none.rotations, np.array([[0.0, 0.5, 1.0], [0.3, 0.0, -1.0], [0.0, 0.0, 1.0]]))
    solver = condensed_solver(body, 1.0 / 30.0, gravity=(0.0, 0.0, 0.0))
    solver.set_targets(replace(none, rotations=twist, stiffness=np.full(3, 40.0), damping=np.full(3, 1.0)))
    start = matter(body, solver.state())
    for _ in range(40):
        solver.advance()
        np.testing.assert_allclose(soft_body.joint_gaps(body, solver.state()), 0.0, atol=1e-12)
    after = solver.state()
    assert np.abs(soft_body.bend(body.joints, after.rotations)).max() > 0.3
    np.testing.assert_allclose(momentum(body, after), 0.0, atol=1e-9)
    np.testing.assert_allclose(matter(body, after), start, atol=2e-3)


def matter(body, state):
    """Where the centre of all matter is."""
    core = body.core_masses[:, None] * state.positions + np.einsum(
        "kab,kb->ka", state.rotations, body.core_first_moments
    )
    return (body.masses @ soft_body.node_positions(body, state) + core.sum(axis=0)) / body.link_masses.sum()


def test_limp_joints_hang_and_rigid_ones_follow_the_animation():
    skeleton, body, links = posed_bar()
    rest = Pose.rest(skeleton)
    lowest = {}
    for strength in (0.0, 1.0):
        solver = condensed_solver(body, 0.01)
        tracking = Tracking(body, links, skeleton, strength=1.0, strengths={"b": strength})
        solver.set_targets(towards(tracking, rest, rest, 0.01))
        heights = []
        for _ in range(50):
            solver.advance()
            heights.append(solver.state().positions[1, 1] - body.centers[1, 1])
        lowest[strength] = min(heights)
    assert lowest[1.0] == pytest.approx(0.0, abs=2e-3)
    assert lowest[0.0] < -0.05
