"""The lattice: nothing of the skin is lost, and only what hangs together through flesh is linked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.lattice_cells import linked_pairs
from supple.errors import InputError
from supple.geometry.voxels import VoxelGrid
from supple.skins.lattice.cells import SETS, Lattice, chains_of

GRID = VoxelGrid(np.array([0.5, -1.0, 2.0]), 0.25, (7, 6, 8))


def box(*sides):
    return np.argwhere(np.ones(sides, dtype=bool)).astype(np.int32)


def assert_sound(lattice):
    """What is true of every lattice."""
    count = len(lattice)
    low, high = lattice.links.T
    assert (low < high).all()
    assert ((lattice.links >= 0) & (lattice.links < count)).all()
    assert len(np.unique(low.astype(np.int64) * count + high)) == len(low)
    assert (np.abs(lattice.cells[low] - lattice.cells[high]).max(axis=1) == 1).all()
    linked = {tuple(pair) for pair in lattice.links.tolist()}
    for axis in range(3):
        behind = np.flatnonzero(lattice.chains[:, 2 * axis + 1] >= 0)
        ahead = lattice.chains[behind, 2 * axis + 1]
        np.testing.assert_array_equal(lattice.chains[ahead, 2 * axis], behind)
        assert (lattice.chains[:, 2 * axis] >= 0).sum() == len(behind)
        assert (lattice.cells[ahead] - lattice.cells[behind] == np.eye(3)[axis]).all()
        assert all((min(pair), max(pair)) in linked for pair in zip(behind.tolist(), ahead.tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 1.0))
def test_plain_cells_are_linked_as_comparing_all_pairs_says(seed, share):
    cells = box(*GRID.shape)[np.random.default_rng(seed).random(7 * 6 * 8) < share]
    lattice = Lattice.of_cells(GRID, cells)
    assert_sound(lattice)
    np.testing.assert_array_equal(lattice.links, linked_pairs(cells))
    for kind, changed in SETS.items():
        near = lattice.neighbours(kind)
        wanted = [(i, j) for i, j in linked_pairs(cells).tolist() if np.count_nonzero(cells[i] != cells[j]) in changed]
        found = [(i, int(j)) for i in range(len(cells)) for j in near.of(i)]
        assert found == sorted(wanted + [(j, i) for i, j in wanted])


@pytest.mark.parametrize(("kind", "count"), [("faces", 6), ("faces-corners", 14), ("edges-corners", 20), ("all", 26)])
def test_the_middle_of_a_box_has_all_its_neighbours(kind, count):
    lattice = Lattice.of_cells(GRID, box(3, 3, 3))
    assert lattice.neighbours(kind).valences[13] == count
    np.testing.assert_array_equal(np.flatnonzero(~lattice.outside), [13])
    np.testing.assert_array_equal(lattice.chains[13], [4, 22, 10, 16, 12, 14])
    assert lattice.side == 0.25
    np.testing.assert_allclose(lattice.points[13], GRID.origin + 0.375)


def test_a_fork_keeps_the_stronger_branch():
    """Cell (1, 0, 0) holds two nodes, 1 and 2; both hang on node 0, and 2 and 1 each go on with one of their own."""
    cells = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 0]], dtype=np.int32)
    links = np.array([[0, 1], [0, 2], [1, 3], [2, 4]], dtype=np.int32)
    strong = chains_of(cells, links, np.array([1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(strong[:, 1], [2, 3, 4, -1, -1])
    np.testing.assert_array_equal(strong[:, 0], [-1, -1, 0, 1, 2])
    equal = chains_of(cells, links, np.ones(4))
    np.testing.assert_array_equal(equal[:, 1], [1, 3, 4, -1, -1])


def test_what_loses_a_fork_takes_the_next_best():
    """Node 0 prefers 2, which 1 wins; so 0 goes on with 3 though that is its weaker link."""
    cells = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]], dtype=np.int32)
    links = np.array([[0, 2], [0, 3], [1, 2]], dtype=np.int32)
    chains = chains_of(cells, links, np.array([2.0, 1.0, 3.0]))
    np.testing.assert_array_equal(chains[:, 1], [3, 2, -1, -1])


@pytest.mark.parametrize(
    ("cells", "given"),
    [
        ([[0, 0, 0], [7, 0, 0]], "cells leave the grid"),
        ([[0, -1, 0]], "cells leave the grid"),
        ([[1, 2, 3], [0, 0, 0], [1, 2, 3]], "a cell comes twice"),
        ([[0.5, 0, 0]], "cells holds fractions"),
    ],
)
def test_cells_that_cannot_be_are_refused(cells, given):
    with pytest.raises(InputError) as caught:
        Lattice.of_cells(GRID, cells)
    assert caught.value.given == given


def test_only_known_sets_of_neighbours_are_given():
    lattice = Lattice.of_cells(GRID, box(2, 2, 2))
    assert len(lattice.neighbours("faces").indices) == 24
    with pytest.raises(InputError, match="faces-corners"):
        lattice.neighbours("corners")
