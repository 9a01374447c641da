"""Control and watch of a soft character on the device, against the same written out in NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import supple
from oracles.articulated import any_state
from oracles.tracking import bearing, towards
from supple import ArticulatedContact, Pose
from supple.device import Launch, to_device, warp
from supple.errors import InputError, UnfinishedError
from supple.geometry import quaternions
from supple.skins.contact.control.controller import PoseController, link_subtrees
from supple.skins.contact.control.tracking import Tracking
from supple.skins.contact.dynamics.solver import condensed_solver
from supple.skins.contact.model.flesh import flesh_from_character
from supple.skins.contact.model.links import joints_from_links, links_from_flesh
from supple.skins.contact.model.mechanism import MechanismState, mechanism_from_flesh
from supple.skins.contact.stability_guard import StabilityGuard
from supple.skins.memory import capture_arrays, restore_arrays

CHARACTER = supple.character("quadruped", vertices=900)
FLESH = flesh_from_character(CHARACTER, count=1500)
LINKS = links_from_flesh(CHARACTER.skeleton, FLESH)
BODY = mechanism_from_flesh(FLESH, LINKS, joints_from_links(CHARACTER.skeleton, LINKS))
GRAVITY = np.array([0.5, -9.81, 1.0])
DT = 0.02
FEW = {"elements": 600, "self_contact": False}


def any_pose(seed, size=0.5):
    rng = np.random.default_rng(seed)
    rotations = {
        name: quaternions.quat_from_axis_angle(rng.normal(size=3), np.array(size * rng.normal()))
        for name in CHARACTER.skeleton.names
    }
    return Pose.from_rotations(CHARACTER.skeleton, rotations, move=rng.normal(size=3))


def assert_asked(solver, targets):
    """The solver's arrays hold these targets."""
    links = solver.links
    wanted = np.stack(
        [targets.root_positions, targets.root_velocities, targets.root_angular_velocities], axis=1
    ).reshape(-1, 3)
    for array, values in (
        (links.target_rotations, targets.rotations),
        (links.target_angular_velocities, targets.angular_velocities),
        (links.gains, np.stack([targets.stiffness, targets.damping], axis=1).ravel()),
        (links.root_targets, wanted),
        (links.root_target_rotations, targets.root_rotations),
        (links.root_gains, targets.root_gains.ravel()),
    ):
        scale = max(1.0, np.abs(values).max())
        np.testing.assert_allclose(array.numpy(), values, rtol=0.0, atol=1e-11 * scale)


@pytest.mark.parametrize("bears", [True, False])
@pytest.mark.parametrize("strengths", [{}, {"Hips": 0.0}, {"Spine1": 0.0, "Head": 1.0}])
def test_the_solver_is_asked_for_what_the_motion_does(bears, strengths):
    tracking = Tracking(BODY, LINKS, CHARACTER.skeleton, strength=0.7, strengths=strengths)
    solver = condensed_solver(BODY, DT)
    gravity = GRAVITY if bears else None
    control = PoseController(tracking, solver.links, dt=DT, gravity=gravity, device="cpu")
    poses = [any_pose(seed) for seed in range(4)]
    control.set_animated(poses[0].world_from_joint)
    for step, (before, after) in enumerate(pairwise(poses)):
        state = any_state(BODY, step)
        solver.load(state)
        control.set_pose(after)
        control.compute_targets()
        targets = towards(tracking, before, after, DT)
        assert_asked(solver, bearing(BODY, targets, state, GRAVITY) if bears else targets)
    assert control.supported == (strengths.get("Hips") != 0.0)
    assert control.driven


def test_what_is_asked_does_not_depend_on_how_often():
    """A step that is made again asks for the same; so does one that starts from a state that was kept."""
    tracking = Tracking(BODY, LINKS, CHARACTER.skeleton)
    solver = condensed_solver(BODY, DT)
    control = PoseController(tracking, solver.links, dt=DT, gravity=GRAVITY, device="cpu")
    before, after, state = any_pose(0), any_pose(1), any_state(BODY, 0)
    control.set_animated(any_pose(2).world_from_joint)
    control.set_animated(before.world_from_joint)
    control.set_pose(after)
    for _ in range(2):
        solver.load(state)
        control.compute_targets()
        assert_asked(solver, bearing(BODY, towards(tracking, before, after, DT), state, GRAVITY))


