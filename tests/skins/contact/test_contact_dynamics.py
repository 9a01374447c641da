"""The mechanics of a soft character: velocities, energies, momenta and forces all follow from where its matter is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve
from solids import sphere

import supple
from conftest import make_tube
from oracles import articulated as oracle
from oracles import soft_body
from oracles.inside_tets import joined, lattice
from oracles.soft_body import state_in
from oracles.tracking import towards
from supple import Character, Pose, Skeleton, Weights
from supple.errors import InputError
from supple.geometry import quaternions
from supple.geometry.tetrahedra import Tetrahedra
from supple.skins.contact.control.tracking import Targets, Tracking, subtree_inertia
from supple.skins.contact.model.elasticity import TISSUES, Tissue
from supple.skins.contact.model.flesh import flesh_from_character, layer
from supple.skins.contact.model.joints import (
    BALL,
    FREE,
    HINGE,
    Joints,
    hinges_in_motion,
    named_hinges,
    rotation_vectors,
)
from supple.skins.contact.model.links import joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import MechanismState, arms, mechanism_from_flesh

SEEDS = st.integers(0, 10_000)
BAR = oracle.bar(3)


def shifted(state, v, step):
    """Where motion with velocities v takes a state in a time, each coordinate by itself."""
    return oracle.moved(oracle.unpacked(state, v), step)


def slope(function, state, v, step=1e-6):
    return (function(shifted(state, v, step)) - function(shifted(state, v, -step))) / (2.0 * step)


def any_velocity(mechanism, seed):
    return np.random.default_rng(seed).normal(size=6 * mechanism.link_count + 3 * mechanism.node_count)


# Velocities


@effort(max_examples=20)
@given(SEEDS)
def test_velocities_are_the_slopes_of_places(seed):
    state, v = oracle.any_state(BAR, seed), any_velocity(BAR, seed + 1)
    found = slope(lambda s: soft_body.node_positions(BAR, s), state, v)
    rows = np.stack([oracle.velocity_rows(BAR, state, j) @ v for j in range(BAR.node_count)])
    np.testing.assert_allclose(rows, found, atol=1e-7)
    np.testing.assert_allclose(soft_body.node_velocities(BAR, oracle.unpacked(state, v)), rows, atol=1e-12)
    for node in (0, BAR.node_count - 1, BAR.node_count, len(BAR.rest) - 1):  # the last two belong to the core
        wanted = slope(lambda s, j=node: oracle.position(BAR, s, j), state, v)
        np.testing.assert_allclose(oracle.velocity_rows(BAR, state, node) @ v, wanted, atol=1e-7)


def test_flesh_at_rest_follows_the_bones_as_linear_blending_does():
    tube = make_tube(17, 10, 3)
    flesh = flesh_from_character(tube, count=1000)
    links = links_from_flesh(tube.skeleton, flesh)
    mechanism = mechanism_from_flesh(flesh, links, joints_from_links(tube.skeleton, links))
    pose = Pose.from_rotations(
        tube.skeleton, {"bone1": quaternions.quat_from_axis_angle([0, 0, 1], 0.7)}, move=(1.0, 2.0, 3.0)
    )
    state = state_in(mechanism, links, pose, skeleton=tube.skeleton)
    placed = np.concatenate([flesh.solid.points, np.ones((len(flesh.solid.points), 1))], axis=1)
    each = np.einsum("jab,pb->pja", pose.skinning(tube.skeleton), placed)[..., :3]
    wanted = np.einsum("pj,pja->pa", flesh.weights.dense(3), each)
    np.testing.assert_allclose(soft_body.node_positions(mechanism, state), wanted[flesh.free], atol=1e-12)
    np.testing.assert_allclose(soft_body.joint_gaps(mechanism, state), 0.0, atol=1e-12)
    rotation = quaternions.quat_from_axis_angle([0, 0, 1], 0.7 - 0.02)
    earlier = Pose.from_rotations(tube.skeleton, {"bone1": rotation}, move=(0.9, 2.0, 3.0))
    moving = state_in(mechanism, links, pose, skeleton=tube.skeleton, before=earlier, dt=0.1)
    np.testing.assert_allclose(
        moving.angular_velocities, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.2], [0.0, 0.0, 0.2]], atol=1e-9
    )
    np.testing.assert_allclose(moving.velocities[0], [1.0, 0.0, 0.0], atol=1e-9)
    assert not state.velocities.any()
    np.testing.assert_array_equal(mechanism.rest, flesh.solid.points[flesh.order])
    np.testing.assert_array_equal(flesh.order[flesh.node_index], np.arange(len(flesh.order)))
    skin = flesh.embedding(tube.points)
    inside = skin.distance == 0.0
    np.testing.assert_allclose(skin.carry(mechanism.rest)[inside], tube.points[inside], atol=1e-9)


# Energies and momenta


@effort(max_examples=20)
@given(SEEDS, st.floats(0.0, 0.5))
def test_energy_and_momentum_are_those_of_the_mass_matrix_which_is_never_negative(seed, moved):
    state = oracle.any_state(BAR, seed, moved=moved)
    M, v = oracle.inertia(BAR, state), oracle.packed(state)
    assert soft_body.energy(BAR, state).kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-10)
    values = np.linalg.eigvalsh(M)
    assert values[0] > 0.0
    linear, angular = soft_body.momentum(BAR, state)
    whole = rigid_modes(BAR, state)
    np.testing.assert_allclose(np.concatenate([linear, angular]), whole.T @ M @ v, rtol=1e-9, atol=1e-9)
    paces = soft_body.node_velocities(BAR, state)
    core = BAR.core_masses[:, None] * state.velocities
    core = core + np.cross(state.angular_velocities, np.einsum("kab,kb->ka", state.rotations, BAR.core_first_moments))
    np.testing.assert_allclose(linear, BAR.masses @ paces + core.sum(axis=0), atol=1e-9)


def rigid_modes(mechanism, state):
    """Velocities (size, 6) of all matter moving and turning as one about the world's origin."""
    k = mechanism.link_count
    modes = np.zeros((6 * k + 3 * mechanism.node_count, 6))
    for i in range(k):
        modes[6 * i : 6 * i + 3, :3] = np.eye(3)
        modes[6 * i + 3 : 6 * i + 6, 3:] = np.eye(3)
        modes[6 * i : 6 * i + 3, 3:] = -oracle.cross(state.positions[i])
    return modes


