"""Sums of area vectors around vertices, all at once and mesh by mesh, against NumPy."""

import numpy as np
import pytest

import supple
from supple import device as devices
from supple.geometry import topology
from supple.geometry.normals.area_sums import BEGINS, AreaSums, fans_in_groups, fit_meshes
from supple.geometry.rows import GROUP

HERO = supple.character("hero", vertices=700)
MESHES = {
    "hero": (HERO.points, HERO.triangles),
    # A fan that is open, two that meet in one vertex, three triangles on one side, and a vertex in no triangle.
    "wild": (
        np.random.default_rng(1).normal(size=(40, 3)),
        np.array([[0, 1, 2], [0, 2, 3], [0, 4, 5], [6, 7, 8], [6, 7, 9], [7, 6, 10], [11, 12, 11]], dtype=np.int32),
    ),
    "none": (np.ones((5, 3)), np.zeros((0, 3), dtype=np.int32)),
}


def _wanted(points, triangles):
    sums = np.zeros((len(points), 3))
    for corner in range(3):
        np.add.at(sums, triangles[:, corner], topology.area_vectors(points, triangles))
    return sums


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
@pytest.mark.parametrize("by_mesh", [False, True])
@pytest.mark.parametrize("mesh", MESHES)
def test_sums_are_those_of_all_triangles_around_a_vertex(mesh, by_mesh, device):
    wp, copies = devices.warp(), 3
    points, triangles = MESHES[mesh]
    shaken = points + 0.01 * np.random.default_rng(2).normal(size=(copies, *points.shape))
    given = devices.to_device(shaken.reshape(-1, 3).astype(np.float32), wp.vec3f, device)
    areas = AreaSums(triangles, copies, given, devices.Constants(device), by_mesh=by_mesh)
    for launch in areas.launches:
        launch()
    found = areas.sums.numpy().reshape(shaken.shape)
    for copy in range(copies):
        np.testing.assert_allclose(found[copy], _wanted(shaken[copy], triangles), atol=1e-6)


def test_fans_of_a_closed_mesh_begin_once_and_go_round():
    starts, corners = fans_in_groups(HERO.triangles, len(HERO.points))
    counts = np.bincount(HERO.triangles.reshape(-1), minlength=len(HERO.points))
    for v in (0, 33, len(HERO.points) - 1):
        fan = corners[starts[v // GROUP] + v % GROUP : starts[v // GROUP + 1] : GROUP]
        there = fan[: counts[v] + 1]
        assert list(there < 0) == [True] + [False] * counts[v]
        assert there[0] - BEGINS == there[-1]
        assert (fan[counts[v] + 1 :] == BEGINS).all()


def test_few_or_large_meshes_are_summed_all_at_once():
    assert not fit_meshes("cpu", 200, 9528)
    assert not fit_meshes("cuda:0", 3, 9528)
    assert not fit_meshes("cuda:0", 200, 100_000)