def test_limp_bodies_are_asked_for_nothing():
    tracking = Tracking(BODY, LINKS, CHARACTER.skeleton, strength=0.0)
    solver = condensed_solver(BODY, DT)
    control = PoseController(tracking, solver.links, dt=DT, gravity=GRAVITY, device="cpu")
    control.set_animated(any_pose(0).world_from_joint)
    control.set_pose(any_pose(1))
    control.compute_targets()
    assert not control.supported
    assert not control.driven
    assert not solver.links.gains.numpy().any()
    assert not solver.links.root_gains.numpy().any()
    assert np.isfinite(solver.links.target_angular_velocities.numpy()).all()


def test_a_pose_of_another_skeleton_is_refused():
    tracking = Tracking(BODY, LINKS, CHARACTER.skeleton)
    control = PoseController(tracking, condensed_solver(BODY, DT).links, dt=DT, gravity=None, device="cpu")
    with pytest.raises(InputError, match="a pose has 2 joints"):
        control.set_pose(Pose(np.tile(np.eye(4), (2, 1, 1))))


def test_all_that_hangs_on_a_link_is_listed():
    starts, hanging = link_subtrees(BODY)
    above = dict(zip(BODY.joints.children.tolist(), BODY.joints.parents.tolist(), strict=True))
    for link in range(BODY.link_count):
        below = set(hanging[starts[link] : starts[link + 1]].tolist())
        assert below == {link} | {child for child, parent in above.items() if parent in below}


# The nearest rotation


def nearest_on_device(matrices):
    """What the kernel that places links makes of linear maps."""
    from supple.skins.contact.control import control_kernels as kernels

    wp, count = warp(), len(matrices)
    given = np.tile(np.eye(4), (count, 1, 1))
    given[:, :3, :3] = matrices
    animation = kernels.Animation()
    animation.previous_rotations, animation.rotations = (wp.zeros(count, dtype=wp.mat33d, device="cpu") for _ in "ab")
    centers, animation.previous_positions, animation.positions = (
        wp.zeros(count, dtype=wp.vec3d, device="cpu") for _ in "abc"
    )
    eyes = to_device(np.tile(np.eye(4), (count, 1, 1)), wp.mat44d, "cpu")
    numbers = to_device(np.arange(count, dtype=np.int32), wp.int32, "cpu")
    inputs = [numbers, eyes, centers, to_device(given, wp.mat44d, "cpu"), animation]
    Launch(kernels.pose_links, count, inputs, "cpu")()
    return animation.rotations.numpy().copy()


@given(st.integers(0, 10_000))
@effort(max_examples=50, deadline=None)
def test_links_turn_by_the_nearest_rotation(seed):
    """Of scaled, sheared, mirrored and flat joints too; as singular values have it."""
    rng = np.random.default_rng(seed)
    rotations = quaternions.matrix_from_quat(rng.normal(size=(6, 4)))
    others = quaternions.matrix_from_quat(rng.normal(size=(6, 4)))
    stretches = np.exp(rng.normal(size=(6, 3)))
    stretches[1] = 1.0
    stretches[2, 0] *= -1.0
    stretches[3, 2] = 0.0
    stretches[4] = [1.0, 1.0, 1.0 + 1e-9]
    matrices = rotations @ (stretches[:, :, None] * others)
    values = np.linalg.svd(matrices)[1]
    signs = np.where(np.linalg.det(matrices) < 0.0, -1.0, 1.0)
    gap = values[:, 1] + signs * values[:, 2]  # what keeps the nearest rotation from being any of many
    wanted = quaternions.nearest_rotation(matrices)
    error = np.abs(nearest_on_device(matrices) - wanted).max(axis=(1, 2))
    assert (error < 1e-13 * (values[:, 0] / gap) ** 2).all()


