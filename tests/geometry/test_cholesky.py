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


def solved(matrix, sides, rows, stride, copies, device):
    wp = devices.warp()
    given = wp.array(sides.astype(np.float32), dtype=wp.vec3f, device=device)
    answers = wp.zeros(len(sides), dtype=wp.vec3f, device=device)
    factor = Cholesky(Factor.from_matrix(matrix, rows=rows, device=device), stride=stride, copies=copies, device=device)
    factor.solving(given, answers)()
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
    again()
    np.testing.assert_allclose(answers.numpy().reshape(copies, stride, 3)[:, rows], 0.5 * found[:, rows], atol=2e-5)


def test_unknowns_without_a_place_are_refused():
    with pytest.raises(InputError, match="each unknown needs one"):
        Factor.from_matrix(positive(5, 1), rows=np.arange(4, dtype=np.int32), device="cpu")
