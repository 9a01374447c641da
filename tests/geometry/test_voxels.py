"""Voxels: nothing of a surface is missed, and what lies inside is found, on closed and on open meshes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from supple.errors import InputError
from supple.geometry.voxels import INSIDE, VoxelGrid, surface_voxels, touched_voxels, voxel_windings


def sphere(radius=1.0, rings=40, sides=60):
    """A closed sphere around zero."""
    down, round_ = np.meshgrid(
        np.linspace(0, np.pi, rings + 1)[1:-1], np.linspace(0, 2 * np.pi, sides, endpoint=False), indexing="ij"
    )
    belt = np.stack([np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down)], axis=-1)
    points = np.concatenate([[[0, 0, 1.0]], belt.reshape(-1, 3), [[0, 0, -1.0]]]) * radius
    index = 1 + np.arange((rings - 1) * sides).reshape(rings - 1, sides)
    beside = np.roll(index, -1, axis=1)
    last = len(points) - 1
    parts = [
        np.stack([np.zeros(sides, dtype=int), index[0], beside[0]], axis=-1),
        np.stack([index[:-1], index[1:], beside[1:]], axis=-1).reshape(-1, 3),
        np.stack([index[:-1], beside[1:], beside[:-1]], axis=-1).reshape(-1, 3),
        np.stack([index[-1], np.full(sides, last), beside[-1]], axis=-1),
    ]
    return points, np.concatenate(parts).astype(np.int32)


def inside_voxels(points, triangles, grid, **options):
    """The voxels whose middle lies inside, as tissue asks for them."""
    return voxel_windings(points, triangles, grid, **options) > INSIDE


def marked(mask, grid, points):
    cells = grid.cells_of(points)
    return mask[cells[:, 0], cells[:, 1], cells[:, 2]]


coordinates = st.floats(-1.0, 1.0, allow_subnormal=False)


@settings(max_examples=150, deadline=None)
@given(
    corners=arrays.arrays(np.float64, (4, 3, 3), elements=coordinates),
    shares=arrays.arrays(np.float64, (50, 3), elements=st.floats(0.0, 1.0)),
    resolution=st.integers(1, 40),
)
def test_every_point_of_a_triangle_lies_in_a_marked_voxel(corners, shares, resolution):
    points = corners.reshape(-1, 3)
    if np.ptp(points, axis=0).max() < 1e-3:
        return
    triangles = np.arange(12).reshape(4, 3)
    grid = VoxelGrid.around(points, resolution)
    mask = surface_voxels(points, triangles, grid)
    total = shares.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / 3.0)
    for triangle in corners:
        assert marked(mask, grid, shares @ triangle).all()


def test_no_voxel_is_marked_in_vain():
    """Voxels whose middle is farther from the sphere than half their diagonal cannot touch it."""
    points, triangles = sphere()
    grid = VoxelGrid.around(points, 30)
    mask = surface_voxels(points, triangles, grid)
    radius = np.linalg.norm(grid.centers(np.argwhere(mask)), axis=1)
    sag = 1.0 - np.cos(np.pi / 40)  # flat triangles lie a little inside the round surface
    reach = np.sqrt(3) / 2 * grid.side
    assert radius.max() <= 1.0 + reach + 1e-9
    assert radius.min() >= 1.0 - sag - reach - 1e-9


def test_a_tilted_triangle_marks_its_plane_only():
    points = np.array([[0.0, 0, 0], [10, 0, 10], [0, 10, 10]])
    grid = VoxelGrid(np.zeros(3), 1.0, (10, 10, 10))
    cells = np.argwhere(surface_voxels(points, np.array([[0, 1, 2]]), grid))
    # The plane z = x + y passes a cube when its lowest and highest corner lie on different sides.
    low = cells[:, 0] + cells[:, 1] - cells[:, 2] - 1
    high = cells[:, 0] + 1 + cells[:, 1] + 1 - cells[:, 2]
    assert ((low <= 0) & (high >= 0)).all()
    assert len(cells) > 100


def test_large_and_small_triangles_mark_the_same():
    """One triangle over the whole grid, and the same in 4^5 pieces."""
    points = np.array([[0.05, 0.1, 0.3], [9.7, 0.2, 8.1], [1.3, 9.6, 6.2]])
    pieces = points[None]
    for _ in range(5):
        a, b, c = np.moveaxis(pieces, 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        pieces = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    grid = VoxelGrid(np.zeros(3), 0.25, (40, 40, 40))
    whole = surface_voxels(points, np.array([[0, 1, 2]]), grid)
    parts = surface_voxels(pieces.reshape(-1, 3), np.arange(pieces.size // 3).reshape(-1, 3), grid)
    np.testing.assert_array_equal(whole, parts)


def test_a_triangle_touches_the_voxels_that_it_marks_alone():
    """Pairs of triangle and voxel, for large and small triangles: the voxels of each are those of it by itself."""
    random = np.random.default_rng(3)
    points = random.random((60, 3)) * np.repeat([[1.0], [12.0]], 30, axis=0)
    triangles = np.arange(60).reshape(20, 3)
    grid = VoxelGrid.around(points, 24)
    faces, numbers = touched_voxels(points, triangles, grid)
    for face in range(20):
        alone = np.flatnonzero(surface_voxels(points, triangles[face : face + 1], grid))
        np.testing.assert_array_equal(np.unique(numbers[faces == face]), alone)
    none, empty = touched_voxels(points, np.empty((0, 3), dtype=np.int32), grid)
    assert len(none) == len(empty) == 0


def test_windings_count_how_often_a_voxel_is_enclosed():
    """Two balls, one in the other: 2 inside both, 1 between their skins, 0 outside; rounded or as asked of libigl."""
    import igl

    points, triangles = sphere()
    nested = np.concatenate([points, 0.5 * points])
    both = np.concatenate([triangles, len(points) + triangles])
    grid = VoxelGrid.around(nested, 30)
    windings = voxel_windings(nested, both, grid)
    radius = np.linalg.norm(grid.centers(np.argwhere(np.ones(grid.shape, dtype=bool))), axis=1).reshape(grid.shape)
    np.testing.assert_allclose(windings[radius < 0.45], 2.0, atol=0.05)
    np.testing.assert_allclose(windings[(radius > 0.55) & (radius < 0.95)], 1.0, atol=0.05)
    np.testing.assert_allclose(windings[radius > 1.05], 0.0, atol=0.05)
    touched = surface_voxels(nested, both, grid)
    asked = igl.fast_winding_number(nested, both.astype(np.int64), grid.centers(np.argwhere(touched)))
    np.testing.assert_allclose(windings[touched], asked, atol=1e-12)


@pytest.mark.parametrize("resolution", [8, 21, 40])
def test_inside_is_a_ball(resolution):
    points, triangles = sphere()
    grid = VoxelGrid.around(points, resolution)
    inside = inside_voxels(points, triangles, grid)
    radius = np.linalg.norm(grid.centers(np.argwhere(np.ones(grid.shape, dtype=bool))), axis=1).reshape(grid.shape)
    sag = 1.0 - np.cos(np.pi / 40) * np.cos(np.pi / 60)
    assert inside[radius < 1.0 - sag].all()
    assert not inside[radius > 1.0].any()


@pytest.mark.parametrize("resolution", [16, 40])
def test_solid_is_the_ball_and_its_surface_layer(resolution):
    points, triangles = sphere()
    grid = VoxelGrid.around(points, resolution)
    surface = surface_voxels(points, triangles, grid)
    solid = surface | inside_voxels(points, triangles, grid)
    ball = 4.0 / 3.0 * np.pi / grid.side**3
    assert solid.sum() - surface.sum() < ball < solid.sum()
    # Face neighbours of what is inside and untouched are solid: the set is closed.
    core = np.argwhere(solid & ~surface)
    for step in np.concatenate([np.eye(3, dtype=int), -np.eye(3, dtype=int)]):
        near = core + step
        assert solid[near[:, 0], near[:, 1], near[:, 2]].all()


def test_open_meshes_are_filled():
    points, triangles = sphere()
    middles = points[triangles].mean(axis=1)
    holed = triangles[~((middles[:, 2] > 0.92) | (np.random.default_rng(1).random(len(triangles)) < 0.02))]
    grid = VoxelGrid.around(points, 30)
    whole, filled = inside_voxels(points, triangles, grid), inside_voxels(points, holed, grid)
    where = grid.centers(np.argwhere(whole != filled))
    # Only under the missing cap the two may differ, and there only by a lid's depth.
    assert len(where) < 0.02 * whole.sum()
    assert (where[:, 2] > 0.7).all()
    assert filled.sum() > 0.97 * whole.sum()


def test_shells_that_cross_make_one_solid():
    points, triangles = sphere()
    two = np.concatenate([points, points + np.array([0.7, 0.0, 0.0])])
    both = np.concatenate([triangles, triangles + len(points)])
    grid = VoxelGrid.around(two, 40)
    inside = inside_voxels(two, both, grid)
    expected = np.zeros(grid.shape, dtype=bool)
    for shift in ([0.0, 0, 0], [0.7, 0, 0]):
        expected |= inside_voxels(points + shift, triangles, grid)
    np.testing.assert_array_equal(inside, expected)


def test_probing_regions_finds_what_asking_everywhere_finds():
    """With every voxel named as surface nothing is guessed from probes."""
    points, triangles = sphere()
    nested = np.concatenate([points, 0.5 * points])
    both = np.concatenate([triangles, len(points) + triangles[:, ::-1]])  # a hollow ball
    grid = VoxelGrid.around(nested, 24)
    quick = inside_voxels(nested, both, grid)
    full = inside_voxels(nested, both, grid, surface=np.ones(grid.shape, dtype=bool))
    np.testing.assert_array_equal(quick, full)
    assert not marked(quick, grid, np.zeros((1, 3)))[0]


def test_cells_centres_and_numbers_agree():
    grid = VoxelGrid(np.array([1.0, 2.0, 3.0]), 0.5, (4, 5, 6))
    cells = np.argwhere(np.ones(grid.shape, dtype=bool)).astype(np.int32)
    np.testing.assert_array_equal(grid.cells_of(grid.centers(cells)), cells)
    np.testing.assert_array_equal(grid.flat_indices(cells), np.arange(4 * 5 * 6))
    np.testing.assert_array_equal(grid.cells_of(np.array([[-9.0, 2.1, 99.0]])), [[0, 0, 5]])


def test_the_grid_has_its_resolution_and_margin():
    points = np.array([[0.0, 0, 0], [1, 2, 0.3]])
    grid = VoxelGrid.around(points, 10, margin=2)
    assert grid.side == pytest.approx(0.2)
    assert grid.shape == (9, 14, 6)
    low, high = grid.origin, grid.origin + grid.side * np.array(grid.shape)
    assert (points.min(axis=0) - low >= 2 * grid.side - 1e-12).all()
    assert (high - points.max(axis=0) >= 2 * grid.side - 1e-12).all()


@pytest.mark.parametrize(
    ("points", "resolution", "given"),
    [(np.eye(3), 0, "resolution is 0"), (np.ones((4, 3)), 8, "all points are at one place")],
)
def test_grids_that_cannot_be_are_refused(points, resolution, given):
    with pytest.raises(InputError) as caught:
        VoxelGrid.around(points, resolution)
    assert caught.value.given == given