def test_flesh_on_one_link_has_its_true_mass_matrix_and_quadratic_forces():
    """With one carrier for each node nothing is approximate: M = sum m L^T L, and Qv = -sum m L^T L' v."""
    body = oracle.bar(1, cells=3)
    state = oracle.any_state(body, 5)
    v = oracle.packed(state)
    rows = [oracle.velocity_rows(body, state, j) for j in range(body.node_count)]
    true = sum(m * row.T @ row for m, row in zip(body.masses, rows, strict=True))
    M = oracle.inertia(body, state)
    skin = slice(6, None)
    np.testing.assert_allclose(M[skin], true[skin], atol=1e-12)
    quadratic = oracle.quadratic(body, state)
    rates = [
        slope(lambda s, j=j: oracle.velocity_rows(body, s, j) @ v, state, v) for j in range(body.node_count)
    ]  # L' v
    wanted = -sum(m * row.T @ rate for m, row, rate in zip(body.masses, rows, rates, strict=True))
    np.testing.assert_allclose(quadratic[skin], wanted[skin], atol=1e-6)
    none = replace(
        body,
        core_masses=0 * body.core_masses,
        core_first_moments=0 * body.core_first_moments,
        core_second_moments=0 * body.core_second_moments,
    )
    np.testing.assert_allclose(oracle.quadratic(none, state), wanted, atol=1e-6)