def test_joints_without_extent_still_turn_somehow():
    flat = np.zeros((3, 3, 3))
    flat[1, 0, 0], flat[2, :, 1] = 2.0, 1.0
    found = nearest_on_device(flat)
    np.testing.assert_allclose(found @ np.swapaxes(found, 1, 2), np.tile(np.eye(3), (3, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(found), 1.0, atol=1e-14)
    np.testing.assert_allclose(found[1, :, 0], [1.0, 0.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(found[2, :, 1], np.full(3, 3.0**-0.5), atol=1e-14)


# The watch


def guarded_solver(max_displacements=np.inf):
    solver = condensed_solver(BODY, DT)
    still = np.zeros((BODY.node_count, 3))
    limits = np.full(BODY.node_count, max_displacements)
    return solver, StabilityGuard(solver.nodes, solver.links, rest_sag=still, max_displacements=limits, device="cpu")


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    "name", ["positions", "rotations", "displacements", "velocities", "angular_velocities", "node_velocities"]
)
def test_what_is_no_number_is_seen(name, value):
    solver, guard = guarded_solver()
    state = any_state(BODY, 3)
    solver.load(state)
    assert guard.is_finite()
    broken = MechanismState(*(array.copy() for array in vars(state).values()))
    getattr(broken, name)[-1] = value
    solver.load(broken)
    assert not guard.is_finite()
    solver.predict()
    assert not guard.is_prediction_finite()
    solver.load(state)
    assert guard.is_finite()
    solver.predict()
    assert guard.is_prediction_finite()


def test_flesh_that_went_too_far_is_brought_back_and_stopped():
    solver, guard = guarded_solver(0.1)
    state = MechanismState.rest(BODY)
    state.displacements[:] = [0.0, 0.05, 0.0]
    state.displacements[3] = [0.3, 0.0, 0.4]
    state.node_velocities[:] = 1.0
    solver.load(state)
    assert guard.clamp_displacements()
    found = solver.state()
    np.testing.assert_allclose(found.displacements[3], [0.06, 0.0, 0.08], atol=1e-15)
    assert not found.node_velocities[3].any()
    others = np.arange(BODY.node_count) != 3
    np.testing.assert_array_equal(found.displacements[others], state.displacements[others])
    np.testing.assert_array_equal(found.node_velocities[others], state.node_velocities[others])
    assert not guard.clamp_displacements()


# A whole step


def test_a_body_goes_on_from_a_kept_state_as_if_nothing_had_been():
    """What the device holds of the last step, and what a memory keeps of it, lead to the same, to the last bit."""
    tube = supple.character("tube", vertices=500, bones=3)
    skin = ArticulatedContact(**FEW)
    poses = [
        Pose.from_rotations(
            tube.skeleton, {"Bone2": quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.array(0.1 * frame))}
        )
        for frame in range(6)
    ]
    results = []
    for again in (False, True):
        binding = skin.bind(tube, "cpu")
        state = skin.start(binding, poses[0], None)
        for pose in poses[1:]:
            if again:
                kept, state = capture_arrays(state.memory, "state"), skin.start(binding, poses[3], None)
                restore_arrays(state.memory, "state", kept)
                state.recall()
            points = skin.advance(binding, state, pose, skin.step, incoming=None)
        results.append((points.numpy().copy(), state.memory.bones.copy(), state.memory.body.displacements.copy()))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_crushed_bodies_start_anew_and_hopeless_ones_are_said_to_be():
    tube = supple.character("tube", vertices=500, bones=3)
    skin = ArticulatedContact(**FEW)
    binding = skin.bind(tube, "cpu")
    rest = Pose.rest(tube.skeleton)
    state = skin.start(binding, rest, None)
    skin.advance(binding, state, rest, skin.step, incoming=None)
    state.memory.body.node_velocities[:] = np.nan
    state.memory.time += skin.step  # so that it is not taken for the state that the solver has
    points = skin.advance(binding, state, rest, skin.step, incoming=None)
    assert np.isfinite(points.numpy()).all()
    assert np.isfinite(state.memory.body.node_velocities).all()
    state.memory.body.positions[:] = np.nan
    state.memory.time += skin.step
    with pytest.raises(UnfinishedError, match="left all numbers"):
        skin.advance(binding, state, rest, skin.step, incoming=None)
