"""Normals that keep their creases, and the rings that kernels walk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from conftest import make_tube
from supple import Pose
from supple.errors import InputError
from supple.geometry.normals import creases, normals
from supple.geometry.rings import WIDTH, rings
from supple.geometry.topology import neighbors, triangulate

CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
CUBE_QUADS = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])


def test_a_cube_keeps_its_edges():
    faces = triangulate(CUBE_QUADS)
    shared = creases(CUBE, faces, angle=np.radians(60.0))
    assert len(shared) == 24  # three normals at each of eight corners
    found = normals(CUBE, shared)
    assert np.allclose(np.sort(np.abs(found), axis=1), [0.0, 0.0, 1.0])
    outward = CUBE[shared.vertex_of_normal] - 0.5
    assert (np.sum(found * outward, axis=1) > 0.0).all()


def test_a_cube_is_smooth_when_no_angle_is_a_crease():
    shared = creases(CUBE, triangulate(CUBE_QUADS), angle=np.pi)
    assert len(shared) == 8


def test_every_corner_has_a_normal_of_its_own_vertex():
    tube = make_tube()
    shared = creases(tube.points, tube.triangles, angle=np.radians(40.0))
    assert np.array_equal(shared.vertex_of_normal[shared.normal_of_corner], tube.triangles)
    assert len(shared) > len(tube.points)  # the rims of the caps are creases


def test_normals_of_a_sphere_converge():
    """Halving the triangles at least halves the error against the sphere's own normals."""

    def error(rows):
        points, faces = _sphere(rows, 2 * rows)
        shared = creases(points, faces, angle=np.pi)
        return np.linalg.norm(normals(points, shared) - points[shared.vertex_of_normal], axis=1).max()

    errors = [error(rows) for rows in (12, 24, 48)]
    assert errors[0] < 0.1
    assert errors[0] > 1.95 * errors[1] > 1.95**2 * errors[2]


def test_the_device_gives_the_same_normals():
    tube = make_tube(bones=4)
    player = supple.player(tube, supple.DualQuaternion())
    turned = Pose.from_rotations(tube.skeleton, {"bone2": (0.0, 0.0, np.sin(0.5), np.cos(0.5))})
    for pose in (Pose.rest(tube.skeleton), turned):
        points = player.advance(pose)
        found, shared = player.normals(crease=np.radians(40.0))
        assert np.abs(found - normals(points, shared)).max() < 1e-5


def test_creases_are_decided_at_rest():
    """Bending a smooth tube to a sharp angle must not split its normals."""
    tube = make_tube()
    player = supple.player(tube, supple.LinearBlend())
    player.advance(Pose.rest(tube.skeleton))
    before = len(player.normals()[1])
    player.advance(Pose.from_rotations(tube.skeleton, {"bone1": (0.0, 0.0, np.sin(1.2), np.cos(1.2))}))
    assert len(player.normals()[1]) == before


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), holes=st.integers(0, 20), junk=st.integers(0, 6))
def test_rings_hold_exactly_the_neighbours(seed, holes, junk):
    """Whatever the mesh: closed, with holes, with triangles that make it no surface at all."""
    rng = np.random.default_rng(seed)
    tube = make_tube(rings=6, sectors=int(rng.integers(3, 12)))
    count = len(tube.points)
    faces = np.delete(tube.triangles, rng.choice(len(tube.triangles), holes, replace=False), axis=0)
    extra = np.array([rng.choice(count, 3, replace=False) for _ in range(junk)], dtype=np.int32).reshape(-1, 3)
    faces = np.concatenate([faces, extra])
    found, around = rings(faces, count + 1), neighbors(faces, count + 1)
    for vertex in range(count + 1):
        expected = set(around.indices[around.starts[vertex] : around.starts[vertex + 1]].tolist())
        length = found.counts[vertex]
        ring = found.ordered[vertex]
        plain = found.others[found.other_starts[vertex] : found.other_starts[vertex + 1]]
        assert set(ring[:length].tolist()) | set(plain.tolist()) == expected
        assert length == 0 or len(plain) == 0
        assert (ring[length:] == (ring[0] if length else vertex)).all()
        assert found.valences[vertex] == len(expected)
        if length:
            sides = set(zip(ring[:length].tolist(), np.roll(ring[:length], -1).tolist(), strict=True))
            assert sides == {_rotated(face, vertex)[1:] for face in faces.tolist() if vertex in face}
        fans = found.fans[found.fan_starts[vertex] : found.fan_starts[vertex + 1]].tolist()
        expected_fans = [list(_rotated(f, vertex)[1:]) for f in faces.tolist() if vertex in f] if not length else []
        assert sorted(fans) == sorted(expected_fans)


def test_most_of_a_closed_mesh_is_regular_and_a_pole_is_not():
    tube = make_tube(sectors=16)
    found = rings(tube.triangles, len(tube.points))
    assert (found.counts[:-2] > 0).all()
    assert (found.counts[-2:] == 0).all()  # 16 neighbours are more than a row holds
    assert WIDTH == 8


def _rotated(face, vertex):
    position = face.index(vertex)
    return tuple(face[position:] + face[:position])


def _sphere(rows, columns):
    polar, round_ = np.meshgrid(
        np.linspace(0, np.pi, rows + 1)[1:-1], np.arange(columns) * 2 * np.pi / columns, indexing="ij"
    )
    points = np.stack(
        [np.sin(polar) * np.cos(round_), np.cos(polar), -np.sin(polar) * np.sin(round_)], axis=-1
    ).reshape(-1, 3)
    row, column = (i.ravel() for i in np.meshgrid(np.arange(rows - 2), np.arange(columns), indexing="ij"))
    nxt = (column + 1) % columns
    quads = np.stack(
        [row * columns + column, (row + 1) * columns + column, (row + 1) * columns + nxt, row * columns + nxt], axis=1
    )
    top, bottom = len(points), len(points) + 1
    edge, last = np.arange(columns), (rows - 2) * columns + np.arange(columns)
    caps = [[top, edge[c], edge[(c + 1) % columns]] for c in range(columns)]
    caps += [[bottom, last[(c + 1) % columns], last[c]] for c in range(columns)]
    points = np.concatenate([points, [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]])
    return points, np.concatenate([triangulate(quads), np.array(caps)])


def test_normals_before_the_first_frame_are_refused(tube):
    with pytest.raises(InputError, match="no frame was made"):
        supple.player(tube, supple.LinearBlend()).normals()