@effort(max_examples=15)
@given(SEEDS)
def test_forces_are_the_slopes_of_energies(seed):
    body = oracle.bar(3, spring=7.0)
    gravity = np.array([1.0, -9.0, 2.0])
    state, v = oracle.any_state(body, seed), any_velocity(body, seed + 1)
    still = oracle.unpacked(state, np.zeros(len(v)))
    weight = oracle.weight(body, state, gravity)
    found = slope(lambda s: soft_body.energy(body, oracle.unpacked(s, 0 * v), gravity=gravity).height, still, v)
    assert -weight @ v == pytest.approx(found, rel=1e-6, abs=1e-6)
    torques = sum(-one.stiffness * one.rows.T @ one.out for one in oracle.springs(body, state, Targets.none(body)))
    found = slope(lambda s: soft_body.energy(body, oracle.unpacked(s, 0 * v)).joints, still, v)
    assert -torques @ v == pytest.approx(found, rel=1e-6, abs=1e-6)
    skin = v[6 * body.link_count :]
    found = slope(lambda s: soft_body.energy(body, oracle.unpacked(s, 0 * v)).elastic, still, v)
    assert state.displacements.ravel() @ (body.stiffness @ skin) == pytest.approx(found, rel=1e-6, abs=1e-6)


@given(SEEDS, st.floats(1e-9, 3.0))
def test_a_bent_joint_stiffens_as_its_hessian_says(seed, angle):
    """Second differences of |f|^2 / 2 along a turn of the child, and the slope of f itself."""
    rng = np.random.default_rng(seed)
    bend = angle * quaternions.normalize(rng.normal(size=3))
    rotation = rng.normal(size=3)
    base = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(bend, angle))

    def after(t):
        length = np.linalg.norm(t * rotation)
        extra = quaternions.matrix_from_quat(quaternions.quat_from_axis_angle(t * rotation, length))
        return rotation_vectors(base @ extra if length else base)

    step = 1e-4
    energies = [0.5 * after(t) @ after(t) for t in (-step, 0.0, step)]
    hessian = soft_body.spring_hessian(bend)
    assert (energies[2] - 2.0 * energies[1] + energies[0]) / step**2 == pytest.approx(
        rotation @ hessian @ rotation, rel=1e-4, abs=1e-5
    )
    assert (energies[2] - energies[0]) / (2.0 * step) == pytest.approx(bend @ rotation, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12)
    assert np.linalg.eigvalsh(hessian)[0] > -1e-12
    changes = (after(step) - after(-step)) / (2.0 * step)  # the whole derivative has an antisymmetric part f x d / 2
    np.testing.assert_allclose(changes, hessian @ rotation + 0.5 * np.cross(bend, rotation), atol=1e-5)
    np.testing.assert_allclose(hessian, oracle.curvature(bend), atol=1e-9)


# Flesh, links and joints of a character


def test_a_character_weighs_what_its_volume_does_and_its_links_share_that():
    hero = supple.character("hero", vertices=2000)
    flesh = flesh_from_character(hero, count=4000, tissue="fat", parts={"head": "rubber"})
    links = links_from_flesh(hero.skeleton, flesh)
    mechanism = mechanism_from_flesh(flesh, links, joints_from_links(hero.skeleton, links))
    assert mechanism.link_masses.sum() == pytest.approx(flesh.masses.sum(), rel=1e-12)
    assert 40.0 < mechanism.link_masses.sum() < 110.0
    assert (mechanism.core_masses > 0.0).all()
    np.testing.assert_allclose(mechanism.weights.sum(axis=1), 1.0, atol=1e-12)
    inner = mechanism.masses[:, None] * mechanism.free_weights
    moments = mechanism.core_first_moments.copy()
    np.add.at(moments, mechanism.free_links, inner[..., None] * arms(mechanism, MechanismState.rest(mechanism)))
    np.testing.assert_allclose(moments, 0.0, atol=1e-9)  # centres are centres of mass
    whole = flesh_from_character(hero, count=4000, tissue="fat")
    assert flesh.masses.sum() > whole.masses.sum()  # rubber is heavier than fat, and only the head is of it
    heavier = np.flatnonzero(flesh.masses > 1.01 * whole.masses)
    assert (whole.solid.points[heavier, 1] > 0.8 * hero.height).all()
    values = np.linalg.eigvalsh((flesh.stiffness[:300, :300]).toarray())
    assert values[0] > 0.0


