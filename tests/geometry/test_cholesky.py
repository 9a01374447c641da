"""Systems that are factored once and solved on a device, against SciPy."""

import numpy as np
import pytest
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve

from supple import device as devices
from supple.errors import InputError
from supple.geometry.cholesky import Cholesky, Factor


def positive(count, seed):
    """A sparse symmetric positive matrix, as springs between random pairs have it."""
    random = np.random.default_rng(seed)
    one, other = random.integers(count, size=(2, 3 * count))
    stiffness = random.uniform(0.1, 2.0, 3 * count) * (one != other)
    rows, columns = np.concatenate([one, other, one, other]), np.concatenate([other, one, one, other])
    values = np.concatenate([-stiffness, -stiffness, stiffness, stiffness])
    return (coo_array((values, (rows, columns)), shape=(count, count)) + 0.3 * eye_array(count)).tocsr()


def run(launches):
    for launch in launches:
        launch()


def solved(matrix, sides, rows, stride, copies, device):
    wp = devices.warp()
    given = wp.array(sides.astype(np.float32), dtype=wp.vec3f, device=device)
    answers = wp.zeros(len(sides), dtype=wp.vec3f, device=device)
    factor = Cholesky(Factor.from_matrix(matrix, rows=rows, device=device), stride=stride, copies=copies, device=device)
    run(factor.solving(given, answers))
    return factor, given, answers


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("copies", [1, 3, 45])
def test_it_solves_as_scipy_does_and_leaves_the_others_alone(device, copies):
    matrix, stride = positive(150, 1), 175
    rows = np.sort(np.random.default_rng(2).choice(stride, 150, replace=False)).astype(np.int32)
    sides = np.random.default_rng(3).standard_normal((copies * stride, 3))
    factor, given, answers = solved(matrix, sides, rows, stride, copies, device)
    found = answers.numpy().reshape(copies, stride, 3).copy()
    for copy in range(copies):
        wanted = spsolve(matrix.tocsc(), sides.reshape(copies, stride, 3)[copy, rows])
        np.testing.assert_allclose(found[copy, rows], wanted, atol=2e-5)
    others = np.setdiff1d(np.arange(stride), rows)
    assert (found[:, others] == 0.0).all()

    again = factor.solving(given, answers)
    factor.replace(Factor.from_matrix(2.0 * matrix, rows=rows, device=device))
    run(again)
    np.testing.assert_allclose(answers.numpy().reshape(copies, stride, 3)[:, rows], 0.5 * found[:, rows], atol=2e-5)


def multiplied(matrix, sides, expected):
    """Answers (copies, n, 3) that a GPU finds with an inverse in numbers of 16 bits."""
    wp, (copies, count, _), device = devices.warp(), sides.shape, "cuda:0"
    rows = np.arange(count, dtype=np.int32)
    given = wp.array(sides.reshape(-1, 3).astype(np.float32), dtype=wp.vec3f, device=device)
    answers = wp.zeros(copies * count, dtype=wp.vec3f, device=device)
    factor = Factor.from_matrix(matrix, rows=rows, device=device)
    solver = Cholesky(factor, stride=count, copies=copies, device=device, expected=expected)
    assert solver._half is not None
    run(solver.solving(given, answers))
    return answers.numpy().reshape(sides.shape)


@pytest.mark.cuda
@pytest.mark.parametrize(("count", "copies"), [(150, 8), (130, 45), (300, 101)])
def test_an_inverse_of_16_bits_is_near_with_sides_long_and_short(count, copies):
    matrix = positive(count, 5)
    inverse = np.linalg.inv(matrix.toarray())
    sizes = 10.0 ** np.random.default_rng(6).uniform(-6.0, 1.0, (copies, 1, 1))
    sides = sizes * np.random.default_rng(7).standard_normal((copies, count, 3))
    off = np.abs(multiplied(matrix, sides, 100.0) - inverse @ sides)
    assert (off <= 2.0**-11 * (np.abs(inverse) @ np.abs(sides)) + 1e-9).all()


@pytest.mark.cuda
def test_right_sides_lose_nothing_of_22_bits_and_too_long_ones_are_cut_off():
    from scipy.sparse import diags_array

    matrix = diags_array(2.0 ** (np.arange(70) % 5)).tocsr()
    sides = np.random.default_rng(8).uniform(0.1, 1.0, (10, 70, 3))
    wanted = sides / matrix.diagonal()[:, None]
    np.testing.assert_allclose(multiplied(matrix, sides, 1.0), wanted, rtol=2.0**-21)
    assert np.isfinite(multiplied(matrix, 1e9 * sides, 1.0)).all()


def test_unknowns_without_a_place_are_refused():
    with pytest.raises(InputError, match="each unknown needs one"):
        Factor.from_matrix(positive(5, 1), rows=np.arange(4, dtype=np.int32), device="cpu")
