"""How softly flesh yields where it is touched, found by pushing many nodes at once."""

from __future__ import annotations

import numpy as np
import pytest

from oracles import articulated as oracle
from supple.skins.contact.dynamics.factored_system import SolverArrays, skin_matrix
from supple.skins.contact.dynamics.point_compliance import NearInverse, _color, _joined, _within


def system(tissue: str, dt: float):
    body = oracle.bar(4, tissue=tissue)
    return SolverArrays.from_mechanism(body, dt).near_inverse, np.linalg.inv(skin_matrix(body, dt).toarray())


@pytest.mark.parametrize(("tissue", "dt"), [("fat", 1.0 / 60.0), ("muscle", 1.0 / 60.0), ("muscle", 1.0 / 240.0)])
def test_blocks_are_those_of_the_inverse(tissue, dt):
    near, inverse = system(tissue, dt)
    n = len(inverse) // 3
    exact = inverse.reshape(n, 3, n, 3).transpose(0, 2, 1, 3)[near.ones, near.others]
    size = np.linalg.norm(exact[: near.nodes], axis=(1, 2)).max()
    assert np.abs(near.blocks - exact).max() < 0.05 * size
    np.testing.assert_array_equal(near.ones[:n], np.arange(n))
    np.testing.assert_array_equal(near.others[:n], np.arange(n))


def test_a_point_between_nodes_yields_as_they_do_together():
    near, inverse = system("muscle", 1.0 / 60.0)
    body = oracle.bar(4, tissue="muscle")
    free = body.elements[(body.elements < body.node_count).all(axis=1)][:20]
    shares = np.random.default_rng(0).dirichlet(np.ones(4), len(free))
    found = near.at_points(4 * np.arange(len(free) + 1), free.ravel(), shares.ravel())
    for row, nodes in enumerate(free):
        carry = np.zeros((3, len(inverse)))
        for node, share in zip(nodes, shares[row], strict=True):
            carry[:, 3 * node : 3 * node + 3] = share * np.eye(3)
        exact = carry @ inverse @ carry.T
        assert np.abs(found[row] - exact).max() < 0.1 * np.trace(exact)
        assert np.linalg.eigvalsh(found[row]).min() > 0.0


def test_nodes_of_one_color_are_far_from_each_other():
    body = oracle.bar(3)
    near = _within(_joined(skin_matrix(body, 0.01)), 2)
    colors = _color(near)
    one, other = near.nonzero()
    assert (colors[one] != colors[other])[one != other].all()
    assert colors.min() == 0
    assert colors.max() + 1 < len(colors)


def test_without_flesh_nothing_yields():
    from scipy.sparse import csc_array

    none = NearInverse.from_matrix(csc_array((0, 0)), None)
    assert none.at_nodes().shape == (0, 3, 3)
    few = np.zeros(0, dtype=np.int32)
    np.testing.assert_array_equal(none.at_points(np.zeros(3, dtype=np.int32), few, np.zeros(0)), np.zeros((2, 3, 3)))