def test_nothing_of_the_flesh_can_move_for_free():
    """Also where a coarse mesh has its core on one line, about which flesh could spin."""
    tube = make_tube(17, 10, 3)
    flesh = flesh_from_character(tube, count=1000)
    values = np.linalg.eigvalsh(flesh.stiffness.toarray())
    assert values[0] > 1e-5 * values[-1]


@pytest.mark.parametrize("name", ["snake", "hero", "octopus"])
def test_nothing_dangles_whichever_way_it_is_shaken(name):
    """Tips past the end of a bone, ears, thumbs: none gives way more than flesh on a bone, and that stays free."""
    character = supple.character(name, vertices=2000)
    flesh = flesh_from_character(character, count=5000)
    weight = 9.81 * np.repeat(flesh.masses[flesh.free], 3)[:, None] * np.tile(np.eye(3), (len(flesh.free), 1))
    sunk = np.abs(spsolve(flesh.stiffness.tocsc(), weight)).max(axis=1)
    assert 0.0 < sunk.max() < 0.005 * character.size.max()
    assert len(flesh.free) > 0.6 * len(flesh.masses)


def lump_and_limb(second=1.0):
    """Two blocks: one on two bones, and one that no bone reaches."""
    rest, corners = joined(lattice((4, 2, 2), side=0.1), lattice((2, 2, 2), side=0.1, origin=(2.0, 0.0, 0.0)))
    heads = [[0.0, 0.1, 0.1], [0.2, 0.1, 0.1], [0.4, 0.1, 0.1]]
    skeleton = Skeleton.from_heads(["a", "b", "end"], [-1, 0, 1], heads)
    share = np.clip((rest[:, 0] - 0.1) / 0.2, 0.0, 1.0) * second
    weights = Weights.from_dense(np.stack([1.0 - share, share, np.zeros(len(rest))], axis=1))
    core = (np.abs(rest[:, 1:] - 0.1) < 0.01).all(axis=1) & (rest[:, 0] < 1.0)
    return skeleton, layer(Tetrahedra(rest, corners), weights, core), rest


def test_flesh_without_a_bone_goes_with_the_bones_as_a_whole():
    _, flesh, rest = lump_and_limb()
    assert (rest[flesh.free, 0] < 1.0).all()
    assert len(flesh.free) > 0


def test_a_joint_without_flesh_is_part_of_what_it_hangs_on():
    skeleton, flesh, _ = lump_and_limb()
    links = links_from_flesh(skeleton, flesh)
    np.testing.assert_array_equal(links.of_joint, [0, 1, 1])
    np.testing.assert_array_equal(links.parents, [-1, 0])
    fixed = links_from_flesh(skeleton, flesh, fixed=["b"])
    np.testing.assert_array_equal(fixed.of_joint, [0, 0, 0])
    assert len(joints_from_links(skeleton, fixed)) == 0
    assert len(links_from_flesh(skeleton, lump_and_limb(0.0)[1])) == 1


def test_a_root_without_flesh_goes_with_the_first_that_has_some():
    _, flesh, _ = lump_and_limb()
    names, parents = ["root", "helper", "a", "b", "bare"], [-1, 0, 1, 0, 0]
    heads = [[0.0, 0.0, 0.0], [0.0, 0.1, 0.1], [0.0, 0.1, 0.1], [0.2, 0.1, 0.1], [0.2, 0.1, 0.1]]
    skeleton = Skeleton.from_heads(names, parents, heads)
    dense = np.zeros((len(flesh.weights), 5))
    dense[:, 2:4] = flesh.weights.dense(3)[:, :2]
    links = links_from_flesh(skeleton, replace(flesh, weights=Weights.from_dense(dense)))
    first = links.of_joint[0]
    assert links.parents[first] == -1
    assert links.parents[links.of_joint[3]] == first == links.of_joint[2]
    np.testing.assert_array_equal(links.of_joint, [first, first, links.of_joint[2], links.of_joint[3], first])
    assert links.of_joint[2] != links.of_joint[3]


