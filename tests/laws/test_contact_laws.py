"""Laws of the response to contacts: friction and its cones, momentum, limits, and what a state is resumed from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from oracles import articulated as oracle
from oracles import soft_body
from oracles.soft_body import momentum
from supple import ArticulatedContact, Pose
from supple.errors import InputError
from supple.geometry import quaternions
from supple.obstacles import Free, Plane, Sphere
from supple.skins.contact.dynamics.solver import condensed_solver
from supple.skins.contact.model.mechanism import MechanismState
from supple.skins.contact.response.contact_set import BodyInertia, ContactSet
from supple.skins.contact.response.contact_solver import Accuracy
from supple.skins.memory import capture_arrays, restore_arrays

UP = (0.0, 1.0, 0.0)
G = 9.81
EXACT = Accuracy(rounds=200, few=200, speed=1e-10, tolerance=1e-11, most_turn=np.inf)
DT = 0.01
TUBE = supple.character("tube", vertices=600, bones=4, length=1.0, radius=0.08)
REST = Pose.rest(TUBE.skeleton)
LIMP = {"strength": "0", "root_strength": 0.0}


def met_anywhere(body, state, seed, count, friction, dt=DT):
    """A solver that has foreseen a step, and contacts at its border with walls in all directions."""
    rng = np.random.default_rng(seed)
    solver = condensed_solver(body, dt)
    solver.load(state)
    solver.predict()
    nodes = rng.choice(body.node_count, count, replace=False)
    normals = quaternions.normalize(rng.normal(size=(count, 3)))
    ways = (solver.predicted_positions - solver.node_positions)[nodes]
    gaps = np.einsum("ma,ma->m", normals, ways)
    return solver, ContactSet.at_nodes(nodes, normals=normals, gaps=gaps, frictions=np.full(count, friction))


def outside_cones(answer, contacts):
    """By how much the friction of every row exceeds what it presses times its coefficient, of the largest push."""
    along = answer.impulses - answer.normal_impulses[:, None] * contacts.normals
    over = np.linalg.norm(along, axis=1) - contacts.frictions * answer.normal_impulses
    return over / max(answer.normal_impulses.max(initial=0.0), 1e-30)


# Friction


@pytest.mark.parametrize("count", [5, 20, 60])
@pytest.mark.parametrize("limited", [False, True])
def test_every_push_lies_in_its_cone(count, limited):
    limits = {"link2": (-0.1, 0.1), "link3": (0.0, 0.2)} if limited else {}
    body = oracle.bar(5, hinges={"link2": (0.0, 0.0, 1.0)}, limits=limits)
    worst = 0.0
    for seed in range(12):
        solver, contacts = met_anywhere(body, oracle.any_state(body, seed), seed, count, 0.5)
        worst = max(worst, outside_cones(solver.solve_contacts(contacts), contacts).max())
    assert worst < 1e-9


def lying(friction, *, tilt=0.0, speed=0.0, steps=150, links=2, tissue="rubber"):
    """A block on a floor in a world that is tilted about z: its velocities along and off the floor in every step."""
    body = oracle.bar(links, tissue=tissue, spring=200.0, damping=5.0)
    gravity = G * np.array([np.sin(tilt), -np.cos(tilt), 0.0])
    solver = condensed_solver(body, DT, gravity=gravity)
    state = MechanismState.rest(body)
    state.velocities[:] = [speed, 0.0, 0.0]
    solver.load(state)
    velocities, worst = [], 0.0
    for _ in range(steps):
        solver.predict()
        ahead = solver.predicted_positions
        low = np.flatnonzero(ahead[:, 1] < -0.1)
        contacts = ContactSet.at_nodes(
            low, normals=np.tile(UP, (len(low), 1)), gaps=ahead[low, 1] + 0.1, frictions=np.full(len(low), friction)
        )
        answer = solver.solve_contacts(contacts)
        if len(low):
            worst = max(worst, outside_cones(answer, contacts).max())
        solver.integrate()
        velocities.append(momentum(body, solver.state())[0][:2] / body.link_masses.sum())
    assert worst < 1e-9
    return np.array(velocities).T


@pytest.mark.parametrize("tissue", ["rubber", "fat"])
def test_a_sliding_block_slows_down_by_friction_times_gravity(tissue):
    """However it bounces: what it loses along the floor is friction times what the floor gave it upwards, less what
    the parts of it held fast that trembled back for a moment."""
    paces, rises = lying(0.3, speed=4.0, steps=100, tissue=tissue)
    slowed = (paces[20] - paces[80]) / (60 * DT)
    pressed = G + (rises[80] - rises[20]) / (60 * DT)
    assert 0.97 * 0.3 * pressed < slowed < (1.0 + 1e-6) * 0.3 * pressed
    assert pressed == pytest.approx(G, rel=0.1)


def test_a_sliding_block_stops_and_does_not_go_back():
    paces, _ = lying(0.5, speed=1.0, steps=120)
    assert -DT * np.minimum(paces, 0.0).sum() < 1e-3  # [m]: flesh that was strained springs back a little
    assert np.abs(paces[-20:]).max() < 2e-3


@pytest.mark.parametrize("tissue", ["rubber", "fat"])
def test_a_block_stays_on_a_slope_below_the_angle_of_friction(tissue):
    tilt = 0.9 * np.arctan(0.5)
    paces, _ = lying(0.5, tilt=tilt, steps=200, tissue=tissue)
    assert np.abs(paces[-50:]).max() < 5e-3


@pytest.mark.parametrize("tissue", ["rubber", "fat"])
def test_a_block_slides_down_a_slope_above_the_angle_of_friction(tissue):
    tilt = np.arctan(0.5) + 0.15
    paces, _ = lying(0.5, tilt=tilt, steps=120, tissue=tissue)
    faster = (paces[110] - paces[50]) / (60 * DT)
    assert faster == pytest.approx(G * (np.sin(tilt) - 0.5 * np.cos(tilt)), rel=0.05)


def test_without_friction_nothing_holds_along_the_surface():
    paces, _ = lying(0.0, tilt=0.2, steps=60)
    np.testing.assert_allclose(paces[-1], G * np.sin(0.2) * 60 * DT, rtol=1e-3)


# Momentum


def ball_on_bar(friction, seed=3, mass=2.0):
    """A bar and a free ball that comes down on it, aslant and spinning."""
    body = oracle.bar(3, tissue="fat")
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    solver.load(MechanismState.rest(body))
    solver.predict()
    rng = np.random.default_rng(seed)
    top = np.flatnonzero(solver.node_positions[:, 1] > 0.09)
    nodes = rng.choice(top, min(8, len(top)), replace=False)
    center = np.array([0.3, 0.4, 0.0])
    velocity, spin = np.array([1.0, -3.0, 0.4]), np.array([0.0, 2.0, 5.0])
    spots = solver.node_positions[nodes]
    motions = velocity + np.cross(spin, spots - center)
    normals = np.tile([0.0, -1.0, 0.0], (len(nodes), 1))
    gaps = -DT * np.einsum("ma,ma->m", normals, motions)
    four, shares = np.tile(nodes[:, None], (1, 4)), np.tile([1.0, 0, 0, 0], (len(nodes), 1))
    contacts = ContactSet(
        four, shares, normals, motions, gaps, np.full(len(nodes), friction), np.zeros(len(nodes), int), spots
    )
    inertia = mass * 0.1 * np.diag([1.0, 2.0, 1.5])
    loose = BodyInertia(np.array([mass]), center[None], inertia[None])
    return body, solver, contacts, loose, velocity, spin


@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_a_free_body_loses_what_the_character_gets(friction):
    body, solver, contacts, loose, *_ = ball_on_bar(friction)
    before = momentum(body, solver.state())
    answer = solver.solve_contacts(contacts, loose)
    solver.integrate()
    after = momentum(body, solver.state())
    assert answer.normal_impulses.sum() > 0.1
    given = answer.impulses.sum(axis=0)
    arms = contacts.points - loose.centers[0]
    np.testing.assert_allclose(loose.masses[0] * answer.bodies[0, :3], -given, atol=1e-11)
    np.testing.assert_allclose(
        loose.inertia[0] @ answer.bodies[0, 3:], -np.cross(arms, answer.impulses).sum(axis=0), atol=1e-11
    )
    np.testing.assert_allclose(after[0] - before[0], given, atol=1e-11)
    twist = np.cross(contacts.points, answer.impulses).sum(axis=0)
    np.testing.assert_allclose(after[1] - before[1], twist, atol=1e-11)


def test_friction_spins_a_free_ball_and_never_beyond_rolling():
    _, solver, contacts, loose, velocity, _ = ball_on_bar(0.3)
    smooth = ball_on_bar(0.0)
    free = smooth[1].solve_contacts(smooth[2], smooth[3])
    answer = solver.solve_contacts(contacts, loose)
    assert outside_cones(answer, contacts).max() < 1e-9
    along = answer.impulses - answer.normal_impulses[:, None] * contacts.normals
    slid = (
        contacts.velocities - np.einsum("ma,ma->m", contacts.velocities, contacts.normals)[:, None] * contacts.normals
    )
    assert np.abs(answer.bodies[0, 3:] - free.bodies[0, 3:]).max() > 0.1  # friction turns it
    assert np.einsum("ma,ma->m", along, slid).sum() > 0.0  # the skin is taken along, the ball is held back
    held = np.einsum("a,a->", along.sum(axis=0), velocity * [1, 0, 1])
    assert held > 0.0


@pytest.mark.parametrize("hinge", [True, False])
def test_limits_keep_momentum(hinge):
    body = oracle.bar(3, hinges={"link1": (0.0, 0.0, 1.0)} if hinge else {}, limits={"link1": (-0.2, 0.2)})
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0), stabilization=0.0)
    solver.load(turned(body, 0.199, 8.0))
    before = momentum(body, solver.state())
    solver.predict()
    assert solver.solve_contacts(ContactSet.at_nodes([], normals=np.zeros((0, 3)), gaps=np.zeros(0))).iterations > 0
    solver.integrate()
    after = momentum(body, solver.state())
    np.testing.assert_allclose(after[0], before[0], atol=1e-11)
    np.testing.assert_allclose(after[1], before[1], atol=1e-11)


@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_skin_on_skin_gives_no_momentum_to_a_limp_body(friction):
    """Also over a whole step, with its books."""
    body = oracle.bar(4, tissue="fat")
    state = MechanismState.rest(body)
    state.angular_velocities[2] = [1.0, 2.0, 3.0]
    state.velocities[2] = [0.5, -0.5, 0.2]
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0), stabilization=0.0)
    solver.load(state)
    solver.predict()
    linear, angular = momentum(body, state)
    node = int(np.argmin(body.rest[: body.node_count, 0]))
    far = body.elements[np.argmax(body.rest[body.elements].mean(axis=1)[:, 0])][:3]
    shares = np.array([[1.0, -0.2, -0.3, -0.5]])
    four = np.array([[node, *far]])
    paces = (solver.predicted_positions - solver.node_positions) / DT
    pace = shares[0] @ paces[four[0]]
    normal = -quaternions.normalize(pace + np.array([0.1, 0.2, 0.3]))
    contacts = ContactSet(
        four, shares, normal[None], np.zeros((1, 3)), np.array([DT * normal @ pace]), np.array([friction])
    )
    assert solver.solve_contacts(contacts).normal_impulses[0] > 0.0
    solver.integrate()
    after = momentum(body, solver.state())
    np.testing.assert_allclose(after[0], linear, atol=1e-10)
    np.testing.assert_allclose(after[1], angular, atol=1e-10)


def test_a_thrown_ball_and_a_limp_body_keep_all_momentum():
    ball = Sphere(radius=0.2, at=(0.5, 0.5, 0.02), friction=0.5, free=Free(mass=4.0, velocity=(0.3, -3.0, 0.0)))
    skin = ArticulatedContact(elements=500, gravity=0.0, obstacles=(ball,), self_contact=False, **LIMP)
    binding = skin.bind(TUBE, "cpu")
    state = skin.start(binding, REST, None)
    free = state.pipeline.dynamic_bodies

    def total():
        linear, angular = soft_body.momentum(state.mechanism, state.memory.body)
        flying = free.masses[:, None] * state.memory.dynamic_bodies.velocities
        angular = angular + np.cross(free.centers, flying).sum(axis=0) + state.memory.dynamic_bodies.angular.sum(axis=0)
        return linear + flying.sum(axis=0), angular

    skin.advance(binding, state, REST, skin.step, incoming=None)
    before = total()
    for _ in range(40):
        skin.advance(binding, state, REST, skin.step, incoming=None)
    after = total()
    assert state.memory.dynamic_bodies.velocities[0, 1] > -2.9
    np.testing.assert_allclose(after[0], before[0], atol=1e-9)
    np.testing.assert_allclose(after[1], before[1], atol=1e-9)


# Limits


def turned(body, angle, speed):
    """The second link turned by an angle about z, and turning."""
    state = MechanismState.rest(body)
    pivot, rotation = body.joints.pivots[0], Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()
    for link in range(1, body.link_count):
        state.rotations[link] = rotation
        state.positions[link] = pivot + rotation @ (body.centers[link] - pivot)
        state.angular_velocities[link] = [0.0, 0.0, speed]
        state.velocities[link] = np.cross(state.angular_velocities[link], state.positions[link] - pivot)
    return state


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize(
    ("low", "high", "angle", "speed"),
    [
        (-0.4, 0.3, 0.0, 6.0),
        (-0.4, 0.3, -0.06, 50.0),
        (-0.05, 0.05, -0.01, 12.0),
        (0.0, 0.3, 0.1, 30.0),
        (0.0, 0.0, 0.0, 6.0),
    ],
)
def test_no_step_goes_beyond_a_limit_that_it_began_within(hinge, low, high, angle, speed):
    body = oracle.bar(2, hinges={"link1": (0.0, 0.0, 1.0)} if hinge else {}, limits={"link1": (low, high)})
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    solver.load(turned(body, angle, speed))
    max_displacements = 0.0
    for _ in range(8):
        solver.advance()
        max_displacements = max(max_displacements, soft_body.bend(body.joints, solver.state().rotations)[0, 2])
    assert max_displacements < high + 5e-3


@pytest.mark.parametrize("kind", ["hero", "quadruped"])
def test_no_joint_of_a_body_that_falls_turns_beyond_its_limit(kind):
    """A limit is round: who is pushed along it must not leave it on a tangent, nor go through it to the other side."""
    character = supple.character(kind, vertices=1500)
    skin = ArticulatedContact.preset("fall")
    binding, pose = skin.bind(character, "cpu"), Pose.rest(character.skeleton)
    state = skin.start(binding, pose, None)
    for _ in range(120):
        skin.advance(binding, state, pose, skin.step, incoming=None)
        assert soft_body.beyond_limits(state.mechanism.joints, state.memory.body.rotations).max() < 0.03


@pytest.mark.parametrize("high", [0.0, 0.01])
def test_a_ball_that_rests_is_held_by_its_limit_in_the_step_in_which_it_is_struck(high):
    body = oracle.bar(2, limits={"link1": (-high, high)})
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    node = int(np.argmax(body.rest[: body.node_count, 0] + body.rest[: body.node_count, 1]))
    solver.predict()
    struck = ContactSet.at_nodes([node], normals=[(0.0, -1.0, 0.0)], gaps=[-0.05], velocities=[(0.0, -5.0, 0.0)])
    assert solver.solve_contacts(struck).normal_impulses[0] > 0.0
    solver.integrate()
    assert np.linalg.norm(soft_body.bend(body.joints, solver.state().rotations)) < high + 5e-3


def test_a_hinge_that_passes_half_a_turn_within_its_limits_goes_on():
    body = oracle.bar(2, hinges={"link1": (0.0, 0.0, 1.0)}, limits={"link1": (-0.1, 4.0)})
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    solver.load(turned(body, 3.0, 8.0))
    for _ in range(4):  # to 3.3 rad
        solver.advance()
    angular_velocities = solver.state().angular_velocities
    assert angular_velocities[1, 2] - angular_velocities[0, 2] > 6.0


# What was before


def copied(skin, binding, state):
    """Another state that goes on from there, with arrays of its own."""
    made = skin.allocate(binding)
    restore_arrays(made.memory, "state", capture_arrays(state.memory, "state"))
    return made


SCENES = {
    "folded": {"strength": "0.3", "self_contact": True},
    "limp": {**LIMP, "obstacles": (Plane(at=(0.0, -0.2, 0.0), friction=0.5),)},
    "ball": {"strength": "0.05", "obstacles": (
        Plane(at=(0.0, -0.2, 0.0), friction=0.5),
        Sphere(radius=0.15, at=(0.5, 0.3, 0.0), friction=0.5, free=Free(mass=10.0, velocity=(0.5, -3.0, 0.0))))},
}  # fmt: skip


@pytest.mark.parametrize("scene", SCENES)
def test_a_state_goes_on_in_another_binding_to_the_same_numbers(scene):
    tube = supple.character("tube", vertices=1200, bones=6, length=1.2, radius=0.08)
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(1.0))
    pose = Pose.rest(tube.skeleton)
    if scene == "folded":
        pose = Pose.from_rotations(tube.skeleton, dict.fromkeys(tube.skeleton.names[1:], rotation))
    skin = ArticulatedContact(elements=2000, flesh="fat", **SCENES[scene])
    binding = skin.bind(tube, "cpu")
    state = skin.start(binding, pose, None)
    for _ in range(21):
        skin.advance(binding, state, pose, skin.step, incoming=None)
    other = skin.bind(tube, "cpu")
    kept = copied(skin, other, state)
    skin.advance(binding, state, pose, skin.step, incoming=None)
    skin.advance(other, kept, pose, skin.step, incoming=None)
    for name in ("positions", "velocities", "displacements", "node_velocities"):
        np.testing.assert_array_equal(getattr(kept.memory.body, name), getattr(state.memory.body, name), err_msg=name)


def test_two_states_of_one_binding_do_not_mix():
    skin = ArticulatedContact(elements=500, gravity=0.0, self_contact=False, **LIMP)
    binding = skin.bind(TUBE, "cpu")
    one = skin.start(binding, REST, None)
    skin.advance(binding, one, REST, skin.step, incoming=None)
    other = copied(skin, binding, one)
    other.memory.body.velocities[:] = [1.0, 0.0, 0.0]
    skin.advance(binding, other, REST, skin.step, incoming=None)
    assert other.memory.body.velocities[0, 0] == pytest.approx(1.0, abs=1e-6)


def test_what_pressed_is_forgotten_when_a_step_meets_nothing():
    body = oracle.bar(2)
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, -1.0, 0.0]
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    solver.load(state)
    solver.predict()
    low = np.flatnonzero(solver.predicted_positions[:, 1] < -0.1)
    solver.solve_contacts(ContactSet.at_nodes(low, normals=np.tile(UP, (len(low), 1)), gaps=np.full(len(low), -0.01)))
    solver.integrate()
    assert np.abs(solver.nodes.warm_start.numpy()).max() > 0.0
    solver.advance(ContactSet.at_nodes([], normals=np.zeros((0, 3)), gaps=np.zeros(0)))
    assert np.abs(solver.nodes.warm_start.numpy()).max() == 0.0


@pytest.mark.parametrize("seeded", [False, True])
def test_rows_that_push_do_not_part(seeded):
    """Whatever pressed in the step before: a push and a way apart are never both there."""
    body = oracle.bar(3, tissue="fat")
    core = np.arange(body.node_count, len(body.rest))[:6]
    state = MechanismState.rest(body)
    state.velocities[:] = [0.0, -1.0, 0.0]
    solver = condensed_solver(body, DT, accuracy=EXACT)
    solver.load(state)
    if seeded:
        impulses = np.zeros_like(solver.impulses)
        impulses[core, 1] = np.random.default_rng(1).uniform(0.0, 30.0, len(core))
        solver.nodes.warm_start.assign(impulses)
    solver.predict()
    rows = np.stack([oracle.velocity_rows(body, state, int(node))[1] for node in core])
    pace = rows @ oracle.packed(solver.state())
    answer = solver.solve_contacts(ContactSet.at_nodes(core, normals=np.tile(UP, (len(core), 1)), gaps=DT * pace))
    after = rows @ oracle.packed(solver.state())
    assert (answer.normal_impulses > 0.0).any()
    assert after.min() > -1e-4
    assert after[answer.normal_impulses > 1e-6].max() < 1e-3


# Strange rows


def test_contacts_of_nobody_are_refused():
    with pytest.raises(InputError):
        ContactSet(np.zeros((1, 4), int), np.zeros((1, 4)), np.array([UP]), np.zeros((1, 3)), np.zeros(1))


@pytest.mark.parametrize("short", [0.1, 1e-4, 1e-8, 0.0])
def test_flesh_that_bones_fold_flat_is_pushed_no_harder_than_it_arrives(short):
    """A joint twisted half round: blended turns of its nodes have one direction left."""
    body = oracle.bar(2)
    state = MechanismState.rest(body)
    rotation = Rotation.from_rotvec([np.pi - short, 0.0, 0.0]).as_matrix()
    pivot = body.joints.pivots[0]
    state.rotations[1], state.positions[1] = rotation, pivot + rotation @ (body.centers[1] - pivot)
    state.velocities[:] = [0.0, -1.0, 0.0]
    solver = condensed_solver(body, DT, gravity=(0.0, 0.0, 0.0))
    solver.load(state)
    solver.predict()
    nodes = np.argsort(np.abs(body.weights[: body.node_count, 0] - 0.5), kind="stable")[:8]
    gaps = (solver.predicted_positions - solver.node_positions)[nodes, 1]
    answer = solver.solve_contacts(ContactSet.at_nodes(nodes, normals=np.tile(UP, (8, 1)), gaps=gaps))
    assert answer.normal_impulses.sum() < 2.0 * body.link_masses.sum()
    assert np.abs(solver.state().velocities).max() < 1.5


def test_the_order_of_contacts_does_not_matter():
    body = oracle.bar(4)
    state = oracle.any_state(body, 5)
    found = []
    for backwards in (False, True):
        solver, contacts = met_anywhere(body, state, 5, 6, 0.0)
        if backwards:
            contacts = ContactSet.at_nodes(
                contacts.nodes[::-1, 0],
                normals=contacts.normals[::-1],
                gaps=contacts.gaps[::-1],
                frictions=contacts.frictions[::-1],
            )
        solver.solve_contacts(contacts)
        found.append(oracle.packed(solver.state()))
    np.testing.assert_allclose(found[1], found[0], atol=1e-8)
