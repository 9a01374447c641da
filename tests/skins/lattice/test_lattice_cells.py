"""The lattice: nothing of the skin is lost, and only what hangs together through flesh is linked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solids import sphere, together

import supple
from oracles.lattice_cells import horseshoe, linked_pairs, trilinear, walks
from supple.errors import InputError
from supple.geometry import topology
from supple.geometry.subdivision import subdivide_long_edges
from supple.geometry.voxels import INSIDE, VoxelGrid, surface_voxels, voxel_windings
from supple.skins.lattice.voxelize.cells import SETS, Lattice, find_chains
from supple.skins.lattice.voxelize.embedding import EMBEDDINGS, embed
from supple.skins.lattice.voxelize.self_overlap import assign_overlap
from supple.skins.lattice.voxelize.shell_links import link_shells
from supple.skins.lattice.voxelize.voxel_components import make_lattice

GRID = VoxelGrid(np.array([0.5, -1.0, 2.0]), 0.25, (5, 4, 6))


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
    linked = low.astype(np.int64) * count + high
    for axis in range(3):
        behind = np.flatnonzero(lattice.chains[:, 2 * axis + 1] >= 0)
        ahead = lattice.chains[behind, 2 * axis + 1]
        np.testing.assert_array_equal(lattice.chains[ahead, 2 * axis], behind)
        assert (lattice.chains[:, 2 * axis] >= 0).sum() == len(behind)
        assert (lattice.cells[ahead] - lattice.cells[behind] == np.eye(3)[axis]).all()
        assert np.isin(np.minimum(behind, ahead) * count + np.maximum(behind, ahead), linked).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 1.0))
def test_plain_cells_are_linked_as_comparing_all_pairs_says(seed, share):
    cells = box(*GRID.shape)[np.random.default_rng(seed).random(5 * 4 * 6) < share]
    lattice = Lattice.from_cells(GRID, cells)
    assert_sound(lattice)
    np.testing.assert_array_equal(lattice.links, linked_pairs(cells))
    for kind, changed in SETS.items():
        near = lattice.neighbors(kind)
        wanted = [(i, j) for i, j in linked_pairs(cells).tolist() if np.count_nonzero(cells[i] != cells[j]) in changed]
        found = [(i, int(j)) for i in range(len(cells)) for j in near.of(i)]
        assert found == sorted(wanted + [(j, i) for i, j in wanted])


@pytest.mark.parametrize(("kind", "count"), [("faces", 6), ("faces-corners", 14), ("edges-corners", 20), ("all", 26)])
def test_the_middle_of_a_box_has_all_its_neighbours(kind, count):
    lattice = Lattice.from_cells(GRID, box(3, 3, 3))
    assert lattice.neighbors(kind).valences[13] == count
    np.testing.assert_array_equal(np.flatnonzero(~lattice.on_surface), [13])
    np.testing.assert_array_equal(lattice.chains[13], [4, 22, 10, 16, 12, 14])
    assert lattice.side == 0.25
    np.testing.assert_allclose(lattice.points[13], GRID.origin + 0.375)


def test_a_fork_keeps_the_stronger_branch():
    """Cell (1, 0, 0) holds two nodes, 1 and 2; both hang on node 0, and 2 and 1 each go on with one of their own."""
    cells = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 0]], dtype=np.int32)
    links = np.array([[0, 1], [0, 2], [1, 3], [2, 4]], dtype=np.int32)
    strong = find_chains(cells, links, np.array([1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(strong[:, 1], [2, 3, 4, -1, -1])
    np.testing.assert_array_equal(strong[:, 0], [-1, -1, 0, 1, 2])
    equal = find_chains(cells, links, np.ones(4))
    np.testing.assert_array_equal(equal[:, 1], [1, 3, 4, -1, -1])


def test_what_loses_a_fork_takes_the_next_best():
    """Node 0 prefers 2, which 1 wins; so 0 goes on with 3 though that is its weaker link."""
    cells = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]], dtype=np.int32)
    links = np.array([[0, 2], [0, 3], [1, 2]], dtype=np.int32)
    chains = find_chains(cells, links, np.array([2.0, 1.0, 3.0]))
    np.testing.assert_array_equal(chains[:, 1], [3, 2, -1, -1])


@pytest.mark.parametrize(
    ("cells", "given"),
    [
        ([[0, 0, 0], [5, 0, 0]], "cells leave the grid"),
        ([[0, -1, 0]], "cells leave the grid"),
        ([[1, 2, 3], [0, 0, 0], [1, 2, 3]], "a cell comes twice"),
        ([[0.5, 0, 0]], "cells holds fractions"),
    ],
)
def test_cells_that_cannot_be_are_refused(cells, given):
    with pytest.raises(InputError) as caught:
        Lattice.from_cells(GRID, cells)
    assert caught.value.given == given


def test_only_known_sets_of_neighbours_are_given():
    lattice = Lattice.from_cells(GRID, box(2, 2, 2))
    assert len(lattice.neighbors("faces").indices) == 24
    with pytest.raises(InputError, match="faces-corners"):
        lattice.neighbors("corners")


# From a mesh


def cells_in(lattice):
    return {tuple(cell) for cell in lattice.cells.tolist()}


def assert_nothing_is_lost(lattice, points, triangles):
    """Every cell that the surface touches or holds has a node, and no other; every vertex lies in the cell of its."""
    touched = surface_voxels(points, triangles, lattice.grid)
    solid = touched | (voxel_windings(points, triangles, lattice.grid) > INSIDE)
    assert cells_in(lattice) == {tuple(cell) for cell in np.argwhere(solid).tolist()}
    used = np.unique(triangles)
    held = lattice.grid.cells_of(points)
    assert (np.abs(lattice.cells[lattice.vertex_nodes] - held)[used] == 0).all()
    assert lattice.on_surface[lattice.vertex_nodes].all()
    outermost = {tuple(cell) for cell in np.argwhere(touched).tolist()}
    assert {tuple(cell) for cell in lattice.cells[lattice.on_surface].tolist()} == outermost


def parts_of(lattice):
    return topology.components(lattice.links[:, 0], lattice.links[:, 1], len(lattice))


@pytest.mark.parametrize("resolution", [1, 2, 5, 16, 33])
def test_a_ball_is_filled_as_a_plain_solid(resolution):
    """Nothing is near anything else, so there is one node in each cell and each is linked with all around it."""
    points, triangles = sphere(10)
    lattice = make_lattice(points, triangles, resolution)
    assert_sound(lattice)
    assert_nothing_is_lost(lattice, points, triangles)
    plain = Lattice.from_cells(lattice.grid, lattice.cells)
    found = {tuple(pair) for pair in lattice.links.tolist()}
    wanted = {tuple(pair) for pair in plain.links.tolist()}
    assert found <= wanted
    # Where two cells touch at an edge or a corner outside, the flesh between them goes round.
    assert len(found) >= 0.97 * len(wanted)
    assert parts_of(lattice).max() == 0


def test_moved_by_whole_voxels_it_is_the_same():
    points, triangles, _ = horseshoe(0.05)
    here = make_lattice(points, triangles, 20)
    there = make_lattice(points + np.array([3.0, -5.0, 2.0]) * here.side, triangles, 20)
    for one in ("cells", "links", "on_surface", "chains", "vertex_nodes"):
        np.testing.assert_array_equal(getattr(here, one), getattr(there, one))


@pytest.mark.parametrize("resolution", [16, 24, 32])
@pytest.mark.parametrize("gap", [0.6, 0.2, 0.02, -0.3, -1.0, -2.0])
def test_limbs_side_by_side_are_not_glued(resolution, gap):
    """Two legs a fifth of a voxel apart, or two voxels deep in each other: the way from one to the other leads round.

    Vertices of the two legs never share a node and never hang on nodes in common.
    """
    points, triangles, _ = horseshoe(0.0)
    side = float(np.ptp(points, axis=0).max()) / resolution
    points, triangles, leg = horseshoe(gap * side)
    assert topology.census(triangles).is_closed
    lattice = make_lattice(points, triangles, resolution)
    assert_sound(lattice)
    assert_nothing_is_lost(lattice, points, triangles)
    assert parts_of(lattice).max() == 0
    one, other = np.unique(lattice.vertex_nodes[leg == -1]), np.unique(lattice.vertex_nodes[leg == 1])
    assert len(np.intersect1d(one, other)) == 0
    foot = points[:, 1] < -5.5
    start = lattice.vertex_nodes[np.flatnonzero(foot & (leg == -1))[0]]
    away = walks(lattice.cells, lattice.links, [int(start)]) * lattice.side
    # Down one leg and up the other, less the width of what joins them.
    assert away[lattice.vertex_nodes[foot & (leg == 1)]].min() > 2.0 * 5.0
    for kind in EMBEDDINGS:
        embedding = embed(lattice, points, kind)
        legs = [np.unique(embedding.nodes[leg == which][embedding.weights[leg == which] > 0.0]) for which in (-1, 1)]
        assert len(np.intersect1d(*legs)) == 0


def test_a_plain_lattice_would_glue_them():
    """The law above can fail: with all neighbouring cells linked the way from leg to leg is short."""
    points, triangles, leg = horseshoe(0.05)
    lattice = make_lattice(points, triangles, 24)
    cells = np.array(sorted(cells_in(lattice)), dtype=np.int32)
    plain = Lattice.from_cells(lattice.grid, cells)
    foot = points[:, 1] < -5.5
    number = {tuple(cell): node for node, cell in enumerate(cells.tolist())}
    home = np.array([number[tuple(cell)] for cell in lattice.grid.cells_of(points).tolist()])
    away = walks(cells, plain.links, [int(home[np.flatnonzero(foot & (leg == -1))[0]])]) * lattice.side
    assert away[home[foot & (leg == 1)]].min() < 2.0


def test_where_limbs_part_they_are_whole():
    """Above the place where they part the legs are one body: nothing there is split without need."""
    points, triangles, _ = horseshoe(0.05)
    lattice = make_lattice(points, triangles, 32)
    numbers, counts = np.unique(lattice.grid.flat_indices(lattice.cells), return_counts=True)
    doubled = numbers[counts > 1]
    heights = lattice.points[np.isin(lattice.grid.flat_indices(lattice.cells), doubled), 1]
    assert counts.max() == 2
    assert len(doubled) > 20
    assert heights.max() < 0.0


def test_meshes_of_every_kind_are_filled_alike():
    """Open, doubled, unwelded and inside out: the same cells as of the sound ball, but for a lid over the hole."""
    points, triangles = sphere(14)
    whole = make_lattice(points, triangles, 20)
    loose = points[triangles].reshape(-1, 3), np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    inside_out = points, triangles[:, ::-1]
    twice = points, np.concatenate([triangles, triangles])
    for mesh in (loose, inside_out, twice):
        lattice = make_lattice(*mesh, 20)
        assert_sound(lattice)
        np.testing.assert_array_equal(lattice.cells, whole.cells)
        np.testing.assert_array_equal(lattice.links, whole.links)
        np.testing.assert_array_equal(lattice.on_surface, whole.on_surface)
        np.testing.assert_array_equal(
            lattice.points[lattice.vertex_nodes], lattice.grid.centers(lattice.grid.cells_of(mesh[0]))
        )
    cap = points[triangles].mean(axis=1)[:, 0] > 0.9
    holed = make_lattice(points, triangles[~cap], 20)
    assert_sound(holed)
    assert (holed.points[:, 0] < whole.points[:, 0].max() + 1e-9).all()
    lost = cells_in(whole) - cells_in(holed)
    assert all(whole.grid.centers(np.array(cell))[0] > 0.75 for cell in lost)
    assert parts_of(holed).max() == 0


def test_a_sheet_without_inside_has_its_own_cells():
    """A piece of cloth: a node in every cell it touches, in one piece. Its hollow side may count as inside."""
    u, v = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12), indexing="ij")
    points = np.stack([u.ravel(), 0.3 * (u + v).ravel(), v.ravel()], axis=1)
    corner = (12 * np.arange(11)[:, None] + np.arange(11)).ravel()
    triangles = np.concatenate(
        [np.stack([corner, corner + 1, corner + 12], axis=1), np.stack([corner + 1, corner + 13, corner + 12], axis=1)]
    ).astype(np.int32)
    lattice = make_lattice(points, triangles, 24)
    assert_sound(lattice)
    touched = np.argwhere(surface_voxels(points, triangles, lattice.grid)).tolist()
    assert {tuple(cell) for cell in touched} == {tuple(cell) for cell in lattice.cells[lattice.on_surface].tolist()}
    assert parts_of(lattice).max() == 0
    assert lattice.vertex_nodes.shape == (144,)


def test_both_skins_of_an_ear_are_in_one_node():
    """A plate thinner than any place in it hangs together straight through, not only round its rim."""
    points, triangles = sphere(24)
    points = points * np.array([1.0, 1.0, 0.01])
    lattice = make_lattice(points, triangles, 16)
    assert_sound(lattice)
    assert len(cells_in(lattice)) == len(lattice)


@pytest.mark.parametrize(("gap", "parts"), [(0.1, 1), (0.8, 1), (1.7, 1), (2.6, 2)])
def test_shells_that_float_hang_on_the_nearest(gap, parts):
    """A button in front of a ball: joined within two voxels of it, on its own farther off."""
    ball, button = sphere(12), sphere(6, radius=0.2)
    side = 2.0 / 16
    moved = button[0] + np.array([0.0, 1.2 + gap * side, 0.0]), button[1]
    points, triangles = together(ball, moved)
    lattice = make_lattice(points, triangles, round(float(np.ptp(points, axis=0).max()) / side))
    assert_sound(lattice)
    assert parts_of(lattice).max() + 1 == parts
    assert (np.bincount(lattice.links.ravel(), minlength=len(lattice)) > 0).all()


def test_a_shell_hangs_on_what_is_nearest_and_on_nothing_else():
    """A glove, between a wrist and a thigh of one body: it is joined to the wrist only, though the thigh is near."""
    grid = VoxelGrid(np.zeros(3), 1.0, (12, 4, 4))
    positions = np.array([[x, 1.5, 1.5] for x in (1.2, 2.0, 2.3, 3.2, 4.0, 5.2)])  # wrist, wrist | glove | thigh, thigh
    ways = np.array([0, 4, 0, 2]), np.array([1, 5, 5, 3])
    new, (one, other) = link_shells(positions, *ways, grid)
    assert len(new) == 0
    assert {tuple(sorted(pair)) for pair in zip(one.tolist(), other.tolist(), strict=True)} == {(1, 2)}


def test_wide_gaps_are_filled_with_places():
    grid = VoxelGrid(np.zeros(3), 1.0, (12, 4, 4))
    positions = np.array([[1.9, 1.5, 1.5], [3.8, 1.5, 1.5], [7.0, 1.5, 1.5]])
    nobody = np.empty(0, dtype=np.int64)
    new, (one, other) = link_shells(positions, nobody, nobody, grid)
    way = np.concatenate([positions, new])
    assert (topology.components(one, other, len(way)) == [0, 0, 1, 0, 0, 0]).all()  # the third is too far off
    cells = grid.cells_of(way)
    assert np.abs(cells[one] - cells[other]).max() <= 1


def test_crossing_shells_are_one_body():
    points, triangles = together(sphere(12), sphere(12, centre=(0.9, 0.1, 0.0)))
    lattice = make_lattice(points, triangles, 24)
    assert_sound(lattice)
    assert_nothing_is_lost(lattice, points, triangles)
    assert parts_of(lattice).max() == 0
    # Along the crease, where the flesh common to both is thinner than any place in it, a cell may be split.
    assert len(lattice) - len(cells_in(lattice)) <= 4


def test_an_overlap_goes_to_the_limb_beside_it():
    """Cells 1 and 2 of a row of four are empty; each takes the side it lies on, and no link joins the two sides."""
    cells = np.array([[0, 0, 0], [3, 0, 0]], dtype=np.int32)
    new, links = assign_overlap(cells, np.empty((0, 2), dtype=np.int32), np.array([[1, 0, 0], [2, 0, 0], [3, 0, 0]]))
    np.testing.assert_array_equal(new, [[1, 0, 0], [2, 0, 0]])
    np.testing.assert_array_equal(links, [[0, 2], [1, 3]])
    far, none = assign_overlap(cells, np.empty((0, 2), dtype=np.int32), np.array([[7, 7, 7]]))
    assert len(far) == len(none) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 2.0))
def test_finer_meshes_are_the_same_surface(seed, longest):
    points, triangles = sphere(4)
    points = points * np.random.default_rng(seed).uniform(0.3, 2.0, 3)
    dense, faces = subdivide_long_edges(points, triangles, longest=longest)
    np.testing.assert_array_equal(dense[: len(points)], points)
    ends = dense[topology.unique_edges(faces)]
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).max() <= longest
    assert topology.census(faces).is_closed
    assert topology.signed_volume(dense, faces) == pytest.approx(topology.signed_volume(points, triangles), rel=1e-12)


def test_a_mesh_without_triangles_is_refused():
    with pytest.raises(InputError, match="no triangles"):
        make_lattice(np.eye(3), np.empty((0, 3), dtype=np.int32), 8)


# The tie


@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_every_vertex_is_tied(kind):
    points, triangles = sphere(12)
    lattice = make_lattice(points, triangles, 14)
    embedding = embed(lattice, points, kind)
    assert (embedding.weights >= 0.0).all()
    np.testing.assert_allclose(embedding.weights.sum(axis=1), 1.0, atol=1e-12)
    near = np.abs(points[:, None] - lattice.points[embedding.nodes]).max(axis=2) / lattice.side
    assert near[embedding.weights > 0.0].max() <= {"trilinear": 1.0, "smooth": 1.5}[kind]
    matrix = embedding.matrix(len(lattice)).toarray()
    rows = np.arange(len(points))
    assert (matrix[rows, lattice.vertex_nodes] > 0.0).all()
    for row in rows[::17]:
        wanted = np.bincount(embedding.nodes[row], embedding.weights[row], len(lattice))
        np.testing.assert_allclose(matrix[row], wanted, atol=1e-15)


def test_trilinear_shares_are_those_of_the_eight_cells_around():
    points, triangles = sphere(12)
    lattice = make_lattice(points, triangles, 14)
    embedding = embed(lattice, points, "trilinear")
    for vertex in range(0, len(points), 7):
        around = trilinear(points[vertex], lattice.grid.origin, lattice.side)
        cells = [tuple(cell) for cell in lattice.cells[embedding.nodes[vertex]].tolist()]
        found = {cell: share for cell, share in zip(cells, embedding.weights[vertex], strict=True) if share > 1e-12}
        total = sum(around[cell] for cell in found)
        assert total > 0.1
        for cell, share in found.items():
            assert share == pytest.approx(around[cell] / total, abs=1e-12)


@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_deep_in_the_flesh_the_tie_follows_straight_lines(kind):
    """With all cells there, both kinds give back what is linear in space, and the smooth one has no kink."""
    cells = box(5, 5, 5)
    grid = VoxelGrid(np.zeros(3), 1.0, (5, 5, 5))
    plain = Lattice.from_cells(grid, cells)
    points = 2.0 + np.random.default_rng(2).random((200, 3))
    lattice = Lattice(grid, plain.cells, plain.links, plain.on_surface, plain.chains, np.full(200, 62, dtype=np.int32))
    embedding = embed(lattice, points, kind)
    slope = np.array([0.3, -1.2, 2.0])
    values = (embedding.weights * (lattice.points[embedding.nodes] @ slope)).sum(axis=1)
    np.testing.assert_allclose(values, points @ slope, atol=1e-12)


def test_linked_nodes_of_one_cell_share_its_share():
    """Where flesh forks, two nodes in the next cell count as much together as one would."""
    grid = VoxelGrid(np.zeros(3), 1.0, (3, 3, 3))
    cells = np.array([[0, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=np.int32)
    links = np.array([[0, 1], [0, 2]], dtype=np.int32)
    chains = find_chains(cells, links, np.ones(2))
    forked = Lattice(grid, cells, links, np.ones(3, dtype=bool), chains, np.zeros(1, dtype=np.int32))
    embedding = embed(forked, np.array([[0.8, 1.5, 1.5]]), "trilinear")
    np.testing.assert_allclose(embedding.matrix(3).toarray(), [[0.7, 0.15, 0.15]], atol=1e-12)


def test_ties_that_cannot_be_are_refused():
    points, triangles = sphere(6)
    lattice = make_lattice(points, triangles, 6)
    assert embed(lattice, points).nodes.shape[0] == len(points)
    with pytest.raises(InputError, match="trilinear, smooth"):
        embed(lattice, points, "cubic")
    with pytest.raises(InputError, match="use the same mesh"):
        embed(lattice, points[1:])


# Characters


@pytest.mark.parametrize("name", ["hero", "octopus", "quadruped", "snake"])
def test_built_in_characters_are_filled(name):
    character = supple.character(name)
    lattice = make_lattice(character.points, character.triangles, 28)
    assert_sound(lattice)
    assert_nothing_is_lost(lattice, character.points, character.triangles)
    assert parts_of(lattice).max() == 0


@pytest.mark.parametrize("name", ["human_cmu_8clips", "Fox", "human-bunny", "human-m2m-12clips"])
def test_real_characters_are_filled(name, data_file):
    character = supple.load(data_file(f"gltf/{name}.glb"))
    lattice = make_lattice(character.points, character.triangles, 24)
    assert_sound(lattice)
    assert parts_of(lattice).max() == 0
    assert (lattice.grid.cells_of(character.points) == lattice.cells[lattice.vertex_nodes]).all()
