"""The factor of the flesh: it solves what it was made from, whatever hangs together in it."""

import numpy as np
import pytest
from scipy.sparse import block_diag, coo_array, csc_array, eye_array

from supple import device as devices
from supple.skins.contact.dynamics import factor as module
from supple.skins.contact.dynamics.factor import FactorArrays, FleshFactor


def factor_of(matrix):
    return FleshFactor(FactorArrays.from_matrix(matrix))


def flesh_like(nodes: int, *, seed: int, reach: int = 5) -> csc_array:
    """A positive matrix (3 n, 3 n) that couples every node to a few others, near by number and at random."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, reach * nodes // 4))
    near = rng.integers(0, nodes - 1, reach * nodes)
    one, other = np.append(ends[0], near), np.append(ends[1], near + 1)
    rows, columns = 3 * np.append(one, other), 3 * np.append(other, one)
    halves = rng.normal(size=(len(rows), 3, 3))
    at = np.arange(3)
    spread = np.broadcast_arrays(rows[:, None, None] + at[:, None], columns[:, None, None] + at, halves)
    matrix = coo_array((spread[2].ravel(), (spread[0].ravel(), spread[1].ravel())), shape=(3 * nodes, 3 * nodes))
    return csc_array(matrix @ matrix.T * 0.05 + eye_array(3 * nodes))


@pytest.mark.parametrize("nodes", [2, 3, 17, 200])
def test_it_solves_what_it_was_made_from(nodes):
    matrix = flesh_like(nodes, seed=nodes)
    sides = np.random.default_rng(1).normal(size=3 * nodes)
    answer = factor_of(matrix).solve(sides)
    np.testing.assert_allclose(answer, np.linalg.solve(matrix.toarray(), sides), rtol=1e-9, atol=1e-11)


def test_one_node_and_flesh_in_many_pieces():
    lone = csc_array(np.diag([2.0, 4.0, 8.0]))
    np.testing.assert_allclose(factor_of(lone).solve(np.ones(3)), [0.5, 0.25, 0.125])
    pieces = csc_array(block_diag([flesh_like(n, seed=n) for n in (2, 9, 4, 30, 3, 3, 12)] + [lone] * 5))
    sides = np.random.default_rng(2).normal(size=pieces.shape[0])
    found = factor_of(pieces).solve(sides)
    np.testing.assert_allclose(pieces @ found, sides, rtol=1e-9, atol=1e-11)


def test_several_right_sides_are_answered_each_by_itself():
    matrix = flesh_like(40, seed=3)
    sides = np.random.default_rng(4).normal(size=(120, 4))
    factor = factor_of(matrix)
    together = factor.solve(sides)
    assert together.shape == sides.shape
    for column in range(4):
        np.testing.assert_array_equal(together[:, column], factor.solve(sides[:, column]))


def test_neither_threads_nor_launches_change_anything(monkeypatch):
    """Small factors are walked through in one launch, large ones in three by all threads: to the last bit the same."""
    matrix = flesh_like(300, seed=5, reach=2)
    sides = np.random.default_rng(6).normal(size=900)
    answers = [factor_of(matrix).solve(sides)]
    monkeypatch.setattr(module, "_SMALL", 0)
    for count in (1, 2, 3):
        with devices.use_threads(count):
            answers.append(factor_of(matrix).solve(sides))
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


@pytest.mark.parametrize("small", [0, 40_000])
def test_arrays_that_stay_are_solved_between(monkeypatch, small):
    monkeypatch.setattr(module, "_SMALL", small)
    wp, rng = devices.warp(), np.random.default_rng(8)
    factor = factor_of(flesh_like(50, seed=8))
    sides, answers, others, sums = (wp.zeros(50, dtype=wp.vec3d, device="cpu") for _ in range(4))
    solve, add = factor.between(sides, answers), factor.between(sides, sums, onto=others)
    onto_itself = factor.between(sides, others, onto=others)
    for _ in range(3):
        given, more = rng.normal(size=(2, 50, 3))
        devices.write(sides, given)
        devices.write(others, more)
        wanted = factor.solve(given.ravel()).reshape(-1, 3)
        solve()
        add()
        np.testing.assert_array_equal(answers.numpy(), wanted)
        np.testing.assert_array_equal(sums.numpy(), more + wanted)
        np.testing.assert_array_equal(others.numpy(), more)
        onto_itself()
        np.testing.assert_array_equal(others.numpy(), more + wanted)
        np.testing.assert_array_equal(sides.numpy(), given)


@pytest.mark.cuda
def test_arrays_of_a_gpu_are_solved_between_too():
    wp, rng = devices.warp(), np.random.default_rng(9)
    factor = factor_of(flesh_like(20, seed=9))
    sides, others, sums = (wp.zeros(20, dtype=wp.vec3d, device="cuda:0") for _ in range(3))
    given, more = rng.normal(size=(2, 20, 3))
    devices.write(sides, given)
    devices.write(others, more)
    factor.between(sides, sums, onto=others)()
    np.testing.assert_array_equal(sums.numpy(), more + factor.solve(given.ravel()).reshape(-1, 3))


def test_answers_are_copies():
    factor = factor_of(flesh_like(10, seed=7))
    first = factor.solve(np.ones(30))
    kept = first.copy()
    factor.solve(-np.ones(30))
    np.testing.assert_array_equal(first, kept)
