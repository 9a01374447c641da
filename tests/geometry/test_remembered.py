"""What is kept about a mesh between calls: found once, right when the skin moves, and gone with the mesh."""

import gc
import weakref

import numpy as np

from conftest import make_tube
from supple.arrays import remembered
from supple.geometry.collision.ray_casting import RayCaster, cast_at
from supple.geometry.topology import edge_links, neighbors, unique_edges

TUBE = make_tube(rings=21, sectors=14)


def frozen_copy(array):
    copy = array.copy()
    copy.setflags(write=False)
    return copy


def test_read_only_arrays_are_looked_at_once_and_others_every_time():
    looks = []
    array = np.arange(5)
    for _ in range(2):
        remembered(array, "sum", lambda: looks.append(1))
    assert len(looks) == 2
    array.setflags(write=False)
    assert {remembered(array, "length", lambda: looks.append(1) or len(looks)) for _ in range(3)} == {3}
    assert remembered(array, "other", lambda: "another thing") == "another thing"


def test_nothing_keeps_a_mesh_alive():
    triangles = frozen_copy(TUBE.triangles)
    edge_links(triangles, len(TUBE.points))
    cast_at(TUBE.points, triangles, origins=[0.0, 1.0, 5.0], directions=[[0.0, 0.0, -1.0]])
    gone = weakref.ref(triangles)
    del triangles
    gc.collect()
    assert gone() is None


def test_edges_know_their_triangles_and_their_vertices():
    links = edge_links(TUBE.triangles, len(TUBE.points))
    np.testing.assert_array_equal(links.edges, unique_edges(TUBE.triangles))
    sides = np.concatenate([TUBE.triangles[:, [0, 1]], TUBE.triangles[:, [1, 2]], TUBE.triangles[:, [2, 0]]])
    np.testing.assert_array_equal(links.edges[links.edge_of_side], np.sort(sides, axis=1))
    around = neighbors(TUBE.triangles, len(TUBE.points))
    for vertex in range(len(TUBE.points)):
        row = slice(links.starts[vertex], links.starts[vertex + 1])
        assert sorted(links.ends[row]) == around.of(vertex).tolist()
        assert all(vertex in links.edges[edge] for edge in links.rows[row])


def test_rays_at_a_skin_that_moves_meet_what_a_new_look_at_it_meets():
    rng = np.random.default_rng(4)
    triangles = frozen_copy(TUBE.triangles)
    directions = np.array([0.0, 0.0, -1.0]) + rng.normal(0.0, 0.05, (200, 3))
    for move in (0.0, 0.4, -0.2):
        points = TUBE.points + np.array([move, 0.1 * move, 0.0])
        kept = cast_at(points, triangles, origins=[0.0, 1.0, 5.0], directions=directions)
        new = RayCaster(points, triangles).cast([0.0, 1.0, 5.0], directions)
        assert (kept.triangles == new.triangles).all()
        np.testing.assert_allclose(kept.barycentric, new.barycentric, atol=1e-12)