def test_a_bone_without_length_is_a_core_all_the_same():
    points, triangles = sphere(8, radius=0.3)
    one = Skeleton.from_heads(["only"], [-1], [[0.0, 0.0, 0.0]])
    ball = Character(points, triangles, one, Weights.from_dense(np.ones((len(points), 1))))
    flesh = flesh_from_character(ball, count=2000, depth=0.5)
    held = np.setdiff1d(np.arange(len(flesh.masses)), flesh.free)
    assert 3 <= len(held) < 0.5 * len(flesh.free)
    assert np.linalg.norm(flesh.solid.points[held], axis=1).max() < 0.2
    assert (
        mechanism_from_flesh(
            flesh, links_from_flesh(one, flesh), joints_from_links(one, links_from_flesh(one, flesh))
        ).link_count
        == 1
    )


def test_bad_bodies_are_refused():
    tube = make_tube(9, 8, 2)
    with pytest.raises(InputError, match="core is 1"):
        flesh_from_character(tube, core=1.0)
    with pytest.raises(InputError, match="depth is 0"):
        flesh_from_character(tube, depth=0.0)
    with pytest.raises(InputError, match="part 'nowhere'"):
        flesh_from_character(tube, count=1000, parts={"nowhere": "fat"})
    with pytest.raises(InputError, match="no skin weights"):
        flesh_from_character(Character(tube.points, tube.triangles, tube.skeleton), count=1000)
    skeleton, flesh, _ = lump_and_limb()
    links = links_from_flesh(skeleton, flesh)
    with pytest.raises(InputError, match="joint_stiffness is -1"):
        mechanism_from_flesh(flesh, links, joints_from_links(skeleton, links), joint_stiffness=-1.0)
    with pytest.raises(InputError, match="link 1 has no flesh"):
        mechanism_from_flesh(lump_and_limb(0.0)[1], links, joints_from_links(skeleton, links))
    with pytest.raises(InputError, match="nodes"):
        layer(flesh.solid, flesh.weights, np.zeros(3, dtype=bool))


# Joints


def test_hinges_are_found_by_name_and_by_motion():
    horse = supple.character("quadruped", vertices=2000)
    by_name = named_hinges(horse.skeleton)
    assert {"LeftHindLowerLeg", "RightHindLowerLeg"} <= set(by_name)
    assert not {"LeftHindUpperLeg", "Spine1", "Head"} & set(by_name)
    assert (
        abs(by_name["LeftHindLowerLeg"] @ [1.0, 0.0, 0.0]) > 0.8
    )  # the knee of a horse that faces along z bends in y-z
    skeleton = horse.skeleton
    axis = quaternions.normalize([1.0, 0.2, 0.0])
    rng = np.random.default_rng(0)
    poses = [
        Pose.from_rotations(
            skeleton,
            {
                "LeftHindLowerLeg": quaternions.quat_from_axis_angle(axis, angle),
                "Head": quaternions.quat_from_axis_angle(rng.normal(size=3), angle),
                "Tail1": quaternions.quat_from_axis_angle([0.0, 1.0, 0.0], 0.02 * angle),
            },
        )
        for angle in np.linspace(0.1, 1.2, 9)
    ]
    moving = hinges_in_motion(skeleton, poses)
    assert set(moving) == {"LeftHindLowerLeg"}
    np.testing.assert_allclose(moving["LeftHindLowerLeg"], axis, atol=1e-6)


