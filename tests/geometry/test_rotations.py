"""Rotations and rigid transforms, against SciPy and by their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from supple.geometry import quaternions

CLOSE = {"rtol": 0.0, "atol": 1e-12}
seeds = st.integers(0, 2**32 - 1)
shares = st.floats(0.0, 1.0)


def random_turns(seed: int, count: int = 12) -> Rotation:
    """Turns of every kind: large ones, none, half turns about axes and about anything, hardly any."""
    source = np.random.default_rng(seed)
    axis = source.standard_normal((count, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    axis[:3] = np.eye(3)
    angle = source.uniform(-2.0 * np.pi, 2.0 * np.pi, count)
    angle[:5] = np.pi
    angle[5], angle[6], angle[7] = 0.0, 1e-9, np.pi - 1e-9
    return Rotation.from_rotvec(angle[:, None] * axis)


def same_turn(a, b) -> bool:
    """Quaternions of opposite sign are the same turn."""
    return bool(np.allclose(np.abs(np.sum(np.asarray(a) * np.asarray(b), axis=-1)), 1.0, **CLOSE))


@settings(deadline=None)
@given(seed=seeds)
def test_matrices_are_those_of_scipy(seed):
    rotations = random_turns(seed)
    np.testing.assert_allclose(quaternions.matrix_from_quat(rotations.as_quat()), rotations.as_matrix(), **CLOSE)
    np.testing.assert_allclose(quaternions.matrix_from_quat(-3.0 * rotations.as_quat()), rotations.as_matrix(), **CLOSE)


@settings(deadline=None)
@given(seed=seeds)
def test_quaternions_are_those_of_scipy_half_turns_too(seed):
    rotations = random_turns(seed)
    found = quaternions.quat_from_matrix(rotations.as_matrix())
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1.0, **CLOSE)
    assert (found[:, 3] >= 0.0).all()
    np.testing.assert_allclose(quaternions.matrix_from_quat(found), rotations.as_matrix(), **CLOSE)


@settings(deadline=None)
@given(seed=seeds)
def test_products_and_opposites_are_those_of_scipy(seed):
    a, b = random_turns(seed), random_turns(seed + 1)
    assert same_turn(quaternions.quat_multiply(a.as_quat(), b.as_quat()), (a * b).as_quat())
    assert same_turn(quaternions.conjugate(a.as_quat()), a.inv().as_quat())


@settings(deadline=None)
@given(seed=seeds)
def test_turn_about_an_axis_is_that_of_scipy(seed):
    source = np.random.default_rng(seed)
    axis, angle = source.standard_normal((6, 3)), source.uniform(-7.0, 7.0, 6)
    unit = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    assert same_turn(
        quaternions.quat_from_axis_angle(axis, angle), Rotation.from_rotvec(angle[:, None] * unit).as_quat()
    )


def test_turns_broadcast_one_axis_over_many_angles_and_the_other_way():
    angles, axes = np.linspace(-1.0, 1.0, 5), np.eye(3)
    one_axis = quaternions.quat_from_axis_angle([0.0, 2.0, 0.0], angles)
    np.testing.assert_allclose(one_axis, Rotation.from_rotvec(angles[:, None] * axes[1]).as_quat(), **CLOSE)
    one_angle = quaternions.quat_from_axis_angle(axes, 0.7)
    np.testing.assert_allclose(one_angle, Rotation.from_rotvec(0.7 * axes).as_quat(), **CLOSE)
    assert quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], 0.3).shape == (4,)


@settings(deadline=None)
@given(seed=seeds, share=shares)
def test_slerp_is_that_of_scipy(seed, share):
    source = np.random.default_rng(seed)
    a, b = source.standard_normal((2, 4))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    known = Slerp([0.0, 1.0], Rotation.from_quat([a, b]))(share).as_quat()
    np.testing.assert_allclose(np.abs(quaternions.slerp(a, b, share) @ known), 1.0, rtol=0.0, atol=1e-10)


@settings(deadline=None)
@given(seed=seeds, share=shares, far=st.sampled_from([1e-9, 1e-6, 3e-6, 1e-3, 1.0, 3.0]))
def test_slerp_turns_at_constant_speed_along_the_shorter_arc(seed, share, far):
    source = np.random.default_rng(seed)
    start = Rotation.from_quat(source.standard_normal(4))
    axis = source.standard_normal(3)
    end = Rotation.from_rotvec(far * axis / np.linalg.norm(axis)) * start
    for sign in (1.0, -1.0):  # the other quaternion of the same turn must not send it the long way round
        middle = Rotation.from_quat(quaternions.slerp(start.as_quat(), sign * end.as_quat(), share))
        assert abs((middle * start.inv()).magnitude() - share * far) < 1e-8
        assert abs((end * middle.inv()).magnitude() - (1.0 - share) * far) < 1e-8


@settings(deadline=None)
@given(seed=seeds)
def test_slerp_ends_at_its_ends(seed):
    a, b = random_turns(seed).as_quat(), random_turns(seed + 7).as_quat()
    assert same_turn(quaternions.slerp(a, b, np.zeros(len(a))), a)
    assert same_turn(quaternions.slerp(a, b, np.ones(len(a))), b)


@settings(deadline=None)
@given(seed=seeds, gap=st.sampled_from([0.0, 1e-12, 1e-9, 1e-8, 1e-6, 4e-5, 1e-3, 0.5]), toward=st.booleans())
def test_rotation_between_carries_one_direction_to_the_other(seed, gap, toward):
    """`gap` from the same direction, or from the opposite one, where the axis is all but lost."""
    source = np.random.default_rng(seed)
    a, side = source.standard_normal((2, 3))
    a /= np.linalg.norm(a)
    side -= (side @ a) * a
    side /= np.linalg.norm(side)
    b = (1.0 if toward else -1.0) * np.cos(gap) * a + np.sin(gap) * side
    rotation = quaternions.rotation_between(2.0 * a, 5.0 * b)
    np.testing.assert_allclose(np.linalg.norm(rotation), 1.0, **CLOSE)
    np.testing.assert_allclose(quaternions.matrix_from_quat(rotation) @ a, b, rtol=0.0, atol=3e-8)
    angle = Rotation.from_quat(rotation).magnitude()
    assert abs(angle - (gap if toward else np.pi - gap)) < 3e-8  # and it is the smallest turn that does


@pytest.mark.parametrize("axis", np.eye(3).tolist())
def test_rotation_between_opposite_axes_is_a_half_turn(axis):
    rotation = quaternions.rotation_between(axis, np.negative(axis))
    np.testing.assert_allclose(quaternions.matrix_from_quat(rotation) @ axis, np.negative(axis), **CLOSE)
    assert rotation[3] == 0.0


def test_rotation_between_is_none_where_there_is_no_direction():
    nowhere = np.zeros(3)
    for a, b in ((nowhere, [1.0, 0.0, 0.0]), ([0.0, 1.0, 0.0], nowhere), (nowhere, nowhere)):
        np.testing.assert_array_equal(quaternions.rotation_between(a, b), [0.0, 0.0, 0.0, 1.0])


@settings(deadline=None)
@given(seed=seeds, mirrored=st.booleans())
def test_decompose_gives_back_what_compose_took(seed, mirrored):
    source = np.random.default_rng(seed)
    rotations = random_turns(seed)
    moves = source.standard_normal((12, 3))
    scales = source.uniform(0.1, 3.0, (12, 3))
    scales[:, 0] *= -1.0 if mirrored else 1.0
    matrices = quaternions.compose(moves, rotations.as_quat(), scales)
    got_moves, got_turns, got_scales = quaternions.decompose(matrices)
    np.testing.assert_allclose(got_moves, moves, **CLOSE)
    np.testing.assert_allclose(got_scales, scales, rtol=1e-12, atol=1e-12)
    assert same_turn(got_turns, rotations.as_quat())


@settings(deadline=None)
@given(seed=seeds, axis=st.integers(0, 2))
def test_a_mirror_in_any_axis_survives_decompose_and_compose(seed, axis):
    scales = np.random.default_rng(seed).uniform(0.2, 2.0, (12, 3))
    scales[:, axis] *= -1.0
    matrices = quaternions.compose(np.zeros((12, 3)), random_turns(seed).as_quat(), scales)
    np.testing.assert_allclose(quaternions.compose(*quaternions.decompose(matrices)), matrices, **CLOSE)


def test_compose_scales_then_rotates_then_translates():
    quarter = quaternions.quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2.0)
    matrix = quaternions.compose([10.0, 0.0, 0.0], quarter, [2.0, 1.0, 1.0])
    np.testing.assert_allclose(matrix @ [1.0, 0.0, 0.0, 1.0], [10.0, 2.0, 0.0, 1.0], **CLOSE)


def test_decompose_leaves_its_input_alone():
    matrices = quaternions.compose(np.ones((2, 3)), random_turns(0, 12).as_quat()[:2], -np.ones((2, 3)))
    before = matrices.copy()
    moves, _, _ = quaternions.decompose(matrices)
    moves[:] = 7.0
    np.testing.assert_array_equal(matrices, before)


@settings(deadline=None)
@given(seed=seeds, kind=st.sampled_from(["full", "mirrored", "flat", "line", "zero"]))
def test_nearest_rotation_is_proper_and_no_other_is_nearer(seed, kind):
    source = np.random.default_rng(seed)
    matrix = source.standard_normal((3, 3))
    if kind == "mirrored":
        matrix[:, 0] *= -np.sign(np.linalg.det(matrix))
    elif kind == "flat":
        matrix[:, 2] = matrix[:, 0] - 2.0 * matrix[:, 1]
    elif kind == "line":
        matrix = np.outer(matrix[0], matrix[1])
    elif kind == "zero":
        matrix[:] = 0.0
    nearest = quaternions.nearest_rotation(matrix)
    np.testing.assert_allclose(nearest @ nearest.T, np.eye(3), **CLOSE)
    assert abs(np.linalg.det(nearest) - 1.0) < 1e-12
    distance = np.linalg.norm(nearest - matrix)
    others = Rotation.random(64, rng=seed).as_matrix()
    nudged = Rotation.from_rotvec(1e-3 * source.standard_normal((16, 3))).as_matrix() @ nearest
    assert (np.linalg.norm(np.concatenate([others, nudged]) - matrix, axis=(1, 2)) >= distance - 1e-12).all()


@settings(deadline=None)
@given(seed=seeds)
def test_rigid_inverse_undoes(seed):
    rigid = quaternions.compose(np.random.default_rng(seed).standard_normal((12, 3)), random_turns(seed).as_quat())
    np.testing.assert_allclose(quaternions.rigid_inverse(rigid), np.linalg.inv(rigid), **CLOSE)


def test_zero_vectors_stay_zero_and_others_get_length_one():
    np.testing.assert_array_equal(quaternions.normalize([[0.0, 0.0, 0.0], [0.0, -4.0, 0.0]]), [[0, 0, 0], [0, -1, 0]])


def test_perpendicular_is_square_and_rounding_does_not_choose_it():
    directions = quaternions.normalize(np.random.default_rng(5).standard_normal((50, 3)))
    found = quaternions.perpendicular(directions)
    np.testing.assert_allclose(np.einsum("ni,ni->n", found, directions), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    for axis in np.eye(3):
        for nudge in (1e-15 * np.array([1.0, -2.0, 3.0]), 1e-12 * np.array([3.0, 1.0, -2.0])):
            np.testing.assert_allclose(
                quaternions.perpendicular(axis + nudge), quaternions.perpendicular(axis), atol=1e-11
            )
    np.testing.assert_array_equal(quaternions.perpendicular(np.zeros(3)), np.zeros(3))
