"""Skin weights as a noun: what is refused, what is repaired, and what stays the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from supple.character.weights import Weights
from supple.errors import InputError


def refused(*args, **options):
    with pytest.raises(InputError) as caught:
        Weights(*args, **options)
    error = caught.value
    assert error.where == "Weights"
    assert all((error.given, error.needed, error.advice))
    return error


def test_rows_are_sorted_largest_first_and_their_sums_exact():
    weights = Weights([[4, 7, 2]], [[0.2, 0.5005, 0.3]])
    np.testing.assert_array_equal(weights.joints, [[7, 2, 4]])
    np.testing.assert_allclose(weights.values.sum(axis=1), 1.0, atol=1e-15)
    assert weights.influences == 3
    assert len(weights) == 1


def test_weights_in_order_are_shared_not_copied():
    joints, values = np.array([[0, 1]], dtype=np.int32), np.array([[0.75, 0.25]])
    first = Weights(joints, values)
    second = Weights(first.joints, first.values)
    assert second.joints is first.joints
    assert second.values is first.values


def test_the_callers_arrays_stay_as_they_are():
    joints, values = np.array([[0, 1]], dtype=np.int32), np.array([[0.25, 0.75]])
    weights = Weights(joints, values)
    np.testing.assert_array_equal(joints, [[0, 1]])
    np.testing.assert_array_equal(values, [[0.25, 0.75]])
    values[0, 0] = 9.0
    assert weights.values.max() == 0.75
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0, 0] = 1.0


@pytest.mark.parametrize(
    ("joints", "values", "given"),
    [
        ([[0, 1]], [[1.2, -0.2]], "vertex 0 has weight -0.2"),
        (
            [[0, 1], [0, 1]],
            [[0.5, 0.5], [0.5, 0.4]],
            "1 vertices have weights that do not sum to one (vertex 1 has 0.9)",
        ),
        ([[0, 1]], [[0.0, 0.0]], "1 vertices have weights that do not sum to one (vertex 0 has 0)"),
        ([[0, -1]], [[1.0, 0.0]], "vertex 0 names joint -1"),
        ([[0, 1]], [[np.nan, 1.0]], "values has 1 values that are not finite (the first at (0, 0))"),
        ([[0, 1]], [[np.inf, 1.0]], "values has 1 values that are not finite (the first at (0, 0))"),
        ([[0, 1]], [[1.0]], "values has shape (1, 1)"),
        ([0, 1], [1.0, 0.0], "joints has shape (2,)"),
        (np.empty((3, 0)), np.empty((3, 0)), "there are no influences"),
        ([[0.5, 1]], [[0.5, 0.5]], "joints holds fractions"),
    ],
)
def test_what_does_not_fit_is_refused(joints, values, given):
    assert refused(joints, values).given == given


def test_rounding_of_exporters_passes_and_is_evened_out():
    bytes_ = np.round(np.array([[0.61, 0.27, 0.12]]) * 255) / 255
    np.testing.assert_allclose(Weights([[0, 1, 2]], bytes_).values.sum(), 1.0, atol=1e-15)


@pytest.mark.parametrize(
    ("joints", "values", "dense", "words"),
    [
        ([[0, 1]], [[1.2, -0.2]], [[1, 0, 0]], ["1 weights that were negative set to zero", "1 vertices renormalised"]),
        ([[2, 1]], [[np.nan, 0.5]], [[0, 1, 0]], ["1 weights that were not finite", "1 vertices renormalised"]),
        ([[0, 1]], [[0.0, 0.0]], [[1, 0, 0]], ["1 vertices without weights tied to joint 0"]),
        ([[1, 3]], [[0.5, 0.5]], [[0, 1, 0]], ["1 weights of joints that do not exist", "1 vertices renormalised"]),
        ([[1, -4]], [[1.0, 0.0]], [[0, 1, 0]], []),
        ([[0, 2]], [[1.0, 3.0]], [[0.25, 0, 0.75]], ["1 vertices renormalised"]),
        ([[0, 2]], [[0.5, 0.5]], [[0.5, 0, 0.5]], []),
    ],
)
def test_repairs_are_made_and_named(joints, values, dense, words):
    weights, report = Weights.repaired(joints, values, joint_count=3)
    np.testing.assert_allclose(weights.dense(3), dense)
    assert len(report) == len(words)
    for line, word in zip(report, words, strict=True):
        assert word in line


@pytest.mark.parametrize(("joints", "values"), [([[0, 1]], [[1.0]]), ([0, 1], [0.5, 0.5]), ([["a"]], [[1.0]])])
def test_what_cannot_be_repaired_is_refused(joints, values):
    with pytest.raises(InputError) as caught:
        Weights.repaired(joints, values, joint_count=3)
    assert caught.value.where == "Weights.repaired"


def test_repair_does_not_change_its_input():
    joints, values = np.array([[5, 1]], dtype=np.int32), np.array([[-1.0, 0.5]])
    Weights.repaired(joints, values, joint_count=3)
    np.testing.assert_array_equal(joints, [[5, 1]])
    np.testing.assert_array_equal(values, [[-1.0, 0.5]])


@settings(max_examples=80, deadline=None)
@given(
    joints=arrays.arrays(np.int32, (6, 4), elements=st.integers(-5, 9)),
    values=arrays.arrays(np.float64, (6, 4), elements=st.floats()),
)
def test_anything_can_be_repaired(joints, values):
    weights, _ = Weights.repaired(joints, values, joint_count=5)
    assert weights.values.min() >= 0.0
    assert weights.joints.min() >= 0
    assert weights.joints.max() < 5
    np.testing.assert_allclose(weights.dense(5).sum(axis=1), 1.0, atol=1e-9)


matrices = arrays.arrays(np.float64, (7, 6), elements=st.one_of(st.just(0.0), st.floats(0.001, 1.0)))


@settings(max_examples=60, deadline=None)
@given(matrix=matrices)
def test_dense_and_back(matrix):
    matrix = matrix + np.eye(7, 6) + (np.arange(7) == 6)[:, None]
    matrix /= matrix.sum(axis=1, keepdims=True)
    weights = Weights.from_dense(matrix)
    np.testing.assert_allclose(weights.dense(6), matrix, atol=1e-12)
    assert (np.diff(weights.values, axis=1) <= 0.0).all()


@settings(max_examples=60, deadline=None)
@given(matrix=matrices, influences=st.integers(1, 6))
def test_limits_keep_the_largest(matrix, influences):
    matrix = matrix + np.eye(7, 6) + (np.arange(7) == 6)[:, None]
    matrix /= matrix.sum(axis=1, keepdims=True)
    for limited in (Weights.from_dense(matrix, influences=influences), Weights.from_dense(matrix).limited(influences)):
        assert limited.influences <= influences
        np.testing.assert_allclose(limited.values.sum(axis=1), 1.0, atol=1e-12)
        largest = -np.sort(-matrix, axis=1)[:, :influences]
        expected = largest / largest.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(limited.values, expected[:, : limited.values.shape[1]], atol=1e-12)


def test_dense_adds_up_a_joint_named_twice():
    np.testing.assert_allclose(Weights([[1, 1]], [[0.5, 0.5]]).dense(2), [[0.0, 1.0]])


@pytest.mark.parametrize("matrix", [np.zeros((2, 3)), -np.ones((1, 2)), np.full((1, 2), np.nan), np.ones(3)])
def test_matrices_that_are_no_weights_are_refused(matrix):
    with pytest.raises(InputError):
        Weights.from_dense(matrix)


@pytest.mark.parametrize("influences", [0, -1])
def test_a_limit_below_one_is_refused(influences):
    with pytest.raises(InputError, match="at least"):
        Weights([[0, 1]], [[0.5, 0.5]]).limited(influences)
    with pytest.raises(InputError, match="at least"):
        Weights.from_dense([[0.5, 0.5]], influences=influences)


@pytest.mark.parametrize("joint_count", [0, -1])
def test_repair_needs_a_joint(joint_count):
    with pytest.raises(InputError, match="at least one joint"):
        Weights.repaired([[0]], [[1.0]], joint_count=joint_count)


def test_a_dense_matrix_needs_room_for_every_joint():
    with pytest.raises(InputError, match="joint 4"):
        Weights([[4]], [[1.0]]).dense(3)
