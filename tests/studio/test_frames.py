"""Frames of the studio: what the page unpacks is what was packed, to a twentieth of a millimetre and two degrees."""

from dataclasses import replace

import numpy as np
import pytest

import supple
from supple.geometry.normals import normals
from supple.studio.frames import (
    CUBE,
    JOINTS,
    FramePacker,
    Head,
    joints_frame,
    kind_and_view,
    stamped,
    unpacked,
    unpacked_joints,
)

HEAD = Head(view=2, mesh=7, frame=123456, command=42, motion_time=1.25, flesh_time=99.5, engine=1700)


@pytest.fixture(scope="module")
def hero():
    return supple.character("hero", vertices=1200)


def test_what_is_unpacked_is_what_was_packed(hero):
    packer = FramePacker(hero)
    away = np.array([1000.0, 0.0, -500.0])
    points = (hero.points + away).astype(np.float32)
    shown = normals(hero.points, packer.creases)
    frame = packer.frame(HEAD, points, shown.astype(np.float32), away + np.array([0.0, 0.9, 0.0]))
    head, seen, facing = unpacked(frame)
    assert head == HEAD
    assert len(frame) == 64 + 8 * len(packer.creases)
    step = CUBE * hero.size.max() / 65535.0
    wanted = points[packer.creases.vertex_of_normal].astype(np.float64)
    assert np.abs(seen - wanted).max() < step + 2e-4  # single precision a kilometre away
    assert np.degrees(np.arccos(np.clip(np.sum(facing * shown, axis=1), -1.0, 1.0))).max() < 2.0


def test_what_leaves_the_cube_stays_at_its_border(hero):
    packer = FramePacker(hero)
    points = hero.points.astype(np.float32).copy()
    points[0] = [1e6, -1e6, 0.0]
    shown = normals(hero.points, packer.creases).astype(np.float32)
    _, seen, _ = unpacked(packer.frame(HEAD, points, shown, np.zeros(3)))
    half = 0.5 * CUBE * hero.size.max()
    first = seen[np.flatnonzero(packer.creases.vertex_of_normal == 0)[0]]
    np.testing.assert_allclose(first[:2], [half, -half], rtol=1e-5)


def test_the_mesh_names_the_vertex_of_every_display_point(hero):
    packer = FramePacker(hero)
    mesh = packer.mesh(len(hero.points))
    _, version, points, triangles, vertices = np.frombuffer(mesh[:20], dtype="<u4")
    assert mesh[:4] == b"SPLM"
    assert (version, triangles, vertices) == (1, len(hero.triangles), len(hero.points))
    corners = np.frombuffer(mesh, dtype="<u4", count=3 * triangles, offset=20).reshape(-1, 3)
    vertex = np.frombuffer(mesh, dtype="<u4", count=points, offset=20 + 12 * triangles)
    np.testing.assert_array_equal(vertex[corners], hero.triangles)
    joints = np.frombuffer(mesh, dtype="<u4", count=vertices, offset=20 + 12 * triangles + 4 * points)
    np.testing.assert_array_equal(joints, hero.weights.dense(len(hero.skeleton)).argmax(axis=1))


def test_other_bytes_are_no_frame(hero):
    with pytest.raises(ValueError, match="no frame"):
        unpacked(b"X" * 64)


def test_joints_arrive_where_they_are(hero):
    pose = supple.motion("walk", hero).sample(0.4)
    frame = joints_frame(HEAD, pose.world_from_joint)
    head, joints = unpacked_joints(frame)
    assert head == HEAD
    assert kind_and_view(frame) == (JOINTS, 2)
    np.testing.assert_allclose(joints, pose.world_from_joint[:, :3], atol=1e-6)
    with pytest.raises(ValueError, match="no frame of a skin"):
        unpacked(frame)


def test_a_frame_can_be_told_that_another_command_is_in_it(hero):
    packer = FramePacker(hero)
    shown = normals(hero.points, packer.creases).astype(np.float32)
    frame = packer.frame(HEAD, hero.points.astype(np.float32), shown, np.zeros(3))
    again = stamped(frame, 43)
    assert unpacked(again)[0] == replace(HEAD, command=43)
    np.testing.assert_array_equal(unpacked(again)[1], unpacked(frame)[1])
    assert stamped(frame, HEAD.command) is frame