def test_joints_are_checked():
    count = {"children": [1], "parents": [0], "pivots": np.zeros((1, 3)), "kinds": [HINGE], "axes": [[0.0, 0.0, 2.0]],
             "lows": [-1.0], "highs": [1.0]}  # fmt: skip
    hinge = Joints(**count)
    np.testing.assert_allclose(hinge.axes, [[0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(hinge.limited, [0])
    assert len(Joints.balls([1], [0], np.zeros((1, 3))).limited) == 0
    for change, message in (
        ({"kinds": [7]}, "kind 7"),
        ({"axes": [[0.0, 0.0, 0.0]]}, "no axis"),
        ({"lows": [0.5]}, "rest"),
        ({"highs": [-0.5]}, "rest"),
        ({"pivots": np.zeros((2, 3))}, "pivots"),
    ):
        with pytest.raises(InputError, match=message):
            Joints(**{**count, **change})
    assert Joints(**{**count, "kinds": [BALL], "lows": [5.0]}).kinds[0] == BALL  # of a ball the low says nothing
    skeleton, flesh, _ = lump_and_limb()
    links = links_from_flesh(skeleton, flesh)
    with pytest.raises(InputError, match="hinge 'b' has no axis"):
        joints_from_links(skeleton, links, hinges={"b": (0.0, 0.0, 0.0)})
    with pytest.raises(InputError, match="joint 'x' was asked for"):
        joints_from_links(skeleton, links, limits={"x": (0.0, 1.0)})
    made = joints_from_links(skeleton, links, hinges={"b": (0.0, 3.0, 0.0)}, limits={"b": (-0.5, 1.5)})
    assert (made.kinds[0], made.lows[0], made.highs[0]) == (HINGE, -0.5, 1.5)
    assert FREE in joints_from_links(skeleton, links).highs


# Control


def test_control_asks_for_the_pose_and_its_velocity():
    tube = make_tube(17, 10, 3)
    flesh = flesh_from_character(tube, count=1000)
    links = links_from_flesh(tube.skeleton, flesh)
    mechanism = mechanism_from_flesh(flesh, links, joints_from_links(tube.skeleton, links))
    rotation = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.4)
    before, after = (
        Pose.from_rotations(tube.skeleton, {"bone1": rotation}, move=move) for move in ((0, 0, 0), (0.1, 0, 0))
    )
    tracking = Tracking(mechanism, links, tube.skeleton, strength=0.5, strengths={"bone2": 0.0})
    targets = towards(tracking, before, after, 0.1)
    np.testing.assert_allclose(rotation_vectors(targets.rotations), [[0.0, 0.0, 0.4], [0.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(targets.root_velocities, [[1.0, 0.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(targets.angular_velocities, 0.0, atol=1e-12)
    assert targets.stiffness[0] > 0.0
    assert targets.stiffness[1] == targets.damping[1] == 0.0
    bent = towards(tracking, Pose.rest(tube.skeleton), before, 0.1)
    np.testing.assert_allclose(bent.angular_velocities[0], [0.0, 0.0, 4.0], atol=1e-9)
    assert np.isfinite(
        towards(Tracking(mechanism, links, tube.skeleton, strength=1.0), before, after, 0.1).stiffness
    ).all()
    for bad in (-0.1, 1.1, np.nan):
        with pytest.raises(InputError, match="strength"):
            Tracking(mechanism, links, tube.skeleton, strength=bad)
    with pytest.raises(InputError, match="strength of 'bone1'"):
        Tracking(mechanism, links, tube.skeleton, strengths={"bone1": 2.0})


def test_what_hangs_on_a_joint_is_counted_once():
    inertia, load = subtree_inertia(BAR)
    assert load[0] == pytest.approx(BAR.link_masses.sum())
    assert load[2] == pytest.approx(BAR.link_masses[2])
    assert (inertia > 0.0).all()
    assert inertia[1] > inertia[2]
    rod = oracle.bar(
        2, cells=8, tissue=Tissue(density=1.0)
    )  # slender: about its end m l^2 / 3, of which 2/3 are the mean
    mass, length = rod.link_masses[1], 0.8
    assert subtree_inertia(rod)[0][1] == pytest.approx(2.0 / 3.0 * mass * length**2 / 3.0, rel=0.25)


def test_tissues_reach_the_elements():
    soft, firm = (oracle.bar(2, tissue=TISSUES[name]) for name in ("fat", "rubber"))
    assert abs(firm.stiffness).max() > 50.0 * abs(soft.stiffness).max()
    damping = (firm.damping - TISSUES["rubber"].stiffness_damping * firm.stiffness).toarray()
    np.testing.assert_allclose(damping, np.diag(np.repeat(TISSUES["rubber"].mass_damping * firm.masses, 3)), atol=1e-9)
